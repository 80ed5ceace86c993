/**
 * The double test for crowds in which all watchers have one range: each unordered pair is tested once, for both
 * directions, since who is within reach of whom is then mutual.
 *
 * Neighbours in a cell share their window. A group is a stretch of entries of one cell that lie no farther apart than
 * the cell is wide; its window is cut from its bounding box once, and only the half that comes later in the order of
 * entries is scanned:
 *
 *        . - = = = - .          = a run of a later row, scanned by each member
 *        . = = = = = .
 *        . . . g > > .          g the group; > the rest of its own row, from behind each member on
 *        . . . . . . .            earlier rows: their entries have met the group already
 *
 * 2-D, circles, one sense, plain markers; anything else is for sweep-scan.ts. An entity without range (a thing among
 * players) takes part as a marker.
 *
 * Twin: wasm/sweep-pairs.ts. Cost: about 0.9 tests a perceived pair, half of what each direction by itself takes.
 */
import type { HeapViews } from './heap-views.ts';
import { clampedCell, entryColumns } from './sweep-entries.ts';
import * as job from './sweep-job.ts';

const f32 = Math.fround;
const REACH_SLACK = 1 + 2 ** -22;
const UNVERIFIED = 1 << 19;
/** Entries that share a window, at most: a group is begun again when its crossings do not fit. */
const MAX_GROUP = 64;

interface Pairs {
  readonly heap: HeapViews;
  readonly entries: ReturnType<typeof entryColumns>;
  readonly rangeSquared: number;
  readonly trusted: boolean;
  readonly crossings: number;
  count: number;
}

/**
 * Scans the pairs whose first entry is `from` or later. Answers the entry to go on from when there is no room for more
 * crossings, else the number of entries.
 */
export function scanPairs(heap: HeapViews, jobOffset: number, from: number): number {
  const { u32, f64, f32: floats } = heap;
  const j = jobOffset >> 2;
  const grid = u32[j + job.GRIDS];
  const g = grid >> 3;
  const w = grid >> 2;
  const table = u32[j + job.TABLE] >> 2;
  const range = floats[j + job.MAX_RANGE];
  const pairs: Pairs = {
    heap,
    entries: entryColumns(u32, j),
    rangeSquared: f32(range * range),
    trusted: u32[j + job.TRUSTED] !== 0,
    crossings: u32[j + job.CROSSINGS] >> 2,
    count: u32[j + job.CROSSING_COUNT],
  };
  const { entries } = pairs;
  const capacity = u32[j + job.CROSSING_CAPACITY];
  const width = u32[w + job.GRID_WIDTH_WORD];
  const height = u32[w + job.GRID_HEIGHT_WORD];
  const originX = f64[g + job.GRID_ORIGIN];
  const inverseX = f64[g + job.GRID_INVERSE];
  const originY = f64[g + job.GRID_ORIGIN + 1];
  const inverseY = f64[g + job.GRID_INVERSE + 1];
  const sizeX = f64[g + job.GRID_SIZE];
  const sizeY = f64[g + job.GRID_SIZE + 1];
  const edgeSlack = f64[g + job.GRID_EDGE_SLACK];
  const reach = range * REACH_SLACK;
  const widening = 2 * f64[(jobOffset >> 3) + job.SLACK_F64] * REACH_SLACK;
  const half = reach + widening;
  const radius = reach + widening * Math.SQRT2 * REACH_SLACK;
  const entryCount = u32[j + job.ENTRY_COUNT];
  let first = from;
  while (first < entryCount) {
    let minX = anchor(heap, entries.newX, entries.oldX, first);
    let minY = anchor(heap, entries.newY, entries.oldY, first);
    let maxX = minX;
    let maxY = minY;
    const cellX = clampedCell(minX, originX, inverseX, width);
    const cellY = clampedCell(minY, originY, inverseY, height);
    const limit = Math.min(u32[table + cellY * width + cellX + 1], first + MAX_GROUP);
    let next = first + 1;
    for (; next < limit; next++) {
      const x = anchor(heap, entries.newX, entries.oldX, next);
      const y = anchor(heap, entries.newY, entries.oldY, next);
      const toMinX = Math.min(minX, x);
      const toMaxX = Math.max(maxX, x);
      const toMinY = Math.min(minY, y);
      const toMaxY = Math.max(maxY, y);
      if (toMaxX - toMinX > sizeX || toMaxY - toMinY > sizeY) break;
      minX = toMinX;
      maxX = toMaxX;
      minY = toMinY;
      maxY = toMaxY;
    }
    const before = pairs.count;
    const rowEnd = u32[table + cellY * width + clampedCell(maxX + half, originX, inverseX, width) + 1];
    let isRoom = true;
    for (let i = first; i < next && isRoom; i++) {
      isRoom = pairs.count + 2 * (rowEnd - i) <= capacity;
      if (isRoom) scanRun(pairs, i, i + 1, rowEnd);
    }
    const toY = clampedCell(maxY + half, originY, inverseY, height);
    for (let y = cellY + 1; y <= toY && isRoom; y++) {
      let halfX = half;
      const away = originY + y * sizeY - maxY - edgeSlack;
      if (away > 0) {
        if (away > radius) break;
        halfX = Math.min(half, Math.sqrt(radius * radius - away * away) * REACH_SLACK);
      }
      const begin = u32[table + y * width + clampedCell(minX - halfX, originX, inverseX, width)];
      const end = u32[table + y * width + clampedCell(maxX + halfX, originX, inverseX, width) + 1];
      if (begin >= end) continue;
      for (let i = first; i < next && isRoom; i++) {
        isRoom = pairs.count + 2 * (end - begin) <= capacity;
        if (isRoom) scanRun(pairs, i, begin, end);
      }
    }
    if (!isRoom) {
      u32[j + job.CROSSING_COUNT] = before;
      return first;
    }
    first = next;
  }
  u32[j + job.CROSSING_COUNT] = pairs.count;
  return entryCount;
}

