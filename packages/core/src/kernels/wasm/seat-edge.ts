// The edge seats: those seats of the current watcher's row that may change first. Part of seat-search.ts.
//
//   row:   | deep: sure of their seats, perceived as they are | at the edge |      then the near list: seat-near.ts
//
// When the row is read, the kernel computes for each seat how much any distance may change before the seat changes. The seats
// with the least values are listed (edge seats). The least value of all others says how long those stay deep. While they are
// deep, the edge seats and the near list are enough to see whether anything changes, and for how long nothing will: the row
// itself is not read.
import { RELATED } from '../layouts/pair-state';
import * as words from '../layouts/seat-search';
import {
  Floats, WIDTH, Words, absolute, add, allFloats, allWords, areEqual, bitAnd, bitsOf, chosen, div, floatsAt, greatestLane, isAtLeast, isEverywhere,
  mul, raised, root, setFloats, shiftedDown, sub, wordsAt,
} from './lanes';
import { step, travel } from './seat-calm';
import { count, ranks, slots, squares, states } from './seat-candidates';
import { SIMPLY_SEATED } from './seat-changes';
import { LOST, block } from './seat-near';
import {
  areEven, areUsual, factor, is3D, isEvenAt, isMarker, longestReach, margin, meets, now, pairSquared, rankAt, reachTo, reachesTo,
  rowStates, senseCount, senseRange, sensesNow, sensesOfLanes, squaresTo, watcher, weightOf, weights, weightsOf,
} from './seat-watcher';
import { floatAt, setFloat, setWord, wordAt } from './job';

const ROOM: u32 = words.EDGE_SLOTS;
const SLOTS: usize = words.EDGE_SLOTS_AT << 2;
const STATES: usize = words.EDGE_STATES_AT << 2;
const DEEP: usize = words.DEEP_UNTIL_AT << 2;
/** Approximately how many seats are listed. */
const LISTED: f32 = 6;
/** If some pairs of the row relate by force, seats count as deep for at most this share of the range. */
const FORCED_DEPTH: f64 = 0.25;

// Of the edge seats, when they were last measured: the worst rank, how much any distance may change before one of them is
// perceived differently, and how far the worst rank may move with each unit of step.
export let edgeRank: f32 = 0;
export let edgeSlack: f64 = 0;
export let edgePace: f64 = 1;
/** How much any distance may change before a deep seat changes. */
export let deepness: f64 = 0;

/** Scratch: how much any distance may change before each listed seat changes. */
let slacks: usize = 0;
let lanesAt: usize = 0;
let listed: u32 = 0;
/** The greatest of the listed values, and the least of the others. */
let greatestListed: f32 = 0;
let leastOther: f32 = 0;

export function openEdge(job: usize): void {
  slacks = job + (words.EDGE_SLACKS << 2);
  lanesAt = job + (words.LANES << 2);
}

/** Set in the head of a block: some pairs of the row relate by force, at any distance. */
const HAS_FORCED: u32 = 128;

/** Whether any pair of the row related by force when the edge seats were listed. */
@inline
export function hasForced(): bool {
  return (load<u32>(block) & HAS_FORCED) != 0;
}

/**
 * How far beyond its perception the watcher must react to leapers, so that a pair related by force stays deep: as far as a leaper
 * may move before the watcher's seats are read again.
 */
export function forcedDepth(): f64 {
  return hasForced() ? depth() : 0;
}

/** How much any distance may change before a deep seat changes, as just stored; 0 if no seats are deep. */
export function depth(): f64 {
  return max(load<f64>(block + DEEP) - travel, 0);
}

/** The row is a different one, or was not read: it must be read before any of its seats counts as deep. */
export function forgetEdge(): void {
  store<f64>(block + DEEP, 0);
}

/**
 * Lists the edge seats, from the candidates that have a seat. The first `seatedCount` were in the row before; their states are
 * those of the row (`isAsRow`) or those of the candidates. `border`: no seat has a worse rank; `Infinity` if seats are free.
 * `forcedCount` further pairs relate by force: they keep their seats, and no change of distance below `forcedSlack` changes how
 * they are perceived.
 */
