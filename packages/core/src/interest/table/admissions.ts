/**
 * What `admit` returned in the tick under way for pairs that crossed, of watchers whose whole row a kernel may decide. A kernel
 * cannot call `admit`, so it is called before; if the kernel gives the row back, row-judge.ts does not call it again.
 *
 * Cost: a word and a number a pair; nothing is kept from tick to tick.
 */
import { keyOf } from '../../detectors/crossings.ts';

export class Admissions {
  /** Ascending; slots. */
  readonly #keys: number[] = [];
  readonly #areAdmitted: boolean[] = [];

  clear(): void {
    this.#keys.length = 0;
    this.#areAdmitted.length = 0;
  }

  /** Call in ascending order of watchers, then markers. Slots. */
  note(watcher: number, marker: number, isAdmitted: boolean): void {
    this.#keys.push(keyOf(watcher, marker));
    this.#areAdmitted.push(isAdmitted);
  }

  /** What `admit` returned; `undefined` if it was not called. Slots. */
  find(watcher: number, marker: number): boolean | undefined {
    const keys = this.#keys;
    const key = keyOf(watcher, marker);
    let low = 0;
    for (let high = keys.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return keys[low] === key ? this.#areAdmitted[low] : undefined;
  }
}
