/**
 * The stateless double test: for each watcher and each marker near it, was it inside before, is it inside now? Where
 * the answers differ, a crossing is appended. No pair is remembered.
 *
 * A watcher's window is the box of cells that its reach touches, wider by the slack on each side, since a marker may
 * have been inside before it moved. In the window a row of cells is one run of entries:
 *
 *        . . . . . . .          . cells outside the window
 *        . - = = = - .          = a run: consecutive entries, streamed four at a time
 *        . = = = = = .          - clipped: the row is too far off for the circle to reach this cell
 *        . = = w = = .
 *        . - = = = - .
 *
 *Cost: about 1.7 tests a perceived pair with cells of half the
 * reach. Source: the grid join recomputed each tick, Sidlauskas and Jensen, PVLDB 2014.
 */
import {
  CLASS_COUNT, DIMENSIONS, GHOST_BIT, GRID_BYTES, GRID_DEPTH, GRID_EDGE_SLACK, GRID_FIRST_CELL, GRID_HEIGHT,
  GRID_INVERSE, GRID_MAX_GAIN, GRID_MAX_MAX_REACH, GRID_MAX_MIN_REACH, GRID_MEMBERS, GRID_ORIGIN, GRID_PLAIN, GRID_SIZE, GRID_WIDTH, GRIDS,
  LAST_RANGES, NEW_X, NEW_Y, NEW_Z, NOW_RANGES, OLD_X, OLD_Y, OLD_Z, RANGE, RATIO_X, RATIO_Y, RATIO_Z, SENSE_COUNT,
  SHAPE, SLACK, TABLE, clampedCell, column, floatAt, word, wordAt,
} from './job';
import {
  BOX, CIRCLE, CYLINDER, appendCrossing, capacity, closeCrossings, count, decideCrossing, openCrossings, refs,
} from './sweep-crossing';
import {
  Floats, Mask, STEP, WIDTH, absolute, add, bitsOf, both, differ, either, allFloats, floatsAt, isAtMost, mul, nowhere, sub,
} from './lanes';

const REACH_SLACK: f64 = 1.0 + 1.0 / 4194304.0;
const FEW_SENSES: u32 = 3;

// What the loops of one call share; set by scanEntries.
let newX: usize = 0;
let newY: usize = 0;
let newZ: usize = 0;
let oldX: usize = 0;
let oldY: usize = 0;
let oldZ: usize = 0;
let ranges: usize = 0;
let senseCount: u32 = 1;
let shape: u32 = 0;
let is3D: bool = false;

export function scanEntries(job: usize, from: u32, to: u32): u32 {
  openCrossings(job);
  newX = column(job, NEW_X);
  newY = column(job, NEW_Y);
  newZ = column(job, NEW_Z);
  oldX = column(job, OLD_X);
  oldY = column(job, OLD_Y);
  oldZ = column(job, OLD_Z);
  ranges = column(job, RANGE);
  senseCount = word(job, SENSE_COUNT);
  shape = word(job, SHAPE);
  is3D = word(job, DIMENSIONS) == 3;
  const classCount = word(job, CLASS_COUNT);
  for (let entry = from; entry < to; entry++) {
    if (!(floatAt(ranges, entry) > 0)) continue;
    const before = count;
    for (let k: u32 = 0; k < classCount; k++) {
      const grid = column(job, GRIDS) + <usize>k * GRID_BYTES;
      if (load<u32>(grid + GRID_MEMBERS) == 0 || scanWindow(job, entry, grid)) continue;
      closeCrossings(before);
      return entry;
    }
  }
  closeCrossings(count);
  return to;
}

