// The cap's order of candidates, and who comes last in it: the order of interest/rules/cap.ts. Part of seat-search.ts.
import * as words from '../layouts/seat-search';
import { WIDTH, allFloats, allWords, areUnequal, bitsOf, both, floatsAt, isAtLeast, wordsAt } from './lanes';
import { column, setFloat, setWord, wordAt } from './job';
import { DROPPED, NEW, PROTECTED, count, keepCandidates, kinds, moveCandidate, ranks, slots } from './seat-candidates';
import { isListed, listLeaver } from './seat-near';

/** Numbers of candidates: first of those that may have to go, then of those that do. */
export let dropped: usize = 0;
export let droppedCount: u32 = 0;
let keys: usize = 0;

export function openOrder(job: usize): void {
  dropped = column(job, words.CANDIDATE_DROPPED);
  keys = column(job, words.CANDIDATE_KEY);
  droppedCount = 0;
}

export function dropNobody(): void {
  droppedCount = 0;
}

/** Of the newcomers, which begin at `from`, keeps only the first so many; answers the number of the last of those. */
export function keepFirst(from: u32, kept: u32): u32 {
  const total = count - from;
  for (let k: u32 = 0; k < total; k++) store<u64>(keys + (<usize>k << 3), keyOf(from + k));
  const last = select(total, kept - 1);
  let to = from;
  let lastAt = from;
  for (let i = from; i < from + total; i++) {
    const key = keyOf(i);
    if (key > last) {
      if (isListed) listLeaver(wordAt(slots, i));
      continue;
    }
    if (key == last) lastAt = to;
    moveCandidate(i, to++);
  }
  keepCandidates(to);
  return lastAt;
}

/** Who ranks so far from where seats ended is sure of one. */
const SURE: f32 = 0.9;

/** Drops those that come last. `last`: where seats ended. */
export function dropWorst(drops: u32, last: f32): void {
  droppedCount = 0;
  let listed = listFrom(last * SURE);
  // Who is protected is not among them.
  if (listed < drops) listed = listAll();
  for (let k: u32 = 0; k < listed; k++) store<u64>(keys + (<usize>k << 3), keyOf(wordAt(dropped, k)));
  const first = select(listed, listed - drops);
  for (let k: u32 = 0; k < listed; k++) {
    const i = wordAt(dropped, k);
    if (keyOf(i) < first) continue;
    setWord(kinds, i, wordAt(kinds, i) | DROPPED);
    setWord(dropped, droppedCount++, i);
  }
  // Only now, since ranks are in the keys.
  for (let k: u32 = 0; k < droppedCount; k++) setFloat(ranks, wordAt(dropped, k), -1);
}

/** Lists the numbers of all who rank from there on, but for those protected; answers how many. */
function listFrom(least: f32): u32 {
  const from = allFloats(least);
  let listed: u32 = 0;
  for (let i: u32 = 0; i < count; i += WIDTH) {
    const at = <usize>i << 2;
    const areOpen = areUnequal(wordsAt(kinds + at), allWords(PROTECTED));
    let found = bitsOf(both(isAtLeast(floatsAt(ranks + at), from), areOpen));
    if (count - i < WIDTH) found &= (1 << (count - i)) - 1;
    for (; found != 0; found &= found - 1) setWord(dropped, listed++, i + ctz(found));
  }
  return listed;
}

function listAll(): u32 {
  for (let i: u32 = 0; i < count; i++) setWord(dropped, i, i);
  return count;
}

/** One number for the whole order: smaller ones come first. Ranks are not negative, so that their bits ascend with them. */
@inline
function keyOf(i: u32): u64 {
  const kind = wordAt(kinds, i);
  return (<u64>(kind != PROTECTED) << 62) | (<u64>wordAt(ranks, i) << 31) | (<u64>(kind == NEW) << 30) | <u64>wordAt(slots, i);
}

/** Of so many keys, the one before which there are so many smaller ones: quickselect. */
function select(total: u32, before: u32): u64 {
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
