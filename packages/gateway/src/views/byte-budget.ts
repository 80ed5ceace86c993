/**
 * How many bytes a client may be sent now: a rate, saved up for at most a second.
 *
 * What must go goes all the same, and the account may end below zero; then others wait until it has recovered.
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

  /** What may be spent at `nowMs`, in bytes; at least 0. */
  available(nowMs: number): number {
    const seconds = Math.max(0, nowMs - this.#refilledMs) / 1000;
    this.#refilledMs = Math.max(nowMs, this.#refilledMs);
    this.#bytes = Math.min(this.bytesPerSecond, this.#bytes + seconds * this.bytesPerSecond);
    return Math.max(0, this.#bytes);
  }

  spend(bytes: number): void {
    // A debt of more than a second would silence a client for longer than it ever saved up.
    this.#bytes = Math.max(-this.bytesPerSecond, this.#bytes - bytes);
  }
}
