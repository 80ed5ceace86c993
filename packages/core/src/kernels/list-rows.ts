/**
 * Makes the `updated` report of the rows of relations, once who left was taken out: see interest/row-column.ts for the rows,
 * reports/report-rows.ts for the report.
 *
 * Where everybody changed the rows are the report's markers, and `listRows` writes no more than whose they are. Where not,
 * `listChanged` copies those who did.
 *
 *   job   | slots | start | size | first row | ids | pending | watchers | offsets | markers |
 *
 * Start and size of rows by slot; ids and pending bits by slot; where the report is written, with room for a row and a marker
 * more. Columns are byte offsets. Twin: wasm/list-rows.ts. Cost: 1 ns a slot, and where they are copied as much a relation.
 */
import type { HeapViews } from './heap-views.ts';

export const LIST_JOB_WORDS = 10;
/** Word of the job: where the report's columns lie. */
export const LIST_COLUMNS = 6;

/** Bits of the pending column that make a marker worth an update: MOVED and TOUCHED. */
const REPORTED = 4 | 16;

/** Answers how many rows the report has. */
export function listRows({ u32 }: HeapViews, job: number): number {
  const j = job >>> 2;
  const slots = u32[j];
  const startOf = u32[j + 1] >>> 2;
  const sizeOf = u32[j + 2] >>> 2;
  const idOf = u32[j + 4] >>> 2;
  const watchers = u32[j + 6] >>> 2;
  const offsets = u32[j + 7] >>> 2;
  let rows = 0;
  for (let slot = 0; slot < slots; slot++) {
    u32[watchers + rows] = u32[idOf + slot];
    u32[offsets + rows] = u32[startOf + slot];
    if (u32[sizeOf + slot] !== 0) rows++;
  }
  u32[offsets + rows] = u32[startOf + slots];
  return rows;
}

/** Answers how many rows the report has; where the last one ends is how many markers. */
export function listChanged({ u32, u8 }: HeapViews, job: number): number {
  const j = job >>> 2;
  const slots = u32[j];
  const sizeOf = u32[j + 2] >>> 2;
  const idOf = u32[j + 4] >>> 2;
  const pending = u32[j + 5];
  const watchers = u32[j + 6] >>> 2;
  const offsets = u32[j + 7] >>> 2;
  const markers = u32[j + 8] >>> 2;
  let at = u32[j + 3] >>> 2;
  let rows = 0;
  let count = 0;
  for (let slot = 0; slot < slots; slot++) {
    const before = count;
    for (const rowEnd = at + u32[sizeOf + slot]; at < rowEnd; at++) {
      const id = u32[at];
      u32[markers + count] = id;
      if ((u8[pending + (id >>> 10)] & REPORTED) !== 0) count++;
    }
    u32[watchers + rows] = u32[idOf + slot];
    u32[offsets + rows] = before;
    if (count !== before) rows++;
  }
  u32[offsets + rows] = count;
  return rows;
}
