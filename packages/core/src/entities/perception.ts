/**
 * The definition of perception: which watcher perceives which marker, in which senses, in one state of the world.
 *
 * Every detector, kernel and thread must agree with this code to the bit. All arithmetic is float32; each operation
 * is rounded, none is fused:
 *
 *   base  = range(w) * gain(m)                      per sense
 *   reach = base > 0 ? min(max(base, minReach(m)), maxReach(m)) : 0
 *   inside: dx*dx + dy*dy (+ dz*dz) <= reach*reach, the boundary included; boxes and cylinders by axis
 *
 * Cost: some ten nanoseconds a pair and sense.
 */
import type { WorldSettings } from '../settings.ts';
import { failedCondition } from './conditions.ts';
import type { EntityState } from './entity-state.ts';

const f32 = Math.fround;

/** One property a sense. */
type Ranges = EntityState['ranges'];

/**
 * Whether both are present and different, the watcher sees the marker's layers, their channels meet, and the
 * conditions are met. Arguments are slots.
 */
export function meets(state: EntityState, watcher: number, marker: number): boolean {
  return state.isMarker(marker) && maySee(state, watcher, marker);
}

/** As `meets`, for an attached marker, which detectors do not see as a marker. */
export function meetsCarried(state: EntityState, watcher: number, marker: number): boolean {
  return state.isCarried(marker) && maySee(state, watcher, marker);
}

/** As `meets`, whatever the layers. */
export function meetsOnAnyLayer(state: EntityState, watcher: number, marker: number): boolean {
  return state.isMarker(marker) && maySeeOnAnyLayer(state, watcher, marker);
}

/** Whether a watcher meets a marker, attached or not. The caller knows that it is a marker. */
function maySee(state: EntityState, watcher: number, marker: number): boolean {
  return (state.sees.at(watcher) & state.layers.at(marker)) !== 0 && maySeeOnAnyLayer(state, watcher, marker);
}

function maySeeOnAnyLayer(state: EntityState, watcher: number, marker: number): boolean {
  if (watcher === marker || !state.isPresent(watcher)) return false;
  const watcherChannel = state.channels.at(watcher);
  const markerChannel = state.channels.at(marker);
  if (watcherChannel !== markerChannel && watcherChannel !== 0 && markerChannel !== 0) return false;
  return !state.hasConditions || failedCondition(state, watcher, marker) === undefined;
}

/**
 * The senses in which `watcher` perceives `marker` (slots): bit i for `senses[i]`, 0 for none. Uses `ranges` as
 * detectors read them; pass `state.ownRanges` if the watcher may be hidden.
 */
export function perceivedSenses(
  settings: WorldSettings,
  state: EntityState,
  watcher: number,
  marker: number,
  ranges: Ranges = state.ranges,
): number {
  if (!state.isMarker(marker) || !state.isPresent(watcher)) return 0;
  const senses =
    settings.granularity === 'cell'
      ? coveringSenses(settings, state, watcher, marker, ranges)
      : reachingSenses(settings, state, watcher, marker, ranges);
  // Whom it meets comes last: most pairs are too far apart.
  return senses !== 0 && maySee(state, watcher, marker) ? senses : 0;
}

/** As `perceivedSenses`, whether or not they meet. */
function reachingSenses(
  settings: WorldSettings,
  state: EntityState,
  watcher: number,
  marker: number,
  ranges: Ranges,
): number {
  const dx = f32(state.x[marker] - state.x[watcher]);
  const dy = f32(state.y[marker] - state.y[watcher]);
  const dz = settings.dimensions === 3 ? f32(state.z[marker] - state.z[watcher]) : 0;
  let senses = 0;
  for (let s = 0; s < settings.senseCount; s++) {
    const reach = reachBetween(state, s, watcher, marker, ranges);
    if (reach > 0 && isInside(settings, dx, dy, dz, reach)) senses |= 1 << s;
  }
  return senses;
}

/** How far `watcher` perceives `marker` in sense `s`: world units, float32; 0 for not at all. */
export function reachBetween(
  state: EntityState,
  s: number,
  watcher: number,
  marker: number,
  ranges: Ranges = state.ranges,
): number {
  const maxReach = state.maxReaches[s].at(marker);
  return reachFrom(
    ranges[s].at(watcher),
    state.gains[s].at(marker),
    state.minReaches[s].at(marker),
    maxReach,
  );
}

/** The reach of a range: world units, float32; 0 for not at all. All float32. */
export function reachFrom(range: number, gain: number, minReach: number, maxReach: number): number {
  const base = f32(range * gain);
  return base > 0 ? Math.min(Math.max(base, minReach), maxReach) : 0;
}

