/**
 * Part of list-rows.ts: which of a row's markers are reported in a tick, where the watcher gets updates at rates; see
 * interest/update-rates.ts. Beside each marker of a row lies the tick in which its watcher last got an update of it.
 *
 * Kernel: wasm/report-rated.ts. Cost: some 4 ns a pair, most of it waiting for the marker's position.
 */

/** Words of the job: byte offsets into the heap, and counts. By slot: 1 for a watcher that gets its updates at rates. */
export const IS_RATED = 0;
/** By element of the column of rows, from the first row on: the tick of the last update, or one of the two values below. */
export const TICKS = 1;
/** By slot: the tick of its last change; numbers of interests, 0 if all entities have the first interest. */
export const CHANGED_AT = 2;
export const INTERESTS = 3;
/** By interest, two words: the index of its first ring, and how many it has, at least one. */
export const RINGS_OF = 4;
/** By ring: the fraction of the longest range at which it ends (float64), and its number of ticks. */
export const FRACTIONS = 5;
export const EVERY_TICKS = 6;
/** Scratch: by ring, the squared distance at which it ends (float32), and the remainder of the tick by its number of ticks. */
export const SQUARES = 7;
export const REMAINDERS = 8;
export const TICK = 9;
/** Written: slots of the watchers that still have a change to report, ascending; their number is the word after it. */
export const OWING = 10;
export const OWING_COUNT = 11;
/** The state of the world: the words of perception.ts, with the ranges that watchers have themselves. */
export const STATE = 12;

/** In place of a tick: the marker is reported in this tick; in this tick, it is not. */
export const DUE_NOW = 0xffff_fffe;
export const NOT_NOW = 0xffff_ffff;
