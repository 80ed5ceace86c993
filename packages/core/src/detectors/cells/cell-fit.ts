/**
 * The cells for a population: what a detector on cells chooses from a survey, and the numbers that it needs for that.
 *
 * The slack is needed because squares are rounded: a pair may count as inside though it is slightly farther apart
 * than its reach, and two such entities on cell edges may be one cell farther apart than the reach says. So windows
 * are computed for a slightly longer reach, and a cell that must hold a reach is slightly larger still.
 */
import type { UsualLimits } from './far-reach.ts';
import type { Survey } from './survey.ts';

export type Triple = readonly [x: number, y: number, z: number];

/** The choice made from a survey. */
export interface CellFit {
  /** Edges of a cell, world units. */
  readonly sizes: Triple;
  readonly limits: UsualLimits;
  /** Number of cells on each side that the limits' reach covers. */
  readonly cells: Triple;
}

/** Windows are computed for a reach times this. */
export const WINDOW_SLACK = 1 + 2 ** -20;
/** A cell as wide as a reach times this holds the window of that reach, despite rounding. */
export const CELL_SLACK = WINDOW_SLACK * (1 + 2 ** -20);

/** Minimum average number of entities in a cell, if reaches are shorter than the distances between entities. */
const FEWEST_A_CELL = 2;
/**
 * Measured costs, in tests of a pair: looking up a cell and copying its occupants, checking a cell, starting lists.
 */
const TESTS_A_LOOKUP = 16;
const TESTS_A_GLANCE = 4;
const HAVING_LISTS = 32;
/** World units. With cells no finer than this, cell numbers stay exact integers to the ends of the world. */
const FINEST_CELL = 2 ** -10;

/** The edge, in reaches, of a cell for `reach`: wider if the cell would hold hardly any entity. */
export function edgeFor(survey: Survey, reach: number): number {
  return Math.max(reach * CELL_SLACK, survey.reachFor(FEWEST_A_CELL), FINEST_CELL);
}

/**
 * Cost of the lists of far entities for a moved entity, in tests: one for each listed entity, and as many again
 * because they test all entities when they move; plus a small cost for having any.
 */
export function costOfFar(survey: Survey, { gain, minReach, reach }: UsualLimits): number {
  const far =
    survey.ranges.above(reach / gain) + survey.gains.above(gain) + survey.minReaches.above(minReach);
  return far === 0 ? 0 : HAVING_LISTS + 2 * far;
}

/**
 * Cost of finding the cells of a window, for each entity that shares the search, in tests: a look-up for each cell;
 * or, if the window has more cells than are in use, a check of each cell in use.
 */
export function costOfWindow(survey: Survey, cells: number, sizes: Triple): number {
  const together = Math.max(1, survey.crowdWithin(sizes[0] / 2, sizes[1] / 2, sizes[2] / 2));
  const inUse = survey.entities / together;
  return Math.min(cells * TESTS_A_LOOKUP, inUse * TESTS_A_GLANCE) / together;
}

/** Applies `change` to each axis of `triple`. */
export function eachAxis(triple: Triple, change: (value: number, axis: 0 | 1 | 2) => number): Triple {
  return [change(triple[0], 0), change(triple[1], 1), change(triple[2], 2)];
}
