// Twin of ../sweep-pairs.ts, which draws the groups and their half windows. The loops exist once for each small number of
// levels, since a loop over levels inside the loop over entries would cost more than the tests.
import {
  GRID_DEPTH, GRID_EDGE_SLACK, GRID_HEIGHT, GRID_INVERSE, GRID_ORIGIN, GRID_SIZE, GRID_WIDTH, GRIDS,
  LANES, LEVEL_COUNT, LEVEL_RANGES, LEVEL_SENSES, DIMENSIONS, NEW_X, NEW_Y, NEW_Z, OLD_X, OLD_Y, OLD_Z, RANGE, SLACK, TABLE, WINDOW_REACHES,
  WINDOW_ROWS,
  clampedCell, column, floatAt, word, wordAt,
} from './job';
import { appendCrossing, capacity, closeCrossings, count, openCrossings, refs } from './sweep-crossing';

const REACH_SLACK: f64 = 1.0 + 1.0 / 4194304.0;
const MAX_GROUP: u32 = 64;
/** Stands for any number of levels. */
const MANY: u32 = 4;

// What the functions of one call share; set by scanPairs.
let is3D: bool = false;
let half: f64 = 0;
let radius: f64 = 0;

export function scanPairs(job: usize, from: u32, to: u32): u32 {
  openCrossings(job);
  is3D = word(job, DIMENSIONS) == 3;
  const reach = <f64>load<f32>(job + LEVEL_RANGES) * REACH_SLACK;
  const widening = 2 * load<f64>(job + SLACK) * REACH_SLACK;
  half = reach + widening;
  radius = reach + widening * Math.sqrt(is3D ? 3.0 : 2.0) * REACH_SLACK;
  const grid = column(job, GRIDS);
  const table = column(job, TABLE);
  const width = load<u32>(grid + GRID_WIDTH);
  const height = load<u32>(grid + GRID_HEIGHT);
  const depth = load<u32>(grid + GRID_DEPTH);
  const hasWindow = word(job, WINDOW_ROWS) > 0;
  let first = from;
  while (first < to) {
    const cellX = clampedCell(anchor(job, NEW_X, OLD_X, first), origin(grid, 0), inverse(grid, 0), width);
    const cellY = clampedCell(anchor(job, NEW_Y, OLD_Y, first), origin(grid, 8), inverse(grid, 8), height);
    const cellZ: u32 =
      depth == 1 ? 0 : clampedCell(anchor(job, NEW_Z, OLD_Z, first), origin(grid, 16), inverse(grid, 16), depth);
    const cell = (cellZ * height + cellY) * width + cellX;
    const limit = min<u32>(min<u32>(wordAt(table, cell + 1), first + MAX_GROUP), to);
    const before = count;
    const isInner = cellX > 0 && cellX < width - 1 && cellY > 0 && cellY < height - 1;
    const next =
      isInner && hasWindow
        ? scanInner(job, first, limit, cellX, cellY)
        : scanAround(job, first, limit, cellY, cellZ);
    if (next == 0) {
      closeCrossings(before);
      return first;
    }
    first = next;
  }
  closeCrossings(count);
  return to;
}

// @ts-ignore: decorator
@inline
function origin(grid: usize, axis: usize): f64 {
  return load<f64>(grid + axis, GRID_ORIGIN);
}

// @ts-ignore: decorator
@inline
function inverse(grid: usize, axis: usize): f64 {
  return load<f64>(grid + axis, GRID_INVERSE);
}

/** Answers the entry behind the group, which is all of the cell's; 0 when the crossings may not fit. */
function scanInner(job: usize, first: u32, next: u32, cellX: u32, cellY: u32): u32 {
  const grid = column(job, GRIDS);
  const table = column(job, TABLE);
  const width = load<u32>(grid + GRID_WIDTH);
  const rows = min<u32>(word(job, WINDOW_ROWS), load<u32>(grid + GRID_HEIGHT) - cellY);
  for (let dy: u32 = 0; dy < rows; dy++) {
    const reach = wordAt(job + WINDOW_REACHES, dy);
    const row = (cellY + dy) * width;
    const begin = dy == 0 ? first : wordAt(table, row + (cellX > reach ? cellX - reach : 0));
    if (!scanRuns(job, first, next, begin, wordAt(table, row + min<u32>(cellX + reach, width - 1) + 1))) return 0;
  }
  return next;
}

