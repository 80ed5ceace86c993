/** Bits of the pending column (dirty flags): what happened to a slot since the last tick. */
export const ADDED = 1;
export const REMOVED = 2;
/** Its position was written. After `settle`: its position differs from that at the last tick. */
export const MOVED = 4;
/** A property that decides perception was changed. */
export const CHANGED = 8;
export const TOUCHED = 16;
/** Its wish for `updated` reports was changed. */
export const UPDATES_CHANGED = 32;
/** A property that decides seats was changed: group, weight, always, cap. */
export const STANDING_CHANGED = 64;
/** It uses another interest. */
export const INTEREST_CHANGED = 128;
