/**
 * One kind of report (entered, left, updated or sensed) as rows: for each watcher with changes, a list of markers.
 *
 *   watchers | w0 | w1 | ...         ids ascending, one a row
 *   offsets  | 0 | o1 | o2 | ... |   row i is markers[offsets[i] .. offsets[i + 1])
 *   markers  | ids, ascending within a row |
 *   senses   | one mask a marker, where the kind has them |
 *
 * Markers may be borrowed from an owner that already has them in such rows. Memory: 8 bytes a row, 4 a marker that is
 * not borrowed, 1 a mask. The buffers are reused and grow by half.
 */
import type { Column, Heap } from '../kernels/heap.ts';

/** A buffer of at most this length is not shrunk. */
const MIN_TRIMMED = 1024;

/**
 * Owner of borrowed markers: those of the first row start at `first`. Both values may have changed by the time they
 * are read.
 */
export interface MarkerLender {
  readonly words: Uint32Array;
  readonly first: number;
}

/** Rows as readers see them. */
export type ReadableRows = Pick<
  ReportRows,
  'rowCount' | 'count' | 'watchers' | 'offsets' | 'markers' | 'senses' | 'rowOf' | 'listOf'
>;

export class ReportRows {
  /** Number of rows and, over all rows, of markers. */
  rowCount = 0;
  count = 0;
  readonly #heap: Heap;
  readonly #watchers: Column<'u32'>;
  readonly #offsets: Column<'u32'>;
  readonly #markers: Column<'u32'>;
  readonly #senses: Column<'u8'> | undefined;
  #lender: MarkerLender | undefined;

  constructor(heap: Heap, withSenses: boolean) {
    this.#heap = heap;
    this.#watchers = heap.column('u32', 0, () => this.rowCount);
    this.#offsets = heap.column('u32', 1, () => this.rowCount + 1);
    this.#markers = heap.column('u32', 0, () => this.#ownCount);
    this.#senses = withSenses ? heap.column('u8', 0, () => this.#ownCount) : undefined;
  }

  /** Read it again in each call: the heap may move. */
  get watchers(): Uint32Array {
    return this.#watchers.array;
  }

  get offsets(): Uint32Array {
    return this.#offsets.array;
  }

  get markers(): Uint32Array {
    return this.#lender?.words.subarray(this.#lender.first) ?? this.#markers.array;
  }

  /** Masks parallel to `markers`; `undefined` for kinds without masks. */
  get senses(): Uint8Array | undefined {
    return this.#senses?.array;
  }

  /** Writes the column offsets into a job, from word `at` on; see kernels/layouts/fill-report.ts. */
  writeOffsets(words: Uint32Array, at: number): void {
    words[at] = this.#watchers.offset;
    words[at + 1] = this.#offsets.offset;
    words[at + 2] = this.#markers.offset;
    words[at + 3] = this.#senses?.offset ?? 0;
  }

  clear(): void {
    this.rowCount = 0;
    this.count = 0;
    this.#lender = undefined;
    this.#offsets.array[0] = 0;
  }

  /** Borrows the markers until the rows are cleared. For kinds without senses. */
  borrow(lender: MarkerLender): void {
    this.#lender = lender;
  }

