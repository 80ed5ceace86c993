/**
 * What a checkpoint holds: the state of a replica, and before it the name of the log that the state was made from.
 *
 *   | 'umwl' | name of the log: text | the state to the end |      the state alone if its log has no name
 *
 * An empty log says nothing about its world: it may be new, or its broker has lost it. Where a store is used by two worlds by
 * mistake, only the name tells that a checkpoint is of the other one.
 */
import { ByteReader, ByteWriter } from 'umwelt/bytes';

const MAGIC = 0x6c776d75;

export function writeCheckpoint(state: Uint8Array, log: string | undefined): Uint8Array {
  if (log === undefined) return state;
  const writer = new ByteWriter(state.length + 4 * log.length + 16);
  writer.u32(MAGIC);
  writer.text(log);
  writer.elements(state);
  return writer.bytes.slice();
}

/** `log`: `undefined` if the checkpoint names none. Throws `BAD_SNAPSHOT`. */
export function readCheckpoint(bytes: Uint8Array): {
  readonly log: string | undefined;
  readonly state: Uint8Array;
} {
  const reader: ByteReader = new ByteReader(bytes, 'BAD_SNAPSHOT');
  if (reader.u32() !== MAGIC) return { log: undefined, state: bytes };
  const log = reader.text();
  return { log, state: reader.window(reader.left) };
}
