/**
 * Who is related to whom, for the watchers that need it remembered: a row of marker ids, ascending, for each.
 *
 * Finding who came and went needs no memory of pairs. Telling a watcher which of its markers changed does, unless the
 * world is searched again: rows are read in a stream, and those the report says left are taken out on the way. Watchers that
 * want no `updated` reports have no row.
 *
 * Who entered is put in by the next tick's stream, and waits until then among the arrivals. So what a stream leaves behind are
 * those who stayed; where everybody changed that is the `updated` report, to which the rows are lent as they are.
 *
 * Memory: 8 bytes a slot, 4.25 a relation, and 4 to 6 more for the report where somebody rested. Cost: a copy of all rows
 * where somebody came or went, in place, and one to the report where somebody rested.
 */
import { type Crossings, RELATED_BEFORE } from '../../detectors/crossings.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import { UPDATES } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { pendingWith, REMOVED, UPDATES_CHANGED } from '../../entities/pending.ts';
import { assert } from '../../errors.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import { LIST_COLUMNS, LIST_JOB_WORDS } from '../../kernels/layouts/list-rows.ts';
import type { ByteReader } from '../../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../../recording/bytes/byte-writer.ts';
import type { Report } from '../../reports/report.ts';
import { ReportRows } from '../../reports/report-rows.ts';
import { RowColumn } from './row-column.ts';

export class RelationRows {
  /** Markers that the report of the tick under way has to have room for, beside those that are lent. */
  copied = 0;
  readonly #heap: Heap;
  readonly #rows: RowColumn;
  /** Who is to be put into rows. */
  readonly #arrivals: ReportRows;
  readonly #job: Column<'u32'>;
  readonly #isRated: (slot: number) => boolean;
  /** Of the tick under way: whether anyone is told at rates, how many may enter, and whether the rows are to be lent. */
  #isAnyRated = false;
  #entering = 0;
  #isLending = false;
  /** Slots whose rows were given up for a tick that does not stand yet. */
  readonly #givenUp = new Set<number>();
  /** The most arrivals since it was last looked at how much memory is held. */
  #mostArrivals = 0;

  /** `isRated`: whose updates come by rates and not from here. */
  constructor(heap: Heap, isRated: (slot: number) => boolean) {
    this.#heap = heap;
    this.#isRated = isRated;
    this.#rows = new RowColumn(heap);
    this.#arrivals = new ReportRows(heap, false);
    this.#job = heap.column('u32', LIST_JOB_WORDS);
  }

  /** Relations held, over all rows. */
  get count(): number {
    return this.#rows.count + this.#arrivals.count;
  }

  /** The row of a watcher's slot, ascending ids; empty where it has none. Valid until the heap moves. */
  rowOf(slot: number): Uint32Array {
    const row = this.#rows.rowOf(slot);
    const arrivals = this.#arrivals;
    const at = arrivals.rowFrom(slot * 1024);
    const hasArrived = at < arrivals.rowCount && arrivals.watchers[at] >>> 10 === slot;
    return hasArrived ? merged(row, arrivals.listOf(at)) : row;
  }

  /** Whether a row is kept that tells the relations of a slot as of the last tick, be it an empty one. */
  keeps({ last }: EntityStore, slot: number): boolean {
    return (last.flags[slot] & UPDATES) !== 0 && !this.#isRated(slot) && !this.#givenUp.has(slot);
  }

