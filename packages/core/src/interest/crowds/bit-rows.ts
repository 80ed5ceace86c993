/**
 * Rows of crowded watchers that a kernel keeps as bits, and gives back to the pairs when somebody asks for one.
 *
 *   blocks of the tree   | 0: sixteen markers | 1: sixteen markers | ...
 *   near block 7         | 7 | 3 | 12 | 4 | ...                  the list that its watchers share
 *   a watcher in 7       | 0010000000000110 | 0 | 01... | ...    who is in its row, a bit each
 *
 * A seat that changes hands is two bits turned, where a row in order is two searches and a move. Only the kernels know how
 * a row becomes bits (kernels/wasm/block-rows.ts); here one is written back. Memory: 132 bytes a slot.
 */
import * as crowd from '../../kernels/crowd-job.ts';
import { type Column, Heap } from '../../kernels/heap.ts';
import type { PairRows, RowKeeper } from '../pair-rows.ts';

export class BitRows implements RowKeeper {
  readonly #heap: Heap;
  readonly #pairs: PairRows;
  /** In the order of the tree. */
  readonly #treeSlots: Column<'u32'>;
  readonly #places: Column<'u32'>;
  readonly #lists: Column<'u32'>;
  readonly #near: Column<'u32'>;
  readonly #nodes: Column<'u32'>;
  readonly #reaches: Column<'f32'>;
  readonly #table: Column<'u32'>;
  readonly #bits: Column<'u16'>;
  readonly #lent: Column<'u8'>;
  readonly #frame: Column<'u8'>;

  constructor(heap: Heap, pairs: PairRows, treeSlots: Column<'u32'>) {
    this.#heap = heap;
    this.#pairs = pairs;
    this.#treeSlots = treeSlots;
    this.#places = heap.column('u32', 0);
    this.#lists = heap.column('u32', 0);
    this.#near = heap.column('u32', 0);
    this.#nodes = heap.column('u32', 0);
    this.#reaches = heap.column('f32', 0);
    this.#table = heap.column('u32', 0, Heap.scratch);
    this.#bits = heap.column('u16', 0);
    this.#lent = heap.column('u8', 0);
    this.#frame = heap.column('u8', 0, Heap.scratch);
  }

  /** Rows that are held as bits. For tests. */
  get heldCount(): number {
    return this.#lent.array.reduce((count, lent) => count + (lent === crowd.AS_BITS ? 1 : 0), 0);
  }

  /** Makes room for so many slots. */
  reserve(capacity: number): void {
    if (this.#lent.length >= capacity) return;
    const blocks = Math.ceil(capacity / crowd.BLOCK_SIZE) + 1;
    this.#heap.resize([
      [this.#places as Column, capacity],
      // Room behind the last for a list that is being made, and for the bits of a row that move.
      [this.#lists as Column, (blocks + 2) * crowd.MOST_NEAR],
      [this.#near as Column, blocks],
      [this.#nodes as Column, blocks],
      [this.#reaches as Column, blocks],
      [this.#table as Column, blocks],
      [this.#bits as Column, blocks * crowd.BLOCK_SIZE * crowd.MOST_NEAR],
      [this.#lent as Column, capacity],
      [this.#frame as Column, crowd.FRAME_BYTES],
    ]);
    this.#pairs.keeper = this;
  }

  writeColumns(job: Uint32Array): void {
    const isUsed = this.#lent.length > 0;
    job[crowd.BLOCK_PLACES] = this.#places.offset;
    job[crowd.BLOCK_LISTS] = this.#lists.offset;
    job[crowd.BLOCK_NEAR] = this.#near.offset;
    job[crowd.BLOCK_NODES] = this.#nodes.offset;
    job[crowd.BLOCK_REACHES] = this.#reaches.offset;
    job[crowd.BLOCK_TABLE] = this.#table.offset;
    job[crowd.BITS] = isUsed ? this.#bits.offset : 0;
    job[crowd.LENT] = this.#lent.offset;
    job[crowd.FRAME] = this.#frame.offset;
  }

  giveBack(watcher: number): void {
    const lent = this.#lent.array;
    if (watcher >= lent.length || lent[watcher] === crowd.IN_ROW) return;
    const { start, size, marker } = this.#pairs;
    const row = marker.subarray(start[watcher], start[watcher] + size[watcher]);
    if (lent[watcher] === crowd.AS_BITS) this.#write(watcher, row);
    row.sort();
    lent[watcher] = crowd.IN_ROW;
  }

  forget(watcher: number): void {
    if (watcher < this.#lent.length) this.#lent.array[watcher] = crowd.IN_ROW;
  }

  #write(watcher: number, row: Uint32Array): void {
    const slots = this.#treeSlots.array;
    const bits = this.#bits.array;
    const place = this.#places.array[watcher];
    const block = Math.floor(place / crowd.BLOCK_SIZE);
    const list = block * crowd.MOST_NEAR;
    let to = 0;
    for (let k = 0; k < this.#near.array[block]; k++) {
      const first = this.#lists.array[list + k] * crowd.BLOCK_SIZE;
      for (let rest = bits[place * crowd.MOST_NEAR + k]; rest !== 0; rest &= rest - 1) {
        row[to++] = slots[first + 31 - Math.clz32(rest & -rest)];
      }
    }
  }
}
