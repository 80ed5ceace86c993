// Twin of ../sweep-movers.ts, which says which pairs are tested.
import {
  GHOST_BIT, GRID_HEIGHT, GRID_INVERSE, GRID_ORIGIN, GRID_WIDTH, GRIDS, LEVEL_COUNT, LEVEL_RANGES, MAX_RANGE, MOVERS, NEW_X, NEW_Y,
  OLD_X, OLD_Y, RANGE, SENSE_COUNT, SLACK, TABLE, clampedCell, column, floatAt, word, wordAt,
} from './job';
import { appendCrossing, capacity, closeCrossings, count, decideCrossing, openCrossings, refs } from './sweep-crossing';

const REACH_SLACK: f64 = 1.0 + 1.0 / 4194304.0;

let ranges: usize = 0;

export function scanMovers(job: usize, from: u32, to: u32): u32 {
  openCrossings(job);
  ranges = column(job, RANGE);
  const hasOneSense = word(job, SENSE_COUNT) == 1;
  const newX = column(job, NEW_X);
  const newY = column(job, NEW_Y);
  const oldX = column(job, OLD_X);
  const oldY = column(job, OLD_Y);
  const grid = column(job, GRIDS);
  const table = column(job, TABLE);
  const movers = column(job, MOVERS);
  const width = load<u32>(grid + GRID_WIDTH);
  const height = load<u32>(grid + GRID_HEIGHT);
  const originX = load<f64>(grid + GRID_ORIGIN);
  const inverseX = load<f64>(grid + GRID_INVERSE);
  const originY = load<f64>(grid + GRID_ORIGIN, 8);
  const inverseY = load<f64>(grid + GRID_INVERSE, 8);
  const half = (<f64>load<f32>(job + MAX_RANGE) + 2 * load<f64>(job + SLACK)) * REACH_SLACK;
  for (let k = from; k < to; k++) {
    const mover = wordAt(movers, k);
    const before = count;
    const isGhost = (wordAt(refs, mover) & GHOST_BIT) != 0;
    const x = <f64>floatAt(isGhost ? oldX : newX, mover);
    const y = <f64>floatAt(isGhost ? oldY : newY, mover);
    const fromX = clampedCell(x - half, originX, inverseX, width);
    const toX = clampedCell(x + half, originX, inverseX, width);
    const toY = clampedCell(y + half, originY, inverseY, height);
    for (let cellY = clampedCell(y - half, originY, inverseY, height); cellY <= toY; cellY++) {
      const begin = wordAt(table, cellY * width + fromX);
      const end = wordAt(table, cellY * width + toX + 1);
      if (count + 2 * (end - begin) > capacity) {
        closeCrossings(before);
        return k;
      }
      if (hasOneSense) scanOneSense(newX, newY, oldX, oldY, mover, begin, end);
      else scanSenses(job, newX, newY, oldX, oldY, mover, begin, end);
    }
  }
  closeCrossings(count);
  return to;
}

// @ts-ignore: decorator
@inline
function scanOneSense(newX: usize, newY: usize, oldX: usize, oldY: usize, mover: u32, begin: u32, end: u32): void {
  const own = <usize>mover << 2;
  const ownRange = floatAt(ranges, mover);
  const ownSquared = f32x4.splat(ownRange * ownRange);
  const ownNewX = v128.load32_splat(newX + own);
  const ownNewY = v128.load32_splat(newY + own);
  const ownOldX = v128.load32_splat(oldX + own);
  const ownOldY = v128.load32_splat(oldY + own);
  const rangeColumn = ranges;
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += 16) {
    const newDx = f32x4.sub(v128.load(newX + at), ownNewX);
    const newDy = f32x4.sub(v128.load(newY + at), ownNewY);
    const oldDx = f32x4.sub(v128.load(oldX + at), ownOldX);
    const oldDy = f32x4.sub(v128.load(oldY + at), ownOldY);
    const newSquared = f32x4.add(f32x4.mul(newDx, newDx), f32x4.mul(newDy, newDy));
    const oldSquared = f32x4.add(f32x4.mul(oldDx, oldDx), f32x4.mul(oldDy, oldDy));
    const range = v128.load(rangeColumn + at);
    const rangeSquared = f32x4.mul(range, range);
    const isInOwn = f32x4.le(newSquared, ownSquared);
    const isInTheirs = f32x4.le(newSquared, rangeSquared);
    const crossedOwn = v128.xor(isInOwn, f32x4.le(oldSquared, ownSquared));
    const crossedTheirs = v128.xor(isInTheirs, f32x4.le(oldSquared, rangeSquared));
    if (v128.any_true(v128.or(crossedOwn, crossedTheirs))) {
      appendLanes(mover, <u32>(at >> 2), end, crossedOwn, isInOwn, crossedTheirs, isInTheirs);
    }
  }
}

