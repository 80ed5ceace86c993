/**
 * One axis of a cross list: a link for every entity, ascending by one coordinate.
 *
 * Method: a doubly linked list whose links are columns by slot. The coordinates are read from the state that the list
 * is sorted by, which each call names. Equal coordinates are in any order. A place is searched from both ends of an
 * index node's stretch at once, so that a long run of equal coordinates is never walked from its far end. Steps are
 * counted: when they exceed a few per link, nodes are placed again. So a population that grows, drifts or crowds
 * together is indexed again, at most doubling the cost.
 *
 *   head -> 4 <-> 17 <-> 2 <-> 9 <- tail          slots; next[4] = 17, previous[17] = 4
 *
 * Memory: 8 bytes a slot and axis, and the index. Cost: O(log n) to link one, O(1) to unlink, O(n) to link all.
 */
import { grown } from '../../columns.ts';
import { assert, broken } from '../../errors.ts';
import { END, IndexNodes } from './index-nodes.ts';

/** Number of steps per link that may be walked before nodes are placed again, plus some for short lists. */
const STEPS_A_LINK = 4;
const FREE_STEPS = 64;

export class AxisList {
  /** Number of links in the list. */
  count = 0;
  head = END;
  tail = END;
  /** By slot: the link after and before; meaningless for a slot that is not in the list. */
  next = new Int32Array(0);
  previous = new Int32Array(0);
  /** `undefined`: places are found by walking from the head. */
  readonly #nodes: IndexNodes | undefined;
  /** Number of links walked and pointers changed since nodes were placed. */
  #steps = 0;

  /** `intervalSize`: edge of the intervals that nodes mark, world units; 0 for none. */
  constructor(isIndexed: boolean, intervalSize: number) {
    this.#nodes = isIndexed ? new IndexNodes(intervalSize) : undefined;
  }

