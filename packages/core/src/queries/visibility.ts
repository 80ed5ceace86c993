/**
 * Who is related to whom as of the last tick: asked of the state and the detector's index, since most worlds keep no
 * list of relations.
 *
 * Cost: what the detector's index gives for a box of the longest reach that counts, plus one test of the definition
 * for each entity in it.
 */
import type { Bounds } from '../detectors/bounds.ts';
import type { Detector } from '../detectors/detector.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { cellsWithin, perceivedSenses } from '../entities/perception.ts';
import type { WorldSettings } from '../settings.ts';
import { IdList } from './id-list.ts';

/** The ids that `watcher` (a slot) relates to, ascending; those removed since are left out. */
export function visibleTo(
  store: EntityStore,
  detector: Detector,
  watcher: number,
  includeRemoved = false,
): IdList {
  const { last, now, settings } = store;
  const found = new IdList();
  if (!last.isWatcher(watcher)) return found;
  const bounds = boxAround(store, watcher, store.limits.reachOfWatcher(last, watcher));
  detector.collect(store, bounds, (marker) => {
    if (!includeRemoved && !now.isPresent(marker)) return;
    if (perceivedSenses(settings, last, watcher, marker) !== 0) found.push(store.ids.idOf[marker]);
  });
  return found.sorted();
}

/** The ids that relate to `marker` (a slot), ascending; those removed since are left out. */
export function watchersOf(store: EntityStore, detector: Detector, marker: number): IdList {
  const { last, now, settings } = store;
  const found = new IdList();
  if (!last.isMarker(marker)) return found;
  const bounds = boxAround(store, marker, store.limits.reachOfMarker(last, marker));
  detector.collect(store, bounds, (watcher) => {
    if (!now.isPresent(watcher)) return;
    if (perceivedSenses(settings, last, watcher, marker) !== 0) found.push(store.ids.idOf[watcher]);
  });
  return found.sorted();
}

/** The box that holds whatever lies within `reach` of a slot's last position, whatever the range shape. */
function boxAround(store: EntityStore, slot: number, reach: number): Bounds {
  const { last, settings } = store;
  const [halfX, halfY, halfZ] = halfExtents(settings, reach);
  const { dimensions } = settings;
  const z = dimensions === 3 ? last.z[slot] : 0;
  return {
    minX: last.x[slot] - halfX,
    maxX: last.x[slot] + halfX,
    minY: last.y[slot] - halfY,
    maxY: last.y[slot] + halfY,
    minZ: dimensions === 3 ? z - halfZ : Number.NEGATIVE_INFINITY,
    maxZ: dimensions === 3 ? z + halfZ : Number.POSITIVE_INFINITY,
  };
}

function halfExtents(settings: WorldSettings, reach: number): [x: number, y: number, z: number] {
  if (settings.granularity === 'cell') {
    // So many whole cells to each side, and the rest of one's own.
    const sizes = settings.cellSize as readonly [number, number, number];
    return sizes.map((size) => (cellsWithin(settings, reach, size) + 1) * size) as [number, number, number];
  }
  if (settings.rangeShape === 'box')
    return [reach * settings.ratioX, reach * settings.ratioY, reach * settings.ratioZ];
  return [reach, reach, settings.rangeShape === 'cylinder' ? reach * settings.ratioZ : reach];
}
