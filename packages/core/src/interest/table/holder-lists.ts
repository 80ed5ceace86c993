/**
 * By marker: the watchers that hold something of it wherever they are, such as an override or a relation that lingers. So who changes
 * finds those that it concerns, and nobody looks through all that is held.
 *
 * Method: who begins to hold a marker is put at the end of its list, and who ceases is only counted. A list that is read, or of which
 * more than half has ceased, is cleared of those that hold nothing any more. Memory: 4 bytes a slot, and some 10 to 20 for each pair.
 * Cost: O(1) to begin and to cease, on average; O(watchers listed) to read.
 */
import { grown } from '../../columns.ts';
import { arrayBytes, mapBytes } from './collection-bytes.ts';

/** A list may hold so many more than twice as many as hold its marker. */
const MOST_OVER = 8;

export class HolderLists {
  /** By marker's slot: how many hold it. */
  #counts = new Uint32Array(0);
  /** By marker's slot: those, and some that held it before; one that began anew may be there twice. */
  readonly #lists = new Map<number, number[]>();
  readonly #isHeld: (watcher: number, marker: number) => boolean;

  /** `isHeld`: whether a pair was added and not removed since. It is asked only in `add` and `of`. */
  constructor(isHeld: (watcher: number, marker: number) => boolean) {
    this.#isHeld = isHeld;
  }

  get memoryBytes(): number {
    let bytes = this.#counts.byteLength + mapBytes(this.#lists.size);
    for (const { length } of this.#lists.values()) bytes += arrayBytes(length);
    return bytes;
  }

  growSlots(capacity: number): void {
    this.#counts = grown(this.#counts, capacity);
  }

  isAny(marker: number): boolean {
    return this.#counts[marker] > 0;
  }

  /** Slots of the watchers that hold a marker, each once, in any order. Valid until the next call. */
  of(marker: number): readonly number[] {
    const list = this.#lists.get(marker) ?? [];
    return list.length > this.#counts[marker] ? this.#clear(marker, list) : list;
  }

  /** A watcher that did not hold the marker does. */
  add(watcher: number, marker: number): void {
    const count = ++this.#counts[marker];
    const list = this.#lists.get(marker);
    if (list === undefined) {
      this.#lists.set(marker, [watcher]);
      return;
    }
    list.push(watcher);
    if (list.length > 2 * count + MOST_OVER) this.#clear(marker, list);
  }

  /** A watcher that held the marker does not any more. */
  remove(marker: number): void {
    if (--this.#counts[marker] === 0) this.#lists.delete(marker);
  }

  #clear(marker: number, list: readonly number[]): readonly number[] {
    const held = Array.from(new Set(list)).filter((watcher) => this.#isHeld(watcher, marker));
    this.#lists.set(marker, held);
    return held;
  }
}
