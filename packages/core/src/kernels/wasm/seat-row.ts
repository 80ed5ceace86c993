// Reads the row of the current watcher: which of its markers are still candidates, and at what rank. Part of seat-search.ts.
//
// Four lanes at a time while every pair is ordinary: a usual marker that is perceived as before. Otherwise pair by pair.
import { FORCED, RELATED, SEATED } from '../layouts/pair-state';
import {
  Floats, Mask, WIDTH, Words, allFloats, allWords, areEqual, bitAnd, bitOr, bitsOf, both, chosen, div, either, firstLane,
  floatsUnless, greatestLane, isBelow, isEverywhere, minus, mul, nowhere, raised, root, setFloats, shiftedDown, wordsAt, wordsOf,
} from './lanes';
import { setFloat, setWord, wordAt } from './job';
import { SIMPLY_SEATED, change, leave } from './seat-changes';
import { addSeated } from './seat-candidates';
import {
  areUsual, dwell, factor, margin, pairSquared, rankAt, row, rowSinces, rowSize, rowStates, sensesNow, sensesOfLanes, serial, squaresTo, stamps, tick,
  weightOf, weights, weightsOf,
} from './seat-watcher';
import { raisedByEnds, slackOf } from './seat-ends';

/**
 * How many pairs of the row relate by force: by a pin, by a group, or as markers that are shown always. They take seats, and keep
 * them whatever their rank.
 */
export let forcedCount: u32 = 0;
/** Whether `endSlack` is wanted: how much any distance may change before a marker of the row is perceived otherwise. */
let isMeasuring: bool = false;
export let endSlack: f64 = Infinity;

/** Call before `readRow` or `readOrdinary`. */
export function openEnds(isWanted: bool): void {
  isMeasuring = isWanted;
  endSlack = Infinity;
}

export function readRow(): void {
  forcedCount = 0;
  goneCount = 0;
  endSlack = Infinity;
  for (let i: u32 = 0; i < rowSize; i++) readOne(i);
}

// Of the last lanes: squared distances, and which markers are no longer perceived.
let laneSquares: Floats = allFloats(0);
let lanesGone: Mask = nowhere();

/** Whether these pairs are usual markers with seats that are perceived as before, or no longer perceived. */
@inline
function areOrdinary(markers: Words, before: Words): bool {
  if (!areUsual(markers)) return false;
  const squared = squaresTo(markers);
  const senses = sensesOfLanes(markers, squared, shiftedDown(before, 8));
  const gone = areEqual(bitAnd(senses, allWords(0xff00)), allWords(0));
  const flags = bitAnd(before, allWords(0xffff0000));
  const isAsBefore = areEqual(bitOr(senses, flags), before);
  // A pair that awaits mutual consent is treated like any other, except that no margin holds it.
  const mayLack: u32 = margin == 0 ? RELATED : 0;
  const wasSeated = areEqual(bitOr(flags, allWords(mayLack)), allWords(SIMPLY_SEATED));
  laneSquares = chosen(gone, allFloats(Infinity), squared);
  lanesGone = gone;
  return isEverywhere(both(wasSeated, either(gone, isAsBefore)));
}

/** Which seats, from element i of the row on, are protected by dwell. */
@inline
export function protectedOf(i: u32): Mask {
  if (dwell == 0) return nowhere();
  const age = minus(allWords(tick), wordsAt(rowSinces + (<usize>i << 2)));
  return isBelow(age, allWords(dwell));
}

@inline
export function isProtectedAt(i: u32): bool {
  return dwell > 0 && tick - wordAt(rowSinces, i) < dwell;
}

// Results of `readOrdinary`: the worst rank, without the bonus, of the markers that stay and are not protected, and how many do not
// stay.
export let worstOpen: f32 = 0;
export let goneCount: u32 = 0;

/**
 * Writes the squared distances of the row's markers, and infinity for a marker that is no longer perceived; with weights, also the
 * ranks, with the bonus, of all that stay. False if any pair is not ordinary: not a usual marker, related by force, without a
 * seat, or perceived in other senses than before.
 */
export function readOrdinary(squares: usize, ranks: usize): bool {
  forcedCount = 0;
  goneCount = 0;
  let ends = allFloats(-Infinity);
  // Without weights, squares are compared, which saves the roots.
  let worst = allFloats(0);
  let i: u32 = 0;
  for (; i + WIDTH <= rowSize; i += WIDTH) {
    const at = <usize>i << 2;
    const markers = wordsAt(row + at);
    if (!areOrdinary(markers, wordsAt(rowStates + at))) return false;
    setFloats(squares + at, laneSquares);
    const squared = floatsUnless(lanesGone, laneSquares);
    const stays = weights == 0 ? squared : div(root(squared), weightsOf(markers));
    if (weights != 0) setFloats(ranks + at, mul(stays, allFloats(factor)));
    worst = raised(worst, floatsUnless(protectedOf(i), stays));
    if (isMeasuring) ends = raisedByEnds(ends, root(squared), markers);
    goneCount += popcnt(bitsOf(lanesGone));
  }
  worstOpen = weights == 0 ? Mathf.sqrt(greatestLane(worst)) : greatestLane(worst);
  for (; i < rowSize; i++) {
    // A single pair is loaded into every lane.
    const at = <usize>i << 2;
    if (!areOrdinary(wordsOf(row + at), wordsOf(rowStates + at))) return false;
    const squared = firstLane(laneSquares);
    store<f32>(squares + at, squared);
    if (squared == Infinity) {
      goneCount++;
      continue;
    }
    const rank: f32 = Mathf.sqrt(squared) / weightOf(wordAt(row, i));
    if (weights != 0) setFloat(ranks, i, rank * factor);
    if (!isProtectedAt(i)) worstOpen = max(worstOpen, rank);
    if (isMeasuring) endSlack = min(endSlack, slackOf(wordAt(row, i), Mathf.sqrt(squared)));
  }
  if (isMeasuring) endSlack = min(endSlack, <f64>-greatestLane(ends));
  return true;
}

function readOne(i: u32): void {
  const marker = wordAt(row, i);
  const state = wordAt(rowStates, i);
  setWord(stamps, marker, serial);
  if ((state & (SEATED | FORCED)) == 0) {
    // A pair without a seat, from the time when the row held all that the watcher perceives. It leaves the row, which is not
    // reported.
    setWord(stamps, marker, 0);
    leave(marker, 0);
    return;
  }
  const senses = sensesNow(marker, state);
  const distance: f32 = Mathf.sqrt(pairSquared);
  if (isMeasuring) endSlack = min(endSlack, slackOf(marker, distance));
  if ((state & FORCED) != 0) {
    forcedCount++;
    change(marker, state, (state & ~0xffff) | senses);
    return;
  }
  if (senses == 0) {
    goneCount++;
    leave(marker, state);
    return;
  }
  let rank = rankAt(marker, distance);
  if (rank < Infinity) rank = rank * factor;
  const isAwaiting = (state & RELATED) == 0;
  const kept = isAwaiting ? SIMPLY_SEATED & ~RELATED : SIMPLY_SEATED;
  addSeated(marker, rank, pairSquared, senses | kept, state, isProtectedAt(i));
}
