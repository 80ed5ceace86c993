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
import { clampedCell, entryColumns } from './sweep-entries.ts';
import * as job from './sweep-job.ts';

const f32 = Math.fround;
/** Rounded squares admit a hair more than the reach. */
const REACH_SLACK = 1 + 2 ** -22;
const UNVERIFIED = 1 << 19;

/** What the loops of one call share: indices into the heap, and where the next crossing goes. */
interface Scan {
  readonly heap: HeapViews;
  readonly j: number;
  readonly entries: ReturnType<typeof entryColumns>;
  readonly shape: number;
  readonly is3D: boolean;
  readonly senseCount: number;
  readonly trusted: boolean;
  readonly slack: number;
  readonly crossings: number;
  readonly capacity: number;
  count: number;
}

/**
 * Scans the watchers among the entries from `from` on. Answers the entry to go on from when there is no room for more
 * crossings, else the number of entries.
 */
export function scanEntries(heap: HeapViews, jobOffset: number, from: number): number {
  const { u32, f64 } = heap;
  const j = jobOffset >> 2;
  const scan: Scan = {
    heap,
    j,
    entries: entryColumns(u32, j),
    shape: u32[j + job.SHAPE],
    is3D: u32[j + job.DIMENSIONS] === 3,
    senseCount: u32[j + job.SENSE_COUNT],
    trusted: u32[j + job.TRUSTED] !== 0,
    slack: f64[(jobOffset >> 3) + job.SLACK_F64],
    crossings: u32[j + job.CROSSINGS] >> 2,
    capacity: u32[j + job.CROSSING_CAPACITY],
    count: u32[j + job.CROSSING_COUNT],
  };
  const entryCount = u32[j + job.ENTRY_COUNT];
  const classCount = u32[j + job.CLASS_COUNT];
  for (let entry = from; entry < entryCount; entry++) {
    if (!(heap.f32[scan.entries.range + entry] > 0)) continue;
    const before = scan.count;
    for (let k = 0; k < classCount; k++) {
      const grid = u32[j + job.GRIDS] + k * job.GRID_BYTES;
      if (u32[(grid >> 2) + job.GRID_MEMBERS_WORD] === 0 || scanWindow(scan, entry, grid)) continue;
      u32[j + job.CROSSING_COUNT] = before;
      return entry;
    }
  }
  u32[j + job.CROSSING_COUNT] = scan.count;
  return entryCount;
}

/** Scans one watcher's window in one grid; false when the crossings may not fit. */
function scanWindow(scan: Scan, entry: number, grid: number): boolean {
  const { heap, entries, shape, is3D, slack, j } = scan;
  const { u32, f64, f32: floats } = heap;
  const g = grid >> 3;
  const w = grid >> 2;
  const range = floats[entries.range + entry];
  const reach = Math.max(range * f64[g + job.GRID_MAX_GAIN], f64[g + job.GRID_MAX_MIN_REACH]) * REACH_SLACK;
  const isGhost = u32[entries.ref + entry] >= job.GHOST_BIT;
  const x = floats[(isGhost ? entries.oldX : entries.newX) + entry];
  const y = floats[(isGhost ? entries.oldY : entries.newY) + entry];
  const z = is3D ? floats[(isGhost ? entries.oldZ : entries.newZ) + entry] : 0;
  const widening = 2 * slack * REACH_SLACK;
  const halfX = (shape === 1 ? reach * floats[j + job.RATIO_X] : reach) + widening;
  const halfY = (shape === 1 ? reach * floats[j + job.RATIO_Y] : reach) + widening;
  const halfZ = (shape === 0 ? reach : reach * floats[j + job.RATIO_Z]) + widening;
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
  const table = u32[j + job.TABLE] >> 2;
  for (let cellZ = fromZ; cellZ <= toZ; cellZ++) {
    for (let cellY = fromY; cellY <= toY; cellY++) {
      let half = halfX;
      if (shape !== 1 && cellY > 0 && cellY < height - 1) {
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
      if (scan.count + (end - begin) > scan.capacity) return false;
      scanRun(scan, entry, begin, end, isPlain);
    }
  }
  return true;
}

function scanRun(scan: Scan, entry: number, begin: number, end: number, isPlain: boolean): void {
  if (isPlain && scan.shape === 0 && !scan.is3D && scan.senseCount === 1)
    scanCircles(scan, entry, begin, end);
  else scanAny(scan, entry, begin, end, isPlain);
}

/** The commonest case: 2-D, circles, one sense, plain markers. */
function scanCircles(scan: Scan, entry: number, begin: number, end: number): void {
  const { heap, entries } = scan;
  const floats = heap.f32;
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
    if (isInside !== wasInside) append(scan, entry, i, isInside);
  }
}

