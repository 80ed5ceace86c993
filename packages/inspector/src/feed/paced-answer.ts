/**
 * Answers what a page asks for at once, and what it asks for in quick succession together: a page may ask a thousand
 * times a second, and an answer costs as much as an entity has relations.
 *
 * After an answer the next one waits its time, or `COST_FACTOR` times what that one took: a twentieth of the process's time
 * at most. What is asked for meanwhile is in the next answer, in its latest form.
 */
import { startTimer, type Timer } from './timer.ts';

const COST_FACTOR = 20;

export class PacedAnswer {
  readonly #waitMs: number;
  readonly #answer: () => boolean;
  #isDue = false;
  /** By `performance.now()`: no answer before then. */
  #earliestMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  /** `answer` says false when the connection is not to be burdened now; it is asked again after the wait. */
  constructor(waitMs: number, answer: () => boolean) {
    this.#waitMs = waitMs;
    this.#answer = answer;
  }

  ask(): void {
    this.#isDue = true;
    if (this.#timer === undefined) this.#answerIfTime();
  }

  /** All that was asked for has been answered by other means. */
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
