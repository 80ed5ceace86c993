// The near list of the current watcher: the markers without a seat that may get one soon. Part of seat-search.ts.
//
//   seats ......... | near list: every other marker | the index has them
//                 base                             edge
//
// The index is searched up to the edge, and the markers found beyond the seats are listed. From then on the index need not be
// searched again as long as no marker can have moved from beyond the edge to the cutoff: all newcomers are in the list. The edge
// moves nearer by the most that any marker may have moved since (seat-calm.ts: travel).
//
// The measure of nearness is the distance of the cutoff plus how much must change before the marker may get a seat. For a plain
// marker that is its distance. A marker with a large weight ranks as if it were nearer, but no marker gets a seat before it is
// perceived.
import * as words from '../layouts/seat-search';
import {
  Floats, WIDTH, Words, add, allFloats, chosen, div, floatsAt, greatestLane, isAtMost, mul, nowhere, raised, root, setFloats, sub, wordsAt,
} from './lanes';
import { clearance, setClearance, step } from './seat-calm';
import { addNewcomer } from './seat-candidates';
import { editCount, first, isLeaving, markerOf } from './seat-changes';
import {
  areEven, areUsual, is3D, isEvenAt, isMarker, isMixed, isPlainAt, longestReach, longestReachTo, longestReachesTo, meets, plainSensesAt,
  rankAt, sensesAt, serial, squareTo, squaresTo, stamps, watcher, watcherX, watcherY, watcherZ, weightOf, weights, weightsOf, xOf, yOf, zOf,
} from './seat-watcher';
import { column, floatAt, setFloat, setWord, word, wordAt } from './job';
import { squaredOf } from './perception';

const ROOM: u32 = words.NEAR_SLOTS;
const SLOTS: usize = words.NEAR_SLOTS_AT << 2;
const BASE: usize = words.NEAR_BASE_AT << 2;
const BLOCK_BYTES: usize = words.BLOCK_WORDS << 2;
const COUNT_BITS: u32 = 31;
/** The list was made while seats were free: markers beyond it are not perceived. */
const IS_FREE: u32 = 32;
/** Some markers are not listed only because they are not perceived. */
const IS_ANY_HELD_BY_REACH: u32 = 64;
/** What rounding may lose. */
export const CLOSER: f64 = 1 - 1 / 262144;
export const LOST: f64 = 4e-6;
const LEAST_SQUARE: f32 = 1e-36;
/** Squared distances outside these bounds are too inaccurate. */
const SHORTEST: f32 = 1e-30;
const LONGEST: f32 = 1e36;

let jobAt: usize = 0;
let blockOf: usize = 0;
let blocks: usize = 0;
let used: u32 = 0;
/**
 * Float32, squared nearness of the listed markers. If there are gains or weights: how far they are beyond reach, and ranks no worse
 * than theirs.
 */
let squares: usize = 0;
let beyondReach: usize = 0;
let leastRanks: usize = 0;
/** Whether there are neither weights nor gains in the world. */
let areAllAlike: bool = true;

/** Whether the list is valid: every marker that is neither in it nor in the row is at least `edge` away. */
export let isListed: bool = false;
export let edge: f64 = 0;
/** The edge moved nearer because the list was full, or the index was searched. */
let isEdgeNew: bool = false;
/** Whether the index was searched for this list in this tick. */
let isSearched: bool = false;
/** Squared; a marker that is not nearer is not listed. */
let edgeSquare: f32 = 0;
let mayList: bool = false;
let isFreeList: bool = false;
let isAnyHeldByReach: bool = false;
/** Where the cutoff was when the list was made, as a distance. */
let listBase: f64 = 0;
let count: u32 = 0;
/** The block of the current watcher, and the slots of its near list. */
export let block: usize = 0;
let nearSlots: usize = 0;
let isChanged: bool = false;
/** Longest distance at which a plain marker is perceived. */
let reach: f32 = 0;
/** The distance of the nearest plain marker of the list; if it has none that is not usual, of the nearest of all. */
export let nearestPlain: f64 = 0;

export function openNear(job: usize): void {
  jobAt = job;
  blockOf = column(job, words.BLOCK_OF);
  blocks = column(job, words.BLOCKS);
  used = word(job, words.BLOCKS_USED);
  squares = job + (words.NEAR_SQUARES << 2);
  beyondReach = job + (words.NEAR_BEYOND << 2);
  leastRanks = job + (words.NEAR_RANKS << 2);
}

