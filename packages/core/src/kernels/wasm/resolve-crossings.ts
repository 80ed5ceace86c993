// See ../layouts/resolve-crossings.ts, which draws the job: the same passes, on 64-bit words. Digits are only as wide as the
// number of slots requires.
import { SENSELESS_AFTER, SENSELESS_BEFORE, UNVERIFIED } from '../layouts/crossing-bits';
import { PRESENT } from '../layouts/entity-flags';
import { DIGIT_BITS, GROUP_WORDS, RESOLVE_JOB_HEAD } from '../layouts/resolve-crossings';
import { setWord, wordAt } from './job';

const HEAD_BYTES: usize = RESOLVE_JOB_HEAD << 2;
const GROUP_BYTES: usize = GROUP_WORDS << 2;
const SENSELESS: u64 = SENSELESS_BEFORE | SENSELESS_AFTER;
const MARKER_SHIFT: u32 = 20;
const WATCHER_SHIFT: u32 = 42;

export function countCrossings(job: usize, from: u32, to: u32): u32 {
  const words = <usize>load<u32>(job);
  const shift = 32 + <u64>load<u32>(job, 20);
  const buckets = load<u32>(job, 24);
  const counts = tableOf(job, from);
  memory.fill(counts, 0, <usize>buckets << 2);
  for (let i = from; i < to; i++) {
    const bucket = <u32>(load<u64>(words + (<usize>i << 3)) >> shift);
    setWord(counts, bucket, wordAt(counts, bucket) + 1);
  }
  return to;
}

export function placeCrossings(job: usize, from: u32, to: u32): u32 {
  const words = <usize>load<u32>(job);
  const scratch = <usize>load<u32>(job, 4);
  const shift = 32 + <u64>load<u32>(job, 20);
  const cursors = tableOf(job, from);
  for (let i = from; i < to; i++) {
    const word = load<u64>(words + (<usize>i << 3));
    const bucket = <u32>(word >> shift);
    const at = wordAt(cursors, bucket);
    setWord(cursors, bucket, at + 1);
    store<u64>(scratch + (<usize>at << 3), word);
  }
  return to;
}

/** The table of the part that begins at `from`. */
@inline
function tableOf(job: usize, from: u32): usize {
  return <usize>load<u32>(job, 28) + <usize>(from / load<u32>(job, 16)) * (<usize>load<u32>(job, 24) << 2);
}

export function resolveCrossings(job: usize, from: u32, to: u32): u32 {
  for (let g = from; g < to; g++) {
    const group = <usize>load<u32>(job, 32) + <usize>g * GROUP_BYTES;
    const begin = <usize>load<u32>(group) << 3;
    const count = load<u32>(group, 4) - load<u32>(group);
    const words = <usize>load<u32>(job) + begin;
    const source = <usize>load<u32>(job, 8) + begin;
    const other = source == words ? <usize>load<u32>(job, 4) + begin : words;
    join(job, group, sort(job, group, source, other, count), words, count);
  }
  return to;
}

// Parameters of the sort's passes: two passes for markers and two for watchers, with 0 to 11 bits each.
let markerWidth: u32 = 0;
let watcherWidth: u32 = 0;
let firstWatcher: u64 = 0;

