/**
 * The number of bytes that a client may be sent now: a rate, with a burst of one second's worth.
 *
 * What must be sent is sent regardless, and the budget may become negative; later data waits until it has
 * recovered.
 */
export class ByteBudget {
  readonly bytesPerSecond: number;
  #bytes: number;
  #refilledMs: number;

  constructor(bytesPerSecond: number, nowMs: number) {
    this.bytesPerSecond = bytesPerSecond;
    this.#bytes = bytesPerSecond;
    this.#refilledMs = nowMs;
  }

  /** Bytes that may be spent at `nowMs`; at least 0. */
  available(nowMs: number): number {
    const seconds = Math.max(0, nowMs - this.#refilledMs) / 1000;
    this.#refilledMs = Math.max(nowMs, this.#refilledMs);
    this.#bytes = Math.min(this.bytesPerSecond, this.#bytes + seconds * this.bytesPerSecond);
    return Math.max(0, this.#bytes);
  }

  spend(bytes: number): void {
    // Limit the debt to one second: more would block the client for longer than the burst ever allowed.
    this.#bytes = Math.max(-this.bytesPerSecond, this.#bytes - bytes);
  }
}
