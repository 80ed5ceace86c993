/**
 * The double test for a world in which few move: only the pairs that have a mover in them, both directions at once.
 *
 * Everyone's entry lies in place from the tick before, in cells with gaps; those that changed have been put right, and are
 * listed and marked by a bit each. Each is tested against all entries near it, as a watcher by its own range and as a
 * marker by theirs. Nearly all of these are at rest: where they were is where they are, so the loop reads only that, and
 * passes over movers if it finds any. Pairs of two movers are found by the bits, from the one that lies before the other.
 *
 * 2-D, circles, plain markers. Twin: wasm/sweep-movers.ts. Cost: some 230 ns a mover with 30 perceived, most of it
 * waiting for memory, in a world that no cache holds.
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
  const j = jobOffset >>> 2;
  const entries = entryColumns(u32, j);
  const grid = u32[j + job.GRIDS];
  const g = grid >>> 3;
  const w = grid >>> 2;
  const table = u32[j + job.TABLE] >>> 2;
  const movers = u32[j + job.MOVERS] >>> 2;
  const capacity = u32[j + job.CROSSING_CAPACITY];
  const width = u32[w + job.GRID_WIDTH_WORD];
  const height = u32[w + job.GRID_HEIGHT_WORD];
  const originX = f64[g + job.GRID_ORIGIN];
  const inverseX = f64[g + job.GRID_INVERSE];
  const originY = f64[g + job.GRID_ORIGIN + 1];
  const inverseY = f64[g + job.GRID_INVERSE + 1];
  // Anyone's range may be the longest.
  const half = (floats[j + job.MAX_RANGE] + 2 * f64[(jobOffset >>> 3) + job.SLACK_F64]) * REACH_SLACK;
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
  scanMarked(list, mover, begin, end);
}

function scanOneSense(list: CrossingList, mover: number, begin: number, end: number): void {
  const { entries, heap } = list;
  const floats = heap.f32;
  const [newX, newY] = [floats[entries.newX + mover], floats[entries.newY + mover]];
  const [oldX, oldY] = [floats[entries.oldX + mover], floats[entries.oldY + mover]];
  const ownRange = floats[entries.range + mover];
  const ownSquared = f32(ownRange * ownRange);
  for (let i = begin; i < end; i++) {
    const x = floats[entries.newX + i];
    const y = floats[entries.newY + i];
    const newSquared = squared(f32(x - newX), f32(y - newY));
    const oldSquared = squared(f32(x - oldX), f32(y - oldY));
    const range = floats[entries.range + i];
    const rangeSquared = f32(range * range);
    const isCrossed =
      newSquared <= ownSquared !== oldSquared <= ownSquared ||
      newSquared <= rangeSquared !== oldSquared <= rangeSquared;
    if (isCrossed && !isMarked(list, i)) decideOneSense(list, mover, i, newSquared, oldSquared);
  }
}

/** Appends what changed of a pair of entries in one sense, each way. */
function decideOneSense(
  list: CrossingList,
  mover: number,
  other: number,
  newSquared: number,
  oldSquared: number,
): void {
  const { entries, heap } = list;
  const { u32, f32: floats } = heap;
  const ownRange = floats[entries.range + mover];
  const ownSquared = f32(ownRange * ownRange);
  if (newSquared <= ownSquared !== oldSquared <= ownSquared && ownRange > 0) {
    const payload = newSquared <= ownSquared ? 256 : 1;
    appendCrossing(list, u32[entries.ref + mover], u32[entries.ref + other], payload);
  }
  const range = floats[entries.range + other];
  const rangeSquared = f32(range * range);
  if (newSquared <= rangeSquared !== oldSquared <= rangeSquared && range > 0) {
    const payload = newSquared <= rangeSquared ? 256 : 1;
    appendCrossing(list, u32[entries.ref + other], u32[entries.ref + mover], payload);
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
  const [newX, newY] = [floats[entries.newX + mover], floats[entries.newY + mover]];
  const [oldX, oldY] = [floats[entries.oldX + mover], floats[entries.oldY + mover]];
  const ownRange = floats[entries.range + mover];
  for (let i = begin; i < end; i++) {
    const x = floats[entries.newX + i];
    const y = floats[entries.newY + i];
    const newSquared = squared(f32(x - newX), f32(y - newY));
    const oldSquared = squared(f32(x - oldX), f32(y - oldY));
    let mayDiffer = false;
    for (let k = 0; k < levelCount; k++) {
      const level = floats[j + job.LEVEL_RANGES + k];
      const levelSquared = f32(level * level);
      if (newSquared <= levelSquared !== oldSquared <= levelSquared) mayDiffer = true;
    }
    if (levelCount === 0) {
      const longest = Math.max(ownRange, floats[entries.range + i]);
      const longestSquared = f32(longest * longest);
      mayDiffer = newSquared <= longestSquared || oldSquared <= longestSquared;
    }
    if (mayDiffer && !isMarked(list, i)) decideSenses(list, mover, i);
  }
}

/** Decides a pair of entries in all senses, each way. */
function decideSenses(list: CrossingList, mover: number, other: number): void {
  const { entries, heap } = list;
  if (heap.f32[entries.range + mover] > 0) decideCrossing(list, mover, other);
  if (heap.f32[entries.range + other] > 0) decideCrossing(list, other, mover);
}

/** Decides the pairs of a mover with those of a run that are movers, too, and lie behind it. */
function scanMarked(list: CrossingList, mover: number, begin: number, end: number): void {
  const { entries, heap } = list;
  const floats = heap.f32;
  for (let i = Math.max(begin, mover + 1); i < end; i++) {
    if (!isMarked(list, i)) continue;
    if (list.senseCount !== 1) {
      decideSenses(list, mover, i);
      continue;
    }
    const newDx = f32(floats[entries.newX + i] - floats[entries.newX + mover]);
    const newDy = f32(floats[entries.newY + i] - floats[entries.newY + mover]);
    const oldDx = f32(floats[entries.oldX + i] - floats[entries.oldX + mover]);
    const oldDy = f32(floats[entries.oldY + i] - floats[entries.oldY + mover]);
    decideOneSense(list, mover, i, squared(newDx, newDy), squared(oldDx, oldDy));
  }
}

function isMarked({ heap, j }: CrossingList, entry: number): boolean {
  return ((heap.u32[(heap.u32[j + job.MOVER_BITS] >>> 2) + (entry >>> 5)] >>> (entry & 31)) & 1) !== 0;
}

function squared(dx: number, dy: number): number {
  return f32(f32(dx * dx) + f32(dy * dy));
}
