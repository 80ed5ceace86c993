// See ../layouts/resident-entries.ts, which explains the passes.
import { ADDED, MOVED, REMOVED } from '../layouts/pending-bits';
import {
  CELL_COUNT, CHANGED_COUNT, CHANGED_LIST, FROM_WATCHERS, GRIDS, GRID_BYTES, GRID_FIRST_CELL_WORD, GRID_MEMBERS_WORD, LANES, LAST_CLASS, LAST_X, LAST_Y, LAST_Z,
  MAY_BE_STALE, MOVERS, MOVER_BITS, MOVER_COUNT, NOW_CLASS, NOW_X, NOW_Y, NOW_Z, PENDING, PENDING_COUNT, PENDING_SLOTS, SLACK_F64,
  WATCHERS,
} from '../layouts/sweep-job';
import {
  activeCount, firstCell, fromX, fromY, fromZ, height, nextBand, openMover, openMovers, openWindow, toX, toY, toZ, width,
} from './mover-window';
import {
  clearEntry, copyEntry, ends, forgetEntering, makeRoom, noteEntered, noteEntering, openCells, places, setAside, stale, table,
} from './resident-cells';
import {
  CLASSES, GHOST_BIT, bitsWithin, clearBit, column, floatAt, numberAt, setBit, setFloat, setWord, watches, word, wordAt,
} from './job';
import { is3D, job, newX, newY, newZ, oldX, oldY, oldZ, openCrossings, refs } from './sweep-crossing';
import { SPLITS, cellNow, cellThen, mayStayInPlace } from './sweep-entries';
import { sortWords } from './sort-words';
import { noteProfile, openProfiles } from './sweep-profiles';

const CONCERNED: u32 = MOVED | SPLITS;
const NONE: u32 = 0x7fffffff;
/** Number of slots or entries that are prefetched at a time. */
const BLOCK: u32 = 64;
/** With fewer entries, all that is read fits into a near cache, and nothing is prefetched. */
const LEAST_PREFETCHED: u32 = 32768;

// Shared by the functions of one call; set by openResidents.
/** A bit for each entry that is scanned as a mover. */
let bits: usize = 0;
let movers: usize = 0;
let moverCount: u32 = 0;
let mayPrefetch: bool = false;

function openResidents(offset: usize): void {
  openCrossings(offset);
  openProfiles();
  openCells();
  bits = column(job, MOVER_BITS);
  movers = column(job, MOVERS);
  mayPrefetch = ASC_FEATURE_SIMD && wordAt(table, word(job, CELL_COUNT)) >= LEAST_PREFETCHED;
}

export function putMovers(offset: usize): u32 {
  openResidents(offset);
  const count = word(job, PENDING_COUNT);
  const slots = column(job, PENDING_SLOTS);
  const thenCells = movers + (<usize>count << 3);
  const nowCells = thenCells + (<usize>count << 2);
  const nowX = column(job, NOW_X);
  const nowY = column(job, NOW_Y);
  for (let i: u32 = 0; i < count; i++) {
    if (i % BLOCK == 0) touchSlots(slots, i, min<u32>(i + BLOCK, count));
    findCells(wordAt(slots, i), thenCells + (<usize>i << 2), nowCells + (<usize>i << 2));
    const now = wordAt(nowCells, i);
    if (now != NONE && now != wordAt(thenCells, i)) noteEntering(now);
  }
  for (let i: u32 = 0; i < count; i++) {
    if (i % BLOCK == 0) touchChanges(slots, thenCells, nowCells, i, min<u32>(i + BLOCK, count));
    const then = wordAt(thenCells, i);
    const now = wordAt(nowCells, i);
    if (then != now && !changeCell(wordAt(slots, i), then, now)) {
      forgetEntering();
      return 0;
    }
  }
  const mayBeStale = word(job, MAY_BE_STALE) != 0;
  moverCount = 0;
  const changedList = column(job, CHANGED_LIST);
  const isAnyInPlace = word(job, CHANGED_COUNT) != 0;
  let changedCount: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const then = wordAt(thenCells, i);
    const slot = wordAt(slots, i);
    if (isAnyInPlace && then < GHOST_BIT && mayStayInPlace(job, slot)) {
      const entry = wordAt(places, slot);
      store<u32>(changedList - (<usize>changedCount << 2), entry);
      changedCount++;
      noteProfile(entry, slot);
      setAside(entry);
      setBit(bits, entry);
      continue;
    }
    if (wordAt(nowCells, i) != NONE) {
      if (mayBeStale) setBit(stale, wordAt(places, slot));
      else setWord(movers, moverCount++, wordAt(places, slot));
    }
    if (then >= GHOST_BIT) setWord(movers, moverCount++, find(then & ~GHOST_BIT, slot | GHOST_BIT));
  }
  setWord(job, MOVER_COUNT, moverCount);
  setWord(job, CHANGED_COUNT, changedCount);
  // No entry lies after the end of the last cell's room.
  if (word(job, FROM_WATCHERS) == 0) sortWords(movers, nowCells + (<usize>count << 2), moverCount, wordAt(table, word(job, CELL_COUNT)));
  for (let k: u32 = 0; k < moverCount; k++) {
    if (k % BLOCK == 0) touchEntries(movers, k, min<u32>(k + BLOCK, moverCount));
    const entry = wordAt(movers, k);
    const slot = wordAt(refs, entry);
    if (slot < GHOST_BIT) {
      setFloat(newX, entry, floatAt(nowX, slot));
      setFloat(newY, entry, floatAt(nowY, slot));
      if (is3D) setFloat(newZ, entry, floatAt(column(job, NOW_Z), slot));
    }
    setBit(bits, entry);
  }
  return 1;
}

