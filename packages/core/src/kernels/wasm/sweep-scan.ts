// Twin of ../sweep-scan.ts, which draws the window and says what a crossing is. Runs are read four entries at a time; the
// lanes past a run's end are masked out where a crossing is found, so that the loop itself needs no remainder.
import {
  CLASS_COUNT, DIMENSIONS, GHOST_BIT, GRID_BYTES, GRID_DEPTH, GRID_EDGE_SLACK, GRID_FIRST_CELL, GRID_HEIGHT,
  GRID_INVERSE, GRID_MAX_GAIN, GRID_MAX_MAX_REACH, GRID_MAX_MIN_REACH, GRID_MEMBERS, GRID_ORIGIN, GRID_PLAIN, GRID_SIZE, GRID_WIDTH, GRIDS,
  LAST_RANGES, NEW_X, NEW_Y, NEW_Z, NOW_RANGES, OLD_X, OLD_Y, OLD_Z, RANGE, RATIO_X, RATIO_Y, RATIO_Z, SENSE_COUNT,
  SHAPE, SLACK, TABLE, clampedCell, column, floatAt, word, wordAt,
} from './job';
import {
  BOX, CIRCLE, CYLINDER, appendCrossing, capacity, closeCrossings, count, decideCrossing, openCrossings, refs,
} from './sweep-crossing';

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
@inline
function scanCircles(entry: u32, begin: u32, end: u32): void {
  const range = floatAt(ranges, entry);
  const rangeSquared = f32x4.splat(range * range);
  const watcherNewX = f32x4.splat(floatAt(newX, entry));
  const watcherNewY = f32x4.splat(floatAt(newY, entry));
  const watcherOldX = f32x4.splat(floatAt(oldX, entry));
  const watcherOldY = f32x4.splat(floatAt(oldY, entry));
  // Locals, since a global is read anew in each round.
  const baseNewX = newX;
  const baseNewY = newY;
  const baseOldX = oldX;
  const baseOldY = oldY;
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += 16) {
    const newDx = f32x4.sub(v128.load(baseNewX + at), watcherNewX);
    const newDy = f32x4.sub(v128.load(baseNewY + at), watcherNewY);
    const oldDx = f32x4.sub(v128.load(baseOldX + at), watcherOldX);
    const oldDy = f32x4.sub(v128.load(baseOldY + at), watcherOldY);
    const isInside = f32x4.le(f32x4.add(f32x4.mul(newDx, newDx), f32x4.mul(newDy, newDy)), rangeSquared);
    const wasInside = f32x4.le(f32x4.add(f32x4.mul(oldDx, oldDx), f32x4.mul(oldDy, oldDy)), rangeSquared);
    const crossed = v128.xor(isInside, wasInside);
    if (i32x4.bitmask(crossed) != 0) appendLanes(entry, <u32>(at >> 2), end, crossed, isInside);
  }
}

/** The same with two or three senses. */
// @ts-ignore: decorator
@inline
function scanFewSenses(job: usize, entry: u32, begin: u32, end: u32): void {
  const first = rangeSquaredIn(job, 0, entry);
  const second = rangeSquaredIn(job, 1, entry);
  const third = rangeSquaredIn(job, 2, entry);
  const watcherNewX = f32x4.splat(floatAt(newX, entry));
  const watcherNewY = f32x4.splat(floatAt(newY, entry));
  const watcherOldX = f32x4.splat(floatAt(oldX, entry));
  const watcherOldY = f32x4.splat(floatAt(oldY, entry));
  const baseNewX = newX;
  const baseNewY = newY;
  const baseOldX = oldX;
  const baseOldY = oldY;
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += 16) {
    const newDx = f32x4.sub(v128.load(baseNewX + at), watcherNewX);
    const newDy = f32x4.sub(v128.load(baseNewY + at), watcherNewY);
    const oldDx = f32x4.sub(v128.load(baseOldX + at), watcherOldX);
    const oldDy = f32x4.sub(v128.load(baseOldY + at), watcherOldY);
    const newSquared = f32x4.add(f32x4.mul(newDx, newDx), f32x4.mul(newDy, newDy));
    const oldSquared = f32x4.add(f32x4.mul(oldDx, oldDx), f32x4.mul(oldDy, oldDy));
    let crossed = v128.xor(f32x4.le(newSquared, first), f32x4.le(oldSquared, first));
    crossed = v128.or(crossed, v128.xor(f32x4.le(newSquared, second), f32x4.le(oldSquared, second)));
    crossed = v128.or(crossed, v128.xor(f32x4.le(newSquared, third), f32x4.le(oldSquared, third)));
    if (i32x4.bitmask(crossed) != 0) decideLanes(entry, <u32>(at >> 2), end, crossed);
  }
}

// @ts-ignore: decorator
@inline
function rangeSquaredIn(job: usize, s: u32, entry: u32): v128 {
  let range: f32 = 0;
  if (s < senseCount) {
    const ref = wordAt(refs, entry);
    const values = column(job + ((ref & GHOST_BIT) != 0 ? LAST_RANGES : NOW_RANGES), <usize>s << 2);
    if (values != 0) range = floatAt(values, ref & ~GHOST_BIT);
  }
  return f32x4.splat(range > 0 ? range * range : -1);
}

