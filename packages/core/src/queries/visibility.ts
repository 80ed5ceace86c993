/**
 * Relations as of the last tick. They are read from the rows of watchers that get `updated` events, else computed
 * from the state and the detector's index.
 *
 * Cost: what the detector's index returns for a box of the longest reach in question, plus one test of the definition
 * for each entity in it.
 */
import type { Detector } from '../detectors/detector.ts';
import { boxAround } from '../detectors/reach-box.ts';
import type { EntityId } from '../entities/entity-ids.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { perceivedSenses } from '../entities/perception.ts';
import { SEARCH_SLACK } from '../entities/reach-limits.ts';
import type { InterestBook } from '../interest/rules/interest-book.ts';
import type { Ties } from '../interest/rules/ties.ts';
import type { Seating } from '../interest/seating.ts';
import { EVERY_SENSE, RELATED, sensesOf } from '../interest/table/pair-rows.ts';
import type { RelationRows } from '../interest/table/relation-rows.ts';
import type { FarWatchers } from './far-watchers.ts';
import { IdList } from './id-list.ts';
import type { KeptLists } from './kept-lists.ts';
import { farRowHolders } from './row-holders.ts';

/** The parts of a world from which relations are read: positions, the detector, seats and rows. */
export interface RelationSources {
  readonly store: EntityStore;
  readonly detector: Detector;
  readonly seating: Seating;
  readonly relations: RelationRows;
  readonly interests: InterestBook;
  readonly ties: Ties;
  readonly farWatchers: FarWatchers;
  /** Cached lists of watchers by marker, and of markers by watchers that have no row of any kind. */
  readonly watcherLists: KeptLists;
  readonly markerLists: KeptLists;
  /** Number of pairs related as of the last tick. */
  readonly relationCount: number;
  /** Whether an entity was removed since the last tick. */
  readonly isAnyRemoved: boolean;
  /** Number of ticks done. */
  readonly tickCount: number;
  /** Number of watchers that relate to a marker (a slot), without those removed since; undefined: they are not counted. */
  countedWatchers(marker: number): number | undefined;
}

/**
 * The ids that `watcher` (a slot) relates to, ascending, without those removed since. With `includeRemoved`, all of
 * the last tick. Cost: O(results) if a row is kept.
 */
export function visibleTo(sources: RelationSources, watcher: number, includeRemoved = false): IdList {
  const { store, seating, relations } = sources;
  const row = seating.hasRow(watcher) ? undefined : relations.relationsOf(store, watcher);
  if (row === undefined) return searchVisible(sources, watcher, includeRemoved);
  const found = new IdList();
  for (let i = 0; i < row.length; i++) if (includeRemoved || store.has(row[i])) found.push(row[i]);
  return found;
}

/**
 * Visits the marker of every relation as of the last tick, watcher by watcher, including entities removed since on
 * either side.
 */
export function eachRelation(sources: RelationSources, visit: (marker: EntityId) => void): void {
  const { last, watchers } = sources.store;
  watchers.each((slot) => {
    if (!last.isPresent(slot)) return;
    const markers = visibleTo(sources, slot, true);
    for (let i = 0; i < markers.length; i++) visit(markers.at(i));
  });
}

/**
 * As `visibleTo`, but found without the relation rows: from seats, or by a search of nearby markers. With
 * `includeRemoved`, all of the last tick.
 */
export function searchVisible(sources: RelationSources, watcher: number, includeRemoved = false): IdList {
  const { now, ids } = sources.store;
  const { attached } = sources.seating;
  if (!attached.hasAnyOf(watcher)) return searchOwn(sources, watcher, includeRemoved);
  // What is attached to one that was removed since is related until the next tick.
  const own = searchOwn(sources, watcher, true);
  const slots: number[] = [];
  for (let i = 0; i < own.length; i++) slots.push(own.at(i) >>> 10);
  attached.last.eachFollowed(watcher, attached.last.rootsOf(watcher, slots), (marker) =>
    own.push(ids.idOf[marker]),
  );
  return (includeRemoved ? own : own.filtered((id) => now.isPresent(id >>> 10))).sorted();
}

/**
 * Visits the markers (slots) of the watcher's relations as of the last tick that are stored, including removed ones.
 * Returns false if it relates to others, too: to all that it perceived at the last tick without a margin.
 */
export function storedRelations(
  sources: RelationSources,
  watcher: number,
  visit: (marker: number) => void,
): boolean {
  const { store, seating, relations } = sources;
  const { overrides, holds } = seating.tables;
  const isStored = seating.hasRow(watcher) || relations.relationsOf(store, watcher) !== undefined;
  // What follows from a parent is not stored: it is found with all others.
  if (isStored || overrides.has[watcher] === 1 || seating.attached.hasAnyOf(watcher)) {
    const markers = visibleTo(sources, watcher, true);
    for (let i = 0; i < markers.length; i++) visit(markers.at(i) >>> 10);
    return true;
  }
  holds.eachHeld(watcher, (marker, _senses, exact) => {
    if (exact === 0) visit(marker);
  });
  return !store.last.isWatcher(watcher);
}

