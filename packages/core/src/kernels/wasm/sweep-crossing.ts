/**
 * What becomes of two entries that a scan found near a boundary: which senses perceive, before and now, and, where
 * the answers differ, a crossing at the end of the list (see detectors/crossings.ts for its bits).
 *
 * A scan's loop only has to notice the few pairs in which something may have changed; here each of them is decided by the
 * definition, entities/perception.ts, filters included. An entry that is split stands for one side of the tick: a ghost
 * for what was, with the properties of then. Its missing position is NaN, so that it is inside nothing on the other side.
 *
 * Cost: some 20 ns a pair that is looked at, none for the others.
 */
import {
  CROSSINGS, CROSSING_CAPACITY, CROSSING_COUNT, DIMENSIONS, FILTERED, LANES, LAST_GAINS, LAST_MAX_REACHES, LAST_MIN_REACHES, LAST_RANGES,
  LAST_STATE, NEW_X, NEW_Y, NEW_Z, NOW_GAINS, NOW_MAX_REACHES, NOW_MIN_REACHES, NOW_RANGES, NOW_STATE, OLD_X, OLD_Y, OLD_Z, RATIO_X, RATIO_Y,
  RATIO_Z, REF, SENSE_COUNT, SHAPE,
} from '../layouts/sweep-job';
import { GHOST_BIT, column, floatAt, setWord, word, wordAt } from './job';
import { meets } from './perception';

export const CIRCLE: u32 = 0;
export const BOX: u32 = 1;
export const CYLINDER: u32 = 2;

// What the loops of one call share; set by openCrossings.
export let job: usize = 0;
/** The columns of positions, by entry. */
export let newX: usize = 0;
export let newY: usize = 0;
export let newZ: usize = 0;
export let oldX: usize = 0;
export let oldY: usize = 0;
export let oldZ: usize = 0;
export let shape: u32 = 0;
export let is3D: bool = false;
export let senseCount: u32 = 1;
let crossings: usize = 0;
let isFiltered: bool = false;
/** Crossings in the list. */
export let count: u32 = 0;
export let capacity: u32 = 0;
/** The column of refs, by entry. */
export let refs: usize = 0;

export function openCrossings(offset: usize): void {
  job = offset;
  newX = column(job, NEW_X);
  newY = column(job, NEW_Y);
  newZ = column(job, NEW_Z);
  oldX = column(job, OLD_X);
  oldY = column(job, OLD_Y);
  oldZ = column(job, OLD_Z);
  crossings = column(job, CROSSINGS);
  count = word(job, CROSSING_COUNT);
  capacity = word(job, CROSSING_CAPACITY);
  isFiltered = word(job, FILTERED) != 0;
  shape = word(job, SHAPE);
  is3D = word(job, DIMENSIONS) == 3;
  senseCount = word(job, SENSE_COUNT);
  refs = column(job, REF);
}

/** Drops what was found since the count was `total`. */
export function cutCrossings(total: u32): void {
  count = total;
}

export function closeCrossings(total: u32): void {
  setWord(job, CROSSING_COUNT, total);
}

export function decideCrossing(watcherEntry: u32, markerEntry: u32): void {
  const watcher = wordAt(refs, watcherEntry);
  const marker = wordAt(refs, markerEntry);
  const newDx = apart(newX, watcherEntry, markerEntry);
  const newDy = apart(newY, watcherEntry, markerEntry);
  const oldDx = apart(oldX, watcherEntry, markerEntry);
  const oldDy = apart(oldY, watcherEntry, markerEntry);
  const newDz: f32 = is3D ? apart(newZ, watcherEntry, markerEntry) : 0;
  const oldDz: f32 = is3D ? apart(oldZ, watcherEntry, markerEntry) : 0;
  let payload: u32 = 0;
  for (let s: u32 = 0; s < senseCount; s++) {
    const reach = reachOf(s, rangeOf(s, watcher), marker);
    if (reach == 0) continue;
    if (isInside(oldDx, oldDy, oldDz, reach)) payload |= 1 << s;
    if (isInside(newDx, newDy, newDz, reach)) payload |= 256 << s;
  }
  if ((payload & 255) != payload >>> 8) appendCrossing(watcher, marker, payload);
}

/** A watcher's range in a sense; refs. */
@inline
export function rangeOf(s: u32, watcher: u32): f32 {
  return property(NOW_RANGES, LAST_RANGES, s, watcher, 0);
}

