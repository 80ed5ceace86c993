/**
 * The double test for crowds in which all watchers have the same ranges: each unordered pair is tested once, for both
 * directions, since who is within reach of whom is then mutual.
 *
 * Neighbours in a cell share their window, which is the same for all cells; in border cells, where outliers lie too, and in
 * 3-D it is cut around the box of a group of entries that lie no farther apart than the cell is wide. Only the half that
 * comes later in the order of entries is scanned, in 3-D the later half of the own layer and all of the later layers:
 *
 *        . - = = = - .          = a run of a later row, scanned by each member
 *        . = = = = = .
 *        . . . g > > .          g the group; > the rest of its own row, from behind each member on
 *        . . . . . . .            earlier rows: their entries have met the group already
 *
 * One distance serves all senses: a *level* is one of the different ranges, farthest first, and a pair has changed when
 * it is inside other levels than before. Circles and spheres, plain markers; anything else is for sweep-scan.ts. An
 * entity without range (a thing among players) takes part as a marker.
 *
 * Twin: wasm/sweep-pairs.ts. Cost: about 1.4 tests a perceived pair and both its directions; a test with three levels
 * takes a third more than with one.
 */
import type { HeapViews } from './heap-views.ts';
import { appendCrossing, type CrossingList, openCrossings } from './sweep-crossing.ts';
import { clampedCell } from './sweep-entries.ts';
import * as job from './sweep-job.ts';

const f32 = Math.fround;
const REACH_SLACK = 1 + 2 ** -22;
/** Entries that share a window, at most: a group is begun again when its crossings do not fit. */
const MAX_GROUP = 64;
/** Twice what rounding to float32 may do to a squared distance near a boundary, relatively. */
const ROUNDING = 2 ** -20;
/** Levels with loops of their own, in 2-D. */
const FEW_LEVELS = 3;
/** Of a run, so many are looked through before those of them are decided that lie near a boundary. */
export const NEAR_AT_ONCE = 1024;
/** Of a group, so many look through a run together where there is one level. */
const ENTRIES_AT_ONCE = 4;
const MARKERS_AT_ONCE = NEAR_AT_ONCE / ENTRIES_AT_ONCE;
/** Near nobody. */
const NOWHERE = Number.POSITIVE_INFINITY;

/** The box around the positions that a group's entries are sorted by, its cell, and the entry behind its last. */
interface Group {
  next: number;
  cellX: number;
  cellY: number;
  cellZ: number;
  minX: number;
  minY: number;
  minZ: number;
  maxX: number;
  maxY: number;
  maxZ: number;
}

interface Pairs {
  readonly list: CrossingList;
  readonly grid: number;
  readonly table: number;
  /** Squares of the levels' ranges, farthest first; -1 beyond the last. */
  readonly squares: Float64Array;
  /** By level: a product of two differences from its square that is greater is no crossing; see `decideNear`. */
  readonly tolerances: Float64Array;
  readonly levelCount: number;
  readonly half: number;
  readonly radius: number;
  /** Where entries are, by entry, NaN for those that are not on both sides of the tick; and a list of some. See `findNear`. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly near: Uint32Array;
  /** By level: the middle of the squared distances that may be of a crossing, and half of how many there are. */
  readonly middles: Float64Array;
  readonly halves: Float64Array;
}

/**
 * Scans the pairs whose first entry is one of `from` to `to`. Answers the entry to go on from when there is no room for more
 * crossings, else `to`.
 */
