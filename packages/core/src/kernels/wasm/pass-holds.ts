// See ../layouts/pass-holds.ts, which explains the job's words.
//
// Both lists are read side by side. Pairs are read as 64-bit numbers, with the watcher from bit 42 on and the marker from bit 20 on: their
// order is that of the lists. Whether the margin still holds a pair is unpredictable, so what is written does not depend on a branch; only
// the few pairs that end take one.
import { ARE_OTHERS, CROSSINGS, CROSSING_COUNT, HELD, HELD_COUNT, INTERESTS, IS_DERIVED, LOST, MARGINS, NEXT_COUNT, NEXT_HELD, OUT, OUT_COUNT, PENDING, REPORTED_FLAGS, STATE } from '../layouts/pass-holds';
import { MOVED, TOUCHED } from '../layouts/pending-bits';
import { CIRCLE, FLAGS, GAINS, MAX_REACHES, MIN_REACHES, RANGES, SENSE_COUNT, SHAPE, X, Y, Z } from '../layouts/perception';
import { column, floatAt, setWord, word } from './job';
import { heldIfMet, meets, squaredOf } from './perception';

const PAIR_BITS: u64 = ~0xfffff;
/** Sorts after every pair. */
const NOBODY: u64 = ~0;
const MARKER_MASK: u32 = 0x3fffff;
const ONLY_STEPS: u32 = MOVED | TOUCHED;

// Shared by the functions of one call; set by passHolds.
let isDerived: usize = 0;
let flags: usize = 0;
let state: usize = 0;
let pending: usize = 0;
let interests: usize = 0;
let margins: usize = 0;
let ranges: usize = 0;
let xs: usize = 0;
let ys: usize = 0;
/** Whether the world is flat, its ranges are circles, and no marker has a gain or a reach of its own. */
let isUsual: bool = false;
/** Whether entities did more than move, or watchers may have ceased to be derived. */
let areOthers: bool = false;
let lostCount: u32 = 0;
let reportedFlags: u32 = 0;
/** Where the next list and the words end. */
let nextEnd: usize = 0;
let outEnd: usize = 0;

export function passHolds(job: usize): void {
  const next = column(job, NEXT_HELD);
  const out = column(job, OUT);
  isDerived = column(job, IS_DERIVED);
  state = job + (STATE << 2);
  flags = column(state, FLAGS);
  pending = column(job, PENDING);
  interests = column(job, INTERESTS);
  margins = column(job, MARGINS);
  ranges = state + (RANGES << 2);
  xs = column(state, X);
  ys = column(state, Y);
  isUsual = word(state, SHAPE) == CIRCLE && word(state, Z) == 0;
  for (let s: u32 = 0; s < word(state, SENSE_COUNT); s++)
    isUsual = isUsual && (word(state, GAINS + s) | word(state, MIN_REACHES + s) | word(state, MAX_REACHES + s)) == 0;
  areOthers = word(job, ARE_OTHERS) != 0;
  lostCount = 0;
  reportedFlags = 0;
  nextEnd = next;
  outEnd = out;
  let held = column(job, HELD);
  const heldEnd = held + (<usize>word(job, HELD_COUNT) << 3);
  let crossing = column(job, CROSSINGS);
  const crossingEnd = crossing + (<usize>word(job, CROSSING_COUNT) << 3);
  for (; crossing < crossingEnd; crossing += 8) {
    const pair = load<u64>(crossing) & PAIR_BITS;
    held = passUpTo(pair, held, heldEnd);
    const isHeld = held < heldEnd && (load<u64>(held) & PAIR_BITS) == pair;
    cross(load<u64>(crossing), isHeld ? (<u32>load<u64>(held) >>> 8) & 255 : 0);
    if (isHeld) held += 8;
  }
  passUpTo(NOBODY, held, heldEnd);
  setWord(job, NEXT_COUNT, <u32>((nextEnd - next) >> 3));
  setWord(job, OUT_COUNT, <u32>((outEnd - out) >> 3));
  setWord(job, LOST, lostCount);
  setWord(job, REPORTED_FLAGS, reportedFlags);
}

