/**
 * The double test for the crowd, in which all watchers have the same ranges. Being within reach is then mutual, so each unordered
 * pair is tested once, for both directions. Each member of the crowd also tests the things near it. No pair of things is tested,
 * whatever the share of watchers.
 *
 * All entries of a cell share their window, and inner cells all have the same window. In border cells, where outliers lie too,
 * and in 3-D, the window is computed around the box of a group of entries that lie no farther apart than the cell is wide. Only
 * the half that comes later in the order of entries is scanned; in 3-D that is the later half of the own layer and all later
 * layers:
 *
 *        . - = = = - .          = a run of a later row, scanned by each member
 *        . = = = = = .
 *        . . . g > > .          g the group; > the rest of its own row, from behind each member on
 *        . . . . . . .            earlier rows: their entries have met the group already
 *
 * One distance serves all senses. A *level* is one of the distinct ranges, farthest first, and a pair has changed if it is inside
 * other levels than before. This file is for circles and spheres and plain markers; everything else is in sweep-scan.ts. The grid
 * of things has the same cells as the crowd's, so the same window is used there, but the whole of it.
 *
 * Cost: about 1.4 tests for each perceived pair, which covers both its directions. A test with three levels takes a third more
 * than one with one level.
 */
import {
  GRIDS, GRID_BYTES, GRID_DEPTH_WORD, GRID_EDGE_SLACK, GRID_FIRST_CELL_WORD, GRID_HEIGHT_WORD, GRID_INVERSE, GRID_MEMBERS_WORD, GRID_ORIGIN,
  GRID_SIZE, GRID_WIDTH_WORD, LANES, LEVEL_COUNT, LEVEL_RANGES, LEVEL_SENSES, NEW_X, NEW_Y, NEW_Z, OLD_X, OLD_Y, OLD_Z, SLACK_F64, TABLE,
  WINDOW_REACHES, WINDOW_ROWS,
} from '../layouts/sweep-job';
import { clampedCell, column, floatAt, numberAt, word, wordAt } from './job';
import { appendCrossing, capacity, closeCrossings, count, is3D, openCrossings, refs } from './sweep-crossing';
import {
  Floats, Mask, STEP, WIDTH, add, allFloats, allWords, bitOr, bitsOf, differ, either, floatsAt, floatsOf, isAtMost, mul, setWords, sub, wordsWhere,
} from './lanes';

const REACH_SLACK: f64 = 1.0 + 1.0 / 4194304.0;
const MAX_GROUP: u32 = 64;
/** Means any number of levels. */
const MANY: u32 = 4;

// Shared by the functions of one call; set by scanPairs.
let half: f64 = 0;
let radius: f64 = 0;
/** Where the cells of things begin, whose grid has the same cells as the crowd's; 0 if there are no things. */
let thingCells: u32 = 0;
/** The first entry after the crowd's. */
let crowdEnd: u32 = 0;