export function scanPairs(heap: HeapViews, jobOffset: number, from: number, to: number): number {
  const { u32, f64, f32: floats } = heap;
  const j = jobOffset >>> 2;
  const list = openCrossings(heap, jobOffset);
  const levelCount = u32[j + job.LEVEL_COUNT];
  const reach = floats[j + job.LEVEL_RANGES] * REACH_SLACK;
  const widening = 2 * f64[(jobOffset >>> 3) + job.SLACK_F64] * REACH_SLACK;
  // Both ends of a pair may have moved by the slack on every axis, so a circle is wider by a diagonal.
  const radius = reach + widening * Math.sqrt(list.is3D ? 3 : 2) * REACH_SLACK;
  const squares = new Float64Array(8).fill(-1);
  const tolerances = new Float64Array(8);
  for (let k = 0; k < levelCount; k++) {
    const range = floats[j + job.LEVEL_RANGES + k];
    squares[k] = f32(range * range);
    tolerances[k] = squares[k] * ROUNDING * radius * radius;
  }
  const table = u32[j + job.TABLE] >>> 2;
  const entryCount = u32[table + u32[j + job.CELL_COUNT]];
  const [atX, atY, places] = [u32[j + job.AT_X] >>> 2, u32[j + job.AT_Y] >>> 2, u32[j + job.PLACES] >>> 2];
  const pairs: Pairs = {
    list,
    grid: u32[j + job.GRIDS],
    table,
    x: floats.subarray(atX, atX + entryCount),
    y: floats.subarray(atY, atY + entryCount),
    near: u32.subarray(places, places + NEAR_AT_ONCE),
    middles: new Float64Array(8),
    halves: new Float64Array(8).fill(-1),
    squares,
    tolerances,
    levelCount,
    half: reach + widening,
    radius,
  };
  if (!list.is3D && levelCount <= FEW_LEVELS) findBands(pairs, from, radius - reach);
  const group: Group = {
    next: 0,
    cellX: 0,
    cellY: 0,
    cellZ: 0,
    minX: 0,
    minY: 0,
    minZ: 0,
    maxX: 0,
    maxY: 0,
    maxZ: 0,
  };
  for (let first = from; first < to; first = group.next) {
    const before = list.count;
    if (scanGroup(pairs, first, to, group)) continue;
    u32[j + job.CROSSING_COUNT] = before;
    return first;
  }
  u32[j + job.CROSSING_COUNT] = list.count;
  return to;
}

/** Scans the group that begins with an entry; false when the crossings may not fit. */
function scanGroup(pairs: Pairs, first: number, to: number, group: Group): boolean {
  const { list, grid, table } = pairs;
  const { heap, entries, is3D, j } = list;
  const { u32, f64, f32: floats } = heap;
  const g = grid >>> 3;
  const w = grid >>> 2;
  const width = u32[w + job.GRID_WIDTH_WORD];
  const height = u32[w + job.GRID_HEIGHT_WORD];
  const depth = u32[w + job.GRID_DEPTH_WORD];
  const x = anchor(floats, entries.newX, entries.oldX, first);
  const y = anchor(floats, entries.newY, entries.oldY, first);
  const z = is3D ? anchor(floats, entries.newZ, entries.oldZ, first) : 0;
  const cellX = clampedCell(x, f64[g + job.GRID_ORIGIN], f64[g + job.GRID_INVERSE], width);
  const cellY = clampedCell(y, f64[g + job.GRID_ORIGIN + 1], f64[g + job.GRID_INVERSE + 1], height);
  const cellZ =
    depth === 1 ? 0 : clampedCell(z, f64[g + job.GRID_ORIGIN + 2], f64[g + job.GRID_INVERSE + 2], depth);
  const limit = Math.min(u32[table + (cellZ * height + cellY) * width + cellX + 1], first + MAX_GROUP, to);
  const isInner = cellX > 0 && cellX < width - 1 && cellY > 0 && cellY < height - 1;
  if (isInner && u32[j + job.WINDOW_ROWS] > 0) {
    group.next = limit;
    return scanInner(pairs, first, limit, cellX, cellY);
  }
  group.cellX = cellX;
  group.cellY = cellY;
  group.cellZ = cellZ;
  group.minX = group.maxX = x;
  group.minY = group.maxY = y;
  group.minZ = group.maxZ = z;
  growGroup(pairs, first, limit, group);
  return scanAround(pairs, first, group);
}