function scanWindow(job: usize, entry: u32, grid: usize): bool {
  const slack = load<f64>(job + SLACK);
  const range = <f64>floatAt(ranges, entry);
  const maxGain = load<f64>(grid + GRID_MAX_GAIN);
  const maxMinReach = load<f64>(grid + GRID_MAX_MIN_REACH);
  const maxMaxReach = load<f64>(grid + GRID_MAX_MAX_REACH);
  const reach = Math.min(Math.max(range * maxGain, maxMinReach), maxMaxReach) * REACH_SLACK;
  const isGhost = (wordAt(refs, entry) & GHOST_BIT) != 0;
  const x = <f64>floatAt(isGhost ? oldX : newX, entry);
  const y = <f64>floatAt(isGhost ? oldY : newY, entry);
  const z: f64 = is3D ? <f64>floatAt(isGhost ? oldZ : newZ, entry) : 0;
  const widening = 2 * slack * REACH_SLACK;
  const halfX = (shape == BOX ? reach * <f64>load<f32>(job + RATIO_X) : reach) + widening;
  const halfY = (shape == BOX ? reach * <f64>load<f32>(job + RATIO_Y) : reach) + widening;
  const halfZ = (shape == CIRCLE ? reach : reach * <f64>load<f32>(job + RATIO_Z)) + widening;
  const width = load<u32>(grid + GRID_WIDTH);
  const height = load<u32>(grid + GRID_HEIGHT);
  const depth = load<u32>(grid + GRID_DEPTH);
  const originX = load<f64>(grid + GRID_ORIGIN);
  const inverseX = load<f64>(grid + GRID_INVERSE);
  const originY = load<f64>(grid + GRID_ORIGIN, 8);
  const inverseY = load<f64>(grid + GRID_INVERSE, 8);
  const sizeY = load<f64>(grid + GRID_SIZE, 8);
  const edgeSlack = load<f64>(grid + GRID_EDGE_SLACK);
  const fromY = clampedCell(y - halfY, originY, inverseY, height);
  const toY = clampedCell(y + halfY, originY, inverseY, height);
  let fromZ: u32 = 0;
  let toZ: u32 = 0;
  if (depth != 1) {
    const originZ = load<f64>(grid + GRID_ORIGIN, 16);
    const inverseZ = load<f64>(grid + GRID_INVERSE, 16);
    fromZ = clampedCell(z - halfZ, originZ, inverseZ, depth);
    toZ = clampedCell(z + halfZ, originZ, inverseZ, depth);
  }
  const radius = reach + widening * Math.SQRT2 * REACH_SLACK;
  const isPlain = load<u32>(grid + GRID_PLAIN) != 0;
  const isFlatAndPlain = isPlain && shape == CIRCLE && !is3D;
  const table = column(job, TABLE);
  const firstCell = load<u32>(grid + GRID_FIRST_CELL);
  for (let cellZ = fromZ; cellZ <= toZ; cellZ++) {
    for (let cellY = fromY; cellY <= toY; cellY++) {
      let half = halfX;
      if (shape != BOX && cellY > 0 && cellY < height - 1) {
        const low = originY + <f64>cellY * sizeY;
        const away = Math.max(Math.max(low - y, y - (low + sizeY)), 0) - edgeSlack;
        if (away > 0) {
          if (away > radius) continue;
          half = Math.min(halfX, Math.sqrt(radius * radius - away * away) * REACH_SLACK);
        }
      }
      const row = firstCell + (cellZ * height + cellY) * width;
      const begin = wordAt(table, row + clampedCell(x - half, originX, inverseX, width));
      const end = wordAt(table, row + clampedCell(x + half, originX, inverseX, width) + 1);
      if (count + (end - begin) > capacity) return false;
      if (isFlatAndPlain && senseCount == 1) scanCircles(entry, begin, end);
      else if (isFlatAndPlain && senseCount <= FEW_SENSES) scanFewSenses(job, entry, begin, end);
      else if (!isPlain) scanProfiled(entry, begin, end);
      else if (shape == BOX) scanPlain(job, entry, begin, end, BOX);
      else if (shape == CYLINDER) scanPlain(job, entry, begin, end, CYLINDER);
      else scanPlain(job, entry, begin, end, CIRCLE);
    }
  }
  return true;
}

