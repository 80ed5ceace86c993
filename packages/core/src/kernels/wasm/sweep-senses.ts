// The double test for any shape, dimensions and number of senses: a loop over senses finds the pairs that may have crossed, and the
// definition decides them. Part of sweep-tests.ts.
import { BOX, CIRCLE, CYLINDER } from '../layouts/perception';
import { OWN_PROFILE, RATIO_X, RATIO_Y, RATIO_Z, THEIR_REACHES } from '../layouts/sweep-job';
import { floatAt } from './job';
import { capacity, count, decide, found, is3D, job, newX, newY, newZ, oldX, oldY, oldZ, senseCount } from './sweep-crossing';
import { planeBytes, profiles } from './sweep-profiles';
import {
  OWN, alsoSquared, doWatch, firstSide, isFoundElse, isSearchedOdd, isSelf, lastSide, openOwn, othersWatch, reachOfLanes, squared, thenX, thenY, thenZ, upTo,
} from './sweep-sides';
import {
  Floats, Mask, WIDTH, absolute, allFloats, bitsOf, both, differ, either, floatsAt, floatsOf, isAtMost, mul, nowhere, sub,
} from './lanes';

export function boxes(first: u32, next: u32, begin: u32, end: u32): bool {
  return testBySense(first, next, begin, end, BOX);
}

export function circles(first: u32, next: u32, begin: u32, end: u32): bool {
  return testBySense(first, next, begin, end, CIRCLE);
}

export function cylinders(first: u32, next: u32, begin: u32, end: u32): bool {
  return testBySense(first, next, begin, end, CYLINDER);
}

/** Any shape, dimensions and number of senses. `kind`, the shape, is a constant where this is inlined. */
@inline // in JavaScript, too
function testBySense(first: u32, next: u32, begin: u32, end: u32, kind: u32): bool {
  const zero = allFloats(0);
  const ratioX = allFloats(kind == BOX ? floatAt(job, RATIO_X) : 1);
  const ratioY = allFloats(kind == BOX ? floatAt(job, RATIO_Y) : 1);
  const ratioZ = allFloats(kind == CIRCLE ? 1 : floatAt(job, RATIO_Z));
  const isHalf = isSelf;
  for (let entry = first; entry < next; entry++) {
    const start = isHalf ? max<u32>(begin, entry + 1) : begin;
    if (start >= end) continue;
    if (count + 2 * (end - start) > capacity) return false;
    for (let s: u32 = 0; s < senseCount; s++) openOwn(entry, s);
    const own = <usize>entry << 2;
    for (let i = start; i < end; i += WIDTH) {
      const at = <usize>i << 2;
      let newDx = sub(floatsAt(newX + at), floatsOf(newX + own));
      let newDy = sub(floatsAt(newY + at), floatsOf(newY + own));
      let oldDx = sub(floatsAt(thenX + at), floatsOf(oldX + own));
      let oldDy = sub(floatsAt(thenY + at), floatsOf(oldY + own));
      let newDz = zero;
      let oldDz = zero;
      if (is3D) {
        newDz = sub(floatsAt(newZ + at), floatsOf(newZ + own));
        oldDz = sub(floatsAt(thenZ + at), floatsOf(oldZ + own));
      }
      let newSquared = zero;
      let oldSquared = zero;
      if (kind == BOX) {
        newDx = absolute(newDx);
        newDy = absolute(newDy);
        oldDx = absolute(oldDx);
        oldDy = absolute(oldDy);
      } else {
        newSquared = squared(newDx, newDy);
        oldSquared = squared(oldDx, oldDy);
        if (kind == CIRCLE && is3D) {
          newSquared = alsoSquared(newSquared, newDz);
          oldSquared = alsoSquared(oldSquared, oldDz);
        }
      }
      if (kind != CIRCLE) {
        newDz = absolute(newDz);
        oldDz = absolute(oldDz);
      }
      let crossed = nowhere();
      for (let s: u32 = 0; s < senseCount; s++) {
        const profile = job + (<usize>(OWN_PROFILE + 4 * s) << 2);
        for (let side = firstSide; side <= lastSide; side++) {
          const reach = side == OWN ? ownReaches(profile, s, at) : theirReaches(profile, s, at);
          let isInside: Mask;
          let wasInside: Mask;
          if (kind == BOX) {
            const halfX = mul(reach, ratioX);
            const halfY = mul(reach, ratioY);
            isInside = both(isAtMost(newDx, halfX), isAtMost(newDy, halfY));
            wasInside = both(isAtMost(oldDx, halfX), isAtMost(oldDy, halfY));
          } else {
            const reachSquared = mul(reach, reach);
            isInside = isAtMost(newSquared, reachSquared);
            wasInside = isAtMost(oldSquared, reachSquared);
          }
          if (kind != CIRCLE && is3D) {
            const halfZ = mul(reach, ratioZ);
            isInside = both(isInside, isAtMost(newDz, halfZ));
            wasInside = both(wasInside, isAtMost(oldDz, halfZ));
          }
          crossed = either(crossed, differ(isInside, wasInside));
        }
      }
      const lanes = bitsOf(crossed);
      if (lanes != 0) decideLanes(entry, i, end, lanes);
    }
  }
  return true;
}

/** How far a searching entry perceives four others; NaN for not at all. */
@inline
function ownReaches(profile: usize, s: u32, at: usize): Floats {
  const range = floatsOf(profile);
  if (!isSearchedOdd) return range;
  const gains = profiles + <usize>(4 * s + 1) * planeBytes;
  const base = mul(range, floatsAt(gains + at));
  return reachOfLanes(base, floatsAt(gains + planeBytes + at), floatsAt(gains + 2 * planeBytes + at));
}

/** From how far four others perceive the searching entry; NaN for not at all. */
@inline
function theirReaches(profile: usize, s: u32, at: usize): Floats {
  if (!isSearchedOdd) {
    const reach = floatAt(job, THEIR_REACHES + s);
    return allFloats(reach > 0 ? reach : f32.NaN);
  }
  const ranges = profiles + <usize>(4 * s) * planeBytes;
  const base = mul(floatsAt(ranges + at), floatsOf(profile + 4));
  return reachOfLanes(base, floatsOf(profile + 8), floatsOf(profile + 12));
}

function decideLanes(entry: u32, first: u32, end: u32, crossed: u32): void {
  for (let lanes = upTo(end, first, crossed); lanes != 0; lanes &= lanes - 1) {
    const other = first + ctz(lanes);
    if (isFoundElse(entry, other)) continue;
    found(entry, other, doWatch ? decide(entry, other) : 0, othersWatch ? decide(other, entry) : 0);
  }
}
