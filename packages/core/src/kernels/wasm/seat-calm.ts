// Which watchers are calm: since they were decided, nothing has moved far enough to change a seat. Part of seat-search.ts.
//
//   ranks:   seats, the worst of them | border | the best marker without a seat
//                                     <-------->  slack: how much any distance may change before a seat does
//
//   then:    travel, summed over the ticks, of twice the longest step          calm while travel < travel then + slack
//
// Leapers do not count in the travel: a few entities that move much farther than all others, and entities that were added, removed or
// changed. Each of them is compared with the border instead. Where few entities move, all of them are leapers.
//
// Perception: what comes into a whole row or leaves it has crossed, and then the row is due; but its slack ends where a margin does. A searched watcher
// has no crossings, so its slack ends where a sense begins or ceases to include one of its markers, too.
import { ADDED, CHANGED, REMOVED, STANDING_CHANGED } from '../layouts/pending-bits';
import { BLOCKED, FORCED, REFUSED, SEATED } from '../layouts/pair-state';
import { CIRCLE, RANGES, X, Y, Z } from '../layouts/perception';
import * as words from '../layouts/seat-search';
import { column, floatAt, setFloat, setWord, word, wordAt } from './job';
import { LEAST, isMarginHeld, squaredOf } from './perception';
import { slackOf } from './seat-ends';
import {
  arePlain, factor, factorOf, farthestLeastReach, is3D, last, lastWeightOf, loadWatcher, longestReach, longestReachTo, margin, meets, now, pairSquared, placeOf, prominenceOf, rankAt, row, rowSize,
  rowStates, senseCount, sensesAt, sensesNow, shape, shapeExtent, squareTo, watcher, watcherSeats, watcherX, watcherY, watcherZ, weightOf, xs, ys, zs,
} from './seat-watcher';

/** Pending bits of a marker that concern every watcher that may seat it: added, removed, changed in perception or standing. */
export const CONCERNS: u32 = ADDED | REMOVED | CHANGED | STANDING_CHANGED;
/** Pairs of a whole row that neither have nor lose a seat by their rank. */
const NEUTRAL: u32 = FORCED | BLOCKED | REFUSED;
/** What rounding may lose: of a length, and of a rank. */
const WIDER: f64 = 1 + 1 / 262144;
const LOST: f64 = 4e-6;
/** The square of more than rounding may lose of a rank and a length. */
const WIDER_SQUARE: f64 = 1 + 3e-5;
/** World units: ranks of nearer markers are inaccurate, because their squares are too small for float32. */
const LEAST_LENGTH: f64 = 1e-18;
/**
 * Rings say nothing of markers with other weights, and none is narrower than that: in float32, the squares of their ranks would be too large or too small.
 */
const LEAST_WEIGHT: f32 = 1e-3;
const MOST_WEIGHT: f32 = 1e3;
const LEAST_RING: f64 = LEAST_LENGTH * 1e3;
/** The least slack: shorter steps may be lost where they are squared, and float64 would lose it in a travel that is far greater. */
const LEAST_SLACK: f64 = 1e-9;
const LEAST_SHARE: f64 = 1e-9;
/** The slack of a watcher that is calm only while nothing but leapers moves: as little as float64 addition does not lose. */
const LEAST_STILL: f64 = 1e-12;
const STILL_SHARE: f64 = 1e-12;

let calmUntil: usize = 0;
let calmTo: usize = 0;
let borders: usize = 0;
export let rings: usize = 0;
let hidden: usize = 0;
let leapt: usize = 0;
let pending: usize = 0;
let starts: usize = 0;
let sizes: usize = 0;
let markers: usize = 0;
let travel: f64 = 0;
/** Watchers with a row that may be due: see the layout. */
export let rows: usize = 0;
export let rowCount: u32 = 0;
let areSome: bool = false;
/** The longest step in this tick of an entity that is not a leaper. */
export let step: f64 = 0;
// The current leaper.
/** Whether `RINGS` say where it matters, because it only moved; and by what its squared distances are multiplied to be squared ranks. */
export let isByRing: bool = false;
export let rankShare: f32 = 1;
export let oldX: f32 = 0;
export let oldY: f32 = 0;
export let oldZ: f32 = 0;
export let newX: f32 = 0;
export let newY: f32 = 0;
export let newZ: f32 = 0;
let leaper: u32 = 0;
let hasChanged: bool = false;
/** It was added or removed: whatever its slot held or holds is another marker. */
let isOther: bool = false;
/** Some watchers are searched, it is a plain marker that only moved, the world has circles and one sense, and nothing but leapers moves. */
let isPlainly: bool = false;
let gain: f64 = 1;
let leastReach: f64 = 0;

