// Quotas of a whole row: which of them a marker belongs to, and how many candidates each has. Part of seat-search.ts.
//
// The meaning is in ../../interest/rules/quotas.ts. Pairs outside the band (seat-band.ts) are no candidates. They are counted apart: some
// keep their seats, and the others get none.
import { NO_CAP } from '../layouts/entity-flags';
import { LAYERS } from '../layouts/perception';
import * as words from '../layouts/seat-search';
import { column, setWord, word, wordAt } from './job';
import { DROPPED, count, kinds, squares } from './seat-candidates';
import { now, rule } from './seat-watcher';

const NO_CAP_WORD: u32 = NO_CAP;

let layers: usize = 0;
let quotas: usize = 0;
/** By quota, the number of its candidates. */
let counted: usize = 0;
/** By quota, of the pairs outside the band: how many there are, and how many of them keep their seats. */
let outside: usize = 0;
let kept: usize = 0;
/** The quotas of the current watcher. */
let own: usize = 0;
export let quotaCount: u32 = 0;

export function openQuotas(job: usize): void {
  layers = column(now, LAYERS);
  quotas = column(job, words.QUOTAS);
  counted = job + (words.QUOTA_COUNTS << 2);
  outside = job + (words.QUOTA_OUTSIDE << 2);
  kept = job + (words.QUOTA_KEPT << 2);
}

/** Loads the quotas of the current watcher. */
export function openOwnQuotas(): void {
  own = quotas + (<usize>word(rule, words.RULE_FIRST_QUOTA) << 3);
  quotaCount = word(rule, words.RULE_QUOTA_COUNT);
  for (let q: u32 = 0; q < quotaCount; q++) {
    setWord(counted, q, 0);
    setWord(outside, q, 0);
    setWord(kept, q, 0);
  }
}

/** The first quota that shares a layer with a marker; `quotaCount` if there is none. */
export function quotaOf(marker: u32): u32 {
  const ofMarker: u32 = layers == 0 ? 1 : wordAt(layers, marker);
  let q: u32 = 0;
  while (q < quotaCount && (layersOf(q) & ofMarker) == 0) q++;
  return q;
}

@inline
function layersOf(q: u32): u32 {
  return load<u32>(own + (<usize>q << 3));
}

@inline
export function capOf(q: u32): u32 {
  return load<u32>(own + (<usize>q << 3), 4);
}

/** Stores which quota a candidate belongs to, in place of its squared distance. */
export function noteQuota(candidate: u32, q: u32): void {
  setWord(squares, candidate, q);
  if (q < quotaCount) setWord(counted, q, wordAt(counted, q) + 1);
}

/** Stores how many pairs of a quota are no candidates, and how many of them keep their seats. */
export function noteOutside(q: u32, total: u32, keeping: u32): void {
  setWord(outside, q, total);
  setWord(kept, q, keeping);
}

/** How many more pairs fit, whatever their quota; below 0 if a quota has too many. */
export function leftInQuotas(): i64 {
  let left: i64 = <i64>NO_CAP_WORD;
  for (let q: u32 = 0; q < quotaCount; q++) left = min(left, <i64>capOf(q) - <i64>wordAt(counted, q) - <i64>wordAt(outside, q));
  return left;
}

/** How many candidates of a quota may get a seat. */
@inline
export function placesOf(q: u32): u32 {
  const taken = wordAt(kept, q);
  return capOf(q) > taken ? capOf(q) - taken : 0;
}

@inline
export function isOverQuota(q: u32): bool {
  return wordAt(counted, q) > placesOf(q);
}

/** Counts the candidates that are not dropped, by quota. */
export function countByQuota(): void {
  for (let q: u32 = 0; q < quotaCount; q++) setWord(counted, q, 0);
  if (quotaCount == 0) return;
  for (let i: u32 = 0; i < count; i++) {
    const quota = wordAt(squares, i);
    if ((wordAt(kinds, i) & DROPPED) == 0 && quota < quotaCount) setWord(counted, quota, wordAt(counted, quota) + 1);
  }
}