/** Grows a group up to `limit`, and answers the entry behind it; 0 when the crossings may not fit. */
function scanAround(job: usize, first: u32, limit: u32, cellY: u32, cellZ: u32): u32 {
  const grid = column(job, GRIDS);
  const sizeX = load<f64>(grid + GRID_SIZE);
  const sizeY = load<f64>(grid + GRID_SIZE, 8);
  const sizeZ = load<f64>(grid + GRID_SIZE, 16);
  let minX = anchor(job, NEW_X, OLD_X, first);
  let minY = anchor(job, NEW_Y, OLD_Y, first);
  let minZ: f64 = is3D ? anchor(job, NEW_Z, OLD_Z, first) : 0;
  let maxX = minX;
  let maxY = minY;
  let maxZ = minZ;
  let next = first + 1;
  for (; next < limit; next++) {
    const x = anchor(job, NEW_X, OLD_X, next);
    const y = anchor(job, NEW_Y, OLD_Y, next);
    const z: f64 = is3D ? anchor(job, NEW_Z, OLD_Z, next) : 0;
    const toMinX = x < minX ? x : minX;
    const toMaxX = x > maxX ? x : maxX;
    const toMinY = y < minY ? y : minY;
    const toMaxY = y > maxY ? y : maxY;
    const toMinZ = z < minZ ? z : minZ;
    const toMaxZ = z > maxZ ? z : maxZ;
    if (toMaxX - toMinX > sizeX || toMaxY - toMinY > sizeY || toMaxZ - toMinZ > sizeZ) break;
    minX = toMinX;
    maxX = toMaxX;
    minY = toMinY;
    maxY = toMaxY;
    minZ = toMinZ;
    maxZ = toMaxZ;
  }
  const isRoom = scanBox(job, first, next, cellY, cellZ, minX, minY, maxX, maxY, maxZ);
  return isRoom ? next : 0;
}

/** Scans the later half of the window around a box. */
function scanBox(
  job: usize, first: u32, next: u32, cellY: u32, cellZ: u32, minX: f64, minY: f64, maxX: f64, maxY: f64, maxZ: f64,
): bool {
  const grid = column(job, GRIDS);
  const table = column(job, TABLE);
  const width = load<u32>(grid + GRID_WIDTH);
  const height = load<u32>(grid + GRID_HEIGHT);
  const depth = load<u32>(grid + GRID_DEPTH);
  const sizeY = load<f64>(grid + GRID_SIZE, 8);
  const sizeZ = load<f64>(grid + GRID_SIZE, 16);
  const edgeSlack = load<f64>(grid + GRID_EDGE_SLACK);
  const fromY = clampedCell(minY - half, origin(grid, 8), inverse(grid, 8), height);
  const toY = clampedCell(maxY + half, origin(grid, 8), inverse(grid, 8), height);
  const toZ: u32 = depth == 1 ? 0 : clampedCell(maxZ + half, origin(grid, 16), inverse(grid, 16), depth);
  for (let z = cellZ; z <= toZ; z++) {
    const awayZ: f64 = z == cellZ ? 0 : Math.max(origin(grid, 16) + <f64>z * sizeZ - maxZ - edgeSlack, 0);
    for (let y = z == cellZ ? cellY : fromY; y <= toY; y++) {
      const low = origin(grid, 8) + <f64>y * sizeY;
      const awayY = y == cellY ? 0 : Math.max(Math.max(low - maxY, minY - (low + sizeY)), edgeSlack) - edgeSlack;
      const awaySquared = awayY * awayY + awayZ * awayZ;
      if (awaySquared > radius * radius) continue;
      const chord = Math.sqrt(radius * radius - awaySquared) * REACH_SLACK;
      const halfX = awaySquared > 0 && chord < half ? chord : half;
      const row = (z * height + y) * width;
      const isOwnRow = y == cellY && z == cellZ;
      const from = wordAt(table, row + clampedCell(minX - halfX, origin(grid, 0), inverse(grid, 0), width));
      const end = wordAt(table, row + clampedCell(maxX + halfX, origin(grid, 0), inverse(grid, 0), width) + 1);
      if (!scanRuns(job, first, next, isOwnRow ? first : from, end)) return false;
    }
  }
  return true;
}

