/**
 * The figures that are measured for every contender and crowd, and how samples become a figure.
 *
 * A figure is the median of its samples, with the quartiles: on a busy machine a mean would say more about the other load. Times
 * are in milliseconds for the whole operation: the calls on the world, its tick, and reading every list that it reports.
 */

/** By name: what is measured, and when it happens. The order is that of tables and plots. */
export const FIGURES = {
  allMoving: { title: 'All moving', when: 'all entities that can move do' },
  fewMoving: { title: '1 % moving', when: 'one entity in a hundred moves' },
  add: { title: 'Adding all', when: 'all are added at once: one addMany and the first tick' },
  remove: { title: 'Removing all', when: 'all are removed at once: one removeMany and its tick' },
  comes: { title: 'Adding one', when: 'one more is added: an add and its tick' },
  goes: { title: 'Removing one', when: 'one is removed: a remove and its tick' },
} as const;

export type FigureName = keyof typeof FIGURES;

export const figureNames = Object.keys(FIGURES) as readonly FigureName[];

export interface Figure {
  readonly median: number;
  /** The quartiles. */
  readonly low: number;
  readonly high: number;
  readonly samples: number;
}

/** @param samples at least one. */
export function figureOf(samples: readonly number[]): Figure {
  const sorted = [...samples].sort((one, other) => one - other);
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    samples: sorted.length,
  };
}

/** Interpolates linearly between two samples. */
function quantile(sorted: readonly number[], fraction: number): number {
  const place = fraction * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (place - below);
}
