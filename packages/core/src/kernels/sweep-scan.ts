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
 * Twin: wasm/sweep-scan.ts, whose runs are vectors. Cost: about 1.7 tests a perceived pair with cells of half the
 * reach. Source: the grid join recomputed each tick, Sidlauskas and Jensen, PVLDB 2014.
 */
import type { HeapViews } from './heap-views.ts';
import {
  appendCrossing,
  type CrossingList,
  decideCrossing,
  openCrossings,
  property,
} from './sweep-crossing.ts';
import { clampedCell } from './sweep-entries.ts';
import * as job from './sweep-job.ts';

const f32 = Math.fround;
/** Rounded squares admit a hair more than the reach. */
const REACH_SLACK = 1 + 2 ** -22;
const FEW_SENSES = 3;

interface Scan {
  readonly list: CrossingList;
  readonly slack: number;
}

/**
 * Scans the watchers among the entries `from` to `to`. Answers the entry to go on from when there is no room for more
 * crossings, else `to`.
 */
export function scanEntries(heap: HeapViews, jobOffset: number, from: number, to: number): number {
  const { u32, f64 } = heap;
  const j = jobOffset >>> 2;
  const list = openCrossings(heap, jobOffset);
  const scan: Scan = { list, slack: f64[(jobOffset >>> 3) + job.SLACK_F64] };
  const classCount = u32[j + job.CLASS_COUNT];
  for (let entry = from; entry < to; entry++) {
    if (!(heap.f32[list.entries.range + entry] > 0)) continue;
    const before = list.count;
    for (let k = 0; k < classCount; k++) {
      const grid = u32[j + job.GRIDS] + k * job.GRID_BYTES;
      if (u32[(grid >>> 2) + job.GRID_MEMBERS_WORD] === 0 || scanWindow(scan, entry, grid)) continue;
      u32[j + job.CROSSING_COUNT] = before;
      return entry;
    }
  }
  u32[j + job.CROSSING_COUNT] = list.count;
  return to;
}

/** Scans one watcher's window in one grid; false when the crossings may not fit. */
function scanWindow(scan: Scan, entry: number, grid: number): boolean {
  const { list, slack } = scan;
  const { heap, entries, shape, is3D, j } = list;
  const { u32, f64, f32: floats } = heap;
  const g = grid >>> 3;
  const w = grid >>> 2;
  const range = floats[entries.range + entry];
  const atLeast = Math.max(range * f64[g + job.GRID_MAX_GAIN], f64[g + job.GRID_MAX_MIN_REACH]);
  const reach = Math.min(atLeast, f64[g + job.GRID_MAX_MAX_REACH]) * REACH_SLACK;
  const isGhost = u32[entries.ref + entry] >= job.GHOST_BIT;
  const x = floats[(isGhost ? entries.oldX : entries.newX) + entry];
  const y = floats[(isGhost ? entries.oldY : entries.newY) + entry];
  const z = is3D ? floats[(isGhost ? entries.oldZ : entries.newZ) + entry] : 0;
  const widening = 2 * slack * REACH_SLACK;
  const halfX = (shape === job.BOX ? reach * floats[j + job.RATIO_X] : reach) + widening;
  const halfY = (shape === job.BOX ? reach * floats[j + job.RATIO_Y] : reach) + widening;
  const halfZ = (shape === job.CIRCLE ? reach : reach * floats[j + job.RATIO_Z]) + widening;
  const width = u32[w + job.GRID_WIDTH_WORD];
  const height = u32[w + job.GRID_HEIGHT_WORD];
  const depth = u32[w + job.GRID_DEPTH_WORD];
  const originX = f64[g + job.GRID_ORIGIN];
  const inverseX = f64[g + job.GRID_INVERSE];
  const originY = f64[g + job.GRID_ORIGIN + 1];
  const inverseY = f64[g + job.GRID_INVERSE + 1];
  const sizeY = f64[g + job.GRID_SIZE + 1];
  const edgeSlack = f64[g + job.GRID_EDGE_SLACK];
  const fromY = clampedCell(y - halfY, originY, inverseY, height);
  const toY = clampedCell(y + halfY, originY, inverseY, height);
  const originZ = f64[g + job.GRID_ORIGIN + 2];
  const inverseZ = f64[g + job.GRID_INVERSE + 2];
  const fromZ = depth === 1 ? 0 : clampedCell(z - halfZ, originZ, inverseZ, depth);
  const toZ = depth === 1 ? 0 : clampedCell(z + halfZ, originZ, inverseZ, depth);
  // Both ends of a pair may have moved by the slack on both axes, so the circle is wider by its diagonal.
  const radius = reach + widening * Math.SQRT2 * REACH_SLACK;
  const isPlain = u32[w + job.GRID_PLAIN_WORD] !== 0;
  const table = u32[j + job.TABLE] >>> 2;
  for (let cellZ = fromZ; cellZ <= toZ; cellZ++) {
    for (let cellY = fromY; cellY <= toY; cellY++) {
      let half = halfX;
      if (shape !== job.BOX && cellY > 0 && cellY < height - 1) {
        const low = originY + cellY * sizeY;
        const away = Math.max(low - y, y - (low + sizeY), 0) - edgeSlack;
        if (away > 0) {
          if (away > radius) continue;
          half = Math.min(halfX, Math.sqrt(radius * radius - away * away) * REACH_SLACK);
        }
      }
      const row = u32[w + job.GRID_FIRST_CELL_WORD] + (cellZ * height + cellY) * width;
      const begin = u32[table + row + clampedCell(x - half, originX, inverseX, width)];
      const end = u32[table + row + clampedCell(x + half, originX, inverseX, width) + 1];
      if (list.count + (end - begin) > list.capacity) return false;
      scanRun(list, entry, begin, end, isPlain);
    }
  }
  return true;
}

