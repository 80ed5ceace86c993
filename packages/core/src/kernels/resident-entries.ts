/**
 * Puts right the entries of those that changed, where everyone stays in cells with gaps, and brings them to rest after the
 * scan: see detectors/sweep/resident-cells.ts for what becomes of whom.
 *
 * In passes over the pending slots, so that many wait for memory at once: first where each was and is, then those that
 * go from cell to cell, then those that stay in theirs; the last lists the entries, which are then sorted, since in the order
 * of memory neighbours find what they read in the cache, and marks them by a bit each. What the first finds out is kept behind the list:
 *
 *   movers | entries, two a slot at most | cell then, and its upper bit for a ghost | cell now | scratch |      NONE: not there
 *
 * Twin: wasm/resident-entries.ts. Cost: some 90 ns a slot in a world that no cache holds.
 */
import type { HeapViews } from './heap-views.ts';
import { cellAt, entryColumns } from './sweep-entries.ts';
import * as job from './sweep-job.ts';

/** Bits of the pending column. */
const ADDED = 1;
const REMOVED = 2;
const MOVED = 4;
const CHANGED = 8;
const CONCERNED = ADDED | REMOVED | MOVED | CHANGED;
const SPLITS = ADDED | REMOVED | CHANGED;
const NONE = 0x7fff_ffff;

/** Words that the list needs for so many slots, with what is kept and scratch. */
export function moverWords(slots: number): number {
  return 6 * slots + 2048;
}

interface Residents {
  readonly heap: HeapViews;
  readonly j: number;
  readonly entries: ReturnType<typeof entryColumns>;
  readonly table: number;
  readonly ends: number;
}

/** Puts and lists everyone; answers 0 when a cell has no room, and entries are no longer what they were, else 1. */
export function putMovers(heap: HeapViews, jobOffset: number): number {
  const { u32, f32 } = heap;
  const residents = openResidents(heap, jobOffset);
  const { j, entries } = residents;
  const count = u32[j + job.PENDING_COUNT];
  const slots = u32[j + job.PENDING_SLOTS] >>> 2;
  const movers = u32[j + job.MOVERS] >>> 2;
  const thenCells = movers + 2 * count;
  const nowCells = movers + 3 * count;
  const [nowX, nowY] = [u32[j + job.NOW_X] >>> 2, u32[j + job.NOW_Y] >>> 2];
  const [lastX, lastY] = [u32[j + job.LAST_X] >>> 2, u32[j + job.LAST_Y] >>> 2];
  for (let i = 0; i < count; i++)
    findCells(residents, jobOffset, u32[slots + i], thenCells + i, nowCells + i);
  for (let i = 0; i < count; i++) {
    const then = u32[thenCells + i];
    const now = u32[nowCells + i];
    if (then === now) continue;
    const slot = u32[slots + i];
    let [oldX, oldY] = [Number.NaN, Number.NaN];
    if (then >= job.GHOST_BIT) {
      const entry = find(residents, then - job.GHOST_BIT, slot);
      f32[entries.newX + entry] = Number.NaN;
      f32[entries.newY + entry] = Number.NaN;
      u32[entries.ref + entry] = slot + job.GHOST_BIT;
    } else if (then !== NONE) {
      takeOut(residents, then, find(residents, then, slot));
      [oldX, oldY] = [f32[lastX + slot], f32[lastY + slot]];
    }
    if (now === NONE) continue;
    if (!putIn(residents, now, slot, f32[nowX + slot], f32[nowY + slot], oldX, oldY)) return 0;
  }
  let listed = 0;
  for (let i = 0; i < count; i++) {
    const then = u32[thenCells + i];
    const now = u32[nowCells + i];
    const slot = u32[slots + i];
    if (now !== NONE) {
      const entry = find(residents, now, slot);
      u32[movers + listed++] = entry;
      f32[entries.newX + entry] = f32[nowX + slot];
      f32[entries.newY + entry] = f32[nowY + slot];
    }
    if (then >= job.GHOST_BIT) {
      u32[movers + listed++] = find(residents, then - job.GHOST_BIT, slot + job.GHOST_BIT);
    }
  }
  u32[j + job.MOVER_COUNT] = listed;
  u32.subarray(movers, movers + listed).sort();
  const bits = u32[j + job.MOVER_BITS] >>> 2;
  for (let k = 0; k < listed; k++) {
    const entry = u32[movers + k];
    u32[bits + (entry >>> 5)] |= 1 << (entry & 31);
  }
  return 1;
}