/** Scans the window that those of an inner cell share. */
function scanInner(pairs: Pairs, first: number, next: number, cellX: number, cellY: number): boolean {
  const { list, grid, table } = pairs;
  const { u32 } = list.heap;
  const width = u32[(grid >>> 2) + job.GRID_WIDTH_WORD];
  const height = u32[(grid >>> 2) + job.GRID_HEIGHT_WORD];
  const rows = Math.min(u32[list.j + job.WINDOW_ROWS], height - cellY);
  for (let dy = 0; dy < rows; dy++) {
    const reach = u32[list.j + job.WINDOW_REACHES + dy];
    const row = table + (cellY + dy) * width;
    const begin = dy === 0 ? first : u32[row + Math.max(cellX - reach, 0)];
    if (!scanRuns(pairs, first, next, begin, u32[row + Math.min(cellX + reach, width - 1) + 1])) return false;
  }
  return true;
}

/** Scans the window around a group's box. */
function scanAround(pairs: Pairs, first: number, group: Group): boolean {
  const { list, grid, table, half, radius } = pairs;
  const { u32, f64 } = list.heap;
  const g = grid >>> 3;
  const w = grid >>> 2;
  const width = u32[w + job.GRID_WIDTH_WORD];
  const height = u32[w + job.GRID_HEIGHT_WORD];
  const depth = u32[w + job.GRID_DEPTH_WORD];
  const originX = f64[g + job.GRID_ORIGIN];
  const inverseX = f64[g + job.GRID_INVERSE];
  const originY = f64[g + job.GRID_ORIGIN + 1];
  const inverseY = f64[g + job.GRID_INVERSE + 1];
  const sizeY = f64[g + job.GRID_SIZE + 1];
  const edgeSlack = f64[g + job.GRID_EDGE_SLACK];
  const { next, cellY, cellZ, minX, minY, maxX, maxY, maxZ } = group;
  const fromY = clampedCell(minY - half, originY, inverseY, height);
  const toY = clampedCell(maxY + half, originY, inverseY, height);
  const toZ =
    depth === 1
      ? 0
      : clampedCell(maxZ + half, f64[g + job.GRID_ORIGIN + 2], f64[g + job.GRID_INVERSE + 2], depth);
  for (let z = cellZ; z <= toZ; z++) {
    const layer = f64[g + job.GRID_ORIGIN + 2] + z * f64[g + job.GRID_SIZE + 2];
    const awayZ = z === cellZ ? 0 : Math.max(layer - maxZ - edgeSlack, 0);
    for (let y = z === cellZ ? cellY : fromY; y <= toY; y++) {
      const low = originY + y * sizeY;
      const awayY = y === cellY ? 0 : Math.max(low - maxY, minY - (low + sizeY), edgeSlack) - edgeSlack;
      const awaySquared = awayY * awayY + awayZ * awayZ;
      if (awaySquared > radius * radius) continue;
      const chord = Math.sqrt(radius * radius - awaySquared) * REACH_SLACK;
      const halfX = awaySquared > 0 ? Math.min(half, chord) : half;
      const row = table + (z * height + y) * width;
      const isOwnRow = y === cellY && z === cellZ;
      const begin = isOwnRow ? first : u32[row + clampedCell(minX - halfX, originX, inverseX, width)];
      const end = u32[row + clampedCell(maxX + halfX, originX, inverseX, width) + 1];
      if (!scanRuns(pairs, first, next, begin, end)) return false;
    }
  }
  return true;
}

