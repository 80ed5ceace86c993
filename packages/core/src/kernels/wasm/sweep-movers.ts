/**
 * The double test for a world in which few entities move: only pairs with a mover in them, both directions at once.
 *
 * Entries stay in their cells from tick to tick, in cells with gaps. Those that changed have been corrected, listed, and marked
 * by a bit each. Each listed entry is tested against all entries near it, class by class. Its window among the members of a class
 * is as wide as it perceives them, or they perceive it. Nearly all of them are stationary: their old position is their new one,
 * so the loop reads only that, and skips movers that it finds. Pairs of two movers are found by the bits, from the mover that
 * comes first. Where few watch, the listed entries are those of all watchers (layouts/resident-entries.ts): one at rest is tested
 * against the movers only, by the bits.
 *
 * In the crowd and among things all ranges are the same, so a pair has changed if it crossed one of a few distances. The profiles
 * of odd entries lie beside their positions (sweep-profiles.ts), so in 2-D, with one sense and circles, they are tested four at a
 * time, too. Of all other entries, those within reach are decided by the definition.
 *
 * Cost: some 230 ns for a mover with 30 perceived, most of it waiting for memory, in a world that no cache holds; three times as
 * much with other shapes, several senses and odd markers.
 */
import { CHANGED_COUNT, FROM_WATCHERS, LANES, MAY_BE_STALE, MOVERS, MOVER_BITS, OWN_REACHES, THEIR_REACHES } from '../layouts/sweep-job';
import { CIRCLE } from '../layouts/perception';
import {
  CROWD, FIRST_ODD, FIRST_ODD_THINGS, THINGS, bitsWithin, column, floatAt, hasBit, setFloat, watches, word, wordAt,
} from './job';
import {
  activeCount, classOf, clipRow, firstCell, fromX, fromY, fromZ, gain, height, isNoting, longest, maxReach, membersOf, minReach, mostMembers,
  openMover, openMovers, openWindow, ownReach, ref, table, theirReach, toX, toY, toZ, width, windowReach,
} from './mover-window';
import {
  FIRST_CHANGED, SECOND_CHANGED, capacity, closeCrossings, count, cutCrossings, decideCrossing, is3D, job, newX, newY, newZ, notePair, oldX,
  oldY, oldZ, openCrossings, rangeOf, reachOf, refs, senseCount, settlePairs, shape, squareOf,
} from './sweep-crossing';
import { openProfiles, planeBytes, profiles } from './sweep-profiles';
import { alsoSquared, squareOfReaches, squared } from './sweep-sides';
import { areIn, openWays } from './sweep-ways';
import {
  Mask, STEP, WIDTH, allFloats, bitsOf, differ, either, floatsAt, floatsOf, isAnywhere, isAtMost, mul, nowhere, sub,
} from './lanes';

/** Movers whose surroundings fit into the nearest cache, if some fifteen share a cell. */
const BLOCK: u32 = 16;
/** Movers that are prefetched: they include those of the next row. */
const AHEAD: u32 = 128;
/** Most entries of a row that are worth prefetching: the hardware prefetches the rest. */
const MOST_TOUCHED: u32 = 128;
/** A class with fewer members fits into a near cache as a whole. */
const LEAST_TOUCHED: u32 = 16384;
/** In the time of testing a marked entry, so many are tested four at a time. */
const ALL_PER_MARKED: u32 = 8;

// How members of a class are tested. ONE_REACH: they and the mover perceive each other from the same distance, or they do not
// perceive it. TWO_REACHES: from two distances. PROFILES: from distances of their own; PROFILES_OF_THINGS: they perceive nothing.
// SENSES: by the senses that all have. ANYHOW: any other way.
const ONE_REACH: u32 = 0;
const TWO_REACHES: u32 = 1;
const PROFILES: u32 = 2;
const PROFILES_OF_THINGS: u32 = 3;
const SENSES: u32 = 4;
const ANYHOW: u32 = 5;

