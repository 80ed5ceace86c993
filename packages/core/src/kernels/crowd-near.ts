/**
 * The markers near one leaf of the tree, gathered once for all watchers in it: slots and places side by side, so that each
 * watcher runs through them in a stream.
 *
 *   near     | nobody | m7 | m2 | ...      places   by slot: where it is among the near, 0 for one who is not
 *
 * Part of seat-crowd.ts. Twin: wasm/crowd-near.ts. Cost: a walk down the tree, and a nanosecond for each marker looked at.
 */
import * as crowd from './crowd-job.ts';
import type { CrowdTree } from './crowd-tree.ts';
import type { HeapViews } from './heap-views.ts';

const f32 = Math.fround;
/** What ranks and squares may lose to rounding. */
const SLACK = f32(1 + 2 ** -18);
/** A square that may come to nothing; world units squared. */
const VANISHING_SQUARED = 2 ** -124;

export class CrowdNear {
  /** One more than are near. */
  count = 0;
  readonly slots: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly weights: number;
  readonly places: number;
  readonly #tree: CrowdTree;
  readonly #greatestWeight: number;
  /** Index of the leaf's box. */
  #box = 0;

  constructor(heap: HeapViews, jobOffset: number, tree: CrowdTree) {
    const job = jobOffset >>> 2;
    const words = heap.u32;
    this.#tree = tree;
    this.slots = words[job + crowd.NEAR_SLOT] >>> 2;
    this.x = words[job + crowd.NEAR_X] >>> 2;
    this.y = words[job + crowd.NEAR_Y] >>> 2;
    this.z = words[job + crowd.NEAR_Z] >>> 2;
    this.weights = words[job + crowd.NEAR_WEIGHT] >>> 2;
    this.places = words[job + crowd.PLACES] >>> 2;
    this.#greatestWeight = heap.f32[job + crowd.GREATEST_WEIGHT];
  }

  /** Gathers whom someone in a leaf may rank up to `rank`; of those on one point who weigh the same, the first `pileCount`. */
  gather(leaf: number, rank: number, pileCount: number): void {
    const tree = this.#tree;
    const { words, stack } = tree;
    const squared = squaredReach(rank, this.#greatestWeight);
    this.#box = tree.boxes + crowd.BOX_WORDS * leaf;
    this.count = 1;
    tree.floats[this.x] = Number.NaN;
    let depth = 1;
    words[stack] = 0;
    while (depth > 0) {
      const node = words[stack + --depth];
      if (this.#squaredGap(node) > squared) continue;
      const left = tree.childrenOf(node);
      if (left !== 0) {
        words[stack + depth++] = left + 1;
        words[stack + depth++] = left;
      } else if (tree.isPile(node)) this.#appendPile(node, rank, pileCount);
      else this.#appendLeaf(words[tree.begins + node], words[tree.ends + node], rank);
    }
    for (let i = 1; i < this.count; i++) words[this.places + words[this.slots + i]] = i;
  }

  /** Takes back who is at which place. */
  forget(): void {
    const { words } = this.#tree;
    for (let i = 1; i < this.count; i++) words[this.places + words[this.slots + i]] = 0;
  }

  #appendLeaf(begin: number, end: number, rank: number): void {
    for (let i = begin; i < end; i++) {
      if (this.#isWithin(i, squaredReach(rank, this.#tree.weightAt(i)))) this.#append(i);
    }
  }

  #appendPile(node: number, rank: number, pileCount: number): void {
    const tree = this.#tree;
    const end = tree.words[tree.ends + node];
    let i = tree.words[tree.begins + node];
    while (i < end) {
      const weight = tree.weightAt(i);
      const isNear = this.#isWithin(i, squaredReach(rank, weight));
      let taken = 0;
      // Those behind them come too late.
      for (; i < end && tree.weightAt(i) === weight; i++) if (isNear && taken++ < pileCount) this.#append(i);
    }
  }

  #append(i: number): void {
    const { words, floats, slots, x, y, z, is3d, hasWeights } = this.#tree;
    words[this.slots + this.count] = words[slots + i];
    floats[this.x + this.count] = floats[x + i];
    floats[this.y + this.count] = floats[y + i];
    if (is3d) floats[this.z + this.count] = floats[z + i];
    if (hasWeights) floats[this.weights + this.count] = this.#tree.weightAt(i);
    this.count++;
  }

  #isWithin(i: number, squared: number): boolean {
    const { x, y, z, floats, is3d } = this.#tree;
    const dx = this.#away(floats[x + i], 0);
    const dy = this.#away(floats[y + i], 1);
    const dz = is3d ? this.#away(floats[z + i], 2) : 0;
    return f32(f32(f32(dx * dx) + f32(dy * dy)) + f32(dz * dz)) <= squared;
  }

  #away(value: number, axis: number): number {
    const { floats } = this.#tree;
    return Math.max(f32(floats[this.#box + axis] - value), f32(value - floats[this.#box + 4 + axis]), 0);
  }

  /** From the box of a node to the leaf's, squared; world units. */
  #squaredGap(node: number): number {
    const { floats, boxes } = this.#tree;
    const box = boxes + crowd.BOX_WORDS * node;
    let squares = 0;
    for (let axis = 0; axis < 3; axis++) {
      const before = f32(floats[box + axis] - floats[this.#box + 4 + axis]);
      const behind = f32(floats[this.#box + axis] - floats[box + 4 + axis]);
      const gap = Math.max(before, behind, 0);
      squares = f32(squares + f32(gap * gap));
    }
    return squares;
  }
}

/** The square of the farthest at which one of that weight may rank up to `rank`, a little more for rounding. World units squared. */
function squaredReach(rank: number, weight: number): number {
  const reach = f32(f32(rank * weight) * SLACK);
  return f32(f32(reach * reach) + VANISHING_SQUARED);
}
