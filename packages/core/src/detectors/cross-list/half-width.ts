/**
 * How far along one axis a search must go for a reach.
 *
 * A pair within `reach` of each other differs by at most the half width on each axis, whatever the range shape. This
 * also holds with granularity 'cell', where a reach counts in whole cells and both entities may be anywhere in their
 * cells. The slack covers float32 rounding, and with cells the rounding of the division by the cell size.
 */
import { cellsWithin } from '../../entities/perception.ts';
import { SEARCH_SLACK } from '../../entities/reach-limits.ts';
import type { WorldSettings } from '../../settings.ts';
import { reachRatios } from '../pairs/reach-norm.ts';

/** World units, along axis 0 (x), 1 (y) or 2 (z); 0 for a reach of 0. */
export function halfWidth(settings: WorldSettings, axis: number, reach: number): number {
  if (!(reach > 0)) return 0;
  if (settings.granularity === 'cell' && settings.cellSize !== undefined) {
    const size = settings.cellSize[axis];
    return (cellsWithin(settings, reach, size) + 1) * size * SEARCH_SLACK;
  }
  return reach * reachRatios(settings)[axis] * SEARCH_SLACK;
}
