/**
 * Entries that stay where they are from tick to tick, for worlds in which few move: cost follows change.
 *
 * The cells have gaps, so that one that crosses into another cell finds room there. Between ticks every entry's old
 * position is its new one. In a tick those that changed are put right and listed; after the scan they are at rest again.
 *
 *   put     moved within its cell: written in place        leaped, added, changed: a new entry beside the ghost
 *           into another: taken out there, put in here     removed: its entry becomes the ghost
 *   settle  ghosts are taken out, old positions become the new ones
 *
 * A cell without room ends the stay: `put` answers false and everything is sorted anew, with gaps where they are needed
 * by then. Cost: a search of two or three cells for each that changed, some 100 ns.
 */
import { ADDED, CHANGED, type EntityStore, MOVED, REMOVED } from '../../entities/entity-store.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import { GHOST_BIT } from '../../kernels/sweep-job.ts';
import type { EntryColumns } from './entry-columns.ts';
import type { SweepGrids } from './sweep-grids.ts';

const CONCERNED = ADDED | REMOVED | MOVED | CHANGED;
const SPLITS = ADDED | REMOVED | CHANGED;

export class ResidentCells {
  /** Entries that changed in the tick under way. */
  readonly movers: Column<'u32'>;
  moverCount = 0;
  /** The longest range among those put since it was set. */
  maxRange = 0;
  /** By sense, what all watchers have when they came; `undefined` when they differ, or since one came that does. */
  commonRanges: readonly number[] | undefined = undefined;
  readonly #heap: Heap;
  readonly #entries: EntryColumns;
  readonly #grids: SweepGrids;
  #slack = 0;

  constructor(heap: Heap, entries: EntryColumns, grids: SweepGrids) {
    this.#heap = heap;
    this.#entries = entries;
    this.#grids = grids;
    // Not scratch: a scan may stop for want of room, and the heap move under it.
    this.movers = heap.column('u32', 0, () => this.moverCount);
  }

