// Functions with which kernels read their jobs (records of words). Layouts number the words; ../layouts/sweep-job.ts has those of
// the sweep, and explains the values below.
import * as layout from '../layouts/sweep-job';

// Repeated here with a type: constants of a TypeScript layout have none for AssemblyScript.
export const CLASSES: u32 = layout.CLASSES;
export const CROWD: u32 = layout.CROWD;
export const THINGS: u32 = layout.THINGS;
export const FIRST_ODD: u32 = layout.FIRST_ODD;
export const FIRST_ODD_THINGS: u32 = layout.FIRST_ODD_THINGS;
export const IN_CHANNEL: u32 = layout.IN_CHANNEL;
export const IN_PLACE: u32 = layout.IN_PLACE;
export const CLASS_MASK: u32 = layout.CLASS_MASK;
export const KIND_MASK: u32 = layout.KIND_MASK;
export const IS_IN_PLACE: u32 = layout.IS_IN_PLACE;
export const NOWHERE: u32 = layout.NOWHERE;
export const SPLIT_BIT: u32 = layout.SPLIT_BIT;
export const GHOST_BIT: u32 = layout.GHOST_BIT;

/** Whether entries of a class watch. */
@inline
export function watches(k: u32): bool {
  const kind = k & KIND_MASK;
  return kind == CROWD || (kind >= FIRST_ODD && kind < FIRST_ODD_THINGS);
}

/** Whether entries of a class have profiles beside their positions. */
@inline
export function isOdd(k: u32): bool {
  return (k & KIND_MASK) >= FIRST_ODD;
}

/** A word of a record. */
@inline
export function word(record: usize, at: u32): u32 {
  return load<u32>(record + (<usize>at << 2));
}

/** A float64 of a record, by its index in float64s. */
@inline
export function numberAt(record: usize, at: u32): f64 {
  return load<f64>(record + (<usize>at << 3));
}

/** A column's address. */
@inline
export function column(record: usize, at: u32): usize {
  return <usize>load<u32>(record + (<usize>at << 2));
}

/** Element i of a column of 32-bit floats. */
@inline
export function floatAt(column: usize, i: u32): f32 {
  return load<f32>(column + (<usize>i << 2));
}

@inline
export function setFloat(column: usize, i: u32, value: f32): void {
  store<f32>(column + (<usize>i << 2), value);
}

/** Element i of a column of 32-bit words. */
@inline
export function wordAt(column: usize, i: u32): u32 {
  return load<u32>(column + (<usize>i << 2));
}

@inline
export function setWord(column: usize, i: u32, value: u32): void {
  store<u32>(column + (<usize>i << 2), value);
}

/** Bit i of a column of bits, which are kept in words. */
@inline
export function hasBit(bits: usize, i: u32): bool {
  return ((wordAt(bits, i >>> 5) >>> (i & 31)) & 1) != 0;
}

@inline
export function setBit(bits: usize, i: u32): void {
  setWord(bits, i >>> 5, wordAt(bits, i >>> 5) | (1 << (i & 31)));
}

@inline
export function clearBit(bits: usize, i: u32): void {
  setWord(bits, i >>> 5, wordAt(bits, i >>> 5) & ~(1 << (i & 31)));
}

/** The bits from `begin` to before `end` in the word of bit `first`, a multiple of 32 that is below `end`. */
@inline
export function bitsWithin(bits: usize, first: u32, begin: u32, end: u32): u32 {
  let word = wordAt(bits, first >>> 5);
  if (first < begin) word &= -1 << (begin & 31);
  if (end - first < 32) word &= (1 << (end - first)) - 1;
  return word;
}

@inline
export function clampedCell(coordinate: f64, origin: f64, inverse: f64, count: u32): u32 {
  const cell = (coordinate - origin) * inverse;
  return cell <= 0 ? 0 : cell >= <f64>(count - 1) ? count - 1 : <u32>cell;
}
