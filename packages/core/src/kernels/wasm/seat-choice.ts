// Which candidates get a seat. Part of seat-search.ts.
import { CIRCLE } from '../layouts/perception';
import * as words from '../layouts/seat-search';
import { WIDTH, allFloats, allWords, floatsAt, greatestLane, mul, raised, root, setFloats, setWords, wordsAt, wordsUnless } from './lanes';
import { column, floatAt, setFloat, setWord, wordAt } from './job';
import {
  addSeated, clearCandidates, count, DROPPED, isAnyChanged, keepCandidates, kinds, openCandidates, PROTECTED, ranks, SEATED, setRow, slots,
  squares, states, worstSeated,
} from './seat-candidates';
import { beCalmTo, farthestSeen, slackBetween, step } from './seat-calm';
import { change, enter, leave, leaveOutranked } from './seat-changes';
import { slackOf } from './seat-ends';
import { endSlack, forcedCount, goneCount, isProtectedAt, openEnds, protectedOf, readOrdinary, readRow, worstOpen } from './seat-row';
import { bestDropped, dropNobody, dropped, droppedCount, dropWorst, keepFirst, openOrder } from './seat-order';
import { bestOther, farthestReach, guessedReach, leastWeight, search, slackOfOthers } from './seat-window';
import {
  factor, isMarker, longestReach, row, rowSize, rowStates, serial, shape, stamps, watcher, watcherSeats, watcherSees, weightOf, weights,
} from './seat-watcher';

/**
 * How many times as far as the last cutoff newcomers are searched at first if a seat is free, and if none is; and by how much the distance
 * then grows. If none is, the worst seat is rarely as far as that, and there is one search.
 */
const GUESS: f32 = 1.2;
const FULL_GUESS: f32 = 2;
const FARTHER: f32 = 1.6;
/**
 * A watcher that may be calm looks this share beyond its cutoff. It may be if steps are short: at most this share of what separates two
 * seats, and of the bonus.
 */
const BEYOND: f32 = 0.1;
const SHORT: f32 = 0.125;
/** A border that all ranks are beyond. */
const LEAST_BORDER: f32 = 1e-30;

let borders: usize = 0;
let seatedCount: u32 = 0;
/** Whether the candidates are the row as it was, element by element. */
let isOrdinary: bool = false;
/** Whether the watcher may be calm, so that its slack is worth its cost. */
let mayBeCalm: bool = false;

export function openChoice(job: usize): void {
  openCandidates(job);
  borders = column(job, words.BORDERS);
  openOrder(job);
}

/**
 * Makes candidates of all markers of the row that stay, in their present states. Their squared distances are known; with weights,
 * their ranks, too.
 */
function addOrdinary(): void {
  for (let i: u32 = 0; i < rowSize; i++) setWord(stamps, wordAt(row, i), serial);
  if (goneCount > 0) {
    isOrdinary = false;
    for (let i: u32 = 0; i < rowSize; i++) addIfStaying(i);
    return;
  }
  const factors = allFloats(factor);
  for (let i: u32 = 0; i < rowSize; i += WIDTH) {
    const at = <usize>i << 2;
    setWords(slots + at, wordsAt(row + at));
    if (weights == 0) setFloats(ranks + at, mul(root(floatsAt(squares + at)), factors));
    setWords(kinds + at, wordsUnless(protectedOf(i), allWords(SEATED)));
  }
  setRow(rowSize, worstOpen * factor);
}

function addIfStaying(i: u32): void {
  const squared = floatAt(squares, i);
  const marker = wordAt(row, i);
  const state = wordAt(rowStates, i);
  if (squared == Infinity) leave(marker, state);
  else addSeated(marker, steadyRankOf(marker, squared), squared, state, state, isProtectedAt(i));
}

/** The rank, with the bonus, of a usual marker. */
@inline
function steadyRankOf(marker: u32, squared: f32): f32 {
  return (Mathf.sqrt(squared) / weightOf(marker)) * factor;
}

/** Assigns the seats, and stores the changes as edits. */
export function chooseSeats(): void {
  mayBeCalm = areStepsShort();
  openEnds(mayBeCalm && shape == CIRCLE);
  isOrdinary = seesPlain() && readOrdinary(squares, ranks);
  if (isOrdinary) addOrdinary();
  else readRow();
  const seats: u32 = watcherSeats > forcedCount ? watcherSeats - forcedCount : 0;
  seatedCount = count;
  if (seats > 0) findNewcomers(seats);
  dropNobody();
  if (count > seats) dropWorst(count - seats, floatAt(borders, watcher));
  if (isAnyChanged) writeStates();
  writeSeats(seats);
  if (mayBeCalm) settle(seats);
  clearCandidates();
}

/** Leapers find only watchers that are markers. */
function areStepsShort(): bool {
  if (!isMarker(watcher)) return false;
  if (step == 0) return true;
  const border = floatAt(borders, watcher);
  return shape == CIRCLE && <f32>step < border * SHORT * (1 / <f32>max<u32>(watcherSeats, 1) + (1 - factor));
}

