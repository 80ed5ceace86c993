/**
 * All markers, sorted into cells (a spatial hash). The kernels that decide the seats of searched watchers search it for nearby
 * markers.
 *
 * Problem: a world may hold a million things of which few move, and a crowd in which all move, dense in one place and sparse in
 * another. Method: entries in two parts. Stationary markers lie in the settled part. When a marker moves or changes, its settled
 * entry is struck out and it is listed in the moving part; only that part is sorted in each tick. When the moving part is large
 * and few of its markers still move, all stationary ones are settled again. Each part has a grid for plain markers, and grids for
 * other markers, in classes by layer, by how far they may matter (gain, minReach, maxReach, weight), and by whether they are in a channel: the cells of
 * those in channels are divided into bands (entities/channel-bands.ts). A cell holds some eight entries; a cell with very many
 * has a finer grid of its own.
 *
 *   part      | plain grid | others by layer ... | loud, by powers of four ... | the same in channels ... |
 *   grid      | cell | cell | ...      table: where each begins      finer: a dense cell's own grid
 *
 * Memory: 20 bytes an entry (24 in 3-D), 18 a slot. Cost: some 10 ns for each marker that moves, nothing for stationary ones.
 */
import { evenly } from '../../columns.ts';
import { type EntityState, MARKER, sampleSlots } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { MOVED } from '../../entities/pending.ts';
import { usualMaxReachOf } from '../../entities/reach-limits.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/seat-search.ts';
import { GridSorter, writeGrids } from './grid-sorter.ts';
import { bandsFor, MarkerGrid } from './marker-grid.ts';

/** Where a slot's entry is. */
const NOWHERE = 0;
const SETTLED = 1;
const MOVING = 2;
/** Listed in the moving part, but no longer a marker. */
const GONE = 3;

/** So many entities are looked at for how far a usual one is perceived. */
const SAMPLE = 256;
/** Cells with more entries than this get finer grids. */
const DENSE = 64;
/** Those that matter no farther than plain ones are in so many classes by their lowest layer: who does not see it passes over them. */
const LAYER_CLASSES = 4;
/** By layer, and by how far markers may matter; and the same again, for markers that are in channels. */
const REACH_CLASSES = LAYER_CLASSES + 4;
const CLASSES = 2 * REACH_CLASSES;
/**
 * Size of the moving part above which its stationary markers are settled: this many, or the settled markers divided by
 * `SETTLED_SHARE`, or `RESTING_SHARE` times the pending slots, whichever is most.
 */
const FEW = 1024;
const SETTLED_SHARE = 64;
const RESTING_SHARE = 4;
const READ_AHEAD = 4;
/** The class of markers with only default properties. */
const PLAIN = 0;
/** A usual marker has a weight from this to its inverse: ranks neither overflow nor vanish. */
const LEAST_WEIGHT = 2 ** -20;
/** Ticks for which grids are reused while entities only move. */
const MOST_USES = 16;

/** Markers by class, and a grid for each class that has any. */
interface ByClass {
  readonly members: readonly Uint32Array[];
  readonly grids: readonly MarkerGrid[];
  /** Number of ticks for which the grids were used. */
  uses: number;
}

interface Part {
  first: number;
  count: number;
  gridCount: number;
}

