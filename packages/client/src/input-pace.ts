/**
 * The rate limit of inputs: as many per second as the server accepts, with a burst of one second's worth.
 *
 * The server allows a burst of six seconds' worth: inputs sent at this rate stay within it even if the
 * connection stalls for five seconds.
 */
export class InputPace {
  /** Inputs per second; the user sets it. */
  perSecond = 0;
  /** Starts full. */
  #left = Number.POSITIVE_INFINITY;
  #refilledMs = 0;

  take(nowMs: number): boolean {
    const saved = this.#left + ((nowMs - this.#refilledMs) / 1000) * this.perSecond;
    this.#left = Math.min(Math.max(1, this.perSecond), saved);
    this.#refilledMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
