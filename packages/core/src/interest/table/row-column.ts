/**
 * Rows of words by slot, one after the other in one column, so that a tick edits all of them in one stream.
 *
 *   words         | gap | row of slot 0 | row of slot 1 | (dropped) | row of slot 3 | ... | unused |
 *   start, size   by slot: where a row begins, relative to the first row, and its length; start has one slot more
 *
 * An edit moves the rows forward into the gap, a little farther than the inserted words need. When the gap is
 * used up, the rows move to the end of the column. A sixteenth of the column is free, so that happens once in
 * hundreds of ticks. A dropped row leaves a hole until the next edit. Between two edits no word is written,
 * so that rows may be lent to readers.
 *
 * If asked to, it keeps a tick beside each word, in a column that is edited along with the words.
 *
 * Memory: 8 bytes a slot, 4.25 bytes a word, and as many for ticks. Cost: O(words) an edit; see kernels/layouts/edit-rows.ts.
 */
import { placeOf } from '../../columns.ts';
import { assert } from '../../errors.ts';
import { type Column, Heap } from '../../kernels/heap.ts';
import {
  ARRIVED_ROWS,
  DROPPED,
  EDIT_JOB_WORDS,
  FIRST_ROW,
  INSERTED_TICK,
  LEAST_SHIFT,
  LEFT_ROWS,
  SPARE_WORDS,
  TICKS_BEHIND,
} from '../../kernels/layouts/edit-rows.ts';
import type { ReportRows } from '../../reports/report-rows.ts';

const LEAST_WORDS = 1024;

