// The two classes whose pairs are tested, and the searching entry: part of sweep-tests.ts.
import { COMMON_RANGES, OWN_PROFILE, THEIR_REACHES } from '../layouts/sweep-job';
import { CROWD, KIND_MASK, floatAt, hasBit, isOdd, setFloat, watches } from './job';
import { LEAST } from './perception';
import { job, newX, newY, newZ, oldX, oldY, oldZ } from './sweep-crossing';
import { planeBytes, profiles } from './sweep-profiles';
import { Floats, WIDTH, add, allFloats, chosen, isAtLeast, lowered, mul, raised } from './lanes';

export const OWN: u32 = 0;
const THEIRS: u32 = 1;

// Shared by the functions of one call; set by openSides.
/** Whether both classes are one, all of whose members search: then each searches only among those that come after it. */
export let isSelf: bool = false;
/** Otherwise a bit for each entry that searches, too: of two of these, the first finds the pair. 0: none of the searched ones does. */
let marks: usize = 0;
/** Whether of the searched entries only those without such a bit are tested, all of which are at rest. */
let areAtRest: bool = false;
/** The columns of their former positions: for those at rest the present ones, so that half as much is read. */
export let thenX: usize = 0;
export let thenY: usize = 0;
export let thenZ: usize = 0;
/** Whether members of the searching class watch, and of the searched one. */
export let doWatch: bool = false;
export let othersWatch: bool = false;
export let isSearchingOdd: bool = false;
export let isSearchedOdd: bool = false;
/** Which sides of a pair are tested: what the searching entry perceives, what perceives it. */
export let firstSide: u32 = 0;
export let lastSide: u32 = 0;

/** Call this after openCrossings and openProfiles. `marked`: the bits of searching entries, 0 if all members of a class search. */
export function openSides(own: u32, other: u32, marked: usize): void {
  isSelf = own == other && marked == 0;
  marks = marked;
  testAtRest(false);
  doWatch = watches(own);
  othersWatch = watches(other);
  isSearchingOdd = isOdd(own);
  isSearchedOdd = isOdd(other);
  firstSide = doWatch ? OWN : THEIRS;
  // Both sides of a pair of the crowd are one.
  lastSide = othersWatch && ((own | other) & KIND_MASK) != CROWD ? THEIRS : OWN;
}

/** Whether only entries at rest are tested. */
export function testAtRest(isSo: bool): void {
  areAtRest = isSo;
  thenX = isSo ? newX : oldX;
  thenY = isSo ? newY : oldY;
  thenZ = isSo ? newZ : oldZ;
}

/** Whether a searching entry's pair with another is found otherwise. */
@inline
export function isFoundElse(entry: u32, other: u32): bool {
  return marks != 0 && (areAtRest || other <= entry) && hasBit(marks, other);
}

/**
 * Reads the profile of a searching entry in a sense, and from how far the watchers of the crowd perceive it, if these are
 * searched: 0 for not at all.
 */
@inline
export function openOwn(entry: u32, s: u32): void {
  const at = OWN_PROFILE + 4 * s;
  const common = floatAt(job, COMMON_RANGES + s);
  if (isSearchingOdd) {
    const plane = profiles + <usize>(4 * s) * planeBytes;
    setFloat(job, at, floatAt(plane, entry));
    setFloat(job, at + 1, floatAt(plane + planeBytes, entry));
    setFloat(job, at + 2, floatAt(plane + 2 * planeBytes, entry));
    setFloat(job, at + 3, floatAt(plane + 3 * planeBytes, entry));
  } else {
    setFloat(job, at, doWatch && common > 0 ? common : f32.NaN);
    setFloat(job, at + 1, 1);
    setFloat(job, at + 2, 0);
    setFloat(job, at + 3, Infinity);
  }
  const base = common * floatAt(job, at + 1);
  const isPerceived = othersWatch && !isSearchedOdd && base > 0;
  setFloat(job, THEIR_REACHES + s, isPerceived ? min<f32>(max<f32>(base, floatAt(job, at + 2)), floatAt(job, at + 3)) : 0);
}

/** The lanes of a vector at `first` that lie before `end`. */
@inline
export function upTo(end: u32, first: u32, lanes: u32): u32 {
  return first + WIDTH > end ? lanes & ((1 << (end - first)) - 1) : lanes;
}

/** A reach from its base, a range times a gain; NaN stays NaN. */
@inline // in JavaScript, too
export function reachOfLanes(base: Floats, minReach: Floats, maxReach: Floats): Floats {
  return lowered(raised(base, minReach), maxReach);
}

/** The square of that reach; -1, within which nothing lies, where the base is no number, or was rounded to 0. */
@inline // in JavaScript, too
export function squareOfReaches(base: Floats, minReach: Floats, maxReach: Floats): Floats {
  const reach = reachOfLanes(base, minReach, maxReach);
  return chosen(isAtLeast(base, allFloats(LEAST)), mul(reach, reach), allFloats(-1));
}

@inline // in JavaScript, too
export function squared(dx: Floats, dy: Floats): Floats {
  return add(mul(dx, dx), mul(dy, dy));
}

@inline // in JavaScript, too
export function alsoSquared(sum: Floats, dz: Floats): Floats {
  return add(sum, mul(dz, dz));
}