/**
 * Lists the entries of all watchers, ascending, and sets their bits. Returns their number. The stale entries near them get their
 * positions, and those that moved are listed as movers. Call it after `putMovers`.
 */
export function listWatchers(offset: usize): u32 {
  openResidents(offset);
  openMovers(word(job, MAY_BE_STALE) != 0);
  moverCount = word(job, MOVER_COUNT);
  const list = column(job, WATCHERS);
  const grids = column(job, GRIDS);
  const mayBeStale = word(job, MAY_BE_STALE) != 0;
  let listed: u32 = 0;
  for (let k: u32 = 0; k < CLASSES; k++) {
    const grid = grids + <usize>k * GRID_BYTES;
    if (!watches(k) || word(grid, GRID_MEMBERS_WORD) == 0) continue;
    const first = word(grid, GRID_FIRST_CELL_WORD);
    const end = word(grid + GRID_BYTES, GRID_FIRST_CELL_WORD);
    if (mayBeStale) showStale(wordAt(table, first), wordAt(table, end));
    for (let cell = first; cell < end; cell++) {
      for (let entry = wordAt(table, cell); entry < wordAt(ends, cell); entry++) setWord(list, listed++, entry);
    }
  }
  for (let k: u32 = 0; mayBeStale && k < listed; k++) {
    openMover(wordAt(list, k));
    for (let i: u32 = 0; i < activeCount; i++) if (openWindow(i)) showWindow();
  }
  for (let k: u32 = 0; k < listed; k++) setBit(bits, wordAt(list, k));
  setWord(job, MOVER_COUNT, moverCount);
  return listed;
}

function showWindow(): void {
  do {
    for (let cellZ = fromZ; cellZ <= toZ; cellZ++) {
      for (let cellY = fromY; cellY <= toY; cellY++) {
        const row = firstCell + (cellZ * height + cellY) * width;
        showStale(wordAt(table, row + fromX), wordAt(table, row + toX + 1));
      }
    }
  } while (nextBand());
}

/** Writes the positions of the stale ones of some entries, and lists those that moved in this tick. */
function showStale(begin: u32, end: u32): void {
  for (let first = begin & ~31; first < end; first += 32) {
    let marked = bitsWithin(stale, first, begin, end);
    if (marked == 0) continue;
    setWord(stale, first >>> 5, wordAt(stale, first >>> 5) & ~marked);
    for (; marked != 0; marked &= marked - 1) show(first + <u32>ctz(marked));
  }
}

function show(entry: u32): void {
  const slot = wordAt(refs, entry);
  const changes = <u32>load<u8>(column(job, PENDING) + <usize>slot);
  writeNew(entry, slot);
  // One that did not change is where it was.
  writeOld(entry, slot, isSplit(slot, changes));
  if ((changes & CONCERNED) == 0) return;
  setWord(movers, moverCount++, entry);
  setBit(bits, entry);
}

/** Gives all stale entries the position of the last tick. */
export function refreshEntries(offset: usize): void {
  openResidents(offset);
  const words = (wordAt(table, word(job, CELL_COUNT)) >>> 5) + 1;
  for (let at: u32 = 0; at < words; at++) {
    let marked = wordAt(stale, at);
    if (marked == 0) continue;
    setWord(stale, at, 0);
    for (; marked != 0; marked &= marked - 1) {
      const entry = (at << 5) + <u32>ctz(marked);
      writeOld(entry, wordAt(refs, entry), false);
      setFloat(newX, entry, floatAt(oldX, entry));
      setFloat(newY, entry, floatAt(oldY, entry));
      if (is3D) setFloat(newZ, entry, floatAt(oldZ, entry));
    }
  }
}

/** Writes the present position. */
@inline
function writeNew(entry: u32, slot: u32): void {
  setFloat(newX, entry, floatAt(column(job, NOW_X), slot));
  setFloat(newY, entry, floatAt(column(job, NOW_Y), slot));
  if (is3D) setFloat(newZ, entry, floatAt(column(job, NOW_Z), slot));
}

