/** How far a watcher may perceive, whether it is hidden from detectors or not: for searches that look for it themselves. */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { SEARCH_SLACK } from '../../entities/reach-limits.ts';

/** No farther than this on any axis, before a shape's ratios; world units, search slack included. 0 for no watcher. */
export function ownReachOf({ limits }: EntityStore, state: EntityState, watcher: number): number {
  const ranges = state.ownRanges;
  let reach = 0;
  for (let s = 0; s < ranges.length; s++) {
    const range = ranges[s].at(watcher);
    if (range > 0) reach = Math.max(reach, range * limits.maxGain[s], limits.maxMinReach[s]);
  }
  return reach * SEARCH_SLACK;
}

/** The longest straight line from a watcher to whom it perceives with that reach, in the world's range shape. */
export function longestLine({ settings }: EntityStore, reach: number): number {
  if (settings.rangeShape === 'circle') return reach;
  const flat = settings.rangeShape === 'box' ? Math.hypot(settings.ratioX, settings.ratioY) : 1;
  return reach * Math.hypot(flat, settings.dimensions === 3 ? settings.ratioZ : 0) * SEARCH_SLACK;
}
