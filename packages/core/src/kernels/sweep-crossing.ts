/**
 * What becomes of two entries that a scan found near a boundary: which senses perceive, before and now, and, where
 * the answers differ, a crossing at the end of the list (see detectors/crossings.ts for its bits).
 *
 * A scan's loop only has to notice the few pairs in which something may have changed; here each of them is decided by the
 * definition, entities/perception.ts, filters included. An entry that is split stands for one side of the tick: a ghost
 * for what was, with the properties of then. Its missing position is NaN, so that it is inside nothing on the other side.
 *
 * Twin: wasm/sweep-crossing.ts. Cost: some 20 ns a pair that is looked at, none for the others.
 */
import type { HeapViews } from './heap-views.ts';
import { entryColumns } from './sweep-entries.ts';
import * as job from './sweep-job.ts';

const f32 = Math.fround;
const MARKER = 2;
/** Of groups, at most. */
const KINDS = 4;
const INFINITE = Number.POSITIVE_INFINITY;

/** What the loops of one call share: indices into the heap, and where the next crossing goes. */
export interface CrossingList {
  readonly heap: HeapViews;
  readonly j: number;
  readonly entries: ReturnType<typeof entryColumns>;
  readonly shape: number;
  readonly is3D: boolean;
  readonly senseCount: number;
  /** Whether some do not meet: layers, channels, conditions, and those that are no markers. */
  readonly isFiltered: boolean;
  readonly words: number;
  readonly capacity: number;
  count: number;
}

export function openCrossings(heap: HeapViews, jobOffset: number): CrossingList {
  const { u32 } = heap;
  const j = jobOffset >>> 2;
  return {
    heap,
    j,
    entries: entryColumns(u32, j),
    shape: u32[j + job.SHAPE],
    is3D: u32[j + job.DIMENSIONS] === 3,
    senseCount: u32[j + job.SENSE_COUNT],
    isFiltered: u32[j + job.FILTERED] !== 0,
    words: u32[j + job.CROSSINGS] >>> 2,
    capacity: u32[j + job.CROSSING_CAPACITY],
    count: u32[j + job.CROSSING_COUNT],
  };
}

/** Decides a pair in one direction, and appends what changed. Entries. */
export function decideCrossing(list: CrossingList, watcherEntry: number, markerEntry: number): void {
  const { heap, entries, senseCount, is3D, j } = list;
  const floats = heap.f32;
  const watcher = heap.u32[entries.ref + watcherEntry];
  const marker = heap.u32[entries.ref + markerEntry];
  const newDx = f32(floats[entries.newX + markerEntry] - floats[entries.newX + watcherEntry]);
  const newDy = f32(floats[entries.newY + markerEntry] - floats[entries.newY + watcherEntry]);
  const oldDx = f32(floats[entries.oldX + markerEntry] - floats[entries.oldX + watcherEntry]);
  const oldDy = f32(floats[entries.oldY + markerEntry] - floats[entries.oldY + watcherEntry]);
  const newDz = is3D ? f32(floats[entries.newZ + markerEntry] - floats[entries.newZ + watcherEntry]) : 0;
  const oldDz = is3D ? f32(floats[entries.oldZ + markerEntry] - floats[entries.oldZ + watcherEntry]) : 0;
  let payload = 0;
  for (let s = 0; s < senseCount; s++) {
    const range = property(heap, j, job.NOW_RANGES, job.LAST_RANGES, s, watcher, 0);
    if (!(range > 0)) continue;
    const base = f32(range * property(heap, j, job.NOW_GAINS, job.LAST_GAINS, s, marker, 1));
    if (!(base > 0)) continue;
    const minReach = property(heap, j, job.NOW_MIN_REACHES, job.LAST_MIN_REACHES, s, marker, 0);
    const maxReach = property(heap, j, job.NOW_MAX_REACHES, job.LAST_MAX_REACHES, s, marker, INFINITE);
    const reach = Math.min(Math.max(base, minReach), maxReach);
    if (reach === 0) continue;
    if (isInside(list, oldDx, oldDy, oldDz, reach)) payload |= 1 << s;
    if (isInside(list, newDx, newDy, newDz, reach)) payload |= 256 << s;
  }
  if ((payload & 255) !== payload >>> 8) appendCrossing(list, watcher, marker, payload);
}

/** Appends a crossing if the two meet. Refs of entries; payload: senses before, and senses after times 256. */
export function appendCrossing(list: CrossingList, watcher: number, marker: number, payload: number): void {
  if (list.isFiltered && !meets(list, watcher, marker)) return;
  const { u32 } = list.heap;
  const watcherSlot = watcher & ~job.GHOST_BIT;
  const markerSlot = marker & ~job.GHOST_BIT;
  const at = list.words + 2 * list.count++;
  u32[at] = (markerSlot << 20) | payload;
  u32[at + 1] = (watcherSlot << 10) | (markerSlot >>> 12);
}