/** Writes the position of the last tick; NaN if it is not there, or if the entity's ghost has it. */
@inline
function writeOld(entry: u32, slot: u32, isGone: bool): void {
  setFloat(oldX, entry, isGone ? f32.NaN : floatAt(column(job, LAST_X), slot));
  setFloat(oldY, entry, isGone ? f32.NaN : floatAt(column(job, LAST_Y), slot));
  if (is3D) setFloat(oldZ, entry, isGone ? f32.NaN : floatAt(column(job, LAST_Z), slot));
}

/** Reads for some slots what `findCells` will read, and does nothing else, so that many cache misses overlap. */
function touchSlots(slots: usize, from: u32, to: u32): void {
  if (!mayPrefetch) return;
  const nowX = column(job, NOW_X);
  const nowY = column(job, NOW_Y);
  const lastX = column(job, LAST_X);
  const lastY = column(job, LAST_Y);
  const pending = column(job, PENDING);
  const nowClass = column(job, NOW_CLASS);
  const lastClass = column(job, LAST_CLASS);
  let sum: f32 = 0;
  let bytes: u32 = 0;
  for (let i = from; i < to; i++) {
    const slot = wordAt(slots, i);
    sum += floatAt(nowX, slot) + floatAt(nowY, slot) + floatAt(lastX, slot) + floatAt(lastY, slot);
    bytes += <u32>load<u8>(pending + <usize>slot) + <u32>load<u8>(nowClass + <usize>slot) + <u32>load<u8>(lastClass + <usize>slot);
  }
  setFloat(job, LANES, sum);
  setWord(job, LANES + 1, bytes);
}

/** The same for what `changeCell` will read and write. */
function touchChanges(slots: usize, thenCells: usize, nowCells: usize, from: u32, to: u32): void {
  if (!mayPrefetch) return;
  let sum: f32 = 0;
  for (let i = from; i < to; i++) {
    const then = wordAt(thenCells, i);
    const now = wordAt(nowCells, i);
    if (then == now) continue;
    if (then != NONE) sum += sumOf(wordAt(places, wordAt(slots, i))) + sumOf(wordAt(ends, then & ~GHOST_BIT));
    if (now != NONE) sum += sumOf(wordAt(ends, now));
  }
  setFloat(job, LANES, sum);
}

/** An entry's ref and positions, as floats. */
@inline
function sumOf(entry: u32): f32 {
  return floatAt(refs, entry) + floatAt(newX, entry) + floatAt(newY, entry) + floatAt(oldX, entry) + floatAt(oldY, entry);
}

/** The same for some entries, before they are written. */
function touchEntries(movers: usize, from: u32, to: u32): void {
  if (!mayPrefetch) return;
  const nowX = column(job, NOW_X);
  const nowY = column(job, NOW_Y);
  let sum: f32 = 0;
  for (let k = from; k < to; k++) {
    const entry = wordAt(movers, k);
    const slot = wordAt(refs, entry) & ~GHOST_BIT;
    sum += floatAt(newX, entry) + floatAt(newY, entry) + floatAt(nowX, slot) + floatAt(nowY, slot);
  }
  setFloat(job, LANES, sum);
}

export function restMovers(offset: usize): void {
  openResidents(offset);
  const count = word(job, PENDING_COUNT);
  const slots = column(job, PENDING_SLOTS);
  const thenCells = movers + (<usize>count << 3);
  moverCount = word(job, MOVER_COUNT);
  const changedCount = word(job, CHANGED_COUNT);
  const changedList = column(job, CHANGED_LIST);
  for (let k: u32 = 0; k < changedCount; k++) {
    const entry = load<u32>(changedList - (<usize>k << 2));
    const slot = wordAt(refs, entry);
    setWord(bits, entry >>> 5, 0);
    writeNew(entry, slot);
    rest(entry);
  }
  for (let k: u32 = 0; k < moverCount; k++) {
    const entry = wordAt(movers, k);
    setWord(bits, entry >>> 5, 0);
    if (wordAt(refs, entry) < GHOST_BIT) rest(entry);
  }
  for (let i: u32 = 0; i < count; i++) {
    const then = wordAt(thenCells, i);
    if (then < GHOST_BIT) continue;
    const cell = then & ~GHOST_BIT;
    takeOut(cell, find(cell, wordAt(slots, i) | GHOST_BIT));
  }
}

/** The entry is where it was. */
@inline
function rest(entry: u32): void {
  setFloat(oldX, entry, floatAt(newX, entry));
  setFloat(oldY, entry, floatAt(newY, entry));
  if (is3D) setFloat(oldZ, entry, floatAt(newZ, entry));
}

