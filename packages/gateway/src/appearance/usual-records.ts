/**
 * The usual record of each entity: the update that nearly all clients need in this tick, laid out for a hot
 * loop that copies it a hundred thousand times.
 *
 * A client that was updated recently and still sees the same fields needs only the fresh values: one record
 * for all such clients. Its line has everything that the loop must know, so that a copy costs one memory
 * access at one place: 16 bytes per slot, four slots per cache line.
 *
 *     word  0     1                  2, 3
 *           tick  age << 8 | length  the bytes, if they are 8 or fewer;
 *                                    else 2: where they start among the bytes of all records
 *
 * A line fits every client that was last updated at most `age` ticks ago. A client that was updated longer
 * ago, because of a rate or because it was behind, most likely lacks only the position: a second line per
 * slot has the whole position instead of a delta. The second line is built on first use. Fields that some
 * clients see and others do not matter only if they are fresh: then the first line fits no client, and has a mask of
 * these fields in word 2; the second line has what is fresh for a client that sees none of them.
 */
import { folded } from '../wire/byte-writer.ts';
import { FIELD_SHIFT, POSITION_DELTA, POSITION_WHOLE } from '../wire/frame-format.ts';
import { type AppearanceColumns, BATCH_MAX, sendable } from './appearance-columns.ts';
import type { RecordCache } from './record-cache.ts';

export const LINE_WORDS = 4;
/** The tick for which the line was built. */
export const LINE_TICK = 0;
export const LINE_AGE_LENGTH = 1;
export const LINE_BYTES = 2;
/** Longer records are stored elsewhere; see the layout above. */
export const SHORT_RECORD_BYTES = 8;
/** Records longer than this have no line. */
export const LENGTH_MAX = 24;
/** A signed varint of one or two bytes holds so much. */
const SHORT_STEPS_MAX = 0x1fff;
const AGE_MAX = 0xffffff;
const SLOTS_AT_FIRST = 1024;
const ASK_AGAIN_TICKS = 32;

export class UsualRecords {
  /** By slot, `LINE_WORDS` each. Replaced by new arrays when they grow. */
  lines = new Uint32Array(SLOTS_AT_FIRST * LINE_WORDS);
  wholeLines = new Uint32Array(SLOTS_AT_FIRST * LINE_WORDS);
  readonly #columns: AppearanceColumns;
  readonly #records: RecordCache;
  /**
   * Bits of a record's mask: the fields that all non-owners see, and the fields that only some of them see.
   */
  readonly #commonMask: number;
  readonly #variedMask: number;
  /** One bit per slot: slots with something fresh in the last tick, and in this one. */
  #restless = new Uint32Array(SLOTS_AT_FIRST / 32);
  #restlessNow = new Uint32Array(SLOTS_AT_FIRST / 32);
  readonly #batch = new Uint32Array(BATCH_MAX);
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
   * A slot that was fresh in the last tick will most likely be needed again, so its line is built now, in
   * slot order: this halves the cost of building lines one by one on demand. Every 32 ticks a slot is
   * skipped, to find out whether any client still needs it.
   */
  beginTick(tick: number): void {
    this.#tick = tick;
    const restless = this.#restless;
    this.#restless = this.#restlessNow;
    this.#restlessNow = restless.fill(0);
    const { ids } = this.#columns;
    const batch = this.#batch;
    let count = 0;
    for (let word = 0; word < this.#restless.length; word++) {
      if ((word + tick) % ASK_AGAIN_TICKS === 0) continue;
      let bits = this.#restless[word]!;
      for (; bits !== 0; bits &= bits - 1) batch[count++] = ids[word * 32 + 31 - Math.clz32(bits & -bits)]!;
      if (count > BATCH_MAX - 32) count = this.#prepareBatch(count);
    }
    this.#prepareBatch(count);
  }

  /** Builds the line of this entity's slot for this tick. */
  prepare(id: number): void {
    const slot = id >>> 10;
    if ((slot + 1) * LINE_WORDS > this.lines.length) this.#grow(slot + 1);
    // If nothing can be sent of the entity, the line fits no client.
    this.#put(slot, 0);
    this.lines[slot * LINE_WORDS + LINE_BYTES] = 0;
    this.#batch[0] = id;
    this.#prepareBatch(1);
  }

