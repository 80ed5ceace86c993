/**
 * Who relates to a marker as of the last tick: from a list that is kept (kept-lists.ts), else by a search of who is near.
 *
 * All lists are made at once where all watchers, but for a few, have a row of whom they relate to.
 *
 * Cost: of a list, below 1 us; of a search, as `eachWatcherOf`.
 */
import { badOption } from '../errors.ts';
import { IdList, idsInto, idsToArray } from './id-list.ts';
import type { EachPair } from './kept-lists.ts';
import { eachWatcherOf, type RelationSources, searchVisible } from './visibility.ts';

/** Watchers without a row that are searched when all lists are made. */
const MOST_SEARCHED = 64;

/** Who relates to each of many. */
export interface WatcherRows {
  /** One more than there are rows: row i is `watchers[offsets[i] .. offsets[i + 1])`. */
  readonly offsets: Uint32Array;
  /** Ids, ascending within a row. */
  readonly watchers: Uint32Array;
}

/** The ids that relate to `marker` (a slot), ascending, less those removed since: in `out` where they fit. Throws `BAD_OPTION`. */
export function watchersOf(
  sources: RelationSources,
  marker: number,
  out: Uint32Array | undefined,
): Uint32Array {
  return idsToArray(listOf(sources, marker, 1), out);
}

/** The same, as much as fits, in `out`; answers how many there are. Throws `BAD_OPTION`. */
export function watchersOfInto(sources: RelationSources, marker: number, out: Uint32Array): number {
  return idsInto(listOf(sources, marker, 1), out);
}

/** How many relate to `marker` (a slot), less those removed since. */
export function watcherCount(sources: RelationSources, marker: number): number {
  return listOf(sources, marker, 1).length;
}

/** `watchersOf` for each of some ids, row by row in their order. Throws `BAD_OPTION`, `BAD_ID`, `STALE_ID` with the index. */
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

/** Throws at the first kept list that is not what a search answers. For tests. */
export function validateWatcherLists(sources: RelationSources): void {
  sources.watcherLists.validate(sources.tickCount, (slot) =>
    searchWatchers(sources, slot).toArray(undefined),
  );
}

/** As a list that is kept, valid until the next one is asked for; else as found. `questions`: how many there are at least. */
function listOf(sources: RelationSources, marker: number, questions: number): Uint32Array | IdList {
  const { store, watcherLists } = sources;
  const id = store.ids.idOf[marker];
  if (!watcherLists.has(id) && watcherLists.isTimeToFill(sources.relationCount, questions)) fill(sources);
  if (watcherLists.has(id)) return watcherLists.wordsOf(id);
  const found = searchWatchers(sources, marker);
  watcherLists.keep(id, found);
  return found;
}

/** The same, found without lists: from seats, or from who is near. */
export function searchWatchers(sources: RelationSources, marker: number): IdList {
  const { ids } = sources.store;
  const found = new IdList();
  eachWatcherOf(sources, marker, (watcher) => found.push(ids.idOf[watcher]));
  return found.sorted();
}

/** Makes all lists, where hardly any watcher is to be searched for that. */
function fill(sources: RelationSources): void {
  const { store, seating, relations } = sources;
  const { last, slotCount, ids } = store;
  /** Those whose relations are in no row that is told of updates, ascending. */
  const others: number[] = [];
  let searches = 0;
  for (let slot = 0; slot < slotCount; slot++) {
    if (!last.isPresent(slot) || !(last.isWatcher(slot) || seating.hasPairs(slot))) continue;
    if (relations.keeps(store, slot)) continue;
    others.push(slot);
    if (!seating.hasRow(slot) && ++searches > MOST_SEARCHED) {
      sources.watcherLists.putOffFill();
      return;
    }
  }
  const listed = others.map((slot) => searchVisible(sources, slot, true).toArray(undefined));
  const each: EachPair = (visit) => {
    relations.each(store, visit);
    for (const [i, slot] of others.entries()) for (const marker of listed[i]) visit(ids.idOf[slot], marker);
  };
  sources.watcherLists.fillAll(each, sources.isAnyRemoved);
}
