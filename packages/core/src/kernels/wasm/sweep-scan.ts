/**
 * The stateless double test for entities outside the crowd: for each watcher and each marker near it, was the marker inside
 * before, and is it inside now? If the answers differ, a crossing is appended. No pair is stored.
 *
 * Each entry is tested as a watcher, and as a marker: which watchers with the common ranges perceive it? One distance for each
 * sense answers that for all of these watchers. So the few entities that differ from the common profile (odd ones) cost only what
 * they cause, and the crowd does not search for them. A pair is tested from one side:
 *
 *   watcher \ marker      plain, of the crowd or a thing     any other
 *   of the crowd          sweep-pairs.ts                     from the marker, or from the watcher
 *   common ranges, odd    from the watcher                   from the marker, or from the watcher
 *   ranges of its own     from the watcher                   from the watcher
 *
 * If a class has many more markers than there are watchers with the common ranges, the watchers look for its markers: a window
 * costs about the same from either side.
 *
 * In boxes and cylinders, each watcher is tested like one with ranges of its own.
 *
 * A window is the box of cells that a reach touches, extended by the slack on each side, because a marker may have been inside
 * before it moved. In the window, each row of cells is one run of entries:
 *
 *        . . . . . . .          . cells outside the window
 *        . - = = = - .          = a run: consecutive entries, streamed four at a time
 *        . = = = = = .          - clipped: the row is too far off for the circle to reach this cell
 *        . = = w = = .
 *        . - = = = - .
 *
 * Cost: about 1.7 tests for each perceived pair, with cells of half the reach. Source: the grid join recomputed each tick,
 * Sidlauskas and Jensen, PVLDB 2014.
 */
import {
  COMMON_RANGES, FIRST_ENTRY, FOUND_BY_WATCHERS, GRIDS, GRID_BYTES, GRID_DEPTH_WORD, GRID_EDGE_SLACK, GRID_FIRST_CELL_WORD, GRID_HEIGHT_WORD, GRID_INVERSE,
  GRID_MAX_GAIN, GRID_MAX_MAX_REACH, GRID_MAX_MIN_REACH, GRID_MEMBERS_WORD, GRID_ORIGIN, GRID_SIZE, GRID_WIDTH_WORD, LAST_CLASS, NOW_CLASS,
  OWN_REACHES, RATIO_X, RATIO_Y, RATIO_Z, SLACK_F64, TABLE,
} from '../layouts/sweep-job';
import { BOX, CIRCLE, CYLINDER } from '../layouts/perception';
import {
  CLASSES, CLASS_MASK, CROWD, FIRST_PROFILED, GHOST_BIT, THINGS, WATCHES_AS_COMMON, WATCHES_BY_OWN, clampedCell, column, floatAt, numberAt, setFloat, word, wordAt,
} from './job';
import {
  appendCrossing, capacity, closeCrossings, count, decideCrossing, is3D, job, newX, newY, newZ, oldX, oldY, oldZ,
  openCrossings, rangeOf, reachOf, refs, senseCount, shape,
} from './sweep-crossing';
import {
  Floats, Mask, STEP, WIDTH, absolute, add, allFloats, bitsOf, both, differ, either, floatsAt, isAtMost, mul, nowhere, sub,
} from './lanes';

const REACH_SLACK: f64 = 1.0 + 1.0 / 4194304.0;
const FEW_SENSES: u32 = 3;

// Shared by the loops of one call; set by scanEntries.
let reaches: usize = 0;
/** True if the current entry is tested as a marker: watchers near it look for it. False if it looks for markers. */
let isSought: bool = false;
/** If the current entry is tested as a marker: whether only watchers with the common ranges count. */
let isChoosy: bool = false;

export function scanEntries(offset: usize, from: u32, to: u32): u32 {
  openCrossings(offset);
  reaches = job + (OWN_REACHES << 2);
  const first = word(job, FIRST_ENTRY);
  for (let k = from; k < to; k++) {
    const before = count;
    const entry = first + k;
    const role = roleOf(job, wordAt(refs, entry));
    if (scanAsWatcher(job, entry, role) && (!looksForWatchers(role) || scanAsMarker(job, entry))) continue;
    closeCrossings(before);
    return k;
  }
  closeCrossings(count);
  return to;
}

