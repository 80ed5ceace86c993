/**
 * A command that was not carried out, and why: the codes of `UmweltError`, and those of the service.
 *
 * A refusal is answered, never thrown: a message may hold thousands, and most of what an error costs is its stack.
 */

export type RefusalCode =
  /** No command, or one whose members make no sense; JSON only. */
  | 'MALFORMED'
  /** No entity has that key. */
  | 'UNKNOWN_KEY'
  /** The entity of that key is another connection's. */
  | 'NOT_YOURS'
  /** A tick was asked for where the service ticks by itself. */
  | 'NOT_ON_DEMAND'
  /** A tick was not the last command of its batch. */
  | 'TICK_NOT_LAST'
  /** The service has as many entities as it may. */
  | 'FULL';

/** Why the service does not carry out a command. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly reason: string;
}

/** A refused command, as it is told. */
export interface RefusedCommand {
  /** Of the command in its batch, from 0. */
  readonly index: number;
  readonly code: string;
  readonly reason: string;
}
