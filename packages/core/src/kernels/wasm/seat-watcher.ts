// The current watcher, and what it perceives: part of seat-search.ts. perception.ts has the definition.
import * as entity from '../layouts/entity-flags';
import {
  BOX, CHANNELS, CIRCLE, DIMENSIONS, FLAGS, GAINS, MAX_REACHES, MIN_REACHES, RANGES, RATIO_X, RATIO_Y, RATIO_Z, SEES, SENSE_COUNT, SHAPE, X, Y, Z,
} from '../layouts/perception';
import { FORCED, RELATED, SEATED } from '../layouts/pair-state';
import * as words from '../layouts/seat-search';
import {
  Floats, Mask, Words, absolute, add, allBytes, allFloats, allWords, bitAnd, bitOr, areZeroOr, both, chosen, gathered, isAtLeast, isAtMost, lowered, mul, raised, shiftedUp,
  sub, wordsWhere,
} from './lanes';
import { column, floatAt, setFloat, setWord, word, wordAt } from './job';
import { LEAST, channelIn, greatestOf, heldByMargin, isInside, maySee, reachFrom, squaredOf } from './perception';

const CAP_UNSET: u32 = entity.CAP_UNSET;
const EVENLY: u32 = words.USUAL | words.EVEN;

/** The present state of the world, and the state at the last tick. */
export let now: usize = 0;
export let last: usize = 0;
export let xs: usize = 0;
export let ys: usize = 0;
export let zs: usize = 0;
export let arePlain: usize = 0;
let flags: usize = 0;
export let weights: usize = 0;
let sees: usize = 0;
let channels: usize = 0;
let interests: usize = 0;
let caps: usize = 0;
let rules: usize = 0;
export let stamps: usize = 0;
let starts: usize = 0;
let sizes: usize = 0;
let markers: usize = 0;
let states: usize = 0;
let sinces: usize = 0;
export let is3D: bool = false;
export let shape: u32 = 0;
export let senseCount: i32 = 1;
export let tick: u32 = 0;
/** Whether any marker is met or perceived in another way than a plain one. */
export let isMixed: bool = false;
let candidateCapacity: u32 = 0;
export let serial: u32 = 0;
let jobAt: usize = 0;
/** Pairs of watcher and blocked marker, ascending. */
let barred: usize = 0;
let barredCount: u32 = 0;
/** `TURNED_PAIRS`; the next of the current watcher, and the end of its own. */
let turnedPairs: usize = 0;
let turnedCount: u32 = 0;
let turned: u32 = 0;
let turnedEnd: u32 = 0;
/** In place of a marker, after the last one. */
export const NOBODY: u32 = 0xffffffff;

export let watcher: u32 = 0;
export let watcherX: f32 = 0;
export let watcherY: f32 = 0;
export let watcherZ: f32 = 0;
export let watcherSees: u32 = 1;
export let watcherChannel: u32 = 0;
/** All its seats; `readRow` counts those held by force. */
export let watcherSeats: u32 = 0;
export let factor: f32 = 1;
export let dwell: u32 = 0;
export let margin: f32 = 0;
/** The words of its interest's rule. */
export let rule: usize = 0;
/** Its row, and the columns parallel to the markers. */
export let row: usize = 0;
export let rowStates: usize = 0;
export let rowSinces: usize = 0;
export let rowSize: u32 = 0;
/** Its ranges by sense lie in the job. `onlySquared`: the square of the range, if there is one sense. */
let ownRanges: usize = 0;
let onlySquared: f32 = 0;

