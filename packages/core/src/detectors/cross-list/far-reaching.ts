/**
 * The entities that reach much farther than the rest, and how far the rest reach.
 *
 * Problem: a moved entity must also find the watchers that perceive it, and so search as far as the longest reach of
 * any other: a single bell heard all over the world would make all entities search all of it. Method: the few whose
 * range, gain or minReach is exceptional are in a separate list, and every moved entity is tested against each of
 * them. The others, the ordinary ones, are found along the axes, within a reach that covers any two of them. The
 * limit of "far" is chosen by cost, over powers of two: a longer strip for all against one more test for all.
 *
 * Everything here covers both states, that at the last tick and that now, and is an upper bound: it rises with
 * additions and changes, and is chosen again when half the population has changed.
 *
 * Memory: 1 byte a slot, 4 a far-reaching entity. Cost: some 30 ns for each entity added or changed.
 */
import { grown } from '../../columns.ts';
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED, CHANGED, REMOVED } from '../../entities/pending.ts';
import { assert, broken, rounded } from '../../errors.ts';
import { halfWidth } from './half-width.ts';
import { OctaveCounts } from './octave-counts.ts';

/** Role of an entity: it reaches much farther than the rest and is tested separately. */
export const FAR = 4;
/**
 * A far-reaching entity costs each moved entity as much as this many links in its strip; more with cells. Measured.
 */
const LINKS_A_TEST = 12;
const LINKS_A_CELL_TEST = 150;
/** Number of changes before "far" is chosen again, in addition to half the population. */
const FREE_CHANGES = 32;
const SAMPLE = 64;

export class FarReaching {
  /** By slot: FAR if it is listed here, else 0. */
  isFar = new Uint8Array(0);
  /** Number of listed slots. */
  count = 0;
  /** No ordinary entity perceives another one farther than this, world units. 0: no ordinary entity is a watcher. */
  reach = 0;
  /** The listed slots, in any order. */
  slots = new Int32Array(0);
  /** By sense: the maximum over ordinary entities. */
  readonly #maxRange: Float64Array;
  readonly #maxGain: Float64Array;
  readonly #maxMinReach: Float64Array;
  /** Values of the entity measured last. */
  #range = 0;
  #gain = 1;
  #minReach = 0;
  /** An entity whose own reach is longer is far. A gain counts as the range that it makes of a usual one. */
  #threshold = Number.POSITIVE_INFINITY;
  #usualRange = 0;
  #changes = 0;
  #countWhenChosen = 0;
  #hasGone = false;

  constructor(senseCount: number) {
    this.#maxRange = new Float64Array(senseCount);
    this.#maxGain = new Float64Array(senseCount).fill(1);
    this.#maxMinReach = new Float64Array(senseCount);
  }

  get memoryBytes(): number {
    return this.isFar.byteLength + this.slots.byteLength;
  }

  get slotRoom(): number {
    return this.isFar.length;
  }

  grow(capacity: number): void {
    this.isFar = grown(this.isFar, capacity);
  }

  /** Applies pending changes. Call it first in a tick. */
  settle(store: EntityStore): void {
    const { pending, pendingSlots, pendingCount } = store;
    const { added, changed, removed } = store.counts;
    if (added + changed + removed === 0) return;
    this.#changes += added + changed + removed;
    if (this.#changes > store.size / 2 + FREE_CHANGES) {
      this.choose(store);
      return;
    }
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      const bits = pending[slot];
      if ((bits & REMOVED) !== 0 && this.isFar[slot] !== 0) this.#hasGone = true;
      if ((bits & (ADDED | CHANGED)) !== 0 && this.isFar[slot] === 0) this.#enrol(store, slot);
    }
    if (this.count > 2 * this.#countWhenChosen + FREE_CHANGES) this.choose(store);
    else this.#setReach();
  }

  /** Removes deleted entities from the list. Call it last in a tick. */
  endTick(store: EntityStore): void {
    if (!this.#hasGone) return;
    this.#hasGone = false;
    const { now } = store;
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      const slot = this.slots[i];
      if (!now.isPresent(slot)) {
        this.isFar[slot] = 0;
        continue;
      }
      this.slots[kept++] = slot;
    }
    this.count = kept;
  }

