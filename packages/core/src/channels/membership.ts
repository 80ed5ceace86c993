/**
 * Who joined: ids, each once, in ascending order when settled.
 *
 * Ascending, and not in the order of joining, because that order is not to be had from a world that was restored: two
 * worlds in the same state are to be balanced alike. Those who left or were removed stay in the list until it is settled.
 *
 * Memory: 4 bytes a slot and at most 16 one who joined. Cost: O(1) to join and leave; settling is O(n), and a sort when
 * somebody came.
 */
import type { EntityId } from '../entities/entity-ids.ts';

const FIRST_CAPACITY = 256;

export class Membership {
  /** Who joined, less who left: those who were removed from the world count until `settle`. */
  size = 0;
  /** By slot: the id that joined, 0 for none. */
  #bySlot = new Uint32Array(FIRST_CAPACITY);
  /** The list, with those in it who left; `#bySlot` decides. */
  #ids = new Uint32Array(FIRST_CAPACITY);
  #length = 0;
  #isSorted = true;

  has(id: EntityId): boolean {
    const slot = id >>> 10;
    return slot < this.#bySlot.length && this.#bySlot[slot] === id;
  }

  /** Joins one who has not. */
  add(id: EntityId): void {
    const slot = id >>> 10;
    if (slot >= this.#bySlot.length) this.#bySlot = grown(this.#bySlot, slot + 1);
    if (this.#length === this.#ids.length) this.#makeRoom();
    // Whoever had the slot before was removed from the world.
    if (this.#bySlot[slot] === 0) this.size++;
    this.#bySlot[slot] = id;
    if (this.#length > 0 && this.#ids[this.#length - 1] >= id) this.#isSorted = false;
    this.#ids[this.#length++] = id;
  }

  /** Lets one go who joined. */
  delete(id: EntityId): void {
    this.#bySlot[id >>> 10] = 0;
    this.size--;
  }

  /** Forgets those who are not present any more; answers who is left, ascending, valid until the next change. */
  settle(isPresent: (id: EntityId) => boolean): Uint32Array {
    if (!this.#isSorted) this.#ids.subarray(0, this.#length).sort();
    this.#isSorted = true;
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const id = this.#ids[i];
      // One who left and joined again is there twice.
      if (this.#bySlot[id >>> 10] !== id || (kept > 0 && this.#ids[kept - 1] === id)) continue;
      if (isPresent(id)) this.#ids[kept++] = id;
      else this.#bySlot[id >>> 10] = 0;
    }
    this.#length = kept;
    this.size = kept;
    return this.#ids.subarray(0, kept);
  }

  /** Who joined and has not left, the removed until `settle` included: each once, in no order. Cost: O(n). */
  all(): Uint32Array {
    const seen = new Set<EntityId>();
    for (let i = 0; i < this.#length; i++) {
      const id = this.#ids[i];
      if (this.#bySlot[id >>> 10] === id) seen.add(id);
    }
    return Uint32Array.from(seen);
  }

  /** Drops those who left before it grows: going in and out for ever takes no more room than being in. */
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
