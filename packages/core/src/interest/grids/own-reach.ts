/**
 * How far a watcher may perceive, whether or not it is hidden from detectors. For searches that do not use a detector's ranges.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { cellsWithin } from '../../entities/perception.ts';
import { SEARCH_SLACK } from '../../entities/reach-limits.ts';

/**
 * Upper bound of the watcher's reach on any axis for markers with at most that gain and minReach in each sense, before the shape's ratios are
 * applied; world units, search slack included. 0 if it is not a watcher.
 */
export function ownReachOf(state: EntityState, watcher: number, gain: number, minReach: number): number {
  const range = state.longestRangeOf(watcher);
  return range === 0 ? 0 : Math.max(range * gain, minReach) * SEARCH_SLACK;
}

/** The longest straight line from a watcher to a marker that it perceives with that reach, by the world's range shape or its cells. */
export function longestLine({ settings }: EntityStore, reach: number): number {
  if (settings.granularity === 'cell') {
    // This many whole cells on each side, and the rest of the own cell.
    const sizes = settings.cellSize as readonly [number, number, number];
    return Math.hypot(...sizes.map((size) => (cellsWithin(settings, reach, size) + 1) * size)) * SEARCH_SLACK;
  }
  if (settings.rangeShape === 'circle') return reach;
  const flat = settings.rangeShape === 'box' ? Math.hypot(settings.ratioX, settings.ratioY) : 1;
  return reach * Math.hypot(flat, settings.dimensions === 3 ? settings.ratioZ : 0) * SEARCH_SLACK;
}
