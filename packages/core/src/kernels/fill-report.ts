/**
 * Turns resolved crossings, sorted by watcher and marker, into the rows of entered, left and sensed: see
 * detectors/crossings.ts for the words, reports/report-rows.ts for the rows.
 *
 *   job   | crossings | count | ids by slot | -- | entered | left | sensed |
 *   kind  | watchers | row offsets | markers | senses, 0 for none | rows, written here | markers, written here | -- | -- |
 *
 * Columns are byte offsets; room was made. Twin: wasm/fill-report.ts. Cost: some 4 ns a crossing.
 */
import type { HeapViews } from './heap-views.ts';

export const FIRST_KIND = 4;
export const KIND_WORDS = 8;
export const FILL_JOB_WORDS = FIRST_KIND + 3 * KIND_WORDS;

/** Bits of a crossing's low word. */
const RELATED_BEFORE = 0x100ff;
const RELATED_AFTER = 0x2ff00;

export function fillReport({ u32, u8 }: HeapViews, job: number): void {
  const j = job >> 2;
  const words = u32[j] >> 2;
  const count = u32[j + 1];
  const idOf = u32[j + 2] >> 2;
  for (let kind = 0; kind < 3; kind++) {
    const k = j + FIRST_KIND + kind * KIND_WORDS;
    u32[k + 4] = 0;
    u32[k + 5] = 0;
    u32[u32[k + 1] >> 2] = 0;
  }
  for (let i = 0; i < count; i++) {
    const low = u32[words + 2 * i];
    const high = u32[words + 2 * i + 1];
    const kind = (low & RELATED_BEFORE) === 0 ? 0 : (low & RELATED_AFTER) === 0 ? 1 : 2;
    const k = j + FIRST_KIND + kind * KIND_WORDS;
    const watcher = u32[idOf + (high >>> 10)];
    const watchers = u32[k] >> 2;
    if (u32[k + 4] === 0 || u32[watchers + u32[k + 4] - 1] !== watcher)
      u32[watchers + u32[k + 4]++] = watcher;
    const at = u32[k + 5]++;
    u32[(u32[k + 2] >> 2) + at] = u32[idOf + (((high & 1023) << 12) | (low >>> 20))];
    if (u32[k + 3] !== 0) u8[u32[k + 3] + at] = (low >>> 8) & 255;
    u32[(u32[k + 1] >> 2) + u32[k + 4]] = at + 1;
  }
}