/** Where an entry is sorted by: its new coordinate, a ghost's old one. */
// @ts-ignore: decorator
@inline
function anchor(job: usize, newWord: usize, oldWord: usize, entry: u32): f64 {
  const coordinate = floatAt(column(job, newWord), entry);
  return <f64>(coordinate == coordinate ? coordinate : floatAt(column(job, oldWord), entry));
}

/** Tests each of a group against those of a run that lie behind it; false when the crossings may not fit. */
function scanRuns(job: usize, first: u32, next: u32, begin: u32, end: u32): bool {
  if (begin >= end) return true;
  const levels = word(job, LEVEL_COUNT);
  if (is3D) {
    return levels == 1 ? oneIn3D(job, first, next, begin, end) : manyIn3D(job, first, next, begin, end);
  }
  if (levels == 1) return one(job, first, next, begin, end);
  if (levels == 2) return two(job, first, next, begin, end);
  return levels == 3 ? three(job, first, next, begin, end) : many(job, first, next, begin, end);
}

function one(job: usize, first: u32, next: u32, begin: u32, end: u32): bool {
  return scanMembers(job, first, next, begin, end, 1, false);
}

function two(job: usize, first: u32, next: u32, begin: u32, end: u32): bool {
  return scanMembers(job, first, next, begin, end, 2, false);
}

function three(job: usize, first: u32, next: u32, begin: u32, end: u32): bool {
  return scanMembers(job, first, next, begin, end, 3, false);
}

function many(job: usize, first: u32, next: u32, begin: u32, end: u32): bool {
  return scanMembers(job, first, next, begin, end, MANY, false);
}

function oneIn3D(job: usize, first: u32, next: u32, begin: u32, end: u32): bool {
  return scanMembers(job, first, next, begin, end, 1, true);
}

function manyIn3D(job: usize, first: u32, next: u32, begin: u32, end: u32): bool {
  return scanMembers(job, first, next, begin, end, MANY, true);
}

