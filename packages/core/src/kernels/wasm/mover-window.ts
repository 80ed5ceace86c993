/**
 * A mover and its window among the members of a class: what the mover perceives, what perceives it, and the cells where these may
 * lie. See sweep-movers.ts, which scans them. Cost: a few ns for each class with members; for a mover of an odd class, its
 * properties must be read, too.
 */
import {
  ACTIVE, ACTIVE_BYTES, ACTIVE_CROWD_REACH, ACTIVE_MAX_X, ACTIVE_MAX_Y, ACTIVE_MIN_X, ACTIVE_MIN_Y, ACTIVE_THING_REACH, COMMON_RANGES,
  GRIDS, GRID_BAND_CELLS_WORD, GRID_BAND_MASK_WORD, GRID_BYTES, GRID_DEPTH_WORD, GRID_EDGE_SLACK, GRID_FIRST_CELL_WORD, GRID_HEIGHT_WORD, GRID_INVERSE, GRID_MAX_GAIN,
  GRID_LAYERS_WORD, GRID_MAX_MAX_REACH, GRID_MAX_MIN_REACH, GRID_MAX_RANGE, GRID_MEMBERS_WORD, GRID_ORIGIN, GRID_SEES_WORD, GRID_SIZE, GRID_WIDTH_WORD, LAST_CLASS, LAST_STATE, NOW_CLASS, NOW_STATE,
  RATIO_X, RATIO_Y, RATIO_Z, SLACK_F64, TABLE,
} from '../layouts/sweep-job';
import { BOX, CIRCLE, GAINS, MAX_REACHES, MIN_REACHES } from '../layouts/perception';
import {
  CLASSES, CLASS_MASK, CROWD, GHOST_BIT, IN_CHANNEL, IN_PLACE, THINGS, clampedCell, column, floatAt, isOdd, numberAt, word, wordAt,
} from './job';
import { channelIn } from './perception';
import { folded } from './sweep-folds';
import { is3D, job, newX, newY, newZ, oldX, oldY, oldZ, property, rangeOf, refs, senseCount, shape } from './sweep-crossing';

const REACH_SLACK: f64 = 1.0 + 1.0 / 4194304.0;

// Shared by the functions of one call; set by openMovers.
export let table: usize = 0;
let widening: f64 = 0;
/** The first entries after the crowd, and after the things; and the same for those in channels, with the first entry of these. */
let crowdEnd: u32 = 0;
let thingsEnd: u32 = 0;
let firstInChannel: u32 = 0;
let channelCrowdEnd: u32 = 0;
let channelThingsEnd: u32 = 0;
let commonLongest: f32 = 0;
/**
 * How many classes have members. The job has their numbers, and the distances at which the crowd and things meet their members.
 */
export let activeCount: u32 = 0;
// The current mover; set by openMover.
let ref: u32 = 0;
let channel: u32 = 0;
/** Its class; not of one that changed in place. */
export let ownClass: u32 = 0;
let x: f64 = 0;
let y: f64 = 0;
let z: f64 = 0;
let longest: f32 = 0;
/** The greatest of its gains, minReaches and maxReaches. */
let gain: f32 = 1;
let minReach: f32 = 0;
let maxReach: f32 = 0;
/** Layers that it may see, and be on: those of its class. */
let sees: u32 = 0;
let layers: u32 = 0;
/** Byte offset in the job's records of the distance at which the mover meets the members of a class; 0 if it must be computed. */
let known: usize = 0;
/** If such entities are among all others: from how far the current one, which changed in place, and any other may perceive each other. */
let changedReach: f64 = 0;
// The mover's window among the members of a class; set by openWindow.
export let classOf: u32 = 0;
export let grid: usize = 0;
export let firstCell: u32 = 0;
/** How many more bands have such a window. */
let bandsLeft: u32 = 0;
export let width: u32 = 0;
export let height: u32 = 0;
export let windowReach: f64 = 0;
/** The mover's position as it lies in the grid. */
let foldedX: f64 = 0;
let foldedY: f64 = 0;
let foldedZ: f64 = 0;
export let fromX: u32 = 0;
export let toX: u32 = 0;
export let fromY: u32 = 0;
export let toY: u32 = 0;
export let fromZ: u32 = 0;
export let toZ: u32 = 0;

