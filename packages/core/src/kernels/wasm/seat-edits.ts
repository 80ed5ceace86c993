// Twin of ../seat-edits.ts.
import { column, setWord, word, wordAt } from './job';
import {
  EDIT_BYTES, EDIT_END, EDITED, EDITED_COUNT, EDITS, FETCHED, FIRST_EDIT, INTERESTS, KEEPS_REPORTED, MAY_FORCE, PAIR_MARKER,
  PAIR_REPORTED, PAIR_SINCE, PAIR_SIZE, PAIR_START, PAIR_STATE, RULE_BYTES, RULES, SENSE_COUNT, TICK,
} from './crowd-job';

/** Bits of a crossing's low word; see detectors/crossings.ts. */
const RELATED_BEFORE: u32 = 0x100ff;

let markers: usize = 0;
let states: usize = 0;
let sinces: usize = 0;
let reporteds: usize = 0;
let edits: usize = 0;
/** Where the pair that goes lies in its row, and where the one that comes will. */
let from: u32 = 0;
let to: u32 = 0;

/** Rows are fetched so many at a time, so that their ways are gone together. */
const TOGETHER: u32 = 4;
/** Longer rows are searched by halving. */
const SHORT: u32 = 256;

export function seatEdits(job: usize): void {
  markers = column(job, PAIR_MARKER);
  states = column(job, PAIR_STATE);
  sinces = column(job, PAIR_SINCE);
  reporteds = column(job, PAIR_REPORTED);
  edits = column(job, EDITS);
  const interests = column(job, INTERESTS);
  const rules = column(job, RULES);
  const edited = column(job, EDITED);
  const count = word(job, EDITED_COUNT);
  const firsts = column(job, FIRST_EDIT);
  const ends = column(job, EDIT_END);
  const tick = word(job, TICK);
  const areStatesAlike = word(job, SENSE_COUNT) == 1;
  const starts = column(job, PAIR_START);
  const sizes = column(job, PAIR_SIZE);
  let fetched: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (i % TOGETHER == 0) {
      for (let j = i; j < min(i + TOGETHER, count); j++) {
        const start = markers + (<usize>wordAt(starts, wordAt(edited, j)) << 2);
        const end = start + (<usize>wordAt(sizes, wordAt(edited, j)) << 2);
        for (let at = start; at < end; at += 64) fetched += load<u32>(at);
      }
    }
    const watcher = wordAt(edited, i);
    const interest: usize = interests == 0 ? 0 : <usize>load<u16>(interests + (<usize>watcher << 1));
    const rule = rules + interest * RULE_BYTES;
    const bits = load<u32>(rule, 12);
    const keepsState = !areStatesAlike || (bits & MAY_FORCE) != 0 || load<f32>(rule, 16) > 0;
    const keepsSince = load<u32>(rule, 8) > 0;
    const start = wordAt(starts, watcher);
    const end = start + wordAt(sizes, watcher);
    edit(
      start, end, wordAt(firsts, watcher), wordAt(ends, watcher), tick,
      keepsState, keepsSince, (bits & KEEPS_REPORTED) != 0,
    );
  }
  // What nobody reads would not be fetched.
  store<u32>(job + FETCHED, fetched);
}

/** Carries out the edits of one row: each that comes takes the place of one that goes, what lies between moves up or down. */
function edit(
  start: u32, end: u32, first: u32, last: u32, tick: u32, keepsState: bool, keepsSince: bool, keepsReported: bool,
): void {
  let coming = first;
  for (let i = first; i < last; i++) {
    const state = load<u32>(edits + (<usize>i) * EDIT_BYTES, 8);
    const isNew = (load<u32>(edits + (<usize>i) * EDIT_BYTES) & RELATED_BEFORE) == 0;
    if (state != 0) {
      if (!isNew) setWord(states, placeOf(start, end, markerOf(i)), state);
      continue;
    }
    while ((load<u32>(edits + (<usize>coming) * EDIT_BYTES) & RELATED_BEFORE) != 0) coming++;
    const marker = markerOf(coming);
    if (end - start > SHORT) {
      from = placeOf(start, end, markerOf(i));
      to = placeOf(start, end, marker);
    } else findPlaces(start, end, markerOf(i), marker);
    if (to > from) to--;
    shift(markers, from, to, marker);
    if (keepsState) shift(states, from, to, load<u32>(edits + (<usize>coming) * EDIT_BYTES, 8));
    if (keepsSince) shift(sinces, from, to, tick);
    if (keepsReported) shift(reporteds, from, to, tick);
    coming++;
  }
}

// @ts-ignore: decorator
@inline
function markerOf(i: u32): u32 {
  const at = edits + (<usize>i) * EDIT_BYTES;
  return ((load<u32>(at, 4) & 1023) << 12) | (load<u32>(at) >>> 20);
}

/** Counts whose markers come before: a few vectors in a stream are faster than halving, in which each step waits for the last. */
function findPlaces(start: u32, end: u32, gone: u32, coming: u32): void {
  const goes = i32x4.splat(<i32>gone);
  const comes = i32x4.splat(<i32>coming);
  let beforeGone = i32x4.splat(0);
  let beforeComing = beforeGone;
  let at = markers + (<usize>start << 2);
  const endAt = markers + (<usize>end << 2);
  for (; at + 16 <= endAt; at += 16) {
    const row = v128.load(at);
    beforeGone = i32x4.sub(beforeGone, i32x4.lt_s(row, goes));
    beforeComing = i32x4.sub(beforeComing, i32x4.lt_s(row, comes));
  }
  from = start + sumOf(beforeGone);
  to = start + sumOf(beforeComing);
  for (; at < endAt; at += 4) {
    from += <u32>(load<u32>(at) < gone);
    to += <u32>(load<u32>(at) < coming);
  }
}

// @ts-ignore: decorator
@inline
function sumOf(lanes: v128): u32 {
  return <u32>(
    i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1) + i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3)
  );
}

/** The first place of a row whose marker is not below this one. */
// @ts-ignore: decorator
@inline
function placeOf(start: u32, end: u32, marker: u32): u32 {
  // Halving without branches, which nobody could foresee.
  const words = markers;
  let low = start;
  let count = end - start;
  while (count > 0) {
    const half = count >>> 1;
    const isBelow = wordAt(words, low + half) < marker;
    low = select(low + half + 1, low, isBelow);
    count = select(count - half - 1, half, isBelow);
  }
  return low;
}

/** Takes out what is at `from`, and puts `value` in so that it comes to lie at `to`. */
function shift(words: usize, from: u32, to: u32, value: u32): void {
  let at = words + (<usize>from << 2);
  const end = words + (<usize>to << 2);
  while (at + 16 <= end) {
    v128.store(at, v128.load(at, 4));
    at += 16;
  }
  while (at < end) {
    store<u32>(at, load<u32>(at, 4));
    at += 4;
  }
  while (at >= end + 16) {
    v128.store(at - 12, v128.load(at - 16));
    at -= 16;
  }
  while (at > end) {
    store<u32>(at, load<u32>(at - 4));
    at -= 4;
  }
  store<u32>(end, value);
}
