/**
 * Pairs in the bands of margins: which of them stay there, and what becomes of the others and of those that crossed; see
 * interest/margin-bands.ts, which draws the bands. For worlds of the plane with circles in which all watchers have the same
 * ranges and one margin, everyone meets, and no two bands touch.
 *
 *   entry   watcher (22) | marker (22) | -- (16) | mutual (1) | level (3)
 *
 * Which pairs they are lies in the words of an entry as in those of a crossing; a mutual entry is two pairs, one each way.
 * `testBands` parts the entries into those that stay and those that go; `tellBands` then takes crossings that nobody has
 * sorted yet, puts those that come to be held among the entries, and tells of those that go as parts of crossings. What both
 * say of a pair is joined when crossings are resolved: one that crossed back into its range while it was held has its senses
 * before and after, and so no crossing is left of it.
 *
 * Twin: wasm/pass-bands.ts. Cost: some 5 ns an entry there, and 12 a crossing.
 */
import type { HeapViews } from './heap-views.ts';

const f32 = Math.fround;
const MARKER_BITS = 0xfff0_0000;

/** Words of the job: byte offsets into the heap, and counts. Crossings have room for two more for each entry that goes. */
export const CROSSINGS = 0;
export const CROSSING_COUNT = 1;
export const HELD = 2;
export const HELD_COUNT = 3;
export const NEXT_HELD = 4;
export const NEXT_COUNT = 5;
export const GONE = 6;
export const GONE_COUNT = 7;
export const IS_EASY = 8;
export const FLAGS = 9;
export const X = 10;
export const Y = 11;
/** Scratch of the twin: two words a slot, see `placeWordsFor` in pass-holds.ts; and BLOCK_WORDS. */
export const PLACES = 12;
export const BLOCK = 13;
export const SLOT_COUNT = 14;
/** Not 0: a watcher may have lost its ease since, or anyone be gone. */
export const IS_ANY_GONE = 15;
/** Written by the kernel: relations that ended with their watcher. */
export const LOST = 16;
export const LEVEL_COUNT = 17;
/** Two words a level (float32), farthest first: squares of its range, and of that with the margin. */
export const BANDS = 18;
/** Senses of the farthest none, one, two and more levels. */
export const MASKS = 34;
export const MAX_LEVELS = 8;
export const JOB_WORDS = 44;

/** Of 1,024 pairs: squares of the ways, two words each; and as much for a list. */
export const BLOCK_WORDS = 4 * 1024;
/** Words behind the last entry of NEXT_HELD and GONE that are written, too. */
export const SPARE_WORDS = 4;

export const LEVEL_BITS = 7;
export const MUTUAL = 8;

/** Parts the entries of HELD into NEXT_HELD and GONE. */
export function testBands(heap: HeapViews, jobOffset: number): void {
  const { u32, f32: floats } = heap;
  const job = jobOffset >>> 2;
  const held = u32[job + HELD] >>> 2;
  const end = held + 2 * u32[job + HELD_COUNT];
  const firstStaying = u32[job + NEXT_HELD] >>> 2;
  const firstGone = u32[job + GONE] >>> 2;
  const isAnyGone = u32[job + IS_ANY_GONE] !== 0;
  let staying = firstStaying;
  let gone = firstGone;
  for (let at = held; at < end; at += 2) {
    const low = u32[at];
    const high = u32[at + 1];
    const band = job + BANDS + 2 * (low & LEVEL_BITS);
    const squared = squaredOf(heap, job, high >>> 10, ((high & 1023) << 12) | (low >>> 20));
    const isInBand = squared > floats[band] && squared <= floats[band + 1];
    const stays = isInBand && !(isAnyGone && isAnyoneGone(heap, job, low, high));
    const to = stays ? staying : gone;
    u32[to] = low;
    u32[to + 1] = high;
    if (stays) staying += 2;
    else gone += 2;
  }
  u32[job + NEXT_COUNT] = (staying - firstStaying) >> 1;
  u32[job + GONE_COUNT] = (gone - firstGone) >> 1;
}

/** Rewrites the crossings, adds to NEXT_HELD who comes to be held, and tells of those in GONE. */
export function tellBands(heap: HeapViews, jobOffset: number): void {
  const { u32 } = heap;
  const job = jobOffset >>> 2;
  u32[job + LOST] = 0;
  takeCrossings(heap, job);
  const gone = u32[job + GONE] >>> 2;
  const end = gone + 2 * u32[job + GONE_COUNT];
  for (let at = gone; at < end; at += 2) tellGone(heap, job, u32[at], u32[at + 1]);
}

/** Whether either of a pair is gone, or whoever held the other has a row again. */
function isAnyoneGone({ u32, u8 }: HeapViews, job: number, low: number, high: number): boolean {
  const [isEasy, flags] = [u32[job + IS_EASY], u32[job + FLAGS]];
  const watcher = high >>> 10;
  const marker = ((high & 1023) << 12) | (low >>> 20);
  if (u8[flags + watcher] === 0 || u8[flags + marker] === 0 || u8[isEasy + watcher] === 0) return true;
  return (low & MUTUAL) !== 0 && u8[isEasy + marker] === 0;
}