export function scanPairs(job: usize, from: u32, to: u32): u32 {
  openCrossings(job);
  const reach = <f64>floatAt(job, LEVEL_RANGES) * REACH_SLACK;
  const widening = 2 * numberAt(job, SLACK_F64) * REACH_SLACK;
  half = reach + widening;
  radius = reach + widening * Math.sqrt(is3D ? 3.0 : 2.0) * REACH_SLACK;
  const grid = column(job, GRIDS);
  const table = column(job, TABLE);
  const things = grid + GRID_BYTES;
  crowdEnd = wordAt(table, word(things, GRID_FIRST_CELL_WORD));
  thingCells = word(things, GRID_MEMBERS_WORD) == 0 ? 0 : word(things, GRID_FIRST_CELL_WORD);
  const width = word(grid, GRID_WIDTH_WORD);
  const height = word(grid, GRID_HEIGHT_WORD);
  const depth = word(grid, GRID_DEPTH_WORD);
  const hasWindow = word(job, WINDOW_ROWS) > 0;
  let first = from;
  while (first < to) {
    const cellX = clampedCell(anchor(job, NEW_X, OLD_X, first), numberAt(grid, GRID_ORIGIN), numberAt(grid, GRID_INVERSE), width);
    const cellY = clampedCell(anchor(job, NEW_Y, OLD_Y, first), numberAt(grid, GRID_ORIGIN + 1), numberAt(grid, GRID_INVERSE + 1), height);
    const cellZ: u32 =
      depth == 1 ? 0 : clampedCell(anchor(job, NEW_Z, OLD_Z, first), numberAt(grid, GRID_ORIGIN + 2), numberAt(grid, GRID_INVERSE + 2), depth);
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

/** Returns the entry after the group, which is all the entries of the cell; 0 if the crossings may not fit. */
function scanInner(job: usize, first: u32, next: u32, cellX: u32, cellY: u32): u32 {
  const grid = column(job, GRIDS);
  const table = column(job, TABLE);
  const width = word(grid, GRID_WIDTH_WORD);
  const rows = min<u32>(word(job, WINDOW_ROWS), word(grid, GRID_HEIGHT_WORD) - cellY);
  for (let dy: u32 = 0; dy < rows; dy++) {
    const reach = wordAt(job, WINDOW_REACHES + dy);
    const row = (cellY + dy) * width;
    const begin = dy == 0 ? first : wordAt(table, row + (cellX > reach ? cellX - reach : 0));
    if (!scanRuns(job, first, next, begin, wordAt(table, row + min<u32>(cellX + reach, width - 1) + 1))) return 0;
  }
  return thingCells == 0 || scanThings(job, first, next, cellX, cellY) ? next : 0;
}

/** The same window among things, but the whole of it: things test nothing themselves. */
function scanThings(job: usize, first: u32, next: u32, cellX: u32, cellY: u32): bool {
  const grid = column(job, GRIDS);
  const table = column(job, TABLE);
  const width = word(grid, GRID_WIDTH_WORD);
  const height = word(grid, GRID_HEIGHT_WORD);
  const rows = word(job, WINDOW_ROWS) - 1;
  const toY = min<u32>(cellY + rows, height - 1);
  for (let y = cellY > rows ? cellY - rows : 0; y <= toY; y++) {
    const reach = wordAt(job, WINDOW_REACHES + (y > cellY ? y - cellY : cellY - y));
    const row = thingCells + y * width;
    const begin = wordAt(table, row + (cellX > reach ? cellX - reach : 0));
    if (!scanRuns(job, first, next, begin, wordAt(table, row + min<u32>(cellX + reach, width - 1) + 1))) return false;
  }
  return true;
}

/** Grows a group up to `limit`, and returns the entry after it; 0 if the crossings may not fit. */
function scanAround(job: usize, first: u32, limit: u32, cellY: u32, cellZ: u32): u32 {
  const grid = column(job, GRIDS);
  const sizeX = numberAt(grid, GRID_SIZE);
  const sizeY = numberAt(grid, GRID_SIZE + 1);
  const sizeZ = numberAt(grid, GRID_SIZE + 2);
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
  let isRoom = scanBox(job, first, next, 0, cellY, cellZ, minX, minY, minZ, maxX, maxY, maxZ);
  if (isRoom && thingCells != 0) {
    isRoom = scanBox(job, first, next, thingCells, cellY, cellZ, minX, minY, minZ, maxX, maxY, maxZ);
  }
  return isRoom ? next : 0;
}

/**
 * Scans the window around a box: in the crowd its later half, among things all of it. `cells`: the first cell of the crowd or the
 * things.
 */
function scanBox(
  job: usize, first: u32, next: u32, cells: u32, cellY: u32, cellZ: u32, minX: f64, minY: f64, minZ: f64, maxX: f64, maxY: f64,
  maxZ: f64,
): bool {
  const grid = column(job, GRIDS);
  const table = column(job, TABLE);
  const width = word(grid, GRID_WIDTH_WORD);
  const height = word(grid, GRID_HEIGHT_WORD);
  const depth = word(grid, GRID_DEPTH_WORD);
  const sizeY = numberAt(grid, GRID_SIZE + 1);
  const sizeZ = numberAt(grid, GRID_SIZE + 2);
  const edgeSlack = numberAt(grid, GRID_EDGE_SLACK);
  const fromY = clampedCell(minY - half, numberAt(grid, GRID_ORIGIN + 1), numberAt(grid, GRID_INVERSE + 1), height);
  const toY = clampedCell(maxY + half, numberAt(grid, GRID_ORIGIN + 1), numberAt(grid, GRID_INVERSE + 1), height);
  const toZ: u32 = depth == 1 ? 0 : clampedCell(maxZ + half, numberAt(grid, GRID_ORIGIN + 2), numberAt(grid, GRID_INVERSE + 2), depth);
  const isHalf = cells == 0;
  const fromZ: u32 = isHalf || depth == 1 ? cellZ : clampedCell(minZ - half, numberAt(grid, GRID_ORIGIN + 2), numberAt(grid, GRID_INVERSE + 2), depth);
  for (let z = fromZ; z <= toZ; z++) {
    const lowZ = numberAt(grid, GRID_ORIGIN + 2) + <f64>z * sizeZ;
    const awayZ: f64 = z == cellZ ? 0 : Math.max(Math.max(lowZ - maxZ, minZ - (lowZ + sizeZ)) - edgeSlack, 0);
    for (let y = isHalf && z == cellZ ? cellY : fromY; y <= toY; y++) {
      const low = numberAt(grid, GRID_ORIGIN + 1) + <f64>y * sizeY;
      const awayY = y == cellY ? 0 : Math.max(Math.max(low - maxY, minY - (low + sizeY)), edgeSlack) - edgeSlack;
      const awaySquared = awayY * awayY + awayZ * awayZ;
      if (awaySquared > radius * radius) continue;
      const chord = Math.sqrt(radius * radius - awaySquared) * REACH_SLACK;
      const halfX = awaySquared > 0 && chord < half ? chord : half;
      const row = cells + (z * height + y) * width;
      const isOwnRow = isHalf && y == cellY && z == cellZ;
      const from = wordAt(table, row + clampedCell(minX - halfX, numberAt(grid, GRID_ORIGIN), numberAt(grid, GRID_INVERSE), width));
      const end = wordAt(table, row + clampedCell(maxX + halfX, numberAt(grid, GRID_ORIGIN), numberAt(grid, GRID_INVERSE), width) + 1);
      if (!scanRuns(job, first, next, isOwnRow ? first : from, end)) return false;
    }
  }
  return true;
}

/** The coordinate by which an entry is sorted: its new one, or a ghost's old one. */
@inline
function anchor(job: usize, newWord: u32, oldWord: u32, entry: u32): f64 {
  const coordinate = floatAt(column(job, newWord), entry);
  return <f64>(coordinate == coordinate ? coordinate : floatAt(column(job, oldWord), entry));
}

/** Tests each entry of a group against the entries of a run that come after it; false if the crossings may not fit. */
function scanRuns(job: usize, first: u32, next: u32, begin: u32, end: u32): bool {
  if (begin >= end) return true;
  const levels = word(job, LEVEL_COUNT);
  if (is3D) {
    return ASC_FEATURE_SIMD && levels == 1 ? oneIn3D(job, first, next, begin, end) : manyIn3D(job, first, next, begin, end);
  }
  if (levels == 1) return one(job, first, next, begin, end);
  if (!ASC_FEATURE_SIMD) return many(job, first, next, begin, end);
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
@inline // in JavaScript, too
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
    const ownNewX = floatsOf(newX + own);
    const ownNewY = floatsOf(newY + own);
    const ownNewZ = hasZ ? floatsOf(newZ + own) : ownNewX;
    const ownOldX = floatsOf(oldX + own);
    const ownOldY = floatsOf(oldY + own);
    const ownOldZ = hasZ ? floatsOf(oldZ + own) : ownOldX;
    for (let at = <usize>start << 2; at < stop; at += STEP) {
      const newDx = sub(floatsAt(newX + at), ownNewX);
      const newDy = sub(floatsAt(newY + at), ownNewY);
      const oldDx = sub(floatsAt(oldX + at), ownOldX);
      const oldDy = sub(floatsAt(oldY + at), ownOldY);
      let newSquared = add(mul(newDx, newDx), mul(newDy, newDy));
      let oldSquared = add(mul(oldDx, oldDx), mul(oldDy, oldDy));
      if (hasZ) {
        const newDz = sub(floatsAt(newZ + at), ownNewZ);
        const oldDz = sub(floatsAt(oldZ + at), ownOldZ);
        newSquared = add(newSquared, mul(newDz, newDz));
        oldSquared = add(oldSquared, mul(oldDz, oldDz));
      }
      let crossed = crossedOf(newSquared, oldSquared, farthest);
      if (levels == 2 || levels == 3) crossed = either(crossed, crossedOf(newSquared, oldSquared, second));
      if (levels == 3) crossed = either(crossed, crossedOf(newSquared, oldSquared, third));
      if (levels == MANY) {
        const levelCount = word(job, LEVEL_COUNT);
        for (let k: u32 = 1; k < levelCount; k++) {
          crossed = either(crossed, crossedOf(newSquared, oldSquared, levelSquared(job, k)));
        }
      }
      // On x86, one instruction less than any_true.
      const lanes = bitsOf(crossed);
      if (lanes != 0) appendLanes(job, entry, <u32>(at >> 2), end, lanes, newSquared, oldSquared);
    }
  }
  return true;
}

@inline // in JavaScript, too
function levelSquared(job: usize, level: u32): Floats {
  const range = floatAt(job, LEVEL_RANGES + level);
  return allFloats(range * range);
}

@inline // in JavaScript, too
function crossedOf(newSquared: Floats, oldSquared: Floats, level: Floats): Mask {
  return differ(isAtMost(newSquared, level), isAtMost(oldSquared, level));
}

/** Appends what changed in the lanes that crossed, for both directions. */
function appendLanes(
  job: usize, entry: u32, first: u32, end: u32, crossed: u32, newSquared: Floats, oldSquared: Floats,
): void {
  let payloads = allWords(0);
  const levelCount = word(job, LEVEL_COUNT);
  for (let k: u32 = 0; k < levelCount; k++) {
    const level = levelSquared(job, k);
    const senses = wordAt(job, LEVEL_SENSES + k);
    const before = wordsWhere(isAtMost(oldSquared, level), allWords(senses));
    const after = wordsWhere(isAtMost(newSquared, level), allWords(senses << 8));
    payloads = bitOr(payloads, bitOr(before, after));
  }
  // Lanes can be indexed only by constants, so the wanted ones are read from memory.
  setWords(job + (LANES << 2), payloads);
  const ref = wordAt(refs, entry);
  let lanes = crossed;
  if (first + WIDTH > end) lanes &= (1 << (end - first)) - 1;
  for (; lanes != 0; lanes &= lanes - 1) {
    const lane = ctz(lanes);
    const other = first + lane;
    const payload = wordAt(job, LANES + lane);
    const otherRef = wordAt(refs, other);
    appendCrossing(ref, otherRef, payload);
    if (other < crowdEnd) appendCrossing(otherRef, ref, payload);
  }
}