/** Whether an offset lies inside the region that `reach` spans. All float32. */
export function isInside(
  settings: WorldSettings,
  dx: number,
  dy: number,
  dz: number,
  reach: number,
): boolean {
  if (settings.rangeShape === 'box') {
    const inPlane =
      Math.abs(dx) <= f32(reach * settings.ratioX) && Math.abs(dy) <= f32(reach * settings.ratioY);
    return inPlane && (settings.dimensions === 2 || Math.abs(dz) <= f32(reach * settings.ratioZ));
  }
  let distanceSquared = f32(f32(dx * dx) + f32(dy * dy));
  if (settings.rangeShape === 'cylinder') {
    return distanceSquared <= f32(reach * reach) && Math.abs(dz) <= f32(reach * settings.ratioZ);
  }
  if (settings.dimensions === 3) distanceSquared = f32(distanceSquared + f32(dz * dz));
  return distanceSquared <= f32(reach * reach);
}

/** Whether a watcher perceives a marker with this reach (world units, float32), with either granularity. */
export function isReached(
  settings: WorldSettings,
  state: EntityState,
  watcher: number,
  marker: number,
  reach: number,
): boolean {
  if (settings.granularity === 'cell') {
    const [sizeX, sizeY, sizeZ] = settings.cellSize as readonly [number, number, number];
    const awayX = cellsApart(state.x[watcher], state.x[marker], sizeX);
    const awayY = cellsApart(state.y[watcher], state.y[marker], sizeY);
    const awayZ = settings.dimensions === 3 ? cellsApart(state.z[watcher], state.z[marker], sizeZ) : 0;
    return isWithinCells(settings, awayX, awayY, awayZ, reach);
  }
  const dx = f32(state.x[marker] - state.x[watcher]);
  const dy = f32(state.y[marker] - state.y[watcher]);
  const dz = settings.dimensions === 3 ? f32(state.z[marker] - state.z[watcher]) : 0;
  return reach > 0 && isInside(settings, dx, dy, dz, reach);
}

/** As `reachingSenses`, with granularity 'cell': the coarse result of the classic algorithms. */
function coveringSenses(
  settings: WorldSettings,
  state: EntityState,
  watcher: number,
  marker: number,
  ranges: Ranges,
): number {
  const [sizeX, sizeY, sizeZ] = settings.cellSize as readonly [number, number, number];
  const awayX = cellsApart(state.x[watcher], state.x[marker], sizeX);
  const awayY = cellsApart(state.y[watcher], state.y[marker], sizeY);
  const awayZ = settings.dimensions === 3 ? cellsApart(state.z[watcher], state.z[marker], sizeZ) : 0;
  let senses = 0;
  for (let s = 0; s < settings.senseCount; s++) {
    const reach = reachBetween(state, s, watcher, marker, ranges);
    if (isWithinCells(settings, awayX, awayY, awayZ, reach)) senses |= 1 << s;
  }
  return senses;
}

/**
 * Whether a reach covers a cell at this distance in cells, per axis, with granularity 'cell'; `awayZ` is 0 in 2-D.
 */
export function isWithinCells(
  settings: WorldSettings,
  awayX: number,
  awayY: number,
  awayZ: number,
  reach: number,
): boolean {
  const [sizeX, sizeY, sizeZ] = settings.cellSize as readonly [number, number, number];
  return (
    awayX <= cellsWithin(settings, reach, sizeX) &&
    awayY <= cellsWithin(settings, reach, sizeY) &&
    (settings.dimensions === 2 || awayZ <= cellsWithin(settings, reach, sizeZ))
  );
}

/** The number of a coordinate's cell, for granularity 'cell'. Float64. */
export function cellOf(coordinate: number, size: number): number {
  return Math.floor(coordinate / size);
}

/** Number of cells that a reach covers on each side with granularity 'cell'; -1 for a reach of 0. */
export function cellsWithin(settings: WorldSettings, reach: number, size: number): number {
  if (!(reach > 0)) return -1;
  const cells = f32(reach / size);
  const rounded = settings.cellRounding === 'down' ? Math.floor(cells) : Math.ceil(cells);
  return settings.cellRule === 'neighbours' ? Math.min(rounded, 1) : rounded;
}

/** Distance in cells between two coordinates; 0 within one cell. */
export function cellsApart(a: number, b: number, size: number): number {
  return Math.abs(cellOf(a, size) - cellOf(b, size));
}
