/** Why a row is looked at again: there was any change in the world; in any tick at all; once, at the next tick. */
export const ON_NEWS = 1;
export const ON_EVERY_TICK = 2;
export const ONCE = 4;
/** Not why, but how: the row has overrides, so that light-rows.ts cannot decide it. */
export const HEAVY = 8;
