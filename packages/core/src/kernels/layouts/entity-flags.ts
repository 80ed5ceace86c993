/** Values in the columns of flags and caps, by slot. */

/** Bits of the flags column. */
export const PRESENT = 1;
export const MARKER = 2;
/** Wants `updated` reports. */
export const UPDATES = 4;
/** `sees` was set, so it no longer follows `layers`. */
export const SEES_SET = 8;
/** A marker that every watcher that meets it relates to. */
export const ALWAYS = 16;
/** Its `watches` is false: it perceives nothing, and its ranges are kept in `restRanges`. */
export const RESTING = 32;
/** In place of MARKER, for a marker that is attached: detectors do not treat it as a marker, see entities/attachments.ts. */
export const CARRIED = 64;
/** In each tick, interests' functions are called for its pairs. */
export const VOLATILE = 128;

/** Value in the column of caps for "no cap". */
export const NO_CAP = 0xffff_ffff;
/** Value for a watcher without a cap of its own: the cap of its interest applies. */
export const CAP_UNSET = 0xffff_fffe;
