// Many lanes at once: what several kernels ask of vectors.

/** The signs of sixteen lanes of 32 bits, a bit each, the first lowest. */
// @ts-ignore: decorator
@inline
export function bitsOf(a: v128, b: v128, c: v128, d: v128): u32 {
  // Narrowing keeps signs.
  return <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d)));
}

/** Elements i to i + 3 of a column of 32-bit words. */
// @ts-ignore: decorator
@inline
export function fourAt(column: usize, i: u32): v128 {
  return v128.load(column + (<usize>i << 2));
}

// @ts-ignore: decorator
@inline
export function setFour(column: usize, i: u32, words: v128): void {
  v128.store(column + (<usize>i << 2), words);
}
