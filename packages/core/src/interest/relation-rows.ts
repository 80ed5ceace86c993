/**
 * Who is related to whom, for the watchers that need it remembered: a row of marker ids, ascending, for each.
 *
 * Finding who came and went needs no memory of pairs. Telling a watcher which of its markers changed does, unless the
 * world is searched again: rows are read in a stream, and those the report says left and entered are taken out and put in on the way. Watchers that want no
 * `updated` reports have no row.
 *
 * Memory: 9 bytes a slot, 5 a relation, and once more the largest block (see row-pool.ts). Cost: a copy of all rows where something moved, a second one of
 * what lies near crossings.
 */
import { type Crossings, RELATED_BEFORE } from '../detectors/crossings.ts';
import { UPDATES } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { REMOVED, UPDATES_CHANGED } from '../entities/pending.ts';
import type { Column, Heap } from '../kernels/heap.ts';
import {
  BLOCK_BITS,
  ENTERED_ROWS,
  HELD,
  LEFT_ROWS,
  SCRATCH,
  SPARE_WORDS,
  UPDATE_JOB_WORDS,
} from '../kernels/update-rows.ts';
import type { ByteReader } from '../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../recording/bytes/byte-writer.ts';
import type { Report } from '../reports/report.ts';
import type { ReportRows } from '../reports/report-rows.ts';
import { RowPool } from './row-pool.ts';

