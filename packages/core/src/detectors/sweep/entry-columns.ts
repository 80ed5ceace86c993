/**
 * The sorted entries of a sweep, and the tables that say which lie in which cell: see kernels/sweep-job.ts for the
 * drawing.
 *
 * Memory: 24 bytes an entry (32 in 3-D), 8 a cell.
 */
import type { Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/sweep-job.ts';

const FIRST_ENTRIES = 256;

export class EntryColumns {
  readonly newX: Column<'f32'>;
  readonly newY: Column<'f32'>;
  readonly newZ: Column<'f32'>;
  readonly oldX: Column<'f32'>;
  readonly oldY: Column<'f32'>;
  readonly oldZ: Column<'f32'>;
  /** World units, the longest of an entry's ranges; 0 for no watcher. */
  readonly range: Column<'f32'>;
  /** Slot, and `GHOST_BIT` for a ghost. */
  readonly ref: Column<'u32'>;
  /** Where each cell's room begins, one more than there are cells. */
  readonly table: Column<'u32'>;
  /** Where each cell's entries end. */
  readonly ends: Column<'u32'>;
  readonly #heap: Heap;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.newX = heap.column('f32', 0);
    this.newY = heap.column('f32', 0);
    this.newZ = heap.column('f32', 0);
    this.oldX = heap.column('f32', 0);
    this.oldY = heap.column('f32', 0);
    this.oldZ = heap.column('f32', 0);
    this.range = heap.column('f32', 0);
    this.ref = heap.column('u32', 0);
    this.table = heap.column('u32', 1);
    this.ends = heap.column('u32', 1);
  }

  /** Makes room; false when there was enough, else the heap may have moved. */
  makeRoom(entryCount: number, cellCount: number, dimensions: 2 | 3): boolean {
    const sizes: [Column, number][] = [];
    if (cellCount + 1 > this.table.length) {
      const room = cellCount + 1 + (cellCount >> 2);
      sizes.push([this.table as Column, room], [this.ends as Column, room]);
    }
    if (entryCount > this.ref.length) {
      const room = Math.max(FIRST_ENTRIES, entryCount + (entryCount >> 3));
      const flat = [this.newX, this.newY, this.oldX, this.oldY, this.range, this.ref];
      for (const column of dimensions === 3 ? [...flat, this.newZ, this.oldZ] : flat) {
        sizes.push([column as Column, room]);
      }
    }
    this.#heap.resize(sizes);
    return sizes.length > 0;
  }

  /** Makes all entries gaps. */
  clear(): void {
    for (const { array } of [this.newX, this.newY, this.oldX, this.oldY]) array.fill(Number.NaN);
  }

  /** Writes where the columns lie into a job. */
  writeOffsets(words: Uint32Array): void {
    words[job.NEW_X] = this.newX.offset;
    words[job.NEW_Y] = this.newY.offset;
    words[job.NEW_Z] = this.newZ.offset;
    words[job.OLD_X] = this.oldX.offset;
    words[job.OLD_Y] = this.oldY.offset;
    words[job.OLD_Z] = this.oldZ.offset;
    words[job.RANGE] = this.range.offset;
    words[job.REF] = this.ref.offset;
    words[job.TABLE] = this.table.offset;
    words[job.ENDS] = this.ends.offset;
  }

  dispose(): void {
    const { newX, newY, newZ, oldX, oldY, oldZ, range, ref, table, ends } = this;
    for (const column of [newX, newY, newZ, oldX, oldY, oldZ, range, ref, table, ends]) {
      this.#heap.release(column as Column);
    }
  }
}
