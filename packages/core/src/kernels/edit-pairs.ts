/**
 * Carries out the edits of rows of pairs, the last one of each row first, so that places stay true; see
 * interest/light-rows.ts. Each row has room for all of its edits.
 *
 * Twin: wasm/edit-pairs.ts. Cost: some 100 ns an edit there, for a copy of what follows it in the row.
 */
import type { HeapViews } from './heap-views.ts';

/** Words of the job: byte offsets into the heap, and counts. Watchers with edits, and where the edits of each end. */
export const WATCHERS = 0;
export const ENDS = 1;
export const WATCHER_COUNT = 2;
/** By edit: its place in the row with the bit INSERT, the marker put in, the state from then on; 0: it is taken out. */
export const PLACES = 3;
export const MARKERS = 4;
export const STATES = 5;
/** By slot: where a row begins, how many pairs it has, and of how many the margin holds some sense. */
export const STARTS = 6;
export const SIZES = 7;
export const HELD = 8;
/** By pair. */
export const ROW_MARKERS = 9;
export const ROW_STATES = 10;
export const ROW_SINCE = 11;
export const ROW_REPORTED = 12;
export const TICK = 13;
export const JOB_WORDS = 14;

/** Bit of an edit's place: the pair is put in before it; else it is changed, or taken out when its state is 0. */
export const INSERT = 0x8000_0000;

export function editPairs({ u32 }: HeapViews, jobOffset: number): void {
  const job = jobOffset >>> 2;
  const at = (word: number) => u32[job + word] >>> 2;
  const [watchers, ends, places, markers, states] = [WATCHERS, ENDS, PLACES, MARKERS, STATES].map(at);
  const [starts, sizes, held] = [STARTS, SIZES, HELD].map(at);
  const columns = [ROW_MARKERS, ROW_STATES, ROW_SINCE, ROW_REPORTED].map(at);
  const [rowMarkers, rowStates, rowSince, rowReported] = columns;
  const tick = u32[job + TICK];
  let first = 0;
  for (let w = 0; w < u32[job + WATCHER_COUNT]; w++) {
    const watcher = u32[watchers + w];
    const end = u32[ends + w];
    const begin = u32[starts + watcher];
    let rowEnd = begin + u32[sizes + watcher];
    let heldCount = u32[held + watcher];
    for (let e = end - 1; e >= first; e--) {
      const place = u32[places + e];
      const pair = begin + (place & ~INSERT);
      const after = u32[states + e];
      if (place >= INSERT) {
        for (const column of columns) u32.copyWithin(column + pair + 1, column + pair, column + rowEnd);
        rowEnd++;
        u32[rowMarkers + pair] = u32[markers + e];
        u32[rowSince + pair] = tick;
        u32[rowReported + pair] = tick;
        u32[rowStates + pair] = after;
      } else {
        if (isHeld(u32[rowStates + pair])) heldCount--;
        if (after === 0) {
          for (const column of columns) u32.copyWithin(column + pair, column + pair + 1, column + rowEnd);
          rowEnd--;
        } else u32[rowStates + pair] = after;
      }
      if (isHeld(after)) heldCount++;
    }
    u32[sizes + watcher] = rowEnd - begin;
    u32[held + watcher] = heldCount;
    first = end;
  }
}

/** Whether the senses with margin are others than those without. */
function isHeld(state: number): boolean {
  return (state & 255) !== ((state >>> 8) & 255);
}
