/**
 * The children of each parent, in one state of the world: doubly linked lists in columns by slot.
 *
 *   first[parent] -> child <-> next <-> ...     a link is a slot plus 1, 0 is none
 *
 * Memory: 12 to 24 bytes a slot, up to the last one that is or has a child. Cost: O(1) to add or remove a child.
 */
import { grown } from '../columns.ts';

const FIRST_CAPACITY = 64;

export class ChildLists {
  /** Number of children, over all parents. */
  count = 0;
  #first = new Uint32Array(0);
  #next = new Uint32Array(0);
  #before = new Uint32Array(0);

  get memoryBytes(): number {
    return this.#first.byteLength + this.#next.byteLength + this.#before.byteLength;
  }

  /** Whether a slot has children. */
  has(parent: number): boolean {
    return parent < this.#first.length && this.#first[parent] !== 0;
  }

  /** The first child, or -1; the others by `next`. */
  first(parent: number): number {
    return parent < this.#first.length ? this.#first[parent] - 1 : -1;
  }

  /** The next child of the same parent, or -1. */
  next(child: number): number {
    return this.#next[child] - 1;
  }

  add(parent: number, child: number): void {
    const length = Math.max(parent, child) + 1;
    if (length > this.#first.length) {
      const capacity = Math.max(FIRST_CAPACITY, 2 * length);
      this.#first = grown(this.#first, capacity);
      this.#next = grown(this.#next, capacity);
      this.#before = grown(this.#before, capacity);
    }
    const first = this.#first[parent];
    this.#next[child] = first;
    this.#before[child] = 0;
    if (first !== 0) this.#before[first - 1] = child + 1;
    this.#first[parent] = child + 1;
    this.count++;
  }

  remove(parent: number, child: number): void {
    const [next, before] = [this.#next[child], this.#before[child]];
    if (before === 0) this.#first[parent] = next;
    else this.#next[before - 1] = next;
    if (next !== 0) this.#before[next - 1] = before;
    this.count--;
  }
}
