// The seats of a watcher whose row holds all that it perceives, not only its seats. Part of seat-search.ts.
//
//   row as it was + what crossed -> candidates near the cutoffs (seat-band.ts), in the cap's order
//     -> quota by quota (seat-quotas.ts), then the cap -> the enter budget -> edits
//
// If a user's function ranks, all pairs are candidates: `readWhole` lists them, TypeScript calls the function, `seatWhole` goes on.
//
// Follows interest/row-decider.ts, for rows that depend only on perception, margin, rank, dwell, quotas and the enter budget, and on forces
// that are unchanged or listed as turned; `admit` was called for the pairs that crossed, were touched or are volatile. Any other row is left to
// row-decider.ts: one in which a pair begins to linger under a pin or a group, or under mutual consent, or one in which `admit` must be called for another pair.
import { NO_CAP } from '../layouts/entity-flags';
import { HEAVY, ONCE } from '../layouts/looks';
import { ASKED, BLOCKED, CANDIDATE, FORCED, REFUSED, RELATED, SEATED as HAS_SEAT, WAITING } from '../layouts/pair-state';
import { MOVED, TOUCHED } from '../layouts/pending-bits';
import * as words from '../layouts/seat-search';
import { column, floatAt, setWord, word, wordAt } from './job';
import { heldByMargin, isMarginHeld, meets } from './perception';
import { addAllPlain, addBand, bandBest, bandWorst, isAskedAnew, isProtectedAt, keptCount, leastWeight, listOdd, measureRow, oddCount, openBand, outsideCount, quotaShare, takeOut, worstProtected } from './seat-band';
import { holdBack } from './seat-budget';
import { DROPPED, NEW, PROTECTED, WAITS, addSeated, addUnseated, clearCandidates, count, kinds, ranks, slots, states } from './seat-candidates';
import { beCalmBetween, beCalmUnread, step } from './seat-calm';
import { change, countLeaving, enterAs, forgetEdits, isAnyEdited, leave, openRow } from './seat-changes';
import { slackInMargin } from './seat-ends';
import { countByQuota, isOverQuota, leftInQuotas, noteQuota, openOwnQuotas, openQuotas, placesOf, quotaCount, quotaOf } from './seat-quotas';
import { EVERY, countDropped, dropLast, dropNobody, dropped as odd, droppedCount, keepsSeats, rankByGiven } from './seat-order';
import {
  NOBODY, dwell, factor, isPresent, margin, now, placeOf, rankAt, row, rowSize, rowStates, rule, serial, squareTo, stamps, takeTurned, turnedAt, turnedLeft, watcher, watcherSeats,
  weightOf,
} from './seat-watcher';

const NO_BUDGET: u32 = NO_CAP;
/** The state of a pair that is seated without any sense. */
const LINGERS: u32 = HAS_SEAT | RELATED | CANDIDATE;

let crossings: usize = 0;
let crossingCount: u32 = 0;
/** The crossings of the current watcher. */
let next: u32 = 0;
let end: u32 = 0;
let lastHidden: usize = 0;
let limits: usize = 0;
let mayLast: bool = false;
let hasAdmit: bool = false;
/** Whether a user's function ranks the candidates: until it has, their ranks are distances. */
let isRanked: bool = false;
/** Whether a user's function ranks plain pairs only, and nothing else in the row matters. */
let areAllPlain: bool = false;
/** Whether only those plain pairs become candidates that may get or lose a seat. */
let isBanded: bool = false;
/** How many pairs fit into the row, if each has its seat and all that crossed fit, too; else 0. */
let room: u32 = 0;
let pending: usize = 0;
let looks: usize = 0;
let formerLimits: usize = 0;
let forcedCount: u32 = 0;
/** How much any distance may change before the margin ends for a pair of the current watcher. 0: it may end without that. */
let endSlack: f64 = Infinity;
/** Whether `admit` was called for all pairs of the current watcher that are perceived. */
let isAllAsked: bool = false;

