/**
 * Finds the pairs that the double test is made for (sweep-tests.ts): for each entry of one class, the entries of another class, or
 * of its own, that may be near enough.
 *
 * An unordered pair is found once. Of two classes, the smaller one searches; in its own class, an entry finds only those that come
 * after it. So a bell, a sniper or any other odd entity costs what it causes, and a crowd of entities of all kinds costs twice what
 * a uniform one does. Two things never meet, whatever the share of watchers.
 *
 * Entries of a cell share a window. Where the cells of both classes are the same, all inner cells have the same window. In border
 * cells, where outliers lie too, in 3-D, and among cells of another size, the window is computed around the box of a group of
 * entries that lie near each other. In the own class, only the half that comes later in the order of entries is scanned; in 3-D that
 * is the later half of the own layer and all later layers:
 *
 *        . - = = = - .          = a run of a later row, scanned by each member
 *        . = = = = = .          - clipped: the row is too far off for the circle to reach this cell
 *        . . . g > > .          g the group; > the rest of its own row, from behind each member on
 *        . . . . . . .            earlier rows: their entries have met the group already
 *
 * Cost: about 1.4 tests for each perceived pair of the crowd, which covers both its directions. Source: the grid join recomputed each
 * tick, Sidlauskas and Jensen, PVLDB 2014.
 */
import { BOX, CIRCLE } from '../layouts/perception';
import {
  FIRST_ENTRY, GRIDS, GRID_BAND_MASK_WORD, GRID_BYTES, GRID_DEPTH_WORD, GRID_EDGE_SLACK, GRID_HEIGHT_WORD, GRID_INVERSE, GRID_ORIGIN, GRID_SIZE,
  GRID_WIDTH_WORD, LAST_STATE, NOW_STATE, PAIR_CLASS, PAIR_IS_PLAIN, PAIR_OTHER, PAIR_REACH_F64, RATIO_X, RATIO_Y, RATIO_Z, REF, SLACK_F64, TABLE, WINDOW_REACHES, WINDOW_ROWS,
} from '../layouts/sweep-job';
import { GHOST_BIT, clampedCell, column, floatAt, numberAt, word, wordAt } from './job';
import { bandOf } from './sweep-bands';
import { folded } from './sweep-folds';
import { closeCrossings, count, is3D, newX, newY, newZ, oldX, oldY, oldZ, openCrossings, shape } from './sweep-crossing';
import { openProfiles } from './sweep-profiles';
import { isSelf } from './sweep-sides';
import { openTests, scanRuns } from './sweep-tests';

const REACH_SLACK: f64 = 1.0 + 1.0 / 4194304.0;
const MAX_GROUP: u32 = 64;

// Shared by the functions of one call; set by scanPairs.
let job: usize = 0;
let table: usize = 0;
/** The grids of the searching class and of the searched one, and the first cell of the current entry's band in the latter. */
let ownGrid: usize = 0;
let grid: usize = 0;
let cells: u32 = 0;
/** Half the window's sides around a single entry, and the radius to which rows are clipped; infinite for a box. */
let halfX: f64 = 0;
let halfY: f64 = 0;
let halfZ: f64 = 0;
let radius: f64 = 0;

export function scanPairs(offset: usize, from: u32, to: u32): u32 {
  job = offset;
  openCrossings(job);
  openProfiles();
  const own = word(job, PAIR_CLASS);
  const other = word(job, PAIR_OTHER);
  openTests(own, other, word(job, PAIR_IS_PLAIN) != 0, 0);
  table = column(job, TABLE);
  ownGrid = column(job, GRIDS) + <usize>own * GRID_BYTES;
  grid = column(job, GRIDS) + <usize>other * GRID_BYTES;
  openReach();
  const width = word(ownGrid, GRID_WIDTH_WORD);
  const height = word(ownGrid, GRID_HEIGHT_WORD);
  const depth = word(ownGrid, GRID_DEPTH_WORD);
  const hasWindow = word(job, WINDOW_ROWS) > 0;
  const refs = column(job, REF);
  // Then entries of one cell may have to search in different bands.
  const hasMoreBands = word(grid, GRID_BAND_MASK_WORD) > word(ownGrid, GRID_BAND_MASK_WORD);
  const base = word(job, FIRST_ENTRY);
  const stop = base + to;
  let first = base + from;
  while (first < stop) {
    const cellX = cellOf(folded(ownGrid, 0, anchor(newX, oldX, first)), 0, width);
    const cellY = cellOf(folded(ownGrid, 1, anchor(newY, oldY, first)), 1, height);
    const cellZ: u32 = depth == 1 ? 0 : cellOf(folded(ownGrid, 2, anchor(newZ, oldZ, first)), 2, depth);
    const ownCells = bandAt(ownGrid, wordAt(refs, first));
    cells = bandAt(grid, wordAt(refs, first));
    const cell = ownCells + (cellZ * height + cellY) * width + cellX;
    let limit = min<u32>(min<u32>(wordAt(table, cell + 1), first + MAX_GROUP), stop);
    if (hasMoreBands) limit = firstElsewhere(refs, first, limit);
    const before = count;
    const isInner = cellX > 0 && cellX < width - 1 && cellY > 0 && cellY < height - 1;
    const next = isInner && hasWindow ? scanInner(first, limit, cellX, cellY) : scanAround(first, limit, cellY, cellZ);
    if (next == 0) {
      closeCrossings(before);
      return first - base;
    }
    first = next;
  }
  closeCrossings(count);
  return to;
}

