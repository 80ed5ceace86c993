/**
 * The crossings of relation as they are reported: those of seats and perception, with those to members of
 * trees replaced.
 *
 * The decided crossings are copied unchanged, except for watchers whose trees were visited: their words to
 * members are replaced by the results of the visit, in the order of reports. The crossings by which seats
 * were decided stay unchanged beside this copy, because seats are counted by them. Memory: a second copy of
 * the crossings, once any entity was attached. Cost: a copy of all words.
 */
import { grown } from '../../columns.ts';
import { Crossings, highWordOf } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { RELATES } from './attached-pairs.ts';

/** Bits of a low word below the marker. */
const PAYLOAD_BITS = 20;
const PAYLOAD = 2 ** PAYLOAD_BITS;

export class ToldCrossings {
  readonly #store: EntityStore;
  #crossings: Crossings | undefined;
  /** Created when first needed. */
  #out: Crossings | undefined;
  #words = new Uint32Array(512);
  #count = 0;
  /** Number of crossings that were copied or replaced so far, and where those of the current watcher end. */
  #next = 0;
  #watcher = 0;
  #end = 0;
  /** Of the current watcher: marker and payload, as one number each. */
  #told = new Float64Array(64);
  #toldCount = 0;
  #flags = 0;

  constructor(store: EntityStore) {
    this.#store = store;
  }

  get memoryBytes(): number {
    return this.#words.byteLength + this.#told.byteLength;
  }

  begin(crossings: Crossings): void {
    this.#crossings = crossings;
    this.#count = 0;
    this.#next = 0;
    this.#flags = crossings.watcherFlags;
  }

  /** Begins the next watcher. Watchers must come in ascending order. */
  beginWatcher(watcher: number): void {
    const crossings = this.#crossings as Crossings;
    const first = crossings.firstFrom(watcher, this.#next);
    this.#copy(crossings.words, this.#next, first);
    this.#next = first;
    this.#watcher = watcher;
    this.#end = crossings.firstFrom(watcher + 1, first);
    this.#toldCount = 0;
  }

  /** The current watcher's own state with a marker after the tick, if the pair crossed; else -1. */
  crossedTo(marker: number): number {
    const crossings = this.#crossings as Crossings;
    let low = this.#next;
    let high = this.#end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (crossings.markerAt(middle) < marker) low = middle + 1;
      else high = middle;
    }
    if (low === this.#end || crossings.markerAt(low) !== marker) return -1;
    return crossings.isRelated(low) ? RELATES | crossings.afterAt(low) : 0;
  }

  /** Adds a word for the current watcher. `payload`: the word's part below the marker. */
  tell(marker: number, payload: number): void {
    if (this.#toldCount === this.#told.length) this.#told = grown(this.#told, 2 * this.#toldCount);
    this.#told[this.#toldCount++] = marker * PAYLOAD + payload;
  }

  /**
   * Writes the watcher's other crossings and the added words. `isMember`: whether a crossing's marker is a
   * member, whose words are replaced.
   */
  endWatcher(isMember: (marker: number) => boolean): void {
    const crossings = this.#crossings as Crossings;
    const told = this.#told.subarray(0, this.#toldCount).sort();
    const watcher = this.#watcher;
    this.#reserve(this.#end - this.#next + told.length);
    if (told.length > 0) this.#flags |= this.#store.now.flags[watcher];
    let k = 0;
    const write = (marker: number, low: number) => {
      this.#words[2 * this.#count] = low;
      this.#words[2 * this.#count++ + 1] = highWordOf(watcher, marker);
    };
    const writeTold = () => {
      const marker = Math.floor(told[k] / PAYLOAD);
      write(marker, (marker << PAYLOAD_BITS) | (told[k++] % PAYLOAD));
    };
    for (let i = this.#next; i < this.#end; i++) {
      const marker = crossings.markerAt(i);
      if (isMember(marker)) continue;
      while (k < told.length && told[k] < marker * PAYLOAD) writeTold();
      write(marker, crossings.words[2 * i]);
    }
    while (k < told.length) writeTold();
    this.#next = this.#end;
  }

  /** Returns all crossings. Valid until the next `begin`. */
  end(): Crossings {
    const crossings = this.#crossings as Crossings;
    this.#copy(crossings.words, this.#next, crossings.count);
    this.#out ??= new Crossings(this.#store.heap);
    this.#out.replace(this.#words, this.#count, this.#flags);
    return this.#out;
  }

  #copy(words: Uint32Array, from: number, to: number): void {
    this.#reserve(to - from);
    this.#words.set(words.subarray(2 * from, 2 * to), 2 * this.#count);
    this.#count += to - from;
  }

  #reserve(more: number): void {
    const needed = 2 * (this.#count + more);
    if (needed > this.#words.length) this.#words = grown(this.#words, Math.ceil(1.5 * needed));
  }
}
