/**
 * The cells in which entries stay, and room in them: see ../layouts/resident-entries.ts.
 *
 * A full cell takes room from the nearest cells that have more than enters them in this tick. It takes as much as all that enters
 * the cells in between needs, so that the entries of each are moved once, even if a whole region is added. To move a cell by a few
 * places, only so many of its entries are copied from one end to the other: their order in a cell does not matter.
 */
import { CELL_COUNT, ENDS, ENTERING, PLACE_OF, STALE_BITS, TABLE } from '../layouts/sweep-job';
import { GHOST_BIT, clearBit, column, floatAt, hasBit, setBit, setFloat, setWord, word, wordAt } from './job';
import { is3D, job, newX, newY, newZ, oldX, oldY, oldZ, refs } from './sweep-crossing';
import { copyProfile } from './sweep-profiles';

/** Cells to either side in which a full cell looks for room. */
const NEIGHBOURS: u32 = 4096;

// Shared by the functions of one call; set by openCells.
export let table: usize = 0;
export let ends: usize = 0;
export let places: usize = 0;
/** A bit for each stale entry. */
export let stale: usize = 0;
/** By cell, how many entries are still to enter it; and, while cells are moved, where each begins then. */
let entering: usize = 0;
let starts: usize = 0;

export function openCells(): void {
  table = column(job, TABLE);
  ends = column(job, ENDS);
  places = column(job, PLACE_OF);
  stale = column(job, STALE_BITS);
  entering = column(job, ENTERING);
  starts = entering + (<usize>word(job, CELL_COUNT) << 2);
}

@inline
export function noteEntering(cell: u32): void {
  setWord(entering, cell, wordAt(entering, cell) + 1);
}

@inline
export function noteEntered(cell: u32): void {
  setWord(entering, cell, wordAt(entering, cell) - 1);
}

export function forgetEntering(): void {
  memory.fill(entering, 0, <usize>word(job, CELL_COUNT) << 2);
}

/** Makes room in a full cell, and in those around it. False if the cells nearby have none. */
export function makeRoom(cell: u32): bool {
  const cellCount = word(job, CELL_COUNT);
  let first = cell;
  let end = cell + 1;
  let spare = spareOf(cell);
  let isFirstSpare = false;
  for (let away: u32 = 1; spare < 0; away++) {
    if (away > NEIGHBOURS) return false;
    if (end < cellCount) spare += spareOf(end++);
    isFirstSpare = spare < 0;
    if (isFirstSpare && first > 0) spare += spareOf(--first);
  }
  moveCells(first, end, isFirstSpare ? spare : 0);
  return true;
}

/** How much more room a cell has than it needs; negative if it needs more. */
@inline
function spareOf(cell: u32): i32 {
  return <i32>(wordAt(table, cell + 1) - wordAt(ends, cell) - wordAt(entering, cell));
}

/** Gives each of some cells the room that it needs, the first `spare` places more, and the last what is left. */
function moveCells(first: u32, end: u32, spare: u32): void {
  let start = wordAt(table, first) + spare;
  for (let cell = first; cell < end; cell++) {
    setWord(starts, cell, start);
    start += wordAt(ends, cell) - wordAt(table, cell) + wordAt(entering, cell);
  }
  // Those that move on begin with the last, those that move back with the first: then no entry is written over another.
  for (let cell = end - 1; cell > first; cell--) if (wordAt(starts, cell) > wordAt(table, cell)) moveCell(cell, wordAt(starts, cell));
  for (let cell = first + 1; cell < end; cell++) if (wordAt(starts, cell) < wordAt(table, cell)) moveCell(cell, wordAt(starts, cell));
}

function moveCell(cell: u32, start: u32): void {
  const from = wordAt(table, cell);
  const end = wordAt(ends, cell);
  const size = end - from;
  const isOn = start > from;
  const moved = min<u32>(size, isOn ? start - from : from - start);
  const source = isOn ? from : end - moved;
  const target = isOn ? start + size - moved : start;
  for (let i: u32 = 0; i < moved; i++) {
    copyEntry(source + i, target + i);
    clearEntry(source + i);
  }
  setWord(table, cell, start);
  setWord(ends, cell, start + size);
}

export function copyEntry(from: u32, to: u32): void {
  setFloat(newX, to, floatAt(newX, from));
  setFloat(newY, to, floatAt(newY, from));
  setFloat(oldX, to, floatAt(oldX, from));
  setFloat(oldY, to, floatAt(oldY, from));
  if (is3D) {
    setFloat(newZ, to, floatAt(newZ, from));
    setFloat(oldZ, to, floatAt(oldZ, from));
  }
  copyProfile(from, to);
  if (hasBit(stale, from)) setBit(stale, to);
  else clearBit(stale, to);
  const ref = wordAt(refs, from);
  setWord(refs, to, ref);
  if (ref < GHOST_BIT) setWord(places, ref, to);
}

/** Makes an entry a gap. Its ref is slot 0: kernels read positions by refs before they test whether an entry is a gap. */
export function clearEntry(entry: u32): void {
  setWord(refs, entry, 0);
  clearBit(stale, entry);
  setAside(entry);
}

/** Takes away the positions of an entry: then it fails every test. */
export function setAside(entry: u32): void {
  setFloat(newX, entry, f32.NaN);
  setFloat(newY, entry, f32.NaN);
  setFloat(oldX, entry, f32.NaN);
  setFloat(oldY, entry, f32.NaN);
}
