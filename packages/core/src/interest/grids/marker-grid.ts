/**
 * One grid of the index of markers: where it lies, how large its cells are, and how far its members may matter.
 *
 * The grid covers the middle of its members, estimated from a sample. Members outside are put into border cells, so that one far
 * outlier neither enlarges the grid nor slows it. The cell size is chosen for some eight members a cell. All of this affects
 * speed, never results.
 */
import { evenly } from '../../columns.ts';
import { chooseBands } from '../../entities/channel-bands.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import * as job from '../../kernels/layouts/seat-search.ts';

const MEMBERS_OF_CELL = 8;
const SAMPLE = 512;
/** Share of the sample on each side that lies outside the middle. */
const OUTSIDE = 0.01;
/** If the grid is long and thin, there may be this many times as many cells as wanted. */
const MOST_CELLS = 2;

export class MarkerGrid {
  readonly members: number;
  firstCell: number;
  /** Number of cells. */
  readonly cells: number;
  isPlain = false;
  hasFiner = false;
  #maxGain = 1;
  #maxMinReach = 0;
  #maxMaxReach = Number.POSITIVE_INFINITY;
  #maxWeight = 1;
  #layers = 1;
  readonly #origin = [0, 0, 0];
  readonly #counts = [1, 1, 1];
  readonly #inverse: number;
  /** Number of bands, see kernels/layouts/seat-search.ts. */
  readonly #bands: number;

  /**
   * For members (slots) at their present positions. `isMiddle`: whether far outliers are left out of the grid's extent. `bands`: at most so
   * many, a power of two.
   */
  constructor(store: EntityStore, slots: Uint32Array, firstCell: number, isMiddle: boolean, bands = 1) {
    const { now, settings } = store;
    this.members = slots.length;
    this.firstCell = firstCell;
    const columns = settings.dimensions === 3 ? [now.x, now.y, now.z] : [now.x, now.y];
    const extents = columns.map((column, axis) => {
      const [low, high] = isMiddle ? middleOf(column, slots) : boundsOf(column, slots);
      this.#origin[axis] = low;
      return high - low;
    });
    const all = Math.max(1, slots.length / MEMBERS_OF_CELL);
    this.#bands = Math.min(bands, 2 ** Math.floor(Math.log2(all)));
    const wanted = all / this.#bands;
    const wide = extents.filter((extent) => extent > 0);
    // Extents far below the precision of the coordinates count as 0.
    const content = wide.reduce((product, extent) => product * extent, 1);
    let size = wide.length === 0 ? 1 : (content / wanted) ** (1 / wide.length);
    if (!(size > 0)) size = Math.max(...extents, Number.MIN_VALUE);
    for (; ; size *= 1.25) {
      extents.forEach((extent, axis) => {
        this.#counts[axis] = Math.max(1, Math.ceil(extent / size));
      });
      if (this.#counts[0] * this.#counts[1] * this.#counts[2] <= MOST_CELLS * wanted) break;
    }
    this.#inverse = 1 / size;
    this.cells = this.#bands * this.#counts[0] * this.#counts[1] * this.#counts[2];
  }

  /** Computes upper bounds of its members' gains, minReaches, maxReaches and weights, and all of their layers. */
  findBounds({ now }: EntityStore, slots: Uint32Array): void {
    this.#maxGain = 0;
    this.#maxMaxReach = 0;
    this.#maxWeight = 0;
    this.#layers = 0;
    for (const slot of slots) {
      for (let s = 0; s < now.gains.length; s++) {
        this.#maxGain = Math.max(this.#maxGain, now.gains[s].at(slot));
        this.#maxMinReach = Math.max(this.#maxMinReach, now.minReaches[s].at(slot));
        this.#maxMaxReach = Math.max(this.#maxMaxReach, now.maxReaches[s].at(slot));
      }
      this.#maxWeight = Math.max(this.#maxWeight, now.weights.at(slot));
      this.#layers |= now.layers.at(slot);
    }
  }

  /** Writes its numbers into a column, from index `at` on: see kernels/layouts/seat-search.ts. */
  write(numbers: Float64Array, at: number): void {
    numbers.set(this.#origin, at + job.GRID_ORIGIN);
    numbers[at + job.GRID_INVERSE] = this.#inverse;
    numbers.set(this.#counts, at + job.GRID_WIDTH);
    numbers[at + job.GRID_FIRST_CELL] = this.firstCell;
    numbers[at + job.GRID_MEMBERS] = this.members;
    numbers[at + job.GRID_MAX_GAIN] = this.#maxGain;
    numbers[at + job.GRID_MAX_MIN_REACH] = this.#maxMinReach;
    numbers[at + job.GRID_MAX_MAX_REACH] = this.#maxMaxReach;
    numbers[at + job.GRID_MAX_WEIGHT] = this.#maxWeight;
    numbers[at + job.GRID_IS_PLAIN] = this.isPlain ? 1 : 0;
    numbers[at + job.GRID_HAS_FINER] = this.hasFiner ? 1 : 0;
    numbers[at + job.GRID_BAND_MASK] = this.#bands - 1;
    numbers[at + job.GRID_BAND_CELLS] = this.cells / this.#bands;
    numbers[at + job.GRID_LAYERS] = this.#layers >>> 0;
  }
}

/** How many bands to divide the cells of markers in channels into. `reach`: how far seats are searched for at most; world units. */
export function bandsFor(store: EntityStore, slots: Uint32Array, reach: number): number {
  const { now, settings } = store;
  if (now.channels.column === undefined) return 1;
  const columns = settings.dimensions === 3 ? [now.x, now.y, now.z] : [now.x, now.y];
  const room = columns.reduce((product, column) => {
    const [low, high] = middleOf(column, slots);
    return product * (high - low);
  }, MEMBERS_OF_CELL / slots.length);
  return chooseBands(store, slots, slots.length, reach, (bands) => (room * bands) ** (1 / columns.length));
}

function middleOf(column: Float32Array, slots: Uint32Array): [low: number, high: number] {
  if (slots.length === 0) return [0, 0];
  const sorted = Float64Array.from(evenly(slots, SAMPLE), (slot) => column[slot]).sort();
  const cut = Math.floor(sorted.length * OUTSIDE);
  return [sorted[cut], sorted[sorted.length - 1 - cut]];
}

function boundsOf(column: Float32Array, slots: Uint32Array): [low: number, high: number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < slots.length; i++) {
    const value = column[slots[i]];
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
