/**
 * Incremental rows: the cheap method for a watcher that has a row, is under its cap, and whose pairs all
 * have a seat. Such a row is unchanged by default: a tick touches only the pairs that crossed, that the margin no
 * longer holds, or that have lingered long enough.
 *
 * A row is incremental if each pair in it is seated, or relates by force. It stays so while the
 * pairs that crossed would all fit under the cap. Anything else (a cap reached, a tie that changed, another
 * interest) is decided once by row-decider.ts. A watcher none of whose rules needs a row has none; see
 * margin-holds.ts.
 *
 *   row        | a | b | c | d | e |        crossings:  b lost, x new        held by margin: d
 *   edits             - b, + x before e     words:      b left or held on, x entered, d left when past the margin
 *
 * Edits and words are only collected here; `commit` applies the edits, the last one first, so that indices
 * stay valid. Cost: a binary search for each crossing and a copy of what follows it in the row; a scan of
 * rows with margin-held pairs.
 */
import { cleared, grown, placeOf } from '../../columns.ts';
import { highWordOf, markerIn } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import type { Column } from '../../kernels/heap.ts';
import * as edits from '../../kernels/layouts/edit-pairs.ts';
import type { ResolvedInterest } from '../interest.ts';
import {
  BLOCKED,
  CANDIDATE,
  exactOf,
  FORCED,
  isAwaiting,
  isMarginHeld,
  type PairRows,
  plainState,
  REFUSED,
  RELATED,
  SEATED,
  sensesOf,
} from '../pair-rows.ts';
import type { Lingering } from '../rules/linger.ts';
import { withMargin } from '../rules/margin.ts';
import { lowWordOf } from '../table/relation-words.ts';
import { ScratchRoom } from '../table/scratch-room.ts';

const NO_MARKER = 0xffff_ffff;
/** State of a lingering pair. */
const LINGERS = SEATED | RELATED | CANDIDATE;