/** What the class columns say of an entry. */
@inline
function roleOf(job: usize, ref: u32): u32 {
  const classes = column(job, (ref & GHOST_BIT) != 0 ? LAST_CLASS : NOW_CLASS);
  return <u32>load<u8>(classes + <usize>(ref & ~GHOST_BIT));
}

/** Whether watchers with the common ranges look for the markers of a class. */
@inline
function isFoundByWatchers(k: u32): bool {
  return ((word(job, FOUND_BY_WATCHERS) >>> k) & 1) != 0;
}

/** Whether an entry looks for the watchers with the common ranges that perceive it. */
@inline
function looksForWatchers(role: u32): bool {
  const k = role & CLASS_MASK;
  return shape == CIRCLE && k > THINGS && !isFoundByWatchers(k);
}

/**
 * Scans for what the entry perceives: any marker if its ranges are its own. With the common ranges: plain markers, and markers
 * that do not look for it. The crowd's pairs with plain markers are tested in sweep-pairs.ts.
 */
function scanAsWatcher(job: usize, entry: u32, role: u32): bool {
  if ((role & (WATCHES_AS_COMMON | WATCHES_BY_OWN)) == 0) return true;
  isSought = false;
  isChoosy = false;
  const ref = wordAt(refs, entry);
  let longest: f32 = 0;
  for (let s: u32 = 0; s < senseCount; s++) {
    const range = max<f32>(rangeOf(s, ref), 0);
    longest = max<f32>(longest, range);
    setFloat(reaches, s, range);
  }
  const isAnyone = (role & WATCHES_BY_OWN) != 0 || shape != CIRCLE;
  const isOfCrowd = (role & CLASS_MASK) == CROWD;
  for (let k: u32 = 0; k < CLASSES; k++) {
    if (!isAnyone && (k <= THINGS ? isOfCrowd : !isFoundByWatchers(k))) continue;
    const grid = column(job, GRIDS) + <usize>k * GRID_BYTES;
    if (word(grid, GRID_MEMBERS_WORD) == 0) continue;
    const loudest = Math.max(<f64>longest * numberAt(grid, GRID_MAX_GAIN), numberAt(grid, GRID_MAX_MIN_REACH));
    if (!scanWindow(job, entry, k, Math.min(loudest, numberAt(grid, GRID_MAX_MAX_REACH)))) return false;
  }
  return true;
}

/**
 * Scans for the watchers with the common ranges that perceive the entry: the crowd, and watchers whose own markers are not plain.
 */
function scanAsMarker(job: usize, entry: u32): bool {
  isSought = true;
  const ref = wordAt(refs, entry);
  let longest: f32 = 0;
  for (let s: u32 = 0; s < senseCount; s++) {
    const reach = reachOf(s, floatAt(job, COMMON_RANGES + s), ref);
    longest = max<f32>(longest, reach);
    setFloat(reaches, s, reach);
  }
  if (longest == 0) return true;
  for (let k: u32 = 0; k < CLASSES; k = k == 0 ? FIRST_PROFILED : k + 1) {
    isChoosy = k > 0;
    if (word(column(job, GRIDS) + <usize>k * GRID_BYTES, GRID_MEMBERS_WORD) == 0) continue;
    if (!scanWindow(job, entry, k, <f64>longest)) return false;
  }
  return true;
}

