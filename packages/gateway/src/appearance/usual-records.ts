/**
 * What nearly everyone who is told of an entity in a tick is told, laid out to be copied a hundred thousand times.
 *
 * Whoever was told of an entity recently and goes on seeing the same fields needs what is fresh of it, and nothing else:
 * one record for all of them. It is put down with all that a client must know to take it, so that a copy costs one look at
 * one place: 16 bytes a slot, four of them a cache line.
 *
 *     word  0     1                  2, 3
 *           tick  age << 8 | length  the bytes, if they are 8 or fewer;
 *                                    else 2: where they start among the bytes of all records
 *
 * It suits who was told at most `age` ticks ago. Whoever was told longer ago, since a rate or a held-up connection keeps news
 * from him, most likely has all but the position: a second line a slot is for those, in which that is told whole. It is
 * made when the first of them comes. Fields that some see and others do not make a difference only when they are
 * fresh themselves: then it suits nobody.
 */
import { FIELD_SHIFT, POSITION_DELTA, POSITION_WHOLE } from '../wire/frame-format.ts';
import type { AppearanceColumns } from './appearance-columns.ts';
import type { RecordCache } from './record-cache.ts';

export const LINE_WORDS = 4;
/** The tick that the line is of. */
export const LINE_TICK = 0;
export const LINE_AGE_LENGTH = 1;
export const LINE_BYTES = 2;
/** Longer records are somewhere else. */
export const SHORT_RECORD_BYTES = 8;
/** Still longer ones are none of ours. */
export const LENGTH_MAX = 24;
const AGE_MAX = 0xffffff;
const SLOTS_AT_FIRST = 1024;
const ASK_AGAIN_TICKS = 32;

export class UsualRecords {
  /** By slot, `LINE_WORDS` each; other arrays once they have grown. */
  lines = new Uint32Array(SLOTS_AT_FIRST * LINE_WORDS);
  wholeLines = new Uint32Array(SLOTS_AT_FIRST * LINE_WORDS);
  readonly #columns: AppearanceColumns;
  readonly #records: RecordCache;
  /** Bits of a record's mask: what all who are not the owner see, and what depends on who looks. */
  readonly #commonMask: number;
  readonly #variedMask: number;
  /** A bit a slot: those of whom something was new in the last tick, and in this one. */
  #restless = new Uint32Array(SLOTS_AT_FIRST / 32);
  #restlessNow = new Uint32Array(SLOTS_AT_FIRST / 32);
  #tick = 0;

  constructor(columns: AppearanceColumns, records: RecordCache) {
    this.#columns = columns;
    this.#records = records;
    const { visible } = columns.schema;
    const seenByAll = visible.reduce((all, fields) => all & fields);
    const seenBySome = visible.reduce((some, fields) => some | fields);
    this.#commonMask = POSITION_DELTA | (seenByAll << FIELD_SHIFT);
    this.#variedMask = (seenBySome & ~seenByAll) << FIELD_SHIFT;
  }

  /**
   * Who was restless will be asked for again, so theirs are made at once, one slot after the other: that is half the work of
   * making them as they come. Now and then it is left to be seen whether anyone still asks for a slot.
   */
  beginTick(tick: number): void {
    this.#tick = tick;
    const restless = this.#restless;
    this.#restless = this.#restlessNow;
    this.#restlessNow = restless.fill(0);
    const { ids } = this.#columns;
    for (let word = 0; word < this.#restless.length; word++) {
      let bits = this.#restless[word]!;
      if ((word + tick) % ASK_AGAIN_TICKS === 0) continue;
      for (; bits !== 0; bits &= bits - 1) this.prepare(ids[word * 32 + 31 - Math.clz32(bits & -bits)]!);
    }
  }

  /** Makes the line of this entity's slot its own, as of this tick. */
  prepare(id: number): void {
    const slot = id >>> 10;
    const line = slot * LINE_WORDS;
    if (line >= this.lines.length) this.#grow(slot + 1);
    const { lines } = this;
    lines[line + LINE_TICK] = this.#tick;
    // Told now or later: nobody.
    lines[line + LINE_AGE_LENGTH] = 0;
    const columns = this.#columns;
    if (!columns.notice(id, this.#tick)) return;
    const fresh = columns.fresh[slot]!;
    if ((fresh & this.#variedMask) !== 0) return;
    const age = Math.min(AGE_MAX, this.#tick - columns.restedTick[slot]!) << 8;
    const mask = fresh & this.#commonMask;
    if (mask === 0) {
      lines[line + LINE_AGE_LENGTH] = age;
      return;
    }
    const length = this.#setBytes(lines, line, this.#records.recordOf(slot, mask, 0));
    if (length <= LENGTH_MAX) lines[line + LINE_AGE_LENGTH] = age | length;
    this.#restlessNow[slot >>> 5]! |= 1 << (slot & 31);
  }

  /** Makes the second line of a slot whose first one is of this tick. */
  prepareWhole(slot: number): void {
    const { wholeLines } = this;
    const columns = this.#columns;
    const line = slot * LINE_WORDS;
    wholeLines[line + LINE_TICK] = this.#tick;
    wholeLines[line + LINE_AGE_LENGTH] = 0;
    const fresh = columns.fresh[slot]!;
    if (columns.noticedTick[slot] !== this.#tick || (fresh & this.#variedMask) !== 0) return;
    const mask = (fresh & this.#commonMask & ~POSITION_DELTA) | POSITION_WHOLE;
    const length = this.#setBytes(wholeLines, line, this.#records.recordOf(slot, mask, 0));
    if (length > LENGTH_MAX) return;
    const age = Math.min(AGE_MAX, this.#tick - columns.fieldsRestedTick(slot, this.#tick));
    wholeLines[line + LINE_AGE_LENGTH] = (age << 8) | length;
  }

  #setBytes(lines: Uint32Array, line: number, record: number): number {
    const { bytes, starts } = this.#records;
    const start = starts[record]!;
    const length = starts[record + 1]! - start;
    if (length > SHORT_RECORD_BYTES) {
      lines[line + LINE_BYTES] = start;
      return length;
    }
    let low = 0;
    let high = 0;
    for (let i = 0; i < length; i++) {
      if (i < 4) low |= bytes[start + i]! << (i * 8);
      else high |= bytes[start + i]! << (i * 8 - 32);
    }
    lines[line + LINE_BYTES] = low;
    lines[line + LINE_BYTES + 1] = high;
    return length;
  }

  #grow(slots: number): void {
    const size = Math.max(slots, (this.lines.length / LINE_WORDS) * 2);
    const grown = (old: Uint32Array, length: number): Uint32Array<ArrayBuffer> => {
      const column = new Uint32Array(length);
      column.set(old);
      return column;
    };
    this.lines = grown(this.lines, size * LINE_WORDS);
    this.wholeLines = grown(this.wholeLines, size * LINE_WORDS);
    this.#restless = grown(this.#restless, (size + 31) >>> 5);
    this.#restlessNow = grown(this.#restlessNow, (size + 31) >>> 5);
  }
}
