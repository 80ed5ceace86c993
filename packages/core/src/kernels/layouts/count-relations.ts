/**
 * Counts on how many each watcher without a row relates to, of the crossings of a tick; see interest/ruled-watchers.ts. Both
 * loops stop at a crossing whose watcher is to be looked at, and go on from behind it.
 *
 * Kernel: wasm/count-relations.ts. Cost: some 1.5 ns a crossing. Whether a pair comes or goes nobody can guess, so no
 * branch asks.
 */

/** Words of the job: byte offsets into the heap, and a count. */
export const CROSSINGS = 0;
export const CROSSING_COUNT = 1;
export const IS_EASY = 2;
/** Words by slot: how many relations; and most that there may be. */
export const RELATIONS = 3;
export const LIMITS = 4;
export const JOB_WORDS = 5;
