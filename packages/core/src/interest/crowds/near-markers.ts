/**
 * The markers near one leaf of the tree, gathered once for all watchers in it: slots and places side by side, so that each
 * watcher runs through them in a stream.
 *
 * Memory: 28 bytes a marker near. Cost: a walk down the tree, and a few nanoseconds for each marker looked at.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { MarkerTree } from './marker-tree.ts';

/** What ranks and squares may lose to rounding. */
const SLACK = 1 + 2 ** -18;
/** A square that may come to nothing; world units squared. */
const VANISHING_SQUARED = 2 ** -124;

/** The square of the farthest at which someone may rank up to `rank`, a little more for rounding. World units squared. */
export function squaredReachOf(rank: number, greatestWeight: number): number {
  const radius = rank * greatestWeight * SLACK;
  return radius * radius + VANISHING_SQUARED;
}

export class NearMarkers {
  count = 0;
  slot = new Uint32Array(256);
  /** World units; float64 as they are read without rounding. */
  x = new Float64Array(256);
  y = new Float64Array(256);
  /** 0 in 2-D. */
  z = new Float64Array(256);
  readonly #nodes: number[] = [];

  /** Gathers the markers that someone in a leaf may rank up to `farthest`; nobody when that is below 0. */
  gather(state: EntityState, tree: MarkerTree, leaf: number, farthest: number, greatestWeight: number): void {
    this.count = 0;
    if (farthest < 0) return;
    const squared = squaredReachOf(farthest, greatestWeight);
    const { x, y, z } = state;
    const is3d = z.length > 0;
    const nodes = this.#nodes;
    nodes.length = 0;
    nodes.push(0);
    let count = 0;
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      if (tree.squaredGap(node, leaf) > squared) continue;
      const left = tree.childrenOf(node);
      if (left !== 0) {
        nodes.push(left + 1, left);
        continue;
      }
      const end = tree.end[node];
      this.#grow(count + end - tree.begin[node]);
      for (let i = tree.begin[node]; i < end; i++) {
        const slot = tree.slots[i];
        const height = is3d ? z[slot] : 0;
        if (tree.squaredDistanceTo(leaf, x[slot], y[slot], height) > squared) continue;
        this.slot[count] = slot;
        this.x[count] = x[slot];
        this.y[count] = y[slot];
        this.z[count++] = height;
      }
    }
    this.count = count;
  }

  #grow(count: number): void {
    if (count <= this.slot.length) return;
    const { slot, x, y, z } = this;
    const length = 2 * count;
    this.slot = new Uint32Array(length);
    this.x = new Float64Array(length);
    this.y = new Float64Array(length);
    this.z = new Float64Array(length);
    this.slot.set(slot);
    this.x.set(x);
    this.y.set(y);
    this.z.set(z);
  }
}
