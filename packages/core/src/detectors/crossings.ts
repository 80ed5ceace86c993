/**
 * The output of a detector: pairs whose perception may have changed since the last tick.
 *
 * A crossing is one 64-bit word, so that sorting the words gives the order of reports:
 *
 *   high word | watcher slot (22) | marker slot, upper 10 bits |
 *   low word  | marker slot, lower 12 | unverified (1) | free (1) | related without a sense after, before (2) |
 *             | senses after (8) | senses before (8) |
 *
 * A pair may be reported more than once and in parts: `before` and `after` of one pair are OR-ed together (an entity
 * that leaped is met twice, at its old position and at its new one). A pair marked unverified is decided again by the
 * definition, so a detector that reports too many pairs is slow, never wrong; one that misses a pair is wrong. Pairs
 * whose senses are equal before and after are dropped, and so is an entity with itself. Interest then rewrites the
 * crossings of watchers with rules: those say which pairs relate, by a sense or without one.
 *
 * Memory: 16 bytes a crossing, the second half for sorting. Cost: some 10 ns a crossing, and more if it is
 * unverified.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { perceivedSenses } from '../entities/perception.ts';
import type { Column, Heap } from '../kernels/heap.ts';
import { RELATED_AFTER, RELATED_BEFORE, UNVERIFIED } from '../kernels/layouts/crossing-bits.ts';
import { CrossingGroups } from './crossing-groups.ts';

export * from '../kernels/layouts/crossing-bits.ts';

const ALL_FLAGS = 255;
const FIRST_CAPACITY = 256;

/**
 * Collects the pairs that a detector finds; a detector needs only `candidate` and `crossing`. Grows by itself. Throws
 * `CAPACITY` where it cannot, and `WORKER_FAILED` where a worker thread has ended.
 */
export class Crossings {
  /** Number of crossings held. */
  count = 0;
  /** Room that a detector needed to work at all, though it may have found less: the most since memory was last looked at. */
  roomNeeded = 0;
  /** Number of relations that ended because their watcher was removed, which are not reported; set by `resolve`. */
  lostWithWatcher = 0;
  /** Flags (entities/entity-state.ts) that any of the watchers may have, combined by OR; all flags if unknown. */
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

  /** Number of crossings that fit without growing. */
  get capacity(): number {
    return this.#words.length >> 1;
  }

  /** Byte offset of the words in the heap, for kernels that append from `count` on. */
  get offset(): number {
    return this.#words.offset;
  }

  /** Low word at 2i, high word at 2i + 1. Read it again in each call: the heap may move. */
  get words(): Uint32Array {
    return this.#words.array;
  }

  /** Removes all pairs; keeps the room. */
  clear(): void {
    this.count = 0;
  }

  /** Makes room for `capacity` crossings in all. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return;
    const words = Math.max(capacity, Math.ceil(this.capacity * 1.5)) * 2;
    this.#heap.resizeAll([this.#words, this.#scratch], words);
  }

  /** Adds a pair that may have crossed; the definition decides whether and how. Arguments are slots. */
  candidate(watcher: number, marker: number): void {
    this.append((marker << 20) | UNVERIFIED, highWordOf(watcher, marker));
  }

  /**
   * Adds a pair that crossed, or a part of it: masks of the senses with which the watcher perceived the marker
   * before, and perceives it now. Slots.
   */
  crossing(watcher: number, marker: number, before: number, after: number): void {
    this.append((marker << 20) | before | (after << 8), highWordOf(watcher, marker));
  }

  /** Adds the words of a crossing of relation. */
  append(low: number, high: number): void {
    if (this.count === this.capacity) this.reserve(this.count + 1);
    const words = this.#words.array;
    words[2 * this.count] = low;
    words[2 * this.count + 1] = high;
    this.count++;
  }

  /** Slot of the watcher of pair i. */
  watcherAt(i: number): number {
    return this.#words.array[2 * i + 1] >>> 10;
  }

