/**
 * A bucket of tokens: so many a second, saved up for so many seconds. One is taken for each, or there is none.
 *
 * A connection that stalls delivers at once what the player did meanwhile: the bucket has to hold as much as the longest
 * stall that is to go unpunished. Cost: a few multiplications.
 */
export class RateLimit {
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #refilledMs: number;

  /** Begins full: `perSecond * savedSeconds` at once. */
  constructor(perSecond: number, savedSeconds: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#most = perSecond * savedSeconds;
    this.#left = this.#most;
    this.#refilledMs = nowMs;
  }

  take(nowMs: number): boolean {
    const seconds = Math.max(0, nowMs - this.#refilledMs) / 1000;
    this.#refilledMs = Math.max(nowMs, this.#refilledMs);
    this.#left = Math.min(this.#most, this.#left + seconds * this.#perSecond);
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
