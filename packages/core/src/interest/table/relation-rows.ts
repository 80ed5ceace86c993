/**
 * The relations of the watchers that get updates, stored as a row of marker ids, ascending, for each watcher.
 *
 * To find what entered and left, no stored pairs are needed. To report which related markers changed, they
 * are, because the alternative is another search of the world. A tick reads the rows in one stream and takes
 * out the markers that left. Watchers without `updated` reports have no row.
 *
 * Markers that entered are inserted by the next tick's stream; until then they wait in the arrivals. So after
 * the stream, the rows contain exactly the markers that stayed. If all entities changed, that is the
 * `updated` report, and the rows are lent to it as they are.
 *
 * If any watcher gets its updates at rates (update-rates.ts), the rows keep for each relation when it was last reported, and a kernel
 * lists what is due.
 *
 * Memory: 8 bytes a slot, 4.25 bytes a relation, as many with rates, and 4 to 6 more for the report if any entity did not change.
 * Cost: a copy of all rows, in place, if any relation began or ended; another copy into the report if any
 * entity did not change.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { unionOf } from '../../columns.ts';
import { type Crossings, RELATED_BEFORE } from '../../detectors/crossings.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import { UPDATES } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { pendingWith, REMOVED, UPDATES_CHANGED } from '../../entities/pending.ts';
import { assert } from '../../errors.ts';
import { type Column, Heap } from '../../kernels/heap.ts';
import {
  LIST_COLUMNS,
  LIST_JOB_WORDS,
  LISTED,
  LISTED_COUNT,
  RATED,
} from '../../kernels/layouts/list-rows.ts';
import type { Report } from '../../reports/report.ts';
import { ReportRows } from '../../reports/report-rows.ts';
import { RowColumn } from './row-column.ts';

const NOBODY = new Uint32Array(0);

/** By marker's id: the tick in which it was last reported; `undefined`: the last tick before it was given up. */
type ReportedRow = ReadonlyMap<EntityId, number | undefined>;

/** The watchers that get their updates at rates: see update-rates.ts. */
export interface Rates {
  /** Slots, ascending, of the watchers with a change that is still to be reported; `undefined`: any may have one. */
  readonly owing: Uint32Array | undefined;
  /** Returns where the job of kernels/layouts/report-rated.ts lies. The heap must not move until `end`. */
  begin(rows: RowColumn): number;
  end(rows: RowColumn): void;
  /** In place of the two: nothing is to be reported. */
  skip(): void;
}

