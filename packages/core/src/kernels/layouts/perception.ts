/**
 * What decides which watcher perceives which marker in one state of the world: words that are part of a kernel's job.
 *
 * Written by entities/perception-words.ts, read by kernels/wasm/perception.ts. Offsets are bytes into the heap; 0 means "no such
 * column": every slot then has the default. All columns are by slot.
 */

export const X = 0;
export const Y = 1;
/** 0 in 2-D. */
export const Z = 2;
export const FLAGS = 3;
export const LAYERS = 4;
export const SEES = 5;
export const CHANNELS = 6;
/** Conditions of markers, and the ids. */
export const NEEDS = 7;
export const ONLY = 8;
export const ONLY_GROUPS = 9;
export const IDS = 10;
export const SENSE_COUNT = 11;
export const DIMENSIONS = 12;
/** One of the shapes below; ratios are float32. */
export const SHAPE = 13;
export const RATIO_X = 14;
export const RATIO_Y = 15;
export const RATIO_Z = 16;
/** One word for each group kind. */
export const GROUPS = 17;
/** One word for each sense. */
export const RANGES = 21;
export const GAINS = 29;
export const MIN_REACHES = 37;
export const MAX_REACHES = 45;
export const PERCEPTION_WORDS = 53;

export const CIRCLE = 0;
export const BOX = 1;
export const CYLINDER = 2;
