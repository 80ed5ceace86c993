/**
 * Index nodes along one axis: where in a sorted list to start the search for a coordinate.
 *
 * Problem: a list of 100,000 links has no random access; walking from its head makes an insertion O(n). Method: nodes
 * have ascending places along the axis, and each points to the first link at or after its place. The node for a
 * coordinate is found by a binary search of a flat array. Nodes follow the population, not the map: one at every
 * sixteenth link and, if a cell size was given, one at the near edge of every occupied interval of that size. So an
 * empty stretch of any length costs nothing, and a pile of links at one coordinate has one node at it and one after
 * it.
 *
 *   places   |0        |10       |20       |30          30 is empty now: its node points to the next link
 *   firsts    v         v         v         v
 *   links     0.5 3 7   10 11     21 22 29  ----------> 44 45
 *
 * Adding and removing links keeps every pointer correct. The nodes are placed again when searches have become slow
 * (see `AxisList`); this at most doubles the cost of the steps walked until then.
 *
 * It is no skip list: a skip list needs several pointers a link and a random height for each, is searched from its
 * head with a cache miss a step, and is balanced only on average. It is no array over the map: worlds have no edges.
 *
 * Memory: 16 bytes a node, 1 a slot. Cost: O(log n) to look up, O(1) to update, O(n) to place. Source: the index
 * nodes of the article "aoi 比较", there an array of equal steps over a bounded map.
 */
import { grown } from '../../columns.ts';
import { broken, rounded } from '../../errors.ts';

/** In place of a slot: none. */
export const END = -1;
/**
 * Number of links from one node to the next if no interval needs more. Eight steps on average, in two cache lines.
 */
const STRIDE = 16;

export class IndexNodes {
  count = 0;
  /** Edge of the intervals that nodes mark, world units; 0: none. */
  readonly #intervalSize: number;
  /** By node: its coordinate, strictly ascending. */
  #places = new Float64Array(0);
  /** By node: the first link at or after its place, or END. */
  #firsts = new Int32Array(0);
  /** By node: the number of links before its place when nodes were placed. */
  #ranks = new Int32Array(0);
  /** By slot: 1 if a node points to its link. */
  #isPointedAt = new Uint8Array(0);
  /** Number of links when nodes were placed. */
  #linkCount = 0;

  constructor(intervalSize: number) {
    this.#intervalSize = intervalSize;
  }

  get memoryBytes(): number {
    return (
      this.#places.byteLength +
      this.#firsts.byteLength +
      this.#ranks.byteLength +
      this.#isPointedAt.byteLength
    );
  }

  get slotRoom(): number {
    return this.#isPointedAt.length;
  }

  grow(capacity: number): void {
    this.#isPointedAt = grown(this.#isPointedAt, capacity);
  }

  /** Places nodes again over links given in ascending order of `coordinates`. */
  place(order: Int32Array, count: number, coordinates: Float32Array): void {
    for (let node = 0; node < this.count; node++) {
      const first = this.#firsts[node];
      if (first !== END) this.#isPointedAt[first] = 0;
    }
    this.count = 0;
    this.#linkCount = count;
    const size = this.#intervalSize;
    let sinceNode = STRIDE;
    let interval = Number.NaN;
    let previous = Number.NEGATIVE_INFINITY;
    for (let rank = 0; rank < count; rank++) {
      const coordinate = coordinates[order[rank]];
      const ownInterval = size > 0 ? Math.floor(coordinate / size) : 0;
      const opensInterval = size > 0 && ownInterval !== interval;
      if ((sinceNode >= STRIDE || opensInterval) && coordinate > previous) {
        // A rounded edge may lie outside the gap before its first link, where the node must be.
        const edge = ownInterval * size;
        const place = opensInterval && edge > previous && edge <= coordinate ? edge : coordinate;
        this.#append(place, order[rank], rank);
        sinceNode = 0;
      }
      interval = ownInterval;
      previous = coordinate;
      sinceNode++;
    }
  }