/** Loads the list of the current watcher, if it may have one. */
export function openList(may: bool): void {
  mayList = may;
  isChanged = false;
  isEdgeNew = false;
  isSearched = false;
  count = 0;
  isListed = false;
  if (!may) return;
  reach = longestReach(1, 0);
  areAllAlike = weights == 0 && !isMixed;
  // The first block belongs to no watcher: new lists are made there.
  block = blocks + <usize>wordAt(blockOf, watcher) * BLOCK_BYTES;
  nearSlots = block + SLOTS;
  edge = clearance();
  const head = load<u32>(block);
  isFreeList = (head & IS_FREE) != 0;
  isAnyHeldByReach = (head & IS_ANY_HELD_BY_REACH) != 0;
  listBase = <f64>load<f32>(block + BASE);
  isListed = edge > (isAnyHeldByReach ? listBase : 0);
  if (!isListed) return;
  count = head & COUNT_BITS;
  const line = <f32>(edge * CLOSER);
  edgeSquare = line * line;
  measureList();
}

/**
 * Starts a new list, which `addNear` fills: the index will be searched up to `to`. `base`: where the cutoff is. No list is made if
 * the next tick will have to search again in any case, because markers move farther in a tick than from the edge to the cutoff.
 */
export function beginList(to: f32, base: f32, isFree: bool): void {
  isListed = mayList && <f64>(to - min(base, reach)) > 2 * step;
  isSearched = true;
  if (!isListed) return;
  isChanged = true;
  isEdgeNew = true;
  isFreeList = isFree;
  isAnyHeldByReach = false;
  listBase = <f64>(isFree ? reach : base);
  count = 0;
  edge = <f64>to;
  edgeSquare = to * to;
}

/** How far from the watcher a grid's markers must be searched, so that every marker that is near enough is listed. */
export function listLine(maxWeight: f64, gridReach: f64): f64 {
  const byReach = gridReach + max(0, edge - listBase);
  const byRank = edge * max(1, maxWeight);
  if (!isFreeList && byRank <= byReach) return byRank;
  isAnyHeldByReach = true;
  return byReach;
}

/** Whether any marker may still be listed. */
export function mayListOne(): bool {
  return edgeSquare > 0;
}

/** Whether a marker at that distance, of that weight, may be listed, whatever its reach. */
@inline
export function mayBeNear(distance: f32, weight: f32): bool {
  return isFreeList || <f64>(weight > 1 ? distance / weight : distance) < edge;
}

/** Up to which distance, divided by its weight, a marker may be listed: see `mayBeNear`. */
@inline
export function leastNear(): f64 {
  return isFreeList ? Infinity : edge;
}

/** Lists a marker that is not a candidate, if it is near enough. */
@inline
export function addNear(slot: u32, squared: f32, isPlain: bool): void {
  const near: f32 = isPlain ? squared : squareOfNearness(slot, squared);
  if (!(near < edgeSquare)) {
    if (!isPlain && !isAnyHeldByReach) {
      isAnyHeldByReach = true;
      isChanged = true;
    }
    return;
  }
  isChanged = true;
  let at = count;
  if (count == ROOM) {
    at = farthestListed();
    const farthest = floatAt(squares, at);
    isEdgeNew = true;
    if (near >= farthest ? !isPlain : !isPlainAt(wordAt(nearSlots, at))) isAnyHeldByReach = true;
    // The replaced marker may be beyond the edge now.
    edgeSquare = min(edgeSquare, max(near, farthest));
    if (near >= farthest) return;
  } else count++;
  setWord(nearSlots, at, slot);
  setFloat(squares, at, near);
}

function farthestListed(): u32 {
  let farthest: u32 = 0;
  for (let i: u32 = 1; i < count; i++) if (floatAt(squares, i) > floatAt(squares, farthest)) farthest = i;
  return farthest;
}

/** For a marker that may not be plain. */
function squareOfNearness(slot: u32, squared: f32): f32 {
  const distance: f32 = Mathf.sqrt(squared);
  const weight = weightOf(slot);
  const own = longestReachTo(slot);
  const byReach = <f64>distance - <f64>own - <f64>(distance + own) * LOST + listBase;
  const byRank = <f64>(weight > 1 ? distance / weight : distance);
  const near = <f32>(max(0, isFreeList ? byReach : max(byRank, byReach)) * CLOSER);
  return near * near;
}

