/**
 * The short way for the usual case: a watcher under its cap, with a margin perhaps, whose pairs all relate. What changes is
 * what crossed and what the margin holds no longer; the rest of its row is not even read.
 *
 * Such a row is *light*: every pair in it is seated and related. It stays so while the pairs that crossed would all fit
 * under the cap; anything else (a cap reached, a tie, another interest) takes the long way of seating.ts once.
 *
 *   row        | a | b | c | d | e |        crossings:  b lost, x new        held by margin: d
 *   edits             - b, + x before e     words:      b left or held on, x entered, d left when past the margin
 *
 * Edits and words are only written down here; `commit` carries the edits out, last one first, so that places stay true.
 * Cost: halving for each crossing, a test for each held pair, a scan of the states of rows that hold any.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { heldByMargin } from './margin.ts';
import { CANDIDATE, type PairRows, RELATED, SEATED } from './pair-rows.ts';

const f32 = Math.fround;

/** The flags that each pair of a light row has. */
export const LIGHT = SEATED | RELATED | CANDIDATE;
/** Bit of an edit's place: the pair is put in before it; else it is changed, or taken out when its state is 0. */
const INSERT = 0x8000_0000;

export class LightRows {
  /** Words of crossings, as in detectors/crossings.ts, ascending: low at 2i, high at 2i + 1. */
  words = new Uint32Array(512);
  wordCount = 0;
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  /** By slot: pairs of the row that only the margin holds. */
  held = new Uint16Array(0);
  #watchers = new Uint32Array(128);
  #ends = new Uint32Array(128);
  #watcherCount = 0;
  #places = new Uint32Array(256);
  #markers = new Uint32Array(256);
  #states = new Uint32Array(256);
  #editCount = 0;
  /** Whether reach is range, and everyone meets: the margin's test is then two lines. */
  #isSimple = false;

  constructor(store: EntityStore, pairs: PairRows) {
    this.#store = store;
    this.#pairs = pairs;
  }

  get memoryBytes(): number {
    return this.words.byteLength + this.held.byteLength + 3 * this.#places.byteLength;
  }

  growSlots(capacity: number): void {
    const held = new Uint16Array(capacity);
    held.set(this.held);
    this.held = held;
  }

  clear(): void {
    const { settings, now, hasFilters } = this.#store;
    this.wordCount = 0;
    this.#watcherCount = 0;
    this.#editCount = 0;
    this.#isSimple =
      !hasFilters &&
      settings.rangeShape === 'circle' &&
      now.gains.every(({ column }) => column === undefined) &&
      now.minReaches.every(({ column }) => column === undefined);
  }

  /**
   * Decides a light row from its resolved crossings `from` to `to` (words as above). Watchers come ascending. The caller
   * has made sure that the row and its crossings fit under the cap.
   */
  decide(watcher: number, crossings: Uint32Array, from: number, to: number, margin: number): void {
    this.#reserve(to - from + this.held[watcher]);
    const { marker, state, start, size } = this.#pairs;
    const end = start[watcher] + size[watcher];
    let i = start[watcher];
    let next = from;
    let crossed = next < to ? markerAt(crossings, next) : 0xffff_ffff;
    if (this.held[watcher] === 0) {
      for (; next < to; next++) {
        crossed = markerAt(crossings, next);
        let high = end;
        while (i < high) {
          const middle = (i + high) >>> 1;
          if (marker[middle] < crossed) i = middle + 1;
          else high = middle;
        }
        const isKnown = i < end && marker[i] === crossed;
        this.#change(watcher, crossed, i, isKnown ? state[i] : 0, (crossings[2 * next] >>> 8) & 255, margin);
      }
    } else {
      for (; i < end; i++) {
        const own = marker[i];
        while (crossed < own) {
          this.#change(watcher, crossed, i, 0, (crossings[2 * next] >>> 8) & 255, margin);
          crossed = ++next < to ? markerAt(crossings, next) : 0xffff_ffff;
        }
        const before = state[i];
        if (crossed === own) {
          this.#change(watcher, own, i, before, (crossings[2 * next] >>> 8) & 255, margin);
          crossed = ++next < to ? markerAt(crossings, next) : 0xffff_ffff;
        } else if ((before & 255) !== ((before >>> 8) & 255)) {
          this.#change(watcher, own, i, before, before & 255, margin);
        }
      }
      for (; next < to; next++) {
        this.#change(watcher, markerAt(crossings, next), end, 0, (crossings[2 * next] >>> 8) & 255, margin);
      }
    }
    this.#watchers[this.#watcherCount] = watcher;
    this.#ends[this.#watcherCount++] = this.#editCount;
  }

