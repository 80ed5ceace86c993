/**
 * Sorts a world's entities into cells, anew in each tick: a counting sort. See sweep-job.ts for entries, classes and the job.
 *
 * The input is the entries of the last tick, in their order. An entity moves little in a tick, so nearly all are written beside
 * their former neighbours, which are in the cache; in the order of slots every write would be a cache miss. Only present
 * positions are read by slot. Entities that were added since come after the entries, from the pending slots. Without a last tick,
 * all slots are sorted, in their order.
 *
 *   countEntries   by element: its place, that is its cell, and whether it is split; by part and cell: how many
 *   startCells     where each cell begins, and in it each part
 *   placeEntries   the entries, in their places
 *
 * Entries are sorted by class first, then by cell. In 2-D, entities that only moved are counted class by class, without reading
 * the class of each.
 *
 * The elements are split into parts, one for each thread, each with counts of its own. In a cell, a part's entries come after
 * those of the part before, so the order is the same for any number of parts.
 *
 * A coordinate's cell number is clamped to the grid, so a far outlier lies in a border cell. Clamping keeps order, so a search
 * window given by the cells of its edges still contains everything that lies in it.
 *
 * Cost: 10 to 20 ns an entity in WebAssembly.
 */
import { PRESENT } from '../layouts/entity-flags';
import { ADDED, CHANGED, REMOVED } from '../layouts/pending-bits';
import {
  AT_X, AT_Y, CELL_COUNT, DIMENSIONS, ENDS, GRIDS, GRID_BAND_MASK_WORD, GRID_BYTES, GRID_DEPTH_WORD, GRID_FIRST_CELL_WORD, GRID_HEIGHT_WORD, GRID_INVERSE,
  GRID_ORIGIN, GRID_PERIOD, GRID_WIDTH_WORD, LAST_CLASS, LAST_FLAGS, LAST_STATE, NEW_X, NEW_Y, NEW_Z, NOW_CLASS, NOW_FLAGS, NOW_STATE, NOW_X, NOW_Y, NOW_Z, OLD_X, OLD_Y, OLD_Z,
  ONLY_MOVES, PART_COUNT, PART_SIZE, PART_TABLES, PENDING, PENDING_SLOTS, PLACES, REF, SLACK_F64, SOURCE_COUNT, SOURCE_ENDS,
  SOURCE_REF, SOURCE_X, SOURCE_Y, SOURCE_Z, TABLE, WITH_GAPS,
} from '../layouts/sweep-job';
import {
  CLASSES, CLASS_MASK, GHOST_BIT, IN_PLACE, IS_IN_PLACE, NOWHERE, SPLIT_BIT, clampedCell, column, floatAt, numberAt, setFloat, setWord, word, wordAt,
} from './job';
import { bandOf } from './sweep-bands';
import { folded } from './sweep-folds';

/** Pending bits of an entity that was added, removed, or changed how it perceives or is perceived: it may have a ghost. */
export const SPLITS: u32 = ADDED | REMOVED | CHANGED;
const NOBODY: u32 = 0xffffffff;
/** Elements that are gathered at a time: their scratch stays in the nearest cache. */
const BLOCK: u32 = 1024;

export function countEntries(job: usize, from: u32, to: u32): u32 {
  const cellCount = word(job, CELL_COUNT);
  const part = from / word(job, PART_SIZE);
  const counts = column(job, PART_TABLES) + <usize>part * (<usize>cellCount << 2);
  memory.fill(counts, 0, <usize>cellCount << 2);
  let i = from;
  if (isPlain(job)) {
    // Entries are already sorted by class, so the class of an entity that only moved need not be read.
    for (let k: u32 = 0; k < CLASSES; k++) {
      const grid = column(job, GRIDS) + <usize>k * GRID_BYTES;
      const sources = min<u32>(to, wordAt(job, SOURCE_ENDS + k));
      while (i < sources) {
        const end = min<u32>(i + BLOCK, sources);
        if (word(job, ONLY_MOVES) != 0) gather(job, i, end, true);
        else gather(job, i, end, false);
        // What changed in the last tick returns to its class.
        if (k == IN_PLACE) for (; i < end; i++) countOne(job, counts, i);
        else if ((word(grid, GRID_BAND_MASK_WORD) == 0) & (numberAt(grid, GRID_PERIOD) == 0)) countPlain(job, counts, grid, i, end, false);
        else countPlain(job, counts, grid, i, end, true);
        i = end;
      }
    }
  }
  for (; i < to; i++) countOne(job, counts, i);
  return to;
}