export function openWatchers(job: usize): void {
  jobAt = job;
  ownRanges = job + (words.OWN_RANGES << 2);
  now = job + (words.NOW_STATE << 2);
  last = job + (words.LAST_STATE << 2);
  xs = column(now, X);
  ys = column(now, Y);
  zs = column(now, Z);
  arePlain = column(job, words.IS_PLAIN);
  flags = column(now, FLAGS);
  weights = column(job, words.WEIGHTS);
  sees = column(now, SEES);
  channels = column(now, CHANNELS);
  interests = column(job, words.INTERESTS);
  caps = column(job, words.CAPS);
  rules = column(job, words.RULES);
  stamps = column(job, words.STAMPS);
  starts = column(job, words.PAIR_START);
  sizes = column(job, words.PAIR_SIZE);
  markers = column(job, words.PAIR_MARKER);
  states = column(job, words.PAIR_STATE);
  sinces = column(job, words.PAIR_SINCE);
  is3D = word(now, DIMENSIONS) == 3;
  shape = word(now, SHAPE);
  senseCount = <i32>word(now, SENSE_COUNT);
  tick = word(job, words.TICK);
  isMixed = word(job, words.IS_MIXED) != 0;
  serial = word(job, words.SERIAL);
  candidateCapacity = word(job, words.CANDIDATE_CAPACITY);
  barred = column(job, words.BARRED);
  barredCount = word(job, words.BARRED_COUNT);
  turnedPairs = column(job, words.TURNED_PAIRS);
  turnedCount = word(job, words.TURNED_COUNT);
  turned = 0;
  turnedEnd = 0;
}

/** Loads a watcher's properties. Returns the most edits that it may have. */
export function openWatcher(slot: u32): u32 {
  loadWatcher(slot);
  serial++;
  setWord(stamps, slot, serial);
  if (barredCount > 0) stampBarred();
  return rowSize + min(watcherSeats, candidateCapacity) + 1 + openTurned();
}

/** Finds the pairs of the current watcher that a rule turned. Returns their number. */
function openTurned(): u32 {
  if (turnedCount == 0) return 0;
  turned = firstOf(turnedPairs, turnedCount);
  turnedEnd = turned;
  while (turnedEnd < turnedCount && wordAt(turnedPairs, 2 * turnedEnd) == watcher) turnedEnd++;
  return turnedEnd - turned;
}

/** How many of these pairs are left. */
export function turnedLeft(): u32 {
  return turnedEnd - turned;
}

/** The marker of the next of these pairs; `NOBODY` after the last one. */
@inline
export function turnedAt(): u32 {
  return turned < turnedEnd ? wordAt(turnedPairs, 2 * turned + 1) & words.MARKER_BITS : NOBODY;
}

/** Passes over the next of these pairs. Returns by which forces it relates. */
export function takeTurned(): u32 {
  return (wordAt(turnedPairs, 2 * turned++ + 1) >>> words.FORCE_SHIFT) & FORCED;
}

/** As `openWatcher`, without stamps: for a watcher of which one pair is read. */
export function loadWatcher(slot: u32): void {
  watcher = slot;
  watcherX = floatAt(xs, slot);
  watcherY = floatAt(ys, slot);
  watcherZ = is3D ? floatAt(zs, slot) : 0;
  watcherSees = sees == 0 ? 1 : wordAt(sees, slot);
  watcherChannel = channelIn(now, slot);
  const start = <usize>wordAt(starts, slot) << 2;
  row = markers + start;
  rowStates = states + start;
  rowSinces = sinces + start;
  rowSize = wordAt(sizes, slot);
  rule = ruleOf(slot);
  let cap = caps == 0 ? CAP_UNSET : wordAt(caps, slot);
  if (cap == CAP_UNSET) cap = word(rule, words.RULE_CAP);
  watcherSeats = cap;
  factor = floatAt(rule, words.RULE_FACTOR);
  dwell = word(rule, words.RULE_DWELL);
  margin = floatAt(rule, words.RULE_MARGIN);
  for (let s = 0; s < senseCount; s++) {
    const own = column(now, RANGES + s);
    setFloat(ownRanges, s, own == 0 ? 0 : floatAt(own, slot));
  }
  const only = floatAt(ownRanges, 0);
  onlySquared = only * only;
}

/** The share of its rank with which a seated marker counts, by the watcher's interest. */
@inline
export function factorOf(slot: u32): f32 {
  return floatAt(ruleOf(slot), words.RULE_FACTOR);
}

@inline
function ruleOf(slot: u32): usize {
  const interest: usize = interests == 0 ? 0 : <usize>load<u16>(interests + (<usize>slot << 1));
  return rules + interest * (words.RULE_WORDS << 2);
}

