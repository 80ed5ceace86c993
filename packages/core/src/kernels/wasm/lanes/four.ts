// Four lanes at once: the vector type of the kernels with SIMD. one.ts has the same names for one lane; the build puts one of the
// two in the place of './lanes'. In a mask, all bits of a lane are set, or none.

export type Floats = v128;
export type Words = v128;
export type Mask = v128;

/** Number of lanes: four here, one in one.ts. */
export const WIDTH: u32 = 4;

/** A bit for each lane. */
export const EVERY_LANE: u32 = (1 << WIDTH) - 1;

/** The bytes of one vector of 32-bit elements. */
export const STEP: usize = 16;

@inline
export function floatsAt(at: usize): Floats {
  return v128.load(at);
}

@inline
export function wordsAt(at: usize): Words {
  return v128.load(at);
}

@inline
export function setFloats(at: usize, floats: Floats): void {
  v128.store(at, floats);
}

@inline
export function setWords(at: usize, words: Words): void {
  v128.store(at, words);
}

@inline
export function allFloats(value: f32): Floats {
  return f32x4.splat(value);
}

@inline
export function allWords(value: u32): Words {
  return i32x4.splat(value);
}

/** The float at an address, in every lane. */
@inline
export function floatsOf(at: usize): Floats {
  return v128.load32_splat(at);
}

@inline
export function wordsOf(at: usize): Words {
  return v128.load32_splat(at);
}

/** For each lane, the element of a column of floats at that lane's index. */
@inline
export function gathered(column: usize, indexes: Words): Floats {
  let four = v128.load32_zero(column + (<usize>i32x4.extract_lane(indexes, 0) << 2));
  four = v128.load32_lane(column + (<usize>i32x4.extract_lane(indexes, 1) << 2), four, 1);
  four = v128.load32_lane(column + (<usize>i32x4.extract_lane(indexes, 2) << 2), four, 2);
  return v128.load32_lane(column + (<usize>i32x4.extract_lane(indexes, 3) << 2), four, 3);
}

/** The same for a column of words. */
@inline
export function gatheredWords(column: usize, indexes: Words): Words {
  return gathered(column, indexes);
}

/** Of a column of pairs of floats, those at half of these indexes: of the lower lanes, or of the upper ones. */
export type Pairs = v128;

@inline
export function lowPairs(column: usize, indexes: Words): Pairs {
  return v128.load64_lane(column + (<usize>i32x4.extract_lane(indexes, 1) << 3), v128.load64_zero(column + (<usize>i32x4.extract_lane(indexes, 0) << 3)), 1);
}

@inline
export function highPairs(column: usize, indexes: Words): Pairs {
  return v128.load64_lane(column + (<usize>i32x4.extract_lane(indexes, 3) << 3), v128.load64_zero(column + (<usize>i32x4.extract_lane(indexes, 2) << 3)), 1);
}

/** The first float of each pair. */
@inline
export function firsts(low: Pairs, high: Pairs): Floats {
  return v128.shuffle<f32>(low, high, 0, 2, 4, 6);
}

@inline
export function seconds(low: Pairs, high: Pairs): Floats {
  return v128.shuffle<f32>(low, high, 1, 3, 5, 7);
}

/** The bytes of a column at all of these indexes, combined by AND. */
@inline
export function allBytes(column: usize, indexes: Words): u32 {
  return (
    <u32>load<u8>(column + <usize>i32x4.extract_lane(indexes, 0)) & <u32>load<u8>(column + <usize>i32x4.extract_lane(indexes, 1)) &
    <u32>load<u8>(column + <usize>i32x4.extract_lane(indexes, 2)) & <u32>load<u8>(column + <usize>i32x4.extract_lane(indexes, 3))
  );
}

/** Whether the 16-bit values of a column at all of these indexes are 0 or that value. */
@inline
export function areZeroOr(column: usize, indexes: Words, value: u32): bool {
  return (
    isZeroOr(column, i32x4.extract_lane(indexes, 0), value) && isZeroOr(column, i32x4.extract_lane(indexes, 1), value) &&
    isZeroOr(column, i32x4.extract_lane(indexes, 2), value) && isZeroOr(column, i32x4.extract_lane(indexes, 3), value)
  );
}

