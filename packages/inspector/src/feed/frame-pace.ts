/**
 * Rate limit for tick frames: building and sending them takes at most a fifth of the process's time, and `FREE_MS` a
 * tick; but a page gets two frames a second.
 *
 * The frames of a million entities take a tenth of a second, which is longer than most worlds have between two ticks. The
 * world's own program must go on at its pace while pages look at it, so pages then get fewer frames.
 */
/** From this many entities on frames are paced. Those of fewer take a millisecond, and more only while other programs run. */
export const PACED_FROM = 20_000;
const COST_FACTOR = 4;
/** Milliseconds that a tick's frames may take without any wait: those of 50,000 entities do. */
const FREE_MS = 5;
/** Longest wait, in milliseconds: the first frame, which reads every entity for the first time, takes far longer than the next ones. */
const WAIT_MAX_MS = 500;

export class FramePace {
  #costMs = 0;
  /** On the clock of `performance.now()`: no new frame before this time. */
  #earliestMs = Number.NEGATIVE_INFINITY;

  /** A new tick's frame is built from now on. */
  begin(): void {
    this.#costMs = 0;
  }

  /** Building the frame, or sending it to a page, has taken this long, and ends now. */
  spend(ms: number): void {
    this.#costMs += ms;
    const waitMs = COST_FACTOR * Math.max(0, this.#costMs - FREE_MS);
    this.#earliestMs = performance.now() + Math.min(WAIT_MAX_MS, waitMs);
  }

  /** How long a new frame must wait, in milliseconds. */
  get waitMs(): number {
    return Math.max(0, this.#earliestMs - performance.now());
  }
}
