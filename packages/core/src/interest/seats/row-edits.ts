/**
 * The edits of a tick: which pairs of which rows enter, leave or change. All rows that are decided come to this list, whether a kernel
 * decides them (seat-search.ts) or row-decider.ts. The crossings of relation are made from it, and when the tick has succeeded, the rows.
 *
 *   asked    | w3 | w7 | ...                              ascending
 *   w7       standing, first edit, end, new size, limit   by slot
 *   edits    | low high state | low high state | ...      two words of a crossing, and the pair's state from now on
 *
 * Memory: 21 bytes a slot, 12 an edit, 8 a crossing.
 */
import { unionOf } from '../../columns.ts';
import {
  type Crossings,
  highWordOf,
  markerOf,
  mergeWords,
  RELATED_BEFORE,
  SENSELESS_BEFORE,
} from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import type { Column } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/seat-search.ts';
import { FORCED, type PairRows, RELATED, SEATED, sensesOf } from '../table/pair-rows.ts';
import { editWordOf } from '../table/relation-words.ts';
import type { RowDraft } from '../table/row-draft.ts';
import type { SeatJobs } from './seat-jobs.ts';

/** From this many crossings on, `copyWithin` is faster than a loop. */
const LONG = 64;

export class RowEdits {
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly #jobs: SeatJobs;
  /** Writes the kernels' job: to be called when the heap may have moved. */
  readonly #writeJob: () => void;
  readonly #standing: Column<'u8'>;
  readonly #firstEdit: Column<'u32'>;
  readonly #editEnd: Column<'u32'>;
  readonly #newSize: Column<'u32'>;
  readonly #limits: Column<'u32'>;
  readonly #asked: Column<'u32'>;
  readonly #crossingWords: Column<'u32'>;
  #askedCount = 0;
  #crossingCount = 0;
  /** Slots of the watchers that `take` was called for in this tick, ascending. */
  readonly #taken: number[] = [];

  constructor(store: EntityStore, pairs: PairRows, jobs: SeatJobs, writeJob: () => void) {
    const { heap } = store;
    this.#store = store;
    this.#pairs = pairs;
    this.#jobs = jobs;
    this.#writeJob = writeJob;
    this.#standing = heap.column('u8', 0);
    this.#firstEdit = heap.column('u32', 0);
    this.#editEnd = heap.column('u32', 0);
    this.#newSize = heap.column('u32', 0);
    this.#limits = heap.column('u32', 0);
    this.#asked = heap.column('u32', 0);
    // Not scratch: before these words are read, the heap may move for the crossings that they are merged into.
    this.#crossingWords = heap.column('u32', 0, () => 2 * this.#crossingCount);
  }