/** 2-D, circles, one sense, plain markers. */
// @ts-ignore: decorator
@inline // in JavaScript, too
function scanCircles(entry: u32, begin: u32, end: u32): void {
  const range = floatAt(ranges, entry);
  const rangeSquared = allFloats(range * range);
  const watcherNewX = allFloats(floatAt(newX, entry));
  const watcherNewY = allFloats(floatAt(newY, entry));
  const watcherOldX = allFloats(floatAt(oldX, entry));
  const watcherOldY = allFloats(floatAt(oldY, entry));
  // Locals, since a global is read anew in each round.
  const baseNewX = newX;
  const baseNewY = newY;
  const baseOldX = oldX;
  const baseOldY = oldY;
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += STEP) {
    const newDx = sub(floatsAt(baseNewX + at), watcherNewX);
    const newDy = sub(floatsAt(baseNewY + at), watcherNewY);
    const oldDx = sub(floatsAt(baseOldX + at), watcherOldX);
    const oldDy = sub(floatsAt(baseOldY + at), watcherOldY);
    const isInside = isAtMost(add(mul(newDx, newDx), mul(newDy, newDy)), rangeSquared);
    const wasInside = isAtMost(add(mul(oldDx, oldDx), mul(oldDy, oldDy)), rangeSquared);
    const crossed = differ(isInside, wasInside);
    if (bitsOf(crossed) != 0) appendLanes(entry, <u32>(at >> 2), end, crossed, isInside);
  }
}

/** The same with two or three senses. */
// @ts-ignore: decorator
@inline // in JavaScript, too
function scanFewSenses(job: usize, entry: u32, begin: u32, end: u32): void {
  const first = rangeSquaredIn(job, 0, entry);
  const second = rangeSquaredIn(job, 1, entry);
  const third = rangeSquaredIn(job, 2, entry);
  const watcherNewX = allFloats(floatAt(newX, entry));
  const watcherNewY = allFloats(floatAt(newY, entry));
  const watcherOldX = allFloats(floatAt(oldX, entry));
  const watcherOldY = allFloats(floatAt(oldY, entry));
  const baseNewX = newX;
  const baseNewY = newY;
  const baseOldX = oldX;
  const baseOldY = oldY;
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += STEP) {
    const newDx = sub(floatsAt(baseNewX + at), watcherNewX);
    const newDy = sub(floatsAt(baseNewY + at), watcherNewY);
    const oldDx = sub(floatsAt(baseOldX + at), watcherOldX);
    const oldDy = sub(floatsAt(baseOldY + at), watcherOldY);
    const newSquared = add(mul(newDx, newDx), mul(newDy, newDy));
    const oldSquared = add(mul(oldDx, oldDx), mul(oldDy, oldDy));
    let crossed = differ(isAtMost(newSquared, first), isAtMost(oldSquared, first));
    crossed = either(crossed, differ(isAtMost(newSquared, second), isAtMost(oldSquared, second)));
    crossed = either(crossed, differ(isAtMost(newSquared, third), isAtMost(oldSquared, third)));
    if (bitsOf(crossed) != 0) decideLanes(entry, <u32>(at >> 2), end, crossed);
  }
}

// @ts-ignore: decorator
@inline
function rangeSquaredIn(job: usize, s: u32, entry: u32): Floats {
  let range: f32 = 0;
  if (s < senseCount) {
    const ref = wordAt(refs, entry);
    const values = column(job + ((ref & GHOST_BIT) != 0 ? LAST_RANGES : NOW_RANGES), <usize>s << 2);
    if (values != 0) range = floatAt(values, ref & ~GHOST_BIT);
  }
  return allFloats(range > 0 ? range * range : -1);
}

