/** Reads numbers and text from untrusted bytes. Throws `FrameError` instead of reading past the end. */

/** The bytes are not a message of this format, or do not fit the state of the client. */
export class FrameError extends Error {
  /** Identifies the error where `instanceof` cannot. */
  override readonly name = 'FrameError';
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class ByteCursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    return this.#bytes[this.#skip(1)] as number;
  }

  /** An unsigned 32-bit integer in one to five bytes. */
  varint(): number {
    let value = this.byte();
    // The fast path: nearly all numbers are short.
    if (value < 128) return value;
    value &= 127;
    for (let factor = 128; factor <= 2 ** 28; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) {
        if (value >= 2 ** 32) break;
        return value;
      }
    }
    throw new FrameError('an invalid number');
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
      return decoder.decode(this.raw());
    } catch (error) {
      throw error instanceof FrameError ? error : new FrameError('an invalid text');
    }
  }

  /** Bytes after their length as a varint. */
  raw(): Uint8Array {
    return this.take(this.varint());
  }

  take(count: number): Uint8Array {
    const start = this.#skip(count);
    return this.#bytes.subarray(start, start + count);
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new FrameError('a message is too long');
  }

  #skip(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) throw new FrameError('a message is too short');
    this.#at += count;
    return start;
  }
}
