/**
 * Sorts a world's entities into cells, each tick anew: a counting sort. See sweep-job.ts for entries, classes and the job.
 *
 * What is sorted are the entries of the tick before, in their order. An entity moves little in a tick, so nearly all go
 * where their neighbours go, and what is written lies in the cache; in the order of slots every write would be a miss. Only
 * where they are now is read by slot. Those that were added since come behind, from the pending slots; without a tick
 * before, all slots are sorted, in their order.
 *
 *   countEntries   by element: its place, that is its cell, and whether it is split; by part and cell: how many
 *   startCells     where each cell begins, and in it each part
 *   placeEntries   the entries, in their places
 *
 * The elements are cut into parts, one a thread, each with counts of its own. A part's entries come behind those of the part
 * before, so the order is the same for any number of parts.
 *
 * A coordinate's cell number is clamped to the grid, so a far outlier lies in a border cell; since clamping keeps
 * order, a search window given by the cells of its edges still holds all that lie in it.
 *
 * Twin: wasm/sweep-entries.ts. Cost: 10 to 20 ns an entity in WebAssembly.
 */
import type { HeapViews } from './heap-views.ts';
import * as job from './sweep-job.ts';

const PRESENT = 1;
/** Bits of the pending column. */
const ADDED = 1;
const REMOVED = 2;
/** Those that split an entity: ADDED, REMOVED, CHANGED. */
const SPLITS = 1 | 2 | 8;
const NOBODY = -1;

/** Notes the places of the elements `from` to `to`, which are one part, and how many entries each cell gets of them. */
export function countEntries(heap: HeapViews, jobOffset: number, from: number, to: number): number {
  const { u32, u8, f32, f64 } = heap;
  const j = jobOffset >>> 2;
  const cellCount = u32[j + job.CELL_COUNT];
  const part = Math.floor(from / u32[j + job.PART_SIZE]);
  const counts = (u32[j + job.PART_TABLES] >>> 2) + part * cellCount;
  u32.fill(0, counts, counts + cellCount);
  const nowX = u32[j + job.NOW_X] >>> 2;
  const nowY = u32[j + job.NOW_Y] >>> 2;
  const nowZ = u32[j + job.NOW_Z] >>> 2;
  const source = sourceColumns(u32, j);
  const pending = u32[j + job.PENDING];
  const nowFlags = u32[j + job.NOW_FLAGS];
  const nowClass = u32[j + job.NOW_CLASS];
  const places = u32[j + job.PLACES] >>> 2;
  const grids = u32[j + job.GRIDS];
  const onlyMoves = u32[j + job.ONLY_MOVES] !== 0;
  const is3D = u32[j + job.DIMENSIONS] === 3;
  const slack = f64[(jobOffset >>> 3) + job.SLACK_F64];
  for (let i = from; i < to; i++) {
    const slot = slotOf(heap, source, i);
    if (slot === NOBODY) {
      u32[places + i] = job.NOWHERE;
      continue;
    }
    const bits = onlyMoves ? 0 : u8[pending + slot];
    const isNow = source.refs === 0 ? (u8[nowFlags + slot] & PRESENT) !== 0 : (bits & REMOVED) === 0;
    const wasThen = wasThere(heap, source, slot, i);
    let isWhole = isNow && wasThen && (bits & SPLITS) === 0;
    let place = job.NOWHERE;
    if (isNow) {
      const x = f32[nowX + slot];
      const y = f32[nowY + slot];
      const z = is3D ? f32[nowZ + slot] : 0;
      const grid = grids + (nowClass === 0 ? 0 : u8[nowClass + slot]) * job.GRID_BYTES;
      place = cellAt(heap, grid, x, y, z);
      u32[counts + place]++;
      isWhole =
        isWhole &&
        Math.abs(x - f32[source.x + i]) <= slack &&
        Math.abs(y - f32[source.y + i]) <= slack &&
        (!is3D || Math.abs(z - f32[source.z + i]) <= slack);
    }
    if (wasThen && !isWhole) u32[counts + ghostCell(heap, j, source, slot, i)]++;
    u32[places + i] = isWhole ? place : place + job.SPLIT_BIT;
  }
  return to;
}

