/**
 * The seats of searched watchers: has a kernel decide them, stores the resulting edits, and applies them when the tick succeeds.
 *
 * A watcher with a cap that ranks by distance needs no list of all that it perceives: a seat goes to a marker that had it, or to
 * one of the nearest others. So its row holds only seated and forced markers. In each tick a kernel reads the row, and searches
 * an index of markers (marker-index.ts) only up to the distance at which a newcomer may rank before a seated marker.
 *
 *   row, as it is now -> worst of the seated -> newcomers no farther than that -> the best take the seats
 *
 * The cost follows the cap. It is the same whether one marker too many is perceived or a thousand: some 2 ns for each marker in
 * the row and as much for each nearby one. Markers that relate by force (pins, groups, markers shown always) are in the row and
 * keep their seats; blocked markers are skipped. Less simple cases take the slow path, row-decider.ts: a tie that changes, a watcher in a
 * group that changes itself, or a remembered marker that is perceived again. The same kernel decides whole rows, of watchers that are not
 * searched (kernels/wasm/seat-whole.ts). Calm watchers of both kinds are skipped (kernels/wasm/seat-calm.ts).
 *
 * Memory: 46 bytes a slot, 4 more if any watcher is searched, 12 a row, 12 a pair that changes, 24 an entry of the index.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { writePerception } from '../../entities/perception-words.ts';
import { type Column, Heap } from '../../kernels/heap.ts';
import type { Kernels } from '../../kernels/kernels.ts';
import * as job from '../../kernels/layouts/seat-search.ts';
import { SORT_WORDS } from '../../kernels/layouts/sort-words.ts';
import { MarkerIndex } from '../grids/marker-index.ts';
import { type NearWatchers, nearShares } from '../grids/near-watchers.ts';
import type { ResolvedInterest } from '../rules/interest.ts';
import type { Lingering } from '../rules/linger.ts';
import type { RuledWatchers } from '../standing/ruled-watchers.ts';
import type { PairRows } from '../table/pair-rows.ts';
import type { RowDraft } from '../table/row-draft.ts';
import { decideRanked } from './ranked-rows.ts';
import { RowEdits } from './row-edits.ts';
import { RowsToRead } from './rows-to-read.ts';
import { RuleWords } from './rule-words.ts';
import { SeatJobs } from './seat-jobs.ts';

/** Initial room for leapers besides one for each row. */
const FIRST_LEAPERS = 1024;
/** With more steps than this for each row, deciding all rows is cheaper than measuring the steps. */
const WORTH_STEPS = 16;
/** What rounding to float32 may lose. */
const WIDER = 1 + 2 ** -18;

/** Where the resolved crossings lie in the heap. */
interface CrossingWords {
  readonly offset: number;
  readonly count: number;
}

export class SeatSearch {
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly watchers: RuledWatchers;
  readonly #index: MarkerIndex;
  readonly #jobs: SeatJobs;
  /** The rules, and the pairs of this tick's queued watchers that get no seat. */
  readonly rules: RuleWords;
  /** What was decided in this tick. */
  readonly edits: RowEdits;
  readonly #calmUntil: Column<'f64'>;
  readonly #calmTo: Column<'f32'>;
  /** By slot of a searched watcher: no seat ranked worse when it was last decided; not above 0 if unknown. */
  readonly borders: Column<'f32'>;
  readonly #rows: Column<'u32'>;
  readonly #due: Column<'u32'>;
  /** A copy of `#due` that stays valid when the heap moves. */
  #dueSlots = new Uint32Array(0);
  readonly #leapers: Column<'u32'>;
  readonly #leapt: Column<'u8'>;
  #travel = 0;
  /** World units: at least the `calmTo` of every searched watcher that is calm. */
  #farthest = -1;
  readonly toRead: RowsToRead;
  /** Columns by slot: for all queued watchers, and for searched watchers only. */
  readonly #bySlot: readonly (readonly [word: number, column: Column])[];
  readonly #bySearched: readonly (readonly [word: number, column: Column])[];
  #isSearching = false;
  /** The layout of the heap at which offsets were written into the job. */
  #writtenLayout = -1;
  /** The most candidates of any queued watcher, without those that the search finds. */
  #longest = 0;
  /** The sum of all of these. */
  #pairSum = 0;
  #tick = 0;

