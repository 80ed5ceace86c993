/**
 * When this node marks a tick. All members may; the log decides whose mark counts, so there is no leader to elect.
 *
 * Members in order of incarnation, the first eight, mark when the tick is due and as many times 10 ms later as there are before
 * them, unless it has been seen; and again every 200 ms while the log is silent. `due` goes on by a tick's length from mark
 * to mark, not from when one was applied, so that delays do not add up; after a pause ticks are not made up for.
 */
import type { Environment } from './environment.ts';

const MARKERS = 8;
const STAGGER_MS = 10;
const AGAIN_MS = 200;

export class Ticker {
  readonly #environment: Environment;
  readonly #place: () => number;
  readonly #mark: () => void;
  #due: number | undefined;
  #cancel: () => void = () => {};

  /** `place`: how many members come first; `mark`: says that the next tick is due. */
  constructor(environment: Environment, place: () => number, mark: () => void) {
    this.#environment = environment;
    this.#place = place;
    this.#mark = mark;
  }

  /** A tick was marked, or this node became a member. */
  next(tickMs: number): void {
    this.#cancel();
    const now = this.#environment.now();
    this.#due = Math.max((this.#due ?? now) + tickMs, now - tickMs);
    const place = this.#place();
    if (place >= 0 && place < MARKERS) this.#wait(Math.max(0, this.#due + place * STAGGER_MS - now));
  }

  stop(): void {
    this.#cancel();
    this.#due = undefined;
  }

  #wait(milliseconds: number): void {
    this.#cancel = this.#environment.after(milliseconds, () => {
      this.#wait(AGAIN_MS);
      this.#mark();
    });
  }
}