/** `areAnywhere`: nothing is known of where the members of an odd class are. */
export function openMovers(areAnywhere: bool): void {
  table = column(job, TABLE);
  widening = 2 * numberAt(job, SLACK_F64) * REACH_SLACK;
  const grids = column(job, GRIDS);
  crowdEnd = firstEntryOf(grids, CROWD + 1);
  thingsEnd = firstEntryOf(grids, THINGS + 1);
  firstInChannel = firstEntryOf(grids, IN_CHANNEL);
  channelCrowdEnd = firstEntryOf(grids, IN_CHANNEL + CROWD + 1);
  channelThingsEnd = firstEntryOf(grids, IN_CHANNEL + THINGS + 1);
  commonLongest = 0;
  for (let s: u32 = 0; s < senseCount; s++) commonLongest = max<f32>(commonLongest, floatAt(job, COMMON_RANGES + s));
  gain = 1;
  minReach = 0;
  maxReach = Infinity;
  changedReach = 0;
  activeCount = 0;
  for (let k: u32 = 0; k < CLASSES; k++) {
    grid = grids + <usize>k * GRID_BYTES;
    if (word(grid, GRID_MEMBERS_WORD) == 0) continue;
    const active = job + (ACTIVE << 2) + <usize>activeCount * ACTIVE_BYTES;
    activeCount++;
    store<u32>(active, k);
    longest = commonLongest;
    store<f64>(active, reachAmong(), ACTIVE_CROWD_REACH);
    longest = 0;
    store<f64>(active, reachAmong(), ACTIVE_THING_REACH);
    if (isOdd(k) && hasOneCell()) writeBox(active, areAnywhere);
  }
}

@inline
function firstEntryOf(grids: usize, k: u32): u32 {
  return wordAt(table, word(grids + <usize>k * GRID_BYTES, GRID_FIRST_CELL_WORD));
}

@inline
function hasOneCell(): bool {
  return (word(grid, GRID_BAND_CELLS_WORD) == 1) & (word(grid, GRID_BAND_MASK_WORD) == 0);
}

/** Writes where the members of the grid's class lie: a single bell far away is then not tested by each mover. */
function writeBox(active: usize, areAnywhere: bool): void {
  let minX: f64 = Infinity;
  let maxX: f64 = -Infinity;
  let minY: f64 = Infinity;
  let maxY: f64 = -Infinity;
  const first = word(grid, GRID_FIRST_CELL_WORD);
  for (let i = wordAt(table, first); i < wordAt(table, first + 1); i++) {
    for (let isOld: u32 = 0; isOld < 2; isOld++) {
      const atX = <f64>floatAt(isOld != 0 ? oldX : newX, i);
      const atY = <f64>floatAt(isOld != 0 ? oldY : newY, i);
      // A position that is not there is NaN, and fails every comparison.
      if (atX < minX) minX = atX;
      if (atX > maxX) maxX = atX;
      if (atY < minY) minY = atY;
      if (atY > maxY) maxY = atY;
    }
  }
  store<f64>(active, areAnywhere ? -Infinity : minX, ACTIVE_MIN_X);
  store<f64>(active, areAnywhere ? Infinity : maxX, ACTIVE_MAX_X);
  store<f64>(active, areAnywhere ? -Infinity : minY, ACTIVE_MIN_Y);
  store<f64>(active, areAnywhere ? Infinity : maxY, ACTIVE_MAX_Y);
}

/** Sets what the mover perceives and what perceives it. Most movers are of the crowd, or things, whose properties are known. */
export function openMover(mover: u32): void {
  openPlace(mover);
  const isInChannel = mover >= firstInChannel;
  const crowd = isInChannel ? channelCrowdEnd : crowdEnd;
  const isCrowd = mover < crowd;
  if (mover >= (isInChannel ? channelThingsEnd : thingsEnd)) {
    openOdd();
    return;
  }
  known = isCrowd ? ACTIVE_CROWD_REACH : ACTIVE_THING_REACH;
  gain = 1;
  minReach = 0;
  maxReach = Infinity;
  setClass((isCrowd ? CROWD : THINGS) | (isInChannel ? IN_CHANNEL : 0));
  longest = isCrowd ? commonLongest : 0;
}

@inline
function setClass(k: u32): void {
  ownClass = k;
  const own = column(job, GRIDS) + <usize>k * GRID_BYTES;
  sees = word(own, GRID_SEES_WORD);
  layers = word(own, GRID_LAYERS_WORD);
}

