/**
 * Reproducible random numbers: a seeded generator of 32-bit numbers.
 *
 * Method: xoshiro128** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 2021):
 * 16 bytes of state, period 2^128 - 1, a few integer operations per number. The state is filled from the seed by
 * splitmix32, so that neighbouring seeds give unrelated streams.
 *
 * All derived values use only additions, multiplications, divisions and square roots, which IEEE 754 rounds exactly. They never
 * use sin, cos, log or pow, whose rounding differs between runtimes. So the same seed gives the same world everywhere.
 */

const TWO_TO_MINUS_32 = 1 / 4_294_967_296;

export class Random {
  readonly #state = new Int32Array(4);

  /** `seed` is an integer; its low 53 bits are used. */
  constructor(seed: number) {
    // The high bits are mixed in second, so that seeds beyond 32 bits differ too.
    let mixed = splitmix(seed | 0) ^ Math.floor(seed / 4_294_967_296);
    for (let i = 0; i < 4; i++) {
      mixed = (mixed + 0x9e3779b9) | 0;
      this.#state[i] = splitmix(mixed);
    }
    // The generator can never leave the all-zero state.
    if (this.#state.every((word) => word === 0)) this.#state[0] = 1;
  }

  /** Continues from these four words, which must not all be 0. */
  static fromState(words: readonly [number, number, number, number]): Random {
    const random = new Random(0);
    random.#state.set(words);
    return random;
  }

  /** The next number, 0 .. 2^32-1. */
  next(): number {
    const state = this.#state;
    const s1 = state[1]!;
    const timesFive = Math.imul(s1, 5);
    const result = Math.imul((timesFive << 7) | (timesFive >>> 25), 9);
    const s2 = state[2]! ^ state[0]!;
    const s3 = state[3]! ^ s1;
    state[1] = s1 ^ s2;
    state[0] = state[0]! ^ s3;
    state[2] = s2 ^ (s1 << 9);
    state[3] = (s3 << 11) | (s3 >>> 21);
    return result >>> 0;
  }

  /** From 0 (inclusive) to 1 (exclusive), in steps of 2^-32. */
  unit(): number {
    return this.next() * TWO_TO_MINUS_32;
  }

  /** From `min` up to `max`. */
  between(min: number, max: number): number {
    return min + (max - min) * this.unit();
  }

  /** An integer 0 .. count-1, for counts far below 2^32: the bias is count / 2^32. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  /** A random point in the unit disc into `out[0]`, `out[1]`; never its exact centre, so it has a direction. */
  inDiscInto(out: Float64Array): void {
    for (;;) {
      const x = this.between(-1, 1);
      const y = this.between(-1, 1);
      const squared = x * x + y * y;
      if (squared > 1e-6 && squared <= 1) {
        out[0] = x;
        out[1] = y;
        return;
      }
    }
  }

  /** A random unit vector, uniform in direction, into `out[0]`, `out[1]`. */
  directionInto(out: Float64Array): void {
    this.inDiscInto(out);
    const x = out[0]!;
    const y = out[1]!;
    const length = Math.sqrt(x * x + y * y);
    out[0] = x / length;
    out[1] = y / length;
  }
}

/** Bit mixer of splitmix32 (the finaliser of MurmurHash3): a bijection of 32-bit numbers. */
function splitmix(word: number): number {
  let mixed = word;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) | 0;
}
