/**
 * The short way for a watcher with a row: one under its cap whose pairs all relate. What changes is what crossed, what
 * the margin holds no longer and who has lingered long enough; the rest stays.
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
import type { ResolvedInterest } from '../interest.ts';
import {
  CANDIDATE,
  exactOf,
  FORCED,
  isHeld,
  isOverride,
  type PairRows,
  plainState,
  RELATED,
  SEATED,
  sensesOf,
} from '../pair-rows.ts';
import type { Lingering } from '../rules/linger.ts';
import { withMargin } from '../rules/margin.ts';
import { lowWordOf } from '../table/relation-words.ts';
import { ScratchRoom } from '../table/scratch-room.ts';

const NOBODY = 0xffff_ffff;
/** How a pair stands that lingers. */
const LINGERS = SEATED | RELATED | CANDIDATE;

export class LightRows {
  /** Words of crossings, as in detectors/crossings.ts, ascending: low at 2i, high at 2i + 1. */
  words: Uint32Array<ArrayBuffer> = new Uint32Array(512);
  wordCount = 0;
  /** How many watchers were decided since `clear`. */
  watcherCount = 0;
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly #lingering: Lingering;
  #tick = 0;
  /** Of those decided whose interest lets linger: the number among them, and for how many ticks. */
  readonly #lasting: number[] = [];
  /** Of those decided whose interest has quotas: the slot, and how many pairs its row loses. */
  readonly #shrunk: number[] = [];
  /** Crossings of one watcher, with whom is due in between; as `words`. */
  #merged: Uint32Array<ArrayBuffer> = new Uint32Array(32);
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