/**
 * Opens an entity that changed in place. It perceives, and is perceived, at most as far as these values say, now and at the last tick.
 * Positions: now.
 */
export function openChanged(slot: u32, atX: f64, atY: f64, atZ: f64): void {
  ref = slot;
  channel = channelIn(job + (NOW_STATE << 2), slot);
  x = atX;
  y = atY;
  z = atZ;
  // Whom it met at the last tick counts, too.
  sees = 0xffffffff;
  layers = 0xffffffff;
  clearLimits();
  for (let s: u32 = 0; s < senseCount; s++) {
    extendLimits(s, slot);
    extendLimits(s, slot | GHOST_BIT);
  }
  grid = column(job, GRIDS) + <usize>IN_PLACE * GRID_BYTES;
  // If they have a class of their own, they are in no other class's window.
  changedReach = word(grid, GRID_MEMBERS_WORD) == 0 ? reachAmong() : 0;
}

/** For a mover of another class. */
function openOdd(): void {
  clearLimits();
  const classes = column(job, (ref & GHOST_BIT) != 0 ? LAST_CLASS : NOW_CLASS);
  setClass(<u32>load<u8>(classes + <usize>(ref & ~GHOST_BIT)) & CLASS_MASK);
  for (let s: u32 = 0; s < senseCount; s++) extendLimits(s, ref);
}

function clearLimits(): void {
  known = 0;
  longest = 0;
  gain = 0;
  minReach = 0;
  maxReach = 0;
}

/** Extends what is known of the mover so that it includes a sense of a ref. */
@inline
function extendLimits(s: u32, own: u32): void {
  longest = max<f32>(longest, rangeOf(s, own));
  gain = max<f32>(gain, property(GAINS, s, own, 1));
  minReach = max<f32>(minReach, property(MIN_REACHES, s, own, 0));
  maxReach = max<f32>(maxReach, property(MAX_REACHES, s, own, Infinity));
}

@inline
function openPlace(mover: u32): void {
  ref = wordAt(refs, mover);
  const isGhost = (ref & GHOST_BIT) != 0;
  channel = channelIn(job + ((isGhost ? LAST_STATE : NOW_STATE) << 2), ref & ~GHOST_BIT);
  x = <f64>floatAt(isGhost ? oldX : newX, mover);
  y = <f64>floatAt(isGhost ? oldY : newY, mover);
  z = is3D ? <f64>floatAt(isGhost ? oldZ : newZ, mover) : 0;
}

/** From how far the mover perceives members of the grid's class, or they perceive the mover. */
function reachAmong(): f64 {
  const range = numberAt(grid, GRID_MAX_RANGE);
  const theirs: f64 = range > 0 && gain > 0 ? Math.min(Math.max(range * <f64>gain, <f64>minReach), <f64>maxReach) : 0;
  const loudest = Math.max(<f64>longest * numberAt(grid, GRID_MAX_GAIN), numberAt(grid, GRID_MAX_MIN_REACH));
  const own: f64 = longest > 0 ? Math.min(loudest, numberAt(grid, GRID_MAX_MAX_REACH)) : 0;
  return Math.max(own, theirs) * REACH_SLACK;
}

/**
 * Finds the cells of a class around the mover; false if no member perceives the mover or is perceived by it, by reach or by layers. In a class with bands they are
 * those of its channel's; of all bands in turn, if it meets all channels: `nextBand` leads to the next one.
 */
