/**
 * Carries out what seat-crowd.ts decided: in each row, each pair that comes takes the place of one that goes, and what lies
 * between the two moves up or down.
 *
 *   row    a  b  c  d  e        b goes, p comes before e:   a  c  d  p  e
 *
 * Rows keep their size, and of their columns only those are moved that say something: states where they are not all alike,
 * ages where there is dwell, the ticks at which a pair was told of where there are rates.
 *
 * Twin: wasm/seat-edits.ts. Cost: a look at the row and a short move for each pair that comes.
 */
import * as crowd from './crowd-job.ts';
import { ruleOf } from './crowd-watcher.ts';
import type { HeapViews } from './heap-views.ts';

/** Bits of a crossing's low word; see detectors/crossings.ts. */
const RELATED_BEFORE = 0x100ff;

export function seatEdits(heap: HeapViews, jobOffset: number): void {
  const { u32, f32 } = heap;
  const job = jobOffset >>> 2;
  for (let i = 0; i < u32[job + crowd.EDITED_COUNT]; i++) {
    const watcher = u32[(u32[job + crowd.EDITED] >>> 2) + i];
    const rule = ruleOf(heap, job, watcher);
    const bits = u32[rule + crowd.RULE_BITS];
    const keepsStates =
      u32[job + crowd.SENSE_COUNT] > 1 || (bits & crowd.MAY_FORCE) !== 0 || f32[rule + crowd.RULE_MARGIN] > 0;
    const columns = [
      keepsStates ? crowd.PAIR_STATE : 0,
      u32[rule + crowd.RULE_DWELL] > 0 ? crowd.PAIR_SINCE : 0,
      (bits & crowd.KEEPS_REPORTED) !== 0 ? crowd.PAIR_REPORTED : 0,
    ];
    editRow(u32, job, watcher, columns);
  }
}

function editRow(u32: Uint32Array, job: number, watcher: number, columns: readonly number[]): void {
  const edits = u32[job + crowd.EDITS] >>> 2;
  const start = u32[(u32[job + crowd.PAIR_START] >>> 2) + watcher];
  const end = start + u32[(u32[job + crowd.PAIR_SIZE] >>> 2) + watcher];
  const markers = u32[job + crowd.PAIR_MARKER] >>> 2;
  const tick = u32[job + crowd.TICK];
  const first = u32[(u32[job + crowd.FIRST_EDIT] >>> 2) + watcher];
  const last = u32[(u32[job + crowd.EDIT_END] >>> 2) + watcher];
  let coming = first;
  for (let i = first; i < last; i++) {
    const at = edits + crowd.EDIT_WORDS * i;
    const state = u32[at + 2];
    const place = placeOf(u32, markers, start, end, markerOf(u32, at));
    if (state !== 0) {
      if ((u32[at] & RELATED_BEFORE) !== 0) u32[(u32[job + crowd.PAIR_STATE] >>> 2) + place] = state;
      continue;
    }
    while ((u32[edits + crowd.EDIT_WORDS * coming] & RELATED_BEFORE) !== 0) coming++;
    const comingAt = edits + crowd.EDIT_WORDS * coming++;
    const marker = markerOf(u32, comingAt);
    let to = placeOf(u32, markers, start, end, marker);
    if (to > place) to--;
    shift(u32, markers, place, to, marker);
    const values = [u32[comingAt + 2], tick, tick];
    columns.forEach((column, c) => {
      if (column !== 0) shift(u32, u32[job + column] >>> 2, place, to, values[c]);
    });
  }
}

function markerOf(u32: Uint32Array, at: number): number {
  return ((u32[at + 1] & 1023) << 12) | (u32[at] >>> 20);
}

/** The first place of a row whose marker is not below this one. */
function placeOf(u32: Uint32Array, markers: number, start: number, end: number, marker: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (u32[markers + middle] < marker) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Takes out what is at `from`, and puts `value` in so that it comes to lie at `to`. */
function shift(u32: Uint32Array, column: number, from: number, to: number, value: number): void {
  if (from < to) u32.copyWithin(column + from, column + from + 1, column + to + 1);
  else u32.copyWithin(column + to + 1, column + to, column + from);
  u32[column + to] = value;
}