  /** Puts right and lists everyone who changed; false when a cell has no room, and all is to be sorted anew. */
  put(store: EntityStore, slack: number): boolean {
    this.#slack = slack;
    const { pendingCount } = store;
    if (this.movers.length < 2 * pendingCount) this.#heap.resize([[this.movers as Column, 4 * pendingCount]]);
    for (let i = 0; i < pendingCount; i++) if (!this.#place(store, store.pendingSlots[i])) return false;
    // Putting one in may have moved another of its cell, so they are listed when all are in.
    this.moverCount = 0;
    const movers = this.movers.array;
    for (let i = 0; i < pendingCount; i++) {
      const slot = store.pendingSlots[i];
      if ((store.pending[slot] & CONCERNED) === 0) continue;
      if (store.now.isPresent(slot)) movers[this.moverCount++] = this.#find(this.#cellNow(store, slot), slot);
      if (this.#hasGhost(store, slot)) movers[this.moverCount++] = this.#findGhost(store, slot);
    }
    // In the order of memory, neighbours find what they read in the cache.
    movers.subarray(0, this.moverCount).sort();
    return true;
  }

  /** Brings everyone who was put to rest. */
  settle(store: EntityStore): void {
    const { newX, newY, oldX, oldY, ref } = this.#entries;
    for (let k = 0; k < this.moverCount; k++) {
      const entry = this.movers.array[k];
      if (ref.array[entry] >= GHOST_BIT) continue;
      oldX.array[entry] = newX.array[entry];
      oldY.array[entry] = newY.array[entry];
    }
    for (let i = 0; i < store.pendingCount; i++) {
      const slot = store.pendingSlots[i];
      if ((store.pending[slot] & CONCERNED) === 0 || !this.#hasGhost(store, slot)) continue;
      this.#takeOut(this.#cellThen(store, slot), this.#findGhost(store, slot));
    }
  }

  dispose(): void {
    this.#heap.release(this.movers as Column);
  }

  #place(store: EntityStore, slot: number): boolean {
    const { last, now } = store;
    if ((store.pending[slot] & CONCERNED) === 0) return true;
    const { newX, newY, ref } = this.#entries;
    const isNow = now.isPresent(slot);
    if (last.isPresent(slot)) {
      const cell = this.#cellThen(store, slot);
      const entry = this.#find(cell, slot);
      if (this.#hasGhost(store, slot)) {
        newX.array[entry] = Number.NaN;
        newY.array[entry] = Number.NaN;
        ref.array[entry] = slot + GHOST_BIT;
      } else if (this.#cellNow(store, slot) === cell) {
        newX.array[entry] = now.x[slot];
        newY.array[entry] = now.y[slot];
        return true;
      } else {
        this.#takeOut(cell, entry);
        return this.#putIn(store, slot, last.x[slot], last.y[slot]);
      }
    }
    return !isNow || this.#putIn(store, slot, Number.NaN, Number.NaN);
  }

  /** Whether an entity has a ghost this tick: it was there, and is gone, changed or moved farther than the slack. */
  #hasGhost({ pending, last, now }: EntityStore, slot: number): boolean {
    if (!last.isPresent(slot)) return false;
    if ((pending[slot] & SPLITS) !== 0) return true;
    const slack = this.#slack;
    return !(Math.abs(now.x[slot] - last.x[slot]) <= slack && Math.abs(now.y[slot] - last.y[slot]) <= slack);
  }

  #putIn(store: EntityStore, slot: number, oldX: number, oldY: number): boolean {
    const { table, ends } = this.#entries;
    const cell = this.#cellNow(store, slot);
    const entry = ends.array[cell];
    if (entry === table.array[cell + 1]) return false;
    ends.array[cell]++;
    const { now } = store;
    const range = now.maxRangeOf(slot);
    this.maxRange = Math.max(this.maxRange, range);
    if (range > 0 && this.commonRanges?.some((common, s) => common !== now.ranges[s].at(slot))) {
      this.commonRanges = undefined;
    }
    this.#write(entry, now.x[slot], now.y[slot], oldX, oldY, range, slot);
    return true;
  }

  /** Takes an entry out of its cell: the cell's last one takes its place. */
  #takeOut(cell: number, entry: number): void {
    const { newX, newY, oldX, oldY, range, ref, ends } = this.#entries;
    const end = --ends.array[cell];
    this.#write(
      entry,
      newX.array[end],
      newY.array[end],
      oldX.array[end],
      oldY.array[end],
      range.array[end],
      ref.array[end],
    );
    this.#write(end, Number.NaN, Number.NaN, Number.NaN, Number.NaN, 0, 0);
  }

  #write(entry: number, x: number, y: number, oldX: number, oldY: number, range: number, ref: number): void {
    const entries = this.#entries;
    entries.newX.array[entry] = x;
    entries.newY.array[entry] = y;
    entries.oldX.array[entry] = oldX;
    entries.oldY.array[entry] = oldY;
    entries.range.array[entry] = range;
    entries.ref.array[entry] = ref;
  }

  #cellThen({ last }: EntityStore, slot: number): number {
    return this.#grids.cellAt(0, last.x[slot], last.y[slot], 0);
  }

  #cellNow({ now }: EntityStore, slot: number): number {
    return this.#grids.cellAt(0, now.x[slot], now.y[slot], 0);
  }

  #findGhost(store: EntityStore, slot: number): number {
    return this.#find(this.#cellThen(store, slot), slot + GHOST_BIT);
  }

  /** The entry in a cell that has this ref. */
  #find(cell: number, wanted: number): number {
    const refs = this.#entries.ref.array;
    const end = this.#entries.ends.array[cell];
    for (let entry = this.#entries.table.array[cell]; entry < end; entry++)
      if (refs[entry] === wanted) return entry;
    throw new Error(`umwelt: broken invariant: slot ${wanted} lies in cell ${cell}`);
  }
}
