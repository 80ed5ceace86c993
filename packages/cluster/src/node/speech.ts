/**
 * One record at a time on its way into the log, sent again until it is seen there.
 *
 * Only the log says that a record is in it. An acknowledgement tells where it is to come: until then nothing is sent again;
 * when that position went by and it was not there, the log lost it.
 */
import type { Log } from '../log/log.ts';
import type { Environment } from './environment.ts';

const RESEND_MS = 300;

export class Speech {
  readonly #log: Log;
  readonly #environment: Environment;
  readonly #position: () => number;
  #bytes: Uint8Array | undefined;
  #acknowledged: number | undefined;
  #cancel: () => void = () => {};

  /** `position`: of the last record that was applied. */
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

  /** It was seen, or need not be heard any more. */
  stop(): void {
    this.#cancel();
    this.#bytes = undefined;
    this.#acknowledged = undefined;
  }

  /** Nothing is sent until `resume`. */
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
        if (this.#bytes === bytes) this.#acknowledged = position;
      },
      () => {},
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
