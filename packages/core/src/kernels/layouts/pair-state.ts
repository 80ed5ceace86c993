/** Bits of a pair's state, above the two sense masks: see interest/table/pair-rows.ts. */
export const SEATED = 1 << 16;
/** Reported to the watcher: by seat and mutual consent, or by force. */
export const RELATED = 1 << 17;
export const PINNED = 1 << 18;
export const GROUPED = 1 << 19;
export const SHOWN_ALWAYS = 1 << 20;
/** Related whatever the cap. */
export const FORCED = PINNED | GROUPED | SHOWN_ALWAYS;
/** ASKED: `admit` was called. REFUSED: it returned false. */
export const ASKED = 1 << 21;
export const REFUSED = 1 << 22;
/** Passed every test except the cap; valid within a tick, and for explaining afterwards. */
export const CANDIDATE = 1 << 23;
export const BLOCKED = 1 << 24;
/** Qualifies for a seat, but waits to enter: see interest/seats/enter-budget.ts. */
export const WAITING = 1 << 25;