  /** Slot of the marker of pair i. */
  markerAt(i: number): number {
    return markerOf(this.#words.array[2 * i], this.#words.array[2 * i + 1]);
  }

  /** Mask of the senses that perceived the marker at the last tick. */
  beforeAt(i: number): number {
    return this.#words.array[2 * i] & 255;
  }

  /** Mask of the senses that perceive it now. */
  afterAt(i: number): number {
    return (this.#words.array[2 * i] >>> 8) & 255;
  }

  /** Whether the pair was related at the last tick. */
  wasRelated(i: number): boolean {
    return (this.#words.array[2 * i] & RELATED_BEFORE) !== 0;
  }

  /** Whether the pair is related now. */
  isRelated(i: number): boolean {
    return (this.#words.array[2 * i] & RELATED_AFTER) !== 0;
  }

  /** Index of a pair among sorted crossings, or -1. Slots. Cost: O(log). */
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

  /** Drops the crossings for which `isKept` returns false; the others stay in order. */
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

  /**
   * The first sorted crossing, from index `from` on, whose watcher is this one or a later one. Cost: O(log) of the
   * distance.
   */
  firstFrom(watcher: number, from: number): number {
    const words = this.#words.array;
    let low = from;
    let step = 1;
    while (low + step <= this.count && words[2 * (low + step) - 1] >>> 10 < watcher) {
      low += step;
      step *= 2;
    }
    // All crossings below `low` come before; the first match is fewer than `step` after it.
    let high = Math.min(low + step - 1, this.count);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (words[2 * middle + 1] >>> 10 < watcher) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Replaces the crossings by `count` others: words as above, sorted and resolved. `flags`: of their watchers,
   * combined by OR.
   */
  replace(words: Uint32Array, count: number, flags = ALL_FLAGS): void {
    this.reserve(count);
    this.#words.array.set(words.subarray(0, 2 * count));
    this.count = count;
    this.watcherFlags = flags;
  }

  /** Merges sorted words of pairs that it does not contain yet. `flags`: of their watchers, combined by OR. */
  merge(words: ArrayLike<number>, flags: number): void {
    const more = words.length >> 1;
    this.reserve(this.count + more);
    mergeWords(this.#words.array, this.count, Uint32Array.from(words));
    this.count += more;
    this.watcherFlags |= flags;
  }

  /**
   * Sorts by watcher, then marker; joins parts; decides unverified pairs; drops pairs without change and watchers
   * that were removed. Afterwards `count` crossings are left, one a pair, each with `before !== after`.
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

  /** Decides unverified pairs; parts are already joined. */
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
   * The sizes that suffice for an eighth more than `count` crossings, if that saves most of the memory; for `Heap.shrink`. With several
   * threads twice as many, because each has its part of the room and some find more than others. Resets `roomNeeded`.
   */
  sizesToTrim(count: number): [Column, number][] {
    const enough = this.#heap.crew.jobCount === 1 ? Math.ceil(count * 1.125) : 2 * count;
    const words = Math.max(enough, this.count, this.roomNeeded, FIRST_CAPACITY) * 2;
    this.roomNeeded = 0;
    return words * 2 > this.#words.length
      ? []
      : [
          [this.#words, words],
          [this.#scratch, words],
        ];
  }
}

/** Slot of the marker of a pair, from the words of its crossing. */
export function markerOf(low: number, high: number): number {
  return ((high & 1023) << 12) | (low >>> 20);
}

/** Slot of the marker of pair i in a list of words: low at 2i, high at 2i + 1. */
export function markerIn(words: Uint32Array, i: number): number {
  return markerOf(words[2 * i], words[2 * i + 1]);
}

/** The high word of a crossing. Slots. */
export function highWordOf(watcher: number, marker: number): number {
  return ((watcher << 10) | (marker >>> 12)) >>> 0;
}

const SLOTS = 2 ** 22;

/** A pair of slots as one number; the numbers sort in the order of reports. */
export function keyOf(watcher: number, marker: number): number {
  return watcher * SLOTS + marker;
}

/** The pair of slots of a key. */
export function pairOf(key: number): [watcher: number, marker: number] {
  return [Math.floor(key / SLOTS), key % SLOTS];
}

/** The key of pair i in a list of words. */
export function keyIn(words: Uint32Array, i: number): number {
  return keyOf(words[2 * i + 1] >>> 10, markerIn(words, i));
}

/**
 * Merges words of pairs into `count` others in `out`, which contains none of them and has room for both; all sorted.
 * Works from the end.
 */
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
