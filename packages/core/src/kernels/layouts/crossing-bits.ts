/** Bits of a crossing's low word: see detectors/crossings.ts. */

/** Related at the last tick, or now, without any sense. */
export const SENSELESS_BEFORE = 1 << 16;
export const SENSELESS_AFTER = 1 << 17;
/** Related at the last tick, or now, by a sense or without one. */
export const RELATED_BEFORE = SENSELESS_BEFORE | 0xff;
export const RELATED_AFTER = SENSELESS_AFTER | 0xff00;
/** Must be decided by the definition. */
export const UNVERIFIED = 1 << 19;
