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
 * keep their seats; blocked markers are skipped. Less simple cases take the slow path, row-decider.ts: a tie or a group that
 * changes, or begins or ceases to hold by a distance, or a remembered marker that is perceived again. The same kernel decides whole
 * rows, of watchers that are not searched (kernels/wasm/seat-whole.ts). Calm watchers of both kinds are skipped
 * (kernels/wasm/seat-calm.ts).
 *
 * Memory: 38 bytes a slot, 4 more if any watcher is searched, 12 a row, 12 a pair that changes, 24 an entry of the index.
 */
import { markerOf, RELATED_BEFORE, SENSELESS_AFTER, SENSELESS_BEFORE } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { writePerception } from '../../entities/perception-words.ts';
import { type Column, Heap } from '../../kernels/heap.ts';
import type { Kernels } from '../../kernels/kernels.ts';
import * as job from '../../kernels/layouts/seat-search.ts';
import { SORT_WORDS } from '../../kernels/layouts/sort-words.ts';
import type { ResolvedInterest } from '../interest.ts';
import { FORCED, type PairRows, RELATED, SEATED } from '../pair-rows.ts';
import type { RuledWatchers } from '../ruled-watchers.ts';
import { MarkerIndex } from './marker-index.ts';
import { decideRanked } from './ranked-rows.ts';
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
  readonly #standing: Column<'u8'>;
  /** By slot, for watchers edited in this tick: their range in the edits, and the new sizes of their rows. */
  readonly #firstEdit: Column<'u32'>;
  readonly #editEnd: Column<'u32'>;
  readonly #newSize: Column<'u32'>;
  readonly #asked: Column<'u32'>;
  readonly #crossingWords: Column<'u32'>;
  readonly #calmUntil: Column<'f64'>;
  readonly #calmTo: Column<'f32'>;
  /** By slot of a searched watcher: no seat ranked worse when it was last decided; not above 0 if unknown. */
  readonly borders: Column<'f32'>;
  readonly #rows: Column<'u32'>;
  readonly #due: Column<'u32'>;
  readonly #limits: Column<'u32'>;
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
  #askedCount = 0;
  /** The most candidates of any queued watcher, without those that the search finds. */
  #longest = 0;
  #crossingCount = 0;
  #tick = 0;

  constructor(store: EntityStore, pairs: PairRows, watchers: RuledWatchers) {
    const { heap } = store;
    this.watchers = watchers;
    this.#store = store;
    this.#pairs = pairs;
    this.#index = new MarkerIndex(heap);
    this.toRead = new RowsToRead(store);
    this.#jobs = new SeatJobs(heap);
    this.rules = new RuleWords(heap);
    this.#standing = heap.column('u8', 0);
    this.#asked = heap.column('u32', 0);
    // Not scratch: these words are read after all rows were decided, and deciding rows may move the heap.
    this.#crossingWords = heap.column('u32', 0, () => 2 * this.#crossingCount);
    this.#firstEdit = heap.column('u32', 0);
    this.#editEnd = heap.column('u32', 0);
    this.#newSize = heap.column('u32', 0);
    this.#calmUntil = heap.column('f64', 0);
    this.#calmTo = heap.column('f32', 0);
    this.borders = heap.column('f32', 0);
    this.#rows = heap.column('u32', 0, Heap.scratch);
    this.#due = heap.column('u32', 0, Heap.scratch);
    this.#leapers = heap.column('u32', 0, Heap.scratch);
    this.#leapt = heap.column('u8', 0);
    this.#limits = heap.column('u32', 0);
    this.#bySlot = [
      [job.STANDING, this.#standing],
      [job.FIRST_EDIT, this.#firstEdit],
      [job.EDIT_END, this.#editEnd],
      [job.NEW_SIZE, this.#newSize],
      [job.ASKED_LIST, this.#asked],
      [job.LIMITS, this.#limits],
      [job.BORDERS, this.borders],
      [job.CALM_UNTIL, this.#calmUntil],
      [job.LEAPT, this.#leapt],
    ];
    this.#bySearched = [[job.CALM_TO, this.#calmTo]];
  }

  /** Bytes outside the heap. */
  get memoryBytes(): number {
    return this.#index.memoryBytes + this.#dueSlots.byteLength + this.toRead.memoryBytes;
  }

  /** Words of the crossings of all watchers that are at least `DECIDED`, by watcher, then marker: low at 2i, high at 2i + 1. */
  get crossingWords(): Uint32Array {
    return this.#crossingWords.array.subarray(0, 2 * this.#crossingCount);
  }

  /** Slots of the watchers decided in this tick, ascending; before `decide`, of those that are queued. */
  get decided(): Uint32Array {
    return this.#asked.array.subarray(0, this.#askedCount);
  }

  /** Clears the decisions. */
  begin(): void {
    const standing = this.#standing.array;
    const asked = this.#asked.array;
    for (let i = 0; i < this.#askedCount; i++) standing[asked[i]] = 0;
    this.#askedCount = 0;
    this.rules.begin();
    this.#jobs.clear();
    this.#crossingCount = 0;
  }

  /** Releases memory that recent ticks did not use. The decisions are lost. */
  trim(): void {
    this.begin();
    const { room, sizes } = this.#jobs.trim(this.#crossingWords.length / 2);
    const crossingWords = Math.min(this.#crossingWords.length, 2 * room);
    this.#store.heap.shrink([...sizes, [this.#crossingWords, crossingWords]]);
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
    this.#growSlots();
  }

  /**
   * Of all watchers with a row, returns those that must be decided in this tick: slots, ascending. Calm watchers are omitted: near
   * them, entities only moved a little, or a few moved and changed no seat. So are rows with room for all candidates in which nothing happened.
   * Call after `open`. `near`: the watchers near what is pending, `undefined` for any. Valid until the next tick. Cost: a pass over what is pending, O(1) for most rows that may be due.
   */
  listDue(crossings: CrossingWords, near: Uint32Array | undefined): Uint32Array {
    const { watchers } = this;
    const { withRow } = watchers;
    const tick = this.#tick;
    const { last, pendingCount } = this.#store;
    if (!this.#isSearching && withRow.length * WORTH_STEPS < pendingCount) {
      for (const watcher of withRow) this.#calmUntil.array[watcher] = 0;
      watchers.woken.length = 0;
      this.toRead.forget();
      return withRow;
    }
    if (this.#isSearching) this.#index.settle(this.#store, tick, withRow);
    const toRead = this.toRead.list(watchers, near);
    this.#growRows(withRow.length);
    this.#writeJob(tick);
    const { words } = this.#jobs;
    words[job.CROSSINGS] = crossings.offset;
    words[job.CROSSING_COUNT] = crossings.count;
    words[job.MARGIN_HELD] = this.#pairs.heldColumn.offset;
    // Searched watchers are those that the detector does not see.
    if (!this.#isSearching) words[job.HIDDEN] = 0;
    words[job.PENDING_SLOTS] = this.#store.pendingSlotsOffset;
    words[job.PENDING_COUNT] = pendingCount;
    writePerception(words, job.LAST_STATE, this.#store, last);
    words[job.LAST_WEIGHTS] = last.weights.column?.offset ?? 0;
    words[job.ALL_ROWS] = withRow.length;
    words[job.SLOT_COUNT] = this.#store.slotCount;
    words[job.LEAPERS] = this.#leapers.offset;
    words[job.LEAPER_CAPACITY] = this.#leapers.length - job.LEAPERS_BEGIN;
    let count = toRead === undefined ? job.TOO_MANY : this.#listAmong(toRead, true);
    // More is affected than looking at each row costs.
    if (count === job.TOO_MANY) count = this.#listAmong(withRow, false);
    const numbers = new Float64Array(words.buffer, words.byteOffset);
    this.#travel = numbers[job.TRAVEL >> 1];
    this.#farthest = numbers[job.FARTHEST >> 1];
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
    this.#standing.array[watcher] = job.ASKED;
    this.#calmUntil.array[watcher] = 0;
    this.#asked.array[this.#askedCount++] = watcher;
    if (pairs > this.#longest) this.#longest = pairs;
  }

  /** Decides the queued watchers. The kernel may decline some that are not searched: they are not in `decided`. */
  decide(interests: readonly ResolvedInterest[], crossings: CrossingWords): void {
    const { heap } = this.#store;
    const jobs = this.#jobs;
    const longest = this.#longest;
    const candidates = (this.#isSearching ? this.#index.entryCount : 0) + longest + 16;
    jobs.begin(this.#askedCount, candidates, longest, this.rules.sizesFor(interests));
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
      decideRanked(this.#store, jobs, interests, this.decided, longest, write);
    this.#forgetGivenBack();
    if (2 * jobs.editCount > this.#crossingWords.length) {
      heap.resize([[this.#crossingWords, 3 * jobs.editCount]]);
      this.#writeJob(this.#tick);
    }
    this.#crossingCount = this.#kernels.reportSeats(jobs.offset);
    this.#noteFarthest();
  }

  #noteFarthest(): void {
    if (!this.#isSearching) return;
    const calmTo = this.#calmTo.array;
    for (const watcher of this.decided)
      if (calmTo[watcher] > this.#farthest) this.#farthest = calmTo[watcher];
  }

  #forgetGivenBack(): void {
    const asked = this.#asked.array;
    const standing = this.#standing.array;
    let kept = 0;
    for (let i = 0; i < this.#askedCount; i++) {
      if (standing[asked[i]] === job.ASKED) standing[asked[i]] = 0;
      else asked[kept++] = asked[i];
    }
    this.#askedCount = kept;
    this.#jobs.words[job.ASKED_COUNT] = kept;
  }

  /** How many pairs the whole row of a decided watcher may have while each has its seat; 0 if it has more candidates than seats. */
  limitOf(watcher: number): number {
    return this.hasWaiting(watcher) ? 0 : this.#limits.array[watcher];
  }

  /** Whether anything in a decided watcher's row changes. */
  isEdited(watcher: number): boolean {
    return this.#standing.array[watcher] >= job.EDITED;
  }

  /** Whether pairs of a decided watcher's whole row wait for the enter budget. */
  hasWaiting(watcher: number): boolean {
    return this.#limits.array[watcher] === job.LIMIT_WHILE_WAITING;
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

  /**
   * Visits the markers that lost their seat, with the states before and after; without those that are still perceived, but `OUTRANKED`.
   * `isMutual`: some seats may not have related.
   */
  eachLost(
    watcher: number,
    isMutual: boolean,
    visit: (marker: number, before: number, after: number) => void,
  ): void {
    if (!this.isEdited(watcher)) return;
    const { edits } = this.#jobs;
    const [first, end] = [this.#firstEdit.array[watcher], this.#editEnd.array[watcher]];
    for (let e = first; e < end; e++) {
      const at = job.EDIT_WORDS * e;
      const after = edits[at + 2];
      if (after === job.OUTRANKED || (after & (SEATED | FORCED)) !== 0) continue;
      // Most pairs that change in a whole row had no seat.
      if (!isMutual && (edits[at] & RELATED_BEFORE) === 0) continue;
      const marker = markerOf(edits[at], edits[at + 1]);
      const before = this.#pairs.state[this.#pairs.find(watcher, marker)];
      if ((before & (SEATED | FORCED)) !== 0) visit(marker, before, after);
    }
  }

  /** Visits the markers of a decided watcher that begin or cease to relate by no sense. */
  eachSenseless(watcher: number, visit: (marker: number, begins: boolean) => void): void {
    if (!this.isEdited(watcher)) return;
    const { edits } = this.#jobs;
    const end = job.EDIT_WORDS * this.#editEnd.array[watcher];
    for (let at = job.EDIT_WORDS * this.#firstEdit.array[watcher]; at < end; at += job.EDIT_WORDS) {
      const begins = (edits[at] & SENSELESS_AFTER) !== 0;
      if (begins !== ((edits[at] & SENSELESS_BEFORE) !== 0))
        visit(markerOf(edits[at], edits[at + 1]), begins);
    }
  }

  /** Whether the seats of this watcher were decided in this tick. */
  isDecided(watcher: number): boolean {
    return this.#askedCount > 0 && this.#standing.array[watcher] >= job.DECIDED;
  }

  /** The state of a decided watcher's pair from this tick on. */
  stateOf(watcher: number, marker: number): number {
    const edit = this.#findEdit(watcher, marker);
    if (edit >= 0) return this.#jobs.edits[edit + 2] & ~job.OUTRANKED;
    const at = this.#pairs.find(watcher, marker);
    return at < 0 ? 0 : this.#pairs.state[at];
  }

  /**
   * Gives consent to a seat of a decided watcher, or takes it back (rules/mutual.ts), if an edit changes the pair. Returns whether one
   * does; else the pair stays as it is in the row.
   */
  turn(watcher: number, marker: number): boolean {
    const edit = this.#findEdit(watcher, marker);
    if (edit >= 0) this.#jobs.edits[edit + 2] ^= RELATED;
    return edit >= 0;
  }

  /** The first word of the last edit of a pair, because if a marker has two, the one that enters comes later; -1 if it has none. */
  #findEdit(watcher: number, marker: number): number {
    if (!this.isEdited(watcher)) return -1;
    const { edits } = this.#jobs;
    const markerAt = (e: number) => markerOf(edits[job.EDIT_WORDS * e], edits[job.EDIT_WORDS * e + 1]);
    const first = this.#firstEdit.array[watcher];
    // They ascend by marker.
    let low = first;
    for (let end = this.#editEnd.array[watcher]; low < end; ) {
      const middle = (low + end) >>> 1;
      if (markerAt(middle) <= marker) low = middle + 1;
      else end = middle;
    }
    return low > first && markerAt(low - 1) === marker ? job.EDIT_WORDS * (low - 1) : -1;
  }

  /** Applies the decisions. */
  commit(tick: number): void {
    if (this.#jobs.editCount === 0) return;
    const asked = this.#asked.array;
    const standing = this.#standing.array;
    const newSize = this.#newSize.array;
    // Copies, because columns move with the heap.
    const growing: number[] = [];
    const sizes: number[] = [];
    for (let i = 0; i < this.#askedCount; i++) {
      const watcher = asked[i];
      if (standing[watcher] !== job.RESHAPED || this.#pairs.hasRoom(watcher, newSize[watcher])) continue;
      growing.push(watcher);
      sizes.push(newSize[watcher]);
    }
    this.#pairs.reserve(
      growing.length,
      (i) => growing[i],
      (i) => sizes[i],
    );
    for (let i = 0; i < growing.length; i++) this.#pairs.makeRoom(growing[i], sizes[i]);
    // Rows may have moved with the heap since.
    this.#jobs.commit(this.#askedCount, () => this.#writeJob(tick));
  }

  /** Bound again when the heap moves. */
  get #kernels(): Kernels {
    return this.#store.heap.kernels;
  }

  #growSlots(): void {
    const { capacity, heap } = this.#store;
    const sizes: [Column, number][] = [];
    if (this.#standing.length < capacity)
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
    const { now } = this.#store;
    const pairs = this.#pairs;
    const { words } = this.#jobs;
    writePerception(words, job.NOW_STATE, this.#store, now, now.ownRanges);
    words[job.WEIGHTS] = now.weights.column?.offset ?? 0;
    words[job.INTERESTS] = now.interests.column?.offset ?? 0;
    words[job.CAPS] = now.caps.column?.offset ?? 0;
    this.rules.writeColumns(words);
    words[job.PENDING] = this.#store.pendingColumn.offset;
    words[job.LOOKS] = this.watchers.lookColumn.offset;
    words[job.ROOM_LIMITS] = this.watchers.counts.limitColumn.offset;
    words[job.PAIR_START] = pairs.startColumn.offset;
    words[job.PAIR_SIZE] = pairs.sizeColumn.offset;
    words[job.PAIR_MARKER] = pairs.markerColumn.offset;
    words[job.PAIR_STATE] = pairs.stateColumn.offset;
    words[job.PAIR_SINCE] = pairs.sinceColumn.offset;
    words[job.PAIR_REPORTED] = pairs.reportedColumn.offset;
    words[job.TICK] = tick;
    words[job.IS_MIXED] = now.isMixed ? 1 : 0;
    words[job.HIDDEN] = now.hidden.column?.offset ?? 0;
    words[job.LAST_HIDDEN] = this.#store.last.hidden.column?.offset ?? 0;
    words[job.ROWS] = this.#rows.offset;
    words[job.DUE] = this.#due.offset;
    for (const [word, column] of this.#bySlot) words[word] = column.offset;
    for (const [word, column] of this.#bySearched) words[word] = column.offset;
    words[job.ASKED_COUNT] = this.#askedCount;
    this.#jobs.writeColumns();
    words[job.CROSSING_WORDS] = this.#crossingWords.offset;
    const numbers = new Float64Array(words.buffer, words.byteOffset);
    numbers[job.TRAVEL >> 1] = this.#travel;
    numbers[job.FARTHEST >> 1] = this.#farthest;
    this.#index.writeColumns(words);
  }
}
