/**
 * Whom a searched watcher might seat besides those it knows: the first so many of all it perceives, by rank, then id.
 *
 * Method: down the tree of markers, nearer boxes first, with the best so far in a heap whose top is the worst of them; a
 * box that begins farther away than that one ranks is passed by. Where a pile stands on one point, as many of each weight
 * as are wanted are enough: of equals the lower ids come first. Cost: some ten microseconds for a hundred.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import { squaredDistance } from '../rules/rank.ts';
import type { MarkerTree } from './marker-tree.ts';
import { longestLine, ownReachOf } from './own-reach.ts';

const f32 = Math.fround;
/** Ranks are float32: one may be smaller than distance by weight is by a few roundings. */
const RANK_SLACK = 1 - 2 ** -20;
/** Squares of distances below this may come to nothing. World units. */
const VANISHING = 2 ** -62;

export class NearestOthers {
  /** What was found: slots, in the heap's order, worst first. */
  marker = new Uint32Array(64);
  rank = new Float64Array(64);
  count = 0;
  readonly #store: EntityStore;
  readonly #tree: MarkerTree;
  #wanted = 0;
  #watcher = 0;
  #isKnown: (slot: number) => boolean = () => false;
  #nodes: number[] = [];

  constructor(store: EntityStore, tree: MarkerTree) {
    this.#store = store;
    this.#tree = tree;
  }

  /** Finds the first `wanted` that the watcher perceives now, but for those known. `greatestWeight`: of all markers. */
  find(watcher: number, wanted: number, greatestWeight: number, isKnown: (slot: number) => boolean): void {
    const store = this.#store;
    const { now } = store;
    const tree = this.#tree;
    this.count = 0;
    if (wanted === 0 || tree.nodeCount === 0) return;
    this.#wanted = wanted;
    this.#watcher = watcher;
    this.#isKnown = isKnown;
    const [x, y, z] = [now.x[watcher], now.y[watcher], now.z.length > 0 ? now.z[watcher] : 0];
    const farthest = longestLine(store, ownReachOf(store, now, watcher));
    const nodes = this.#nodes;
    nodes.length = 0;
    nodes.push(0);
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      const away = Math.sqrt(tree.squaredDistanceTo(node, x, y, z));
      if (away > farthest) continue;
      const leastRank = away > VANISHING ? (away * RANK_SLACK) / greatestWeight : 0;
      if (this.count === wanted && leastRank > this.rank[0]) continue;
      const left = tree.childrenOf(node);
      if (left === 0) {
        if (tree.isPile(node)) this.#lookAtPile(node);
        else for (let i = tree.begin[node]; i < tree.end[node]; i++) this.#lookAt(tree.slots[i]);
        continue;
      }
      const isLeftNearer = tree.squaredDistanceTo(left, x, y, z) <= tree.squaredDistanceTo(left + 1, x, y, z);
      // The nearer one is looked into first.
      nodes.push(isLeftNearer ? left + 1 : left, isLeftNearer ? left : left + 1);
    }
  }

  /** Markers of one point, by weight, then slot: of one weight all rank alike, so the first that comes too late is the last. */
  #lookAtPile(node: number): void {
    const { slots, begin, end } = this.#tree;
    const { weights } = this.#store.now;
    for (let i = begin[node]; i < end[node]; i++) {
      if (this.#lookAt(slots[i])) continue;
      const weight = weights.at(slots[i]);
      if (weight === weights.at(slots[end[node] - 1])) return;
      i = this.#firstHeavier(i, end[node], weight) - 1;
    }
  }

  /** Takes a marker in if it is perceived and not known. False for one that comes too late: after the worst of enough. */
  #lookAt(slot: number): boolean {
    const { settings, now } = this.#store;
    const weight = now.weights.at(slot);
    const distance = f32(Math.sqrt(squaredDistance(settings, now, this.#watcher, slot)));
    const rank = weight === 0 ? Number.POSITIVE_INFINITY : f32(distance / weight);
    const isFull = this.count === this.#wanted;
    if (isFull && !isBefore(rank, slot, this.rank[0], this.marker[0])) return false;
    if (this.#isKnown(slot)) return true;
    if (perceivedSenses(settings, now, this.#watcher, slot, now.ownRanges) === 0) return true;
    if (isFull) this.#sink(rank, slot);
    else this.#rise(rank, slot);
    return true;
  }

  /** The first index whose weight is more than `weight`, in a pile. */
  #firstHeavier(from: number, end: number, weight: number): number {
    const { slots } = this.#tree;
    const { weights } = this.#store.now;
    let low = from;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (weights.at(slots[middle]) <= weight) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #rise(rank: number, slot: number): void {
    let i = this.count++;
    if (i === this.marker.length) this.#grow();
    while (i > 0) {
      const parent = (i - 1) >>> 1;
      if (!isBefore(this.rank[parent], this.marker[parent], rank, slot)) break;
      this.rank[i] = this.rank[parent];
      this.marker[i] = this.marker[parent];
      i = parent;
    }
    this.rank[i] = rank;
    this.marker[i] = slot;
  }

  /** In place of the worst. */
  #sink(rank: number, slot: number): void {
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= this.count) break;
      const other = child + 1;
      if (
        other < this.count &&
        isBefore(this.rank[child], this.marker[child], this.rank[other], this.marker[other])
      )
        child = other;
      if (!isBefore(rank, slot, this.rank[child], this.marker[child])) break;
      this.rank[i] = this.rank[child];
      this.marker[i] = this.marker[child];
      i = child;
    }
    this.rank[i] = rank;
    this.marker[i] = slot;
  }

  #grow(): void {
    const [marker, rank] = [this.marker, this.rank];
    this.marker = new Uint32Array(2 * marker.length);
    this.rank = new Float64Array(2 * rank.length);
    this.marker.set(marker);
    this.rank.set(rank);
  }
}

function isBefore(rank: number, slot: number, otherRank: number, otherSlot: number): boolean {
  return rank < otherRank || (rank === otherRank && slot < otherSlot);
}
