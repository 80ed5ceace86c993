/**
 * Entries that keep their place from tick to tick, for worlds in which few entities move: the cost follows change.
 *
 * The cells have gaps, so that an entry that crosses into another cell finds room there. Between ticks every entry's
 * old position equals its new one. In a tick, changed entries are corrected and listed; after the scan they are
 * reset. Both are kernels (kernels/layouts/resident-entries.ts).
 *
 *   put     moved within its cell: written in place         leaped, added: a new entry beside the ghost
 *           into another: removed there, inserted here      removed: its entry becomes the ghost
 *   rest    ghosts are removed, old positions become the new ones
 *
 * An entity that changed in place keeps its entry, which has no positions until all others are tested; then it is tested by itself
 * (kernels/wasm/sweep-changed.ts). Where entries may be stale (see below), it gets a new one beside a ghost.
 *
 * Pairs that may have changed are searched around the changed entries, or around the watchers where these are at most half as
 * many, as in a world with a hundred players and ten thousand creatures on the move. Where they are far fewer still, positions are
 * written only into entries near one: an entry that moves where nobody watches becomes stale. It gets its position when a watcher
 * comes near, when pairs are searched around changed entries, or when all are sorted. Until then, who needs it reads it by slot.
 *
 * A full cell takes room from the cells around it. If no cell nearby has any, this mode ends: everything is sorted
 * again, with gaps where they are needed by then. Memory: 4 bytes a slot, 2 bits an entry, and 8 bytes a cell. Cost: some 60 ns
 * for each changed entry, half of that for a stale one.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import { moverWords } from '../../kernels/layouts/resident-entries.ts';
import type { EntryColumns } from './entry-columns.ts';
import type { ScanLists, SweepJob } from './sweep-job-writer.ts';

/** Whether pairs are searched around the watchers, of which a steady world counts each twice (`EntryClasses.watcherCount`). */
export function areWatchersFew(watcherCount: number, changedCount: number): boolean {
  return watcherCount <= changedCount;
}

/** Entries may be stale where changed entities are so many times as many as watchers, each of which is counted twice. */
const CHANGED_PER_WATCHER = 16;

export class ResidentCells {
  readonly #heap: Heap;
  readonly #job: SweepJob;
  /** The entries that changed in the current tick, and after them the old and new place of each. */
  readonly #movers: Column<'u32'>;
  /** By slot: its entry, without ghosts. */
  readonly #placeOf: Column<'u32'>;
  /** The entries of all watchers, if these are scanned. */
  readonly #watchers: Column<'u32'>;
  #watcherCount = 0;
  /** Whether the last tick was searched around the watchers. */
  #isFromWatchers = false;
  #mayBeStale = false;
  /** A bit for each of these entries; all 0 between ticks. */
  readonly #bits: Column<'u32'>;
  /** A bit for each stale entry. */
  readonly #stale: Column<'u32'>;
  /** By cell, how many entries are to enter it, and scratch; all 0 between ticks. */
  readonly #entering: Column<'u32'>;

  constructor(heap: Heap, job: SweepJob) {
    this.#heap = heap;
    this.#job = job;
    // Not scratch: a scan may stop because it needs more room, and the heap then moves.
    this.#movers = heap.column('u32', 0);
    this.#bits = heap.column('u32', 0);
    this.#stale = heap.column('u32', 0);
    this.#entering = heap.column('u32', 0);
    this.#watchers = heap.column('u32', 0);
    this.#placeOf = heap.column('u32', 0);
  }

  /** Number of slots that there is room for. */
  get slotRoom(): number {
    return this.#placeOf.length;
  }

