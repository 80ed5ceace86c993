/**
 * The watchers that relate to a marker as of the last tick: from a kept list (kept-lists.ts), else by a search of
 * nearby watchers.
 *
 * All lists are built at once if all watchers but a few have a row of their relations.
 *
 * Cost: for a list, less than 1 us; for a search, as `eachWatcherOf`.
 */
import { badOption } from '../errors.ts';
import { IdList, idsInto, idsToArray } from './id-list.ts';
import type { EachPair } from './kept-lists.ts';
import { eachWatcherOf, type RelationSources, searchVisible } from './visibility.ts';

/** Maximum number of watchers without a row that are searched when all lists are built. */
const MOST_SEARCHED = 64;

/** The watchers that relate to each of many markers. */
export interface WatcherRows {
  /** One element more than there are rows: row i is `watchers[offsets[i] .. offsets[i + 1])`. */
  readonly offsets: Uint32Array;
  /** Ids, ascending within a row. */
  readonly watchers: Uint32Array;
}

/**
 * The ids that relate to `marker` (a slot), ascending, without those removed since: in `out` if they fit. Throws
 * `BAD_OPTION`.
 */
export function watchersOf(
  sources: RelationSources,
  marker: number,
  out: Uint32Array | undefined,
): Uint32Array {
  return idsToArray(listOf(sources, marker, 1), out);
}

/** As `watchersOf`, but writes as much as fits into `out` and returns how many there are. Throws `BAD_OPTION`. */
export function watchersOfInto(sources: RelationSources, marker: number, out: Uint32Array): number {
  return idsInto(listOf(sources, marker, 1), out);
}

/** Number of watchers that relate to `marker` (a slot), without those removed since. */
export function watcherCount(sources: RelationSources, marker: number): number {
  return sources.countedWatchers(marker) ?? listOf(sources, marker, 1).length;
}

/**
 * `watchersOf` for each of some ids, row by row in their order. Throws `BAD_OPTION`, `BAD_ID`, `STALE_ID` with the
 * index.
 */
export function watchersOfMany(sources: RelationSources, ids: Uint32Array): WatcherRows {
  if (!(ids instanceof Uint32Array)) throw badOption('ids', ids, 'a Uint32Array');
  for (let i = 0; i < ids.length; i++) sources.store.slotOf(ids[i], i);
  const offsets = new Uint32Array(ids.length + 1);
  let watchers = new Uint32Array(8 * ids.length);
  let count = 0;
  for (let i = 0; i < ids.length; i++) {
    const list = listOf(sources, ids[i] >>> 10, ids.length - i);
    if (count + list.length > watchers.length) {
      const longer = new Uint32Array(2 * (count + list.length));
      longer.set(watchers);
      watchers = longer;
    }
    if (list instanceof IdList) for (let k = 0; k < list.length; k++) watchers[count + k] = list.at(k);
    else for (let k = 0; k < list.length; k++) watchers[count + k] = list[k];
    count += list.length;
    offsets[i + 1] = count;
  }
  return { offsets, watchers: watchers.slice(0, count) };
}

/** Throws at the first kept list that differs from the result of a search. For tests. */
export function validateWatcherLists(sources: RelationSources): void {
  sources.watcherLists.validate(sources.tickCount, (slot) =>
    searchWatchers(sources, slot).toArray(undefined),
  );
}

/**
 * A kept list, valid until the next query; or a new list. `questions`: minimum number of queries that follow, this
 * one included.
 */
function listOf(sources: RelationSources, marker: number, questions: number): Uint32Array | IdList {
  const { store, watcherLists } = sources;
  const id = store.ids.idOf[marker];
  if (!watcherLists.has(id) && watcherLists.isTimeToFill(sources.relationCount, questions)) fill(sources);
  if (watcherLists.has(id)) return watcherLists.wordsOf(id);
  const found = searchWatchers(sources, marker);
  watcherLists.keep(id, found);
  return found;
}

/** As `listOf`, but found without kept lists: from seats, or by a search of nearby watchers. */
export function searchWatchers(sources: RelationSources, marker: number): IdList {
  const { ids } = sources.store;
  const found = new IdList();
  eachWatcherOf(sources, marker, (watcher) => found.push(ids.idOf[watcher]));
  return found.sorted();
}

/** Builds all lists, unless too many watchers would have to be searched for that. */
function fill(sources: RelationSources): void {
  const { store, seating, relations } = sources;
  const { last, ids } = store;
  /** Slots of watchers whose relations are in no relation row, ascending. */
  const others: number[] = [];
  let searches = 0;
  store.watchers.each((slot) => {
    if (!last.isPresent(slot) || !(last.isWatcher(slot) || seating.hasPairs(slot))) return;
    if (relations.keeps(store, slot)) return;
    others.push(slot);
    if (!seating.hasRow(slot)) searches++;
  });
  if (searches > MOST_SEARCHED) {
    sources.watcherLists.putOffFill();
    return;
  }
  const listed = others.map((slot) => searchVisible(sources, slot, true).toArray(undefined));
  const each: EachPair = (visit) => {
    relations.each(store, visit);
    for (const [i, slot] of others.entries()) for (const marker of listed[i]) visit(ids.idOf[slot], marker);
  };
  sources.watcherLists.fillAll(each, sources.isAnyRemoved);
}
