/**
 * The slots of all entities that may relate to a marker: each has had, since it was added, a range, or a pin or block of its own. With a
 * thousand players among a million things, a loop over all watchers visits a thousand slots, not a million.
 *
 * Method: a bit for each slot. It is set by the tick in which the entity first watches, even if that tick fails, and cleared by the tick in which
 * the entity is removed. The entity may watch nothing any more. Memory: a bit a slot. Cost: 20 us for each million of slots, to visit all.
 */
import { grown } from '../columns.ts';

export class WatcherSlots {
  #bits = new Uint32Array(8);
  /** Number of these slots. */
  count = 0;

  get memoryBytes(): number {
    return this.#bits.byteLength;
  }

  has(slot: number): boolean {
    return ((this.#bits[slot >>> 5] >>> slot) & 1) === 1;
  }

  add(slot: number): void {
    if (this.has(slot)) return;
    const word = slot >>> 5;
    if (word >= this.#bits.length) this.#bits = grown(this.#bits, 2 * word);
    this.#bits[word] |= 1 << slot;
    this.count++;
  }

  remove(slot: number): void {
    if (!this.has(slot)) return;
    this.#bits[slot >>> 5] ^= 1 << slot;
    this.count--;
  }

  /** Visits the slots, ascending. Those that are added meanwhile may be left out. */
  each(visit: (slot: number) => void): void {
    const bits = this.#bits;
    for (let word = 0; word < bits.length; word++) {
      for (let rest = bits[word]; rest !== 0; rest &= rest - 1) {
        visit((word << 5) + 31 - Math.clz32(rest & -rest));
      }
    }
  }
}