export function scanMovers(offset: usize, from: u32, to: u32): u32 {
  openCrossings(offset);
  openProfiles();
  openMovers(word(job, MAY_BE_STALE) != 0);
  isFromWatchers = word(job, FROM_WATCHERS) != 0;
  const mayBeSetAside = isFromWatchers && word(job, CHANGED_COUNT) != 0;
  const movers = column(job, MOVERS);
  let noted = count;
  for (let k = from; k < to; k++) {
    if ((k - from) % AHEAD == 0) {
      if (isNoting) settlePairs(noted);
      noted = count;
      touchMovers(k == from ? k : k + AHEAD, min<u32>(k + 2 * AHEAD, to));
    }
    if ((k - from) % BLOCK == 0) touchSurroundings(k, min<u32>(k + BLOCK, to));
    const mover = wordAt(movers, k);
    const before = count;
    // A watcher that changed in place: `scanChanged` tests it.
    if (mayBeSetAside && isSetAside(mover)) continue;
    openMover(mover);
    isStill = isFromWatchers && isAtRest(mover);
    for (let i: u32 = 0; i < activeCount; i++) {
      if (!openWindow(i) || scanWindow(mover)) continue;
      stopAt(before, noted);
      return k;
    }
  }
  stopAt(count, noted);
  return to;
}

/** Closes the list after the crossings found before the count was `end`. */
function stopAt(end: u32, noted: u32): void {
  cutCrossings(end);
  if (isNoting) settlePairs(noted);
  closeCrossings(count);
}

/** Whether the scanned entries are those of all watchers, and not the movers. */
let isFromWatchers: bool = false;
/** Whether the current one did not move or change: then only pairs with movers can have changed. */
let isStill: bool = false;

/** Whether an entry has no positions, neither of now nor of the last tick. */
@inline
export function isSetAside(entry: u32): bool {
  return floatAt(newX, entry) != floatAt(newX, entry) && floatAt(oldX, entry) != floatAt(oldX, entry);
}

@inline
function isAtRest(entry: u32): bool {
  // An entry that is split has no old or no new position.
  const isInPlace = floatAt(newX, entry) == floatAt(oldX, entry) && floatAt(newY, entry) == floatAt(oldY, entry);
  return isInPlace && (!is3D || floatAt(newZ, entry) == floatAt(oldZ, entry));
}

/** False if the crossings may not fit. */
function scanWindow(mover: u32): bool {
  const way = wayOf();
  // Of two that are scanned, the first finds the pair. If only watchers are, they find all others.
  const first: u32 = isFromWatchers && !watches(classOf) ? 0 : mover + 1;
  const isClipped = shape == CIRCLE && toZ > 0;
  for (let cellZ = fromZ; cellZ <= toZ; cellZ++) {
    for (let cellY = fromY; cellY <= toY; cellY++) {
      if (isClipped && !clipRow(cellY, cellZ)) continue;
      const row = firstCell + (cellZ * height + cellY) * width;
      const begin = wordAt(table, row + fromX);
      const end = wordAt(table, row + toX + 1);
      if (begin == end) continue;
      if (count + 2 * (end - begin) > capacity) return false;
      const next = max<u32>(begin, first);
      if (isFromWatchers && way == ONE_REACH && !is3D && (!isStill || areManyMarked(next, end))) {
        scanAll(mover, next, end, classOf == CROWD);
        continue;
      }
      if (!isStill) scanStationary(way, mover, begin, end);
      scanMarked(mover, next, end);
    }
  }
  return true;
}

@inline
function scanStationary(way: u32, mover: u32, begin: u32, end: u32): void {
  if (way == ONE_REACH) scanOneReach(mover, begin, end, classOf == CROWD);
  else if (way == SENSES) scanSenses(mover, begin, end);
  else if (way == ANYHOW) scanAnyhow(mover, begin, end);
  else if (way == TWO_REACHES) scanTwoReaches(mover, begin, end);
  else if (way == PROFILES) scanProfiles(mover, begin, end);
  else scanProfilesOfThings(mover, begin, end);
}

/** How the members of the current window's class are tested. */
function wayOf(): u32 {
  if (!isNoting) return classOf <= THINGS ? SENSES : ANYHOW;
  if (classOf == THINGS || (classOf == CROWD && ownReach == theirReach)) return ONE_REACH;
  if (is3D) return ANYHOW;
  if (classOf == CROWD) return TWO_REACHES;
  return classOf < FIRST_ODD_THINGS ? PROFILES : PROFILES_OF_THINGS;
}

