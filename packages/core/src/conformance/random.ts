/**
 * The seeded random numbers of the random scripts.
 *
 * Problem: a script must be the same on every machine and runtime from its seed alone, so that a failing script can
 * be named by a number. Method: sfc32, 128 bits of state, whole numbers only, so that nothing is rounded; the seed is
 * spread over the state by some first steps. Cost: a few nanoseconds a number, one object a script.
 *
 * Source: Chris Doty-Humphrey, PractRand (sfc32, in the public domain).
 */
export class Random {
  #a = 0;
  #b = 0;
  #c = 0;
  #counter = 1;

  /** Every 32-bit `seed` gives a different sequence; higher bits and fractions are dropped. */
  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = (seed ^ 0x9e3779b9) | 0;
    this.#c = 0x85ebca6b | 0;
    for (let i = 0; i < 16; i++) this.bits();
  }

  /** 32 random bits, as a whole number from 0 to 2^32 - 1. */
  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** From 0, inclusive, to 1, exclusive. */
  fraction(): number {
    return this.bits() / 4294967296;
  }

  /** From `low` to `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * this.fraction();
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.fraction() * count);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** An element of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  /** An index, drawn in proportion to its weight; at least one weight is above 0. */
  weighted(weights: readonly number[]): number {
    let total = 0;
    for (const weight of weights) total += weight;
    let left = this.fraction() * total;
    for (let i = 0; i < weights.length; i++) {
      left -= weights[i];
      if (left < 0 && weights[i] > 0) return i;
    }
    return weights.findLastIndex((weight) => weight > 0);
  }
}