/** Takes in the entries after the first, up to `limit`, while they lie near enough. */
function growGroup({ list, grid }: Pairs, first: number, limit: number, group: Group): void {
  const { entries, is3D } = list;
  const { f32: floats, f64 } = list.heap;
  const size = (grid >>> 3) + job.GRID_SIZE;
  let next = first + 1;
  for (; next < limit; next++) {
    const x = anchor(floats, entries.newX, entries.oldX, next);
    const y = anchor(floats, entries.newY, entries.oldY, next);
    const z = is3D ? anchor(floats, entries.newZ, entries.oldZ, next) : 0;
    const toMinX = Math.min(group.minX, x);
    const toMaxX = Math.max(group.maxX, x);
    const toMinY = Math.min(group.minY, y);
    const toMaxY = Math.max(group.maxY, y);
    const toMinZ = Math.min(group.minZ, z);
    const toMaxZ = Math.max(group.maxZ, z);
    if (toMaxX - toMinX > f64[size] || toMaxY - toMinY > f64[size + 1] || toMaxZ - toMinZ > f64[size + 2])
      break;
    group.minX = toMinX;
    group.maxX = toMaxX;
    group.minY = toMinY;
    group.maxY = toMaxY;
    group.minZ = toMinZ;
    group.maxZ = toMaxZ;
  }
  group.next = next;
}

/** Where an entry is sorted by: its new coordinate, a ghost's old one. */
function anchor(floats: Float32Array, newColumn: number, oldColumn: number, entry: number): number {
  const coordinate = floats[newColumn + entry];
  return Number.isNaN(coordinate) ? floats[oldColumn + entry] : coordinate;
}

/** Tests each of a group against those of a run that lie behind it; false when the crossings may not fit. */
function scanRuns(pairs: Pairs, first: number, next: number, begin: number, end: number): boolean {
  const { list, levelCount } = pairs;
  if (begin >= end) return true;
  const isOneLevel = !list.is3D && levelCount === 1;
  const atOnce = isOneLevel ? ENTRIES_AT_ONCE : 1;
  for (let entry = first; entry < next; entry += atOnce) {
    const start = Math.max(begin, entry + 1);
    if (list.count + 2 * atOnce * (end - start) > list.capacity) return false;
    if (isOneLevel) scanOneLevel(pairs, entry, next, start, end);
    else if (list.is3D || levelCount > FEW_LEVELS) scanAnyLevels(pairs, entry, start, end);
    else scanFewLevels(pairs, entry, start, end);
  }
  return true;
}

/**
 * Says which distances may be of a crossing, and where entries are: nobody who is on both sides of a tick moved farther than
 * the slack, so that two of them who cross a boundary are no farther from it than `spread`, which both may have moved together.
 */
function findBands(pairs: Pairs, from: number, spread: number): void {
  const { list, squares, levelCount, middles, halves, x, y } = pairs;
  const { newX, newY, oldX } = list.entries;
  const floats = list.heap.f32;
  for (let k = 0; k < levelCount; k++) {
    const range = Math.sqrt(squares[k]);
    const width = spread + range * ROUNDING;
    const low = range > width ? (range - width) * (range - width) : -1;
    const high = (range + width) * (range + width);
    middles[k] = (low + high) / 2;
    halves[k] = (high - low) / 2;
  }
  for (let i = from; i < x.length; i++) {
    x[i] = floats[newX + i] + 0 * floats[oldX + i];
    y[i] = floats[newY + i];
  }
}

/**
 * With one level, looks at where entries are for one and up to three behind it at once, those below `next`, and decides the few
 * pairs that lie so near the boundary that they may have crossed it.
 */
function scanOneLevel(pairs: Pairs, entry: number, next: number, begin: number, end: number): void {
  const { near } = pairs;
  for (let from = begin; from < end; from += MARKERS_AT_ONCE) {
    const count = findNear(pairs, entry, next, from, Math.min(end, from + MARKERS_AT_ONCE));
    for (let k = 0; k < count; k++) {
      const own = entry + (near[k] & 3);
      const other = near[k] >>> 2;
      // Of the four themselves each meets those behind it.
      if (own < next && other > own) decideNear(pairs, own, other);
    }
  }
}

