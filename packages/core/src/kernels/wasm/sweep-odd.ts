// The double test for odd entries, with circles and one sense. Part of sweep-tests.ts.
import { OWN_PROFILE, THEIR_REACHES } from '../layouts/sweep-job';
import { floatAt } from './job';
import { capacity, count, found, job, newX, newY, newZ, oldX, oldY, oldZ, squareOf } from './sweep-crossing';
import { planeBytes, profiles } from './sweep-profiles';
import { alsoSquared, isFoundElse, isSelf, openOwn, squareOfReaches, squared, thenX, thenY, thenZ, upTo } from './sweep-sides';
import {
  Mask, STEP, allFloats, bitsOf, differ, either, floatsAt, floatsOf, isAtMost, mul, sub,
} from './lanes';

// What is read beside the positions of the searched entries: nothing, because all distances are constants; their ranges; their
// whole profiles.
const DISTANCES: u32 = 0;
const RANGES: u32 = 1;
const PROFILES: u32 = 2;

export function distances(first: u32, next: u32, begin: u32, end: u32): bool {
  return testPairs(first, next, begin, end, DISTANCES, false);
}

export function distancesIn3D(first: u32, next: u32, begin: u32, end: u32): bool {
  return testPairs(first, next, begin, end, DISTANCES, true);
}

export function ranged(first: u32, next: u32, begin: u32, end: u32): bool {
  return testPairs(first, next, begin, end, RANGES, false);
}

export function profiled(first: u32, next: u32, begin: u32, end: u32): bool {
  return testPairs(first, next, begin, end, PROFILES, false);
}

/**
 * Circles, one sense. `kind`: what is read beside the positions. An entry that perceives nothing has the range NaN. `kind` and `hasZ`
 * are constants where this is inlined.
 */
@inline // in JavaScript, too
function testPairs(first: u32, next: u32, begin: u32, end: u32, kind: u32, hasZ: bool): bool {
  const baseNewX = newX;
  const baseNewY = newY;
  const baseNewZ = newZ;
  const baseOldX = oldX;
  const baseOldY = oldY;
  const baseOldZ = oldZ;
  const baseThenX = thenX;
  const baseThenY = thenY;
  const baseThenZ = thenZ;
  const theirRanges = profiles;
  const theirGains = profiles + planeBytes;
  const theirMinReaches = theirGains + planeBytes;
  const theirMaxReaches = theirMinReaches + planeBytes;
  const stop = <usize>end << 2;
  const isHalf = isSelf;
  for (let entry = first; entry < next; entry++) {
    const start = isHalf ? max<u32>(begin, entry + 1) : begin;
    if (count + 2 * (end - start) > capacity) return false;
    openOwn(entry, 0);
    const own = <usize>entry << 2;
    const ownNewX = floatsOf(baseNewX + own);
    const ownNewY = floatsOf(baseNewY + own);
    const ownNewZ = hasZ ? floatsOf(baseNewZ + own) : ownNewX;
    const ownOldX = floatsOf(baseOldX + own);
    const ownOldY = floatsOf(baseOldY + own);
    const ownOldZ = hasZ ? floatsOf(baseOldZ + own) : ownOldX;
    const ownRange = allFloats(floatAt(job, OWN_PROFILE));
    const ownGain = allFloats(floatAt(job, OWN_PROFILE + 1));
    const ownMinReach = allFloats(floatAt(job, OWN_PROFILE + 2));
    const ownMaxReach = allFloats(floatAt(job, OWN_PROFILE + 3));
    let ownSquared = mul(ownRange, ownRange);
    let theirSquared = allFloats(squareOf(floatAt(job, THEIR_REACHES)));
    for (let at = <usize>start << 2; at < stop; at += STEP) {
      let newSquared = squared(sub(floatsAt(baseNewX + at), ownNewX), sub(floatsAt(baseNewY + at), ownNewY));
      let oldSquared = squared(sub(floatsAt(baseThenX + at), ownOldX), sub(floatsAt(baseThenY + at), ownOldY));
      if (hasZ) {
        newSquared = alsoSquared(newSquared, sub(floatsAt(baseNewZ + at), ownNewZ));
        oldSquared = alsoSquared(oldSquared, sub(floatsAt(baseThenZ + at), ownOldZ));
      }
      if (kind == PROFILES) {
        const base = mul(ownRange, floatsAt(theirGains + at));
        ownSquared = squareOfReaches(base, floatsAt(theirMinReaches + at), floatsAt(theirMaxReaches + at));
        theirSquared = squareOfReaches(mul(floatsAt(theirRanges + at), ownGain), ownMinReach, ownMaxReach);
      } else if (kind == RANGES) {
        const range = floatsAt(theirRanges + at);
        theirSquared = mul(range, range);
      }
      const isInOwn = isAtMost(newSquared, ownSquared);
      const crossedOwn = differ(isInOwn, isAtMost(oldSquared, ownSquared));
      const isInTheirs = isAtMost(newSquared, theirSquared);
      const crossedTheirs = differ(isInTheirs, isAtMost(oldSquared, theirSquared));
      if (bitsOf(either(crossedOwn, crossedTheirs)) != 0) {
        appendLanes(entry, <u32>(at >> 2), end, crossedOwn, isInOwn, crossedTheirs, isInTheirs);
      }
    }
  }
  return true;
}

/** Appends the crossings in the lanes where any direction crossed. */
function appendLanes(
  entry: u32, first: u32, end: u32, crossedOwn: Mask, isInOwn: Mask, crossedTheirs: Mask, isInTheirs: Mask,
): void {
  const own = bitsOf(crossedOwn);
  const ownInside = bitsOf(isInOwn);
  const theirs = bitsOf(crossedTheirs);
  const theirsInside = bitsOf(isInTheirs);
  for (let lanes = upTo(end, first, own | theirs); lanes != 0; lanes &= lanes - 1) {
    const lane = ctz(lanes);
    if (isFoundElse(entry, first + lane)) continue;
    found(entry, first + lane, payloadIn(lane, own, ownInside), payloadIn(lane, theirs, theirsInside));
  }
}

@inline
function payloadIn(lane: u32, crossed: u32, inside: u32): u32 {
  return ((crossed >>> lane) & 1) * (1 + 255 * ((inside >>> lane) & 1));
}
