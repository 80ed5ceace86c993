/**
 * Encodes an entity once per tick, for any number of clients that receive it.
 *
 * A record is a mask and the values that the mask names. In a tick nearly all clients that receive an entity
 * need the same mask. Other clients (with another update rate, behind, or allowed to see more) need other
 * masks; each record is encoded on first use. The records of a slot in this tick form a linked list, in the
 * order of their first use. The caller copies the bytes.
 *
 * Memory: the bytes of one tick, 20 bytes per record and 8 per slot. All are reused for the next tick.
 */
import { ByteWriter, putSigned, putVarint } from '../wire/byte-writer.ts';
import { FIELD_SHIFT, HIDE, POSITION_DELTA, POSITION_WHOLE } from '../wire/frame-format.ts';
import { type AppearanceColumns, sendable } from './appearance-columns.ts';

const RECORDS_AT_FIRST = 1024;
const MASKS_AND_POSITION_BYTES = 25;

export class RecordCache {
  readonly #columns: AppearanceColumns;
  readonly #writer = new ByteWriter(1 << 16);
  /** By slot: the first record of the list, valid if `#headTick` is this tick. */
  #head = new Int32Array(0);
  #headTick = new Uint32Array(0);
  /** By record. */
  #masks = new Uint32Array(RECORDS_AT_FIRST);
  #hidden = new Uint32Array(RECORDS_AT_FIRST);
  #next = new Int32Array(RECORDS_AT_FIRST);
  /** Start of the record in `bytes`; it ends where the next one starts. */
  #starts = new Uint32Array(RECORDS_AT_FIRST + 1);
  #count = 0;
  #tick = 0;

  constructor(columns: AppearanceColumns) {
    this.#columns = columns;
  }

  /** The bytes of all records of this tick. A new buffer after it has grown. */
  get bytes(): Uint8Array {
    return this.#writer.bytes;
  }

  /** Number of records encoded in this tick. */
  get count(): number {
    return this.#count;
  }

  get starts(): Uint32Array {
    return this.#starts;
  }

  beginTick(tick: number): void {
    this.#tick = tick;
    this.#count = 0;
    this.#writer.clear();
  }

  /**
   * The record with the values that `mask` names, and with the fields `hidden` that the client no longer
   * sees.
   */
  recordOf(slot: number, mask: number, hidden: number): number {
    if (slot >= this.#head.length) this.#growSlots(slot + 1);
    const first = this.#headTick[slot] === this.#tick ? this.#head[slot]! : -1;
    let last = -1;
    for (let record = first; record >= 0; record = this.#next[record]!) {
      if (this.#masks[record] === mask && this.#hidden[record] === hidden) return record;
      last = record;
    }
    const record = this.#encode(slot, mask, hidden);
    if (last >= 0) this.#next[last] = record;
    else {
      this.#head[slot] = record;
      this.#headTick[slot] = this.#tick;
    }
    return record;
  }

  #encode(slot: number, mask: number, hidden: number): number {
    if (this.#count === this.#masks.length) this.#growRecords();
    const record = this.#count++;
    this.#masks[record] = mask;
    this.#hidden[record] = hidden;
    this.#next[record] = -1;
    this.#starts[record] = this.#writer.length;
    this.#write(slot, mask, hidden);
    this.#starts[record + 1] = this.#writer.length;
    return record;
  }

  #write(slot: number, mask: number, hidden: number): void {
    const writer = this.#writer;
    const columns = this.#columns;
    const { fields, dimensions } = columns.schema;
    writer.reserve(MASKS_AND_POSITION_BYTES);
    const { bytes } = writer;
    let at = putVarint(bytes, writer.length, hidden === 0 ? mask : mask | HIDE);
    if (hidden !== 0) at = putVarint(bytes, at, hidden);
    if ((mask & (POSITION_DELTA | POSITION_WHOLE)) !== 0) {
      // A whole position is the difference from 0.
      const isDelta = (mask & POSITION_DELTA) !== 0;
      at = putSigned(bytes, at, sendable(columns.x[slot]!) - (isDelta ? columns.earlierX[slot]! : 0));
      at = putSigned(bytes, at, sendable(columns.y[slot]!) - (isDelta ? columns.earlierY[slot]! : 0));
      if (dimensions === 3)
        at = putSigned(bytes, at, sendable(columns.z[slot]!) - (isDelta ? columns.earlierZ[slot]! : 0));
    }
    writer.length = at;
    for (let rest = mask >>> FIELD_SHIFT, field = 0; rest !== 0; rest >>>= 1, field++) {
      if ((rest & 1) !== 0) this.#writeField(slot, field, fields[field]!.type);
    }
  }

  #writeField(slot: number, field: number, type: string): void {
    const writer = this.#writer;
    if (type === 'string') {
      writer.text(this.#columns.texts[field]![slot] ?? '');
      return;
    }
    const value = this.#columns.numbers[field]![slot]!;
    if (type === 'bool') writer.byte(value);
    else if (type === 'int') writer.signed(value);
    else if (type === 'uint') writer.varint(value);
    else writer.float32(value);
  }

  #growSlots(needed: number): void {
    const size = Math.max(needed, this.#head.length * 2, RECORDS_AT_FIRST);
    const head = new Int32Array(size);
    const headTick = new Uint32Array(size);
    head.set(this.#head);
    headTick.set(this.#headTick);
    this.#head = head;
    this.#headTick = headTick;
  }

  #growRecords(): void {
    const size = this.#masks.length * 2;
    const grown = (old: Uint32Array, length: number): Uint32Array<ArrayBuffer> => {
      const column = new Uint32Array(length);
      column.set(old);
      return column;
    };
    this.#masks = grown(this.#masks, size);
    this.#hidden = grown(this.#hidden, size);
    this.#starts = grown(this.#starts, size + 1);
    const next = new Int32Array(size);
    next.set(this.#next);
    this.#next = next;
  }
}