function scanRun(list: CrossingList, entry: number, begin: number, end: number, isPlain: boolean): void {
  const isFlatAndPlain = isPlain && list.shape === job.CIRCLE && !list.is3D;
  if (isFlatAndPlain && list.senseCount === 1) scanCircles(list, entry, begin, end);
  else if (isFlatAndPlain && list.senseCount <= FEW_SENSES) scanFewSenses(list, entry, begin, end);
  else scanAny(list, entry, begin, end);
}

/** The commonest case: 2-D, circles, one sense, plain markers. */
function scanCircles(list: CrossingList, entry: number, begin: number, end: number): void {
  const { heap, entries } = list;
  const floats = heap.f32;
  const { u32 } = heap;
  const range = floats[entries.range + entry];
  const rangeSquared = f32(range * range);
  const watcherNewX = floats[entries.newX + entry];
  const watcherNewY = floats[entries.newY + entry];
  const watcherOldX = floats[entries.oldX + entry];
  const watcherOldY = floats[entries.oldY + entry];
  for (let i = begin; i < end; i++) {
    const newDx = f32(floats[entries.newX + i] - watcherNewX);
    const newDy = f32(floats[entries.newY + i] - watcherNewY);
    const oldDx = f32(floats[entries.oldX + i] - watcherOldX);
    const oldDy = f32(floats[entries.oldY + i] - watcherOldY);
    const isInside = f32(f32(newDx * newDx) + f32(newDy * newDy)) <= rangeSquared;
    const wasInside = f32(f32(oldDx * oldDx) + f32(oldDy * oldDy)) <= rangeSquared;
    if (isInside === wasInside) continue;
    appendCrossing(list, u32[entries.ref + entry], u32[entries.ref + i], isInside ? 256 : 1);
  }
}

/** The same with two or three senses. */
function scanFewSenses(list: CrossingList, entry: number, begin: number, end: number): void {
  const { heap, entries } = list;
  const floats = heap.f32;
  const first = rangeSquaredIn(list, 0, entry);
  const second = rangeSquaredIn(list, 1, entry);
  const third = rangeSquaredIn(list, 2, entry);
  const watcherNewX = floats[entries.newX + entry];
  const watcherNewY = floats[entries.newY + entry];
  const watcherOldX = floats[entries.oldX + entry];
  const watcherOldY = floats[entries.oldY + entry];
  for (let i = begin; i < end; i++) {
    const newDx = f32(floats[entries.newX + i] - watcherNewX);
    const newDy = f32(floats[entries.newY + i] - watcherNewY);
    const oldDx = f32(floats[entries.oldX + i] - watcherOldX);
    const oldDy = f32(floats[entries.oldY + i] - watcherOldY);
    const newSquared = f32(f32(newDx * newDx) + f32(newDy * newDy));
    const oldSquared = f32(f32(oldDx * oldDx) + f32(oldDy * oldDy));
    const hasCrossed =
      newSquared <= first !== oldSquared <= first ||
      newSquared <= second !== oldSquared <= second ||
      newSquared <= third !== oldSquared <= third;
    if (hasCrossed) decideCrossing(list, entry, i);
  }
}

/** The square of a watcher's range in sense `s`; -1, in which nothing is, where it has none. */
function rangeSquaredIn({ heap, j, entries, senseCount }: CrossingList, s: number, entry: number): number {
  if (s >= senseCount) return -1;
  const range = property(heap, j, job.NOW_RANGES, job.LAST_RANGES, s, heap.u32[entries.ref + entry], 0);
  return range > 0 ? f32(range * range) : -1;
}

/** Any shape, dimensions, senses and class. */
function scanAny(list: CrossingList, entry: number, begin: number, end: number): void {
  for (let i = begin; i < end; i++) decideCrossing(list, entry, i);
}
