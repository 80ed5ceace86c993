// Which candidates get a seat. Part of seat-search.ts.
import { CIRCLE } from '../layouts/perception';
import * as words from '../layouts/seat-search';
import { WIDTH, allFloats, allWords, floatsAt, greatestLane, mul, raised, root, setFloats, setWords, wordsAt, wordsUnless } from './lanes';
import { column, floatAt, setFloat, setWord, wordAt } from './job';
import {
  addSeated, clearCandidates, count, DROPPED, isAnyChanged, keepCandidates, kinds, NEW, openCandidates, PROTECTED, ranks, SEATED, setRow, slots,
  squares, states, worstSeated,
} from './seat-candidates';
import { change, enter, leave, leaveOutranked } from './seat-changes';
import { forcedCount, forcedSlack, goneCount, isProtectedAt, protectedOf, readOrdinary, readRow, worstOpen } from './seat-row';
import { beCalm, beStill, stayAlert, step } from './seat-calm';
import { deepness, depth, edgePace, edgeRank, edgeSlack, forcedDepth, forgetEdge, hasForced, listEdge, measureEdge } from './seat-edge';
import { CLOSER, LOST, closeList, edge, gapOfList, isListed, knowsAllTo, leastRankListed, listLeaver, nearestPlain, takeNewcomers, openList } from './seat-near';
import { dropNobody, dropped, droppedCount, dropWorst, keepFirst, openOrder } from './seat-order';
import { cellSizeHere, greatestWeight, search } from './seat-window';
import {
  dwell, factor, is3D, isMarker, longestReach, margin, row, rowSize, rowStates, serial, shape, shapeDepth, shapeExtent, shortestRange, stamps,
  watcher, watcherSeats, watcherSees, weightOf, weights,
} from './seat-watcher';

/**
 * If a seat is free: how many times as far as the last cutoff newcomers are searched, and by how much the distance then grows.
 */
const GUESS: f32 = 1.2;
const FARTHER: f32 = 1.6;
/** Approximately how many markers beyond the seats are listed, and at most how many times as far as the cutoff. */
const LISTED: f32 = 12;
const FARTHEST_EDGE: f32 = 2;

let borders: usize = 0;
let seatedCount: u32 = 0;
/** Whether the candidates are the row as it was, element by element. */
let isOrdinary: bool = false;

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
  openList(mayList());
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
  if (closeList()) {
    const border = floatAt(borders, watcher);
    if (border > 0 || count - droppedCount < seats)
      listEdge(seatedCount, isOrdinary && goneCount == 0, border > 0 ? border : Infinity, forcedCount, forcedSlack);
    else forgetEdge();
    if (mayBeStill()) {
      // Halfway to the first marker without a seat: leapers may go farther before the watcher is decided again.
      if (border > 0) setBorder(true, <f32>(0.5 * (<f64>border + max(<f64>border, leastRankListed()))));
      beStill(surelySeated() - depth(), max(edge, farthestSeat() + forcedDepth()));
    } else stayAlert(max(edge, farthestSeat() + forcedDepth()));
  } else if (mayBeStill()) beStill(surelySeated(), farthestSeat());
  clearCandidates();
}

/**
 * Within which distance of the current watcher, whose candidates and border are known, every plain marker that may have a seat has
 * one, and is perceived in all its senses.
 */
function surelySeated(): f64 {
  const border = floatAt(borders, watcher);
  if (!(border > 0) && count - droppedCount + forcedCount >= watcherSeats) return 0;
  const inside = <f64>(shortestRange() * shapeDepth());
  return border > 0 ? min(inside, <f64>border) : inside;
}

/** `farthestConcern` of the current watcher, whose candidates and border are known. */
function farthestSeat(): f64 {
  return farthestConcern(forcedCount > 0 ? 0 : floatAt(borders, watcher));
}

/**
 * Whether the current watcher, with these candidates, would be decided as it was if nothing changed: all that moves are leapers, and
 * dwell protects no seat. Leapers find only watchers that are markers.
 */
function mayBeStill(): bool {
  if (step > 0 || !isMarker(watcher)) return false;
  if (dwell == 0) return true;
  for (let i: u32 = 0; i < count; i++) if (wordAt(kinds, i) == PROTECTED || wordAt(kinds, i) == NEW) return false;
  return true;
}

/** As `findOthers` in seat-search.ts. */
export function chooseOthers(wanted: u32, worst: f32, known: u32): u32 {
  openList(false);
  for (let i: u32 = 0; i < known; i++) setWord(stamps, wordAt(slots, i), serial);
  seatedCount = 0;
  const isFull = worst < Infinity;
  if (!isFull) findNewcomers(wanted);
  else if (worst > 0) search(worst, 0, false, wanted);
  if (count > wanted) keepFirst(0, wanted);
  // How far to search the next time.
  if (isFull) setBorder(true, worst);
  else setBorder(count >= wanted, greatestFrom(0));
  const found = count;
  clearCandidates();
  return found;
}

