// Applies the edits of the watchers that a kernel decided, now that the tick has succeeded. Part of seat-search.ts.
import { FORCED, SEATED, WAITING } from '../layouts/pair-state';
import * as words from '../layouts/seat-search';
import { column, setWord, word, wordAt } from './job';
import { STEP, WIDTH, setWords, wordsAt } from './lanes';
import { editEnds, firstEdits, isLeaving, markerOf, openEdits, stateOf } from './seat-changes';

/** Elements that a search in a row passes over at once. */
const LEAP: u32 = 16;

// The columns of all rows.
let tick: u32 = 0;
let starts: usize = 0;
let sizes: usize = 0;
let markers: usize = 0;
let states: usize = 0;
let sinces: usize = 0;

/** Applies the edits of the listed watchers. Rows have enough room. */
export function commitSeats(job: usize): void {
  openEdits(job);
  openRows(job);
  const asked = column(job, words.ASKED_LIST);
  const askedCount = word(job, words.ASKED_COUNT);
  const standing = column(job, words.STANDING);
  for (let i: u32 = 0; i < askedCount; i++) {
    const slot = wordAt(asked, i);
    if (<i32>load<u8>(standing + slot) >= words.EDITED) commitRow(job, slot);
  }
}

function openRows(job: usize): void {
  tick = word(job, words.TICK);
  starts = column(job, words.PAIR_START);
  sizes = column(job, words.PAIR_SIZE);
  markers = column(job, words.PAIR_MARKER);
  states = column(job, words.PAIR_STATE);
  sinces = column(job, words.PAIR_SINCE);
}

/** Gives element i of a row that state. `start`: the bytes before the row in each column. */
function changePair(start: usize, i: u32, state: u32): void {
  const before = wordAt(states + start, i);
  if (!isSinceBefore(before, state)) setWord(sinces + start, i, tick);
  setWord(states + start, i, state);
}

/** The index of the first element, from index i on, whose marker is that one or a later one; `count` if there is none. */
@inline
function placeFrom(row: usize, i: u32, count: u32, marker: u32): u32 {
  while (i + LEAP <= count && wordAt(row, i + LEAP - 1) < marker) i += LEAP;
  while (i + WIDTH <= count && wordAt(row, i + WIDTH - 1) < marker) i += WIDTH;
  while (i < count && wordAt(row, i) < marker) i++;
  return i;
}

/**
 * Pairs that stay move by as many places as pairs before them entered or left:
 *
 *   leaving, then entering     | a - b c + d |   ->   | a b c + d |     `-` leaves, `+` enters: b and c move to the left, d stays in place
 *   entering, then leaving     | a + b c - d |   ->   | a + b c d |     b and c move to the right
 */
function commitRow(job: usize, slot: u32): void {
  const start = <usize>wordAt(starts, slot) << 2;
  const count = wordAt(sizes, slot);
  places = column(job, words.CANDIDATE_SLOT);
  moves = column(job, words.CANDIDATE_RANK);
  findMoves(start, count, wordAt(firstEdits, slot), wordAt(editEnds, slot));
  if (moveCount == 0) return;
  movePairs(start, count);
  let shift: u32 = 0;
  for (let m: u32 = 0; m < moveCount; m++) {
    const e = wordAt(moves, m);
    if (isLeaving(e)) {
      shift--;
      continue;
    }
    const at = wordAt(places, m) + shift++;
    setWord(markers + start, at, markerOf(e));
    setWord(states + start, at, stateOf(e));
    setWord(sinces + start, at, tick);
  }
  setWord(sizes, slot, count + shift);
}

/** Scratch: the edits of a row that enter or leave, and the elements that leave or before which one enters. None where all pairs stay. */
let moves: usize = 0;
let places: usize = 0;
let moveCount: u32 = 0;

/** Lists the edits that enter or leave, and applies the others. */
function findMoves(start: usize, count: u32, from: u32, to: u32): void {
  let i: u32 = 0;
  moveCount = 0;
  for (let e = from; e < to; e++) {
    const marker = markerOf(e);
    i = placeFrom(markers + start, i, count, marker);
    const isKnown = i < count && wordAt(markers + start, i) == marker;
    if (isKnown == isLeaving(e)) {
      setWord(places, moveCount, i);
      setWord(moves, moveCount++, e);
    } else if (isKnown) changePair(start, i, stateOf(e));
    i += <u32>isKnown;
  }
}

/** Moves pairs into the places of those that leave, and away from the places of those that enter. */
function movePairs(start: usize, count: u32): void {
  // What moves to the left goes first, from the left; then what moves to the right, from the right. So nothing is overwritten before it moves.
  let shift: i32 = 0;
  for (let m: u32 = 0; m < moveCount; m++) {
    const leaves = isLeaving(wordAt(moves, m));
    shift += leaves ? -1 : 1;
    if (shift < 0) moveBetween(start, wordAt(places, m) + <u32>leaves, endOf(m, count), shift);
  }
  for (let m = moveCount; m > 0; m--) {
    const leaves = isLeaving(wordAt(moves, m - 1));
    if (shift > 0) moveBetween(start, wordAt(places, m - 1) + <u32>leaves, endOf(m - 1, count), shift);
    shift -= leaves ? -1 : 1;
  }
}

/** Where the elements after an edit that enters or leaves end. */
@inline
function endOf(m: u32, count: u32): u32 {
  return m + 1 < moveCount ? wordAt(places, m + 1) : count;
}

/** Moves the elements of a row from index `from` to index `end` by so many places. */
function moveBetween(start: usize, from: u32, end: u32, shift: i32): void {
  const first = start + (<usize>from << 2);
  const bytes = <usize>(end - from) << 2;
  const by = <isize>shift << 2;
  moveWords(markers + first, bytes, by);
  moveWords(states + first, bytes, by);
  moveWords(sinces + first, bytes, by);
}

/** Rows are short: `memory.copy` would take longer to be called. */
@inline
function moveWords(column: usize, bytes: usize, by: isize): void {
  let at = column;
  let end = column + bytes;
  if (by < 0) {
    for (; at + STEP <= end; at += STEP) setWords(at + by, wordsAt(at));
    for (; at < end; at += 4) store<u32>(at + by, load<u32>(at));
  } else {
    for (; at + STEP <= end; end -= STEP) setWords(end - STEP + by, wordsAt(end - STEP));
    for (; at < end; end -= 4) store<u32>(end - 4 + by, load<u32>(end - 4));
  }
}

/** Whether a pair that goes from one state to the other keeps the tick since when it has a seat or waits for one. */
@inline
function isSinceBefore(before: u32, state: u32): bool {
  return (before & (SEATED | FORCED)) != 0 || (before & state & WAITING) != 0;
}
