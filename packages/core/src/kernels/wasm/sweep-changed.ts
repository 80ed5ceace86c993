/**
 * The double test for entities that changed in place: how far they perceive, or how they are perceived, is another than at the last
 * tick, and they did not leap. A door that opens, a player who ducks or fires, a lamp that is lit.
 *
 * As two entries, an old and a new one, each pair with such an entity would be found twice, as lost and as found, and nearly all of
 * these would cancel each other when crossings are resolved. So it keeps one entry, which the other scans pass over, and is tested here
 * against all entries near it: where it was, by its former properties; where it is, by its present ones.
 *
 *   all are sorted     such entries are a class of their own, the last one, which no other class is tested against. It has bands, too. Those
 *                      in channel 0 are in the first one, and search all: so they find those in channels, which come after them
 *   entries stay       such entries stay among the others, without positions until all is tested
 *
 * Among the crowd and things, four pairs are tested at once. Pairs with odd entries, and those that may have crossed in a world with
 * several senses, are decided by the definition. Circles and spheres only: for other shapes, there are two entries. Cost: some 0.5
 * microseconds for an entity with 30 others in reach.
 */
import { MARKER } from '../layouts/entity-flags';
import { FLAGS, LAYERS, NEEDS, ONLY, ONLY_GROUPS, RANGES, SEES } from '../layouts/perception';
import {
  CHANGED_LIST, COMMON_RANGES, FILTERED, FIRST_ENTRY, IS_FILTERED, LAST_CLASS, LAST_STATE, LAST_X, LAST_Y, LAST_Z, MOVER_BITS, NOW_CLASS,
  NOW_STATE, NOW_X, NOW_Y, NOW_Z, OWN_PROFILE,
} from '../layouts/sweep-job';
import { CROWD, GHOST_BIT, IN_PLACE, KIND_MASK, bitsWithin, column, floatAt, isOdd, setFloat, word, wordAt } from './job';
import { Floats, WIDTH, allFloats, bitsOf, either, floatsAt, isAtMost, sub } from './lanes';
import {
  activeCount, classOf, clipRow, firstCell, fromX, fromY, fromZ, height, nextBand, openChanged, openMovers, openWindow, table, toX, toY, toZ, width,
  windowReach,
} from './mover-window';
import { isInside, meets, reachFrom, squaredOf } from './perception';
import {
  append, capacity, closeCrossings, count, is3D, job, newX, newY, newZ, oldX, oldY, oldZ, openCrossings, rangeOf, reachOf, refs, senseCount,
  squareOf,
} from './sweep-crossing';
import { isSetAside } from './sweep-movers';
import { alsoSquared, squared, upTo } from './sweep-sides';

/** Squares by sense in the scratch `OWN_PROFILE`. */
const OWN_NOW: u32 = 0;
const THEIRS_NOW: u32 = 1;
const OWN_THEN: u32 = 2;
const THEIRS_THEN: u32 = 3;
const SQUARES: u32 = 4;

/** The slots' positions, now and at the last tick. */
let nowX: usize = 0;
let nowY: usize = 0;
let nowZ: usize = 0;
let lastX: usize = 0;
let lastY: usize = 0;
let lastZ: usize = 0;
// The current entity.
let slot: u32 = 0;
let ownX: f32 = 0;
let ownY: f32 = 0;
let ownZ: f32 = 0;
let formerX: f32 = 0;
let formerY: f32 = 0;
let formerZ: f32 = 0;
/** Whether it may meet others than before. */
let meetsOthers: bool = false;
/** Whether anything in the world has conditions. */
let isConditional: bool = false;
// Without conditions, 1 or 0: whether it sees markers without filters, and is seen by watchers without filters, at the last tick and now.
let sawUsual: u32 = 1;
let seesUsual: u32 = 1;
let wasUsual: u32 = 1;
let isUsual: u32 = 1;
/** Whether any entity may not meet all others. */
let isFiltered: bool = false;
/** Whether entries stay, so that others that changed are among all others. */
let isList: bool = false;

