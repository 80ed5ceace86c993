/**
 * The first message of a server: the token to come back with, and what the frames after it are made of.
 */
import type { ByteCursor } from './byte-cursor.ts';
import { FrameError } from './byte-cursor.ts';
import { FIELDS_MAX, FORMAT_VERSION, SENSES_MAX, TOKEN_BYTES, WORLD_ID_BYTES } from './frame-format.ts';

/** What a field holds; `int` and `uint` have 32 bits. */
export type FieldType = 'bool' | 'int' | 'uint' | 'float32' | 'string';
/** A value of any of them. */
export type FieldValue = boolean | number | string;

/** A field of entities, as the server declares it. */
export interface Field {
  /** As in `entity.fields`. */
  readonly name: string;
  /** What it holds. */
  readonly type: FieldType;
}

/** What a server says first. */
export interface Welcome {
  /** The server goes on with the session whose token it was given. */
  readonly resumed: boolean;
  /** What to come back with: a secret. */
  readonly token: Uint8Array;
  /** Ids are those of this world: in another one they stand for others. As hex. */
  readonly worldId: string;
  /** Time from tick to tick, in milliseconds. */
  readonly tickMs: number;
  readonly dimensions: number;
  /** World units of one step of a position. */
  readonly positionStep: number;
  /** Bit i of an entity's senses is `senses[i]`. */
  readonly senses: readonly string[];
  /** In the order of the frames. */
  readonly fields: readonly Field[];
  /** The server drops inputs that are more than this, on the average of some seconds; `sendInput` keeps to it. */
  readonly inputsPerSecond: number;
}

const TYPES: readonly FieldType[] = ['bool', 'int', 'uint', 'float32', 'string'];

/** After the byte that says what kind it is. Throws `FrameError`. */
export function readWelcome(cursor: ByteCursor): Welcome {
  if (cursor.byte() !== FORMAT_VERSION) throw new FrameError('another version of the format');
  const flags = cursor.byte();
  const token = cursor.take(TOKEN_BYTES).slice();
  const worldId = Array.from(cursor.take(WORLD_ID_BYTES), hex).join('');
  const tickMs = cursor.float64();
  const positionStep = cursor.float64();
  const dimensions = cursor.byte();
  const senses = listOf(cursor, SENSES_MAX, () => cursor.text());
  const fields = listOf(cursor, FIELDS_MAX, () => {
    const type = TYPES[cursor.byte()];
    if (type === undefined) throw new FrameError('a field of no known type');
    return { name: cursor.text(), type };
  });
  const inputsPerSecond = cursor.float64();
  cursor.end();
  const isSound = tickMs > 0 && tickMs < 1e9 && positionStep > 0 && positionStep < 1e300;
  if (!isSound || !(inputsPerSecond > 0) || flags > 1 || (dimensions !== 2 && dimensions !== 3)) {
    throw new FrameError('a welcome without sense');
  }
  return {
    resumed: flags === 1,
    token,
    worldId,
    tickMs,
    dimensions,
    positionStep,
    senses,
    fields,
    inputsPerSecond,
  };
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function listOf<T>(cursor: ByteCursor, max: number, read: () => T): T[] {
  const count = cursor.byte();
  if (count > max) throw new FrameError(`${count} senses or fields, more than ${max}`);
  return Array.from({ length: count }, read);
}
