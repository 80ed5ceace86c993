/**
 * The rate limit of inputs: as many per second as the server accepts, with a burst of one second's worth.
 *
 * The server allows a burst of six seconds' worth: inputs sent at this rate stay within it even if the
 * connection stalls for five seconds.
 */
export class InputPace {
  readonly #perSecond: number;
  #left: number;
  #refilledMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#left = Math.max(1, perSecond);
    this.#refilledMs = nowMs;
  }

  take(nowMs: number): boolean {
    const saved = this.#left + ((nowMs - this.#refilledMs) / 1000) * this.#perSecond;
    this.#left = Math.min(Math.max(1, this.#perSecond), saved);
    this.#refilledMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
