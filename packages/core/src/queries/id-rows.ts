/**
 * Rows of ids by slot, kept for some slots, and changed a few words at a time.
 *
 *   owner, start, size, room   by slot: the id that the row belongs to (0: none), and the row's place in the pool
 *   pool                       | row, ascending ids | free room | next row | ... | unused |
 *
 * A row that outgrows its room moves to the end of the pool; when half of the pool is unused, the pool is packed. Ids
 * of removed entities may stay in a row until it is read or grows; the reader removes them.
 *
 * A change shifts the ids behind it. For rows of more than `LONG` ids, the changes of a tick are collected and merged
 * in one pass, so that a marker perceived by every watcher costs O(its row) a tick.
 *
 * Memory: 16 bytes a slot; 4 bytes an id, and up to three times as much as free room, for the largest size that each
 * row had. Cost: some 20 ns a change.
 */
import { grown } from '../columns.ts';
import type { EntityId } from '../entities/entity-ids.ts';

/** From this many ids on, the changes of a tick are merged at once. */
const LONG = 128;
const LEAST_ROOM = 4;
const LEAST_POOL = 1024;

/** The changes of a tick to a long row: ids, ascending. */
interface Merge {
  readonly gone: EntityId[];
  readonly come: EntityId[];
}

export class IdRows {
  /** Number of ids in all rows, those of removed entities included. */
  count = 0;
  #owner = new Uint32Array(0);
  #start = new Uint32Array(0);
  #size = new Uint32Array(0);
  #room = new Uint32Array(0);
  #pool = new Uint32Array(0);
  #end = 0;
  /** Number of pool words below the end that no row uses any more. */
  #leftBehind = 0;
  readonly #merges = new Map<EntityId, Merge>();
  readonly #isThere: (id: EntityId) => boolean;

  /** `isThere`: whether an id names a present entity. */
  constructor(isThere: (id: EntityId) => boolean) {
    this.#isThere = isThere;
  }

  get memoryBytes(): number {
    return 16 * this.#owner.length + 4 * this.#pool.length;
  }

  /** Whether the id has a row. */
  has(key: EntityId): boolean {
    const slot = key >>> 10;
    return slot < this.#owner.length && this.#owner[slot] === key;
  }

  /** By slot: the id that the row belongs to. Read it again in each call: it grows. */
  get owner(): Uint32Array {
    return this.#owner;
  }

