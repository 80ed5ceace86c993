// Which pairs of a row can change hands. Part of seat-search.ts.
//
//   rank ->   | seats that stay |      the band: any of these may get a seat      | markers that get none |
//                               ^ the best marker without a seat     the worst seat ^
//
// Most pairs of a row are plain: seated or not, and perceived as before. Their ranks are computed four at a time, and only those in the band
// become candidates. Usually there are none. With quotas, each has a band of its own. All other pairs are odd: seat-whole.ts reads them one by
// one. The row of a searched watcher holds its seats only, and what is perceived as before is tested: seat-choice.ts.
import { ASKED, CANDIDATE, REFUSED, RELATED, SEATED as HAS_SEAT } from '../layouts/pair-state';
import { TOUCHED } from '../layouts/pending-bits';
import * as words from '../layouts/seat-search';
import { column, floatAt, setFloat, setWord, wordAt } from './job';
import {
  EVERY_LANE, Floats, Mask, WIDTH, Words, allFloats, allWords, areEqual, areUnequal, bitAnd, bitOr, bitsOf, both, chosen, differ, div, either, firstLane, floatsAt, floatsOf,
  floatsUnless, greatestLane, isAtLeast, isAtMost, isBelow, lowered, minus, mul, nowhere, raised, root, setFloats, shiftedDown, sub, wordsAt, wordsOf,
} from './lanes';
import { NEW, PROTECTED, addSeated, addUnseated, count, keepCandidates, kinds, ranks, squares, worstSeated } from './seat-candidates';
import { shareOf } from './seat-calm';
import { SIMPLY_SEATED } from './seat-changes';
import { raisedByEnds } from './seat-ends';
import { dropped } from './seat-order';
import { capOf, noteOutside, noteQuota, quotaCount, quotaOf } from './seat-quotas';
import {
  areUsual, dwell, factor, isVolatile, margin, row, rowSinces, rowSize, rowStates, sensesOfLanes, squaresTo, tick, watcherSees, weights, weightsOf,
} from './seat-watcher';

const FLAGS: u32 = 0xffff0000;
const SENSES: u32 = 255;
const NO_SEAT: u32 = ~(HAS_SEAT | RELATED);
/** Seats beyond this share of the border are compared, so that the watcher has slack afterwards. */
const NEAR: f32 = 0.9;
/** A rank that is not above this is finite. */
const GREATEST: f32 = f32.MAX_VALUE;

let pending: usize = 0;
/** By pair of the row: the rank of a plain one, NaN for any other. */
let ranksOfRow: usize = 0;
/** Scratch: the quotas of plain pairs, and by quota the columns of the job. */
let classes: usize = 0;
let classPlain: usize = 0;
let classSeated: usize = 0;
let classWorst: usize = 0;
let classBest: usize = 0;

export function openBand(job: usize): void {
  pending = column(job, words.PENDING);
  ranksOfRow = column(job, words.ROW_RANKS);
  classes = column(job, words.RUN);
  classPlain = job + (words.CLASS_PLAIN << 2);
  classSeated = job + (words.CLASS_SEATED << 2);
  classWorst = job + (words.CLASS_WORST << 2);
  classBest = job + (words.CLASS_BEST << 2);
}

/** Of all plain pairs: how many there are, and how many of them are seated. */
let plainCount: u32 = 0;
export let plainSeated: u32 = 0;
/** How many pairs are odd. Their indexes are listed in `dropped`. */
export let oddCount: u32 = 0;
/** Of plain pairs, by lane: the worst rank of the seats that dwell does not protect, and the best of the others. */
let worstLanes: Floats = allFloats(0);
let bestLanes: Floats = allFloats(0);
let laneRanks: Floats = allFloats(0);
/** By lane: the worst rank of the seats that dwell protects, and the least weight of plain pairs. */
let protectedLanes: Floats = allFloats(0);
let weightLanes: Floats = allFloats(1);