/** The seats are decided: computes for how long. */
function settle(seats: u32): void {
  const worst = floatAt(borders, watcher);
  const isFull = count - droppedCount >= seats;
  // If a seat is free, any marker that comes into reach gets it.
  let slack: f64 = 0;
  if (seats == 0) {
    // All seats are held by force: no marker can get one, and the others have none to lose.
    setFloat(borders, watcher, LEAST_BORDER);
    slack = Infinity;
  } else if (isFull) {
    const best = droppedCount > 0 ? min(bestOther, bestDropped) : bestOther;
    if (!(worst > 0 && worst <= best && best < Infinity)) return;
    slack = slackBetween(worst, best, weights == 0 ? 1 : min(leastWeight, leastOfCandidates()));
    // A marker that has just gone out of reach is as near to it as can be.
    if (goneCount > 0) slack = 0;
  }
  if (shape != CIRCLE) slack = 0;
  for (let i = seatedCount; i < count; i++) {
    if ((wordAt(kinds, i) & DROPPED) == 0) slack = min(slack, slackOf(wordAt(slots, i), Mathf.sqrt(floatAt(squares, i))));
  }
  const seen = farthestSeen();
  const to = isFull && forcedCount == 0 ? min(<f64>(floatAt(borders, watcher) / factor), seen) : seen;
  beCalmTo(min(slack, min(endSlack, seats == 0 ? Infinity : slackOfOthers)), to);
}

function leastOfCandidates(): f32 {
  let least: f32 = Infinity;
  for (let i: u32 = 0; i < count; i++) {
    const weight = weightOf(wordAt(slots, i));
    if (weight > 0) least = min(least, weight);
  }
  return least;
}

/** As `findOthers` in seat-search.ts. */
export function chooseOthers(wanted: u32, worst: f32, known: u32): u32 {
  for (let i: u32 = 0; i < known; i++) setWord(stamps, wordAt(slots, i), serial);
  seatedCount = 0;
  const isFull = worst < Infinity;
  if (!isFull) findNewcomers(wanted);
  else if (worst > 0) search(worst, 0, wanted);
  if (count > wanted) keepFirst(0, wanted);
  // How far to search the next time.
  if (isFull) setBorder(true, worst);
  else setBorder(count >= wanted, greatestFrom(0));
  const found = count;
  clearCandidates();
  return found;
}

/** Whether plain markers are met; other rows are read pair by pair. */
function seesPlain(): bool {
  return (watcherSees & 1) != 0;
}

/** Stores which markers lost a seat, and which got one. */
function writeSeats(seats: u32): void {
  for (let k: u32 = 0; k < droppedCount; k++) {
    const i = wordAt(dropped, k);
    if (i < seatedCount) leaveOutranked(wordAt(slots, i), stateBefore(i), stateAfter(i));
  }
  for (let i = seatedCount; i < count; i++) {
    const marker = wordAt(slots, i);
    if ((wordAt(kinds, i) & DROPPED) == 0) enter(marker, load<u32>(states + (<usize>i << 3)));
  }
  // From now on newcomers have the bonus, too.
  setBorder(count >= seats, max(greatestOf(ranks, seatedCount), greatestFrom(seatedCount) * factor));
}

/** Stores the changed states of markers that stay. */
function writeStates(): void {
  for (let i: u32 = 0; i < seatedCount; i++) {
    if ((wordAt(kinds, i) & DROPPED) != 0) continue;
    change(wordAt(slots, i), stateBefore(i), stateAfter(i));
  }
}

@inline
function stateBefore(i: u32): u32 {
  return isOrdinary ? wordAt(rowStates, i) : load<u32>(states + (<usize>i << 3), 4);
}

@inline
function stateAfter(i: u32): u32 {
  return isOrdinary ? wordAt(rowStates, i) : load<u32>(states + (<usize>i << 3));
}

/** The greatest of the first `to` ranks in a column. */
function greatestOf(column: usize, to: u32): f32 {
  let lanes = allFloats(-1);
  let i: u32 = 0;
  for (; i + WIDTH <= to; i += WIDTH) lanes = raised(lanes, floatsAt(column + (<usize>i << 2)));
  let greatest = greatestLane(lanes);
  for (; i < to; i++) greatest = max(greatest, floatAt(column, i));
  return greatest;
}

/** The worst rank of the newcomers that get a seat. */
function greatestFrom(from: u32): f32 {
  let greatest: f32 = -1;
  for (let i = from; i < count; i++) greatest = max(greatest, floatAt(ranks, i));
  return greatest;
}

/** 0 if it is unknown: seats are free, or a seat belongs to a marker with infinite rank. */
function setBorder(isFull: bool, border: f32): void {
  setFloat(borders, watcher, isFull && border < Infinity ? border : 0);
}

/**
 * Searches for newcomers up to the distance at which one may get a seat. If all seats are taken, a newcomer must rank before the worst
 * seat that is not protected: with equal ranks the incumbent keeps the seat. If one is free, it is as far as the watcher perceives.
 * Where enough are nearer, nobody looks that far: the incumbents of a watcher that leaped may be anywhere.
 */
function findNewcomers(seats: u32): void {
  const isFull = count >= seats;
  if (isFull && !(worstSeated > 0)) {
    mayBeCalm = false;
    return;
  }
  const most = isFull ? worstSeated : min(longestReach(1, 0), farthestReach());
  const last = floatAt(borders, watcher);
  let worst: f32 = (last > 0 ? last : guessedReach(seats)) * (isFull ? FULL_GUESS : GUESS);
  while (worst < most) {
    search(worst, 0, seats);
    if (isEnough(worst, seats)) return;
    keepCandidates(seatedCount);
    worst *= FARTHER;
  }
  if (isFull) search(worstSeated, mayBeCalm ? worstSeated * (1 + BEYOND) : 0, seats);
  else search(Infinity, 0, seats);
}

/** Whether there are enough candidates for all seats up to the searched rank. */
function isEnough(worst: f32, seats: u32): bool {
  let within: u32 = count - seatedCount;
  for (let i: u32 = 0; i < seatedCount; i++) within += <u32>(floatAt(ranks, i) <= worst || wordAt(kinds, i) == PROTECTED);
  return within >= seats;
}