/** Plain markers in any shape, dimensions and number of senses. `kind` is constant where this is inlined. */
// @ts-ignore: decorator
@inline
function scanPlain(job: usize, entry: u32, begin: u32, end: u32, kind: u32): void {
  const ref = wordAt(refs, entry);
  const own = (ref & GHOST_BIT) != 0 ? LAST_RANGES : NOW_RANGES;
  const slot = ref & ~GHOST_BIT;
  const watcherNewX = allFloats(floatAt(newX, entry));
  const watcherNewY = allFloats(floatAt(newY, entry));
  const watcherNewZ = allFloats(is3D ? floatAt(newZ, entry) : 0);
  const watcherOldX = allFloats(floatAt(oldX, entry));
  const watcherOldY = allFloats(floatAt(oldY, entry));
  const watcherOldZ = allFloats(is3D ? floatAt(oldZ, entry) : 0);
  const zero = allFloats(0);
  for (let i = begin; i < end; i += WIDTH) {
    const at = <usize>i << 2;
    let newDx = sub(floatsAt(newX + at), watcherNewX);
    let newDy = sub(floatsAt(newY + at), watcherNewY);
    let newDz = is3D ? sub(floatsAt(newZ + at), watcherNewZ) : zero;
    let oldDx = sub(floatsAt(oldX + at), watcherOldX);
    let oldDy = sub(floatsAt(oldY + at), watcherOldY);
    let oldDz = is3D ? sub(floatsAt(oldZ + at), watcherOldZ) : zero;
    let newSquared = zero;
    let oldSquared = zero;
    if (kind != BOX) {
      newSquared = add(mul(newDx, newDx), mul(newDy, newDy));
      oldSquared = add(mul(oldDx, oldDx), mul(oldDy, oldDy));
      if (kind == CIRCLE && is3D) {
        newSquared = add(newSquared, mul(newDz, newDz));
        oldSquared = add(oldSquared, mul(oldDz, oldDz));
      }
    }
    if (kind == BOX) {
      newDx = absolute(newDx);
      newDy = absolute(newDy);
      oldDx = absolute(oldDx);
      oldDy = absolute(oldDy);
    }
    if (kind != CIRCLE) {
      newDz = absolute(newDz);
      oldDz = absolute(oldDz);
    }
    let crossed = nowhere();
    for (let s: u32 = 0; s < senseCount; s++) {
      const rangeColumn = column(job + own, <usize>s << 2);
      if (rangeColumn == 0) continue;
      const range = floatAt(rangeColumn, slot);
      if (!(range > 0)) continue;
      let isInside: Mask;
      let wasInside: Mask;
      if (kind == BOX) {
        const halfX = allFloats(range * load<f32>(job + RATIO_X));
        const halfY = allFloats(range * load<f32>(job + RATIO_Y));
        isInside = both(isAtMost(newDx, halfX), isAtMost(newDy, halfY));
        wasInside = both(isAtMost(oldDx, halfX), isAtMost(oldDy, halfY));
      } else {
        const rangeSquared = allFloats(range * range);
        isInside = isAtMost(newSquared, rangeSquared);
        wasInside = isAtMost(oldSquared, rangeSquared);
      }
      if (kind != CIRCLE && is3D) {
        const halfZ = allFloats(range * load<f32>(job + RATIO_Z));
        isInside = both(isInside, isAtMost(newDz, halfZ));
        wasInside = both(wasInside, isAtMost(oldDz, halfZ));
      }
      crossed = either(crossed, differ(isInside, wasInside));
    }
    if (bitsOf(crossed) != 0) decideLanes(entry, i, end, crossed);
  }
}

/** Markers with gains, minReaches or maxReaches of their own, one at a time. */
function scanProfiled(entry: u32, begin: u32, end: u32): void {
  for (let i = begin; i < end; i++) decideCrossing(entry, i);
}

/** Where one sense is all there is, what was compared says it all. */
function appendLanes(entry: u32, first: u32, end: u32, crossed: Mask, isInside: Mask): void {
  const inside = bitsOf(isInside);
  for (let lanes = lanesOf(first, end, crossed); lanes != 0; lanes &= lanes - 1) {
    const lane = ctz(lanes);
    const after: u32 = (inside >>> lane) & 1;
    appendCrossing(wordAt(refs, entry), wordAt(refs, first + lane), 1 + 255 * after);
  }
}

function decideLanes(entry: u32, first: u32, end: u32, crossed: Mask): void {
  for (let lanes = lanesOf(first, end, crossed); lanes != 0; lanes &= lanes - 1) {
    decideCrossing(entry, first + ctz(lanes));
  }
}

// @ts-ignore: decorator
@inline
function lanesOf(first: u32, end: u32, crossed: Mask): u32 {
  const lanes = bitsOf(crossed);
  return first + WIDTH > end ? lanes & ((1 << (end - first)) - 1) : lanes;
}
