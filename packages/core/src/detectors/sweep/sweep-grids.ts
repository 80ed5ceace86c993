/**
 * The grids of a sweep, one for each class of entries: their position and cell size.
 *
 * A grid covers the middle of the crowd, found from a sample; an entity outside is counted into a border cell, so a single distant entity
 * neither enlarges the grid nor slows it down. Cells are as wide as the usual reach: a window is then three cells wide, and its runs are
 * long enough to stream. If a cell would hold many entities, a half or a third of that width wastes fewer tests; if there would be more cells
 * than twice the members, cells are larger, or positions are folded into fewer (grid-folds.ts); and a few odd ones share one cell. All is
 * chosen again when the crowd has grown, shrunk or moved away, or after some time. The grids of the crowd and of things are equal, cell by
 * cell, so that a window in one is a window in the other. Entities in channels have classes of their own, whose cells exist once for each
 * band of channels (entities/channel-bands.ts). All of it affects speed, never results.
 */
import { chooseBands } from '../../entities/channel-bands.ts';
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { usualMaxReachOf } from '../../entities/reach-limits.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/sweep-job.ts';
import type { Bounds } from '../bounds.ts';
import type { StructureSketch } from '../structure-sketch.ts';
import { type Box, contains, middleOf, sampleCrowd, usualRangeOf, watchersAmong } from './crowd-sample.ts';
import { type EntryClasses, isOdd, kindOf } from './entry-classes.ts';
import type { EntryColumns } from './entry-columns.ts';
import { foldedAt, foldedCounts, foldedSpan, foldShares, matesAmong } from './grid-folds.ts';
import { describeGrids, sketchGrid } from './grid-picture.ts';

/** Number of ticks after which grids are chosen again in any case, and between two counts of entities outside. */
const MAX_AGE = 256;
const LOOK_TICKS = 16;
const MAX_OUTSIDE_SHARE = 0.05;
/** Slightly above the reach, so that with the slack of a step a window is still three cells wide. */
const CELL_MARGIN = 1 + 1 / 64;
/**
 * Number of members in a cell as wide as the reach from which on narrower cells are faster: measured with 10, 30 and
 * 100 perceived.
 */
const CROWDED = 36;
/** The same where pairs are tested one by one. */
const CROWDED_WITHOUT_VECTORS = 4;
const MAX_CELLS_PER_REACH = 4;
const CELLS_PER_MEMBER = 2;
const MIN_CELLS = 64;
/** An odd class with at most so many members has one cell: a mover tests them faster than it finds cells. */
const ONE_CELL = 8;
const MAX_CLASS_GROWTH = 4;
/** Added to a class's members before they are multiplied: about so many newcomers in one cell are no loss. */
const FEW_NEWCOMERS = 16;
const RECORD_F64 = job.GRID_BYTES / 8;

export class SweepGrids {
  /** Number of cells of all grids. */
  cellCount = 0;
  /** World units, at the last survey: how far a watcher usually perceives a usual marker; 0 without watchers. */
  usualReach = 0;
  /** Whether nobody watched at the last survey: then the cells are as wide as the world. */
  #isUnwatched = false;
  readonly #heap: Heap;
  readonly #classes: EntryClasses;
  readonly #records: Column<'f64'>;
  #chosenSize = -1;
  /** By class: its first cell; behind the last class, the number of cells. As in the records, but in one place. */
  readonly #firstCells = new Uint32Array(job.CLASSES + 1);
  /** The version of the classes whose limits are in the records. */
  #limitsVersion = -1;
  /** By class: number of members, and of former ones, that its grid has cells for. */
  readonly #chosenMembers = new Uint32Array(job.CLASSES);
  /** World units, by axis: the cells of those that changed in place, if these are many. */
  #changedSizes: readonly number[] = [1, 1, 1];
  /** By class: 1 if positions are folded into a grid that does not reach over all of the box. */
  readonly #folds = new Uint8Array(job.CLASSES);
  /** How many bands cells of those in channels have, if there are enough cells. */
  #bands = 1;
  #age = 0;
  /** Until the first choice that is no guess. */
  #isFirst = true;
  #box: Box = { min: [0, 0, 0], max: [1, 1, 1] };

