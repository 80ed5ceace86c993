/**
 * The job of the kernel that sorts markers into the cells of an index: one record of words in the heap, written by
 * interest/grids/marker-index.ts.
 *
 *   members   | of the first grid | of the second | ...      slots
 *   entries   sorted by grid, then cell; where each cell begins is in the table
 *
 * Both sides read this file: AssemblyScript compiles it, TypeScript imports it. Columns are byte offsets.
 */

/** Positions by slot; Z is 0 in 2-D. */
export const X = 0;
export const Y = 1;
export const Z = 2;
/** Grids, see layouts/seat-search.ts: the first one to be filled, and how many. */
export const GRIDS = 3;
export const FIRST_GRID = 4;
export const GRID_COUNT = 5;
/** Slots of the members; and scratch of the same length for their cells. */
export const MEMBERS = 6;
export const CELLS = 7;
export const TABLE = 8;
/** Cells of the table that are written: the first, and the one after the last. */
export const FIRST_CELL = 9;
export const END_CELL = 10;
/** The entry at which the first cell begins, and the entries' columns. */
export const FIRST_ENTRY = 11;
export const ENTRY_SLOT = 12;
export const ENTRY_X = 13;
export const ENTRY_Y = 14;
export const ENTRY_Z = 15;
/** By slot, if anything is in a channel. */
export const CHANNELS = 16;
export const JOB_WORDS = 20;
