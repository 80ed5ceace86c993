/**
 * Takes those who left out of the rows of relations and puts those in who arrived, in one stream from the first row to the
 * last: see interest/row-column.ts for the rows, reports/report-rows.ts for who left and arrived.
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
 *          | where the first row lies, written here | spare, written by the twin |
 *   left   | rows | watchers | offsets | markers |
 *
 * Start and size of rows by slot, start of one slot more; where the column of rows begins, and where they may end at most, with
 * room for all that arrive and `LEAST_SHIFT` more; from and to: where the first row lies, and where it comes to lie; by ascending
 * slot whose rows were dropped, so that their size is 0 already. Columns are byte offsets.
 *
 * Twin: wasm/edit-rows.ts. Cost: a read and a write a relation, some 30 ns a change.
 */
import type { HeapViews } from './heap-views.ts';

/** Words that rows move forward by at least: the twin copies 32 at a time, and puts one in. */
export const LEAST_SHIFT = 33;
/** Words behind the last row that kernels may read, and of these the first 48 write: the twin reads 528 words ahead. */
export const SPARE_WORDS = 640;
export const EDIT_JOB_WORDS = 19;
/** Words of the job. */
export const LEFT_ROWS = 7;
export const ARRIVED_ROWS = 11;
export const DROPPED = 15;
export const FIRST_ROW = 17;

/** Above every slot and every id. */
const NONE = 0xffff_ffff;

/** Answers how many words the rows have. */
export function editRows({ u32 }: HeapViews, job: number): number {
  const j = job >>> 2;
  const startOf = u32[j + 1] >>> 2;
  const sizeOf = u32[j + 2] >>> 2;
  const slots = u32[j];
  const leftOffsets = u32[j + LEFT_ROWS + 2] >>> 2;
  const leftMarkers = u32[j + LEFT_ROWS + 3] >>> 2;
  const arrivedOffsets = u32[j + ARRIVED_ROWS + 2] >>> 2;
  const arrivedMarkers = u32[j + ARRIVED_ROWS + 3] >>> 2;
  const lastArrived = u32[arrivedOffsets + u32[j + ARRIVED_ROWS]];
  const dropped = u32[j + DROPPED] >>> 2;
  const droppedEnd = dropped + u32[j + DROPPED + 1];
  let hole = dropped;
  // Where what is not yet read is, seen from its first row; where what is written is.
  let first = u32[j + 5] >>> 2;
  let begin = u32[j + 6] >>> 2;
  let from = first;
  let to = begin;
  let leftRow = 0;
  let arrivedRow = 0;
  for (;;) {
    const leaves = slotAt(u32, j + LEFT_ROWS, leftRow);
    const arrives = slotAt(u32, j + ARRIVED_ROWS, arrivedRow);
    const slot = Math.min(leaves, arrives);
    for (; hole < droppedEnd && u32[hole] < slot; hole++) {
      const at = first + u32[startOf + u32[hole]];
      u32.copyWithin(to, from, at);
      to += at - from;
      from = first + u32[startOf + u32[hole] + 1];
    }
    if (slot === NONE) break;
    const most =
      arrives === slot ? u32[arrivedOffsets + arrivedRow + 1] - u32[arrivedOffsets + arrivedRow] : 0;
    if (from - to < LEAST_SHIFT + most) {
      const end = first + u32[startOf + slots];
      const moved = (u32[j + 4] >>> 2) - end;
      u32.copyWithin(from + moved, from, end);
      first += moved;
      from += moved;
      const written = to - begin;
      const arriving = lastArrived - u32[arrivedOffsets + arrivedRow];
      to = Math.max((u32[j + 3] >>> 2) + written, from - LEAST_SHIFT - arriving);
      u32.copyWithin(to - written, begin, begin + written);
      begin = to - written;
    }
    let at = first + u32[startOf + slot];
    const rowEnd = at + u32[sizeOf + slot];
    let left = u32[leftOffsets + leftRow];
    let arrived = u32[arrivedOffsets + arrivedRow];
    if (leaves === slot) leftRow++;
    if (arrives === slot) arrivedRow++;
    const leftEnd = u32[leftOffsets + leftRow];
    const arrivedEnd = u32[arrivedOffsets + arrivedRow];
    while (left < leftEnd || arrived < arrivedEnd) {
      const leaving = left < leftEnd ? u32[leftMarkers + left] : NONE;
      const arriving = arrived < arrivedEnd ? u32[arrivedMarkers + arrived] : NONE;
      const id = Math.min(leaving, arriving);
      at = firstFrom(u32, at, rowEnd, id);
      // A row of a forged snapshot may lack who leaves, or have who arrives; who arrives and leaves at once never was in it.
      const isThere = at < rowEnd && u32[at] === id;
      u32.copyWithin(to, from, at);
      to += at - from;
      if (leaving === id) {
        if (isThere) u32[sizeOf + slot]--;
        if (isThere) at++;
        left++;
      } else if (!isThere) {
        u32[to++] = id;
        u32[sizeOf + slot]++;
      }
      if (arriving === id) arrived++;
      from = at;
    }
  }
  u32.copyWithin(to, from, first + u32[startOf + slots]);
  u32[j + FIRST_ROW] = 4 * begin;
  return chainRows(u32, startOf, sizeOf, slots);
}

/** The slot of a row of a report, or `NONE` behind the last. */
function slotAt(u32: Uint32Array, rows: number, row: number): number {
  return row < u32[rows] ? u32[(u32[rows + 1] >>> 2) + row] >>> 10 : NONE;
}

/** Sets the starts of rows, one after the other. Answers where the last one ends. */
function chainRows(u32: Uint32Array, startOf: number, sizeOf: number, slots: number): number {
  let at = 0;
  for (let slot = 0; slot < slots; slot++) {
    u32[startOf + slot] = at;
    at += u32[sizeOf + slot];
  }
  u32[startOf + slots] = at;
  return at;
}

/** The first place in ascending words from `low` to `high` with no less than `least`. */
function firstFrom(u32: Uint32Array, low: number, high: number, least: number): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (u32[middle] < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