  /** Carries the edits out. `tick`: from which those that came count. */
  commit(tick: number): void {
    let edit = this.#editCount;
    for (let w = this.#watcherCount - 1; w >= 0; w--) {
      const first = w === 0 ? 0 : this.#ends[w - 1];
      if (first === edit) continue;
      this.#commitRow(this.#watchers[w], first, edit, tick);
      edit = first;
    }
  }

  /** Counts the pairs of a row that only the margin holds. */
  count(watcher: number): void {
    const { state, start, size } = this.#pairs;
    let held = 0;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      if ((state[i] & 255) !== ((state[i] >>> 8) & 255)) held++;
    }
    this.held[watcher] = held;
  }

  /** Notes what becomes of one pair: its edit, and its word where its senses change. */
  #change(
    watcher: number,
    marker: number,
    place: number,
    before: number,
    exact: number,
    margin: number,
  ): void {
    const sensesBefore = (before >>> 8) & 255;
    let senses = exact;
    const lost = sensesBefore & ~exact;
    if (lost !== 0 && margin > 0) {
      senses |= this.#isSimple
        ? this.#heldSimply(watcher, marker, lost, margin)
        : heldByMargin(this.#store.settings, this.#store.now, watcher, marker, lost, margin);
    }
    const after = senses === 0 ? 0 : exact | (senses << 8) | LIGHT;
    if (after === before) return;
    const e = this.#editCount++;
    this.#places[e] = before === 0 ? (place | INSERT) >>> 0 : place;
    this.#markers[e] = marker;
    this.#states[e] = after;
    if (senses === sensesBefore) return;
    this.words[2 * this.wordCount] = (marker << 20) | sensesBefore | (senses << 8);
    this.words[2 * this.wordCount++ + 1] = (watcher << 10) | (marker >>> 12);
  }

  /** As `heldByMargin` where reach is the range and everyone meets. A marker that is gone is held by nothing. */
  #heldSimply(watcher: number, marker: number, lost: number, margin: number): number {
    const { now, settings } = this.#store;
    if (now.flags[marker] === 0) return 0;
    const { x, y } = now;
    const dx = f32(x[marker] - x[watcher]);
    const dy = f32(y[marker] - y[watcher]);
    let squared = f32(f32(dx * dx) + f32(dy * dy));
    if (settings.dimensions === 3) {
      const dz = f32(now.z[marker] - now.z[watcher]);
      squared = f32(squared + f32(dz * dz));
    }
    let held = 0;
    for (let s = 0; s < settings.senseCount; s++) {
      if ((lost & (1 << s)) === 0) continue;
      const range = now.ranges[s].at(watcher);
      const reach = f32(range + margin);
      if (range > 0 && squared <= f32(reach * reach)) held |= 1 << s;
    }
    return held;
  }

  #commitRow(watcher: number, first: number, end: number, tick: number): void {
    const pairs = this.#pairs;
    let growth = 0;
    let held = this.held[watcher];
    for (let e = first; e < end; e++) {
      const place = this.#places[e];
      const after = this.#states[e];
      if (place >= INSERT) growth++;
      else {
        if (after === 0) growth--;
        const before = pairs.state[place];
        if ((before & 255) !== ((before >>> 8) & 255)) held--;
      }
      if ((after & 255) !== ((after >>> 8) & 255)) held++;
    }
    this.held[watcher] = held;
    const start = pairs.start[watcher];
    const size = pairs.size[watcher];
    // Places are those of the pool as it was: the row may move.
    const moved = pairs.makeRoom(watcher, size + Math.max(0, end - first)) - start;
    const { marker, state, since, reported } = pairs;
    let rowEnd = start + moved + size;
    for (let e = end - 1; e >= first; e--) {
      const isInsert = this.#places[e] >= INSERT;
      const at = (this.#places[e] & ~INSERT) + moved;
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
  #reserve(more: number): void {
    if (2 * (this.wordCount + more) > this.words.length) this.words = grown(this.words, more);
    if (this.#editCount + more > this.#places.length) {
      this.#places = grown(this.#places, more);
      this.#markers = grown(this.#markers, more);
      this.#states = grown(this.#states, more);
    }
    if (this.#watcherCount === this.#watchers.length) {
      this.#watchers = grown(this.#watchers, 1);
      this.#ends = grown(this.#ends, 1);
    }
  }
}

function markerAt(words: Uint32Array, i: number): number {
  return ((words[2 * i + 1] & 1023) << 12) | (words[2 * i] >>> 20);
}

function grown(column: Uint32Array, more: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * (column.length + more));
  longer.set(column);
  return longer;
}
