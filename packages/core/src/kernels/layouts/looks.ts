/**
 * When a row must be decided again: when anything in the world changed; in every tick; once, at the next tick; in the tick under way, because
 * `admit` is called again for a pair in it.
 */
export const ON_NEWS = 1;
export const ON_EVERY_TICK = 2;
export const ONCE = 4;
export const ASKED_ANEW = 16;
/** Not when but how: the row has answers of `admit`, or a seat in it lost consent, so all of it is read. */
export const HEAVY = 8;
