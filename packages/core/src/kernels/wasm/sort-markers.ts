// Sorts markers into the cells of an index: see ../../interest/grids/marker-index.ts, and ../layouts/sort-markers.ts for the
// job.
import * as grids from '../layouts/seat-search';
import * as words from '../layouts/sort-markers';
import { clampedCell, column, floatAt, numberAt, setFloat, setWord, word, wordAt } from './job';

export function sortMarkers(job: usize): void {
  const table = column(job, words.TABLE);
  const cells = column(job, words.CELLS);
  const firstCell = word(job, words.FIRST_CELL);
  const endCell = word(job, words.END_CELL);
  memory.fill(table + (<usize>firstCell << 2), 0, <usize>(endCell + 1 - firstCell) << 2);
  const total = countMembers(job, table, cells);
  let at = word(job, words.FIRST_ENTRY);
  for (let cell = firstCell; cell <= endCell; cell++) {
    const members = wordAt(table, cell);
    setWord(table, cell, at);
    at += members;
  }
  placeMembers(job, table, cells, total);
  // Each cell's beginning was advanced to its end, which is where the next cell begins.
  for (let cell = endCell; cell > firstCell; cell--) setWord(table, cell, wordAt(table, cell - 1));
  setWord(table, firstCell, word(job, words.FIRST_ENTRY));
}

/** Stores the cell of each member, and counts the members of each cell. Returns the number of members. */
function countMembers(job: usize, table: usize, cells: usize): u32 {
  const xs = column(job, words.X);
  const ys = column(job, words.Y);
  const zs = column(job, words.Z);
  const channels = column(job, words.CHANNELS);
  const members = column(job, words.MEMBERS);
  const first = column(job, words.GRIDS) + <usize>word(job, words.FIRST_GRID) * (grids.GRID_NUMBERS << 3);
  const gridCount = word(job, words.GRID_COUNT);
  let i: u32 = 0;
  for (let g: u32 = 0; g < gridCount; g++) {
    const grid = first + <usize>g * (grids.GRID_NUMBERS << 3);
    const inverse = numberAt(grid, grids.GRID_INVERSE);
    const width = <u32>numberAt(grid, grids.GRID_WIDTH);
    const height = <u32>numberAt(grid, grids.GRID_HEIGHT);
    const depth = <u32>numberAt(grid, grids.GRID_DEPTH);
    const originX = numberAt(grid, grids.GRID_ORIGIN);
    const originY = numberAt(grid, grids.GRID_ORIGIN + 1);
    const originZ = numberAt(grid, grids.GRID_ORIGIN + 2);
    const cell = <u32>numberAt(grid, grids.GRID_FIRST_CELL);
    const mask = <u32>numberAt(grid, grids.GRID_BAND_MASK);
    const bandCells = <u32>numberAt(grid, grids.GRID_BAND_CELLS);
    const end = i + <u32>numberAt(grid, grids.GRID_MEMBERS);
    for (; i < end; i++) {
      const slot = wordAt(members, i);
      const column = clampedCell(<f64>floatAt(xs, slot), originX, inverse, width);
      const row = clampedCell(<f64>floatAt(ys, slot), originY, inverse, height);
      const deck = zs == 0 ? 0 : clampedCell(<f64>floatAt(zs, slot), originZ, inverse, depth);
      const band: u32 = mask == 0 ? 0 : <u32>load<u16>(channels + (<usize>slot << 1)) & mask;
      const own = cell + band * bandCells + (deck * height + row) * width + column;
      setWord(cells, i, own);
      setWord(table, own, wordAt(table, own) + 1);
    }
  }
  return i;
}

function placeMembers(job: usize, table: usize, cells: usize, total: u32): void {
  const xs = column(job, words.X);
  const ys = column(job, words.Y);
  const zs = column(job, words.Z);
  const members = column(job, words.MEMBERS);
  const entrySlot = column(job, words.ENTRY_SLOT);
  const entryX = column(job, words.ENTRY_X);
  const entryY = column(job, words.ENTRY_Y);
  const entryZ = column(job, words.ENTRY_Z);
  for (let i: u32 = 0; i < total; i++) {
    const slot = wordAt(members, i);
    const cell = wordAt(cells, i);
    const to = wordAt(table, cell);
    setWord(table, cell, to + 1);
    setWord(entrySlot, to, slot);
    setFloat(entryX, to, floatAt(xs, slot));
    setFloat(entryY, to, floatAt(ys, slot));
    if (zs != 0) setFloat(entryZ, to, floatAt(zs, slot));
  }
}