  /**
   * Builds the lines of the first `count` entities of the batch, without those of which nothing can be sent, and returns 0.
   * Most of them have only moved a short way: their records are written into the line at once, without a branch on the
   * length of a number.
   */
  #prepareBatch(count: number): number {
    const columns = this.#columns;
    const batch = this.#batch;
    const noticed = columns.noticeMany(batch, count, this.#tick);
    const { x, y, z, earlierX, earlierY, earlierZ, fresh, restedTick } = columns;
    const isFlat = columns.schema.dimensions === 2;
    const { lines } = this;
    const restless = this.#restlessNow;
    const tick = this.#tick;
    for (let i = 0; i < noticed; i++) {
      const slot = batch[i]!;
      const dx = sendable(x[slot]!) - earlierX[slot]!;
      const dy = sendable(y[slot]!) - earlierY[slot]!;
      const dz = isFlat ? 0 : sendable(z[slot]!) - earlierZ[slot]!;
      const isShort =
        Math.abs(dx) <= SHORT_STEPS_MAX && Math.abs(dy) <= SHORT_STEPS_MAX && Math.abs(dz) <= SHORT_STEPS_MAX;
      if (fresh[slot] !== POSITION_DELTA || !isShort) {
        this.#build(slot);
        continue;
      }
      const bytesX = shortBytes(dx);
      const bytesY = shortBytes(dy);
      const yAt = 8 + lengthBits(bytesX);
      let low = POSITION_DELTA | (bytesX << 8) | (bytesY << yAt);
      let high = bytesY >>> (32 - yAt);
      let bits = yAt + lengthBits(bytesY);
      if (!isFlat) {
        const bytesZ = shortBytes(dz);
        if (bits < 32) low |= bytesZ << bits;
        high |= bits < 32 ? bytesZ >>> (32 - bits) : bytesZ << (bits - 32);
        bits += lengthBits(bytesZ);
      }
      const age = Math.min(AGE_MAX, tick - restedTick[slot]!);
      const line = slot * LINE_WORDS;
      lines[line + LINE_TICK] = tick;
      lines[line + LINE_AGE_LENGTH] = (age << 8) | (bits >>> 3);
      lines[line + LINE_BYTES] = low;
      lines[line + LINE_BYTES + 1] = high;
      restless[slot >>> 5]! |= 1 << (slot & 31);
    }
    return 0;
  }

  #put(slot: number, ageLength: number): void {
    this.lines[slot * LINE_WORDS + LINE_TICK] = this.#tick;
    this.lines[slot * LINE_WORDS + LINE_AGE_LENGTH] = ageLength;
  }

  /** Builds the line of a slot whose entity has been noticed in this tick. */
  #build(slot: number): void {
    const columns = this.#columns;
    const fresh = columns.fresh[slot]!;
    const age = Math.min(AGE_MAX, this.#tick - columns.restedTick[slot]!) << 8;
    const mask = fresh & this.#commonMask;
    this.#put(slot, 0);
    const varied = fresh & this.#variedMask;
    this.lines[slot * LINE_WORDS + LINE_BYTES] = varied >>> FIELD_SHIFT;
    if (varied !== 0) return;
    if (mask === 0) {
      this.#put(slot, age);
      return;
    }
    const line = slot * LINE_WORDS;
    const length = this.#setBytes(this.lines, line, this.#records.recordOf(slot, mask, 0));
    if (length <= LENGTH_MAX) this.#put(slot, age | length);
    else this.lines[line + LINE_BYTES] = 0;
    this.#restlessNow[slot >>> 5]! |= 1 << (slot & 31);
  }

  /** Builds the second line of a slot whose first line is of this tick. */
  prepareWhole(slot: number): void {
    const { wholeLines } = this;
    const columns = this.#columns;
    const line = slot * LINE_WORDS;
    wholeLines[line + LINE_TICK] = this.#tick;
    wholeLines[line + LINE_AGE_LENGTH] = 0;
    if (columns.noticedTick[slot] !== this.#tick) return;
    const fresh = columns.fresh[slot]!;
    const isVaried = (fresh & this.#variedMask) !== 0;
    const common = fresh & this.#commonMask;
    const mask = isVaried ? common : (common & ~POSITION_DELTA) | POSITION_WHOLE;
    const length = mask === 0 ? 0 : this.#setBytes(wholeLines, line, this.#records.recordOf(slot, mask, 0));
    if (length > LENGTH_MAX) return;
    const rested = isVaried ? columns.restedTick[slot]! : columns.fieldsRestedTick(slot, this.#tick);
    wholeLines[line + LINE_AGE_LENGTH] = (Math.min(AGE_MAX, this.#tick - rested) << 8) | length;
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

/** The varint of a signed number of at most `SHORT_STEPS_MAX`: one byte, or two. */
function shortBytes(value: number): number {
  const rest = folded(value);
  const isLonger = (0x7f - rest) >>> 31;
  return (rest & 0x7f) | (isLonger << 7) | ((rest >>> 7) << 8);
}

/** Number of bits of such a varint: 8 or 16. */
function lengthBits(bytes: number): number {
  return 8 + ((bytes & 0x80) >>> 4);
}
