/**
 * Removes markers that left from the rows of relations and inserts those that entered, in one pass from the first row to the
 * last. See interest/table/row-column.ts for the rows, and reports/report-rows.ts for the lists of entered and left markers.
 *
 *   before   | gap        | a a a a b b b b (dropped) d d ...
 *   after    | gap | a a a b b x b b d d ...
 *
 * Rows are written a little in front of where they are read, so that a near cache holds both places. Each insertion makes the
 * distance between the two a word shorter, each removal a word longer. If the distance becomes too short, the unread rows are
 * moved to the end of the column and the written rows are moved close to them, so that the whole gap is in front of the rows
 * again. The words between two changes are copied at once, whichever rows they belong to.
 *
 *   job    | slots | start | size | column | its end | from | to | left: 4 words | arrived: 4 words | dropped | how many dropped |
 *          | where the first row lies, written here | ticks | tick |
 *   left   | rows | watchers | offsets | markers |
 *
 * start, size: of rows by slot; `start` has one slot more. column, its end: where the column of rows begins, and the end up to
 * which rows may lie, with room for all entered markers and `LEAST_SHIFT` more. from, to: where the first row lies now, and where
 * it is written. dropped: slots whose rows were dropped, ascending; their size is already 0. Columns are byte offsets. ticks: how
 * many bytes behind each word its tick lies, modulo 2^32, in a column that is edited along with the rows; 0 if there is none. tick: that
 * of the words that are inserted.
 *
 * Kernel: wasm/edit-rows.ts. Cost: a read and a write for each relation, some 30 ns for each change.
 */

/** Least number of words by which rows move forward: the kernel copies 32 at a time, and inserts one. */
export const LEAST_SHIFT = 33;
/** Words after the last row that kernels may read and write: the kernel copies 32 at a time, and compares 48. */
export const SPARE_WORDS = 48;
export const EDIT_JOB_WORDS = 20;
/** Words of the job. */
export const LEFT_ROWS = 7;
export const ARRIVED_ROWS = 11;
export const DROPPED = 15;
export const FIRST_ROW = 17;
export const TICKS_BEHIND = 18;
export const INSERTED_TICK = 19;