export class MarkerIndex {
  /** Numbers of all grids, see kernels/layouts/seat-search.ts: those of the settled part, then those of the moving part. */
  readonly #grids: Column<'f64'>;
  readonly #finerGrids: Column<'f64'>;
  readonly #sorter: GridSorter;
  readonly #finer: Column<'u32'>;
  /** By slot, bits: see `IS_PLAIN` in the layout. */
  readonly #isPlain: Column<'u8'>;
  readonly #heap: Heap;
  readonly #settled: Part = { first: 0, count: 0, gridCount: 0 };
  readonly #moving: Part = { first: 0, count: 0, gridCount: 0 };
  /** Cells and finer grids of the settled part; those of the moving part come after them. */
  #settledCells = 0;
  #settledFiner = 0;
  #finerCount = 0;
  /** By slot. */
  #home = new Uint8Array(0);
  #place = new Uint32Array(0);
  /** 0 for plain markers, else a class by layer, or by how far they may matter; and by whether they are in a channel. */
  #classOf = new Uint8Array(0);
  #movingSlots = new Uint32Array(0);
  #movingCount = 0;
  /** For the moving part; `undefined` after any marker was added, removed or changed other than by moving. */
  #byClass: ByClass | undefined;
  /** The last tick for which the index is up to date; -1 if it must be built again. */
  #asOf = -1;
  /** World units: the mean range of watchers, and how far they perceive a usual marker, which counts as a prominence of 1. */
  #range = 1;
  #unit = 1;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#grids = heap.column('f64', 2 * CLASSES * job.GRID_NUMBERS);
    this.#finerGrids = heap.column('f64', 0);
    this.#sorter = new GridSorter(heap);
    this.#finer = heap.column('u32', 0);
    this.#isPlain = heap.column('u8', 0);
  }

  /** Bytes outside the heap. */
  get memoryBytes(): number {
    return (
      this.#home.byteLength + this.#place.byteLength + this.#classOf.byteLength + this.#movingSlots.byteLength
    );
  }

  get entryCount(): number {
    return this.#settled.count + this.#moving.count;
  }

  /** Brings the index up to date with what is pending, for the current tick. `watchers`: those that may search. */
  settle(store: EntityStore, tick: number, watchers: Uint32Array): void {
    if (this.#asOf !== tick - 1 || this.#home.length < store.slotCount)
      this.#begin(store, meanRangeOf(store, watchers));
    else if (this.#asOf === tick - 1 && store.pendingCount > 0) this.#follow(store);
    this.#asOf = tick;
  }

  /** The tick failed: the index is no longer valid. */
  forget(): void {
    this.#asOf = -1;
  }

  writeColumns(words: Uint32Array): void {
    words[job.ENTRY_SLOT] = this.#sorter.slot.offset;
    words[job.ENTRY_X] = this.#sorter.x.offset;
    words[job.ENTRY_Y] = this.#sorter.y.offset;
    words[job.ENTRY_Z] = this.#sorter.z.offset;
    words[job.GRIDS] = this.#grids.offset;
    words[job.GRID_COUNT] = this.#settled.gridCount + this.#moving.gridCount;
    words[job.TABLE] = this.#sorter.table.offset;
    words[job.FINER] = this.#finer.offset;
    words[job.FINER_GRIDS] = this.#finerGrids.offset;
    words[job.IS_PLAIN] = this.#isPlain.offset;
  }

  /** Builds the index again: at first all markers are in the moving part. */
  #begin(store: EntityStore, range: number): void {
    const { slotCount, capacity, now } = store;
    this.#range = range > 0 ? range : 1;
    this.#unit = Math.min(
      this.#range,
      usualMaxReachOf(store.now, sampleSlots(store.now, store.slotCount, SAMPLE)),
    );
    if (this.#home.length < slotCount) {
      this.#home = new Uint8Array(capacity);
      this.#place = new Uint32Array(capacity);
      this.#classOf = new Uint8Array(capacity);
      this.#movingSlots = new Uint32Array(capacity);
    }
    if (this.#isPlain.length < slotCount) this.#heap.resize([[this.#isPlain, capacity]]);
    this.#isPlain.array.fill(0);
    // Slots that are no longer in use may be reused, and would be mistaken for listed ones.
    this.#home.fill(NOWHERE, slotCount);
    this.#movingCount = 0;
    this.#byClass = undefined;
    const { flags } = now;
    for (let slot = 0; slot < slotCount; slot++) {
      const isMarker = (flags[slot] & MARKER) !== 0;
      this.#home[slot] = isMarker ? MOVING : NOWHERE;
      if (!isMarker) continue;
      this.#movingSlots[this.#movingCount++] = slot;
      this.#classify(now, slot);
    }
    this.#reserve(store);
    this.#settleNobody();
    this.#sortMoving(store);
  }

  #follow(store: EntityStore): void {
    const { pending, pendingSlots, pendingCount, now } = store;
    const home = this.#home;
    const { flags } = now;
    const x = this.#sorter.x.array;
    const isPlain = this.#isPlain.array;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      const at = home[slot];
      if (at === MOVING && pending[slot] === MOVED) continue;
      const isMarker = (flags[slot] & MARKER) !== 0;
      if (at === SETTLED) {
        // NaN fails every comparison.
        x[this.#place[slot]] = Number.NaN;
        home[slot] = NOWHERE;
      }
      const classBefore = this.#classOf[slot];
      if (!isMarker) isPlain[slot] = 0;
      else if (pending[slot] !== MOVED) this.#classify(now, slot);
      // A class has bounds that depend on its members, except the class of plain markers.
      const isPlainStill = isMarker && classBefore === PLAIN && this.#classOf[slot] === PLAIN;
      const isAsBefore = isMarker ? at === MOVING && isPlainStill : at === NOWHERE;
      if (!isAsBefore) this.#byClass = undefined;
      if (at === MOVING || at === GONE) home[slot] = isMarker ? MOVING : GONE;
      else if (isMarker) {
        home[slot] = MOVING;
        this.#movingSlots[this.#movingCount++] = slot;
      }
    }
    const settled = this.#settled.count;
    const many = Math.max(FEW, Math.floor(settled / SETTLED_SHARE), RESTING_SHARE * pendingCount);
    const size = settled + this.#movingCount;
    if (settled > 0 && pendingCount * 2 > size) this.#moveAll(store);
    else if (this.#movingCount > many) this.#settleResting(store);
    this.#sortMoving(store);
  }

  /** Most markers move: lists the settled ones in the moving part. */
  #moveAll(store: EntityStore): void {
    this.#byClass = undefined;
    for (let slot = 0; slot < store.slotCount; slot++) {
      if (this.#home[slot] !== SETTLED) continue;
      this.#home[slot] = MOVING;
      this.#movingSlots[this.#movingCount++] = slot;
    }
    this.#settleNobody();
  }

  /** Settles all markers that have nothing pending. */
  #settleResting(store: EntityStore): void {
    const { slotCount, pending } = store;
    const home = this.#home;
    const resting = new Uint32Array(slotCount);
    this.#byClass = undefined;
    let count = 0;
    this.#movingCount = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      const at = home[slot];
      if (at === GONE) home[slot] = NOWHERE;
      if (at !== SETTLED && at !== MOVING) continue;
      if (pending[slot] === 0) {
        resting[count++] = slot;
        home[slot] = SETTLED;
      } else {
        home[slot] = MOVING;
        this.#movingSlots[this.#movingCount++] = slot;
      }
    }
    this.#reserve(store);
    this.#settledCells = 0;
    this.#settledFiner = 0;
    this.#finerCount = 0;
    this.#settled.first = 0;
    const byClass = byClassOf(store, resting.subarray(0, count), this.#classOf, this.#unit);
    this.#settledCells = this.#sort(store, byClass, count, 0, this.#settled, 0);
    this.#settledFiner = this.#finerCount;
    const slots = this.#sorter.slot.array;
    for (let i = 0; i < count; i++) this.#place[slots[i]] = i;
  }

  #settleNobody(): void {
    this.#settled.count = 0;
    this.#settled.gridCount = 0;
    this.#settledCells = 0;
    this.#settledFiner = 0;
  }

  #sortMoving(store: EntityStore): void {
    if (this.#byClass === undefined) this.#keepMoving();
    this.#finerCount = this.#settledFiner;
    this.#moving.first = (this.#settled.count + READ_AHEAD + 3) & ~3;
    this.#reserve(store);
    this.#sort(
      store,
      this.#classesOf(store),
      this.#movingCount,
      this.#settledCells,
      this.#moving,
      this.#settled.gridCount,
    );
  }

  /** Removes markers from the moving list that are settled or gone. */
  #keepMoving(): void {
    const slots = this.#movingSlots;
    const home = this.#home;
    let kept = 0;
    for (let i = 0; i < this.#movingCount; i++) {
      const slot = slots[i];
      if (home[slot] === MOVING) slots[kept++] = slot;
      else home[slot] = NOWHERE;
    }
    this.#movingCount = kept;
  }

  /** The moving markers by class. While entities only move, the classes stay the same, and so do the grids for some ticks. */
  #classesOf(store: EntityStore): ByClass {
    const known = this.#byClass;
    if (known !== undefined && known.uses++ < MOST_USES) return known;
    this.#byClass = byClassOf(
      store,
      this.#movingSlots.subarray(0, this.#movingCount),
      this.#classOf,
      this.#unit,
    );
    return this.#byClass;
  }

  /** Makes room for an entry for each slot, and another for each settled marker. */
  #reserve({ slotCount, capacity, settings }: EntityStore): void {
    const needed = slotCount + this.#settled.count + 3 * READ_AHEAD + 8;
    if (this.#sorter.slot.length >= needed) return;
    this.#sorter.reserveEntries(Math.max(needed, capacity + this.#settled.count + 64), settings.dimensions);
  }

  /** Sorts these slots into a part's cells, from `firstCell` on. Returns the cell after its last one. */
  #sort(
    store: EntityStore,
    { members: byClass, grids }: ByClass,
    count: number,
    firstCell: number,
    part: Part,
    firstGrid: number,
  ): number {
    part.count = count;
    let cells = firstCell;
    for (const grid of grids) {
      grid.firstCell = cells;
      grid.hasFiner = false;
      cells += grid.cells;
    }
    this.#growTable(cells + 1);
    this.#sorter.takeMembers(byClass);
    this.#finer.array.fill(0, firstCell, cells + 1);
    part.gridCount = grids.length;
    if (grids.length > 0) this.#sorter.sort(store, this.#grids, firstGrid, grids, part.first);
    const end = this.#refine(store, grids, cells);
    // Some grids have finer grids now.
    writeGrids(this.#grids, firstGrid, grids);
    return end;
  }

  /** Gives cells that hold very many entries grids of their own. Returns the cell after the last one. */
  #refine(store: EntityStore, grids: readonly MarkerGrid[], end: number): number {
    let cells = end + 1;
    for (const grid of grids) {
      if (grid.members === 0) continue;
      for (let cell = grid.firstCell; cell < grid.firstCell + grid.cells; cell++) {
        const begin = this.#sorter.table.array[cell];
        const count = this.#sorter.table.array[cell + 1] - begin;
        if (count <= DENSE) continue;
        const members = this.#sorter.slot.array.slice(begin, begin + count);
        const finer = new MarkerGrid(store, members, cells, false);
        if (finer.cells === 1) continue;
        grid.hasFiner = true;
        finer.isPlain = grid.isPlain;
        this.#growFiner();
        this.#growTable(cells + finer.cells + 1);
        this.#sorter.takeMembers([members]);
        this.#sorter.sort(store, this.#finerGrids, this.#finerCount, [finer], begin);
        this.#finer.array[cell] = ++this.#finerCount;
        cells += finer.cells + 1;
      }
    }
    return cells;
  }

  /** Notes the class of a marker, as in `#classOf`, and whether it is plain, usual, even. */
  #classify(now: EntityState, slot: number): void {
    const { gains, minReaches, maxReaches, weights } = now;
    const weight = weights.at(slot);
    const isMetAsUsual = now.isMetAsUsualInChannel(slot);
    const channel = now.channels.at(slot);
    let isEven = true;
    let prominence = weight;
    for (let s = 0; s < gains.length; s++) {
      const gain = gains[s].at(slot);
      const minReach = minReaches[s].at(slot);
      if (gain !== 1 || minReach !== 0 || maxReaches[s].at(slot) < Number.POSITIVE_INFINITY) isEven = false;
      const reach = Math.min(Math.max(gain * this.#range, minReach), maxReaches[s].at(slot));
      prominence = Math.max(prominence, reach / this.#unit);
    }
    const isPlain = isMetAsUsual && channel === 0 && isEven && weight === 1;
    const isUsual = isMetAsUsual && weight >= LEAST_WEIGHT && weight <= 1 / LEAST_WEIGHT;
    this.#isPlain.array[slot] =
      (isPlain ? job.PLAIN : 0) | (isUsual ? job.USUAL : 0) | (isEven ? job.EVEN : 0);
    const byReach =
      prominence <= 1
        ? 1 + (lowestBit(now.layers.at(slot)) % LAYER_CLASSES)
        : Math.min(REACH_CLASSES - 1, 1 + LAYER_CLASSES + Math.floor(Math.log2(prominence) / 2));
    this.#classOf[slot] = isPlain ? PLAIN : byReach + (channel === 0 ? 0 : REACH_CLASSES);
  }

  #growTable(cells: number): void {
    if (cells + 1 <= this.#finer.length) return;
    const room = cells + (cells >> 2) + 64;
    this.#heap.resize([
      [this.#sorter.table, room],
      [this.#finer, room],
    ]);
  }

  #growFiner(): void {
    const needed = (this.#finerCount + 1) * job.GRID_NUMBERS;
    if (needed > this.#finerGrids.length) this.#heap.resize([[this.#finerGrids, 2 * needed]]);
  }
}

/** The number of the lowest bit that is set; 31 if none is. */
function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask || 1 << 31);
}