export function openCrossings(job: usize): void {
  crossings = column(job, words.CROSSINGS);
  crossingCount = word(job, words.CROSSING_COUNT);
  next = 0;
}

export function openWhole(job: usize): void {
  openCrossings(job);
  lastHidden = column(job, words.LAST_HIDDEN);
  openBand(job);
  openQuotas(job);
  limits = column(job, words.LIMITS);
  formerLimits = column(job, words.ROOM_LIMITS);
  looks = column(job, words.LOOKS);
  pending = column(job, words.PENDING);
}

/** Whether a watcher has crossings. Call in ascending order of watchers. */
export function crosses(slot: u32): bool {
  while (next < crossingCount && watcherOf(next) < slot) next++;
  return next < crossingCount && watcherOf(next) == slot;
}

/** Finds the current watcher's crossings. Returns the most edits that it may have. */
export function mostEdits(): u32 {
  next = firstFrom(watcher, next);
  end = firstFrom(watcher + 1, next);
  return rowSize + end - next + turnedLeft();
}

/** The first crossing, from index `from` on, of that watcher or a later one. */
function firstFrom(slot: u32, from: u32): u32 {
  let low = from;
  let high = crossingCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (watcherOf(middle) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

@inline
function watcherOf(c: u32): u32 {
  return load<u32>(crossings + (<usize>c << 3), 4) >>> 10;
}

@inline
function markerOf(c: u32): u32 {
  const at = crossings + (<usize>c << 3);
  return ((load<u32>(at, 4) & 1023) << 12) | (load<u32>(at) >>> 20);
}

/**
 * Assigns the seats, and stores the changes as edits. Call `mostEdits` first. False if TypeScript must decide: then nothing was
 * stored.
 */
export function chooseWhole(): bool {
  openRow();
  openRule();
  // For the function, TypeScript calls `readWhole`.
  return endWhole(!isRanked && readAll() && seatAll());
}

function endWhole(isDecided: bool): bool {
  if (!isDecided) forgetEdits();
  clearCandidates();
  return isDecided;
}

/**
 * As `chooseWhole`, for a watcher whose candidates a user's function ranks. Returns how many candidates there are, if there are more
 * than seats: `seatWhole` continues when they are ranked. 0: the seats are assigned. `NOT_DECIDED`: TypeScript must decide.
 */
export function readWhole(): u32 {
  openRow();
  openRule();
  const isRead = readAll();
  if (isRead && isOver(placesLeft(), count, leftInQuotas())) return count;
  return endWhole(isRead && seatAll()) ? 0 : words.NOT_DECIDED;
}

/** Assigns the seats. The function's ranks lie in the keys of the candidates, as float64. False: as for `chooseWhole`. */
export function seatWhole(): bool {
  const isByCapOnly = quotaCount == 0 && word(rule, words.RULE_BUDGET) == NO_BUDGET;
  if (keepsSeats(placesLeft()) && isByCapOnly && areAllPlain) {
    // The usual case: every pair stays as it is.
    setWord(limits, watcher, 0);
    return endWhole(true);
  }
  rankByGiven(placesLeft(), isByCapOnly);
  return endWhole(seatAll());
}

function openRule(): void {
  mayLast = word(rule, words.RULE_LINGER) != 0;
  hasAdmit = word(rule, words.RULE_HAS_ADMIT) != 0;
  isRanked = word(rule, words.RULE_HAS_RANK) != 0;
  openOwnQuotas();
  dropNobody();
  forcedCount = 0;
  endSlack = Infinity;
}

/** Reads row and crossings side by side, by marker. False if TypeScript must decide. */
function readAll(): bool {
  const wasHidden = lastHidden != 0 && load<u8>(lastHidden + watcher) != 0;
  isBanded = !wasHidden;
  room = isBanded && !isRanked ? roomNow() : 0;
  if (room > 0) listOdd();
  else if (isBanded) measureRow(hasAdmit, isRanked);
  isAllAsked = hasAdmit && isAskedAnew(watcher);
  // All elements of the row, or only the odd ones.
  const total = isBanded ? oddCount : rowSize;
  let k: u32 = 0;
  let c = next;
  let i = elementAt(k, total);
  let marker = min(min(knownAt(i), crossedAt(c)), turnedAt());
  while (marker != NOBODY) {
    const isRead = knownAt(i) == marker;
    const isCrossed = crossedAt(c) == marker;
    const at = isRead ? i : isBanded ? placeOf(marker) : rowSize;
    const isKnown = knownAt(at) == marker;
    if (isKnown && !isRead && room == 0) takeOut(at);
    const before = isKnown ? wordAt(rowStates, at) : 0;
    let exact: u32 = wasHidden ? 0 : before & 255;
    if (isCrossed) exact = (load<u32>(crossings + (<usize>c << 3)) >>> 8) & 255;
    const isTurned = turnedAt() == marker;
    const turnedTo: u32 = isTurned ? takeTurned() : 0;
    const force = isTurned && !hasAdmit ? turnedTo : before & FORCED;
    if (!readPair(marker, before, exact, at, force, isCrossed, isTurned)) return false;
    k += <u32>isRead;
    c += <u32>isCrossed;
    i = elementAt(k, total);
    marker = min(min(knownAt(i), crossedAt(c)), turnedAt());
  }
  areAllPlain = isRanked && isBanded && count == 0 && !isAnyEdited();
  if (isRanked && isBanded) {
    addAllPlain();
    isBanded = false;
  }
  return true;
}

/** How many pairs fit into the row, if only crossings change it and all of these fit; else 0. */
function roomNow(): u32 {
  const limit = wordAt(formerLimits, watcher);
  const crossed = end - next;
  const isAnew = (<u32>load<u8>(looks + watcher) & (HEAVY | ONCE)) != 0 || (<u32>load<u8>(pending + watcher) & ~(MOVED | TOUCHED)) != 0;
  return !isAnew && rowSize + crossed <= limit && crossed <= word(rule, words.RULE_BUDGET) ? limit : 0;
}

/** The index of the element of the row that is read at step k. */
@inline
function elementAt(k: u32, total: u32): u32 {
  return k >= total ? rowSize : isBanded ? wordAt(odd, k) : k;
}

@inline
function knownAt(i: u32): u32 {
  return i < rowSize ? wordAt(row, i) : NOBODY;
}

@inline
function crossedAt(c: u32): u32 {
  return c < end ? markerOf(c) : NOBODY;
}

/** Reads element i of the row, or a marker that crossed or was turned and is not in the row. `force`: by which it relates now. */
@inline
function readPair(marker: u32, before: u32, exact: u32, i: u32, force: u32, isCrossed: bool, isTurned: bool): bool {
  if (!isPresent(marker)) {
    if (before != 0) leave(marker, before);
    return true;
  }
  // A blocked marker is stamped. It may have crossed without being in the row yet.
  if (wordAt(stamps, marker) == serial) {
    const after = exact == 0 ? 0 : exact | (exact << 8) | BLOCKED;
    if (after == 0 && before != 0) leave(marker, before);
    else if (before == 0 && after != 0) enterAs(marker, after);
    else change(marker, before, after);
    return true;
  }
  // What ceases to relate by force, the margin holds in every sense.
  const former: u32 = force == 0 && (before & FORCED) != 0 ? 255 : (before >>> 8) & 255;
  const lost = (before & RELATED) == 0 ? 0 : former & ~exact;
  const senses = lost != 0 && margin > 0 ? exact | heldByMargin(now, watcher, marker, lost, margin) : exact;
  const squared = squareTo(marker);
  const distance = Mathf.sqrt(squared);
  // Where the other side ceases to consent, the margin ends: then interest/mutual.ts wakes the watcher.
  if (senses != exact) endSlack = min(endSlack, slackInMargin(marker, distance, senses ^ exact));
  // Since when a pair lingers is not known here: it counts while a pin or a group relates the pair, too.
  const isLostFromSight = senses == 0 && (before & RELATED) != 0 && ((before >>> 8) & 255) != 0;
  if (mayLast && isLostFromSight && (before & FORCED) != 0) return false;
  if (force != 0) {
    forcedCount++;
    const after = exact | (senses << 8) | force | RELATED;
    if (before == 0) enterAs(marker, after);
    else change(marker, before, after);
    return true;
  }
  // A marker that may linger from now on is ranked with the others.
  if (senses == 0 && !(mayLast && (before & RELATED) != 0 && meets(now, watcher, marker))) {
    if (before != 0) leave(marker, before);
    return true;
  }
  if (hasAdmit) {
    // As `hasAnswer` in interest/table/pair-rows.ts.
    const isHeld = (before & (RELATED | REFUSED)) == RELATED;
    const isAsked = (before & ASKED) != 0 && (isHeld || (before & 255) != 0);
    const isAnew = isAllAsked || isAskedAnew(marker);
    // It was not called for pairs that linger.
    if (isAnew ? senses == 0 : !(isAsked || (isCrossed && exact != 0))) return false;
    const wasRefused = isAsked && (before & REFUSED) != 0;
    if (wasRefused != isTurned) {
      const after = exact | (senses << 8) | ASKED | REFUSED;
      if (senses == 0) leave(marker, before);
      else if (before == 0) enterAs(marker, after);
      else change(marker, before, after);
      return true;
    }
  }
  const state = exact | (senses << 8) | CANDIDATE | (hasAdmit ? ASKED : 0);
  const rank = isRanked ? distance : rankAt(marker, distance);
  const at = count;
  if ((before & (HAS_SEAT | FORCED)) != 0) {
    const steady = rank < Infinity && !isRanked ? rank * factor : rank;
    addSeated(marker, steady, squared, state, before, isProtectedAt(i));
  } else {
    addUnseated(marker, rank, squared, state, before);
  }
  if (quotaCount > 0) noteQuota(at, quotaOf(marker));
  return true;
}

@inline
function isMutual(): bool {
  return word(rule, words.RULE_IS_MUTUAL) != 0;
}

/** The seats that forced markers leave. */
@inline
function placesLeft(): u32 {
  return watcherSeats > forcedCount ? watcherSeats - forcedCount : 0;
}

/** Whether some of that many candidates get no seat in this tick. `left`: how many more pairs fit into the quotas. */
function isOver(places: u32, total: u32, left: i64): bool {
  return total > places || left < 0 || countNew() > word(rule, words.RULE_BUDGET);
}

function seatAll(): bool {
  if (room > 0) {
    // A pair that leaves makes room under the cap, but perhaps not in another quota.
    setWord(limits, watcher, quotaCount == 0 ? room : room - countLeaving());
    return giveSeats() && restWithRoom();
  }
  const places = placesLeft();
  if (isBanded) addBand(places, 0);
  const total = isBanded ? count + outsideCount : count;
  const seats = isBanded ? places - keptCount : places;
  const left = leftInQuotas();
  const budget = word(rule, words.RULE_BUDGET);
  const isAnyOut = isOver(places, total, left);
  if (isAnyOut) {
    dropBeyond(seats);
    if (countNew() > budget) {
      holdBack(budget);
      countDropped();
      countByQuota();
      dropBeyond(seats);
    }
  }
  if (!giveSeats()) return false;
  const limit = min(<i64>watcherSeats, <i64>forcedCount + <i64>total + left);
  setWord(limits, watcher, isAnyWaiting ? words.LIMIT_WHILE_WAITING : isAnyOut ? 0 : <u32>limit);
  if (!isAnyOut) return restWithRoom();
  if (isBanded && !isAnyWaiting) rest();
  return true;
}

/** Each candidate has its seat: the row stays as it is until something crosses or the margin ends. */
function restWithRoom(): bool {
  if (endSlack < Infinity) beCalmUnread(endSlack);
  return true;
}

/** Whether any candidate waits for the enter budget. */
let isAnyWaiting: bool = false;

/** Stores the states of the candidates, each with its seat unless it was dropped. False if TypeScript must decide. */
function giveSeats(): bool {
  isAnyWaiting = false;
  for (let i: u32 = 0; i < count; i++) {
    const at = states + (<usize>i << 3);
    const before = load<u32>(at, 4);
    const kind = wordAt(kinds, i);
    // A seat to which the other side did not consent stays without consent until interest/mutual.ts asks again.
    const seat: u32 = (before & (HAS_SEAT | RELATED)) == HAS_SEAT ? HAS_SEAT : HAS_SEAT | RELATED;
    const flags: u32 = (kind & DROPPED) == 0 ? seat : (kind & WAITS) != 0 ? WAITING : 0;
    const after = load<u32>(at) | flags;
    if (flags == WAITING) isAnyWaiting = true;
    // Consent to it may end without a crossing.
    if ((after & ~ASKED) == LINGERS && isMutual()) return false;
    if ((after & ~ASKED) == CANDIDATE) leave(wordAt(slots, i), before);
    else if (before == 0) enterAs(wordAt(slots, i), after);
    else change(wordAt(slots, i), before, after);
  }
  return true;
}

/** The seats are decided: notes for how long. */
function rest(): void {
  if (quotaCount > 0) {
    // With other candidates than before, that is known in the next tick.
    if (!isAnyProtected()) beCalmUnread(count == 0 ? min(endSlack, quotaShare * <f64>leastWeight()) : 0);
    return;
  }
  let worst = bandWorst();
  let best = bandBest;
  let least = leastWeight();
  // In a fast crowd, no row is calm.
  if (step > 0 && !(min(endSlack, <f64>((best - worst) * least)) > 2 * step)) return;
  for (let i: u32 = 0; i < count; i++) {
    const kind = wordAt(kinds, i);
    const rank = floatAt(ranks, i);
    if ((kind & DROPPED) == 0) worst = max(worst, kind == NEW ? rank * factor : rank);
    // The margin holds only what has a seat: in the next tick, this pair leaves the row.
    else if (isMarginHeld(load<u32>(states + (<usize>i << 3)))) return;
    else best = min(best, rank);
    // With a tiny weight, a rank may be infinite now, but not nearer by.
    const weight = weightOf(wordAt(slots, i));
    if (weight > 0) least = min(least, weight);
  }
  if (endSlack > 0 && worst <= best && best < Infinity) beCalmBetween(worst, best, least, endSlack);
  else if (!isAnyProtected()) beCalmUnread(0);
}

/** Whether dwell protects any seat, now that seats are decided: even if nothing in the row moves, it may end. */
function isAnyProtected(): bool {
  if (dwell == 0) return false;
  for (let i: u32 = 0; i < count; i++) if (wordAt(kinds, i) == PROTECTED || wordAt(kinds, i) == NEW) return true;
  return worstProtected() >= 0;
}

/** Drops the candidates that no quota, or no seat, is left for. */
function dropBeyond(seats: u32): void {
  for (let q: u32 = 0; q < quotaCount; q++) if (isOverQuota(q)) dropLast(q, placesOf(q));
  if (count - droppedCount > seats) dropLast(EVERY, seats);
}

/** How many newcomers get a seat, as far as decided. */
function countNew(): u32 {
  let found: u32 = 0;
  for (let i: u32 = 0; i < count; i++) found += <u32>(wordAt(kinds, i) == NEW);
  return found;
}