/** Any shape, dimensions, senses and class: each sense's own test, before and now. */
function scanAny(scan: Scan, entry: number, begin: number, end: number, isPlain: boolean): void {
  const { heap, entries, senseCount, is3D, j } = scan;
  const floats = heap.f32;
  const { u32 } = heap;
  const watcher = u32[entries.ref + entry];
  for (let i = begin; i < end; i++) {
    const newDx = f32(floats[entries.newX + i] - floats[entries.newX + entry]);
    const newDy = f32(floats[entries.newY + i] - floats[entries.newY + entry]);
    const oldDx = f32(floats[entries.oldX + i] - floats[entries.oldX + entry]);
    const oldDy = f32(floats[entries.oldY + i] - floats[entries.oldY + entry]);
    const newDz = is3D ? f32(floats[entries.newZ + i] - floats[entries.newZ + entry]) : 0;
    const oldDz = is3D ? f32(floats[entries.oldZ + i] - floats[entries.oldZ + entry]) : 0;
    const marker = u32[entries.ref + i];
    for (let s = 0; s < senseCount; s++) {
      const range = property(heap, j, job.NOW_RANGES, job.LAST_RANGES, s, watcher, 0);
      if (!(range > 0)) continue;
      let reach = range;
      if (!isPlain) {
        const base = f32(range * property(heap, j, job.NOW_GAINS, job.LAST_GAINS, s, marker, 1));
        if (!(base > 0)) continue;
        reach = Math.max(base, property(heap, j, job.NOW_MIN_REACHES, job.LAST_MIN_REACHES, s, marker, 0));
      }
      const isInside = inside(scan, newDx, newDy, newDz, reach);
      if (isInside === inside(scan, oldDx, oldDy, oldDz, reach)) continue;
      append(scan, entry, i, isInside);
      break;
    }
  }
}

/** A property of an entry in sense `s`: of a ghost as it was at the last tick, else as it is now. */
function property(
  { u32, f32: floats }: HeapViews,
  j: number,
  now: number,
  last: number,
  s: number,
  ref: number,
  fallback: number,
): number {
  const isGhost = ref >= job.GHOST_BIT;
  const column = u32[j + (isGhost ? last : now) + s];
  return column === 0 ? fallback : floats[(column >> 2) + (isGhost ? ref - job.GHOST_BIT : ref)];
}

function inside(scan: Scan, dx: number, dy: number, dz: number, reach: number): boolean {
  const { shape, is3D, j } = scan;
  const floats = scan.heap.f32;
  if (shape === 1) {
    const inPlane =
      Math.abs(dx) <= f32(reach * floats[j + job.RATIO_X]) &&
      Math.abs(dy) <= f32(reach * floats[j + job.RATIO_Y]);
    return inPlane && (!is3D || Math.abs(dz) <= f32(reach * floats[j + job.RATIO_Z]));
  }
  let distanceSquared = f32(f32(dx * dx) + f32(dy * dy));
  if (shape === 2) {
    return distanceSquared <= f32(reach * reach) && Math.abs(dz) <= f32(reach * floats[j + job.RATIO_Z]);
  }
  if (is3D) distanceSquared = f32(distanceSquared + f32(dz * dz));
  return distanceSquared <= f32(reach * reach);
}

function append(scan: Scan, watcherEntry: number, markerEntry: number, isInside: boolean): void {
  const { u32 } = scan.heap;
  const watcher = u32[scan.entries.ref + watcherEntry] & ~job.GHOST_BIT;
  const marker = u32[scan.entries.ref + markerEntry] & ~job.GHOST_BIT;
  const at = scan.crossings + 2 * scan.count++;
  u32[at] = (marker << 20) | (!scan.trusted ? UNVERIFIED : isInside ? 1 << 8 : 1);
  u32[at + 1] = (watcher << 10) | (marker >>> 12);
}
