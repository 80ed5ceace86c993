/**
 * How strongly a cell is filled for its count: by the logarithm, so that a pile of thousands still leaves one and three
 * distinguishable.
 *
 * The scale ends at a round number above the largest count, so it does not change with small changes of the counts.
 */

/** 1, 2 or 5 times a power of ten: the smallest that no count exceeds; at least 1. */
export function scaleTop(counts: Uint32Array): number {
  let max = 1;
  for (const count of counts) max = Math.max(max, count);
  const decade = 10 ** Math.floor(Math.log10(max));
  for (const lead of [1, 2, 5]) if (max <= lead * decade) return lead * decade;
  return 10 * decade;
}

/** 0 for an empty cell; else above 0, and 1 at `top`. Small counts differ less than large ones. */
export function strengthOf(count: number, top: number): number {
  return (Math.log1p(count) / Math.log1p(top)) ** 1.5;
}

/** Opacity of the fill for a strength above 0: low, since the crowd is drawn over it. */
export const FILL_OPACITY = { least: 0.03, most: 0.42 } as const;