export function listEdge(seatedCount: u32, isAsRow: bool, border: f32, forcedCount: u32, forcedSlack: f32): void {
  forgetEdge();
  const head = load<u32>(block) & ~HAS_FORCED;
  store<u32>(block, forcedCount > 0 ? head | HAS_FORCED : head);
  listed = 0;
  greatestListed = 0;
  const farthest: f32 = border == Infinity || factor == 0 ? Infinity : border / factor;
  // Seats farther than this from any change are not listed. Some seats are nearer to a change, because the number of markers
  // grows with the distance from the watcher.
  const line = min(farthest, longestReach(1, 0));
  leastOther = count <= ROOM ? Infinity : (line * LISTED) / (<f32>count * (is3D ? 3 : 2));
  // No seat would be deep in the next tick.
  if (<f64>leastOther <= 2 * step) return;
  let from: u32 = 0;
  if (isAsRow) from = listOrdinary(seatedCount, farthest);
  for (let i = from; i < count; i++) if (!listOne(i, i >= seatedCount, isAsRow, farthest)) return;
  // If all seats are deep, one of them is listed in place of all.
  for (let i: u32 = 0; i < count && listed == 0; i++) {
    if (!listOne(i, i >= seatedCount, isAsRow, -Infinity)) return;
  }
  if (listed == 0) return;
  for (let i = listed; i < ROOM; i++) {
    setWord(block + SLOTS, i, wordAt(block + SLOTS, 0));
    setWord(block + STATES, i, wordAt(block + STATES, 0));
  }
  let least = <f64>min(leastOther, forcedSlack) - <f64>(longestReach(1, 0) + margin) * LOST;
  // While a pair related by force is deep, its marker must not leap unnoticed to a place from which a step brings it into reach:
  // see `forcedDepth`.
  if (forcedCount > 0) least = min(least, <f64>longestReach(1, 0) * FORCED_DEPTH);
  store<f64>(block + DEEP, least > 0 ? travel + least : 0);
}

/** Lists usual candidates that are as they are in the row, four lanes at a time. Returns how many were processed. */
function listOrdinary(seatedCount: u32, farthest: f32): u32 {
  const outer = allFloats(farthest);
  const longer = allFloats(<f32>(1 + LOST));
  let i: u32 = 0;
  for (; i + WIDTH <= seatedCount; i += WIDTH) {
    const at = <usize>i << 2;
    const distances = root(floatsAt(squares + at));
    const markers = wordsAt(slots + at);
    const cutoffs = weights == 0 ? outer : mul(outer, weightsOf(markers));
    // Negative: how much may change before the seat does.
    const least = raisedByEnds(sub(mul(distances, longer), cutoffs), distances, markers);
    setFloats(lanesAt, least);
    for (let bits = bitsOf(isAtLeast(least, allFloats(-leastOther))); bits != 0; bits &= bits - 1) {
      const lane = ctz(bits);
      // A dropped candidate has a rank below 0.
      if (floatAt(ranks, i + lane) >= 0) listSeat(wordAt(slots, i + lane), wordAt(rowStates, i + lane), -floatAt(lanesAt, lane));
    }
  }
  return i;
}

/**
 * Lists a candidate if it has a seat that little change of distance can affect. False if the pair is not ordinary, because of
 * force or consent.
 */
function listOne(i: u32, isNew: bool, isAsRow: bool, farthest: f32): bool {
  // A dropped candidate has a rank below 0.
  if (floatAt(ranks, i) < 0) return true;
  const slot = wordAt(slots, i);
  const own = isNew || !isAsRow ? load<u32>(states + (<usize>i << 3)) : wordAt(rowStates, i);
  const state = isNew ? own | (own << 8) | SIMPLY_SEATED : own;
  // A pair that awaits mutual consent is treated like any other, except that no margin holds it.
  const mayLack: u32 = margin == 0 ? RELATED : 0;
  if (((state & 0xffff0000) | mayLack) != SIMPLY_SEATED) return false;
  const distance: f32 = Mathf.sqrt(floatAt(squares, i));
  let slack: f32 = isEvenAt(slot) ? plainSlackAt(distance) : slackAt(slot, distance);
  const weight = weightOf(slot);
  if (farthest == -Infinity) slack = farthest;
  else if (farthest < Infinity) slack = min(slack, farthest * weight - distance * <f32>(1 + LOST));
  listSeat(slot, state, slack);
  return true;
}

@inline
function listSeat(slot: u32, state: u32, slack: f32): void {
  if (slack >= leastOther) return;
  let at = listed;
  if (listed == ROOM) {
    if (!(slack < greatestListed)) {
      leastOther = min(leastOther, slack);
      return;
    }
    leastOther = greatestListed;
    for (at = 0; floatAt(slacks, at) != greatestListed; ) at++;
  } else listed++;
  setWord(block + SLOTS, at, slot);
  setWord(block + STATES, at, state);
  setFloat(slacks, at, slack);
  if (listed < ROOM) greatestListed = max(greatestListed, slack);
  else {
    greatestListed = floatAt(slacks, 0);
    for (let i: u32 = 1; i < ROOM; i++) greatestListed = max(greatestListed, floatAt(slacks, i));
  }
}

/**
 * Raises lanes to the negative difference between each distance and the nearest one at which a sense, or the margin, begins or
 * ceases to include a usual marker.
 */
