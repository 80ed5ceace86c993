/**
 * How often inputs may be sent: as many a second as the server takes in, and those of one second at once.
 *
 * The server saves up six seconds: what is sent at this pace, through a connection that stalls for five, is never too much.
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
