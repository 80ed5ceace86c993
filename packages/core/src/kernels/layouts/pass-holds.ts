/**
 * Reads crossings and held pairs side by side, both in the order of reports, and writes both anew: see
 * interest/ways/margin-holds.ts, which draws it.
 *
 * Kernel: wasm/pass-holds.ts, which fetches the positions of many pairs before it tests any. Cost: some 8 ns a held pair there, some
 * 20 where the pair is odd.
 */
/** Words of the job: byte offsets into the heap, and counts. */
export const CROSSINGS = 0;
export const CROSSING_COUNT = 1;
export const HELD = 2;
export const HELD_COUNT = 3;
export const NEXT_HELD = 4;
export const OUT = 5;
export const IS_EASY = 6;
/** Of the numbers of interests by slot, 0 while all have the first; and of margins by interest, float32. */
export const INTERESTS = 7;
export const MARGINS = 8;
/** Written by the kernel: pairs in NEXT_HELD and OUT, relations that ended with their watcher. */
export const NEXT_COUNT = 9;
export const OUT_COUNT = 10;
export const LOST = 11;
/** Scratch of the kernel: `placeWordsFor` the slots, where BY_LANES; and BLOCK_WORDS. */
export const PLACES = 12;
export const BLOCK = 13;
/** Not 0: a watcher may have lost its ease since, or anyone be gone. */
export const IS_ANY_GONE = 14;
export const SLOT_COUNT = 15;
/** Written by the kernel: the flags, by OR, of watchers of whom a pair in OUT did not cross. */
export const TOLD_FLAGS = 16;
/**
 * Not 0: four pairs at a time, for many pairs in the plane with circles. Those that are odd are tested by themselves: whose marker has a
 * gain or a reach of its own, of whom either changed, or that are held in several senses.
 */
export const BY_LANES = 17;
/** Slots of those who may meet no more whom they met. */
export const CHANGED_SLOTS = 18;
export const CHANGED_COUNT = 19;
/** The state of the world: the words of perception.ts. */
export const STATE = 20;

/** Two a slot; the kernel goes by four slots, and so up to six beyond the last one's. */
export function placeWordsFor(slots: number): number {
  return 2 * slots + 6;
}

/** Of 1,024 pairs: ways, those that stay, those that go, two words each; ranges; and room behind the lists. */
export const BLOCK_WORDS = 3 * 2048 + 1024 + 64;
/**
 * Words more than two for each held pair and crossing that NEXT_HELD has room for, and OUT, which has two more for each
 * crossing and again: the kernel tests pairs in lists of its own, each with eight pairs behind it.
 */
export const SPARE_WORDS = 64;
