/** So many a second, and twice as many at once: one is taken for each, or there is none. */
export class RateLimit {
  readonly #perSecond: number;
  #left: number;
  #refilledMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#left = 2 * perSecond;
    this.#refilledMs = nowMs;
  }

  take(nowMs: number): boolean {
    const seconds = Math.max(0, nowMs - this.#refilledMs) / 1000;
    this.#refilledMs = Math.max(nowMs, this.#refilledMs);
    this.#left = Math.min(2 * this.#perSecond, this.#left + seconds * this.#perSecond);
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
