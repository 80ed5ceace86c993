/**
 * Fast checks for the usual case: typed arrays without errors, checked in loops that call nothing. If a column does
 * not pass, the caller checks its values one by one and reports what is wrong.
 *
 * A column that needs no rounding is not copied. Cost: 1 to 2 ns a value; one by one takes some 10.
 */
import { RESTING } from './entity-state.ts';
import type { EntityStore } from './entity-store.ts';

const NO_FLAGS_KNOWN = -1;

/**
 * The flags of all these entities, combined by OR; -1 if one of them is not present. Columns are read once, into
 * locals.
 */
export function flagsOfAll(
  { ids: { idOf }, now: { flags }, slotCount }: EntityStore,
  ids: Uint32Array,
  count: number,
): number {
  let all = 0;
  for (let k = 0; k < count; k++) {
    const id = ids[k];
    const slot = id >>> 10;
    if (slot >= slotCount || idOf[slot] !== id || flags[slot] === 0) return NO_FLAGS_KNOWN;
    all |= flags[slot];
  }
  return all;
}

/** Whether any entity of `flagsOfAll` does not watch now (`watches: false`). */
export function isAnyResting(flags: number): boolean {
  return (flags & RESTING) !== 0;
}

/**
 * Numbers as they are stored, from 0 to `most`, those below `least` as 0; `undefined` if the column needs the slow
 * check.
 */
export function plainFloats(
  column: ArrayLike<number>,
  count: number,
  most: number,
  least: number,
): Float32Array | undefined {
  if (column instanceof Float32Array) return plainFloat32s(column, count, most, least);
  if (column instanceof Float64Array) return plainFloat64s(column, count, most, least);
  return undefined;
}

/** 32-bit words up to `most`, as they are stored; `undefined` if the column needs the slow check. */
export function plainWords(column: ArrayLike<number>, count: number, most: number): Uint32Array | undefined {
  if (!(column instanceof Uint32Array)) return undefined;
  if (column.length < count) return undefined;
  const words = column.length === count ? column : column.subarray(0, count);
  let greatest = 0;
  for (let k = 0; k < count; k++) if (words[k] > greatest) greatest = words[k];
  return greatest <= most ? words : undefined;
}

function plainFloat32s(
  column: Float32Array,
  count: number,
  most: number,
  least: number,
): Float32Array | undefined {
  let smallest = Number.POSITIVE_INFINITY;
  for (let k = 0; k < count; k++) {
    const value = column[k];
    // Both comparisons are false for NaN.
    if (!(value >= 0 && value <= most)) return undefined;
    if (value < smallest) smallest = value;
  }
  if (smallest >= least && smallest > 0) return column.length === count ? column : column.subarray(0, count);
  const out = column.slice(0, count);
  // Adding 0 turns -0 into 0.
  for (let k = 0; k < count; k++) out[k] = out[k] < least ? 0 : out[k] + 0;
  return out;
}

function plainFloat64s(
  column: Float64Array,
  count: number,
  most: number,
  least: number,
): Float32Array | undefined {
  const out = new Float32Array(count);
  for (let k = 0; k < count; k++) {
    const value = column[k];
    if (!(value >= 0 && value <= most)) return undefined;
    // Compared as given, before rounding. Adding 0 turns -0 into 0.
    out[k] = value < least ? 0 : value + 0;
  }
  return out;
}
