/**
 * How far a watcher may perceive, whether or not it is hidden from detectors. For searches that do not use a detector's ranges.
 */
import type { EntityId } from '../../entities/entity-ids.ts';
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { cellsWithin, meets, perceivedSenses, reachBetween } from '../../entities/perception.ts';
import { SEARCH_SLACK } from '../../entities/reach-limits.ts';

/** Share of a length that rounding may lose. */
const ROUNDING = 4e-6;

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

/**
 * How much nearer any of these markers must come, at least, for the watcher to perceive it: world units, at most `most`. Below 0
 * if one may be perceived now, 0 if nothing is known. `range`: the longest of the watcher's own ranges.
 */
export function leastAwayOf(
  store: EntityStore,
  watcher: number,
  ids: Iterable<EntityId>,
  range: number,
  most: number,
): number {
  const { settings, now } = store;
  const { x, y, z } = now;
  // Then only distances matter.
  const areAlike = settings.rangeShape === 'circle' && !now.isMixed;
  const [atX, atY] = [x[watcher], y[watcher]];
  let least = most;
  for (const id of ids) {
    if (!store.has(id)) continue;
    const marker = id >>> 10;
    if (!areAlike) least = Math.min(least, leastAway(store, watcher, marker, range));
    else if (now.isMarker(marker)) {
      const [dx, dy] = [x[marker] - atX, y[marker] - atY];
      const dz = settings.dimensions === 3 ? z[marker] - z[watcher] : 0;
      const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
      least = Math.min(least, distance - range - (distance + range) * ROUNDING);
    }
    if (least < 0) break;
  }
  return least;
}

/** For one marker; infinite if no movement makes it perceived. */
function leastAway({ settings, now }: EntityStore, watcher: number, marker: number, range: number): number {
  if (!meets(now, watcher, marker)) return Number.POSITIVE_INFINITY;
  const reaches = now.ownRanges.map((_, s) => reachBetween(now, s, watcher, marker, now.ownRanges));
  const reach = Math.max(...reaches);
  if (settings.rangeShape !== 'circle' || reach > range)
    return perceivedSenses(settings, now, watcher, marker, now.ownRanges) === 0 ? 0 : -1;
  const [dx, dy] = [now.x[marker] - now.x[watcher], now.y[marker] - now.y[watcher]];
  const dz = settings.dimensions === 3 ? now.z[marker] - now.z[watcher] : 0;
  const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
  return distance - reach - (distance + reach) * ROUNDING;
}
