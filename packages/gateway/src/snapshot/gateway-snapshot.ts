/**
 * The snapshot of a gateway: the values that the game set, what each client has received, and the sessions. A
 * gateway restored from it, on the world restored from the same moment, continues where this one stopped.
 *
 *   | 'umwg' | version u8 | body | checksum: 8 bytes of the SHA-256 of all before |
 *   body: tick, world id, schema, columns, sessions
 *
 * Only the hash of a token is stored, so a reader of the bytes cannot take over a session. Bytes that are
 * truncated, altered or not a snapshot, or that are of another moment than the world, throw `BAD_SNAPSHOT`.
 * Cost: O(entities + rows).
 */
import { createHash } from 'node:crypto';
import { UmweltError } from 'umwelt';
import type { AppearanceColumns } from '../appearance/appearance-columns.ts';
import type { Session } from '../sessions/session.ts';
import type { StoredSession } from '../sessions/stored-session.ts';
import { adoptWorldId, worldIdOf } from '../sessions/world-id.ts';
import { ClientView } from '../views/client-view.ts';
import { ByteRangeError, ByteReader } from '../wire/byte-reader.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { WORLD_ID_BYTES } from '../wire/frame-format.ts';
import { readColumns, readSchemaBytes, writeColumns, writeSchema } from './stored-columns.ts';
import { readView, writeView } from './stored-view.ts';

const MAGIC = new TextEncoder().encode('umwg');
/** This version did not store which of the departed entities had been removed. */
const FIRST_VERSION = 1;
/** This one did not store the last turns of fields with a rate. */
const SECOND_VERSION = 2;
const VERSION = 3;
const CHECKSUM_BYTES = 8;
const KEY_BYTES = 32;

/**
 * As of the world's last tick, which must have been published. Throws `BAD_OPTION` for a session whose data
 * is not JSON.
 */
export function writeGatewaySnapshot(columns: AppearanceColumns, sessions: Iterable<Session>): Uint8Array {
  const { world, schema } = columns;
  const writer = new ByteWriter(1 << 16);
  writer.append(MAGIC);
  writer.byte(VERSION);
  writer.varint(world.tickCount);
  writer.append(worldIdOf(world));
  writeSchema(writer, schema);
  writeColumns(writer, columns);
  for (const session of sessions) {
    writer.byte(1);
    writer.append(Buffer.from(session.key, 'hex'));
    writer.text(session.address);
    writer.varint(session.inputNumber);
    writer.float64(session.budget.bytesPerSecond);
    writer.byte(session.isProven ? 1 : 0);
    writer.text(textOf(session));
    writeView(writer, session.view);
  }
  writer.byte(0);
  writer.append(checksumOf(writer.bytes.subarray(0, writer.length)));
  return writer.toBytes();
}

/** Fills empty columns and returns the sessions. Throws `BAD_SNAPSHOT`. */
export function readGatewaySnapshot(bytes: Uint8Array, columns: AppearanceColumns): StoredSession[] {
  const body = checkedBody(bytes);
  const { world } = columns;
  try {
    const reader = new ByteReader(body);
    const tick = reader.varint();
    if (tick !== world.tickCount) {
      throw badSnapshot(`it is of tick ${tick}; expected ${world.tickCount}, the world's`, tick);
    }
    const worldId = reader.take(WORLD_ID_BYTES);
    const stored = readSchemaBytes(reader, columns.schema);
    readColumns(reader, columns, stored, (bytes[MAGIC.length] ?? 0) > SECOND_VERSION);
    const sessions: StoredSession[] = [];
    const saysRemoved = bytes[MAGIC.length] !== FIRST_VERSION;
    while (reader.byte() !== 0) sessions.push(readSession(reader, saysRemoved));
    if (!reader.isAtEnd) throw new ByteRangeError('bytes are left over after its end');
    for (const { view } of sessions) {
      if (!stored.isSame) view.mustResync = true;
      view.rows.adjust(columns.schema, tick);
    }
    adoptWorldId(world, worldId);
    return sessions;
  } catch (error) {
    throw error instanceof ByteRangeError ? badSnapshot(error.message) : error;
  }
}

function readSession(reader: ByteReader, saysRemoved: boolean): StoredSession {
  const key = Buffer.from(reader.take(KEY_BYTES)).toString('hex');
  const address = reader.text();
  const inputNumber = reader.varint();
  const bytesPerSecond = reader.float64();
  const isProven = reader.byte() !== 0;
  const text = reader.text();
  const view = new ClientView();
  const watcher = readView(reader, view, saysRemoved);
  const data: unknown = text === '' ? undefined : JSON.parse(text);
  return { key, address, inputNumber, bytesPerSecond, isProven, data, watcher, view };
}

function textOf({ watcher, data }: Session): string {
  try {
    return JSON.stringify(data) ?? '';
  } catch (error) {
    const message = `data of the session of watcher ${watcher} is not JSON (${(error as Error).message}); expected data that JSON can store`;
    throw new UmweltError('BAD_OPTION', message, { field: 'data', id: watcher, value: data });
  }
}

function checkedBody(bytes: Uint8Array): Uint8Array {
  const head = MAGIC.length + 1;
  if (!(bytes instanceof Uint8Array)) throw badSnapshot('it is no Uint8Array');
  if (bytes.length < head + CHECKSUM_BYTES || MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw badSnapshot('it does not start with the header of a snapshot');
  }
  const version = bytes[MAGIC.length];
  if (version === undefined || version < FIRST_VERSION || version > VERSION) {
    throw badSnapshot(`its version is ${version}; expected ${FIRST_VERSION} to ${VERSION}`, version);
  }
  const end = bytes.length - CHECKSUM_BYTES;
  const checksum = checksumOf(bytes.subarray(0, end));
  if (checksum.some((byte, i) => bytes[end + i] !== byte)) throw badSnapshot('it was truncated or altered');
  return bytes.subarray(head, end);
}

function checksumOf(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest().subarray(0, CHECKSUM_BYTES);
}

function badSnapshot(why: string, value?: number): UmweltError {
  const message = `bytes is not a snapshot of a gateway on this world: ${why}`;
  return new UmweltError('BAD_SNAPSHOT', message, { field: 'bytes', value });
}