/** Scans the members of a class within a reach; false if the crossings may not fit. */
function scanWindow(job: usize, entry: u32, classOf: u32, most: f64): bool {
  const grid = column(job, GRIDS) + <usize>classOf * GRID_BYTES;
  const slack = numberAt(job, SLACK_F64);
  const reach = most * REACH_SLACK;
  const isGhost = (wordAt(refs, entry) & GHOST_BIT) != 0;
  const x = <f64>floatAt(isGhost ? oldX : newX, entry);
  const y = <f64>floatAt(isGhost ? oldY : newY, entry);
  const z: f64 = is3D ? <f64>floatAt(isGhost ? oldZ : newZ, entry) : 0;
  const widening = 2 * slack * REACH_SLACK;
  const halfX = (shape == BOX ? reach * <f64>floatAt(job, RATIO_X) : reach) + widening;
  const halfY = (shape == BOX ? reach * <f64>floatAt(job, RATIO_Y) : reach) + widening;
  const halfZ = (shape == CIRCLE ? reach : reach * <f64>floatAt(job, RATIO_Z)) + widening;
  const width = word(grid, GRID_WIDTH_WORD);
  const height = word(grid, GRID_HEIGHT_WORD);
  const depth = word(grid, GRID_DEPTH_WORD);
  const originX = numberAt(grid, GRID_ORIGIN);
  const inverseX = numberAt(grid, GRID_INVERSE);
  const originY = numberAt(grid, GRID_ORIGIN + 1);
  const inverseY = numberAt(grid, GRID_INVERSE + 1);
  const sizeY = numberAt(grid, GRID_SIZE + 1);
  const edgeSlack = numberAt(grid, GRID_EDGE_SLACK);
  const fromY = clampedCell(y - halfY, originY, inverseY, height);
  const toY = clampedCell(y + halfY, originY, inverseY, height);
  let fromZ: u32 = 0;
  let toZ: u32 = 0;
  if (depth != 1) {
    const originZ = numberAt(grid, GRID_ORIGIN + 2);
    const inverseZ = numberAt(grid, GRID_INVERSE + 2);
    fromZ = clampedCell(z - halfZ, originZ, inverseZ, depth);
    toZ = clampedCell(z + halfZ, originZ, inverseZ, depth);
  }
  const radius = reach + widening * Math.SQRT2 * REACH_SLACK;
  // Tested as a marker, the entry is perceived from the same distances by all watchers that look for it.
  const isPlain = isSought || classOf < FIRST_PROFILED;
  const isFlatAndPlain = isPlain && shape == CIRCLE && !is3D;
  const table = column(job, TABLE);
  const firstCell = word(grid, GRID_FIRST_CELL_WORD);
  for (let cellZ = fromZ; cellZ <= toZ; cellZ++) {
    for (let cellY = fromY; cellY <= toY; cellY++) {
      let half = halfX;
      if (shape != BOX && cellY > 0 && cellY < height - 1) {
        const low = originY + <f64>cellY * sizeY;
        const away = Math.max(Math.max(low - y, y - (low + sizeY)), 0) - edgeSlack;
        if (away > 0) {
          if (away > radius) continue;
          half = Math.min(halfX, Math.sqrt(radius * radius - away * away) * REACH_SLACK);
        }
      }
      const row = firstCell + (cellZ * height + cellY) * width;
      const begin = wordAt(table, row + clampedCell(x - half, originX, inverseX, width));
      const end = wordAt(table, row + clampedCell(x + half, originX, inverseX, width) + 1);
      if (count + (end - begin) > capacity) return false;
      if (isFlatAndPlain && senseCount == 1) scanCircles(entry, begin, end, true);
      else if (isFlatAndPlain && senseCount <= FEW_SENSES) scanCircles(entry, begin, end, false);
      else if (!isPlain) scanProfiled(entry, begin, end, <f32>reach);
      else if (shape == BOX) scanPlain(job, entry, begin, end, BOX);
      else if (shape == CYLINDER) scanPlain(job, entry, begin, end, CYLINDER);
      else scanPlain(job, entry, begin, end, CIRCLE);
    }
  }
  return true;
}

