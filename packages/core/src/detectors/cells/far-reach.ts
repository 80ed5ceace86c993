/**
 * The few entities that perceive, or are perceived, much farther than usual: kept on two lists outside the grid.
 *
 * Problem: a single watcher that sees the whole world, or a single bell heard in all of it, would widen the window of
 * all entities. Method: three limits divide usual from far entities. A watcher whose longest range times `gain`
 * exceeds `reach` is far-sighted; a marker with a gain above `gain` or a minReach above `minReach` is loud. Then a
 * usual watcher perceives a usual marker from no farther than `reach`, for which the windows are computed, and each
 * changed entity is also tested against both lists. A listed entity that changes itself tests all resting entities
 * within its own reach; entities that do not rest find it on the list.
 *
 * Memory: a byte a slot, 4 bytes for each listed entity. Cost: one test for each pair of a listed and a changed
 * entity; the length of a list is weighed against wider windows when the limits are chosen (see `Survey`).
 */
import { grown } from '../../columns.ts';
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED, CHANGED, MOVED, REMOVED } from '../../entities/pending.ts';
import { assert, broken } from '../../errors.ts';
import type { PairSieve } from '../pairs/pair-sieve.ts';
import type { PairTest } from '../pairs/pair-test.ts';

const FAR_SIGHTED = 1;
const LOUD = 2;

/** The limits of usual entities: see the head of this file. World units, except `gain`. */
export interface UsualLimits {
  /** At least 1. */
  readonly gain: number;
  /** At most `reach`. */
  readonly minReach: number;
  readonly reach: number;
}

/** No entity is far: for worlds where distance does not decide. */
export const NO_LIMITS: UsualLimits = {
  gain: Number.MAX_VALUE,
  minReach: Number.POSITIVE_INFINITY,
  reach: Number.POSITIVE_INFINITY,
};

/** Visits all slots that may be within `reach` world units of a slot's position in `state`. */
export type LookAround = (
  state: EntityState,
  slot: number,
  reach: number,
  visit: (slot: number) => void,
) => void;

export class FarReach {
  limits: UsualLimits;
  readonly #farSighted = new SlotList();
  readonly #loud = new SlotList();
  /** By slot: which lists it is on. */
  #listed: Uint8Array;

  constructor(limits: UsualLimits, slotCapacity: number) {
    this.limits = limits;
    this.#listed = new Uint8Array(slotCapacity);
  }

  /** Number of entries on both lists together. */
  get count(): number {
    return this.#farSighted.count + this.#loud.count;
  }

  get farSightedCount(): number {
    return this.#farSighted.count;
  }

  get loudCount(): number {
    return this.#loud.count;
  }

  get memoryBytes(): number {
    return this.#listed.byteLength + this.#farSighted.slots.byteLength + this.#loud.slots.byteLength;
  }

  get slotRoom(): number {
    return this.#listed.length;
  }

  growSlots(capacity: number): void {
    this.#listed = grown(this.#listed, capacity);
  }

  isFarSighted(state: EntityState, slot: number): boolean {
    return state.isPresent(slot) && state.maxRangeOf(slot) * this.limits.gain > this.limits.reach;
  }

  isLoud(state: EntityState, slot: number): boolean {
    if (!state.isMarker(slot)) return false;
    for (const gain of state.gains) if (gain.at(slot) > this.limits.gain) return true;
    for (const minReach of state.minReaches) if (minReach.at(slot) > this.limits.minReach) return true;
    return false;
  }

