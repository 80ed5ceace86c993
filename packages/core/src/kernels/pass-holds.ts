/**
 * Reads crossings and held pairs side by side, both in the order of reports, and writes both anew: see
 * interest/margin-holds.ts, which draws it. For worlds of the plane with circles in which reach is range and everyone
 * meets; others are for that file.
 *
 * Twin: wasm/pass-holds.ts, which fetches the positions of many pairs before it tests any. Cost: some 8 ns a held pair there.
 */
import type { HeapViews } from './heap-views.ts';

const f32 = Math.fround;
const MARKER_BITS = 0xfff0_0000;

/** Words of the job: byte offsets into the heap, and counts. */
export const CROSSINGS = 0;
export const CROSSING_COUNT = 1;
export const HELD = 2;
export const HELD_COUNT = 3;
export const NEXT_HELD = 4;
export const OUT = 5;
export const IS_EASY = 6;
export const FLAGS = 7;
export const X = 8;
export const Y = 9;
/** Of the numbers of interests by slot, 0 while all have the first; and of margins by interest, float32. */
export const INTERESTS = 10;
export const MARGINS = 11;
/** One word a sense: of the ranges by slot, 0 where nobody has one. */
export const RANGES = 12;
/** Written by the kernel: pairs in NEXT_HELD and OUT, relations that ended with their watcher. */
export const NEXT_COUNT = 20;
export const OUT_COUNT = 21;
export const LOST = 22;
/** Scratch of the twin: `placeWordsFor` the slots; and BLOCK_WORDS. */
export const PLACES = 23;
export const BLOCK = 24;
/** Not 0: a watcher may have lost its ease since, or anyone be gone. */
export const IS_ANY_GONE = 25;
export const SLOT_COUNT = 26;
/** Written by the kernel: the flags, by OR, of watchers of whom a pair in OUT did not cross. */
export const TOLD_FLAGS = 27;
/**
 * Not 0: all watchers have the same ranges, which are, by sense (float32), in the eight words behind it. The twin then
 * reads none by slot.
 */
export const ARE_COMMON = 28;
export const COMMON_RANGES = 29;
export const JOB_WORDS = 37;

/** Two a slot; the twin goes by four slots, and so up to six beyond the last one's. */
export function placeWordsFor(slots: number): number {
  return 2 * slots + 6;
}

/** Of 1,024 pairs: ways, those that stay, those that go, two words each; ranges; room behind the lists; and ranges by a sense's bit. */
export const BLOCK_WORDS = 3 * 2048 + 1024 + 64 + 256;
/**
 * Words more than two for each held pair and crossing that NEXT_HELD has room for, and OUT, which has two more for each
 * crossing and again: the twin tests pairs in lists of its own, each with eight pairs behind it.
 */
export const SPARE_WORDS = 64;

/** What the loops of one call share: the heap, the job's index in it, and where the next pairs go. */
interface Pass {
  readonly heap: HeapViews;
  readonly job: number;
  next: number;
  out: number;
  lost: number;
  told: number;
}

export function passHolds(heap: HeapViews, jobOffset: number): void {
  const { u32, u8 } = heap;
  const job = jobOffset >>> 2;
  const crossings = u32[job + CROSSINGS] >>> 2;
  const held = u32[job + HELD] >>> 2;
  const heldCount = u32[job + HELD_COUNT];
  const pass: Pass = {
    heap,
    job,
    next: u32[job + NEXT_HELD] >>> 2,
    out: u32[job + OUT] >>> 2,
    lost: 0,
    told: 0,
  };
  let h = 0;
  for (let c = 0; c < u32[job + CROSSING_COUNT]; c++) {
    const low = u32[crossings + 2 * c];
    const high = u32[crossings + 2 * c + 1];
    h = passHeld(pass, held, h, heldCount, high, low >>> 20);
    const at = held + 2 * h;
    const isHeld = h < heldCount && u32[at + 1] === high && u32[at] >>> 20 === low >>> 20;
    const heldSenses = isHeld ? (u32[at] >>> 8) & 255 : 0;
    if (isHeld) h++;
    const watcher = high >>> 10;
    if (u8[u32[job + IS_EASY] + watcher] === 0) write(pass, low, high);
    else if (u8[u32[job + FLAGS] + watcher] === 0) pass.lost += (low & 255) === 0 ? 1 : 0;
    else decide(pass, low & MARKER_BITS, high, (low & 255) | heldSenses, (low >>> 8) & 255);
  }
  passHeld(pass, held, h, heldCount, 0xffff_ffff, 0);
  u32[job + NEXT_COUNT] = (pass.next - (u32[job + NEXT_HELD] >>> 2)) >> 1;
  u32[job + OUT_COUNT] = (pass.out - (u32[job + OUT] >>> 2)) >> 1;
  u32[job + LOST] = pass.lost;
  u32[job + TOLD_FLAGS] = pass.told;
}

