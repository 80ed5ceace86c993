/**
 * Log output for the operator of a gateway: to a logger, or to the console if none is given.
 *
 * Clients decide how many events there are, so lines are rate-limited, and the next line says how many were
 * left out. Without a logger only warnings and errors are shown: a gateway must not close clients silently.
 */
import type { Logger } from 'pino';
import { RateLimit } from '../bounds/rate-limit.ts';

/** With a burst of two seconds. */
const LOG_LINES_PER_SECOND = 20;
/** With a burst of twenty lines: a person reads them. */
const CONSOLE_LINES_PER_SECOND = 2;
const CONSOLE_SAVED_SECONDS = 10;

export class Notices {
  readonly #logger: Logger | undefined;
  readonly #now: () => number;
  readonly #rate: RateLimit;
  #missed = 0;

  constructor(logger: Logger | undefined, now: () => number) {
    this.#logger = logger;
    this.#now = now;
    this.#rate =
      logger === undefined
        ? new RateLimit(CONSOLE_LINES_PER_SECOND, CONSOLE_SAVED_SECONDS, now())
        : new RateLimit(LOG_LINES_PER_SECOND, 2, now());
  }

  debug(facts: object, text: string): void {
    this.#logger?.debug(facts, text);
  }

  info(facts: object, text: string): void {
    this.#logger?.info(facts, text);
  }

  /** For events that clients cause, possibly many. */
  warn(facts: object, text: string): void {
    if (!this.#mayTell()) return;
    const told = this.#withMissed(facts);
    if (this.#logger !== undefined) this.#logger.warn(told, text);
    else console.warn(lineOf(told, text));
  }

  /** The game threw in a hook. */
  fault(hook: string, error: unknown): void {
    if (!this.#mayTell()) return;
    const told = this.#withMissed({ hook });
    const text = 'the game threw in a hook';
    if (this.#logger !== undefined) this.#logger.error({ ...told, err: error }, text);
    else console.error(lineOf(told, text), error);
  }

  #mayTell(): boolean {
    const may = this.#rate.take(this.#now());
    if (!may) this.#missed++;
    return may;
  }

  #withMissed(facts: object): object {
    const missed = this.#missed;
    this.#missed = 0;
    return missed === 0 ? facts : { ...facts, linesLeftOut: missed };
  }
}

/** For example 'umwelt gateway: connection ended (address: 127.0.0.1, why: flood)'. */
function lineOf(facts: object, text: string): string {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return `umwelt gateway: ${text} (${known.map(([name, value]) => `${name}: ${value}`).join(', ')})`;
}
