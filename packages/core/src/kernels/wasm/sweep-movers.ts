/**
 * The double test for a world in which few move: only the pairs that have a mover in them, both directions at once.
 *
 * Everyone's entry lies in place from the tick before, in cells with gaps; those that changed have been put right, and are
 * listed and marked by a bit each. Each is tested against all entries near it, class by class: how far it perceives the members
 * of a class, and they it, says how wide its window is among them. Nearly all of these are at rest: where they were is where
 * they are, so the loop reads only that, and passes over movers if it finds any. Pairs of two movers are found by the bits, from
 * the one that lies before the other.
 *
 * Among the crowd and things all have the same ranges, so that a pair has changed when it crossed one of a few distances; in the
 * plane with one sense, so has one with plain markers of other ranges. Of any others those within reach are decided.
 *
 * Cost: some 230 ns a mover with 30 perceived, most of it waiting for memory, in a world that no
 * cache holds; three times as much with other shapes, senses and odd markers.
 */
import {
  CLASSES, COMMON_RANGES, DIMENSIONS, FIRST_PROFILED, GHOST_BIT, GRID_BYTES, GRID_DEPTH, GRID_FIRST_CELL, GRID_HEIGHT, GRID_INVERSE,
  GRID_MAX_GAIN, GRID_MAX_MAX_REACH, GRID_MAX_MIN_REACH, GRID_MAX_RANGE, GRID_MEMBERS, GRID_ORIGIN, GRID_WIDTH, GRIDS, LANES, LAST_GAINS,
  LAST_MAX_REACHES, LAST_MIN_REACHES, MOVER_BITS, MOVERS, NEW_X, NEW_Y, NEW_Z, NOW_GAINS, NOW_MAX_REACHES, NOW_MIN_REACHES, OLD_X, OLD_Y,
  OLD_Z, OWN_REACHES, RANGE, RATIO_X, RATIO_Y, RATIO_Z, SENSE_COUNT, SHAPE, SLACK, TABLE, THEIR_REACHES, THINGS, clampedCell, column, floatAt,
  setFloat, word, wordAt,
} from './job';
import {
  BOX, CIRCLE, FIRST_CHANGED, SECOND_CHANGED, capacity, closeCrossings, count, cutCrossings, decideCrossing, notePair,
  openCrossings, property, rangeOf, reachOf, refs, settlePairs,
} from './sweep-crossing';
import { areIn, openWays } from './sweep-ways';
import {
  Floats, Mask, STEP, WIDTH, add, allFloats, bitsOf, chosen, differ, either, floatsAt, floatsOf, greater, isAnywhere, isAtMost, mul, nowhere, sub,
} from './lanes';

const REACH_SLACK: f64 = 1.0 + 1.0 / 4194304.0;
/** Movers whose surroundings the nearest cache holds, where some fifteen share a cell. */
const BLOCK: u32 = 16;
/** Movers that are touched ahead: among them are those of the next row. */
const AHEAD: u32 = 128;
/** Entries of a row that are worth touching: what lies behind is streamed. */
const MOST_TOUCHED: u32 = 128;

// What the functions of one call share; set by openMovers.
let job: usize = 0;
let newX: usize = 0;
let newY: usize = 0;
let newZ: usize = 0;
let oldX: usize = 0;
let oldY: usize = 0;
let oldZ: usize = 0;
let ranges: usize = 0;
let table: usize = 0;
let shape: u32 = 0;
let is3D: bool = false;
let senseCount: u32 = 1;
let isNoting: bool = false;
let widening: f64 = 0;
/** The first entries behind the crowd, and behind the things. */
let crowdEnd: u32 = 0;
let thingsEnd: u32 = 0;
let commonLongest: f32 = 0;
// One mover; set by openMover.
let ref: u32 = 0;
let x: f64 = 0;
let y: f64 = 0;
let z: f64 = 0;
let longest: f32 = 0;
/** The greatest of its gains, minReaches and maxReaches. */
let gain: f32 = 1;
let minReach: f32 = 0;
let maxReach: f32 = 0;
// Its window among the members of a class; set by openWindow.
let firstCell: u32 = 0;
let width: u32 = 0;
let height: u32 = 0;
let windowReach: f64 = 0;
let fromX: u32 = 0;
let toX: u32 = 0;
let fromY: u32 = 0;
let toY: u32 = 0;
let fromZ: u32 = 0;
let toZ: u32 = 0;