/** From how far one of that range perceives a marker in a sense; 0: not at all. */
export function reachOf(s: u32, range: f32, marker: u32): f32 {
  if (!(range > 0)) return 0;
  const base = range * property(NOW_GAINS, LAST_GAINS, s, marker, 1);
  if (!(base > 0)) return 0;
  const minReach = property(NOW_MIN_REACHES, LAST_MIN_REACHES, s, marker, 0);
  const maxReach = property(NOW_MAX_REACHES, LAST_MAX_REACHES, s, marker, Infinity);
  return min<f32>(max<f32>(base, minReach), maxReach);
}

/** The square of a reach; -1, in which nothing is, where there is none. */
@inline
export function squareOf(reach: f32): f32 {
  return reach > 0 ? reach * reach : -1;
}

export function appendCrossing(watcher: u32, marker: u32, payload: u32): void {
  if (isFiltered && !meetsOf(watcher, marker)) return;
  const watcherSlot = watcher & ~GHOST_BIT;
  const markerSlot = marker & ~GHOST_BIT;
  const at = crossings + (<usize>count << 3);
  count++;
  store<u32>(at, (markerSlot << 20) | payload);
  store<u32>(at, (watcherSlot << 10) | (markerSlot >>> 12), 4);
}

/** Bits of a pair: whether the first one's or the second one's perception of the other changed, and whether it perceives now. */
export const FIRST_CHANGED: u32 = 1;
const FIRST_PERCEIVES: u32 = 2;
export const SECOND_CHANGED: u32 = 4;
const SECOND_PERCEIVES: u32 = 8;

/** Notes a pair of entries in one sense, in the place of the two crossings that it may become; see `settlePairs`. */
export function notePair(first: u32, second: u32, bits: u32): void {
  const at = crossings + (<usize>count << 3);
  count += 2;
  store<u32>(at, first);
  store<u32>(at, second, 4);
  store<u32>(at, bits, 8);
}

/**
 * Makes crossings of the pairs that were noted since the count was `from`. Who they are lies at addresses that no cache knows,
 * so it is first read by a loop that does nothing else: many wait for memory at once.
 */
export function settlePairs(from: u32): void {
  const end = count;
  if (ASC_FEATURE_SIMD) {
    let sum: u32 = 0;
    for (let i = from; i < end; i += 2) {
      const at = crossings + (<usize>i << 3);
      sum += wordAt(refs, load<u32>(at)) + wordAt(refs, load<u32>(at, 4));
    }
    setWord(job, LANES, sum);
  }
  count = from;
  for (let i = from; i < end; i += 2) {
    const at = crossings + (<usize>i << 3);
    const firstRef = wordAt(refs, load<u32>(at));
    const secondRef = wordAt(refs, load<u32>(at, 4));
    const bits = load<u32>(at, 8);
    if ((bits & FIRST_CHANGED) != 0) appendCrossing(firstRef, secondRef, (bits & FIRST_PERCEIVES) != 0 ? 256 : 1);
    if ((bits & SECOND_CHANGED) != 0) appendCrossing(secondRef, firstRef, (bits & SECOND_PERCEIVES) != 0 ? 256 : 1);
  }
}

/** Refs: a ghost met as all stood at the last tick. */
function meetsOf(watcher: u32, marker: u32): bool {
  const isThen = ((watcher | marker) & GHOST_BIT) != 0;
  return meets(job + (isThen ? LAST_STATE << 2 : NOW_STATE << 2), watcher & ~GHOST_BIT, marker & ~GHOST_BIT);
}

@inline
function apart(values: usize, watcherEntry: u32, markerEntry: u32): f32 {
  return floatAt(values, markerEntry) - floatAt(values, watcherEntry);
}

@inline
export function property(now: u32, last: u32, s: u32, ref: u32, fallback: f32): f32 {
  const values = column(job, ((ref & GHOST_BIT) != 0 ? last : now) + s);
  return values == 0 ? fallback : floatAt(values, ref & ~GHOST_BIT);
}

function isInside(dx: f32, dy: f32, dz: f32, reach: f32): bool {
  if (shape == BOX) {
    const inPlane =
      Mathf.abs(dx) <= reach * floatAt(job, RATIO_X) && Mathf.abs(dy) <= reach * floatAt(job, RATIO_Y);
    return inPlane && (!is3D || Mathf.abs(dz) <= reach * floatAt(job, RATIO_Z));
  }
  let distanceSquared = dx * dx + dy * dy;
  if (shape == CYLINDER) {
    return distanceSquared <= reach * reach && Mathf.abs(dz) <= reach * floatAt(job, RATIO_Z);
  }
  if (is3D) distanceSquared = distanceSquared + dz * dz;
  return distanceSquared <= reach * reach;
}
