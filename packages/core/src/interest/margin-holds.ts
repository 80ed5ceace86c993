/**
 * What a leave margin holds, for watchers that need no row: the list of pairs that are perceived no more in some sense, and
 * stay related in it by the margin alone.
 *
 * Such a watcher is *easy*: it relates to whatever it perceives, has a margin or a cap that is not reached, and no rule
 * that asks how long a seat is held or when it was told of. Who it relates to follows from the definition and this list.
 * A tick reads crossings and list side by side, both in the order of reports, and writes both anew:
 *
 *   crossings   | w1 m4 lost | w1 m9 new |            | w7 m2 lost |
 *   held        |                        | w3 m5      | w7 m2      |       m5 is past the margin now, m4 is within it
 *   crossings'               | w1 m9 new | w3 m5 lost |            |
 *   held'       | w1 m4      |                        | w7 m2      |
 *
 * A held pair is two words, as a crossing is: the low one has the senses without margin in its lowest byte and those that
 * only the margin holds in the next. Memory: 16 bytes a held pair. Cost: some 10 ns a held pair.
 */
import type { Crossings } from '../detectors/crossings.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { ByteReader } from '../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../recording/bytes/byte-writer.ts';
import { heldByMargin } from './margin.ts';

const f32 = Math.fround;
/** The part of the low word that belongs to the marker. */
const MARKER_BITS = 0xfff0_0000;

/** The leave margins of watchers, world units. */
export class Margins {
  readonly #byInterest: Float32Array;
  readonly #interests: Uint16Array | undefined;

  /** `interests`: by slot, the number of each one's; `undefined` while all have the first. */
  constructor(byInterest: Float32Array, interests: Uint16Array | undefined) {
    this.#byInterest = byInterest;
    this.#interests = interests;
  }

  of(watcher: number): number {
    return this.#byInterest[this.#interests === undefined ? 0 : this.#interests[watcher]];
  }
}

export class MarginHolds {
  /** Relations that ended in this tick with their watcher, of which nobody is told. */
  lostWithWatcher = 0;
  readonly #store: EntityStore;
  /** As of the last tick. */
  #held = new Uint32Array(256);
  #count = 0;
  /** As of the tick under way. */
  #next = new Uint32Array(256);
  #nextCount = 0;
  #words = new Uint32Array(512);
  #wordCount = 0;
  /** Whether reach is range, and everyone meets: the margin's test is then two lines on these columns. */
  #isSimple = false;
  #x: Float32Array = new Float32Array(0);
  #y: Float32Array = new Float32Array(0);
  #flags: Uint8Array = new Uint8Array(0);
  /** By sense; `undefined` for one in which nobody has a range. */
  #ranges: readonly (Float32Array | undefined)[] = [];

  constructor(store: EntityStore) {
    this.#store = store;
  }

  get memoryBytes(): number {
    return this.#held.byteLength + this.#next.byteLength + this.#words.byteLength;
  }

