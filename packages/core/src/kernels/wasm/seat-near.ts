// The near list of the watcher at hand: the markers without a seat that may come to sit soon. Part of seat-search.ts.
//
//   seats ......... | near list: every other marker | the index has them
//                 base                             edge
//
// The index is searched as far as the edge, and what is found behind the seats is listed. From then on the index need not be searched
// again as long as nobody can have come from behind the edge to where seats end: the list says who comes to sit. The edge comes nearer
// with all that anybody may have gone since (seat-calm.ts: travel).
//
// How near a marker is: as near as where seats end plus what must change before it may come to sit. For a plain one that is its distance.
// A heavy one ranks as if it were nearer; but no marker comes to sit before it is perceived.
import * as words from '../layouts/seat-search';
import { Floats, WIDTH, allBytes, allFloats, greatestLane, raised, setFloats, sub, wordsAt } from './lanes';
import { clearance, setClearance } from './seat-calm';
import { addNewcomer } from './seat-candidates';
import { editCount, first, isLeaving, markerOf } from './seat-changes';
import {
  arePlain, is3D, isMarker, isPlainAt, longestReach, longestReachTo, meets, plainSensesAt, rankAt, sensesAt, serial, squareTo,
  squaresTo, stamps, watcher, watcherX, watcherY, watcherZ, weightOf, xOf, yOf, zOf,
} from './seat-watcher';
import { column, floatAt, setFloat, setWord, word, wordAt } from './job';
import { squaredOf } from './perception';

const ROOM: u32 = words.NEAR_SLOTS;
const SLOTS: usize = words.NEAR_SLOTS_AT << 2;
const BASE: usize = words.NEAR_BASE_AT << 2;
const BLOCK_BYTES: usize = words.BLOCK_WORDS << 2;
const COUNT_BITS: u32 = 31;
/** The list was made while seats were free: those behind it are not perceived. */
const IS_FREE: u32 = 32;
/** Some are not listed only because they are not perceived. */
const IS_ANY_HELD_BY_REACH: u32 = 64;
/** What rounding may lose. */
export const CLOSER: f64 = 1 - 1 / 262144;
export const LOST: f64 = 4e-6;
const LEAST_SQUARE: f32 = 1e-36;
/** Squares beyond these tell too little of lengths. */
const SHORTEST: f32 = 1e-30;
const LONGEST: f32 = 1e36;

let jobAt: usize = 0;
let blockOf: usize = 0;
let blocks: usize = 0;
let used: u32 = 0;
/** Float32, of those listed: how near, squared. */
let squares: usize = 0;

/** Whether the list is known, and every marker that is neither in it nor in the row is at least `edge` away. */
export let isListed: bool = false;
export let edge: f64 = 0;
/** The edge came nearer for want of room, or because the index was searched. */
let isEdgeNew: bool = false;
/** Whether the index was searched for it in this tick. */
let isSearched: bool = false;
/** Squared; what is no nearer is not listed. */
let edgeSquare: f32 = 0;
let mayList: bool = false;
let isFreeList: bool = false;
let isAnyHeldByReach: bool = false;
/** Where seats ended when the list was made, in the measure of distance. */
let listBase: f64 = 0;
let count: u32 = 0;
/** The block of the watcher at hand, and the slots of its near list. */
export let block: usize = 0;
let nearSlots: usize = 0;
let isChanged: bool = false;
/** Longest distance at which a plain marker is perceived. */
let reach: f32 = 0;
/** How near the nearest plain one of the list is. */
export let nearestPlain: f64 = 0;

export function openNear(job: usize): void {
  jobAt = job;
  blockOf = column(job, words.BLOCK_OF);
  blocks = column(job, words.BLOCKS);
  used = word(job, words.BLOCKS_USED);
  squares = job + (words.NEAR_SQUARES << 2);
}