/** Whether entries are sorted, and in 2-D. */
function isPlain(job: usize): bool {
  return column(job, SOURCE_REF) != 0 && word(job, DIMENSIONS) == 2;
}

/**
 * Copies present positions into scratch, in the order of the elements. The loop does nothing else, so that many cache misses
 * overlap. If an entity was added, removed or changed, writes NaN, so that it is processed separately. `areMoves`: there are none
 * of these; constant where this is inlined.
 */
@inline // in JavaScript, too
function gather(job: usize, from: u32, to: u32, areMoves: bool): void {
  const nowX = column(job, NOW_X);
  const nowY = column(job, NOW_Y);
  const atX = column(job, AT_X);
  const atY = column(job, AT_Y);
  const refs = column(job, SOURCE_REF);
  const pending = column(job, PENDING);
  for (let i = from; i < to; i++) {
    const slot = wordAt(refs, i) & ~GHOST_BIT;
    const isSplit = !areMoves && (<u32>load<u8>(pending + <usize>slot) & SPLITS) != 0;
    setFloat(atX, i, isSplit ? f32.NaN : floatAt(nowX, slot));
    setFloat(atY, i, floatAt(nowY, slot));
  }
}

/** `isUnusual`: the grid may have bands, or be folded; constant where this is inlined. */
@inline // in JavaScript, too
function countPlain(job: usize, counts: usize, grid: usize, from: u32, to: u32, isUnusual: bool): void {
  const sourceX = column(job, SOURCE_X);
  const sourceY = column(job, SOURCE_Y);
  const atX = column(job, AT_X);
  const atY = column(job, AT_Y);
  const refs = column(job, SOURCE_REF);
  const places = column(job, PLACES);
  const slack = numberAt(job, SLACK_F64);
  const width = word(grid, GRID_WIDTH_WORD);
  const firstCell = word(grid, GRID_FIRST_CELL_WORD);
  const originX = numberAt(grid, GRID_ORIGIN);
  const originY = numberAt(grid, GRID_ORIGIN + 1);
  const inverseX = numberAt(grid, GRID_INVERSE);
  const inverseY = numberAt(grid, GRID_INVERSE + 1);
  const lastX = <f64>(width - 1);
  const lastY = <f64>(word(grid, GRID_HEIGHT_WORD) - 1);
  for (let i = from; i < to; i++) {
    const x = <f64>floatAt(atX, i);
    const y = <f64>floatAt(atY, i);
    // False for a gap, whose position is NaN.
    const isWhole = i32(Math.abs(x - <f64>floatAt(sourceX, i)) <= slack) & i32(Math.abs(y - <f64>floatAt(sourceY, i)) <= slack);
    if ((isWhole & i32(wordAt(refs, i) < GHOST_BIT)) == 0) {
      countOne(job, counts, i);
      continue;
    }
    // As clampedCell, without a branch.
    const inX = isUnusual ? folded(grid, 0, x) : x;
    const inY = isUnusual ? folded(grid, 1, y) : y;
    const cellX = <u32>min<f64>(max<f64>((inX - originX) * inverseX, 0), lastX);
    const cellY = <u32>min<f64>(max<f64>((inY - originY) * inverseY, 0), lastY);
    const first = isUnusual ? bandOf(job, grid, NOW_STATE, wordAt(refs, i)) : firstCell;
    const place = first + cellY * width + cellX;
    setWord(counts, place, wordAt(counts, place) + 1);
    setWord(places, i, place);
  }
}