export function scanMovers(offset: usize, from: u32, to: u32): u32 {
  openMovers(offset);
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
    openMover(mover);
    for (let classOf: u32 = 0; classOf < CLASSES; classOf++) {
      if (!openWindow(classOf) || scanWindow(mover, classOf)) continue;
      stopAt(before, noted);
      return k;
    }
  }
  stopAt(count, noted);
  return to;
}

/** Closes the list behind what was found before the count was `end`. */
function stopAt(end: u32, noted: u32): void {
  cutCrossings(end);
  if (isNoting) settlePairs(noted);
  closeCrossings(count);
}

function openMovers(offset: usize): void {
  job = offset;
  openCrossings(job);
  newX = column(job, NEW_X);
  newY = column(job, NEW_Y);
  newZ = column(job, NEW_Z);
  oldX = column(job, OLD_X);
  oldY = column(job, OLD_Y);
  oldZ = column(job, OLD_Z);
  ranges = column(job, RANGE);
  table = column(job, TABLE);
  shape = word(job, SHAPE);
  is3D = word(job, DIMENSIONS) == 3;
  senseCount = word(job, SENSE_COUNT);
  isNoting = senseCount == 1 && shape == CIRCLE && !is3D;
  widening = 2 * load<f64>(job + SLACK) * REACH_SLACK;
  const grids = column(job, GRIDS);
  crowdEnd = wordAt(table, load<u32>(grids + GRID_BYTES, GRID_FIRST_CELL));
  thingsEnd = wordAt(table, load<u32>(grids + 2 * GRID_BYTES, GRID_FIRST_CELL));
  commonLongest = 0;
  for (let s: u32 = 0; s < senseCount; s++) commonLongest = max<f32>(commonLongest, floatAt(job + COMMON_RANGES, s));
}

/** What a mover perceives, and what perceives it. Most are of the crowd, or things, of which the properties are known. */
function openMover(mover: u32): void {
  openPlace(mover);
  gain = 1;
  minReach = 0;
  maxReach = Infinity;
  const isKnown = mover < thingsEnd;
  longest = isKnown ? (mover < crowdEnd ? commonLongest : 0) : 0;
  if (!isKnown) {
    gain = 0;
    maxReach = 0;
  }
  for (let s: u32 = 0; s < senseCount; s++) {
    const common = floatAt(job + COMMON_RANGES, s);
    if (isKnown) {
      setFloat(job + OWN_REACHES, s, mover < crowdEnd ? common : 0);
      setFloat(job + THEIR_REACHES, s, common);
      continue;
    }
    const range = max<f32>(rangeOf(s, ref), 0);
    longest = max<f32>(longest, range);
    setFloat(job + OWN_REACHES, s, range);
    setFloat(job + THEIR_REACHES, s, reachOf(s, common, ref));
    gain = max<f32>(gain, property(NOW_GAINS, LAST_GAINS, s, ref, 1));
    minReach = max<f32>(minReach, property(NOW_MIN_REACHES, LAST_MIN_REACHES, s, ref, 0));
    maxReach = max<f32>(maxReach, property(NOW_MAX_REACHES, LAST_MAX_REACHES, s, ref, Infinity));
  }
}

// @ts-ignore: decorator
@inline
function openPlace(mover: u32): void {
  ref = wordAt(refs, mover);
  const isGhost = (ref & GHOST_BIT) != 0;
  x = <f64>floatAt(isGhost ? oldX : newX, mover);
  y = <f64>floatAt(isGhost ? oldY : newY, mover);
  z = is3D ? <f64>floatAt(isGhost ? oldZ : newZ, mover) : 0;
}