  /** Adds a slot to the lists where it belongs in `state`; removes it from none. */
  enlist(state: EntityState, slot: number): void {
    if ((this.#listed[slot] & FAR_SIGHTED) === 0 && this.isFarSighted(state, slot)) {
      this.#listed[slot] |= FAR_SIGHTED;
      this.#farSighted.push(slot);
    }
    if ((this.#listed[slot] & LOUD) === 0 && this.isLoud(state, slot)) {
      this.#listed[slot] |= LOUD;
      this.#loud.push(slot);
    }
  }

  /** Called before any pair is tested: lists all entities that were far or are far now. */
  beginTick(store: EntityStore): void {
    const { pending, pendingSlots, pendingCount, last, now } = store;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if (pending[slot] === MOVED) continue;
      this.enlist(last, slot);
      this.enlist(now, slot);
    }
  }

  /**
   * Tests changed entities against both lists, and listed entities that changed against all resting ones (`roles` 0)
   * in their reach.
   */
  detect(store: EntityStore, sieve: PairSieve, roles: Uint8Array, lookAround: LookAround): void {
    if (this.count === 0) return;
    const { test } = sieve;
    const { pending, pendingSlots, pendingCount } = store;
    const farSighted = this.#farSighted.slots;
    const loud = this.#loud.slots;
    const loudCount = this.#loud.count;
    const changed = this.#separate(store);
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      const bits = pending[slot] & (ADDED | REMOVED | MOVED | CHANGED);
      if (bits === 0) continue;
      if (bits === MOVED) {
        sieve.sift(slot, farSighted, changed, this.#farSighted.count);
        for (let k = 0; k < changed; k++) test.oneWay(farSighted[k], slot);
      } else {
        for (let k = 0; k < this.#farSighted.count; k++) test.oneWay(farSighted[k], slot);
      }
      for (let k = 0; k < loudCount; k++) test.oneWay(slot, loud[k]);
      if (this.#listed[slot] !== 0) this.#lookFar(store, slot, test, roles, lookAround);
    }
  }

  /**
   * Moves the far-sighted slots that must be tested by the definition to the front of their list and returns how
   * many: those that changed, and all if distance does not decide.
   */
  #separate({ pending, settings }: EntityStore): number {
    const { slots, count } = this.#farSighted;
    const isExact = settings.granularity === 'exact';
    let changed = 0;
    for (let k = 0; k < count; k++) {
      const slot = slots[k];
      if (isExact && (pending[slot] & (ADDED | REMOVED | CHANGED)) === 0) continue;
      slots[k] = slots[changed];
      slots[changed++] = slot;
    }
    return changed;
  }

  /** Called after all pairs: removes entities that are no longer far from the lists. */
  endTick(store: EntityStore): void {
    const { pending, pendingSlots, pendingCount, now } = store;
    let farSightedLeft = 0;
    let loudLeft = 0;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      const listed = this.#listed[slot];
      if (listed === 0 || pending[slot] === MOVED) continue;
      if ((listed & FAR_SIGHTED) !== 0 && !this.isFarSighted(now, slot)) {
        this.#listed[slot] &= ~FAR_SIGHTED;
        farSightedLeft++;
      }
      if ((listed & LOUD) !== 0 && !this.isLoud(now, slot)) {
        this.#listed[slot] &= ~LOUD;
        loudLeft++;
      }
    }
    if (farSightedLeft > 0) this.#farSighted.keep(this.#listed, FAR_SIGHTED);
    if (loudLeft > 0) this.#loud.keep(this.#listed, LOUD);
  }

  /** Throws unless exactly the far entities are on the lists, once each. */
  validate(store: EntityStore): void {
    const counts = [0, 0];
    for (let slot = 0; slot < store.slotCount; slot++) {
      const expected =
        (this.isFarSighted(store.last, slot) ? FAR_SIGHTED : 0) | (this.isLoud(store.last, slot) ? LOUD : 0);
      if (this.#listed[slot] !== expected) broken(`slot ${slot} is on the lists of the far where it belongs`);
      if ((expected & FAR_SIGHTED) !== 0) counts[0]++;
      if ((expected & LOUD) !== 0) counts[1]++;
    }
    assert(
      counts[0] === this.#farSighted.count && counts[1] === this.#loud.count,
      'the lists of the far hold no others',
    );
  }

  #lookFar(
    store: EntityStore,
    slot: number,
    test: PairTest,
    roles: Uint8Array,
    lookAround: LookAround,
  ): void {
    const { gain, minReach, reach } = this.limits;
    for (const state of [store.last, store.now]) {
      if (this.isFarSighted(state, slot)) {
        const far = Math.max(state.maxRangeOf(slot) * gain, minReach);
        lookAround(state, slot, far, (other) => {
          if (roles[other] === 0) test.oneWay(slot, other);
        });
      }
      if (this.isLoud(state, slot)) {
        let far = 0;
        for (const own of state.gains) far = Math.max(far, (reach / gain) * own.at(slot));
        for (const own of state.minReaches) far = Math.max(far, own.at(slot));
        lookAround(state, slot, far, (other) => {
          if (roles[other] === 0) test.oneWay(other, slot);
        });
      }
    }
  }
}

/** Slots in no order. */
class SlotList {
  count = 0;
  slots = new Int32Array(16);

  push(slot: number): void {
    if (this.count === this.slots.length) this.slots = grown(this.slots, 2 * this.count);
    this.slots[this.count++] = slot;
  }

  /** Keeps the slots for which `listed` has the bit. */
  keep(listed: Uint8Array, bit: number): void {
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      if ((listed[this.slots[i]] & bit) !== 0) this.slots[kept++] = this.slots[i];
    }
    this.count = kept;
  }
}