/** The flag that `admit` leaves in the state of a pair that it admitted; 0 if there is no `admit`. */
let admitted: u32 = 0;
/** Whether the ranks of plain pairs are their distances, which a user's function will turn into ranks. */
let areDistances: bool = false;

/** There are no plain pairs and no odd ones. */
export function clearMeasures(): void {
  worstLanes = allFloats(0);
  bestLanes = allFloats(Infinity);
  protectedLanes = allFloats(-1);
  weightLanes = allFloats(Infinity);
  plainCount = 0;
  plainSeated = 0;
  oddCount = 0;
}

/**
 * Ranks the plain pairs of the current watcher's row, and lists the odd ones. Pairs that `admit` refused are neither plain nor odd: they
 * stay as they are. `isRanked`: by their distances, for a user's function.
 */
export function measureRow(hasAdmit: bool, isRanked: bool): void {
  admitted = hasAdmit ? ASKED : 0;
  areDistances = isRanked;
  clearMeasures();
  let i: u32 = 0;
  for (; i + WIDTH <= rowSize; i += WIDTH) {
    const at = <usize>i << 2;
    measure(i, wordsAt(row + at), wordsAt(rowStates + at), EVERY_LANE);
    setFloats(ranksOfRow + at, laneRanks);
  }
  for (; i < rowSize; i++) {
    // A single pair is loaded into every lane.
    const at = <usize>i << 2;
    measure(i, wordsOf(row + at), wordsOf(rowStates + at), 1);
    store<f32>(ranksOfRow + at, firstLane(laneRanks));
  }
  if (quotaCount > 0) classify();
}

/** For a row in which each candidate has its seat, with room for all that crossed: lists the odd pairs only. */
export function listOdd(): void {
  admitted = 0;
  oddCount = 0;
  let i: u32 = 0;
  for (; i + WIDTH <= rowSize; i += WIDTH) listUnless(arePlainlySeated(wordsAt(rowStates + (<usize>i << 2))), i, EVERY_LANE);
  for (; i < rowSize; i++) listUnless(arePlainlySeated(wordsOf(rowStates + (<usize>i << 2))), i, 1);
}

/** Whether pairs have a seat, and are perceived by just the senses that count. */
@inline
function arePlainlySeated(before: Words): Mask {
  const exact = bitAnd(before, allWords(SENSES));
  const areHeld = areUnequal(bitAnd(shiftedDown(before, 8), allWords(SENSES)), exact);
  const areSeated = areEqual(seatFlags(before), allWords(SIMPLY_SEATED));
  return without(areSeated, either(areHeld, areEqual(exact, allWords(0))));
}

/** The flags of pairs. A seat that awaits mutual consent has those of one that does not: only mutual.ts makes a difference. */
@inline
function seatFlags(before: Words): Words {
  return bitOr(bitAnd(before, allWords(FLAGS)), allWords(RELATED));
}

@inline
function listUnless(arePlain: Mask, i: u32, used: u32): void {
  for (let odd = ~bitsOf(arePlain) & used; odd != 0; odd &= odd - 1) setWord(dropped, oddCount++, i + ctz(odd));
}