/** The cells of a class around a mover; false where nobody in it perceives the mover, nor is perceived. */
function openWindow(classOf: u32): bool {
  const grid = column(job, GRIDS) + <usize>classOf * GRID_BYTES;
  if (load<u32>(grid, GRID_MEMBERS) == 0) return false;
  const range = load<f64>(grid, GRID_MAX_RANGE);
  const theirs: f64 = range > 0 && gain > 0 ? Math.min(Math.max(range * <f64>gain, <f64>minReach), <f64>maxReach) : 0;
  const loudest = Math.max(<f64>longest * load<f64>(grid, GRID_MAX_GAIN), load<f64>(grid, GRID_MAX_MIN_REACH));
  const own: f64 = longest > 0 ? Math.min(loudest, load<f64>(grid, GRID_MAX_MAX_REACH)) : 0;
  windowReach = Math.max(own, theirs) * REACH_SLACK;
  if (windowReach == 0) return false;
  openCells(grid);
  return true;
}

// @ts-ignore: decorator
@inline
function openCells(grid: usize): void {
  firstCell = load<u32>(grid, GRID_FIRST_CELL);
  width = load<u32>(grid, GRID_WIDTH);
  height = load<u32>(grid, GRID_HEIGHT);
  const halfX = (shape == BOX ? windowReach * <f64>load<f32>(job + RATIO_X) : windowReach) + widening;
  const halfY = (shape == BOX ? windowReach * <f64>load<f32>(job + RATIO_Y) : windowReach) + widening;
  const originX = load<f64>(grid, GRID_ORIGIN);
  const inverseX = load<f64>(grid, GRID_INVERSE);
  const originY = load<f64>(grid, GRID_ORIGIN + 8);
  const inverseY = load<f64>(grid, GRID_INVERSE + 8);
  fromX = clampedCell(x - halfX, originX, inverseX, width);
  toX = clampedCell(x + halfX, originX, inverseX, width);
  fromY = clampedCell(y - halfY, originY, inverseY, height);
  toY = clampedCell(y + halfY, originY, inverseY, height);
  fromZ = 0;
  toZ = 0;
  const depth = load<u32>(grid, GRID_DEPTH);
  if (depth == 1) return;
  const halfZ = (shape == CIRCLE ? windowReach : windowReach * <f64>load<f32>(job + RATIO_Z)) + widening;
  fromZ = clampedCell(z - halfZ, load<f64>(grid, GRID_ORIGIN + 16), load<f64>(grid, GRID_INVERSE + 16), depth);
  toZ = clampedCell(z + halfZ, load<f64>(grid, GRID_ORIGIN + 16), load<f64>(grid, GRID_INVERSE + 16), depth);
}

/** False when the crossings may not fit. */
function scanWindow(mover: u32, classOf: u32): bool {
  for (let cellZ = fromZ; cellZ <= toZ; cellZ++) {
    for (let cellY = fromY; cellY <= toY; cellY++) {
      const row = firstCell + (cellZ * height + cellY) * width;
      const begin = wordAt(table, row + fromX);
      const end = wordAt(table, row + toX + 1);
      if (count + 2 * (end - begin) > capacity) return false;
      scanRun(mover, classOf, begin, end);
      scanMarked(mover, classOf, max<u32>(begin, mover + 1), end);
    }
  }
  return true;
}

function scanRun(mover: u32, classOf: u32, begin: u32, end: u32): void {
  if (classOf >= FIRST_PROFILED || (classOf > THINGS && !isNoting)) {
    scanNear(mover, classOf, begin, end);
  } else if (!isNoting) {
    scanSenses(mover, classOf, begin, end);
  } else if (classOf > THINGS) {
    scanOtherRanges(mover, begin, end);
  } else {
    const own = floatAt(job + OWN_REACHES, 0);
    const theirs: f32 = classOf == THINGS ? 0 : floatAt(job + THEIR_REACHES, 0);
    if (own == theirs) scanOneReach(mover, begin, end, own, true);
    else if (theirs == 0) scanOneReach(mover, begin, end, own, false);
    else scanTwoReaches(mover, begin, end, own, theirs);
  }
}