/** The same with two or three levels, for one entry. */
function scanFewLevels(pairs: Pairs, entry: number, begin: number, end: number): void {
  const { near } = pairs;
  for (let from = begin; from < end; from += NEAR_AT_ONCE) {
    const count = findNearAny(pairs, entry, from, Math.min(end, from + NEAR_AT_ONCE));
    for (let k = 0; k < count; k++) decideNear(pairs, entry, near[k]);
  }
}

/**
 * Lists who may have crossed the one level, and whose distance is no number, four times who and whose. What four read they read
 * once, and loops end less often. A boolean is added as a number, since a branch would be guessed wrong for most that are listed.
 */
function findNear(
  { x, y, near, middles, halves }: Pairs,
  entry: number,
  next: number,
  begin: number,
  end: number,
): number {
  const x0 = x[entry];
  const y0 = y[entry];
  const x1 = entry + 1 < next ? x[entry + 1] : NOWHERE;
  const y1 = y[Math.min(entry + 1, next - 1)];
  const x2 = entry + 2 < next ? x[entry + 2] : NOWHERE;
  const y2 = y[Math.min(entry + 2, next - 1)];
  const x3 = entry + 3 < next ? x[entry + 3] : NOWHERE;
  const y3 = y[Math.min(entry + 3, next - 1)];
  const middle = middles[0];
  const half = halves[0];
  let count = 0;
  for (let i = begin; i < end; i++) {
    const atX = x[i];
    const atY = y[i];
    const dx0 = atX - x0;
    const dy0 = atY - y0;
    near[count] = i << 2;
    count = (count + 1 - (+(Math.abs(dx0 * dx0 + dy0 * dy0 - middle) > half) | 0)) | 0;
    const dx1 = atX - x1;
    const dy1 = atY - y1;
    near[count] = (i << 2) | 1;
    count = (count + 1 - (+(Math.abs(dx1 * dx1 + dy1 * dy1 - middle) > half) | 0)) | 0;
    const dx2 = atX - x2;
    const dy2 = atY - y2;
    near[count] = (i << 2) | 2;
    count = (count + 1 - (+(Math.abs(dx2 * dx2 + dy2 * dy2 - middle) > half) | 0)) | 0;
    const dx3 = atX - x3;
    const dy3 = atY - y3;
    near[count] = (i << 2) | 3;
    count = (count + 1 - (+(Math.abs(dx3 * dx3 + dy3 * dy3 - middle) > half) | 0)) | 0;
  }
  return count;
}

/** The same with two or three levels, for one entry: who. */
function findNearAny(
  { x, y, near, middles, halves }: Pairs,
  entry: number,
  begin: number,
  end: number,
): number {
  const ownX = x[entry];
  const ownY = y[entry];
  const firstMiddle = middles[0];
  const secondMiddle = middles[1];
  const thirdMiddle = middles[2];
  const firstHalf = halves[0];
  const secondHalf = halves[1];
  const thirdHalf = halves[2];
  let count = 0;
  for (let i = begin; i < end; i++) {
    const dx = x[i] - ownX;
    const dy = y[i] - ownY;
    const squared = dx * dx + dy * dy;
    near[count] = i;
    const isFar =
      (+(Math.abs(squared - firstMiddle) > firstHalf) | 0) &
      (+(Math.abs(squared - secondMiddle) > secondHalf) | 0) &
      (+(Math.abs(squared - thirdMiddle) > thirdHalf) | 0);
    count = (count + 1 - isFar) | 0;
  }
  return count;
}

/**
 * Decides a pair that lies near a boundary, in float64, which rounds to float32 nowhere: two distances lie on one side of a
 * level when the product of their differences from it is above 0. Only what is near 0 or below is decided by the definition.
 * How near: float32 puts a distance on another side than float64 only if it is within 2^-21 of the square, relatively, and the
 * other distance of such a pair is within the radius, since nobody who has both positions moved farther than the slack. NaN is
 * never above anything.
 */
