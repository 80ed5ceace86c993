/**
 * The default detector: sorts everyone into cells each tick and tests each watcher against who is near, before and now.
 *
 * Problem: most pairs do not cross in a tick, and most of the cost is finding that out. Method: no pair is remembered;
 * entities are laid out by cell in flat columns, and a watcher's window is a handful of runs through them, tested four
 * at a time. Rebuilding on sorted memory beats keeping an index up to date as soon as more than a few move.
 * An entity that leaped, came, went or changed has two entries, one as it was and one as it is, so that the window
 * stays as narrow as the usual step; see kernels/sweep-job.ts for the layout, kernels/sweep-scan.ts for the window.
 *
 * Memory: some 30 bytes an entity (40 in 3-D) and 4 a cell. Cost: about 10 ns an entity to sort and 1.5 ns a perceived
 * pair in WebAssembly. A tick in which nothing moved or changed costs nothing.
 * Source: Sidlauskas and Jensen, "Spatial Joins in Main Memory: Implementation Matters!", PVLDB 2014.
 */
import { ADDED, CHANGED, type EntityStore } from '../entities/entity-store.ts';
import { type Column, Heap } from '../kernels/heap.ts';
import * as job from '../kernels/sweep-job.ts';
import type { Crossings } from './crossings.ts';
import type { Bounds, Detector, DetectorFactory, SlotVisitor } from './detector.ts';
import type { StructureSketch } from './structure-sketch.ts';
import { MarkerClasses } from './sweep/marker-classes.ts';
import { chooseSlack } from './sweep/slack.ts';
import { SweepGrids } from './sweep/sweep-grids.ts';

/** Entries a column is made for at first. */
const FIRST_ENTRIES = 256;

export const sweep: DetectorFactory = (store) => new Sweep(store);

class Sweep implements Detector {
  readonly name = 'sweep';
  readonly #heap: Heap;
  readonly #job: Column<'u32'>;
  readonly #table: Column<'u32'>;
  readonly #cellOfSlot: Column<'u32'>;
  readonly #ghosts: readonly [slots: Column<'u32'>, cells: Column<'u32'>];
  /** In the order of the job: newX newY newZ oldX oldY oldZ range ref. */
  readonly #entries: readonly Column[];
  readonly #classes: MarkerClasses;
  readonly #grids: SweepGrids;
  #entryCount = 0;
  /** False until the first tick: then there is nothing to search in. */
  #isSorted = false;

