/**
 * The margin-held pairs of watchers without a row: a list of the pairs that some sense no longer perceives
 * and that stay related in that sense only because of the leave margin.
 *
 * Such a watcher is derived: it relates to whatever it perceives, it has a margin or a cap that is
 * not reached, and no rule of it needs a row (ruled-watchers.ts). Its relations follow from the definition
 * and this list. A tick merges crossings and list, both in the order of reports, and writes both anew:
 *
 *   crossings   | w1 m4 lost | w1 m9 new |            | w7 m2 lost |
 *   held        |                        | w3 m5      | w7 m2      |    m5 is past the margin now, m4 is within it
 *   crossings'               | w1 m9 new | w3 m5 lost |            |
 *   held'       | w1 m4      |                        | w7 m2      |
 *
 * A held pair is two words, as a crossing is: the lowest byte of the low word has the senses without margin,
 * the next byte those in which only the margin holds the pair. Memory: 40 bytes a held pair, 24 bytes a
 * crossing. Cost: some 8 ns a held pair, nothing in a tick in which nothing changes.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { type Crossings, keyIn, keyOf, markerIn, mergeWords } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED, CHANGED, pendingWith, REMOVED, STANDING_CHANGED } from '../../entities/pending.ts';
import { writePerception } from '../../entities/perception-words.ts';
import { type Column, Heap } from '../../kernels/heap.ts';
import * as holds from '../../kernels/layouts/pass-holds.ts';
import { PERCEPTION_WORDS } from '../../kernels/layouts/perception.ts';
import { ScratchRoom } from '../table/scratch-room.ts';

const FIRST_WORDS = 256;
/** Lanes (SIMD) pay off from one pair per this many entities on. */
const LANES_SHARE = 16;
/** Changes after which two entities that met may no longer meet. */
const CHANGES = ADDED | REMOVED | CHANGED;

export class MarginHolds {
  /** Number of relations that ended in this tick because their watcher was removed; they are not reported. */
  lostWithWatcher = 0;
  readonly #store: EntityStore;
  /** The list as of the last tick. */
  #heldColumn: Column<'u32'>;
  #count = 0;
  /** The list as of the tick under way. */
  #nextColumn: Column<'u32'>;
  #nextCount = 0;
  readonly #wordColumn: Column<'u32'>;
  #wordCount = 0;
  /** Words of pairs that were taken out and can be put back. */
  #takenOut: number[] = [];
  /** Whether the tick under way leaves the list as it is. */
  #isSame = false;
  /** By interest. */
  readonly #margins: Column<'f32'>;
  readonly #places: Column<'u32'>;
  readonly #block: Column<'u32'>;
  readonly #changed: Column<'u32'>;
  readonly #job: Column<'u32'>;
  readonly #listRoom = new ScratchRoom(FIRST_WORDS);
  readonly #wordRoom = new ScratchRoom(FIRST_WORDS);

  constructor(store: EntityStore) {
    this.#store = store;
    const { heap } = store;
    // The two columns are swapped at the end of each tick; until then both are needed.
    const keep = (column: Column) => 2 * (column === this.#heldColumn ? this.#count : this.#nextCount);
    this.#heldColumn = heap.column('u32', FIRST_WORDS, keep);
    this.#nextColumn = heap.column('u32', FIRST_WORDS, keep);
    this.#wordColumn = heap.column('u32', FIRST_WORDS, Heap.scratch);
    this.#margins = heap.column('f32', 1);
    this.#places = heap.column('u32', 0, Heap.scratch);
    this.#block = heap.column('u32', 0, Heap.scratch);
    this.#changed = heap.column('u32', 0, Heap.scratch);
    this.#job = heap.column('u32', holds.STATE + PERCEPTION_WORDS);
  }

  get #held(): Uint32Array {
    return this.#heldColumn.array;
  }