/** From the counts of all parts: where the cells begin and end, and where each part goes on in each. Answers the room taken. */
export function startCells({ u32 }: HeapViews, jobOffset: number): number {
  const j = jobOffset >>> 2;
  const table = u32[j + job.TABLE] >>> 2;
  const ends = u32[j + job.ENDS] >>> 2;
  const cellCount = u32[j + job.CELL_COUNT];
  const parts = u32[j + job.PART_TABLES] >>> 2;
  const behind = parts + u32[j + job.PART_COUNT] * cellCount;
  const withGaps = u32[j + job.WITH_GAPS] !== 0;
  let start = 0;
  for (let cell = 0; cell < cellCount; cell++) {
    u32[table + cell] = start;
    let end = start;
    for (let at = parts + cell; at < behind; at += cellCount) {
      const size = u32[at];
      u32[at] = end;
      end += size;
    }
    u32[ends + cell] = end;
    start = withGaps ? start + roomFor(end - start) : end;
  }
  u32[table + cellCount] = start;
  return start;
}

/**
 * Puts the elements `from` to `to`, which are one part, in their places, and writes to the part's job what was found of their
 * ranges. With gaps, the entry columns are to be filled with NaN before.
 */
export function placeEntries(heap: HeapViews, jobOffset: number, from: number, to: number): number {
  const { u32, f32 } = heap;
  const j = jobOffset >>> 2;
  const part = Math.floor(from / u32[j + job.PART_SIZE]);
  const cursors = (u32[j + job.PART_TABLES] >>> 2) + part * u32[j + job.CELL_COUNT];
  const places = u32[j + job.PLACES] >>> 2;
  const is3D = u32[j + job.DIMENSIONS] === 3;
  const now = { x: u32[j + job.NOW_X] >>> 2, y: u32[j + job.NOW_Y] >>> 2, z: u32[j + job.NOW_Z] >>> 2 };
  const source = sourceColumns(u32, j);
  const entries = entryColumns(u32, j);
  const ranges = new RangesOfPart(heap, jobOffset, (u32[j + job.FIRST_JOB] >>> 2) + part * job.JOB_WORDS);
  for (let i = from; i < to; i++) {
    const place = u32[places + i];
    if (place === job.NOWHERE) continue;
    const slot = slotOf(heap, source, i);
    const isSplit = place >= job.SPLIT_BIT;
    const cell = isSplit ? place - job.SPLIT_BIT : place;
    const oldX = f32[source.x + i];
    const oldY = f32[source.y + i];
    const oldZ = is3D ? f32[source.z + i] : 0;
    if (cell !== job.NOWHERE) {
      const entry = u32[cursors + cell]++;
      f32[entries.newX + entry] = f32[now.x + slot];
      f32[entries.newY + entry] = f32[now.y + slot];
      f32[entries.oldX + entry] = isSplit ? Number.NaN : oldX;
      f32[entries.oldY + entry] = isSplit ? Number.NaN : oldY;
      if (is3D) {
        f32[entries.newZ + entry] = f32[now.z + slot];
        f32[entries.oldZ + entry] = isSplit ? Number.NaN : oldZ;
      }
      u32[entries.ref + entry] = slot;
      f32[entries.range + entry] = ranges.note(job.NOW_RANGES, slot);
    }
    if (!isSplit || !wasThere(heap, source, slot, i)) continue;
    const entry = u32[cursors + ghostCell(heap, j, source, slot, i)]++;
    f32[entries.newX + entry] = Number.NaN;
    f32[entries.newY + entry] = Number.NaN;
    f32[entries.oldX + entry] = oldX;
    f32[entries.oldY + entry] = oldY;
    if (is3D) {
      f32[entries.newZ + entry] = Number.NaN;
      f32[entries.oldZ + entry] = oldZ;
    }
    u32[entries.ref + entry] = slot + job.GHOST_BIT;
    f32[entries.range + entry] = ranges.note(job.LAST_RANGES, slot);
  }
  ranges.close();
  return to;
}

