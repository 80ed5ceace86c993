/**
 * Decides when this node marks a tick. All members may mark; the log decides whose mark counts, so no leader is elected.
 *
 * The eight oldest members mark. The n-th of them, from 0, waits n * 10 ms after the tick is due, and marks unless the mark has
 * been seen; it marks again every 200 ms while the log is silent. `due` advances by one tick length per mark, not from the time
 * a mark was applied, so that delays do not add up. Ticks missed in a pause are not made up for. No clock is compared with that of
 * another node: the fastest one sets the pace, and `due` follows the marks.
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

  /** `place`: returns how many members are older; `mark`: marks the next tick. */
  constructor(environment: Environment, place: () => number, mark: () => void) {
    this.#environment = environment;
    this.#place = place;
    this.#mark = mark;
  }

  /** A tick was marked, or this node became a member. */
  next(tickMs: number): void {
    this.#cancel();
    const now = this.#environment.now();
    const due = Math.max((this.#due ?? now) + tickMs, now - tickMs);
    // Where the member that marks has the faster clock, `due` would move ever further away from the marks.
    this.#due = Math.min(due, now + tickMs + STAGGER_MS);
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