/** Measures the pairs of a row from element i on. `used`: the lanes that count. */
@inline
function measure(i: u32, markers: Words, before: Words, used: u32): void {
  const exact = bitAnd(before, allWords(SENSES));
  const areHeld = areUnequal(bitAnd(shiftedDown(before, 8), allWords(SENSES)), exact);
  const areLingering = areEqual(exact, allWords(0));
  const flags = bitAnd(before, allWords(FLAGS));
  const areSeated = areEqual(seatFlags(before), allWords(SIMPLY_SEATED | admitted));
  const areFree = areEqual(flags, allWords(CANDIDATE | admitted));
  const distance = root(squaresTo(markers));
  const own = weightsOf(markers);
  const rank = weights == 0 || areDistances ? distance : div(distance, own);
  const areByMore = either(areHeld, areLingering);
  const arePlain = both(without(either(areSeated, areFree), areByMore), isAtMost(rank, allFloats(GREATEST)));
  const steady = areDistances ? rank : mul(rank, allFloats(factor));
  laneRanks = chosen(arePlain, chosen(areSeated, steady, rank), allFloats(NaN));
  const plain = bitsOf(arePlain) & used;
  plainCount += popcnt(plain);
  plainSeated += popcnt(bitsOf(areSeated) & plain);
  const open = both(arePlain, areSeated);
  const areProtected = protectedOf(i, used);
  worstLanes = raised(worstLanes, chosen(open, floatsUnless(areProtected, steady), allFloats(0)));
  bestLanes = lowered(bestLanes, chosen(both(arePlain, areFree), rank, allFloats(Infinity)));
  if (dwell > 0) protectedLanes = raised(protectedLanes, chosen(both(open, areProtected), steady, allFloats(-1)));
  if (weights != 0) weightLanes = lowered(weightLanes, chosen(arePlain, own, allFloats(Infinity)));
  let others = plain ^ used;
  if (admitted != 0) others &= ~bitsOf(without(areEqual(flags, allWords(ASKED | REFUSED)), areByMore));
  for (let odd = others; odd != 0; odd &= odd - 1) setWord(dropped, oddCount++, i + ctz(odd));
}

/** By lane: the greatest negative slack of plain pairs (seat-ends.ts), where that is wanted. */
let endLanes: Floats = allFloats(-Infinity);

/**
 * As `measureRow`, for a searched watcher: a pair is plain if it has a seat, and the watcher perceives the marker in the same senses as before.
 * Returns, if that is wanted (`isMeasuring`), how much any distance may change before the senses of a plain pair do.
 */
export function measureSeats(isMeasuring: bool): f64 {
  clearMeasures();
  endLanes = allFloats(-Infinity);
  let i: u32 = 0;
  for (; i + WIDTH <= rowSize; i += WIDTH) {
    const at = <usize>i << 2;
    measureSeat(i, wordsAt(row + at), wordsAt(rowStates + at), EVERY_LANE, isMeasuring);
    setFloats(ranksOfRow + at, laneRanks);
  }
  for (; i < rowSize; i++) {
    const at = <usize>i << 2;
    measureSeat(i, wordsOf(row + at), wordsOf(rowStates + at), 1, isMeasuring);
    store<f32>(ranksOfRow + at, firstLane(laneRanks));
  }
  return -<f64>greatestLane(endLanes);
}

@inline
function measureSeat(i: u32, markers: Words, before: Words, used: u32, isMeasuring: bool): void {
  laneRanks = allFloats(NaN);
  let plain: u32 = 0;
  if ((watcherSees & 1) != 0 && areUsual(markers)) {
    const squared = squaresTo(markers);
    const senses = sensesOfLanes(markers, squared, shiftedDown(before, 8));
    const flags = bitAnd(before, allWords(FLAGS));
    // A pair that awaits mutual consent is treated like any other, except that no margin holds it.
    const mayLack: u32 = margin == 0 ? RELATED : 0;
    const areSeated = areEqual(bitOr(flags, allWords(mayLack)), allWords(SIMPLY_SEATED));
    const areGone = areEqual(bitAnd(senses, allWords(0xff00)), allWords(0));
    const arePlain = without(both(areSeated, areEqual(bitOr(senses, flags), before)), areGone);
    const distance = root(squared);
    const own = weightsOf(markers);
    const steady = mul(weights == 0 ? distance : div(distance, own), allFloats(factor));
    laneRanks = chosen(arePlain, steady, allFloats(NaN));
    plain = bitsOf(arePlain) & used;
    const open = chosen(arePlain, steady, allFloats(0));
    const areProtected = protectedOf(i, used);
    worstLanes = raised(worstLanes, floatsUnless(areProtected, open));
    if (dwell > 0) protectedLanes = raised(protectedLanes, chosen(both(arePlain, areProtected), steady, allFloats(-1)));
    if (weights != 0) weightLanes = lowered(weightLanes, chosen(arePlain, own, allFloats(Infinity)));
    if (isMeasuring) endLanes = raised(endLanes, chosen(arePlain, raisedByEnds(allFloats(-Infinity), distance, markers), allFloats(-Infinity)));
  }
  plainCount += popcnt(plain);
  plainSeated = plainCount;
  for (let odd = plain ^ used; odd != 0; odd &= odd - 1) setWord(dropped, oddCount++, i + ctz(odd));
}

