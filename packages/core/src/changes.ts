/**
 * `Changes`: what one tick reports. It can be read as views, one a watcher, or as columns of all watchers at once.
 *
 * Nothing is built until it is read, and nothing is copied: lists are windows on the report's buffers, which the next
 * tick overwrites.
 */
import type { EntityId } from './entities/entity-ids.ts';
import { badOption } from './errors.ts';
import { REPORT_KINDS, type ReportKind, type ReportLists } from './reports/report.ts';
import { hashOf } from './reports/report-hash.ts';
import { type ReadableRows, rowFrom } from './reports/report-rows.ts';
import type { WatchedLists } from './reports/watch-counts.ts';

/**
 * One kind of report for all watchers. The next tick reuses the buffers. They are longer than needed; only the first
 * `count` rows are valid.
 */
export interface ReportColumns {
  /** Number of rows in use. */
  readonly count: number;
  /** Ids of the watchers, ascending, one a row. */
  readonly watchers: Uint32Array;
  /** Row i is `markers[offsets[i] .. offsets[i + 1])`. */
  readonly offsets: Uint32Array;
  /** Ids, ascending within a row. */
  readonly markers: Uint32Array;
}

const NOTHING = new Uint32Array(0);

/** A list; or, until its first read, the row of the report that holds it; -1 for an empty list. */
type LazyList = Uint32Array | number;

/**
 * What one tick reports to one watcher. Lists hold ascending ids. They are built on first read and valid until the
 * next tick, which overwrites them: call `slice()` to keep one. See `WorldOptions.debug`.
 */
export class View {
  /** The watcher that the report is for. */
  readonly watcher: EntityId;
  readonly #report: ReportLists;
  #left: LazyList;
  #entered: LazyList;
  #sensed: LazyList;
  #updated: LazyList;

  constructor(
    watcher: EntityId,
    report: ReportLists,
    left: number,
    entered: number,
    sensed: number,
    updated: number,
  ) {
    this.watcher = watcher;
    this.#report = report;
    this.#left = left;
    this.#entered = entered;
    this.#sensed = sensed;
    this.#updated = updated;
  }

