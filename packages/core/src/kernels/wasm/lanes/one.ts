// One lane: the vector type of the kernels without SIMD. four.ts has the same names for four lanes, and explains them; the build
// puts one of the two in the place of './lanes'. A mask is 1 or 0.

export type Floats = f32;
export type Words = u32;
export type Mask = u32;

export const WIDTH: u32 = 1;

export const EVERY_LANE: u32 = 1;

export const STEP: usize = 4;

@inline
export function floatsAt(at: usize): Floats {
  return load<f32>(at);
}

@inline
export function wordsAt(at: usize): Words {
  return load<u32>(at);
}

@inline
export function setFloats(at: usize, floats: Floats): void {
  store<f32>(at, floats);
}

@inline
export function setWords(at: usize, words: Words): void {
  store<u32>(at, words);
}

@inline
export function allFloats(value: f32): Floats {
  return value;
}

@inline
export function allWords(value: u32): Words {
  return value;
}

@inline
export function floatsOf(at: usize): Floats {
  return load<f32>(at);
}

@inline
export function wordsOf(at: usize): Words {
  return load<u32>(at);
}

@inline
export function gathered(column: usize, indexes: Words): Floats {
  return load<f32>(column + (<usize>indexes << 2));
}

@inline
export function gatheredWords(column: usize, indexes: Words): Words {
  return load<u32>(column + (<usize>indexes << 2));
}

/** The address of a pair. */
export type Pairs = usize;

@inline
export function lowPairs(column: usize, index: Words): Pairs {
  return column + (<usize>index << 3);
}

@inline
export function highPairs(column: usize, index: Words): Pairs {
  return column + (<usize>index << 3);
}

@inline
export function firsts(low: Pairs, high: Pairs): Floats {
  return load<f32>(low);
}

@inline
export function seconds(low: Pairs, high: Pairs): Floats {
  return load<f32>(low, 4);
}

@inline
export function allBytes(column: usize, indexes: Words): u32 {
  return <u32>load<u8>(column + <usize>indexes);
}

@inline
export function areZeroOr(column: usize, indexes: Words, value: u32): bool {
  const own = <u32>load<u16>(column + (<usize>indexes << 1));
  return own == 0 || own == value;
}

@inline
export function add(a: Floats, b: Floats): Floats {
  return a + b;
}

@inline
export function sub(a: Floats, b: Floats): Floats {
  return a - b;
}

@inline
export function mul(a: Floats, b: Floats): Floats {
  return a * b;
}

@inline
export function div(a: Floats, b: Floats): Floats {
  return a / b;
}

@inline
export function absolute(a: Floats): Floats {
  return Mathf.abs(a);
}

@inline
export function root(a: Floats): Floats {
  return Mathf.sqrt(a);
}

@inline
export function raised(a: Floats, b: Floats): Floats {
  return a < b ? b : a;
}

@inline
export function lowered(a: Floats, b: Floats): Floats {
  return b < a ? b : a;
}

@inline
export function isAtMost(a: Floats, b: Floats): Mask {
  return u32(a <= b);
}

@inline
export function isAtLeast(a: Floats, b: Floats): Mask {
  return u32(a >= b);
}

@inline
export function areEqual(a: Words, b: Words): Mask {
  return u32(a == b);
}

@inline
export function areUnequal(a: Words, b: Words): Mask {
  return u32(a != b);
}

@inline
export function isBelow(a: Words, b: Words): Mask {
  return u32(a < b);
}

@inline
export function areWhole(a: Floats): Mask {
  return <u32>(a == Mathf.trunc(a));
}

@inline
export function floatsFrom(a: Words): Floats {
  return <f32>a;
}

@inline
export function minus(a: Words, b: Words): Words {
  return a - b;
}

@inline
export function bitAnd(a: Words, b: Words): Words {
  return a & b;
}

@inline
export function bitOr(a: Words, b: Words): Words {
  return a | b;
}

@inline
export function shiftedUp(a: Words, bits: i32): Words {
  return a << bits;
}

@inline
export function shiftedDown(a: Words, bits: i32): Words {
  return a >>> bits;
}

@inline
export function both(a: Mask, b: Mask): Mask {
  return a & b;
}

@inline
export function either(a: Mask, b: Mask): Mask {
  return a | b;
}

@inline
export function differ(a: Mask, b: Mask): Mask {
  return a ^ b;
}

@inline
export function nowhere(): Mask {
  return 0;
}

@inline
export function bitsOf(mask: Mask): u32 {
  return mask;
}

@inline
export function wordsWhere(mask: Mask, words: Words): Words {
  return mask != 0 ? words : 0;
}

@inline
export function floatsUnless(mask: Mask, floats: Floats): Floats {
  return mask != 0 ? 0 : floats;
}

@inline
export function chosen(mask: Mask, where: Floats, elsewhere: Floats): Floats {
  return mask != 0 ? where : elsewhere;
}

@inline
export function greatestLane(a: Floats): f32 {
  return a;
}

@inline
export function firstLane(a: Floats): f32 {
  return a;
}
