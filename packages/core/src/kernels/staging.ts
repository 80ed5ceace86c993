/**
 * Columns that are lent for the time of one call, to whoever needs a word and a position an element: many moves at once
 * lie here before they are written, and the sweep keeps here where entries go while it sorts.
 *
 * Nobody may expect to find again what it left. Memory: 12 bytes an element (16 in 3-D), as many as anybody needed.
 */
import type { Column, Heap } from './heap.ts';

export class Staging {
  readonly words: Column<'u32'>;
  readonly x: Column<'f32'>;
  readonly y: Column<'f32'>;
  readonly z: Column<'f32'>;
  readonly #heap: Heap;

  constructor(heap: Heap) {
    this.#heap = heap;
    // Not scratch: the heap may move in the middle of a call.
    this.words = heap.column('u32', 0);
    this.x = heap.column('f32', 0);
    this.y = heap.column('f32', 0);
    this.z = heap.column('f32', 0);
  }

  /** Room for so many words, and with `axes` above 0 for as many coordinates. The heap may move. */
  makeRoom(count: number, axes: number): void {
    const wanted: Column[] = [this.words as Column];
    for (const column of [this.x, this.y, this.z].slice(0, axes)) wanted.push(column as Column);
    const sizes = wanted.filter(({ length }) => length < count);
    this.#heap.resize(sizes.map((column) => [column, count + (count >> 3)]));
  }
}
