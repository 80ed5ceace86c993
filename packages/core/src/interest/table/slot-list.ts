/**
 * A list of slots in ascending order. Cost: O(1) to add a slot; added slots are merged in one pass when the
 * list is next read.
 */
import { grown } from '../../columns.ts';
export class SlotList {
  #slots = new Uint32Array(64);
  #count = 0;
  #added: number[] = [];

  get size(): number {
    return this.#count + this.#added.length;
  }

  get memoryBytes(): number {
    return this.#slots.byteLength;
  }

  /** The slots, ascending. Valid until the list is changed and read again. */
  get slots(): Uint32Array {
    if (this.#added.length > 0) this.#merge();
    return this.#slots.subarray(0, this.#count);
  }

  /** Adds a slot that is not listed. */
  add(slot: number): void {
    this.#added.push(slot);
  }

  /** Keeps the slots for which the column holds 1, and drops those with 0. */
  keep(isKept: Uint8Array): void {
    const { slots } = this;
    let kept = 0;
    for (let i = 0; i < slots.length; i++) {
      slots[kept] = slots[i];
      kept += isKept[slots[i]];
    }
    this.#count = kept;
  }

  #merge(): void {
    const added = this.#added.sort((a, b) => a - b);
    this.#added = [];
    const size = this.#count + added.length;
    if (size > this.#slots.length) this.#slots = grown(this.#slots, 2 * size);
    const slots = this.#slots;
    let from = this.#count - 1;
    let next = added.length - 1;
    this.#count = size;
    for (let to = size - 1; next >= 0; to--)
      slots[to] = from >= 0 && slots[from] > added[next] ? slots[from--] : added[next--];
  }
}
