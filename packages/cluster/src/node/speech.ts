/**
 * Sends one record at a time to the log, and retries until the record is seen there.
 *
 * Only reading it in the log proves that a record is there. An acknowledgement tells its position: until the log was read up to
 * there, nothing is sent again. If the record was not at that position, the log lost it.
 */
import type { Log } from '../log/log.ts';
import type { Environment } from './environment.ts';

const RESEND_MS = 300;

export class Speech {
  readonly #log: Log;
  readonly #environment: Environment;
  readonly #position: () => number;
  /** Why the log refused the record that is sent; `undefined` if it took it, or none is sent. */
  fault: Error | undefined;
  #write: (() => Uint8Array) | undefined;
  #acknowledged: number | undefined;
  #cancel: () => void = () => {};

  /** `position`: returns the position of the last applied record. */
  constructor(log: Log, environment: Environment, position: () => number) {
    this.#log = log;
    this.#environment = environment;
    this.#position = position;
  }

  get isBusy(): boolean {
    return this.#write !== undefined;
  }

  /** `write` is called each time the record is sent. It may leave out what is not wanted any more: of two versions, one counts. */
  say(write: () => Uint8Array): void {
    this.stop();
    this.#write = write;
    this.#append(write);
  }

  /** The record was seen, or is no longer needed. */
  stop(): void {
    this.#cancel();
    this.#write = undefined;
    this.#acknowledged = undefined;
    this.fault = undefined;
  }

  /** Sends nothing until `resume`. */
  pause(): void {
    this.#cancel();
  }

  resume(): void {
    this.#cancel();
    if (this.#write !== undefined) this.#append(this.#write);
  }

  #append(write: () => Uint8Array): void {
    this.#acknowledged = undefined;
    this.#log.append(write()).then(
      (position) => {
        if (this.#write !== write) return;
        this.fault = undefined;
        this.#acknowledged = position;
      },
      (error: unknown) => {
        if (this.#write === write) this.fault = error instanceof Error ? error : undefined;
      },
    );
    this.#wait(write);
  }

  #wait(write: () => Uint8Array): void {
    this.#cancel = this.#environment.after(RESEND_MS, () => {
      const isComing = this.#acknowledged !== undefined && this.#acknowledged > this.#position();
      if (isComing) this.#wait(write);
      else this.#append(write);
    });
  }
}