/** Takes up the list of the watcher at hand, if it may have one. */
export function takeUpList(may: bool): void {
  mayList = may;
  isChanged = false;
  isEdgeNew = false;
  isSearched = false;
  count = 0;
  isListed = false;
  if (!may) return;
  reach = longestReach(1, 0);
  // The first block is nobody's: lists are made there.
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

/** Begins the list anew, which `addNear` fills: the index is about to be searched as far as `to`. `base`: seats end there. */
export function beginList(to: f32, base: f32, isFree: bool): void {
  isListed = mayList;
  isSearched = true;
  if (!mayList) return;
  isChanged = true;
  isEdgeNew = true;
  isFreeList = isFree;
  isAnyHeldByReach = false;
  listBase = <f64>(isFree ? reach : base);
  count = 0;
  edge = <f64>to;
  edgeSquare = to * to;
}

/** How far from the watcher markers of a grid are to be looked for, so that whoever is near enough is listed. */
export function listLine(maxWeight: f64, gridReach: f64): f64 {
  const byReach = gridReach + max(0, edge - listBase);
  const byRank = edge * max(1, maxWeight);
  if (!isFreeList && byRank <= byReach) return byRank;
  isAnyHeldByReach = true;
  return byReach;
}

/** Whether any may be listed still. */
export function mayListOne(): bool {
  return edgeSquare > 0;
}

/** Whether one that far away, of that weight, may be listed, whatever its reach. */
@inline
export function mayBeNear(distance: f32, weight: f32): bool {
  return isFreeList || <f64>(weight > 1 ? distance / weight : distance) < edge;
}

/** Lists a marker that is no candidate, that far away, if it is near enough. */
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
    if (near >= farthest ? !isPlain : isPlainAt(wordAt(nearSlots, at)) == 0) isAnyHeldByReach = true;
    // One that was listed may be behind the edge by now.
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

/** Of a marker that may be out of the ordinary. */
function squareOfNearness(slot: u32, squared: f32): f32 {
  const distance: f32 = Mathf.sqrt(squared);
  const weight = weightOf(slot);
  const own = longestReachTo(slot);
  const byReach = <f64>distance - <f64>own - <f64>(distance + own) * LOST + listBase;
  const byRank = <f64>(weight > 1 ? distance / weight : distance);
  const near = <f32>(max(0, isFreeList ? byReach : max(byRank, byReach)) * CLOSER);
  return near * near;
}

/** How far those of the list are now. The list is given up where one of it can no longer be judged by it. */
function measureList(): void {
  let nearest: Floats = allFloats(-Infinity);
  for (let i: u32 = 0; i < count; i += WIDTH) {
    // Behind the last there is the last again.
    const markers = wordsAt(nearSlots + (<usize>i << 2));
    if (allBytes(arePlain, markers) == 0) {
      measureEach();
      return;
    }
    const squared = squaresTo(markers);
    setFloats(squares + (<usize>i << 2), squared);
    nearest = raised(nearest, sub(allFloats(0), squared));
  }
  nearestPlain = sqrt(<f64>-greatestLane(nearest));
  isAnyOdd = false;
}

/** Whether any of the list is out of the ordinary. */
let isAnyOdd: bool = false;

function measureEach(): void {
  isAnyOdd = true;
  nearestPlain = Infinity;
  for (let i: u32 = 0; i < count; i++) {
    const slot = wordAt(nearSlots, i);
    const squared = squareTo(slot);
    const isPlain = isPlainAt(slot) != 0;
    if (isPlain) nearestPlain = min(nearestPlain, sqrt(<f64>squared));
    setFloat(squares, i, isPlain || !isMarker(slot) ? squared : squareOfNearness(slot, squared));
  }
}

/**
 * How much any distance may change, at least, before one without a seat comes to sit; not above 0 where one may now. `base`: how far off
 * seats end; `pace`: how much of each step the end of seats may go.
 */
export function gapOfList(isFull: bool, base: f32, pace: f64): f64 {
  const share: f64 = 1 / (1 + pace);
  const to = <f64>base;
  // Of those behind the edge, then of plain ones in the list; a marker must be perceived, and rank well enough where seats are taken.
  let gap = isFreeList ? edge - <f64>reach : -1;
  if (isFull && !isFreeList) gap = isAnyHeldByReach ? min((edge - to) * share, edge - listBase) : (edge - to) * share;
  else if (isFull && !isAnyHeldByReach) gap = max(gap, (edge - to) * share);
  gap = min(gap, max(nearestPlain - <f64>reach, isFull ? (nearestPlain - to) * share : -1));
  if (isAnyOdd) for (let i: u32 = 0; i < count; i++) gap = min(gap, oddGap(i, to, share, isFull));
  return gap;
}

/** Whether all who are perceived and rank no worse than that are in the list or in the row. */
export function knowsAllTo(worst: f32): bool {
  return edge * CLOSER > <f64>worst || (isFreeList && edge * CLOSER > <f64>reach);
}

/** As `gapOfList`, of one of the list; infinite for a plain one. */
function oddGap(i: u32, base: f64, share: f64, isFull: bool): f64 {
  const slot = wordAt(nearSlots, i);
  if (isPlainAt(slot) != 0 || !isMarker(slot) || !meets(slot)) return Infinity;
  const distance = sqrt(<f64>squareTo(slot));
  const own = <f64>longestReachTo(slot);
  const beyond = distance - own - (distance + own) * LOST;
  if (!isFull) return beyond;
  const weight = <f64>weightOf(slot);
  return max(beyond, ((weight > 1 ? distance / weight : distance) - base) * share);
}

/** Makes candidates of all of the list that are perceived and rank no worse than that; they are listed no more. */
export function takeNewcomers(worst: f32): void {
  const most: f32 = worst * worst * <f32>(1 + 1e-5) + LEAST_SQUARE;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const near = floatAt(squares, i);
    const slot = wordAt(nearSlots, i);
    // How near one is that is out of the ordinary may be for want of reach.
    if ((near <= most || isAnyOdd) && takeNewcomer(slot, worst)) continue;
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
  const senses = isPlainAt(slot) != 0 ? plainSensesAt(dx, dy, dz, squared) : sensesAt(slot, dx, dy, dz, squared);
  if (senses == 0) return false;
  const rank = rankAt(slot, Mathf.sqrt(squared));
  if (!(rank <= worst)) return false;
  addNewcomer(slot, rank, squared, senses);
  return true;
}

/** Lists whoever left the row, and keeps the list for the next time. Answers whether it is known. */
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

/** Lists one that was a candidate, and has no seat. */
export function listLeaver(slot: u32): void {
  if (isMarker(slot)) addNear(slot, squareTo(slot), isPlainAt(slot) != 0);
}

/** One that left the row. */
function listOfRow(slot: u32): void {
  // One that was in the row without a seat is not stamped: the search found it with the others.
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
