/**
 * How long a race measures: enough for stable medians on a quiet machine, short enough to be run often.
 *
 * A smoke run only shows that everything runs and agrees: a few ticks, the same number on any machine.
 */
export interface Pace {
  /** The number of turns of each engine. */
  readonly rounds: number;
  /** Duration of a turn; at least one tick and at most `mostTicks`. */
  readonly turnMs: number;
  readonly mostTicks: number;
  /** Before anything is timed: one tick in which all entities enter, then ticks for this long, at least one. */
  readonly warmUpMs: number;
  /** The time of one engine for one case. An engine that could not do `LEAST_TICKS` in it is left out. */
  readonly budgetMs: number;
  /** Whether the heap is collected before each turn, where Node allows it. */
  readonly collects: boolean;
}

/** The least warm-up ticks and timed ticks for an engine to count. */
export const LEAST_WARM_TICKS = 2;
export const LEAST_TICKS = 3;

export const DEFAULT_BUDGET_SECONDS = 40;

export function fullPace(budgetSeconds: number): Pace {
  return {
    rounds: 5,
    turnMs: 1000,
    mostTicks: 1000,
    warmUpMs: 1000,
    budgetMs: budgetSeconds * 1000,
    collects: true,
  };
}

export function smokePace(budgetSeconds: number): Pace {
  return {
    rounds: 2,
    turnMs: Number.POSITIVE_INFINITY,
    mostTicks: 3,
    warmUpMs: 0,
    budgetMs: budgetSeconds * 1000,
    // Times do not count, and hundreds of collections take three times as long as all ticks.
    collects: false,
  };
}
