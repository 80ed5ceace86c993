/**
 * Reads the messages of clients from untrusted bytes.
 *
 * The reader never throws: for anything that is not exactly one message, with nothing missing, left over, or
 * beyond the limits, it returns `undefined`. It allocates no more than the bytes it was given.
 */
import {
  ACK,
  CREDENTIAL_MAX_BYTES,
  FORMAT_VERSION,
  FORMAT_VERSION_OLDEST,
  HELLO,
  INPUT,
  PING,
  TOKEN_BYTES,
} from './frame-format.ts';

export type ClientMessage =
  | {
      readonly kind: 'hello';
      /** Version of the frame format that the client speaks. */
      readonly version: number;
      /** Token of the session to resume; empty for a new session. */
      readonly token: Uint8Array;
      /** Tick of the newest frame that the client has taken in; 0 for none. */
      readonly lastTick: number;
      readonly credential: string;
    }
  | { readonly kind: 'input'; readonly number: number; readonly payload: Uint8Array }
  | { readonly kind: 'ack'; readonly tick: number }
  | { readonly kind: 'ping'; readonly number: number }
  | { readonly kind: 'other version' };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Position in the bytes; -1 once they have turned out to be malformed. */
class Cursor {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  byte(): number {
    if (this.at < 0 || this.at >= this.bytes.length) {
      this.at = -1;
      return 0;
    }
    return this.bytes[this.at++] as number;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value > 0xffffffff) this.at = -1;
        return this.at < 0 ? 0 : value;
      }
    }
    this.at = -1;
    return 0;
  }

  take(count: number): Uint8Array {
    if (this.at < 0 || count > this.bytes.length - this.at) {
      this.at = -1;
      return new Uint8Array(0);
    }
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }
}

/** The message in `bytes`, whose arrays are views of them; `undefined` if they are malformed. */
export function readClientMessage(bytes: Uint8Array): ClientMessage | undefined {
  const cursor = new Cursor(bytes);
  const kind = cursor.byte();
  if (kind === HELLO) return readHello(cursor);
  if (kind === INPUT) {
    const number = cursor.varint();
    const payload = cursor.take(bytes.length - cursor.at);
    return cursor.at < 0 ? undefined : { kind: 'input', number, payload };
  }
  if (kind === ACK) {
    const tick = cursor.varint();
    return cursor.isAtEnd ? { kind: 'ack', tick } : undefined;
  }
  if (kind === PING) {
    const number = cursor.varint();
    return cursor.isAtEnd ? { kind: 'ping', number } : undefined;
  }
  return undefined;
}

function readHello(cursor: Cursor): ClientMessage | undefined {
  const version = cursor.byte();
  if (cursor.at < 0) return undefined;
  // The rest depends on the version.
  if (version < FORMAT_VERSION_OLDEST || version > FORMAT_VERSION) return { kind: 'other version' };
  const tokenBytes = cursor.byte();
  if (tokenBytes !== 0 && tokenBytes !== TOKEN_BYTES) return undefined;
  const token = cursor.take(tokenBytes);
  const lastTick = cursor.varint();
  const credentialBytes = cursor.varint();
  if (credentialBytes > CREDENTIAL_MAX_BYTES) return undefined;
  const credential = text(cursor.take(credentialBytes));
  if (!cursor.isAtEnd || credential === undefined) return undefined;
  return { kind: 'hello', version, token, lastTick, credential };
}

function text(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
