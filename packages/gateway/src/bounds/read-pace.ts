/**
 * Limits how fast a connection is read: bytes per second, saved up for some seconds. Further bytes are read
 * later, which the sender experiences as a slow network; nothing is lost.
 */
export class ReadPace {
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #refilledMs: number;

  constructor(bytesPerSecond: number, savedSeconds: number, nowMs: number) {
    this.#perSecond = bytesPerSecond;
    this.#most = bytesPerSecond * savedSeconds;
    this.#left = this.#most;
    this.#refilledMs = nowMs;
  }

  /** Counts bytes that were read. Returns how long nothing may be read from now on, in milliseconds. */
  spend(bytes: number, nowMs: number): number {
    const saved = this.#left + ((nowMs - this.#refilledMs) / 1000) * this.#perSecond;
    this.#left = Math.min(this.#most, saved) - bytes;
    this.#refilledMs = nowMs;
    return Math.max(0, (-this.#left / this.#perSecond) * 1000);
  }
}