/** Stores the place of any element. */
function countOne(job: usize, counts: usize, i: u32): void {
  const refs = column(job, SOURCE_REF);
  const sourceCount = word(job, SOURCE_COUNT);
  const slot = slotOf(job, refs, sourceCount, i);
  let place = NOWHERE;
  if (slot != NOBODY) {
    const is3D = word(job, DIMENSIONS) == 3;
    const slack = numberAt(job, SLACK_F64);
    const flags = column(job, NOW_FLAGS);
    const bits: u32 = word(job, ONLY_MOVES) != 0 ? 0 : <u32>load<u8>(column(job, PENDING) + <usize>slot);
    const isNow = refs != 0 ? (bits & REMOVED) == 0 : (<u32>load<u8>(flags + <usize>slot) & PRESENT) != 0;
    const wasThen = wasThere(job, refs, sourceCount, slot, i);
    const isInPlace = (bits & SPLITS) != 0 && mayStayInPlace(job, slot);
    let isWhole = isNow && wasThen && ((bits & SPLITS) == 0 || isInPlace);
    if (isNow) {
      const x = floatAt(column(job, NOW_X), slot);
      const y = floatAt(column(job, NOW_Y), slot);
      const z: f32 = is3D ? floatAt(column(job, NOW_Z), slot) : 0;
      isWhole =
        isWhole &&
        isNear(x, floatAt(column(job, SOURCE_X), i), slack) &&
        isNear(y, floatAt(column(job, SOURCE_Y), i), slack) &&
        (!is3D || isNear(z, floatAt(column(job, SOURCE_Z), i), slack));
      place = isInPlace && isWhole ? cellIn(job, changedGrid(job), NOW_STATE, slot, x, y, z) : cellNow(job, slot, x, y, z);
      setWord(counts, place, wordAt(counts, place) + 1);
    }
    if (wasThen && !isWhole) {
      const cell = ghostCell(job, slot, i);
      setWord(counts, cell, wordAt(counts, cell) + 1);
    }
    if (!isWhole) place |= SPLIT_BIT;
  }
  setWord(column(job, PLACES), i, place);
}

/** The slot of an element, or NOBODY. */
@inline
function slotOf(job: usize, refs: usize, sourceCount: u32, i: u32): u32 {
  if (refs == 0) {
    const isThere = load<u8>(column(job, NOW_FLAGS) + <usize>i) | load<u8>(column(job, LAST_FLAGS) + <usize>i);
    return (<u32>isThere & PRESENT) != 0 ? i : NOBODY;
  }
  if (i < sourceCount) {
    const ref = wordAt(refs, i);
    const x = floatAt(column(job, SOURCE_X), i);
    return (ref & GHOST_BIT) == 0 && x == x ? ref : NOBODY;
  }
  const slot = wordAt(column(job, PENDING_SLOTS), i - sourceCount);
  return (<u32>load<u8>(column(job, PENDING) + <usize>slot) & ADDED) != 0 ? slot : NOBODY;
}

/** One in this many empty cells has so much room. */
const SPARE_STRIDE: u32 = 64;
const SPARE_ROOM: u32 = 4;

export function startCells(job: usize): u32 {
  const table = column(job, TABLE);
  const ends = column(job, ENDS);
  const cellCount = word(job, CELL_COUNT);
  const parts = column(job, PART_TABLES);
  const partCount = word(job, PART_COUNT);
  const withGaps = word(job, WITH_GAPS) != 0;
  let start: u32 = 0;
  for (let cell: u32 = 0; cell < cellCount; cell++) {
    setWord(table, cell, start);
    let end = start;
    let at = parts + (<usize>cell << 2);
    for (let part: u32 = 0; part < partCount; part++) {
      const size = load<u32>(at);
      store<u32>(at, end);
      end += size;
      at += <usize>cellCount << 2;
    }
    setWord(ends, cell, end);
    const size = end - start;
    start = withGaps ? end + gapsIn(cell, size) : end;
  }
  setWord(table, cellCount, start);
  return start;
}

