// Twin of ../sweep-entries.ts, which explains the two passes.
import {
  CELL_COUNT, CELL_OF_SLOT, DIMENSIONS, ENDS, GHOST_BIT, GHOST_CAPACITY, GHOST_CELLS, GHOST_SLOTS, GRID_BYTES, GRID_DEPTH,
  GRID_FIRST_CELL, GRID_HEIGHT, GRID_INVERSE, GRID_ORIGIN, GRID_WIDTH, GRIDS, IS_UNIFORM, LAST_CLASS, LAST_FLAGS, LAST_RANGES,
  LAST_X, LAST_Y, LAST_Z, MAX_RANGE, NEW_X, NEW_Y, NEW_Z, NO_CELL, NOW_CLASS, NOW_FLAGS, NOW_RANGES, NOW_X, NOW_Y, NOW_Z, OLD_X,
  OLD_Y, OLD_Z, PENDING, RANGE, REF, SENSE_COUNT, SLACK, SLOT_COUNT, TABLE, WATCHER_COUNT, WATCHER_RANGES, WITH_GAPS, clampedCell, column, floatAt, setFloat,
  setWord, word, wordAt,
} from './job';

const PRESENT: u32 = 1;
const SPLITS: u32 = 1 | 2 | 8;

export function countEntries(job: usize): u32 {
  const slotCount = word(job, SLOT_COUNT);
  const nowX = column(job, NOW_X);
  const nowY = column(job, NOW_Y);
  const nowZ = column(job, NOW_Z);
  const lastX = column(job, LAST_X);
  const lastY = column(job, LAST_Y);
  const lastZ = column(job, LAST_Z);
  const nowFlags = column(job, NOW_FLAGS);
  const lastFlags = column(job, LAST_FLAGS);
  const pending = column(job, PENDING);
  const nowClass = column(job, NOW_CLASS);
  const lastClass = column(job, LAST_CLASS);
  const cellOfSlot = column(job, CELL_OF_SLOT);
  const ghostSlots = column(job, GHOST_SLOTS);
  const ghostCells = column(job, GHOST_CELLS);
  const ghostCapacity = word(job, GHOST_CAPACITY);
  const table = column(job, TABLE) + 4;
  const grids = column(job, GRIDS);
  const is3D = word(job, DIMENSIONS) == 3;
  const slack = load<f64>(job + SLACK);
  memory.fill(table - 4, 0, (<usize>word(job, CELL_COUNT) + 1) << 2);
  let ghosts: u32 = 0;
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    const isNow = (load<u8>(nowFlags + <usize>slot) & PRESENT) != 0;
    const wasThen = (load<u8>(lastFlags + <usize>slot) & PRESENT) != 0;
    let cell = NO_CELL;
    if (isNow) {
      const grid = grids + (nowClass == 0 ? 0 : <usize>load<u8>(nowClass + <usize>slot) * GRID_BYTES);
      cell = cellAt(grid, floatAt(nowX, slot), floatAt(nowY, slot), is3D ? floatAt(nowZ, slot) : 0);
      setWord(table, cell, wordAt(table, cell) + 1);
    }
    setWord(cellOfSlot, slot, cell);
    if (!wasThen) continue;
    if (isNow && (load<u8>(pending + <usize>slot) & SPLITS) == 0) {
      if (isNear(nowX, lastX, slot, slack) && isNear(nowY, lastY, slot, slack)) {
        if (!is3D || isNear(nowZ, lastZ, slot, slack)) continue;
      }
    }
    if (ghosts < ghostCapacity) {
      const grid = grids + (lastClass == 0 ? 0 : <usize>load<u8>(lastClass + <usize>slot) * GRID_BYTES);
      const ghostCell = cellAt(grid, floatAt(lastX, slot), floatAt(lastY, slot), is3D ? floatAt(lastZ, slot) : 0);
      setWord(ghostSlots, ghosts, slot);
      setWord(ghostCells, ghosts, ghostCell);
      setWord(table, ghostCell, wordAt(table, ghostCell) + 1);
    }
    ghosts++;
  }
  return ghosts;
}

