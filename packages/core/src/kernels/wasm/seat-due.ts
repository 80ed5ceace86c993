// Which rows must be decided in a tick: part of seat-search.ts. seat-calm.ts says when a watcher is calm.
import { HEAVY, ON_EVERY_TICK, ON_NEWS } from '../layouts/looks';
import { ADDED, MOVED, REMOVED, TOUCHED } from '../layouts/pending-bits';
import { X, Y, Z } from '../layouts/perception';
import * as words from '../layouts/seat-search';
import {
  CONCERNS, addStep, calmToOf, closeCalm, endCalm, isCalm, isSearched, oldX, oldY, oldZ, openCalm, rests, rowCount, rows, stepOf, takeLeaper,
} from './seat-calm';
import { is3D, last, openWatchers, standAt, xs, ys, zs } from './seat-watcher';
import { crosses, openCrossings } from './seat-whole';
import { openIndex, stirAround, stirred } from './seat-window';
import { column, floatAt, setWord, word, wordAt } from './job';
import { findAround, openNear, visits } from './near-watchers';
import { sortWords } from './sort-words';

const ONLY_STEPS: u32 = MOVED | TOUCHED;
/**
 * With only these looks a watcher may be calm: on changes in the world; in every tick because of dwell, which the slack allows
 * for.
 */
const USUAL_LOOKS: u32 = ON_NEWS | ON_EVERY_TICK;
/** With these, too, if it has a whole row: `admit` answers as before. */
const ANSWERED_LOOKS: u32 = USUAL_LOOKS | HEAVY;
/** Most leapers: this many, and one in `SHARE` of the pending slots or the rows. */
const FEW: u32 = 8;
const SHARE: u32 = 64;
/** If the entities that moved or changed are fewer than the rows divided by this, all of them are leapers. */
const FEW_MOVE: u32 = 12;
/** Where no watcher is searched: the same. Each row is read, but only the pairs with leapers are measured. */
const FEW_FOR_ROWS: u32 = 3;
/** Entries that may be read for each row, before deciding all rows is cheaper. */
const WORTH: u32 = 32;
const COUNTS_BYTES: usize = words.STEP_COUNTS << 2;
const LEAPERS_AT: usize = words.LEAPERS_BEGIN << 2;

/** Whether all rows are listed, not only those in which something may have happened. */
let areAll: bool = false;

/**
 * Lists the rows to be decided in this tick: those that have crossings or other news of their own; and of all others, those that are not calm and have
 * no room for all candidates, or margin-held pairs. Returns their number; or `TOO_MANY`, if only some rows are listed. If watchers are searched, the
 * index must be settled.
 */
export function listDue(job: usize): u32 {
  areAll = word(job, words.ARE_SOME) == 0;
  openWatchers(job);
  openIndex(job);
  openCalm(job);
  openCrossings(job);
  const leaperCount = measure(job);
  const leapers = column(job, words.LEAPERS) + LEAPERS_AT;
  // Otherwise any row may be due.
  let isWorth = areAll || (!areTooMany && longest == 0);
  if (isWorth && areTooMany) forget(false);
  if (isWorth && !areTooMany) addStep(longest);
  if (isWorth && leaperCount > 0) {
    farthest = column(job, words.HIDDEN) == 0 ? -1 : areAll ? findFarthest() : load<f64>(job + (words.FARTHEST << 2));
    store<f64>(job + (words.FARTHEST << 2), farthest);
    if (farthest >= 0) isWorth = stirAll(job, leapers, leaperCount);
  }
  const areFound = isWorth && leaperCount > 0 && stirRows(job, leapers, leaperCount);
  const due = isWorth ? list(job, leaperCount > 0, areFound) : <u32>words.TOO_MANY;
  closeCalm(job, isAnyCalm || !areAll);
  const leapt = column(job, words.LEAPT);
  for (let i: u32 = 0; i < leaperCount; i++) store<u8>(leapt + wordAt(leapers, i), 0);
  return due;
}

/** Ends the calm of all searched watchers that leapers affect. Returns false if they affect too many, and not all rows are listed. */
function stirAll(job: usize, leapers: usize, leaperCount: u32): bool {
  const most = stirred + WORTH * word(job, words.ALL_ROWS) + 4096;
  for (let i: u32 = 0; i < leaperCount; i++) {
    leap(job, wordAt(leapers, i));
    if (stirred <= most) continue;
    if (!areAll) return false;
    forget(true);
    break;
  }
  return true;
}

/**
 * Ends the calm of all watchers with whole rows, near leapers, that these affect. Returns false if not all near them were found: there are no
 * grids of watchers, or reading all rows is cheaper.
 */
function stirRows(job: usize, leapers: usize, leaperCount: u32): bool {
  const near = column(job, words.NEAR_JOB);
  if (near == 0) return false;
  openNear(near, true);
  const most = WORTH * word(job, words.ALL_ROWS);
  for (let i: u32 = 0; i < leaperCount && visits <= most; i++) {
    const slot = wordAt(leapers, i);
    takeLeaper(slot, 0, <u32>load<u8>(column(job, words.PENDING) + slot));
    findAround(slot);
  }
  return visits <= most;
}

/** The farthest distance at which a marker may have a seat with any searched watcher that is calm; -1 if there is none. */
let farthest: f64 = -1;
/** Whether any watcher relies on the travel. */
let isAnyCalm: bool = false;

function findFarthest(): f64 {
  let most: f64 = -1;
  for (let i: u32 = 0; i < rowCount; i++) {
    const slot = wordAt(rows, i);
    if (isSearched(slot) && isCalm(slot)) most = max(most, calmToOf(slot));
  }
  return most;
}

