/**
 * The bytes of messages: what writes them, and what reads them from anyone.
 *
 * Numbers have fixed widths and are little-endian, so that a caller in any language can use what it has. A key is one byte and
 * what that announces: 1 to 64, a text of so many bytes; 0x81 to 0x87, a whole number of 1 to 7 bytes.
 *
 * The reader is total: past the end, or where something is not what it should be, it turns broken and answers zeros.
 */
import { isUtf8 } from 'node:buffer';
import type { Key } from './key.ts';
import { KEY_BYTES_MAX } from './serve-format.ts';

const NUMBER_KEY = 0x80;
const NUMBER_BYTES_MAX = 7;

/** The bytes of a key, which `isKey`. */
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

  /** A count that has gone on for weeks begins again at 0. */
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

  /** UTF-8 after its length in bytes, which two bytes hold. */
  text(value: string): void {
    const bytes = Buffer.from(value);
    this.uint16(bytes.length);
    this.raw(bytes);
  }

  raw(value: Uint8Array): void {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
  }

  /** A few bytes out of many: `from[start .. start + count)`. A call of `set` would cost more than they do. */
  copy(from: Uint8Array, start: number, count: number): void {
    const at = this.#grow(count);
    const bytes = this.#bytes;
    for (let i = 0; i < count; i++) bytes[at + i] = from[start + i]!;
  }

  /** What was written, for whoever keeps it; the writer begins anew. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  /** Makes room, and answers where it begins. */
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
  #isBroken = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** All was read, and made sense; or nothing more can be read. */
  get isAtEnd(): boolean {
    return this.#isBroken || this.#at === this.#bytes.length;
  }

  /** Says that what was read is not what it should be. */
  breakOff(): void {
    this.#isBroken = true;
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
    if (first === 0 || first > KEY_BYTES_MAX) this.breakOff();
    return this.#utf8(first);
  }

  /** A key, or a byte of 0 where there is none. */
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
    if (count > maxBytes) this.breakOff();
    return this.#utf8(count);
  }

  #numberKey(count: number): number {
    if (count > NUMBER_BYTES_MAX) this.breakOff();
    const at = this.#step(count);
    if (at < 0) return 0;
    let value = 0;
    for (let i = count - 1; i >= 0; i--) value = value * 256 + this.#bytes[at + i]!;
    if (!Number.isSafeInteger(value)) this.breakOff();
    return value;
  }

  #utf8(count: number): string {
    const at = this.#step(count);
    if (at < 0) return '';
    const bytes = this.#bytes.subarray(at, at + count);
    if (!isUtf8(bytes)) this.breakOff();
    return bytes.toString();
  }

  /** Where the next `count` bytes are; -1 where there are none. */
  #step(count: number): number {
    if (this.#isBroken || count > this.#bytes.length - this.#at) {
      this.#isBroken = true;
      return -1;
    }
    this.#at += count;
    return this.#at - count;
  }
}
