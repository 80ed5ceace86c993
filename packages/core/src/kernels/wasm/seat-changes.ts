// Changes in the rows of watchers that a kernel decides. They are stored as edits while watchers are decided, and applied when the tick has
// succeeded: seat-commit.ts.
import { RELATED_AFTER, RELATED_BEFORE, SENSELESS_AFTER, SENSELESS_BEFORE } from '../layouts/crossing-bits';
import { CANDIDATE, RELATED, SEATED } from '../layouts/pair-state';
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
export let firstEdits: usize = 0;
export let editEnds: usize = 0;
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

/** Whether the current watcher has any edit so far. */
export function isAnyEdited(): bool {
  return editCount != first;
}

/** How many markers leave the row of the current watcher, as far as edits say. */
export function countLeaving(): u32 {
  let leaving: u32 = 0;
  for (let e = first; e < editCount; e++) leaving += <u32>isLeaving(e);
  return leaving;
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

/** Sorts the edits of the current watcher. Returns its standing. */
export function finishEdits(): u8 {
  const total = editCount - first;
  if (total == 0) return <u8>words.DECIDED;
  if (total > SHORT) {
    let gap: u32 = 1;
    while (gap < total / 3) gap = 3 * gap + 1;
    for (; gap > 1; gap /= 3) sortByGap(total, gap);
  }
  if (total > 1) sortByGap(total, 1);
  setWord(firstEdits, watcher, first);
  setWord(editEnds, watcher, editCount);
  setWord(newSizes, watcher, size);
  return <u8>words.EDITED;
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
    if (<i32>load<u8>(standing + slot) < words.EDITED) continue;
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

@inline
export function stateOf(e: u32): u32 {
  return load<u32>(edits + <usize>e * EDIT_BYTES, 8);
}

@inline
export function markerOf(e: u32): u32 {
  const at = edits + <usize>e * EDIT_BYTES;
  return ((load<u32>(at, 4) & 1023) << 12) | (load<u32>(at) >>> 20);
}
