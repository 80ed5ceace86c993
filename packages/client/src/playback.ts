/**
 * The server's tick at a given time.
 *
 * Frames arrive late by varying amounts, never early, so the earliest frames show the server's pace best. A
 * frame that is early for its tick moves the clock forward at once, by half of the difference; a late frame
 * moves it back by a small share. The share grows with the difference: a server whose ticks take longer than it says,
 * as those of a timer do, makes every frame late, and the clock must keep up before it is `delayTicks` ahead. A frame
 * that is off by a second or more resets the clock. The renderer runs `delayTicks` behind.
 */

const EARLY_SHARE = 0.5;
const LATE_SHARE = 0.05;
const JUMP_MS = 1000;

export class Playback {
  #tickMs = 0;
  /** Arrival time of tick 0; NaN before the first frame. */
  #originMs = Number.NaN;
  /** The tick that was asked for last; 0 or NaN if there is none yet. */
  #shown = 0;

  /** Milliseconds per tick. */
  set tickMs(ms: number) {
    // The origin was computed with the old one: the next frame sets it anew.
    if (ms !== this.#tickMs) this.#originMs = Number.NaN;
    this.#tickMs = ms;
  }

  arrived(tick: number, nowMs: number): void {
    const originMs = nowMs - tick * this.#tickMs;
    const offMs = originMs - this.#originMs;
    if (Math.abs(offMs) < JUMP_MS)
      this.#originMs += offMs * (offMs < 0 ? EARLY_SHARE : Math.min(1, LATE_SHARE + offMs / JUMP_MS));
    else {
      this.#originMs = originMs;
      this.#shown = 0;
    }
  }

  /** The tick, with a fraction; NaN before the first frame. It never decreases, except after a reset. */
  tickAt(nowMs: number): number {
    const tick = (nowMs - this.#originMs) / this.#tickMs;
    // With another length of ticks, `tick` is NaN until the next frame.
    if (tick > this.#shown || !this.#shown) this.#shown = tick;
    return this.#shown;
  }
}