/** Passes the held pairs that come before one. Returns the first that does not. */
function passUpTo(pair: u64, from: usize, end: usize): usize {
  let at = from;
  // A local, because a global would be written and read again for each pair.
  let next = nextEnd;
  for (; at < end; at += 8) {
    const held = load<u64>(at);
    if (held >= pair) break;
    const before = (<u32>held >>> 8) & 255;
    const after = heldNow(held, before);
    store<u64>(next, withHeld(held, <u32>held & 255, after));
    next += <usize>u32(after != 0) << 3;
    if (after != before) tellLess(held, before, after);
  }
  nextEnd = next;
  return at;
}

/** Reports a pair that did not cross and that the margin holds in fewer senses now, or no more. */
function tellLess(pair: u64, before: u32, after: u32): void {
  const watcher = watcherOf(pair);
  const exact = <u32>pair & 255;
  if (!isHere(watcher)) {
    lostCount += u32(exact == 0) & <u32>load<u8>(isDerived + watcher);
    return;
  }
  reportedFlags |= <u32>load<u8>(flags + watcher);
  write(pair, exact | before, exact | after);
}

/** Decides a pair that crossed, and that the margin held in these senses. Pairs of watchers with a row pass: the row has all of theirs. */
function cross(crossing: u64, heldBefore: u32): void {
  const derived: u32 = 0 - <u32>load<u8>(isDerived + watcherOf(crossing));
  const exact = (<u32>crossing >>> 8) & 255;
  const before = (<u32>crossing & 255) | (heldBefore & derived);
  const lost = before & ~exact & derived;
  const after = lost == 0 ? 0 : heldNow(crossing, lost);
  store<u64>(nextEnd, withHeld(crossing, exact, after));
  nextEnd += <usize>u32(after != 0) << 3;
  write(crossing, before, exact | after);
}

/** In which of these senses the margin holds a pair that related at the last tick. */
@inline // in JavaScript, too
function heldNow(pair: u64, senses: u32): u32 {
  const watcher = watcherOf(pair);
  const marker = <usize>(<u32>(pair >>> 20) & MARKER_MASK);
  const margin = load<f32>(margins + (interests == 0 ? 0 : <usize>load<u16>(interests + (watcher << 1)) << 2));
  if (margin == 0) return 0;
  if (areOthers) {
    if (!isHere(watcher)) return 0;
    // The two still meet, unless either has changed.
    const changes = (<u32>load<u8>(pending + watcher) | <u32>load<u8>(pending + marker)) & ~ONLY_STEPS;
    if (changes != 0 && !meets(state, <u32>watcher, <u32>marker)) return 0;
  }
  if (!isUsual || (senses & (senses - 1)) != 0) return heldIfMet(state, <u32>watcher, <u32>marker, senses, margin);
  const range = floatAt(column(ranges, ctz(senses)), <u32>watcher);
  const reach: f32 = range + margin;
  const squared = squaredOf(floatAt(xs, <u32>marker) - floatAt(xs, <u32>watcher), floatAt(ys, <u32>marker) - floatAt(ys, <u32>watcher), 0);
  return senses & (0 - u32((range > 0) & (squared <= reach * reach)));
}

@inline // in JavaScript, too
function watcherOf(pair: u64): usize {
  return <usize>(pair >>> 42);
}

@inline
function isHere(watcher: usize): bool {
  return load<u8>(isDerived + watcher) != 0 && load<u8>(flags + watcher) != 0;
}

/** A pair with the senses without margin, and those in which only the margin holds it. */
@inline // in JavaScript, too
function withHeld(pair: u64, exact: u32, held: u32): u64 {
  return (pair & PAIR_BITS) | <u64>(exact | (held << 8));
}

/** Writes a word if anything changes. */
@inline // in JavaScript, too
function write(pair: u64, before: u32, after: u32): void {
  store<u64>(outEnd, withHeld(pair, before, after));
  outEnd += <usize>u32(after != before) << 3;
}
