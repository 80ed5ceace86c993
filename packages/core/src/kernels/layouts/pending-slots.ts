/**
 * Processes the slots with pending changes at the beginning and at the end of a tick: see entities/entity-store.ts for the bits.
 *
 * `settlePending` drops changes that cancel out, and counts the rest. The list is split into parts, one for each thread; each
 * part closes its own gaps, and the caller joins the parts. `endMoves` is for a tick in which nearly all entities moved and
 * nothing else happened: it copies whole ranges of slots, pending or not, as sequential streams.
 *
 *   job   | pending | pending slots | now x y z | last x y z | size of a part | -- | found of part 0, 1, ... |
 *   found | kept | added | removed | moved | only moved | changed | touched | -- |
 *
 * Columns are byte offsets. In 2-D the columns of z are those of y once more, so that loops need no branch. Kernel:
 * wasm/pending-slots.ts. Cost: 1 to 3 ns a slot.
 */

/** Words of a job before the results, and words of one part's results. */
export const PENDING_JOB_WORDS = 16;
export const FOUND_WORDS = 8;
