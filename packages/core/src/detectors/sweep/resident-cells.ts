/**
 * Entries that stay where they are from tick to tick, for worlds in which few move: cost follows change.
 *
 * The cells have gaps, so that one that crosses into another cell finds room there. Between ticks every entry's old
 * position is its new one. In a tick those that changed are put right and listed; after the scan they are at rest again.
 * Both are kernels (kernels/layouts/resident-entries.ts).
 *
 *   put     moved within its cell: written in place        leaped, added, changed: a new entry beside the ghost
 *           into another: taken out there, put in here     removed: its entry becomes the ghost
 *   rest    ghosts are taken out, old positions become the new ones
 *
 * A cell without room takes some from those around it. Where no cell far around has any the stay ends: everything is sorted
 * anew, with gaps where they are needed by then. Cost: a search of one cell for each that changed, some 90 ns.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import { moverWords } from '../../kernels/layouts/resident-entries.ts';
import type { SweepJob } from './sweep-job-writer.ts';

export class ResidentCells {
  readonly #heap: Heap;
  readonly #job: SweepJob;
  /** The entries that changed in the tick under way, and behind them where each was and is. */
  readonly #movers: Column<'u32'>;
  /** Which entries these are, a bit each; all 0 between ticks. */
  readonly #bits: Column<'u32'>;

  constructor(heap: Heap, job: SweepJob) {
    this.#heap = heap;
    this.#job = job;
    // Not scratch: a scan may stop for want of room, and the heap move under it.
    this.#movers = heap.column('u32', 0);
    this.#bits = heap.column('u32', 0);
  }

  /**
   * Puts right and lists everyone who changed, by a job that was written; answers how many entries that are. `room`:
   * entries, gaps included. -1 when there is no room: then entries are no longer what they were, and all is to be sorted anew.
   */
  put(store: EntityStore, room: number, write: () => void): number {
    const { pendingCount } = store;
    const bitWords = (room >>> 5) + 1;
    if (this.#bits.length < bitWords) this.#heap.resize([[this.#bits, bitWords]]);
    if (this.#movers.length < moverWords(pendingCount)) {
      this.#heap.resize([[this.#movers, moverWords(2 * pendingCount)]]);
    }
    write();
    this.#job.writeMovers(store, this.#movers, this.#bits);
    if (this.#heap.kernels.putMovers(this.#job.offset) === 0) return -1;
    return this.#job.moverCount;
  }

  /** Brings everyone who was put to rest. `write`: the heap may have moved since. */
  rest(store: EntityStore, write: () => void): void {
    write();
    this.#job.writeMovers(store, this.#movers, this.#bits);
    this.#heap.kernels.restMovers(this.#job.offset);
  }

  /** Where the list lies in the heap, in bytes. */
  get offset(): number {
    return this.#movers.offset;
  }

  get bitsOffset(): number {
    return this.#bits.offset;
  }

  dispose(): void {
    this.#heap.release(this.#movers);
    this.#heap.release(this.#bits);
  }
}