  /** Whether no margin held anyone as of the last tick. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /**
   * Rewrites the crossings of easy watchers from perception to relation. Nothing is changed until
   * `commit`.
   */
  pass(crossings: Crossings, isEasy: Uint8Array, margins: Margins): void {
    this.#begin();
    if (crossings.count === 0 && this.#count === 0) return;
    const { words, count } = crossings;
    const held = this.#held;
    const heldCount = this.#count;
    this.#reserve(count + heldCount);
    let h = 0;
    for (let c = 0; c < count; c++) {
      const low = words[2 * c];
      const high = words[2 * c + 1];
      h = this.#passHeld(h, heldCount, high, low >>> 20, isEasy, margins);
      const isHeld = h < heldCount && held[2 * h + 1] === high && held[2 * h] >>> 20 === low >>> 20;
      const heldLow = isHeld ? held[2 * h++] : 0;
      const watcher = high >>> 10;
      if (isEasy[watcher] === 0) this.#write(low, high);
      else if (this.#flags[watcher] === 0) this.lostWithWatcher += (low & 255) === 0 ? 1 : 0;
      else this.#decide(low, high, heldLow, (low >>> 8) & 255, margins.of(watcher));
    }
    this.#passHeld(h, heldCount, 0xffff_ffff, 0, isEasy, margins);
    crossings.replace(this.#words, this.#wordCount);
  }

  /** Makes what was decided so. */
  commit(): void {
    [this.#held, this.#next] = [this.#next, this.#held];
    this.#count = this.#nextCount;
  }

  /** The senses in which only the margin holds a pair of an easy watcher, as of the last tick. Slots. */
  heldSensesOf(watcher: number, marker: number): number {
    let senses = 0;
    this.eachHeld(watcher, (each, held) => {
      if (each === marker) senses = held;
    });
    return senses;
  }

  /** Visits the pairs of a watcher that the margin holds, as of the last tick, by ascending marker. */
  eachHeld(watcher: number, visit: (marker: number, heldSenses: number, exact: number) => void): void {
    eachOf(this.#held, this.#count, watcher, visit);
  }

  /** Visits the watchers whose margin alone relates them to a marker, as of the last tick. Cost: O(held pairs). */
  eachHolder(marker: number, visit: (watcher: number) => void): void {
    for (let i = 0; i < this.#count; i++) {
      const isAlone = (this.#held[2 * i] & 255) === 0;
      if (isAlone && markerAt(this.#held, i) === marker) visit(this.#held[2 * i + 1] >>> 10);
    }
  }

  /** Whether a margin holds the pair in the tick under way. */
  isHeldNow(watcher: number, marker: number): boolean {
    let isHeld = false;
    eachOf(this.#next, this.#nextCount, watcher, (each) => {
      if (each === marker) isHeld = true;
    });
    return isHeld;
  }

  save(writer: ByteWriter): void {
    writer.column(this.#held.subarray(0, 2 * this.#count));
  }

  /** Into a list that was never used. */
  load(reader: ByteReader, isEasy: Uint8Array): void {
    const { slotCount } = this.#store;
    this.#held = reader.column('u32');
    this.#count = this.#held.length >> 1;
    reader.check(this.#held.length % 2 === 0, 'pairs of words');
    for (let i = 0; i < this.#count; i++) {
      const isNext = i === 0 || compare(this.#held, i - 1, this.#held, i) < 0;
      const isKnown = markerAt(this.#held, i) < slotCount && isEasy[this.#held[2 * i + 1] >>> 10] === 1;
      if (!isNext || !isKnown) throw reader.fault('pairs that a margin holds, ascending');
    }
  }

  #begin(): void {
    const { settings, now, hasFilters } = this.#store;
    this.lostWithWatcher = 0;
    this.#nextCount = 0;
    this.#wordCount = 0;
    this.#x = now.x;
    this.#y = now.y;
    this.#flags = now.flags;
    this.#ranges = now.ranges.map(({ column }) => column?.array);
    this.#isSimple =
      !hasFilters &&
      settings.dimensions === 2 &&
      settings.rangeShape === 'circle' &&
      now.gains.every(({ column }) => column === undefined) &&
      now.minReaches.every(({ column }) => column === undefined);
  }

  /** Decides the held pairs before a crossing, from `h` on, that did not cross. Answers where the next one is. */
  #passHeld(
    from: number,
    heldCount: number,
    untilHigh: number,
    untilMarker: number,
    isEasy: Uint8Array,
    margins: Margins,
  ): number {
    const held = this.#held;
    let h = from;
    for (; h < heldCount; h++) {
      const high = held[2 * h + 1];
      const low = held[2 * h];
      if (high > untilHigh || (high === untilHigh && low >>> 20 >= untilMarker)) break;
      const watcher = high >>> 10;
      // One that has a row again brought its held pairs along there.
      if (isEasy[watcher] === 0) continue;
      if (this.#flags[watcher] === 0) {
        if ((low & 255) === 0) this.lostWithWatcher++;
        continue;
      }
      const margin = margins.of(watcher);
      const senses = (low >>> 8) & 255;
      const marker = ((high & 1023) << 12) | (low >>> 20);
      if (this.#isSimple && this.#heldSimply(watcher, marker, senses, margin) === senses) {
        this.#next[2 * this.#nextCount] = low;
        this.#next[2 * this.#nextCount++ + 1] = high;
      } else this.#decide(low & (MARKER_BITS | 255), high, low, low & 255, margin);
    }
    return h;
  }

  /** Decides one pair. `low`: senses before without margin in its lowest byte; `exact`: those now. */
  #decide(low: number, high: number, heldLow: number, exact: number, margin: number): void {
    const before = (low & 255) | ((heldLow >>> 8) & 255);
    const lost = before & ~exact;
    let held = 0;
    if (lost !== 0 && margin > 0) {
      const watcher = high >>> 10;
      const marker = ((high & 1023) << 12) | (low >>> 20);
      held = this.#isSimple
        ? this.#heldSimply(watcher, marker, lost, margin)
        : heldByMargin(this.#store.settings, this.#store.now, watcher, marker, lost, margin);
    }
    const markerBits = low & MARKER_BITS;
    if (held !== 0) {
      this.#next[2 * this.#nextCount] = markerBits | exact | (held << 8);
      this.#next[2 * this.#nextCount++ + 1] = high;
    }
    const after = exact | held;
    if (after !== before) this.#write(markerBits | before | (after << 8), high);
  }

  /** As `heldByMargin` where reach is the range and everyone meets. A marker that is gone is held by nothing. */
  #heldSimply(watcher: number, marker: number, lost: number, margin: number): number {
    if (this.#flags[marker] === 0) return 0;
    const dx = f32(this.#x[marker] - this.#x[watcher]);
    const dy = f32(this.#y[marker] - this.#y[watcher]);
    const squared = f32(f32(dx * dx) + f32(dy * dy));
    let held = 0;
    for (let s = 0; lost >>> s !== 0; s++) {
      if ((lost & (1 << s)) === 0) continue;
      const range = this.#ranges[s]?.[watcher] ?? 0;
      const reach = f32(range + margin);
      if (range > 0 && squared <= f32(reach * reach)) held |= 1 << s;
    }
    return held;
  }

  #write(low: number, high: number): void {
    this.#words[2 * this.#wordCount] = low;
    this.#words[2 * this.#wordCount++ + 1] = high;
  }

  #reserve(pairs: number): void {
    if (2 * pairs > this.#words.length) this.#words = new Uint32Array(3 * pairs);
    if (2 * pairs > this.#next.length) this.#next = new Uint32Array(3 * pairs);
  }
}

/** Below 0 when pair `i` of the one comes before pair `j` of the other, 0 when they are the same pair. */
function compare(one: Uint32Array, i: number, other: Uint32Array, j: number): number {
  const high = one[2 * i + 1] - other[2 * j + 1];
  return high !== 0 ? high : (one[2 * i] >>> 20) - (other[2 * j] >>> 20);
}

function markerAt(words: Uint32Array, i: number): number {
  return ((words[2 * i + 1] & 1023) << 12) | (words[2 * i] >>> 20);
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
    visit(markerAt(held, i), (held[2 * i] >>> 8) & 255, held[2 * i] & 255);
  }
}