/** Held pairs before a crossing: none of them crossed. Answers the next one. */
function passHeld(
  pass: Pass,
  held: number,
  from: number,
  heldCount: number,
  untilHigh: number,
  untilMarker: number,
): number {
  const { u32, u8 } = pass.heap;
  let h = from;
  for (; h < heldCount; h++) {
    const low = u32[held + 2 * h];
    const high = u32[held + 2 * h + 1];
    if (high > untilHigh || (high === untilHigh && low >>> 20 >= untilMarker)) break;
    const watcher = high >>> 10;
    if (u8[u32[pass.job + IS_EASY] + watcher] === 0) continue;
    const exact = low & 255;
    const flags = u8[u32[pass.job + FLAGS] + watcher];
    const { out } = pass;
    if (flags === 0) pass.lost += exact === 0 ? 1 : 0;
    else decide(pass, low & MARKER_BITS, high, exact | ((low >>> 8) & 255), exact);
    if (pass.out > out) pass.told |= flags;
  }
  return h;
}

/** One pair: the senses that related it before, and those that perceive it now without margin. */
function decide(pass: Pass, markerBits: number, high: number, before: number, exact: number): void {
  const lost = before & ~exact;
  const held =
    lost === 0 ? 0 : heldSenses(pass, high >>> 10, ((high & 1023) << 12) | (markerBits >>> 20), lost);
  if (held !== 0) {
    pass.heap.u32[pass.next] = markerBits | exact | (held << 8);
    pass.heap.u32[pass.next + 1] = high;
    pass.next += 2;
  }
  const after = exact | held;
  if (after !== before) write(pass, markerBits | before | (after << 8), high);
}

/** Which of `lost` the margin holds. A marker that is gone is held by nothing. */
function heldSenses({ heap, job }: Pass, watcher: number, marker: number, lost: number): number {
  const { u32, u8, f32: floats } = heap;
  const interests = u32[job + INTERESTS];
  const interest = interests === 0 ? 0 : u8[interests + 2 * watcher] | (u8[interests + 2 * watcher + 1] << 8);
  const margin = floats[(u32[job + MARGINS] >>> 2) + interest];
  if (!(margin > 0) || u8[u32[job + FLAGS] + marker] === 0) return 0;
  const x = u32[job + X] >>> 2;
  const y = u32[job + Y] >>> 2;
  const dx = f32(floats[x + marker] - floats[x + watcher]);
  const dy = f32(floats[y + marker] - floats[y + watcher]);
  const squared = f32(f32(dx * dx) + f32(dy * dy));
  let held = 0;
  for (let s = 0; lost >>> s !== 0; s++) {
    if ((lost & (1 << s)) === 0 || u32[job + RANGES + s] === 0) continue;
    const range = floats[(u32[job + RANGES + s] >>> 2) + watcher];
    const reach = f32(range + margin);
    if (range > 0 && squared <= f32(reach * reach)) held |= 1 << s;
  }
  return held;
}

function write(pass: Pass, low: number, high: number): void {
  pass.heap.u32[pass.out] = low;
  pass.heap.u32[pass.out + 1] = high;
  pass.out += 2;
}