/** Which seats, from element i of the row on, are protected by dwell. `used`: the lanes that count; if not all do, every lane holds seat i. */
@inline
function protectedOf(i: u32, used: u32): Mask {
  if (dwell == 0) return nowhere();
  const at = rowSinces + (<usize>i << 2);
  const age = minus(allWords(tick), used == EVERY_LANE ? wordsAt(at) : wordsOf(at));
  return isBelow(age, allWords(dwell));
}

@inline
export function isProtectedAt(i: u32): bool {
  return dwell > 0 && tick - wordAt(rowSinces, i) < dwell;
}

/** Of plain pairs that have a seat, the worst rank of those that dwell does not protect. */
export function worstOfPlain(): f32 {
  return greatestLane(worstLanes);
}

/** How many plain pairs of a searched watcher rank no worse than that, or are protected by dwell. */
export function countWithin(worst: f32): u32 {
  let within: u32 = 0;
  for (let i: u32 = 0; i < rowSize; i++) {
    const rank = floatAt(ranksOfRow, i);
    within += <u32>(rank <= worst || (rank >= 0 && isProtectedAt(i)));
  }
  return within;
}

/** Element i of the row crossed: if it was plain, it is no longer. */
export function takeOut(i: u32): void {
  const rank = floatAt(ranksOfRow, i);
  if (rank != rank) return;
  setFloat(ranksOfRow, i, NaN);
  plainCount--;
  const isSeated = <u32>hasSeat(i);
  plainSeated -= isSeated;
  if (quotaCount == 0) return;
  const q = wordAt(classes, i);
  setWord(classPlain, q, wordAt(classPlain, q) - 1);
  setWord(classSeated, q, wordAt(classSeated, q) - isSeated);
}

@inline
function hasSeat(i: u32): bool {
  return (wordAt(rowStates, i) & HAS_SEAT) != 0;
}

/** Stores to which quota each plain pair belongs, and counts and ranks by quota. */
function classify(): void {
  for (let q: u32 = 0; q <= quotaCount; q++) {
    setWord(classPlain, q, 0);
    setWord(classSeated, q, 0);
    setFloat(classWorst, q, 0);
    setFloat(classBest, q, Infinity);
  }
  for (let i: u32 = 0; i < rowSize; i++) {
    const rank = floatAt(ranksOfRow, i);
    if (rank != rank) continue;
    const q = quotaOf(wordAt(row, i));
    setWord(classes, i, q);
    setWord(classPlain, q, wordAt(classPlain, q) + 1);
    if (!hasSeat(i)) setFloat(classBest, q, min(floatAt(classBest, q), rank));
    else {
      setWord(classSeated, q, wordAt(classSeated, q) + 1);
      if (!isProtectedAt(i)) setFloat(classWorst, q, max(floatAt(classWorst, q), rank));
    }
  }
}

/** Whether `admit` is called again for all pairs of an entity. */
@inline
export function isAskedAnew(slot: u32): bool {
  return (<u32>load<u8>(pending + slot) & TOUCHED) != 0 || isVolatile(slot);
}

/** How many plain pairs are not candidates; and how many of them keep their seats. */
export let outsideCount: u32 = 0;
export let keptCount: u32 = 0;

/** Of the plain pairs outside the band, no seat ranks worse than the first, and no other pair better than the second. */
let bandSeats: f32 = 0;
export let bandBest: f32 = 0;

/** With quotas: how much any rank may change before a pair without a seat may get one. Below 0 if one gets a seat. */
export let quotaShare: f64 = 0;