export class RelationRows {
  /** Number of markers that the report of the tick under way needs room for, without those that are lent. */
  copied = 0;
  readonly #heap: Heap;
  readonly #rows: RowColumn;
  /** Relations that the next stream inserts into the rows. */
  readonly #arrivals: ReportRows;
  readonly #job: Column<'u32'>;
  /** Slots, ascending, of the rows that may hold a marker that changed in the tick under way; `undefined`: any. And a column for them. */
  #listedSlots: Uint32Array | undefined;
  readonly #listed: Column<'u32'>;
  /** Of the tick under way: how many relations may begin, whether the rows are lent, and whether updates are to be listed. */
  #entering = 0;
  #isLending = false;
  #isListing = false;
  /** Slots whose rows were dropped for a tick that has not succeeded yet. */
  readonly #givenUp = new Set<number>();
  /** When the relations of these rows were last reported, if the watcher was only switched off: by slot. */
  readonly #ticksGivenUp = new Map<number, ReportedRow>();
  /** The most arrivals since the last `shrink`. */
  #mostArrivals = 0;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#rows = new RowColumn(heap);
    this.#arrivals = new ReportRows(heap, false);
    this.#job = heap.column('u32', LIST_JOB_WORDS);
    this.#listed = heap.column('u32', 0, Heap.scratch);
  }

  /** Number of stored relations. */
  get count(): number {
    return this.#rows.count + this.#arrivals.count;
  }

  /** The relations of a watcher's slot, ascending ids; empty if it has no row. Valid until the heap moves. */
  rowOf(slot: number): Uint32Array {
    const row = this.#rows.rowOf(slot);
    const arrivals = this.#arrivals;
    const at = arrivals.rowFrom(slot * 1024);
    const hasArrived = at < arrivals.rowCount && arrivals.watchers[at] >>> 10 === slot;
    return hasArrived ? merged(row, arrivals.listOf(at)) : row;
  }

  /** Whether there is a row, possibly empty, with the relations of a slot as of the last tick. */
  keeps({ last }: EntityStore, slot: number): boolean {
    return (last.flags[slot] & UPDATES) !== 0 && !this.#givenUp.has(slot);
  }

  /**
   * Visits all stored pairs, including those with a removed entity. In order of watchers, except that the
   * latest arrivals come last.
   */
  each(store: EntityStore, visit: (watcher: EntityId, marker: EntityId) => void): void {
    const { ids } = store;
    const { slots, size, words, first, dropped } = this.#rows;
    for (let slot = 0; slot < slots; slot++) {
      // A failed tick has dropped rows, and has filled rows for watchers that will get one.
      if (size.array[slot] === 0 || dropped.has(slot) || !this.keeps(store, slot)) continue;
      const begin = first + this.#rows.startOf(slot);
      const end = begin + size.array[slot];
      for (let i = begin; i < end; i++) visit(ids.idOf[slot], words[i]);
    }
    const { rowCount, watchers, offsets, markers } = this.#arrivals;
    for (let row = 0; row < rowCount; row++) {
      if (!this.keeps(store, watchers[row] >>> 10)) continue;
      for (let i = offsets[row]; i < offsets[row + 1]; i++) visit(watchers[row], markers[i]);
    }
  }

  /**
   * The relations of a slot as of the last tick, removed markers included, as ascending ids; `undefined` if
   * there is no row. Valid until the heap moves.
   */
  relationsOf(store: EntityStore, slot: number): Uint32Array | undefined {
    return this.keeps(store, slot) ? this.rowOf(slot) : undefined;
  }

  /**
   * Drops the rows of watchers that are removed or no longer get updates, and fills rows for those that get
   * them anew, from `adopt`. May be called again after a failed tick.
   */
  settle(store: EntityStore, adopt: (slot: number) => Uint32Array): void {
    const { now, last } = store;
    const gone = new Set<number>();
    const adopted = new Set<number>();
    for (const slot of pendingWith(store, REMOVED | UPDATES_CHANGED)) {
      const gotUpdates = (last.flags[slot] & UPDATES) !== 0;
      if ((now.flags[slot] & UPDATES) !== 0) {
        if (!gotUpdates || this.#givenUp.has(slot)) adopted.add(slot);
        // One that got no updates at the last tick may have a row, too: from a tick that failed since.
      } else if (gotUpdates || this.rowOf(slot).length > 0) gone.add(slot);
    }
    if (gone.size + adopted.size === 0) return;
    for (const slot of gone) {
      if (this.#rows.keepsTicks && this.keeps(store, slot) && now.isPresent(slot)) this.#keepTicksOf(slot);
      this.#givenUp.add(slot);
    }
    for (const slot of adopted) this.#givenUp.delete(slot);
    for (const slot of [...gone, ...adopted]) this.#rows.drop(slot);
    const arrivals = this.#arrivals;
    if (arrivals.count > 0) arrivals.takeOut((id) => gone.has(id >>> 10) || adopted.has(id >>> 10));
    if (adopted.size > 0)
      this.#adopt(
        store,
        [...adopted].sort((a, b) => a - b),
        adopt,
      );
  }

  /**
   * Makes room for what the resolved crossings add, and for `updated` to contain every relation. The report
   * has its room already. `concerned`: slots of the watchers that may relate to what moved or was touched, ascending; `undefined`: any.
   * `rates`: `undefined` if no watcher gets updates at rates.
   */
  reserve(
    store: EntityStore,
    crossings: Crossings,
    report: Report,
    concerned: Uint32Array | undefined,
    rates: Rates | undefined,
  ): void {
    const { counts, size, slotCount } = store;
    const { entering, updated } = report;
    const stored = this.count;
    const mayEnter = (crossings.watcherFlags & UPDATES) !== 0;
    // If there are none yet, a whole world may enter at once, and few of its watchers may get updates.
    if (mayEnter) this.#entering = stored > 0 ? entering.markers : this.#countKept(store, crossings);
    else this.#entering = 0;
    this.copied = 0;
    this.#isListing = false;
    if (rates !== undefined) this.#rows.keepTicks();
    if (stored + this.#rows.span + this.#entering === 0) return;
    if (slotCount > this.#rows.capacity) this.#rows.growSlots(store.capacity);
    if (stored === 0) {
      this.#rows.reserve(this.#entering, slotCount);
      return;
    }
    this.#rows.reserve(this.#arrivals.count, slotCount);
    if (this.#entering > 0) this.#arrivals.reserve(entering.rows, this.#entering);
    const owing = rates === undefined ? NOBODY : rates.owing;
    if (counts.moved + counts.touched === 0 && owing?.length === 0) return;
    this.#isListing = true;
    // An added entity is in no row yet.
    this.#isLending = counts.moved + counts.added === size && rates === undefined;
    if (!this.#isLending) this.copied = stored;
    // The kernel writes one row and one marker more behind the last.
    updated.reserve(Math.min(stored, slotCount) + 1, this.#isLending ? 0 : stored + 1);
    const listed = concerned === undefined || owing === undefined ? undefined : unionOf(concerned, owing);
    this.#listedSlots = listed;
    if (listed === undefined) return;
    if (this.#listed.length < listed.length)
      this.#heap.resize([[this.#listed, listed.length + (listed.length >> 2) + 64]]);
  }

  /**
   * Inserts the arrivals of the last tick into the rows, takes out the markers that left, and stores what entered as arrivals. Room was
   * reserved; `entered` and `left` of the report are filled. `reportedAnew`: slots of watchers all of whose relations count as reported in
   * the last tick.
   */
  apply(store: EntityStore, report: Report, tick: number, reportedAnew: Iterable<number>): void {
    const rows = this.#rows;
    const arrivals = this.#arrivals;
    this.#givenUp.clear();
    const isEmpty = this.count === 0;
    report.updated.clear();
    if (arrivals.count + report.left.count + rows.dropped.size > 0 && !(isEmpty && rows.span === 0)) {
      rows.edit(report.left, arrivals, tick - 1);
      arrivals.clear();
    }
    if (rows.keepsTicks) this.#setTicks(reportedAnew, tick);
    this.#isListing &&= rows.count > 0;
    if (this.#entering === 0) return;
    if (isEmpty) {
      const { rowCount, watchers, offsets, markers } = report.entered;
      rows.fill(rowCount, watchers, offsets, markers, (slot) => this.#keeps(store, slot));
      if (rows.keepsTicks) rows.ticks.fill(tick, rows.first, rows.first + rows.span);
      return;
    }
    arrivals.copy(report.entered);
    if (!this.#areAllKept(store, report.entered)) {
      arrivals.takeOut((watcher) => !this.#keeps(store, watcher >>> 10));
    }
    this.#mostArrivals = Math.max(this.#mostArrivals, arrivals.count);
  }

  /**
   * Writes into `updated`, for each watcher with a row, the markers that stay related and that moved or were touched; where it gets them at
   * rates, those that are due. After `apply`, in which the rows lost what left; nothing that entered is in them yet, or nothing is listed.
   */
  list(store: EntityStore, updated: ReportRows, rates: Rates | undefined): void {
    if (!this.#isListing) {
      rates?.skip();
      return;
    }
    const job = rates?.begin(this.#rows) ?? 0;
    this.#listUpdated(store, updated, job);
    rates?.end(this.#rows);
  }

  /** Frees the memory of dropped rows, and of columns beyond `capacity` slots, none of which is in use. */
  shrink(capacity: number, isAnyRated: boolean): void {
    if (!isAnyRated) this.#rows.dropTicks();
    this.#rows.shrink(capacity);
    this.#heap.shrink(this.#arrivals.sizesToTrim(this.#mostArrivals));
    this.#mostArrivals = this.#arrivals.count;
  }

  /**
   * Writes the length of each row, by slot, then all rows, and when relations of watchers with rates were last reported. `related`: as
   * `adopt` of `settle`, for rows that a failed tick dropped. `tickCount`: finished ticks.
   */
  save(
    writer: ByteWriter,
    store: EntityStore,
    related: (slot: number) => Uint32Array,
    rated: { readonly count: number; is(slot: number): boolean },
    tickCount: number,
  ): void {
    const { slotCount, last } = store;
    // Search these first: a search may move the heap.
    const givenUp = [...this.#givenUp].filter((slot) => {
      return last.isPresent(slot) && (last.flags[slot] & UPDATES) !== 0;
    });
    const found = givenUp.map((slot) => [slot, related(slot)] as const);
    const rows = this.#rows;
    const sizes = new Uint32Array(slotCount);
    sizes.set(rows.size.array.subarray(0, Math.min(slotCount, rows.slots)));
    const arrived = this.#arrivals.watchers.subarray(0, this.#arrivals.rowCount);
    const changed = [...rows.dropped, ...Array.from(arrived, (watcher) => watcher >>> 10)];
    const others = new Map([...changed.map((slot) => [slot, this.rowOf(slot)] as const), ...found]);
    let total = rows.count;
    for (const [slot, row] of others) {
      total += row.length - sizes[slot];
      sizes[slot] = row.length;
    }
    writer.elements(sizes);
    writer.u32(total);
    // The rows between two of these are written in one piece.
    let from = 0;
    for (const [slot, row] of [...others].sort(([a], [b]) => a - b)) {
      writer.elements(rows.words.subarray(rows.first + from, rows.first + rows.startOf(slot)));
      writer.elements(row);
      from = rows.startOf(slot + 1);
    }
    writer.elements(rows.words.subarray(rows.first + from, rows.first + rows.span));
    writer.flag(rated.count > 0);
    if (rated.count === 0) return;
    // Those of other watchers mean nothing.
    const ticks = new Uint32Array(total);
    let to = 0;
    sizes.forEach((size, slot) => {
      if (rated.is(slot))
        ticks.set(
          (others.get(slot) ?? this.rowOf(slot)).map((id) => this.#tickOf(slot, id) ?? tickCount),
          to,
        );
      to += size;
    });
    writer.elements(ticks);
  }

  /** Into a new instance; the population was loaded. Which pairs relate is not checked. */
  load(reader: ByteReader, store: EntityStore, tickCount: number): void {
    const { slotCount, last, ids } = store;
    const sizes = reader.elements('u32', slotCount);
    const markers = reader.wordColumn();
    const markerIds = new Uint32Array(slotCount);
    const offsets = new Uint32Array(slotCount + 1);
    let total = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      if (last.isPerceptible(slot)) markerIds[slot] = ids.idOf[slot];
      total += sizes[slot];
      offsets[slot + 1] = total;
      if (sizes[slot] === 0) continue;
      if (!last.isPresent(slot) || total > markers.length) throw reader.fault(`no relations of slot ${slot}`);
    }
    reader.check(total === markers.length, 'as many relations as the rows have');
    for (let slot = 0; slot < slotCount; slot++) {
      if (!isRow(markers, offsets[slot], sizes[slot], markerIds)) {
        throw reader.fault(`a row of relations of slot ${slot}`);
      }
    }
    const ticks = reader.flag() ? reader.elements('u32', total) : undefined;
    reader.check(ticks?.every((tick) => tick <= tickCount) !== false, 'ticks that are over');
    if (total === 0) return;
    const rows = this.#rows;
    rows.growSlots(store.capacity);
    if (ticks !== undefined) rows.keepTicks();
    rows.reserve(total, slotCount);
    rows.fill(slotCount, ids.idOf, offsets, markers, () => true);
    if (ticks !== undefined) rows.ticks.set(ticks, rows.first);
  }

  /** Throws if a row is not sorted, or not at its place. For tests. */
  validate(): void {
    this.#rows.validate();
    const { slots, size } = this.#rows;
    const haveArrived = this.#arrivals.rowCount > 0;
    for (let slot = 0; slot < slots; slot++) {
      // In a test's world nearly all rows, and a window on each takes as long as the tick.
      if (!haveArrived && size.array[slot] < 2) continue;
      const row = this.rowOf(slot);
      for (let i = 1; i < row.length; i++) {
        assert(row[i - 1] < row[i], 'a row ascends');
      }
    }
  }

  /** Whether a present slot has a row, possibly empty. */
  #keeps(store: EntityStore, slot: number): boolean {
    return (store.now.flags[slot] & UPDATES) !== 0;
  }

  /** Keeps what a failed tick would lose. */
  #keepTicksOf(slot: number): void {
    const row = this.rowOf(slot);
    const ticks = Array.from(row, (id) => this.#tickOf(slot, id));
    this.#ticksGivenUp.set(slot, new Map(Array.from(row, (id, i) => [id, ticks[i]])));
  }

  /** When a relation was last reported; `undefined`: in the last tick, because it arrived then. */
  #tickOf(slot: number, id: EntityId): number | undefined {
    const givenUp = this.#ticksGivenUp.get(slot);
    if (givenUp !== undefined) return givenUp.get(id);
    const at = this.#rows.find(slot, id);
    return at < 0 ? undefined : this.#rows.ticks[at];
  }

  #setTicks(reportedAnew: Iterable<number>, tick: number): void {
    for (const [slot, ticks] of this.#ticksGivenUp) {
      for (const [id, givenUp] of ticks) {
        const at = this.#rows.find(slot, id);
        if (at >= 0 && givenUp !== undefined) this.#rows.ticks[at] = givenUp;
      }
    }
    this.#ticksGivenUp.clear();
    for (const slot of reportedAnew) this.#rows.setTicks(slot, tick - 1);
  }

  /** Fills rows of slots, ascending, that have no row. */
  #adopt(store: EntityStore, slots: readonly number[], adopt: (slot: number) => Uint32Array): void {
    const watchers: number[] = [];
    const offsets = [0];
    const markers: number[] = [];
    for (const slot of slots) {
      const row = adopt(slot);
      if (row.length === 0) continue;
      watchers.push(store.ids.idOf[slot]);
      for (const id of row) markers.push(id);
      offsets.push(markers.length);
    }
    if (watchers.length > 0) this.#arrivals.merge(watchers, offsets, markers);
  }

  /** Whether all these rows belong to watchers that have a row. */
  #areAllKept(store: EntityStore, { rowCount, watchers }: ReportRows): boolean {
    const { flags } = store.now;
    let common = UPDATES;
    for (let row = 0; row < rowCount; row++) common &= flags[watchers[row] >>> 10];
    return common !== 0;
  }

  /** Number of relations that begin and that are stored here. */
  #countKept(store: EntityStore, crossings: Crossings): number {
    const { words, count } = crossings;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      if ((words[2 * i] & RELATED_BEFORE) === 0 && this.#keeps(store, words[2 * i + 1] >>> 10)) kept++;
    }
    return kept;
  }

  /** Fills `updated` from the rows, which contain exactly the markers that stayed. */
  #listUpdated(store: EntityStore, updated: ReportRows, rated: number): void {
    const rows = this.#rows;
    const job = this.#job.array;
    job.set([
      Math.min(rows.slots, store.slotCount),
      rows.start.offset,
      rows.size.offset,
      rows.offset,
      store.ids.idColumn.offset,
      store.pendingColumn.offset,
    ]);
    updated.writeOffsets(job, LIST_COLUMNS);
    // Only now: the heap may have moved since room was made.
    if (this.#listedSlots !== undefined) this.#listed.array.set(this.#listedSlots);
    job[LISTED] = this.#listedSlots === undefined ? 0 : this.#listed.offset;
    job[LISTED_COUNT] = this.#listedSlots?.length ?? 0;
    job[RATED] = rated;
    const { kernels } = this.#heap;
    updated.rowCount = this.#isLending
      ? kernels.listRows(this.#job.offset)
      : kernels.listChanged(this.#job.offset);
    updated.count = updated.offsets[updated.rowCount];
    if (this.#isLending) updated.borrow(rows);
  }
}

/** Merges two ascending rows; an id in both is written once. */
function merged(row: Uint32Array, other: Uint32Array): Uint32Array {
  const both = new Uint32Array(row.length + other.length);
  let count = 0;
  let at = 0;
  for (const id of other) {
    while (at < row.length && row[at] < id) both[count++] = row[at++];
    if (at < row.length && row[at] === id) at++;
    both[count++] = id;
  }
  while (at < row.length) both[count++] = row[at++];
  return both.subarray(0, count);
}

/** Whether a row is valid: ids of markers, ascending. */
function isRow(markers: Uint32Array, from: number, size: number, markerIds: Uint32Array): boolean {
  let previous = 0;
  for (let i = from; i < from + size; i++) {
    const id = markers[i];
    // Beyond the last slot there are no ids.
    if (id <= previous || markerIds[id >>> 10] !== id) return false;
    previous = id;
  }
  return true;
}
