/**
 * How long to wait before the next attempt: twice as long after each failure, up to a limit, and by chance between half of
 * that and all of it, so that a crowd whose server fell does not come back as one.
 */
export class BackOff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #failures = 0;

  /** `random` answers numbers of 0 to 1. */
  constructor(firstMs: number, maxMs: number, random: () => number) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
    this.#random = random;
  }

  nextMs(): number {
    const longest = Math.min(this.#maxMs, this.#firstMs * 2 ** this.#failures);
    this.#failures++;
    return longest * (0.5 + 0.5 * this.#random());
  }

  succeeded(): void {
    this.#failures = 0;
  }
}
