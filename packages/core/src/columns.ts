/**
 * Columns outside the heap: functions that grow, shrink and search typed arrays that are indexed by slot or by place
 * in a list.
 *
 * The owner of a column decides when it grows or shrinks, mostly by doubling. Cost: growing copies the elements.
 */
/** A slot has 22 bits. */
const HALF_BITS = 11;
const HALVES = 1 << HALF_BITS;
const LOW_HALF = HALVES - 1;
/** Its multiples are spread more evenly than those of any other number. */
const GOLDEN_RATIO = 0.618_033_988_749_894_9;

type Column = Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array | Int8Array | Uint8Array;

/**
 * A column of `length` elements: this column's elements, then `fill`. Returns the same column if it is long enough.
 */
export function grown<T extends Column>(column: T, length: number, fill = 0): T {
  if (length <= column.length) return column;
  const longer = new (column.constructor as new (length: number) => T)(length);
  longer.set(column);
  if (fill !== 0) longer.fill(fill, column.length);
  return longer;
}

/**
 * `length` zeros in place of a longer column whose elements are not needed any more: memory that nothing was written to costs no
 * time. Returns the same column if it is not longer.
 */
export function cleared<T extends Column>(column: T, length: number): T {
  if (length >= column.length) return column;
  return new (column.constructor as new (length: number) => T)(length);
}

/** The slots of two lists as one list, ascending and without repetition. Returns `slots`, which must be such a list, if there are no others. */
export function unionOf(slots: Uint32Array, others: readonly number[] | Uint32Array): Uint32Array {
  if (others.length === 0) return slots;
  const all = new Set(slots);
  for (const slot of others) all.add(slot);
  return Uint32Array.from(all).sort();
}

/** Up to so many elements, evenly spread: a sample. */
export function evenly(list: ArrayLike<number>, most: number): number[] {
  const stride = Math.max(1, list.length / most);
  const count = Math.min(most, list.length);
  const sample: number[] = [];
  // Not `Array.from` with a function, which takes several times as long: worlds are sampled in each tick.
  for (let i = 0; i < count; i++) sample.push(list[sampleAt(i, stride)]);
  return sample;
}

/**
 * The index of the i-th sample of a list if one element in `stride` is read: somewhere in its stretch. Kinds of entities often take
 * turns, every second of a crowd or every tenth, and equal steps would read the same kind again and again.
 */
export function sampleAt(i: number, stride: number): number {
  const begin = Math.floor(i * stride);
  return begin + Math.floor(((i * GOLDEN_RATIO) % 1) * (Math.floor((i + 1) * stride) - begin));
}

/** The first index in an ascending list whose element is not below `wanted`, or its length. As `placeOf`, for arrays of numbers. */
export function placeInList(list: readonly number[], wanted: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The first index from `from` on whose element is not below `wanted`, or `end`. Elements in `[from, end)` must
 * ascend.
 */
export function placeOf(
  column: Uint32Array | Float64Array,
  wanted: number,
  from: number,
  end: number,
): number {
  let low = from;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sorts the first `count` elements of a list by a slot that each has, in place and stable: a radix sort in two passes. `scratch`: as long. */
export function sortBySlot(
  list: Uint32Array,
  scratch: Uint32Array,
  count: number,
  slotOf: (element: number) => number,
): void {
  // Where the elements of each half of a slot end.
  const ends = new Uint32Array(2 * HALVES);
  for (let i = 0; i < count; i++) {
    const slot = slotOf(list[i]);
    ends[slot & LOW_HALF]++;
    ends[HALVES + (slot >>> HALF_BITS)]++;
  }
  for (let half = 1; half < HALVES; half++) {
    ends[half] += ends[half - 1];
    ends[HALVES + half] += ends[HALVES + half - 1];
  }
  for (let i = count - 1; i >= 0; i--) scratch[--ends[slotOf(list[i]) & LOW_HALF]] = list[i];
  for (let i = count - 1; i >= 0; i--) list[--ends[HALVES + (slotOf(scratch[i]) >>> HALF_BITS)]] = scratch[i];
}
