/**
 * What a detector reports: pairs whose perception may have changed since the last tick.
 *
 * A crossing is one 64-bit word, so that a plain sort of words puts crossings in the order of reports:
 *
 *   high word | watcher slot (22) | marker slot, upper 10 bits |
 *   low word  | marker slot, lower 12 | unverified (1) | free (1) | related without a sense after, before (2) |
 *             | senses after (8) | senses before (8) |
 *
 * A pair may be reported more than once and in parts: `before` and `after` of one pair are OR-ed together (an entity
 * that leaped is met twice, once where it was and once where it is). A pair marked unverified is decided afresh from
 * the definition, so a detector that finds too many pairs is slow, never wrong; one that misses a pair is wrong.
 * Pairs whose senses turn out equal before and after are dropped, as are an entity and itself. Interest then rewrites the
 * crossings of watchers that have rules: theirs tell who relates, by a sense or without one.
 *
 * Memory: 16 bytes a crossing, the second half for sorting. Cost: some 10 ns a crossing, and more where it is unverified.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { perceivedSenses } from '../entities/perception.ts';
import type { Column, Heap } from '../kernels/heap.ts';
import { RELATED_AFTER, RELATED_BEFORE, UNVERIFIED } from '../kernels/layouts/crossing-bits.ts';
import { CrossingGroups } from './crossing-groups.ts';

export * from '../kernels/layouts/crossing-bits.ts';

const ALL_FLAGS = 255;
const FIRST_CAPACITY = 256;

/** Where a detector puts the pairs that it found; `candidate` and `crossing` are what one needs. Grows by itself. */
export class Crossings {
  /** Crossings held. */
  count = 0;
  /** Relations that ended with their watcher, of which nobody is told; counted by `resolve`. */
  lostWithWatcher = 0;
  /** Flags (entities/entity-state.ts) that any of the watchers may have, by OR; all of them where that is not known. */
  watcherFlags = ALL_FLAGS;
  readonly #heap: Heap;
  readonly #words: Column<'u32'>;
  readonly #scratch: Column<'u32'>;
  readonly #groups: CrossingGroups;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#words = heap.column('u32', FIRST_CAPACITY * 2, () => 2 * this.count);
    this.#scratch = heap.column('u32', FIRST_CAPACITY * 2, () => 0);
    this.#groups = new CrossingGroups(heap);
  }

  /** Crossings that fit without growing. */
  get capacity(): number {
    return this.#words.length >> 1;
  }

  /** Where the words lie in the heap, for kernels that append from `count` on. */
  get offset(): number {
    return this.#words.offset;
  }

  /** Low word at 2i, high word at 2i + 1. Read afresh in each call: the heap may move. */
  get words(): Uint32Array {
    return this.#words.array;
  }

  /** Takes all pairs out; keeps the room. */
  clear(): void {
    this.count = 0;
  }

  /** Makes room for `capacity` crossings in all. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return;
    const words = Math.max(capacity, Math.ceil(this.capacity * 1.5)) * 2;
    this.#heap.resizeAll([this.#words, this.#scratch], words);
  }

  /** A pair that may have crossed; whether and how is decided from the definition. Slots. */
  candidate(watcher: number, marker: number): void {
    this.#append(watcher, marker, UNVERIFIED);
  }

  /** A pair that crossed, or a part of it: the senses in which the one perceived the other, and does now. Slots. */
  crossing(watcher: number, marker: number, before: number, after: number): void {
    this.#append(watcher, marker, before | (after << 8));
  }

  /** Slot of the watcher of pair i. */
  watcherAt(i: number): number {
    return this.#words.array[2 * i + 1] >>> 10;
  }

  /** Slot of the marker of pair i. */
  markerAt(i: number): number {
    return markerOf(this.#words.array[2 * i], this.#words.array[2 * i + 1]);
  }

  /** Mask of the senses that perceived it at the last tick. */
  beforeAt(i: number): number {
    return this.#words.array[2 * i] & 255;
  }

  /** Mask of the senses that perceive it now. */
  afterAt(i: number): number {
    return (this.#words.array[2 * i] >>> 8) & 255;
  }

  /** Whether any sense did. */
  wasRelated(i: number): boolean {
    return (this.#words.array[2 * i] & RELATED_BEFORE) !== 0;
  }

  /** Whether any sense does. */
  isRelated(i: number): boolean {
    return (this.#words.array[2 * i] & RELATED_AFTER) !== 0;
  }

  /** The place of a pair among sorted crossings, or -1. Slots. Cost: O(log). */
  find(watcher: number, marker: number): number {
    const words = this.#words.array;
    const high = highWordOf(watcher, marker);
    const part = marker & 4095;
    let low = 0;
    let end = this.count;
    while (low < end) {
      const middle = (low + end) >>> 1;
      const other = words[2 * middle + 1];
      if (other < high || (other === high && words[2 * middle] >>> 20 < part)) low = middle + 1;
      else end = middle;
    }
    const isFound = low < this.count && words[2 * low + 1] === high && words[2 * low] >>> 20 === part;
    return isFound ? low : -1;
  }

  /** Lets go of those of which it is not said that they are kept; the others stay in order. */
  keep(isKept: (i: number) => boolean): void {
    const words = this.#words.array;
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      if (!isKept(i)) continue;
      words[2 * kept] = words[2 * i];
      words[2 * kept++ + 1] = words[2 * i + 1];
    }
    this.count = kept;
  }

  /** The first of the sorted crossings, from one on, whose watcher is this one or a later one. Cost: O(log) of how far it is. */
  firstFrom(watcher: number, from: number): number {
    const words = this.#words.array;
    let low = from;
    let step = 1;
    while (low + step <= this.count && words[2 * (low + step) - 1] >>> 10 < watcher) {
      low += step;
      step *= 2;
    }
    // Below `low` all come before; whoever is first lies fewer than `step` behind it.
    let high = Math.min(low + step - 1, this.count);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (words[2 * middle + 1] >>> 10 < watcher) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Takes `count` crossings in place of those held: words as above, sorted, resolved. `flags`: of their watchers, by OR. */
  replace(words: Uint32Array, count: number, flags = ALL_FLAGS): void {
    this.reserve(count);
    this.#words.array.set(words.subarray(0, 2 * count));
    this.count = count;
    this.watcherFlags = flags;
  }

  /** Puts words of pairs of which it holds none among its own, both in order. `flags`: of their watchers, by OR. */
  merge(words: readonly number[], flags: number): void {
    const more = words.length >> 1;
    this.reserve(this.count + more);
    mergeWords(this.#words.array, this.count, Uint32Array.from(words));
    this.count += more;
    this.watcherFlags |= flags;
  }

  /**
   * Sorts by watcher, then marker; joins parts; decides what is unverified; drops what is no change and watchers that
   * are gone. Afterwards `count` crossings are left, one a pair, each with `before !== after`.
   */
  resolve(store: EntityStore): void {
    this.lostWithWatcher = 0;
    this.watcherFlags = 0;
    if (this.count === 0) return;
    const resolved = this.#groups.resolve(this.#words, this.#scratch, this.count, store);
    this.count = resolved.kept;
    this.lostWithWatcher = resolved.lost;
    this.watcherFlags = resolved.flags;
    if (resolved.unverified > 0) this.#verify(store);
  }

  /** Decides what is unverified; parts are joined. */
  #verify({ now, last, settings }: EntityStore): void {
    this.watcherFlags = ALL_FLAGS;
    const words = this.#words.array;
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      let low = words[2 * i];
      const high = words[2 * i + 1];
      if ((low & UNVERIFIED) !== 0) {
        const watcher = high >>> 10;
        const marker = markerOf(low, high);
        const before = perceivedSenses(settings, last, watcher, marker);
        const after = perceivedSenses(settings, now, watcher, marker);
        if (before === after) continue;
        if (!now.isPresent(watcher)) {
          this.lostWithWatcher++;
          continue;
        }
        low = (marker << 20) | before | (after << 8);
      }
      words[2 * kept] = low;
      words[2 * kept + 1] = high;
      kept++;
    }
    this.count = kept;
  }

  /**
   * The sizes that would suffice for an eighth more than `count` crossings, when that saves most of the memory; for
   * `Heap.resize`. Twice as many where threads have a part of the room each, of which one may find more than another.
   */
  sizesToTrim(count: number): [Column, number][] {
    const enough = this.#heap.crew.jobCount === 1 ? Math.ceil(count * 1.125) : 2 * count;
    const words = Math.max(enough, this.count, FIRST_CAPACITY) * 2;
    return words * 2 > this.#words.length
      ? []
      : [
          [this.#words, words],
          [this.#scratch, words],
        ];
  }

  #append(watcher: number, marker: number, payload: number): void {
    if (this.count === this.capacity) this.reserve(this.count + 1);
    const words = this.#words.array;
    words[2 * this.count] = (marker << 20) | payload;
    words[2 * this.count + 1] = highWordOf(watcher, marker);
    this.count++;
  }
}

/** Slot of the marker of a pair, by the words of its crossing. */
export function markerOf(low: number, high: number): number {
  return ((high & 1023) << 12) | (low >>> 20);
}

/** Slot of the marker of pair i of a list of words: low at 2i, high at 2i + 1. */
export function markerIn(words: Uint32Array, i: number): number {
  return markerOf(words[2 * i], words[2 * i + 1]);
}

/** The high word of a crossing. Slots. */
export function highWordOf(watcher: number, marker: number): number {
  return ((watcher << 10) | (marker >>> 12)) >>> 0;
}

const SLOTS = 2 ** 22;

/** A pair of slots as one number, by which pairs sort as reports do. */
export function keyOf(watcher: number, marker: number): number {
  return watcher * SLOTS + marker;
}

/** The pair of two slots that a key stands for. */
export function pairOf(key: number): [watcher: number, marker: number] {
  return [Math.floor(key / SLOTS), key % SLOTS];
}

/** The key of pair i of a list of words. */
export function keyIn(words: Uint32Array, i: number): number {
  return keyOf(words[2 * i + 1] >>> 10, markerIn(words, i));
}

/** Puts the words of pairs among `count` others in `out`, which has none of them and room for both; all in order. From behind. */
export function mergeWords(out: Uint32Array, count: number, words: Uint32Array): void {
  let own = 2 * count - 2;
  let next = words.length - 2;
  for (let to = own + words.length; next >= 0; to -= 2) {
    const isLater = own < 0 || isAfter(words[next + 1], words[next], out[own + 1], out[own]);
    out[to] = isLater ? words[next] : out[own];
    out[to + 1] = isLater ? words[next + 1] : out[own + 1];
    if (isLater) next -= 2;
    else own -= 2;
  }
}

/** Whether one pair comes after another, by their words. */
function isAfter(high: number, low: number, otherHigh: number, otherLow: number): boolean {
  return high === otherHigh ? low >>> 20 > otherLow >>> 20 : high > otherHigh;
}
