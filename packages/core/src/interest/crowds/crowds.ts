/**
 * Seats among very many: what a crowded watcher's row is decided from, without a list of whom it perceives.
 *
 * A seat goes to one who had it, to one who is remembered or relates by force, or to one of the nearest others; nobody
 * else's standing can matter. So the row of a crowded watcher holds who is seated or forced and no one else, detectors take
 * it for no watcher (`EntityStore.hide`), and each tick it is decided from those few, all looked at singly, and from as many
 * of the nearest others as it has seats.
 *
 *   row as it was + remembered + forced + nearest others   ->   news, by ascending slot, with the senses now
 *
 * Cost: O(cap) a watcher, whatever the crowd, and a tree of markers a tick. See docs/internals/crowds.md.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import { ASKED } from '../../kernels/crowd-job.ts';
import type { ResolvedInterest } from '../interest.ts';
import type { MarginCuts } from '../margin-cuts.ts';
import type { PairRows } from '../pair-rows.ts';
import type { SeatMemory } from '../seat-memory.ts';
import { CrowdRows, type CrowdRules } from './crowd-rows.ts';
import { CrowdSeats } from './crowd-seats.ts';
import { MarkerTree } from './marker-tree.ts';
import { NearestOthers } from './nearest-others.ts';

/** Markers whose standing with one watcher is to be decided, by ascending slot: as crossings, as far as they are read. */
export class CrowdNews {
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

export class Crowds {
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly #memory: SeatMemory;
  /** Those decided the short way: by a kernel, or where that cannot serve. */
  readonly seats: CrowdSeats;
  readonly rows: CrowdRows;
  readonly #tree = new MarkerTree();
  readonly #others: NearestOthers;
  readonly #news = new CrowdNews();
  /** By slot: the number of the watcher that knows it. */
  #knownTo = new Uint32Array(0);
  #asked = 0;
  /** By slot, for watchers with rules: 1 for those to be decided the short way. */
  #isAsked = new Uint8Array(0);
  #isBuilt = false;
  #greatestWeight = 1;

  constructor(store: EntityStore, pairs: PairRows, memory: SeatMemory, cuts: MarginCuts) {
    this.#store = store;
    this.#pairs = pairs;
    this.#memory = memory;
    this.#others = new NearestOthers(store, this.#tree);
    this.rows = new CrowdRows(store, pairs, cuts);
    this.seats = new CrowdSeats(store, pairs);
  }

  get memoryBytes(): number {
    const bySlot = this.#knownTo.byteLength + this.#isAsked.byteLength;
    return this.#tree.memoryBytes + bySlot + this.rows.memoryBytes;
  }

  /** Another tick: places may have changed. */
  begin(): void {
    this.#isBuilt = false;
    this.rows.begin();
    this.seats.begin();
  }

  /** Has a kernel decide what it can, of the crowded watchers that `isSimple` says it may. */
  decideByKernel(
    watchers: readonly number[],
    isSimple: (watcher: number) => boolean,
    interests: readonly ResolvedInterest[],
    mayForce: boolean,
    tick: number,
  ): void {
    const { flags, hidden } = this.#store.now;
    const isHidden = hidden.column?.array;
    if (isHidden === undefined) return;
    const standing = this.seats.standing();
    const { size } = this.#pairs;
    let longest = 0;
    let asked = 0;
    for (let i = 0; i < watchers.length; i++) {
      const watcher = watchers[i];
      if (isHidden[watcher] === 0 || flags[watcher] === 0 || !isSimple(watcher)) continue;
      standing[watcher] = ASKED;
      asked++;
      if (size[watcher] > longest) longest = size[watcher];
    }
    if (longest > 0) this.seats.decide(interests, asked, longest, this.#findGreatestWeight(), mayForce, tick);
  }

  /** Decides the short way what can be decided so, of the crowded watchers that `isSimple` says it may. */
  decideSimple(
    watchers: readonly number[],
    isSimple: (watcher: number) => boolean,
    rules: CrowdRules,
    tick: number,
  ): void {
    const { capacity, now } = this.#store;
    if (this.#isAsked.length < capacity) this.#isAsked = new Uint8Array(capacity);
    const isAsked = this.#isAsked;
    let count = 0;
    for (const watcher of watchers) {
      const asks = now.hidden.at(watcher) === 1 && now.flags[watcher] !== 0 && isSimple(watcher);
      isAsked[watcher] = asks ? 1 : 0;
      if (asks) count++;
    }
    if (count === 0) return;
    this.#build();
    this.rows.decide(this.#tree, isAsked, this.#greatestWeight, rules, tick);
  }

  /**
   * All whose standing with a crowded watcher may matter now. `forced`: who relates by force, as slots; `blocks`: ids. Valid
   * until the next call.
   */
  newsOf(
    watcher: number,
    cap: number,
    forced: readonly (readonly [marker: number, bits: number])[],
    blocks: ReadonlySet<number> | undefined,
  ): CrowdNews {
    this.#build();
    const store = this.#store;
    const news = this.#news;
    const { start, size, marker } = this.#pairs.take(watcher);
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
    const others = this.#others;
    others.find(watcher, cap, this.#greatestWeight, (slot) => known[slot] === asked);
    for (let i = 0; i < others.count; i++) news.add(others.marker[i]);
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
