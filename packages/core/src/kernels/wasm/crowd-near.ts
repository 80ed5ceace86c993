// Twin of ../crowd-near.ts.
import { column, floatAt, setFloat, setWord, wordAt } from './job';
import {
  BOX_BYTES, GREATEST_WEIGHT, NEAR_SLOT, NEAR_WEIGHT, NEAR_X, NEAR_Y, NEAR_Z, NODE_STACK, PACKING,
  PLACES, WEIGHTS,
} from './crowd-job';
import { SLACK, VANISHING_SQUARED } from './crowd-rounding';
import { begins, boxes, childrenOf, ends, is3D, isPile, slots, squaredGap, treeX, treeY, treeZ } from './crowd-tree';

export let nearSlots: usize = 0;
export let nearX: usize = 0;
export let nearY: usize = 0;
export let nearZ: usize = 0;
export let nearWeights: usize = 0;
export let places: usize = 0;
export let weights: usize = 0;
export let nearCount: u32 = 0;
let packing: usize = 0;
let stack: usize = 0;
let greatestWeight: f32 = 1;
/** Of the leaf at hand. */
let least: v128 = i32x4.splat(0);
let greatest: v128 = i32x4.splat(0);

/** Takes up the job's columns, those of the tree having been. */
export function openNear(job: usize): void {
  nearSlots = column(job, NEAR_SLOT);
  nearX = column(job, NEAR_X);
  nearY = column(job, NEAR_Y);
  nearZ = column(job, NEAR_Z);
  nearWeights = column(job, NEAR_WEIGHT);
  packing = job + PACKING;
  places = column(job, PLACES);
  weights = column(job, WEIGHTS);
  stack = column(job, NODE_STACK);
  greatestWeight = load<f32>(job + GREATEST_WEIGHT);
}

// @ts-ignore: decorator
@inline
function squaredReach(rank: f32, weight: f32): f32 {
  const reach = rank * weight * SLACK;
  return reach * reach + VANISHING_SQUARED;
}

export function gatherNear(leaf: u32, rank: f32, pileCount: u32): void {
  const squared = squaredReach(rank, greatestWeight);
  const leafBox = boxes + (<usize>leaf) * BOX_BYTES;
  least = v128.load(leafBox);
  greatest = v128.load(leafBox, 16);
  // Place 0 is nobody's: whoever is not near is there.
  nearCount = 1;
  setFloat(nearX, 0, NaN);
  let depth: u32 = 1;
  setWord(stack, 0, 0);
  while (depth > 0) {
    const node = wordAt(stack, --depth);
    if (squaredGap(node, least, greatest) > squared) continue;
    const left = childrenOf(node);
    if (left != 0) {
      setWord(stack, depth++, left + 1);
      setWord(stack, depth++, left);
    } else if (isPile(node)) appendPile(node, rank, pileCount);
    else if (weights != 0) appendWeighted(wordAt(begins, node), wordAt(ends, node), rank);
    else appendLeaf(wordAt(begins, node), wordAt(ends, node), squared);
  }
  const slots_ = nearSlots;
  const places_ = places;
  for (let i: u32 = 1; i < nearCount; i++) setWord(places_, wordAt(slots_, i), i);
}

/** Takes back who is at which place. */
export function forgetNear(): void {
  const slots_ = nearSlots;
  const places_ = places;
  for (let i: u32 = 1; i < nearCount; i++) setWord(places_, wordAt(slots_, i), 0);
}

// @ts-ignore: decorator
@inline
function away(values: v128, from: v128, to: v128): v128 {
  return f32x4.max(f32x4.max(f32x4.sub(from, values), f32x4.sub(values, to)), f32x4.splat(0));
}