  /** Makes room for rows of `capacity` slots. */
  growSlots(capacity: number): void {
    if (capacity <= this.#owner.length) return;
    this.#start = grown(this.#start, capacity);
    this.#size = grown(this.#size, capacity);
    this.#room = grown(this.#room, capacity);
    // Last: if allocating one of the others fails, the number of slots is unchanged.
    this.#owner = grown(this.#owner, capacity);
  }

  /** Begins an empty row, with room for `room` ids, in place of the slot's old row. */
  begin(key: EntityId, room = 0): void {
    const slot = key >>> 10;
    this.count -= this.#size[slot];
    this.#size[slot] = 0;
    if (room > this.#room[slot]) this.#moveToEnd(slot, room);
    this.#owner[slot] = key;
  }

  /** Inserts an id in order into a row that was begun, unless it is already the last id. */
  add(key: EntityId, id: EntityId): void {
    const slot = key >>> 10;
    const size = this.#size[slot];
    const last = size === 0 ? 0 : this.#pool[this.#start[slot] + size - 1];
    if (size >= LONG && id <= last) {
      this.#mergeOf(key).come.push(id);
      return;
    }
    if (last === id) return;
    if (size === this.#room[slot]) this.#makeRoom(slot, size + 1);
    const pool = this.#pool;
    const first = this.#start[slot];
    let at = first + this.#size[slot]++;
    for (; at > first && pool[at - 1] > id; at--) pool[at] = pool[at - 1];
    pool[at] = id;
    this.count++;
  }

  /** Removes an id from an existing row. */
  drop(key: EntityId, id: EntityId): void {
    const slot = key >>> 10;
    if (this.#size[slot] >= LONG) {
      this.#mergeOf(key).gone.push(id);
      return;
    }
    const pool = this.#pool;
    const end = this.#start[slot] + this.#size[slot];
    let at = this.#start[slot];
    while (at < end && pool[at] !== id) at++;
    if (at === end) return;
    for (; at + 1 < end; at++) pool[at] = pool[at + 1];
    this.#size[slot]--;
    this.count--;
  }

  /** Call this after the last change. Removals must come first, by ascending ids. */
  settle(): void {
    for (const [key, { gone, come }] of this.#merges) this.#merge(key, gone, come);
    this.#merges.clear();
  }

  /** Drops ids of removed entities: then `wordsOf` has only present ones. */
  takeOutGone(key: EntityId): void {
    this.#takeOutGone(key >>> 10);
  }

  /** The ids of a row: a window, valid until the rows change. */
  wordsOf(key: EntityId): Uint32Array {
    const slot = key >>> 10;
    // Twice as fast as `subarray`.
    return new Uint32Array(this.#pool.buffer, 4 * this.#start[slot], this.#size[slot]);
  }

  /** Throws if a row does not ascend, or overlaps another. For tests. */
  validate(): void {
    const taken = new Uint8Array(this.#end);
    let count = 0;
    for (let slot = 0; slot < this.#owner.length; slot++) {
      const start = this.#start[slot];
      if (this.#size[slot] > this.#room[slot]) throw broken(`row ${slot} lies in its room`);
      for (let i = start; i < start + this.#room[slot]; i++) {
        if (i >= this.#end || taken[i]++ > 0) throw broken(`the room of row ${slot} is its own`);
      }
      for (let i = start + 1; i < start + this.#size[slot]; i++) {
        if (this.#pool[i - 1] >= this.#pool[i]) throw broken(`row ${slot} ascends`);
      }
      count += this.#size[slot];
    }
    if (count !== this.count) throw broken('rows are as long as they are counted');
  }

  #mergeOf(key: EntityId): Merge {
    const known = this.#merges.get(key);
    if (known !== undefined) return known;
    const merge = { gone: [], come: [] };
    this.#merges.set(key, merge);
    return merge;
  }

  #merge(key: EntityId, gone: readonly EntityId[], come: EntityId[]): void {
    come.sort((a, b) => a - b);
    const slot = key >>> 10;
    // This comes first, because it may drop removed ids and then needs no room for them.
    this.#makeRoom(slot, this.#size[slot] + come.length);
    const row = this.wordsOf(key).slice();
    const pool = this.#pool;
    let to = this.#start[slot];
    let [left, right] = [0, 0];
    for (const id of row) {
      while (left < gone.length && gone[left] < id) left++;
      if (left < gone.length && gone[left] === id) continue;
      while (right < come.length && come[right] < id) pool[to++] = come[right++];
      if (right < come.length && come[right] === id) right++;
      pool[to++] = id;
    }
    while (right < come.length) pool[to++] = come[right++];
    const size = to - this.#start[slot];
    this.count += size - this.#size[slot];
    this.#size[slot] = size;
  }

  #takeOutGone(slot: number): void {
    const pool = this.#pool;
    const start = this.#start[slot];
    const end = start + this.#size[slot];
    let to = start;
    for (let i = start; i < end; i++) if (this.#isThere(pool[i])) pool[to++] = pool[i];
    this.#size[slot] = to - start;
    this.count -= end - to;
  }

  /** Makes room for `needed` ids in a row: by dropping removed ids, else by moving it to a larger place. */
  #makeRoom(slot: number, needed: number): void {
    if (needed <= this.#room[slot]) return;
    const before = this.#size[slot];
    this.#takeOutGone(slot);
    const fits = needed - (before - this.#size[slot]);
    // A row with hardly any removed ids would otherwise be scanned again at each change.
    if (2 * fits > this.#room[slot]) this.#moveToEnd(slot, Math.max(LEAST_ROOM, 2 * fits));
  }

  #moveToEnd(slot: number, room: number): void {
    if (this.#end + room > this.#pool.length) this.#growPool(room);
    const start = this.#start[slot];
    this.#pool.copyWithin(this.#end, start, start + this.#size[slot]);
    this.#leftBehind += this.#room[slot];
    this.#start[slot] = this.#end;
    this.#room[slot] = room;
    this.#end += room;
  }

  /** Creates a pool with room for `more` words after the last row. The pool is packed if that frees half of it. */
  #growPool(more: number): void {
    const used = this.#end - this.#leftBehind;
    const pool = new Uint32Array(Math.max(LEAST_POOL, 2 * (used + more)));
    if (this.#leftBehind < used) {
      pool.set(this.#pool.subarray(0, this.#end));
      this.#pool = pool;
      return;
    }
    let end = 0;
    for (let slot = 0; slot < this.#owner.length; slot++) {
      const [start, room] = [this.#start[slot], this.#room[slot]];
      if (room === 0) continue;
      pool.set(this.#pool.subarray(start, start + this.#size[slot]), end);
      this.#start[slot] = end;
      end += room;
    }
    this.#pool = pool;
    this.#end = end;
    this.#leftBehind = 0;
  }
}

function broken(what: string): Error {
  return new Error(`umwelt: broken invariant: ${what}`);
}
