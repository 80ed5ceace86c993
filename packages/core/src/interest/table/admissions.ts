/**
 * What `admit` returned in the tick under way for pairs that crossed, of watchers whose whole row a kernel may decide. A kernel
 * cannot call `admit`, so it is called before; if the kernel gives the row back, row-judge.ts does not call it again.
 *
 * Cost: a word and a number a pair; nothing is kept from tick to tick.
 */
import { placeInList } from '../../columns.ts';
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
    const key = keyOf(watcher, marker);
    const at = placeInList(this.#keys, key);
    return this.#keys[at] === key ? this.#areAdmitted[at] : undefined;
  }
}
