/**
 * Updates from a tick's crossings how many relations each watcher without a row has; see interest/ruled-watchers.ts. Both loops
 * stop at a crossing whose watcher TypeScript must check, and continue after it.
 *
 * Kernel: wasm/count-relations.ts. Cost: some 1.5 ns a crossing. Whether a pair enters or leaves is unpredictable, so no branch
 * depends on it.
 */

/** Words of the job: byte offsets into the heap, and a count. */
export const CROSSINGS = 0;
export const CROSSING_COUNT = 1;
export const IS_DERIVED = 2;
/** Words by slot: the number of relations, and its limit. */
export const RELATIONS = 3;
export const LIMITS = 4;
export const JOB_WORDS = 5;