/** As `searchVisible`, without markers that it relates to only because of their parents. */
export function searchOwn(sources: RelationSources, watcher: number, includeRemoved = false): IdList {
  const { store, detector, seating } = sources;
  const { last, now, settings, ids } = store;
  const found = new IdList();
  const hasRow = seating.hasRow(watcher);
  const { overrides } = seating.tables;
  if (hasRow || overrides.has[watcher] === 1) {
    const { start, size, marker, state } = seating.tables.pairs;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      if ((state[i] & RELATED) !== 0 && (includeRemoved || now.isPresent(marker[i])))
        found.push(ids.idOf[marker[i]]);
    }
    if (hasRow) return found;
  }
  if (!last.isWatcher(watcher)) return found;
  const test = (marker: number) => {
    if (!includeRemoved && !now.isPresent(marker)) return;
    if (perceivedSenses(settings, last, watcher, marker) === 0) return;
    if (overrides.find(watcher, marker) < 0) found.push(ids.idOf[marker]);
  };
  if (detector.collectPerceived !== undefined) detector.collectPerceived(store, watcher, test);
  else {
    const bounds = boxAround(store, watcher, store.limits.reachOfWatcher(last, watcher));
    detector.collect(store, bounds, test, last.channels.at(watcher));
  }
  seating.tables.holds.eachHeld(watcher, (marker, _senses, exact) => {
    if (exact === 0 && (includeRemoved || now.isPresent(marker))) found.push(ids.idOf[marker]);
  });
  return found.sorted();
}

/**
 * Visits, once each and in no order, the watchers that relate to `marker` (slots), without those removed since. Cost:
 * a search of nearby watchers; for a marker set to `always`, a look into each row.
 */
export function eachWatcherOf(
  sources: RelationSources,
  marker: number,
  visit: (watcher: number) => void,
): void {
  const { now } = sources.store;
  const trees = sources.seating.attached.last;
  if (trees.parentOf(marker) < 0) {
    eachOwnWatcherOf(sources, marker, visit);
    return;
  }
  const candidates = new Set<number>();
  const add = (watcher: number) => candidates.add(watcher);
  for (let slot = marker; slot >= 0; slot = trees.parentOf(slot)) eachOwnWatcherOf(sources, slot, add);
  trees.eachBelow(trees.rootOf(marker), add);
  for (const watcher of candidates)
    if (now.isPresent(watcher) && trees.totalOf(watcher, marker) !== 0) visit(watcher);
}

/**
 * As `eachWatcherOf`, without watchers that relate to the marker only because of its parent. `senses`: those with
 * which the watcher perceives it. `standing`: bits of a pair's state, one of which is enough.
 */
export function eachOwnWatcherOf(
  sources: RelationSources,
  marker: number,
  visit: (watcher: number, senses: number) => void,
  standing = RELATED,
): void {
  const { store, detector, seating, interests, farWatchers } = sources;
  const { last, now, settings, limits } = store;
  const { pairs, overrides, holds } = seating.tables;
  const testRow = (watcher: number) => {
    if (!seating.hasRow(watcher) || !now.isPresent(watcher)) return;
    const i = pairs.find(watcher, marker);
    if (i >= 0 && (pairs.state[i] & standing) !== 0) visit(watcher, sensesOf(pairs.state[i]));
  };
  for (const watcher of overrides.holdersOf(marker)) {
    const { state } = pairs;
    const at = overrides.find(watcher, marker);
    if (now.isPresent(watcher) && (state[at] & standing) !== 0) visit(watcher, sensesOf(state[at]));
  }
  const isAnyRow = seating.watchers.withRow.length > 0;
  const farther = isAnyRow ? farRowHolders(sources, marker) : undefined;
  for (const watcher of farther ?? seating.watchers.withRow) testRow(watcher);
  if (!last.isMarker(marker)) return;
  const margin = interests.settled.reduce((longest, { leaveMargin }) => Math.max(longest, leaveMargin), 0);
  const test = (watcher: number) => {
    if (seating.hasRow(watcher)) {
      if (farther?.has(watcher) === false) testRow(watcher);
      return;
    }
    if (!now.isPresent(watcher) || overrides.find(watcher, marker) >= 0) return;
    const exact = perceivedSenses(settings, last, watcher, marker);
    const senses = margin > 0 ? exact | holds.heldSensesOf(watcher, marker) : exact;
    if (senses !== 0) visit(watcher, senses);
  };
  const { isWorth: areFarListed } = farWatchers;
  if (areFarListed) farWatchers.refresh(store);
  // Detectors ignore searched watchers, so their ranges are in `maxOwnRange` only.
  const longest = isAnyRow ? limits.maxOwnRange : limits.maxRange;
  const reach = limits.reachOfMarker(last, marker, areFarListed ? farWatchers.longestNear : longest);
  const box = boxAround(store, marker, reach + margin * SEARCH_SLACK);
  const listed = areFarListed ? EVERY_SENSE : 0;
  const visits = farWatchers.eachIn(store, detector, box, last.channels.at(marker), listed, test);
  farWatchers.noteVisits(visits, store);
}

/**
 * Whether `watcher` relates to `marker` (slots), and the senses with which it perceives it; 0 if it does not relate.
 */
export function relationOf(
  { store, seating }: RelationSources,
  watcher: number,
  marker: number,
): { isRelated: boolean; senses: number } {
  const { last } = seating.attached;
  const relation = store.last.isCarried(marker)
    ? last.totalOf(watcher, marker)
    : seating.ownRelation(watcher, marker);
  return { isRelated: relation !== 0, senses: relation & 255 };
}

/** The senses of a pair known to be related (slots). With a single sense and no row, no look-up is needed. */
export function sensesOfRelated(sources: RelationSources, watcher: number, marker: number): number {
  const { store, seating } = sources;
  const mayLackSense = seating.hasRow(watcher) || seating.tables.overrides.has[watcher] === 1;
  if (store.settings.senseCount === 1 && !mayLackSense && !store.last.isCarried(marker)) return 1;
  return relationOf(sources, watcher, marker).senses;
}