/**
 * The room left in a cell. Most empty cells have none: a window then passes over them, and an entry that enters takes room from a cell nearby.
 * Some have, because a class may be empty until its first member comes.
 */
@inline
function gapsIn(cell: u32, size: u32): u32 {
  if (size > 0) return (size >>> 2) + 3;
  return cell % SPARE_STRIDE == 0 ? SPARE_ROOM : 0;
}

export function placeEntries(job: usize, from: u32, to: u32): u32 {
  const part = from / word(job, PART_SIZE);
  const cursors = column(job, PART_TABLES) + <usize>part * (<usize>word(job, CELL_COUNT) << 2);
  let i = from;
  if (isPlain(job)) {
    i = max<u32>(i, min<u32>(to, word(job, SOURCE_COUNT)));
    placePlain(job, cursors, from, i);
  }
  for (; i < to; i++) placeOne(job, cursors, i);
  return to;
}

/** Present positions were gathered into scratch. */
function placePlain(job: usize, cursors: usize, from: u32, to: u32): void {
  const places = column(job, PLACES);
  const sourceX = column(job, SOURCE_X);
  const sourceY = column(job, SOURCE_Y);
  const refs = column(job, SOURCE_REF);
  const atX = column(job, AT_X);
  const atY = column(job, AT_Y);
  const newX = column(job, NEW_X);
  const newY = column(job, NEW_Y);
  const oldX = column(job, OLD_X);
  const oldY = column(job, OLD_Y);
  const entryRefs = column(job, REF);
  // The class of those that changed in place comes last; their positions were not gathered. Those split or nowhere come after all cells.
  const changedCells = word(changedGrid(job), GRID_FIRST_CELL_WORD);
  for (let i = from; i < to; i++) {
    const cell = wordAt(places, i);
    if (cell >= changedCells) {
      placeOne(job, cursors, i);
      continue;
    }
    const entry = wordAt(cursors, cell);
    setWord(cursors, cell, entry + 1);
    const slot = wordAt(refs, i);
    setFloat(newX, entry, floatAt(atX, i));
    setFloat(newY, entry, floatAt(atY, i));
    setFloat(oldX, entry, floatAt(sourceX, i));
    setFloat(oldY, entry, floatAt(sourceY, i));
    setWord(entryRefs, entry, slot);
  }
}

/** Writes any element at its present place, and its ghost at its former place. */
function placeOne(job: usize, cursors: usize, i: u32): void {
  const place = wordAt(column(job, PLACES), i);
  if (place == NOWHERE) return;
  const refs = column(job, SOURCE_REF);
  const sourceCount = word(job, SOURCE_COUNT);
  const slot = slotOf(job, refs, sourceCount, i);
  const is3D = word(job, DIMENSIONS) == 3;
  const cell = place & ~SPLIT_BIT;
  const isSplit = (place & SPLIT_BIT) != 0;
  // An entity that was added since comes after the entries: it has no source position, so nothing may be read there.
  const wasThen = wasThere(job, refs, sourceCount, slot, i);
  const x: f32 = wasThen ? floatAt(column(job, SOURCE_X), i) : 0;
  const y: f32 = wasThen ? floatAt(column(job, SOURCE_Y), i) : 0;
  const z: f32 = is3D && wasThen ? floatAt(column(job, SOURCE_Z), i) : 0;
  if (cell != NOWHERE) {
    const entry = nextEntry(cursors, cell);
    setFloat(column(job, NEW_X), entry, floatAt(column(job, NOW_X), slot));
    setFloat(column(job, NEW_Y), entry, floatAt(column(job, NOW_Y), slot));
    setFloat(column(job, OLD_X), entry, isSplit ? f32.NaN : x);
    setFloat(column(job, OLD_Y), entry, isSplit ? f32.NaN : y);
    if (is3D) {
      setFloat(column(job, NEW_Z), entry, floatAt(column(job, NOW_Z), slot));
      setFloat(column(job, OLD_Z), entry, isSplit ? f32.NaN : z);
    }
    setWord(column(job, REF), entry, slot);
  }
  if (!isSplit || !wasThen) return;
  const entry = nextEntry(cursors, ghostCell(job, slot, i));
  setFloat(column(job, NEW_X), entry, f32.NaN);
  setFloat(column(job, NEW_Y), entry, f32.NaN);
  setFloat(column(job, OLD_X), entry, x);
  setFloat(column(job, OLD_Y), entry, y);
  if (is3D) {
    setFloat(column(job, NEW_Z), entry, f32.NaN);
    setFloat(column(job, OLD_Z), entry, z);
  }
  setWord(column(job, REF), entry, slot | GHOST_BIT);
}