/** The first cell of an entry's band in a grid. */
@inline
function bandAt(inGrid: usize, ref: u32): u32 {
  return bandOf(job, inGrid, ref < GHOST_BIT ? NOW_STATE : LAST_STATE, ref & ~GHOST_BIT);
}

/** The first entry, up to `end`, that searches in another band. */
function firstElsewhere(refs: usize, first: u32, end: u32): u32 {
  let next = first + 1;
  while (next < end && bandAt(grid, wordAt(refs, next)) == cells) next++;
  return next;
}

function openReach(): void {
  const reach = numberAt(job, PAIR_REACH_F64) * REACH_SLACK;
  const widening = 2 * numberAt(job, SLACK_F64) * REACH_SLACK + numberAt(grid, GRID_EDGE_SLACK);
  halfX = (shape == BOX ? reach * <f64>floatAt(job, RATIO_X) : reach) + widening;
  halfY = (shape == BOX ? reach * <f64>floatAt(job, RATIO_Y) : reach) + widening;
  halfZ = (shape == CIRCLE ? reach : reach * <f64>floatAt(job, RATIO_Z)) + widening;
  const isBall = shape == CIRCLE && is3D;
  radius = shape == BOX ? Infinity : reach + widening * Math.sqrt(isBall ? 3.0 : 2.0) * REACH_SLACK;
}

@inline
function cellOf(at: f64, axis: u32, cellCount: u32): u32 {
  return clampedCell(at, numberAt(ownGrid, GRID_ORIGIN + axis), numberAt(ownGrid, GRID_INVERSE + axis), cellCount);
}

/** A cell of the searched class. */
@inline
function otherCell(at: f64, axis: u32, cellCount: u32): u32 {
  return clampedCell(at, numberAt(grid, GRID_ORIGIN + axis), numberAt(grid, GRID_INVERSE + axis), cellCount);
}

/** Returns the entry after the group, which is all the entries of the cell; 0 if the crossings may not fit. */
function scanInner(first: u32, next: u32, cellX: u32, cellY: u32): u32 {
  const width = word(grid, GRID_WIDTH_WORD);
  const rows = word(job, WINDOW_ROWS) - 1;
  const toY = min<u32>(cellY + rows, word(grid, GRID_HEIGHT_WORD) - 1);
  for (let y = isSelf ? cellY : cellY > rows ? cellY - rows : 0; y <= toY; y++) {
    const reach = wordAt(job, WINDOW_REACHES + (y > cellY ? y - cellY : cellY - y));
    const row = cells + y * width;
    const begin = isSelf && y == cellY ? first : wordAt(table, row + (cellX > reach ? cellX - reach : 0));
    if (!scanRuns(first, next, begin, wordAt(table, row + min<u32>(cellX + reach, width - 1) + 1))) return 0;
  }
  return next;
}

