/**
 * When a grid of the sweep is folded, and how far.
 *
 * Cells for all of a wide land, few enough for its members, may be so wide that a town in it lies in one of them: then each tests all others
 * there. So if most of a sample share their cells with many, positions are folded into a grid whose cells are as narrow as wanted
 * (kernels/wasm/sweep-folds.ts). Those that come to lie above each other are tested in vain: on average as few as there are in a cell.
 * A grid is folded only if the sample has fewer neighbours then: in an even crowd there is nothing to win. It affects speed, never results.
 *
 * Cost: two looks at a sample when grids are chosen, where cells are wider than wanted. A large window in a folded grid may hold all of it.
 */
import { SEARCH_SLACK } from '../../entities/reach-limits.ts';
import * as job from '../../kernels/layouts/sweep-job.ts';

/** For tests. */
export const foldShares = {
  /** Cells that are wider than wanted are no loss if fewer than so many others share one. */
  fewMates: 8,
  /** A grid is folded if that leaves this many times fewer. */
  gain: 2,
};
/** Where two axes are folded, they get unlike numbers of cells, so that a road that runs askew is folded over many of them. */
const TILT = 0.8;

/** A coordinate as it lies in a grid, whose record begins at `g`: as in kernels/wasm/sweep-folds.ts. */
export function foldedAt(f64: Float64Array, g: number, axis: number, coordinate: number): number {
  const period = f64[g + job.GRID_PERIOD + axis];
  if (period === 0) return coordinate;
  const origin = f64[g + job.GRID_ORIGIN + axis];
  const from = coordinate - origin;
  return origin + Math.abs(from - period * Math.floor(from * f64[g + job.GRID_INVERSE_PERIOD + axis] + 0.5));
}

/** A span in a grid that contains all coordinates of a span as they lie in it. */
export function foldedSpan(
  f64: Float64Array,
  g: number,
  axis: number,
  min: number,
  max: number,
): readonly [low: number, high: number] {
  if (f64[g + job.GRID_PERIOD + axis] === 0) return [min, max];
  const half = (max - min) / 2;
  if (!Number.isFinite(half)) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const rounding = f64[g + job.GRID_EDGE_SLACK] + Math.max(Math.abs(min), Math.abs(max)) * 2 ** -44;
  const middle = foldedAt(f64, g, axis, min + half);
  return [middle - half * SEARCH_SLACK - rounding, middle + half * SEARCH_SLACK + rounding];
}

/** How many cells a folded grid has by axis, at most `limit` in all. `counts`: those that would reach over all. */
export function foldedCounts(counts: readonly number[], limit: number): number[] {
  const found = [1, 1, 1];
  let left = limit;
  const axes = [0, 1, 2].filter((axis) => counts[axis] > 1).sort((one, other) => counts[one] - counts[other]);
  for (const [i, axis] of axes.entries()) {
    const axesLeft = axes.length - i;
    const share = axesLeft === 1 ? left : left ** (1 / axesLeft) * TILT;
    found[axis] = Math.max(1, Math.min(counts[axis], Math.floor(share)));
    left /= found[axis];
  }
  return found;
}

/** How many others are in the same cell as a member of a sample, on average; NaN without any. `cells`: those of the sample. */
export function matesAmong(cells: readonly number[]): number {
  const counts = new Map<number, number>();
  let pairs = 0;
  for (const cell of cells) {
    const others = counts.get(cell) ?? 0;
    pairs += 2 * others;
    counts.set(cell, others + 1);
  }
  return pairs / cells.length;
}
