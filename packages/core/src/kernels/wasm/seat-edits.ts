// Twin of ../seat-edits.ts.
import { column, setWord, word, wordAt } from './job';
import {
  EDIT_BYTES, EDIT_END, EDITED, EDITED_COUNT, EDITS, FIRST_EDIT, INTERESTS, KEEPS_REPORTED, MAY_FORCE, PAIR_MARKER,
  PAIR_REPORTED, PAIR_SINCE, PAIR_SIZE, PAIR_START, PAIR_STATE, RULE_BYTES, RULES, SENSE_COUNT, TICK,
} from './crowd-job';

/** Bits of a crossing's low word; see detectors/crossings.ts. */
const RELATED_BEFORE: u32 = 0x100ff;

let markers: usize = 0;
let states: usize = 0;
let sinces: usize = 0;
let reporteds: usize = 0;
let edits: usize = 0;

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
  for (let i: u32 = 0; i < count; i++) {
    const watcher = wordAt(edited, i);
    const interest: usize = interests == 0 ? 0 : <usize>load<u16>(interests + (<usize>watcher << 1));
    const rule = rules + interest * RULE_BYTES;
    const bits = load<u32>(rule, 12);
    const keepsState = !areStatesAlike || (bits & MAY_FORCE) != 0 || load<f32>(rule, 16) > 0;
    const keepsSince = load<u32>(rule, 8) > 0;
    const start = wordAt(column(job, PAIR_START), watcher);
    const end = start + wordAt(column(job, PAIR_SIZE), watcher);
    edit(
      start, end, wordAt(firsts, watcher), wordAt(ends, watcher), tick,
      keepsState, keepsSince, (bits & KEEPS_REPORTED) != 0,
    );
  }
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
    const from = placeOf(start, end, markerOf(i));
    let to = placeOf(start, end, marker);
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
