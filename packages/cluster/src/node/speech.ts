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
  #bytes: Uint8Array | undefined;
  #acknowledged: number | undefined;
  #cancel: () => void = () => {};

  /** `position`: returns the position of the last applied record. */
  constructor(log: Log, environment: Environment, position: () => number) {
    this.#log = log;
    this.#environment = environment;
    this.#position = position;
  }

  get isBusy(): boolean {
    return this.#bytes !== undefined;
  }

  say(bytes: Uint8Array): void {
    this.stop();
    this.#bytes = bytes;
    this.#append(bytes);
  }

  /** The record was seen, or is no longer needed. */
  stop(): void {
    this.#cancel();
    this.#bytes = undefined;
    this.#acknowledged = undefined;
    this.fault = undefined;
  }

  /** Sends nothing until `resume`. */
  pause(): void {
    this.#cancel();
  }

  resume(): void {
    this.#cancel();
    if (this.#bytes !== undefined) this.#append(this.#bytes);
  }

  #append(bytes: Uint8Array): void {
    this.#acknowledged = undefined;
    this.#log.append(bytes).then(
      (position) => {
        if (this.#bytes !== bytes) return;
        this.fault = undefined;
        this.#acknowledged = position;
      },
      (error: unknown) => {
        if (this.#bytes === bytes) this.fault = error instanceof Error ? error : undefined;
      },
    );
    this.#wait(bytes);
  }

  #wait(bytes: Uint8Array): void {
    this.#cancel = this.#environment.after(RESEND_MS, () => {
      const isComing = this.#acknowledged !== undefined && this.#acknowledged > this.#position();
      if (isComing) this.#wait(bytes);
      else this.#append(bytes);
    });
  }
}
