/**
 * Searches around a few entities, link by link.
 *
 * Method: from the link of a searching entity, walk both ways along the axis with the fewest links within reach,
 * until a link is beyond it; entities that are near on the other axes too are compared. This module also tests the
 * far-reaching entities, one by one: every active entity is compared with all of them. Most pairs are dismissed by
 * `PairSieve`; the rest goes to the definition.
 *
 * Memory: 4 bytes a slot. Cost: some 7 ns for each link walked, 20 if lists outgrow the caches.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import type { PairSieve } from '../pairs/pair-sieve.ts';
import type { AxisList } from './axis-list.ts';
import { END } from './index-nodes.ts';
import { ACTIVE, LEAPS, type Search, UNSETTLED } from './search.ts';

export class LinkWalk {
  readonly #axes: readonly AxisList[];
  readonly #search: Search;
  readonly #sieve: PairSieve;
  /** Slots to be compared with the searching one. */
  #others = new Int32Array(0);

  constructor(axes: readonly AxisList[], search: Search, sieve: PairSieve) {
    this.#axes = axes;
    this.#search = search;
    this.#sieve = sieve;
  }

  get memoryBytes(): number {
    return this.#others.byteLength;
  }

  get slotRoom(): number {
    return this.#others.length;
  }

  grow(capacity: number): void {
    if (capacity <= this.slotRoom) return;
    this.#others = new Int32Array(capacity);
  }

  /** Reports what changed between `slot` and all entities near it in the search's state. */
  walk(store: EntityStore, slot: number): void {
    const search = this.#search;
    if (search.far.isFar[slot] === 0 && search.far.reach === 0) return;
    const { x, y, z } = search.isNow ? store.now : store.last;
    const widths = search.widthsOf(store, slot);
    const axis = this.#axisFor(x[slot], y[slot], z[slot], widths);
    const isFlat = this.#axes.length === 2;
    const along = axis === 0 ? x : axis === 1 ? y : z;
    const u = axis === 0 ? y : x;
    const v = isFlat ? u : axis === 2 ? y : z;
    const width = widths[axis];
    const widthU = widths[axis === 0 ? 1 : 0];
    const widthV = isFlat ? widthU : widths[axis === 2 ? 1 : 2];
    const { next, previous } = this.#axes[axis];
    const others = this.#others;
    let count = 0;
    let after = next[slot];
    let before = previous[slot];
    // Both ways at once: the next link of one direction is fetched while that of the other is tested.
    while (after !== END || before !== END) {
      if (after !== END) {
        const isNear = Math.abs(u[after] - u[slot]) <= widthU && Math.abs(v[after] - v[slot]) <= widthV;
        if (isNear && !this.#isLeftToOther(slot, after)) others[count++] = after;
        after = along[after] - along[slot] > width ? END : next[after];
      }
      if (before !== END) {
        const isNear = Math.abs(u[before] - u[slot]) <= widthU && Math.abs(v[before] - v[slot]) <= widthV;
        if (isNear && !this.#isLeftToOther(slot, before)) others[count++] = before;
        before = along[slot] - along[before] > width ? END : previous[before];
      }
    }
    this.#compare(slot, count);
  }

  /** Compares every active entity with each far-reaching one. */
  testFarReaching({ pendingSlots, pendingCount }: EntityStore): void {
    const { roles, far } = this.#search;
    const { slots, count } = far;
    const others = this.#others;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if ((roles[slot] & (ACTIVE | LEAPS)) === 0) continue;
      for (let k = 0; k < count; k++) others[k] = slots[k];
      this.#compare(slot, count);
    }
  }

  /** The axis along which fewest links lie within `widths` of a position. */
  #axisFor(x: number, y: number, z: number, widths: Float64Array): number {
    let fewest = Number.POSITIVE_INFINITY;
    let chosen = 0;
    for (let axis = 0; axis < this.#axes.length; axis++) {
      const place = axis === 0 ? x : axis === 1 ? y : z;
      const links = this.#axes[axis].estimate(place - widths[axis], place + widths[axis]);
      if (links >= fewest) continue;
      fewest = links;
      chosen = axis;
    }
    return chosen;
  }

  /** Whether a pair is compared elsewhere: in the test of the far-reaching entities, or when `other` searches. */
  #isLeftToOther(slot: number, other: number): boolean {
    const { roles, far, activeBit } = this.#search;
    if (far.isFar[other] !== 0) return true;
    // An ordinary entity does not search as far as a far-reaching one, but then the two are compared in that test.
    return (roles[other] & activeBit) !== 0 && (far.isFar[slot] !== 0 || other < slot);
  }

  /** Compares `slot` with the first `count` of the others; their list is overwritten. */
  #compare(slot: number, count: number): void {
    const others = this.#others;
    const { roles } = this.#search;
    const sieve = this.#sieve;
    let settled = 0;
    for (let k = 0; k < count; k++) {
      const other = others[k];
      if (((roles[slot] | roles[other]) & UNSETTLED) === 0) others[settled++] = other;
      else sieve.test.both(slot, other);
    }
    sieve.sift(slot, others, 0, settled);
  }
}
