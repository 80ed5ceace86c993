/**
 * How long a race measures: enough on a quiet machine for medians that hold, short enough to be run often.
 *
 * Smoke only shows that everything runs and agrees: a handful of ticks, the same number on any machine.
 */
export interface Pace {
  /** How many times each engine has its turn. */
  readonly rounds: number;
  /** A turn lasts this long, at least one tick and at most `mostTicks`. */
  readonly turnMs: number;
  readonly mostTicks: number;
  /** Before anything is timed: one tick in which everybody enters, and others for this long, at least one. */
  readonly warmUpMs: number;
  /** What one engine may spend on one case. One that could not do `LEAST_TICKS` in that is left out. */
  readonly budgetMs: number;
}

/** Warm-up and timed, for an engine to count at all. */
export const LEAST_WARM_TICKS = 2;
export const LEAST_TICKS = 3;

export const DEFAULT_BUDGET_SECONDS = 40;

export function fullPace(budgetSeconds: number): Pace {
  return { rounds: 5, turnMs: 1000, mostTicks: 1000, warmUpMs: 1000, budgetMs: budgetSeconds * 1000 };
}

export function smokePace(budgetSeconds: number): Pace {
  return {
    rounds: 2,
    turnMs: Number.POSITIVE_INFINITY,
    mostTicks: 3,
    warmUpMs: 0,
    budgetMs: budgetSeconds * 1000,
  };
}
