/**
 * How long what was counted of crowds is good: how far anyone may have come since, and how many did more than walk.
 *
 * Steps are added up by the longest of each tick, which is more than anyone can have come. Who came, leaped or changed is
 * counted instead: a few make no crowd. Of very many that are pending a thousand or two are looked at, others in each tick: whom
 * that misses are too few to matter, since only speed depends on the answer. Positions are compared before a tick settles
 * what is pending. Cost: some 10 microseconds.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { MOVED } from '../../entities/pending.ts';

/** A step longer than this, of how far anyone may come in all, is a leap. */
const LEAP = 1 / 4;
/** About so many of those pending are looked at in a tick. */
const SAMPLES = 1024;

export class CrowdDrift {
  readonly #store: EntityStore;
  /** What was asked about; no greater reach and no smaller number is known of. */
  #reach = -1;
  #many = 0;
  /** World units on each axis: so far may anyone still come, and so far might he. */
  #far = 0;
  /** So many may still come, leap or change. */
  #few = 0;
  #leap = 0;
  /** Where looking begins, of those pending. */
  #first = 0;

  constructor(store: EntityStore) {
    this.#store = store;
  }

  /** Counts were made, by that reach and for that number: good until anyone may be `far` away, or more than `few` did more. */
  begin(reach: number, many: number, far: number, few: number): void {
    this.#reach = reach;
    this.#many = many;
    this.#far = far;
    this.#few = few;
    this.#leap = far * LEAP;
  }

  /** What was counted is good no more. */
  end(): void {
    this.#reach = -1;
  }

  /** Takes in what is pending; whether what was counted is good for this tick, too. */
  isStillNear(reach: number, many: number): boolean {
    if (reach > this.#reach || many < this.#many) return false;
    const { pending, pendingSlots, pendingCount, now, last } = this.#store;
    const is3d = now.z.length > 0;
    const [fromX, fromY, fromZ] = [last.x, last.y, is3d ? last.z : last.y];
    const [toX, toY, toZ] = [now.x, now.y, is3d ? now.z : now.y];
    const leap = this.#leap;
    let longest = 0;
    let others = 0;
    const stride = Math.ceil(pendingCount / SAMPLES) | 1;
    this.#first = (this.#first + 1) % stride;
    for (let i = this.#first; i < pendingCount; i += stride) {
      const slot = pendingSlots[i];
      if (pending[slot] !== MOVED) {
        others++;
        continue;
      }
      const dx = Math.abs(toX[slot] - fromX[slot]);
      const dy = Math.abs(toY[slot] - fromY[slot]);
      const dz = Math.abs(toZ[slot] - fromZ[slot]);
      const step = dx > dy ? (dx > dz ? dx : dz) : dy > dz ? dy : dz;
      if (step > leap) others++;
      else if (step > longest) longest = step;
    }
    this.#far -= longest;
    this.#few -= others * stride;
    return this.#far >= 0 && this.#few >= 0;
  }
}