  /** Markers newly related. */
  get entered(): Uint32Array {
    if (typeof this.#entered === 'number') this.#entered = listAt(this.#report.entered, this.#entered);
    return this.#entered;
  }

  /** Markers no longer related, removed ones included. */
  get left(): Uint32Array {
    if (typeof this.#left === 'number') this.#left = listAt(this.#report.left, this.#left);
    return this.#left;
  }

  /** Markers related before and after that moved or were touched. */
  get updated(): Uint32Array {
    if (typeof this.#updated === 'number') this.#updated = listAt(this.#report.updated, this.#updated);
    return this.#updated;
  }

  /** Markers related before and after whose perceiving senses changed. */
  get sensed(): Uint32Array {
    if (typeof this.#sensed === 'number') this.#sensed = listAt(this.#report.sensed, this.#sensed);
    return this.#sensed;
  }
}

/** Whether this id is a watcher or marker in any list. Cost: O(pairs) the first time, then O(1). */
export let isNamedBy: (changes: Changes, id: EntityId) => boolean;

/** Whether this id is among the removed. Cost: O(log removed). */
export function isRemovedBy({ removed }: Changes, id: EntityId): boolean {
  return removed[rowFrom(removed, removed.length, id)] === id;
}

/**
 * What one tick reports. Valid until the next tick, which overwrites its lists; other calls in between do not affect
 * it.
 */
export class Changes implements Iterable<View> {
  static {
    isNamedBy = (changes, id) => {
      changes.#named ??= idsNamedBy(changes.#report);
      return changes.#named.has(id);
    };
  }

  /** Number of this tick. The first tick is 1; 0 before it. */
  readonly tick: number;
  /** Number of entered pairs, over all watchers. */
  readonly enteredCount: number;
  /** Number of left pairs, over all watchers. */
  readonly leftCount: number;
  /** Number of updated pairs, over all watchers. */
  readonly updatedCount: number;
  /** Number of sensed pairs, over all watchers. */
  readonly sensedCount: number;
  /** All ids removed since the tick before, ascending. Valid until the next tick. */
  readonly removed: Uint32Array;
  readonly #report: ReportLists;
  readonly #watchedIn: (tick: number) => WatchedLists;
  #viewCount = -1;
  /** All ids in any list; built on first use. */
  #named: ReadonlySet<EntityId> | undefined;

  constructor(
    tick: number,
    report: ReportLists,
    removed: Uint32Array,
    watchedIn: (tick: number) => WatchedLists,
  ) {
    this.tick = tick;
    this.enteredCount = report.entered.count;
    this.leftCount = report.left.count;
    this.updatedCount = report.updated.count;
    this.sensedCount = report.sensed.count;
    this.removed = removed;
    this.#report = report;
    this.#watchedIn = watchedIn;
  }

  /**
   * Markers that got their first relation in this tick, ascending; for waking up entities that come into a watcher's
   * perception. Counting starts with the first read of this or `unwatched`, or with the first listener to either;
   * until then it costs next to nothing. Valid until the next tick. Throws `REENTRANT_TICK`, `DISPOSED` on the first
   * read. Cost: O(relations) the first time, then that of a list.
   */
  get watched(): Uint32Array {
    return this.#watchedIn(this.tick).watched;
  }

  /**
   * Markers that lost their last relation in this tick, ascending, without removed markers. In all else as `watched`.
   */
  get unwatched(): Uint32Array {
    return this.#watchedIn(this.tick).unwatched;
  }

  /** Number of watchers with something to report. Cost: O(watchers concerned), once. */
  get viewCount(): number {
    if (this.#viewCount < 0) {
      this.#viewCount = 0;
      const cursor = new ReportCursor(this.#report);
      while (cursor.next() !== NO_WATCHER) this.#viewCount++;
    }
    return this.#viewCount;
  }

  /**
   * One view for each watcher with something to report, by ascending id. Cost: some 50 ns a view, and the same for
   * each list read.
   */
  [Symbol.iterator](): Iterator<View> {
    return new ViewIterator(this.#report);
  }

  /** The view of one watcher; `undefined` if there is nothing to report to it. Cost: O(log watchers). */
  of(watcher: EntityId): View | undefined {
    if (typeof watcher !== 'number') return undefined;
    const { entered, left, updated, sensed } = this.#report;
    const leftRow = left.rowOf(watcher);
    const enteredRow = entered.rowOf(watcher);
    const sensedRow = sensed.rowOf(watcher);
    const updatedRow = updated.rowOf(watcher);
    // All four are -1.
    if ((leftRow & enteredRow & sensedRow & updatedRow) === -1) return undefined;
    return new View(watcher, this.#report, leftRow, enteredRow, sensedRow, updatedRow);
  }

  /** The same data as the views, without an object per watcher. Throws `BAD_OPTION` for an unknown kind. */
  columns(kind: ReportKind): ReportColumns {
    if (!REPORT_KINDS.includes(kind))
      throw badOption('kind', kind, "'entered', 'left', 'updated' or 'sensed'");
    const rows = this.#report[kind];
    return { count: rows.rowCount, watchers: rows.watchers, offsets: rows.offsets, markers: rows.markers };
  }

  /**
   * 64-bit hash, in hex, of the reported pairs, independent of their order; see reports/report-hash.ts. Cost: 5 ns a
   * pair.
   */
  hash(): string {
    return hashOf(this.#report);
  }
}

/**
 * Walks the watchers of all four kinds in ascending order. It takes the columns once, so they stay readable if the
 * heap moves.
 */
export class ReportCursor {
  /** The rows of the watcher that `next` returned, by kind; -1 for a kind without a row. */
  left = -1;
  entered = -1;
  sensed = -1;
  updated = -1;
  readonly #left: RowCursor;
  readonly #entered: RowCursor;
  readonly #sensed: RowCursor;
  readonly #updated: RowCursor;

  constructor({ left, entered, sensed, updated }: ReportLists) {
    this.#left = new RowCursor(left);
    this.#entered = new RowCursor(entered);
    this.#sensed = new RowCursor(sensed);
    this.#updated = new RowCursor(updated);
  }

  /** The next watcher's id, or `NO_WATCHER`. */
  next(): EntityId {
    const left = this.#left;
    const entered = this.#entered;
    const sensed = this.#sensed;
    const updated = this.#updated;
    const lowest = Math.min(left.watcher, entered.watcher, sensed.watcher, updated.watcher);
    if (lowest === NO_WATCHER) return lowest;
    this.left = left.take(lowest);
    this.entered = entered.take(lowest);
    this.sensed = sensed.take(lowest);
    this.updated = updated.take(lowest);
    return lowest;
  }
}

/** Greater than every id. */
export const NO_WATCHER = 0x1_0000_0000;

/** Walks the rows of one kind. */
class RowCursor {
  /** Watcher of the current row; `NO_WATCHER` after the last row. */
  watcher: number;
  readonly #watchers: Uint32Array;
  readonly #count: number;
  #row = 0;

  constructor({ watchers, rowCount }: ReadableRows) {
    this.#watchers = watchers;
    this.#count = rowCount;
    this.watcher = rowCount > 0 ? watchers[0] : NO_WATCHER;
  }

  /** If the current row is this watcher's, returns it and advances; else -1. */
  take(watcher: number): number {
    if (this.watcher !== watcher) return -1;
    const row = this.#row++;
    this.watcher = row + 1 < this.#count ? this.#watchers[row + 1] : NO_WATCHER;
    return row;
  }
}

/** Not a generator: V8 does not inline generators, and one took longer than all the rest. */
class ViewIterator implements Iterator<View> {
  readonly #report: ReportLists;
  readonly #cursor: ReportCursor;

  constructor(report: ReportLists) {
    this.#report = report;
    this.#cursor = new ReportCursor(report);
  }

  next(): IteratorResult<View> {
    const cursor = this.#cursor;
    const watcher = cursor.next();
    if (watcher === NO_WATCHER) return { done: true, value: undefined };
    const { left, entered, sensed, updated } = cursor;
    return { done: false, value: new View(watcher, this.#report, left, entered, sensed, updated) };
  }
}

/** The list of a row; empty if the row is -1, or if a later tick has overwritten it. */
function listAt(rows: ReadableRows, row: number): Uint32Array {
  return row < 0 || row >= rows.rowCount ? NOTHING : rows.listOf(row);
}

function idsNamedBy(report: ReportLists): ReadonlySet<EntityId> {
  const named = new Set<EntityId>();
  for (const kind of REPORT_KINDS) {
    const { watchers, markers, offsets, rowCount } = report[kind];
    for (let row = 0; row < rowCount; row++) named.add(watchers[row]);
    for (let i = offsets[0]; i < offsets[rowCount]; i++) named.add(markers[i]);
  }
  return named;
}