  /** The columns that have one element for each slot, and their words in the job. */
  get columns(): readonly (readonly [word: number, column: Column])[] {
    return [
      [job.STANDING, this.#standing],
      [job.FIRST_EDIT, this.#firstEdit],
      [job.EDIT_END, this.#editEnd],
      [job.NEW_SIZE, this.#newSize],
      [job.LIMITS, this.#limits],
      [job.ASKED_LIST, this.#asked],
    ];
  }

  writeTo(words: Uint32Array): void {
    words[job.ASKED_COUNT] = this.#askedCount;
    words[job.CROSSING_WORDS] = this.#crossingWords.offset;
  }

  /** Slots of the watchers decided in this tick, ascending; until `report`, of those that the kernel decides. */
  get decided(): Uint32Array {
    return this.#asked.array.subarray(0, this.#askedCount);
  }

  /** Those of them that row-decider.ts decided. */
  get taken(): readonly number[] {
    return this.#taken;
  }

  /** A tick begins: there are no decisions. */
  clear(): void {
    const standing = this.#standing.array;
    for (const watcher of this.decided) standing[watcher] = 0;
    for (const watcher of this.#taken) standing[watcher] = 0;
    this.#askedCount = 0;
    this.#taken.length = 0;
    this.#crossingCount = 0;
    this.#jobs.clear();
  }

  /** Frees memory that recent ticks did not use. The decisions are lost. */
  trim(): void {
    this.clear();
    const { room, sizes } = this.#jobs.trim(this.#crossingWords.length / 2);
    const crossingWords = Math.min(this.#crossingWords.length, 2 * room);
    this.#store.heap.shrink([...sizes, [this.#crossingWords, crossingWords]]);
  }

  /** Queues a watcher for the kernel. Call in ascending order. */
  ask(watcher: number): void {
    this.#standing.array[watcher] = job.ASKED;
    this.#asked.array[this.#askedCount++] = watcher;
  }

  /** Removes the watchers that the kernel did not decide. */
  forgetGivenBack(): void {
    const asked = this.#asked.array;
    const standing = this.#standing.array;
    let kept = 0;
    for (let i = 0; i < this.#askedCount; i++) {
      if (standing[asked[i]] === job.ASKED) standing[asked[i]] = 0;
      else asked[kept++] = asked[i];
    }
    this.#askedCount = kept;
  }

  /** Takes a row that row-decider.ts decided, and its limit. Call in ascending order of watchers. */
  take(watcher: number, { count, marker, before, after }: RowDraft, limit: number): void {
    const jobs = this.#jobs;
    jobs.makeRoomFor(count);
    this.#firstEdit.array[watcher] = jobs.editEnd;
    let size = 0;
    let isEdited = false;
    for (let j = 0; j < count; j++) {
      if (after[j] !== 0) size++;
      if (before[j] === after[j]) continue;
      isEdited = true;
      jobs.add(editWordOf(marker[j], before[j], after[j]), highWordOf(watcher, marker[j]), after[j]);
    }
    this.#editEnd.array[watcher] = jobs.editEnd;
    this.#newSize.array[watcher] = size;
    this.#limits.array[watcher] = limit;
    this.#standing.array[watcher] = isEdited ? job.EDITED : job.DECIDED;
    this.#taken.push(watcher);
  }

  /**
   * All rows are decided. Replaces the crossings of the watchers that were `due` (slots, ascending), which are those of perception, by those
   * of relation.
   */
  report(crossings: Crossings, due: Uint32Array): void {
    const { heap, now } = this.#store;
    const { flags } = now;
    let all = crossings.watcherFlags;
    for (const watcher of due) all |= flags[watcher];
    dropCrossings(crossings, due);
    crossings.watcherFlags = all;
    const decided = unionOf(this.decided, this.#taken);
    if (this.#taken.length > 0) this.#asked.array.set(decided);
    this.#askedCount = decided.length;
    const { editCount } = this.#jobs;
    if (editCount === 0) return;
    if (2 * editCount > this.#crossingWords.length) heap.resize([[this.#crossingWords, 3 * editCount]]);
    this.#writeJob();
    this.#crossingCount = heap.kernels.reportSeats(this.#jobs.offset);
    const total = crossings.count + this.#crossingCount;
    crossings.reserve(total);
    const words = this.#crossingWords.array.subarray(0, 2 * this.#crossingCount);
    if (crossings.count === 0) crossings.words.set(words);
    else mergeWords(crossings.words, crossings.count, words);
    crossings.count = total;
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

  /** Whether the row of this watcher was decided in this tick. */
  isDecided(watcher: number): boolean {
    return this.#askedCount > 0 && this.#standing.array[watcher] >= job.DECIDED;
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

  /** Visits the markers of a decided watcher that related, and begin or cease to relate by no sense. */
  eachSenseless(watcher: number, visit: (marker: number, begins: boolean) => void): void {
    if (!this.isEdited(watcher)) return;
    const { edits } = this.#jobs;
    const end = job.EDIT_WORDS * this.#editEnd.array[watcher];
    for (let at = job.EDIT_WORDS * this.#firstEdit.array[watcher]; at < end; at += job.EDIT_WORDS) {
      if ((edits[at] & RELATED_BEFORE) === 0) continue;
      // Not as its crossing says: the other side's consent may have changed since.
      const after = edits[at + 2];
      const begins = (after & RELATED) !== 0 && sensesOf(after) === 0;
      if (begins !== ((edits[at] & SENSELESS_BEFORE) !== 0))
        visit(markerOf(edits[at], edits[at + 1]), begins);
    }
  }

  /** The state of a decided watcher's pair from this tick on. */
  stateOf(watcher: number, marker: number): number {
    const edit = this.#findEdit(watcher, marker);
    if (edit >= 0) return this.#jobs.edits[edit + 2] & ~job.OUTRANKED;
    const at = this.#pairs.find(watcher, marker);
    return at < 0 ? 0 : this.#pairs.state[at];
  }

  /**
   * Gives consent to a seat of a decided watcher, or takes it back (mutual.ts), if an edit changes the pair. Returns whether one
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

  /** Makes the edits in the rows: the tick has succeeded. */
  commit(): void {
    if (this.#jobs.editCount === 0) return;
    const asked = this.#asked.array;
    const standing = this.#standing.array;
    const newSize = this.#newSize.array;
    // Copies, because columns move with the heap.
    const growing: number[] = [];
    const sizes: number[] = [];
    for (let i = 0; i < this.#askedCount; i++) {
      const watcher = asked[i];
      if (standing[watcher] !== job.EDITED || this.#pairs.hasRoom(watcher, newSize[watcher])) continue;
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
    this.#writeJob();
    this.#store.heap.kernels.commitSeats(this.#jobs.offset);
  }
}

/** Drops the crossings of these watchers: slots, ascending. */
function dropCrossings(crossings: Crossings, watchers: Uint32Array): void {
  const { words } = crossings;
  let kept = 0;
  let from = 0;
  const keepUpTo = (to: number) => {
    if (to - from > LONG) words.copyWithin(2 * kept, 2 * from, 2 * to);
    else if (kept < from) for (let i = 2 * from, k = 2 * kept; i < 2 * to; i++) words[k++] = words[i];
    kept += to - from;
  };
  for (const watcher of watchers) {
    const own = crossings.firstFrom(watcher, from);
    keepUpTo(own);
    from = crossings.firstFrom(watcher + 1, own);
  }
  keepUpTo(crossings.count);
  crossings.count = kept;
}