/** Where an entry is sorted by: its new coordinate, a ghost's old one. */
function anchor({ f32: floats }: HeapViews, newColumn: number, oldColumn: number, entry: number): number {
  const coordinate = floats[newColumn + entry];
  return Number.isNaN(coordinate) ? floats[oldColumn + entry] : coordinate;
}

function scanRun(pairs: Pairs, entry: number, begin: number, end: number): void {
  const { heap, entries, rangeSquared } = pairs;
  const floats = heap.f32;
  const ownNewX = floats[entries.newX + entry];
  const ownNewY = floats[entries.newY + entry];
  const ownOldX = floats[entries.oldX + entry];
  const ownOldY = floats[entries.oldY + entry];
  for (let i = begin; i < end; i++) {
    const newDx = f32(floats[entries.newX + i] - ownNewX);
    const newDy = f32(floats[entries.newY + i] - ownNewY);
    const oldDx = f32(floats[entries.oldX + i] - ownOldX);
    const oldDy = f32(floats[entries.oldY + i] - ownOldY);
    const isInside = f32(f32(newDx * newDx) + f32(newDy * newDy)) <= rangeSquared;
    const wasInside = f32(f32(oldDx * oldDx) + f32(oldDy * oldDy)) <= rangeSquared;
    if (isInside !== wasInside) appendBoth(pairs, entry, i, isInside);
  }
}

function appendBoth(pairs: Pairs, a: number, b: number, isInside: boolean): void {
  const { u32, f32: floats } = pairs.heap;
  const { range, ref } = pairs.entries;
  const slotA = u32[ref + a] & ~job.GHOST_BIT;
  const slotB = u32[ref + b] & ~job.GHOST_BIT;
  const payload = !pairs.trusted ? UNVERIFIED : isInside ? 1 << 8 : 1;
  if (floats[range + a] > 0) append(pairs, slotA, slotB, payload);
  if (floats[range + b] > 0) append(pairs, slotB, slotA, payload);
}

function append(pairs: Pairs, watcher: number, marker: number, payload: number): void {
  const { u32 } = pairs.heap;
  const at = pairs.crossings + 2 * pairs.count++;
  u32[at] = (marker << 20) | payload;
  u32[at + 1] = (watcher << 10) | (marker >>> 12);
}