  /** Visits the pairs of all rows that are kept, those removed since included: by watcher, but for who entered last. */
  each(store: EntityStore, visit: (watcher: EntityId, marker: EntityId) => void): void {
    const { ids } = store;
    const { slots, size, words, first, dropped } = this.#rows;
    for (let slot = 0; slot < slots; slot++) {
      // A tick that did not stand has dropped rows, and made others for those who are to have one.
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
   * The relations of a slot as of the last tick, removed ones included, as ascending ids; `undefined` where no row is kept that
   * tells. Valid until the heap moves.
   */
  relationsOf(store: EntityStore, slot: number): Uint32Array | undefined {
    return this.keeps(store, slot) ? this.rowOf(slot) : undefined;
  }

  /**
   * Drops the rows of watchers that are gone or want no updates; `adopt` fills those that want them anew. `changed` slots went to or
   * from being told at rates. May be done again where the tick did not stand.
   */
  settle(store: EntityStore, adopt: (slot: number) => Uint32Array, changed: readonly number[]): void {
    const { pending, now } = store;
    const gone = new Set<number>();
    const adopted = new Set<number>();
    for (const slot of changed) {
      if (!now.isPresent(slot) || !this.#keeps(store, slot)) gone.add(slot);
      else adopted.add(slot);
    }
    for (const slot of pendingWith(store, REMOVED | UPDATES_CHANGED)) {
      if (!this.#keeps(store, slot)) gone.add(slot);
      else if ((pending[slot] & UPDATES_CHANGED) !== 0) adopted.add(slot);
    }
    if (gone.size + adopted.size === 0) return;
    for (const slot of gone) this.#givenUp.add(slot);
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

  /** Makes room for what the resolved crossings add, and for `updated` to tell of every relation; of the report room was made. */
  reserve(store: EntityStore, crossings: Crossings, report: Report, isAnyRated: boolean): void {
    const { counts, size, slotCount } = store;
    const { entering, updated } = report;
    const held = this.count;
    const mayEnter = (crossings.watcherFlags & UPDATES) !== 0;
    // Where there are none yet it may be a whole world that enters, and few of it who are told.
    if (mayEnter) this.#entering = held > 0 ? entering.markers : this.#countKept(store, crossings);
    else this.#entering = 0;
    this.#isAnyRated = isAnyRated;
    this.copied = 0;
    if (held + this.#rows.span + this.#entering === 0) return;
    if (slotCount > this.#rows.capacity) this.#rows.growSlots(store.capacity);
    if (held === 0) {
      this.#rows.reserve(this.#entering, slotCount);
      return;
    }
    this.#rows.reserve(this.#arrivals.count, slotCount);
    if (this.#entering > 0) this.#arrivals.reserve(entering.rows, this.#entering);
    if (counts.moved + counts.touched === 0) return;
    // Who was added is in no row of one who stayed.
    this.#isLending = counts.moved + counts.added === size && !isAnyRated;
    if (!this.#isLending) this.copied = held;
    // One row and one marker more, which are not told, are written behind the last.
    updated.reserve(Math.min(held, slotCount) + 1, this.#isLending ? 0 : held + 1);
  }

  /**
   * Puts those into the rows who arrived at the last tick and takes those out who left; tells, in `updated`, each watcher with
   * a row of the markers that stay related and moved or were touched; and takes those in who entered. Room was reserved; the
   * report has the two.
   */
  apply(store: EntityStore, report: Report): void {
    const { counts } = store;
    const { left, updated } = report;
    this.#givenUp.clear();
    const isEmpty = this.count === 0;
    updated.clear();
    if (
      this.#arrivals.count + left.count + this.#rows.dropped.size > 0 &&
      !(isEmpty && this.#rows.span === 0)
    ) {
      this.#rows.edit(left, this.#arrivals);
      this.#arrivals.clear();
    }
    if (counts.moved + counts.touched > 0 && this.#rows.count > 0) this.#tell(store, updated);
    if (this.#entering === 0) return;
    if (isEmpty) {
      const { rowCount, watchers, offsets, markers } = report.entered;
      this.#rows.fill(rowCount, watchers, offsets, markers, (slot) => this.#keeps(store, slot));
      return;
    }
    this.#arrivals.copy(report.entered);
    if (!this.#areAllKept(store, report.entered)) {
      this.#arrivals.takeOut((watcher) => !this.#keeps(store, watcher >>> 10));
    }
    this.#mostArrivals = Math.max(this.#mostArrivals, this.#arrivals.count);
  }

  /** Gives back what rows that are gone held, and columns beyond `capacity` slots, none of which is in use. */
  shrink(capacity: number): void {
    this.#rows.shrink(capacity);
    this.#heap.resize(this.#arrivals.sizesToTrim(this.#mostArrivals));
    this.#mostArrivals = this.#arrivals.count;
  }

  /**
   * How long each row is, by slot, and all rows one after the other. `related`: as `adopt` of `settle`, for rows that were given up
   * for a tick that did not stand.
   */
  save(writer: ByteWriter, store: EntityStore, related: (slot: number) => Uint32Array): void {
    const { slotCount, last } = store;
    // Found first: a search may move the heap.
    const givenUp = [...this.#givenUp].filter((slot) => {
      return last.isPresent(slot) && (last.flags[slot] & UPDATES) !== 0 && !this.#isRated(slot);
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
    // What lies between two of those that are not as they lie there is written at once.
    let from = 0;
    for (const [slot, row] of [...others].sort(([a], [b]) => a - b)) {
      writer.elements(rows.words.subarray(rows.first + from, rows.first + rows.startOf(slot)));
      writer.elements(row);
      from = rows.startOf(slot + 1);
    }
    writer.elements(rows.words.subarray(rows.first + from, rows.first + rows.span));
  }

  /** Into rows that were never used; the population was loaded. Who relates to whom is taken as it is said. */
  load(reader: ByteReader, store: EntityStore): void {
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
    if (total === 0) return;
    this.#rows.growSlots(store.capacity);
    this.#rows.reserve(total, slotCount);
    this.#rows.fill(slotCount, ids.idOf, offsets, markers, () => true);
  }

  /** Throws when a row is unsorted, or not where it must be. For tests. */
  validate(): void {
    this.#rows.validate();
    for (let slot = 0; slot < this.#rows.slots; slot++) {
      const row = this.rowOf(slot);
      for (let i = 1; i < row.length; i++) {
        assert(row[i - 1] < row[i], 'a row ascends');
      }
    }
  }

  /** Whether one who is present keeps a row, were it empty. */
  #keeps(store: EntityStore, slot: number): boolean {
    return (store.now.flags[slot] & UPDATES) !== 0 && !this.#isRated(slot);
  }

  /** Fills rows of slots, ascending, that have none. */
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

  /** Whether all rows are of watchers who keep one. */
  #areAllKept(store: EntityStore, { rowCount, watchers }: ReportRows): boolean {
    if (this.#isAnyRated) return false;
    const { flags } = store.now;
    let common = UPDATES;
    for (let row = 0; row < rowCount; row++) common &= flags[watchers[row] >>> 10];
    return common !== 0;
  }

  /** How many enter who are to be kept in mind. */
  #countKept(store: EntityStore, crossings: Crossings): number {
    const { words, count } = crossings;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      if ((words[2 * i] & RELATED_BEFORE) === 0 && this.#keeps(store, words[2 * i + 1] >>> 10)) kept++;
    }
    return kept;
  }

  /** Fills `updated` from the rows, which are of those who stayed. */
  #tell(store: EntityStore, updated: ReportRows): void {
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
    const { kernels } = this.#heap;
    updated.rowCount = this.#isLending
      ? kernels.listRows(this.#job.offset)
      : kernels.listChanged(this.#job.offset);
    updated.count = updated.offsets[updated.rowCount];
    if (this.#isLending) updated.borrow(rows);
  }
}

/** Two ascending rows as one; who is in both is in it once. */
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

/** Whether a row is one: ids of markers, ascending. */
function isRow(markers: Uint32Array, from: number, size: number, markerIds: Uint32Array): boolean {
  let previous = 0;
  for (let i = from; i < from + size; i++) {
    const id = markers[i];
    // Behind the last slot there is nobody's id.
    if (id <= previous || markerIds[id >>> 10] !== id) return false;
    previous = id;
  }
  return true;
}
