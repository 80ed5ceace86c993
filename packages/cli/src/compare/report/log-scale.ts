/**
 * A logarithmic axis: the position of a value, and which values get a line or a label.
 *
 * Sizes and times here span many powers of ten, and ratios matter: the same ratio is the same distance everywhere.
 */

export interface Tick {
  readonly value: number;
  /** False: a line without a label. */
  readonly isLabelled: boolean;
}

/** Up to this many powers of ten, every 1, 2 and 5 is labelled. */
const FINE_DECADES = 2;
/** Above this many powers of ten, not even every power is labelled. */
const COARSE_DECADES = 9;

export class LogScale {
  readonly #logMin: number;
  readonly #logMax: number;
  readonly #from: number;
  readonly #to: number;

  /** Covers `values`, which must be above 0, with a margin at both ends; drawn from `from` to `to`, in pixels. */
  constructor(values: readonly number[], from: number, to: number) {
    const logs = values.map(Math.log10);
    const min = Math.min(...logs, Number.POSITIVE_INFINITY);
    const max = Math.max(...logs, Number.NEGATIVE_INFINITY);
    // A single value still needs an axis on either side.
    const span = Math.max(max - min, 0.6);
    const middle = values.length === 0 ? 0 : (min + max) / 2;
    this.#logMin = middle - span * 0.54;
    this.#logMax = middle + span * 0.54;
    this.#from = from;
    this.#to = to;
  }

  /** Position in pixels. */
  at(value: number): number {
    const part = (Math.log10(value) - this.#logMin) / (this.#logMax - this.#logMin);
    return this.#from + part * (this.#to - this.#from);
  }

  /** The value at a pixel. */
  valueAt(pixel: number): number {
    const part = (pixel - this.#from) / (this.#to - this.#from);
    return 10 ** (this.#logMin + part * (this.#logMax - this.#logMin));
  }

  contains(value: number): boolean {
    const log = Math.log10(value);
    return log >= this.#logMin && log <= this.#logMax;
  }

  /** Ascending. */
  ticks(): Tick[] {
    const decades = this.#logMax - this.#logMin;
    const ticks: Tick[] = [];
    for (let power = Math.floor(this.#logMin); power <= Math.ceil(this.#logMax); power++) {
      const isNamed = decades <= COARSE_DECADES || power % 2 === 0;
      for (const step of decades <= FINE_DECADES ? [1, 2, 5] : [1]) {
        const value = Number(`${step}e${power}`);
        if (this.contains(value)) ticks.push({ value, isLabelled: isNamed });
      }
    }
    return ticks;
  }
}