/** Returns where the sorted words are. Skips the pass of a digit that is equal in all words. */
function sort(job: usize, group: usize, source: usize, other: usize, count: u32): usize {
  markerWidth = digitWidth(32 - <u32>clz(load<u32>(job, 12) - 1));
  watcherWidth = digitWidth(load<u32>(group, 12));
  firstWatcher = <u64>load<u32>(group, 8) << WATCHER_SHIFT;
  const digits = job + HEAD_BYTES;
  memory.fill(digits, 0, 4 << (DIGIT_BITS + 2));
  countDigits(digits, source, count);
  let from = source;
  let to = other;
  for (let pass: u32 = 0; pass < 4 && count > 0; pass++) {
    const counts = digits + (<usize>pass << (DIGIT_BITS + 2));
    const shift = shiftOf(pass);
    const mask = maskOf(pass);
    const first = firstWatcher;
    if (wordAt(counts, <u32>((load<u64>(from) - first) >> shift) & mask) == count) continue;
    let start: u32 = 0;
    for (let digit: u32 = 0; digit <= mask; digit++) {
      const size = wordAt(counts, digit);
      setWord(counts, digit, start);
      start += size;
    }
    for (let i: u32 = 0; i < count; i++) {
      const word = load<u64>(from + (<usize>i << 3));
      const digit = <u32>((word - first) >> shift) & mask;
      const at = wordAt(counts, digit);
      setWord(counts, digit, at + 1);
      store<u64>(to + (<usize>at << 3), word);
    }
    const swapped = from;
    from = to;
    to = swapped;
  }
  return from;
}

/** Counts all four digits in one loop. */
function countDigits(digits: usize, from: usize, count: u32): void {
  const first = firstWatcher;
  const markerMask = maskOf(0);
  const watcherMask = maskOf(2);
  const markerShift = shiftOf(1);
  const watcherShift = shiftOf(3);
  const second = digits + (1 << (DIGIT_BITS + 2));
  const third = digits + (2 << (DIGIT_BITS + 2));
  const fourth = digits + (3 << (DIGIT_BITS + 2));
  for (let i: u32 = 0; i < count; i++) {
    const word = load<u64>(from + (<usize>i << 3)) - first;
    countOne(digits, <u32>(word >> MARKER_SHIFT) & markerMask);
    countOne(second, <u32>(word >> markerShift) & markerMask);
    countOne(third, <u32>(word >> WATCHER_SHIFT) & watcherMask);
    countOne(fourth, <u32>(word >> watcherShift) & watcherMask);
  }
}

@inline
function countOne(counts: usize, digit: u32): void {
  setWord(counts, digit, wordAt(counts, digit) + 1);
}

/** Half of the bits, rounded up. */
@inline
function digitWidth(bits: u32): u32 {
  return (bits + 1) >>> 1;
}

@inline
function shiftOf(pass: u32): u64 {
  return <u64>(pass < 2 ? MARKER_SHIFT + pass * markerWidth : WATCHER_SHIFT + (pass - 2) * watcherWidth);
}

@inline
function maskOf(pass: u32): u32 {
  return (1 << (pass < 2 ? markerWidth : watcherWidth)) - 1;
}

function join(job: usize, group: usize, from: usize, to: usize, count: u32): void {
  const present = <usize>load<u32>(job, 36);
  const end = from + (<usize>count << 3);
  let kept = to;
  let lost: u32 = 0;
  let unverified: u32 = 0;
  let flags: u32 = 0;
  let at = from;
  while (at < end) {
    let word = load<u64>(at);
    for (at += 8; at < end && (load<u64>(at) ^ word) >> MARKER_SHIFT == 0; at += 8) word |= load<u64>(at);
    const watcher = <u32>(word >> WATCHER_SHIFT);
    if (watcher == (<u32>(word >> MARKER_SHIFT) & 0x3fffff)) continue;
    if ((<u32>word & UNVERIFIED) != 0) {
      unverified++;
    } else {
      // Where senses are the same, a relation may still begin or end without one.
      if ((((word >> 8) ^ word) & 255) == 0 && (word & SENSELESS) == 0) continue;
      const bits = <u32>load<u8>(present + <usize>watcher);
      flags |= bits;
      if ((bits & PRESENT) == 0) {
        lost++;
        continue;
      }
    }
    store<u64>(kept, word);
    kept += 8;
  }
  store<u32>(group, <u32>(kept - to) >>> 3, 16);
  store<u32>(group, lost, 20);
  store<u32>(group, unverified, 24);
  store<u32>(group, flags, 28);
}
