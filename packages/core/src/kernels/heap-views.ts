/** What a TypeScript kernel sees of a heap: all of it, as doubles, floats, words and bytes, indexed by `offset >>> 3`, `>>> 2`, `>> 0`. */
export interface HeapViews {
  readonly f64: Float64Array;
  readonly f32: Float32Array;
  readonly u32: Uint32Array;
  readonly u8: Uint8Array;
}
