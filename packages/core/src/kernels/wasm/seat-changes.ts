// Changes in the rows of watchers that a kernel decides. They are stored as edits while watchers are decided, and applied at `commit`, when
// the tick has succeeded.
import { RELATED_AFTER, RELATED_BEFORE, SENSELESS_AFTER, SENSELESS_BEFORE } from '../layouts/crossing-bits';
import { CANDIDATE, FORCED, RELATED, SEATED, WAITING } from '../layouts/pair-state';
import * as words from '../layouts/seat-search';
import { column, setWord, word, wordAt } from './job';
import { isMarginHeld } from './perception';
import { rowSize, watcher } from './seat-watcher';

const EDIT_BYTES: usize = words.EDIT_WORDS << 2;
/** The state, without senses, of a pair that has a seat and no other flag. */
export const SIMPLY_SEATED: u32 = SEATED | RELATED | CANDIDATE;
/** More edits than this are sorted with gaps (Shell sort). */
const SHORT: u32 = 24;

export let editCount: u32 = 0;
export let editCapacity: u32 = 0;
let edits: usize = 0;
let firstEdits: usize = 0;
let editEnds: usize = 0;
let newSizes: usize = 0;
export let first: u32 = 0;
let size: u32 = 0;

export function openEdits(job: usize): void {
  edits = column(job, words.EDITS);
  editCount = word(job, words.EDIT_COUNT);
  editCapacity = word(job, words.EDIT_CAPACITY);
  firstEdits = column(job, words.FIRST_EDIT);
  editEnds = column(job, words.EDIT_END);
  newSizes = column(job, words.NEW_SIZE);
}

export function closeEdits(job: usize): void {
  setWord(job, words.EDIT_COUNT, editCount);
}

export function openRow(): void {
  first = editCount;
  size = rowSize;
}

@inline
function note(marker: u32, payload: u32, state: u32): void {
  const at = edits + <usize>editCount * EDIT_BYTES;
  store<u32>(at, (marker << 20) | payload);
  store<u32>(at, (watcher << 10) | (marker >>> 12), 4);
  store<u32>(at, state, 8);
  editCount++;
}

/** For a marker that leaves the row. */
export function leave(marker: u32, before: u32): void {
  size--;
  note(marker, payloadBefore(before), 0);
}

/** For a marker that leaves the row because others rank better. `after`: its state if it had stayed. */
export function leaveOutranked(marker: u32, before: u32, after: u32): void {
  size--;
  note(marker, payloadBefore(before), isMarginHeld(after) ? 0 : words.OUTRANKED);
}

export function enter(marker: u32, senses: u32): void {
  enterAs(marker, senses | (senses << 8) | SIMPLY_SEATED);
}

/** For a marker that enters the row, in that state. */
export function enterAs(marker: u32, state: u32): void {
  size++;
  change(marker, 0, state);
}

/** The current watcher is not decided here: drops its edits. */
export function forgetEdits(): void {
  editCount = first;
}

/** For a marker that stays, with its present senses. */
@inline
export function change(marker: u32, before: u32, after: u32): void {
  if (before == after) return;
  const senses = (after >>> 8) & 255;
  const payload = (after & RELATED) == 0 ? 0 : senses == 0 ? SENSELESS_AFTER : senses << 8;
  note(marker, payloadBefore(before) | payload, after);
}

/** Whether an edit removes a marker from the row. */
@inline
export function isLeaving(e: u32): bool {
  return (stateOf(e) & ~words.OUTRANKED) == 0;
}

function payloadBefore(before: u32): u32 {
  if ((before & RELATED) == 0) return 0;
  const senses = (before >>> 8) & 255;
  return senses == 0 ? SENSELESS_BEFORE : senses;
}

/** Sorts the edits of the current watcher; false if there are none. */
export function finishEdits(): bool {
  const total = editCount - first;
  if (total == 0) return false;
  if (total > SHORT) {
    let gap: u32 = 1;
    while (gap < total / 3) gap = 3 * gap + 1;
    for (; gap > 1; gap /= 3) sortByGap(total, gap);
  }
  if (total > 1) sortByGap(total, 1);
  setWord(firstEdits, watcher, first);
  setWord(editEnds, watcher, editCount);
  setWord(newSizes, watcher, size);
  return true;
}

function sortByGap(total: u32, gap: u32): void {
  const base = edits + <usize>first * EDIT_BYTES;
  const step = <usize>gap * EDIT_BYTES;
  for (let i = gap; i < total; i++) {
    let at = base + <usize>i * EDIT_BYTES;
    const crossing = load<u64>(at);
    const state = load<u32>(at, 8);
    while (at >= base + step && load<u64>(at - step) > crossing) {
      store<u64>(at, load<u64>(at - step));
      store<u32>(at, load<u32>(at - step, 8), 8);
      at -= step;
    }
    store<u64>(at, crossing);
    store<u32>(at, state, 8);
  }
}

/** Writes the words of all crossings that must be reported, by watcher, then marker. Returns their number. */
export function reportSeats(job: usize): u32 {
  openEdits(job);
  const asked = column(job, words.ASKED_LIST);
  const askedCount = word(job, words.ASKED_COUNT);
  const standing = column(job, words.STANDING);
  const reported = column(job, words.CROSSING_WORDS);
  let at = reported;
  for (let i: u32 = 0; i < askedCount; i++) {
    const slot = wordAt(asked, i);
    if (load<u8>(standing + slot) != words.EDITED) continue;
    const end = wordAt(editEnds, slot);
    for (let e = wordAt(firstEdits, slot); e < end; e++) {
      const crossing = load<u64>(edits + <usize>e * EDIT_BYTES);
      store<u64>(at, crossing);
      const before = <u32>crossing & RELATED_BEFORE;
      const after = <u32>crossing & RELATED_AFTER;
      // If only the senses without margin change, nothing is reported.
      at += <usize>((before & 255) != (after >>> 8 & 255) || before >>> 16 != after >>> 17) << 3;
    }
  }
  return <u32>((at - reported) >>> 3);
}

