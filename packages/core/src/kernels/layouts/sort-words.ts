/** Sorting words: see ../wasm/sort-words.ts. */

/** Words of scratch, beside one for each that is sorted: how many have each value of a digit. */
export const SORT_WORDS = 2048;
