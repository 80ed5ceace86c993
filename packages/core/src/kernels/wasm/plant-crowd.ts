// Twin of `plant` of ../crowd-tree.ts; and all that follows for rows that are held as bits, see ../seat-blocks.ts.
import { column, floatAt, setFloat, setWord, word, wordAt } from './job';
import { BLOCK_NODES, BLOCK_SIZE, DRIFT, HAS_PILES, LEAF_COUNT, STEP, TREE_COUNT, X, Y, Z } from './crowd-job';
import { openBlocks, restRows } from './block-rows';
import { ROUNDED } from './crowd-rounding';
import {
  begins, childrenOf, closeTree, is3D, isPile, leafLimit, listLeaves, listMarkers, nodeCount, openTree, plantNodes, refit, slots,
  treeX, treeY, treeZ, weights,
} from './crowd-tree';

/** What roots and sums of steps may lose to rounding, and what a step may be whose square came to nothing; world units. */
const LONGER: f32 = 1.0001;
const VANISHING: f32 = 5e-19;

export function plantCrowd(job: usize, isAsBefore: u32): u32 {
  openTree(job);
  const isInBlocks = leafLimit == BLOCK_SIZE;
  if (isAsBefore == 0) restRows(job);
  const count = isAsBefore != 0 ? word(job, TREE_COUNT) : listMarkers(job);
  store<u32>(job + TREE_COUNT, count);
  movePlaces(job, count);
  let leafCount: u32 = 0;
  if (count > 0) {
    if (isInBlocks) padBlock(count);
    if (isAsBefore == 0 || weights != 0 || !refit(job)) {
      if (isAsBefore != 0) restRows(job);
      plantNodes(job, count);
      if (isInBlocks) splitToBlocks(job, count);
    }
    leafCount = listLeaves(job);
  }
  closeTree(job);
  store<u32>(job + LEAF_COUNT, leafCount);
  return leafCount;
}

/** Takes over where everybody is. */
function movePlaces(job: usize, count: u32): void {
  const x = column(job, X);
  const y = column(job, Y);
  const z = column(job, Z);
  let longest: f32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const slot = wordAt(slots, i);
    const dx = floatAt(x, slot) - floatAt(treeX, i);
    const dy = floatAt(y, slot) - floatAt(treeY, i);
    let squared: f32 = dx * dx + dy * dy;
    setFloat(treeX, i, floatAt(x, slot));
    setFloat(treeY, i, floatAt(y, slot));
    if (is3D) {
      const dz = floatAt(z, slot) - floatAt(treeZ, i);
      squared += dz * dz;
      setFloat(treeZ, i, floatAt(z, slot));
    }
    longest = max(longest, squared);
  }
  noteStep(job, Mathf.sqrt(longest));
}

/** Splits all the tree into blocks, and says where each of them is. */
function splitToBlocks(job: usize, count: u32): void {
  const nodes = column(job, BLOCK_NODES);
  let piles: u32 = 0;
  for (let node: u32 = 0; node < nodeCount; node++) {
    if (childrenOf(node) == 0) setWord(nodes, wordAt(begins, node) / BLOCK_SIZE, node);
    piles += <u32>isPile(node);
  }
  store<u32>(job + HAS_PILES, piles);
  store<f32>(job + DRIFT, 0);
  openBlocks(job, count);
}

/**
 * How far anyone came: lists of who is near are good for so much less. Beside a large sum a step may come to nothing, so that
 * sums are made larger than they are. (What this is in a tick that plants anew says nothing, and is not used.)
 */
function noteStep(job: usize, longest: f32): void {
  const step: f32 = 2 * longest * LONGER + VANISHING;
  store<f32>(job + STEP, step);
  store<f32>(job + DRIFT, (load<f32>(job + DRIFT) + step) * ROUNDED);
}

/** Where the last block has nobody, nobody is found. */
function padBlock(count: u32): void {
  for (let i = count; i % BLOCK_SIZE != 0; i++) {
    setFloat(treeX, i, Infinity);
    setFloat(treeY, i, Infinity);
    if (is3D) setFloat(treeZ, i, Infinity);
  }
}
