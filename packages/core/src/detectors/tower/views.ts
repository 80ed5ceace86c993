/**
 * Converts a reach to a number of cells, in levels: level n is the window of cells that a reach of n cells can see
 * into.
 *
 * Problem: watchers see unequally far. For each watcher the cells in view are needed, and for each cell the watchers
 * that have it in view. Method: reaches are rounded up to whole cells. A level is a window with the same number of
 * cells on each side. The windows are nested: the cells of level n are those of level n - 1 and one more ring, and
 * all offsets are kept in one list, ring after ring. If cells are longer on one axis than on another, the shortest
 * edge sets the step. A reach beyond the last level has no window.
 *
 * Memory: 12 bytes an offset, at most 69,000 of them. Cost: a level is found in a few operations a level.
 */
import { cellsWithin } from '../../entities/perception.ts';
import type { WorldSettings } from '../../settings.ts';
import { eachAxis, type Triple, WINDOW_SLACK } from '../cells/cell-fit.ts';
import { reachRatios } from '../pairs/reach-norm.ts';

/** Maximum number of levels, by dimensions: 257 x 257, and 41 x 41 x 41 cells. */
export const MOST_LEVELS: Readonly<Record<2 | 3, number>> = { 2: 128, 3: 20 };

export class Views {
  /** Number of levels; level 0 sees nothing. */
  readonly count: number;
  /** Offsets of cells, x y z by three, ring after ring; ring n begins at `ringStart[n]`, counted in offsets. */
  readonly offsets: Int32Array;
  readonly ringStart: Int32Array;
  readonly #settings: WorldSettings;
  readonly #sizes: Triple;
  readonly #ratios: Triple;
  /** By axis, then by distance in cells: the lowest level that sees this far. */
  readonly #levels: readonly [Uint8Array, Uint8Array, Uint8Array];

  constructor(settings: WorldSettings, sizes: Triple, count: number) {
    this.count = count;
    this.#settings = settings;
    this.#sizes = sizes;
    this.#ratios = reachRatios(settings);
    const [wide, high, deep] = extentOfLevel(settings, sizes, count);
    this.#levels = [this.#levelsOn(0, wide), this.#levelsOn(1, high), this.#levelsOn(2, deep)];
    const rings: number[][] = Array.from({ length: count + 1 }, () => []);
    for (let z = -deep; z <= deep; z++) {
      for (let y = -high; y <= high; y++) {
        for (let x = -wide; x <= wide; x++) rings[this.levelAt(x, y, z)].push(x, y, z);
      }
    }
    this.offsets = Int32Array.from(rings.flat());
    this.ringStart = new Int32Array(count + 2);
    for (let level = 0; level <= count; level++) {
      this.ringStart[level + 1] = this.ringStart[level] + rings[level].length / 3;
    }
  }

  /** The lowest level that sees as far as `reach`, world units; one beyond the last if none does. */
  levelFor(reach: number): number {
    if (!(reach > 0)) return 0;
    const x = this.#cellsFor(reach, 0);
    const y = this.#cellsFor(reach, 1);
    const z = this.#settings.dimensions === 3 ? this.#cellsFor(reach, 2) : 0;
    return this.levelAt(x, y, z);
  }

  /** The lowest level whose window holds a cell at this offset; one beyond the last if none does. */
  levelAt(x: number, y: number, z: number): number {
    const [levelsX, levelsY, levelsZ] = this.#levels;
    const awayX = Math.abs(x);
    const awayY = Math.abs(y);
    const awayZ = Math.abs(z);
    if (awayX >= levelsX.length || awayY >= levelsY.length || awayZ >= levelsZ.length) return this.count + 1;
    return Math.max(levelsX[awayX], levelsY[awayY], levelsZ[awayZ]);
  }

  #levelsOn(axis: 0 | 1 | 2, extent: number): Uint8Array {
    let level = 1;
    return Uint8Array.from({ length: extent + 1 }, (_, away) => {
      while (extentOfLevel(this.#settings, this.#sizes, level)[axis] < away) level++;
      return level;
    });
  }

  #cellsFor(reach: number, axis: 0 | 1 | 2): number {
    const size = this.#sizes[axis];
    if (this.#settings.granularity === 'cell') return cellsWithin(this.#settings, reach, size);
    return Math.ceil((reach * this.#ratios[axis] * WINDOW_SLACK) / size);
  }
}

/** Number of cells on each side in view at a level; -1 for none, 0 on an axis that the world lacks. */
export function extentOfLevel(settings: WorldSettings, sizes: Triple, level: number): Triple {
  const reach = level * stepOf(settings, sizes);
  const ratios = reachRatios(settings);
  return eachAxis(sizes, (size, axis) => {
    if (level === 0) return -1;
    if (axis === 2 && settings.dimensions === 2) return 0;
    // A whole number must stay whole, despite rounding in the divisions.
    return Math.ceil(((reach * ratios[axis]) / size) * (1 - 2 ** -40));
  });
}

/** The longest reach for which this many levels suffice, world units. */
export function reachOfLevels(settings: WorldSettings, sizes: Triple, levels: number): number {
  return ((levels * stepOf(settings, sizes)) / WINDOW_SLACK) * (1 - 2 ** -22);
}

/** The number of levels that suffice for a reach; at least 1. */
export function levelsForReach(settings: WorldSettings, sizes: Triple, reach: number): number {
  return Math.max(1, Math.ceil((reach / stepOf(settings, sizes)) * WINDOW_SLACK * (1 + 2 ** -21)));
}

/** The reach that adds a level: the smallest over the axes. */
export function stepOf(settings: WorldSettings, sizes: Triple): number {
  const ratios = reachRatios(settings);
  const inPlane = Math.min(sizes[0] / ratios[0], sizes[1] / ratios[1]);
  return settings.dimensions === 3 ? Math.min(inPlane, sizes[2] / ratios[2]) : inPlane;
}