  constructor(store: EntityStore) {
    const { heap } = store;
    this.#heap = heap;
    this.#job = heap.column('u32', job.JOB_WORDS);
    this.#table = heap.column('u32', 1);
    this.#cellOfSlot = heap.column('u32', 0, Heap.scratch);
    this.#ghosts = [heap.column('u32', 0, Heap.scratch), heap.column('u32', 0, Heap.scratch)];
    this.#entries = [...Array<'f32'>(7).fill('f32'), 'u32' as const].map(
      (kind) => heap.column(kind, 0) as Column,
    );
    this.#classes = new MarkerClasses();
    this.#grids = new SweepGrids(store, this.#classes);
  }

  get memoryBytes(): number {
    return 0;
  }

  detect(store: EntityStore, out: Crossings): void {
    const { counts } = store;
    if (this.#isSorted && counts.moved + counts.added + counts.removed + counts.changed === 0) return;
    this.#classes.settle(store, ADDED | CHANGED, this.#grids.usualReach);
    const slack = chooseSlack(store, this.#grids.usualReach);
    this.#grids.settle(store, this.#table.array, slack);
    this.#sort(store, slack);
    if (store.limits.maxRange.some((range) => range > 0)) this.#scan(store, out);
    this.#classes.endTick(store);
  }

  collect(store: EntityStore, bounds: Bounds, visit: SlotVisitor): void {
    if (!this.#isSorted) {
      for (let slot = 0; slot < store.slotCount; slot++) if (store.last.isPresent(slot)) visit(slot);
      return;
    }
    const { minX, minY, minZ, maxX, maxY, maxZ } = bounds;
    const is3D = store.settings.dimensions === 3;
    const [newX, newY, newZ] = this.#entries.map((column) => column.array) as Float32Array[];
    const refs = this.#entries[7].array;
    this.#grids.eachRun(bounds, this.#table.array, (begin, end) => {
      for (let i = begin; i < end; i++) {
        // Ghosts have no new position and fail every comparison.
        if (!(newX[i] >= minX && newX[i] <= maxX && newY[i] >= minY && newY[i] <= maxY)) continue;
        if (is3D && !(newZ[i] >= minZ && newZ[i] <= maxZ)) continue;
        visit(refs[i]);
      }
    });
  }

  validate(store: EntityStore): void {
    const table = this.#table.array;
    const refs = this.#entries[7].array;
    const [newX, newY, newZ] = this.#entries.map((column) => column.array) as Float32Array[];
    const seen = new Set<number>();
    for (let cell = 0; cell < this.#grids.cellCount; cell++) {
      if (table[cell] > table[cell + 1])
        throw new Error(`umwelt: broken invariant: cell ${cell} ends before it begins`);
      for (let i = table[cell]; i < table[cell + 1]; i++) {
        if (refs[i] >= job.GHOST_BIT) continue;
        seen.add(refs[i]);
        const k = this.#classes.classOf(refs[i]);
        const expected = this.#grids.cellAt(
          k,
          newX[i],
          newY[i],
          store.settings.dimensions === 3 ? newZ[i] : 0,
        );
        if (expected !== cell) throw new Error(`umwelt: broken invariant: slot ${refs[i]} lies in its cell`);
      }
    }
    for (let slot = 0; this.#isSorted && slot < store.slotCount; slot++) {
      if (store.last.isPresent(slot) !== seen.has(slot)) {
        throw new Error(`umwelt: broken invariant: slot ${slot} has an entry exactly when it is present`);
      }
    }
  }

  describe(): string {
    return `${this.#entryCount} entries in ${this.#grids.describe()}`;
  }

  sketch(_store: EntityStore, sketch: StructureSketch): void {
    sketch.caption = 'Cells, with how many entities each holds.';
    if (this.#isSorted) this.#grids.sketch(this.#table.array, sketch);
  }

  dispose(): void {
    for (const column of [this.#job, this.#table, this.#cellOfSlot, ...this.#ghosts, ...this.#entries]) {
      this.#heap.release(column as Column);
    }
    this.#classes.dispose(this.#heap);
    this.#grids.dispose();
  }

  /** Sorts the entries into cells, making room as needed. */
  #sort(store: EntityStore, slack: number): void {
    const sizes: [Column, number][] = [];
    const needed = this.#grids.cellCount + 1;
    if (this.#table.length < needed) sizes.push([this.#table as Column, needed + (needed >> 2)]);
    if (this.#cellOfSlot.length < store.slotCount) sizes.push([this.#cellOfSlot as Column, store.capacity]);
    this.#heap.resize(sizes);
    this.#writeJob(store, slack);
    let ghosts = this.#heap.kernels.countEntries(this.#job.offset);
    if (this.#makeRoom(store, ghosts)) {
      // The heap may have moved, and what was counted was scratch: count again.
      this.#writeJob(store, slack);
      ghosts = this.#heap.kernels.countEntries(this.#job.offset);
    }
    this.#heap.kernels.placeEntries(this.#job.offset, ghosts);
    this.#grids.noteMembers(this.#table.array);
    this.#entryCount = store.size + ghosts;
    this.#isSorted = true;
  }

  /** Makes room for so many ghosts and the entries that come of it; false when there was enough. */
  #makeRoom(store: EntityStore, ghosts: number): boolean {
    const sizes: [Column, number][] = [];
    if (ghosts > this.#ghosts[0].length) {
      for (const column of this.#ghosts) sizes.push([column as Column, ghosts + (ghosts >> 2)]);
    }
    const entryCount = store.size + ghosts;
    if (entryCount > this.#entries[0].length) {
      const room = Math.max(FIRST_ENTRIES, entryCount + (entryCount >> 3));
      const isFlat = store.settings.dimensions === 2;
      // In the order of the job; in 2-D the columns of z stay empty.
      this.#entries.forEach((column, i) => {
        if (!isFlat || (i !== 2 && i !== 5)) sizes.push([column, room]);
      });
    }
    this.#heap.resize(sizes);
    return sizes.length > 0;
  }

  #scan(store: EntityStore, out: Crossings): void {
    const isMutual = this.#isMutual(store);
    let from = 0;
    for (;;) {
      this.#rewriteOffsets(store);
      const words = this.#job.array;
      words[job.ENTRY_COUNT] = this.#entryCount;
      words[job.CROSSINGS] = out.offset;
      words[job.CROSSING_CAPACITY] = out.capacity;
      words[job.CROSSING_COUNT] = out.count;
      words[job.TRUSTED] = store.settings.senseCount === 1 && !store.hasFilters ? 1 : 0;
      const { kernels } = this.#heap;
      from = isMutual
        ? kernels.scanPairs(this.#job.offset, from)
        : kernels.scanEntries(this.#job.offset, from);
      out.count = this.#job.array[job.CROSSING_COUNT];
      if (from >= this.#entryCount) return;
      // Room for what the rest will need if it goes on like this, and for any one entry both ways in any case.
      const expected = from === 0 ? 0 : (out.count / from) * this.#entryCount * 1.1;
      out.reserve(Math.max(out.capacity * 2, out.count + 2 * this.#entryCount, Math.ceil(expected)));
    }
  }

  /** Whether each pair may be tested once for both directions: most are watchers, all of one range, all plain. */
  #isMutual(store: EntityStore): boolean {
    const { dimensions, rangeShape, senseCount } = store.settings;
    if (dimensions !== 2 || rangeShape !== 'circle' || senseCount !== 1 || this.#classes.count !== 1)
      return false;
    const first = this.#job.offset >> 2;
    const isOneRange = this.#heap.f32[first + job.MIN_RANGE] === this.#heap.f32[first + job.MAX_RANGE];
    return isOneRange && this.#job.array[job.WATCHER_COUNT] * 2 > this.#entryCount;
  }

  /** The part of the job that stays true while the heap does not move, and the offsets. */
  #writeJob(store: EntityStore, slack: number): void {
    const { settings } = store;
    const words = this.#job.array;
    words[job.SLOT_COUNT] = store.slotCount;
    words[job.SENSE_COUNT] = settings.senseCount;
    words[job.DIMENSIONS] = settings.dimensions;
    words[job.SHAPE] = ['circle', 'box', 'cylinder'].indexOf(settings.rangeShape);
    words[job.CELL_COUNT] = this.#grids.cellCount;
    words[job.CLASS_COUNT] = this.#classes.count;
    const f32 = this.#heap.f32;
    const first = this.#job.offset >> 2;
    f32[first + job.RATIO_X] = settings.ratioX;
    f32[first + job.RATIO_Y] = settings.ratioY;
    f32[first + job.RATIO_Z] = settings.ratioZ;
    this.#heap.f64[(this.#job.offset >> 3) + job.SLACK_F64] = slack;
    this.#rewriteOffsets(store);
  }

  /** To be called whenever the heap may have moved since. */
  #rewriteOffsets(store: EntityStore): void {
    const { now, last } = store;
    const words = this.#job.array;
    writeState(words, now.offsets, job.NOW_X);
    writeState(words, last.offsets, job.LAST_X);
    words[job.PENDING] = store.pendingColumn.offset;
    words[job.NOW_CLASS] = this.#classes.nowOffset;
    words[job.LAST_CLASS] = this.#classes.lastOffset;
    words[job.CELL_OF_SLOT] = this.#cellOfSlot.offset;
    words[job.GHOST_SLOTS] = this.#ghosts[0].offset;
    words[job.GHOST_CELLS] = this.#ghosts[1].offset;
    words[job.GHOST_CAPACITY] = this.#ghosts[0].length;
    words[job.TABLE] = this.#table.offset;
    words[job.GRIDS] = this.#grids.offset;
    for (let i = 0; i < this.#entries.length; i++) words[job.NEW_X + i] = this.#entries[i].offset;
    for (let s = 0; s < store.settings.senseCount; s++) {
      words[job.NOW_RANGES + s] = now.ranges[s].column?.offset ?? 0;
      words[job.LAST_RANGES + s] = last.ranges[s].column?.offset ?? 0;
      words[job.NOW_GAINS + s] = now.gains[s].column?.offset ?? 0;
      words[job.LAST_GAINS + s] = last.gains[s].column?.offset ?? 0;
      words[job.NOW_MIN_REACHES + s] = now.minReaches[s].column?.offset ?? 0;
      words[job.LAST_MIN_REACHES + s] = last.minReaches[s].column?.offset ?? 0;
    }
  }
}

function writeState(words: Uint32Array, offsets: EntityStore['now']['offsets'], at: number): void {
  words[at] = offsets.x;
  words[at + 1] = offsets.y;
  words[at + 2] = offsets.z;
  words[at + 3] = offsets.flags;
}
