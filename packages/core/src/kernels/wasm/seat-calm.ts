// Which searched watchers are calm: since they were last decided, no marker can have moved far enough to change a seat. Part of
// seat-search.ts.
//
//   decided:    clearance = how near any marker is that is neither seated nor listed: seat-near.ts
//               slack = how much any distance may change before a seat, or a sense that perceives one, does
//   then:       travel, summed over the ticks, of twice the longest step        calm while travel < travel then + slack
//
// Leapers do not count in the travel: a few entities that move much farther than all others, and entities that were added,
// removed or changed. Instead, the watchers around each leaper's old and new position that it may affect are decided again.
//
// Where few entities move, all of them are leapers. Then a decided watcher is still: a leaper near it is compared with the border of
// its seats, and the watcher is decided again only if a seat changes (seat-still.ts). As soon as any entity that is not a leaper moves,
// no watcher is still.
import { ADDED, CHANGED, REMOVED, STANDING_CHANGED } from '../layouts/pending-bits';
import { X, Y, Z } from '../layouts/perception';
import * as words from '../layouts/seat-search';
import { column, floatAt } from './job';
import { forgetEdgeOf, keepsSeats } from './seat-still';
import { arePlain, farthestLeastReach, is3D, last, prominenceOf, shapeExtent, watcher, xs, ys, zs } from './seat-watcher';

/** Pending bits of a marker that concern every watcher that may seat it: added, removed, changed in perception or standing. */
export const CONCERNS: u32 = ADDED | REMOVED | CHANGED | STANDING_CHANGED;
/** What rounding may lose. */
const WIDER: f64 = 1 + 1 / 262144;
const LEAST_SHARE: f64 = 1e-9;
/** World units: shorter steps may be lost where they are squared. */
const LEAST_SLACK: f64 = 1e-9;
/** World units: ranks of nearer markers are inaccurate, because their squares are too small for float32. */
const LEAST_LENGTH: f64 = 1e-18;
/**
 * How far ahead of the travel the `calmUntil` of a still watcher is: as little as float64 addition does not lose. Any step adds more
 * than this to the travel.
 */
const STILL_SHARE: f64 = 1e-12;
const LEAST_STILL: f64 = 1e-12;

export let calmUntil: usize = 0;
export let clearUntil: usize = 0;
let calmFrom: usize = 0;
export let calmTo: usize = 0;
export let travel: f64 = 0;
/** The longest step in this tick of an entity that is not a leaper. */
export let step: f64 = 0;
// The current leaper.
export let oldX: f32 = 0;
export let oldY: f32 = 0;
export let oldZ: f32 = 0;
let newX: f32 = 0;
let newY: f32 = 0;
let newZ: f32 = 0;
let leaper: u32 = 0;
let isMereStep: bool = false;
let hasChanged: bool = false;
/** It was added or removed: whatever its slot held or holds is another marker. */
let isOther: bool = false;
let gain: f64 = 1;
let leastReach: f64 = 0;
/** How often the calm of a watcher was ended. */
export let stirs: u32 = 0;

export function openCalm(job: usize): void {
  calmUntil = column(job, words.CALM_UNTIL);
  clearUntil = column(job, words.CLEAR_UNTIL);
  calmFrom = column(job, words.CALM_FROM);
  calmTo = column(job, words.CALM_TO);
  travel = load<f64>(job + (words.TRAVEL << 2));
  step = load<f64>(job + (words.STEP << 2));
}

/** How near any marker can be by now that is neither in the row nor in the near list of the current watcher; 0 if unknown. */
export function clearance(): f64 {
  const known = load<f64>(clearUntil + (<usize>watcher << 3)) - travel;
  // So small a value was stored by `beStill`, and says nothing about distances.
  return known > 2 * stillSlack() ? known : 0;
}

/** Sets the clearance: no such marker is nearer. */
export function setClearance(nearest: f64): void {
  const isKnown = nearest > travel * LEAST_SHARE;
  store<f64>(clearUntil + (<usize>watcher << 3), isKnown ? travel + nearest * (1 - LEAST_SHARE) : 0);
}

/** The current watcher is not calm, but a leaper whose old or new position is within `to` invalidates its near list. */
export function stayAlert(to: f64): void {
  store<f32>(calmFrom + (<usize>watcher << 2), 0);
  store<f32>(calmTo + (<usize>watcher << 2), <f32>(to * WIDER));
}

/**
 * The current watcher is calm until any distance has changed by `slack`. A leaper that stays within `from` keeps its seat; one
 * that stays beyond `to` has none.
 */