function decideNear(pairs: Pairs, entry: number, i: number): void {
  const { squares, tolerances } = pairs;
  const { entries, heap } = pairs.list;
  const floats = heap.f32;
  const { newX, newY, oldX, oldY } = entries;
  const newDx = floats[newX + i] - floats[newX + entry];
  const newDy = floats[newY + i] - floats[newY + entry];
  const oldDx = floats[oldX + i] - floats[oldX + entry];
  const oldDy = floats[oldY + i] - floats[oldY + entry];
  const newSquared = newDx * newDx + newDy * newDy;
  const oldSquared = oldDx * oldDx + oldDy * oldDy;
  if (
    (newSquared - squares[0]) * (oldSquared - squares[0]) > tolerances[0] &&
    (newSquared - squares[1]) * (oldSquared - squares[1]) > tolerances[1] &&
    (newSquared - squares[2]) * (oldSquared - squares[2]) > tolerances[2]
  ) {
    return;
  }
  const within = squares[0] * (1 + ROUNDING);
  if (newSquared <= within || oldSquared <= within) appendBoth(pairs, entry, i);
}

/** Any number of levels, in 2-D and 3-D. */
function scanAnyLevels(pairs: Pairs, entry: number, begin: number, end: number): void {
  const { list, squares, levelCount } = pairs;
  for (let i = begin; i < end; i++) {
    const newSquared = newDistanceSquared(list, entry, i);
    const oldSquared = oldDistanceSquared(list, entry, i);
    for (let k = 0; k < levelCount; k++) {
      if (newSquared <= squares[k] === oldSquared <= squares[k]) continue;
      appendBoth(pairs, entry, i);
      break;
    }
  }
}

/** Decides a pair, and appends what changed, each way. */
function appendBoth(pairs: Pairs, a: number, b: number): void {
  const { list, squares, levelCount } = pairs;
  const { f32: floats, u32 } = list.heap;
  const newSquared = newDistanceSquared(list, a, b);
  const oldSquared = oldDistanceSquared(list, a, b);
  let payload = 0;
  for (let k = 0; k < levelCount; k++) {
    const senses = u32[list.j + job.LEVEL_SENSES + k];
    if (oldSquared <= squares[k]) payload |= senses;
    if (newSquared <= squares[k]) payload |= senses << 8;
  }
  if ((payload & 255) === payload >>> 8) return;
  const { range, ref } = list.entries;
  const refA = u32[ref + a];
  const refB = u32[ref + b];
  if (floats[range + a] > 0) appendCrossing(list, refA, refB, payload);
  if (floats[range + b] > 0) appendCrossing(list, refB, refA, payload);
}

function newDistanceSquared({ heap, entries, is3D }: CrossingList, a: number, b: number): number {
  const floats = heap.f32;
  const dx = f32(floats[entries.newX + b] - floats[entries.newX + a]);
  const dy = f32(floats[entries.newY + b] - floats[entries.newY + a]);
  const squared = f32(f32(dx * dx) + f32(dy * dy));
  if (!is3D) return squared;
  const dz = f32(floats[entries.newZ + b] - floats[entries.newZ + a]);
  return f32(squared + f32(dz * dz));
}

function oldDistanceSquared({ heap, entries, is3D }: CrossingList, a: number, b: number): number {
  const floats = heap.f32;
  const dx = f32(floats[entries.oldX + b] - floats[entries.oldX + a]);
  const dy = f32(floats[entries.oldY + b] - floats[entries.oldY + a]);
  const squared = f32(f32(dx * dx) + f32(dy * dy));
  if (!is3D) return squared;
  const dz = f32(floats[entries.oldZ + b] - floats[entries.oldZ + a]);
  return f32(squared + f32(dz * dz));
}