export function openCalm(job: usize): void {
  calmUntil = column(job, words.CALM_UNTIL);
  calmTo = column(job, words.CALM_TO);
  borders = column(job, words.BORDERS);
  rings = column(job, words.RINGS);
  hidden = column(job, words.HIDDEN);
  leapt = column(job, words.LEAPT);
  pending = column(job, words.PENDING);
  starts = column(job, words.PAIR_START);
  sizes = column(job, words.PAIR_SIZE);
  markers = column(job, words.PAIR_MARKER);
  rows = column(job, words.ROWS);
  rowCount = word(job, words.ROW_COUNT);
  areSome = word(job, words.ARE_SOME) != 0;
  travel = load<f64>(job + (words.TRAVEL << 2));
  step = load<f64>(job + (words.STEP << 2));
}

/** Adds a tick whose longest step has this squared length. */
export function addStep(longest: f32): void {
  step = sqrt(<f64>longest) * WIDER;
  // Any step ends the calm of those that rely on there being none.
  if (step > 0) travel += max(2 * step, 2 * stillSlack());
}

/** If no watcher relies on the former travel, it starts again at 0. */
export function closeCalm(job: usize, isAnyCalm: bool): void {
  if (!isAnyCalm) travel = 0;
  store<f64>(job + (words.TRAVEL << 2), travel);
  store<f64>(job + (words.STEP << 2), step);
}

/** Whether a watcher is searched, which means hidden from detectors. */
@inline
export function isSearched(slot: u32): bool {
  return hidden != 0 && load<u8>(hidden + slot) != 0;
}

@inline
export function isCalm(slot: u32): bool {
  return load<f64>(calmUntil + (<usize>slot << 3)) > travel;
}

export function endCalm(slot: u32): void {
  store<f64>(calmUntil + (<usize>slot << 3), 0);
}

/** How much any rank may change before the best marker without a seat ranks before the worst seat, whose rank includes the bonus. */
@inline
export function shareOf(worst: f32, best: f32): f64 {
  // A seat's rank changes by the factor less.
  return (<f64>best - <f64>worst) / (1 + <f64>factor) - LOST * <f64>best;
}

/**
 * How much any distance may change before a seat of the current watcher changes hands, and stores the border. `worst`: no seat ranks
 * worse, the bonus included; `best`: no other candidate ranks better; `least`: the least weight of these markers.
 */
export function slackBetween(worst: f32, best: f32, least: f32): f64 {
  const share = shareOf(worst, best);
  const border = <f64>best - share;
  setFloat(borders, watcher, <f32>border);
  setRing(border - share, border / <f64>factor + share);
  return share * <f64>least;
}

/**
 * The current watcher has a whole row and was decided. `worst`, `best`, `least`: see `slackBetween`. `end`: how much any distance may change before the
 * margin ends for a pair; infinite if it holds none.
 */
export function beCalmBetween(worst: f32, best: f32, least: f32, end: f64): void {
  const slack = slackBetween(worst, best, least);
  // A leaper that the margin holds may keep its rank and go out of reach.
  if (end < Infinity) setRing(NaN, NaN);
  beCalm(min(slack, end), false);
}

/** Whether a leaper near a calm watcher must be looked for in its row: there is no ring. */
@inline
function hasNoRing(slot: u32): bool {
  return load<f32>(rings + (<usize>slot << 3), 4) == Infinity;
}

/** Ranks. While the slack becomes less, the ring may stay as wide. NaN: it says nothing. */
function setRing(inner: f64, outer: f64): void {
  const ring = rings + (<usize>watcher << 3);
  store<f32>(ring, inner > LEAST_RING ? <f32>(inner * inner / WIDER_SQUARE) : -1);
  store<f32>(ring, outer > LEAST_RING ? <f32>(outer * outer * WIDER_SQUARE) : Infinity, 4);
}

/**
 * The current watcher was decided, and stays as it is until any distance has changed by `slack`. `mayBeStill`: also, whatever the slack,
 * while only leapers move.
 */