/** Plain markers in any shape, dimensions and number of senses. `kind` is constant where this is inlined. */
// @ts-ignore: decorator
@inline
function scanPlain(job: usize, entry: u32, begin: u32, end: u32, kind: u32): void {
  const ref = wordAt(refs, entry);
  const own = (ref & GHOST_BIT) != 0 ? LAST_RANGES : NOW_RANGES;
  const slot = ref & ~GHOST_BIT;
  const watcherNewX = f32x4.splat(floatAt(newX, entry));
  const watcherNewY = f32x4.splat(floatAt(newY, entry));
  const watcherNewZ = f32x4.splat(is3D ? floatAt(newZ, entry) : 0);
  const watcherOldX = f32x4.splat(floatAt(oldX, entry));
  const watcherOldY = f32x4.splat(floatAt(oldY, entry));
  const watcherOldZ = f32x4.splat(is3D ? floatAt(oldZ, entry) : 0);
  const zero = f32x4.splat(0);
  for (let i = begin; i < end; i += 4) {
    const at = <usize>i << 2;
    let newDx = f32x4.sub(v128.load(newX + at), watcherNewX);
    let newDy = f32x4.sub(v128.load(newY + at), watcherNewY);
    let newDz = is3D ? f32x4.sub(v128.load(newZ + at), watcherNewZ) : zero;
    let oldDx = f32x4.sub(v128.load(oldX + at), watcherOldX);
    let oldDy = f32x4.sub(v128.load(oldY + at), watcherOldY);
    let oldDz = is3D ? f32x4.sub(v128.load(oldZ + at), watcherOldZ) : zero;
    let newSquared = zero;
    let oldSquared = zero;
    if (kind != BOX) {
      newSquared = f32x4.add(f32x4.mul(newDx, newDx), f32x4.mul(newDy, newDy));
      oldSquared = f32x4.add(f32x4.mul(oldDx, oldDx), f32x4.mul(oldDy, oldDy));
      if (kind == CIRCLE && is3D) {
        newSquared = f32x4.add(newSquared, f32x4.mul(newDz, newDz));
        oldSquared = f32x4.add(oldSquared, f32x4.mul(oldDz, oldDz));
      }
    }
    if (kind == BOX) {
      newDx = f32x4.abs(newDx);
      newDy = f32x4.abs(newDy);
      oldDx = f32x4.abs(oldDx);
      oldDy = f32x4.abs(oldDy);
    }
    if (kind != CIRCLE) {
      newDz = f32x4.abs(newDz);
      oldDz = f32x4.abs(oldDz);
    }
    let crossed = i32x4.splat(0);
    for (let s: u32 = 0; s < senseCount; s++) {
      const rangeColumn = column(job + own, <usize>s << 2);
      if (rangeColumn == 0) continue;
      const range = floatAt(rangeColumn, slot);
      if (!(range > 0)) continue;
      let isInside: v128;
      let wasInside: v128;
      if (kind == BOX) {
        const halfX = f32x4.splat(range * load<f32>(job + RATIO_X));
        const halfY = f32x4.splat(range * load<f32>(job + RATIO_Y));
        isInside = v128.and(f32x4.le(newDx, halfX), f32x4.le(newDy, halfY));
        wasInside = v128.and(f32x4.le(oldDx, halfX), f32x4.le(oldDy, halfY));
      } else {
        const rangeSquared = f32x4.splat(range * range);
        isInside = f32x4.le(newSquared, rangeSquared);
        wasInside = f32x4.le(oldSquared, rangeSquared);
      }
      if (kind != CIRCLE && is3D) {
        const halfZ = f32x4.splat(range * load<f32>(job + RATIO_Z));
        isInside = v128.and(isInside, f32x4.le(newDz, halfZ));
        wasInside = v128.and(wasInside, f32x4.le(oldDz, halfZ));
      }
      crossed = v128.or(crossed, v128.xor(isInside, wasInside));
    }
    if (i32x4.bitmask(crossed) != 0) decideLanes(entry, i, end, crossed);
  }
}

/** Markers with gains, minReaches or maxReaches of their own, one at a time. */
function scanProfiled(entry: u32, begin: u32, end: u32): void {
  for (let i = begin; i < end; i++) decideCrossing(entry, i);
}

/** Where one sense is all there is, what was compared says it all. */
function appendLanes(entry: u32, first: u32, end: u32, crossed: v128, isInside: v128): void {
  const inside = <u32>i32x4.bitmask(isInside);
  for (let lanes = lanesOf(first, end, crossed); lanes != 0; lanes &= lanes - 1) {
    const lane = ctz(lanes);
    const after: u32 = (inside >>> lane) & 1;
    appendCrossing(wordAt(refs, entry), wordAt(refs, first + lane), 1 + 255 * after);
  }
}

function decideLanes(entry: u32, first: u32, end: u32, crossed: v128): void {
  for (let lanes = lanesOf(first, end, crossed); lanes != 0; lanes &= lanes - 1) {
    decideCrossing(entry, first + ctz(lanes));
  }
}

// @ts-ignore: decorator
@inline
function lanesOf(first: u32, end: u32, crossed: v128): u32 {
  const lanes = <u32>i32x4.bitmask(crossed);
  return first + 4 > end ? lanes & ((1 << (end - first)) - 1) : lanes;
}
