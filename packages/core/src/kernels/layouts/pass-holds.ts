/**
 * Reads crossings and margin-held pairs side by side, both in the order of reports, and writes new lists of both: see
 * interest/standing/margin-holds.ts, which has a drawing.
 *
 * Kernel: wasm/pass-holds.ts. Cost: some 10 ns a held pair.
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
/** By slot: what is pending. */
export const PENDING = 12;
/** Written by the kernel: the flags, combined by OR, of the watchers of pairs in OUT that did not cross. */
export const REPORTED_FLAGS = 13;
/** Not 0: entities did more than move, or since the last tick a watcher may have ceased to be derived. */
export const ARE_OTHERS = 14;
/** The state of the world: the words of perception.ts. */
export const STATE = 15;

/** NEXT_HELD and OUT have two words for each held pair and crossing, and this many more: the kernel writes one pair behind the last. */
export const SPARE_WORDS = 2;
