/**
 * The long way for a searched watcher: whose standing with it may matter, found without a list of whom it perceives.
 *
 * A seat goes to one who had it, to one who is remembered or relates by force, or to one of the nearest others; nobody
 * else's standing can matter. Where ties, memory or mutual consent have a say, and where there is no WebAssembly, the row is
 * decided from those few by row-decider.ts; else a kernel does it (seat-search.ts).
 *
 *   row as it was + remembered + forced + nearest others   ->   news, by ascending slot, with the senses now
 *
 * Cost: O(cap) a watcher, whatever the crowd, and a tree of markers a tick.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import type { PairRows } from '../pair-rows.ts';
import type { SeatMemory } from '../rules/seat-memory.ts';
import { MarkerTree } from './marker-tree.ts';
import { NearestOthers } from './nearest-others.ts';

/** Markers whose standing with one watcher is to be decided, by ascending slot: as crossings, as far as they are read. */
export class SurroundingNews {
  count = 0;
  #markers = new Uint32Array(64);
  #senses = new Uint8Array(64);

  markerAt(i: number): number {
    return this.#markers[i];
  }

  /** The senses in which it is perceived now, without margin. */
  afterAt(i: number): number {
    return this.#senses[i];
  }

  add(marker: number): void {
    if (this.count === this.#markers.length) {
      const longer = new Uint32Array(2 * this.count);
      longer.set(this.#markers);
      this.#markers = longer;
      this.#senses = new Uint8Array(2 * this.count);
    }
    this.#markers[this.count++] = marker;
  }

  /** Puts what was added in order, and finds its senses. */
  complete(store: EntityStore, watcher: number): void {
    this.#markers.subarray(0, this.count).sort();
    const { settings, now } = store;
    for (let i = 0; i < this.count; i++) {
      this.#senses[i] = perceivedSenses(settings, now, watcher, this.#markers[i], now.ownRanges);
    }
  }
}

export class Surroundings {
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly #memory: SeatMemory;
  readonly #tree = new MarkerTree();
  readonly #others: NearestOthers;
  readonly #news = new SurroundingNews();
  /** By slot: the number of the watcher that knows it. */
  #knownTo = new Uint32Array(0);
  #asked = 0;
  #isBuilt = false;
  #greatestWeight = 1;

  constructor(store: EntityStore, pairs: PairRows, memory: SeatMemory) {
    this.#store = store;
    this.#pairs = pairs;
    this.#memory = memory;
    this.#others = new NearestOthers(store, this.#tree);
  }

  get memoryBytes(): number {
    return this.#tree.memoryBytes + this.#knownTo.byteLength;
  }

  /** Another tick: places may have changed. */
  begin(): void {
    this.#isBuilt = false;
  }

  /**
   * All whose standing with a searched watcher may matter now. `forced`: who relates by force, as slots; `blocks`: ids. Valid
   * until the next call.
   */
  newsOf(
    watcher: number,
    cap: number,
    forced: readonly (readonly [marker: number, bits: number])[],
    blocks: ReadonlySet<number> | undefined,
  ): SurroundingNews {
    this.#build();
    const store = this.#store;
    const news = this.#news;
    const { start, size, marker } = this.#pairs;
    const known = this.#knownTo;
    if (++this.#asked === 0x1_0000_0000) {
      known.fill(0);
      this.#asked = 1;
    }
    const asked = this.#asked;
    news.count = 0;
    const add = (slot: number) => {
      if (known[slot] === asked) return;
      known[slot] = asked;
      news.add(slot);
    };
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) add(marker[i]);
    for (const [slot] of forced) add(slot);
    for (const id of this.#memory.markersOf(watcher)) if (store.has(id)) add(id >>> 10);
    for (const id of blocks ?? []) if (store.has(id)) known[id >>> 10] = asked;
    const others = this.#others.find(watcher, cap, this.#greatestWeight, (slot) => known[slot] === asked);
    for (const slot of others) news.add(slot);
    news.complete(store, watcher);
    return news;
  }

  #build(): void {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    const { now, slotCount, capacity } = this.#store;
    this.#tree.build(now, slotCount);
    if (this.#knownTo.length < slotCount) {
      this.#knownTo = new Uint32Array(capacity);
      this.#asked = 0;
    }
    this.#greatestWeight = this.#findGreatestWeight();
  }

  #findGreatestWeight(): number {
    const { now, slotCount } = this.#store;
    const weights = now.weights.column?.array;
    let greatest = 1;
    for (let slot = 0; weights !== undefined && slot < slotCount; slot++) {
      if (now.flags[slot] !== 0 && weights[slot] > greatest) greatest = weights[slot];
    }
    return greatest;
  }
}
