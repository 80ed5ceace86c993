/**
 * Turns resolved crossings, sorted by watcher and marker, into the report's rows of entered, left and sensed: see
 * detectors/crossings.ts for the words, reports/report-rows.ts for the rows.
 *
 * The crossings are split into parts that are processed independently. The first pass counts the rows and markers of each part.
 * Once it is known where each part begins, the second pass writes the rows. A watcher belongs to the part in which its first
 * crossing lies.
 *
 *   job   | crossings | count | ids by slot | size of a part | -- | part 0 | part 1 | ...
 *   part  | entered | left | sensed | spare | rows, markers of entered, left, sensed, as counted | -- |
 *   kind  | watchers | row offsets | markers | senses | all ones where it has senses, else 0 | rows | markers | watcher |
 *
 * In a kind, `rows` and `markers` are the indexes of the next row and marker, and `watcher` is the slot of the last row. For a
 * kind without senses, senses are written to the part's spare byte: the kind of a crossing is unpredictable, so no branch may
 * depend on it. Parts are far enough apart that no two threads write to one cache line.
 *
 * Columns are byte offsets, and large enough. Kernel: wasm/fill-report.ts. Cost: some 10 ns a crossing, 15 where no cache holds
 * the ids.
 */

/** Words of a job before the parts. */
export const FILL_JOB_HEAD = 16;
export const KIND_WORDS = 8;
export const FILL_PART_WORDS = 64;
/** Of a part: byte offset of the spare byte, word of the first count. */
export const SPARE_BYTE = 3 * KIND_WORDS * 4;
export const COUNTED = 26;
/** Words of a kind. */
export const SENSES_MASK = 4;
export const ROWS = 5;
export const MARKERS = 6;
export const LAST_WATCHER = 7;
/** No slot. */
export const NO_WATCHER = 0xffff_ffff;
