/**
 * The bytes of messages: a writer, and a reader for untrusted bytes.
 *
 * Numbers have fixed widths and are little-endian, so that any language can read them easily. A key is a first byte and what it
 * announces: 1 to 64, a string of that many bytes; 0x81 to 0x87, an integer of 1 to 7 bytes.
 *
 * The reader never throws: past the end, or at an invalid value, it becomes broken and returns zeros. `fault` says where.
 */
import { isUtf8 } from 'node:buffer';
import type { Key } from './key.ts';
import { KEY_BYTES_MAX } from './serve-format.ts';

const NUMBER_KEY = 0x80;
const NUMBER_BYTES_MAX = 7;
const A_KEY = `a key, whose first byte is 1 to ${KEY_BYTES_MAX} or 0x81 to 0x87`;

/** The bytes of a key for which `isKey` is true. */
export function keyBytes(key: Key): Uint8Array {
  if (typeof key === 'string') {
    const text = Buffer.from(key);
    return Buffer.concat([Uint8Array.of(text.length), text]);
  }
  const bytes = [];
  for (let rest = key; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  return Uint8Array.of(NUMBER_KEY + bytes.length, ...bytes);
}

export class MessageWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    const at = this.#grow(1);
    this.#bytes[at] = value;
  }

  uint16(value: number): void {
    const at = this.#grow(2);
    this.#bytes.writeUInt16LE(value, at);
  }

  /** A counter that has run for weeks wraps around to 0. */
  uint32(value: number): void {
    const at = this.#grow(4);
    this.#bytes.writeUInt32LE(value >>> 0, at);
  }

  float32(value: number): void {
    const at = this.#grow(4);
    this.#bytes.writeFloatLE(value, at);
  }

  float64(value: number): void {
    const at = this.#grow(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  key(key: Key): void {
    this.raw(keyBytes(key));
  }

  /** UTF-8 after its length in bytes, as u16. */
  text(value: string): void {
    const bytes = Buffer.from(value);
    this.uint16(bytes.length);
    this.raw(bytes);
  }

  raw(value: Uint8Array): void {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
  }

  /** Copies a few bytes: `from[start .. start + count)`. A call of `set` would cost more than the loop. */
  copy(from: Uint8Array, start: number, count: number): void {
    const at = this.#grow(count);
    const bytes = this.#bytes;
    for (let i = 0; i < count; i++) bytes[at + i] = from[start + i]!;
  }

  /** Returns the written bytes, which the caller may keep; the writer starts again. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  /** Makes room, and returns its offset. */
  #grow(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
    }
    return at;
  }
}

export class MessageReader {
  readonly #bytes: Buffer;
  #at = 0;
  #fault = '';

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isBroken(): boolean {
    return this.#fault !== '';
  }

  /** Where it broke, and what was expected there: `byte 12: expected ...`. Empty if it is not broken. */
  get fault(): string {
    return this.#fault;
  }

  /** All bytes were read and valid, or the reader is broken. */
  get isAtEnd(): boolean {
    return this.isBroken || this.#at === this.#bytes.length;
  }

  /** Marks the input as invalid. `at`: where the invalid value begins; default: the next byte. The first call counts. */
  breakOff(expected: string, at: number = this.#at): void {
    if (this.#fault === '') this.#fault = `byte ${at}: expected ${expected}`;
  }

  byte(): number {
    const at = this.#step(1);
    return at < 0 ? 0 : this.#bytes[at]!;
  }

  uint16(): number {
    const at = this.#step(2);
    return at < 0 ? 0 : this.#bytes.readUInt16LE(at);
  }

  uint32(): number {
    const at = this.#step(4);
    return at < 0 ? 0 : this.#bytes.readUInt32LE(at);
  }

  float32(): number {
    const at = this.#step(4);
    return at < 0 ? 0 : this.#bytes.readFloatLE(at);
  }

  float64(): number {
    const at = this.#step(8);
    return at < 0 ? 0 : this.#bytes.readDoubleLE(at);
  }

  key(): Key {
    const first = this.byte();
    if (first > NUMBER_KEY) return this.#numberKey(first - NUMBER_KEY);
    if (first === 0 || first > KEY_BYTES_MAX) this.breakOff(A_KEY, this.#at - 1);
    return this.#utf8(first);
  }

  /** A key, or undefined for a byte of 0. */
  keyOrNone(): Key | undefined {
    if (!this.isAtEnd && this.#bytes[this.#at] === 0) {
      this.#at++;
      return undefined;
    }
    return this.key();
  }

  /** @param maxBytes of its UTF-8. */
  text(maxBytes: number): string {
    const count = this.uint16();
    if (count > maxBytes) this.breakOff(`at most ${maxBytes} bytes of text, and not ${count}`, this.#at - 2);
    return this.#utf8(count);
  }

  #numberKey(count: number): number {
    if (count > NUMBER_BYTES_MAX) this.breakOff(A_KEY, this.#at - 1);
    const at = this.#step(count);
    if (at < 0) return 0;
    let value = 0;
    for (let i = count - 1; i >= 0; i--) value = value * 256 + this.#bytes[at + i]!;
    if (!Number.isSafeInteger(value)) this.breakOff('a key of at most 2^53 - 1', at - 1);
    return value;
  }

  #utf8(count: number): string {
    const at = this.#step(count);
    if (at < 0) return '';
    const bytes = this.#bytes.subarray(at, at + count);
    if (!isUtf8(bytes)) this.breakOff('UTF-8', at);
    return bytes.toString();
  }

  /** Offset of the next `count` bytes; -1 if there are not so many. */
  #step(count: number): number {
    const left = this.#bytes.length - this.#at;
    if (count > left) this.breakOff(`${count} more bytes, and the message has ${left}`);
    if (this.isBroken) return -1;
    this.#at += count;
    return this.#at - count;
  }
}
