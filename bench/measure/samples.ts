/**
 * Medians and percentiles of a list of timings, by nearest rank, so that each figure is a time that was measured.
 *
 * There are no means: on a shared machine a single interruption would dominate them.
 */

/**
 * The smallest sample that is at least as large as `share` (0 to 1) of all; NaN if there are none. Does not change
 * `samples`.
 */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = Float64Array.from(samples).sort();
  const rank = Math.ceil(share * sorted.length);
  return sorted[Math.max(0, rank - 1)]!;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}
