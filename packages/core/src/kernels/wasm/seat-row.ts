// Looks at the row of the watcher at hand: who in it is still a candidate, and with what rank. Part of seat-search.ts.
//
// Four at a time as long as nothing is out of the ordinary: plain markers, perceived as they were. Others one by one.
import { floatAt, setWord, wordAt } from './seat-words';
import { change, leave } from './seat-changes';
import { addSeated } from './seat-candidates';
import {
  dwell, factor, heldSensesAt, is3D, isMarker, isPlainAt, margin, plainSensesOfFour, row, rowSinces, rowSize, rowStates,
  sensesAt, serial, shape, squaredOf, stamps, tick, watcherSees, watcherX, watcherY, watcherZ, weights, xOf, xs, yOf, ys, zOf, zs,
} from './seat-watcher';

const SEATED: u32 = 0x1_0000;
const FORCED: u32 = 0x1c_0000;
const SIMPLY_SEATED: u32 = 0x83_0000;
/** How many of the row relate by force. */
export let forcedCount: u32 = 0;

export function readRow(): void {
  forcedCount = 0;
  for (let i: u32 = 0; i < rowSize; i++) readOne(i);
}

/** Four elements of a column of float32, each where its number says. */
// @ts-ignore: decorator
@inline
function gather(column: usize, a: u32, b: u32, c: u32, d: u32): v128 {
  let four = v128.load32_zero(column + (<usize>a << 2));
  four = v128.load32_lane(column + (<usize>b << 2), four, 1);
  four = v128.load32_lane(column + (<usize>c << 2), four, 2);
  return v128.load32_lane(column + (<usize>d << 2), four, 3);
}

// Of the four looked at last: how far they are, squared, and all bits of the lanes of those that are perceived no longer.
let fourSquared: v128 = f32x4.splat(0);
let fourGone: v128 = i32x4.splat(0);

/** Whether four of the row are plain markers with seats, that are perceived as they were or no longer. */
// @ts-ignore: decorator
@inline
function areOrdinary(markers: v128, before: v128): bool {
  const a = <u32>i32x4.extract_lane(markers, 0);
  const b = <u32>i32x4.extract_lane(markers, 1);
  const c = <u32>i32x4.extract_lane(markers, 2);
  const d = <u32>i32x4.extract_lane(markers, 3);
  if ((isPlainAt(a) & isPlainAt(b) & isPlainAt(c) & isPlainAt(d)) == 0) return false;
  const dx = f32x4.sub(gather(xs, a, b, c, d), f32x4.splat(watcherX));
  const dy = f32x4.sub(gather(ys, a, b, c, d), f32x4.splat(watcherY));
  let squared = f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy));
  if (is3D) {
    const dz = f32x4.sub(gather(zs, a, b, c, d), f32x4.splat(watcherZ));
    squared = f32x4.add(squared, f32x4.mul(dz, dz));
  }
  const senses = plainSensesOfFour(squared, i32x4.shr_u(before, 8));
  const gone = i32x4.eq(v128.and(senses, i32x4.splat(0xff00)), i32x4.splat(0));
  const isAsBefore = i32x4.eq(v128.or(senses, i32x4.splat(SIMPLY_SEATED)), before);
  const wasSeated = i32x4.eq(v128.and(before, i32x4.splat(0xffff0000)), i32x4.splat(SIMPLY_SEATED));
  fourSquared = v128.bitselect(f32x4.splat(Infinity), squared, gone);
  fourGone = gone;
  return i32x4.all_true(v128.and(wasSeated, v128.or(gone, isAsBefore)));
}

/** Which of four seats, from element i of the row on, are protected by dwell: all bits of their lanes. */
// @ts-ignore: decorator
@inline
export function protectedOf(i: u32): v128 {
  if (dwell == 0) return i32x4.splat(0);
  const age = i32x4.sub(i32x4.splat(tick), v128.load(rowSinces + (<usize>i << 2)));
  return i32x4.lt_u(age, i32x4.splat(dwell));
}