/** Whether the current watcher may have a near list. A leaper could not find a watcher that is not a marker. */
function mayList(): bool {
  return shape == CIRCLE && seesPlain() && isMarker(watcher);
}

/** Whether plain markers are met; other rows are read pair by pair. */
function seesPlain(): bool {
  return (watcherSees & 1) != 0;
}

/**
 * Whether it is certain, without reading the row, that the current watcher keeps all its seats and gets no other: the usual case.
 * Also computes how long that lasts.
 */
export function isQuiet(): bool {
  openList(mayList());
  if (!isListed || rowSize > watcherSeats || !measureEdge()) return false;
  const isFull = rowSize == watcherSeats;
  const border = floatAt(borders, watcher);
  if (isFull && !(border > 0)) return false;
  const reach = longestReach(1, 0);
  // Markers with deep seats rank better than the cutoff, by as much as may change before they cease to be deep.
  const deepest: f32 = deepness < Infinity ? border - (<f32>(deepness * 0.999) * factor) / greatestWeight : border;
  const base: f32 = isFull ? max(deepest, edgeRank) : reach;
  const gap = gapOfList(isFull, base, edgePace);
  const rounding = max(edge, <f64>(reach + margin)) * LOST;
  if (!(gap > rounding)) return false;
  const slack = min(min(gap, edgeSlack), deepness) * 0.999 - rounding;
  // Not above 0 if a seat is at the end of a sense: then the watcher cannot be calm, but still.
  const sureSlack = max(slack, 0);
  // A plain marker that steps within this distance is as certain of its seat as before, and a deep seat stays deep.
  const sure = min(min(<f64>shortestRange(), <f64>base), min(nearestPlain, edge)) - sureSlack;
  const deep = min(<f64>shortestRange(), isFull ? <f64>(border / factor) : Infinity) - deepness;
  const inside = deepness < Infinity ? min(sure, deep) : sure;
  const isStill = step == 0 && dwell == 0;
  // Of a still watcher, the border is halfway to the first marker without a seat, or nearer.
  const line: f32 = isStill ? <f32>(<f64>base + sureSlack) : base;
  const to = max(edge, farthestConcern(isFull && !hasForced() ? line : 0) + max(slack, forcedDepth()));
  if (isStill) {
    // Deep seats were measured from the border. If it is nearer now, they are measured anew when the row is read the next time.
    if (isFull && line < border) forgetEdge();
    setBorder(isFull, line);
    beStill(inside, to);
  } else beCalm(slack, inside, to);
  return true;
}

/**
 * How far away a plain marker may have a seat, or be perceived and relate by force. `border`: the cutoff; 0 if seats are free or
 * some pairs relate by force.
 */
function farthestConcern(border: f32): f64 {
  const perceived: f32 = (longestReach(1, 0) + margin) * shapeExtent();
  return <f64>(border > 0 ? min(border / factor, perceived) : perceived);
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
    else if (isListed) listLeaver(marker);
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

/** Searches for newcomers up to the distance at which one may get a seat. */
function findNewcomers(seats: u32): void {
  const reach = longestReach(1, 0);
  if (count >= seats) {
    // All seats are taken: a newcomer must rank before the worst seat that is not protected. With equal ranks the incumbent keeps
    // the seat.
    if (!(worstSeated > 0)) return;
    if (isListed && knowsAllTo(worstSeated)) takeNewcomers(worstSeated);
    else search(worstSeated, edgeAbout(min(worstSeated, reach), seats), worstSeated >= reach, seats);
    return;
  }
  if (isListed) {
    const line = <f32>(edge * CLOSER);
    const areAll = knowsAllTo(Infinity);
    takeNewcomers(areAll ? Infinity : line);
    if (areAll || isEnough(line, seats)) return;
    keepCandidates(seatedCount);
  }
  const last = floatAt(borders, watcher);
  // If seats were free before, everything in reach is searched. For a new watcher the distance is a first guess.
  let worst: f32 = last > 0 ? last * GUESS : rowSize > 0 ? reach : cellSizeHere();
  while (worst < reach) {
    search(worst, edgeAbout(worst, seats), false, seats);
    if (isEnough(worst, seats)) return;
    keepCandidates(seatedCount);
    worst *= FARTHER;
  }
  search(Infinity, edgeAbout(reach, max(count, 1)), true, seats);
}

/** Whether there are enough candidates for all seats up to the searched rank. */
function isEnough(worst: f32, seats: u32): bool {
  let within: u32 = count - seatedCount;
  for (let i: u32 = 0; i < seatedCount; i++) within += <u32>(floatAt(ranks, i) <= worst || wordAt(kinds, i) == PROTECTED);
  return within >= seats;
}

/** How far to list markers, if `within` markers are nearer than `line`: far enough that some are listed. */
function edgeAbout(line: f32, within: u32): f32 {
  return line * min(FARTHEST_EDGE, 1 + LISTED / (<f32>within * (is3D ? 3 : 2)));
}
