/**
 * Puts crossings (see detectors/crossings.ts for the words) in order by watcher, then marker; makes one of what was reported
 * of a pair in parts, and drops what is no change and watchers that are gone.
 *
 * A sort of all at once would write all over memory in each of its passes. So crossings are first put into buckets, each
 * of neighbouring watchers; buckets that are neighbours make up a group, which a near cache holds, and a thread has each
 * group to itself.
 *
 *   words    | as they were found .............. |     countCrossings, by part and bucket; placeCrossings
 *   scratch  | bucket 0 | bucket 1 | bucket 2 .. |     resolveCrossings, by group: a radix sort to and fro, then what is kept
 *   words    | group 0, gap | group 1, gap | ..  |
 *
 * Few of them are one group from the beginning, and stay in `words`.
 *
 *   job    | words | scratch | where groups are: either of both | slots | size of a part | shift to the bucket | buckets |
 *          | counts of part 0, 1, ... | groups | flags by slot | -- | counts of digits
 *   group  | begin | end | first watcher | bits of a watcher less the first | kept | lost | unverified | flags |
 *
 * `lost`: changes of watchers that are gone. Of the unverified ones all are kept. `flags`: of all watchers of verified
 * changes, by OR. Columns are byte offsets. Each thread has a job of its own, since it counts digits there.
 *
 * Kernel: wasm/resolve-crossings.ts. Cost: some 10 ns a crossing.
 */

/** A digit is of so many bits at most; there are four of them in a pair. */
export const DIGIT_BITS = 11;
const BUCKETS = 1 << DIGIT_BITS;
/** Words of a job before the counts of digits. */
export const RESOLVE_JOB_HEAD = 16;
export const RESOLVE_JOB_WORDS = RESOLVE_JOB_HEAD + 4 * BUCKETS;
export const GROUP_WORDS = 8;