/** Applies the edits of the decided watchers. Their rows have enough room. */
export function commitSeats(job: usize): void {
  openEdits(job);
  const asked = column(job, words.ASKED_LIST);
  const askedCount = word(job, words.ASKED_COUNT);
  const standing = column(job, words.STANDING);
  for (let i: u32 = 0; i < askedCount; i++) {
    const slot = wordAt(asked, i);
    if (load<u8>(standing + slot) != words.EDITED) continue;
    const from = wordAt(firstEdits, slot);
    const to = wordAt(editEnds, slot);
    commitRow(job, slot, from, to);
  }
}

/**
 * Pairs before the first that enters or leaves keep their places. From there on, row and edits are merged into scratch, and the result is
 * copied back.
 */
function commitRow(job: usize, slot: u32, from: u32, to: u32): void {
  const tick = word(job, words.TICK);
  const start = <usize>wordAt(column(job, words.PAIR_START), slot) << 2;
  const sizes = column(job, words.PAIR_SIZE);
  const markers = column(job, words.PAIR_MARKER) + start;
  const states = column(job, words.PAIR_STATE) + start;
  const sinces = column(job, words.PAIR_SINCE) + start;
  const reporteds = column(job, words.PAIR_REPORTED) + start;
  const count = wordAt(sizes, slot);
  let e = from;
  let i: u32 = 0;
  for (; e < to; e++) {
    const marker = markerOf(e);
    while (i < count && wordAt(markers, i) < marker) i++;
    if (isLeaving(e) || i == count || wordAt(markers, i) != marker) break;
    const before = wordAt(states, i);
    const state = stateOf(e);
    setWord(states, i, state);
    if (!isSinceBefore(before, state)) setWord(sinces, i, tick);
    if ((before & RELATED) == 0) setWord(reporteds, i, tick);
  }
  if (e == to) return;
  const newMarkers = column(job, words.CANDIDATE_SLOT);
  const newStates = column(job, words.CANDIDATE_RANK);
  const newSinces = column(job, words.CANDIDATE_KIND);
  const newReporteds = column(job, words.CANDIDATE_STATE);
  const kept = i;
  let k: u32 = 0;
  for (; e < to; e++) {
    const marker = markerOf(e);
    while (i < count && wordAt(markers, i) < marker) {
      setWord(newMarkers, k, wordAt(markers, i));
      setWord(newStates, k, wordAt(states, i));
      setWord(newSinces, k, wordAt(sinces, i));
      setWord(newReporteds, k++, wordAt(reporteds, i++));
    }
    const state = stateOf(e);
    const isKnown = i < count && wordAt(markers, i) == marker;
    if (!isLeaving(e)) {
      const before = isKnown ? wordAt(states, i) : 0;
      setWord(newMarkers, k, marker);
      setWord(newStates, k, state);
      setWord(newSinces, k, isSinceBefore(before, state) ? wordAt(sinces, i) : tick);
      setWord(newReporteds, k++, (before & RELATED) != 0 ? wordAt(reporteds, i) : tick);
    }
    i += <u32>isKnown;
  }
  const at = kept + k;
  const rest = count - i;
  // Usually as many markers enter as leave: then the pairs after the last edit stay in place, too.
  if (at != i) {
    moveWords(markers, at, i, rest);
    moveWords(states, at, i, rest);
    moveWords(sinces, at, i, rest);
    moveWords(reporteds, at, i, rest);
  }
  copyWords(markers + (<usize>kept << 2), newMarkers, k);
  copyWords(states + (<usize>kept << 2), newStates, k);
  copyWords(sinces + (<usize>kept << 2), newSinces, k);
  copyWords(reporteds + (<usize>kept << 2), newReporteds, k);
  setWord(sizes, slot, at + rest);
}

/** Whether a pair that goes from one state to the other keeps the tick since when it has a seat or waits for one. */
@inline
function isSinceBefore(before: u32, state: u32): bool {
  return (before & (SEATED | FORCED)) != 0 || (before & state & WAITING) != 0;
}

/** Moves `count` elements of a column from index `from` to index `to`. Rows are short: `memory.copy` would take longer to be called. */
@inline
function moveWords(column: usize, to: u32, from: u32, count: u32): void {
  if (to < from) copyWords(column + (<usize>to << 2), column + (<usize>from << 2), count);
  else for (let i = count; i > 0; i--) setWord(column, to + i - 1, wordAt(column, from + i - 1));
}

/** Copies upwards: the two places may overlap if `to` is the lower one. */
@inline
function copyWords(to: usize, from: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) setWord(to, i, wordAt(from, i));
}

@inline
function stateOf(e: u32): u32 {
  return load<u32>(edits + <usize>e * EDIT_BYTES, 8);
}

@inline
export function markerOf(e: u32): u32 {
  const at = edits + <usize>e * EDIT_BYTES;
  return ((load<u32>(at, 4) & 1023) << 12) | (load<u32>(at) >>> 20);
}
