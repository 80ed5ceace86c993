/**
 * Which trees are to be visited for which watchers in one tick: pairs of slots, added in any order, then
 * sorted.
 *
 * A pair is one number, 22 bits for each slot. Memory: 8 bytes a pair, reused, growing by half.
 */
import { grown } from '../../columns.ts';
import { keyOf, pairOf } from '../../detectors/crossings.ts';

export class TreeVisits {
  /** Number of pairs added so far, repeated ones included. */
  count = 0;
  #pairs = new Float64Array(64);

  clear(): void {
    this.count = 0;
  }

  add(watcher: number, root: number): void {
    const pair = keyOf(watcher, root);
    if (this.count > 0 && this.#pairs[this.count - 1] === pair) return;
    if (this.count === this.#pairs.length) this.#pairs = grown(this.#pairs, Math.ceil(1.5 * this.count));
    this.#pairs[this.count++] = pair;
  }

  /** Sorts by watcher, then by root. */
  sort(): void {
    this.#pairs.subarray(0, this.count).sort();
  }

  watcherAt(i: number): number {
    return pairOf(this.#pairs[i])[0];
  }

  rootAt(i: number): number {
    return pairOf(this.#pairs[i])[1];
  }

  /** After `sort`: whether the pair differs from the one before. */
  isFirst(i: number): boolean {
    return i === 0 || this.#pairs[i] !== this.#pairs[i - 1];
  }
}
