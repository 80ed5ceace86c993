// See ../layouts/resident-entries.ts, which explains the passes.
import { ADDED, MOVED, REMOVED } from '../layouts/pending-bits';
import {
  CELL_COUNT, ENDS, FROM_WATCHERS, GRIDS, GRID_BYTES, GRID_FIRST_CELL_WORD, GRID_MEMBERS_WORD, LANES, LAST_CLASS, LAST_X, LAST_Y, LAST_Z,
  MOVERS, MOVER_BITS, MOVER_COUNT, NOW_CLASS, NOW_X, NOW_Y, NOW_Z, PENDING, PENDING_COUNT, PENDING_SLOTS, PLACE_OF, SLACK_F64, TABLE,
} from '../layouts/sweep-job';
import { CLASSES, GHOST_BIT, column, floatAt, numberAt, setFloat, setWord, watches, word, wordAt } from './job';
import { is3D, job, newX, newY, newZ, oldX, oldY, oldZ, openCrossings, refs } from './sweep-crossing';
import { SPLITS, cellAt, gridOf } from './sweep-entries';
import { copyProfile, noteProfile, openProfiles } from './sweep-profiles';

const CONCERNED: u32 = MOVED | SPLITS;
const NONE: u32 = 0x7fffffff;
/** Bits of a digit by which entries are sorted. For few entries, counting short digits takes less than the passes that it adds. */
const LONG_DIGIT: u32 = 11;
const SHORT_DIGIT: u32 = 8;
const FEW: u32 = 2048;
/** Cells to either side in which a full cell looks for room. */
const NEIGHBOURS: u32 = 256;
/** Number of slots or entries that are prefetched at a time. */
const BLOCK: u32 = 64;
/** With fewer entries, all that is read fits into a near cache, and nothing is prefetched. */
const LEAST_PREFETCHED: u32 = 32768;

// Shared by the functions of one call; set by openResidents.
let table: usize = 0;
let ends: usize = 0;
let places: usize = 0;
let mayPrefetch: bool = false;

function openResidents(offset: usize): void {
  openCrossings(offset);
  openProfiles();
  table = column(job, TABLE);
  ends = column(job, ENDS);
  places = column(job, PLACE_OF);
  mayPrefetch = ASC_FEATURE_SIMD && wordAt(table, word(job, CELL_COUNT)) >= LEAST_PREFETCHED;
}

export function putMovers(offset: usize): u32 {
  openResidents(offset);
  const count = word(job, PENDING_COUNT);
  const slots = column(job, PENDING_SLOTS);
  const movers = column(job, MOVERS);
  const thenCells = movers + (<usize>count << 3);
  const nowCells = thenCells + (<usize>count << 2);
  const nowX = column(job, NOW_X);
  const nowY = column(job, NOW_Y);
  for (let i: u32 = 0; i < count; i++) {
    if (i % BLOCK == 0) touchSlots(slots, i, min<u32>(i + BLOCK, count));
    findCells(wordAt(slots, i), thenCells + (<usize>i << 2), nowCells + (<usize>i << 2));
  }
  for (let i: u32 = 0; i < count; i++) {
    if (i % BLOCK == 0) touchChanges(slots, thenCells, nowCells, i, min<u32>(i + BLOCK, count));
    const then = wordAt(thenCells, i);
    const now = wordAt(nowCells, i);
    if (then != now && !changeCell(wordAt(slots, i), then, now)) return 0;
  }
  let listed: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const then = wordAt(thenCells, i);
    const now = wordAt(nowCells, i);
    const slot = wordAt(slots, i);
    if (now != NONE) setWord(movers, listed++, wordAt(places, slot));
    if (then >= GHOST_BIT) setWord(movers, listed++, find(then & ~GHOST_BIT, slot | GHOST_BIT));
  }
  setWord(job, MOVER_COUNT, listed);
  if (word(job, FROM_WATCHERS) == 0) sort(movers, nowCells + (<usize>count << 2), listed);
  const bits = column(job, MOVER_BITS);
  for (let k: u32 = 0; k < listed; k++) {
    if (k % BLOCK == 0) touchEntries(movers, k, min<u32>(k + BLOCK, listed));
    const entry = wordAt(movers, k);
    const slot = wordAt(refs, entry);
    if (slot < GHOST_BIT) {
      setFloat(newX, entry, floatAt(nowX, slot));
      setFloat(newY, entry, floatAt(nowY, slot));
      if (is3D) setFloat(newZ, entry, floatAt(column(job, NOW_Z), slot));
    }
    setWord(bits, entry >>> 5, wordAt(bits, entry >>> 5) | (1 << (entry & 31)));
  }
  return 1;
}