  /**
   * Entries were sorted into cells with gaps: notes where each is. `room`: number of entries, gaps included. Call `growSlots` before.
   */
  enter({ ref, newX }: EntryColumns, room: number, cellCount: number): void {
    if (this.#entering.length < 2 * cellCount) this.#heap.resize([[this.#entering, 2 * cellCount]]);
    this.#entering.array.fill(0);
    const placeOf = this.#placeOf.array;
    const [refs, x] = [ref.array, newX.array];
    // A gap has no position.
    for (let entry = 0; entry < room; entry++) if (!Number.isNaN(x[entry])) placeOf[refs[entry]] = entry;
    this.#stale.array.fill(0);
    this.#mayBeStale = false;
  }

  /** Makes room for all slots. Call it in each tick, before anything else. */
  growSlots({ capacity }: EntityStore): void {
    if (this.#placeOf.length < capacity) this.#heap.resize([[this.#placeOf, capacity]]);
  }

  /** Whether an entry does not have the position of its slot. */
  isStale(entry: number): boolean {
    return ((this.#stale.array[entry >>> 5] >>> (entry & 31)) & 1) !== 0;
  }

  /** Gives all stale entries their position at the last tick. Cost: O(entries / 32), and some 20 ns for each of them. */
  refresh(store: EntityStore, write: () => void): void {
    if (!this.#mayBeStale) return;
    write();
    this.#writeJob(store);
    this.#heap.kernels.refreshEntries(this.#job.offset);
    this.#mayBeStale = false;
  }

  /** Whether that is the entry of a slot. */
  isPlaceOf(slot: number, entry: number): boolean {
    return this.#placeOf.array[slot] === entry;
  }

  /**
   * Corrects all changed entries and lists those that must be scanned; the job must be written. Returns their number. `room`: number of
   * entries, gaps included; `watcherCount`: upper bound of the entries of watchers. Returns -1 if there is no room: then the
   * entries are invalid, and all must be sorted again.
   */
  put(store: EntityStore, room: number, watcherCount: number, write: () => void): number {
    const { pendingCount } = store;
    const mayBeStale = watcherCount * CHANGED_PER_WATCHER <= pendingCount;
    if (!mayBeStale) this.refresh(store, write);
    this.#mayBeStale = mayBeStale;
    this.#isFromWatchers = areWatchersFew(watcherCount, pendingCount);
    if (this.#isFromWatchers && this.#watchers.length < watcherCount)
      this.#heap.resize([[this.#watchers, 2 * watcherCount]]);
    const bitWords = (room >>> 5) + 1;
    if (this.#bits.length < bitWords)
      this.#heap.resize([
        [this.#bits, bitWords],
        [this.#stale, bitWords],
      ]);
    if (this.#movers.length < moverWords(pendingCount)) {
      this.#heap.resize([[this.#movers, moverWords(2 * pendingCount)]]);
    }
    write();
    this.#writeJob(store);
    if (this.#heap.kernels.putMovers(this.#job.offset) === 0) return -1;
    if (!this.#isFromWatchers) return this.#job.moverCount;
    this.#watcherCount = this.#heap.kernels.listWatchers(this.#job.offset);
    return this.#watcherCount;
  }

  /** Resets all entries of `put`. `write`: rewrites the job, because the heap may have moved since. */
  rest(store: EntityStore, write: () => void): void {
    write();
    this.#writeJob(store);
    this.#heap.kernels.restMovers(this.#job.offset);
    if (!this.#isFromWatchers) return;
    const [bits, watchers] = [this.#bits.array, this.#watchers.array];
    for (let i = 0; i < this.#watcherCount; i++) bits[watchers[i] >>> 5] = 0;
  }

  #writeJob(store: EntityStore): void {
    this.#job.writeResidents(store, {
      movers: this.#movers.offset,
      moverBits: this.#bits.offset,
      changed: this.#changedList(store),
      staleBits: this.#stale.offset,
      entering: this.#entering.offset,
      watchers: this.#watchers.offset,
      placeOf: this.#placeOf.offset,
      isFromWatchers: this.#isFromWatchers,
      mayBeStale: this.#mayBeStale,
    });
  }

  /** Around what pairs were searched in the last tick. For reading. */
  describe(): string {
    if (!this.#isFromWatchers) return 'what changed';
    const positions = this.#mayBeStale ? ', positions written only near them' : '';
    return `${this.#watcherCount} watchers${positions}`;
  }

  /** Where the entries to be scanned are. */
  listsOf(store: EntityStore): ScanLists {
    return {
      movers: this.#isFromWatchers ? this.#watchers.offset : this.#movers.offset,
      moverBits: this.#bits.offset,
      changed: this.#changedList(store),
    };
  }

  /** The last word of the room for movers, from which on those that changed in place are listed, downwards. */
  #changedList({ pendingCount }: EntityStore): number {
    return this.#movers.offset + 8 * pendingCount - 4;
  }

  dispose(): void {
    this.#heap.release(this.#movers);
    this.#heap.release(this.#watchers);
    this.#heap.release(this.#placeOf);
    this.#heap.release(this.#bits);
    this.#heap.release(this.#stale);
    this.#heap.release(this.#entering);
  }
}
