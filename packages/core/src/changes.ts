/**
 * What one tick reports, as its readers see it: views by watcher, or columns of all of them at once.
 *
 * Nothing is made until it is read, and nothing is copied: lists are windows on the report's buffers, which the next
 * tick writes anew.
 */
import type { EntityId } from './entities/entity-ids.ts';
import { badOption } from './errors.ts';
import { REPORT_KINDS, type Report, type ReportKind } from './reports/report.ts';
import { hashOf } from './reports/report-hash.ts';
import type { ReportRows } from './reports/report-rows.ts';

/** One kind of report over all watchers. Buffers are reused and longer than needed; `count` rows count. */
export interface ReportColumns {
  readonly count: number;
  /** Ids, ascending, one a row. */
  readonly watchers: Uint32Array;
  /** Row i is `markers[offsets[i] .. offsets[i + 1])`. */
  readonly offsets: Uint32Array;
  /** Ids, ascending within a row. */
  readonly markers: Uint32Array;
}

const NOTHING = new Uint32Array(0);

/** What one tick reports to one watcher. Lists are ascending ids, made when first read, valid until the next tick. */
export class View {
  readonly watcher: EntityId;
  readonly #report: Report;
  #entered: Uint32Array | undefined;
  #left: Uint32Array | undefined;
  #updated: Uint32Array | undefined;
  #sensed: Uint32Array | undefined;

  constructor(watcher: EntityId, report: Report) {
    this.watcher = watcher;
    this.#report = report;
  }

  /** Markers newly related. */
  get entered(): Uint32Array {
    this.#entered ??= listOf(this.#report.entered, this.watcher);
    return this.#entered;
  }

  /** Markers no longer related, removed ones included. */
  get left(): Uint32Array {
    this.#left ??= listOf(this.#report.left, this.watcher);
    return this.#left;
  }

  /** Markers related before and after that moved or were touched. */
  get updated(): Uint32Array {
    this.#updated ??= listOf(this.#report.updated, this.watcher);
    return this.#updated;
  }

  /** Markers related before and after that other senses perceive now than before. */
  get sensed(): Uint32Array {
    this.#sensed ??= listOf(this.#report.sensed, this.watcher);
    return this.#sensed;
  }
}

/** What one tick reports. Valid until the next tick, whatever is called in between. */
export class Changes implements Iterable<View> {
  /** The first tick is 1; 0 before it. */
  readonly tick: number;
  /** Pairs, over all watchers. */
  readonly enteredCount: number;
  readonly leftCount: number;
  readonly updatedCount: number;
  readonly sensedCount: number;
  /** Every id removed since the tick before, ascending. */
  readonly removed: Uint32Array;
  readonly #report: Report;
  #viewCount = -1;

  constructor(tick: number, report: Report, removed: Uint32Array) {
    this.tick = tick;
    this.enteredCount = report.entered.count;
    this.leftCount = report.left.count;
    this.updatedCount = report.updated.count;
    this.sensedCount = report.sensed.count;
    this.removed = removed;
    this.#report = report;
  }

  /** Watchers with something to report. Cost: once O(watchers concerned). */
  get viewCount(): number {
    if (this.#viewCount < 0) {
      this.#viewCount = 0;
      const cursor = new ReportCursor(this.#report);
      while (cursor.next() !== undefined) this.#viewCount++;
    }
    return this.#viewCount;
  }

  /** One view for each watcher with something to report, by ascending id. */
  *[Symbol.iterator](): Iterator<View> {
    const cursor = new ReportCursor(this.#report);
    for (let watcher = cursor.next(); watcher !== undefined; watcher = cursor.next()) {
      yield new View(watcher, this.#report);
    }
  }

  /** The view of one watcher; `undefined` when there is nothing to report to it. Cost: O(log watchers). */
  of(watcher: EntityId): View | undefined {
    const { entered, left, updated, sensed } = this.#report;
    const isConcerned =
      entered.rowOf(watcher) >= 0 ||
      left.rowOf(watcher) >= 0 ||
      updated.rowOf(watcher) >= 0 ||
      sensed.rowOf(watcher) >= 0;
    return isConcerned ? new View(watcher, this.#report) : undefined;
  }

  /** The same as the views, without an object a watcher. Throws `BAD_OPTION` for another kind. */
  columns(kind: ReportKind): ReportColumns {
    const rows = this.#report[kind];
    if (!REPORT_KINDS.includes(kind))
      throw badOption('kind', kind, "'entered', 'left', 'updated' or 'sensed'");
    return { count: rows.rowCount, watchers: rows.watchers, offsets: rows.offsets, markers: rows.markers };
  }

  /** 64 bits in hex of what is reported, whatever its order; see reports/report-hash.ts. Cost: 5 ns a pair. */
  hash(): string {
    return hashOf(this.#report);
  }
}

/** Walks the watchers of all four kinds in ascending order. */
export class ReportCursor {
  readonly #kinds: readonly ReportRows[];
  readonly #positions = [0, 0, 0, 0];
  /** By kind, in the order of `REPORT_KINDS`: the row of the watcher that `next` answered, or -1. */
  readonly rows = [-1, -1, -1, -1];

  constructor(report: Report) {
    this.#kinds = [report.left, report.entered, report.sensed, report.updated];
  }

  /** The next watcher's id. */
  next(): EntityId | undefined {
    let lowest = Number.POSITIVE_INFINITY;
    for (let k = 0; k < 4; k++) {
      const rows = this.#kinds[k] as ReportRows;
      const position = this.#positions[k] as number;
      if (position < rows.rowCount) lowest = Math.min(lowest, rows.watchers[position]);
    }
    if (lowest === Number.POSITIVE_INFINITY) return undefined;
    for (let k = 0; k < 4; k++) {
      const rows = this.#kinds[k] as ReportRows;
      const position = this.#positions[k] as number;
      const isThere = position < rows.rowCount && rows.watchers[position] === lowest;
      this.rows[k] = isThere ? position : -1;
      if (isThere) this.#positions[k] = position + 1;
    }
    return lowest;
  }
}

function listOf(rows: ReportRows, watcher: EntityId): Uint32Array {
  const row = rows.rowOf(watcher);
  return row < 0 ? NOTHING : rows.listOf(row);
}
