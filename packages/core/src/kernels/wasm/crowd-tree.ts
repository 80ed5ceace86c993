// Twin of ../crowd-tree.ts, which draws the tree.
import { column, floatAt, setFloat, setWord, word, wordAt } from './job';
import {
  ASKED, BLOCK_SIZE, BOX_BYTES, DIMENSIONS, EXTENTS, FLAGS, LEAF, LEAF_LIMIT, LEAVES, MARKER, NODE_ASKED, NODE_BEGIN,
  NODE_BOX, NODE_COUNT, NODE_END, NODE_LEFT, NODE_STACK, PILE, REFITS, SLOT_COUNT, STANDING, TREE_SLOT, TREE_X, TREE_Y,
  TREE_Z, UNSPLIT, WEIGHTS,
} from './crowd-job';

export let slots: usize = 0;
export let treeX: usize = 0;
export let treeY: usize = 0;
export let treeZ: usize = 0;
export let begins: usize = 0;
export let ends: usize = 0;
export let boxes: usize = 0;
export let is3D: bool = false;
let lefts: usize = 0;
let askeds: usize = 0;
let standing: usize = 0;
/** By slot; 0 while all weigh the same. */
export let weights: usize = 0;
/** At most so many markers in a leaf. */
export let leafLimit: u32 = 0;
export let nodeCount: u32 = 0;

/** By so much may the sides of boxes grow before the tree is planted anew, and so often may they be found anew. */
const LOOSE: f32 = 1.2;
const MOST_REFITS: u32 = 16;

/** Takes up the job's columns. To be followed by `closeTree`. */
export function openTree(job: usize): void {
  slots = column(job, TREE_SLOT);
  treeX = column(job, TREE_X);
  treeY = column(job, TREE_Y);
  treeZ = column(job, TREE_Z);
  begins = column(job, NODE_BEGIN);
  ends = column(job, NODE_END);
  boxes = column(job, NODE_BOX);
  lefts = column(job, NODE_LEFT);
  askeds = column(job, NODE_ASKED);
  standing = column(job, STANDING);
  weights = column(job, WEIGHTS);
  is3D = word(job, DIMENSIONS) == 3;
  leafLimit = word(job, LEAF_LIMIT);
  nodeCount = word(job, NODE_COUNT);
}

export function closeTree(job: usize): void {
  store<u32>(job + NODE_COUNT, nodeCount);
}

/**
 * Keeps the nodes of the tree planted last, with boxes and counts as they are now: markers go short ways. False when their
 * boxes have come to overlap so much that looking into them takes longer, or those of a pile went apart.
 */
export function refit(job: usize): bool {
  const refits = word(job, REFITS);
  if (refits == MOST_REFITS) return false;
  let extents: f32 = 0;
  for (let node = nodeCount; node-- > 0;) {
    const left = <i32>wordAt(lefts, node);
    if (left > 0) uniteChildren(node, <u32>left);
    else boundNode(node);
    const box = boxes + (<usize>node) * BOX_BYTES;
    const size = extent(box) + extent(box + 4) + extent(box + 8);
    if (left == PILE && size > 0) return false;
    extents += size;
  }
  store<u32>(job + REFITS, refits + 1);
  if (refits == 0) store<f32>(job + EXTENTS, extents);
  return extents <= load<f32>(job + EXTENTS) * LOOSE;
}

function uniteChildren(node: u32, left: u32): void {
  const box = boxes + (<usize>node) * BOX_BYTES;
  const one = boxes + (<usize>left) * BOX_BYTES;
  const other = one + BOX_BYTES;
  v128.store(box, f32x4.pmin(v128.load(one), v128.load(other)));
  v128.store(box, f32x4.pmax(v128.load(one, 16), v128.load(other, 16)), 16);
  setWord(askeds, node, wordAt(askeds, left) + wordAt(askeds, left + 1));
}

/** The first of a node's two children, which lie side by side; 0 for a leaf. */
export function childrenOf(node: u32): u32 {
  if (<i32>wordAt(lefts, node) == UNSPLIT) split(node);
  const left = <i32>wordAt(lefts, node);
  return left > 0 ? <u32>left : 0;
}