export function placeEntries(job: usize, ghosts: u32): void {
  const table = column(job, TABLE);
  const ends = column(job, ENDS);
  const cellCount = word(job, CELL_COUNT);
  const withGaps = word(job, WITH_GAPS) != 0;
  let start: u32 = 0;
  for (let cell: u32 = 0; cell < cellCount; cell++) {
    const size = wordAt(table, cell + 1);
    setWord(table, cell, start);
    setWord(ends, cell, start);
    start += withGaps ? size + (size >>> 2) + 3 : size;
  }
  setWord(table, cellCount, start);
  const slotCount = word(job, SLOT_COUNT);
  const nowX = column(job, NOW_X);
  const nowY = column(job, NOW_Y);
  const nowZ = column(job, NOW_Z);
  const lastX = column(job, LAST_X);
  const lastY = column(job, LAST_Y);
  const lastZ = column(job, LAST_Z);
  const lastFlags = column(job, LAST_FLAGS);
  const pending = column(job, PENDING);
  const cellOfSlot = column(job, CELL_OF_SLOT);
  const newX = column(job, NEW_X);
  const newY = column(job, NEW_Y);
  const newZ = column(job, NEW_Z);
  const oldX = column(job, OLD_X);
  const oldY = column(job, OLD_Y);
  const oldZ = column(job, OLD_Z);
  const ranges = column(job, RANGE);
  const refs = column(job, REF);
  const is3D = word(job, DIMENSIONS) == 3;
  const slack = load<f64>(job + SLACK);
  let watchers: u32 = 0;
  let isUniform = true;
  let firstRange: f32 = 0;
  // Nobody is like a watcher whose ranges are no numbers.
  store<f32>(job, f32.NaN, WATCHER_RANGES);
  let maxRange: f32 = 0;
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    const cell = wordAt(cellOfSlot, slot);
    if (cell == NO_CELL) continue;
    const entry = wordAt(ends, cell);
    setWord(ends, cell, entry + 1);
    let isWhole =
      (load<u8>(lastFlags + <usize>slot) & PRESENT) != 0 &&
      (load<u8>(pending + <usize>slot) & SPLITS) == 0 &&
      isNear(nowX, lastX, slot, slack) &&
      isNear(nowY, lastY, slot, slack);
    if (is3D) {
      isWhole = isWhole && isNear(nowZ, lastZ, slot, slack);
      setFloat(newZ, entry, floatAt(nowZ, slot));
      setFloat(oldZ, entry, isWhole ? floatAt(lastZ, slot) : f32.NaN);
    }
    setFloat(newX, entry, floatAt(nowX, slot));
    setFloat(newY, entry, floatAt(nowY, slot));
    setFloat(oldX, entry, isWhole ? floatAt(lastX, slot) : f32.NaN);
    setFloat(oldY, entry, isWhole ? floatAt(lastY, slot) : f32.NaN);
    const isLike = isLikeFirst(job, NOW_RANGES, slot);
    const range = isLike ? firstRange : longestRange(job, NOW_RANGES, slot);
    setFloat(ranges, entry, range);
    setWord(refs, entry, slot);
    if (range > 0) {
      if (watchers == 0) {
        noteFirst(job, NOW_RANGES, slot);
        firstRange = range;
      } else if (!isLike) {
        isUniform = false;
      }
      maxRange = range > maxRange ? range : maxRange;
      watchers++;
    }
  }
  for (let i: u32 = 0; i < ghosts; i++) {
    const slot = wordAt(column(job, GHOST_SLOTS), i);
    const cell = wordAt(column(job, GHOST_CELLS), i);
    const entry = wordAt(ends, cell);
    setWord(ends, cell, entry + 1);
    setFloat(newX, entry, f32.NaN);
    setFloat(newY, entry, f32.NaN);
    setFloat(oldX, entry, floatAt(lastX, slot));
    setFloat(oldY, entry, floatAt(lastY, slot));
    if (is3D) {
      setFloat(newZ, entry, f32.NaN);
      setFloat(oldZ, entry, floatAt(lastZ, slot));
    }
    const isLike = isLikeFirst(job, LAST_RANGES, slot);
    const range = isLike ? firstRange : longestRange(job, LAST_RANGES, slot);
    setFloat(ranges, entry, range);
    setWord(refs, entry, slot | GHOST_BIT);
    if (range > 0) {
      if (watchers == 0) {
        noteFirst(job, LAST_RANGES, slot);
        firstRange = range;
      } else if (!isLike) {
        isUniform = false;
      }
      maxRange = range > maxRange ? range : maxRange;
      watchers++;
    }
  }
  store<u32>(job, watchers, WATCHER_COUNT);
  store<u32>(job, isUniform ? 1 : 0, IS_UNIFORM);
  store<f32>(job, maxRange, MAX_RANGE);
}

// @ts-ignore: decorator
@inline
function isNear(now: usize, last: usize, slot: u32, slack: f64): bool {
  return Math.abs(<f64>floatAt(now, slot) - <f64>floatAt(last, slot)) <= slack;
}

// @ts-ignore: decorator
@inline
function cellAt(grid: usize, x: f32, y: f32, z: f32): u32 {
  const width = load<u32>(grid + GRID_WIDTH);
  const height = load<u32>(grid + GRID_HEIGHT);
  const cellX = clampedCell(x, load<f64>(grid + GRID_ORIGIN), load<f64>(grid + GRID_INVERSE), width);
  const cellY = clampedCell(y, load<f64>(grid + GRID_ORIGIN, 8), load<f64>(grid + GRID_INVERSE, 8), height);
  const depth = load<u32>(grid + GRID_DEPTH);
  const cellZ =
    depth == 1 ? 0 : clampedCell(z, load<f64>(grid + GRID_ORIGIN, 16), load<f64>(grid + GRID_INVERSE, 16), depth);
  return load<u32>(grid + GRID_FIRST_CELL) + (cellZ * height + cellY) * width + cellX;
}

// @ts-ignore: decorator
@inline
function longestRange(job: usize, ranges: usize, slot: u32): f32 {
  let longest: f32 = 0;
  const senseCount = word(job, SENSE_COUNT);
  for (let s: u32 = 0; s < senseCount; s++) {
    const range = column(job + ranges, <usize>s << 2);
    if (range != 0) {
      const value = floatAt(range, slot);
      longest = value > longest ? value : longest;
    }
  }
  return longest;
}

/** Whether all ranges are those of the first watcher. */
// @ts-ignore: decorator
@inline
function isLikeFirst(job: usize, ranges: usize, slot: u32): bool {
  const senseCount = word(job, SENSE_COUNT);
  for (let s: u32 = 0; s < senseCount; s++) {
    if (load<f32>(job + (<usize>s << 2), WATCHER_RANGES) != rangeAt(job, ranges, s, slot)) return false;
  }
  return true;
}

function noteFirst(job: usize, ranges: usize, slot: u32): void {
  const senseCount = word(job, SENSE_COUNT);
  for (let s: u32 = 0; s < senseCount; s++) {
    store<f32>(job + (<usize>s << 2), rangeAt(job, ranges, s, slot), WATCHER_RANGES);
  }
}

// @ts-ignore: decorator
@inline
function rangeAt(job: usize, ranges: usize, s: u32, slot: u32): f32 {
  const values = column(job + ranges, <usize>s << 2);
  return values == 0 ? 0 : floatAt(values, slot);
}