export function openWindow(i: u32): bool {
  const active = job + (ACTIVE << 2) + <usize>i * ACTIVE_BYTES;
  classOf = load<u32>(active);
  grid = column(job, GRIDS) + <usize>classOf * GRID_BYTES;
  windowReach = known != 0 ? load<f64>(active + known) : max<f64>(reachAmong(), changedReach);
  if (windowReach == 0) return false;
  const areSeen = (sees & word(grid, GRID_LAYERS_WORD)) | (layers & word(grid, GRID_SEES_WORD));
  // Another that changed in place may have come to this class, which says nothing of its former layers.
  if (areSeen == 0 && changedReach == 0) return false;
  firstCell = word(grid, GRID_FIRST_CELL_WORD);
  const mask = word(grid, GRID_BAND_MASK_WORD);
  bandsLeft = channel == 0 ? mask : 0;
  if (mask != 0) firstCell += (channel & mask) * word(grid, GRID_BAND_CELLS_WORD);
  width = word(grid, GRID_WIDTH_WORD);
  height = word(grid, GRID_HEIGHT_WORD);
  const depth = word(grid, GRID_DEPTH_WORD);
  fromX = 0;
  toX = 0;
  fromY = 0;
  toY = 0;
  fromZ = 0;
  toZ = 0;
  const wider = widening + numberAt(grid, GRID_EDGE_SLACK);
  const halfX = (shape == BOX ? windowReach * <f64>floatAt(job, RATIO_X) : windowReach) + wider;
  const halfY = (shape == BOX ? windowReach * <f64>floatAt(job, RATIO_Y) : windowReach) + wider;
  // A class of a few members has one cell.
  if (hasOneCell()) {
    if (!isOdd(classOf)) return true;
    const isNearX = x + halfX >= load<f64>(active, ACTIVE_MIN_X) && x - halfX <= load<f64>(active, ACTIVE_MAX_X);
    return isNearX && y + halfY >= load<f64>(active, ACTIVE_MIN_Y) && y - halfY <= load<f64>(active, ACTIVE_MAX_Y);
  }
  const originX = numberAt(grid, GRID_ORIGIN);
  const inverseX = numberAt(grid, GRID_INVERSE);
  const originY = numberAt(grid, GRID_ORIGIN + 1);
  const inverseY = numberAt(grid, GRID_INVERSE + 1);
  foldedX = folded(grid, 0, x);
  foldedY = folded(grid, 1, y);
  fromX = clampedCell(foldedX - halfX, originX, inverseX, width);
  toX = clampedCell(foldedX + halfX, originX, inverseX, width);
  fromY = clampedCell(foldedY - halfY, originY, inverseY, height);
  toY = clampedCell(foldedY + halfY, originY, inverseY, height);
  if (depth == 1) return true;
  const halfZ = (shape == CIRCLE ? windowReach : windowReach * <f64>floatAt(job, RATIO_Z)) + wider;
  foldedZ = folded(grid, 2, z);
  fromZ = clampedCell(foldedZ - halfZ, numberAt(grid, GRID_ORIGIN + 2), numberAt(grid, GRID_INVERSE + 2), depth);
  toZ = clampedCell(foldedZ + halfZ, numberAt(grid, GRID_ORIGIN + 2), numberAt(grid, GRID_INVERSE + 2), depth);
  return true;
}

/** Goes on to the same cells of the next band; false if there is none that the mover may meet. */
@inline
export function nextBand(): bool {
  if (bandsLeft == 0) return false;
  bandsLeft--;
  firstCell += word(grid, GRID_BAND_CELLS_WORD);
  return true;
}

/** In a 3-D grid: clips a row of the window to the sphere around the mover; false if the row is outside it. */
export function clipRow(cellY: u32, cellZ: u32): bool {
  const awayY = awayFrom(foldedY, cellY, height, 1);
  const awayZ = awayFrom(foldedZ, cellZ, word(grid, GRID_DEPTH_WORD), 2);
  const radius = windowReach + (widening + numberAt(grid, GRID_EDGE_SLACK)) * 1.75;
  const chordSquared = radius * radius - awayY * awayY - awayZ * awayZ;
  if (chordSquared < 0) return false;
  const half = Math.sqrt(chordSquared) * REACH_SLACK;
  fromX = clampedCell(foldedX - half, numberAt(grid, GRID_ORIGIN), numberAt(grid, GRID_INVERSE), width);
  toX = clampedCell(foldedX + half, numberAt(grid, GRID_ORIGIN), numberAt(grid, GRID_INVERSE), width);
  return true;
}

/** The least distance of a coordinate from a row of cells. Rows at the border are unbounded. */
@inline
function awayFrom(at: f64, cell: u32, cells: u32, axis: u32): f64 {
  if (cell == 0 || cell + 1 == cells) return 0;
  const size = numberAt(grid, GRID_SIZE + axis);
  const low = numberAt(grid, GRID_ORIGIN + axis) + <f64>cell * size;
  return Math.max(Math.max(low - at, at - (low + size)) - numberAt(grid, GRID_EDGE_SLACK), 0);
}