/** After the scan: old positions become the new ones, ghosts are taken out, and nobody is marked any more. */
export function restMovers(heap: HeapViews, jobOffset: number): void {
  const { u32, f32 } = heap;
  const residents = openResidents(heap, jobOffset);
  const { j, entries } = residents;
  const count = u32[j + job.PENDING_COUNT];
  const slots = u32[j + job.PENDING_SLOTS] >>> 2;
  const movers = u32[j + job.MOVERS] >>> 2;
  const bits = u32[j + job.MOVER_BITS] >>> 2;
  for (let k = 0; k < u32[j + job.MOVER_COUNT]; k++) {
    const entry = u32[movers + k];
    u32[bits + (entry >>> 5)] = 0;
    if (u32[entries.ref + entry] >= job.GHOST_BIT) continue;
    f32[entries.oldX + entry] = f32[entries.newX + entry];
    f32[entries.oldY + entry] = f32[entries.newY + entry];
  }
  for (let i = 0; i < count; i++) {
    const then = u32[movers + 2 * count + i];
    if (then < job.GHOST_BIT) continue;
    const cell = then - job.GHOST_BIT;
    takeOut(residents, cell, find(residents, cell, u32[slots + i] + job.GHOST_BIT));
  }
}

function openResidents(heap: HeapViews, jobOffset: number): Residents {
  const { u32 } = heap;
  const j = jobOffset >>> 2;
  const [table, ends] = [u32[j + job.TABLE] >>> 2, u32[j + job.ENDS] >>> 2];
  return { heap, j, entries: entryColumns(u32, j), table, ends };
}

/** Writes where a slot was and is: the same twice for one that is of no concern, or nowhere. */
function findCells({ heap, j }: Residents, jobOffset: number, slot: number, then: number, now: number): void {
  const { u32, u8, f32, f64 } = heap;
  const bits = u8[u32[j + job.PENDING] + slot];
  u32[then] = NONE;
  u32[now] = NONE;
  if ((bits & CONCERNED) === 0) return;
  const grid = u32[j + job.GRIDS];
  const x = f32[(u32[j + job.NOW_X] >>> 2) + slot];
  const y = f32[(u32[j + job.NOW_Y] >>> 2) + slot];
  if ((bits & REMOVED) === 0) u32[now] = cellAt(heap, grid, x, y, 0);
  if ((bits & ADDED) !== 0) return;
  const oldX = f32[(u32[j + job.LAST_X] >>> 2) + slot];
  const oldY = f32[(u32[j + job.LAST_Y] >>> 2) + slot];
  const slack = f64[(jobOffset >>> 3) + job.SLACK_F64];
  const isNear = Math.abs(x - oldX) <= slack && Math.abs(y - oldY) <= slack;
  const hasGhost = (bits & SPLITS) !== 0 || !isNear;
  u32[then] = cellAt(heap, grid, oldX, oldY, 0) + (hasGhost ? job.GHOST_BIT : 0);
}

/** The entry in a cell that has this ref. */
function find({ heap, entries, table, ends }: Residents, cell: number, wanted: number): number {
  const { u32 } = heap;
  const end = u32[ends + cell];
  for (let entry = u32[table + cell]; entry < end; entry++)
    if (u32[entries.ref + entry] === wanted) return entry;
  throw new Error(`umwelt: broken invariant: slot ${wanted} lies in cell ${cell}`);
}

/** Takes an entry out of its cell: the cell's last one takes its place. */
function takeOut({ heap, entries, ends }: Residents, cell: number, entry: number): void {
  const { u32, f32 } = heap;
  const end = --u32[ends + cell];
  for (const column of [entries.newX, entries.newY, entries.oldX, entries.oldY]) {
    f32[column + entry] = f32[column + end];
    f32[column + end] = Number.NaN;
  }
  f32[entries.range + entry] = f32[entries.range + end];
  u32[entries.ref + entry] = u32[entries.ref + end];
}

/** Puts an entry at the end of a cell; false when there is no room. */
function putIn(
  { heap, j, entries, table, ends }: Residents,
  cell: number,
  slot: number,
  x: number,
  y: number,
  oldX: number,
  oldY: number,
): boolean {
  const { u32, f32 } = heap;
  const entry = u32[ends + cell];
  if (entry === u32[table + cell + 1]) return false;
  u32[ends + cell]++;
  f32[entries.newX + entry] = x;
  f32[entries.newY + entry] = y;
  f32[entries.oldX + entry] = oldX;
  f32[entries.oldY + entry] = oldY;
  u32[entries.ref + entry] = slot;
  let longest = 0;
  let isLike = true;
  for (let s = 0; s < u32[j + job.SENSE_COUNT]; s++) {
    const column = u32[j + job.NOW_RANGES + s];
    const range = column === 0 ? 0 : f32[(column >>> 2) + slot];
    longest = Math.max(longest, range);
    if (range !== f32[j + job.WATCHER_RANGES + s]) isLike = false;
  }
  f32[entries.range + entry] = longest;
  if (longest > 0 && !isLike) u32[j + job.IS_UNIFORM] = 0;
  f32[j + job.MAX_RANGE] = Math.max(f32[j + job.MAX_RANGE], longest);
  return true;
}
