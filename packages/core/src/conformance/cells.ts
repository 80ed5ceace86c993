/**
 * Perception by cells (granularity 'cell'), written as plainly as the contract.
 *
 * The cell of a coordinate is floor(x / size) in float64, with a float32 size for each axis. A reach is converted to a
 * number of cells on each side of the watcher's own cell, and the marker's cell must be among them on every axis.
 * No code is shared with the engine. Cost: a few operations a pair.
 */
import type { WorldOptions } from '../index.ts';

type Sizes = readonly [x: number, y: number, z: number];
type Place = { readonly x: number; readonly y: number; readonly z: number };

/** How a world perceives by cells. */
export interface Cells {
  /** World units, float32. */
  readonly sizes: Sizes;
  /** How many cells on each side a watcher perceives at most: 1 with 'nine-grid'. */
  readonly most: number;
  /** Whether only cells count that the reach covers completely. */
  readonly isRoundedDown: boolean;
}

/** `undefined`: perception is exact. */
export function cellsOf(options: WorldOptions): Cells | undefined {
  if (options.granularity !== 'cell') return undefined;
  const { cellSize = 1, cellRounding, detector } = options;
  const [x, y, z = x] = typeof cellSize === 'number' ? [cellSize, cellSize, cellSize] : cellSize;
  return {
    sizes: [Math.fround(x), Math.fround(y), Math.fround(z)],
    most: detector === 'nine-grid' ? 1 : Number.POSITIVE_INFINITY,
    isRoundedDown: cellRounding === 'down',
  };
}

/** Whether a reach above 0 includes the marker's cell. */
export function isInCells(
  watcher: Place,
  marker: Place,
  reach: number,
  cells: Cells,
  isFlat: boolean,
): boolean {
  const axes = isFlat ? (['x', 'y'] as const) : (['x', 'y', 'z'] as const);
  return axes.every((axis, i) => {
    const size = cells.sizes[i] as number;
    const apart = Math.abs(Math.floor(marker[axis] / size) - Math.floor(watcher[axis] / size));
    const covered = Math.fround(reach / size);
    return apart <= Math.min(cells.most, cells.isRoundedDown ? Math.floor(covered) : Math.ceil(covered));
  });
}
