/**
 * A growing byte buffer: every message to a client is written into one.
 *
 * Numbers are varints: seven bits per byte, low bits first; the highest bit says that more bytes follow.
 * Signed numbers are zigzag-encoded first, so that small numbers of either sign are short. The buffer doubles
 * when it is full and is reused, so that a warm writer allocates nothing. A hot loop reserves room once and
 * writes to `bytes` itself.
 */

const encoder = new TextEncoder();
const scratch = new DataView(new ArrayBuffer(8));

export class ByteWriter {
  bytes: Uint8Array<ArrayBuffer>;
  /** On the same bytes. */
  view: DataView<ArrayBuffer>;
  /** Number of bytes written. */
  length = 0;

  constructor(initialBytes = 256) {
    this.bytes = new Uint8Array(initialBytes);
    this.view = new DataView(this.bytes.buffer);
  }

  clear(): void {
    this.length = 0;
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  /** `value` is an unsigned 32-bit integer: one to five bytes. */
  varint(value: number): void {
    this.reserve(5);
    this.length = putVarint(this.bytes, this.length, value);
  }

  /** `value` is a signed 32-bit integer. */
  signed(value: number): void {
    this.reserve(5);
    this.length = putSigned(this.bytes, this.length, value);
  }

  float32(value: number): void {
    scratch.setFloat32(0, value, true);
    this.#copy(4);
  }

  float64(value: number): void {
    scratch.setFloat64(0, value, true);
    this.#copy(8);
  }

  /** Writes UTF-8 after its length in bytes. Unpaired surrogates become U+FFFD. */
  text(value: string): void {
    this.raw(encoder.encode(value));
  }

  /** Writes bytes after their length. */
  raw(value: Uint8Array): void {
    this.varint(value.length);
    this.append(value);
  }

  /** Appends `value[from .. to)`, byte by byte: for a few bytes a call of `set` costs more. */
  append(value: Uint8Array, from = 0, to = value.length): void {
    this.reserve(to - from);
    const { bytes } = this;
    let at = this.length;
    for (let i = from; i < to; i++) bytes[at++] = value[i]!;
    this.length = at;
  }

  /** Inserts the content of `other` before what was written after `at`. */
  insert(at: number, other: ByteWriter): void {
    this.reserve(other.length);
    this.bytes.copyWithin(at + other.length, at, this.length);
    this.bytes.set(other.bytes.subarray(0, other.length), at);
    this.length += other.length;
  }

  /** Returns a copy that the caller may keep. Small copies share a buffer from Node's pool. */
  toBytes(): Uint8Array<ArrayBuffer> {
    const copy = Buffer.allocUnsafe(this.length);
    copy.set(this.bytes.subarray(0, this.length));
    return copy;
  }

  #copy(count: number): void {
    this.reserve(count);
    for (let i = 0; i < count; i++) this.bytes[this.length++] = scratch.getUint8(i);
  }
}

/**
 * Writes an unsigned 32-bit integer at `offset`, where five bytes must be free. Returns the offset after it.
 */
export function putVarint(bytes: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let rest = value >>> 0;
  while (rest >= 0x80) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

/** As `putVarint`, for a signed integer. */
export function putSigned(bytes: Uint8Array, offset: number, value: number): number {
  return putVarint(bytes, offset, folded(value));
}

/** Zigzag: a signed 32-bit integer as an unsigned one; 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4. */
export function folded(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}
