/**
 * Rows of words by slot, one after the other in one column, so that a tick edits all of them in one stream.
 *
 *   words         | gap | row of slot 0 | row of slot 1 | (dropped) | row of slot 3 | ... | unused |
 *   start, size   by slot: where a row begins, from the first on, and how long it is; start of one slot more
 *
 * An edit moves the rows forward, into the gap, a little farther than it needs to put words in. When the gap is used up they
 * go to the end of the column, once in hundreds of ticks, since a sixteenth of it is free. A row that is dropped leaves a hole,
 * until the next edit: between two of them no word is written, so that rows may be lent to whoever reads them.
 *
 * Memory: 8 bytes a slot, 4.25 a word. Cost: O(words) an edit; see kernels/layouts/edit-rows.ts.
 */
import { assert } from '../../errors.ts';
import { type Column, Heap } from '../../kernels/heap.ts';
import {
  ARRIVED_ROWS,
  DROPPED,
  EDIT_JOB_WORDS,
  FIRST_ROW,
  LEAST_SHIFT,
  LEFT_ROWS,
  SPARE_WORDS,
} from '../../kernels/layouts/edit-rows.ts';
import type { ReportRows } from '../../reports/report-rows.ts';

const LEAST_WORDS = 1024;

export class RowColumn {
  /** Words of all rows, without holes. */
  count = 0;
  /** Where the first row begins. */
  first = 0;
  /** Slots that the starts are right for; those above have no rows. */
  slots = 0;
  readonly start: Column<'u32'>;
  readonly size: Column<'u32'>;
  readonly #heap: Heap;
  readonly #words: Column<'u32'>;
  readonly #job: Column<'u32'>;
  /** Slots whose rows were dropped since the last edit, and a column for them. */
  readonly #dropped = new Set<number>();
  readonly #droppedColumn: Column<'u32'>;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.start = heap.column('u32', 0);
    this.size = heap.column('u32', 0);
    this.#words = heap.column('u32', 0, () => this.first + this.span);
    this.#droppedColumn = heap.column('u32', 0, Heap.scratch);
    this.#job = heap.column('u32', EDIT_JOB_WORDS);
  }

  /** Slots that may have rows. */
  get capacity(): number {
    return this.size.length;
  }

  /** Words from the first row to the end of the last, with holes. */
  get span(): number {
    return this.slots === 0 ? 0 : this.start.array[this.slots];
  }

  /** Rows and more, the first at `first`. Read afresh in each call: the heap may move. */
  get words(): Uint32Array {
    return this.#words.array;
  }

  /** Where the first row lies in the heap, for kernels. */
  get offset(): number {
    return this.#words.offset + 4 * this.first;
  }

  /** Slots whose rows were dropped and whose holes are still there. */
  get dropped(): ReadonlySet<number> {
    return this.#dropped;
  }

  /** Where the row of a slot begins, from the first on, be it that of one more. */
  startOf(slot: number): number {
    return slot < this.slots ? this.start.array[slot] : this.span;
  }

  /** Valid until the heap moves. */
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

  /** Makes room for an edit that puts `arriving` words in, in rows of the slots below `slots`. */
  reserve(arriving: number, slots: number): void {
    if (slots > this.slots) {
      this.start.array.fill(this.span, this.slots, slots + 1);
      this.slots = slots;
    }
    const words = this.span + arriving;
    if (words + LEAST_SHIFT + SPARE_WORDS > this.words.length) {
      this.#heap.resize([[this.#words, roomFor(words)]]);
    }
    if (this.#dropped.size > this.#droppedColumn.length) {
      this.#heap.resize([[this.#droppedColumn, 2 * this.#dropped.size]]);
    }
  }

  /** Takes a row out; what lies there stays until the next edit. */
  drop(slot: number): void {
    if (slot >= this.slots || this.size.array[slot] === 0) return;
    this.count -= this.size.array[slot];
    this.size.array[slot] = 0;
    this.#dropped.add(slot);
  }

  /** Takes out who left and puts in who arrived; dropped rows are gone. Room was reserved. */
  edit(left: ReportRows, arrived: ReportRows): void {
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
    this.count = this.#heap.kernels.editRows(this.#job.offset);
    this.first = (job[FIRST_ROW] - offset) / 4;
    this.#dropped.clear();
  }

  /**
   * Takes rows in place of none: those that `keeps` says of a slot, of the rows `markers[offsets[i] .. offsets[i + 1])` of
   * `watchers[i]`, ascending ids. Room was reserved.
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
      // What lies between two that keep none is copied at once.
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

  /** Gives back what rows that are gone held, and columns beyond `capacity` slots, none of which is in use. */
  shrink(capacity: number): void {
    if (2 * roomFor(this.span) < this.words.length) {
      this.#slideTo(0);
      this.#heap.resize([[this.#words, roomFor(this.span)]]);
    }
    if (this.capacity <= capacity) return;
    this.slots = Math.min(this.slots, capacity);
    this.#heap.resize([
      [this.start, capacity + 1],
      [this.size, capacity],
    ]);
  }

  /** Throws when rows are not as drawn above. For tests. */
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
    this.words.copyWithin(first, this.first, this.first + this.span);
    this.first = first;
  }
}

function writeRows(job: Uint32Array, at: number, rows: ReportRows): void {
  job[at] = rows.rowCount;
  rows.writeOffsets(job, at + 1);
}

/**
 * Words that rows are moved forward by. Who leaves makes up for who arrives, but for chance: the difference after so many of
 * both is hardly ever four times its usual size. Where it is, or many leave who have no row, the kernel finds more.
 */
function shiftFor(left: number, arrived: number): number {
  const chance = Math.ceil(4 * Math.sqrt(left + arrived));
  return LEAST_SHIFT + Math.min(arrived, Math.max(0, arrived - left) + chance);
}

/** Words of the column for so many of rows: a sixteenth more. */
function roomFor(words: number): number {
  return Math.max(LEAST_WORDS, words + (words >>> 4) + LEAST_SHIFT + SPARE_WORDS);
}