/** 2-D, circles, plain markers, one to three senses. `hasOne` is constant where this is inlined. */
@inline // in JavaScript, too
function scanCircles(entry: u32, begin: u32, end: u32, hasOne: bool): void {
  const first = squaredReach(0);
  const second = hasOne ? first : squaredReach(1);
  const third = hasOne || senseCount == 2 ? second : squaredReach(2);
  const watcherNewX = allFloats(floatAt(newX, entry));
  const watcherNewY = allFloats(floatAt(newY, entry));
  const watcherOldX = allFloats(floatAt(oldX, entry));
  const watcherOldY = allFloats(floatAt(oldY, entry));
  // Locals, because a global is read again in each iteration.
  const baseNewX = newX;
  const baseNewY = newY;
  const baseOldX = oldX;
  const baseOldY = oldY;
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += STEP) {
    const newDx = sub(floatsAt(baseNewX + at), watcherNewX);
    const newDy = sub(floatsAt(baseNewY + at), watcherNewY);
    const oldDx = sub(floatsAt(baseOldX + at), watcherOldX);
    const oldDy = sub(floatsAt(baseOldY + at), watcherOldY);
    const newSquared = add(mul(newDx, newDx), mul(newDy, newDy));
    const oldSquared = add(mul(oldDx, oldDx), mul(oldDy, oldDy));
    const isInside = isAtMost(newSquared, first);
    let crossed = differ(isInside, isAtMost(oldSquared, first));
    if (!hasOne) {
      crossed = either(crossed, differ(isAtMost(newSquared, second), isAtMost(oldSquared, second)));
      crossed = either(crossed, differ(isAtMost(newSquared, third), isAtMost(oldSquared, third)));
    }
    if (bitsOf(crossed) == 0) continue;
    if (hasOne) appendLanes(entry, <u32>(at >> 2), end, crossed, isInside);
    else decideLanes(entry, <u32>(at >> 2), end, crossed);
  }
}

/** The square of a reach; -1, within which nothing lies, if there is no reach. */
@inline
function squaredReach(s: u32): Floats {
  const reach = floatAt(reaches, s);
  return allFloats(reach > 0 ? reach * reach : -1);
}

/** Plain markers in any shape, dimensions and number of senses. `kind` is constant where this is inlined. */
@inline // in JavaScript, too
function scanPlain(job: usize, entry: u32, begin: u32, end: u32, kind: u32): void {
  const watcherNewX = allFloats(floatAt(newX, entry));
  const watcherNewY = allFloats(floatAt(newY, entry));
  const watcherNewZ = allFloats(is3D ? floatAt(newZ, entry) : 0);
  const watcherOldX = allFloats(floatAt(oldX, entry));
  const watcherOldY = allFloats(floatAt(oldY, entry));
  const watcherOldZ = allFloats(is3D ? floatAt(oldZ, entry) : 0);
  const zero = allFloats(0);
  for (let i = begin; i < end; i += WIDTH) {
    const at = <usize>i << 2;
    let newDx = sub(floatsAt(newX + at), watcherNewX);
    let newDy = sub(floatsAt(newY + at), watcherNewY);
    let newDz = is3D ? sub(floatsAt(newZ + at), watcherNewZ) : zero;
    let oldDx = sub(floatsAt(oldX + at), watcherOldX);
    let oldDy = sub(floatsAt(oldY + at), watcherOldY);
    let oldDz = is3D ? sub(floatsAt(oldZ + at), watcherOldZ) : zero;
    let newSquared = zero;
    let oldSquared = zero;
    if (kind != BOX) {
      newSquared = add(mul(newDx, newDx), mul(newDy, newDy));
      oldSquared = add(mul(oldDx, oldDx), mul(oldDy, oldDy));
      if (kind == CIRCLE && is3D) {
        newSquared = add(newSquared, mul(newDz, newDz));
        oldSquared = add(oldSquared, mul(oldDz, oldDz));
      }
    }
    if (kind == BOX) {
      newDx = absolute(newDx);
      newDy = absolute(newDy);
      oldDx = absolute(oldDx);
      oldDy = absolute(oldDy);
    }
    if (kind != CIRCLE) {
      newDz = absolute(newDz);
      oldDz = absolute(oldDz);
    }
    let crossed = nowhere();
    for (let s: u32 = 0; s < senseCount; s++) {
      const range = floatAt(reaches, s);
      if (!(range > 0)) continue;
      let isInside: Mask;
      let wasInside: Mask;
      if (kind == BOX) {
        const halfX = allFloats(range * floatAt(job, RATIO_X));
        const halfY = allFloats(range * floatAt(job, RATIO_Y));
        isInside = both(isAtMost(newDx, halfX), isAtMost(newDy, halfY));
        wasInside = both(isAtMost(oldDx, halfX), isAtMost(oldDy, halfY));
      } else {
        const rangeSquared = allFloats(range * range);
        isInside = isAtMost(newSquared, rangeSquared);
        wasInside = isAtMost(oldSquared, rangeSquared);
      }
      if (kind != CIRCLE && is3D) {
        const halfZ = allFloats(range * floatAt(job, RATIO_Z));
        isInside = both(isInside, isAtMost(newDz, halfZ));
        wasInside = both(wasInside, isAtMost(oldDz, halfZ));
      }
      crossed = either(crossed, differ(isInside, wasInside));
    }
    if (bitsOf(crossed) != 0) decideLanes(entry, i, end, crossed);
  }
}

