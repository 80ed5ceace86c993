/**
 * Rows of crowded watchers that a kernel keeps as bits, and gives back to the pairs when somebody asks for one.
 *
 *   blocks of the tree   | 0: sixteen markers | 1: sixteen markers | ...
 *   near block 7         | 7 | 3 | 12 | 4 | ...                  the list that its watchers share
 *   a watcher in 7       | 0010000000000110 | 0 | 01... | ...    who is in its row, a bit each
 *
 * A seat that changes hands is two bits turned, where a row in order is two searches and a move. Only the kernels know how
 * a row becomes bits (kernels/wasm/block-rows.ts); here one is written back. Memory: 6 bytes a slot, and 2,320
 * for a group of sixteen: as many of those as there are blocks, but no more than four for each crowded watcher.
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
  readonly #blockGroups: Column<'u32'>;
  readonly #nodes: Column<'u32'>;
  readonly #table: Column<'u32'>;
  readonly #groups: Column<'u32'>;
  readonly #lent: Column<'u8'>;
  readonly #frame: Column<'u8'>;

  constructor(heap: Heap, pairs: PairRows, treeSlots: Column<'u32'>) {
    this.#heap = heap;
    this.#pairs = pairs;
    this.#treeSlots = treeSlots;
    this.#places = heap.column('u32', 0);
    this.#blockGroups = heap.column('u32', 0);
    this.#nodes = heap.column('u32', 0);
    this.#table = heap.column('u32', 0, Heap.scratch);
    this.#groups = heap.column('u32', 0);
    this.#lent = heap.column('u8', 0);
    this.#frame = heap.column('u8', 0, Heap.scratch);
  }

  /** Rows that are held as bits. For tests. */
  get heldCount(): number {
    return this.#lent.array.reduce((count, lent) => count + (lent === crowd.AS_BITS ? 1 : 0), 0);
  }

  /** Makes room for so many slots, of which so many are asked: who finds no room is decided from its row. */
  reserve(capacity: number, asked: number): void {
    const blocks = Math.ceil(capacity / crowd.BLOCK_SIZE) + 1;
    const sizes: [Column, number][] = [];
    if (this.#lent.length < capacity) {
      sizes.push(
        [this.#places as Column, capacity],
        [this.#blockGroups as Column, blocks],
        [this.#nodes as Column, blocks],
        [this.#table as Column, blocks],
        [this.#lent as Column, capacity],
        [this.#frame as Column, crowd.FRAME_BYTES],
      );
    }
    // Each may be the only one of its block; from tick to tick it need not be the same.
    const most = Math.min(blocks, crowd.MOST_GROUPS);
    const groups = Math.min(most, 2 * asked);
    if (this.#groups.length < groups * crowd.GROUP_WORDS) {
      sizes.push([this.#groups as Column, Math.min(most, 2 * groups) * crowd.GROUP_WORDS]);
    }
    if (sizes.length === 0) return;
    this.#heap.resize(sizes);
    this.#pairs.keeper = this;
  }

  writeColumns(job: Uint32Array): void {
    job[crowd.BLOCK_PLACES] = this.#places.offset;
    job[crowd.BLOCK_GROUPS] = this.#blockGroups.offset;
    job[crowd.BLOCK_NODES] = this.#nodes.offset;
    job[crowd.BLOCK_TABLE] = this.#table.offset;
    job[crowd.GROUPS] = this.#groups.length > 0 ? this.#groups.offset : 0;
    job[crowd.GROUP_CAPACITY] = this.#groups.length / crowd.GROUP_WORDS;
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
    const groups = this.#groups.array;
    const place = this.#places.array[watcher];
    const group = (this.#blockGroups.array[Math.floor(place / crowd.BLOCK_SIZE)] - 1) * crowd.GROUP_WORDS;
    const bits = group + crowd.GROUP_ROWS + (place % crowd.BLOCK_SIZE) * crowd.GROUP_ROW_WORDS;
    let to = 0;
    for (let k = 0; k < groups[group]; k++) {
      const first = groups[group + crowd.GROUP_LIST + k] * crowd.BLOCK_SIZE;
      // Two blocks a word.
      const both = groups[bits + (k >>> 1)];
      for (let rest = (both >>> (16 * (k % 2))) & 0xffff; rest !== 0; rest &= rest - 1) {
        row[to++] = slots[first + 31 - Math.clz32(rest & -rest)];
      }
    }
  }
}