  /** Makes room; existing rows are kept. */
  reserve(rows: number, markers: number): void {
    const sizes: [Column, number][] = [];
    if (rows > this.#watchers.length) {
      const grown = Math.max(rows, this.#watchers.length + (this.#watchers.length >> 1));
      sizes.push([this.#watchers, grown], [this.#offsets, grown + 1]);
    }
    if (markers > this.#markers.length) {
      const grown = Math.max(markers, this.#markers.length + (this.#markers.length >> 1));
      sizes.push([this.#markers, grown]);
      if (this.#senses !== undefined) sizes.push([this.#senses, grown]);
    }
    this.#heap.resize(sizes);
  }

  /** The sizes that suffice for twice `count` markers, if that saves most of the memory; for `Heap.shrink`. */
  sizesToTrim(count: number): [Column, number][] {
    const length = Math.max(2 * count, this.#ownCount, MIN_TRIMMED);
    if (length * 2 > this.#markers.length) return [];
    const sizes: [Column, number][] = [[this.#markers, length]];
    if (this.#senses !== undefined) sizes.push([this.#senses, length]);
    // Whoever writes the rows needs room for one more.
    const rows = Math.max(length, this.rowCount + 1);
    if (rows < this.#watchers.length) {
      sizes.push([this.#watchers, rows], [this.#offsets, rows + 1]);
    }
    return sizes;
  }

  /** Replaces these rows by a copy of others. For kinds without senses; room was reserved. */
  copy({ rowCount, count, watchers, offsets, markers }: ReportRows): void {
    this.rowCount = rowCount;
    this.count = count;
    this.watchers.set(watchers.subarray(0, rowCount));
    this.offsets.set(offsets.subarray(0, rowCount + 1));
    this.markers.set(markers.subarray(0, count));
  }

  /** Removes the rows of watchers for which `isGone` returns true. For kinds without senses. Cost: O(all rows). */
  takeOut(isGone: (watcher: number) => boolean): void {
    const [watchers, offsets, markers] = [this.watchers, this.offsets, this.markers];
    let rows = 0;
    let count = 0;
    let begin = 0;
    for (let row = 0; row < this.rowCount; row++) {
      const end = offsets[row + 1];
      if (!isGone(watchers[row])) {
        watchers[rows++] = watchers[row];
        for (let i = begin; i < end; i++) markers[count++] = markers[i];
        offsets[rows] = count;
      }
      begin = end;
    }
    this.rowCount = rows;
    this.count = count;
  }

  /**
   * Merges rows of other watchers, in ascending order like these: their row i is `markers[offsets[i] .. offsets[i +
   * 1])`. For kinds without senses. Cost: O(all rows).
   */
  merge(watchers: ArrayLike<number>, offsets: ArrayLike<number>, markers: ArrayLike<number>): void {
    this.reserve(this.rowCount + watchers.length, this.count + markers.length);
    const [ownWatchers, ownOffsets, ownMarkers] = [this.watchers, this.offsets, this.markers];
    let own = this.rowCount - 1;
    let other = watchers.length - 1;
    let to = this.count + markers.length;
    this.rowCount += watchers.length;
    this.count = to;
    ownOffsets[this.rowCount] = to;
    // From the back, so that nothing is overwritten before it was read.
    for (let row = this.rowCount - 1; other >= 0; row--) {
      if (own >= 0 && ownWatchers[own] > watchers[other]) {
        const begin = ownOffsets[own];
        const size = ownOffsets[own + 1] - begin;
        to -= size;
        ownMarkers.copyWithin(to, begin, begin + size);
        ownWatchers[row] = ownWatchers[own--];
      } else {
        for (let i = offsets[other + 1] - 1; i >= offsets[other]; i--) ownMarkers[--to] = markers[i];
        ownWatchers[row] = watchers[other--];
      }
      ownOffsets[row] = to;
    }
  }

  /** The row of a watcher, or -1. Binary search. */
  rowOf(watcher: number): number {
    const row = this.rowFrom(watcher);
    return row < this.rowCount && this.#watchers.array[row] === watcher ? row : -1;
  }

  /** The first row whose watcher id is not less. Binary search. */
  rowFrom(watcher: number): number {
    return rowFrom(this.#watchers.array, this.rowCount, watcher);
  }

  /** The markers of a row, a view on the buffer. */
  listOf(row: number): Uint32Array {
    const offsets = this.#offsets.array;
    const begin = (this.#lender?.first ?? 0) + offsets[row];
    const { buffer, byteOffset } = this.#lender?.words ?? this.#markers.array;
    // Twice as fast as `subarray`.
    return new Uint32Array(buffer, byteOffset + begin * 4, offsets[row + 1] - offsets[row]);
  }

  /** Number of markers in these rows' own buffer. */
  get #ownCount(): number {
    return this.#lender === undefined ? this.count : 0;
  }
}

/**
 * The index of the first of `count` ascending ids that is not less than `id`; `count` if there is none. Binary
 * search.
 */
export function rowFrom(ids: Uint32Array, count: number, id: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle] < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