/**
 * Prefetches the data on which the movers' windows, and pairs of movers, depend. The loop does nothing else, so that many cache
 * misses overlap. The sum is not used. Only with SIMD, where memory is slower than the code.
 */
function touchMovers(from: u32, to: u32): void {
  if (!ASC_FEATURE_SIMD) return;
  const movers = column(job, MOVERS);
  let sum: f32 = 0;
  for (let k = from; k < to; k++) {
    const mover = wordAt(movers, k);
    sum += floatAt(newX, mover) + floatAt(newY, mover) + floatAt(oldX, mover) + floatAt(oldY, mover) + floatAt(refs, mover);
  }
  setFloat(job, LANES, sum);
}

/** Reads one float of each cache line that the scan of these movers will read, for the same purpose. */
function touchSurroundings(from: u32, to: u32): void {
  // Around watchers, `listWatchers` has just read them.
  if (!ASC_FEATURE_SIMD || mostMembers < LEAST_TOUCHED || isFromWatchers) return;
  const movers = column(job, MOVERS);
  let sum: f32 = 0;
  for (let k = from; k < to; k++) {
    openMover(wordAt(movers, k));
    for (let n: u32 = 0; n < activeCount; n++) {
      if (membersOf(n) < LEAST_TOUCHED || !openWindow(n)) continue;
      for (let cellY = fromY; cellY <= toY; cellY++) {
        const row = firstCell + (fromZ * height + cellY) * width;
        const begin = wordAt(table, row + fromX);
        const end = min<u32>(wordAt(table, row + toX + 1), begin + MOST_TOUCHED);
        for (let i = begin; i < end; i += 16) sum += floatAt(newX, i) + floatAt(newY, i);
        // The last line, which the steps may have skipped.
        sum += floatAt(newX, end) + floatAt(newY, end);
      }
    }
  }
  setFloat(job, LANES, sum);
}

function scanOneReach(mover: u32, begin: u32, end: u32, isMutual: bool): void {
  if (is3D) scanLanes(mover, begin, end, isMutual ? ownReach : 0, ONE_REACH, true, true);
  else scanLanes(mover, begin, end, isMutual ? ownReach : 0, ONE_REACH, false, true);
}

/** Stationary and marked entries at once, in 2-D. */
function scanAll(mover: u32, begin: u32, end: u32, isMutual: bool): void {
  scanLanes(mover, begin, end, isMutual ? ownReach : 0, ONE_REACH, false, false);
}

/** Whether it is faster to test all entries, four at a time, than the marked ones. */
@inline
function areManyMarked(begin: u32, end: u32): bool {
  const bits = column(job, MOVER_BITS);
  let marked: u32 = 0;
  for (let at = begin >>> 5; at <= end >>> 5; at++) marked += popcnt<u32>(wordAt(bits, at));
  return marked * ALL_PER_MARKED > end - begin;
}

function scanTwoReaches(mover: u32, begin: u32, end: u32): void {
  scanLanes(mover, begin, end, theirReach, TWO_REACHES, false, true);
}

function scanProfiles(mover: u32, begin: u32, end: u32): void {
  scanLanes(mover, begin, end, 0, PROFILES, false, true);
}

function scanProfilesOfThings(mover: u32, begin: u32, end: u32): void {
  scanLanes(mover, begin, end, 0, PROFILES_OF_THINGS, false, true);
}

/**
 * Tests the entries of a run, or the stationary ones of them, in the only sense. `way`, `hasZ` and `areStationary` are constants
 * where this is inlined.
 */