// @ts-ignore: decorator
@inline
function scanSenses(
  job: usize, newX: usize, newY: usize, oldX: usize, oldY: usize, mover: u32, begin: u32, end: u32,
): void {
  const levelCount = word(job, LEVEL_COUNT);
  const own = <usize>mover << 2;
  const ownRange = v128.load32_splat(ranges + own);
  const ownNewX = v128.load32_splat(newX + own);
  const ownNewY = v128.load32_splat(newY + own);
  const ownOldX = v128.load32_splat(oldX + own);
  const ownOldY = v128.load32_splat(oldY + own);
  const rangeColumn = ranges;
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += 16) {
    const newDx = f32x4.sub(v128.load(newX + at), ownNewX);
    const newDy = f32x4.sub(v128.load(newY + at), ownNewY);
    const oldDx = f32x4.sub(v128.load(oldX + at), ownOldX);
    const oldDy = f32x4.sub(v128.load(oldY + at), ownOldY);
    const newSquared = f32x4.add(f32x4.mul(newDx, newDx), f32x4.mul(newDy, newDy));
    const oldSquared = f32x4.add(f32x4.mul(oldDx, oldDx), f32x4.mul(oldDy, oldDy));
    let mayDiffer = i32x4.splat(0);
    for (let k: u32 = 0; k < levelCount; k++) {
      const level = v128.load32_splat(job + LEVEL_RANGES + (<usize>k << 2));
      const levelSquared = f32x4.mul(level, level);
      const crossed = v128.xor(f32x4.le(newSquared, levelSquared), f32x4.le(oldSquared, levelSquared));
      mayDiffer = v128.or(mayDiffer, crossed);
    }
    if (levelCount == 0) {
      const longest = f32x4.max(v128.load(rangeColumn + at), ownRange);
      const longestSquared = f32x4.mul(longest, longest);
      mayDiffer = v128.or(f32x4.le(newSquared, longestSquared), f32x4.le(oldSquared, longestSquared));
    }
    if (v128.any_true(mayDiffer)) decideLanes(mover, <u32>(at >> 2), end, mayDiffer);
  }
}

function decideLanes(mover: u32, first: u32, end: u32, mayDiffer: v128): void {
  const lanes = <u32>i32x4.bitmask(mayDiffer);
  const isWatcher = floatAt(ranges, mover) > 0;
  for (let lane: u32 = 0; lane < 4 && first + lane < end; lane++) {
    if (((lanes >>> lane) & 1) == 0) continue;
    if (isWatcher) decideCrossing(mover, first + lane);
    if (floatAt(ranges, first + lane) > 0) decideCrossing(first + lane, mover);
  }
}

function appendLanes(
  mover: u32, first: u32, end: u32, crossedOwn: v128, isInOwn: v128, crossedTheirs: v128, isInTheirs: v128,
): void {
  const own = <u32>i32x4.bitmask(crossedOwn);
  const ownInside = <u32>i32x4.bitmask(isInOwn);
  const theirs = <u32>i32x4.bitmask(crossedTheirs);
  const theirsInside = <u32>i32x4.bitmask(isInTheirs);
  const ownRef = wordAt(refs, mover);
  const isWatcher = floatAt(ranges, mover) > 0;
  for (let lane: u32 = 0; lane < 4 && first + lane < end; lane++) {
    const i = first + lane;
    const ref = wordAt(refs, i);
    if (((own >>> lane) & 1) != 0 && isWatcher) {
      const after: u32 = (ownInside >>> lane) & 1;
      appendCrossing(ownRef, ref, 1 + 255 * after);
    }
    if (((theirs >>> lane) & 1) != 0 && floatAt(ranges, i) > 0) {
      const after: u32 = (theirsInside >>> lane) & 1;
      appendCrossing(ref, ownRef, 1 + 255 * after);
    }
  }
}
