// Twin of ../sweep-pairs.ts, which draws the groups and their half windows.
import {
  CROSSING_CAPACITY, CROSSING_COUNT, CROSSINGS, ENTRY_COUNT, GHOST_BIT, GRID_EDGE_SLACK, GRID_HEIGHT, GRID_INVERSE,
  GRID_ORIGIN, GRID_SIZE, GRID_WIDTH, GRIDS, MAX_RANGE, NEW_X, NEW_Y, OLD_X, OLD_Y, RANGE, REF, SLACK, TABLE, TRUSTED,
  clampedCell, column, floatAt, word, wordAt,
} from './job';

const REACH_SLACK: f64 = 1.0 + 1.0 / 4194304.0;
const UNVERIFIED: u32 = 1 << 19;
const MAX_GROUP: u32 = 64;

let ranges: usize = 0;
let refs: usize = 0;
let crossings: usize = 0;
let count: u32 = 0;
let trusted: bool = false;

export function scanPairs(job: usize, from: u32): u32 {
  ranges = column(job, RANGE);
  refs = column(job, REF);
  crossings = column(job, CROSSINGS);
  count = word(job, CROSSING_COUNT);
  trusted = word(job, TRUSTED) != 0;
  const newX = column(job, NEW_X);
  const newY = column(job, NEW_Y);
  const oldX = column(job, OLD_X);
  const oldY = column(job, OLD_Y);
  const grid = column(job, GRIDS);
  const table = column(job, TABLE);
  const capacity = word(job, CROSSING_CAPACITY);
  const width = load<u32>(grid + GRID_WIDTH);
  const height = load<u32>(grid + GRID_HEIGHT);
  const originX = load<f64>(grid + GRID_ORIGIN);
  const inverseX = load<f64>(grid + GRID_INVERSE);
  const originY = load<f64>(grid + GRID_ORIGIN, 8);
  const inverseY = load<f64>(grid + GRID_INVERSE, 8);
  const sizeX = load<f64>(grid + GRID_SIZE);
  const sizeY = load<f64>(grid + GRID_SIZE, 8);
  const edgeSlack = load<f64>(grid + GRID_EDGE_SLACK);
  const range = load<f32>(job + MAX_RANGE);
  const rangeSquared = f32x4.splat(range * range);
  const reach = <f64>range * REACH_SLACK;
  const widening = 2 * load<f64>(job + SLACK) * REACH_SLACK;
  const half = reach + widening;
  const radius = reach + widening * Math.SQRT2 * REACH_SLACK;
  const entryCount = word(job, ENTRY_COUNT);
  let first = from;
  while (first < entryCount) {
    let minX = anchor(newX, oldX, first);
    let minY = anchor(newY, oldY, first);
    let maxX = minX;
    let maxY = minY;
    const cellX = clampedCell(minX, originX, inverseX, width);
    const cellY = clampedCell(minY, originY, inverseY, height);
    const limit = min<u32>(wordAt(table, cellY * width + cellX + 1), first + MAX_GROUP);
    let next = first + 1;
    for (; next < limit; next++) {
      const x = anchor(newX, oldX, next);
      const y = anchor(newY, oldY, next);
      const toMinX = x < minX ? x : minX;
      const toMaxX = x > maxX ? x : maxX;
      const toMinY = y < minY ? y : minY;
      const toMaxY = y > maxY ? y : maxY;
      if (toMaxX - toMinX > sizeX || toMaxY - toMinY > sizeY) break;
      minX = toMinX;
      maxX = toMaxX;
      minY = toMinY;
      maxY = toMaxY;
    }
    const before = count;
    const rowEnd = wordAt(table, cellY * width + clampedCell(maxX + half, originX, inverseX, width) + 1);
    let isRoom = true;
    for (let i = first; i < next && isRoom; i++) {
      isRoom = count + 2 * (rowEnd - i) <= capacity;
      if (isRoom) scanRun(newX, newY, oldX, oldY, rangeSquared, i, i + 1, rowEnd);
    }
    const toY = clampedCell(maxY + half, originY, inverseY, height);
    for (let y = cellY + 1; y <= toY && isRoom; y++) {
      let halfX = half;
      const away = originY + <f64>y * sizeY - maxY - edgeSlack;
      if (away > 0) {
        if (away > radius) break;
        const chord = Math.sqrt(radius * radius - away * away) * REACH_SLACK;
        halfX = chord < half ? chord : half;
      }
      const begin = wordAt(table, y * width + clampedCell(minX - halfX, originX, inverseX, width));
      const end = wordAt(table, y * width + clampedCell(maxX + halfX, originX, inverseX, width) + 1);
      if (begin >= end) continue;
      for (let i = first; i < next && isRoom; i++) {
        isRoom = count + 2 * (end - begin) <= capacity;
        if (isRoom) scanRun(newX, newY, oldX, oldY, rangeSquared, i, begin, end);
      }
    }
    if (!isRoom) {
      store<u32>(job, before, CROSSING_COUNT);
      return first;
    }
    first = next;
  }
  store<u32>(job, count, CROSSING_COUNT);
  return entryCount;
}

