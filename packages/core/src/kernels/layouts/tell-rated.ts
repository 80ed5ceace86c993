/**
 * Lists what watchers with update rates are told in a tick, and notes in their rows that they were; see
 * interest/rules/update-rates.ts.
 *
 * Kernel: wasm/tell-rated.ts. Cost: some 10 ns a pair there, most of it waiting for the marker's place.
 */

/** Words of the job: byte offsets into the heap, and counts. Slots of watchers, ascending. */
export const WATCHERS = 0;
export const WATCHER_COUNT = 1;
/** By slot: where a row of pairs begins, and how many it has. */
export const STARTS = 2;
export const SIZES = 3;
/** By pair. */
export const MARKERS = 4;
export const STATES = 5;
export const REPORTED = 6;
/** By slot: the tick of its last change; places, Z 0 in the plane; ids. */
export const CHANGED_AT = 7;
export const X = 8;
export const Y = 9;
export const Z = 10;
export const IDS = 11;
/** By watcher listed: the index of its rings among the words RINGS, which are how many, then for each its squared radius and ticks. */
export const RINGS_OF = 12;
export const RINGS = 13;
export const TICK = 14;
/** The bits of a state that are looked at, and those of them that a pair told by its ring has. */
export const STATE_MASK = 15;
export const STATE_TOLD = 18;
/** Written by the kernel: ids told, and by watcher listed where they end. */
export const TOLD = 16;
export const ENDS = 17;
export const JOB_WORDS = 19;