/** What is found of the ranges of a part's entries: whether all watchers among them are alike, and how far they reach. */
class RangesOfPart {
  readonly #heap: HeapViews;
  readonly #j: number;
  /** Index of the job that it is written to. */
  readonly #found: number;
  readonly #allAlike: boolean;
  #watchers = 0;
  #isUniform = true;
  #firstRange = 0;
  #maxRange = 0;

  constructor(heap: HeapViews, jobOffset: number, found: number) {
    this.#heap = heap;
    this.#j = jobOffset >>> 2;
    this.#found = found;
    this.#allAlike = heap.u32[this.#j + job.ALL_ALIKE] !== 0;
    if (this.#allAlike) this.#firstRange = heap.f32[this.#j + job.MAX_RANGE];
    // Nobody is like a watcher whose ranges are no numbers.
    else heap.f32[found + job.WATCHER_RANGES] = Number.NaN;
  }

  /** The longest range of a slot, now or then; 0 for no watcher. */
  note(ranges: number, slot: number): number {
    if (this.#allAlike) {
      this.#watchers++;
      return this.#firstRange;
    }
    const isLike = this.#isLikeFirst(ranges, slot);
    const range = isLike ? this.#firstRange : this.#longest(ranges, slot);
    if (!(range > 0)) return range;
    if (this.#watchers === 0) {
      this.#noteFirst(ranges, slot);
      this.#firstRange = range;
    } else if (!isLike) {
      this.#isUniform = false;
    }
    this.#maxRange = Math.max(this.#maxRange, range);
    this.#watchers++;
    return range;
  }

  close(): void {
    const { u32, f32 } = this.#heap;
    u32[this.#found + job.WATCHER_COUNT] = this.#watchers;
    if (this.#allAlike) return;
    u32[this.#found + job.IS_UNIFORM] = this.#isUniform ? 1 : 0;
    f32[this.#found + job.MAX_RANGE] = this.#maxRange;
  }

  #longest(ranges: number, slot: number): number {
    let longest = 0;
    const senseCount = this.#heap.u32[this.#j + job.SENSE_COUNT];
    for (let s = 0; s < senseCount; s++) longest = Math.max(longest, this.#rangeAt(ranges, s, slot));
    return longest;
  }

  /** Whether all ranges are those of the part's first watcher. */
  #isLikeFirst(ranges: number, slot: number): boolean {
    const { u32, f32 } = this.#heap;
    const senseCount = u32[this.#j + job.SENSE_COUNT];
    for (let s = 0; s < senseCount; s++) {
      if (f32[this.#found + job.WATCHER_RANGES + s] !== this.#rangeAt(ranges, s, slot)) return false;
    }
    return true;
  }

  #noteFirst(ranges: number, slot: number): void {
    const { u32, f32 } = this.#heap;
    const senseCount = u32[this.#j + job.SENSE_COUNT];
    for (let s = 0; s < senseCount; s++) {
      f32[this.#found + job.WATCHER_RANGES + s] = this.#rangeAt(ranges, s, slot);
    }
  }

  #rangeAt(ranges: number, s: number, slot: number): number {
    const { u32, f32 } = this.#heap;
    const column = u32[this.#j + ranges + s];
    return column === 0 ? 0 : f32[(column >>> 2) + slot];
  }
}

/** What is sorted, as indices into the heap; `refs` is 0 when that is all slots. */
interface Source {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly refs: number;
  readonly count: number;
  readonly nowFlags: number;
  readonly lastFlags: number;
  readonly pending: number;
  readonly pendingSlots: number;
}

function sourceColumns(u32: Uint32Array, j: number): Source {
  return {
    x: u32[j + job.SOURCE_X] >>> 2,
    y: u32[j + job.SOURCE_Y] >>> 2,
    z: u32[j + job.SOURCE_Z] >>> 2,
    refs: u32[j + job.SOURCE_REF] >>> 2,
    count: u32[j + job.SOURCE_COUNT],
    nowFlags: u32[j + job.NOW_FLAGS],
    lastFlags: u32[j + job.LAST_FLAGS],
    pending: u32[j + job.PENDING],
    pendingSlots: u32[j + job.PENDING_SLOTS] >>> 2,
  };
}

/** The slot of an element; `NOBODY` for a ghost of the tick before, a gap, and one that was not added. */
function slotOf({ u32, u8, f32 }: HeapViews, source: Source, i: number): number {
  if (source.refs === 0) {
    return ((u8[source.nowFlags + i] | u8[source.lastFlags + i]) & PRESENT) === 0 ? NOBODY : i;
  }
  if (i < source.count) {
    const ref = u32[source.refs + i];
    return ref >= job.GHOST_BIT || Number.isNaN(f32[source.x + i]) ? NOBODY : ref;
  }
  const slot = u32[source.pendingSlots + i - source.count];
  return (u8[source.pending + slot] & ADDED) === 0 ? NOBODY : slot;
}

/** Whether an element was there at the last tick. */
function wasThere({ u8 }: HeapViews, source: Source, slot: number, i: number): boolean {
  return source.refs === 0 ? (u8[source.lastFlags + slot] & PRESENT) !== 0 : i < source.count;
}

/** The cell where an element was at the last tick. */
function ghostCell(heap: HeapViews, j: number, source: Source, slot: number, i: number): number {
  const { u32, u8, f32 } = heap;
  const lastClass = u32[j + job.LAST_CLASS];
  const grid = u32[j + job.GRIDS] + (lastClass === 0 ? 0 : u8[lastClass + slot]) * job.GRID_BYTES;
  const z = u32[j + job.DIMENSIONS] === 3 ? f32[source.z + i] : 0;
  return cellAt(heap, grid, f32[source.x + i], f32[source.y + i], z);
}

/** Entries that a cell of so many gets, with gaps: a quarter more, and some for the nearly empty. */
function roomFor(size: number): number {
  return size + (size >>> 2) + 3;
}

/** The table's index of the cell in which a point lies, by a grid record. */
export function cellAt(heap: HeapViews, grid: number, x: number, y: number, z: number): number {
  const { f64, u32 } = heap;
  const g = grid >>> 3;
  const w = grid >>> 2;
  const width = u32[w + job.GRID_WIDTH_WORD];
  const height = u32[w + job.GRID_HEIGHT_WORD];
  const cellX = clampedCell(x, f64[g + job.GRID_ORIGIN], f64[g + job.GRID_INVERSE], width);
  const cellY = clampedCell(y, f64[g + job.GRID_ORIGIN + 1], f64[g + job.GRID_INVERSE + 1], height);
  const depth = u32[w + job.GRID_DEPTH_WORD];
  const cellZ =
    depth === 1 ? 0 : clampedCell(z, f64[g + job.GRID_ORIGIN + 2], f64[g + job.GRID_INVERSE + 2], depth);
  return u32[w + job.GRID_FIRST_CELL_WORD] + (cellZ * height + cellY) * width + cellX;
}

/** The cell of a coordinate along one axis, 0 to count - 1: never falls as the coordinate rises. */
export function clampedCell(coordinate: number, origin: number, inverse: number, count: number): number {
  const cell = (coordinate - origin) * inverse;
  return cell <= 0 ? 0 : cell >= count - 1 ? count - 1 : Math.trunc(cell);
}

/** Index of each entry column in the heap's words. */
export function entryColumns(u32: Uint32Array, j: number) {
  return {
    newX: u32[j + job.NEW_X] >>> 2,
    newY: u32[j + job.NEW_Y] >>> 2,
    newZ: u32[j + job.NEW_Z] >>> 2,
    oldX: u32[j + job.OLD_X] >>> 2,
    oldY: u32[j + job.OLD_Y] >>> 2,
    oldZ: u32[j + job.OLD_Z] >>> 2,
    range: u32[j + job.RANGE] >>> 2,
    ref: u32[j + job.REF] >>> 2,
  };
}