  constructor(store: EntityStore, pairs: PairRows, lingering: Lingering) {
    this.#store = store;
    this.#pairs = pairs;
    this.#lingering = lingering;
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
    return this.words.byteLength + this.#merged.byteLength;
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

  /** A tick begins. */
  begin(tick: number): void {
    this.clear();
    this.#tick = tick;
  }

  clear(): void {
    this.#wordRoom.note(this.wordCount);
    this.#editRoom.note(this.#editCount);
    this.wordCount = 0;
    this.watcherCount = 0;
    this.#editCount = 0;
    this.#lasting.length = 0;
    this.#shrunk.length = 0;
  }

  /**
   * Decides a light row from its resolved crossings `from` to `to` (words as above). Watchers come ascending. The caller
   * has made sure that the row and its crossings fit under the cap.
   */
  decide(
    watcher: number,
    crossings: Uint32Array,
    from: number,
    to: number,
    interest: ResolvedInterest,
  ): void {
    const { lingerTicks } = interest;
    if (lingerTicks > 0) {
      this.#lasting.push(this.watcherCount, lingerTicks);
      if (this.#lingering.isDue(watcher, this.#tick)) {
        const due = this.#lingering.dueOf(watcher, lingerTicks, this.#tick);
        to = this.#merge(watcher, crossings, from, to, due);
        from = 0;
        crossings = this.#merged;
      }
    }
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
          this.#change(watcher, marker[i], i - begin, state[i], exactOf(state[i]), interest);
      }
      if (next === to) break;
      const isKnown = i < end && marker[i] === crossed;
      const exact = (crossings[2 * next] >>> 8) & 255;
      this.#change(watcher, crossed, i - begin, isKnown ? state[i] : 0, exact, interest);
      if (isKnown) i++;
    }
    if (interest.quotas.length > 0) this.#noteShrunk(watcher);
    this.#watchers.array[this.watcherCount] = watcher;
    this.#ends.array[this.watcherCount++] = this.#editCount;
  }

  /** Makes room for so many more words. */
  reserveWords(more: number): void {
    const length = 2 * (this.wordCount + more);
    if (length > this.words.length) this.words = grown(this.words, 2 * length);
  }

  /** How a pair of a light row stands in the tick under way. */
  stateNow(watcher: number, marker: number, interest: ResolvedInterest): number {
    const { settings, now } = this.#store;
    const exact = perceivedSenses(settings, now, watcher, marker);
    const i = this.#pairs.find(watcher, marker);
    return this.#stateAfter(watcher, marker, i < 0 ? 0 : this.#pairs.state[i], exact, interest);
  }

  /** Carries the edits out. `tick`: from which those that came count. `limits`: by slot, most pairs that a row is light with. */
  commit(tick: number, limits: Uint32Array): void {
    for (let i = 0; i < this.#shrunk.length; i += 2) limits[this.#shrunk[i]] -= this.#shrunk[i + 1];
    if (this.#lasting.length > 0) this.#noteLingering(tick);
    if (this.#editCount === 0) return;
    const pairs = this.#pairs;
    let first = 0;
    for (let w = 0; w < this.watcherCount; w++) {
      const watcher = this.watchers[w];
      const end = this.#ends.array[w];
      pairs.makeRoom(watcher, pairs.size[watcher] + end - first);
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
    interest: ResolvedInterest,
  ): void {
    const after = this.#stateAfter(watcher, marker, before, exact, interest);
    if (after === before) return;
    const e = this.#editCount++;
    this.#places.array[e] = before === 0 ? (place | edits.INSERT) >>> 0 : place;
    this.#markers.array[e] = marker;
    this.#states.array[e] = after;
    const low = lowWordOf(marker, before, after);
    if (low === 0) return;
    this.words[2 * this.wordCount] = low;
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

  /** A pair of a light row after its senses changed. Who relates by force goes on so: whatever may end it is looked at the long way. */
  #stateAfter(
    watcher: number,
    marker: number,
    before: number,
    exact: number,
    interest: ResolvedInterest,
  ): number {
    const { settings, now } = this.#store;
    const senses = withMargin(settings, now, watcher, marker, sensesOf(before), exact, interest.leaveMargin);
    const force = before & FORCED;
    if (force !== 0) return exact | (senses << 8) | force | RELATED;
    if (senses !== 0 || interest.lingerTicks === 0 || !now.isPresent(marker))
      return plainState(exact, senses);
    return this.#lingering.lingers(this.#store, interest, watcher, marker, before, this.#tick) ? LINGERS : 0;
  }

  /** Puts whom is due (`due`, slots, ascending) among the crossings of a watcher, perceived by no sense. Answers how many they are. */
  #merge(watcher: number, crossings: Uint32Array, from: number, to: number, due: readonly number[]): number {
    if (2 * (to - from + due.length) > this.#merged.length)
      this.#merged = new Uint32Array(4 * (to - from + due.length));
    const merged = this.#merged;
    let count = 0;
    let d = 0;
    for (let i = from; i <= to; i++) {
      const crossed = i < to ? markerIn(crossings, i) : NOBODY;
      for (; d < due.length && due[d] < crossed; d++) {
        merged[2 * count] = (due[d] << 20) >>> 0;
        merged[2 * count++ + 1] = highWordOf(watcher, due[d]);
      }
      if (i === to) break;
      // Perceived again.
      if (d < due.length && due[d] === crossed) d++;
      merged[2 * count] = crossings[2 * i];
      merged[2 * count++ + 1] = crossings[2 * i + 1];
    }
    return count;
  }

  /** One who leaves makes room under the cap, but not in another's quota: for that the row is looked at as a whole. */
  #noteShrunk(watcher: number): void {
    const { watcherCount } = this;
    let lost = 0;
    for (let e = watcherCount === 0 ? 0 : this.#ends.array[watcherCount - 1]; e < this.#editCount; e++)
      if (this.#states.array[e] === 0) lost++;
    if (lost > 0) this.#shrunk.push(watcher, lost);
  }

  /** Notes of the edits who begins to linger, and who does no more. Before they are carried out. */
  #noteLingering(tick: number): void {
    const { start, state } = this.#pairs;
    for (let i = 0; i < this.#lasting.length; i += 2) {
      const w = this.#lasting[i];
      const watcher = this.watchers[w];
      for (let e = w === 0 ? 0 : this.#ends.array[w - 1]; e < this.#ends.array[w]; e++) {
        const place = this.#places.array[e];
        const before = place >= edits.INSERT ? 0 : state[start[watcher] + place];
        this.#lingering.note(watcher, this.#markers.array[e], before, this.#states.array[e], tick);
      }
      this.#lingering.plan(watcher, this.#lasting[i + 1], tick);
    }
  }
}
