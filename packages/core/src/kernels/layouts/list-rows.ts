/**
 * Makes the `updated` report of the rows of relations, once who left was taken out: see interest/table/row-column.ts for the rows,
 * reports/report-rows.ts for the report.
 *
 * Where everybody changed the rows are the report's markers, and `listRows` writes no more than whose they are. Where not,
 * `listChanged` copies those who did.
 *
 *   job   | slots | start | size | first row | ids | pending | watchers | offsets | markers |
 *
 * Start and size of rows by slot; ids and pending bits by slot; where the report is written, with room for a row and a marker
 * more. Columns are byte offsets. Kernel: wasm/list-rows.ts. Cost: 1 ns a slot, and where they are copied as much a relation.
 */

export const LIST_JOB_WORDS = 10;
/** Word of the job: where the report's columns lie. */
export const LIST_COLUMNS = 6;