export function beCalm(slack: f64, from: f64, to: f64): void {
  stayAlert(to);
  // If the sum is far greater than the slack, float64 rounding would lose the slack.
  if (!(slack > LEAST_SLACK && slack > travel * LEAST_SHARE)) return;
  store<f64>(calmUntil + (<usize>watcher << 3), travel + slack);
  store<f32>(calmFrom + (<usize>watcher << 2), <f32>(from / WIDER));
}

/**
 * The current watcher is still: it stays as it is while nothing moves but leapers, and none of these changes a seat. `from`, `to`: as
 * for `beCalm`.
 */
export function beStill(from: f64, to: f64): void {
  stayAlert(to);
  const slack = stillSlack();
  const at = <usize>watcher << 3;
  store<f64>(calmUntil + at, travel + slack);
  if (!(load<f64>(clearUntil + at) > travel)) store<f64>(clearUntil + at, travel + slack);
  // The sign says that the watcher is still.
  store<f32>(calmFrom + (<usize>watcher << 2), from > 0 ? -<f32>(from / WIDER) : -Infinity);
}

@inline
function stillSlack(): f64 {
  return max(travel * STILL_SHARE, LEAST_STILL);
}

/** Adds a tick whose longest step has this squared length. */
export function addStep(longest: f32): void {
  step = sqrt(<f64>longest) * WIDER;
  // Any step ends the calm of those that are still.
  if (step > 0) travel += max(2 * step, 2 * stillSlack());
}

/** If no watcher relies on the former travel, it starts again at 0. */
export function closeCalm(job: usize, isAnyClear: bool): void {
  if (!isAnyClear) travel = 0;
  store<f64>(job + (words.TRAVEL << 2), travel);
  store<f64>(job + (words.STEP << 2), step);
}

export function endCalm(slot: u32): void {
  const at = <usize>slot << 3;
  stirs += u32(load<f64>(calmUntil + at) > travel);
  store<f64>(calmUntil + at, 0);
  store<f64>(clearUntil + at, 0);
}

/**
 * Loads a leaper. Returns the radius around its positions within which watchers may be affected. `farthest`: the farthest
 * distance at which a plain marker may concern any watcher; `bits`: what is pending for it.
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
  gain = <f64>prominenceOf(slot);
  leastReach = <f64>(farthestLeastReach(slot) * shapeExtent());
  isMereStep = !hasChanged && (load<u8>(arePlain + slot) & words.PLAIN) != 0;
  return farthest * gain + leastReach + step;
}

/**
 * Ends the calm of this watcher if the current leaper may affect it. Returns whether the watcher was loaded, so that searches no
 * longer begin at the leaper.
 */
export function stir(slot: u32): bool {
  const at = <usize>slot << 3;
  if (!(load<f64>(clearUntil + at) > travel)) return false;
  const x = floatAt(xs, slot);
  const y = floatAt(ys, slot);
  const z: f32 = is3D ? floatAt(zs, slot) : 0;
  const before = lengthOf(x - oldX, y - oldY, is3D ? z - oldZ : 0);
  const after = lengthOf(x - newX, y - newY, is3D ? z - newZ : 0);
  const nearest = min(before - step, after) / WIDER - LEAST_LENGTH;
  const to = <f64>floatAt(calmTo, slot);
  if (nearest > to * gain + leastReach) return false;
  const from = <f64>floatAt(calmFrom, slot);
  if (isMereStep && max(before + step, after) * WIDER + LEAST_LENGTH < insideOf(from)) return false;
  if (from < 0 && !isOther && load<f64>(calmUntil + at) > travel) {
    if (keepsSeats(slot, leaper, hasChanged, oldX, oldY, oldZ)) beAsDecided(slot);
    else endCalm(slot);
    return true;
  }
  endCalm(slot);
  return false;
}

/** A watcher stays still, but what is known of the markers that may get or lose a seat first is not known of the leaper. */
function beAsDecided(slot: u32): void {
  const at = <usize>slot << 3;
  store<f64>(clearUntil + at, load<f64>(calmUntil + at));
  store<f32>(calmFrom + (<usize>slot << 2), -Infinity);
  forgetEdgeOf(slot);
}

/** Within which distance a leaper keeps its seat, from the stored word. */
@inline
function insideOf(from: f64): f64 {
  return from == -Infinity ? 0 : abs(from);
}

@inline
function lengthOf(dx: f32, dy: f32, dz: f32): f64 {
  return sqrt(<f64>dx * <f64>dx + <f64>dy * <f64>dy + <f64>dz * <f64>dz);
}