// @ts-ignore: decorator
@inline
export function isProtectedAt(i: u32): bool {
  return dwell > 0 && tick - wordAt(rowSinces, i) < dwell;
}

// What `readOrdinary` found: the greatest square of all that stay, of those of them not protected, and how many do not stay.
export let greatestSquare: f32 = 0;
export let greatestOpenSquare: f32 = 0;
export let goneCount: u32 = 0;

/**
 * Writes how far those of the row are, squared, and infinity for who is perceived no longer. False when one of them is out of
 * the ordinary: no plain marker, held by force, without a seat, perceived in other senses than before.
 */
export function readOrdinary(squares: usize): bool {
  forcedCount = 0;
  goneCount = 0;
  let greatest = f32x4.splat(0);
  let greatestOpen = f32x4.splat(0);
  let i: u32 = 0;
  for (; i + 4 <= rowSize; i += 4) {
    const at = <usize>i << 2;
    if (!areOrdinary(v128.load(row + at), v128.load(rowStates + at))) return false;
    v128.store(squares + at, fourSquared);
    const stays = v128.andnot(fourSquared, fourGone);
    greatest = f32x4.pmax(greatest, stays);
    greatestOpen = f32x4.pmax(greatestOpen, v128.andnot(stays, protectedOf(i)));
    goneCount += popcnt(<u32>i32x4.bitmask(fourGone));
  }
  greatestSquare = greatestOf(greatest);
  greatestOpenSquare = greatestOf(greatestOpen);
  for (; i < rowSize; i++) {
    // One alone is four times the same.
    const at = <usize>i << 2;
    if (!areOrdinary(v128.load32_splat(row + at), v128.load32_splat(rowStates + at))) return false;
    const squared = f32x4.extract_lane(fourSquared, 0);
    store<f32>(squares + at, squared);
    if (squared == Infinity) {
      goneCount++;
      continue;
    }
    greatestSquare = max(greatestSquare, squared);
    if (!isProtectedAt(i)) greatestOpenSquare = max(greatestOpenSquare, squared);
  }
  return true;
}

// @ts-ignore: decorator
@inline
function greatestOf(four: v128): f32 {
  return max(
    max(f32x4.extract_lane(four, 0), f32x4.extract_lane(four, 1)),
    max(f32x4.extract_lane(four, 2), f32x4.extract_lane(four, 3)),
  );
}

function readOne(i: u32): void {
  const marker = wordAt(row, i);
  const state = wordAt(rowStates, i);
  setWord(stamps, marker, serial);
  if ((state & (SEATED | FORCED)) == 0) {
    // One without a seat, of a watcher that had a row of all: it is no more listed, which nobody is told.
    setWord(stamps, marker, 0);
    leave(marker, 0);
    return;
  }
  const dx = xOf(marker) - watcherX;
  const dy = yOf(marker) - watcherY;
  const dz: f32 = is3D ? zOf(marker) - watcherZ : 0;
  const squared = squaredOf(dx, dy, dz);
  let senses: u32 = 0;
  let exact: u32 = 0;
  if (isMarker(marker)) {
    exact = sensesAt(marker, dx, dy, dz, squared);
    const lost = ((state >>> 8) & 255) & ~exact;
    senses = exact | (lost != 0 && margin > 0 ? heldSensesAt(marker, lost, dx, dy, dz, squared) : 0);
  }
  if ((state & FORCED) != 0) {
    forcedCount++;
    change(marker, state, (state & ~0xffff) | exact | (senses << 8));
    return;
  }
  if (senses == 0) {
    leave(marker, state);
    return;
  }
  let rank: f32 = Mathf.sqrt(squared);
  if (weights != 0) {
    const weight = floatAt(weights, marker);
    rank = weight == 0 ? Infinity : rank / weight;
  }
  if (rank < Infinity) rank = rank * factor;
  const isProtected = isProtectedAt(i);
  addSeated(marker, rank, squared, exact | (senses << 8) | SIMPLY_SEATED, state, isProtected);
}