/** Computes the present nearness of the listed markers. */
function measureList(): void {
  let nearest: Floats = allFloats(-Infinity);
  isAnyOdd = false;
  for (let i: u32 = 0; i < count; i += WIDTH) {
    const at = <usize>i << 2;
    // The words after the last marker repeat it.
    const markers = wordsAt(nearSlots + at);
    if (!areUsual(markers)) {
      measureEach();
      return;
    }
    const squared = squaresTo(markers);
    setFloats(squares + at, areAllAlike ? squared : weighed(at, squared, markers));
    nearest = raised(nearest, sub(allFloats(0), squared));
  }
  nearestPlain = sqrt(<f64>-greatestLane(nearest));
}

/** As `squareOfNearness`, for usual markers, one in each lane. Also stores how far they are beyond reach, and their ranks. */
function weighed(at: usize, squared: Floats, markers: Words): Floats {
  const one = allFloats(1);
  const isEven = areEven(markers);
  const own = isEven ? allFloats(reach) : longestReachesTo(markers);
  const ofLanes = weightsOf(markers);
  const distance = root(squared);
  const byRank = div(distance, raised(ofLanes, one));
  const beyond = sub(sub(distance, own), mul(add(distance, own), allFloats(<f32>LOST)));
  setFloats(beyondReach + at, beyond);
  setFloats(leastRanks + at, byRank);
  const byReach = add(beyond, allFloats(<f32>listBase));
  const near = mul(raised(isFreeList ? byReach : raised(byReach, byRank), allFloats(0)), allFloats(<f32>CLOSER));
  // A weight of at most 1 brings no marker nearer.
  return chosen(isEven ? isAtMost(ofLanes, one) : nowhere(), squared, mul(near, near));
}

/** Whether any marker of the list is not usual. */
let isAnyOdd: bool = false;

function measureEach(): void {
  isAnyOdd = true;
  nearestPlain = Infinity;
  for (let i: u32 = 0; i < count; i++) {
    const slot = wordAt(nearSlots, i);
    const squared = squareTo(slot);
    const isPlain = isPlainAt(slot);
    if (isPlain) nearestPlain = min(nearestPlain, sqrt(<f64>squared));
    setFloat(squares, i, isPlain || !isMarker(slot) ? squared : squareOfNearness(slot, squared));
  }
}

/**
 * The least change of any distance after which a marker without a seat may get one; not above 0 if one may get it now. `base`:
 * the distance of the cutoff; `pace`: how far the cutoff may move with each unit of step.
 */
export function gapOfList(isFull: bool, base: f32, pace: f64): f64 {
  const share: f64 = 1 / (1 + pace);
  const to = <f64>base;
  // First for markers beyond the edge, then for plain markers in the list. To get a seat, a marker must be perceived and, if all
  // seats are taken, rank well enough.
  let gap = isFreeList ? edge - <f64>reach : -1;
  if (isFull && !isFreeList) gap = isAnyHeldByReach ? min((edge - to) * share, edge - listBase) : (edge - to) * share;
  else if (isFull && !isAnyHeldByReach) gap = max(gap, (edge - to) * share);
  if (areAllAlike || isAnyOdd) gap = min(gap, max(nearestPlain - <f64>reach, isFull ? (nearestPlain - to) * share : -1));
  if (isAnyOdd) for (let i: u32 = 0; i < count; i++) gap = min(gap, oddGap(i, to, share, isFull));
  else if (!areAllAlike) gap = min(gap, usualGap(base, <f32>share, isFull));
  return gap;
}

/** The least of the gaps of usual markers: see `oddGap`. */
function usualGap(base: f32, share: f32, isFull: bool): f64 {
  let least: Floats = allFloats(-Infinity);
  for (let i: u32 = 0; i < count; i += WIDTH) {
    const at = <usize>i << 2;
    let gap = floatsAt(beyondReach + at);
    if (isFull) gap = raised(gap, mul(sub(floatsAt(leastRanks + at), allFloats(base)), allFloats(share)));
    least = raised(least, sub(allFloats(0), gap));
  }
  return <f64>-greatestLane(least);
}

/**
 * No marker without a seat ranks better than this. The list must be valid. 0 if there are weights or gains: what
 * is stored of the listed markers then is not their ranks.
 */
export function leastRankListed(): f64 {
  if (!areAllAlike) return 0;
  let least: f32 = Infinity;
  for (let i: u32 = 0; i < count; i++) least = min(least, floatAt(squares, i));
  return min(edge, sqrt(<f64>least)) * CLOSER;
}

