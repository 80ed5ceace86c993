/**
 * Reads crossings and margin-held pairs side by side, both in the order of reports, and writes new lists of both: see
 * interest/standing/margin-holds.ts, which has a drawing.
 *
 * Kernel: wasm/pass-holds.ts, which fetches the positions of many pairs before it tests any. Cost: some 8 ns a held pair, some 20
 * for a pair that takes the slow path.
 */
/** Words of the job: byte offsets into the heap, and counts. */
export const CROSSINGS = 0;
export const CROSSING_COUNT = 1;
export const HELD = 2;
export const HELD_COUNT = 3;
export const NEXT_HELD = 4;
export const OUT = 5;
export const IS_DERIVED = 6;
/** Numbers of interests by slot, 0 if all entities have the first interest; and margins by interest, float32. */
export const INTERESTS = 7;
export const MARGINS = 8;
/** Written by the kernel: pairs in NEXT_HELD and OUT, and the number of relations that ended because their watcher is gone. */
export const NEXT_COUNT = 9;
export const OUT_COUNT = 10;
export const LOST = 11;
/** Scratch of the kernel: `placeWordsFor` the slots, if BY_LANES; and BLOCK_WORDS. */
export const PLACES = 12;
export const BLOCK = 13;
/** Not 0: since the last tick, a watcher may have ceased to be derived, or an entity may be gone. */
export const IS_ANY_GONE = 14;
export const SLOT_COUNT = 15;
/** Written by the kernel: the flags, combined by OR, of the watchers of pairs in OUT that did not cross. */
export const REPORTED_FLAGS = 16;
/**
 * Not 0: test four pairs at a time, for many pairs in 2-D with circles. Some pairs are still tested one by one: those whose
 * marker has a gain or a reach of its own, those of which either entity changed, and those that are held in several senses.
 */
export const BY_LANES = 17;
/** Slots of entities that may have ceased to meet others. */
export const CHANGED_SLOTS = 18;
export const CHANGED_COUNT = 19;
/** The state of the world: the words of perception.ts. */
export const STATE = 20;

/** Two a slot. The kernel processes four slots at a time, so it may write up to six words after those of the last slot. */
export function placeWordsFor(slots: number): number {
  return 2 * slots + 6;
}

/**
 * For a block of 1,024 pairs: offsets (two words each), pairs that stay, pairs that end (two words each), ranges; and room after
 * the lists.
 */
export const BLOCK_WORDS = 3 * 2048 + 1024 + 64;
/**
 * NEXT_HELD and OUT have two words for each held pair and crossing, and this many more; OUT has two further words for each
 * crossing. The kernel tests pairs in lists of its own, and each list needs room for eight pairs after its end.
 */
export const SPARE_WORDS = 64;