@inline
function findCells(slot: u32, then: usize, now: usize): void {
  const changes = <u32>load<u8>(column(job, PENDING) + <usize>slot);
  const x = floatAt(column(job, NOW_X), slot);
  const y = floatAt(column(job, NOW_Y), slot);
  const z: f32 = is3D ? floatAt(column(job, NOW_Z), slot) : 0;
  const lastX = floatAt(column(job, LAST_X), slot);
  const lastY = floatAt(column(job, LAST_Y), slot);
  const lastZ: f32 = is3D ? floatAt(column(job, LAST_Z), slot) : 0;
  const isConcerned = (changes & CONCERNED) != 0;
  const ghost: u32 = isSplit(slot, changes) ? GHOST_BIT : 0;
  store<u32>(now, isConcerned && (changes & REMOVED) == 0 ? cellNow(job, slot, x, y, z) : NONE);
  store<u32>(
    then,
    isConcerned && (changes & ADDED) == 0 ? cellThen(job, slot, lastX, lastY, lastZ) | ghost : NONE,
  );
}

/** Whether an entity has a ghost where it was, or was not there: it was added or removed, leaped, or changed and does not stay in place. */
@inline
function isSplit(slot: u32, changes: u32): bool {
  const slack = numberAt(job, SLACK_F64);
  const isNear =
    i32(awayAlong(NOW_X, LAST_X, slot) <= slack) &
    i32(awayAlong(NOW_Y, LAST_Y, slot) <= slack) &
    i32((is3D ? awayAlong(NOW_Z, LAST_Z, slot) : 0) <= slack);
  const isChanged = (changes & SPLITS) != 0 && (word(job, MAY_BE_STALE) != 0 || !mayStayInPlace(job, slot));
  return isChanged || isNear == 0;
}

@inline
function awayAlong(now: u32, last: u32, slot: u32): f64 {
  return Math.abs(<f64>floatAt(column(job, now), slot) - <f64>floatAt(column(job, last), slot));
}

/** Handles an entity that leaves its cell, leaves a ghost, is added or is removed. False if there is no room. */
function changeCell(slot: u32, then: u32, now: u32): bool {
  const isWhole = then < GHOST_BIT && then != NONE;
  if (isWhole) {
    takeOut(then, wordAt(places, slot));
  } else if (then != NONE) {
    const entry = wordAt(places, slot);
    setFloat(newX, entry, f32.NaN);
    setFloat(newY, entry, f32.NaN);
    if (is3D) setFloat(newZ, entry, f32.NaN);
    writeOld(entry, slot, false);
    clearBit(stale, entry);
    setWord(refs, entry, slot | GHOST_BIT);
  }
  return now == NONE || putIn(now, slot, isWhole);
}

/** The entry in a cell that has this ref. */
@inline
function find(cell: u32, wanted: u32): u32 {
  const end = wordAt(ends, cell);
  if (!ASC_FEATURE_SIMD) {
    for (let entry = wordAt(table, cell); entry < end; entry++) {
      if (wordAt(refs, entry) == wanted) return entry;
    }
    return unreachable();
  }
  const pattern = i32x4.splat(wanted);
  for (let entry = wordAt(table, cell); entry < end; entry += 16) {
    const at = refs + (<usize>entry << 2);
    // Compares sixteen at once: an earlier exit would be mispredicted, since it depends on where in its cell an entry lies.
    const lanes =
      <u32>i32x4.bitmask(i32x4.eq(v128.load(at), pattern)) |
      (<u32>i32x4.bitmask(i32x4.eq(v128.load(at, 16), pattern)) << 4) |
      (<u32>i32x4.bitmask(i32x4.eq(v128.load(at, 32), pattern)) << 8) |
      (<u32>i32x4.bitmask(i32x4.eq(v128.load(at, 48), pattern)) << 12);
    if (lanes != 0) {
      const found = entry + <u32>ctz(lanes);
      if (found < end) return found;
    }
  }
  return unreachable();
}

function takeOut(cell: u32, entry: u32): void {
  const end = wordAt(ends, cell) - 1;
  setWord(ends, cell, end);
  copyEntry(end, entry);
  clearEntry(end);
}

/** Inserts an entry at the end of a cell. `wasThere`: the entry gets an old position, else NaN. False if there is no room. */
function putIn(cell: u32, slot: u32, wasThere: bool): bool {
  if (wordAt(ends, cell) == wordAt(table, cell + 1) && !makeRoom(cell)) return false;
  noteEntered(cell);
  const entry = wordAt(ends, cell);
  setWord(ends, cell, entry + 1);
  writeNew(entry, slot);
  writeOld(entry, slot, !wasThere);
  setWord(refs, entry, slot);
  setWord(places, slot, entry);
  noteProfile(entry, slot);
  return true;
}