  get memoryBytes(): number {
    return this.next.byteLength + this.previous.byteLength + (this.#nodes?.memoryBytes ?? 0);
  }

  get slotRoom(): number {
    return Math.min(this.previous.length, this.#nodes?.slotRoom ?? Number.POSITIVE_INFINITY);
  }

  /** Makes room for `capacity` slots. */
  grow(capacity: number): void {
    this.next = grown(this.next, capacity);
    this.previous = grown(this.previous, capacity);
    this.#nodes?.grow(capacity);
  }

  /** Inserts a slot that is not in the list at its place. */
  link(slot: number, coordinates: Float32Array): void {
    const coordinate = coordinates[slot];
    const follower = this.#placeOf(coordinate, coordinates);
    const { next, previous } = this;
    const before = follower === END ? this.tail : previous[follower];
    next[slot] = follower;
    previous[slot] = before;
    if (before === END) this.head = slot;
    else next[before] = slot;
    if (follower === END) this.tail = slot;
    else previous[follower] = slot;
    this.count++;
    if (this.#nodes !== undefined) this.#steps += this.#nodes.linked(slot, coordinate, follower);
  }

  /** Removes a slot. `coordinates` must still hold the value that it was linked at. */
  unlink(slot: number, coordinates: Float32Array): void {
    const { next, previous } = this;
    const follower = next[slot];
    const before = previous[slot];
    if (before === END) this.head = follower;
    else next[before] = follower;
    if (follower === END) this.tail = before;
    else previous[follower] = before;
    this.count--;
    if (this.#nodes !== undefined) this.#steps += this.#nodes.unlinked(slot, coordinates[slot], follower);
  }

  /** Rebuilds the list from slots in ascending order of `coordinates`. */
  linkInOrder(order: Int32Array, count: number, coordinates: Float32Array): void {
    const { next, previous } = this;
    let before = END;
    for (let i = 0; i < count; i++) {
      const slot = order[i];
      previous[slot] = before;
      if (before !== END) next[before] = slot;
      before = slot;
    }
    if (before !== END) next[before] = END;
    this.head = count === 0 ? END : order[0];
    this.tail = before;
    this.count = count;
    this.#nodes?.place(order, count, coordinates);
    this.#steps = 0;
  }

  /** Writes the slots in order into `out`, which has room for all. */
  unrollInto(out: Int32Array): number {
    const next = this.next;
    let count = 0;
    for (let slot = this.head; slot !== END; slot = next[slot]) out[count++] = slot;
    return count;
  }

  /** Places nodes again if finding places has become slow. `scratch` has room for all slots. */
  tend(scratch: Int32Array, coordinates: Float32Array): void {
    if (this.#nodes === undefined || this.#steps <= STEPS_A_LINK * this.count + FREE_STEPS) return;
    this.#nodes.place(scratch, this.unrollInto(scratch), coordinates);
    this.#steps = 0;
  }

  /** The first link at or after a coordinate, or END. */
  firstFrom(coordinate: number, coordinates: Float32Array): number {
    let follower = this.#placeOf(coordinate, coordinates);
    // To insert, any place among equal coordinates will do; here the first of them is needed.
    for (let before = this.#before(follower); before !== END && coordinates[before] === coordinate; ) {
      follower = before;
      before = this.previous[follower];
    }
    return follower;
  }

  /** Approximate number of links from `min` to `max`; all links without an index. */
  estimate(min: number, max: number): number {
    return this.#nodes === undefined ? this.count : this.#nodes.estimate(min, max);
  }

  /** Throws at the first broken link or pointer. `scratch` has room for all slots. */
  validate(scratch: Int32Array, coordinates: Float32Array): void {
    let before = END;
    let count = 0;
    for (let slot = this.head; slot !== END; slot = this.next[slot]) {
      assert(count < this.count, 'a list ends after as many links as it counts');
      if (this.previous[slot] !== before) broken(`link ${slot} points back to the link before it`);
      if (before !== END && !(coordinates[before] <= coordinates[slot])) broken(`link ${slot} is in order`);
      scratch[count++] = slot;
      before = slot;
    }
    assert(count === this.count && this.tail === before, 'a list ends at its tail, after all its links');
    this.#nodes?.validate(scratch, count, coordinates);
  }

  /** The first `limit` links and nodes, for people. */
  describe(limit: number): string {
    const shown: number[] = [];
    for (let slot = this.head; slot !== END && shown.length < limit; slot = this.next[slot]) shown.push(slot);
    const more = this.count - shown.length;
    const links = `${this.count} links: ${shown.join(' ')}${more > 0 ? ` ... ${more} more` : ''}`;
    if (this.#nodes === undefined) return `${links}\n  no index`;
    return `${links}\n  ${this.#nodes.count} index nodes: ${this.#nodes.describe(limit)}`;
  }

  /** Calls `visit` with the place of each index node from `min` to `max`. */
  eachNode(min: number, max: number, visit: (place: number) => void): void {
    this.#nodes?.eachPlace(min, max, visit);
  }

  /** The link before which a coordinate belongs, or END: before, among or after equal ones. */
  #placeOf(coordinate: number, coordinates: Float32Array): number {
    const { next, previous } = this;
    let follower = this.head;
    if (this.#nodes === undefined) {
      while (follower !== END && coordinates[follower] < coordinate) follower = next[follower];
      return follower;
    }
    const node = this.#nodes.atOrBefore(coordinate);
    if (node >= 0) follower = this.#nodes.firstOf(node);
    // The stretch ends before the link that the next node points to.
    let before = node + 1 < this.#nodes.count ? this.#before(this.#nodes.firstOf(node + 1)) : this.tail;
    for (;;) {
      if (follower === END || coordinates[follower] >= coordinate) return follower;
      if (before === END || coordinates[before] <= coordinate)
        return before === END ? this.head : next[before];
      follower = next[follower];
      before = previous[before];
      this.#steps++;
    }
  }

  #before(follower: number): number {
    return follower === END ? this.tail : this.previous[follower];
  }
}