  /** The last node at or before a coordinate, or -1. */
  atOrBefore(coordinate: number): number {
    const places = this.#places;
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (places[middle] <= coordinate) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The link that a node points to, or END. */
  firstOf(node: number): number {
    return this.#firsts[node];
  }

  /** Updates pointers after `slot` was linked at `coordinate`, before `follower`. Returns how many changed. */
  linked(slot: number, coordinate: number, follower: number): number {
    const firsts = this.#firsts;
    const last = this.atOrBefore(coordinate);
    let node = last;
    for (; node >= 0 && firsts[node] === follower; node--) firsts[node] = slot;
    if (node === last) return 0;
    this.#isPointedAt[slot] = 1;
    if (follower !== END && !(last + 1 < this.count && firsts[last + 1] === follower)) {
      this.#isPointedAt[follower] = 0;
    }
    return last - node;
  }

  /** Updates pointers after `slot`, at `coordinate`, was removed from before `follower`. Returns how many changed. */
  unlinked(slot: number, coordinate: number, follower: number): number {
    if (this.#isPointedAt[slot] === 0) return 0;
    const firsts = this.#firsts;
    const last = this.atOrBefore(coordinate);
    let node = last;
    for (; node >= 0 && firsts[node] === slot; node--) firsts[node] = follower;
    this.#isPointedAt[slot] = 0;
    if (follower !== END) this.#isPointedAt[follower] = 1;
    return last - node;
  }

  /** Approximate number of links from `min` to `max`: as when nodes were placed, plus or minus two strides. */
  estimate(min: number, max: number): number {
    const from = this.atOrBefore(min);
    const to = this.atOrBefore(max) + 1;
    const before = from < 0 ? 0 : this.#ranks[from];
    return (to < this.count ? this.#ranks[to] : this.#linkCount) - before;
  }

  /** Throws unless every node points to the first link at or after it. `order` is the list, ascending. */
  validate(order: Int32Array, count: number, coordinates: Float32Array): void {
    const pointedAt = new Set<number>();
    let rank = 0;
    for (let node = 0; node < this.count; node++) {
      if (node > 0 && !(this.#places[node - 1] < this.#places[node])) broken(`place of node ${node} ascends`);
      while (rank < count && coordinates[order[rank]] < this.#places[node]) rank++;
      const first = rank < count ? order[rank] : END;
      if (this.#firsts[node] !== first) broken(`node ${node} points to the first link at or after it`);
      if (first !== END) pointedAt.add(first);
    }
    for (let slot = 0; slot < this.#isPointedAt.length; slot++) {
      const isMarked = this.#isPointedAt[slot] === 1;
      if (isMarked !== pointedAt.has(slot)) broken(`slot ${slot} is marked exactly when a node points to it`);
    }
  }

  /** Calls `visit` with the place of each node from `min` to `max`. */
  eachPlace(min: number, max: number, visit: (place: number) => void): void {
    for (let node = 0; node < this.count && this.#places[node] <= max; node++) {
      if (this.#places[node] >= min) visit(this.#places[node]);
    }
  }

  /** The first `limit` nodes, for people. */
  describe(limit: number): string {
    const shown: string[] = [];
    for (let node = 0; node < this.count && node < limit; node++) {
      const first = this.#firsts[node];
      shown.push(`${rounded(this.#places[node], 7)} -> ${first === END ? 'end' : first}`);
    }
    if (this.count > limit) shown.push(`... ${this.count - limit} more`);
    return shown.join(', ');
  }

  #append(place: number, first: number, rank: number): void {
    if (this.count === this.#places.length) {
      const capacity = Math.max(64, this.count * 2);
      this.#places = grown(this.#places, capacity);
      this.#firsts = grown(this.#firsts, capacity);
      this.#ranks = grown(this.#ranks, capacity);
    }
    this.#places[this.count] = place;
    this.#firsts[this.count] = first;
    this.#ranks[this.count] = rank;
    this.#isPointedAt[first] = 1;
    this.count++;
  }
}
