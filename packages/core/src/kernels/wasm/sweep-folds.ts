/**
 * Folds positions into a grid that is smaller than the world.
 *
 * A town in a wide land: cells as narrow as the town needs would be too many for all of the land. So the grid has as many as there may
 * be, and an axis is folded over it like a strip of paper, back and forth:
 *
 *      grid     |-------|
 *      land     a b c d e f g h i j k l          e lies at the fold: f in the cell of d, g in that of c, j in that of b
 *
 * Two positions are never farther apart when folded. So a window around a folded position contains all that are folded from within
 * reach, and nothing has to be searched twice. What lies in it from elsewhere fails the test of the distance. Equal coordinates
 * stay equal; different ones are apart by more than a fold's rounding errors, and searches are wider by those (`GRID_EDGE_SLACK`).
 */
import { GRID_INVERSE_PERIOD, GRID_ORIGIN, GRID_PERIOD } from '../layouts/sweep-job';
import { numberAt } from './job';

/** A coordinate as it lies in a grid. */
export function folded(grid: usize, axis: u32, at: f64): f64 {
  const period = numberAt(grid, GRID_PERIOD + axis);
  if (period == 0) return at;
  const origin = numberAt(grid, GRID_ORIGIN + axis);
  const from = at - origin;
  return origin + Math.abs(from - period * Math.floor(from * numberAt(grid, GRID_INVERSE_PERIOD + axis) + 0.5));
}
