/**
 * How cells are cut for a population: what a detector on cells chooses from a survey, and the numbers it needs for it.
 *
 * The slack is there because squares are rounded: a pair may count as inside though it is a hair farther apart than its
 * reach, and two such on cell edges may be one cell farther apart than the reach says. So windows are made for a
 * reach a little longer, and a cell that is to hold a reach is a little larger still.
 */
import type { UsualLimits } from './far-reach.ts';
import type { Survey } from './survey.ts';

export type Triple = readonly [x: number, y: number, z: number];

/** What is chosen from a survey. */
export interface CellFit {
  /** Edges of a cell, world units. */
  readonly sizes: Triple;
  readonly limits: UsualLimits;
  /** Cells to each side that the limits' reach covers. */
  readonly cells: Triple;
}

/** Windows are made for a reach times this. */
export const WINDOW_SLACK = 1 + 2 ** -20;
/** A cell as wide as a reach times this holds the window of that reach, whatever is rounded on the way. */
export const CELL_SLACK = WINDOW_SLACK * (1 + 2 ** -20);

/** A cell holds at least so many on average, where reaches are shorter than the distances between entities. */
const FEWEST_A_CELL = 2;
/** In tests of a pair, as measured: a cell looked up and its occupants copied, a cell glanced at, lists begun. */
const TESTS_A_LOOKUP = 16;
const TESTS_A_GLANCE = 4;
const HAVING_LISTS = 32;
/** World units. Cells no finer than that keep their numbers countable to the ends of the world. */
const FINEST_CELL = 2 ** -10;

/** The edge, in reaches, of a cell made for `reach`: wider where that would hold hardly anybody. */
export function edgeFor(survey: Survey, reach: number): number {
  return Math.max(reach * CELL_SLACK, survey.reachFor(FEWEST_A_CELL), FINEST_CELL);
}

/**
 * Tests that the lists of the far cost a mover: one for each on them, and as many again because they look at everyone when
 * they move; and a little for having any.
 */
export function costOfFar(survey: Survey, { gain, minReach, reach }: UsualLimits): number {
  const far =
    survey.ranges.above(reach / gain) + survey.gains.above(gain) + survey.minReaches.above(minReach);
  return far === 0 ? 0 : HAVING_LISTS + 2 * far;
}

/**
 * What finding the cells of a window costs each of those who ask together, in tests: a look-up for each, or, in a window
 * with more cells than there are in use, a glance at each of these.
 */
export function costOfWindow(survey: Survey, cells: number, sizes: Triple): number {
  const together = Math.max(1, survey.crowdWithin(sizes[0] / 2, sizes[1] / 2, sizes[2] / 2));
  const inUse = survey.entities / together;
  return Math.min(cells * TESTS_A_LOOKUP, inUse * TESTS_A_GLANCE) / together;
}

/** Each axis of `triple` changed. */
export function eachAxis(triple: Triple, change: (value: number, axis: 0 | 1 | 2) => number): Triple {
  return [change(triple[0], 0), change(triple[1], 1), change(triple[2], 2)];
}
