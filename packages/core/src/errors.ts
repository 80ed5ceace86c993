/**
 * `UmweltError`: the one error class that umwelt throws for mistakes of callers and for bad data.
 *
 * Each kind of mistake has one code. The message says what was given and what was expected; `details` carries the
 * same for programs. A call that throws it has changed nothing. A fault of umwelt's own is never an `UmweltError`: it
 * is an `assert` that names the broken invariant.
 */

/**
 * What went wrong: one code for each kind of mistake.
 *
 * Values that were given:
 *
 * - `BAD_OPTION`: a member of options, or an argument, is not of the expected kind or out of bounds
 * - `BAD_POSITION`: a coordinate is no number, or beyond 1e12
 * - `BAD_RANGE`: a range or another distance is no number, negative, or beyond 1e12
 * - `BAD_GAIN`: a gain is no number, or out of bounds
 * - `BAD_LAYERS`: a layer mask is no integer of 32 bits
 * - `BAD_SHAPE`: a shape of a query is incomplete, or a number of it out of bounds
 * - `BAD_ID`: no entity has ever had the id, or it cannot be used here
 * - `STALE_ID`: the entity was removed
 * - `UNKNOWN_SENSE`, `UNKNOWN_INTEREST`, `UNKNOWN_GROUP`, `UNKNOWN_DETECTOR`: nothing has this name
 * - `UNSUPPORTED`: two options, or an option and a call, do not go together; or another version wrote the bytes
 * - `BAD_SNAPSHOT`, `BAD_TRACE`: the bytes are no snapshot or recording, or are damaged
 *
 * The moment of the call:
 *
 * - `CAPACITY`: more memory, or more of something, is needed than there can be
 * - `REENTRANT_TICK`: a tick is under way
 * - `STALE_REPORT`: the report was overwritten by the next tick
 * - `DISPOSED`: `dispose` was called
 * - `WORKER_FAILED`: a worker thread failed; the next tick works without it
 *
 * Of a cluster's nodes:
 *
 * - `NOT_OWNED`: another node owns the entity
 * - `NOT_SHOWN`: this node does not show the watcher
 * - `KEY_TAKEN`: another entity has the key
 * - `SETTINGS_DIFFER`: nodes were given different settings
 * - `TOO_MUCH`: more bytes would wait for the log than may
 * - `LOG_DOWN`: the log, or the members, cannot be reached
 * - `BAD_RECORD`: bytes of the log are no record
 */
export type UmweltErrorCode =
  | 'BAD_OPTION'
  | 'BAD_POSITION'
  | 'BAD_RANGE'
  | 'BAD_GAIN'
  | 'BAD_LAYERS'
  | 'BAD_SHAPE'
  | 'BAD_ID'
  | 'STALE_ID'
  | 'UNKNOWN_SENSE'
  | 'UNKNOWN_INTEREST'
  | 'UNKNOWN_GROUP'
  | 'UNKNOWN_DETECTOR'
  | 'UNSUPPORTED'
  | 'CAPACITY'
  | 'REENTRANT_TICK'
  | 'STALE_REPORT'
  | 'DISPOSED'
  | 'WORKER_FAILED'
  | 'BAD_SNAPSHOT'
  | 'BAD_TRACE'
  // Thrown by a cluster's nodes.
  | 'NOT_OWNED'
  | 'NOT_SHOWN'
  | 'KEY_TAKEN'
  | 'SETTINGS_DIFFER'
  | 'TOO_MUCH'
  | 'LOG_DOWN'
  | 'BAD_RECORD';

/** Where the mistake is, for programs. */
export interface UmweltErrorDetails {
  /** Index in the array that was given, or line of the file. Absent if there is none. */
  readonly index?: number;
  /** The entity concerned; absent if it is none. */
  readonly id?: number;
  /** The member of the options, the patch or the shape that is wrong. Absent if it is none of these. */
  readonly field?: string;
  /** The value that was given; absent if none is to blame. */
  readonly value?: unknown;
}

/** A caller's mistake or bad data. The message says what was given and what was expected; nothing was changed. */
export class UmweltError extends Error {
  /** Tells it from other errors where `instanceof` cannot. */
  override readonly name = 'UmweltError';
  /** The kind of mistake, for programs. Codes are stable. */
  readonly code: UmweltErrorCode;
  /** Where it is: index, id, field, value. */
  readonly details: UmweltErrorDetails;

  constructor(code: UmweltErrorCode, message: string, details: UmweltErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** Formats a value for a message: short, and so that a string differs from a number. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > 40 ? `'${value.slice(0, 37)}...'` : `'${value}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `an object (${classOf(value)})`;
  if (typeof value === 'bigint') return `${value}n`;
  return String(value);
}

/** A number for people: integers in full, others with as many significant digits. */
export function rounded(value: number, digits = 4): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(digits)));
}

/** The value may come from anywhere and may have a `constructor` property of its own. */
function classOf(value: object): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' ? name.slice(0, 40) : 'no class';
}

/** A `BAD_OPTION` error that names the member, its value, and what was expected. `index`: where it is in an array. */
export function badOption(field: string, value: unknown, expected: string, index?: number): UmweltError {
  return new UmweltError('BAD_OPTION', `${field}: ${shown(value)} was given, expected ${expected}`, {
    field,
    value,
    ...(index === undefined ? {} : { index }),
  });
}

/**
 * Whether a value is an object whose members are read by name. Arrays, Maps and Promises are rejected: they have none
 * of the expected members, so they would be accepted as an object with no options set.
 */
export function isRecord(given: unknown): given is object {
  if (typeof given !== 'object' || given === null) return false;
  if (Object.getPrototypeOf(given) === Object.prototype) return true;
  const kind = Object.prototype.toString.call(given);
  return kind === '[object Object]' || kind === '[object Module]';
}

/**
 * Throws `BAD_OPTION` at the first own key that is not in `known`; `undefined` values count as absent. Returns the
 * number of own keys.
 */
export function rejectUnknownKeys(given: object, known: ReadonlySet<string>, what: string): number {
  const keys = Object.keys(given);
  for (const key of keys) {
    if (!known.has(key) && (given as Record<string, unknown>)[key] !== undefined) {
      throw new UmweltError(
        'BAD_OPTION',
        `${key.slice(0, 80)} is no member of ${what}, expected ${[...known].join(', ')}`,
        {
          field: key,
          value: (given as Record<string, unknown>)[key],
        },
      );
    }
  }
  return keys.length;
}

/** Throws at a fault of umwelt's own. `invariant` names what should have held. */
export function assert(condition: boolean, invariant: string): asserts condition {
  if (!condition) broken(invariant);
}

/** What `assert` throws. For conditions in loops: there a message that names a number costs more than the condition. */
export function broken(invariant: string): never {
  throw new Error(`umwelt: broken invariant: ${invariant}`);
}
