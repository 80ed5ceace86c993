/**
 * Decides two entries that a scan found near a boundary: which senses perceive, before and now. If the answers differ, a crossing
 * is appended to the list (see detectors/crossings.ts for its bits).
 *
 * A scan's loop only has to notice the few pairs in which something may have changed. Here each of them is decided by the
 * definition, entities/perception.ts, filters included. An entry of a split entity represents one side of the tick: a ghost
 * represents the last tick, with the properties of then. Its missing position is NaN, so it is inside nothing on the other side.
 *
 * Cost: some 20 ns for each pair that is decided here, none for the others.
 */
import {
  CROSSINGS, CROSSING_CAPACITY, CROSSING_COUNT, DIMENSIONS, FILTERED, IS_FILTERED, LAST_CLASS, LAST_STATE, NEW_X, NEW_Y, NEW_Z, NOW_CLASS,
  NOW_STATE, OLD_X, OLD_Y, OLD_Z, REF, SENSE_COUNT, SHAPE,
} from '../layouts/sweep-job';
import { RANGES } from '../layouts/perception';
import { GHOST_BIT, column, floatAt, setWord, word, wordAt } from './job';
import { isInside, meets, reachFrom, squaredOf } from './perception';

// Shared by the loops of one call; set by openCrossings.
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
let nowClasses: usize = 0;
let lastClasses: usize = 0;
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
  nowClasses = column(job, NOW_CLASS);
  lastClasses = column(job, LAST_CLASS);
  shape = word(job, SHAPE);
  is3D = word(job, DIMENSIONS) == 3;
  senseCount = word(job, SENSE_COUNT);
  refs = column(job, REF);
}

export function closeCrossings(total: u32): void {
  setWord(job, CROSSING_COUNT, total);
}

/** The senses in which an entry perceives another, before and now, as in a crossing; 0 if they are the same. */
export function decide(watcherEntry: u32, markerEntry: u32): u32 {
  const watcher = wordAt(refs, watcherEntry);
  const marker = wordAt(refs, markerEntry);
  const newDx = apart(newX, watcherEntry, markerEntry);
  const newDy = apart(newY, watcherEntry, markerEntry);
  const oldDx = apart(oldX, watcherEntry, markerEntry);
  const oldDy = apart(oldY, watcherEntry, markerEntry);
  const newDz: f32 = is3D ? apart(newZ, watcherEntry, markerEntry) : 0;
  const oldDz: f32 = is3D ? apart(oldZ, watcherEntry, markerEntry) : 0;
  const newSquared = squaredOf(newDx, newDy, newDz);
  const oldSquared = squaredOf(oldDx, oldDy, oldDz);
  const now = job + (NOW_STATE << 2);
  let payload: u32 = 0;
  for (let s: u32 = 0; s < senseCount; s++) {
    const reach = reachOf(s, rangeOf(s, watcher), marker);
    if (reach == 0) continue;
    if (isInside(now, oldDx, oldDy, oldDz, oldSquared, reach)) payload |= 1 << s;
    if (isInside(now, newDx, newDy, newDz, newSquared, reach)) payload |= 256 << s;
  }
  return (payload & 255) == payload >>> 8 ? 0 : payload;
}

/** A watcher's range in a sense. Arguments are refs. */
@inline
export function rangeOf(s: u32, watcher: u32): f32 {
  return property(RANGES, s, watcher, 0);
}

/** From how far a watcher with that range perceives a marker in a sense; 0: not at all. */
export function reachOf(s: u32, range: f32, marker: u32): f32 {
  return max<f32>(reachFrom(stateOf(marker), s, range, marker & ~GHOST_BIT), 0);
}

/** The square of a reach; -1, within which nothing lies, if there is no reach. */
@inline
export function squareOf(reach: f32): f32 {
  return reach > 0 ? reach * reach : -1;
}

/** Takes a pair of entries in which either perceives the other in other senses than before. Arguments as of `decide`, by direction. */
export function found(first: u32, second: u32, own: u32, theirs: u32): void {
  if (own != 0) appendCrossing(wordAt(refs, first), wordAt(refs, second), own);
  if (theirs != 0) appendCrossing(wordAt(refs, second), wordAt(refs, first), theirs);
}

/** Arguments are refs. */
function appendCrossing(watcher: u32, marker: u32, payload: u32): void {
  if (isFiltered && !meetsOf(watcher, marker)) return;
  append(watcher & ~GHOST_BIT, marker & ~GHOST_BIT, payload);
}

/** Arguments are slots, of two that meet. */
@inline
export function append(watcherSlot: u32, markerSlot: u32, payload: u32): void {
  const at = crossings + (<usize>count << 3);
  count++;
  store<u32>(at, (markerSlot << 20) | payload);
  store<u32>(at, (watcherSlot << 10) | (markerSlot >>> 12), 4);
}

/** Arguments are refs: with a ghost, the two are compared in the state of the last tick. */
function meetsOf(watcher: u32, marker: u32): bool {
  const isThen = ((watcher | marker) & GHOST_BIT) != 0;
  const watcherSlot = <usize>(watcher & ~GHOST_BIT);
  const markerSlot = <usize>(marker & ~GHOST_BIT);
  // Two bytes, which a near cache often holds, in place of the columns of all filters.
  const classes = isThen ? lastClasses : nowClasses;
  if (((<u32>load<u8>(classes + watcherSlot) | <u32>load<u8>(classes + markerSlot)) & IS_FILTERED) == 0) return true;
  return meets(stateOf(watcher | marker), <u32>watcherSlot, <u32>markerSlot);
}

@inline
function apart(values: usize, watcherEntry: u32, markerEntry: u32): f32 {
  return floatAt(values, markerEntry) - floatAt(values, watcherEntry);
}

/** The state of the world to which a ref belongs. */
@inline
function stateOf(ref: u32): usize {
  return job + ((ref & GHOST_BIT) != 0 ? LAST_STATE << 2 : NOW_STATE << 2);
}

/** The value for a ref in a state's column that has one word for each sense. */
@inline
export function property(first: u32, s: u32, ref: u32, fallback: f32): f32 {
  const values = column(stateOf(ref), first + s);
  return values == 0 ? fallback : floatAt(values, ref & ~GHOST_BIT);
}