export function beCalm(slack: f64, mayBeStill: bool): void {
  const isStill = mayBeStill && step == 0;
  const own = isStill ? max(slack, stillSlack()) : slack;
  if (isStill || own > max(2 * step, max(LEAST_SLACK, travel * LEAST_SHARE)))
    store<f64>(calmUntil + (<usize>watcher << 3), travel + own);
}

/** The current watcher has a whole row: it stays as it is for that slack, and while nothing but leapers moves, if none of these is in the row. */
export function beCalmUnread(slack: f64): void {
  setFloat(borders, watcher, NaN);
  setRing(NaN, NaN);
  beCalm(slack, true);
}

/** For a searched watcher that was decided: a leaper that stays beyond `to` has no seat. */
export function beCalmTo(slack: f64, to: f64): void {
  // A longer slack would have leapers looked for farther away.
  const own = max(0, min(slack, to));
  beCalm(own, true);
  setFloat(calmTo, watcher, <f32>((to + own) * WIDER));
}

@inline
function stillSlack(): f64 {
  return max(travel * STILL_SHARE, LEAST_STILL);
}

/** A leaper leaves a watcher this slack. Returns whether it stays calm. */
function keepsCalm(slot: u32, slack: f64): bool {
  if (!(slack >= stillSlack())) return false;
  const at = calmUntil + (<usize>slot << 3);
  store<f64>(at, min(load<f64>(at), travel + slack));
  return true;
}

/** The slack that a marker of the current watcher leaves, by its rank. Not above 0 if it is on the wrong side of the border. */
function slackByRank(marker: u32, distance: f32, isSeated: bool): f64 {
  const weight = weightOf(marker);
  if (weight == 0) return isSeated ? 0 : Infinity;
  const rank = <f64>rankAt(marker, distance);
  // NaN if a tiny weight makes the rank infinite.
  const border = <f64>floatAt(borders, watcher);
  const share = isSeated ? border - rank * <f64>factor : rank - border;
  return (share - LOST * (rank + border)) * <f64>weight;
}

/**
 * Whether a calm watcher with a whole row stays so, now that there are leapers: it is none itself, and none in its row changes a seat. `areFound`: those
 * in its row had `stirRow`, unless it must be read.
 */
export function rests(slot: u32, areFound: bool): bool {
  const mark = <u32>load<u8>(leapt + slot);
  if (mark == words.LEAPS) return false;
  if (areFound && mark != words.MUST_BE_READ) return true;
  const own = markers + (<usize>wordAt(starts, slot) << 2);
  const size = wordAt(sizes, slot);
  let isLoaded = false;
  for (let i: u32 = 0; i < size; i++) {
    const marker = wordAt(own, i);
    if (<u32>load<u8>(leapt + marker) != words.LEAPS) continue;
    if (!isLoaded) loadWatcher(slot);
    isLoaded = true;
    if (!keepsSeat(marker, wordAt(rowStates, i))) return false;
  }
  return true;
}

/**
 * The current leaper was or is near a watcher at this place: ends its calm if the leaper may change a seat of its whole row.
 *
 *   distance:   it has a seat | border | it has a seat, or none | border without the bonus | it has none
 *
 * Where the leaper was says whether it may have a seat, and whether it may have none. Usually neither changes where it is now, and the row need not be
 * read.
 */
export function stirRow(slot: u32, x: f32, y: f32, z: f32): void {
  const slack = slackAt(slot);
  if (!(slack > 0)) return;
  const border = <f64>floatAt(borders, slot);
  const weight = <f64>weightOf(leaper);
  if (!hasChanged && weight > 0 && !hasNoRing(slot)) {
    const before = squareBetween(x - oldX, y - oldY, is3D ? z - oldZ : 0);
    const after = squareBetween(x - newX, y - newY, is3D ? z - newZ : 0);
    if (staysBeside(slot, slack, border * weight, before, after)) return;
    const rank = sqrt(after) / weight;
    const toLose: f64 = mayLose ? border - rank * <f64>factorOf(slot) : Infinity;
    const toGet: f64 = mayGet ? rank - border : Infinity;
    if (keepsCalm(slot, (min(toLose, toGet) - LOST * (rank + border)) * weight)) return;
  }
  loadWatcher(slot);
  const at = placeOf(leaper);
  const isKnown = at < rowSize && wordAt(row, at) == leaper;
  if (isKnown && !keepsSeat(leaper, wordAt(rowStates, at))) endCalm(slot);
}