/** From the box of a node to another box, squared. */
// @ts-ignore: decorator
@inline
export function squaredGap(node: u32, least: v128, greatest: v128): f32 {
  const box = boxes + (<usize>node) * BOX_BYTES;
  const gap = f32x4.max(
    f32x4.max(f32x4.sub(v128.load(box), greatest), f32x4.sub(least, v128.load(box, 16))),
    f32x4.splat(0),
  );
  const squares = f32x4.mul(gap, gap);
  return f32x4.extract_lane(squares, 0) + f32x4.extract_lane(squares, 1) + f32x4.extract_lane(squares, 2);
}

// @ts-ignore: decorator
@inline
export function isPile(node: u32): bool {
  return <i32>wordAt(lefts, node) == PILE;
}

/** Puts all markers where the tree's are, by slot; answers how many they are. */
export function listMarkers(job: usize): u32 {
  const flags = column(job, FLAGS);
  const slotCount = word(job, SLOT_COUNT);
  let count: u32 = 0;
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    setWord(slots, count, slot);
    count += <u32>((load<u8>(flags + slot) & MARKER) != 0);
  }
  return count;
}

/** Lists the leaves in which somebody stands who is asked; answers how many they are. */
export function listLeaves(job: usize): u32 {
  const stack = column(job, NODE_STACK);
  const leaves = column(job, LEAVES);
  let depth: u32 = 1;
  let count: u32 = 0;
  setWord(stack, 0, 0);
  while (depth > 0) {
    const node = wordAt(stack, --depth);
    if (wordAt(askeds, node) == 0) continue;
    const left = childrenOf(node);
    if (left == 0) setWord(leaves, count++, node);
    else {
      setWord(stack, depth++, left + 1);
      setWord(stack, depth++, left);
    }
  }
  return count;
}

/** Begins the tree anew, of so many markers. */
export function plantNodes(job: usize, count: u32): void {
  nodeCount = 0;
  addNode(0, count);
  store<u32>(job + REFITS, 0);
}

function addNode(begin: u32, end: u32): void {
  const node = nodeCount++;
  setWord(begins, node, begin);
  setWord(ends, node, end);
  setWord(lefts, node, <u32>UNSPLIT);
  boundNode(node);
}

/** Counts those asked in a node's stretch, and finds its box. */
function boundNode(node: u32): void {
  const begin = wordAt(begins, node);
  const end = wordAt(ends, node);
  let asked: u32 = 0;
  for (let i = begin; i < end; i++) asked += <u32>(<u32>load<u8>(standing + wordAt(slots, i)) == ASKED);
  setWord(askeds, node, asked);
  const box = boxes + (<usize>node) * BOX_BYTES;
  boundAxis(box, treeX, begin, end);
  boundAxis(box + 4, treeY, begin, end);
  if (is3D) boundAxis(box + 8, treeZ, begin, end);
  else {
    store<f32>(box, 0, 8);
    store<f32>(box, 0, 24);
  }
  store<f32>(box, 0, 12);
  store<f32>(box, 0, 28);
}

// @ts-ignore: decorator
@inline
function boundAxis(box: usize, places: usize, begin: u32, end: u32): void {
  let least = floatAt(places, begin);
  let greatest = least;
  let i = begin;
  if (end - begin >= 4) {
    let leasts = f32x4.splat(least);
    let greatests = leasts;
    for (; i + 4 <= end; i += 4) {
      const values = v128.load(places + (<usize>i << 2));
      leasts = f32x4.pmin(leasts, values);
      greatests = f32x4.pmax(greatests, values);
    }
    least = min(
      min(f32x4.extract_lane(leasts, 0), f32x4.extract_lane(leasts, 1)),
      min(f32x4.extract_lane(leasts, 2), f32x4.extract_lane(leasts, 3)),
    );
    greatest = max(
      max(f32x4.extract_lane(greatests, 0), f32x4.extract_lane(greatests, 1)),
      max(f32x4.extract_lane(greatests, 2), f32x4.extract_lane(greatests, 3)),
    );
  }
  for (; i < end; i++) {
    const value = floatAt(places, i);
    least = min(least, value);
    greatest = max(greatest, value);
  }
  store<f32>(box, least);
  store<f32>(box, greatest, 16);
}

