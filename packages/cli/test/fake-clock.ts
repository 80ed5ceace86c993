/**
 * A clock that tests turn by hand.
 *
 * Timers fire in order of their time, then of their setting, each at its own moment; work that takes time is
 * played by `spend`, during a callback or outside one. So a minute of ticks takes no time and is always the same.
 */
import type { CancelTimer, Clock } from '../src/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

export class FakeClock implements Clock {
  #nowMs = 1000;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): CancelTimer {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Time passes without any timer firing, as it does while a program computes. */
  spend(ms: number): void {
    this.#nowMs += ms;
  }

  /** Time passes, and whatever is due by its end fires. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (let timer = this.#nextBefore(endMs); timer !== undefined; timer = this.#nextBefore(endMs)) {
      this.#timers.delete(timer);
      this.#nowMs = Math.max(this.#nowMs, timer.atMs);
      timer.callback();
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  /** How many timers are set. */
  get pendingCount(): number {
    return this.#timers.size;
  }

  #nextBefore(endMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.atMs <= endMs && this.#nowMs <= endMs && (next === undefined || timer.atMs < next.atMs))
        next = timer;
    }
    return next;
  }
}
