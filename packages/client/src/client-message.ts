/** Encodes the messages of a client: hello, input, ack, ping. */
import { ACK, FORMAT_VERSION, HELLO, INPUT, PING } from './frame-format.ts';

const encoder = new TextEncoder();

/** `token` is the token of the session to resume, or empty. `lastTick` is 0 if the client has nothing. */
export function writeHello(
  token: Uint8Array | readonly number[],
  lastTick: number,
  credential: string,
): Uint8Array {
  const text = encoder.encode(credential);
  const head = [HELLO, FORMAT_VERSION, token.length, ...token, ...varint(lastTick), ...varint(text.length)];
  return joined(head, text);
}

export function writeInput(number: number, payload: Uint8Array): Uint8Array {
  return joined([INPUT, ...varint(number)], payload);
}

export function writeAck(tick: number): Uint8Array {
  return joined([ACK, ...varint(tick)]);
}

export function writePing(number: number): Uint8Array {
  return joined([PING, ...varint(number)]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}

function joined(head: readonly number[], tail: ArrayLike<number> = []): Uint8Array {
  const bytes = new Uint8Array(head.length + tail.length);
  bytes.set(head);
  bytes.set(tail, head.length);
  return bytes;
}