/**
 * Markers with gains, minReaches or maxReaches of their own. With circles, those within `most`, before or now, are decided one at
 * a time; with other shapes, all are.
 */
function scanProfiled(entry: u32, begin: u32, end: u32, most: f32): void {
  if (shape != CIRCLE) {
    for (let i = begin; i < end; i++) decideCrossing(entry, i);
    return;
  }
  const mostSquared = allFloats(most * most);
  const watcherNewX = allFloats(floatAt(newX, entry));
  const watcherNewY = allFloats(floatAt(newY, entry));
  const watcherOldX = allFloats(floatAt(oldX, entry));
  const watcherOldY = allFloats(floatAt(oldY, entry));
  for (let i = begin; i < end; i += WIDTH) {
    const at = <usize>i << 2;
    const newDx = sub(floatsAt(newX + at), watcherNewX);
    const newDy = sub(floatsAt(newY + at), watcherNewY);
    const oldDx = sub(floatsAt(oldX + at), watcherOldX);
    const oldDy = sub(floatsAt(oldY + at), watcherOldY);
    const isNear = isAtMost(add(mul(newDx, newDx), mul(newDy, newDy)), mostSquared);
    const wasNear = isAtMost(add(mul(oldDx, oldDx), mul(oldDy, oldDy)), mostSquared);
    const mayDiffer = either(isNear, wasNear);
    if (bitsOf(mayDiffer) != 0) decideLanes(entry, i, end, mayDiffer);
  }
}

/** With only one sense, the comparison already gives the crossing's senses. */
function appendLanes(entry: u32, first: u32, end: u32, crossed: Mask, isInside: Mask): void {
  const inside = bitsOf(isInside);
  const ref = wordAt(refs, entry);
  for (let lanes = lanesOf(first, end, crossed); lanes != 0; lanes &= lanes - 1) {
    const lane = ctz(lanes);
    const payload: u32 = 1 + 255 * ((inside >>> lane) & 1);
    const other = wordAt(refs, first + lane);
    if (!isSought) appendCrossing(ref, other, payload);
    else if (seeks(other)) appendCrossing(other, ref, payload);
  }
}

function decideLanes(entry: u32, first: u32, end: u32, crossed: Mask): void {
  for (let lanes = lanesOf(first, end, crossed); lanes != 0; lanes &= lanes - 1) {
    const other = first + ctz(lanes);
    if (!isSought) decideCrossing(entry, other);
    else if (seeks(wordAt(refs, other))) decideCrossing(other, entry);
  }
}

/** Whether a nearby entry counts as a watcher of the current entry: it must have the common ranges. */
function seeks(ref: u32): bool {
  return !isChoosy || (roleOf(job, ref) & WATCHES_AS_COMMON) != 0;
}

@inline
function lanesOf(first: u32, end: u32, crossed: Mask): u32 {
  const lanes = bitsOf(crossed);
  return first + WIDTH > end ? lanes & ((1 << (end - first)) - 1) : lanes;
}
