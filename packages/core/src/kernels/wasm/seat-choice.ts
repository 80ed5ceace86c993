// The seats of a searched watcher: its row holds its seats, and newcomers are searched. Part of seat-search.ts.
//
//   row -> plain seats, in lanes (seat-band.ts), and odd ones, one by one -> newcomers (seat-window.ts) -> those near the cutoff, in the
//     cap's order -> edits
import { FORCED, RELATED, SEATED as HAS_SEAT } from '../layouts/pair-state';
import { CIRCLE } from '../layouts/perception';
import * as words from '../layouts/seat-search';
import { column, floatAt, setFloat, setWord, wordAt } from './job';
import {
  addBand, bandWorst, clearMeasures, countWithin, isProtectedAt, keptCount, leastWeight as leastOfPlain, measureSeats, oddCount, plainSeated, takeOut, worstOfPlain,
} from './seat-band';
import { beCalmTo, farthestSeen, slackBetween, step } from './seat-calm';
import {
  DROPPED, NEW, PROTECTED, addSeated, clearCandidates, count, keepCandidates, kinds, openCandidates, ranks, slots, squares, states, worstSeated,
} from './seat-candidates';
import { SIMPLY_SEATED, change, enter, enterAs, leave, leaveOutranked } from './seat-changes';
import { slackOf } from './seat-ends';
import { EVERY, dropLast, dropNobody, dropped as odd, keepFirst, openOrder } from './seat-order';
import { openOwnQuotas } from './seat-quotas';
import {
  NOBODY, factor, isMarker, longestReach, pairSquared, placeOf, rankAt, row, rowSize, rowStates, sensesNow, serial, shape, stamps, takeTurned, turnedAt, watcher, watcherSeats, weightOf, weights,
} from './seat-watcher';
import { bestOther, farthestReach, guessedReach, leastWeight, search, slackOfOthers } from './seat-window';

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
/** Usually, enough candidates have a rank of at least this share of the last cutoff. */
const LIKELY: f32 = 0.95;
/** A border that all ranks are beyond. */
const LEAST_BORDER: f32 = 1e-30;

let borders: usize = 0;
/** How many candidates are odd seats of the row: they come first. */
let oddSeats: u32 = 0;
/**
 * How many pairs of the row relate by force: by a pin, by a group, or as markers that are shown always. They take seats, and keep
 * them whatever their rank.
 */
let forcedCount: u32 = 0;
/** How many seats were lost because their markers are no longer perceived. */
let goneCount: u32 = 0;
/** Whether the watcher may be calm, so that its slack is worth its cost. */
let mayBeCalm: bool = false;
/** How much any distance may change before a marker of the row is perceived otherwise; only where that is measured. */
let isMeasuring: bool = false;
let endSlack: f64 = Infinity;

export function openChoice(job: usize): void {
  openCandidates(job);
  borders = column(job, words.BORDERS);
  openOrder(job);
}

/** Assigns the seats, and stores the changes as edits. */
export function chooseSeats(): void {
  mayBeCalm = areStepsShort();
  isMeasuring = mayBeCalm && shape == CIRCLE;
  openOwnQuotas();
  readRow();
  const seats: u32 = watcherSeats > forcedCount ? watcherSeats - forcedCount : 0;
  if (seats > 0) findNewcomers(seats);
  dropNobody();
  addBand(seats, floatAt(borders, watcher) * LIKELY);
  const open: u32 = seats > keptCount ? seats - keptCount : 0;
  if (count > open) dropLast(EVERY, open);
  writeSeats(seats);
  clearCandidates();
}

/** Leapers find only watchers that are markers. */
function areStepsShort(): bool {
  if (!isMarker(watcher)) return false;
  if (step == 0) return true;
  const border = floatAt(borders, watcher);
  return shape == CIRCLE && <f32>step < border * SHORT * (1 / <f32>max<u32>(watcherSeats, 1) + (1 - factor));
}

/** Makes candidates of the odd seats. Searches pass over all markers of the row. */
function readRow(): void {
  forcedCount = 0;
  goneCount = 0;
  for (let i: u32 = 0; i < rowSize; i++) setWord(stamps, wordAt(row, i), serial);
  endSlack = measureSeats(isMeasuring);
  let k: u32 = 0;
  let marker = min(oddAt(k), turnedAt());
  while (marker != NOBODY) {
    const i = oddAt(k) == marker ? wordAt(odd, k++) : placeOf(marker);
    const isKnown = i < rowSize && wordAt(row, i) == marker;
    const state = isKnown ? wordAt(rowStates, i) : 0;
    const force = turnedAt() == marker ? takeTurned() : state & FORCED;
    if (isKnown) takeOut(i);
    // Blocked markers, which are stamped, do not enter.
    if (isKnown || wordAt(stamps, marker) != serial) readPair(marker, i, state, force);
    marker = min(oddAt(k), turnedAt());
  }
  oddSeats = count;
}

function oddAt(k: u32): u32 {
  return k < oddCount ? wordAt(row, wordAt(odd, k)) : NOBODY;
}

