/**
 * A heap on which every change of a column's length moves the whole heap, for tests.
 *
 * Problem: when the heap is nearly full, any `resize` moves it; otherwise a column finds room at the end and nothing moves. So code that
 * forgets that the heap may move is right until some world fills its last page at the wrong moment. Method: before each `resize`
 * that changes a length, all columns move, and what `keep` does not name becomes garbage, as a real move loses it. Writes to a buffer that
 * was left are found by comparing it with what it was. Cost: a copy of the heap for each move.
 */
import { type Column, type ElementKind, Heap, type Keep } from '../../src/kernels/heap.ts';

/** Bytes before the first column. */
const RESERVED_BYTES = 64;
/** No index, no offset, no number of anything. */
const GARBAGE = 0xbd;

interface LeftBuffer {
  readonly bytes: Uint8Array;
  readonly asItWas: Uint8Array;
  readonly leftBy: string;
}

export class RestlessHeaps {
  /** How often a heap moved that would not have. */
  moves = 0;
  #left: LeftBuffer[] = [];
  readonly #columns = new WeakMap<Heap, Set<Column>>();
  readonly #undo: () => void;

  /** From now on all heaps that are made in this process are restless, until `end`. */
  constructor() {
    const { column, release, resize } = Heap.prototype;
    const restless = this;
    this.#undo = () => Object.assign(Heap.prototype, { column, release, resize });
    Heap.prototype.column = function <K extends ElementKind>(
      this: Heap,
      kind: K,
      length: number,
      keep?: Keep,
    ) {
      const made = column.call(this, kind, length, keep) as Column<K>;
      restless.#columnsOf(this).add(made as unknown as Column);
      return made;
    } as typeof column;
    Heap.prototype.release = function (this: Heap, released: Column) {
      release.call(this, released);
      restless.#columnsOf(this).delete(released);
    };
    Heap.prototype.resize = function (this: Heap, sizes: readonly (readonly [Column, number])[]) {
      if (sizes.some(([{ length }, wanted]) => length !== wanted)) restless.#move(this);
      resize.call(this, sizes);
    };
  }

  /** Heaps are as ever again. */
  end(): void {
    this.#undo();
  }

  /** Throws where a buffer was written to after the heap had moved out of it; forgets those seen. */
  checkLeft(): void {
    const left = this.#left;
    this.#left = [];
    for (const { bytes, asItWas, leftBy } of left) {
      // A byte at a time takes half the time of these tests.
      if (Buffer.compare(bytes, asItWas) === 0) continue;
      const at = bytes.findIndex((byte, i) => byte !== asItWas[i]);
      if (at !== -1) throw new Error(`byte ${at} was written after the heap had moved\n${leftBy}`);
    }
  }

  #columnsOf(heap: Heap): Set<Column> {
    const known = this.#columns.get(heap) ?? new Set();
    this.#columns.set(heap, known);
    return known;
  }

  #move(heap: Heap): void {
    const bytes = heap.u8;
    const columns = this.#columnsOf(heap);
    heap.compact();
    if (heap.u8 === bytes) {
      let end = RESERVED_BYTES;
      for (const { offset, byteLength } of columns) end = Math.max(end, offset + byteLength);
      heap.makeRoom(heap.u8.byteLength - end + 1);
    }
    if (heap.u8 === bytes) throw new Error('the heap did not move');
    this.moves++;
    this.#left.push({ bytes, asItWas: bytes.slice(), leftBy: String(new Error('left by').stack) });
    for (const column of columns) {
      const { array, length } = column;
      const kept = Math.min(column.keep(column), length);
      const { BYTES_PER_ELEMENT, buffer, byteOffset } = array;
      new Uint8Array(buffer, byteOffset + kept * BYTES_PER_ELEMENT, (length - kept) * BYTES_PER_ELEMENT).fill(
        GARBAGE,
      );
    }
  }
}
