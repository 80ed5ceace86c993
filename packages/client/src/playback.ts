/**
 * Which tick the picture shows at a given time.
 *
 * Frames arrive late by varying amounts, never early: the earliest ones tell the server's pace best. So an arrival that is
 * early for its tick sets the clock forward at once, half of the way, and a late one lets it slip by little; one that is off
 * by a second or more sets it anew. Whoever draws runs a chosen number of ticks behind.
 */

const EARLY_SHARE = 0.5;
const LATE_SHARE = 0.02;
const JUMP_MS = 1000;

export class Playback {
  readonly #tickMs: number;
  readonly #delayTicks: number;
  /** When tick 0 would have arrived; NaN: no frame has. */
  #originMs = Number.NaN;
  #shown = Number.NEGATIVE_INFINITY;

  constructor(tickMs: number, delayTicks: number) {
    this.#tickMs = tickMs;
    this.#delayTicks = delayTicks;
  }

  arrived(tick: number, nowMs: number): void {
    const originMs = nowMs - tick * this.#tickMs;
    const offMs = originMs - this.#originMs;
    if (Math.abs(offMs) < JUMP_MS) this.#originMs += offMs * (offMs < 0 ? EARLY_SHARE : LATE_SHARE);
    else {
      this.#originMs = originMs;
      this.#shown = Number.NEGATIVE_INFINITY;
    }
  }

  /** The tick to show, broken; never less than answered before, but after a jump. */
  tickAt(nowMs: number): number {
    const tick = (nowMs - this.#originMs) / this.#tickMs - this.#delayTicks;
    // NaN before the first frame: then nothing is there to be shown.
    if (tick > this.#shown) this.#shown = tick;
    return this.#shown;
  }
}
