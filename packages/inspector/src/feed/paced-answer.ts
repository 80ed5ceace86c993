/**
 * Rate limit for answers to a page: a single request is answered at once, requests in quick succession are answered together.
 * A page may send a thousand requests per second, and the cost of an answer grows with the entity's relations.
 *
 * After an answer the next one waits for `waitMs`, or for `COST_FACTOR` times the duration of the last answer if that is
 * longer: so answers take at most a twentieth of the process's time. The next answer covers all requests made meanwhile, in
 * their latest form.
 */
import { startTimer, type Timer } from './timer.ts';

const COST_FACTOR = 20;

export class PacedAnswer {
  readonly #waitMs: number;
  readonly #answer: () => boolean;
  #isDue = false;
  /** On the clock of `performance.now()`: no answer before this time. */
  #earliestMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  /** `answer` returns false while the connection is busy; it is called again after the wait. */
  constructor(waitMs: number, answer: () => boolean) {
    this.#waitMs = waitMs;
    this.#answer = answer;
  }

  ask(): void {
    this.#isDue = true;
    if (this.#timer === undefined) this.#answerIfTime();
  }

  /** All requests have been answered by other means. */
  settle(): void {
    this.#isDue = false;
  }

  close(): void {
    this.#isDue = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #answerIfTime(): void {
    this.#timer = undefined;
    if (!this.#isDue) return;
    const startMs = performance.now();
    if (startMs < this.#earliestMs) {
      this.#waitFor(this.#earliestMs - startMs);
      return;
    }
    const isAnswered = this.#answer();
    const endMs = performance.now();
    this.#earliestMs = endMs + Math.max(this.#waitMs, COST_FACTOR * (endMs - startMs));
    if (isAnswered) this.#isDue = false;
    else this.#waitFor(this.#waitMs);
  }

  #waitFor(waitMs: number): void {
    this.#timer = startTimer(() => this.#answerIfTime(), Math.ceil(waitMs));
  }
}
