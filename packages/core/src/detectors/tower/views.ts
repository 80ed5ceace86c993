/**
 * How many cells a reach covers, in levels: level n is the window of cells that n cells' worth of reach can see into.
 *
 * Problem: watchers see unequally far, and for each the cells in view must be named, and for each cell who has it in view.
 * Method: reaches are rounded up to whole cells. A level is a window of so many cells to each side; the windows nest, so
 * the cells of level n are those of level n - 1 and one ring more, and all offsets are kept in one list, ring after
 * ring. Where cells are longer on one axis than on another, the shortest sets the step. A reach beyond the last level is
 * not for windows.
 *
 * Memory: 12 bytes an offset, at most 69,000 of them. Cost: a level is found in a few operations a level.
 */
import { cellsWithin } from '../../entities/perception.ts';
import type { WorldSettings } from '../../settings.ts';
import { eachAxis, type Triple, WINDOW_SLACK } from '../cells/cell-fit.ts';
import { reachRatios } from '../cells/survey.ts';

/** Most levels, by dimensions: 257 x 257, and 41 x 41 x 41 cells. */
export const MOST_LEVELS: Readonly<Record<2 | 3, number>> = { 2: 128, 3: 20 };

export class Views {
  /** Levels; 0 is to see nothing. */
  readonly count: number;
  /** Offsets of cells, x y z by three, ring after ring; ring n begins at `ringStart[n]`, counted in offsets. */
  readonly offsets: Int32Array;
  readonly ringStart: Int32Array;
  readonly #settings: WorldSettings;
  readonly #sizes: Triple;
  readonly #ratios: Triple;
  /** By axis, then by cells away: the lowest level that sees so far. */
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

  /** The lowest level that sees as far as `reach`, world units; one beyond the last where none does. */
  levelFor(reach: number): number {
    if (!(reach > 0)) return 0;
    const x = this.#cellsFor(reach, 0);
    const y = this.#cellsFor(reach, 1);
    const z = this.#settings.dimensions === 3 ? this.#cellsFor(reach, 2) : 0;
    return this.levelAt(x, y, z);
  }

  /** The lowest level whose window holds a cell at this offset; one beyond the last where none does. */
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

/** Cells to each side in view at a level; -1 for none, 0 on an axis that the world lacks. */
export function extentOfLevel(settings: WorldSettings, sizes: Triple, level: number): Triple {
  const reach = level * stepOf(settings, sizes);
  const ratios = reachRatios(settings);
  return eachAxis(sizes, (size, axis) => {
    if (level === 0) return -1;
    if (axis === 2 && settings.dimensions === 2) return 0;
    // A whole number must stay one, whatever the divisions made of it.
    return Math.ceil(((reach * ratios[axis]) / size) * (1 - 2 ** -40));
  });
}

/** The longest reach for which so many levels are enough, world units. */
export function reachOfLevels(settings: WorldSettings, sizes: Triple, levels: number): number {
  return ((levels * stepOf(settings, sizes)) / WINDOW_SLACK) * (1 - 2 ** -22);
}

/** How many levels are enough for a reach; at least 1. */
export function levelsForReach(settings: WorldSettings, sizes: Triple, reach: number): number {
  return Math.max(1, Math.ceil((reach / stepOf(settings, sizes)) * WINDOW_SLACK * (1 + 2 ** -21)));
}

/** The reach that adds a level: that of the axis on which it goes least far. */
export function stepOf(settings: WorldSettings, sizes: Triple): number {
  const ratios = reachRatios(settings);
  const inPlane = Math.min(sizes[0] / ratios[0], sizes[1] / ratios[1]);
  return settings.dimensions === 3 ? Math.min(inPlane, sizes[2] / ratios[2]) : inPlane;
}