function appendLeaf(begin: u32, end: u32, squared: f32): void {
  const limit = f32x4.splat(squared);
  const fromX = f32x4.splat(f32x4.extract_lane(least, 0));
  const fromY = f32x4.splat(f32x4.extract_lane(least, 1));
  const fromZ = f32x4.splat(f32x4.extract_lane(least, 2));
  const toX = f32x4.splat(f32x4.extract_lane(greatest, 0));
  const toY = f32x4.splat(f32x4.extract_lane(greatest, 1));
  const toZ = f32x4.splat(f32x4.extract_lane(greatest, 2));
  const isSpace = is3D;
  const x_ = treeX;
  const y_ = treeY;
  const z_ = treeZ;
  const endAt = <usize>end << 2;
  let to = <usize>nearCount << 2;
  for (let at = <usize>begin << 2; at < endAt; at += 16) {
    const ownX = v128.load(x_ + at);
    const ownY = v128.load(y_ + at);
    const dx = away(ownX, fromX, toX);
    const dy = away(ownY, fromY, toY);
    let squares = f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy));
    let ownZ = ownX;
    if (isSpace) {
      ownZ = v128.load(z_ + at);
      const dz = away(ownZ, fromZ, toZ);
      squares = f32x4.add(squares, f32x4.mul(dz, dz));
    }
    let bits = <u32>i32x4.bitmask(f32x4.le(squares, limit));
    if (endAt - at < 16) bits &= (1 << (<u32>(endAt - at) >>> 2)) - 1;
    if (bits == 0) continue;
    // Those that are near come to the front; what lies behind them is written over by whoever comes next.
    const front = v128.load(packing + (<usize>bits << 4));
    v128.store(nearSlots + to, i8x16.swizzle(v128.load(slots + at), front));
    v128.store(nearX + to, i8x16.swizzle(ownX, front));
    v128.store(nearY + to, i8x16.swizzle(ownY, front));
    if (isSpace) v128.store(nearZ + to, i8x16.swizzle(ownZ, front));
    to += <usize>popcnt(bits) << 2;
  }
  nearCount = <u32>(to >>> 2);
}

function appendWeighted(begin: u32, end: u32, rank: f32): void {
  for (let i = begin; i < end; i++) {
    const weight = floatAt(weights, wordAt(slots, i));
    if (isWithin(i, squaredReach(rank, weight))) appendOf(i, weight);
  }
}

/** Of markers on one point who weigh the same, the first so many: those behind them come too late. */
function appendPile(node: u32, rank: f32, pileCount: u32): void {
  const end = wordAt(ends, node);
  let i = wordAt(begins, node);
  while (i < end) {
    const weight: f32 = weights != 0 ? floatAt(weights, wordAt(slots, i)) : 1;
    const runEnd = weights != 0 ? runEndOf(i, end, weight) : end;
    if (isWithin(i, squaredReach(rank, weight))) {
      const until = min(runEnd, i + pileCount);
      for (; i < until; i++) appendOf(i, weight);
    }
    i = runEnd;
  }
}

/** The first of a pile, from `from` on, that weighs more. */
function runEndOf(from: u32, end: u32, weight: f32): u32 {
  let low = from;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (floatAt(weights, wordAt(slots, middle)) <= weight) low = middle + 1;
    else high = middle;
  }
  return low;
}

// @ts-ignore: decorator
@inline
function isWithin(i: u32, squared: f32): bool {
  const dx = awayOf(floatAt(treeX, i), f32x4.extract_lane(least, 0), f32x4.extract_lane(greatest, 0));
  const dy = awayOf(floatAt(treeY, i), f32x4.extract_lane(least, 1), f32x4.extract_lane(greatest, 1));
  let squares: f32 = dx * dx + dy * dy;
  if (is3D) {
    const dz = awayOf(floatAt(treeZ, i), f32x4.extract_lane(least, 2), f32x4.extract_lane(greatest, 2));
    squares += dz * dz;
  }
  return squares <= squared;
}

// @ts-ignore: decorator
@inline
function awayOf(value: f32, from: f32, to: f32): f32 {
  return max(max(from - value, value - to), <f32>0);
}

// @ts-ignore: decorator
@inline
function append(i: u32): void {
  setWord(nearSlots, nearCount, wordAt(slots, i));
  setFloat(nearX, nearCount, floatAt(treeX, i));
  setFloat(nearY, nearCount, floatAt(treeY, i));
  if (is3D) setFloat(nearZ, nearCount, floatAt(treeZ, i));
  nearCount++;
}

// @ts-ignore: decorator
@inline
function appendOf(i: u32, weight: f32): void {
  append(i);
  if (weights != 0) setFloat(nearWeights, nearCount - 1, weight);
}
