/**
 * Sorts the entries of all entities into cells: the passes of kernels/wasm/sweep-entries.ts, on all threads, with
 * room allocated between them.
 *
 * Memory: 4 bytes a cell and thread; places and gathered data are in the heap's staging columns.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import { CLASSES } from '../../kernels/layouts/sweep-job.ts';
import type { EntryClasses } from './entry-classes.ts';
import type { EntryColumns } from './entry-columns.ts';
import type { SweepGrids } from './sweep-grids.ts';
import type { SweepJob } from './sweep-job-writer.ts';

export class EntrySorter {
  /** Number of entries that the last sort laid out, gaps included. */
  room = 0;
  readonly #heap: Heap;
  readonly #entries: EntryColumns;
  readonly #classes: EntryClasses;
  readonly #grids: SweepGrids;
  readonly #job: SweepJob;
  readonly #partTables: Column<'u32'>;
  /** By class: end of its existing entries. */
  readonly #ends = new Uint32Array(CLASSES);

  constructor(
    heap: Heap,
    entries: EntryColumns,
    classes: EntryClasses,
    grids: SweepGrids,
    sweepJob: SweepJob,
  ) {
    this.#heap = heap;
    this.#entries = entries;
    this.#classes = classes;
    this.#grids = grids;
    this.#job = sweepJob;
    // Not scratch: the heap may move between the passes.
    this.#partTables = heap.column('u32', 0);
  }

  /** Records the ends of the existing entries. Call it before classes and grids are settled. */
  noteEntries(): void {
    if (this.room === 0) return;
    for (let k = 0; k < CLASSES; k++)
      this.#ends[k] = this.#grids.firstEntryOf(k + 1, this.#entries.table.array);
  }

  /**
   * Sorts all entities as they are now, from the existing entries, or from slots if there are none or they are
   * invalid. The classes of the entries must be those of the last tick.
   */
  sort(store: EntityStore, slack: number, mayUseEntries: boolean): void {
    const { counts, pendingCount } = store;
    const hasEntries = mayUseEntries && this.room > 0;
    const added = counts.added > 0 ? pendingCount : 0;
    const sourceCount = hasEntries ? this.room : store.slotCount;
    this.#sort(store, hasEntries ? sourceCount + added : sourceCount, false, () => {
      this.#job.write(store, this.#entries, this.#classes, this.#grids, slack);
      this.#job.writeSorting(store, this.#entries, hasEntries, sourceCount, this.#ends);
      this.#job.setOnlyMoves(counts.onlyMoved === pendingCount);
    });
  }

  /** Sorts the existing entries, as of the last tick, into cells with gaps; none of them changes. */
  sortWithGaps(store: EntityStore): void {
    this.noteEntries();
    this.#grids.layResident(store.settings.dimensions);
    // The job is written again if columns had to move: by then `room` is that of the cells.
    const sourceCount = this.room;
    this.#sort(store, sourceCount, true, () => {
      this.#job.write(store, this.#entries, this.#classes, this.#grids, 0);
      this.#job.writeSorting(store, this.#entries, true, sourceCount, this.#ends);
      this.#job.showLastOnly(store, this.#classes);
    });
  }

  dispose(): void {
    this.#heap.release(this.#partTables);
  }

  #sort(store: EntityStore, total: number, withGaps: boolean, writeJob: () => void): void {
    const { crew } = this.#heap;
    const { cellCount } = this.#grids;
    const { dimensions } = store.settings;
    const partSize = Math.max(1, Math.ceil(total / crew.partsOf(total)));
    const partCount = Math.ceil(total / partSize);
    this.#makeRoom(total, partCount * cellCount);
    this.#entries.makeRoom(0, cellCount, dimensions);
    const write = () => {
      writeJob();
      this.#job.writePartTables(this.#partTables);
      this.#job.writeParts(partSize, partCount);
    };
    write();
    this.#work('countEntries', total, partSize);
    this.room = this.#heap.kernels.startCells(this.#job.offset);
    if (this.#entries.makeRoom(this.room, cellCount, dimensions)) write();
    if (withGaps) this.#entries.clearSpare();
    this.#work('placeEntries', total, partSize);
    this.#entries.swap();
  }

  #work(kernel: 'countEntries' | 'placeEntries', total: number, partSize: number): void {
    const { crew } = this.#heap;
    crew.begin(total, partSize);
    // All threads read the same job; their differences are selected by part.
    this.#heap.workAtTask(kernel, this.#job.offset, 0, crew.taskJobs);
  }

  #makeRoom(places: number, counts: number): void {
    this.#heap.staging.makeRoom(places, 2);
    if (counts <= this.#partTables.length) return;
    this.#heap.resize([[this.#partTables, counts + (counts >> 2)]]);
  }
}
