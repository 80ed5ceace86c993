/**
 * Who is related to whom as of the last tick: asked of the rows of those who are told of updates, else of the state and the
 * detector's index.
 *
 * Cost: what the detector's index gives for a box of the longest reach that counts, plus one test of the definition
 * for each entity in it.
 */
import type { Bounds } from '../detectors/bounds.ts';
import type { Detector } from '../detectors/detector.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { cellsWithin, perceivedSenses } from '../entities/perception.ts';
import { RELATED, sensesOf } from '../interest/pair-rows.ts';
import type { RelationRows } from '../interest/relation-rows.ts';
import type { Seating } from '../interest/seating.ts';
import type { WorldSettings } from '../settings.ts';
import { IdList } from './id-list.ts';

/** Who is where, who finds whom, and who has which seat: what relations are asked of. */
export interface RelationSources {
  readonly store: EntityStore;
  readonly detector: Detector;
  readonly seating: Seating;
  readonly relations: RelationRows;
}

/** The ids that `watcher` (a slot) relates to, ascending; those removed since are left out. Cost: O(them) where rows are kept. */
export function visibleTo(sources: RelationSources, watcher: number): IdList {
  const { store, seating, relations } = sources;
  const row = seating.hasRow(watcher) ? undefined : relations.relationsOf(store, watcher);
  if (row === undefined) return searchVisible(sources, watcher);
  const found = new IdList();
  for (let i = 0; i < row.length; i++) if (store.has(row[i])) found.push(row[i]);
  return found;
}

/** The same, found without the rows of relations: from seats, or from who is near. With `includeRemoved`, all of the last tick. */
export function searchVisible(sources: RelationSources, watcher: number, includeRemoved = false): IdList {
  const { store, detector, seating } = sources;
  const { last, now, settings, ids } = store;
  const found = new IdList();
  if (seating.hasRow(watcher)) {
    const { start, size, marker, state } = seating.pairs.take(watcher);
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      if ((state[i] & RELATED) !== 0 && (includeRemoved || now.isPresent(marker[i])))
        found.push(ids.idOf[marker[i]]);
    }
    return found;
  }
  if (!last.isWatcher(watcher)) return found;
  const bounds = boxAround(store, watcher, store.limits.reachOfWatcher(last, watcher));
  detector.collect(store, bounds, (marker) => {
    if (!includeRemoved && !now.isPresent(marker)) return;
    if (perceivedSenses(settings, last, watcher, marker) !== 0) found.push(ids.idOf[marker]);
  });
  seating.holds.eachHeld(watcher, (marker, _senses, exact) => {
    if (exact === 0 && (includeRemoved || now.isPresent(marker))) found.push(ids.idOf[marker]);
  });
  return found.sorted();
}

/**
 * The ids that relate to `marker` (a slot), ascending; those removed since are left out. Cost: a look at who is near, and
 * into the row of each watcher with rules.
 */
export function watchersOf({ store, detector, seating }: RelationSources, marker: number): IdList {
  const { last, now, settings, ids } = store;
  const found = new IdList();
  for (const watcher of seating.withRow) {
    if (!now.isPresent(watcher)) continue;
    const i = seating.pairs.find(watcher, marker);
    if (i >= 0 && (seating.pairs.state[i] & RELATED) !== 0) found.push(ids.idOf[watcher]);
  }
  if (last.isMarker(marker)) {
    const bounds = boxAround(store, marker, store.limits.reachOfMarker(last, marker));
    detector.collect(store, bounds, (watcher) => {
      if (seating.hasRow(watcher) || !now.isPresent(watcher)) return;
      if (perceivedSenses(settings, last, watcher, marker) !== 0) found.push(ids.idOf[watcher]);
    });
    seating.holds.eachHolder(marker, (watcher) => {
      if (now.isPresent(watcher)) found.push(ids.idOf[watcher]);
    });
  }
  return found.sorted();
}

/** Whether `watcher` relates to `marker` (slots), and the senses in which it perceives it; 0 where it does not relate. */
export function relationOf(
  { store, seating }: RelationSources,
  watcher: number,
  marker: number,
): { isRelated: boolean; senses: number } {
  if (!seating.hasRow(watcher)) {
    const exact = perceivedSenses(store.settings, store.last, watcher, marker);
    const senses = exact | seating.holds.heldSensesOf(watcher, marker);
    return { isRelated: senses !== 0, senses };
  }
  const i = seating.pairs.find(watcher, marker);
  if (i < 0 || (seating.pairs.state[i] & RELATED) === 0) return { isRelated: false, senses: 0 };
  return { isRelated: true, senses: sensesOf(seating.pairs.state[i]) };
}

/** The senses of a pair that is known to be related (slots): where there is one sense and no row, there is no question. */
export function sensesOfRelated(sources: RelationSources, watcher: number, marker: number): number {
  const { store, seating } = sources;
  if (store.settings.senseCount === 1 && !seating.hasRow(watcher)) return 1;
  return relationOf(sources, watcher, marker).senses;
}

/** The box that holds whatever lies within `reach` of a slot's last position, whatever the range shape. */
function boxAround({ last, settings }: EntityStore, slot: number, reach: number): Bounds {
  return boxAbout(settings, last.x[slot], last.y[slot], settings.dimensions === 3 ? last.z[slot] : 0, reach);
}

/** The box that holds whatever lies within `reach` of a place, whatever the range shape. */
export function boxAbout(settings: WorldSettings, x: number, y: number, z: number, reach: number): Bounds {
  const [halfX, halfY, halfZ] = halfExtents(settings, reach);
  const isFlat = settings.dimensions === 2;
  return {
    minX: x - halfX,
    maxX: x + halfX,
    minY: y - halfY,
    maxY: y + halfY,
    minZ: isFlat ? Number.NEGATIVE_INFINITY : z - halfZ,
    maxZ: isFlat ? Number.POSITIVE_INFINITY : z + halfZ,
  };
}

/** Half the edges of the box that `reach` spans, per axis. */
export function halfExtents(settings: WorldSettings, reach: number): [x: number, y: number, z: number] {
  if (settings.granularity === 'cell') {
    // So many whole cells to each side, and the rest of one's own.
    const sizes = settings.cellSize as readonly [number, number, number];
    return sizes.map((size) => (cellsWithin(settings, reach, size) + 1) * size) as [number, number, number];
  }
  if (settings.rangeShape === 'box')
    return [reach * settings.ratioX, reach * settings.ratioY, reach * settings.ratioZ];
  return [reach, reach, settings.rangeShape === 'cylinder' ? reach * settings.ratioZ : reach];
}