/**
 * Reads what their windows and pairs of movers depend on, and does nothing else, so that many wait for memory at once. What it
 * adds up to nobody wants. Only where memory is slower than the code.
 */
function touchMovers(from: u32, to: u32): void {
  if (!ASC_FEATURE_SIMD) return;
  const movers = column(job, MOVERS);
  let sum: f32 = 0;
  for (let k = from; k < to; k++) {
    const mover = wordAt(movers, k);
    sum += floatAt(newX, mover) + floatAt(newY, mover) + floatAt(oldX, mover) + floatAt(oldY, mover) + floatAt(refs, mover);
  }
  store<f32>(job, sum, LANES);
}

/** Reads one float of each cache line that the scan of these movers will read, to the same end. */
function touchSurroundings(from: u32, to: u32): void {
  if (!ASC_FEATURE_SIMD) return;
  const movers = column(job, MOVERS);
  let sum: f32 = 0;
  for (let k = from; k < to; k++) {
    openMover(wordAt(movers, k));
    for (let classOf: u32 = 0; classOf < CLASSES; classOf++) {
      if (!openWindow(classOf)) continue;
      for (let cellY = fromY; cellY <= toY; cellY++) {
        const row = firstCell + (fromZ * height + cellY) * width;
        const begin = wordAt(table, row + fromX);
        const end = min<u32>(wordAt(table, row + toX + 1), begin + MOST_TOUCHED);
        for (let i = begin; i < end; i += 16) sum += floatAt(newX, i) + floatAt(newY, i);
        // The last line, which the steps may have left out.
        sum += floatAt(newX, end) + floatAt(newY, end);
      }
    }
  }
  store<f32>(job, sum, LANES);
}

// @ts-ignore: decorator
@inline
function squareOf(reach: f32): f32 {
  return reach > 0 ? reach * reach : -1;
}

/** The mover perceives from one distance, and is perceived from the same, or not at all. */
function scanOneReach(mover: u32, begin: u32, end: u32, reach: f32, isMutual: bool): void {
  const own = <usize>mover << 2;
  const reachSquared = allFloats(squareOf(reach));
  const baseX = newX;
  const baseY = newY;
  const ownNewX = floatsOf(baseX + own);
  const ownNewY = floatsOf(baseY + own);
  const ownOldX = floatsOf(oldX + own);
  const ownOldY = floatsOf(oldY + own);
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += STEP) {
    const atX = floatsAt(baseX + at);
    const atY = floatsAt(baseY + at);
    const isIn = isAtMost(squared(sub(atX, ownNewX), sub(atY, ownNewY)), reachSquared);
    const wasIn = isAtMost(squared(sub(atX, ownOldX), sub(atY, ownOldY)), reachSquared);
    const crossed = differ(isIn, wasIn);
    if (isAnywhere(crossed)) {
      noteLanes(mover, <u32>(at >> 2), end, crossed, isIn, isMutual ? crossed : nowhere(), isIn);
    }
  }
}

/** The mover perceives from one distance, and is perceived from another; 0: not at all. */
function scanTwoReaches(mover: u32, begin: u32, end: u32, ownReach: f32, theirReach: f32): void {
  const own = <usize>mover << 2;
  const ownSquared = allFloats(squareOf(ownReach));
  const theirSquared = allFloats(squareOf(theirReach));
  const baseX = newX;
  const baseY = newY;
  const ownNewX = floatsOf(baseX + own);
  const ownNewY = floatsOf(baseY + own);
  const ownOldX = floatsOf(oldX + own);
  const ownOldY = floatsOf(oldY + own);
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += STEP) {
    const atX = floatsAt(baseX + at);
    const atY = floatsAt(baseY + at);
    const newSquared = squared(sub(atX, ownNewX), sub(atY, ownNewY));
    const oldSquared = squared(sub(atX, ownOldX), sub(atY, ownOldY));
    const isInOwn = isAtMost(newSquared, ownSquared);
    const isInTheirs = isAtMost(newSquared, theirSquared);
    const crossedOwn = differ(isInOwn, isAtMost(oldSquared, ownSquared));
    const crossedTheirs = differ(isInTheirs, isAtMost(oldSquared, theirSquared));
    if (isAnywhere(either(crossedOwn, crossedTheirs))) {
      noteLanes(mover, <u32>(at >> 2), end, crossedOwn, isInOwn, crossedTheirs, isInTheirs);
    }
  }
}