/** Whether all markers that are perceived and rank no worse than `worst` are in the list or in the row. */
export function knowsAllTo(worst: f32): bool {
  return edge * CLOSER > <f64>worst || (isFreeList && edge * CLOSER > <f64>reach);
}

/** As `gapOfList`, for one listed marker; infinite if it is plain. */
function oddGap(i: u32, base: f64, share: f64, isFull: bool): f64 {
  const slot = wordAt(nearSlots, i);
  if (isPlainAt(slot) || !isMarker(slot) || !meets(slot)) return Infinity;
  const distance = sqrt(<f64>squareTo(slot));
  const own = <f64>longestReachTo(slot);
  const beyond = distance - own - (distance + own) * LOST;
  if (!isFull) return beyond;
  const weight = <f64>weightOf(slot);
  return max(beyond, ((weight > 1 ? distance / weight : distance) - base) * share);
}

/** Makes candidates of all listed markers that are perceived and rank no worse than `worst`, and removes them from the list. */
export function takeNewcomers(worst: f32): void {
  const most: f32 = worst * worst * <f32>(1 + 1e-5) + LEAST_SQUARE;
  const mostRank: f32 = worst * <f32>(1 + 1e-5) + LEAST_SQUARE;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const near = floatAt(squares, i);
    const slot = wordAt(nearSlots, i);
    // For a marker that is not plain, the nearness may be large only because it is out of reach.
    const mayRank = areAllAlike ? near <= most : floatAt(leastRanks, i) <= mostRank;
    if ((mayRank || isAnyOdd) && takeNewcomer(slot, worst)) continue;
    setWord(nearSlots, kept, slot);
    setFloat(squares, kept++, near);
  }
  if (kept < count) isChanged = true;
  count = kept;
}

function takeNewcomer(slot: u32, worst: f32): bool {
  if (!isMarker(slot)) return false;
  const dx = xOf(slot) - watcherX;
  const dy = yOf(slot) - watcherY;
  const dz: f32 = is3D ? zOf(slot) - watcherZ : 0;
  const squared = squaredOf(dx, dy, dz);
  const senses = isEvenAt(slot) ? plainSensesAt(dx, dy, dz, squared) : sensesAt(slot, dx, dy, dz, squared);
  if (senses == 0) return false;
  const rank = rankAt(slot, Mathf.sqrt(squared));
  if (!(rank <= worst)) return false;
  addNewcomer(slot, rank, squared, senses);
  return true;
}

/** Lists the markers that left the row, and stores the list for the next tick. Returns whether it is valid. */
export function closeList(): bool {
  if (isListed) for (let e = first; e < editCount; e++) if (isLeaving(e)) listOfRow(markerOf(e));
  if (isEdgeNew && !(edgeSquare > SHORTEST && edgeSquare < LONGEST)) isListed = false;
  if (!isListed) {
    setClearance(0);
    return false;
  }
  if (isEdgeNew) {
    edge = sqrt(<f64>edgeSquare) * CLOSER;
    setClearance(edge);
  }
  if (isChanged) storeList();
  return true;
}

/** Lists a marker that was a candidate and has no seat. */
export function listLeaver(slot: u32): void {
  if (isMarker(slot)) addNear(slot, squareTo(slot), isPlainAt(slot));
}

/** For a marker that left the row. */
function listOfRow(slot: u32): void {
  // A marker that was in the row without a seat is not stamped: the search found it with the others.
  if (wordAt(stamps, slot) == serial) listLeaver(slot);
  else if (!isSearched) isListed = false;
}

function storeList(): void {
  if (wordAt(blockOf, watcher) == 0) {
    setWord(blockOf, watcher, ++used);
    setWord(jobAt, words.BLOCKS_USED, used);
    const own = blocks + <usize>used * BLOCK_BYTES;
    memory.copy(own, block, BLOCK_BYTES);
    block = own;
    nearSlots = own + SLOTS;
  }
  store<u32>(block, (isFreeList ? IS_FREE : 0) | (isAnyHeldByReach ? IS_ANY_HELD_BY_REACH : 0) | count);
  store<f32>(block + BASE, <f32>listBase);
  if (count == 0) return;
  const last = wordAt(nearSlots, count - 1);
  for (let i = count; i < ROOM && (i & 3) != 0; i++) setWord(nearSlots, i, last);
}
