/**
 * Turns resolved crossings, sorted by watcher and marker, into the rows of entered, left and sensed: see
 * detectors/crossings.ts for the words, reports/report-rows.ts for the rows.
 *
 * In parts, each by itself: first how many rows and markers each part has, then, when it is known where each begins, the
 * rows. A watcher is of the part in which its first crossing lies.
 *
 *   job   | crossings | count | ids by slot | size of a part | -- | part 0 | part 1 | ...
 *   part  | entered | left | sensed | spare | rows, markers of entered, left, sensed, as counted | -- |
 *   kind  | watchers | row offsets | markers | senses | all ones where it has senses, else 0 | rows | markers | watcher |
 *
 * Of a kind rows and markers are where the next goes, and the watcher is the slot of the last row's. Where a kind has no
 * senses they are written to the part's spare byte: which kind a crossing is of nobody can guess, so nothing may branch by
 * it. A part lies far enough from the next that no two threads write to one cache line.
 *
 * Columns are byte offsets; room was made. Twin: wasm/fill-report.ts. Cost: some 10 ns a crossing, 15 where no cache holds the ids.
 */
import type { HeapViews } from './heap-views.ts';

/** Words of a job before the parts. */
export const FILL_JOB_HEAD = 16;
export const KIND_WORDS = 8;
export const FILL_PART_WORDS = 64;
/** Of a part: byte offset of the spare byte, word of the first count. */
export const SPARE_BYTE = 3 * KIND_WORDS * 4;
export const COUNTED = 26;
/** Of a kind. */
export const SENSES_MASK = 4;
export const ROWS = 5;
export const MARKERS = 6;
export const LAST_WATCHER = 7;
/** No slot. */
export const NO_WATCHER = 0xffff_ffff;

/** Bits of a crossing's low word. */
const RELATED_BEFORE = 0x100ff;
const RELATED_AFTER = 0x2ff00;

/** Counts rows and markers of the part `from` to `to`. */
export function countReport({ u32 }: HeapViews, job: number, from: number, to: number): number {
  const j = job >>> 2;
  const words = u32[j] >>> 2;
  const part = partOf(u32, j, from);
  for (let kind = 0; kind < 3; kind++) {
    u32[part + COUNTED + 2 * kind] = 0;
    u32[part + COUNTED + 2 * kind + 1] = 0;
    u32[part + kind * KIND_WORDS + LAST_WATCHER] = NO_WATCHER;
  }
  const end = rowBegin(u32, j, to);
  for (let i = rowBegin(u32, j, from); i < end; i++) {
    const watcher = u32[words + 2 * i + 1] >>> 10;
    const kind = kindOf(u32[words + 2 * i]);
    const last = part + kind * KIND_WORDS + LAST_WATCHER;
    if (u32[last] !== watcher) u32[part + COUNTED + 2 * kind]++;
    u32[last] = watcher;
    u32[part + COUNTED + 2 * kind + 1]++;
  }
  return to;
}

/** Fills the rows of the part `from` to `to`; the words of its kinds were written. */
export function fillReport({ u32, u8 }: HeapViews, job: number, from: number, to: number): number {
  const j = job >>> 2;
  const words = u32[j] >>> 2;
  const idOf = u32[j + 2] >>> 2;
  const part = partOf(u32, j, from);
  const end = rowBegin(u32, j, to);
  for (let i = rowBegin(u32, j, from); i < end; i++) {
    const low = u32[words + 2 * i];
    const high = u32[words + 2 * i + 1];
    const watcher = high >>> 10;
    const k = part + kindOf(low) * KIND_WORDS;
    if (u32[k + LAST_WATCHER] !== watcher) u32[(u32[k] >>> 2) + u32[k + ROWS]++] = u32[idOf + watcher];
    u32[k + LAST_WATCHER] = watcher;
    const at = u32[k + MARKERS]++;
    u32[(u32[k + 2] >>> 2) + at] = u32[idOf + (((high & 1023) << 12) | (low >>> 20))];
    u8[u32[k + 3] + (at & u32[k + SENSES_MASK])] = (low >>> 8) & 255;
    u32[(u32[k + 1] >>> 2) + u32[k + ROWS]] = at + 1;
  }
  return to;
}

function partOf(u32: Uint32Array, j: number, from: number): number {
  return j + FILL_JOB_HEAD + Math.floor(from / u32[j + 3]) * FILL_PART_WORDS;
}

/** The first crossing from `i` on that is a watcher's first. */
function rowBegin(u32: Uint32Array, j: number, i: number): number {
  const words = u32[j] >>> 2;
  const count = u32[j + 1];
  let at = i;
  while (at > 0 && at < count && u32[words + 2 * at + 1] >>> 10 === u32[words + 2 * at - 1] >>> 10) at++;
  return at;
}

/** 0 entered, 1 left, 2 sensed. */
function kindOf(low: number): number {
  return (low & RELATED_BEFORE) === 0 ? 0 : (low & RELATED_AFTER) === 0 ? 1 : 2;
}
