/**
 * Columns outside the heap: typed arrays, by slot or by place in a list, that grow, shrink and are searched.
 *
 * Whoever owns one says when and how far, mostly by doubling; here is how. Cost: growing and shrinking copy what stays.
 */
type Column = Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array | Int8Array | Uint8Array;

/** A column of `length` elements: those of this one, then `fill`. The same column where it has as many. */
export function grown<T extends Column>(column: T, length: number, fill = 0): T {
  if (length <= column.length) return column;
  const longer = new (column.constructor as new (length: number) => T)(length);
  longer.set(column);
  if (fill !== 0) longer.fill(fill, column.length);
  return longer;
}

/** The first `length` elements of a column. The same column where it has no more. */
export function shortened<T extends Column>(column: T, length: number): T {
  return length < column.length ? (column.slice(0, length) as T) : column;
}

/** The first place from `from` on whose element is not below `wanted`, or `end`. The elements between the two ascend. */
export function placeOf(column: Uint32Array, wanted: number, from: number, end: number): number {
  let low = from;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
