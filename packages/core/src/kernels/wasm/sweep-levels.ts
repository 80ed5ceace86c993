// The double test where all that watch have the same ranges: circles and spheres, plain markers. Part of sweep-tests.ts.
import { LANES, LEVEL_COUNT, LEVEL_RANGES, LEVEL_SENSES } from '../layouts/sweep-job';
import { floatAt, word, wordAt } from './job';
import { capacity, count, found, is3D, job, newX, newY, newZ, oldX, oldY, oldZ } from './sweep-crossing';
import { alsoSquared, doWatch, isFoundElse, isSelf, othersWatch, squared, thenX, thenY, thenZ, upTo } from './sweep-sides';
import {
  Floats, Mask, STEP, allFloats, allWords, bitOr, bitsOf, differ, either, firstLane, floatsAt, floatsOf, isAtMost, setWords, sub, wordsWhere,
} from './lanes';

/** Any number of levels. */
const MANY: u32 = 4;
/** Above the relative error of a squared distance in float32, and above the absolute one where float32 has no smaller numbers. */
const ROUNDING: f64 = 1.0 / 1048576.0;
const UNDERFLOW: f64 = 1e-37;

export function scanLevels(first: u32, next: u32, begin: u32, end: u32): bool {
  const levels = word(job, LEVEL_COUNT);
  if (is3D) {
    return ASC_FEATURE_SIMD && levels == 1 ? oneIn3D(first, next, begin, end) : manyIn3D(first, next, begin, end);
  }
  if (levels == 1) return one(first, next, begin, end);
  if (!ASC_FEATURE_SIMD) return many(first, next, begin, end);
  if (levels == 2) return two(first, next, begin, end);
  return levels == 3 ? three(first, next, begin, end) : many(first, next, begin, end);
}

function one(first: u32, next: u32, begin: u32, end: u32): bool {
  return testLevels(first, next, begin, end, 1, false);
}

function two(first: u32, next: u32, begin: u32, end: u32): bool {
  return testLevels(first, next, begin, end, 2, false);
}

function three(first: u32, next: u32, begin: u32, end: u32): bool {
  return testLevels(first, next, begin, end, 3, false);
}

function many(first: u32, next: u32, begin: u32, end: u32): bool {
  return testLevels(first, next, begin, end, MANY, false);
}

function oneIn3D(first: u32, next: u32, begin: u32, end: u32): bool {
  return testLevels(first, next, begin, end, 1, true);
}

function manyIn3D(first: u32, next: u32, begin: u32, end: u32): bool {
  return testLevels(first, next, begin, end, MANY, true);
}

/** `levels` and `hasZ` are constants where this is inlined. */
@inline // in JavaScript, too
function testLevels(first: u32, next: u32, begin: u32, end: u32, levels: u32, hasZ: bool): bool {
  // Locals, because a global is read again in each iteration.
  const baseNewX = newX;
  const baseNewY = newY;
  const baseNewZ = newZ;
  const baseOldX = oldX;
  const baseOldY = oldY;
  const baseOldZ = oldZ;
  const baseThenX = thenX;
  const baseThenY = thenY;
  const baseThenZ = thenZ;
  const farthest = levelSquared(0);
  const second = levels > 1 ? levelSquared(1) : farthest;
  const third = levels > 2 ? levelSquared(2) : farthest;
  const level: f64 = ASC_FEATURE_SIMD ? 0 : <f64>firstLane(farthest);
  const doubt = level * ROUNDING + UNDERFLOW;
  const outside: f64 = ASC_FEATURE_SIMD ? 0 : roughLevel(0, 1);
  const inside: f64 = ASC_FEATURE_SIMD ? 0 : roughLevel(levels > 1 ? word(job, LEVEL_COUNT) - 1 : 0, -1);
  const stop = <usize>end << 2;
  const isHalf = isSelf;
  for (let entry = first; entry < next; entry++) {
    const start = isHalf ? max<u32>(begin, entry + 1) : begin;
    if (count + 2 * (end - start) > capacity) return false;
    const own = <usize>entry << 2;
    const ownNewX = floatsOf(baseNewX + own);
    const ownNewY = floatsOf(baseNewY + own);
    const ownNewZ = hasZ ? floatsOf(baseNewZ + own) : ownNewX;
    const ownOldX = floatsOf(baseOldX + own);
    const ownOldY = floatsOf(baseOldY + own);
    const ownOldZ = hasZ ? floatsOf(baseOldZ + own) : ownOldX;
    for (let at = <usize>start << 2; at < stop; at += STEP) {
      if (!ASC_FEATURE_SIMD) {
        const newRough = roughSquared(baseNewX + at, baseNewY + at, baseNewZ + at, ownNewX, ownNewY, ownNewZ, hasZ);
        const oldRough = roughSquared(baseThenX + at, baseThenY + at, baseThenZ + at, ownOldX, ownOldY, ownOldZ, hasZ);
        if (levels == 1) {
          // Both are on the same side of the level, each farther from it than `doubt`: if one of two numbers is not above `doubt`, their
          // product is not above `doubt` times the other. False for NaN.
          if ((newRough - level) * (oldRough - level) > (newRough + oldRough + level) * doubt) continue;
        } else {
          const isAnyNear = u32(newRough <= outside) | u32(oldRough <= outside);
          const areBothNear = u32(newRough <= inside) & u32(oldRough <= inside);
          if ((isAnyNear & (areBothNear ^ 1)) == 0) continue;
        }
      }
      let newSquared = squared(sub(floatsAt(baseNewX + at), ownNewX), sub(floatsAt(baseNewY + at), ownNewY));
      let oldSquared = squared(sub(floatsAt(baseThenX + at), ownOldX), sub(floatsAt(baseThenY + at), ownOldY));
      if (hasZ) {
        newSquared = alsoSquared(newSquared, sub(floatsAt(baseNewZ + at), ownNewZ));
        oldSquared = alsoSquared(oldSquared, sub(floatsAt(baseThenZ + at), ownOldZ));
      }
      let crossed = crossedOf(newSquared, oldSquared, farthest);
      if (levels == 2 || levels == 3) crossed = either(crossed, crossedOf(newSquared, oldSquared, second));
      if (levels == 3) crossed = either(crossed, crossedOf(newSquared, oldSquared, third));
      if (levels == MANY) {
        const levelCount = word(job, LEVEL_COUNT);
        for (let k: u32 = 1; k < levelCount; k++) {
          crossed = either(crossed, crossedOf(newSquared, oldSquared, levelSquared(k)));
        }
      }
      // On x86, one instruction less than any_true.
      const lanes = bitsOf(crossed);
      if (lanes != 0) appendLevels(entry, <u32>(at >> 2), end, lanes, newSquared, oldSquared);
    }
  }
  return true;
}

