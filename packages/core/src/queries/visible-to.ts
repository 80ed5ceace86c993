/**
 * Whom a watcher relates to as of the last tick: from its row, where it is told of updates or has rules, else from a list that
 * is kept (kept-lists.ts) or by a search of who is near.
 *
 * Cost: of a row or a list, below 1 us and a copy; of a search, as `searchVisible`.
 */
import { type IdList, idsInto, idsToArray } from './id-list.ts';
import { type RelationSources, searchVisible } from './visibility.ts';

/** The ids that `watcher` (a slot) relates to, ascending, less those removed since: in `out` where they fit. Throws `BAD_OPTION`. */
export function visibleToArray(
  sources: RelationSources,
  watcher: number,
  out: Uint32Array | undefined,
): Uint32Array {
  return idsToArray(listOf(sources, watcher), out);
}

/** The same, as much as fits, in `out`; answers how many there are. Throws `BAD_OPTION`. */
export function visibleToInto(sources: RelationSources, watcher: number, out: Uint32Array): number {
  return idsInto(listOf(sources, watcher), out);
}

/** Throws at the first kept list that is not what a search answers. For tests. */
export function validateMarkerLists(sources: RelationSources): void {
  sources.markerLists.validate(sources.tickCount, (slot) => searchVisible(sources, slot).toArray(undefined));
}

/** As a window on a row, valid until the next question; else as found. */
function listOf(sources: RelationSources, watcher: number): Uint32Array | IdList {
  const { store, seating, relations, markerLists, isAnyRemoved } = sources;
  if (seating.hasRow(watcher)) return searchVisible(sources, watcher);
  const row = relations.relationsOf(store, watcher);
  if (row !== undefined) return isAnyRemoved ? row.filter((id) => store.has(id)) : row;
  const id = store.ids.idOf[watcher];
  if (markerLists.has(id)) return markerLists.wordsOf(id);
  const found = searchVisible(sources, watcher);
  markerLists.keep(id, found);
  return found;
}
