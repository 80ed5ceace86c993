/**
 * What a gateway tells those who run it: to their logger, or, where they gave none, to the console.
 *
 * Others decide how much there is to tell, so lines are bounded, and the next one says how many were left out. Without a
 * logger only warnings and errors are shown: a gateway that throws players out must not do so in silence.
 */
import type { Logger } from 'pino';
import { RateLimit } from '../bounds/rate-limit.ts';

/** Twice as many at once. */
const LOG_LINES_PER_SECOND = 20;
/** Twenty at once: somebody reads it. */
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

  /** About what others do, who may do much of it. */
  warn(facts: object, text: string): void {
    if (!this.#mayTell()) return;
    const told = this.#withMissed(facts);
    if (this.#logger !== undefined) this.#logger.warn(told, text);
    else console.warn(lineOf(told, text));
  }

  /** The game threw. */
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

/** As 'umwelt gateway: connection ended (address: 127.0.0.1, why: flood)'. */
function lineOf(facts: object, text: string): string {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return `umwelt gateway: ${text} (${known.map(([name, value]) => `${name}: ${value}`).join(', ')})`;
}
