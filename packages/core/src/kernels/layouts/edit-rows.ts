/**
 * Takes those who left out of the rows of relations and puts those in who arrived, in one stream from the first row to the
 * last: see interest/table/row-column.ts for the rows, reports/report-rows.ts for who left and arrived.
 *
 *   before   | gap        | a a a a b b b b (dropped) d d ...
 *   after    | gap | a a a b b x b b d d ...
 *
 * Rows are written where they are read, a little in front, so that a near cache holds both. Whoever is put in makes that
 * distance shorter by a word, whoever is taken out longer; should it become too short, what was not yet read goes to the end of
 * the column and what was written close to it, so that rows have the whole gap before them again. What lies between two changes
 * is copied in one stretch, whosever rows it is.
 *
 *   job    | slots | start | size | column | its end | from | to | left: 4 words | arrived: 4 words | dropped | how many dropped |
 *          | where the first row lies, written here | spare, written by the kernel |
 *   left   | rows | watchers | offsets | markers |
 *
 * Start and size of rows by slot, start of one slot more; where the column of rows begins, and where they may end at most, with
 * room for all that arrive and `LEAST_SHIFT` more; from and to: where the first row lies, and where it comes to lie; by ascending
 * slot whose rows were dropped, so that their size is 0 already. Columns are byte offsets.
 *
 * Kernel: wasm/edit-rows.ts. Cost: a read and a write a relation, some 30 ns a change.
 */

/** Words that rows move forward by at least: the kernel copies 32 at a time, and puts one in. */
export const LEAST_SHIFT = 33;
/** Words behind the last row that kernels may read, and of these the first 48 write: the kernel reads 528 words ahead. */
export const SPARE_WORDS = 640;
export const EDIT_JOB_WORDS = 19;
/** Words of the job. */
export const LEFT_ROWS = 7;
export const ARRIVED_ROWS = 11;
export const DROPPED = 15;
export const FIRST_ROW = 17;
