/**
 * The short way for a watcher with a row: one under its cap whose pairs all relate. What changes is what crossed and what
 * the margin holds no longer; the rest stays.
 *
 * Such a row is *light*: each pair in it is seated and related, and it stays so while the pairs that crossed would all fit
 * under the cap. Anything else (a cap reached, a tie, another interest) takes the long way of row-decider.ts once. Where
 * nothing depends on how long a seat is held or when it was told of, there is no row at all; see margin-holds.ts.
 *
 *   row        | a | b | c | d | e |        crossings:  b lost, x new        held by margin: d
 *   edits             - b, + x before e     words:      b left or held on, x entered, d left when past the margin
 *
 * Edits and words are only written down here; `commit` carries the edits out, last one first, so that places stay true.
 * Cost: halving for each crossing and a copy of what follows it; a scan of rows in which a margin holds anyone.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { heldByMargin } from './margin.ts';
import { OVERRIDES } from './overrides/override-rows.ts';
import { CANDIDATE, exactOf, type PairRows, RELATED, SEATED, sensesOf } from './pair-rows.ts';
import { ScratchRoom, shortened } from './scratch-room.ts';

/** The flags that each pair of a light row has. */
export const LIGHT = SEATED | RELATED | CANDIDATE;
const NOBODY = 0xffff_ffff;
/** Bit of an edit's place: the pair is put in before it; else it is changed, or taken out when its state is 0. */
const INSERT = 0x8000_0000;

export class LightRows {
  /** Words of crossings, as in detectors/crossings.ts, ascending: low at 2i, high at 2i + 1. */
  words: Uint32Array<ArrayBuffer> = new Uint32Array(512);
  wordCount = 0;
  /** Watchers decided since `clear`, and how many of them. */
  watchers = new Uint32Array(128);
  watcherCount = 0;
  /** By slot: pairs that only the margin holds. */
  held = new Uint32Array(0);
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  /** By watcher decided: where its edits end. */
  #ends = new Uint32Array(128);
  /** From the row's beginning, since a row may move before it is committed. */
  #places = new Uint32Array(256);
  #markers = new Uint32Array(256);
  #states = new Uint32Array(256);
  #editCount = 0;
  readonly #wordRoom = new ScratchRoom(256);
  readonly #editRoom = new ScratchRoom(256);

  constructor(store: EntityStore, pairs: PairRows) {
    this.#store = store;
    this.#pairs = pairs;
  }

  get memoryBytes(): number {
    return this.words.byteLength + this.held.byteLength + 3 * this.#places.byteLength;
  }

  growSlots(capacity: number): void {
    const held = new Uint32Array(capacity);
    held.set(this.held);
    this.held = held;
  }

