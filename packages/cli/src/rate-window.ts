/**
 * How often something happens, over a short sliding window.
 *
 * Method: time is divided into slices, with one count per slice of the window; the rate is their sum over the time that they
 * cover. So it follows a change within the window, falls to 0 when nothing happens, and needs the same memory at any rate.
 */

const SLICE_COUNT = 8;

export class RateWindow {
  readonly #sliceMs: number;
  readonly #counts = new Float64Array(SLICE_COUNT);
  /** Number of the current slice, counted from the clock's zero; -1 before the first count. */
  #currentSlice = -1;
  #startedMs = 0;

  constructor(windowMs: number) {
    this.#sliceMs = windowMs / SLICE_COUNT;
  }

  /** @param now the clock's time in milliseconds; must not decrease. */
  add(count: number, now: number): void {
    if (this.#currentSlice === -1) {
      this.#startedMs = now;
      this.#currentSlice = Math.floor(now / this.#sliceMs);
    }
    this.#slideTo(now);
    const place = this.#currentSlice % SLICE_COUNT;
    this.#counts[place] = (this.#counts[place] as number) + count;
  }

  perSecond(now: number): number {
    if (this.#currentSlice === -1) return 0;
    this.#slideTo(now);
    let sum = 0;
    for (const count of this.#counts) sum += count;
    const windowStartMs = (this.#currentSlice - SLICE_COUNT + 1) * this.#sliceMs;
    // Over less than a slice a rate means nothing.
    const coveredMs = Math.max(this.#sliceMs, now - Math.max(windowStartMs, this.#startedMs));
    return (sum * 1000) / coveredMs;
  }

  #slideTo(now: number): void {
    const slice = Math.floor(now / this.#sliceMs);
    const passed = Math.min(SLICE_COUNT, slice - this.#currentSlice);
    for (let step = 1; step <= passed; step++) this.#counts[(slice - passed + step) % SLICE_COUNT] = 0;
    this.#currentSlice = Math.max(slice, this.#currentSlice);
  }
}
