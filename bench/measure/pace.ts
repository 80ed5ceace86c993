/**
 * How long a race measures: enough for stable ratios on a busy machine, short enough to be run often.
 *
 * Turns are short, and there are many of them. Where other programs come and go, a machine is one and a half times as slow for
 * a second or two. With 100 turns of 50 ms the ratios of 22 equal lanes were within 2 % of each other; with 5 turns of a
 * second, which take as long in all, they lay between 0.82 and 1.05.
 *
 * A smoke run only shows that everything runs and agrees: a few ticks, the same number on any machine.
 */
export interface Pace {
  /** The most turns of an engine. */
  readonly rounds: number;
  /** An engine whose turns took this long in all has had enough of them, but not before `leastRounds`. */
  readonly enoughMs: number;
  readonly leastRounds: number;
  /** Duration of a turn; at least one tick and at most `mostTicks`. */
  readonly turnMs: number;
  readonly mostTicks: number;
  /** Before anything is timed: one tick in which all entities enter, then ticks for this long, at least one. */
  readonly warmUpMs: number;
  /** The time of one engine for one case. An engine that could not do `LEAST_TICKS` in it is left out. */
  readonly budgetMs: number;
  /** The whole heap is collected before each turn of one round in this many, what is new in it before every turn; 0 for never. */
  readonly collectEvery: number;
}

/** The least warm-up ticks and timed ticks for an engine to count. */
export const LEAST_WARM_TICKS = 2;
export const LEAST_TICKS = 3;

export const DEFAULT_BUDGET_SECONDS = 40;

export function fullPace(budgetSeconds: number): Pace {
  return {
    rounds: 100,
    enoughMs: 5000,
    leastRounds: 5,
    turnMs: 50,
    mostTicks: 200,
    warmUpMs: 1000,
    budgetMs: budgetSeconds * 1000,
    collectEvery: 20,
  };
}

export function smokePace(budgetSeconds: number): Pace {
  return {
    rounds: 2,
    enoughMs: Number.POSITIVE_INFINITY,
    leastRounds: 2,
    turnMs: Number.POSITIVE_INFINITY,
    mostTicks: 3,
    warmUpMs: 0,
    budgetMs: budgetSeconds * 1000,
    // Times do not count, and hundreds of collections take three times as long as all ticks.
    collectEvery: 0,
  };
}