/** Whether the marker's layers, channel and conditions are any of the watcher's business: then, when either is a ghost, else now. */
function meets({ heap, j }: CrossingList, watcher: number, marker: number): boolean {
  const { u32, u8 } = heap;
  const isThen = watcher >= job.GHOST_BIT || marker >= job.GHOST_BIT;
  const watcherSlot = watcher & ~job.GHOST_BIT;
  const markerSlot = marker & ~job.GHOST_BIT;
  if ((u8[u32[j + (isThen ? job.LAST_FLAGS : job.NOW_FLAGS)] + markerSlot] & MARKER) === 0) return false;
  const sees = u32[j + (isThen ? job.LAST_SEES : job.NOW_SEES)] >>> 2;
  const layers = u32[j + (isThen ? job.LAST_LAYERS : job.NOW_LAYERS)] >>> 2;
  const seen = sees === 0 ? 1 : u32[sees + watcherSlot];
  if ((seen & (layers === 0 ? 1 : u32[layers + markerSlot])) === 0) return false;
  const channels = u32[j + (isThen ? job.LAST_CHANNELS : job.NOW_CHANNELS)];
  if (channels !== 0) {
    const watcherChannel = channelAt(u8, channels, watcherSlot);
    const markerChannel = channelAt(u8, channels, markerSlot);
    if (watcherChannel !== markerChannel && watcherChannel !== 0 && markerChannel !== 0) return false;
  }
  return meetsConditions({ u32, u8 }, j, isThen, seen, watcherSlot, markerSlot);
}

/** Of entities/conditions.ts. `seen`: the layers that the watcher sees. */
function meetsConditions(
  { u32, u8 }: Pick<HeapViews, 'u32' | 'u8'>,
  j: number,
  isThen: boolean,
  seen: number,
  watcher: number,
  marker: number,
): boolean {
  const needs = u32[j + (isThen ? job.LAST_NEEDS : job.NOW_NEEDS)] >>> 2;
  if (needs !== 0 && (u32[needs + marker] & ~seen) !== 0) return false;
  const only = u32[j + (isThen ? job.LAST_ONLY : job.NOW_ONLY)] >>> 2;
  if (
    only !== 0 &&
    u32[only + marker] !== 0 &&
    u32[only + marker] !== u32[(u32[j + job.IDS] >>> 2) + watcher]
  ) {
    return false;
  }
  const onlyGroups = u32[j + (isThen ? job.LAST_ONLY_GROUPS : job.NOW_ONLY_GROUPS)];
  const kinds = onlyGroups === 0 ? 0 : u8[onlyGroups + marker];
  if (kinds === 0) return true;
  for (let kind = 0; kind < KINDS; kind++) {
    const groups = u32[j + (isThen ? job.LAST_GROUPS : job.NOW_GROUPS) + kind] >>> 2;
    if (((kinds >>> kind) & 1) === 0 || groups === 0) continue;
    if (u32[groups + marker] !== 0 && u32[groups + marker] === u32[groups + watcher]) return true;
  }
  return false;
}

function channelAt(u8: Uint8Array, channels: number, slot: number): number {
  return u8[channels + 2 * slot] | (u8[channels + 2 * slot + 1] << 8);
}

/** A property of an entry in sense `s`: of a ghost as it was at the last tick, else as it is now. */
export function property(
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
  return column === 0 ? fallback : floats[(column >>> 2) + (isGhost ? ref - job.GHOST_BIT : ref)];
}

/** Whether an offset lies inside the region that `reach` spans, in the world's shape. False with NaN. */
function isInside(
  { heap, shape, is3D, j }: CrossingList,
  dx: number,
  dy: number,
  dz: number,
  reach: number,
): boolean {
  const floats = heap.f32;
  if (shape === job.BOX) {
    const inPlane =
      Math.abs(dx) <= f32(reach * floats[j + job.RATIO_X]) &&
      Math.abs(dy) <= f32(reach * floats[j + job.RATIO_Y]);
    return inPlane && (!is3D || Math.abs(dz) <= f32(reach * floats[j + job.RATIO_Z]));
  }
  let distanceSquared = f32(f32(dx * dx) + f32(dy * dy));
  if (shape === job.CYLINDER) {
    return distanceSquared <= f32(reach * reach) && Math.abs(dz) <= f32(reach * floats[j + job.RATIO_Z]);
  }
  if (is3D) distanceSquared = f32(distanceSquared + f32(dz * dz));
  return distanceSquared <= f32(reach * reach);
}