// @ts-ignore: decorator
@inline
function anchor(newColumn: usize, oldColumn: usize, entry: u32): f64 {
  const coordinate = floatAt(newColumn, entry);
  return <f64>(coordinate == coordinate ? coordinate : floatAt(oldColumn, entry));
}

// @ts-ignore: decorator
@inline
function scanRun(
  newX: usize, newY: usize, oldX: usize, oldY: usize, rangeSquared: v128, entry: u32, begin: u32, end: u32,
): void {
  const ownNewX = v128.load32_splat(newX + (<usize>entry << 2));
  const ownNewY = v128.load32_splat(newY + (<usize>entry << 2));
  const ownOldX = v128.load32_splat(oldX + (<usize>entry << 2));
  const ownOldY = v128.load32_splat(oldY + (<usize>entry << 2));
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += 16) {
    const newDx = f32x4.sub(v128.load(newX + at), ownNewX);
    const newDy = f32x4.sub(v128.load(newY + at), ownNewY);
    const oldDx = f32x4.sub(v128.load(oldX + at), ownOldX);
    const oldDy = f32x4.sub(v128.load(oldY + at), ownOldY);
    const isInside = f32x4.le(f32x4.add(f32x4.mul(newDx, newDx), f32x4.mul(newDy, newDy)), rangeSquared);
    const wasInside = f32x4.le(f32x4.add(f32x4.mul(oldDx, oldDx), f32x4.mul(oldDy, oldDy)), rangeSquared);
    const crossed = v128.xor(isInside, wasInside);
    if (v128.any_true(crossed)) appendLanes(entry, <u32>(at >> 2), end, crossed, isInside);
  }
}

function appendLanes(entry: u32, first: u32, end: u32, crossed: v128, isInside: v128): void {
  let lanes = <u32>i32x4.bitmask(crossed);
  const inside = <u32>i32x4.bitmask(isInside);
  if (first + 4 > end) lanes &= (1 << (end - first)) - 1;
  while (lanes != 0) {
    const lane = ctz(lanes);
    lanes &= lanes - 1;
    const other = first + lane;
    const slot = wordAt(refs, entry) & ~GHOST_BIT;
    const otherSlot = wordAt(refs, other) & ~GHOST_BIT;
    const payload: u32 = !trusted ? UNVERIFIED : ((inside >>> lane) & 1) != 0 ? 1 << 8 : 1;
    if (floatAt(ranges, entry) > 0) append(slot, otherSlot, payload);
    if (floatAt(ranges, other) > 0) append(otherSlot, slot, payload);
  }
}

// @ts-ignore: decorator
@inline
function append(watcher: u32, marker: u32, payload: u32): void {
  const at = crossings + (<usize>count << 3);
  count++;
  store<u32>(at, (marker << 20) | payload);
  store<u32>(at, (watcher << 10) | (marker >>> 12), 4);
}
