/**
 * The watchers that may perceive anything that is pending in this tick, or perceived it at the last tick: so a tick in which few
 * entities move reads what concerns these, and nothing that is proportional to what rests.
 *
 * Problem: rows, updates and rates belong to watchers, and a change belongs to a marker. With 100,000 watchers at rest and 40 entities that
 * walk, looking through the rows of all watchers took 3 to 40 ms a tick. Method: watchers at rest lie in grids, one for each octave of
 * ranges (and one for those of it that are in channels: entities/channel-bands.ts), and are looked for around the old and the new place
 * of each entity that is pending. A watcher that moved or changed since the grids were made is a stray: strays are found always, and when
 * they are many the grids are made again.
 *
 *   pending | x | x | ...     around each: cells of each grid      near | watchers, ascending, with all strays |
 *
 * Relations that follow from no sense (a pin, a group, a marker shown always, a parent) are no matter here: see queries/changed-relations.ts.
 *
 * Memory: 36 bytes a watcher, 2 a slot, once few entities move. Cost: some 1 us for each pending entity; 100 ns a watcher when the grids are made.
 */
import { grown } from '../../columns.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { writePerception } from '../../entities/perception-words.ts';
import { type Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/near-watchers.ts';
import { GRID_NUMBERS } from '../../kernels/layouts/seat-search.ts';
import { SORT_WORDS } from '../../kernels/layouts/sort-words.ts';
import type { InterestBook } from '../rules/interest-book.ts';
import { GridSorter } from './grid-sorter.ts';
import { bandsFor, MarkerGrid } from './marker-grid.ts';

/**
 * Thresholds. `pending`: few entities are pending if they are the watchers divided by this, or fewer. `moving`: the same, for grids to be
 * kept; each row has many pairs, so looking for a few watchers is cheaper than looking through all rows. `strays`: the grids are made again
 * if `fewStrays` and one in so many of the members became strays. `rows`: for fewer rows, looking through them is cheap. `visits`: entries
 * that may be visited for each watcher, before looking at all rows is cheaper. Tests change these values.
 */
export const nearShares = { pending: 64, moving: 24, strays: 16, fewStrays: 256, rows: 256, visits: 2 };

/** Where a slot is. */
const NOWHERE = 0;
const IN_GRID = 1;
const STRAY = 2;
const NOBODY = new Uint32Array(0);

/** The watchers with ranges in one octave, all in channels or none, the longest range, and the longest margin. */
interface Octave {
  readonly slots: number[];
  readonly areInChannels: boolean;
  range: number;
  margin: number;
}

export class NearWatchers {
  readonly #store: EntityStore;
  readonly #book: InterestBook;
  readonly #sorter: GridSorter;
  readonly #grids: Column<'f64'>;
  readonly #reaches: Column<'f32'>;
  readonly #strayColumn: Column<'u32'>;
  readonly #marks: Column<'u8'>;
  readonly #near: Column<'u32'>;
  readonly #scratch: Column<'u32'>;
  readonly #job: Column<'u32'>;
  /** The layout of the heap at which offsets were written into the job. */
  #writtenLayout = -1;
  /** By slot. */
  #home = new Uint8Array(0);
  #strays: number[] = [];
  /** How many of them there were when the grids were made: those that move in each tick. */
  #firstStrays = 0;
  #memberCount = 0;
  #gridCount = 0;
  /** By interest: its margin when the grids were made, now or at the last tick, the longer one; and how much longer any has become. */
  #margins: readonly number[] = [];
  #added = 0;
  #isBuilt = false;
  /** Whether few were pending in the last tick, and are in this one. */
  #wereFew = false;
  #areFew = false;
  /** The same for `moving`. */
  #wereSteady = false;
  #areSteady = false;
  /** The result of this tick, if it was asked for. */
  #isFound = false;
  #found: Uint32Array | undefined;

  constructor(store: EntityStore, book: InterestBook) {
    const { heap } = store;
    this.#store = store;
    this.#book = book;
    this.#sorter = new GridSorter(heap);
    this.#grids = heap.column('f64', 0);
    this.#reaches = heap.column('f32', 0);
    this.#strayColumn = heap.column('u32', 0, Heap.scratch);
    this.#marks = heap.column('u8', 0);
    this.#near = heap.column('u32', 0, Heap.scratch);
    this.#scratch = heap.column('u32', 0, Heap.scratch);
    this.#job = heap.column('u32', job.JOB_WORDS);
  }

  /** Bytes outside the heap. */
  get memoryBytes(): number {
    return this.#home.byteLength + 8 * this.#strays.length;
  }

  /** A tick begins; what is pending is settled, and the book has begun. */
  begin(): void {
    const { pendingCount, pendingSlots, slotCount, capacity, watchers, now } = this.#store;
    this.#isFound = false;
    this.#found = undefined;
    this.#wereFew = this.#areFew;
    this.#areFew = pendingCount * nearShares.pending <= watchers.count;
    this.#wereSteady = this.#areSteady;
    this.#areSteady = pendingCount * Math.min(nearShares.moving, nearShares.pending) <= watchers.count;
    if (!this.#areSteady) this.#isBuilt = false;
    if (!this.#isBuilt) return;
    this.#noteMargins();
    if (this.#home.length < slotCount) this.#home = grown(this.#home, capacity);
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if (this.#home[slot] === IN_GRID || (this.#home[slot] === NOWHERE && now.perceives(slot)))
        this.#stray(slot);
    }
    const more = this.#strays.length - this.#firstStrays;
    if (more > nearShares.fewStrays + this.#memberCount / nearShares.strays) this.#isBuilt = false;
  }

  /** Whether `find` may answer in this tick. */
  get mayTell(): boolean {
    return this.#areFew && this.#store.pendingCount > 0;
  }

  /** A longer margin of an interest is added to all reaches until the grids are made again. */
  #noteMargins(): void {
    for (const number of this.#book.changed) {
      const margin = this.#book.current[number].leaveMargin;
      this.#added = Math.max(this.#added, margin - (this.#margins[number] ?? 0));
    }
  }

  /**
   * Slots, ascending, without repetition; some may be no watchers any more; none if nothing is pending. `undefined`: too much is pending to tell, or
   * it was in the last tick.
   * Valid until the next tick begins.
   */
  find(): Uint32Array | undefined {
    if (this.#isFound) return this.#found;
    this.#isFound = true;
    if (!this.#areFew) return undefined;
    if (this.#store.pendingCount === 0) {
      this.#found = NOBODY;
      return this.#found;
    }
    // Grids that serve one tick are not worth making.
    if (!this.#wereFew && !this.#isBuilt) return undefined;
    if (!this.#isBuilt) this.#build();
    this.#reserve();
    this.#writeJob();
    const count = this.#store.heap.kernels.findNear(this.#job.offset) >>> 0;
    if (count === job.TOO_MANY && this.#added > 0) this.#isBuilt = false;
    if (count !== job.TOO_MANY) this.#found = this.#near.array.slice(0, count);
    return this.#found;
  }

  /**
   * For the kernel that looks for watchers near leapers (kernels/wasm/seat-due.ts): byte offset of the job, with grids; 0 if too much is pending in this
   * tick or was in the last one. Valid until the heap moves. Call after `find`.
   */
  prepare(): number {
    if (!this.#areSteady || (!this.#wereSteady && !this.#isBuilt)) return 0;
    if (!this.#isBuilt) this.#build();
    this.#writeJob();
    return this.#job.offset;
  }

  /** The watchers that are not in the grids: slots. Some may be no watchers any more. */
  get strays(): readonly number[] {
    return this.#strays;
  }

  /** Between ticks: frees memory that is not in use. */
  trim(): void {
    if (this.#isBuilt) return;
    const columns = [this.#grids, this.#reaches, this.#strayColumn, this.#marks, this.#near, this.#scratch];
    const all = [...columns, ...this.#sorter.columns];
    this.#store.heap.shrink(all.map((column) => [column, 0]));
    this.#home = new Uint8Array(0);
    this.#strays = [];
  }

  #stray(slot: number): void {
    this.#home[slot] = STRAY;
    this.#strays.push(slot);
  }

  /** Puts all watchers for which nothing is pending into grids. */
  #build(): void {
    const { now, pending, slotCount, capacity, watchers, heap, settings } = this.#store;
    if (this.#home.length < slotCount) this.#home = new Uint8Array(capacity);
    else this.#home.fill(NOWHERE);
    this.#strays = [];
    const { current, settled } = this.#book;
    this.#margins = current.map(({ leaveMargin }, number) =>
      Math.max(leaveMargin, settled[number]?.leaveMargin ?? 0),
    );
    this.#added = 0;
    const octaves = new Map<number, Octave>();
    watchers.each((slot) => {
      if (!now.perceives(slot)) return;
      if (pending[slot] !== 0) {
        this.#stray(slot);
        return;
      }
      this.#home[slot] = IN_GRID;
      const range = now.longestRangeOf(slot);
      const margin = this.#margins[now.interests.at(slot)];
      const areInChannels = now.channels.at(slot) !== 0;
      const key = 2 * Math.ceil(Math.log2(range + margin)) + (areInChannels ? 1 : 0);
      const octave = octaves.get(key) ?? { slots: [], areInChannels, range: 0, margin: 0 };
      octaves.set(key, octave);
      octave.slots.push(slot);
      octave.range = Math.max(octave.range, range);
      octave.margin = Math.max(octave.margin, margin);
    });
    this.#firstStrays = this.#strays.length;
    const all = [...octaves.values()];
    const members = all.map(({ slots }) => Uint32Array.from(slots));
    let cells = 0;
    const grids = members.map((slots, i) => {
      const bands = all[i].areInChannels ? bandsFor(this.#store, slots, all[i].range) : 1;
      const grid = new MarkerGrid(this.#store, slots, cells, true, bands);
      cells += grid.cells;
      return grid;
    });
    this.#gridCount = grids.length;
    this.#memberCount = members.reduce((sum, { length }) => sum + length, 0);
    this.#isBuilt = true;
    if (grids.length === 0) return;
    const sorter = this.#sorter;
    sorter.reserveEntries(this.#memberCount + 8, settings.dimensions);
    const sizes: [Column, number][] = [];
    if (sorter.table.length < cells + 2) sizes.push([sorter.table, cells + (cells >> 2) + 64]);
    if (this.#reaches.length < 2 * grids.length)
      sizes.push([this.#reaches, 4 * grids.length], [this.#grids, 2 * grids.length * GRID_NUMBERS]);
    if (sizes.length > 0) heap.resize(sizes);
    this.#reaches.array.set(all.flatMap(({ range, margin }) => [range, margin]));
    sorter.takeMembers(members);
    sorter.sort(this.#store, this.#grids, 0, grids, 0);
  }

  #reserve(): void {
    const { capacity, heap } = this.#store;
    const most = this.#memberCount + this.#strays.length + 8;
    const sizes: [Column, number][] = [];
    if (this.#marks.length < capacity) sizes.push([this.#marks, capacity]);
    if (this.#near.length < most)
      sizes.push(
        [this.#near, most + (most >> 2)],
        [this.#scratch, most + (most >> 2) + SORT_WORDS],
        [this.#strayColumn, most + (most >> 2)],
      );
    if (sizes.length > 0) heap.resize(sizes);
    // Only now, because scratch is lost when the heap moves.
    this.#strayColumn.array.set(this.#strays);
  }

  #writeJob(): void {
    const { heap, pendingCount } = this.#store;
    const words = this.#job.array;
    if (this.#writtenLayout !== heap.layout) this.#writeOffsets(words);
    this.#writtenLayout = heap.layout;
    words[job.PENDING_COUNT] = pendingCount;
    words[job.GRID_COUNT] = this.#gridCount;
    words[job.STRAY_COUNT] = this.#strays.length;
    words[job.MOST_VISITS] = nearShares.visits * this.#memberCount + 1024;
    heap.f32[(this.#job.offset >>> 2) + job.ADDED_MARGIN] = this.#added;
  }

  /** What is right until the heap's layout changes. */
  #writeOffsets(words: Uint32Array): void {
    const store = this.#store;
    const { granularity, cellSize } = store.settings;
    const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    writePerception(words, job.NOW_STATE, store, store.now);
    writePerception(words, job.LAST_STATE, store, store.last);
    words[job.PENDING_SLOTS] = store.pendingSlotsOffset;
    words[job.GRIDS] = this.#grids.offset;
    words[job.REACHES] = this.#reaches.offset;
    words[job.TABLE] = this.#sorter.table.offset;
    words[job.ENTRY_SLOT] = this.#sorter.slot.offset;
    words[job.ENTRY_X] = this.#sorter.x.offset;
    words[job.ENTRY_Y] = this.#sorter.y.offset;
    words[job.ENTRY_Z] = this.#sorter.z.offset;
    words[job.STRAYS] = this.#strayColumn.offset;
    words[job.MARKS] = this.#marks.offset;
    words[job.NEAR] = this.#near.offset;
    words[job.SCRATCH] = this.#scratch.offset;
    // A stray may be gone, and its slot with it.
    words[job.SLOT_COUNT] = this.#marks.length;
    for (let axis = 0; axis < 3; axis++) {
      // At most one whole cell more than the reach, and the rest of the own one.
      floats[job.WIDER + axis] = granularity === 'cell' ? 2 * (cellSize?.[axis] ?? 0) : 0;
    }
  }
}
