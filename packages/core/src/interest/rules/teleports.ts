/**
 * Teleports: who was put elsewhere at one blow, so that nobody draws a line from the one place to the other.
 *
 *   related before and after   told as left and entered in one tick, and neither as updated nor as sensed
 *   anything else              as by any other move
 *
 * It is a matter of what is told. Who relates is decided as ever: margins, seats, dwell and memory go on, and nobody is told as
 * watched or unwatched for it. Whoever hangs on one that is teleported, link by link, is teleported with it.
 *
 * Method: before a tick takes up anything, the pairs of the last one are listed that have such a one on either side; when
 * all is decided, those that still relate are told as two words in place of one or none.
 * Cost: nothing where nobody is teleported; for each that is what `visibleTo` and `watchersOf` cost, and a copy of all crossings.
 */
import {
  Crossings,
  highWordOf,
  keyIn,
  keyOf,
  pairOf,
  RELATED_AFTER,
  RELATED_BEFORE,
} from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import type { ByteReader } from '../../recording/bytes/byte-reader.ts';
import { RELATED } from '../pair-rows.ts';
import { lowWordOf } from '../table/relation-words.ts';

/** Answers about the last tick, before the next one takes up anything; those removed since may be among the markers. Slots. */
export interface LastRelations {
  markersOf(watcher: number): readonly number[];
  watchersOf(marker: number): readonly number[];
  sensesOf(watcher: number, marker: number): number;
}

const NOBODY: readonly number[] = [];

export class Teleports {
  readonly #store: EntityStore;
  /** Slots, since the last tick that stood. */
  readonly #noted = new Set<number>();
  /** Of the tick under way: the senses of pairs that related, by a number for both that sorts as reports do. */
  #pairs = new Map<number, number>();
  /** Watcher and marker, one after the other. */
  #told: number[] = [];
  /** Made when first needed. */
  #out: Crossings | undefined;
  #words = new Uint32Array(0);

  constructor(store: EntityStore) {
    this.#store = store;
  }

  /** Whether nobody was teleported since the last tick. */
  get isNone(): boolean {
    return this.#noted.size === 0;
  }

  /** Slots of those that were, ascending. */
  get slots(): Uint32Array {
    return Uint32Array.from(this.#noted).sort();
  }

  note(slot: number): void {
    this.#noted.add(slot);
  }

  /** Those of `ids`, or those at the indices `at`; the first so many. All are present. */
  noteMany(ids: Uint32Array, at: ArrayLike<number> | undefined, count: number): void {
    for (let k = 0; k < count; k++) this.#noted.add(ids[at === undefined ? k : at[k]] >>> 10);
  }

  /** A tick begins: lists the pairs that relate and have a teleported one. To be followed by `tell`, or done again. */
  begin(relations: LastRelations): void {
    this.#pairs.clear();
    this.#told = [];
    for (const slot of this.#noted) this.#list(slot, relations);
  }

  /** The same crossings, of relation, with those pairs told anew; the same object where there are none. */
  tell(crossings: Crossings): Crossings {
    if (this.#pairs.size === 0) return crossings;
    const { now } = this.#store;
    const keys = Float64Array.from(this.#pairs.keys()).sort();
    if (this.#words.length < 2 * (crossings.count + 2 * keys.length))
      this.#words = new Uint32Array(3 * (crossings.count + 2 * keys.length));
    const { words, count } = crossings;
    const out = this.#words;
    let written = 0;
    let flags = crossings.watcherFlags;
    const write = (low: number, high: number) => {
      out[written++] = low;
      out[written++] = high;
    };
    let i = 0;
    for (const key of keys) {
      while (i < count && keyIn(words, i) < key) write(words[2 * i], words[2 * i++ + 1]);
      const [watcher, marker] = pairOf(key);
      const hasCrossed = i < count && keyIn(words, i) === key;
      const state = RELATED | ((this.#pairs.get(key) as number) << 8);
      const left = hasCrossed ? words[2 * i] & ~RELATED_AFTER : lowWordOf(marker, state, 0);
      const entered = hasCrossed ? words[2 * i] & ~RELATED_BEFORE : lowWordOf(marker, 0, state);
      if (hasCrossed) i++;
      const high = highWordOf(watcher, marker);
      write(left, high);
      if ((entered & RELATED_AFTER) === 0) continue;
      write(entered, high);
      flags |= now.flags[watcher];
      this.#told.push(watcher, marker);
    }
    while (i < count) write(words[2 * i], words[2 * i++ + 1]);
    this.#out ??= new Crossings(this.#store.heap);
    this.#out.replace(out, written >> 1, flags);
    this.#out.lostWithWatcher = crossings.lostWithWatcher;
    return this.#out;
  }

  /** The tick stands. Answers the pairs that were told anew: slots of watcher and marker, one after the other. */
  commit(): readonly number[] {
    if (this.#noted.size === 0) return NOBODY;
    this.#noted.clear();
    this.#pairs.clear();
    return this.#told;
  }

  /** Into one that was never used; the population was loaded. */
  load(slots: Uint32Array, reader: ByteReader): void {
    for (const slot of slots) {
      reader.check(slot < this.#store.slotCount, 'a slot of one that was teleported');
      this.#noted.add(slot);
    }
  }

  get memoryBytes(): number {
    return this.#words.byteLength;
  }

  /** Lists the pairs of one, and of its children. */
  #list(slot: number, relations: LastRelations): void {
    const { now, last, attachments } = this.#store;
    if (!now.isPresent(slot)) return;
    if (last.isPresent(slot)) {
      for (const marker of relations.markersOf(slot)) this.#add(slot, marker, relations);
      for (const watcher of relations.watchersOf(slot)) this.#add(watcher, slot, relations);
    }
    for (const child of attachments.childrenOf(slot)) this.#list(child, relations);
  }

  #add(watcher: number, marker: number, relations: LastRelations): void {
    const key = keyOf(watcher, marker);
    const isThere = this.#store.now.isPresent(watcher);
    if (isThere && !this.#pairs.has(key)) this.#pairs.set(key, relations.sensesOf(watcher, marker));
  }
}