/** `levels` and `hasZ` are constants where this is inlined. */
// @ts-ignore: decorator
@inline
function scanMembers(job: usize, first: u32, next: u32, begin: u32, end: u32, levels: u32, hasZ: bool): bool {
  const newX = column(job, NEW_X);
  const newY = column(job, NEW_Y);
  const newZ = column(job, NEW_Z);
  const oldX = column(job, OLD_X);
  const oldY = column(job, OLD_Y);
  const oldZ = column(job, OLD_Z);
  const farthest = levelSquared(job, 0);
  const second = levels > 1 ? levelSquared(job, 1) : farthest;
  const third = levels > 2 ? levelSquared(job, 2) : farthest;
  const stop = <usize>end << 2;
  for (let entry = first; entry < next; entry++) {
    const start = max<u32>(begin, entry + 1);
    if (count + 2 * (end - start) > capacity) return false;
    const own = <usize>entry << 2;
    const ownNewX = v128.load32_splat(newX + own);
    const ownNewY = v128.load32_splat(newY + own);
    const ownNewZ = hasZ ? v128.load32_splat(newZ + own) : ownNewX;
    const ownOldX = v128.load32_splat(oldX + own);
    const ownOldY = v128.load32_splat(oldY + own);
    const ownOldZ = hasZ ? v128.load32_splat(oldZ + own) : ownOldX;
    for (let at = <usize>start << 2; at < stop; at += 16) {
      const newDx = f32x4.sub(v128.load(newX + at), ownNewX);
      const newDy = f32x4.sub(v128.load(newY + at), ownNewY);
      const oldDx = f32x4.sub(v128.load(oldX + at), ownOldX);
      const oldDy = f32x4.sub(v128.load(oldY + at), ownOldY);
      let newSquared = f32x4.add(f32x4.mul(newDx, newDx), f32x4.mul(newDy, newDy));
      let oldSquared = f32x4.add(f32x4.mul(oldDx, oldDx), f32x4.mul(oldDy, oldDy));
      if (hasZ) {
        const newDz = f32x4.sub(v128.load(newZ + at), ownNewZ);
        const oldDz = f32x4.sub(v128.load(oldZ + at), ownOldZ);
        newSquared = f32x4.add(newSquared, f32x4.mul(newDz, newDz));
        oldSquared = f32x4.add(oldSquared, f32x4.mul(oldDz, oldDz));
      }
      let crossed = crossedOf(newSquared, oldSquared, farthest);
      if (levels == 2 || levels == 3) crossed = v128.or(crossed, crossedOf(newSquared, oldSquared, second));
      if (levels == 3) crossed = v128.or(crossed, crossedOf(newSquared, oldSquared, third));
      if (levels == MANY) {
        const levelCount = word(job, LEVEL_COUNT);
        for (let k: u32 = 1; k < levelCount; k++) {
          crossed = v128.or(crossed, crossedOf(newSquared, oldSquared, levelSquared(job, k)));
        }
      }
      // On x86 an instruction less than any_true.
      const lanes = <u32>i32x4.bitmask(crossed);
      if (lanes != 0) appendLanes(job, entry, <u32>(at >> 2), end, lanes, newSquared, oldSquared);
    }
  }
  return true;
}

// @ts-ignore: decorator
@inline
function levelSquared(job: usize, level: u32): v128 {
  const range = floatAt(job + LEVEL_RANGES, level);
  return f32x4.splat(range * range);
}

// @ts-ignore: decorator
@inline
function crossedOf(newSquared: v128, oldSquared: v128, level: v128): v128 {
  return v128.xor(f32x4.le(newSquared, level), f32x4.le(oldSquared, level));
}

/** Appends what changed in the lanes that crossed, each way. */
function appendLanes(
  job: usize, entry: u32, first: u32, end: u32, crossed: u32, newSquared: v128, oldSquared: v128,
): void {
  let payloads = i32x4.splat(0);
  const levelCount = word(job, LEVEL_COUNT);
  for (let k: u32 = 0; k < levelCount; k++) {
    const level = levelSquared(job, k);
    const senses = wordAt(job + LEVEL_SENSES, k);
    const before = v128.and(f32x4.le(oldSquared, level), i32x4.splat(senses));
    const after = v128.and(f32x4.le(newSquared, level), i32x4.splat(senses << 8));
    payloads = v128.or(payloads, v128.or(before, after));
  }
  // Lanes are numbered by constants only, so those wanted are read from memory.
  v128.store(job + LANES, payloads);
  const ranges = column(job, RANGE);
  const ref = wordAt(refs, entry);
  const isWatcher = floatAt(ranges, entry) > 0;
  let lanes = crossed;
  if (first + 4 > end) lanes &= (1 << (end - first)) - 1;
  for (; lanes != 0; lanes &= lanes - 1) {
    const lane = ctz(lanes);
    const other = first + lane;
    const payload = wordAt(job + LANES, lane);
    const otherRef = wordAt(refs, other);
    if (isWatcher) appendCrossing(ref, otherRef, payload);
    if (floatAt(ranges, other) > 0) appendCrossing(otherRef, ref, payload);
  }
}