  /** Gives back what recent ticks had no use for. What was decided is lost. */
  trim(): void {
    this.clear();
    this.words = shortened(this.words, 2 * this.#wordRoom.look(this.words.length >> 1));
    const edits = this.#editRoom.look(this.#places.length);
    this.#places = shortened(this.#places, edits);
    this.#markers = shortened(this.#markers, edits);
    this.#states = shortened(this.#states, edits);
  }

  clear(): void {
    this.#wordRoom.note(this.wordCount);
    this.#editRoom.note(this.#editCount);
    this.wordCount = 0;
    this.watcherCount = 0;
    this.#editCount = 0;
  }

  /**
   * Decides a light row from its resolved crossings `from` to `to` (words as above). Watchers come ascending. The caller
   * has made sure that the row and its crossings fit under the cap.
   */
  decide(watcher: number, crossings: Uint32Array, from: number, to: number, margin: number): void {
    this.#reserve(to - from + this.held[watcher]);
    const { marker, state, start, size } = this.#pairs;
    const begin = start[watcher];
    const end = begin + size[watcher];
    let i = begin;
    for (let next = from; next <= to; next++) {
      const crossed = next < to ? markerAt(crossings, next) : NOBODY;
      if (this.held[watcher] === 0) i = placeOf(marker, i, end, crossed);
      for (; i < end && marker[i] < crossed; i++) {
        const before = state[i];
        if (exactOf(before) !== sensesOf(before))
          this.#change(watcher, marker[i], i - begin, before, exactOf(before), margin);
      }
      if (next === to) break;
      const isKnown = i < end && marker[i] === crossed;
      const exact = (crossings[2 * next] >>> 8) & 255;
      this.#change(watcher, crossed, i - begin, isKnown ? state[i] : 0, exact, margin);
      if (isKnown) i++;
    }
    this.watchers[this.watcherCount] = watcher;
    this.#ends[this.watcherCount++] = this.#editCount;
  }

  /** Makes room for so many more words. */
  reserveWords(more: number): void {
    if (2 * (this.wordCount + more) > this.words.length)
      this.words = grown(this.words, 2 * (this.wordCount + more));
  }

  /** Whether a light row relates to the marker in the tick under way, given the senses that perceive it now. */
  relatesNow(watcher: number, marker: number, exact: number, margin: number): boolean {
    if (exact !== 0) return true;
    const i = this.#pairs.find(watcher, marker);
    if (i < 0 || margin === 0) return false;
    const { settings, now } = this.#store;
    return heldByMargin(settings, now, watcher, marker, sensesOf(this.#pairs.state[i]), margin) !== 0;
  }

  /** Carries the edits out. `tick`: from which those that came count. */
  commit(tick: number): void {
    let edit = this.#editCount;
    for (let w = this.watcherCount - 1; w >= 0; w--) {
      const first = w === 0 ? 0 : this.#ends[w - 1];
      if (edit > first) this.#commitRow(this.watchers[w], first, edit, tick);
      edit = first;
    }
  }

  /** Counts what the margin holds in a row. */
  countHeld(watcher: number): void {
    const { state, start, size } = this.#pairs;
    let held = 0;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      if ((state[i] & OVERRIDES) === 0 && exactOf(state[i]) !== sensesOf(state[i])) held++;
    }
    this.held[watcher] = held;
  }

  /** Notes what becomes of one pair: its edit, and its word where its senses change. `exact`: senses now, without margin. */
  #change(
    watcher: number,
    marker: number,
    place: number,
    before: number,
    exact: number,
    margin: number,
  ): void {
    const sensesBefore = sensesOf(before);
    const lost = sensesBefore & ~exact;
    let senses = exact;
    if (lost !== 0 && margin > 0) {
      senses |= heldByMargin(this.#store.settings, this.#store.now, watcher, marker, lost, margin);
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

  #commitRow(watcher: number, first: number, end: number, tick: number): void {
    const pairs = this.#pairs;
    const size = pairs.size[watcher];
    const begin = pairs.makeRoom(watcher, size + end - first);
    const { state } = pairs;
    let rowEnd = begin + size;
    for (let e = end - 1; e >= first; e--) {
      const at = begin + (this.#places[e] & ~INSERT);
      if (this.#places[e] >= INSERT) {
        pairs.shift(at, rowEnd++, 1);
        pairs.marker[at] = this.#markers[e];
        state[at] = this.#states[e];
        pairs.since[at] = tick;
        pairs.reported[at] = tick;
      } else if (this.#states[e] === 0) pairs.shift(at + 1, rowEnd--, -1);
      else state[at] = this.#states[e];
    }
    pairs.size[watcher] = rowEnd - begin;
    this.countHeld(watcher);
  }

  /** Room for so many more words and edits, and one more watcher. */
  #reserve(more: number): void {
    if (2 * (this.wordCount + more) > this.words.length) this.words = grown(this.words, more);
    if (this.#editCount + more > this.#places.length) {
      this.#places = grown(this.#places, more);
      this.#markers = grown(this.#markers, more);
      this.#states = grown(this.#states, more);
    }
    if (this.watcherCount === this.watchers.length) {
      this.watchers = grown(this.watchers, 1);
      this.#ends = grown(this.#ends, 1);
    }
  }
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