  /** Whether the list was empty as of the last tick. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /**
   * Rewrites the crossings of derived watchers from perception to relation. `margins`: world units, by
   * interest; `isAnew`: whether any watcher got a row since the last tick, or an interest changed. Changes
   * nothing until `commit`.
   */
  pass(crossings: Crossings, isDerived: Column<'u8'>, margins: Float32Array, isAnew: boolean): void {
    this.lostWithWatcher = 0;
    this.#nextCount = 0;
    this.#wordCount = 0;
    this.#isSame = crossings.count === 0 && this.#store.pendingCount === 0 && !isAnew;
    if (this.#isSame) {
      this.#listRoom.note(2 * this.#count);
      return;
    }
    if (this.#count === 0 && (crossings.count === 0 || margins.every((margin) => margin === 0))) return;
    this.#reserve(crossings.count, margins.length);
    this.#margins.array.set(margins);
    this.#passAll(crossings, isDerived, isAnew || this.#store.counts.removed > 0);
    const flags = crossings.watcherFlags | this.#job.array[holds.REPORTED_FLAGS];
    crossings.replace(this.#wordColumn.array, this.#wordCount, flags);
  }

  /**
   * Takes listed pairs out. `pairs`: slots of watcher and marker, alternating. They can be put back until
   * `commit`.
   */
  takeOut(pairs: readonly number[]): void {
    const taken = new Set<number>();
    for (let i = 0; i < pairs.length; i += 2) taken.add(keyOf(pairs[i], pairs[i + 1]));
    const held = this.#held;
    let kept = 0;
    for (let i = 0; i < this.#count; i++) {
      const [low, high] = [held[2 * i], held[2 * i + 1]];
      if (taken.has(keyIn(held, i))) this.#takenOut.push(low, high);
      else {
        held[2 * kept] = low;
        held[2 * kept++ + 1] = high;
      }
    }
    this.#count = kept;
  }

  /** Takes pairs out for good, after `commit`. `pairs`: slots of watcher and marker, alternating. */
  letGo(pairs: readonly number[]): void {
    if (pairs.length === 0) return;
    this.takeOut(pairs);
    this.#takenOut = [];
  }

  /** Puts back the pairs that were taken out. */
  putBack(): void {
    this.putIn(this.#takenOut);
    this.#takenOut = [];
  }

  /** Inserts pairs that are not listed, as words in order. After `commit`, or before a tick. */
  putIn(words: readonly number[]): void {
    const more = words.length >> 1;
    if (more === 0) return;
    this.#reserve(more, 1);
    const room = 2 * (this.#count + more) + holds.SPARE_WORDS;
    if (room > this.#heldColumn.length) this.#store.heap.resize([[this.#heldColumn, 2 * room]]);
    mergeWords(this.#held, this.#count, Uint32Array.from(words));
    this.#count += more;
  }

  /** Applies the decisions. */
  commit(): void {
    this.#takenOut = [];
    if (this.#isSame) return;
    [this.#heldColumn, this.#nextColumn] = [this.#nextColumn, this.#heldColumn];
    this.#count = this.#nextCount;
    this.#nextCount = 0;
  }

  /** Between ticks: frees memory that recent ticks did not use. */
  trim(): void {
    const listWords = Math.max(this.#listRoom.look(this.#nextColumn.length), 2 * this.#count);
    const words = this.#wordRoom.look(this.#wordColumn.length);
    const places = Math.min(this.#places.length, holds.placeWordsFor(this.#store.capacity));
    this.#store.heap.shrink([
      [this.#heldColumn, listWords],
      [this.#nextColumn, listWords],
      [this.#wordColumn, words],
      [this.#places, places],
      [this.#changed, Math.min(this.#changed.length, this.#store.capacity)],
    ]);
  }

  /** The senses in which only the margin holds a pair of a derived watcher, as of the last tick. Slots. */
  heldSensesOf(watcher: number, marker: number): number {
    return heldIn(this.#held, this.#count, watcher, marker);
  }

  /** Visits the margin-held pairs of a watcher, as of the last tick, in any order. */
  eachHeld(watcher: number, visit: (marker: number, heldSenses: number, exact: number) => void): void {
    eachOf(this.#held, this.#count, watcher, visit);
  }

  /** The senses in which only the margin holds a pair of a derived watcher, in the tick under way. Slots. */
  heldSensesNow(watcher: number, marker: number): number {
    if (this.#isSame) return this.heldSensesOf(watcher, marker);
    return heldIn(this.#nextColumn.array, this.#nextCount, watcher, marker);
  }

  save(writer: ByteWriter): void {
    writer.column(this.#held.subarray(0, 2 * this.#count));
  }

  /** Into a new instance. */
  load(reader: ByteReader, isDerived: Uint8Array): void {
    const { slotCount, last } = this.#store;
    const known = last.ranges.reduce(
      (bits, { column }, s) => (column === undefined ? bits : bits | (1 << s)),
      0,
    );
    const held = reader.column('u32');
    reader.check(held.length % 2 === 0, 'pairs of words');
    this.#count = held.length >> 1;
    this.#reserve(0, 1);
    this.#held.set(held);
    let previousHigh = 0;
    let previousMarker = -1;
    for (let i = 0; i < this.#count; i++) {
      const low = held[2 * i];
      const high = held[2 * i + 1];
      const marker = markerIn(held, i);
      const isNext = high === previousHigh ? low >>> 20 > previousMarker : high > previousHigh;
      const isThere = marker < slotCount && last.isPresent(marker);
      const isKnown = isThere && isDerived[high >>> 10] === 1;
      const exact = low & 255;
      const senses = (low >>> 8) & 0xfff;
      const areSenses = (exact & senses) === 0 && senses !== 0 && ((exact | senses) & ~known) === 0;
      if (!isNext || !isKnown || !areSenses) throw reader.fault('pairs that a margin holds, ascending');
      previousHigh = high;
      previousMarker = low >>> 20;
    }
  }

  #passAll(crossings: Crossings, isDerived: Column<'u8'>, isAnyGone: boolean): void {
    const { heap, now, slotCount } = this.#store;
    const changed = this.#changedSlots();
    if (changed.length > this.#changed.length) heap.resize([[this.#changed, 2 * changed.length]]);
    this.#changed.array.set(changed);
    const job = this.#job.array;
    job[holds.CROSSINGS] = crossings.offset;
    job[holds.CROSSING_COUNT] = crossings.count;
    job[holds.HELD] = this.#heldColumn.offset;
    job[holds.HELD_COUNT] = this.#count;
    job[holds.NEXT_HELD] = this.#nextColumn.offset;
    job[holds.OUT] = this.#wordColumn.offset;
    job[holds.IS_DERIVED] = isDerived.offset;
    job[holds.INTERESTS] = now.interests.column?.offset ?? 0;
    job[holds.MARGINS] = this.#margins.offset;
    job[holds.PLACES] = this.#places.offset;
    job[holds.BLOCK] = this.#block.offset;
    job[holds.IS_ANY_GONE] = isAnyGone ? 1 : 0;
    job[holds.SLOT_COUNT] = slotCount;
    job[holds.BY_LANES] = this.#goesByLanes(crossings.count) ? 1 : 0;
    job[holds.CHANGED_SLOTS] = this.#changed.offset;
    job[holds.CHANGED_COUNT] = changed.length;
    writePerception(job, holds.STATE, this.#store, now);
    heap.kernels.passHolds(this.#job.offset);
    this.#nextCount = job[holds.NEXT_COUNT];
    this.#wordCount = job[holds.OUT_COUNT];
    this.lostWithWatcher = job[holds.LOST];
  }

  /** Slots of entities that may no longer meet entities that they met. */
  #changedSlots(): readonly number[] {
    // A change of group matters if some marker has an `onlyGroup` condition.
    const { onlyGroups } = this.#store.now;
    const bits = onlyGroups.column === undefined ? CHANGES : CHANGES | STANDING_CHANGED;
    return pendingWith(this.#store, bits);
  }

  /**
   * Whether the kernel tests four pairs at a time. It must copy all places side by side first, so it does not
   * pay off for a few pairs among many entities.
   */
  #goesByLanes(crossings: number): boolean {
    const { settings, slotCount } = this.#store;
    const isFlat = settings.dimensions === 2 && settings.rangeShape === 'circle';
    return isFlat && LANES_SHARE * (this.#count + crossings) >= slotCount;
  }

  /**
   * Reserves room for the lists, with what the kernel writes behind them: see kernels/layouts/pass-holds.ts.
   */
  #reserve(crossings: number, interests: number): void {
    const sizes: [Column, number][] = [];
    const nextWords = 2 * (this.#count + crossings) + holds.SPARE_WORDS;
    const words = nextWords + 4 * crossings;
    this.#listRoom.note(nextWords);
    this.#wordRoom.note(words);
    if (words > this.#wordColumn.length) sizes.push([this.#wordColumn, words + (words >> 1)]);
    if (nextWords > this.#nextColumn.length) {
      const grown = nextWords + (nextWords >> 1);
      sizes.push([this.#nextColumn, grown], [this.#heldColumn, grown]);
    }
    if (this.#block.length === 0) sizes.push([this.#block, holds.BLOCK_WORDS]);
    const places = this.#goesByLanes(crossings) ? holds.placeWordsFor(this.#store.capacity) : 0;
    if (places > this.#places.length) sizes.push([this.#places, places]);
    if (interests > this.#margins.length) sizes.push([this.#margins, interests]);
    this.#store.heap.resize(sizes);
  }
}

function eachOf(
  held: Uint32Array,
  count: number,
  watcher: number,
  visit: (marker: number, heldSenses: number, exact: number) => void,
): void {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (held[2 * middle + 1] >>> 10 < watcher) low = middle + 1;
    else high = middle;
  }
  for (let i = low; i < count && held[2 * i + 1] >>> 10 === watcher; i++) {
    visit(markerIn(held, i), (held[2 * i] >>> 8) & 255, held[2 * i] & 255);
  }
}

/** The senses in which a list holds a pair; 0 if the pair is not in it. */
function heldIn(held: Uint32Array, count: number, watcher: number, marker: number): number {
  let senses = 0;
  eachOf(held, count, watcher, (each, heldSenses) => {
    if (each === marker) senses = heldSenses;
  });
  return senses;
}
