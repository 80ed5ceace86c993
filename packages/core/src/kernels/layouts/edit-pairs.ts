/**
 * Applies the edits of rows of pairs; see interest/ways/incremental-rows.ts. The edits of each row are applied last to first, so that
 * the places of the remaining ones stay valid. Each row must have room for all of its edits.
 *
 * Kernel: wasm/edit-pairs.ts. Cost: some 100 ns an edit, for moving the pairs after it in the row.
 */

/** Words of the job: byte offsets into the heap, and counts. Watchers with edits, and where the edits of each end. */
export const WATCHERS = 0;
export const ENDS = 1;
export const WATCHER_COUNT = 2;
/** By edit: its place in the row, with the bit INSERT; the marker that is inserted; the new state, 0 to remove the pair. */
export const PLACES = 3;
export const MARKERS = 4;
export const STATES = 5;
/** By slot: where a row begins, how many pairs it has, and how many of them are margin-held in some sense. */
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

/**
 * Bit of an edit's place: a pair is inserted before that place. Without the bit, the pair is changed, or removed if its new state
 * is 0.
 */
export const INSERT = 0x8000_0000;