/** How much more any distance may change while this watcher stays calm. */
@inline
function slackAt(slot: u32): f64 {
  return load<f64>(calmUntil + (<usize>slot << 3)) - travel;
}

/** Whether the current leaper may have had a seat with the watcher of which `staysBeside` was asked last, and whether it may have had none. */
let mayLose: bool = false;
let mayGet: bool = false;

/**
 * Whether a leaper that was and is perceived is so far from a watcher's border that it leaves no less slack than there is. `border`: as a distance, by the
 * leaper's weight; NaN: not known. `before`, `after`: its squared distances.
 */
@inline
function staysBeside(slot: u32, slack: f64, border: f64, before: f64, after: f64): bool {
  const bonus = <f64>factorOf(slot);
  const square = bonus * bonus;
  mayLose = !(before * square > border * border * WIDER_SQUARE);
  mayGet = !(before * WIDER_SQUARE < border * border);
  const isFree = after > (border + slack) * (border + slack) * WIDER_SQUARE;
  const isSafe = border > slack && after * square * WIDER_SQUARE < (border - slack) * (border - slack);
  return (isSafe || !mayLose) && (isFree || !mayGet);
}

/** Whether a leaper of the current watcher's row only took a step that the slack allows for. */
function keepsCalmAfter(marker: u32): bool {
  if ((<u32>load<u8>(pending + marker) & CONCERNS) != 0) return false;
  // A step that float64 would lose in the travel counts as much as it does not lose.
  const length = max(sqrt<f64>(<f64>stepOf(marker)) * WIDER, stillSlack());
  return keepsCalm(watcher, slackAt(watcher) - length);
}

/** The squared length of an entity's step in this tick. */
@inline
export function stepOf(slot: u32): f32 {
  const dx = floatAt(xs, slot) - floatAt(column(last, X), slot);
  const dy = floatAt(ys, slot) - floatAt(column(last, Y), slot);
  const dz: f32 = is3D ? floatAt(zs, slot) - floatAt(column(last, Z), slot) : 0;
  const squared = squaredOf(dx, dy, dz);
  // The square of a very small step is 0.
  return squared == 0 && (dx != 0 || dy != 0 || dz != 0) ? LEAST : squared;
}

/** Whether a leaper with a pair of that state in the current watcher's whole row keeps its seat, or stays without one. */
@inline
function keepsSeat(marker: u32, state: u32): bool {
  // A ring is of the weights at which the watcher was decided: with a lesser one, a step changes a rank more than the slack allows for.
  if (weightOf(marker) != lastWeightOf(marker)) setRing(NaN, NaN);
  const border = floatAt(borders, watcher);
  // Without a border, the slack is known, but not for which markers; and where the margin ends is no matter of ranks.
  if (border != border || isMarginHeld(state)) return keepsCalmAfter(marker);
  return (state & NEUTRAL) != 0 || keepsCalm(watcher, slackByRank(marker, Mathf.sqrt(squareTo(marker)), (state & SEATED) != 0));
}

/**
 * Loads a leaper. Returns the radius around its positions within which searched watchers may be affected. `farthest`: the farthest
 * distance at which a plain marker may concern any of them; `bits`: what is pending for it.
 */
export function takeLeaper(slot: u32, farthest: f64, bits: u32): f64 {
  leaper = slot;
  hasChanged = (bits & CONCERNS) != 0;
  isOther = (bits & (ADDED | REMOVED)) != 0;
  newX = floatAt(xs, slot);
  newY = floatAt(ys, slot);
  oldX = floatAt(column(last, X), slot);
  oldY = floatAt(column(last, Y), slot);
  if (is3D) {
    newZ = floatAt(zs, slot);
    oldZ = floatAt(column(last, Z), slot);
  }
  // Where no watcher is searched, there is no column of plain markers.
  const mayBe = hidden != 0 && !hasChanged && step == 0 && shape == CIRCLE && senseCount == 1;
  isPlainly = mayBe && (<u32>load<u8>(arePlain + slot) & words.PLAIN) != 0;
  const weight = weightOf(slot);
  isByRing = !hasChanged && weight >= LEAST_WEIGHT && weight <= MOST_WEIGHT;
  rankShare = 1 / (weight * weight);
  gain = <f64>prominenceOf(slot);
  leastReach = <f64>(farthestLeastReach(slot) * shapeExtent());
  return farthest * gain + leastReach + step;
}

