/**
 * What a list of timings says: medians and percentiles by nearest rank, so that each is a time that was measured.
 *
 * Means are not given: on a shared machine one interruption would be most of them.
 */

/** The smallest sample that is at least as large as `share` (0 to 1) of all; NaN of none. Leaves `samples` as it is. */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = Float64Array.from(samples).sort();
  const rank = Math.ceil(share * sorted.length);
  return sorted[Math.max(0, rank - 1)]!;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}
