/**
 * The markers that a watcher relates to as of the last tick: from its row, if it gets `updated` events or has rules;
 * else from a kept list (kept-lists.ts) or by a search of nearby markers.
 *
 * Cost: for a row or a list, less than 1 us and a copy; for a search, as `searchVisible`.
 */
import { type IdList, idsInto, idsToArray } from './id-list.ts';
import { type RelationSources, searchVisible } from './visibility.ts';

/**
 * The ids that `watcher` (a slot) relates to, ascending, without those removed since: in `out` if they fit. Throws
 * `BAD_OPTION`.
 */
export function visibleToArray(
  sources: RelationSources,
  watcher: number,
  out: Uint32Array | undefined,
): Uint32Array {
  return idsToArray(listOf(sources, watcher), out);
}

/** As `visibleToArray`, but writes as much as fits into `out` and returns how many there are. Throws `BAD_OPTION`. */
export function visibleToInto(sources: RelationSources, watcher: number, out: Uint32Array): number {
  return idsInto(listOf(sources, watcher), out);
}

/** Throws at the first kept list that differs from the result of a search. For tests. */
export function validateMarkerLists(sources: RelationSources): void {
  sources.markerLists.validate(sources.tickCount, (slot) => searchVisible(sources, slot).toArray(undefined));
}

/** A window on a row, valid until the next query; or a list. */
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
