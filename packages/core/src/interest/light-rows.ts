/**
 * The short way for the usual case: a watcher under its cap, with a margin perhaps, whose pairs all relate. What changes is
 * what crossed and what the margin holds no longer; nothing else is looked at.
 *
 * A watcher is *light* when each pair it perceives, or its margin holds, is seated and related, and while those that
 * crossed would all fit under the cap; anything else (a cap reached, a tie, another interest) takes the long way of
 * seating.ts once. Where nothing depends on how long a seat is held or when it was told of (no dwell, memory or rates), a
 * light watcher has no row at all: what it relates to follows from the definition and from the list of held pairs.
 *
 *   row        | a | b | c | d | e |        crossings:  b lost, x new        held by margin: d
 *   edits             - b, + x before e     words:      b left or held on, x entered, d left when past the margin
 *
 * Edits and words are only written down here; `commit` carries the edits out, last one first, so that places stay true.
 * Pairs that a margin holds are listed apart, by watcher, and read in a stream. Memory: 10 bytes a held pair, and its twin
 * for the next tick. Cost: a few nanoseconds for each crossing and held pair; where there are rows, halving and a copy.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import type { ByteReader } from '../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../recording/bytes/byte-writer.ts';
import { heldByMargin } from './margin.ts';
import { CANDIDATE, type PairRows, RELATED, SEATED } from './pair-rows.ts';

const f32 = Math.fround;

/** The flags that each pair of a light row has. */
export const LIGHT = SEATED | RELATED | CANDIDATE;
const NOBODY = 0xffff_ffff;
/** The place of a pair of a watcher without a row. */
const NOWHERE = 0xffff_ffff;
/** Bit of an edit's place: the pair is put in before it; else it is changed, or taken out when its state is 0. */
const INSERT = 0x8000_0000;

export class LightRows {
  /** Words of crossings, as in detectors/crossings.ts, ascending: low at 2i, high at 2i + 1. */
  words = new Uint32Array(512);
  wordCount = 0;
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  /** By slot: pairs that only the margin holds. */
  held = new Uint32Array(0);
  /** By slot: 1 for a light watcher that has no row; and then how many it relates to. */
  isRowless = new Uint8Array(0);
  count = new Uint32Array(0);
  /** The pairs that only a margin holds, by watcher, then marker, with the senses it holds them in (low byte) and those that need no margin; and the next tick's. */
  #listWatchers = new Uint32Array(128);
  #listMarkers = new Uint32Array(128);
  #listSenses = new Uint16Array(128);
  #listCount = 0;
  #listed = 0;
  #nextWatchers = new Uint32Array(128);
  #nextMarkers = new Uint32Array(128);
  #nextSenses = new Uint16Array(128);
  #keptCount = 0;
  /** Those of the watcher at hand: a part of the list, or what its row was found to hold. */
  #heldMarkers = new Uint32Array(0);
  #heldSenses = new Uint16Array(0);
  #nextHeld = 0;
  #endHeld = 0;
  #foundMarkers = new Uint32Array(16);
  #foundSenses = new Uint16Array(16);
  #watchers = new Uint32Array(128);
  #ends = new Uint32Array(128);
  /** By watcher decided: how many more it relates to than before, and how many its margin holds. */
  #growths = new Int32Array(128);
  #heldAfter = new Uint32Array(128);
  #growth = 0;
  #watcherCount = 0;
  #places = new Uint32Array(256);
  #markers = new Uint32Array(256);
  #states = new Uint32Array(256);
  #editCount = 0;
  /** Whether reach is range, and everyone meets: the margin's test is then two lines on these columns. */
  #isSimple = false;
  #x: Float32Array = new Float32Array(0);
  #y: Float32Array = new Float32Array(0);
  #flags: Uint8Array = new Uint8Array(0);
  /** By sense; `undefined` for one in which nobody has a range. */
  #ranges: readonly (Float32Array | undefined)[] = [];

  constructor(store: EntityStore, pairs: PairRows) {
    this.#store = store;
    this.#pairs = pairs;
  }

  get memoryBytes(): number {
    return (
      this.words.byteLength +
      this.held.byteLength +
      3 * this.#places.byteLength +
      20 * this.#listMarkers.length +
      5 * this.isRowless.length
    );
  }

  growSlots(capacity: number): void {
    const [held, count, isRowless] = [this.held, this.count, this.isRowless];
    this.held = new Uint32Array(capacity);
    this.count = new Uint32Array(capacity);
    this.isRowless = new Uint8Array(capacity);
    this.held.set(held);
    this.count.set(count);
    this.isRowless.set(isRowless);
  }

