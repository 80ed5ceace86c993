/**
 * The crossings of relation as they are told: those of seats and perception, with those to members of trees in their place.
 *
 * What was decided goes on unchanged but at the watchers that trees were gone through for: of theirs, words to members give way to
 * those that came of it, in the order of reports. The crossings that seats were decided by stay as they are, beside these, since
 * seats are counted by them. Memory: a second copy of the crossings, once anyone was attached. Cost: a copy of all words.
 */
import { grown } from '../../columns.ts';
import { Crossings, highWordOf } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { RELATES } from './attached-pairs.ts';

/** What of a word is not the marker. */
const PAYLOAD_BITS = 20;
const PAYLOAD = 2 ** PAYLOAD_BITS;

export class ToldCrossings {
  readonly #store: EntityStore;
  #crossings: Crossings | undefined;
  /** Made when first needed. */
  #out: Crossings | undefined;
  #words = new Uint32Array(512);
  #count = 0;
  /** Crossings that were gone on with so far, and where those of the watcher at hand end. */
  #next = 0;
  #watcher = 0;
  #end = 0;
  /** Of the watcher at hand: marker and payload, as one number each. */
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

  /** Watchers must come ascending. */
  beginWatcher(watcher: number): void {
    const crossings = this.#crossings as Crossings;
    const first = crossings.firstFrom(watcher, this.#next);
    this.#copy(crossings.words, this.#next, first);
    this.#next = first;
    this.#watcher = watcher;
    this.#end = crossings.firstFrom(watcher + 1, first);
    this.#toldCount = 0;
  }

  /** How the watcher at hand stands with a marker by itself now, if that crossed; else -1. */
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

  /** What the watcher at hand is to be told of a marker. `payload`: the word's part below the marker. */
  tell(marker: number, payload: number): void {
    if (this.#toldCount === this.#told.length) this.#told = grown(this.#told, 2 * this.#toldCount);
    this.#told[this.#toldCount++] = marker * PAYLOAD + payload;
  }

  /** Goes on with the watcher's other crossings, and what it is told. `isMember`: whether a crossing's marker is decided by that. */
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

  /** All of it. Valid until the next `begin`. */
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
