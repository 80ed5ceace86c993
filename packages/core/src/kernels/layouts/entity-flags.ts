/** What the columns of flags and caps hold of a slot. */

/** Bits of the flags column. */
export const PRESENT = 1;
export const MARKER = 2;
/** Wants `updated` reports. */
export const UPDATES = 4;
/** `sees` was set, so it no longer follows `layers`. */
export const SEES_SET = 8;
/** A marker that every watcher that meets it relates to. */
export const ALWAYS = 16;
/** Its `watches` is false: it perceives nothing, and its ranges stand in `restRanges`. */
export const RESTING = 32;
/** In place of MARKER, of a marker that is attached: detectors take it for none, see entities/attachments.ts. */
export const CARRIED = 64;
/** Interests' functions are asked about its pairs in each tick. */
export const VOLATILE = 128;

/** What the column of caps holds for "no cap". */
export const NO_CAP = 0xffff_ffff;
/** What it holds for a watcher that has none of its own: its interest's counts. */
export const CAP_UNSET = 0xffff_fffe;