export function scanChanged(offset: usize, from: u32, to: u32): u32 {
  openCrossings(offset);
  openMovers(true);
  nowX = column(job, NOW_X);
  nowY = column(job, NOW_Y);
  nowZ = column(job, NOW_Z);
  lastX = column(job, LAST_X);
  lastY = column(job, LAST_Y);
  lastZ = column(job, LAST_Z);
  const list = column(job, CHANGED_LIST);
  const first = word(job, FIRST_ENTRY);
  isList = list != 0;
  isFiltered = word(job, FILTERED) != 0;
  isConditional = areConditions(NOW_STATE) || areConditions(LAST_STATE);
  for (let k = from; k < to; k++) {
    const entry = isList ? load<u32>(list - (<usize>k << 2)) : first + k;
    const before = count;
    open(entry);
    for (let i: u32 = 0; i < activeCount; i++) {
      if (!openWindow(i) || scanWindow(entry)) continue;
      closeCrossings(before);
      return k;
    }
  }
  closeCrossings(count);
  return to;
}

function open(entry: u32): void {
  slot = wordAt(refs, entry);
  ownX = floatAt(nowX, slot);
  ownY = floatAt(nowY, slot);
  ownZ = is3D ? floatAt(nowZ, slot) : 0;
  formerX = floatAt(lastX, slot);
  formerY = floatAt(lastY, slot);
  formerZ = is3D ? floatAt(lastZ, slot) : 0;
  meetsOthers = isFiltered && areFiltersOther();
  sawUsual = bitsIn(LAST_STATE + SEES) & 1;
  seesUsual = bitsIn(NOW_STATE + SEES) & 1;
  wasUsual = bitsIn(LAST_STATE + LAYERS) & isMarkerIn(LAST_STATE);
  isUsual = bitsIn(NOW_STATE + LAYERS) & isMarkerIn(NOW_STATE);
  openChanged(slot, <f64>ownX, <f64>ownY, <f64>ownZ);
  for (let s: u32 = 0; s < senseCount; s++) {
    const common = floatAt(job, COMMON_RANGES + s);
    const at = OWN_PROFILE + SQUARES * s;
    setFloat(job, at + OWN_NOW, squareOf(rangeOf(s, slot)));
    setFloat(job, at + THEIRS_NOW, squareOf(reachOf(s, common, slot)));
    setFloat(job, at + OWN_THEN, squareOf(rangeOf(s, slot | GHOST_BIT)));
    setFloat(job, at + THEIRS_THEN, squareOf(reachOf(s, common, slot | GHOST_BIT)));
  }
}

/** Whether any property that decides whom the entity meets is another than at the last tick, or conditions may depend on one that is. */
function areFiltersOther(): bool {
  const areLayersOther =
    bitsIn(NOW_STATE + LAYERS) != bitsIn(LAST_STATE + LAYERS) || bitsIn(NOW_STATE + SEES) != bitsIn(LAST_STATE + SEES);
  return isConditional || areLayersOther || isMarkerIn(NOW_STATE) != isMarkerIn(LAST_STATE);
}

/** A word of the entity's, of those whose default is 1. */
function bitsIn(values: u32): u32 {
  const at = column(job, values);
  return at == 0 ? 1 : wordAt(at, slot);
}

/** 1 or 0. */
function isMarkerIn(state: u32): u32 {
  return u32((<u32>load<u8>(column(job, state + FLAGS) + <usize>slot) & MARKER) != 0);
}

function areConditions(state: u32): bool {
  return (word(job, state + NEEDS) | word(job, state + ONLY) | word(job, state + ONLY_GROUPS)) != 0;
}

