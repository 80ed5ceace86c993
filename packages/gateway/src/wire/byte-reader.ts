/**
 * Reads what `ByteWriter` wrote, from our own bytes, which may be truncated or corrupted. Throws
 * `ByteRangeError` instead of reading past the end.
 *
 * Messages of clients are read by another reader, which never throws.
 */

/** There are fewer bytes than requested, or they are not a valid value. */
export class ByteRangeError extends Error {
  override readonly name = 'ByteRangeError';
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#skip(1)]!;
  }

  /** An unsigned 32-bit integer. */
  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte >= 0x80) continue;
      if (value >= 2 ** 32) break;
      return value;
    }
    throw new ByteRangeError('a number is longer than 32 bits');
  }

  /** A signed 32-bit integer. */
  signed(): number {
    const folded = this.varint();
    return (folded >>> 1) ^ -(folded & 1);
  }

  float32(): number {
    return this.#view.getFloat32(this.#skip(4), true);
  }

  float64(): number {
    return this.#view.getFloat64(this.#skip(8), true);
  }

  text(): string {
    try {
      return decoder.decode(this.take(this.varint()));
    } catch (error) {
      throw error instanceof ByteRangeError ? error : new ByteRangeError('a text is not UTF-8');
    }
  }

  /** A view of the bytes, not a copy. */
  take(count: number): Uint8Array {
    const start = this.#skip(count);
    return this.#bytes.subarray(start, start + count);
  }

  #skip(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) throw new ByteRangeError('the bytes end too early');
    this.#at += count;
    return start;
  }
}
