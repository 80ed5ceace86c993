/**
 * The double test for a world in which few move: only the pairs that have a mover in them, both directions at once.
 *
 * Everyone's entry lies in place from the tick before, in cells with gaps; those that changed have been put right and
 * are listed. Each is tested against all entries near it, as a watcher by its own range and as a marker by theirs. A pair
 * of two movers is met twice, which `Crossings` allows.
 *
 * 2-D, circles, one sense, plain markers. Twin: wasm/sweep-movers.ts. Cost: some 200 ns a mover with 30 perceived,
 * whatever the size of the world.
 */
import type { HeapViews } from './heap-views.ts';
import { appendCrossing, type CrossingList, decideCrossing, openCrossings } from './sweep-crossing.ts';
import { clampedCell, entryColumns } from './sweep-entries.ts';
import * as job from './sweep-job.ts';

const f32 = Math.fround;
const REACH_SLACK = 1 + 2 ** -22;

/**
 * Scans the listed movers `from` to `to`. Answers the one to go on from when there is no room for more crossings, else
 * `to`.
 */
export function scanMovers(heap: HeapViews, jobOffset: number, from: number, to: number): number {
  const { u32, f64, f32: floats } = heap;
  const j = jobOffset >> 2;
  const entries = entryColumns(u32, j);
  const grid = u32[j + job.GRIDS];
  const g = grid >> 3;
  const w = grid >> 2;
  const table = u32[j + job.TABLE] >> 2;
  const movers = u32[j + job.MOVERS] >> 2;
  const capacity = u32[j + job.CROSSING_CAPACITY];
  const width = u32[w + job.GRID_WIDTH_WORD];
  const height = u32[w + job.GRID_HEIGHT_WORD];
  const originX = f64[g + job.GRID_ORIGIN];
  const inverseX = f64[g + job.GRID_INVERSE];
  const originY = f64[g + job.GRID_ORIGIN + 1];
  const inverseY = f64[g + job.GRID_INVERSE + 1];
  // Anyone's range may be the longest.
  const half = (floats[j + job.MAX_RANGE] + 2 * f64[(jobOffset >> 3) + job.SLACK_F64]) * REACH_SLACK;
  const list = openCrossings(heap, jobOffset);
  for (let k = from; k < to; k++) {
    const mover = u32[movers + k];
    const before = list.count;
    const isGhost = u32[entries.ref + mover] >= job.GHOST_BIT;
    const x = floats[(isGhost ? entries.oldX : entries.newX) + mover];
    const y = floats[(isGhost ? entries.oldY : entries.newY) + mover];
    const fromX = clampedCell(x - half, originX, inverseX, width);
    const toX = clampedCell(x + half, originX, inverseX, width);
    const toY = clampedCell(y + half, originY, inverseY, height);
    for (let cellY = clampedCell(y - half, originY, inverseY, height); cellY <= toY; cellY++) {
      const begin = u32[table + cellY * width + fromX];
      const end = u32[table + cellY * width + toX + 1];
      if (list.count + 2 * (end - begin) > capacity) {
        u32[j + job.CROSSING_COUNT] = before;
        return k;
      }
      scanRun(list, mover, begin, end);
    }
  }
  u32[j + job.CROSSING_COUNT] = list.count;
  return to;
}

function scanRun(list: CrossingList, mover: number, begin: number, end: number): void {
  if (list.senseCount === 1) scanOneSense(list, mover, begin, end);
  else scanSenses(list, mover, begin, end);
}

function scanOneSense(list: CrossingList, mover: number, begin: number, end: number): void {
  const { entries, heap } = list;
  const floats = heap.f32;
  const { u32 } = heap;
  const ownRange = floats[entries.range + mover];
  const ownSquared = f32(ownRange * ownRange);
  const own = u32[entries.ref + mover];
  for (let i = begin; i < end; i++) {
    const newDx = f32(floats[entries.newX + i] - floats[entries.newX + mover]);
    const newDy = f32(floats[entries.newY + i] - floats[entries.newY + mover]);
    const oldDx = f32(floats[entries.oldX + i] - floats[entries.oldX + mover]);
    const oldDy = f32(floats[entries.oldY + i] - floats[entries.oldY + mover]);
    const newSquared = f32(f32(newDx * newDx) + f32(newDy * newDy));
    const oldSquared = f32(f32(oldDx * oldDx) + f32(oldDy * oldDy));
    if (newSquared <= ownSquared !== oldSquared <= ownSquared && ownRange > 0) {
      appendCrossing(list, own, u32[entries.ref + i], newSquared <= ownSquared ? 256 : 1);
    }
    const range = floats[entries.range + i];
    const rangeSquared = f32(range * range);
    if (newSquared <= rangeSquared !== oldSquared <= rangeSquared && range > 0) {
      appendCrossing(list, u32[entries.ref + i], own, newSquared <= rangeSquared ? 256 : 1);
    }
  }
}

/**
 * Where all have the same ranges, a pair has changed when it is inside other levels than before. Elsewhere whoever is
 * inside the longer one's longest range, before or now, may have changed in any sense.
 */
function scanSenses(list: CrossingList, mover: number, begin: number, end: number): void {
  const { entries, heap, j } = list;
  const floats = heap.f32;
  const levelCount = heap.u32[j + job.LEVEL_COUNT];
  const ownRange = floats[entries.range + mover];
  for (let i = begin; i < end; i++) {
    const newDx = f32(floats[entries.newX + i] - floats[entries.newX + mover]);
    const newDy = f32(floats[entries.newY + i] - floats[entries.newY + mover]);
    const oldDx = f32(floats[entries.oldX + i] - floats[entries.oldX + mover]);
    const oldDy = f32(floats[entries.oldY + i] - floats[entries.oldY + mover]);
    const newSquared = f32(f32(newDx * newDx) + f32(newDy * newDy));
    const oldSquared = f32(f32(oldDx * oldDx) + f32(oldDy * oldDy));
    const range = floats[entries.range + i];
    let mayDiffer = false;
    for (let k = 0; k < levelCount; k++) {
      const level = floats[j + job.LEVEL_RANGES + k];
      const levelSquared = f32(level * level);
      if (newSquared <= levelSquared !== oldSquared <= levelSquared) mayDiffer = true;
    }
    if (levelCount === 0) {
      const longest = Math.max(ownRange, range);
      const longestSquared = f32(longest * longest);
      mayDiffer = newSquared <= longestSquared || oldSquared <= longestSquared;
    }
    if (!mayDiffer) continue;
    if (ownRange > 0) decideCrossing(list, mover, i);
    if (range > 0) decideCrossing(list, i, mover);
  }
}