@inline
function isZeroOr(column: usize, index: u32, value: u32): bool {
  const own = <u32>load<u16>(column + (<usize>index << 1));
  return (own == 0) | (own == value);
}

@inline
export function add(a: Floats, b: Floats): Floats {
  return f32x4.add(a, b);
}

@inline
export function sub(a: Floats, b: Floats): Floats {
  return f32x4.sub(a, b);
}

@inline
export function mul(a: Floats, b: Floats): Floats {
  return f32x4.mul(a, b);
}

@inline
export function div(a: Floats, b: Floats): Floats {
  return f32x4.div(a, b);
}

@inline
export function absolute(a: Floats): Floats {
  return f32x4.abs(a);
}

@inline
export function root(a: Floats): Floats {
  return f32x4.sqrt(a);
}

/** In each lane `b` if it is greater, else `a`. */
@inline
export function raised(a: Floats, b: Floats): Floats {
  return f32x4.pmax(a, b);
}

/** In each lane `b` if it is smaller, else `a`. */
@inline
export function lowered(a: Floats, b: Floats): Floats {
  return f32x4.pmin(a, b);
}

@inline
export function isAtMost(a: Floats, b: Floats): Mask {
  return f32x4.le(a, b);
}

@inline
export function isAtLeast(a: Floats, b: Floats): Mask {
  return f32x4.ge(a, b);
}

@inline
export function areEqual(a: Words, b: Words): Mask {
  return i32x4.eq(a, b);
}

@inline
export function areUnequal(a: Words, b: Words): Mask {
  return i32x4.ne(a, b);
}

@inline
export function isBelow(a: Words, b: Words): Mask {
  return i32x4.lt_u(a, b);
}

/** Whether floats are whole numbers. */
@inline
export function areWhole(a: Floats): Mask {
  return f32x4.eq(a, f32x4.trunc(a));
}

/** Words as floats, rounded to the nearest. */
@inline
export function floatsFrom(a: Words): Floats {
  return f32x4.convert_i32x4_u(a);
}

@inline
export function minus(a: Words, b: Words): Words {
  return i32x4.sub(a, b);
}

@inline
export function bitAnd(a: Words, b: Words): Words {
  return v128.and(a, b);
}

@inline
export function bitOr(a: Words, b: Words): Words {
  return v128.or(a, b);
}

@inline
export function shiftedUp(a: Words, bits: i32): Words {
  return i32x4.shl(a, bits);
}

@inline
export function shiftedDown(a: Words, bits: i32): Words {
  return i32x4.shr_u(a, bits);
}

@inline
export function both(a: Mask, b: Mask): Mask {
  return v128.and(a, b);
}

@inline
export function either(a: Mask, b: Mask): Mask {
  return v128.or(a, b);
}

@inline
export function differ(a: Mask, b: Mask): Mask {
  return v128.xor(a, b);
}

@inline
export function nowhere(): Mask {
  return i32x4.splat(0);
}

/** A bit for each lane, the first lowest. */
@inline
export function bitsOf(mask: Mask): u32 {
  return <u32>i32x4.bitmask(mask);
}

/** Words where the mask is set, 0 elsewhere. */
@inline
export function wordsWhere(mask: Mask, words: Words): Words {
  return v128.and(mask, words);
}

/** Floats where the mask is not set, 0 elsewhere. */
@inline
export function floatsUnless(mask: Mask, floats: Floats): Floats {
  return v128.andnot(floats, mask);
}

@inline
export function chosen(mask: Mask, where: Floats, elsewhere: Floats): Floats {
  return v128.bitselect(where, elsewhere, mask);
}

/** The greatest of the lanes. */
@inline
export function greatestLane(a: Floats): f32 {
  return max(
    max(f32x4.extract_lane(a, 0), f32x4.extract_lane(a, 1)),
    max(f32x4.extract_lane(a, 2), f32x4.extract_lane(a, 3)),
  );
}

@inline
export function firstLane(a: Floats): f32 {
  return f32x4.extract_lane(a, 0);
}