@inline
function nextEntry(cursors: usize, cell: u32): u32 {
  const entry = wordAt(cursors, cell);
  setWord(cursors, cell, entry + 1);
  return entry;
}

/** The cell where an element was at the last tick. */
function ghostCell(job: usize, slot: u32, i: u32): u32 {
  const z: f32 = word(job, DIMENSIONS) == 3 ? floatAt(column(job, SOURCE_Z), i) : 0;
  return cellThen(job, slot, floatAt(column(job, SOURCE_X), i), floatAt(column(job, SOURCE_Y), i), z);
}

/** Whether an entity that changed keeps one entry, if it did not leap. */
@inline
export function mayStayInPlace(job: usize, slot: u32): bool {
  return (<u32>load<u8>(column(job, NOW_CLASS) + <usize>slot) & IS_IN_PLACE) != 0;
}

@inline
function changedGrid(job: usize): usize {
  return column(job, GRIDS) + <usize>IN_PLACE * GRID_BYTES;
}

/** The cell of a slot at its present place. */
@inline
export function cellNow(job: usize, slot: u32, x: f32, y: f32, z: f32): u32 {
  return cellIn(job, gridOf(job, NOW_CLASS, slot), NOW_STATE, slot, x, y, z);
}

/** The cell of a slot at its place of the last tick. */
@inline
export function cellThen(job: usize, slot: u32, x: f32, y: f32, z: f32): u32 {
  return cellIn(job, gridOf(job, LAST_CLASS, slot), LAST_STATE, slot, x, y, z);
}

@inline
function gridOf(job: usize, classes: u32, slot: u32): usize {
  const classOf = column(job, classes);
  return column(job, GRIDS) + <usize>(<u32>load<u8>(classOf + <usize>slot) & CLASS_MASK) * GRID_BYTES;
}

@inline
function wasThere(job: usize, refs: usize, sourceCount: u32, slot: u32, i: u32): bool {
  return refs != 0 ? i < sourceCount : (<u32>load<u8>(column(job, LAST_FLAGS) + <usize>slot) & PRESENT) != 0;
}

@inline
function isNear(now: f32, last: f32, slack: f64): bool {
  return Math.abs(<f64>now - <f64>last) <= slack;
}

/** The cell of a position in the slot's band of a grid, as of a state. */
@inline
function cellIn(job: usize, grid: usize, state: u32, slot: u32, x: f32, y: f32, z: f32): u32 {
  const width = word(grid, GRID_WIDTH_WORD);
  const height = word(grid, GRID_HEIGHT_WORD);
  const cellX = clampedCell(folded(grid, 0, x), numberAt(grid, GRID_ORIGIN), numberAt(grid, GRID_INVERSE), width);
  const cellY = clampedCell(folded(grid, 1, y), numberAt(grid, GRID_ORIGIN + 1), numberAt(grid, GRID_INVERSE + 1), height);
  const depth = word(grid, GRID_DEPTH_WORD);
  const cellZ: u32 =
    depth == 1 ? 0 : clampedCell(folded(grid, 2, z), numberAt(grid, GRID_ORIGIN + 2), numberAt(grid, GRID_INVERSE + 2), depth);
  return bandOf(job, grid, state, slot) + (cellZ * height + cellY) * width + cellX;
}