/** Goes through the crossings; those of which nothing is left are taken out. */
function takeCrossings(heap: HeapViews, job: number): void {
  const { u32, u8 } = heap;
  const crossings = u32[job + CROSSINGS] >>> 2;
  const end = crossings + 2 * u32[job + CROSSING_COUNT];
  const next = u32[job + NEXT_HELD] >>> 2;
  const [isEasy, flags] = [u32[job + IS_EASY], u32[job + FLAGS]];
  const first = next + 2 * u32[job + NEXT_COUNT];
  let taken = first;
  let kept = crossings;
  for (let at = crossings; at < end; at += 2) {
    let low = u32[at];
    const high = u32[at + 1];
    const lost = low & ~(low >>> 8) & 255;
    const watcher = high >>> 10;
    if (lost !== 0 && u8[isEasy + watcher] !== 0 && u8[flags + watcher] !== 0) {
      const marker = ((high & 1023) << 12) | (low >>> 20);
      const level = u8[flags + marker] === 0 ? -1 : heldLevel(heap, job, watcher, marker, lost);
      if (level >= 0) {
        low |= sensesOf(u32, job, level) << 8;
        taken = addEntry(u32, first, taken, (low & MARKER_BITS) | level, high);
      }
    }
    if (((low ^ (low >>> 8)) & 255) === 0) continue;
    u32[kept] = low;
    u32[kept + 1] = high;
    kept += 2;
  }
  u32[job + NEXT_COUNT] = (taken - next) >> 1;
  u32[job + CROSSING_COUNT] = (kept - crossings) >> 1;
}

/** The level in which the margin holds a pair that lost senses; -1 where it does not. */
function heldLevel(heap: HeapViews, job: number, watcher: number, marker: number, lost: number): number {
  const squared = squaredOf(heap, job, watcher, marker);
  const level = levelsInside(heap, job, squared);
  if (level === heap.u32[job + LEVEL_COUNT] || (lost & sensesOf(heap.u32, job, level)) === 0) return -1;
  return squared <= heap.f32[job + BANDS + 2 * level + 1] ? level : -1;
}

/** Appends an entry to those from `first` on; one that is the way back of the one before makes it mutual. */
function addEntry(u32: Uint32Array, first: number, to: number, low: number, high: number): number {
  const isBack =
    to > first &&
    u32[to - 1] >>> 10 === (((high & 1023) << 12) | (low >>> 20)) &&
    (((u32[to - 1] & 1023) << 12) | (u32[to - 2] >>> 20)) === high >>> 10 &&
    (u32[to - 2] & (LEVEL_BITS | MUTUAL)) === (low & LEVEL_BITS);
  if (isBack) {
    u32[to - 2] |= MUTUAL;
    return to;
  }
  u32[to] = low;
  u32[to + 1] = high;
  return to + 2;
}

/** Tells of an entry that goes, each way; what of it stays after all is put back. */
function tellGone(heap: HeapViews, job: number, low: number, high: number): void {
  const { u32, u8 } = heap;
  const flags = u32[job + FLAGS];
  const watcher = high >>> 10;
  const marker = ((high & 1023) << 12) | (low >>> 20);
  const areHere = u8[flags + watcher] !== 0 && u8[flags + marker] !== 0;
  const squared = areHere ? squaredOf(heap, job, watcher, marker) : Number.NaN;
  const level = low & LEVEL_BITS;
  const stays = tellPair(heap, job, watcher, marker, level, squared);
  const staysBack = (low & MUTUAL) !== 0 && tellPair(heap, job, marker, watcher, level, squared);
  if (!stays && !staysBack) return;
  const at = (u32[job + NEXT_HELD] >>> 2) + 2 * u32[job + NEXT_COUNT]++;
  const [from, to] = stays ? [watcher, marker] : [marker, watcher];
  u32[at] = (to << 20) | level | (stays && staysBack ? MUTUAL : 0);
  u32[at + 1] = (from << 10) | (to >>> 12);
}

/** Tells of one pair of an entry. Answers whether it stays. */
function tellPair(
  heap: HeapViews,
  job: number,
  watcher: number,
  marker: number,
  level: number,
  squared: number,
): boolean {
  const { u32, u8, f32: floats } = heap;
  // One that has a row again brought its held pairs along there.
  if (u8[u32[job + IS_EASY] + watcher] === 0) return false;
  if (u8[u32[job + FLAGS] + watcher] === 0) {
    if (level === 0) u32[job + LOST]++;
    return false;
  }
  const inside = levelsInside(heap, job, squared);
  const isHeld = inside <= level && squared <= floats[job + BANDS + 2 * inside + 1];
  if (isHeld && inside === level) return true;
  const before = u32[job + MASKS + level + 1];
  const after = u32[job + MASKS + inside + (isHeld ? 1 : 0)];
  const at = (u32[job + CROSSINGS] >>> 2) + 2 * u32[job + CROSSING_COUNT]++;
  u32[at] = (marker << 20) | before | (after << 8);
  u32[at + 1] = (watcher << 10) | (marker >>> 12);
  return false;
}

/** How many levels a squared distance is inside of; none where it is no number. */
function levelsInside({ u32, f32: floats }: HeapViews, job: number, squared: number): number {
  const count = u32[job + LEVEL_COUNT];
  let inside = 0;
  while (inside < count && squared <= floats[job + BANDS + 2 * inside]) inside++;
  return inside;
}

/** The senses of a level. */
function sensesOf(u32: Uint32Array, job: number, level: number): number {
  return u32[job + MASKS + level] ^ u32[job + MASKS + level + 1];
}

function squaredOf({ u32, f32: floats }: HeapViews, job: number, watcher: number, marker: number): number {
  const x = u32[job + X] >>> 2;
  const y = u32[job + Y] >>> 2;
  const dx = f32(floats[x + marker] - floats[x + watcher]);
  const dy = f32(floats[y + marker] - floats[y + watcher]);
  return f32(f32(dx * dx) + f32(dy * dy));
}
