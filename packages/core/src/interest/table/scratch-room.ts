/**
 * How long scratch columns ought to be: what a crowd that comes in at once needs, the ticks after it do not.
 *
 * The most that was used since the last look is remembered; at a look, columns of more than four times that shrink to twice
 * that, and no further than they began. A world at rest in its habits keeps its columns.
 */
export class ScratchRoom {
  readonly #least: number;
  #most = 0;

  /** `least`: elements that are not worth giving back. */
  constructor(least: number) {
    this.#least = least;
  }

  /** So many elements were used. */
  note(count: number): void {
    if (count > this.#most) this.#most = count;
  }

  /** The length that columns of `length` are to have from now on; the next look begins. */
  look(length: number): number {
    const wanted = Math.max(2 * this.#most, this.#least);
    this.#most = 0;
    return wanted * 2 <= length ? wanted : length;
  }
}
