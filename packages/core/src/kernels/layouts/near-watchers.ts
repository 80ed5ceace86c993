/**
 * The job of the kernel that finds the watchers near what is pending: one record of words in the heap, written by
 * interest/grids/near-watchers.ts, read by wasm/near-watchers.ts.
 *
 *   watchers at rest -> cells of a grid for each octave of ranges        found around what is pending
 *   stray watchers   -> a list                                           found always
 *
 * Both sides read this file: AssemblyScript compiles it, TypeScript imports it. Columns are byte offsets.
 */
import { PERCEPTION_WORDS } from './perception.ts';

/** The present state of the world, and the state at the last tick: see layouts/perception.ts. */
export const NOW_STATE = 0;
export const LAST_STATE = PERCEPTION_WORDS;
export const PENDING_SLOTS = 2 * PERCEPTION_WORDS;
export const PENDING_COUNT = PENDING_SLOTS + 1;
/** Grids of watchers: see layouts/seat-search.ts. */
export const GRIDS = PENDING_SLOTS + 2;
export const GRID_COUNT = PENDING_SLOTS + 3;
/** By grid, float32 in pairs: the longest range and the longest margin of its members. */
export const REACHES = PENDING_SLOTS + 4;
export const TABLE = PENDING_SLOTS + 5;
export const ENTRY_SLOT = PENDING_SLOTS + 6;
export const ENTRY_X = PENDING_SLOTS + 7;
export const ENTRY_Y = PENDING_SLOTS + 8;
/** 0 in 2-D. */
export const ENTRY_Z = PENDING_SLOTS + 9;
/** Slots that are found always. */
export const STRAYS = PENDING_SLOTS + 10;
export const STRAY_COUNT = PENDING_SLOTS + 11;
/** A byte for each slot: 0 before and after a call. */
export const MARKS = PENDING_SLOTS + 12;
/** The result: slots, ascending; and scratch for sorting them, of as many words and `SORT_WORDS` more. */
export const NEAR = PENDING_SLOTS + 13;
export const SCRATCH = PENDING_SLOTS + 14;
export const SLOT_COUNT = PENDING_SLOTS + 15;
/** With more visits of entries than this, the search ends: `TOO_MANY`. */
export const MOST_VISITS = PENDING_SLOTS + 16;
/** How much farther than its reach a cell of the contract's granularity goes, float32 by axis; 0 without cells. */
export const WIDER = PENDING_SLOTS + 17;
/** Float32: is added to all margins. */
export const ADDED_MARGIN = PENDING_SLOTS + 20;
export const JOB_WORDS = PENDING_SLOTS + 21;

/** The result if too many entries would be visited. */
export const TOO_MANY = 0xffff_ffff;