/** `areFound`: the watchers near leapers had `stirRow`. */
function list(job: usize, isAnyLeaper: bool, areFound: bool): u32 {
  const due = column(job, words.DUE);
  // Scratch for now.
  if (!areAll) sortWords(rows, due, rowCount, word(job, words.SLOT_COUNT));
  const looks = column(job, words.LOOKS);
  const pending = column(job, words.PENDING);
  const limits = column(job, words.ROOM_LIMITS);
  const held = column(job, words.MARGIN_HELD);
  let count: u32 = 0;
  isAnyCalm = false;
  for (let i: u32 = 0; i < rowCount; i++) {
    const slot = wordAt(rows, i);
    // One that a leaper affects may be listed twice.
    if (!areAll && i > 0 && slot == wordAt(rows, i - 1)) continue;
    setWord(due, count, slot);
    const isWhole = !isSearched(slot);
    const isUsual =
      ((<u32>load<u8>(pending + slot) & ~ONLY_STEPS) | (<u32>load<u8>(looks + slot) & ~(isWhole ? ANSWERED_LOOKS : USUAL_LOOKS))) == 0;
    const hasCrossed = isWhole && crosses(slot);
    if (isUsual && !hasCrossed) {
      // A row with room for all candidates.
      if (isWhole && wordAt(limits, slot) > 0 && wordAt(held, slot) == 0) continue;
      if (isCalm(slot) && (!isWhole || !isAnyLeaper || rests(slot, areFound))) {
        isAnyCalm = true;
        continue;
      }
    }
    count++;
    endCalm(slot);
  }
  return count;
}

/** Ends the calm of all searched watchers, or of all. */
function forget(onlySearched: bool): void {
  for (let i: u32 = 0; i < rowCount; i++) {
    const slot = wordAt(rows, i);
    if (!onlySearched || isSearched(slot)) endCalm(slot);
  }
}

/** The square of the longest step of an entity that is not a leaper; and whether more entities changed than may be leapers. */
let longest: f32 = 0;
let areTooMany: bool = false;

/** Lists the leapers and returns their number. */
function measure(job: usize): u32 {
  const pendingSlots = column(job, words.PENDING_SLOTS);
  const pendingCount = word(job, words.PENDING_COUNT);
  const pending = column(job, words.PENDING);
  const counts = column(job, words.LEAPERS);
  const leapers = counts + LEAPERS_AT;
  const capacity = word(job, words.LEAPER_CAPACITY);
  const allRows = word(job, words.ALL_ROWS);
  const leapt = column(job, words.LEAPT);
  memory.fill(counts, 0, COUNTS_BYTES);
  let changed: u32 = 0;
  let moved: u32 = 0;
  for (let i: u32 = 0; i < pendingCount; i++) {
    const slot = wordAt(pendingSlots, i);
    const bits = <u32>load<u8>(pending + slot);
    if ((bits & CONCERNS) != 0) {
      changed++;
      continue;
    }
    if ((bits & MOVED) == 0) continue;
    moved++;
    const at = counts + (<usize>exponentOf(counts, stepOf(slot)) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let mayLeap = FEW + max(pendingCount, allRows) / SHARE;
  if (moved + changed < allRows / FEW_MOVE) mayLeap = max(mayLeap, moved + changed);
  if (column(job, words.HIDDEN) == 0 && pendingCount < allRows / FEW_FOR_ROWS) mayLeap = pendingCount;
  mayLeap = min(mayLeap, capacity);
  longest = 0;
  areTooMany = changed > mayLeap;
  if (areTooMany) return 0;
  mayLeap -= changed;
  let exponent: i32 = 255;
  for (; exponent >= 0; exponent--) {
    const above = load<u32>(counts + (<usize>exponent << 2));
    if (above > mayLeap) break;
    mayLeap -= above;
  }
  let count: u32 = 0;
  for (let i: u32 = 0; i < pendingCount; i++) {
    const slot = wordAt(pendingSlots, i);
    const bits = <u32>load<u8>(pending + slot);
    if ((bits & (MOVED | CONCERNS)) == 0) continue;
    const squared: f32 = (bits & MOVED) == 0 ? 0 : stepOf(slot);
    if ((bits & CONCERNS) != 0 || exponentOf(counts, squared) > exponent) {
      setWord(leapers, count++, slot);
      store<u8>(leapt + slot, words.LEAPS);
    } else longest = max(longest, squared);
  }
  return count;
}

/** The value must not be negative. */
@inline
function exponentOf(counts: usize, value: f32): i32 {
  store<f32>(counts, value, COUNTS_BYTES);
  return <i32>(load<u32>(counts, COUNTS_BYTES) >>> 23);
}

/** Ends the calm of every watcher that may have seated a leaper, or may now. */
function leap(job: usize, slot: u32): void {
  endCalm(slot);
  const bits = <u32>load<u8>(column(job, words.PENDING) + slot);
  const radius = takeLeaper(slot, farthest, bits);
  const isHere = (bits & REMOVED) == 0;
  const wasHere = (bits & ADDED) == 0;
  // Usually a leaper went less far than watchers see.
  const length: f64 = isHere && wasHere ? sqrt<f64>(<f64>stepOf(slot)) : 0;
  if (isHere) {
    standAt(floatAt(xs, slot), floatAt(ys, slot), is3D ? floatAt(zs, slot) : 0);
    stirAround(length < radius ? radius + length : radius);
  }
  if (!wasHere || (isHere && length < radius)) return;
  standAt(oldX, oldY, oldZ);
  stirAround(radius);
}
