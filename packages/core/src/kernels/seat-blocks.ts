/**
 * Decides crowded watchers whose rows are held as bits: those for whom nothing but distance and a bonus decides.
 *
 *   blocks of the tree      | 0: sixteen markers | 1: sixteen markers | ...      leaves, all full but for the last
 *   the group in block 7    near it: blocks 7 3 12 4 ...                          one list for its sixteen watchers
 *   a watcher in 7          0010000000000110 0000000000000001 0000 ...            who is in its row, a bit each, by list
 *
 *   distances   0 ......... stays for certain ......|.... may change: listed ....|......... nobody's business
 *   of the row                                  where seats ended, less a little
 *   of others                                                 where seats ended, and a little more
 *
 * Markers near a group are put into a frame about it, sixteen bits an axis, so that eight distances are tested at once; what
 * is lost to rounding widens what is listed. Only the seven or so listed are ranked as the contract has it, in float32, and
 * held against each other. A seat that changes hands is two bits turned. A list is good until somebody may have come from
 * outside of it, since it reaches somewhat farther than needed and steps are added up; then it is added to.
 *
 * Whoever is not so simple stays `ASKED`, and is seat-crowd.ts's: a row with a free seat or somebody removed, seats that end
 * more than a tenth farther than they did, equal ranks where they end, more than 64 blocks near, piles on one point.
 *
 * Only the WebAssembly kernels hold rows as bits (wasm/seat-blocks.ts, wasm/block-rows.ts): one number at a time, ranks are
 * as fast as steps. Here everybody stays `ASKED`; the seats are the same. Cost: about 0.3 microseconds a watcher with a
 * hundred seats; when the tree is planted anew, as much again for holding the rows in its order.
 */
import * as crowd from './crowd-job.ts';
import type { HeapViews } from './heap-views.ts';

/** Decides the leaves from `from` on; answers the first that found no room for its edits, or how many there are. */
export function seatBlocks(heap: HeapViews, jobOffset: number, _from: number): number {
  return heap.u32[(jobOffset >>> 2) + crowd.LEAF_COUNT];
}

/** Writes the crossings of those that are `TOLD`, by ascending watcher, to `TOLD_WORDS`; answers how many they are. */
export function tellBits(_heap: HeapViews, _jobOffset: number): number {
  return 0;
}

/** Carries out in bits what was decided. */
export function turnBits(_heap: HeapViews, _jobOffset: number): void {
  // Nothing was.
}