export class RelationRows {
  /** Relations held, over all rows. */
  count = 0;
  readonly #heap: Heap;
  readonly #rows: RowPool;
  /** By slot: 1 for who keeps a row, were it empty. For whole blocks, as the rows: the kernel reads it for every slot of one. */
  readonly #keeps: Column<'u8'>;
  readonly #job: Column<'u32'>;
  #isRated: (slot: number) => boolean = () => false;
  /** Scratch of a tick: pairs of a block and how many enter in it. */
  readonly #growing: number[] = [];
  /** An upper bound of `count` after the tick under way. */
  #countAfter = 0;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#rows = new RowPool(heap);
    this.#keeps = heap.column('u8', 0);
    this.#job = heap.column('u32', UPDATE_JOB_WORDS);
  }

  /** The row of a watcher's slot, ascending ids; empty where it has none. Valid until the heap moves. */
  rowOf(slot: number): Uint32Array {
    return this.#rows.rowOf(slot);
  }

  /**
   * Drops the rows of watchers that are gone or want no updates; `adopt` fills those that want them anew. `isRated`: whose
   * updates come by rates and not from here; `changed` slots went to or from that.
   */
  settle(
    store: EntityStore,
    adopt: (slot: number) => Uint32Array,
    isRated: (slot: number) => boolean,
    changed: readonly number[],
  ): void {
    const { pending, pendingSlots, pendingCount, now } = store;
    this.#isRated = isRated;
    for (const slot of changed) {
      if (!now.isPresent(slot) || (now.flags[slot] & UPDATES) === 0 || isRated(slot)) this.#drop(slot);
      else this.#fill(store, slot, adopt(slot));
    }
    const others = store.counts.onlyMoved === pendingCount ? 0 : pendingCount;
    for (let i = 0; i < others; i++) {
      const slot = pendingSlots[i];
      if ((pending[slot] & (REMOVED | UPDATES_CHANGED)) === 0) continue;
      if ((now.flags[slot] & UPDATES) === 0 || isRated(slot)) this.#drop(slot);
      else if ((pending[slot] & UPDATES_CHANGED) !== 0) this.#fill(store, slot, adopt(slot));
    }
    this.count += this.#rows.settle();
  }

  /** Makes room for what the resolved crossings add, and for `updated` to hold every relation. */
  reserve(store: EntityStore, crossings: Crossings, updated: ReportRows): void {
    this.#growing.length = 0;
    this.#countAfter = this.count + this.#findGrowing(store, crossings);
    const hasNews = store.counts.moved + store.counts.touched > 0;
    // One row more, of one who has nothing to be told, is written behind the last.
    if (this.count > 0 && hasNews) {
      updated.reserve(Math.min(this.count, store.slotCount) + 1, this.count + SPARE_WORDS);
    } else if (this.#countAfter > 0) updated.reserve(1, 0);
    this.#rows.grow(this.#growing);
  }

  /** Lists the blocks that have no room for who enters, and how many do; answers how many enter in all. */
  #findGrowing(store: EntityStore, crossings: Crossings): number {
    if ((crossings.watcherFlags & UPDATES) === 0) return 0;
    const { flags } = store.now;
    const { words, count } = crossings;
    let total = 0;
    for (let i = 0; i < count; ) {
      const block = words[2 * i + 1] >>> (10 + BLOCK_BITS);
      let entered = 0;
      for (; i < count && words[2 * i + 1] >>> (10 + BLOCK_BITS) === block; i++) {
        if ((words[2 * i] & RELATED_BEFORE) !== 0) continue;
        const watcher = words[2 * i + 1] >>> 10;
        if ((flags[watcher] & UPDATES) === 0 || this.#isRated(watcher)) continue;
        this.#keep(store, watcher);
        entered++;
      }
      if (entered === 0) continue;
      total += entered;
      if (entered > this.#rows.spareOf(block)) this.#growing.push(block, entered);
    }
    return total;
  }

  /**
   * Takes those who left out of the rows, writes `updated`, for each watcher with a row the markers that stay related and moved
   * or were touched, and puts those in who entered. Room was reserved; the report has the two.
   */
  apply(store: EntityStore, report: Report): void {
    const { counts, size } = store;
    const { left, entered, updated } = report;
    updated.clear();
    const hasNews = left.count + entered.count + counts.moved + counts.touched > 0;
    if (this.#countAfter === 0 || !hasNews) return;
    const everyoneChanged = counts.touched === 0 && counts.moved === size;
    const job = this.#job.array;
    job.set([
      Math.min(this.#rows.slotCount, store.slotCount),
      this.#rows.start.offset,
      this.#rows.size.offset,
      this.#keeps.offset,
      this.#rows.pool.offset,
      everyoneChanged ? 1 : 0,
      store.ids.idColumn.offset,
      store.pendingColumn.offset,
    ]);
    updated.writeOffsets(job, 8);
    job[SCRATCH] = this.#rows.scratch.offset;
    job[LEFT_ROWS] = left.rowCount;
    left.writeOffsets(job, LEFT_ROWS + 1);
    job[ENTERED_ROWS] = entered.rowCount;
    entered.writeOffsets(job, ENTERED_ROWS + 1);
    updated.rowCount = this.#heap.kernels.updateRows(this.#job.offset);
    updated.count = updated.offsets[updated.rowCount];
    this.count = job[HELD];
  }

  /** Outside the heap. */
  get memoryBytes(): number {
    return 8 * this.#growing.length;
  }

  /** Gives back what rows that are gone held, and columns beyond `capacity` slots, none of which is in use. */
  shrink(capacity: number): void {
    this.#rows.trim();
    if (this.#keeps.length <= capacity) return;
    this.#rows.resize(capacity);
    this.#heap.resize([[this.#keeps as Column, this.#rows.slotCount]]);
  }

  /** How long each row is, by slot, and all rows one after the other. */
  save(writer: ByteWriter, slotCount: number): void {
    const sizes = new Uint32Array(slotCount);
    sizes.set(this.#rows.size.array.subarray(0, slotCount));
    writer.elements(sizes);
    writer.u32(this.count);
    writer.windows(this.#rows.pool.array, this.#rows.start.array, sizes);
  }

  /** Into rows that were never used; the population was loaded. Who relates to whom is taken as it is said. */
  load(reader: ByteReader, store: EntityStore): void {
    const { slotCount, last, ids } = store;
    const sizes = reader.elements('u32', slotCount);
    const markers = reader.wordColumn();
    const markerIds = new Uint32Array(slotCount);
    let total = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      if (last.isMarker(slot)) markerIds[slot] = ids.idOf[slot];
      if (sizes[slot] === 0) continue;
      this.#keep(store, slot);
      total += sizes[slot];
      if (!last.isPresent(slot) || total > markers.length) throw reader.fault(`no relations of slot ${slot}`);
    }
    reader.check(total === markers.length, 'as many relations as the rows have');
    let from = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      if (!isRow(markers, from, sizes[slot], markerIds)) {
        throw reader.fault(`a row of relations of slot ${slot}`);
      }
      from += sizes[slot];
    }
    this.#rows.fill(markers, sizes);
    this.count = total;
  }

  /** Throws when a row is unsorted, or not where it must be. For tests. */
  validate(): void {
    this.#rows.validate();
    let total = 0;
    for (let slot = 0; slot < this.#rows.slotCount; slot++) {
      const row = this.rowOf(slot);
      total += row.length;
      for (let i = 1; i < row.length; i++) {
        if (row[i - 1] >= row[i]) throw new Error(`umwelt: broken invariant: row ${slot} ascends`);
      }
    }
    if (total !== this.count)
      throw new Error('umwelt: broken invariant: the rows add up to the count of relations');
  }

  #drop(slot: number): void {
    if (slot >= this.#keeps.length) return;
    this.count -= this.#rows.size.array[slot];
    this.#rows.clear(slot);
    this.#keeps.array[slot] = 0;
  }

  #fill(store: EntityStore, slot: number, ids: Uint32Array): void {
    this.#drop(slot);
    if (ids.length === 0) return;
    this.#keep(store, slot);
    this.#rows.put(slot, ids);
  }

  #keep(store: EntityStore, slot: number): void {
    if (slot >= this.#keeps.length) {
      this.#rows.resize(store.capacity);
      this.#heap.resize([[this.#keeps as Column, this.#rows.slotCount]]);
    }
    this.#keeps.array[slot] = 1;
  }
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
