/**
 * Carries out the edits of rows of pairs, the last one of each row first, so that places stay true; see
 * interest/ways/light-rows.ts. Each row has room for all of its edits.
 *
 * Kernel: wasm/edit-pairs.ts. Cost: some 100 ns an edit there, for a copy of what follows it in the row.
 */

/** Words of the job: byte offsets into the heap, and counts. Watchers with edits, and where the edits of each end. */
export const WATCHERS = 0;
export const ENDS = 1;
export const WATCHER_COUNT = 2;
/** By edit: its place in the row with the bit INSERT, the marker put in, the state from then on; 0: it is taken out. */
export const PLACES = 3;
export const MARKERS = 4;
export const STATES = 5;
/** By slot: where a row begins, how many pairs it has, and of how many the margin holds some sense. */
export const STARTS = 6;
export const SIZES = 7;
export const HELD = 8;
/** By pair. */
export const ROW_MARKERS = 9;
export const ROW_STATES = 10;
export const ROW_SINCE = 11;
export const ROW_REPORTED = 12;
export const TICK = 13;
export const JOB_WORDS = 14;

/** Bit of an edit's place: the pair is put in before it; else it is changed, or taken out when its state is 0. */
export const INSERT = 0x8000_0000;
