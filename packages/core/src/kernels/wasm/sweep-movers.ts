/**
 * The double test for a world in which few entities move: only pairs with a mover in them, both directions at once.
 *
 * Entries stay in their cells from tick to tick, in cells with gaps. Those that changed have been corrected, listed, and marked
 * by a bit each. Each listed entry searches, class by class (sweep-tests.ts): its window among the members of a class is as wide
 * as it perceives them, or they perceive it. A pair of two movers is found by the one that comes first. Where few watch, the
 * listed entries are those of all watchers (layouts/resident-entries.ts): one at rest is tested against the movers only, by the
 * bits.
 *
 * Cost: some 230 ns for a mover with 30 perceived, most of it waiting for memory, in a world that no cache holds.
 */
import { CHANGED_COUNT, FROM_WATCHERS, MAY_BE_STALE, MOVERS, MOVER_BITS } from '../layouts/sweep-job';
import { CIRCLE } from '../layouts/perception';
import { CLASSES, bitsWithin, column, floatAt, watches, word, wordAt } from './job';
import {
  activeCount, classOf, clipRow, firstCell, fromX, fromY, fromZ, height, nextBand, openMover, openMovers, openWindow, ownClass, table, toX, toY, toZ, width,
} from './mover-window';
import {
  closeCrossings, count, is3D, job, newX, newY, newZ, oldX, oldY, oldZ, openCrossings, shape,
} from './sweep-crossing';
import { openProfiles } from './sweep-profiles';
import { testAtRest } from './sweep-sides';
import { openTests, scanRuns } from './sweep-tests';

/** In the time of testing a marked entry, so many are tested four at a time. */
const ALL_PER_MARKED: u32 = 8;

/** Whether the scanned entries are those of all watchers, and not the movers. */
let isFromWatchers: bool = false;
/** Whether the current one did not move or change: then only pairs with movers can have changed. */
let isStill: bool = false;
let bits: usize = 0;
/** The classes that are tested against each other. */
let openedOwn: u32 = CLASSES;
let openedOther: u32 = CLASSES;
/** Whether members of the latter are scanned, too: of two of these, the first finds the pair. */
let areScanned: bool = false;

export function scanMovers(offset: usize, from: u32, to: u32): u32 {
  openCrossings(offset);
  openProfiles();
  openMovers(word(job, MAY_BE_STALE) != 0);
  bits = column(job, MOVER_BITS);
  isFromWatchers = word(job, FROM_WATCHERS) != 0;
  const mayBeSetAside = isFromWatchers && word(job, CHANGED_COUNT) != 0;
  openedOwn = CLASSES;
  const movers = column(job, MOVERS);
  for (let k = from; k < to; k++) {
    const mover = wordAt(movers, k);
    const before = count;
    // A watcher that changed in place: `scanChanged` tests it.
    if (mayBeSetAside && isSetAside(mover)) continue;
    openMover(mover);
    isStill = isFromWatchers && isAtRest(mover);
    for (let i: u32 = 0; i < activeCount; i++) {
      if (!openWindow(i) || scanWindow(mover)) continue;
      closeCrossings(before);
      return k;
    }
  }
  closeCrossings(count);
  return to;
}

/** Whether an entry has no positions, neither of now nor of the last tick. */
@inline
export function isSetAside(entry: u32): bool {
  return floatAt(newX, entry) != floatAt(newX, entry) && floatAt(oldX, entry) != floatAt(oldX, entry);
}

@inline
function isAtRest(entry: u32): bool {
  // An entry that is split has no old or no new position.
  const isInPlace = floatAt(newX, entry) == floatAt(oldX, entry) && floatAt(newY, entry) == floatAt(oldY, entry);
  return isInPlace && (!is3D || floatAt(newZ, entry) == floatAt(oldZ, entry));
}

/** False if the crossings may not fit. */
function scanWindow(mover: u32): bool {
  if (openedOwn != ownClass || openedOther != classOf) openClasses();
  const isClipped = shape == CIRCLE && toZ > 0;
  do {
    for (let cellZ = fromZ; cellZ <= toZ; cellZ++) {
      for (let cellY = fromY; cellY <= toY; cellY++) {
        if (isClipped && !clipRow(cellY, cellZ)) continue;
        const row = firstCell + (cellZ * height + cellY) * width;
        const begin = wordAt(table, row + fromX);
        const end = wordAt(table, row + toX + 1);
        if (begin == end) continue;
        if (!scanRow(mover, begin, end)) return false;
      }
    }
  } while (nextBand());
  return true;
}

function openClasses(): void {
  openedOwn = ownClass;
  openedOther = classOf;
  // If only watchers are scanned, no entries of other classes are, though movers among them are marked.
  areScanned = !isFromWatchers || watches(classOf);
  openTests(ownClass, classOf, false, areScanned ? bits : 0);
  testAtRest(!isFromWatchers);
}

/**
 * Around movers, tests those at rest, then the marked ones. Around a watcher, all at once, or, if it is at rest, only the marked ones
 * where these are few.
 */
@inline
function scanRow(mover: u32, begin: u32, end: u32): bool {
  const areAll = !isFromWatchers || !isStill || areManyMarked(begin, end);
  if (areAll && !scanRuns(mover, mover + 1, begin, end)) return false;
  if (areAll && isFromWatchers) return true;
  return scanMarked(mover, areScanned ? max<u32>(begin, mover + 1) : begin, end);
}

/** Whether it is faster to test all entries, four at a time, than the marked ones. */
@inline
function areManyMarked(begin: u32, end: u32): bool {
  let marked: u32 = 0;
  for (let at = begin >>> 5; at <= end >>> 5; at++) marked += popcnt<u32>(wordAt(bits, at));
  return marked * ALL_PER_MARKED > end - begin;
}

/** False if the crossings may not fit. */
function scanMarked(mover: u32, begin: u32, end: u32): bool {
  for (let first = begin & ~31; first < end; first += 32) {
    let marked = bitsWithin(bits, first, begin, end);
    for (; marked != 0; marked &= marked - 1) {
      const other = first + <u32>ctz(marked);
      testAtRest(false);
      const isDone = scanRuns(mover, mover + 1, other, other + 1);
      testAtRest(!isFromWatchers);
      if (!isDone) return false;
    }
  }
  return true;
}