@inline
function scanLanes(mover: u32, begin: u32, end: u32, theirs: f32, way: u32, hasZ: bool, areStationary: bool): void {
  const own = <usize>mover << 2;
  let ownSquared = allFloats(squareOf(ownReach));
  let theirSquared = allFloats(squareOf(theirs));
  const ownRange = allFloats(ownReach > 0 ? ownReach : f32.NaN);
  const ownGain = allFloats(gain > 0 && maxReach > 0 ? gain : f32.NaN);
  const ownMinReach = allFloats(minReach);
  const ownMaxReach = allFloats(maxReach);
  const zero = allFloats(0);
  // Locals, because a global is read again in each iteration.
  const baseX = newX;
  const baseY = newY;
  const baseZ = newZ;
  const baseOldX = oldX;
  const baseOldY = oldY;
  const theirRanges = profiles;
  const theirGains = profiles + planeBytes;
  const theirMinReaches = theirGains + planeBytes;
  const theirMaxReaches = theirMinReaches + planeBytes;
  const ownNewX = floatsOf(baseX + own);
  const ownNewY = floatsOf(baseY + own);
  const ownNewZ = hasZ ? floatsOf(baseZ + own) : zero;
  const ownOldX = floatsOf(oldX + own);
  const ownOldY = floatsOf(oldY + own);
  const ownOldZ = hasZ ? floatsOf(oldZ + own) : zero;
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += STEP) {
    const atX = floatsAt(baseX + at);
    const atY = floatsAt(baseY + at);
    let newSquared = squared(sub(atX, ownNewX), sub(atY, ownNewY));
    const atOldX = areStationary ? atX : floatsAt(baseOldX + at);
    const atOldY = areStationary ? atY : floatsAt(baseOldY + at);
    let oldSquared = squared(sub(atOldX, ownOldX), sub(atOldY, ownOldY));
    if (hasZ) {
      const atZ = floatsAt(baseZ + at);
      newSquared = alsoSquared(newSquared, sub(atZ, ownNewZ));
      oldSquared = alsoSquared(oldSquared, sub(atZ, ownOldZ));
    }
    if (way == PROFILES || way == PROFILES_OF_THINGS) {
      const base = mul(ownRange, floatsAt(theirGains + at));
      ownSquared = squareOfReaches(base, floatsAt(theirMinReaches + at), floatsAt(theirMaxReaches + at));
    }
    const isInOwn = isAtMost(newSquared, ownSquared);
    const crossedOwn = differ(isInOwn, isAtMost(oldSquared, ownSquared));
    if (way == ONE_REACH || way == PROFILES_OF_THINGS) {
      if (isAnywhere(crossedOwn)) {
        const crossedTheirs = theirs > 0 ? crossedOwn : nowhere();
        noteLanes(mover, <u32>(at >> 2), end, crossedOwn, isInOwn, crossedTheirs, isInOwn, areStationary);
      }
      continue;
    }
    if (way == PROFILES) theirSquared = squareOfReaches(mul(floatsAt(theirRanges + at), ownGain), ownMinReach, ownMaxReach);
    const isInTheirs = isAtMost(newSquared, theirSquared);
    const crossedTheirs = differ(isInTheirs, isAtMost(oldSquared, theirSquared));
    if (isAnywhere(either(crossedOwn, crossedTheirs))) {
      noteLanes(mover, <u32>(at >> 2), end, crossedOwn, isInOwn, crossedTheirs, isInTheirs, areStationary);
    }
  }
}

/** Plain markers that all perceive by the common ranges, or not at all, in any shape, dimensions and number of senses. */
function scanSenses(mover: u32, begin: u32, end: u32): void {
  for (let i = begin; i < end; i += WIDTH) {
    openWays(job, mover, i);
    let mayDiffer = nowhere();
    for (let s: u32 = 0; s < senseCount; s++) {
      const own = floatAt(job, OWN_REACHES + s);
      const theirs: f32 = classOf == THINGS ? 0 : floatAt(job, THEIR_REACHES + s);
      if (own > 0) mayDiffer = either(mayDiffer, differ(areIn(job, own, true), areIn(job, own, false)));
      if (theirs > 0 && theirs != own) mayDiffer = either(mayDiffer, differ(areIn(job, theirs, true), areIn(job, theirs, false)));
    }
    if (isAnywhere(mayDiffer)) decideLanes(mover, i, end, mayDiffer);
  }
}

/** Any entries: those within the longest reach, before or now, are decided. */
function scanAnyhow(mover: u32, begin: u32, end: u32): void {
  const most = <f32>windowReach;
  for (let i = begin; i < end; i += WIDTH) {
    openWays(job, mover, i);
    const mayDiffer = either(areIn(job, most, true), areIn(job, most, false));
    if (isAnywhere(mayDiffer)) decideLanes(mover, i, end, mayDiffer);
  }
}

