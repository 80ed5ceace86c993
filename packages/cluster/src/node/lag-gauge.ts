/** Measures how far a node is behind its log: how long the log has had a record that the node has not applied yet. */
import type { Log } from '../log/log.ts';
import type { Environment } from './environment.ts';

const LOOK_MS = 500;
const SIGHTINGS_MAX = 64;

export class LagGauge {
  readonly #log: Log;
  readonly #environment: Environment;
  readonly #position: () => number;
  /** Ends of the log, and when each was seen; oldest first. */
  #sightings: { readonly position: number; readonly at: number }[] = [];
  #cancel: (() => void) | undefined;

  constructor(log: Log, environment: Environment, position: () => number) {
    this.#log = log;
    this.#environment = environment;
    this.#position = position;
  }

  get milliseconds(): number {
    while (this.#sightings.length > 0 && this.#sightings[0].position <= this.#position())
      this.#sightings.shift();
    return this.#sightings.length === 0 ? 0 : this.#environment.now() - this.#sightings[0].at;
  }

  /** Starts measuring; does nothing on a log that cannot report its end. */
  start(): void {
    this.#sightings = [];
    if (this.#cancel === undefined && this.#log.last !== undefined) this.#look();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #look(): void {
    this.#cancel = this.#environment.after(LOOK_MS, () => this.#look());
    this.#log.last?.().then(
      (position) => {
        if (position > this.#position()) this.#sightings.push({ position, at: this.#environment.now() });
        if (this.#sightings.length > SIGHTINGS_MAX) this.#sightings.splice(1, 1);
      },
      () => {},
    );
  }
}
