/**
 * Puts right the entries of those that changed, where everyone stays in cells with gaps, and brings them to rest after the
 * scan: see detectors/sweep/resident-cells.ts for what becomes of whom.
 *
 * In passes over the pending slots, so that many wait for memory at once: first where each was and is, then those that
 * go from cell to cell, then those that stay in theirs; the last lists the entries, which are then sorted, since in the order
 * of memory neighbours find what they read in the cache, and marks them by a bit each. What the first finds out is kept behind the list:
 *
 *   movers | entries, two a slot at most | cell then, and its upper bit for a ghost | cell now | scratch |      NONE: not there
 *
 * A cell without room takes some from the nearest that has any: each cell in between moves on by one, for which one of its
 * entries goes from one end to the other.
 *
 * Kernel: wasm/resident-entries.ts. Cost: some 90 ns a slot in a world that no cache holds.
 */

/** Words that the list needs for so many slots, with what is kept and scratch. */
export function moverWords(slots: number): number {
  return 6 * slots + 2048;
}
