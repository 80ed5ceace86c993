/**
 * The world time that the page shows: a little behind the newest tick, moving smoothly from one to the next.
 *
 * Ticks arrive unevenly. The playhead moves at the recent rate of arrivals, `DELAY_TICKS` behind the estimated present tick,
 * and corrects small errors by going a little faster or slower. So motion is smooth, at a latency of some 60 ms. When the world
 * is paused, the playhead runs up to the newest tick and stops. Times are in ticks and in milliseconds of the page's clock;
 * both are passed in.
 */

const DELAY_TICKS = 1.2;
/** Share of the error that is corrected per second. */
const CORRECTION = 0.15;
const ARRIVALS_MAX = 24;

export class Playhead {
  /** In ticks, with a fraction. */
  tick = 0;
  isPaused = false;
  /** The newest tick that has arrived; 0: none. */
  #latest = 0;
  #arrivalTicks: number[] = [];
  #arrivalMs: number[] = [];
  #ticksPerMs: number;

  /** `ticksPerMs` is used until the rate has been measured. */
  constructor(ticksPerMs: number) {
    this.#ticksPerMs = ticksPerMs;
  }

  /** A tick frame has come. */
  arrive(tick: number, nowMs: number): void {
    const isBreak = tick <= this.#latest || nowMs - (this.#arrivalMs.at(-1) ?? nowMs) > 500;
    if (isBreak) this.forget();
    if (this.#arrivalTicks.length === 0 && Math.abs(this.tick - tick) > 8) this.tick = tick;
    this.#latest = tick;
    this.#arrivalTicks.push(tick);
    this.#arrivalMs.push(nowMs);
    if (this.#arrivalTicks.length > ARRIVALS_MAX) {
      this.#arrivalTicks.shift();
      this.#arrivalMs.shift();
    }
    const spanMs = nowMs - (this.#arrivalMs[0] as number);
    if (spanMs > 150) this.#ticksPerMs = (tick - (this.#arrivalTicks[0] as number)) / spanMs;
  }

  /** Measures the rate of arrivals anew, as after a change of speed. The newest tick is kept. */
  forget(): void {
    this.#arrivalTicks.length = 0;
    this.#arrivalMs.length = 0;
  }

  /** True while it moves. */
  advance(elapsedMs: number, nowMs: number): boolean {
    const latest = this.#latest;
    if (this.#arrivalTicks.length === 0 && !this.isPaused) return false;
    const sinceMs = nowMs - (this.#arrivalMs.at(-1) ?? nowMs);
    const target = this.isPaused ? latest : latest + Math.min(sinceMs * this.#ticksPerMs, 2) - DELAY_TICKS;
    const before = this.tick;
    // Where it will be without correction, against where it should be by then.
    const error = target - (before + elapsedMs * this.#ticksPerMs);
    if (Math.abs(error) > 6) this.tick = target;
    else {
      const pace = this.isPaused ? 1 : Math.min(2, Math.max(0, 1 + error * CORRECTION));
      this.tick += elapsedMs * this.#ticksPerMs * pace;
    }
    this.tick = Math.min(this.tick, latest);
    return this.tick !== before || (!this.isPaused && sinceMs < 1000);
  }
}
