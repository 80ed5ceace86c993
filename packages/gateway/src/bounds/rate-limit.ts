/**
 * A token bucket: `perSecond` tokens per second, saved up for at most `savedSeconds`. Each `take` uses one
 * token, or fails.
 *
 * A connection that stalls delivers at once what the player did meanwhile, so the bucket must hold as much as
 * the longest stall to be tolerated. Cost: a few multiplications.
 */
export class RateLimit {
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #refilledMs: number;

  /** Starts full: allows `perSecond * savedSeconds` at once. */
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