  constructor(store: EntityStore, pairs: PairRows, watchers: RuledWatchers, lingering: Lingering) {
    const { heap } = store;
    this.watchers = watchers;
    this.#store = store;
    this.#pairs = pairs;
    this.#index = new MarkerIndex(heap);
    this.toRead = new RowsToRead(store, lingering);
    this.#jobs = new SeatJobs(heap);
    this.rules = new RuleWords(heap);
    this.edits = new RowEdits(store, pairs, this.#jobs, () => this.#writeJob(this.#tick));
    this.#calmUntil = heap.column('f64', 0);
    this.#calmTo = heap.column('f32', 0);
    this.borders = heap.column('f32', 0);
    this.#rows = heap.column('u32', 0, Heap.scratch);
    this.#due = heap.column('u32', 0, Heap.scratch);
    this.#leapers = heap.column('u32', 0, Heap.scratch);
    this.#leapt = heap.column('u8', 0);
    this.#bySlot = [
      ...this.edits.columns,
      [job.BORDERS, this.borders],
      [job.CALM_UNTIL, this.#calmUntil],
      [job.LEAPT, this.#leapt],
      // Two float32 in each.
      [job.RINGS, heap.column('f64', 0)],
    ];
    this.#bySearched = [[job.CALM_TO, this.#calmTo]];
  }

  /** Bytes outside the heap. */
  get memoryBytes(): number {
    return this.#index.memoryBytes + this.#dueSlots.byteLength + this.toRead.memoryBytes;
  }

  /** Clears the decisions. */
  begin(): void {
    this.edits.clear();
    this.rules.begin();
  }

  /** Releases memory that recent ticks did not use. The decisions are lost. */
  trim(): void {
    this.begin();
    this.edits.trim();
  }

  /** The tick failed: the positions from which slack was measured are no longer valid. */
  abort(): void {
    this.#index.forget();
    this.toRead.forget();
    this.#calmUntil.array.fill(0);
  }

  /** World units: see kernels/wasm/seat-calm.ts. */
  get travel(): number {
    return this.#travel;
  }

  /** Makes a decided watcher due again once `travel` has reached this value, or an entity leaps within `to` (world units). */
  keepCalmUntil(watcher: number, travel: number, to: number): void {
    const calmUntil = this.#calmUntil.array;
    const calmTo = this.#calmTo.array;
    if (calmUntil[watcher] > travel) calmUntil[watcher] = travel;
    if (calmTo[watcher] < to * WIDER) calmTo[watcher] = to * WIDER;
    if (this.#farthest < calmTo[watcher]) this.#farthest = calmTo[watcher];
  }

  /** A tick begins to decide. `isSearching`: some watchers are searched. */
  open(tick: number, isSearching: boolean): void {
    this.#tick = tick;
    this.#isSearching = isSearching;
    this.#longest = 0;
    this.#pairSum = 0;
    this.#growSlots();
  }

  /**
   * Of all watchers with a row, returns those that must be decided in this tick: slots, ascending. Calm watchers are omitted: near
   * them, entities only moved a little, or a few moved and changed no seat. So are rows with room for all candidates in which nothing happened.
   * Call after `open`. Valid until the next tick. Cost: a pass over what is pending and the watchers near it, O(1) for most rows that may be due.
   */
  listDue(crossings: CrossingWords, near: NearWatchers): Uint32Array {
    const { watchers } = this;
    const { withRow } = watchers;
    const tick = this.#tick;
    const { pendingCount } = this.#store;
    if (!this.#isSearching && withRow.length * WORTH_STEPS < pendingCount) {
      for (const watcher of withRow) this.#calmUntil.array[watcher] = 0;
      watchers.woken.length = 0;
      this.toRead.forget();
      return withRow;
    }
    if (this.#isSearching) this.#index.settle(this.#store, tick, withRow);
    const toRead = this.toRead.list(watchers, near);
    this.#growRows(withRow.length);
    const isWorth = !this.#isSearching && withRow.length >= nearShares.rows;
    const nearJob = isWorth ? near.prepare() : 0;
    this.#writeJob(tick);
    const { words } = this.#jobs;
    words[job.NEAR_JOB] = nearJob;
    words[job.CROSSINGS] = crossings.offset;
    words[job.CROSSING_COUNT] = crossings.count;
    words[job.PENDING_COUNT] = pendingCount;
    words[job.ALL_ROWS] = withRow.length;
    words[job.SLOT_COUNT] = this.#store.slotCount;
    const unfound = nearJob === 0 ? [] : [...near.strays, ...this.toRead.holdersOfPending()];
    for (const watcher of unfound) this.#leapt.array[watcher] = job.MUST_BE_READ;
    let count = toRead === undefined ? job.TOO_MANY : this.#listAmong(toRead, true);
    // More is affected than looking at each row costs.
    if (count === job.TOO_MANY) count = this.#listAmong(withRow, false);
    for (const watcher of unfound) this.#leapt.array[watcher] = 0;
    const { f64 } = this.#store.heap;
    const first = this.#jobs.offset >>> 3;
    this.#travel = f64[first + (job.TRAVEL >> 1)];
    this.#farthest = f64[first + (job.FARTHEST >> 1)];
    if (this.#dueSlots.length < count) this.#dueSlots = new Uint32Array(this.#due.length);
    this.#dueSlots.set(this.#due.array.subarray(0, count));
    const due = this.#dueSlots.subarray(0, count);
    this.toRead.noteDue(due);
    return due;
  }

  #listAmong(rows: ArrayLike<number>, areSome: boolean): number {
    const { words } = this.#jobs;
    this.#rows.array.set(rows);
    words[job.ROW_COUNT] = rows.length;
    words[job.ARE_SOME] = areSome ? 1 : 0;
    return this.#kernels.listDue(this.#jobs.offset) >>> 0;
  }

  /**
   * Queues a watcher. `pairs`: the most candidates that it may have, without those that the search finds. Call in ascending order
   * of watchers, after `open`.
   */
  ask(watcher: number, pairs: number): void {
    this.#calmUntil.array[watcher] = 0;
    this.edits.ask(watcher);
    if (pairs > this.#longest) this.#longest = pairs;
    this.#pairSum += pairs;
  }

  /** Takes a row that row-decider.ts decided, and its limit. Call in ascending order of watchers. */
  take(watcher: number, row: RowDraft, limit: number): void {
    this.#calmUntil.array[watcher] = 0;
    this.edits.take(watcher, row, limit);
  }

  /** Decides the queued watchers. The kernel may decline some that are not searched: then these are not decided. */
  decide(interests: readonly ResolvedInterest[], crossings: CrossingWords): void {
    const jobs = this.#jobs;
    const longest = this.#longest;
    const candidates = (this.#isSearching ? this.#index.entryCount : 0) + longest + 16;
    // The heap moves once if many rows begin, not again and again.
    const likely = Math.min(this.#pairSum, crossings.count);
    jobs.begin(this.edits.decided.length, candidates, longest, likely, this.rules.sizesFor(interests));
    this.rules.write(interests);
    const write = () => {
      this.#writeJob(this.#tick);
      // Crossings move with the heap, too.
      jobs.words[job.CROSSINGS] = crossings.offset;
      jobs.words[job.CROSSING_COUNT] = crossings.count;
    };
    write();
    while (!jobs.work()) {
      jobs.growEdits(longest);
      write();
    }
    if (interests.some(({ rank }) => rank !== undefined))
      decideRanked(this.#store, jobs, interests, this.edits.decided, longest, write);
    this.edits.forgetGivenBack();
    this.#noteFarthest();
  }

  #noteFarthest(): void {
    if (!this.#isSearching) return;
    const calmTo = this.#calmTo.array;
    for (const watcher of this.edits.decided)
      if (calmTo[watcher] > this.#farthest) this.#farthest = calmTo[watcher];
  }

  /**
   * Of all that a watcher perceives now, without the known ones, the first `wanted` in the cap's order. The result is in no
   * order; none ranks after `worst`. Call after `decide`. Slots, valid until the next call.
   */
  othersOf(watcher: number, wanted: number, worst: number, known: readonly number[]): Uint32Array {
    this.#jobs.reserve(Math.max(this.#index.entryCount, known.length) + 16);
    // Columns may have moved since the last call.
    this.#writeJob(this.#tick);
    this.#jobs.candidateSlots.set(known);
    const count = this.#kernels.findOthers(this.#jobs.offset, watcher, wanted, worst, known.length);
    return this.#jobs.candidateSlots.subarray(0, count);
  }

  /** Bound again when the heap moves. */
  get #kernels(): Kernels {
    return this.#store.heap.kernels;
  }

  #growSlots(): void {
    const { capacity, heap } = this.#store;
    const sizes: [Column, number][] = [];
    if (this.borders.length < capacity)
      sizes.push(...this.#bySlot.map(([, column]) => [column, capacity] as [Column, number]));
    if (this.#isSearching && this.#calmTo.length < capacity)
      sizes.push(...this.#bySearched.map(([, column]) => [column, capacity] as [Column, number]));
    const stamps = this.#jobs.sizesFor(capacity);
    if (sizes.length + stamps.length > 0) heap.resize([...sizes, ...stamps]);
    if (stamps.length > 0) this.#jobs.clearStamps();
  }

  /** Makes room for the list of so many rows, and for the leapers that are worth being compared with them. */
  #growRows(rows: number): void {
    if (this.#rows.length >= 2 * rows) return;
    const room = rows + (rows >> 2) + 64;
    this.#store.heap.resize([
      // Searched watchers near leapers are listed in addition.
      [this.#rows, 2 * room],
      [this.#due, 2 * room + SORT_WORDS],
      [this.#leapers, job.LEAPERS_BEGIN + FIRST_LEAPERS + room],
    ]);
  }

  #writeJob(tick: number): void {
    const { now, heap } = this.#store;
    const { words } = this.#jobs;
    if (this.#writtenLayout !== heap.layout) this.#writeOffsets(words);
    this.#writtenLayout = heap.layout;
    this.rules.writeColumns(words);
    words[job.TICK] = tick;
    words[job.IS_MIXED] = now.isMixed ? 1 : 0;
    // Searched watchers are those that the detector does not see.
    words[job.HIDDEN] = this.#isSearching ? (now.hidden.column?.offset ?? 0) : 0;
    this.#jobs.writeColumns();
    this.edits.writeTo(words);
    const first = this.#jobs.offset >>> 3;
    heap.f64[first + (job.TRAVEL >> 1)] = this.#travel;
    heap.f64[first + (job.FARTHEST >> 1)] = this.#farthest;
    this.#index.writeColumns(words);
  }

  /** Where columns lie: right until the heap's layout changes. */
  #writeOffsets(words: Uint32Array): void {
    const store = this.#store;
    const { now, last } = store;
    const pairs = this.#pairs;
    writePerception(words, job.NOW_STATE, store, now, now.ownRanges);
    writePerception(words, job.LAST_STATE, store, last);
    words[job.WEIGHTS] = now.weights.column?.offset ?? 0;
    words[job.LAST_WEIGHTS] = last.weights.column?.offset ?? 0;
    words[job.INTERESTS] = now.interests.column?.offset ?? 0;
    words[job.CAPS] = now.caps.column?.offset ?? 0;
    words[job.LAST_HIDDEN] = last.hidden.column?.offset ?? 0;
    words[job.PENDING] = store.pendingColumn.offset;
    words[job.PENDING_SLOTS] = store.pendingSlotsOffset;
    words[job.LOOKS] = this.watchers.lookColumn.offset;
    words[job.ROOM_LIMITS] = this.watchers.counts.limitColumn.offset;
    words[job.PAIR_START] = pairs.startColumn.offset;
    words[job.PAIR_SIZE] = pairs.sizeColumn.offset;
    words[job.PAIR_MARKER] = pairs.markerColumn.offset;
    words[job.PAIR_STATE] = pairs.stateColumn.offset;
    words[job.PAIR_SINCE] = pairs.sinceColumn.offset;
    words[job.MARGIN_HELD] = pairs.heldColumn.offset;
    words[job.ROWS] = this.#rows.offset;
    words[job.DUE] = this.#due.offset;
    words[job.LEAPERS] = this.#leapers.offset;
    words[job.LEAPER_CAPACITY] = this.#leapers.length - job.LEAPERS_BEGIN;
    for (const [word, column] of this.#bySlot) words[word] = column.offset;
    for (const [word, column] of this.#bySearched) words[word] = column.offset;
  }
}
