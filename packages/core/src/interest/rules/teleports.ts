/**
 * Teleports: an entity moved to another place at once. Its relations are reported anew, so that no client
 * interpolates between the two places.
 *
 *   related before and after   reported as left and entered in one tick, and neither as updated nor as sensed
 *   anything else              as for any other move
 *
 * Only the report differs. Relations are decided as usual: margins, seats, dwell and memory continue, and
 * there are no `watched` or `unwatched` events because of it. Everything attached to a teleported entity,
 * directly or through others, is teleported with it.
 *
 * Method: before a tick applies anything, the pairs of the last tick with a teleported entity on either side
 * are listed. When all is decided, those that still relate get two words (left, entered) in place of one or
 * none. Cost: nothing if no entity is teleported; for each one that is, the cost of `visibleTo` and
 * `watchersOf`, and 0.1 us for each of its pairs; a copy of all crossings, if any of these pairs still relates.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import {
  Crossings,
  highWordOf,
  keyOf,
  pairOf,
  RELATED_AFTER,
  RELATED_BEFORE,
} from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { RELATED } from '../table/pair-rows.ts';
import { lowWordOf } from '../table/relation-words.ts';

/**
 * Queries about the last tick, before the next one applies anything. Markers removed since may be included.
 * Slots.
 */
export interface LastRelations {
  markersOf(watcher: number): readonly number[];
  watchersOf(marker: number): readonly number[];
  sensesOf(watcher: number, marker: number): number;
}

/** How many sets of senses there are. */
const SENSE_SETS = 256;

export class Teleports {
  readonly #store: EntityStore;
  /** Slots of entities teleported since the last successful tick. */
  readonly #noted = new Set<number>();
  /**
   * Of the tick under way: the pairs that related, in no order, some of them twice. Each is `keyOf` times 256, plus
   * its senses.
   */
  #pairs: number[] = [];
  /** Made when first needed. */
  #out: Crossings | undefined;

  constructor(store: EntityStore) {
    this.#store = store;
  }

  /** Whether no entity was teleported since the last tick. */
  get isNone(): boolean {
    return this.#noted.size === 0;
  }

  /** Slots of the teleported entities, ascending. */
  get slots(): Uint32Array {
    return Uint32Array.from(this.#noted).sort();
  }

  note(slot: number): void {
    this.#noted.add(slot);
  }

  /** Notes the first `count` of `ids`, or of the `ids` at the indices `at`. All are present. */
  noteMany(ids: Uint32Array, at: ArrayLike<number> | undefined, count: number): void {
    for (let k = 0; k < count; k++) this.#noted.add(ids[at === undefined ? k : at[k]] >>> 10);
  }

  /**
   * Start of the tick: lists the related pairs with a teleported entity. Followed by `reportAnew`, or called again
   * after a failed tick.
   */
  begin(relations: LastRelations): void {
    this.#pairs = [];
    for (const slot of this.#noted) this.#list(slot, relations);
  }

  /**
   * Returns the crossings of relation with these pairs reported as left and entered; the same object if none of
   * them relates any more.
   */
  reportAnew(crossings: Crossings): Crossings {
    if (this.#pairs.length === 0) return crossings;
    const words: number[] = [];
    const replaced = new Set<number>();
    let flags = 0;
    let previous = -1;
    let i = 0;
    for (const pair of Float64Array.from(this.#pairs).sort()) {
      if (pair === previous) continue;
      previous = pair;
      const [watcher, marker] = pairOf(Math.floor(pair / SENSE_SETS));
      i = crossings.firstFrom(watcher, i);
      while (i < crossings.count && crossings.watcherAt(i) === watcher && crossings.markerAt(i) < marker) i++;
      const hasCrossed =
        i < crossings.count && crossings.watcherAt(i) === watcher && crossings.markerAt(i) === marker;
      const word = crossings.words[2 * i];
      if (hasCrossed && (word & RELATED_AFTER) === 0) continue;
      const state = RELATED | ((pair % SENSE_SETS) << 8);
      const left = hasCrossed ? word & ~RELATED_AFTER : lowWordOf(marker, state, 0);
      const entered = hasCrossed ? word & ~RELATED_BEFORE : lowWordOf(marker, 0, state);
      if (hasCrossed) replaced.add(i);
      const high = highWordOf(watcher, marker);
      words.push(left, high, entered, high);
      flags |= this.#store.now.flags[watcher];
    }
    if (words.length === 0) return crossings;
    this.#out ??= new Crossings(this.#store.heap);
    const out = this.#out;
    out.replace(crossings.words, crossings.count, crossings.watcherFlags);
    // A pair crosses and still relates only if its senses change.
    if (replaced.size > 0) out.keep((i) => !replaced.has(i));
    out.merge(words, flags);
    out.lostWithWatcher = crossings.lostWithWatcher;
    return out;
  }

  /** The tick succeeded. */
  commit(): void {
    if (this.#noted.size === 0) return;
    this.#noted.clear();
    this.#pairs = [];
  }

  /** Into a new instance; the population was loaded. */
  load(slots: Uint32Array, reader: ByteReader): void {
    for (const slot of slots) {
      reader.check(slot < this.#store.slotCount, 'a slot of one that was teleported');
      this.#noted.add(slot);
    }
  }

  /** Lists the pairs of an entity, and of its children. */
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
    if (!this.#store.now.isPresent(watcher)) return;
    this.#pairs.push(keyOf(watcher, marker) * SENSE_SETS + relations.sensesOf(watcher, marker));
  }
}