/** As `bandSeats`, with the seats that dwell protects. */
export function bandWorst(): f32 {
  return max(bandSeats, worstProtected());
}

/** No plain seat that dwell protects ranks worse; below 0 if there is none. A seat that crossed since may still count. */
export function worstProtected(): f32 {
  return greatestLane(protectedLanes);
}

/** No plain pair has a smaller weight. */
export function leastWeight(): f32 {
  return weights == 0 ? 1 : -greatestLane(sub(allFloats(0), weightLanes));
}

/**
 * Makes candidates of the plain pairs that may get or lose a seat. `seats`: how many there are; all other pairs are candidates, newcomers
 * too. `likely`: a rank from which on there are probably enough seats to lose; 0 if nothing is known.
 */
export function addBand(seats: u32, likely: f32): void {
  const explicit = count;
  if (quotaCount > 0) addBands(seats);
  else addOneBand(seats, likely);
  outsideCount = plainCount - (count - explicit);
  keptCount = plainSeated;
  for (let c = explicit; c < count; c++) if (wordAt(kinds, c) != NEW) keptCount--;
}

/**
 * With quotas. Where a quota is full, a pair without a seat may get one if it ranks before the worst seat of that quota. Where it is not:
 * if a seat is free, or if it ranks before the worst seat of all. A seat may be lost if it ranks no better than the best of these pairs.
 */
function addBands(seats: u32): void {
  let seated = plainSeated;
  for (let c: u32 = 0; c < count; c++) {
    const q = wordAt(squares, c);
    const rank = floatAt(ranks, c);
    if (wordAt(kinds, c) == NEW) setFloat(classBest, q, min(floatAt(classBest, q), rank));
    else {
      seated++;
      setWord(classSeated, q, wordAt(classSeated, q) + 1);
      if (wordAt(kinds, c) != PROTECTED) setFloat(classWorst, q, max(floatAt(classWorst, q), rank));
    }
  }
  // More seats than there may be: the cap or a quota is less than it was.
  let isMore = seated > seats;
  let worst: f32 = 0;
  for (let q: u32 = 0; q <= quotaCount; q++) {
    if (q < quotaCount && wordAt(classSeated, q) > capOf(q)) isMore = true;
    worst = max(worst, floatAt(classWorst, q));
  }
  let best: f32 = isMore ? -1 : Infinity;
  quotaShare = isMore ? -1 : Infinity;
  for (let q: u32 = 0; q <= quotaCount; q++) {
    const isFull = q < quotaCount && wordAt(classSeated, q) == capOf(q);
    if (isMore || !isFull) setFloat(classWorst, q, !isMore && seated == seats ? worst : Infinity);
    const first = floatAt(classBest, q);
    if (first < floatAt(classWorst, q)) best = min(best, first);
    if (first < Infinity) quotaShare = min(quotaShare, shareOf(floatAt(classWorst, q), first));
  }
  for (let c: u32 = 0; c < count; c++) {
    const q = wordAt(squares, c);
    if (wordAt(kinds, c) != NEW) setWord(classSeated, q, wordAt(classSeated, q) - 1);
  }
  if (best < Infinity) for (let i: u32 = 0; i < rowSize; i++) addIfBetween(i, best, isMore);
  for (let q: u32 = 0; q < quotaCount; q++) noteOutside(q, wordAt(classPlain, q), wordAt(classSeated, q));
}

function addIfBetween(i: u32, best: f32, withProtected: bool): void {
  const rank = floatAt(ranksOfRow, i);
  if (rank != rank) return;
  const q = wordAt(classes, i);
  const isSeated = hasSeat(i);
  if (isSeated ? rank < best || (!withProtected && isProtectedAt(i)) : rank > floatAt(classWorst, q)) return;
  setWord(classPlain, q, wordAt(classPlain, q) - 1);
  setWord(classSeated, q, wordAt(classSeated, q) - <u32>isSeated);
  addPlain(i);
  noteQuota(count - 1, q);
}

