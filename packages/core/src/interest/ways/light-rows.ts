/**
 * The short way for a watcher with a row: one under its cap whose pairs all relate. What changes is what crossed and what
 * the margin holds no longer; the rest stays.
 *
 * Such a row is *light*: each pair in it is seated and related, or relates by force, and it stays so while the pairs that crossed
 * would all fit under the cap. Anything else (a cap reached, a tie that changed, another interest) takes the long way of
 * row-decider.ts once. Where nothing depends on how long a seat is held or when it was told of, there is no row at all;
 * see margin-holds.ts.
 *
 *   row        | a | b | c | d | e |        crossings:  b lost, x new        held by margin: d
 *   edits             - b, + x before e     words:      b left or held on, x entered, d left when past the margin
 *
 * Edits and words are only written down here; `commit` carries the edits out, last one first, so that places stay true.
 * Cost: halving for each crossing and a copy of what follows it; a scan of rows in which a margin holds anyone.
 */
import { grown, placeOf, shortened } from '../../columns.ts';
import { highWordOf, markerIn } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import type { Column } from '../../kernels/heap.ts';
import * as edits from '../../kernels/layouts/edit-pairs.ts';
import {
  exactOf,
  FORCED,
  isHeld,
  isOverride,
  type PairRows,
  plainState,
  RELATED,
  sensesOf,
} from '../pair-rows.ts';
import { withMargin } from '../rules/margin.ts';
import { lowWordOf } from '../table/relation-words.ts';
import { ScratchRoom } from '../table/scratch-room.ts';

const NOBODY = 0xffff_ffff;

export class LightRows {
  /** Words of crossings, as in detectors/crossings.ts, ascending: low at 2i, high at 2i + 1. */
  words: Uint32Array<ArrayBuffer> = new Uint32Array(512);
  wordCount = 0;
  /** How many watchers were decided since `clear`. */
  watcherCount = 0;
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  /** By slot: pairs that only the margin holds. */
  readonly #heldColumn: Column<'u32'>;
  /** Watchers decided, and where the edits of each end. */
  readonly #watchers: Column<'u32'>;
  readonly #ends: Column<'u32'>;
  /** By edit; see kernels/layouts/edit-pairs.ts. */
  readonly #places: Column<'u32'>;
  readonly #markers: Column<'u32'>;
  readonly #states: Column<'u32'>;
  readonly #job: Column<'u32'>;
  #editCount = 0;
  readonly #wordRoom = new ScratchRoom(256);
  readonly #editRoom = new ScratchRoom(256);

  constructor(store: EntityStore, pairs: PairRows) {
    this.#store = store;
    this.#pairs = pairs;
    const { heap } = store;
    this.#heldColumn = heap.column('u32', 0);
    this.#watchers = heap.column('u32', 128, () => this.watcherCount);
    this.#ends = heap.column('u32', 128, () => this.watcherCount);
    this.#places = heap.column('u32', 256, () => this.#editCount);
    this.#markers = heap.column('u32', 256, () => this.#editCount);
    this.#states = heap.column('u32', 256, () => this.#editCount);
    this.#job = heap.column('u32', edits.JOB_WORDS);
  }

  /** By slot: pairs that only the margin holds. Read afresh: the heap may move. */
  get held(): Uint32Array {
    return this.#heldColumn.array;
  }

  /** Slots of the watchers decided since `clear`, `watcherCount` of them. */
  get watchers(): Uint32Array {
    return this.#watchers.array;
  }

  get memoryBytes(): number {
    return this.words.byteLength;
  }

