/**
 * Who is related to whom, for the watchers that need it remembered: sorted rows of marker ids in one pool.
 *
 * Finding who came and went needs no memory of pairs. Telling a watcher which of its markers changed does, unless the
 * world is searched again: a row is read in a stream, and its watcher's crossings are merged into it on the way.
 * Watchers that want no `updated` reports have no row.
 *
 *   start, size, room by slot      pool: | ids of one watcher, ascending | free | next watcher | ...
 *
 * Memory: 12 bytes a slot, about 5 bytes a relation. Cost: a copy of the row for each watcher, plus O(row) where it
 * has crossings.
 */
import { type Crossings, RELATED_BEFORE } from '../detectors/crossings.ts';
import { UPDATES } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { REMOVED, UPDATES_CHANGED } from '../entities/pending.ts';
import type { Column, Heap } from '../kernels/heap.ts';
import type { ByteReader } from '../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../recording/bytes/byte-writer.ts';
import type { ReportRows } from '../reports/report-rows.ts';

const FIRST_POOL = 1024;

export class RelationRows {
  /** Relations held, over all rows. */
  count = 0;
  readonly #heap: Heap;
  readonly #start: Column<'u32'>;
  readonly #size: Column<'u32'>;
  readonly #room: Column<'u32'>;
  readonly #job: Column<'u32'>;
  #pool: Column<'u32'>;
  #poolEnd = 0;
  /** Where rows were that grew out of their place, by the room they had. */
  readonly #free = new Map<number, number[]>();
  #freeElements = 0;
  #freePlaces = 0;
  #isRated: (slot: number) => boolean = () => false;
  /** Scratch of a tick: pairs of a watcher's slot and the length its row gets. */
  readonly #growing: number[] = [];
  /** An upper bound of `count` after the tick under way. */
  #countAfter = 0;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#start = heap.column('u32', 0);
    this.#size = heap.column('u32', 0);
    this.#room = heap.column('u32', 0);
    this.#pool = this.#newPool(0);
    this.#job = heap.column('u32', 16);
  }

  /** The row of a watcher's slot, ascending ids; empty where it has none. Valid until the heap moves. */
  rowOf(slot: number): Uint32Array {
    if (slot >= this.#start.length) return this.#pool.array.subarray(0, 0);
    const start = this.#start.array[slot];
    return this.#pool.array.subarray(start, start + this.#size.array[slot]);
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
    if (store.counts.onlyMoved === pendingCount) return;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if ((pending[slot] & (REMOVED | UPDATES_CHANGED)) === 0) continue;
      if ((now.flags[slot] & UPDATES) === 0 || isRated(slot)) this.#drop(slot);
      else if ((pending[slot] & UPDATES_CHANGED) !== 0) this.#fill(store, slot, adopt(slot));
    }
  }

  /** Makes room for what the resolved crossings add, and for `updated` to hold every relation. */
  reserve(store: EntityStore, crossings: Crossings, updated: ReportRows): void {
    this.#growing.length = 0;
    this.#countAfter = this.count + this.#findGrowing(store, crossings);
    const hasNews = store.counts.moved + store.counts.touched > 0;
    if (this.count > 0 && hasNews) updated.reserve(Math.min(this.count, store.slotCount), this.count);
    if (this.#growing.length === 0) return;
    this.#growSlots(store);
    let extra = 0;
    for (let i = 1; i < this.#growing.length; i += 2) extra += roomFor(this.#growing[i]);
    // All at once: the heap moves once, not for each row. Most rows that grow find a place that another grew out of.
    if (this.#poolEnd + Math.max(0, extra - this.#freeElements) > this.#pool.length) this.#rebuildPool(extra);
    for (let i = 0; i < this.#growing.length; i += 2) this.#enlarge(this.#growing[i], this.#growing[i + 1]);
  }

  /** Lists the watchers whose rows have no room for who enters, and how long they get; answers how many enter in all. */
  #findGrowing(store: EntityStore, crossings: Crossings): number {
    if ((crossings.watcherFlags & UPDATES) === 0) return 0;
    const { flags } = store.now;
    const size = this.#size.array;
    const room = this.#room.array;
    let total = 0;
    const { words, count } = crossings;
    for (let i = 0; i < count; ) {
      const watcher = words[2 * i + 1] >>> 10;
      let entered = 0;
      for (; i < count && words[2 * i + 1] >>> 10 === watcher; i++) {
        if ((words[2 * i] & RELATED_BEFORE) === 0) entered++;
      }
      if (entered === 0 || (flags[watcher] & UPDATES) === 0 || this.#isRated(watcher)) continue;
      total += entered;
      const needed = entered + (watcher < size.length ? size[watcher] : 0);
      if (watcher >= room.length || needed > room[watcher]) this.#growing.push(watcher, needed);
    }
    return total;
  }

  /**
   * Merges the resolved crossings into the rows and writes `updated`: for each watcher with a row the markers that stay
   * related and moved or were touched. Room was reserved.
   */
  apply(store: EntityStore, crossings: Crossings, updated: ReportRows): void {
    const { counts, size } = store;
    updated.clear();
    if (this.#countAfter === 0 || (crossings.count === 0 && counts.moved + counts.touched === 0)) return;
    const everyoneChanged = counts.touched === 0 && counts.moved === size;
    this.#job.array.set([
      this.#start.length < store.slotCount ? this.#start.length : store.slotCount,
      this.#start.offset,
      this.#size.offset,
      this.#room.offset,
      this.#pool.offset,
      crossings.offset,
      crossings.count,
      store.ids.idColumn.offset,
      store.pendingColumn.offset,
      everyoneChanged ? 1 : 0,
      updated.watcherOffset,
      updated.rowOffset,
      updated.markerOffset,
    ]);
    updated.rowCount = this.#heap.kernels.updateRows(this.#job.offset);
    updated.count = updated.offsets[updated.rowCount];
    this.count = this.#job.array[13];
  }

  /** Outside the heap: the list of places that are free. */
  get memoryBytes(): number {
    return 8 * (this.#freePlaces + this.#growing.length);
  }

  /** Gives back what rows that are gone held, and columns beyond `capacity` slots, none of which is in use. */
  shrink(capacity: number): void {
    if (this.#pool.length > FIRST_POOL && 4 * (this.#poolEnd - this.#freeElements) < this.#pool.length)
      this.#rebuildPool(0);
    if (this.#start.length <= capacity) return;
    this.#heap.resize([
      [this.#start as Column, capacity],
      [this.#size as Column, capacity],
      [this.#room as Column, capacity],
    ]);
  }

  /** How long each row is, by slot, and all rows one after the other. */
  save(writer: ByteWriter, slotCount: number): void {
    const sizes = new Uint32Array(slotCount);
    sizes.set(this.#size.array.subarray(0, slotCount));
    const [start, pool] = [this.#start.array, this.#pool.array];
    writer.elements(sizes);
    writer.u32(this.count);
    writer.windows(pool, start, sizes);
  }

  /** Into rows that were never used; the population was loaded. Who relates to whom is taken as it is said. */
  load(reader: ByteReader, store: EntityStore): void {
    const { slotCount, last, ids } = store;
    const sizes = reader.elements('u32', slotCount);
    const markers = reader.wordColumn();
    const markerIds = new Uint32Array(slotCount);
    let total = 0;
    let room = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      if (last.isMarker(slot)) markerIds[slot] = ids.idOf[slot];
      if (sizes[slot] === 0) continue;
      total += sizes[slot];
      room += roomFor(sizes[slot]);
      if (!last.isPresent(slot) || total > markers.length) throw reader.fault(`no relations of slot ${slot}`);
    }
    reader.check(total === markers.length, 'as many relations as the rows have');
    this.#growSlots(store);
    this.#rebuildPool(room);
    const [start, roomOf, pool] = [this.#start.array, this.#room.array, this.#pool.array];
    this.#size.array.set(sizes);
    let from = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      const size = sizes[slot];
      if (size === 0) continue;
      start[slot] = this.#poolEnd;
      roomOf[slot] = roomFor(size);
      if (!copyRow(markers, from, size, markerIds, pool, this.#poolEnd)) {
        throw reader.fault(`a row of relations of slot ${slot}`);
      }
      this.#poolEnd += roomOf[slot];
      from += size;
    }
    this.count = total;
  }

  /** Throws when a row is unsorted or out of its room. For tests. */
  validate(): void {
    let total = 0;
    for (let slot = 0; slot < this.#start.length; slot++) {
      const row = this.rowOf(slot);
      total += row.length;
      if (row.length > this.#room.array[slot])
        throw new Error(`umwelt: broken invariant: row ${slot} fits its room`);
      for (let i = 1; i < row.length; i++) {
        if (row[i - 1] >= row[i]) throw new Error(`umwelt: broken invariant: row ${slot} ascends`);
      }
    }
    if (total !== this.count)
      throw new Error('umwelt: broken invariant: the rows add up to the count of relations');
  }

  #drop(slot: number): void {
    if (slot >= this.#start.length) return;
    this.count -= this.#size.array[slot];
    this.#giveBack(this.#start.array[slot], this.#room.array[slot]);
    this.#size.array[slot] = 0;
    this.#room.array[slot] = 0;
  }

  #fill(store: EntityStore, slot: number, ids: Uint32Array): void {
    this.#drop(slot);
    if (ids.length === 0) return;
    this.#growSlots(store);
    this.#enlarge(slot, ids.length);
    this.#pool.array.set(ids, this.#start.array[slot]);
    this.#size.array[slot] = ids.length;
    this.count += ids.length;
  }

  #growSlots(store: EntityStore): void {
    if (this.#start.length >= store.slotCount) return;
    const { capacity } = store;
    this.#heap.resize([
      [this.#start as Column, capacity],
      [this.#size as Column, capacity],
      [this.#room as Column, capacity],
    ]);
  }

  /** Gives a row room for `needed` and a quarter more, elsewhere in the pool; its old place is free. */
  #enlarge(slot: number, needed: number): void {
    const room = roomFor(needed);
    const to = this.#takeFree(room) ?? this.#takeEnd(room);
    const pool = this.#pool.array;
    const start = this.#start.array[slot];
    pool.copyWithin(to, start, start + this.#size.array[slot]);
    this.#giveBack(start, this.#room.array[slot]);
    this.#start.array[slot] = to;
    this.#room.array[slot] = room;
  }

  #takeFree(room: number): number | undefined {
    const start = this.#free.get(room)?.pop();
    if (start === undefined) return undefined;
    this.#freeElements -= room;
    this.#freePlaces--;
    return start;
  }

  /** Room was made by `reserve`, or is made here. */
  #takeEnd(room: number): number {
    if (this.#poolEnd + room > this.#pool.length) this.#rebuildPool(room);
    this.#poolEnd += room;
    return this.#poolEnd - room;
  }

  #giveBack(start: number, room: number): void {
    if (room === 0) return;
    const places = this.#free.get(room);
    if (places === undefined) this.#free.set(room, [start]);
    else places.push(start);
    this.#freeElements += room;
    this.#freePlaces++;
  }

  #newPool(length: number): Column<'u32'> {
    return this.#heap.column('u32', length, (column) =>
      column === (this.#pool as Column) ? this.#poolEnd : 0,
    );
  }

  /** A new pool without the holes that moved rows left, a quarter larger than what is in use. */
  #rebuildPool(extra: number): void {
    let inUse = extra;
    for (let slot = 0; slot < this.#room.length; slot++) inUse += this.#room.array[slot];
    const previous = this.#pool;
    const next = this.#newPool(Math.max(FIRST_POOL, inUse + (inUse >> 2)));
    const source = previous.array;
    const target = next.array;
    const start = this.#start.array;
    let end = 0;
    for (let slot = 0; slot < start.length; slot++) {
      const room = this.#room.array[slot];
      if (room === 0) continue;
      const size = this.#size.array[slot];
      target.set(source.subarray(start[slot], start[slot] + size), end);
      start[slot] = end;
      end += room;
    }
    this.#pool = next;
    this.#poolEnd = end;
    this.#free.clear();
    this.#freeElements = 0;
    this.#freePlaces = 0;
    this.#heap.release(previous as Column);
  }
}

/** Copies a row to the pool; answers whether it is one: ids of markers, ascending. */
function copyRow(
  markers: Uint32Array,
  from: number,
  size: number,
  markerIds: Uint32Array,
  pool: Uint32Array,
  to: number,
): boolean {
  let previous = 0;
  for (let i = 0; i < size; i++) {
    const id = markers[from + i];
    // Behind the last slot there is nobody's id.
    if (id <= previous || markerIds[id >>> 10] !== id) return false;
    pool[to + i] = id;
    previous = id;
  }
  return true;
}

/** Elements that a row of `needed` gets: a quarter more, a multiple of four. */
function roomFor(needed: number): number {
  return (needed + (needed >> 2) + 4) & ~3;
}