/** Without quotas. */
function addOneBand(seats: u32, likely: f32): void {
  let best = -greatestLane(sub(allFloats(0), bestLanes));
  let seated = plainSeated;
  for (let c: u32 = 0; c < count; c++) {
    if (wordAt(kinds, c) == NEW) best = min(best, floatAt(ranks, c));
    else seated++;
  }
  const worst = max(greatestLane(worstLanes), worstSeated);
  const isFull = seated >= seats;
  bandSeats = isFull && worst <= best ? worst : best;
  bandBest = isFull ? max(worst, best) : Infinity;
  if (seated == seats && worst <= best) return;
  const explicit = count;
  const isMore = seated > seats;
  // More seats than there may be: the cap is less than it was, or more relate by force. Usually by few, which are near the border.
  const first = isMore ? bandSeats * NEAR : likely;
  if (isMore || likely > bandSeats) {
    addBetween(first, bandBest, false);
    if (areEnoughFrom(first, seats, seated)) {
      bandSeats = first;
      return;
    }
    keepCandidates(explicit);
  }
  if (isMore) {
    bandSeats = -1;
    bandBest = Infinity;
  }
  addBetween(bandSeats, bandBest, isMore);
}

/** Whether as many candidates as must be dropped rank no better than that, and are not protected by dwell. */
function areEnoughFrom(rank: f32, seats: u32, seated: u32): bool {
  let open: u32 = 0;
  let total = seated;
  for (let c: u32 = 0; c < count; c++) {
    open += <u32>(floatAt(ranks, c) >= rank && wordAt(kinds, c) != PROTECTED);
    total += <u32>(wordAt(kinds, c) == NEW);
  }
  return open + seats >= total;
}

/** Makes candidates of all plain pairs. */
export function addAllPlain(): void {
  for (let i: u32 = 0; i < rowSize; i++) {
    const rank = floatAt(ranksOfRow, i);
    if (rank != rank) continue;
    addPlain(i);
    if (quotaCount > 0) noteQuota(count - 1, wordAt(classes, i));
  }
}

/** Adds the plain seats that rank no better than `best`, and the other plain pairs that rank no worse than `worst`. */
function addBetween(best: f32, worst: f32, withProtected: bool): void {
  let i: u32 = 0;
  for (; i + WIDTH <= rowSize; i += WIDTH) {
    const at = <usize>i << 2;
    let found = bitsOf(areBetween(i, floatsAt(ranksOfRow + at), wordsAt(rowStates + at), best, worst, withProtected));
    for (; found != 0; found &= found - 1) addPlain(i + ctz(found));
  }
  for (; i < rowSize; i++) {
    const at = <usize>i << 2;
    // Only the first lane counts: the ages in the others are those of the pairs that follow.
    if ((bitsOf(areBetween(i, floatsOf(ranksOfRow + at), wordsOf(rowStates + at), best, worst, withProtected)) & 1) != 0) addPlain(i);
  }
}

/** Where `mask` is set and `other` is not. */
@inline
function without(mask: Mask, other: Mask): Mask {
  return differ(mask, both(mask, other));
}

@inline
function areBetween(i: u32, rank: Floats, before: Words, best: f32, worst: f32, withProtected: bool): Mask {
  const areFree = areEqual(bitAnd(before, allWords(HAS_SEAT)), allWords(0));
  const areWorse = isAtLeast(rank, allFloats(best));
  const mayLose = withProtected ? areWorse : without(areWorse, protectedOf(i, EVERY_LANE));
  return either(both(areFree, isAtMost(rank, allFloats(worst))), without(mayLose, areFree));
}

function addPlain(i: u32): void {
  const rank = floatAt(ranksOfRow, i);
  const before = wordAt(rowStates, i);
  if ((before & HAS_SEAT) != 0) {
    addSeated(wordAt(row, i), rank, 0, before & NO_SEAT, before, isProtectedAt(i));
    return;
  }
  addUnseated(wordAt(row, i), rank, 0, before, before);
}