export class RowColumn {
  /** Number of words of all rows, without holes. */
  count = 0;
  /** Where the first row begins. */
  first = 0;
  /** Number of slots with a valid `start`; slots from there on have no rows. */
  slots = 0;
  readonly start: Column<'u32'>;
  readonly size: Column<'u32'>;
  readonly #heap: Heap;
  readonly #words: Column<'u32'>;
  readonly #ticks: Column<'u32'>;
  readonly #job: Column<'u32'>;
  /** Slots whose rows were dropped since the last edit, and a column for them. */
  readonly #dropped = new Set<number>();
  readonly #droppedColumn: Column<'u32'>;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.start = heap.column('u32', 0);
    this.size = heap.column('u32', 0);
    const keep = () => this.first + this.span;
    this.#words = heap.column('u32', 0, keep);
    this.#ticks = heap.column('u32', 0, keep);
    this.#droppedColumn = heap.column('u32', 0, Heap.scratch);
    this.#job = heap.column('u32', EDIT_JOB_WORDS);
  }

  /** Number of slots that may have rows. */
  get capacity(): number {
    return this.size.length;
  }

  /** Number of words from the first row to the end of the last, with holes. */
  get span(): number {
    return this.slots === 0 ? 0 : this.start.array[this.slots];
  }

  /** The whole column; the first row begins at `first`. Read it again in each call: the heap may move. */
  get words(): Uint32Array {
    return this.#words.array;
  }

  /** Byte offset of the first row in the heap, for kernels. */
  get offset(): number {
    return this.#words.offset + 4 * this.first;
  }

  get keepsTicks(): boolean {
    return this.#ticks.length > 0;
  }

  /** Of each word, at its index; empty if none are kept. */
  get ticks(): Uint32Array {
    return this.#ticks.array;
  }

  /** Byte offset of the first row's ticks in the heap. */
  get ticksOffset(): number {
    return this.#ticks.offset + 4 * this.first;
  }

  /** Keeps a tick beside each word from now on. Those of the words that are there are not set. */
  keepTicks(): void {
    if (!this.keepsTicks) this.#heap.resize([[this.#ticks, Math.max(this.words.length, LEAST_WORDS)]]);
  }

  /** Ceases to keep ticks. */
  dropTicks(): void {
    if (this.keepsTicks) this.#heap.resize([[this.#ticks, 0]]);
  }

  /** Sets the ticks of a row. */
  setTicks(slot: number, tick: number): void {
    const begin = this.first + this.startOf(slot);
    if (slot < this.slots) this.ticks.fill(tick, begin, begin + this.size.array[slot]);
  }

  /** The index of a word in a row, from the beginning of the column; -1 if it is not there. */
  find(slot: number, word: number): number {
    if (slot >= this.slots) return -1;
    const begin = this.first + this.startOf(slot);
    const end = begin + this.size.array[slot];
    const at = placeOf(this.words, word, begin, end);
    return at < end && this.words[at] === word ? at : -1;
  }

  /** Slots whose rows were dropped and have left a hole. */
  get dropped(): ReadonlySet<number> {
    return this.#dropped;
  }

  /** Where the row of a slot begins, relative to the first row. Also valid for the slot after the last. */
  startOf(slot: number): number {
    return slot < this.slots ? this.start.array[slot] : this.span;
  }

  /** The row of a slot. Valid until the heap moves. */
  rowOf(slot: number): Uint32Array {
    const begin = this.first + this.startOf(slot);
    return this.words.subarray(begin, slot < this.slots ? begin + this.size.array[slot] : begin);
  }

  /** Makes room for rows of `capacity` slots. */
  growSlots(capacity: number): void {
    if (capacity <= this.capacity) return;
    this.#heap.resize([
      [this.start, capacity + 1],
      [this.size, capacity],
    ]);
  }

  /** Makes room for an edit that inserts `arriving` words, in rows of the slots below `slots`. */
  reserve(arriving: number, slots: number): void {
    if (slots > this.slots) {
      this.start.array.fill(this.span, this.slots, slots + 1);
      this.slots = slots;
    }
    const words = this.span + arriving;
    if (words + LEAST_SHIFT + SPARE_WORDS > this.words.length) this.#resizeWords(roomFor(words));
    if (this.#dropped.size > this.#droppedColumn.length) {
      this.#heap.resize([[this.#droppedColumn, 2 * this.#dropped.size]]);
    }
  }

  /** Drops a row; its words stay as a hole until the next edit. */
  drop(slot: number): void {
    if (slot >= this.slots || this.size.array[slot] === 0) return;
    this.count -= this.size.array[slot];
    this.size.array[slot] = 0;
    this.#dropped.add(slot);
  }

  /** Takes out the words that left and inserts those that arrived, with this tick; holes disappear. Room was reserved. */
  edit(left: ReportRows, arrived: ReportRows, tick: number): void {
    this.#droppedColumn.array.set([...this.#dropped].sort((a, b) => a - b));
    const { offset, length } = this.#words;
    const job = this.#job.array;
    job[0] = this.slots;
    job[1] = this.start.offset;
    job[2] = this.size.offset;
    job[3] = offset;
    job[4] = offset + 4 * (length - SPARE_WORDS);
    job[5] = this.offset;
    job[6] = offset + 4 * Math.max(0, this.first - shiftFor(left.count, arrived.count));
    writeRows(job, LEFT_ROWS, left);
    writeRows(job, ARRIVED_ROWS, arrived);
    job[DROPPED] = this.#droppedColumn.offset;
    job[DROPPED + 1] = this.#dropped.size;
    job[TICKS_BEHIND] = this.keepsTicks ? this.#ticks.offset - offset : 0;
    job[INSERTED_TICK] = tick;
    this.count = this.#heap.kernels.editRows(this.#job.offset);
    this.first = (job[FIRST_ROW] - offset) / 4;
    this.#dropped.clear();
  }

  /**
   * Fills an empty column with rows: row i is `markers[offsets[i] .. offsets[i + 1])` of `watchers[i]`
   * (ascending ids), and is stored if `keeps` returns true for its slot. Room was reserved. Ticks are not set.
   */
  fill(
    rowCount: number,
    watchers: Uint32Array,
    offsets: Uint32Array,
    markers: Uint32Array,
    keeps: (slot: number) => boolean,
  ): void {
    const [start, size, words] = [this.start.array, this.size.array, this.words];
    this.#dropped.clear();
    this.first = 0;
    let count = 0;
    let from = 0;
    for (let row = 0; row < rowCount; row++) {
      const slot = watchers[row] >>> 10;
      if (keeps(slot)) {
        size[slot] = offsets[row + 1] - offsets[row];
        continue;
      }
      // The rows between two that are not stored are copied in one piece.
      words.set(markers.subarray(from, offsets[row]), count);
      count += offsets[row] - from;
      from = offsets[row + 1];
    }
    words.set(markers.subarray(from, offsets[rowCount]), count);
    let at = 0;
    for (let slot = 0; slot < this.slots; slot++) {
      start[slot] = at;
      at += size[slot];
    }
    start[this.slots] = at;
    this.count = at;
  }

  /** Frees the memory of dropped rows, and of columns beyond `capacity` slots, none of which is in use. */
  shrink(capacity: number): void {
    if (2 * roomFor(this.span) < this.words.length) {
      this.#slideTo(0);
      this.#resizeWords(roomFor(this.span));
    }
    if (this.capacity <= capacity) return;
    this.slots = Math.min(this.slots, capacity);
    this.#heap.resize([
      [this.start, capacity + 1],
      [this.size, capacity],
    ]);
  }

  /** Throws if the rows are not laid out as drawn above. For tests. */
  validate(): void {
    let end = 0;
    let total = 0;
    for (let slot = 0; slot < this.slots; slot++) {
      const start = this.start.array[slot];
      assert(start === end, 'a row follows the one before');
      const size = this.size.array[slot];
      end = this.dropped.has(slot) ? this.start.array[slot + 1] : start + size;
      assert(size === 0 || !this.dropped.has(slot), 'a dropped row is empty');
      total += size;
    }
    assert(end === this.span, 'rows end where the last one does');
    assert(total === this.count, 'rows are as long as they are counted');
    const areIn = this.span === 0 || this.first + this.span + SPARE_WORDS <= this.words.length;
    assert(this.first >= 0 && areIn, 'rows lie in their column');
  }

  #slideTo(first: number): void {
    for (const words of [this.words, this.ticks]) words.copyWithin(first, this.first, this.first + this.span);
    this.first = first;
  }

  #resizeWords(length: number): void {
    this.#heap.resize([[this.#words, length], ...(this.keepsTicks ? [[this.#ticks, length] as const] : [])]);
  }
}

function writeRows(job: Uint32Array, at: number, rows: ReportRows): void {
  job[at] = rows.rowCount;
  rows.writeOffsets(job, at + 1);
}

/**
 * Number of words by which an edit moves the rows forward. Leaving words make room for arriving ones, except
 * for chance: over so many of both, the difference is hardly ever four times its usual size. If it is larger,
 * or many leave that have no row, the kernel makes more room.
 */
function shiftFor(left: number, arrived: number): number {
  const chance = Math.ceil(4 * Math.sqrt(left + arrived));
  return LEAST_SHIFT + Math.min(arrived, Math.max(0, arrived - left) + chance);
}

/** Length of a column for `words` words of rows: a sixteenth more. */
function roomFor(words: number): number {
  return Math.max(LEAST_WORDS, words + (words >>> 4) + LEAST_SHIFT + SPARE_WORDS);
}
