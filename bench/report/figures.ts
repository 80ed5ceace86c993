/** Formats numbers for tables. */

/**
 * Three significant digits, two for small numbers, and no more decimals than needed: 0.0012, 0.612, 61.2, 612, 61,200.
 */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return count(value);
  if (size < 0.1) return value.toPrecision(2);
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** Whole, with commas. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A ratio as `73.5 x`; `-` if it was not measured. */
export function times(ratio: number): string {
  return Number.isFinite(ratio) ? `${figure(ratio)} x` : '-';
}
