/**
 * For each cell its observers, the cells that hold a watcher that may see it: in rows of one pool.
 *
 *   start, size, room by cell      pool: | observers of one cell, in no order | spare | next row | ...
 *
 * A full row moves to the pool's end with twice the room; its old place is reclaimed when the pool is packed. Memory:
 * 12 bytes a cell, and for each observer 4 to 16. Cost: adding is O(1) amortised, removing reads the row.
 */
import { grown } from '../../columns.ts';
import { assert } from '../../errors.ts';

const FIRST_POOL = 1024;
const FIRST_ROOM = 12;

export class ObserverRows {
  /** By cell: start of its row in `pool`, and its length. Replaced when rows are added. */
  start = new Int32Array(0);
  size = new Int32Array(0);
  pool = new Int32Array(FIRST_POOL);
  #room = new Int32Array(0);
  #end = 0;

  get memoryBytes(): number {
    return this.start.byteLength * 3 + this.pool.byteLength;
  }

  /** Creates rows for `capacity` cells. */
  growCells(capacity: number): void {
    if (capacity <= this.start.length) return;
    this.start = grown(this.start, capacity);
    this.size = grown(this.size, capacity);
    this.#room = grown(this.#room, capacity);
  }

  add(cell: number, observer: number): void {
    if (this.size[cell] === this.#room[cell]) this.#enlarge(cell);
    this.pool[this.start[cell] + this.size[cell]++] = observer;
  }

  remove(cell: number, observer: number): void {
    const { pool } = this;
    const from = this.start[cell];
    const last = from + this.size[cell] - 1;
    let at = last;
    while (at >= from && pool[at] !== observer) at--;
    assert(at >= from, `cell ${cell} is observed by cell ${observer} until it no longer is`);
    pool[at] = pool[last];
    this.size[cell]--;
  }

  has(cell: number, observer: number): boolean {
    const from = this.start[cell];
    return this.pool.subarray(from, from + this.size[cell]).includes(observer);
  }

  /** Drops a cell's row. */
  drop(cell: number): void {
    this.size[cell] = 0;
    this.#room[cell] = 0;
  }

  #enlarge(cell: number): void {
    const room = Math.max(FIRST_ROOM, 2 * this.#room[cell]);
    if (this.#end + room > this.pool.length) this.#pack(room);
    const from = this.start[cell];
    this.pool.copyWithin(this.#end, from, from + this.size[cell]);
    this.start[cell] = this.#end;
    this.#room[cell] = room;
    this.#end += room;
  }

  /** Packs all rows without gaps, into a pool half as large again as they and `extra` need. */
  #pack(extra: number): void {
    let inUse = extra;
    for (const room of this.#room) inUse += room;
    const packed = new Int32Array(Math.max(FIRST_POOL, inUse + (inUse >> 1)));
    let end = 0;
    for (let cell = 0; cell < this.start.length; cell++) {
      if (this.#room[cell] === 0) continue;
      const from = this.start[cell];
      packed.set(this.pool.subarray(from, from + this.size[cell]), end);
      this.start[cell] = end;
      end += this.#room[cell];
    }
    this.pool = packed;
    this.#end = end;
  }
}
