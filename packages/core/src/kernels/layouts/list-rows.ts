/**
 * Makes the `updated` report from the rows of relations, after the markers that left were removed: see
 * interest/table/row-column.ts for the rows, reports/report-rows.ts for the report.
 *
 * If all entities changed, the rows themselves are the report's markers, and `listRows` writes only the watcher and the offset of
 * each row. Otherwise `listChanged` copies the markers that changed.
 *
 *   job   | slots | start | size | first row | ids | pending | watchers | offsets | markers | listed | listed count | rated |
 *
 * start, size: of rows by slot. ids, pending: ids and pending bits by slot. watchers, offsets, markers: where the report is
 * written, with room for one row and one marker more. listed: for `listChanged`, the slots whose rows may hold a marker that
 * changed, ascending; 0 for all slots. rated: for `listChanged`, the job of report-rated.ts; 0 if no watcher gets updates at rates.
 * Columns are byte offsets.
 *
 * Kernel: wasm/list-rows.ts. Cost: 1 ns a row, some 10 ns where slots without a row come next, however many these are, and if markers
 * are copied 1 ns a relation.
 */

export const LIST_JOB_WORDS = 13;
/** Word of the job: where the report's columns lie. */
export const LIST_COLUMNS = 6;
export const LISTED = 10;
export const LISTED_COUNT = 11;
export const RATED = 12;