/** These slots by class, and a grid for each class that has any. */
function byClassOf(store: EntityStore, slots: Uint32Array, classes: Uint8Array, reach: number): ByClass {
  const { now } = store;
  const areAlike = !now.isMixed && now.weights.column === undefined;
  const members = areAlike ? [slots] : split(slots, slots.length, classes);
  const bands = bandsFor(store, slots, reach);
  const grids: MarkerGrid[] = [];
  members.forEach((own, k) => {
    if (own.length === 0) return;
    const grid = new MarkerGrid(store, own, 0, true, k > REACH_CLASSES ? bands : 1);
    grid.isPlain = k === 0;
    if (k > 0) grid.findBounds(store, own);
    grids.push(grid);
  });
  return { members, grids, uses: 1 };
}

/** The slots of each class, by class number. `classes`: by slot. */
function split(slots: Uint32Array, count: number, classes: Uint8Array): Uint32Array[] {
  const sizes = new Uint32Array(CLASSES);
  for (let i = 0; i < count; i++) sizes[classes[slots[i]]]++;
  const members = Array.from(sizes, (size) => new Uint32Array(size));
  sizes.fill(0);
  for (let i = 0; i < count; i++) {
    const own = classes[slots[i]];
    members[own][sizes[own]++] = slots[i];
  }
  return members;
}

/** The mean range of a sample of these watchers: markers count as loud if they matter many times as far. */
function meanRangeOf({ now }: EntityStore, watchers: Uint32Array): number {
  const sample = evenly(watchers, 32);
  return sample.reduce((sum, watcher) => sum + now.longestRangeOf(watcher), 0) / sample.length;
}
