/**
 * Notes: data that the recording program stores beside the calls. Titles, names, the time; umwelt does not read them.
 *
 *   | name: count u32, u16 each | bytes to the end |
 *
 * Writer and reader side by side. A note does not affect the world, and no replay depends on one.
 */
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { badOption } from '../errors.ts';

export interface Note {
  readonly name: string;
  /** A window on the recording. */
  readonly bytes: Uint8Array;
}

const NAME_MAX = 64;
const BYTES_MAX = 1 << 24;

/** A note as the body of a chunk. Throws `BAD_OPTION`. */
export function noteBytes(name: string, bytes: Uint8Array): Uint8Array {
  if (typeof name !== 'string' || name.length === 0 || name.length > NAME_MAX) {
    throw badOption('name', name, `a text of 1 to ${NAME_MAX} characters`);
  }
  if (!(bytes instanceof Uint8Array) || bytes.length > BYTES_MAX) {
    throw badOption('bytes', bytes, `at most ${BYTES_MAX} bytes`);
  }
  const writer = new ByteWriter(4 + 2 * name.length + bytes.length);
  writer.text(name);
  writer.elements(bytes);
  return writer.bytes.slice();
}

/** Throws `BAD_TRACE`. */
export function readNote(body: Uint8Array): Note {
  const reader = new ByteReader(body, 'BAD_TRACE');
  const name = reader.text();
  return { name, bytes: reader.window(reader.left) };
}