export class IncrementalRows {
  /** Words of crossings, as in detectors/crossings.ts, ascending: low at 2i, high at 2i + 1. */
  words: Uint32Array<ArrayBuffer> = new Uint32Array(512);
  wordCount = 0;
  /** Number of watchers decided since `clear`. */
  watcherCount = 0;
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly #lingering: Lingering;
  #tick = 0;
  /** For decided watchers with `lingerTicks`: index among the decided, and these ticks. */
  readonly #lasting: number[] = [];
  /** For decided watchers with quotas: slot, and number of pairs that the row loses. */
  readonly #shrunk: number[] = [];
  /** Crossings of one watcher, merged with the lingering markers that are due; as `words`. */
  #merged: Uint32Array<ArrayBuffer> = new Uint32Array(32);
  /** By slot: number of pairs of the row that only the margin holds. */
  readonly marginHeldColumn: Column<'u32'>;
  /** The decided watchers, and where the edits of each end. */
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
    this.marginHeldColumn = heap.column('u32', 0);
    this.#watchers = heap.column('u32', 128, () => this.watcherCount);
    this.#ends = heap.column('u32', 128, () => this.watcherCount);
    this.#places = heap.column('u32', 256, () => this.#editCount);
    this.#markers = heap.column('u32', 256, () => this.#editCount);
    this.#states = heap.column('u32', 256, () => this.#editCount);
    this.#job = heap.column('u32', edits.JOB_WORDS);
  }

  /**
   * By slot: number of pairs of the row that only the margin holds. Read it again in each call: the heap may
   * move.
   */
  get marginHeld(): Uint32Array {
    return this.marginHeldColumn.array;
  }

  /** Slots of the watchers decided since `clear`; there are `watcherCount`. */
  get watchers(): Uint32Array {
    return this.#watchers.array;
  }

  get memoryBytes(): number {
    return this.words.byteLength + this.#merged.byteLength;
  }

  growSlots(capacity: number): void {
    if (capacity > this.marginHeldColumn.length) this.#store.heap.resize([[this.marginHeldColumn, capacity]]);
  }

  /** Frees memory that recent ticks did not use. What was decided is lost. */
  trim(): void {
    this.clear();
    this.words = cleared(this.words, 2 * this.#wordRoom.look(this.words.length >> 1));
    const room = this.#editRoom.look(this.#places.length);
    this.#store.heap.shrink([this.#places, this.#markers, this.#states].map((column) => [column, room]));
  }

  /** Start of the tick. */
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
   * Decides an incremental row from its resolved crossings `from` to `to` (words as above). Watchers come in
   * ascending order. The caller has made sure that the row and its crossings fit under the cap.
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
    this.#reserve(to - from + this.marginHeld[watcher]);
    const { marker, state, start, size } = this.#pairs;
    const begin = start[watcher];
    const end = begin + size[watcher];
    let i = begin;
    for (let next = from; next <= to; next++) {
      const crossed = next < to ? markerIn(crossings, next) : NO_MARKER;
      if (this.marginHeld[watcher] === 0) i = placeOf(marker, crossed, i, end);
      for (; i < end && marker[i] < crossed; i++) {
        if (isMarginHeld(state[i]))
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

  /** The state of a pair of an incremental row in the tick under way. */
  stateNow(watcher: number, marker: number, interest: ResolvedInterest): number {
    const { settings, now } = this.#store;
    const exact = perceivedSenses(settings, now, watcher, marker);
    const i = this.#pairs.find(watcher, marker);
    return this.#stateAfter(watcher, marker, i < 0 ? 0 : this.#pairs.state[i], exact, interest);
  }

  /**
   * Applies the edits. `tick`: `since` of the new pairs. `limits`: by slot, most pairs with which a row is
   * incremental.
   */
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
    job[edits.HELD] = this.marginHeldColumn.offset;
    job[edits.ROW_MARKERS] = pairs.markerColumn.offset;
    job[edits.ROW_STATES] = pairs.stateColumn.offset;
    job[edits.ROW_SINCE] = pairs.sinceColumn.offset;
    job[edits.ROW_REPORTED] = pairs.reportedColumn.offset;
    job[edits.TICK] = tick;
    this.#store.heap.kernels.editPairs(this.#job.offset);
  }

  /** Counts the pairs of a row that only the margin holds. */
  countMarginHeld(watcher: number): void {
    const { state, start, size } = this.#pairs;
    let held = 0;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const isCounted = (state[i] & (BLOCKED | REFUSED)) === 0 || (state[i] & FORCED) !== 0;
      if (isCounted && isMarginHeld(state[i])) held++;
    }
    this.marginHeld[watcher] = held;
  }

  /**
   * Decides one pair: adds an edit if its state changes, and a word if its relation or senses do. `exact`:
   * senses now, without margin.
   */
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

  /** Makes room for `more` words and edits, and for one more watcher. */
  #reserve(more: number): void {
    const words = 2 * (this.wordCount + more);
    if (words > this.words.length) this.words = grown(this.words, 2 * words);
    const { heap } = this.#store;
    if (this.#editCount + more > this.#places.length)
      heap.resizeAll([this.#places, this.#markers, this.#states], 2 * (this.#editCount + more));
    if (this.watcherCount === this.#watchers.length)
      heap.resizeAll([this.#watchers, this.#ends], 2 * (this.watcherCount + 1));
  }

  /**
   * The state of a pair of an incremental row after its senses changed. A forced relation stays: whatever may end it
   * has the whole row decided.
   */
  #stateAfter(
    watcher: number,
    marker: number,
    before: number,
    exact: number,
    interest: ResolvedInterest,
  ): number {
    const { settings, now } = this.#store;
    // No margin holds a pair that awaits consent. It stays without: mutual.ts gives consent when all seats are decided.
    if (interest.mutual && isAwaiting(before)) return plainState(exact, exact) & ~RELATED;
    const senses = withMargin(settings, now, watcher, marker, sensesOf(before), exact, interest.leaveMargin);
    const force = before & FORCED;
    if (force !== 0) return exact | (senses << 8) | force | RELATED;
    if (senses !== 0 || interest.lingerTicks === 0 || !now.isPresent(marker))
      return plainState(exact, senses);
    return this.#lingering.lingers(this.#store, interest, watcher, marker, before, this.#tick) ? LINGERS : 0;
  }

  /**
   * Merges the due markers (slots, ascending), as perceived by no sense, into the crossings of a watcher.
   * Returns their number in all.
   */
  #merge(watcher: number, crossings: Uint32Array, from: number, to: number, due: readonly number[]): number {
    if (2 * (to - from + due.length) > this.#merged.length)
      this.#merged = new Uint32Array(4 * (to - from + due.length));
    const merged = this.#merged;
    let count = 0;
    let d = 0;
    for (let i = from; i <= to; i++) {
      const crossed = i < to ? markerIn(crossings, i) : NO_MARKER;
      for (; d < due.length && due[d] < crossed; d++) {
        merged[2 * count] = (due[d] << 20) >>> 0;
        merged[2 * count++ + 1] = highWordOf(watcher, due[d]);
      }
      if (i === to) break;
      // The marker is perceived again.
      if (d < due.length && due[d] === crossed) d++;
      merged[2 * count] = crossings[2 * i];
      merged[2 * count++ + 1] = crossings[2 * i + 1];
    }
    return count;
  }

  /**
   * A marker that leaves frees a place under the cap, but not in another quota: to use that, the whole row
   * must be decided.
   */
  #noteShrunk(watcher: number): void {
    const { watcherCount } = this;
    let lost = 0;
    for (let e = watcherCount === 0 ? 0 : this.#ends.array[watcherCount - 1]; e < this.#editCount; e++)
      if (this.#states.array[e] === 0) lost++;
    if (lost > 0) this.#shrunk.push(watcher, lost);
  }

  /** Stores which pairs begin or cease to linger by the edits. Before the edits are applied. */
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
