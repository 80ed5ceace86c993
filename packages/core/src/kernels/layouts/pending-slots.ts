/**
 * What happens to the slots with something pending, at a tick's beginning and at its end: see entities/entity-store.ts for
 * the bits.
 *
 * `settlePending` drops what comes to nothing and counts the rest. The list is cut into parts, one a thread, each of which
 * closes up its own gaps; the caller joins them. `endMoves` serves a tick in which nearly all moved and nothing else: it
 * goes by slots, whoever is pending, and streams.
 *
 *   job   | pending | pending slots | now x y z | last x y z | size of a part | -- | found of part 0, 1, ... |
 *   found | kept | added | removed | moved | only moved | changed | touched | -- |
 *
 * Columns are byte offsets; in 2-D those of z are those of y once more, so that loops need no branch. Kernel:
 * wasm/pending-slots.ts. Cost: 1 to 3 ns a slot.
 */

/** Words of a job before what is found, and what is found of a part. */
export const PENDING_JOB_WORDS = 16;
export const FOUND_WORDS = 8;