  growSlots(capacity: number): void {
    if (capacity > this.#heldColumn.length) this.#store.heap.resize([[this.#heldColumn, capacity]]);
  }

  /** Gives back what recent ticks had no use for. What was decided is lost. */
  trim(): void {
    this.clear();
    this.words = shortened(this.words, 2 * this.#wordRoom.look(this.words.length >> 1));
    const room = this.#editRoom.look(this.#places.length);
    this.#store.heap.resizeAll([this.#places, this.#markers, this.#states], room);
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
      const crossed = next < to ? markerIn(crossings, next) : NOBODY;
      if (this.held[watcher] === 0) i = placeOf(marker, crossed, i, end);
      for (; i < end && marker[i] < crossed; i++) {
        if (isHeld(state[i]))
          this.#change(watcher, marker[i], i - begin, state[i], exactOf(state[i]), margin);
      }
      if (next === to) break;
      const isKnown = i < end && marker[i] === crossed;
      const exact = (crossings[2 * next] >>> 8) & 255;
      this.#change(watcher, crossed, i - begin, isKnown ? state[i] : 0, exact, margin);
      if (isKnown) i++;
    }
    this.#watchers.array[this.watcherCount] = watcher;
    this.#ends.array[this.watcherCount++] = this.#editCount;
  }

  /** Makes room for so many more words. */
  reserveWords(more: number): void {
    const length = 2 * (this.wordCount + more);
    if (length > this.words.length) this.words = grown(this.words, 2 * length);
  }

  /** How a pair of a light row stands in the tick under way. */
  stateNow(watcher: number, marker: number, margin: number): number {
    const { settings, now } = this.#store;
    const exact = perceivedSenses(settings, now, watcher, marker);
    const i = this.#pairs.find(watcher, marker);
    const before = i < 0 ? 0 : this.#pairs.state[i];
    const senses = withMargin(settings, now, watcher, marker, sensesOf(before), exact, margin);
    return lightState(before, exact, senses);
  }

  /** Carries the edits out. `tick`: from which those that came count. */
  commit(tick: number): void {
    if (this.#editCount === 0) return;
    const pairs = this.#pairs;
    let first = 0;
    for (let w = 0; w < this.watcherCount; w++) {
      const watcher = this.watchers[w];
      const end = this.#ends.array[w];
      const most = pairs.size[watcher] + end - first;
      if (most > pairs.roomOf(watcher)) pairs.makeRoom(watcher, most);
      first = end;
    }
    const job = this.#job.array;
    job[edits.WATCHERS] = this.#watchers.offset;
    job[edits.ENDS] = this.#ends.offset;
    job[edits.WATCHER_COUNT] = this.watcherCount;
    job[edits.PLACES] = this.#places.offset;
    job[edits.MARKERS] = this.#markers.offset;
    job[edits.STATES] = this.#states.offset;
    job[edits.STARTS] = pairs.startColumn.offset;
    job[edits.SIZES] = pairs.sizeColumn.offset;
    job[edits.HELD] = this.#heldColumn.offset;
    job[edits.ROW_MARKERS] = pairs.markerColumn.offset;
    job[edits.ROW_STATES] = pairs.stateColumn.offset;
    job[edits.ROW_SINCE] = pairs.sinceColumn.offset;
    job[edits.ROW_REPORTED] = pairs.reportedColumn.offset;
    job[edits.TICK] = tick;
    this.#store.heap.kernels.editPairs(this.#job.offset);
  }

  /** Counts what the margin holds in a row. */
  countHeld(watcher: number): void {
    const { state, start, size } = this.#pairs;
    let held = 0;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      if ((!isOverride(state[i]) || (state[i] & FORCED) !== 0) && isHeld(state[i])) held++;
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
    const { settings, now } = this.#store;
    const sensesBefore = sensesOf(before);
    const senses = withMargin(settings, now, watcher, marker, sensesBefore, exact, margin);
    const after = lightState(before, exact, senses);
    if (after === before) return;
    const e = this.#editCount++;
    this.#places.array[e] = before === 0 ? (place | edits.INSERT) >>> 0 : place;
    this.#markers.array[e] = marker;
    this.#states.array[e] = after;
    if (senses === sensesBefore) return;
    this.words[2 * this.wordCount] = lowWordOf(marker, before, after);
    this.words[2 * this.wordCount++ + 1] = highWordOf(watcher, marker);
  }

  /** Room for so many more words and edits, and one more watcher. */
  #reserve(more: number): void {
    this.reserveWords(more);
    const { heap } = this.#store;
    if (this.#editCount + more > this.#places.length)
      heap.resizeAll([this.#places, this.#markers, this.#states], 2 * (this.#editCount + more));
    if (this.watcherCount === this.#watchers.length)
      heap.resizeAll([this.#watchers, this.#ends], 2 * (this.watcherCount + 1));
  }
}

/** A pair of a light row after its senses changed. Who relates by force goes on so: whatever may end it is looked at the long way. */
function lightState(before: number, exact: number, senses: number): number {
  const force = before & FORCED;
  return force === 0 ? plainState(exact, senses) : exact | (senses << 8) | force | RELATED;
}
