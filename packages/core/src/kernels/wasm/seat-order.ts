// The cap's order of candidates, and which come last in it: the order of interest/rules/cap.ts. Part of seat-search.ts.
import * as words from '../layouts/seat-search';
import { column, setFloat, setWord, wordAt } from './job';
import { DROPPED, NEW, PROTECTED, SEATED, count, keepCandidates, kinds, moveCandidate, ranks, slots, squares } from './seat-candidates';

/** Indexes of candidates: first of those that may be dropped, then of those that are. */
export let dropped: usize = 0;
export let droppedCount: u32 = 0;
/** Scratch: 64 bits each. */
export let keys: usize = 0;

export function openOrder(job: usize): void {
  dropped = column(job, words.CANDIDATE_DROPPED);
  keys = column(job, words.CANDIDATE_KEY);
  droppedCount = 0;
}

export function dropNobody(): void {
  droppedCount = 0;
}

/** Counts the dropped candidates again. */
export function countDropped(): void {
  droppedCount = 0;
  for (let i: u32 = 0; i < count; i++) droppedCount += <u32>((wordAt(kinds, i) & DROPPED) != 0);
}

/** Of the newcomers, which begin at `from`, keeps only the first `kept`. Returns the index of the last of these. */
export function keepFirst(from: u32, kept: u32): u32 {
  const total = count - from;
  for (let k: u32 = 0; k < total; k++) store<u64>(keys + (<usize>k << 3), keyOf(from + k));
  const last = select(total, kept - 1);
  let to = from;
  let lastAt = from;
  for (let i = from; i < from + total; i++) {
    const key = keyOf(i);
    if (key > last) continue;
    if (key == last) lastAt = to;
    moveCandidate(i, to++);
  }
  keepCandidates(to);
  return lastAt;
}

/** In place of a quota's number: all candidates. */
export const EVERY: u32 = 0xffffffff;

/**
 * Drops all candidates of a quota, or of all, after the first `kept`; there are more than that. The quotas of candidates lie in
 * the column of squares.
 */
export function dropLast(quota: u32, kept: u32): void {
  let listed: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    setWord(dropped, listed, i);
    listed += <u32>isAmong(i, quota);
  }
  dropListed(listed, kept);
}

/** Of the listed candidates, drops all after the first `kept`; there are more than that. Lists these in place of the others. */
function dropListed(listed: u32, kept: u32): void {
  for (let k: u32 = 0; k < listed; k++) store<u64>(keys + (<usize>k << 3), keyOf(wordAt(dropped, k)));
  const first = select(listed, kept);
  let to: u32 = 0;
  for (let k: u32 = 0; k < listed; k++) {
    const i = wordAt(dropped, k);
    if (keyOf(i) < first) continue;
    setWord(kinds, i, wordAt(kinds, i) | DROPPED);
    setWord(dropped, to++, i);
  }
  droppedCount += to;
}

/** Whether a candidate is not dropped, and belongs to that quota. */
@inline
function isAmong(i: u32, quota: u32): bool {
  return ((wordAt(kinds, i) & DROPPED) == 0) & ((quota == EVERY) | (wordAt(squares, i) == quota));
}

// Of the candidates that a user's function ranked: how many have a seat, the worst rank of those that dwell does not protect, and the best of
// the others.
let incumbents: u32 = 0;
let worst: f64 = 0;
let best: f64 = 0;

/** Call before `rankByGiven`. Returns whether the seats by the cap alone are those that candidates have already. */
export function keepsSeats(places: u32): bool {
  incumbents = 0;
  worst = -Infinity;
  best = Infinity;
  for (let i: u32 = 0; i < count; i++) {
    const rank = givenRank(i);
    const kind = wordAt(kinds, i);
    incumbents += <u32>(kind != NEW);
    if (kind == NEW) best = min(best, rank);
    else if (kind == SEATED) worst = max(worst, rank);
  }
  return incumbents == places && worst <= best;
}

/**
 * Ranks the candidates by the float64 in their keys: ranks become whole numbers in the same order, and equal ranks stay equal.
 * `isByCapOnly`: seats depend only on this order and their number. Then, if all seats are taken, newcomers that no incumbent can lose its
 * seat to are dropped; and only those that may get or lose a seat are compared with each other. The others keep the rank 0.
 */
export function rankByGiven(places: u32, isByCapOnly: bool): void {
  const isFull = isByCapOnly && incumbents >= places;
  const isRoomy = isByCapOnly && incumbents <= places;
  let listed: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const rank = givenRank(i);
    const isNew = wordAt(kinds, i) == NEW;
    setFloat(ranks, i, 0);
    if (isNew && isFull && rank >= worst) {
      setWord(kinds, i, NEW | DROPPED);
      droppedCount++;
    } else if (isNew || !isRoomy || rank > best) setWord(dropped, listed++, i);
  }
  sortGiven(listed);
}

/** Ranks the listed candidates, by a sort with gaps (Shell sort). Those that are not listed come before, and have the rank 0. */
function sortGiven(listed: u32): void {
  let gap: u32 = 1;
  while (gap < listed / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3) {
    for (let k = gap; k < listed; k++) {
      const i = wordAt(dropped, k);
      const rank = givenRank(i);
      let to = k;
      for (; to >= gap && givenRank(wordAt(dropped, to - gap)) > rank; to -= gap) setWord(dropped, to, wordAt(dropped, to - gap));
      setWord(dropped, to, i);
    }
  }
  let before: f32 = 1;
  for (let k: u32 = 0; k < listed; k++) {
    const i = wordAt(dropped, k);
    if (k > 0 && givenRank(i) > givenRank(wordAt(dropped, k - 1))) before += 1;
    setFloat(ranks, i, before);
  }
}

@inline
function givenRank(i: u32): f64 {
  return load<f64>(keys + (<usize>i << 3));
}

/** One number for the whole order: smaller keys come first. Ranks are not negative, so their bits ascend with them. */
@inline
export function keyOf(i: u32): u64 {
  const kind = wordAt(kinds, i);
  return (<u64>(kind != PROTECTED) << 62) | (<u64>wordAt(ranks, i) << 31) | (<u64>(kind == NEW) << 30) | <u64>wordAt(slots, i);
}

/** Of `total` keys, the one with `before` smaller ones: quickselect. */
export function select(total: u32, before: u32): u64 {
  let low = keys;
  let high = keys + (<usize>(total - 1) << 3);
  const wanted = keys + (<usize>before << 3);
  while (low < high) {
    const pivot = load<u64>(low + (((high - low) >>> 4) << 3));
    let i = low;
    let j = high;
    while (i <= j) {
      while (load<u64>(i) < pivot) i += 8;
      while (load<u64>(j) > pivot) j -= 8;
      if (i > j) break;
      const held = load<u64>(i);
      store<u64>(i, load<u64>(j));
      store<u64>(j, held);
      i += 8;
      j -= 8;
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else break;
  }
  return load<u64>(wanted);
}
