/**
 * The pause before the next connection attempt: it doubles after each failure up to a limit, and is
 * randomised between half and all of that, so that the clients of a failed server do not return all at once.
 */

/** A longer timer would fire at once. */
const TIMER_MAX_MS = 2e9;

export class BackOff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #failures = 0;

  /** `random` returns numbers of 0 to 1. */
  constructor(firstMs: number, maxMs: number, random: () => number) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
    this.#random = random;
  }

  nextMs(): number {
    const longest = Math.min(TIMER_MAX_MS, this.#maxMs, this.#firstMs * 2 ** this.#failures++);
    return longest * (0.5 + 0.5 * this.#random());
  }

  succeeded(): void {
    this.#failures = 0;
  }
}