/** Reads element i of the row, or a marker that is not in the row and relates by force from now on. `force`: by which it relates now. */
function readPair(marker: u32, i: u32, state: u32, force: u32): void {
  if (((state & HAS_SEAT) | force | (state & FORCED)) == 0) {
    // A pair without a seat, from the time when the row held all that the watcher perceives. It leaves the row, which is not
    // reported.
    setWord(stamps, marker, 0);
    leave(marker, 0);
    return;
  }
  // What ceases to relate by force, the margin holds in every sense.
  const senses = sensesNow(marker, force == 0 && (state & FORCED) != 0 ? state | 0xff00 : state);
  const distance: f32 = Mathf.sqrt(pairSquared);
  if (isMeasuring) endSlack = min(endSlack, slackOf(marker, distance));
  if (force != 0) {
    forcedCount++;
    setWord(stamps, marker, serial);
    const after = senses | force | RELATED;
    if (state == 0) enterAs(marker, after);
    else change(marker, state, after);
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

/**
 * Stores which markers lost a seat, which got one, and which changed; the border, to which the next search goes; and for how long the watcher
 * may be calm.
 */
function writeSeats(seats: u32): void {
  // No seat ranks worse; newcomers have the bonus, too, from now on. No other candidate ranks better.
  let worst = bandWorst();
  let best = bestOther;
  let least: f32 = weights == 0 ? 1 : min(leastWeight, leastOfPlain());
  let slack: f64 = min(endSlack, seats == 0 ? Infinity : slackOfOthers);
  let seated = keptCount;
  for (let i: u32 = 0; i < count; i++) {
    const kind = wordAt(kinds, i);
    const marker = wordAt(slots, i);
    const rank = floatAt(ranks, i);
    const before = load<u32>(states + (<usize>i << 3), 4);
    const after = load<u32>(states + (<usize>i << 3));
    if (weights != 0 && weightOf(marker) > 0) least = min(least, weightOf(marker));
    if ((kind & DROPPED) != 0) {
      best = min(best, rank);
      if (kind != (NEW | DROPPED)) leaveOutranked(marker, before, after);
      continue;
    }
    seated++;
    worst = max(worst, kind == NEW ? rank * factor : rank);
    if (kind != NEW) {
      change(marker, before, after | (before & (HAS_SEAT | RELATED)));
      continue;
    }
    enter(marker, after);
    if (isMeasuring) slack = min(slack, slackOf(marker, Mathf.sqrt(floatAt(squares, i))));
  }
  const isFull = seated >= seats;
  // 0 if it is unknown: seats are free, or a seat belongs to a marker with infinite rank.
  setFloat(borders, watcher, isFull && worst < Infinity ? max<f32>(worst, 0) : 0);
  if (mayBeCalm) settle(seats, isFull, worst, best, least, slack);
}

/** The seats are decided: computes for how long. `slack`: how much any distance may change before the senses of any pair do. */
function settle(seats: u32, isFull: bool, worst: f32, best: f32, least: f32, slack: f64): void {
  let own = slack;
  // If a seat is free, any marker that comes into reach gets it.
  if (!isFull) own = 0;
  else if (seats == 0) {
    // All seats are held by force: no marker can get one, and the others have none to lose.
    setFloat(borders, watcher, LEAST_BORDER);
  } else {
    if (!(worst > 0 && worst <= best && best < Infinity)) return;
    // A marker that has just gone out of reach is as near to it as can be.
    own = goneCount > 0 ? 0 : min(own, slackBetween(worst, best, least));
  }
  if (shape != CIRCLE) own = 0;
  const seen = farthestSeen();
  const to = isFull && forcedCount == 0 ? min(<f64>(floatAt(borders, watcher) / factor), seen) : seen;
  beCalmTo(own, to);
}

/** As `findOthers` in seat-search.ts. */
export function chooseOthers(wanted: u32, worst: f32, known: u32): u32 {
  for (let i: u32 = 0; i < known; i++) setWord(stamps, wordAt(slots, i), serial);
  clearMeasures();
  oddSeats = 0;
  const isFull = worst < Infinity;
  if (!isFull) findNewcomers(wanted);
  else if (worst > 0) search(worst, 0, wanted);
  if (count > wanted) keepFirst(0, wanted);
  // How far to search the next time.
  let border: f32 = isFull ? worst : -1;
  for (let i: u32 = 0; !isFull && i < count; i++) border = max(border, floatAt(ranks, i));
  setFloat(borders, watcher, (isFull || count >= wanted) && border < Infinity ? border : 0);
  const found = count;
  clearCandidates();
  return found;
}

/**
 * Searches for newcomers up to the distance at which one may get a seat. If all seats are taken, a newcomer must rank before the worst
 * seat that is not protected: with equal ranks the incumbent keeps the seat. If one is free, it is as far as the watcher perceives.
 * Where enough are nearer, nobody looks that far: the incumbents of a watcher that leaped may be anywhere.
 */
function findNewcomers(seats: u32): void {
  const isFull = plainSeated + oddSeats >= seats;
  const worstSeat = max(worstOfPlain(), worstSeated);
  if (isFull && !(worstSeat > 0)) {
    mayBeCalm = false;
    return;
  }
  const most = isFull ? worstSeat : min(longestReach(1, 0), farthestReach());
  const last = floatAt(borders, watcher);
  let worst: f32 = (last > 0 ? last : guessedReach(seats)) * (isFull ? FULL_GUESS : GUESS);
  while (worst < most) {
    search(worst, 0, seats);
    if (isEnough(worst, seats)) return;
    keepCandidates(oddSeats);
    worst *= FARTHER;
  }
  if (isFull) search(worstSeat, mayBeCalm ? worstSeat * (1 + BEYOND) : 0, seats);
  else search(Infinity, 0, seats);
}

/** Whether there are enough candidates for all seats up to the searched rank. */
function isEnough(worst: f32, seats: u32): bool {
  let within = count - oddSeats + (plainSeated > 0 ? countWithin(worst) : 0);
  for (let i: u32 = 0; i < oddSeats; i++) within += <u32>(floatAt(ranks, i) <= worst || wordAt(kinds, i) == PROTECTED);
  return within >= seats;
}