/** Those near perceive by ranges of their own, which lie beside them. */
function scanOtherRanges(mover: u32, begin: u32, end: u32): void {
  const own = <usize>mover << 2;
  const ownSquared = allFloats(squareOf(floatAt(job + OWN_REACHES, 0)));
  const gains = allFloats(gain);
  const atLeast = allFloats(minReach);
  const atMost = allFloats(gain > 0 ? maxReach : 0);
  const zero = allFloats(0);
  const minusOne = allFloats(-1);
  const baseX = newX;
  const baseY = newY;
  const baseRange = ranges;
  const ownNewX = floatsOf(baseX + own);
  const ownNewY = floatsOf(baseY + own);
  const ownOldX = floatsOf(oldX + own);
  const ownOldY = floatsOf(oldY + own);
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += STEP) {
    const atX = floatsAt(baseX + at);
    const atY = floatsAt(baseY + at);
    const newSquared = squared(sub(atX, ownNewX), sub(atY, ownNewY));
    const oldSquared = squared(sub(atX, ownOldX), sub(atY, ownOldY));
    const loudest = greater(mul(floatsAt(baseRange + at), gains), atLeast);
    const theirs = chosen(isAtMost(loudest, atMost), loudest, atMost);
    const theirSquared = chosen(isAtMost(theirs, zero), minusOne, mul(theirs, theirs));
    const isInOwn = isAtMost(newSquared, ownSquared);
    const isInTheirs = isAtMost(newSquared, theirSquared);
    const crossedOwn = differ(isInOwn, isAtMost(oldSquared, ownSquared));
    const crossedTheirs = differ(isInTheirs, isAtMost(oldSquared, theirSquared));
    if (isAnywhere(either(crossedOwn, crossedTheirs))) {
      noteLanes(mover, <u32>(at >> 2), end, crossedOwn, isInOwn, crossedTheirs, isInTheirs);
    }
  }
}

/** Plain markers that all perceive by the common ranges, or not at all, in any shape, dimensions and number of senses. */
function scanSenses(mover: u32, classOf: u32, begin: u32, end: u32): void {
  for (let i = begin; i < end; i += WIDTH) {
    openWays(job, mover, i);
    let mayDiffer = nowhere();
    for (let s: u32 = 0; s < senseCount; s++) {
      const own = floatAt(job + OWN_REACHES, s);
      const theirs: f32 = classOf == THINGS ? 0 : floatAt(job + THEIR_REACHES, s);
      if (own > 0) mayDiffer = either(mayDiffer, differ(areIn(job, own, true), areIn(job, own, false)));
      if (theirs > 0 && theirs != own) mayDiffer = either(mayDiffer, differ(areIn(job, theirs, true), areIn(job, theirs, false)));
    }
    if (isAnywhere(mayDiffer)) decideLanes(mover, classOf, i, end, mayDiffer);
  }
}

/** Anyone: whoever is within the longest reach, before or now, is decided. */
function scanNear(mover: u32, classOf: u32, begin: u32, end: u32): void {
  const most = <f32>windowReach;
  for (let i = begin; i < end; i += WIDTH) {
    openWays(job, mover, i);
    const mayDiffer = either(areIn(job, most, true), areIn(job, most, false));
    if (isAnywhere(mayDiffer)) decideLanes(mover, classOf, i, end, mayDiffer);
  }
}

// @ts-ignore: decorator
@inline // in JavaScript, too
function squared(dx: Floats, dy: Floats): Floats {
  return add(mul(dx, dx), mul(dy, dy));
}

