/** The first message of a server: the token of the session, and the format of the frames that follow. */
import type { ByteCursor } from './byte-cursor.ts';
import { FrameError } from './byte-cursor.ts';
import { FIELDS_MAX, FORMAT_VERSION, SENSES_MAX, TOKEN_BYTES, WORLD_ID_BYTES } from './frame-format.ts';

/** Type of a field; `int` and `uint` have 32 bits. */
export type FieldType = 'bool' | 'int' | 'uint' | 'float32' | 'string';
/** A value of any type. */
export type FieldValue = boolean | number | string;

/** A field of entities, as the server declares it. */
export interface Field {
  /** Its name in `entity.fields`. */
  readonly name: string;
  /** Type of the value. */
  readonly type: FieldType;
}

/** The first message of a server. */
export interface Welcome {
  /** The server resumed the session of the given token. */
  readonly resumed: boolean;
  /** Token to resume the session with: a secret. */
  readonly token: Uint8Array;
  /**
   * Id of the world, as hex. Entity ids are valid in this world only: in another world the same ids mean
   * other entities.
   */
  readonly worldId: string;
  /** Time between two ticks, in milliseconds. */
  readonly tickMs: number;
  /** Number of coordinates of a position: 2 or 3. */
  readonly dimensions: number;
  /** World units per position step. */
  readonly positionStep: number;
  /** Bit i of an entity's senses is `senses[i]`. */
  readonly senses: readonly string[];
  /** In the order of the frame format. */
  readonly fields: readonly Field[];
  /**
   * The server drops inputs beyond this average rate (with a burst of some seconds); `sendInput` keeps to it.
   */
  readonly inputsPerSecond: number;
}

/** In the order of the frame format. */
export const FIELD_TYPES: readonly FieldType[] = ['bool', 'int', 'uint', 'float32', 'string'];

/** Reads a welcome after its kind byte. Throws `FrameError`. */
export function readWelcome(cursor: ByteCursor): Welcome {
  if (cursor.byte() !== FORMAT_VERSION) throw new FrameError('an invalid version');
  const flags = cursor.byte();
  const token = cursor.take(TOKEN_BYTES).slice();
  const worldId = Array.from(cursor.take(WORLD_ID_BYTES), hex).join('');
  const tickMs = cursor.float64();
  const positionStep = cursor.float64();
  const dimensions = cursor.byte();
  const senses = listOf(cursor, SENSES_MAX, () => cursor.text());
  const fields = listOf(cursor, FIELDS_MAX, () => {
    const type = FIELD_TYPES[cursor.byte()];
    if (type === undefined) throw new FrameError('an invalid type');
    return { name: cursor.text(), type };
  });
  const inputsPerSecond = cursor.float64();
  cursor.end();
  const isSound = tickMs > 0 && tickMs < 1e9 && positionStep > 0 && positionStep < 1e300;
  if (!isSound || !(inputsPerSecond > 0) || flags > 1 || (dimensions !== 2 && dimensions !== 3)) {
    throw new FrameError('an invalid value');
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
  if (count > max) throw new FrameError('too many entries');
  return Array.from({ length: count }, read);
}
