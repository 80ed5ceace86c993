/**
 * A command that was not carried out, and why: the codes of `UmweltError`, and those of the service.
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

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A refused command, as it is told. */
export interface RefusedCommand {
  /** Of the command in its batch, from 0. */
  readonly index: number;
  readonly code: string;
  readonly reason: string;
}
