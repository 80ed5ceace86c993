/**
 * Entities sorted into the cells of grids: where each cell begins, and the slots and positions of its entries. For the index of markers
 * and for the index of watchers.
 *
 * Memory: 20 bytes an entry (24 in 3-D), 4 a cell. Cost: some 10 ns an entry.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { type Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/seat-search.ts';
import * as sorting from '../../kernels/layouts/sort-markers.ts';
import type { MarkerGrid } from './marker-grid.ts';

export class GridSorter {
  /** By cell: the entry at which it begins. */
  readonly table: Column<'u32'>;
  /** By entry. */
  readonly slot: Column<'u32'>;
  readonly x: Column<'f32'>;
  readonly y: Column<'f32'>;
  readonly z: Column<'f32'>;
  /** Scratch: what is sorted, slots, grid by grid, and the cell of each. */
  readonly #members: Column<'u32'>;
  readonly #cells: Column<'u32'>;
  readonly #job: Column<'u32'>;
  readonly #heap: Heap;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.table = heap.column('u32', 0);
    this.slot = heap.column('u32', 0);
    this.x = heap.column('f32', 0);
    this.y = heap.column('f32', 0);
    this.z = heap.column('f32', 0);
    this.#members = heap.column('u32', 0, Heap.scratch);
    this.#cells = heap.column('u32', 0, Heap.scratch);
    this.#job = heap.column('u32', sorting.JOB_WORDS);
  }

  /** All columns, in no order. */
  get columns(): Column[] {
    return [this.table, this.slot, this.x, this.y, this.z, this.#members, this.#cells];
  }

  /** Makes room for entries. */
  reserveEntries(entries: number, dimensions: 2 | 3): void {
    if (this.slot.length >= entries) return;
    const columns: Column[] = [this.slot, this.x, this.y];
    if (dimensions === 3) columns.push(this.z);
    this.#heap.resize(columns.map((column) => [column, entries]));
  }

  /** Takes these slots as what is sorted next: the members of each grid. The heap must not move before they are sorted. */
  takeMembers(byGrid: readonly Uint32Array[]): void {
    const count = byGrid.reduce((sum, { length }) => sum + length, 0);
    if (this.#members.length < count)
      this.#heap.resizeAll([this.#members, this.#cells], count + (count >> 2));
    // Only now, because scratch is lost when the heap moves.
    let placed = 0;
    for (const members of byGrid) {
      this.#members.array.set(members, placed);
      placed += members.length;
    }
  }

  /** Sorts the members that were taken into the cells of these grids, which are written into `column` from `firstGrid` on. */
  sort(
    { now, settings }: EntityStore,
    column: Column<'f64'>,
    firstGrid: number,
    grids: readonly MarkerGrid[],
    firstEntry: number,
  ): void {
    writeGrids(column, firstGrid, grids);
    const last = grids[grids.length - 1];
    const words = this.#job.array;
    const is3D = settings.dimensions === 3;
    words[sorting.X] = now.offsets.x;
    words[sorting.Y] = now.offsets.y;
    words[sorting.Z] = is3D ? now.offsets.z : 0;
    words[sorting.CHANNELS] = now.channels.column?.offset ?? 0;
    words[sorting.GRIDS] = column.offset;
    words[sorting.FIRST_GRID] = firstGrid;
    words[sorting.GRID_COUNT] = grids.length;
    words[sorting.MEMBERS] = this.#members.offset;
    words[sorting.CELLS] = this.#cells.offset;
    words[sorting.TABLE] = this.table.offset;
    words[sorting.FIRST_CELL] = grids[0].firstCell;
    words[sorting.END_CELL] = last.firstCell + last.cells;
    words[sorting.FIRST_ENTRY] = firstEntry;
    words[sorting.ENTRY_SLOT] = this.slot.offset;
    words[sorting.ENTRY_X] = this.x.offset;
    words[sorting.ENTRY_Y] = this.y.offset;
    words[sorting.ENTRY_Z] = this.z.offset;
    this.#heap.kernels.sortMarkers(this.#job.offset);
  }
}

/** Writes the numbers of grids into a column: see kernels/layouts/seat-search.ts. */
export function writeGrids(column: Column<'f64'>, first: number, grids: readonly MarkerGrid[]): void {
  grids.forEach((grid, g) => {
    grid.write(column.array, (first + g) * job.GRID_NUMBERS);
  });
}