/** The index of the first element of the row whose marker is that one or a later one. */
export function placeOf(marker: u32): u32 {
  let low: u32 = 0;
  let high = rowSize;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (wordAt(row, middle) < marker) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first pair whose watcher is the current one or a later one. */
function firstOf(pairs: usize, count: u32): u32 {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (wordAt(pairs, 2 * middle) < watcher) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Stamps the markers that the watcher blocks: searches skip stamped markers. Cost: a binary search in all blocks. */
function stampBarred(): void {
  let low = firstOf(barred, barredCount);
  for (; low < barredCount && wordAt(barred, 2 * low) == watcher; low++) setWord(stamps, wordAt(barred, 2 * low + 1), serial);
}

/** The longest reach for markers within these bounds; 0 for a watcher without range. */
export function longestReach(maxGain: f32, maxMinReach: f32): f32 {
  let reach: f32 = 0;
  for (let s = 0; s < senseCount; s++) {
    const range = floatAt(ownRanges, s);
    if (range > 0) reach = max(reach, max(range * maxGain, maxMinReach));
  }
  return reach;
}

/** How far from the watcher a marker may be perceived, for each unit of reach. */
export function shapeExtent(): f32 {
  if (shape == CIRCLE) return 1;
  const x: f32 = shape == BOX ? floatAt(now, RATIO_X) : 1;
  const y: f32 = shape == BOX ? floatAt(now, RATIO_Y) : 0;
  const z: f32 = is3D ? floatAt(now, RATIO_Z) : 0;
  return Mathf.sqrt(x * x + y * y + z * z) * <f32>(1 + 1e-5);
}

@inline
export function senseRange(s: i32): f32 {
  return floatAt(ownRanges, s);
}

/** Makes searches begin at another position than the watcher's. */
export function standAt(x: f32, y: f32, z: f32): void {
  watcherX = x;
  watcherY = y;
  watcherZ = z;
}

/** How many times as far as a plain marker this one may matter, or mattered at the last tick, by its gain or its weight. */
export function prominenceOf(slot: u32): f32 {
  const weight: f32 = max<f32>(weightOf(slot), lastWeightOf(slot));
  return max<f32>(1, max<f32>(weight, greatestOf(now, last, GAINS, 1, slot)));
}

/** The longest minReach of a marker, now or at the last tick. */
export function farthestLeastReach(slot: u32): f32 {
  return greatestOf(now, last, MIN_REACHES, 0, slot);
}

@inline
export function xOf(slot: u32): f32 {
  return floatAt(xs, slot);
}

@inline
export function yOf(slot: u32): f32 {
  return floatAt(ys, slot);
}

@inline
export function zOf(slot: u32): f32 {
  return floatAt(zs, slot);
}

@inline
export function isPresent(slot: u32): bool {
  return load<u8>(flags + slot) != 0;
}

@inline
export function isVolatile(slot: u32): bool {
  return (<u32>load<u8>(flags + slot) & entity.VOLATILE) != 0;
}

@inline
export function isMarker(slot: u32): bool {
  return (<u32>load<u8>(flags + slot) & entity.MARKER) != 0;
}

/** Whether it is a marker that is perceived like a plain one, whatever its weight. */
@inline
export function isEvenAt(slot: u32): bool {
  if ((<u32>load<u8>(arePlain + slot) & EVENLY) != EVENLY) return false;
  if (channels == 0 || watcherChannel == 0) return true;
  const channel = <u32>load<u16>(channels + (<usize>slot << 1));
  return channel == 0 || channel == watcherChannel;
}

/** Whether these markers, one in each lane, may be tested together. */
@inline
export function areUsual(markers: Words): bool {
  if ((allBytes(arePlain, markers) & words.USUAL) == 0) return false;
  return channels == 0 || watcherChannel == 0 || areZeroOr(channels, markers, watcherChannel);
}

/** Whether these usual markers are perceived from as far as plain ones. */
@inline
export function areEven(markers: Words): bool {
  return !isMixed || (allBytes(arePlain, markers) & words.EVEN) != 0;
}

/** The weights of usual markers, one in each lane. */
@inline
export function weightsOf(markers: Words): Floats {
  return weights == 0 ? allFloats(1) : gathered(weights, markers);
}

/**
 * For plain markers at these distances, one in each lane, and circles: the senses that perceive them, without margin in the
 * lowest eight bits, with margin in the next eight. `before`: in the lowest eight bits, the senses with margin at the last tick.
 */
@inline
export function plainSensesOfLanes(squared: Floats, before: Words): Words {
  let exact = allWords(0);
  let held = exact;
  for (let s = 0; s < senseCount; s++) {
    const range = floatAt(ownRanges, s);
    if (range == 0) continue;
    exact = bitOr(exact, wordsWhere(isAtMost(squared, allFloats(range * range)), allWords(1 << s)));
    if (margin == 0) continue;
    const reach: f32 = range + margin;
    held = bitOr(held, wordsWhere(isAtMost(squared, allFloats(reach * reach)), allWords(1 << s)));
  }
  return bitOr(exact, shiftedUp(bitOr(exact, bitAnd(held, before)), 8));
}

/** As `plainSensesOfLanes`, for usual markers and any shape. `squared`: their squared distances. */
@inline
export function sensesOfLanes(markers: Words, squared: Floats, before: Words): Words {
  if (shape == CIRCLE && areEven(markers)) return plainSensesOfLanes(squared, before);
  return otherSensesOfLanes(markers, squared, before);
}

function otherSensesOfLanes(markers: Words, squared: Floats, before: Words): Words {
  const isEven = areEven(markers);
  if (shape != CIRCLE) measureOffsets(markers);
  let exact = allWords(0);
  let held = exact;
  for (let s = 0; s < senseCount; s++) {
    const range = floatAt(ownRanges, s);
    if (range == 0) continue;
    const reach = isEven ? allFloats(range) : reachesTo(markers, s);
    const isReached = both(areInside(squared, reach), isAtLeast(reach, allFloats(LEAST)));
    exact = bitOr(exact, wordsWhere(isReached, allWords(1 << s)));
    if (margin == 0) continue;
    // A reach of 0 by its maxReach has a margin, too.
    const isHeld = both(areInside(squared, add(reach, allFloats(margin))), isAtLeast(reach, allFloats(0)));
    held = bitOr(held, wordsWhere(isHeld, allWords(1 << s)));
  }
  return bitOr(exact, shiftedUp(bitOr(exact, bitAnd(held, before)), 8));
}

// How far markers are from the watcher along each axis, without sign, one in each lane: for boxes and cylinders.
let offsetX: Floats = allFloats(0);
let offsetY: Floats = allFloats(0);
let offsetZ: Floats = allFloats(0);

function measureOffsets(markers: Words): void {
  offsetX = absolute(sub(gathered(xs, markers), allFloats(watcherX)));
  offsetY = absolute(sub(gathered(ys, markers), allFloats(watcherY)));
  if (is3D) offsetZ = absolute(sub(gathered(zs, markers), allFloats(watcherZ)));
}

/** As `isInside` in perception.ts, for the markers in the lanes. */
@inline
function areInside(squared: Floats, reach: Floats): Mask {
  if (shape == CIRCLE) return isAtMost(squared, mul(reach, reach));
  const inPlane =
    shape == BOX
      ? both(isAtMost(offsetX, mul(reach, allFloats(floatAt(now, RATIO_X)))), isAtMost(offsetY, mul(reach, allFloats(floatAt(now, RATIO_Y)))))
      : isAtMost(add(mul(offsetX, offsetX), mul(offsetY, offsetY)), mul(reach, reach));
  return is3D ? both(inPlane, isAtMost(offsetZ, mul(reach, allFloats(floatAt(now, RATIO_Z))))) : inPlane;
}

/** As `reachTo`, for one usual marker in each lane. The watcher has the sense. */
export function reachesTo(markers: Words, s: i32): Floats {
  const gains = column(now, GAINS + s);
  const minReaches = column(now, MIN_REACHES + s);
  const maxReaches = column(now, MAX_REACHES + s);
  const range = allFloats(floatAt(ownRanges, s));
  const base = gains == 0 ? range : mul(range, gathered(gains, markers));
  const atLeast = minReaches == 0 ? base : raised(base, gathered(minReaches, markers));
  const reach = maxReaches == 0 ? atLeast : lowered(atLeast, gathered(maxReaches, markers));
  return chosen(isAtLeast(base, allFloats(LEAST)), reach, allFloats(-1));
}

/** As `sensesAt`, for a marker with the default gain, minReach, maxReach, layers and channel. */
@inline
export function plainSensesAt(dx: f32, dy: f32, dz: f32, squared: f32): u32 {
  if (shape == CIRCLE && senseCount == 1) return <u32>(squared <= onlySquared && onlySquared > 0);
  let senses: u32 = 0;
  for (let s = 0; s < senseCount; s++) {
    const range = floatAt(ownRanges, s);
    if (range > 0 && isInside(now, dx, dy, dz, squared, range)) senses |= 1 << s;
  }
  return senses;
}

/** The senses in which a marker at that distance is perceived, without margin. */
export function sensesAt(slot: u32, dx: f32, dy: f32, dz: f32, squared: f32): u32 {
  if (!isMixed) return (watcherSees & 1) != 0 ? plainSensesAt(dx, dy, dz, squared) : 0;
  if (!meets(slot)) return 0;
  let senses: u32 = 0;
  for (let s = 0; s < senseCount; s++) {
    const reach = reachTo(slot, s);
    if (reach > 0 && isInside(now, dx, dy, dz, squared, reach)) senses |= 1 << s;
  }
  return senses;
}

/** The squared distance of the pair that `sensesNow` was asked about last. */
export let pairSquared: f32 = 0;

/**
 * The senses that perceive a marker now, without margin in the lowest eight bits, with margin in the next eight. `before`: the state of
 * the pair at the last tick. The margin does not hold a pair that awaits mutual consent.
 */
export function sensesNow(marker: u32, before: u32): u32 {
  const dx = xOf(marker) - watcherX;
  const dy = yOf(marker) - watcherY;
  const dz: f32 = is3D ? zOf(marker) - watcherZ : 0;
  pairSquared = squaredOf(dx, dy, dz);
  if (!isMarker(marker)) return 0;
  const exact = sensesAt(marker, dx, dy, dz, pairSquared);
  const isAwaiting = (before & (SEATED | FORCED | RELATED)) == SEATED;
  const lost = isAwaiting ? 0 : ((before >>> 8) & 255) & ~exact;
  const held = lost != 0 && margin > 0 ? heldByMargin(now, watcher, marker, lost, margin) : 0;
  return exact | ((exact | held) << 8);
}

/** Whether the watcher would perceive a marker if it were near enough. */
export function meets(slot: u32): bool {
  return maySee(now, watcher, slot);
}

/** The longest distance from which a marker may be perceived. */
export function longestReachTo(slot: u32): f32 {
  let reach: f32 = 0;
  for (let s = 0; s < senseCount; s++) reach = max(reach, reachTo(slot, s));
  return reach;
}

/** -1 if the marker's gain hides it, or the watcher lacks the sense. */
export function reachTo(slot: u32, s: i32): f32 {
  return reachFrom(now, s, floatAt(ownRanges, s), slot);
}

/** The squared distance from the watcher to a marker. */
@inline
export function squareTo(slot: u32): f32 {
  return squaredOf(xOf(slot) - watcherX, yOf(slot) - watcherY, is3D ? zOf(slot) - watcherZ : 0);
}

/** As `squareTo`, for one marker in each lane. */
@inline
export function squaresTo(markers: Words): Floats {
  const dx = sub(gathered(xs, markers), allFloats(watcherX));
  const dy = sub(gathered(ys, markers), allFloats(watcherY));
  const flat = add(mul(dx, dx), mul(dy, dy));
  if (!is3D) return flat;
  const dz = sub(gathered(zs, markers), allFloats(watcherZ));
  return add(flat, mul(dz, dz));
}

@inline
export function weightOf(slot: u32): f32 {
  return weights == 0 ? 1 : floatAt(weights, slot);
}

export function lastWeightOf(slot: u32): f32 {
  const lastWeights = column(jobAt, words.LAST_WEIGHTS);
  return lastWeights == 0 ? 1 : floatAt(lastWeights, slot);
}

/** The rank, without the bonus, of a marker at that distance: infinite if its weight is 0. */
@inline
export function rankAt(slot: u32, distance: f32): f32 {
  const weight = weightOf(slot);
  return weight == 0 ? Infinity : distance / weight;
}
