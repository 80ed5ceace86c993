/**
 * Corrects the entries of entities that changed, in the mode in which entries stay in cells with gaps, and resets them after the
 * scan: see detectors/sweep/resident-cells.ts for what happens to an entry in each case.
 *
 * The kernel works in passes over the pending slots, so that many cache misses overlap. The first pass computes the old and the
 * new cell of each entity. The second moves entries from cell to cell. The third lists the entries, whose order is then sorted:
 * in the order of memory, neighbours find what they read in the cache. The last writes the positions and sets a bit for each
 * listed entry. The results of the first pass are kept after the list:
 *
 *   movers | entries, two a slot at most | cell then, and its upper bit for a ghost | cell now | scratch |      NONE: not there
 *
 * The entries of entities that changed in place (wasm/sweep-changed.ts) are listed from the end of the room for entries, downwards.
 *
 * Where at most half as many watch as changed, `listWatchers` lists the entries of all watchers in a place of their own: these are
 * scanned, whether or not they changed, and the other movers are found by their bits. The list of movers is then not sorted.
 *
 * Where far fewer watch, entries may be stale. `putMovers` then lists only ghosts, and sets a bit for each other mover that says that
 * its entry is stale. `listWatchers` clears these bits around each watcher, writes the positions of these entries, and lists those
 * that moved in this tick. `refreshEntries` writes the positions of all stale entries as of the last tick.
 *
 * A full cell takes room from those around it: see wasm/resident-cells.ts.
 *
 * Kernel: wasm/resident-entries.ts. Cost: some 90 ns a slot in a world that no cache holds.
 */
import { SORT_WORDS } from './sort-words.ts';

/** Words that the list needs for so many slots, including the kept cells and scratch. */
export function moverWords(slots: number): number {
  return 6 * slots + SORT_WORDS;
}
