/**
 * Reads what `ByteWriter` wrote, from bytes that may come from any sender.
 *
 * Every read is checked against what is left of its section, before anything is allocated: bytes that claim a million
 * entities must contain them. A failed check is an `UmweltError` with the code given to the reader; it says where it
 * failed and what was expected.
 */
import { UmweltError, type UmweltErrorCode } from '../errors.ts';
import { type ColumnArray, tagOf } from './byte-writer.ts';
import { isLittleEndian, reverseElements } from './checksum.ts';

const CONSTRUCTORS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

type ColumnOf<K extends keyof typeof CONSTRUCTORS> = InstanceType<(typeof CONSTRUCTORS)[K]>;

/** A cursor over bytes from any sender: each read is checked, and throws the code given to the reader. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #code: UmweltErrorCode;
  #at = 0;
  #end: number;
  /** The sections entered, for messages. */
  #path = '';

  constructor(bytes: Uint8Array, code: UmweltErrorCode) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#code = code;
    this.#end = bytes.length;
  }

  /** Number of bytes left in the section, or in all. */
  get left(): number {
    return this.#end - this.#at;
  }

  /** Number of bytes read in all. */
  get position(): number {
    return this.#at;
  }

  /** One byte. */
  u8(): number {
    return this.#bytes[this.#take(1)];
  }

  /** 16 bits, unsigned. */
  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  /** 32 bits, unsigned. */
  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** A float32. */
  f32(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  /** A float64. */
  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  /** A byte of 0 or 1. */
  flag(): boolean {
    const value = this.u8();
    this.check(value <= 1, 'a flag of 0 or 1');
    return value === 1;
  }

  /** A whole number below `limit`. */
  below(limit: number, what: string): number {
    const value = this.u32();
    this.check(value < limit, `${what} below ${limit}`);
    return value;
  }

  /** Text, as `ByteWriter.text` writes it. */
  text(): string {
    const count = this.u32();
    const at = this.#take(2 * count);
    let text = '';
    // In pieces: a call takes a limited number of arguments.
    for (let from = 0; from < count; from += 4096) {
      const units = new Array<number>(Math.min(4096, count - from));
      for (let i = 0; i < units.length; i++) units[i] = this.#view.getUint16(at + 2 * (from + i), true);
      text += String.fromCharCode(...units);
    }
    return text;
  }

  /** Texts after their count, which is `most` at most. */
  texts(most: number): string[] {
    const count = this.below(most + 1, 'a count of names');
    const texts: string[] = [];
    for (let i = 0; i < count; i++) texts.push(this.text());
    return texts;
  }

  /** A column as a new array, with its count before it. */
  column<K extends keyof typeof CONSTRUCTORS>(kind: K): ColumnOf<K> {
    return this.elements(kind, this.u32());
  }

  /** As `column`, with a known count. */
  elements<K extends keyof typeof CONSTRUCTORS>(kind: K, count: number): ColumnOf<K> {
    this.expect(count * CONSTRUCTORS[kind].BYTES_PER_ELEMENT);
    const elements = new CONSTRUCTORS[kind](count);
    this.elementsInto(elements);
    return elements as ColumnOf<K>;
  }

  /** A column of u32 for reading only: a window on the bytes if they are aligned, else as `column`. */
  wordColumn(): Uint32Array {
    const count = this.u32();
    const isAligned = (this.#bytes.byteOffset + this.#at) % 4 === 0;
    if (!isLittleEndian || !isAligned) return this.elements('u32', count);
    const { buffer, byteOffset } = this.window(4 * count);
    return new Uint32Array(buffer, byteOffset, count);
  }

  /** Fills `out` with elements, without a count. */
  elementsInto(out: ColumnArray): void {
    const at = this.#take(out.byteLength);
    const bytes = new Uint8Array(out.buffer, out.byteOffset, out.byteLength);
    bytes.set(this.#bytes.subarray(at, at + out.byteLength));
    if (!isLittleEndian) reverseElements(bytes, out.BYTES_PER_ELEMENT);
  }

  /** A window on the next bytes, unchanged. */
  window(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  /** Reads a section with that tag; `read` must read all of its body. */
  section<T>(tag: string, read: () => T): T {
    const found = this.u32();
    this.check(found === tagOf(tag), `the section ${tag}`);
    const length = this.u32();
    this.expect(length);
    const [outerEnd, outerPath] = [this.#end, this.#path];
    this.#end = this.#at + length;
    this.#path += `${tag}: `;
    const result = read();
    this.finish();
    this.#end = outerEnd;
    this.#path = outerPath;
    while (this.#at % 4 !== 0) this.check(this.u8() === 0, '0');
    return result;
  }

  /** Length of the body of a section ahead; 0 if no section has that tag. */
  bytesOfSection(tag: string): number {
    for (let at = this.#at; at + 8 <= this.#end; ) {
      const length = this.#view.getUint32(at + 4, true);
      if (this.#view.getUint32(at, true) === tagOf(tag)) return Math.min(length, this.#end - at - 8);
      at += 8 + Math.ceil(length / 4) * 4;
    }
    return 0;
  }

  /** Throws unless all bytes were read. */
  finish(): void {
    this.check(this.left === 0, `the end, not ${this.left} bytes more`);
  }

  /** Throws unless that many bytes are left. */
  expect(count: number): void {
    this.check(count <= this.left, `${count} bytes, not ${this.left}`);
  }

  /** Throws unless the condition holds. `expected` says what should have been there. */
  check(isSo: boolean, expected: string): asserts isSo {
    if (!isSo) throw this.fault(expected);
  }

  /** Returns what `make` returns; an `UmweltError` in it becomes an error of the bytes. */
  accepted<T>(expected: string, make: () => T): T {
    try {
      return make();
    } catch (error) {
      if (error instanceof UmweltError) throw this.fault(`${expected}: ${error.message}`);
      throw error;
    }
  }

  /** The error that says what was expected here. */
  fault(expected: string): UmweltError {
    return new UmweltError(this.#code, `${this.#path}at byte ${this.#at}: expected ${expected}`, {
      index: this.#at,
    });
  }

  #take(count: number): number {
    if (count > this.left) this.expect(count);
    const at = this.#at;
    this.#at += count;
    return at;
  }
}
