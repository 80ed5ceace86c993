/**
 * A growing byte buffer for writing snapshots and recordings. Its counterpart is `ByteReader`.
 *
 * Everything is little-endian and unaligned. A column is its count and then its elements as in memory; text is
 * UTF-16, so that any string is restored unchanged. A section is a tag of four letters, the length of its body in
 * bytes, the body, and zeros up to a multiple of 4: a reader that expected something else notices at once.
 *
 *   | tag u32 | length u32 | body ... | 0 |   column: | count u32 | elements ... |       text: a column of u16
 *
 * Memory: doubles when full, up to 2^32 - 1 bytes; beyond, `CAPACITY`. Cost: a copy of each column.
 */
import { UmweltError } from '../errors.ts';
import { isLittleEndian, reverseElements } from './checksum.ts';

/** Arrays that can be written as a column. */
export type ColumnArray = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

const MAX_BYTES = 0xffff_ffff;

/** A growing byte buffer; `ByteReader` reads it. Throws `CAPACITY` beyond 4 GiB. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  /** `capacity`: bytes that it has room for at first; it grows. 1,024 unless given. */
  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Number of bytes written. */
  get length(): number {
    return this.#length;
  }

  /** The bytes written: a window on the buffer, valid until more is written. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Clears the buffer; its room is kept. */
  clear(): void {
    this.#length = 0;
  }

  /** One byte. */
  u8(value: number): void {
    const at = this.#take(1);
    this.#bytes[at] = value;
  }

  /** 16 bits, unsigned. */
  u16(value: number): void {
    const at = this.#take(2);
    this.#view.setUint16(at, value, true);
  }

  /** 32 bits, unsigned. */
  u32(value: number): void {
    const at = this.#take(4);
    this.#view.setUint32(at, value, true);
  }

  /** A float32. */
  f32(value: number): void {
    const at = this.#take(4);
    this.#view.setFloat32(at, value, true);
  }

  /** A float64. */
  f64(value: number): void {
    const at = this.#take(8);
    this.#view.setFloat64(at, value, true);
  }

  /** A byte of 0 or 1. */
  flag(value: boolean): void {
    this.u8(value ? 1 : 0);
  }

  /** Any text: its length, then its UTF-16 units. */
  text(value: string): void {
    this.u32(value.length);
    // Unit by unit: most texts are names, and a column of their own takes ten times as long as they do.
    const at = this.#take(2 * value.length);
    for (let i = 0; i < value.length; i++) this.#view.setUint16(at + 2 * i, value.charCodeAt(i), true);
  }

  /** Texts after their count. */
  texts(values: readonly string[]): void {
    this.u32(values.length);
    for (const value of values) this.text(value);
  }

  /** A column: its count, then its elements. */
  column(elements: ColumnArray): void {
    this.u32(elements.length);
    this.elements(elements);
  }

  /** Elements without their count. */
  elements(elements: ColumnArray): void {
    const at = this.#take(elements.byteLength);
    this.#bytes.set(new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength), at);
    if (!isLittleEndian) {
      reverseElements(this.#bytes.subarray(at, at + elements.byteLength), elements.BYTES_PER_ELEMENT);
    }
  }

  /** Writes a section; `write` writes its body. `tag` is four letters. */
  section(tag: string, write: () => void): void {
    this.u32(tagOf(tag));
    const lengthAt = this.#take(4);
    write();
    this.#view.setUint32(lengthAt, this.#length - lengthAt - 4, true);
    while (this.#length % 4 !== 0) this.u8(0);
  }

  /** Makes room for `count` bytes and returns where it begins. */
  #take(count: number): number {
    const at = this.#length;
    const needed = at + count;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#length = needed;
    return at;
  }

  #grow(needed: number): void {
    if (needed > MAX_BYTES) {
      throw new UmweltError('CAPACITY', `${needed} bytes would be written, expected at most ${MAX_BYTES}`, {
        value: needed,
      });
    }
    const grown = new Uint8Array(Math.min(MAX_BYTES, Math.max(needed, this.#bytes.length * 2)));
    grown.set(this.bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** The word of four letters: the first letter in the lowest byte. */
export function tagOf(tag: string): number {
  let word = 0;
  for (let i = 3; i >= 0; i--) word = word * 256 + (tag.charCodeAt(i) & 255);
  return word;
}