/** Decides the pairs of a mover with those from `begin` on that are movers, too. */
// @ts-ignore: decorator
@inline
function scanMarked(mover: u32, classOf: u32, begin: u32, end: u32): void {
  const bits = column(job, MOVER_BITS);
  for (let first = begin & ~31; first < end; first += 32) {
    let marked = wordAt(bits, first >>> 5);
    if (first < begin) marked &= -1 << (begin & 31);
    if (end - first < 32) marked &= (1 << (end - first)) - 1;
    for (; marked != 0; marked &= marked - 1) decideBoth(mover, classOf, first + <u32>ctz(marked));
  }
}

/** Decides a pair of entries in all senses, each way. */
function decideBoth(mover: u32, classOf: u32, other: u32): void {
  if (isNoting) {
    noteBoth(mover, classOf, other);
    return;
  }
  if (longest > 0) decideCrossing(mover, other);
  if (classOf != THINGS) decideCrossing(other, mover);
}

/** The same where there is one sense, in the plane. */
function noteBoth(mover: u32, classOf: u32, other: u32): void {
  const newDx = floatAt(newX, other) - floatAt(newX, mover);
  const newDy = floatAt(newY, other) - floatAt(newY, mover);
  const oldDx = floatAt(oldX, other) - floatAt(oldX, mover);
  const oldDy = floatAt(oldY, other) - floatAt(oldY, mover);
  const newSquared = newDx * newDx + newDy * newDy;
  const oldSquared = oldDx * oldDx + oldDy * oldDy;
  const own = floatAt(job + OWN_REACHES, 0);
  const otherRef = wordAt(refs, other);
  const ownBits = changeIn(classOf < FIRST_PROFILED ? own : reachOf(0, own, otherRef), newSquared, oldSquared);
  let theirs: f32 = 0;
  if (classOf == 0) theirs = floatAt(job + THEIR_REACHES, 0);
  else if (classOf != THINGS) theirs = reachOf(0, rangeOf(0, otherRef), ref);
  const bits = ownBits | (changeIn(theirs, newSquared, oldSquared) << 2);
  if ((bits & (FIRST_CHANGED | SECOND_CHANGED)) != 0) notePair(mover, other, bits);
}

/** The bits of a pair for the one that perceives from so far; 0: not at all. */
// @ts-ignore: decorator
@inline
function changeIn(reach: f32, newSquared: f32, oldSquared: f32): u32 {
  const reachSquared = squareOf(reach);
  const isIn = u32(newSquared <= reachSquared);
  return (isIn ^ u32(oldSquared <= reachSquared)) | (isIn << 1);
}

// @ts-ignore: decorator
@inline
function isMarked(entry: u32): bool {
  return ((wordAt(column(job, MOVER_BITS), entry >>> 5) >>> (entry & 31)) & 1) != 0;
}

/** Decides those at rest in the lanes where something may differ. */
function decideLanes(mover: u32, classOf: u32, first: u32, end: u32, mayDiffer: Mask): void {
  const lanes = bitsOf(mayDiffer);
  for (let lane: u32 = 0; lane < WIDTH && first + lane < end; lane++) {
    if (((lanes >>> lane) & 1) != 0 && !isMarked(first + lane)) decideBoth(mover, classOf, first + lane);
  }
}

/** Notes the pairs with those at rest in the lanes that crossed. */
function noteLanes(
  mover: u32, first: u32, end: u32, crossedOwn: Mask, isInOwn: Mask, crossedTheirs: Mask, isInTheirs: Mask,
): void {
  const own = bitsOf(crossedOwn);
  const ownInside = bitsOf(isInOwn);
  const theirs = bitsOf(crossedTheirs);
  const theirsInside = bitsOf(isInTheirs);
  for (let lane: u32 = 0; lane < WIDTH && first + lane < end; lane++) {
    if ((((own | theirs) >>> lane) & 1) == 0 || isMarked(first + lane)) continue;
    const ownBits = ((own >>> lane) & 1) | (((ownInside >>> lane) & 1) << 1);
    const theirBits = ((theirs >>> lane) & 1) | (((theirsInside >>> lane) & 1) << 1);
    notePair(mover, first + lane, ownBits | (theirBits << 2));
  }
}