@inline
export function calmToOf(slot: u32): f64 {
  return <f64>floatAt(calmTo, slot);
}

/**
 * Ends the calm of this searched watcher if the current leaper may affect it. Returns whether the watcher was loaded, so that searches no
 * longer begin at the leaper.
 */
export function stir(slot: u32): bool {
  if (!isCalm(slot)) return false;
  const x = floatAt(xs, slot);
  const y = floatAt(ys, slot);
  const z: f32 = is3D ? floatAt(zs, slot) : 0;
  const before = lengthOf(x - oldX, y - oldY, is3D ? z - oldZ : 0);
  const after = lengthOf(x - newX, y - newY, is3D ? z - newZ : 0);
  const nearest = min(before - step, after) / WIDER - LEAST_LENGTH;
  if (nearest > calmToOf(slot) * gain + leastReach) return false;
  if (isPlainly && staysInRange(slot, before, after)) return false;
  if (!isOther) loadWatcher(slot);
  if (isOther || !keepsSeats()) {
    endCalm(slot);
    if (areSome) setWord(rows, rowCount++, slot);
  }
  return !isOther;
}

/** Whether this searched watcher perceives the current leaper, which is plain, at both distances, and neither is near its border or the rim of its range. */
@inline
function staysInRange(slot: u32, before: f64, after: f64): bool {
  const slack = slackAt(slot);
  const range = <f64>floatAt(column(now, RANGES), slot);
  if (!((max(before, after) + slack) * WIDER_SQUARE < range)) return false;
  const border = <f64>floatAt(borders, slot);
  return border > 0 && staysBeside(slot, slack, border, before * before, after * after);
}

/**
 * Whether the current watcher, which is searched and calm, keeps all its seats, in the same state, and gives none to the current leaper. A
 * marker that begins to be perceived may be remembered, which only TypeScript knows.
 */
function keepsSeats(): bool {
  const at = placeOf(leaper);
  const isKnown = at < rowSize && wordAt(row, at) == leaper;
  const before = isKnown ? wordAt(rowStates, at) : 0;
  const senses = sensesNow(leaper, before);
  const distance: f32 = Mathf.sqrt(pairSquared);
  const isFull = floatAt(borders, watcher) > 0;
  if (!isKnown) {
    if (senses == 0) return keepsCalm(watcher, slackOutside(leaper, distance));
    return !hasChanged && isFull && sensesFrom(oldX, oldY, oldZ) != 0 && keepsCalm(watcher, slackByRank(leaper, distance, false));
  }
  // The pair has no seat: it is left from the time when the row held all that the watcher perceives. Deciding the watcher removes it.
  if ((before & (SEATED | FORCED)) == 0 || (before & 0xffff) != senses) return false;
  if (!keepsCalm(watcher, slackOf(leaper, distance))) return false;
  if ((before & FORCED) != 0) return true;
  return isFull ? keepsCalm(watcher, slackByRank(leaper, distance, true)) : rowSize < watcherSeats;
}

/** How much a distance may change before the current watcher perceives a marker; infinite if it never does, or if its range is no circle. */
export function slackOutside(slot: u32, distance: f32): f64 {
  if (shape != CIRCLE || !meets(slot)) return Infinity;
  const reach = <f64>longestReachTo(slot);
  return <f64>distance - reach - LOST * (<f64>distance + reach);
}

/** How far away a plain marker may be perceived by the current watcher. */
export function farthestSeen(): f64 {
  return <f64>((longestReach(1, 0) + margin) * shapeExtent());
}

/** The senses in which the current leaper would be perceived at that place. */
function sensesFrom(x: f32, y: f32, z: f32): u32 {
  const dx = x - watcherX;
  const dy = y - watcherY;
  const dz: f32 = is3D ? z - watcherZ : 0;
  return sensesAt(leaper, dx, dy, dz, squaredOf(dx, dy, dz));
}

@inline
function lengthOf(dx: f32, dy: f32, dz: f32): f64 {
  return sqrt(squareBetween(dx, dy, dz));
}

@inline
function squareBetween(dx: f32, dy: f32, dz: f32): f64 {
  return <f64>dx * <f64>dx + <f64>dy * <f64>dy + <f64>dz * <f64>dz;
}