  constructor(store: EntityStore, classes: EntryClasses) {
    this.#heap = store.heap;
    this.#classes = classes;
    this.#records = store.heap.column('f64', job.CLASSES * RECORD_F64);
  }

  /** Byte offset of the grid records in the heap. */
  get offset(): number {
    return this.#records.offset;
  }

  /**
   * Settles the classes, and chooses grids again if that is due. Returns whether entries sorted before are still
   * sorted by class.
   */
  settle(store: EntityStore, entries: EntryColumns, slack: number): boolean {
    this.#age++;
    const isDue = this.#isDue(store);
    // Where all change at once, the class that they come to may have had no member, and one cell.
    if (!isDue) this.#classes.settle(store, true);
    if (!isDue && !this.#isAnyClassLarger()) {
      this.#layChanged(store.settings.dimensions);
      this.writeLimits();
      return true;
    }
    const { settings } = store;
    const slots = sampleCrowd(store);
    const watchers = watchersAmong(store, slots);
    const usualRange = usualRangeOf(store, watchers);
    const farthest = usualMaxReachOf(store.now, slots);
    this.usualReach = Math.min(usualRange, farthest);
    this.#isUnwatched = !store.limits.isWatched;
    const crowding = this.#crowding(store, slots, entries);
    const isSame = !this.#classes.choose(store, watchers, usualRange, farthest);
    if (isSame) this.#classes.settle(store, true);
    this.#box = middleOf(store, slots);
    this.#chosenSize = store.size;
    for (let k = 0; k < job.CLASSES; k++) this.#chosenMembers[k] = this.#classes.sizeOf(k);
    // A guess from the crowd's box is corrected as soon as cells have been counted; if no watcher perceives, any grid
    // will do.
    const isGuess = crowding === undefined && this.usualReach > 0;
    this.#age = isGuess ? MAX_AGE - 1 : this.#isFirst ? firstAgeIn(this.#box) : 0;
    this.#isFirst &&= isGuess;
    this.#bands = chooseBands(store, slots, store.size, this.usualReach, (bands) =>
      this.#sizeWith(bands, settings.dimensions),
    );
    for (let k = 0; k < job.CLASSES; k++) this.#choose(store, k, crowding?.[k], slack, slots);
    this.#folds[job.IN_PLACE] = this.#folds[job.CROWD] | this.#folds[job.IN_CHANNEL | job.CROWD];
    const ofCrowd = this.#wantedSizes(store, job.CROWD, crowding?.[job.CROWD], slack);
    const inChannel = job.IN_CHANNEL | job.CROWD;
    const ofChannels = this.#wantedSizes(store, inChannel, crowding?.[inChannel], slack);
    this.#changedSizes = ofCrowd.map((size, axis) => Math.min(size, ofChannels[axis]));
    this.#number();
    this.#layChanged(settings.dimensions);
    this.writeLimits();
    return isSame;
  }

  /**
   * Gives those that changed in place cells as wide as a large crowd's, or wider ones where there are few. What the crowd's own cells are
   * says nothing: if all of it changes, it is empty, and has one cell.
   */
  #layChanged(dimensions: 2 | 3, limit = this.#cellLimit(job.IN_PLACE)): void {
    if (limit === 1 && this.#cellsOf(job.IN_PLACE) === 1) return;
    this.#lay(job.IN_PLACE, this.#changedSizes, limit, dimensions);
    this.#number();
  }

  /** For entries that stay in place: those that changed in place are not sorted into a class of their own. */
  layResident(dimensions: 2 | 3): void {
    this.#layChanged(dimensions, 1);
  }

  /** Whether there are many times as many entities as cells were made for, or somebody watches and they were made for nobody. */
  isOutgrown(store: EntityStore): boolean {
    if (this.#isUnwatched && store.limits.isWatched) return true;
    return store.size > 2 * this.#chosenSize + MIN_CELLS || this.#isAnyClassLarger();
  }

  /** How long a class takes to search among another one: usually as long as it has windows. A wide one in a folded grid may hold all. */
  searchCost(k: number, other: number): number {
    if (this.#folds[other] === 0) return this.#classes.sizeOf(k);
    let tests = this.#classes.sizeOf(other);
    const widest = 2 * this.#classes.reachBetween(k, other);
    const { u32 } = this.#heap;
    for (const [axis, size] of this.#sizesOf(other).entries()) {
      const cells = u32[this.#wordOf(other) + job.GRID_WIDTH_WORD + axis];
      tests *= Math.min(1, (widest / size + 1) / cells);
    }
    return this.#classes.sizeOf(k) * (1 + tests);
  }

  /** Index of the first entry of a class. */
  firstEntryOf(k: number, table: Uint32Array): number {
    return table[this.#firstCells[Math.min(k, job.CLASSES)]];
  }

  cellAt(k: number, channel: number, x: number, y: number, z: number): number {
    const { f64, u32 } = this.#heap;
    const g = (this.offset + k * job.GRID_BYTES) >>> 3;
    const w = 2 * g;
    const along = (axis: number, coordinate: number, count: number) =>
      clampedCell(
        foldedAt(f64, g, axis, coordinate),
        f64[g + job.GRID_ORIGIN + axis],
        f64[g + job.GRID_INVERSE + axis],
        count,
      );
    const width = u32[w + job.GRID_WIDTH_WORD];
    const height = u32[w + job.GRID_HEIGHT_WORD];
    const depth = u32[w + job.GRID_DEPTH_WORD];
    const cellZ = depth === 1 ? 0 : along(2, z, depth);
    const cell = (cellZ * height + along(1, y, height)) * width + along(0, x, width);
    const band = channel & u32[w + job.GRID_BAND_MASK_WORD];
    return u32[w + job.GRID_FIRST_CELL_WORD] + band * u32[w + job.GRID_BAND_CELLS_WORD] + cell;
  }

  /** Calls back with each run of entries near the bounds of their class. If `channel` is not 0, those in other channels may be left out. */
  eachRun(
    boundsOf: (k: number) => Bounds,
    channel: number,
    table: Uint32Array,
    visit: (begin: number, end: number, bounds: Bounds) => void,
  ): void {
    const { f64, u32 } = this.#heap;
    for (let k = 0; k < job.CLASSES; k++) {
      const g = (this.offset + k * job.GRID_BYTES) >>> 3;
      const w = g * 2;
      if (u32[w + job.GRID_MEMBERS_WORD] === 0) continue;
      const bounds = boundsOf(k);
      const width = u32[w + job.GRID_WIDTH_WORD];
      const height = u32[w + job.GRID_HEIGHT_WORD];
      const cellsBetween = (axis: number, min: number, max: number) => {
        const [low, high] = foldedSpan(f64, g, axis, min, max);
        const count = u32[w + job.GRID_WIDTH_WORD + axis];
        const [origin, inverse] = [f64[g + job.GRID_ORIGIN + axis], f64[g + job.GRID_INVERSE + axis]];
        return [clampedCell(low, origin, inverse, count), clampedCell(high, origin, inverse, count)];
      };
      const [fromX, toX] = cellsBetween(0, bounds.minX, bounds.maxX);
      const [fromY, toY] = cellsBetween(1, bounds.minY, bounds.maxY);
      const [fromZ, toZ] = cellsBetween(2, bounds.minZ, bounds.maxZ);
      const mask = u32[w + job.GRID_BAND_MASK_WORD];
      const own = channel & mask;
      const to = channel === 0 ? mask : own;
      // Of those that changed in place, the first band has those of channel 0, too. No band between it and the channel's own is read.
      for (let band = k === job.IN_PLACE ? 0 : own; band <= to; band = band < own ? own : band + 1) {
        const first = u32[w + job.GRID_FIRST_CELL_WORD] + band * u32[w + job.GRID_BAND_CELLS_WORD];
        for (let z = fromZ; z <= toZ; z++) {
          for (let y = fromY; y <= toY; y++) {
            const row = first + (z * height + y) * width;
            visit(table[row + fromX], table[row + toX + 1], bounds);
          }
        }
      }
    }
  }

  describe(): string {
    return `${this.cellCount} cells\n${describeGrids(this.#heap, this.offset)}`;
  }

  sketch(entries: EntryColumns, last: EntityState, sketch: StructureSketch): void {
    for (let k = 0; k < job.CLASSES; k++) sketchGrid(this.#heap, this.offset, k, entries, last, sketch);
  }

  dispose(): void {
    this.#heap.release(this.#records);
  }

  #isDue(store: EntityStore): boolean {
    if (this.#chosenSize < 0) return true;
    // If most of a crowd is leaving, the remaining entities do not show where it is: with cells of their size, one
    // cell would hold the whole crowd.
    if (store.counts.removed > store.size) return false;
    if (this.#age >= MAX_AGE) return true;
    // No watcher perceived before: a watcher that does now was added, changed or shown again, maybe some ticks ago.
    const mayPerceive = this.usualReach === 0 && store.limits.isWatched;
    if (mayPerceive && (this.#isUnwatched || store.counts.onlyMoved < store.pendingCount)) return true;
    if (Math.abs(store.size - this.#chosenSize) > this.#chosenSize / 4 + 16) return true;
    if (this.#isAnyClassLeft()) return true;
    if (this.#age % LOOK_TICKS !== 0) return false;
    const slots = sampleCrowd(store);
    const outside = slots.filter((slot) => !contains(this.#box, store, slot)).length;
    return outside > slots.length * MAX_OUTSIDE_SHARE;
  }

  /** Whether a class holds many times the members that its grid has cells for, or held them at the last tick: they may come and go in turn. */
  #isAnyClassLarger(): boolean {
    const classes = this.#classes;
    return classes.present.some(
      (k) => classes.sizeOf(k) > MAX_CLASS_GROWTH * (this.#chosenMembers[k] + FEW_NEWCOMERS),
    );
  }

  /** Whether most of a large class have left it: its cells are all visited where entries are sorted. */
  #isAnyClassLeft(): boolean {
    const { members } = this.#classes;
    for (let k = 0; k < job.IN_PLACE; k++) {
      const chosen = this.#chosenMembers[k];
      const isLarge = chosen > this.#chosenSize / MAX_CLASS_GROWTH;
      if (isLarge && chosen > MAX_CLASS_GROWTH * (members[k] + FEW_NEWCOMERS)) return true;
    }
    return false;
  }

  /**
   * By class: average number of entities that share a cell as wide as the reach with a member; for the crowd and for
   * things, both count. 0 if no member is in the sample; `undefined` before any entity was counted.
   */
  #crowding(
    store: EntityStore,
    slots: readonly number[],
    { table, ends }: EntryColumns,
  ): Float64Array | undefined {
    if (this.#chosenSize < 0 || this.usualReach === 0) return undefined;
    const { last, settings } = store;
    const is3D = settings.dimensions === 3;
    const mates = new Float64Array(job.CLASSES);
    const counted = new Uint32Array(job.CLASSES);
    const scales = new Float64Array(job.CLASSES);
    // Estimates how many share a cell as wide as the reach from how many share one of the grid's cells.
    const scaleOf = (k: number) => {
      const sizes = this.#sizesOf(k).slice(0, settings.dimensions);
      const reach = this.#classes.searchReach(k, this.usualReach);
      return sizes.reduce((scale, size) => scale * (reach / size), 1);
    };
    for (const k of this.#classes.present) {
      scales[k] = scaleOf(k);
      // The crowd and things are counted together, even where one of them has no members.
      if (!isOdd(k)) scales[k ^ job.THINGS] = scaleOf(k ^ job.THINGS);
    }
    const mateCount = (k: number, slot: number) => {
      const cell = this.cellAt(
        k,
        last.channels.at(slot),
        last.x[slot],
        last.y[slot],
        is3D ? last.z[slot] : 0,
      );
      return (ends.array[cell] - table.array[cell]) * scales[k];
    };
    for (const slot of slots) {
      if (!last.isPresent(slot)) continue;
      const k = this.#classes.classOf(slot);
      const first = kindOf(k) === job.THINGS ? k - job.THINGS : k;
      counted[first]++;
      mates[first] += mateCount(k, slot);
      if (!isOdd(k)) mates[first] += mateCount(k ^ job.THINGS, slot);
    }
    for (const crowd of [job.CROWD, job.IN_CHANNEL | job.CROWD]) {
      counted[crowd | job.THINGS] = counted[crowd];
      mates[crowd | job.THINGS] = mates[crowd];
    }
    return mates.map((sum, k) => (counted[k] === 0 ? 0 : sum / counted[k]));
  }

  /** Index of a class's record in the heap's words. */
  #wordOf(k: number): number {
    return (this.offset + k * job.GRID_BYTES) >>> 2;
  }

  #choose(
    store: EntityStore,
    k: number,
    crowding: number | undefined,
    slack: number,
    slots: readonly number[],
  ): void {
    const { dimensions } = store.settings;
    const limit = this.#cellLimit(k);
    const wanted = limit === 1 ? [] : this.#wantedSizes(store, k, crowding, slack);
    const { now } = store;
    const lay = (fold: number) => {
      this.#folds[k] = fold;
      this.#lay(k, wanted, limit, dimensions);
    };
    const cellOf = (slot: number) =>
      this.cellAt(k, now.channels.at(slot), now.x[slot], now.y[slot], dimensions === 3 ? now.z[slot] : 0);
    const mates = () =>
      matesAmong(slots.filter((slot) => this.#classes.isAlike(k, slot)).map(cellOf)) *
      (store.size / slots.length);
    lay(0);
    if (limit === 1 || this.#sizesOf(k)[0] <= wanted[0]) return;
    const before = mates();
    if (!(before >= foldShares.fewMates)) return;
    lay(1);
    if (foldShares.gain * mates() > before) lay(0);
  }

  /** World units, by axis: how wide the cells of a class are if there may be any number of them. */
  #wantedSizes(
    { settings }: EntityStore,
    k: number,
    crowding: number | undefined,
    slack: number,
  ): readonly number[] {
    const reach = this.#classes.searchReach(k, this.usualReach);
    const ratios =
      settings.rangeShape === 'box' ? [settings.ratioX, settings.ratioY, settings.ratioZ] : [1, 1, 1];
    if (settings.rangeShape === 'cylinder') ratios[2] = settings.ratioZ;
    const longest = Math.max(...this.#box.max.map((max, axis) => max - this.#box.min[axis]));
    const crowded = this.#heap.wasm ? CROWDED : CROWDED_WITHOUT_VECTORS;
    const fraction = Math.round(((crowding ?? 0) / crowded) ** (1 / settings.dimensions));
    const cellsPerReach = Math.max(1, Math.min(MAX_CELLS_PER_REACH, fraction));
    return (
      settings.cellSize ??
      ratios.map((ratio) => (reach > 0 ? (reach * ratio * CELL_MARGIN + 2 * slack) / cellsPerReach : longest))
    );
  }

  /** Most cells of a class. Those that have left it in this tick have their former entries in it. */
  #cellLimit(k: number): number {
    const size = this.#classes.sizeOf(k);
    const crowd = k & job.IN_CHANNEL;
    const both = this.#classes.sizeOf(crowd) + this.#classes.sizeOf(crowd | job.THINGS);
    if (!isOdd(k)) return both === 0 ? 1 : Math.max(MIN_CELLS, both * CELLS_PER_MEMBER);
    return size <= ONE_CELL ? 1 : size * CELLS_PER_MEMBER;
  }

  /** How many bands the cells of a class have, if there may be so many cells. A power of two. */
  #bandsFor(k: number, limit: number): number {
    if (k < job.IN_CHANNEL) return 1;
    return 2 ** Math.floor(Math.log2(Math.min(this.#bands, limit)));
  }

  /** World units: how wide the cells of the crowd in channels are at most, with so many bands. */
  #sizeWith(bands: number, dimensions: 2 | 3): number {
    const spans = this.#box.max.map((max, axis) => max - this.#box.min[axis]).slice(0, dimensions);
    const room = spans.reduce((product, span) => product * span, bands / this.#cellLimit(job.IN_CHANNEL));
    return Math.max(this.usualReach, room ** (1 / dimensions));
  }

  /** Creates cells of these sizes in each band, or larger ones so that there are no more than a limit; a single cell has any size. */
  #lay(k: number, wanted: readonly number[], limit: number, dimensions: 2 | 3): void {
    const bands = this.#bandsFor(k, limit);
    const spans = [0, 1, 2].map((axis) => this.#box.max[axis] - this.#box.min[axis]);
    let counts = [1, 1, 1];
    let sizes = spans;
    const isFolded = limit > 1 && this.#folds[k] === 1;
    for (let scale = 1; limit > 1; scale *= 1.125) {
      sizes = wanted.map((size) => Math.max(size * scale, Number.MIN_VALUE));
      counts = spans.map((span, axis) => Math.max(1, Math.min(2 ** 21, Math.ceil(span / sizes[axis]))));
      if (dimensions === 2) counts[2] = 1;
      if (isFolded) counts = foldedCounts(counts, limit / bands);
      if (bands * counts[0] * counts[1] * counts[2] <= limit) break;
    }
    const { f64, u32 } = this.#heap;
    const w = this.#wordOf(k);
    const g = w >>> 1;
    let far = 0;
    for (let axis = 0; axis < 3; axis++) {
      f64[g + job.GRID_ORIGIN + axis] = this.#box.min[axis];
      f64[g + job.GRID_INVERSE + axis] = 1 / sizes[axis];
      f64[g + job.GRID_SIZE + axis] = sizes[axis];
      const period = 2 * counts[axis] * sizes[axis];
      f64[g + job.GRID_PERIOD + axis] = isFolded ? period : 0;
      f64[g + job.GRID_INVERSE_PERIOD + axis] = isFolded ? 1 / period : 0;
      far = Math.max(far, Math.abs(this.#box.min[axis]), Math.abs(this.#box.max[axis]));
      u32[w + job.GRID_WIDTH_WORD + axis] = counts[axis];
    }
    f64[g + job.GRID_EDGE_SLACK] = far * 2 ** -44;
    u32[w + job.GRID_BAND_MASK_WORD] = bands - 1;
    u32[w + job.GRID_BAND_CELLS_WORD] = counts[0] * counts[1] * counts[2];
  }

  #sizesOf(k: number): number[] {
    const size = (this.#wordOf(k) >>> 1) + job.GRID_SIZE;
    return Array.from(this.#heap.f64.subarray(size, size + 3));
  }

  #cellsOf(k: number): number {
    const w = this.#wordOf(k);
    const { u32 } = this.#heap;
    return (u32[w + job.GRID_BAND_MASK_WORD] + 1) * u32[w + job.GRID_BAND_CELLS_WORD];
  }

  /** Numbers the cells of all grids, class by class. */
  #number(): void {
    this.cellCount = 0;
    for (let k = 0; k < job.CLASSES; k++) {
      this.#heap.u32[this.#wordOf(k) + job.GRID_FIRST_CELL_WORD] = this.cellCount;
      this.#firstCells[k] = this.cellCount;
      this.cellCount += this.#cellsOf(k);
    }
    this.#firstCells[job.CLASSES] = this.cellCount;
  }

  /** Writes the limits of the classes, and whether they have members. Call it when the classes are settled. */
  writeLimits(): void {
    if (this.#limitsVersion === this.#classes.version) return;
    this.#limitsVersion = this.#classes.version;
    const { f64, u32 } = this.#heap;
    const { maxGain, maxMinReach, maxMaxReach, maxRange, members, membersBefore, sees, layers } =
      this.#classes;
    for (let k = 0; k < job.CLASSES; k++) {
      const w = this.#wordOf(k);
      const g = w >>> 1;
      f64[g + job.GRID_MAX_GAIN] = maxGain[k];
      f64[g + job.GRID_MAX_MIN_REACH] = maxMinReach[k];
      f64[g + job.GRID_MAX_MAX_REACH] = maxMaxReach[k];
      f64[g + job.GRID_MAX_RANGE] = maxRange[k];
      u32[w + job.GRID_MEMBERS_WORD] = Math.max(members[k], membersBefore[k]);
      u32[w + job.GRID_SEES_WORD] = sees[k];
      u32[w + job.GRID_LAYERS_WORD] = layers[k];
    }
  }
}

/**
 * The age that the first choice begins with: another one for another crowd, so that hundreds of rooms that open together do not choose
 * again in the same tick. The same for the same crowd, so that a replay is described like what it replays.
 */
function firstAgeIn({ min }: Box): number {
  return new Uint32Array(Float64Array.of(min[0] + min[1]).buffer)[0] % MAX_AGE;
}

/**
 * The cell of a coordinate along one axis, 0 to count - 1: never decreases as the coordinate increases. The same as
 * in the kernels.
 */
function clampedCell(coordinate: number, origin: number, inverse: number, count: number): number {
  const cell = (coordinate - origin) * inverse;
  return cell <= 0 ? 0 : cell >= count - 1 ? count - 1 : Math.trunc(cell);
}