/** Decides the pairs of a mover with other movers, from entry `begin` on. */
@inline
function scanMarked(mover: u32, begin: u32, end: u32): void {
  const bits = column(job, MOVER_BITS);
  for (let first = begin & ~31; first < end; first += 32) {
    let marked = bitsWithin(bits, first, begin, end);
    for (; marked != 0; marked &= marked - 1) decideBoth(mover, first + <u32>ctz(marked));
  }
}

/** Decides a pair of entries in all senses, in both directions. */
function decideBoth(mover: u32, other: u32): void {
  if (isNoting) {
    noteBoth(mover, other);
    return;
  }
  if (longest > 0) decideCrossing(mover, other);
  if (classOf != THINGS) decideCrossing(other, mover);
}

/** The same if there is one sense. */
function noteBoth(mover: u32, other: u32): void {
  const newDx = floatAt(newX, other) - floatAt(newX, mover);
  const newDy = floatAt(newY, other) - floatAt(newY, mover);
  const oldDx = floatAt(oldX, other) - floatAt(oldX, mover);
  const oldDy = floatAt(oldY, other) - floatAt(oldY, mover);
  let newSquared = newDx * newDx + newDy * newDy;
  let oldSquared = oldDx * oldDx + oldDy * oldDy;
  if (is3D) {
    const newDz = floatAt(newZ, other) - floatAt(newZ, mover);
    const oldDz = floatAt(oldZ, other) - floatAt(oldZ, mover);
    newSquared = newSquared + newDz * newDz;
    oldSquared = oldSquared + oldDz * oldDz;
  }
  const own = ownReach;
  const otherRef = wordAt(refs, other);
  const ownBits = changeIn(classOf < FIRST_ODD ? own : reachOf(0, own, otherRef), newSquared, oldSquared);
  let theirs: f32 = 0;
  if (classOf == CROWD) theirs = theirReach;
  else if (classOf != THINGS) theirs = reachOf(0, rangeOf(0, otherRef), ref);
  const bits = ownBits | (changeIn(theirs, newSquared, oldSquared) << 2);
  if ((bits & (FIRST_CHANGED | SECOND_CHANGED)) != 0) notePair(mover, other, bits);
}

/** The bits of a pair for the entry that perceives from this far; 0: not at all. */
@inline
function changeIn(reach: f32, newSquared: f32, oldSquared: f32): u32 {
  const reachSquared = squareOf(reach);
  const isIn = u32(newSquared <= reachSquared);
  return (isIn ^ u32(oldSquared <= reachSquared)) | (isIn << 1);
}

@inline
function isMarked(entry: u32): bool {
  return hasBit(column(job, MOVER_BITS), entry);
}

/** Decides the stationary entries in the lanes where something may differ. */
function decideLanes(mover: u32, first: u32, end: u32, mayDiffer: Mask): void {
  const lanes = bitsOf(mayDiffer);
  for (let lane: u32 = 0; lane < WIDTH && first + lane < end; lane++) {
    if (((lanes >>> lane) & 1) != 0 && !isMarked(first + lane)) decideBoth(mover, first + lane);
  }
}

/** Stores the pairs with the entries in the lanes that crossed; marked ones only if these are scanned, too. */
function noteLanes(
  mover: u32, first: u32, end: u32, crossedOwn: Mask, isInOwn: Mask, crossedTheirs: Mask, isInTheirs: Mask, areStationary: bool,
): void {
  const own = bitsOf(crossedOwn);
  const ownInside = bitsOf(isInOwn);
  const theirs = bitsOf(crossedTheirs);
  const theirsInside = bitsOf(isInTheirs);
  for (let lane: u32 = 0; lane < WIDTH && first + lane < end; lane++) {
    if ((((own | theirs) >>> lane) & 1) == 0 || (areStationary && isMarked(first + lane))) continue;
    const ownBits = ((own >>> lane) & 1) | (((ownInside >>> lane) & 1) << 1);
    const theirBits = ((theirs >>> lane) & 1) | (((theirsInside >>> lane) & 1) << 1);
    notePair(mover, first + lane, ownBits | (theirBits << 2));
  }
}
