/**
 * How many others each of a crowd has near, on average, and how far one must see for so many.
 *
 * Method: distances of all to all; in a crowd of more than some 1,400 those of evenly chosen ones to all, about 2,000,000 of
 * them, so that 100,000 take less than a second and 16 MB. At least eight are looked at, so that a crowd of millions
 * takes 8 distances each. In 3-D height counts, as it does for a world's circles of perception.
 */

/** Positions, by any index. */
export interface Places {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
}

/** About as many distances are looked at. */
const DISTANCES = 2_097_152;
const FEWEST_LOOKED_AT = 8;

export class Nearness {
  /** Squared, of those looked at to all others, ascending. */
  readonly #squares: Float64Array;
  readonly #lookedAt: number;

  constructor(places: Places) {
    const count = places.x.length;
    this.#lookedAt = Math.min(count, Math.max(FEWEST_LOOKED_AT, Math.floor(DISTANCES / Math.max(1, count))));
    this.#squares = new Float64Array(this.#lookedAt * Math.max(0, count - 1));
    let at = 0;
    for (let k = 0; k < this.#lookedAt; k++) {
      at = squaresInto(places, Math.floor((k * count) / this.#lookedAt), this.#squares, at);
    }
    this.#squares.sort();
  }

  /** How many others are within `range` of one, on average. 0 where nobody is there. */
  within(range: number): number {
    let low = 0;
    let high = this.#squares.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#squares[middle]! <= range * range) low = middle + 1;
      else high = middle;
    }
    return low / Math.max(1, this.#lookedAt);
  }

  /** The least range above 0 that has `others` within it on average, or more; undefined where there are not so many. */
  rangeFor(others: number): number | undefined {
    const rank = Math.max(0, Math.ceil(others * this.#lookedAt) - 1);
    const square = this.#squares[rank];
    if (square !== 0) return square === undefined ? undefined : Math.sqrt(square);
    // So many stand on one spot: half of the way to the next who stands elsewhere is as good as nothing.
    const elsewhere = this.#squares.find((one) => one > 0);
    return elsewhere === undefined ? undefined : Math.sqrt(elsewhere) / 2;
  }
}

/** Writes the squared distances of one to all others from `at` on; answers where they end. */
function squaresInto({ x, y, z }: Places, one: number, out: Float64Array, at: number): number {
  let end = at;
  for (let other = 0; other < x.length; other++) {
    if (other === one) continue;
    const dx = x[other]! - x[one]!;
    const dy = y[other]! - y[one]!;
    const dz = z[other]! - z[one]!;
    out[end++] = dx * dx + dy * dy + dz * dz;
  }
  return end;
}
