/**
 * How long scratch columns should be. A crowd that enters at once needs long ones; the ticks after it do not.
 *
 * The class stores the most elements used since the last call of `look`. At `look`, columns that are more
 * than four times as long shrink to twice that, but not below their first length. While usage is steady,
 * columns keep their length.
 */
export class ScratchRoom {
  readonly #least: number;
  #most = 0;

  /** `least`: columns do not shrink below this many elements. */
  constructor(least: number) {
    this.#least = least;
  }

  /** `count` elements were used. */
  note(count: number): void {
    if (count > this.#most) this.#most = count;
  }

  /** The length that columns of `length` should have from now on. Resets the maximum. */
  look(length: number): number {
    const wanted = Math.max(2 * this.#most, this.#least);
    this.#most = 0;
    return wanted * 2 <= length ? wanted : length;
  }
}
