/** Sorting words: see ../wasm/sort-words.ts. */

/** Words of scratch, beside one for each that is sorted: how many have each value of a digit. */
export const SORT_WORDS = 2048;

/** What is read of fewer slots fits into a near cache in any order. */
const LEAST_SORTED = 8192;
/** If only one slot in more is read, no two share a cache line, in any order. */
const SLOTS_PER_LINE = 16;

/** Whether to sort the slots of which columns are read: neighbours then share cache lines. */
export function isWorthSorting(count: number, slotCount: number): boolean {
  return count >= LEAST_SORTED && count * SLOTS_PER_LINE >= slotCount;
}
