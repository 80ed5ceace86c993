/**
 * How many others each member of a crowd has within a range, on average, and the range needed for a given number.
 *
 * Method: the distances between all pairs; for a crowd of more than some 1,400, from evenly chosen members to all, about 2,000,000
 * distances, so that 100,000 take less than a second and 16 MB. At least eight members are chosen, so for a crowd of millions
 * there are 8 distances per member. In 3-D height counts, as in a world with spheres of perception.
 */

/** Positions, by any index. */
export interface Places {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
}

/** Approximate number of distances that are computed. */
const DISTANCES = 2_097_152;
const FEWEST_LOOKED_AT = 8;

export class Nearness {
  /** Squared distances of the chosen members to all others, ascending. */
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

  /** Mean number of others within `range`. 0 for an empty crowd. */
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

  /** The smallest range above 0 with at least `others` within it on average; undefined if there are not so many. */
  rangeFor(others: number): number | undefined {
    const rank = Math.max(0, Math.ceil(others * this.#lookedAt) - 1);
    const square = this.#squares[rank];
    if (square !== 0) return square === undefined ? undefined : Math.sqrt(square);
    // So many share one position: use half of the distance to the next other position.
    const elsewhere = this.#squares.find((one) => one > 0);
    return elsewhere === undefined ? undefined : Math.sqrt(elsewhere) / 2;
  }
}

/** Writes the squared distances of one to all others from `at` on; returns the end. */
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
