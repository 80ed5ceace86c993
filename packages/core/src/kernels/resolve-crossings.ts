/**
 * Puts crossings (see detectors/crossings.ts for the words) in order by watcher, then marker; makes one of what was reported
 * of a pair in parts, and drops what is no change and watchers that are gone.
 *
 * A sort of all at once would write all over memory in each of its passes. So crossings are first put into buckets, each
 * of neighbouring watchers; buckets that are neighbours make up a group, which a near cache holds, and a thread has each
 * group to itself.
 *
 *   words    | as they were found .............. |     countCrossings, by part and bucket; placeCrossings
 *   scratch  | bucket 0 | bucket 1 | bucket 2 .. |     resolveCrossings, by group: a radix sort to and fro, then what is kept
 *   words    | group 0, gap | group 1, gap | ..  |
 *
 * Few of them are one group from the beginning, and stay in `words`.
 *
 *   job    | words | scratch | where groups are: either of both | slots | size of a part | shift to the bucket | buckets |
 *          | counts of part 0, 1, ... | groups | flags by slot | -- | counts of digits
 *   group  | begin | end | first watcher | bits of a watcher less the first | kept | lost | unverified | flags |
 *
 * `lost`: changes of watchers that are gone. Of the unverified ones all are kept. `flags`: of all watchers of verified
 * changes, by OR. Columns are byte offsets. Each thread has a job of its own, since it counts digits there.
 *
 * Twin: wasm/resolve-crossings.ts. Cost: some 10 ns a crossing.
 */
import type { HeapViews } from './heap-views.ts';

/** A digit is of so many bits at most; there are four of them in a pair. */
const DIGIT_BITS = 11;
const BUCKETS = 1 << DIGIT_BITS;
/** Words of a job before the counts of digits. */
const RESOLVE_JOB_HEAD = 16;
export const RESOLVE_JOB_WORDS = RESOLVE_JOB_HEAD + 4 * BUCKETS;
export const GROUP_WORDS = 8;

/** Bit of the low word. */
const UNVERIFIED = 1 << 19;
const PRESENT = 1;

/** Counts the crossings `from` to `to`, which are one part, by bucket. */
export function countCrossings({ u32 }: HeapViews, job: number, from: number, to: number): number {
  const j = job >>> 2;
  const words = u32[j] >>> 2;
  const shift = u32[j + 5];
  const buckets = u32[j + 6];
  const counts = (u32[j + 7] >>> 2) + Math.floor(from / u32[j + 4]) * buckets;
  u32.fill(0, counts, counts + buckets);
  for (let i = from; i < to; i++) u32[counts + (u32[words + 2 * i + 1] >>> shift)]++;
  return to;
}

/** Puts the crossings `from` to `to`, which are one part, into their buckets; counts have become beginnings. */
export function placeCrossings({ u32 }: HeapViews, job: number, from: number, to: number): number {
  const j = job >>> 2;
  const words = u32[j] >>> 2;
  const scratch = u32[j + 1] >>> 2;
  const shift = u32[j + 5];
  const cursors = (u32[j + 7] >>> 2) + Math.floor(from / u32[j + 4]) * u32[j + 6];
  for (let i = from; i < to; i++) {
    const high = u32[words + 2 * i + 1];
    const at = scratch + 2 * u32[cursors + (high >>> shift)]++;
    u32[at] = u32[words + 2 * i];
    u32[at + 1] = high;
  }
  return to;
}

/** Resolves the groups `from` to `to`. */
export function resolveCrossings(heap: HeapViews, job: number, from: number, to: number): number {
  const { u32 } = heap;
  const j = job >>> 2;
  for (let g = from; g < to; g++) {
    const group = (u32[j + 8] >>> 2) + g * GROUP_WORDS;
    const begin = 2 * u32[group];
    const count = u32[group + 1] - u32[group];
    const words = (u32[j] >>> 2) + begin;
    const source = (u32[j + 2] >>> 2) + begin;
    const other = source === words ? (u32[j + 1] >>> 2) + begin : words;
    const sorted = sort(u32, j + RESOLVE_JOB_HEAD, source, other, count);
    join(heap, j, group, sorted, words, count);
  }
  return to;
}

/** Sorts by radix, least significant digit first; answers where the sorted words are. A digit that all share is left out. */
function sort(u32: Uint32Array, h: number, source: number, other: number, count: number): number {
  u32.fill(0, h, h + 4 * BUCKETS);
  let from = source;
  let to = other;
  for (let i = 0; i < count; i++) {
    const low = u32[from + 2 * i];
    const high = u32[from + 2 * i + 1];
    u32[h + digitOf(low, high, 0)]++;
    u32[h + BUCKETS + digitOf(low, high, 1)]++;
    u32[h + 2 * BUCKETS + digitOf(low, high, 2)]++;
    u32[h + 3 * BUCKETS + digitOf(low, high, 3)]++;
  }
  for (let pass = 0; pass < 4 && count > 0; pass++) {
    const base = h + pass * BUCKETS;
    if (u32[base + digitOf(u32[from], u32[from + 1], pass)] === count) continue;
    let start = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const size = u32[base + bucket];
      u32[base + bucket] = start;
      start += size;
    }
    for (let i = 0; i < count; i++) {
      const low = u32[from + 2 * i];
      const high = u32[from + 2 * i + 1];
      const position = u32[base + digitOf(low, high, pass)]++;
      u32[to + 2 * position] = low;
      u32[to + 2 * position + 1] = high;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Bits 20 to 30 of the 64-bit word for pass 0, 31 to 41 for pass 1, 42 to 52 for pass 2, 53 to 63 for pass 3. */
function digitOf(low: number, high: number, pass: number): number {
  if (pass === 0) return (low >>> 20) & 2047;
  if (pass === 1) return (low >>> 31) | ((high & 1023) << 1);
  if (pass === 2) return (high >>> 10) & 2047;
  return high >>> 21;
}

/** Copies what is kept of sorted crossings to `to`, which may be where they are, and notes what was found. */
function join(
  { u32, u8 }: HeapViews,
  j: number,
  group: number,
  from: number,
  to: number,
  count: number,
): void {
  const present = u32[j + 9];
  let kept = to;
  let lost = 0;
  let unverified = 0;
  let flags = 0;
  for (let at = from; at < from + 2 * count; ) {
    let low = u32[at];
    const high = u32[at + 1];
    for (at += 2; at < from + 2 * count && u32[at + 1] === high && (u32[at] ^ low) >>> 20 === 0; at += 2) {
      low |= u32[at];
    }
    const watcher = high >>> 10;
    if (watcher === (((high & 1023) << 12) | (low >>> 20))) continue;
    if ((low & UNVERIFIED) !== 0) unverified++;
    else if ((low & 255) === ((low >>> 8) & 255)) continue;
    else {
      flags |= u8[present + watcher];
      if ((u8[present + watcher] & PRESENT) === 0) {
        lost++;
        continue;
      }
    }
    u32[kept] = low;
    u32[kept + 1] = high;
    kept += 2;
  }
  u32[group + 4] = (kept - to) >> 1;
  u32[group + 5] = lost;
  u32[group + 6] = unverified;
  u32[group + 7] = flags;
}
