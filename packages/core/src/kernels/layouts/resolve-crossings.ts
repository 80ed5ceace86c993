/**
 * Sorts crossings (see detectors/crossings.ts for the words) by watcher, then marker. Merges the parts in which a pair was
 * reported into one crossing, and drops crossings without a change and crossings of watchers that are gone.
 *
 * Sorting all crossings at once would write to scattered memory in each pass. So crossings are first put into buckets of
 * neighbouring watchers. Adjacent buckets form a group that fits into a near cache, and each group is processed by one thread.
 *
 *   words    | as they were found .............. |     countCrossings, by part and bucket; placeCrossings
 *   scratch  | bucket 0 | bucket 1 | bucket 2 .. |     resolveCrossings, by group: a radix sort to and fro, then what is kept
 *   words    | group 0, gap | group 1, gap | ..  |
 *
 * If there are few crossings, they are one group from the beginning, and stay in `words`.
 *
 *   job    | words | scratch | where groups are: either of both | slots | size of a part | shift to the bucket | buckets |
 *          | counts of part 0, 1, ... | groups | flags by slot | -- | counts of digits
 *   group  | begin | end | first watcher | bits of a watcher less the first | kept | lost | unverified | flags |
 *
 * `lost`: changes of watchers that are gone. Unverified crossings are all kept. `flags`: of all watchers of verified changes,
 * combined by OR. Columns are byte offsets. Each thread has a job of its own, because it counts digits there.
 *
 * Kernel: wasm/resolve-crossings.ts. Cost: some 10 ns a crossing.
 */

/** Most bits of a digit; a pair has four digits. */
export const DIGIT_BITS = 11;
const BUCKETS = 1 << DIGIT_BITS;
/** Words of a job before the counts of digits. */
export const RESOLVE_JOB_HEAD = 16;
export const RESOLVE_JOB_WORDS = RESOLVE_JOB_HEAD + 4 * BUCKETS;
export const GROUP_WORDS = 8;