  /** Maximum distance at which `slot` and any ordinary entity may perceive each other, world units. */
  reachToOrdinary(store: EntityStore, slot: number): number {
    this.#measure(store, slot);
    let reach = 0;
    for (let s = 0; s < this.#maxRange.length; s++) {
      if (this.#range > 0) reach = Math.max(reach, this.#range * this.#maxGain[s], this.#maxMinReach[s]);
      if (this.#maxRange[s] > 0) reach = Math.max(reach, this.#maxRange[s] * this.#gain, this.#minReach);
    }
    return this.isFar[slot] === 0 ? Math.min(reach, this.reach) : reach;
  }

  /**
   * Chooses the limit of "far" and the far entities again; with `onlyLast` only among those present at the last tick.
   * Cost: three passes over all entities.
   */
  choose(store: EntityStore, onlyLast = false): void {
    const { slotCount, last, now } = store;
    const isLeftOut = (slot: number) => !last.isPresent(slot) && (onlyLast || !now.isPresent(slot));
    this.isFar.fill(0);
    this.count = 0;
    this.#hasGone = false;
    this.#changes = 0;
    this.#maxRange.fill(0);
    this.#maxGain.fill(1);
    this.#maxMinReach.fill(0);
    this.#usualRange = 0;
    const octaves = new OctaveCounts();
    if (now.gains.some(({ column }) => column !== undefined)) {
      for (let slot = 0; slot < slotCount; slot++) {
        if (isLeftOut(slot)) continue;
        this.#measure(store, slot);
        octaves.note(this.#range, this.#range, 1, 0);
      }
      this.#usualRange = octaves.median();
      octaves.clear();
    }
    for (let slot = 0; slot < slotCount; slot++) {
      if (isLeftOut(slot)) continue;
      this.#measure(store, slot);
      octaves.note(this.#ownReach(), this.#range, this.#gain, this.#minReach);
    }
    this.#threshold = octaves.cheapestThreshold(
      (reach) => shareWithin(store, reach),
      store.settings.granularity === 'cell' ? LINKS_A_CELL_TEST : LINKS_A_TEST,
    );
    for (let slot = 0; slot < slotCount; slot++) {
      if (isLeftOut(slot)) continue;
      this.#enrol(store, slot);
      if (this.isFar[slot] !== 0 && !now.isPresent(slot)) this.#hasGone = true;
    }
    this.#countWhenChosen = this.count;
    this.#setReach();
  }

  /** Throws unless every entity is listed or within the bounds of the ordinary ones. */
  validate(store: EntityStore): void {
    const { last, slotCount } = store;
    const listed = new Set(this.slots.subarray(0, this.count));
    assert(listed.size === this.count, 'no slot is listed as far-reaching twice');
    for (let slot = 0; slot < slotCount; slot++) {
      if ((this.isFar[slot] !== 0) !== listed.has(slot))
        broken(`slot ${slot} is marked as far-reaching when listed`);
      if (!last.isPresent(slot)) {
        if (listed.has(slot)) broken(`slot ${slot} is not listed as far-reaching once removed`);
      } else if (!listed.has(slot)) {
        for (let s = 0; s < this.#maxRange.length; s++) {
          const isWithin =
            last.ranges[s].at(slot) <= this.#maxRange[s] &&
            last.gains[s].at(slot) <= this.#maxGain[s] &&
            last.minReaches[s].at(slot) <= this.#maxMinReach[s];
          if (!isWithin) broken(`slot ${slot} is within the bounds of the ordinary ones`);
        }
      }
    }
  }

  describe(): string {
    const some = [...this.slots.subarray(0, Math.min(this.count, 8))];
    const who = this.count === 0 ? '' : `: ${some.join(' ')}${this.count > some.length ? ' ...' : ''}`;
    return `ordinary reach ${rounded(this.reach)}, ${this.count} far-reaching${who}`;
  }

  /** Lists an entity as far, or raises the bounds of the ordinary ones. */
  #enrol(store: EntityStore, slot: number): void {
    this.#measure(store, slot);
    if (this.#ownReach() > this.#threshold) {
      this.#list(slot);
      return;
    }
    this.#raise(store.now, slot);
    this.#raise(store.last, slot);
  }

  #raise(state: EntityState, slot: number): void {
    if (!state.isPresent(slot)) return;
    for (let s = 0; s < this.#maxRange.length; s++) {
      this.#maxRange[s] = Math.max(this.#maxRange[s], state.ranges[s].at(slot));
      this.#maxGain[s] = Math.max(this.#maxGain[s], state.gains[s].at(slot));
      this.#maxMinReach[s] = Math.max(this.#maxMinReach[s], state.minReaches[s].at(slot));
    }
  }

  #setReach(): void {
    this.reach = 0;
    for (let s = 0; s < this.#maxRange.length; s++) {
      if (this.#maxRange[s] === 0) continue;
      this.reach = Math.max(this.reach, this.#maxRange[s] * this.#maxGain[s], this.#maxMinReach[s]);
    }
  }

  #list(slot: number): void {
    if (this.count === this.slots.length) this.slots = grown(this.slots, Math.max(16, this.count * 2));
    this.isFar[slot] = FAR;
    this.slots[this.count++] = slot;
  }

  #ownReach(): number {
    return Math.max(this.#range, this.#minReach, this.#gain > 1 ? this.#gain * this.#usualRange : 0);
  }

  #measure(store: EntityStore, slot: number): void {
    this.#range = 0;
    this.#gain = 1;
    this.#minReach = 0;
    this.#measureIn(store.last, slot);
    this.#measureIn(store.now, slot);
  }

  #measureIn(state: EntityState, slot: number): void {
    if (!state.isPresent(slot)) return;
    for (let s = 0; s < this.#maxRange.length; s++) {
      this.#range = Math.max(this.#range, state.ranges[s].at(slot));
      this.#gain = Math.max(this.#gain, state.gains[s].at(slot));
      this.#minReach = Math.max(this.#minReach, state.minReaches[s].at(slot));
    }
  }
}

/**
 * Approximate share of all entities that lie within `reach` along the best axis: relative to twice the extent of the
 * middle half, in a sample, so that a few distant entities do not count.
 */
function shareWithin(store: EntityStore, reach: number): number {
  if (reach === 0) return 0;
  const { settings, slotCount, now } = store;
  const sample: number[] = [];
  const step = Math.max(1, Math.floor(slotCount / SAMPLE));
  for (let slot = 0; slot < slotCount; slot += step) if (now.isPresent(slot)) sample.push(slot);
  let share = 1;
  for (let axis = 0; axis < settings.dimensions; axis++) {
    const coordinates = [now.x, now.y, now.z][axis];
    const sorted = sample.map((slot) => coordinates[slot]).sort((a, b) => a - b);
    const spread = 2 * (sorted[(sorted.length * 3) >> 2] - sorted[sorted.length >> 2]);
    const width = halfWidth(settings, axis, reach);
    if (width < share * spread) share = width / spread;
  }
  return share;
}
