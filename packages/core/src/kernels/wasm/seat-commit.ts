// Applies the edits of the watchers that a kernel decided, now that the tick has succeeded. Part of seat-search.ts.
//
//   EDITED     all pairs stay in the row: threads share these watchers, and what a thread left half done is done again
//   RESHAPED   pairs enter or leave: row and edits are merged, by one thread
import { FORCED, RELATED, SEATED, WAITING } from '../layouts/pair-state';
import * as words from '../layouts/seat-search';
import { column, setWord, word, wordAt } from './job';
import { editEnds, firstEdits, isLeaving, markerOf, openEdits, stateOf } from './seat-changes';

// The columns of all rows.
let tick: u32 = 0;
let starts: usize = 0;
let sizes: usize = 0;
let markers: usize = 0;
let states: usize = 0;
let sinces: usize = 0;
let reporteds: usize = 0;
/** The element of the row at which `commitStaying` stopped. */
let reached: u32 = 0;

/**
 * Applies the edits of the listed watchers from index `from` to `to`, of those with a standing in `COMMITTED`. Rows have enough room. What was
 * done of watchers that are EDITED can be done again, from any point at which it was interrupted. Returns `to`.
 */
export function commitSeats(job: usize, from: u32, to: u32): u32 {
  openEdits(job);
  openRows(job);
  const asked = column(job, words.ASKED_LIST);
  const standing = column(job, words.STANDING);
  const committed = word(job, words.COMMITTED);
  for (let i = from; i < to; i++) {
    const slot = wordAt(asked, i);
    if (((committed >>> <u32>load<u8>(standing + slot)) & 1) != 0) commitRow(job, slot);
  }
  return to;
}

function openRows(job: usize): void {
  tick = word(job, words.TICK);
  starts = column(job, words.PAIR_START);
  sizes = column(job, words.PAIR_SIZE);
  markers = column(job, words.PAIR_MARKER);
  states = column(job, words.PAIR_STATE);
  sinces = column(job, words.PAIR_SINCE);
  reporteds = column(job, words.PAIR_REPORTED);
}

/** Applies the edits of a row up to the first that enters or leaves. Returns that one, or `to`. */
function commitStaying(slot: u32, from: u32, to: u32): u32 {
  const start = <usize>wordAt(starts, slot) << 2;
  const ownMarkers = markers + start;
  const ownStates = states + start;
  const count = wordAt(sizes, slot);
  let i: u32 = 0;
  let e = from;
  for (; e < to; e++) {
    const marker = markerOf(e);
    while (i < count && wordAt(ownMarkers, i) < marker) i++;
    if (isLeaving(e) || i == count || wordAt(ownMarkers, i) != marker) break;
    const before = wordAt(ownStates, i);
    const state = stateOf(e);
    // Done before an interruption.
    if (before == state) continue;
    if (!isSinceBefore(before, state)) setWord(sinces + start, i, tick);
    if ((before & RELATED) == 0) setWord(reporteds + start, i, tick);
    // Last: until all else is written, the former state says that this is not done.
    setWord(ownStates, i, state);
  }
  reached = i;
  return e;
}

/**
 * Pairs before the first that enters or leaves keep their places. From there on, row and edits are merged into scratch, and the result is
 * copied back.
 */
function commitRow(job: usize, slot: u32): void {
  const to = wordAt(editEnds, slot);
  let e = commitStaying(slot, wordAt(firstEdits, slot), to);
  if (e == to) return;
  const start = <usize>wordAt(starts, slot) << 2;
  const ownMarkers = markers + start;
  const ownStates = states + start;
  const ownSinces = sinces + start;
  const ownReporteds = reporteds + start;
  const count = wordAt(sizes, slot);
  let i = reached;
  const newMarkers = column(job, words.CANDIDATE_SLOT);
  const newStates = column(job, words.CANDIDATE_RANK);
  const newSinces = column(job, words.CANDIDATE_KIND);
  const newReporteds = column(job, words.CANDIDATE_STATE);
  const kept = i;
  let k: u32 = 0;
  for (; e < to; e++) {
    const marker = markerOf(e);
    while (i < count && wordAt(ownMarkers, i) < marker) {
      setWord(newMarkers, k, wordAt(ownMarkers, i));
      setWord(newStates, k, wordAt(ownStates, i));
      setWord(newSinces, k, wordAt(ownSinces, i));
      setWord(newReporteds, k++, wordAt(ownReporteds, i++));
    }
    const state = stateOf(e);
    const isKnown = i < count && wordAt(ownMarkers, i) == marker;
    if (!isLeaving(e)) {
      const before = isKnown ? wordAt(ownStates, i) : 0;
      setWord(newMarkers, k, marker);
      setWord(newStates, k, state);
      setWord(newSinces, k, isSinceBefore(before, state) ? wordAt(ownSinces, i) : tick);
      setWord(newReporteds, k++, (before & RELATED) != 0 ? wordAt(ownReporteds, i) : tick);
    }
    i += <u32>isKnown;
  }
  const at = kept + k;
  const rest = count - i;
  // Usually as many markers enter as leave: then the pairs after the last edit stay in place, too.
  if (at != i) {
    moveWords(ownMarkers, at, i, rest);
    moveWords(ownStates, at, i, rest);
    moveWords(ownSinces, at, i, rest);
    moveWords(ownReporteds, at, i, rest);
  }
  copyWords(ownMarkers + (<usize>kept << 2), newMarkers, k);
  copyWords(ownStates + (<usize>kept << 2), newStates, k);
  copyWords(ownSinces + (<usize>kept << 2), newSinces, k);
  copyWords(ownReporteds + (<usize>kept << 2), newReporteds, k);
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