function split(node: u32): void {
  const begin = wordAt(begins, node);
  const end = wordAt(ends, node);
  setWord(lefts, node, <u32>LEAF);
  if (end - begin <= leafLimit) return;
  const box = boxes + (<usize>node) * BOX_BYTES;
  const width = extent(box);
  const height = extent(box + 4);
  const depth = extent(box + 8);
  const keys = depth > width && depth > height ? treeZ : height > width ? treeY : treeX;
  if (max(width, max(height, depth)) == 0) {
    setWord(lefts, node, <u32>PILE);
    sortPile(begin, end);
    return;
  }
  let middle = (begin + end) >>> 1;
  // Blocks are full, but for the last.
  if (leafLimit == BLOCK_SIZE) middle = (middle + BLOCK_SIZE - 1) & ~(BLOCK_SIZE - 1);
  selectMiddle(keys, <i32>begin, <i32>(end - 1), <i32>middle);
  setWord(lefts, node, nodeCount);
  addNode(begin, middle);
  addNode(middle, end);
}

// @ts-ignore: decorator
@inline
function extent(box: usize): f32 {
  return load<f32>(box, 16) - load<f32>(box);
}

/** Quickselect: puts the marker whose key belongs at `middle` there, smaller keys before it, larger behind. */
function selectMiddle(keys: usize, first: i32, last: i32, middle: i32): void {
  let low = first;
  let high = last;
  while (low < high) {
    const a = floatAt(keys, low);
    const b = floatAt(keys, (low + high) >>> 1);
    const c = floatAt(keys, high);
    const pivot = max(min(a, b), min(max(a, b), c));
    let i = low;
    let j = high;
    while (i <= j) {
      while (floatAt(keys, i) < pivot) i++;
      while (floatAt(keys, j) > pivot) j--;
      if (i > j) break;
      swap(i++, j--);
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}

// @ts-ignore: decorator
@inline
function swap(i: u32, j: u32): void {
  swapWords(slots, i, j);
  swapWords(treeX, i, j);
  swapWords(treeY, i, j);
  if (is3D) swapWords(treeZ, i, j);
}

// @ts-ignore: decorator
@inline
function swapWords(words: usize, i: u32, j: u32): void {
  const held = wordAt(words, i);
  setWord(words, i, wordAt(words, j));
  setWord(words, j, held);
}

/** By weight, then slot; places are all the same. Heapsort, unless they are in order. */
function sortPile(begin: u32, end: u32): void {
  let i = begin + 1;
  while (i < end && isBefore(wordAt(slots, i - 1), wordAt(slots, i))) i++;
  if (i >= end) return;
  const count = end - begin;
  for (let root = count >>> 1; root > 0; root--) sink(begin, root - 1, count);
  for (let last = count - 1; last > 0; last--) {
    swapWords(slots, begin, begin + last);
    sink(begin, 0, last);
  }
}

function sink(begin: u32, from: u32, count: u32): void {
  const slot = wordAt(slots, begin + from);
  let root = from;
  for (;;) {
    let child: u32 = 2 * root + 1;
    if (child >= count) break;
    if (child + 1 < count && isBefore(wordAt(slots, begin + child), wordAt(slots, begin + child + 1))) child++;
    const greater = wordAt(slots, begin + child);
    if (!isBefore(slot, greater)) break;
    setWord(slots, begin + root, greater);
    root = child;
  }
  setWord(slots, begin + root, slot);
}

// @ts-ignore: decorator
@inline
function isBefore(slot: u32, other: u32): bool {
  if (weights != 0) {
    const weight = floatAt(weights, slot);
    const otherWeight = floatAt(weights, other);
    if (weight != otherWeight) return weight < otherWeight;
  }
  return slot < other;
}
