/**
 * The set of joined entities: ids, each once, in ascending order after `settle`.
 *
 * The order is ascending, not that of joining: a restored world does not contain the order of joining, and two worlds
 * in the same state must be balanced alike. Ids that left or were removed stay in the list until it is settled.
 *
 * Memory: 4 bytes a slot and at most 16 for each joined entity. Cost: O(1) to join and leave; settling is O(n), plus
 * a sort if entities joined.
 */
import type { EntityId } from '../entities/entity-ids.ts';

const FIRST_CAPACITY = 256;

export class Membership {
  /** Number of joined entities that have not left. Entities removed from the world count until `settle`. */
  size = 0;
  /** By slot: the id that joined, 0 for none. */
  #bySlot = new Uint32Array(FIRST_CAPACITY);
  /** The list, including ids that left; `#bySlot` decides which are valid. */
  #ids = new Uint32Array(FIRST_CAPACITY);
  #length = 0;
  #isSorted = true;

  has(id: EntityId): boolean {
    const slot = id >>> 10;
    return slot < this.#bySlot.length && this.#bySlot[slot] === id;
  }

  /** Adds an id that has not joined. */
  add(id: EntityId): void {
    const slot = id >>> 10;
    if (slot >= this.#bySlot.length) this.#bySlot = grown(this.#bySlot, slot + 1);
    if (this.#length === this.#ids.length) this.#makeRoom();
    // An id that had the slot before was removed from the world.
    if (this.#bySlot[slot] === 0) this.size++;
    this.#bySlot[slot] = id;
    if (this.#length > 0 && this.#ids[this.#length - 1] >= id) this.#isSorted = false;
    this.#ids[this.#length++] = id;
  }

  /** Deletes an id that has joined. */
  delete(id: EntityId): void {
    this.#bySlot[id >>> 10] = 0;
    this.size--;
  }

  /** Drops ids that are no longer present; returns the remaining ones, ascending, valid until the next change. */
  settle(isPresent: (id: EntityId) => boolean): Uint32Array {
    if (!this.#isSorted) this.#ids.subarray(0, this.#length).sort();
    this.#isSorted = true;
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const id = this.#ids[i];
      // An id that left and joined again is in the list twice.
      if (this.#bySlot[id >>> 10] !== id || (kept > 0 && this.#ids[kept - 1] === id)) continue;
      if (isPresent(id)) this.#ids[kept++] = id;
      else this.#bySlot[id >>> 10] = 0;
    }
    this.#length = kept;
    this.size = kept;
    return this.#ids.subarray(0, kept);
  }

  /** Ids that joined and have not left, including removed ones until `settle`: each once, in no order. Cost: O(n). */
  all(): Uint32Array {
    const seen = new Set<EntityId>();
    for (let i = 0; i < this.#length; i++) {
      const id = this.#ids[i];
      if (this.#bySlot[id >>> 10] === id) seen.add(id);
    }
    return Uint32Array.from(seen);
  }

  /**
   * Drops ids that left before the list grows, so that repeated joining and leaving takes no more memory than
   * staying.
   */
  #makeRoom(): void {
    this.settle(() => true);
    if (this.#length * 2 > this.#ids.length) this.#ids = grown(this.#ids, this.#ids.length + 1);
  }
}

function grown(array: Uint32Array<ArrayBuffer>, needed: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(needed, array.length * 2));
  larger.set(array);
  return larger;
}