/** Lists the entries of all watchers, ascending, and sets their bits. Returns their number. Call it after `putMovers`. */
export function listWatchers(offset: usize): u32 {
  openResidents(offset);
  const list = column(job, MOVERS);
  const bits = column(job, MOVER_BITS);
  const grids = column(job, GRIDS);
  let listed: u32 = 0;
  for (let k: u32 = 0; k < CLASSES; k++) {
    const grid = grids + <usize>k * GRID_BYTES;
    if (!watches(k) || word(grid, GRID_MEMBERS_WORD) == 0) continue;
    const first = word(grid, GRID_FIRST_CELL_WORD);
    const end = word(grid + GRID_BYTES, GRID_FIRST_CELL_WORD);
    for (let cell = first; cell < end; cell++) {
      for (let entry = wordAt(table, cell); entry < wordAt(ends, cell); entry++) {
        setWord(list, listed++, entry);
        setWord(bits, entry >>> 5, wordAt(bits, entry >>> 5) | (1 << (entry & 31)));
      }
    }
  }
  return listed;
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

/** Sorts a list of entries by radix. `scratch` is followed by as many words, and then the counts of digits. */
function sort(list: usize, scratch: usize, count: u32): void {
  const digits = scratch + (<usize>word(job, PENDING_COUNT) << 3);
  // The end of the last cell's room: no entry lies after it.
  const last = wordAt(table, word(job, CELL_COUNT));
  const bits = count < FEW ? SHORT_DIGIT : LONG_DIGIT;
  const mask: u32 = (1 << bits) - 1;
  let from = list;
  let to = scratch;
  for (let shift: u32 = 0; shift < 32 && last >>> shift != 0; shift += bits) {
    memory.fill(digits, 0, (mask + 1) << 2);
    for (let i: u32 = 0; i < count; i++) {
      const digit = (wordAt(from, i) >>> shift) & mask;
      setWord(digits, digit, wordAt(digits, digit) + 1);
    }
    let start: u32 = 0;
    for (let digit: u32 = 0; digit <= mask; digit++) {
      const size = wordAt(digits, digit);
      setWord(digits, digit, start);
      start += size;
    }
    for (let i: u32 = 0; i < count; i++) {
      const entry = wordAt(from, i);
      const digit = (entry >>> shift) & mask;
      const at = wordAt(digits, digit);
      setWord(digits, digit, at + 1);
      setWord(to, at, entry);
    }
    const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != list) memory.copy(list, from, <usize>count << 2);
}

export function restMovers(offset: usize): void {
  openResidents(offset);
  const count = word(job, PENDING_COUNT);
  const slots = column(job, PENDING_SLOTS);
  const movers = column(job, MOVERS);
  const thenCells = movers + (<usize>count << 3);
  const moverCount = word(job, MOVER_COUNT);
  const bits = column(job, MOVER_BITS);
  for (let k: u32 = 0; k < moverCount; k++) {
    const entry = wordAt(movers, k);
    setWord(bits, entry >>> 5, 0);
    if (wordAt(refs, entry) >= GHOST_BIT) continue;
    setFloat(oldX, entry, floatAt(newX, entry));
    setFloat(oldY, entry, floatAt(newY, entry));
    if (is3D) setFloat(oldZ, entry, floatAt(newZ, entry));
  }
  for (let i: u32 = 0; i < count; i++) {
    const then = wordAt(thenCells, i);
    if (then < GHOST_BIT) continue;
    const cell = then & ~GHOST_BIT;
    takeOut(cell, find(cell, wordAt(slots, i) | GHOST_BIT));
  }
}

@inline
function findCells(slot: u32, then: usize, now: usize): void {
  const bits = <u32>load<u8>(column(job, PENDING) + <usize>slot);
  const x = floatAt(column(job, NOW_X), slot);
  const y = floatAt(column(job, NOW_Y), slot);
  const z: f32 = is3D ? floatAt(column(job, NOW_Z), slot) : 0;
  const lastX = floatAt(column(job, LAST_X), slot);
  const lastY = floatAt(column(job, LAST_Y), slot);
  const lastZ: f32 = is3D ? floatAt(column(job, LAST_Z), slot) : 0;
  const slack = numberAt(job, SLACK_F64);
  const isConcerned = (bits & CONCERNED) != 0;
  const isNear =
    i32(Math.abs(<f64>x - <f64>lastX) <= slack) &
    i32(Math.abs(<f64>y - <f64>lastY) <= slack) &
    i32(Math.abs(<f64>z - <f64>lastZ) <= slack);
  const ghost: u32 = (bits & SPLITS) != 0 || isNear == 0 ? GHOST_BIT : 0;
  store<u32>(now, isConcerned && (bits & REMOVED) == 0 ? cellAt(gridOf(job, NOW_CLASS, slot), x, y, z) : NONE);
  store<u32>(
    then,
    isConcerned && (bits & ADDED) == 0 ? cellAt(gridOf(job, LAST_CLASS, slot), lastX, lastY, lastZ) | ghost : NONE,
  );
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
  const entry = wordAt(ends, cell);
  setWord(ends, cell, entry + 1);
  setFloat(newX, entry, floatAt(column(job, NOW_X), slot));
  setFloat(newY, entry, floatAt(column(job, NOW_Y), slot));
  setFloat(oldX, entry, wasThere ? floatAt(column(job, LAST_X), slot) : f32.NaN);
  setFloat(oldY, entry, wasThere ? floatAt(column(job, LAST_Y), slot) : f32.NaN);
  if (is3D) {
    setFloat(newZ, entry, floatAt(column(job, NOW_Z), slot));
    setFloat(oldZ, entry, wasThere ? floatAt(column(job, LAST_Z), slot) : f32.NaN);
  }
  setWord(refs, entry, slot);
  setWord(places, slot, entry);
  noteProfile(entry, slot);
  return true;
}

/**
 * Takes room for one entry from the nearest cell that has any: each cell in between shifts by one. False if no cell nearby has
 * room.
 */
function makeRoom(cell: u32): bool {
  const cellCount = word(job, CELL_COUNT);
  for (let away: u32 = 1; away <= NEIGHBOURS; away++) {
    if (cell + away < cellCount && wordAt(ends, cell + away) < wordAt(table, cell + away + 1)) {
      for (let moved = cell + away; moved > cell; moved--) moveOn(moved);
      return true;
    }
    if (cell >= away && wordAt(ends, cell - away) < wordAt(table, cell - away + 1)) {
      for (let moved = cell - away + 1; moved <= cell; moved++) moveBack(moved);
      return true;
    }
  }
  return false;
}

/** Makes a cell with room after its end begin one place later: its first entry moves to the end. */
function moveOn(cell: u32): void {
  const first = wordAt(table, cell);
  const end = wordAt(ends, cell);
  if (first < end) copyEntry(first, end);
  clearEntry(first);
  setWord(table, cell, first + 1);
  setWord(ends, cell, end + 1);
}

/** Makes a cell with room before its beginning begin one place earlier: its last entry moves there. */
function moveBack(cell: u32): void {
  const first = wordAt(table, cell) - 1;
  const last = wordAt(ends, cell) - 1;
  if (first < last) {
    copyEntry(last, first);
    clearEntry(last);
  }
  setWord(table, cell, first);
  setWord(ends, cell, last);
}

function copyEntry(from: u32, to: u32): void {
  setFloat(newX, to, floatAt(newX, from));
  setFloat(newY, to, floatAt(newY, from));
  setFloat(oldX, to, floatAt(oldX, from));
  setFloat(oldY, to, floatAt(oldY, from));
  if (is3D) {
    setFloat(newZ, to, floatAt(newZ, from));
    setFloat(oldZ, to, floatAt(oldZ, from));
  }
  copyProfile(from, to);
  const ref = wordAt(refs, from);
  setWord(refs, to, ref);
  if (ref < GHOST_BIT) setWord(places, ref, to);
}

/** Makes an entry a gap. Its ref is slot 0: kernels read positions by refs before they test whether an entry is a gap. */
function clearEntry(entry: u32): void {
  setWord(refs, entry, 0);
  setFloat(newX, entry, f32.NaN);
  setFloat(newY, entry, f32.NaN);
  setFloat(oldX, entry, f32.NaN);
  setFloat(oldY, entry, f32.NaN);
}
