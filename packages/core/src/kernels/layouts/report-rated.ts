/**
 * Lists the updates that watchers with update rates get in a tick, and stores in their rows that they were reported; see
 * interest/update-rates.ts.
 *
 * Kernel: wasm/report-rated.ts. Cost: some 10 ns a pair, most of it waiting for the marker's position.
 */

/** Words of the job: byte offsets into the heap, and counts. Slots of watchers, ascending. */
export const WATCHERS = 0;
export const WATCHER_COUNT = 1;
/** By slot: where a row of pairs begins, and how many pairs it has. */
export const STARTS = 2;
export const SIZES = 3;
/** By pair. */
export const MARKERS = 4;
export const STATES = 5;
export const REPORTED = 6;
/** By slot: the tick of its last change; positions, Z is 0 in 2-D; ids. */
export const CHANGED_AT = 7;
export const X = 8;
export const Y = 9;
export const Z = 10;
export const IDS = 11;
/**
 * By listed watcher: the index of its rings in the words RINGS. There: the number of rings, then the squared radius and the ticks
 * of each.
 */
export const RINGS_OF = 12;
export const RINGS = 13;
export const TICK = 14;
/** The bits of a state that are compared, and the value of these bits in a pair that is reported by its ring. */
export const STATE_MASK = 15;
export const STATE_REPORTED = 18;
/** Written by the kernel: ids of reported markers, and by listed watcher where its ids end. */
export const DUE = 16;
export const ENDS = 17;
/** Written: slots of the watchers that still have a change to report, ascending; their number is the word after it. */
export const OWING = 19;
export const OWING_COUNT = 20;
export const JOB_WORDS = 21;
