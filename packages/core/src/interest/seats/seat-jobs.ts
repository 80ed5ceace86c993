/**
 * The jobs of the seat kernels: one record of words for each thread, and the columns that each thread writes for itself.
 *
 *   records   | thread 0 | thread 1 | ...     the same words, but for the columns below
 *   stamps    | by slot  | by slot  | ...     with serial numbers of its own
 *   scratch   | candidates of one watcher | ...
 *   edits     | of earlier tasks | of thread 0, room | of thread 1, room | ...
 *
 * Each watcher's seats follow from what no thread writes, so it does not matter which thread decides them. Where a watcher's edits
 * lie is stored by slot, so their order in the list does not matter either. One thread writes the first record only.
 *
 * Memory for each thread: 2 kB, 4 bytes a slot, 44 bytes a candidate.
 */
import { type Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/seat-search.ts';
import { ScratchRoom } from '../table/scratch-room.ts';

/** Initial room for edits. */
const FIRST_ROOM = 1024;
/** Above this, serial numbers restart. A tick takes at most four for each slot. */
const LAST_SERIAL = 2 ** 31;
/** The elements of a usual task, a few nanoseconds each, that take as long as one watcher. */
const WATCHER_WEIGHT = 32;

/** Columns by candidate; see `readRanked` in kernels/wasm/seat-search.ts. */
export interface ReadCandidates {
  readonly slots: Uint32Array;
  /** World units, float32. */
  readonly distances: Float32Array;
  /** `PROTECTED`, `SEATED` or `NEW`. */
  readonly standings: Uint32Array;
  /** To be written: effective ranks. */
  readonly ranks: Float64Array;
}

export class SeatJobs {
  readonly #heap: Heap;
  readonly #words: Column<'u32'>;
  readonly #stamps: Column<'u32'>;
  readonly #edits: Column<'u32'>;
  readonly #editRoom = new ScratchRoom(FIRST_ROOM);
  readonly #slots: Column<'u32'>;
  readonly #ranks: Column<'f32'>;
  readonly #kinds: Column<'u32'>;
  readonly #keys: Column<'u32'>;
  /** All columns of candidates. */
  readonly #candidates: readonly (readonly [word: number, column: Column, words: number])[];
  /** The number of edits. */
  editCount = 0;
  /** They lie before this element of the list. */
  #editEnd = 0;
  /** The most candidates that fit, for each thread. */
  #candidateRoom = 0;
  /** How many threads the task under way is for. */
  #jobCount = 1;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#words = heap.column('u32', job.JOB_WORDS * heap.crew.jobCount);
    this.#stamps = heap.column('u32', 0);
    this.#edits = heap.column('u32', 0, () => job.EDIT_WORDS * this.#editEnd);
    const scratch = () => heap.column('u32', 0, Heap.scratch);
    this.#slots = scratch();
    this.#ranks = heap.column('f32', 0, Heap.scratch);
    this.#kinds = scratch();
    this.#keys = scratch();
    this.#candidates = [
      [job.CANDIDATE_SLOT, this.#slots, 1],
      [job.CANDIDATE_RANK, this.#ranks, 1],
      [job.CANDIDATE_STATE, scratch(), 2],
      [job.CANDIDATE_KIND, this.#kinds, 1],
      [job.CANDIDATE_DROPPED, scratch(), 1],
      [job.CANDIDATE_KEY, this.#keys, 2],
      [job.CANDIDATE_SQUARE, scratch(), 1],
      [job.ROW_RANKS, heap.column('f32', 0, Heap.scratch), 1],
      [job.RUN, scratch(), 1],
    ];
  }

  /** The records of all threads; that of the first is first. */
  get words(): Uint32Array {
    return this.#words.array;
  }

  /** Byte offset of the first thread's record. */
  get offset(): number {
    return this.#words.offset;
  }

  get edits(): Uint32Array {
    return this.#edits.array;
  }

  /** The number of the next edit. */
  get editEnd(): number {
    return this.#editEnd;
  }

  /** The candidates' slots, as the first thread left them. */
  get candidateSlots(): Uint32Array {
    return this.#slots.array;
  }

  /** The candidates that the first thread read: slots, distances, standings, and room for a rank of each. Valid until the heap moves. */
  get candidates(): ReadCandidates {
    const keys = this.#keys.array;
    return {
      slots: this.#slots.array,
      distances: this.#ranks.array,
      standings: this.#kinds.array,
      ranks: new Float64Array(keys.buffer, keys.byteOffset, this.#candidateRoom),
    };
  }

  /** What the stamps need for so many slots; empty if they have it. Call `clearStamps` after their column has grown. */
  sizesFor(capacity: number): [Column, number][] {
    const length = capacity * this.#heap.crew.jobCount;
    return this.#stamps.length < length ? [[this.#stamps, length]] : [];
  }

  /** The stamps of a thread lie elsewhere now. */
  clearStamps(): void {
    this.#stamps.array.fill(0);
  }

  /** Clears the edits. */
  clear(): void {
    this.#editRoom.note(this.#editEnd);
    this.#editEnd = 0;
    this.editCount = 0;
  }

  /** How much room the edits, or as many words of crossings, should have; `length`: how much these have. Clear the edits before. */
  trim(length: number): { room: number; sizes: [Column, number][] } {
    const room = this.#editRoom.look(Math.max(this.#edits.length / job.EDIT_WORDS, length));
    return { room, sizes: [[this.#edits, Math.min(this.#edits.length, job.EDIT_WORDS * room)]] };
  }

  /**
   * Begins a task that decides so many watchers. `candidates`: the most that any may have; `longest`: the most pairs of any row; `likely`: how many edits
   * there may be, as far as known; `more`: columns that need other lengths.
   */
  begin(
    watchers: number,
    candidates: number,
    longest: number,
    likely: number,
    more: readonly [Column, number][],
  ): void {
    const { crew } = this.#heap;
    crew.begin(watchers, crew.chunkFor(watchers, WATCHER_WEIGHT));
    this.#jobCount = crew.taskJobs;
    const sizes = [...more, ...this.#sizesForCandidates(candidates, this.#jobCount)];
    const edits = this.#jobCount * (FIRST_ROOM + 4 * longest) + likely;
    this.#editRoom.note(edits);
    if (this.#edits.length < job.EDIT_WORDS * edits)
      sizes.push([this.#edits, job.EDIT_WORDS * (edits + (edits >> 1))]);
    this.#heap.resize(sizes);
    this.#restartSerials();
  }

  /** Makes room for so many candidates of the first thread. */
  reserve(candidates: number): void {
    this.#heap.resize(this.#sizesForCandidates(candidates, 1));
  }

  /**
   * Makes room for the edits of a row that row-decider.ts decided, and for committing them; `pairs`: how many the row has, with those that
   * enter and leave.
   */
  makeRoomFor(pairs: number): void {
    this.reserve(pairs);
    const edits = this.#editEnd + pairs;
    if (this.#edits.length < job.EDIT_WORDS * edits)
      this.#heap.resize([[this.#edits, job.EDIT_WORDS * (edits + (edits >> 1))]]);
  }

  /** Appends an edit, for which there is room: the words of its crossing, and the pair's state. */
  add(low: number, high: number, state: number): void {
    const at = job.EDIT_WORDS * this.#editEnd;
    const { edits } = this;
    edits[at] = low;
    edits[at + 1] = high;
    edits[at + 2] = state;
    this.#editEnd++;
    this.editCount++;
  }

  /** Writes the addresses of the first thread's columns into its record. Call it whenever the heap may have moved. */
  writeColumns(): void {
    const { words } = this;
    words[job.STAMPS] = this.#stamps.offset;
    for (const [word, column] of this.#candidates) words[word] = column.offset;
    words[job.CANDIDATE_CAPACITY] = this.#candidateRoom;
    words[job.EDITS] = this.#edits.offset;
  }

  /** Runs the task, until it ends or the edits need more room. Returns whether it ended. Throws `WORKER_FAILED`. */
  work(): boolean {
    const from = this.#editEnd;
    const part = Math.floor((this.#edits.length / job.EDIT_WORDS - from) / this.#jobCount);
    const words = this.#words.array;
    for (let k = 0; k < this.#jobCount; k++) {
      const at = k * job.JOB_WORDS;
      if (k > 0) this.#writeFor(k);
      words[at + job.EDIT_COUNT] = from + k * part;
      words[at + job.EDIT_CAPACITY] = from + (k + 1) * part;
    }
    const isDone = this.#heap.workAtTask('searchSeats', this.offset, job.JOB_WORDS * 4, this.#jobCount);
    for (let k = 0; k < this.#jobCount; k++) {
      const end = words[k * job.JOB_WORDS + job.EDIT_COUNT];
      this.editCount += end - (from + k * part);
      if (end > from + k * part) this.#editEnd = end;
    }
    return isDone;
  }

  /** Begins a task that only this thread does, directly after others: its edits may fill the rest of the room. */
  beginHere(): void {
    this.words[job.EDIT_COUNT] = this.#editEnd;
    this.words[job.EDIT_CAPACITY] = this.#edits.length / job.EDIT_WORDS;
  }

  /** The task ended, or needs more room. */
  endHere(): void {
    const end = this.words[job.EDIT_COUNT];
    this.editCount += end - this.#editEnd;
    this.#editEnd = end;
  }

  /** After a task that did not end: makes more room for edits. `longest`: as for `begin`. */
  growEdits(longest: number): void {
    const most = longest + this.#candidateRoom;
    const room = 2 * (this.#edits.length + job.EDIT_WORDS * this.#jobCount * most);
    this.#heap.resize([[this.#edits, room]]);
  }

  /** The first record, with the columns of thread `k`. */
  #writeFor(k: number): void {
    const words = this.#words.array;
    const at = k * job.JOB_WORDS;
    const serial = words[at + job.SERIAL];
    words.copyWithin(at, 0, job.JOB_WORDS);
    words[at + job.SERIAL] = serial;
    words[at + job.STAMPS] += 4 * k * (this.#stamps.length / this.#heap.crew.jobCount);
    for (const [word, , size] of this.#candidates) words[at + word] += 4 * k * size * this.#candidateRoom;
  }

  #sizesForCandidates(candidates: number, jobCount: number): [Column, number][] {
    const [, slots] = this.#candidates[0];
    const isEnough = this.#candidateRoom >= candidates && slots.length >= jobCount * this.#candidateRoom;
    if (isEnough) return [];
    // A multiple of four: each thread's part begins as aligned as the column.
    const room = (candidates + (candidates >> 2) + 4) & ~3;
    this.#candidateRoom = room;
    return this.#candidates.map(([, column, words]) => [
      column,
      Math.max(column.length, words * jobCount * room),
    ]);
  }

  /** Restarts serial numbers long before they overflow, when old stamps would be mistaken for new ones. */
  #restartSerials(): void {
    const words = this.#words.array;
    for (let at = job.SERIAL; at < words.length; at += job.JOB_WORDS) {
      if (words[at] < LAST_SERIAL) continue;
      this.#stamps.array.fill(0);
      for (let other = job.SERIAL; other < words.length; other += job.JOB_WORDS) words[other] = 0;
    }
  }
}
