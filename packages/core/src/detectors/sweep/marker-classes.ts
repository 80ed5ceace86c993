/**
 * Sorts markers by how far they are perceived, so that one bell that rings across the world does not widen everyone's
 * window.
 *
 *   class 0   plain: gain 1, no minReach and no maxReach in any sense; perceived at exactly the watcher's range
 *   class 1   quiet: gains of at most 1, and no minReach
 *   class 2+  loud, by powers of four of the greatest gain, or of the minReach in usual reaches
 *   class 8+  near: perceived from less far than usual, by powers of four of the longest maxReach in usual reaches
 *
 * While no entity has a gain, a minReach or a maxReach of its own there is only class 0, and no memory is spent. Then: 2 bytes
 * a slot. The class decides speed, never results, as long as a class's limits hold for all its members.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import type { Column, Heap } from '../../kernels/heap.ts';

const FIRST_NEAR = 8;
export const MAX_CLASSES = 11;

export class MarkerClasses {
  /** 1, or all of them. */
  count = 1;
  /** By class: upper bounds over its members, over all senses. */
  readonly maxGain = new Float64Array(MAX_CLASSES).fill(1);
  readonly maxMinReach = new Float64Array(MAX_CLASSES);
  /** Infinite where a member has none in some sense. */
  readonly maxMaxReach = new Float64Array(MAX_CLASSES).fill(Number.POSITIVE_INFINITY, 0, FIRST_NEAR);
  /** World units: what counts as one step of minReach; the usual reach when classes came up. */
  #unit = 1;
  #now: Column<'u8'> | undefined;
  #last: Column<'u8'> | undefined;

  /** Whether no entity has a gain, a minReach or a maxReach of its own, now either. */
  isPlain({ now: { gains, minReaches, maxReaches } }: EntityStore): boolean {
    return (
      this.count === 1 && gains.every(isUnused) && minReaches.every(isUnused) && maxReaches.every(isUnused)
    );
  }

  /** How far one of that range perceives members of a class at most, now or once there are some; world units. */
  longestReach(k: number, range: number): number {
    const reach = Math.max(range * this.maxGain[k], this.maxMinReach[k]);
    return k < FIRST_NEAR ? reach : Math.min(reach, this.#unit / 4 ** (k - FIRST_NEAR));
  }

  /** Slots that the classes have room for: any, while there is one class. */
  get slotRoom(): number {
    return this.#last?.length ?? Number.POSITIVE_INFINITY;
  }

  /** Bytes into the heap of the classes by slot; 0 while there is one class. */
  get nowOffset(): number {
    return this.#now?.offset ?? 0;
  }

  get lastOffset(): number {
    return this.#last?.offset ?? 0;
  }

  /** The class that a slot had when the last tick was over. */
  classOf(slot: number): number {
    return this.#last === undefined ? 0 : this.#last.array[slot];
  }

  /** How many of each class there are now, as of the last time that classes were found. Cost: O(n) where there is more than one. */
  countMembers({ slotCount, now: { flags } }: EntityStore, out: Uint32Array): void {
    out.fill(0);
    if (this.#now === undefined) return;
    const classes = this.#now.array;
    for (let slot = 0; slot < slotCount; slot++) if (flags[slot] !== 0) out[classes[slot]]++;
  }

  /** Finds the classes of slots with any of `bits` pending; of all slots when the first gain, minReach or maxReach came up. */
  settle(store: EntityStore, bits: number, usualReach: number): void {
    const { now, last, heap } = store;
    if (this.isPlain(store)) return;
    if (this.#now === undefined || this.#last === undefined) {
      this.count = MAX_CLASSES;
      this.#unit = usualReach > 0 ? usualReach : 1;
      this.#now = heap.column('u8', store.capacity);
      this.#last = heap.column('u8', store.capacity);
      for (let slot = 0; slot < store.slotCount; slot++) this.#last.array[slot] = this.#find(last, slot);
      this.#now.array.set(this.#last.array);
    } else if (this.#now.length < store.slotCount) {
      heap.resize([
        [this.#now as Column, store.capacity],
        [this.#last as Column, store.capacity],
      ]);
    }
    const { pending, pendingSlots, pendingCount } = store;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if ((pending[slot] & bits) !== 0) this.#now.array[slot] = this.#find(now, slot);
    }
  }

  /** To be called when the tick is over. */
  endTick(store: EntityStore): void {
    if (this.#now === undefined || this.#last === undefined) return;
    const { pendingSlots, pendingCount } = store;
    for (let i = 0; i < pendingCount; i++)
      this.#last.array[pendingSlots[i]] = this.#now.array[pendingSlots[i]];
  }

  dispose(heap: Heap): void {
    for (const column of [this.#now, this.#last]) if (column !== undefined) heap.release(column as Column);
  }

  /** The class for what a slot has of these, whose limits it widens where needed. */
  #find(state: EntityState, slot: number): number {
    let gain = 0;
    let minReach = 0;
    let maxReach = 0;
    let isPlain = true;
    for (let s = 0; s < state.gains.length; s++) {
      const ownGain = state.gains[s].at(slot);
      const ownMinReach = state.minReaches[s].at(slot);
      const ownMaxReach = state.maxReaches[s].at(slot);
      if (ownGain !== 1 || ownMinReach !== 0 || ownMaxReach !== Number.POSITIVE_INFINITY) isPlain = false;
      gain = Math.max(gain, ownGain);
      minReach = Math.max(minReach, ownMinReach);
      maxReach = Math.max(maxReach, ownMaxReach);
    }
    if (isPlain) return 0;
    const found = maxReach < this.#unit ? this.#nearClass(maxReach) : this.#loudClass(gain, minReach);
    this.maxGain[found] = Math.max(this.maxGain[found], gain);
    this.maxMinReach[found] = Math.max(this.maxMinReach[found], minReach);
    this.maxMaxReach[found] = Math.max(this.maxMaxReach[found], maxReach);
    return found;
  }

  #nearClass(maxReach: number): number {
    const step = Math.floor(Math.log2(this.#unit / maxReach) / 2);
    return Math.min(FIRST_NEAR + Math.max(0, step), MAX_CLASSES - 1);
  }

  #loudClass(gain: number, minReach: number): number {
    if (gain <= 1 && minReach === 0) return 1;
    const step = Math.max(0, Math.floor(Math.log2(Math.max(gain, minReach / this.#unit)) / 2));
    return Math.min(2 + step, FIRST_NEAR - 1);
  }
}

function isUnused(property: { column: unknown }): boolean {
  return property.column === undefined;
}