/** Grows a group up to `limit`, and returns the entry after it; 0 if the crossings may not fit. */
function scanAround(first: u32, limit: u32, cellY: u32, cellZ: u32): u32 {
  // No wider than a cell; and where cells are wide because there are few entries, than what is searched.
  const mostX = Math.min(numberAt(ownGrid, GRID_SIZE), halfX);
  const mostY = Math.min(numberAt(ownGrid, GRID_SIZE + 1), halfY);
  const mostZ = Math.min(numberAt(ownGrid, GRID_SIZE + 2), halfZ);
  let minX = folded(grid, 0, anchor(newX, oldX, first));
  let minY = folded(grid, 1, anchor(newY, oldY, first));
  let minZ: f64 = is3D ? folded(grid, 2, anchor(newZ, oldZ, first)) : 0;
  let maxX = minX;
  let maxY = minY;
  let maxZ = minZ;
  let next = first + 1;
  for (; next < limit; next++) {
    const x = folded(grid, 0, anchor(newX, oldX, next));
    const y = folded(grid, 1, anchor(newY, oldY, next));
    const z: f64 = is3D ? folded(grid, 2, anchor(newZ, oldZ, next)) : 0;
    const toMinX = x < minX ? x : minX;
    const toMaxX = x > maxX ? x : maxX;
    const toMinY = y < minY ? y : minY;
    const toMaxY = y > maxY ? y : maxY;
    const toMinZ = z < minZ ? z : minZ;
    const toMaxZ = z > maxZ ? z : maxZ;
    if (toMaxX - toMinX > mostX || toMaxY - toMinY > mostY || toMaxZ - toMinZ > mostZ) break;
    minX = toMinX;
    maxX = toMaxX;
    minY = toMinY;
    maxY = toMaxY;
    minZ = toMinZ;
    maxZ = toMaxZ;
  }
  return scanBox(first, next, cellY, cellZ, minX, minY, minZ, maxX, maxY, maxZ) ? next : 0;
}

/** Scans the window around a box, as it lies in the searched grid: in the own class its later half, from the group's cell on. */
function scanBox(
  first: u32, next: u32, cellY: u32, cellZ: u32, minX: f64, minY: f64, minZ: f64, maxX: f64, maxY: f64, maxZ: f64,
): bool {
  const width = word(grid, GRID_WIDTH_WORD);
  const height = word(grid, GRID_HEIGHT_WORD);
  const depth = word(grid, GRID_DEPTH_WORD);
  const fromY = otherCell(minY - halfY, 1, height);
  const toY = otherCell(maxY + halfY, 1, height);
  const fromZ: u32 = depth == 1 ? 0 : isSelf ? cellZ : otherCell(minZ - halfZ, 2, depth);
  const toZ: u32 = depth == 1 ? 0 : otherCell(maxZ + halfZ, 2, depth);
  for (let z = fromZ; z <= toZ; z++) {
    // The sphere clips layers, too; a cylinder and a box do not.
    const awayZ: f64 = shape == CIRCLE && depth > 1 ? awayFrom(z, 2, depth, minZ, maxZ) : 0;
    for (let y = isSelf && z == cellZ ? cellY : fromY; y <= toY; y++) {
      let half = halfX;
      if (radius < Infinity) {
        const awayY = awayFrom(y, 1, height, minY, maxY);
        const awaySquared = awayY * awayY + awayZ * awayZ;
        if (awaySquared > radius * radius) continue;
        if (awaySquared > 0) half = Math.min(halfX, Math.sqrt(radius * radius - awaySquared) * REACH_SLACK);
      }
      const row = cells + (z * height + y) * width;
      const isOwnRow = isSelf && y == cellY && z == cellZ;
      const begin = isOwnRow ? first : wordAt(table, row + otherCell(minX - half, 0, width));
      if (!scanRuns(first, next, begin, wordAt(table, row + otherCell(maxX + half, 0, width) + 1))) return false;
    }
  }
  return true;
}

/** The least distance between a box and a row of cells along an axis. Rows at the border are unbounded. */
@inline
function awayFrom(at: u32, axis: u32, cellCount: u32, low: f64, high: f64): f64 {
  const size = numberAt(grid, GRID_SIZE + axis);
  const edge = numberAt(grid, GRID_ORIGIN + axis) + <f64>at * size;
  const below: f64 = at == 0 ? 0 : edge - high;
  const above: f64 = at + 1 == cellCount ? 0 : low - (edge + size);
  return Math.max(Math.max(below, above) - numberAt(grid, GRID_EDGE_SLACK), 0);
}

/** The coordinate by which an entry is sorted: its new one, or a ghost's old one. */
@inline
function anchor(now: usize, then: usize, entry: u32): f64 {
  const coordinate = floatAt(now, entry);
  return <f64>(coordinate == coordinate ? coordinate : floatAt(then, entry));
}