/** False if the crossings may not fit. */
function scanWindow(entry: u32): bool {
  const isClipped = toZ > 0;
  do {
    for (let cellZ = fromZ; cellZ <= toZ; cellZ++) {
      for (let cellY = fromY; cellY <= toY; cellY++) {
        if (isClipped && !clipRow(cellY, cellZ)) continue;
        const row = firstCell + (cellZ * height + cellY) * width;
        const begin = wordAt(table, row + fromX);
        const end = wordAt(table, row + toX + 1);
        if (begin == end) continue;
        if (count + 2 * (end - begin) > capacity) return false;
        if (classOf == IN_PLACE) for (let i = max<u32>(begin, entry + 1); i < end; i++) decide(i, true);
        else {
          scanRun(begin, end);
          if (isList) scanOthers(max<u32>(begin, entry + 1), end);
        }
      }
    }
  } while (nextBand());
  return true;
}

/** Others that changed in place, among all others. */
function scanOthers(begin: u32, end: u32): void {
  const bits = column(job, MOVER_BITS);
  for (let first = begin & ~31; first < end; first += 32) {
    let marked = bitsWithin(bits, first, begin, end);
    for (; marked != 0; marked &= marked - 1) {
      const other = first + <u32>ctz(marked);
      if (isSetAside(other)) decide(other, true);
    }
  }
}

function scanRun(begin: u32, end: u32): void {
  const areOdd = isOdd(classOf);
  const most = <f32>windowReach;
  const farthest = allFloats(most * most);
  const ownNewX = allFloats(ownX);
  const ownNewY = allFloats(ownY);
  const ownNewZ = allFloats(ownZ);
  const ownOldX = allFloats(formerX);
  const ownOldY = allFloats(formerY);
  const ownOldZ = allFloats(formerZ);
  for (let i = begin; i < end; i += WIDTH) {
    const at = <usize>i << 2;
    let now = squared(sub(floatsAt(newX + at), ownNewX), sub(floatsAt(newY + at), ownNewY));
    let then = squared(sub(floatsAt(oldX + at), ownOldX), sub(floatsAt(oldY + at), ownOldY));
    if (is3D) {
      now = alsoSquared(now, sub(floatsAt(newZ + at), ownNewZ));
      then = alsoSquared(then, sub(floatsAt(oldZ + at), ownOldZ));
    }
    if (!areOdd) {
      scanPlain(i, end, now, then);
      continue;
    }
    const near = bitsOf(either(isAtMost(now, farthest), isAtMost(then, farthest)));
    for (let lanes = upTo(end, i, near); lanes != 0; lanes &= lanes - 1) decide(i + <u32>ctz(lanes), false);
  }
}

/** Four entries of the crowd, or things. In a world with several senses, the definition decides those that may have crossed. */
@inline
function scanPlain(i: u32, end: u32, now: Floats, then: Floats): void {
  let changed: u32 = 0;
  let isOwn: u32 = 0;
  let wasOwn: u32 = 0;
  let isTheirs: u32 = 0;
  let wasTheirs: u32 = 0;
  for (let s: u32 = 0; s < senseCount; s++) {
    const at = OWN_PROFILE + SQUARES * s;
    isOwn = bitsOf(isAtMost(now, allFloats(floatAt(job, at + OWN_NOW))));
    wasOwn = bitsOf(isAtMost(then, allFloats(floatAt(job, at + OWN_THEN))));
    changed |= meetsOthers ? isOwn | wasOwn : isOwn ^ wasOwn;
    if ((classOf & KIND_MASK) != CROWD) continue;
    isTheirs = bitsOf(isAtMost(now, allFloats(floatAt(job, at + THEIRS_NOW))));
    wasTheirs = bitsOf(isAtMost(then, allFloats(floatAt(job, at + THEIRS_THEN))));
    changed |= meetsOthers ? isTheirs | wasTheirs : isTheirs ^ wasTheirs;
  }
  for (let lanes = upTo(end, i, changed); lanes != 0; lanes &= lanes - 1) {
    const lane = ctz(lanes);
    if (senseCount > 1) {
      decide(i + lane, false);
      continue;
    }
    const other = wordAt(refs, i + lane) & ~GHOST_BIT;
    if (meetsOthers && !isConditional && !isFilteredSlot(other)) {
      note(slot, other, (wasOwn >>> lane) & sawUsual, (isOwn >>> lane) & seesUsual);
      note(other, slot, (wasTheirs >>> lane) & wasUsual, (isTheirs >>> lane) & isUsual);
      continue;
    }
    meet(slot, other, (wasOwn >>> lane) & 1, (isOwn >>> lane) & 1);
    meet(other, slot, (wasTheirs >>> lane) & 1, (isTheirs >>> lane) & 1);
  }
}