  clear(): void {
    const { settings, now, hasFilters } = this.#store;
    this.wordCount = 0;
    this.#watcherCount = 0;
    this.#editCount = 0;
    this.#listed = 0;
    this.#keptCount = 0;
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

  /**
   * Decides a light row from its resolved crossings `from` to `to` (words as above). Watchers come ascending. The caller
   * has made sure that the row and its crossings fit under the cap.
   */
  decide(watcher: number, crossings: Uint32Array, from: number, to: number, margin: number): void {
    this.#reserve(watcher, to - from + this.held[watcher]);
    this.#findHeld(watcher);
    const { marker, start, size } = this.#pairs;
    const hasRow = this.isRowless[watcher] === 0;
    const end = start[watcher] + size[watcher];
    const begin = start[watcher];
    let place = begin;
    let next = from;
    let crossed = next < to ? markerAt(crossings, next) : NOBODY;
    const firstKept = this.#keptCount;
    this.#growth = 0;
    for (;;) {
      const held = this.#nextHeld < this.#endHeld ? this.#heldMarkers[this.#nextHeld] : NOBODY;
      if (held < crossed) {
        const senses = this.#heldSenses[this.#nextHeld++];
        if (this.#isSimple && this.#heldSimply(watcher, held, senses & 255, margin) === (senses & 255)) {
          this.#keepHeld(watcher, held, senses);
          continue;
        }
        if (hasRow) place = placeOf(marker, place, end, held);
        this.#change(
          watcher,
          held,
          hasRow ? place - begin : NOWHERE,
          senses >>> 8,
          senses,
          senses >>> 8,
          margin,
        );
      } else if (crossed !== NOBODY) {
        const lost = held === crossed ? this.#heldSenses[this.#nextHeld++] : 0;
        const low = crossings[2 * next];
        if (hasRow) place = placeOf(marker, place, end, crossed);
        this.#change(
          watcher,
          crossed,
          hasRow ? place - begin : NOWHERE,
          low & 255,
          lost,
          (low >>> 8) & 255,
          margin,
        );
        crossed = ++next < to ? markerAt(crossings, next) : NOBODY;
      } else break;
    }
    const w = this.#watcherCount++;
    this.#watchers[w] = watcher;
    this.#ends[w] = this.#editCount;
    this.#growths[w] = this.#growth;
    this.#heldAfter[w] = this.#keptCount - firstKept;
  }

  /** The senses in which only the margin holds a pair of a watcher without a row, as of the last tick. */
  heldSensesOf(watcher: number, marker: number): number {
    for (let i = this.#firstListed(watcher); i < this.#listCount && this.#listWatchers[i] === watcher; i++) {
      if (this.#listMarkers[i] === marker) return this.#listSenses[i] & 255;
    }
    return 0;
  }

  /** Visits the pairs of a watcher without a row that only the margin holds, as of the last tick, ascending. */
  eachHeld(watcher: number, visit: (marker: number, heldSenses: number, exact: number) => void): void {
    for (let i = this.#firstListed(watcher); i < this.#listCount && this.#listWatchers[i] === watcher; i++) {
      visit(this.#listMarkers[i], this.#listSenses[i] & 255, this.#listSenses[i] >>> 8);
    }
  }

  /** Visits the watchers without a row whose margin alone holds a marker, as of the last tick, ascending. O(held pairs). */
  eachHolder(marker: number, visit: (watcher: number) => void): void {
    for (let i = 0; i < this.#listCount; i++) {
      const isHolder = this.#listMarkers[i] === marker && this.#listSenses[i] >>> 8 === 0;
      if (isHolder && this.isRowless[this.#listWatchers[i]] === 1) visit(this.#listWatchers[i]);
    }
  }

  /** Whether the margin of a light watcher holds a marker in the tick under way. */
  isHeldNow(watcher: number, marker: number): boolean {
    for (let i = firstOf(this.#nextWatchers, this.#keptCount, watcher); i < this.#keptCount; i++) {
      if (this.#nextWatchers[i] !== watcher) return false;
      if (this.#nextMarkers[i] === marker) return true;
    }
    return false;
  }

  #firstListed(watcher: number): number {
    return firstOf(this.#listWatchers, this.#listCount, watcher);
  }

  /** Finds the pairs of a watcher that only the margin holds: in the list, or, where it has none there yet, in its row. */
  #findHeld(watcher: number): void {
    while (this.#listed < this.#listCount && this.#listWatchers[this.#listed] < watcher) this.#listed++;
    this.#heldMarkers = this.#listMarkers;
    this.#heldSenses = this.#listSenses;
    this.#nextHeld = this.#listed;
    while (this.#listed < this.#listCount && this.#listWatchers[this.#listed] === watcher) this.#listed++;
    this.#endHeld = this.#listed;
    if (this.#endHeld > this.#nextHeld || this.held[watcher] === 0) return;
    const { marker, state, start, size } = this.#pairs;
    this.#heldMarkers = this.#foundMarkers;
    this.#heldSenses = this.#foundSenses;
    this.#nextHeld = 0;
    this.#endHeld = 0;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const lost = (state[i] >>> 8) & ~state[i] & 255;
      if (lost === 0) continue;
      this.#foundMarkers[this.#endHeld] = marker[i];
      this.#foundSenses[this.#endHeld++] = lost | ((state[i] & 255) << 8);
    }
  }

  #keepHeld(watcher: number, marker: number, senses: number): void {
    this.#nextWatchers[this.#keptCount] = watcher;
    this.#nextMarkers[this.#keptCount] = marker;
    this.#nextSenses[this.#keptCount++] = senses;
  }

  /** Carries the edits out. `tick`: from which those that came count. */
  commit(tick: number): void {
    [this.#listWatchers, this.#nextWatchers] = [this.#nextWatchers, this.#listWatchers];
    [this.#listMarkers, this.#nextMarkers] = [this.#nextMarkers, this.#listMarkers];
    [this.#listSenses, this.#nextSenses] = [this.#nextSenses, this.#listSenses];
    this.#listCount = this.#keptCount;
    let edit = this.#editCount;
    for (let w = this.#watcherCount - 1; w >= 0; w--) {
      const watcher = this.#watchers[w];
      this.held[watcher] = this.#heldAfter[w];
      const first = w === 0 ? 0 : this.#ends[w - 1];
      if (this.isRowless[watcher] === 1) this.count[watcher] += this.#growths[w];
      else if (edit > first) this.#commitRow(watcher, first, edit, this.#growths[w], tick);
      edit = first;
    }
  }

  /** After a row was written the long way: counts what the margin holds. */
  countHeld(watcher: number): void {
    const { state, start, size } = this.#pairs;
    let held = 0;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      if ((state[i] & 255) !== ((state[i] >>> 8) & 255)) held++;
    }
    this.held[watcher] = held;
  }

  /** Gives up the row of a light watcher whose margin holds nobody. */
  giveUpRow(watcher: number): void {
    this.count[watcher] = this.#pairs.size[watcher];
    this.isRowless[watcher] = 1;
    this.#pairs.drop(watcher);
  }

  /** Forgets all of a watcher that is light no more. */
  forget(watcher: number): void {
    this.held[watcher] = 0;
    this.count[watcher] = 0;
    this.isRowless[watcher] = 0;
  }

  /** Which of these watchers have no row, how many they relate to, and all held pairs. */
  save(writer: ByteWriter, watchers: Uint32Array): void {
    const rowless = watchers.filter((watcher) => this.isRowless[watcher] === 1);
    writer.column(rowless);
    writer.elements(rowless.map((watcher) => this.count[watcher]));
    writer.column(this.#listWatchers.subarray(0, this.#listCount));
    writer.elements(this.#listMarkers.subarray(0, this.#listCount));
    writer.elements(this.#listSenses.subarray(0, this.#listCount));
  }

  /** Into rows that were never used but have room for slots; those of the watchers were loaded. */
  load(reader: ByteReader, watchers: Uint32Array, isRuled: Uint8Array): void {
    const { slotCount } = this.#store;
    const rowless = reader.column('u32');
    const counts = reader.elements('u32', rowless.length);
    rowless.forEach((watcher, i) => {
      const isOne = watcher < slotCount && isRuled[watcher] === 1 && this.#pairs.size[watcher] === 0;
      reader.check(isOne && counts[i] < slotCount, 'a watcher without a row');
      this.isRowless[watcher] = 1;
      this.count[watcher] = counts[i];
    });
    this.#listWatchers = reader.column('u32');
    this.#listCount = this.#listWatchers.length;
    this.#listMarkers = reader.elements('u32', this.#listCount);
    this.#listSenses = reader.elements('u16', this.#listCount);
    for (const watcher of watchers) if (this.isRowless[watcher] === 0) this.countHeld(watcher);
    for (let i = 0; i < this.#listCount; i++) {
      const [watcher, marker] = [this.#listWatchers[i], this.#listMarkers[i]];
      const isAfter = i === 0 || watcher > this.#listWatchers[i - 1];
      const isNext = isAfter || (watcher === this.#listWatchers[i - 1] && marker > this.#listMarkers[i - 1]);
      if (!isNext || watcher >= slotCount || marker >= slotCount) throw reader.fault('pairs that are held');
      if (this.isRowless[watcher] === 1) this.held[watcher]++;
    }
  }

  /**
   * Notes what becomes of one pair: its edit, and its word where its senses change. `exactBefore` and `exact`: senses
   * without margin, before and now; `heldBefore`: in its low byte those that the margin held. `place`: from the row's
   * beginning, since the row may move before it is committed; or NOWHERE.
   */
  #change(
    watcher: number,
    marker: number,
    place: number,
    exactBefore: number,
    heldBefore: number,
    exact: number,
    margin: number,
  ): void {
    const sensesBefore = exactBefore | (heldBefore & 255);
    let senses = exact;
    const lost = sensesBefore & ~exact;
    if (lost !== 0 && margin > 0) {
      senses |= this.#isSimple
        ? this.#heldSimply(watcher, marker, lost, margin)
        : heldByMargin(this.#store.settings, this.#store.now, watcher, marker, lost, margin);
    }
    if (senses !== exact) this.#keepHeld(watcher, marker, (senses & ~exact) | (exact << 8));
    if (sensesBefore === 0) this.#growth++;
    else if (senses === 0) this.#growth--;
    if (place !== NOWHERE) {
      const e = this.#editCount++;
      this.#places[e] = sensesBefore === 0 ? (place | INSERT) >>> 0 : place;
      this.#markers[e] = marker;
      this.#states[e] = senses === 0 ? 0 : exact | (senses << 8) | LIGHT;
    }
    if (senses === sensesBefore) return;
    this.words[2 * this.wordCount] = (marker << 20) | sensesBefore | (senses << 8);
    this.words[2 * this.wordCount++ + 1] = (watcher << 10) | (marker >>> 12);
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

  #commitRow(watcher: number, first: number, end: number, growth: number, tick: number): void {
    const pairs = this.#pairs;
    const size = pairs.size[watcher];
    const start = pairs.makeRoom(watcher, size + Math.max(0, end - first));
    const { marker, state, since, reported } = pairs;
    let rowEnd = start + size;
    for (let e = end - 1; e >= first; e--) {
      const isInsert = this.#places[e] >= INSERT;
      const at = start + (this.#places[e] & ~INSERT);
      if (!isInsert && this.#states[e] !== 0) {
        state[at] = this.#states[e];
        continue;
      }
      if (isInsert) {
        for (let i = rowEnd; i > at; i--) {
          marker[i] = marker[i - 1];
          state[i] = state[i - 1];
          since[i] = since[i - 1];
          reported[i] = reported[i - 1];
        }
        marker[at] = this.#markers[e];
        state[at] = this.#states[e];
        since[at] = tick;
        reported[at] = tick;
        rowEnd++;
      } else {
        rowEnd--;
        for (let i = at; i < rowEnd; i++) {
          marker[i] = marker[i + 1];
          state[i] = state[i + 1];
          since[i] = since[i + 1];
          reported[i] = reported[i + 1];
        }
      }
    }
    pairs.size[watcher] = size + growth;
  }

  /** Room for so many more words and edits, and one more watcher. */
  #reserve(watcher: number, more: number): void {
    if (this.#foundMarkers.length < this.held[watcher]) {
      this.#foundMarkers = new Uint32Array(2 * this.held[watcher]);
      this.#foundSenses = new Uint16Array(2 * this.held[watcher]);
    }
    if (this.#keptCount + more > this.#nextMarkers.length) {
      this.#nextWatchers = grown(this.#nextWatchers, more);
      this.#nextMarkers = grown(this.#nextMarkers, more);
      const senses = new Uint16Array(this.#nextMarkers.length);
      senses.set(this.#nextSenses);
      this.#nextSenses = senses;
    }
    if (2 * (this.wordCount + more) > this.words.length) this.words = grown(this.words, more);
    if (this.#editCount + more > this.#places.length) {
      this.#places = grown(this.#places, more);
      this.#markers = grown(this.#markers, more);
      this.#states = grown(this.#states, more);
    }
    if (this.#watcherCount === this.#watchers.length) {
      this.#watchers = grown(this.#watchers, 1);
      this.#ends = grown(this.#ends, 1);
      this.#heldAfter = grown(this.#heldAfter, 1);
      this.#growths = new Int32Array(grown(new Uint32Array(this.#growths.buffer), 1).buffer);
    }
  }
}

/** The first index below `count` whose watcher is `wanted` or later. */
function firstOf(watchers: Uint32Array, count: number, wanted: number): number {
  return placeOf(watchers, 0, count, wanted);
}

/** The first place from `low` on whose marker is not below `wanted`. */
function placeOf(markers: Uint32Array, low: number, end: number, wanted: number): number {
  let from = low;
  let to = end;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (markers[middle] < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

function markerAt(words: Uint32Array, i: number): number {
  return ((words[2 * i + 1] & 1023) << 12) | (words[2 * i] >>> 20);
}

function grown(column: Uint32Array, more: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * (column.length + more));
  longer.set(column);
  return longer;
}
