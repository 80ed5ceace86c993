/**
 * The one error that umwelt throws for what a caller or the outside world got wrong.
 *
 * Each meaning has one code; the message says what was given and what was expected, and `details` carries
 * the same for programs. Whoever throws it has changed nothing. A fault of our own is never an
 * `UmweltError`: it is an `assert`, naming the invariant that broke.
 */

/** What went wrong; one code per meaning. */
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
  // Of a cluster's nodes.
  | 'NOT_OWNED'
  | 'NOT_SHOWN'
  | 'KEY_TAKEN'
  | 'SETTINGS_DIFFER'
  | 'TOO_MUCH'
  | 'LOG_DOWN'
  | 'BAD_RECORD';

/** Where the fault lies, for programs. */
export interface UmweltErrorDetails {
  /** Position in the array that was given, or line of the file, where there is one. */
  readonly index?: number;
  /** The entity concerned. */
  readonly id?: number;
  /** The member of the options, the patch or the shape concerned. */
  readonly field?: string;
  /** What was given. */
  readonly value?: unknown;
}

/** A caller's mistake or bad data. The message says what was given and what was expected; nothing was changed. */
export class UmweltError extends Error {
  /** To tell it from other errors where `instanceof` cannot. */
  override readonly name = 'UmweltError';
  /** What kind of mistake it is: for programs, and it stays. */
  readonly code: UmweltErrorCode;
  /** Where it is: index, id, field, value. */
  readonly details: UmweltErrorDetails;

  constructor(code: UmweltErrorCode, message: string, details: UmweltErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** How a value is shown in a message: short, and telling a string from a number. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > 40 ? `'${value.slice(0, 37)}...'` : `'${value}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `an object (${classOf(value)})`;
  if (typeof value === 'bigint') return `${value}n`;
  return String(value);
}

/** What was given may come from anywhere, and have a `constructor` of its own. */
function classOf(value: object): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' ? name.slice(0, 40) : 'no class';
}

/** A `BAD_OPTION` that says which member was what, and what it should have been. */
export function badOption(field: string, value: unknown, expected: string): UmweltError {
  return new UmweltError('BAD_OPTION', `${field}: ${shown(value)} was given, expected ${expected}`, {
    field,
    value,
  });
}

/**
 * Whether it is an object whose members are read by name. An array, a Map or a Promise has none of those that are looked
 * for: it would pass for an object that says nothing.
 */
export function isRecord(given: unknown): given is object {
  if (typeof given !== 'object' || given === null) return false;
  if (Object.getPrototypeOf(given) === Object.prototype) return true;
  const kind = Object.prototype.toString.call(given);
  return kind === '[object Object]' || kind === '[object Module]';
}

/**
 * Throws `BAD_OPTION` at the first own key that is not in `known`; what is `undefined` counts as absent. Answers how many
 * own keys there are.
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

/** Stops at a fault of our own. `invariant` names what should have held. */
export function assert(condition: boolean, invariant: string): asserts condition {
  if (!condition) throw new Error(`umwelt: broken invariant: ${invariant}`);
}