/** Appends a pair if the watcher perceives the marker, and did not, or the reverse. Bits: whether the marker was, and is, within reach. */
@inline
function meet(watcher: u32, marker: u32, wasIn: u32, isIn: u32): void {
  if ((wasIn | isIn) == 0 || (wasIn == isIn && !meetsOthers)) return;
  let before = wasIn;
  let after = isIn;
  if (isFiltered && (isFilteredSlot(watcher) || isFilteredSlot(marker))) {
    before &= u32(wasIn != 0 && meets(job + (LAST_STATE << 2), watcher, marker));
    after &= u32(isIn != 0 && meets(job + (NOW_STATE << 2), watcher, marker));
  }
  note(watcher, marker, before, after);
}

/** Appends a pair if it changed. The senses before and after. */
@inline
function note(watcher: u32, marker: u32, before: u32, after: u32): void {
  if (before != after) append(watcher, marker, before | (after << 8));
}

@inline
function isFilteredSlot(other: u32): bool {
  const classes = <u32>load<u8>(column(job, NOW_CLASS) + <usize>other) | <u32>load<u8>(column(job, LAST_CLASS) + <usize>other);
  return (classes & IS_FILTERED) != 0;
}

// Of the pair that is decided.
let isThere: bool = false;
let wasThere: bool = false;
let dx: f32 = 0;
let dy: f32 = 0;
let dz: f32 = 0;
let formerDx: f32 = 0;
let formerDy: f32 = 0;
let formerDz: f32 = 0;

/** Decides the pair of the entity and another entry by the definition, both ways. `isWhole`: that one changed in place, too. */
function decide(entry: u32, isWhole: bool): void {
  const other = wordAt(refs, entry) & ~GHOST_BIT;
  if (other == slot) return;
  isThere = isWhole || floatAt(newX, entry) == floatAt(newX, entry);
  wasThere = isWhole || floatAt(oldX, entry) == floatAt(oldX, entry);
  dx = floatAt(nowX, other) - ownX;
  dy = floatAt(nowY, other) - ownY;
  formerDx = floatAt(lastX, other) - formerX;
  formerDy = floatAt(lastY, other) - formerY;
  if (is3D) {
    dz = floatAt(nowZ, other) - ownZ;
    formerDz = floatAt(lastZ, other) - formerZ;
  } else {
    dz = 0;
    formerDz = 0;
  }
  cross(slot, other);
  cross(other, slot);
}

function cross(watcher: u32, marker: u32): void {
  const before = wasThere ? sensesIn(job + (LAST_STATE << 2), watcher, marker, formerDx, formerDy, formerDz) : 0;
  const after = isThere ? sensesIn(job + (NOW_STATE << 2), watcher, marker, dx, dy, dz) : 0;
  note(watcher, marker, before, after);
}

/** The senses in which a watcher perceives a marker (slots), at this distance or its opposite, in a state of the world. */
function sensesIn(state: usize, watcher: u32, marker: u32, atX: f32, atY: f32, atZ: f32): u32 {
  if (!meets(state, watcher, marker)) return 0;
  const distance = squaredOf(atX, atY, atZ);
  let senses: u32 = 0;
  for (let s: u32 = 0; s < senseCount; s++) {
    const ranges = column(state, RANGES + <i32>s);
    const reach: f32 = ranges == 0 ? 0 : reachFrom(state, s, floatAt(ranges, watcher), marker);
    if (reach > 0 && isInside(state, atX, atY, atZ, distance, reach)) senses |= 1 << s;
  }
  return senses;
}
