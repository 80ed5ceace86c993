/** Writes the job record of the sweep kernels, and reads back their results: see kernels/layouts/sweep-job.ts. */
import type { EntityStore } from '../../entities/entity-store.ts';
import { writePerception } from '../../entities/perception-words.ts';
import { SEARCH_SLACK } from '../../entities/reach-limits.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/sweep-job.ts';
import type { Crossings } from '../crossings.ts';
import type { EntryClasses } from './entry-classes.ts';
import type { EntryColumns } from './entry-columns.ts';
import type { SweepGrids } from './sweep-grids.ts';

/** Byte offsets of the columns of ResidentCells, which describes them. */
export interface ResidentColumns {
  readonly movers: number;
  readonly moverBits: number;
  readonly changed: number;
  readonly staleBits: number;
  readonly entering: number;
  readonly watchers: number;
  readonly placeOf: number;
  readonly isFromWatchers: boolean;
  readonly mayBeStale: boolean;
}

/** Byte offsets of what a scan of entries that stay in cells reads. */
export interface ScanLists {
  readonly movers: number;
  readonly moverBits: number;
  readonly changed: number;
}

export class SweepJob {
  readonly #heap: Heap;
  readonly #words: Column<'u32'>;
  /** The heap's layout for which the offsets of both states were written; -1: none. */
  #layout = -1;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#words = heap.column('u32', job.JOB_WORDS * heap.crew.jobCount);
  }

  /** Byte offset of the job, for kernels. */
  get offset(): number {
    return this.#words.offset;
  }

  /** Writes everything but scratch and crossings. */
  write(
    store: EntityStore,
    entries: EntryColumns,
    classes: EntryClasses,
    grids: SweepGrids,
    slack: number,
  ): void {
    const { settings } = store;
    const words = this.#words.array;
    words[job.CELL_COUNT] = grids.cellCount;
    words[job.WITH_GAPS] = 0;
    words[job.FILTERED] = store.hasFilters ? 1 : 0;
    const first = this.offset >>> 2;
    this.#heap.f64[(this.offset >>> 3) + job.SLACK_F64] = slack;
    for (let s = 0; s < settings.senseCount; s++) {
      this.#heap.f32[first + job.COMMON_RANGES + s] = classes.common?.[s] ?? 0;
    }
    this.refresh(store, entries, classes, grids);
  }

  /** Writes the offsets. Call it whenever the heap may have moved since. */
  refresh(store: EntityStore, entries: EntryColumns, classes: EntryClasses, grids: SweepGrids): void {
    const words = this.#words.array;
    entries.writeOffsets(words);
    if (this.#layout === this.#heap.layout) return;
    this.#layout = this.#heap.layout;
    writePerception(words, job.NOW_STATE, store, store.now);
    writePerception(words, job.LAST_STATE, store, store.last);
    words[job.PENDING] = store.pendingColumn.offset;
    words[job.NOW_CLASS] = classes.nowOffset;
    words[job.LAST_CLASS] = classes.lastOffset;
    words[job.GRIDS] = grids.offset;
    const { staging } = store.heap;
    words[job.PLACES] = staging.words.offset;
    words[job.AT_X] = staging.x.offset;
    words[job.AT_Y] = staging.y.offset;
  }

  /**
   * Writes what is sorted, entries or all slots, and their number; added entities come after them. `ends`: by class,
   * the end of its entries. Call it after `write`.
   */
  writeSorting(
    store: EntityStore,
    entries: EntryColumns,
    hasEntries: boolean,
    sourceCount: number,
    ends: Uint32Array,
  ): void {
    const words = this.#words.array;
    entries.writeSorting(words);
    if (!hasEntries) {
      const { x, y, z } = store.last.offsets;
      words[job.SOURCE_X] = x;
      words[job.SOURCE_Y] = y;
      words[job.SOURCE_Z] = z;
      words[job.SOURCE_REF] = 0;
    }
    words[job.SOURCE_COUNT] = sourceCount;
    words.set(ends, job.SOURCE_ENDS);
    words[job.PENDING_SLOTS] = store.pendingSlotsOffset;
  }

  setOnlyMoves(isSo: boolean): void {
    this.#words.array[job.ONLY_MOVES] = isSo ? 1 : 0;
  }

  /** For sorting the entries of the last tick, unchanged, into cells with gaps. */
  showLastOnly(store: EntityStore, classes: EntryClasses): void {
    const words = this.#words.array;
    this.#layout = -1;
    writePerception(words, job.NOW_STATE, store, store.last);
    words[job.NOW_CLASS] = classes.lastOffset;
    words[job.ONLY_MOVES] = 1;
    words[job.WITH_GAPS] = 1;
  }

  writePartTables(partTables: Column<'u32'>): void {
    this.#words.array[job.PART_TABLES] = partTables.offset;
  }

  /** Writes how the elements are divided. */
  writeParts(partSize: number, partCount: number): void {
    const words = this.#words.array;
    words[job.PART_SIZE] = partSize;
    words[job.PART_COUNT] = partCount;
  }

  /**
   * Writes the input of a scan and its output: each of `jobCount` jobs gets a part of the remaining room. `lists`: only
   * if entries stay in cells.
   */
  writeScan(out: Crossings, lists: ScanLists | undefined, jobCount: number): void {
    const words = this.#words.array;
    const room = Math.floor((out.capacity - out.count) / jobCount);
    words[job.MOVERS] = lists?.movers ?? 0;
    words[job.MOVER_BITS] = lists?.moverBits ?? 0;
    words[job.CHANGED_LIST] = lists?.changed ?? 0;
    words[job.CROSSING_CAPACITY] = room;
    words[job.CROSSING_COUNT] = 0;
    for (let k = 0; k < jobCount; k++) {
      const first = k * job.JOB_WORDS;
      if (k > 0) words.copyWithin(first, 0, job.JOB_WORDS);
      words[first + job.CROSSINGS] = out.offset + (out.count + k * room) * 8;
    }
  }

  /** Moves the crossings that the jobs of a scan appended together. */
  readScan(out: Crossings, jobCount: number): void {
    const words = this.#words.array;
    const room = words[job.CROSSING_CAPACITY];
    const first = out.count;
    for (let k = 0; k < jobCount; k++) {
      const count = words[k * job.JOB_WORDS + job.CROSSING_COUNT];
      const from = first + k * room;
      if (from > out.count) out.words.copyWithin(2 * out.count, 2 * from, 2 * (from + count));
      out.count += count;
    }
  }

  /** Writes how many entities may change in place: upper bound. */
  writeInPlace(count: number): void {
    this.#words.array[job.CHANGED_COUNT] = count;
  }

  /** Writes what the kernels of entries that stay in cells need, without `writeScan`. */
  writeResidents(store: EntityStore, columns: ResidentColumns): void {
    const words = this.#words.array;
    words[job.PLACE_OF] = columns.placeOf;
    words[job.FROM_WATCHERS] = columns.isFromWatchers ? 1 : 0;
    words[job.WATCHERS] = columns.watchers;
    words[job.MAY_BE_STALE] = columns.mayBeStale ? 1 : 0;
    words[job.MOVERS] = columns.movers;
    words[job.MOVER_BITS] = columns.moverBits;
    words[job.CHANGED_LIST] = columns.changed;
    words[job.STALE_BITS] = columns.staleBits;
    words[job.ENTERING] = columns.entering;
    words[job.PENDING_SLOTS] = store.pendingSlotsOffset;
    words[job.PENDING_COUNT] = store.pendingCount;
  }

  /** How many entries changed in place, of those that stay in cells. */
  get changedCount(): number {
    return this.#words.array[job.CHANGED_COUNT];
  }

  get moverCount(): number {
    return this.#words.array[job.MOVER_COUNT];
  }

  /** Writes the entry that a kernel starts from. */
  writeFirst(entry: number): void {
    this.#words.array[job.FIRST_ENTRY] = entry;
  }

  /** Writes which two classes are tested against each other. `reach`: world units. */
  writePair(searching: number, searched: number, reach: number, isPlain: boolean): void {
    const words = this.#words.array;
    words[job.PAIR_CLASS] = searching;
    words[job.PAIR_OTHER] = searched;
    words[job.PAIR_IS_PLAIN] = isPlain ? 1 : 0;
    this.#heap.f64[(this.offset >>> 3) + job.PAIR_REACH_F64] = reach;
  }

  /** Writes the levels of the common ranges; none if there are no common ranges. */
  writeLevels(ranges: readonly number[] = []): void {
    const words = this.#words.array;
    const first = (this.offset >>> 2) + job.LEVEL_RANGES;
    const levels = [...new Set(ranges)].filter((range) => range > 0).sort((a, b) => b - a);
    words[job.LEVEL_COUNT] = levels.length;
    levels.forEach((level, k) => {
      this.#heap.f32[first + k] = level;
      words[job.LEVEL_SENSES + k] = ranges.reduce(
        (mask, range, s) => mask | (range === level ? 1 << s : 0),
        0,
      );
    });
  }

  /** No window is shared by the entries of a cell. */
  writeNoWindow(): void {
    this.#words.array[job.WINDOW_ROWS] = 0;
  }

  /** Writes the window of cells, among a class's, within this reach; see the words. World units; 2-D circles. */
  writeWindow(grids: SweepGrids, k: number, longest: number, slack: number): void {
    const words = this.#words.array;
    const { f64 } = this.#heap;
    const g = (grids.offset + k * job.GRID_BYTES) >>> 3;
    const [sizeX, sizeY] = [f64[g + job.GRID_SIZE], f64[g + job.GRID_SIZE + 1]];
    const edges = 2 * f64[g + job.GRID_EDGE_SLACK];
    const half = (longest + 2 * slack) * SEARCH_SLACK;
    // Both entities of a pair may have moved by the slack on both axes.
    const radius = (longest + 2 * Math.SQRT2 * slack) * SEARCH_SLACK * SEARCH_SLACK;
    words[job.WINDOW_ROWS] = 0;
    for (let row = 0; row < job.MAX_WINDOW_ROWS; row++) {
      const away = Math.max(0, (row - 1) * sizeY - edges);
      if (away > radius) {
        words[job.WINDOW_ROWS] = row;
        return;
      }
      const halfX = away > 0 ? Math.min(half, Math.sqrt(radius * radius - away * away) * SEARCH_SLACK) : half;
      // From the far edge of the own cell into the cells beyond.
      words[job.WINDOW_REACHES + row] = 1 + Math.floor((halfX + edges) / sizeX);
    }
  }

  dispose(): void {
    this.#heap.release(this.#words);
  }
}