@inline // in JavaScript, too
function levelSquared(level: u32): Floats {
  const range = floatAt(job, LEVEL_RANGES + level);
  return allFloats(range * range);
}

@inline // in JavaScript, too
function crossedOf(newSquared: Floats, oldSquared: Floats, level: Floats): Mask {
  return differ(isAtMost(newSquared, level), isAtMost(oldSquared, level));
}

/**
 * The squared distance of an entry, without the rounding to float32 after each step: JavaScript rounds by a conversion, which takes
 * longer than the arithmetic. It shows for nearly all pairs that nothing changed.
 */
@inline // in JavaScript, too
function roughSquared(x: usize, y: usize, z: usize, ownX: Floats, ownY: Floats, ownZ: Floats, hasZ: bool): f64 {
  const dx = <f64>load<f32>(x) - <f64>firstLane(ownX);
  const dy = <f64>load<f32>(y) - <f64>firstLane(ownY);
  const sum = dx * dx + dy * dy;
  if (!hasZ) return sum;
  const dz = <f64>load<f32>(z) - <f64>firstLane(ownZ);
  return sum + dz * dz;
}

/** A squared level, farther off (1) or nearer (-1) by more than what rounding may change. */
@inline // in JavaScript, too
function roughLevel(level: u32, sign: f64): f64 {
  const range = floatAt(job, LEVEL_RANGES + level);
  return <f64>(range * range) * (1 + sign * ROUNDING) + sign * UNDERFLOW;
}

/** Appends what changed in the lanes that crossed, for all that watch. */
function appendLevels(entry: u32, first: u32, end: u32, crossed: u32, newSquared: Floats, oldSquared: Floats): void {
  let payloads = allWords(0);
  const levelCount = word(job, LEVEL_COUNT);
  for (let k: u32 = 0; k < levelCount; k++) {
    const level = levelSquared(k);
    const senses = wordAt(job, LEVEL_SENSES + k);
    const before = wordsWhere(isAtMost(oldSquared, level), allWords(senses));
    const after = wordsWhere(isAtMost(newSquared, level), allWords(senses << 8));
    payloads = bitOr(payloads, bitOr(before, after));
  }
  // Lanes can be indexed only by constants, so the wanted ones are read from memory.
  setWords(job + (LANES << 2), payloads);
  for (let lanes = upTo(end, first, crossed); lanes != 0; lanes &= lanes - 1) {
    const lane = ctz(lanes);
    if (isFoundElse(entry, first + lane)) continue;
    const payload = wordAt(job, LANES + lane);
    found(entry, first + lane, doWatch ? payload : 0, othersWatch ? payload : 0);
  }
}