@inline
function raisedByEnds(lanes: Floats, distances: Floats, markers: Words): Floats {
  if (!areEven(markers)) return raisedByReaches(lanes, distances, markers);
  for (let s = 0; s < senseCount; s++) {
    const range = senseRange(s);
    if (range == 0) continue;
    lanes = raised(lanes, sub(allFloats(0), absolute(sub(distances, allFloats(range)))));
    if (margin > 0) lanes = raised(lanes, sub(allFloats(0), absolute(sub(distances, allFloats(range + margin)))));
  }
  return lanes;
}

/** As `raisedByEnds`, where markers are perceived from distances of their own: the rounding error of these is subtracted. */
function raisedByReaches(lanes: Floats, distances: Floats, markers: Words): Floats {
  for (let s = 0; s < senseCount; s++) {
    if (senseRange(s) == 0) continue;
    const reach = reachesTo(markers, s);
    const isReached = isAtLeast(reach, allFloats(0));
    const lost = mul(add(distances, add(reach, allFloats(margin))), allFloats(<f32>LOST));
    const toEnd = sub(lost, absolute(sub(distances, reach)));
    lanes = raised(lanes, chosen(isReached, toEnd, allFloats(-Infinity)));
    if (margin == 0) continue;
    const toMargin = sub(lost, absolute(sub(distances, add(reach, allFloats(margin)))));
    lanes = raised(lanes, chosen(isReached, toMargin, allFloats(-Infinity)));
  }
  return lanes;
}

/** As `raisedByEnds`, for one plain marker, and positive. */
function plainSlackAt(distance: f32): f32 {
  let least: f32 = Infinity;
  for (let s = 0; s < senseCount; s++) {
    const range = senseRange(s);
    if (range == 0) continue;
    least = min(least, abs(distance - range));
    if (margin > 0) least = min(least, abs(distance - (range + margin)));
  }
  return least;
}

/** How much any distance may change before a sense, or the margin, begins or ceases to include a marker at that distance. */
export function slackOf(slot: u32, distance: f32): f32 {
  if (isEvenAt(slot)) return plainSlackAt(distance);
  return isMarker(slot) && meets(slot) ? slackAt(slot, distance) : Infinity;
}

/** As `plainSlackAt`, for any marker that the watcher meets. */
function slackAt(slot: u32, distance: f32): f32 {
  let least: f32 = Infinity;
  for (let s = 0; s < senseCount; s++) {
    const reach = reachTo(slot, s);
    if (reach < 0) continue;
    // The marker may be perceived from much farther than others, so the rounding error of its distance must be subtracted.
    const lost: f32 = (distance + reach + margin) * <f32>LOST;
    least = min(least, abs(distance - reach) - lost);
    if (margin > 0) least = min(least, abs(distance - (reach + margin)) - lost);
  }
  return least;
}

/**
 * Computes where the edge seats are now. False if the row must be read: its deep seats are not known, or an edge seat is
 * perceived differently.
 */
export function measureEdge(): bool {
  deepness = load<f64>(block + DEEP) - travel;
  if (!(deepness > 0)) return false;
  let greatest = allFloats(0);
  let nearest: Floats = allFloats(-Infinity);
  let fastest = allFloats(1);
  for (let i: u32 = 0; i < ROOM; i += WIDTH) {
    const markers = wordsAt(block + SLOTS + (<usize>i << 2));
    if (!areUsual(markers)) return measureEach();
    const squared = squaresTo(markers);
    const before: Words = wordsAt(block + STATES + (<usize>i << 2));
    const senses = sensesOfLanes(markers, squared, shiftedDown(before, 8));
    if (!isEverywhere(areEqual(senses, bitAnd(before, allWords(0xffff))))) return false;
    const distances = root(squared);
    if (weights == 0) greatest = raised(greatest, distances);
    else {
      const ofLanes = weightsOf(markers);
      greatest = raised(greatest, div(distances, ofLanes));
      fastest = raised(fastest, div(allFloats(1), ofLanes));
    }
    nearest = raisedByEnds(nearest, distances, markers);
  }
  edgeRank = greatestLane(greatest) * factor;
  edgeSlack = <f64>-greatestLane(nearest);
  edgePace = <f64>(greatestLane(fastest) * factor);
  return true;
}

function measureEach(): bool {
  edgeRank = 0;
  edgeSlack = Infinity;
  edgePace = <f64>factor;
  for (let i: u32 = 0; i < ROOM; i++) {
    const slot = wordAt(block + SLOTS, i);
    const state = wordAt(block + STATES, i);
    if (!isMarker(slot)) return false;
    if ((state & 0xffff) != sensesNow(slot, state)) return false;
    const distance: f32 = Mathf.sqrt(pairSquared);
    edgeRank = max(edgeRank, rankAt(slot, distance) * factor);
    edgePace = max(edgePace, <f64>factor / <f64>weightOf(slot));
    edgeSlack = min(edgeSlack, <f64>slackAt(slot, distance));
  }
  return true;
}
