/**
 * How fast a connection is read from: so many bytes a second, saved up for some seconds. What is beyond is read later, which
 * its sender feels as a slow network; nothing is lost.
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

  /** These were read. Answers for how long nothing is to be read now, in milliseconds. */
  spend(bytes: number, nowMs: number): number {
    const saved = this.#left + ((nowMs - this.#refilledMs) / 1000) * this.#perSecond;
    this.#left = Math.min(this.#most, saved) - bytes;
    this.#refilledMs = nowMs;
    return Math.max(0, (-this.#left / this.#perSecond) * 1000);
  }
}
