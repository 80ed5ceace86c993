/**
 * Refused commands and their reasons: the codes of `UmweltError`, and those of the service.
 *
 * A refusal is returned, never thrown: a message may have thousands, and most of the cost of an error is its stack.
 */

export type RefusalCode =
  /** Not a command, or one with invalid members; JSON only. */
  | 'MALFORMED'
  /** No entity has that key. */
  | 'UNKNOWN_KEY'
  /** The entity with that key belongs to another connection. */
  | 'NOT_YOURS'
  /** A tick was requested, but the service ticks by itself. */
  | 'NOT_ON_DEMAND'
  /** A tick was not the last command of its batch. */
  | 'TICK_NOT_LAST'
  /** The service has its maximum number of entities. */
  | 'FULL';

/** Why the service did not execute a command. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly reason: string;
}

/** A refused command, as sent to the caller. */
export interface RefusedCommand {
  /** Index of the command in its batch, from 0. */
  readonly index: number;
  readonly code: string;
  readonly reason: string;
}

/** A caller's value in a message: as JSON, shortened. An object is only named: it may be too deep to write. */
export function shownJson(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}
