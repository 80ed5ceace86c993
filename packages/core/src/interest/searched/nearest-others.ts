/**
 * Whom a searched watcher might seat besides those it knows: the first so many of all it perceives, by rank, then id.
 *
 * Method: down the tree of markers, nearer boxes first. Some more than are wanted are gathered, and then cut to the first so
 * many; a box that begins farther away than the worst of these ranks is passed by. Where a pile stands on one point, as many of
 * each weight as are wanted are enough: of equals the lower ids come first. Cost: some ten microseconds for a hundred.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import { Candidates, newcomerComesBefore } from '../rules/cap.ts';
import { distanceBetween, rankByDistance } from '../rules/rank.ts';
import type { MarkerTree } from './marker-tree.ts';
import { longestLine, ownReachOf } from './own-reach.ts';

/** Ranks are float32: one may be smaller than distance by weight is by a few roundings. */
const RANK_SLACK = 1 - 2 ** -20;
/** Squares of distances below this may come to nothing. World units. */
const VANISHING = 2 ** -62;
const LEAST_SPARE = 16;
/** Behind every slot. */
const NOBODY = 0xffff_ffff;

export class NearestOthers {
  readonly #found = new Candidates();
  readonly #store: EntityStore;
  readonly #tree: MarkerTree;
  #wanted = 0;
  /** How many more than are wanted are gathered. */
  #spare = 0;
  /** Of as many as are wanted, the last in the cap's order when that was looked up; nobody while there are fewer. */
  #worstRank = Number.POSITIVE_INFINITY;
  #worstMarker = NOBODY;
  #watcher = 0;
  #isKnown: (slot: number) => boolean = () => false;
  #nodes: number[] = [];

  constructor(store: EntityStore, tree: MarkerTree) {
    this.#store = store;
    this.#tree = tree;
  }

  /** The first `wanted` that the watcher perceives now, but for those known, in no order. `greatestWeight`: of all markers. */
  find(
    watcher: number,
    wanted: number,
    greatestWeight: number,
    isKnown: (slot: number) => boolean,
  ): Uint32Array {
    const store = this.#store;
    const { now } = store;
    const tree = this.#tree;
    const found = this.#found;
    found.clear();
    if (wanted === 0 || tree.nodeCount === 0) return found.marker.subarray(0, 0);
    this.#wanted = wanted;
    this.#spare = Math.max(LEAST_SPARE, wanted >> 2);
    this.#worstRank = Number.POSITIVE_INFINITY;
    this.#worstMarker = NOBODY;
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
      if (leastRank > this.#worstRank) continue;
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
    this.#keepBest();
    return found.marker.subarray(0, found.count);
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
    const distance = distanceBetween(settings, now, this.#watcher, slot);
    const rank = rankByDistance(distance, now.weights.at(slot));
    if (!newcomerComesBefore(rank, slot, this.#worstRank, this.#worstMarker)) return false;
    if (this.#isKnown(slot)) return true;
    if (perceivedSenses(settings, now, this.#watcher, slot, now.ownRanges) === 0) return true;
    this.#take(rank, slot);
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

  #take(rank: number, slot: number): void {
    const found = this.#found;
    found.add(0, slot, rank, false, false);
    if (found.count === this.#wanted) this.#findWorst();
    else if (found.count === this.#wanted + this.#spare) this.#keepBest();
  }

  /** Lets go of all but as many as are wanted. */
  #keepBest(): void {
    if (this.#found.count <= this.#wanted) return;
    this.#found.keepFirst(this.#wanted);
    this.#findWorst();
  }

  #findWorst(): void {
    const { rank, marker } = this.#found;
    let worst = 0;
    for (let i = 1; i < this.#wanted; i++) {
      if (newcomerComesBefore(rank[worst], marker[worst], rank[i], marker[i])) worst = i;
    }
    this.#worstRank = rank[worst];
    this.#worstMarker = marker[worst];
  }
}
