// Where leapers are, so that rows far from all of them need not be read. Part of seat-search.ts.
//
// A grid of counts, summed from its corner: how many leapers are in a box follows from four of the sums.
import { RANGES } from '../layouts/perception';
import * as words from '../layouts/seat-search';
import { clampedCell, column, floatAt, setWord, wordAt } from './job';
import { farthestLeastReach, now, prominenceOf, senseCount, shapeExtent, xs, ys } from './seat-watcher';

/** Cells for each leaper, and bounds of the number of columns. */
const CELLS: f64 = 16;
const FEWEST: f64 = 64;
const MOST: f64 = <f64>words.LEAPER_COLUMNS;
/** What rounding may lose. */
const WIDER: f64 = 1 + 1 / 65536;

let sums: usize = 0;
let columns: u32 = 0;
let originX: f64 = 0;
let originY: f64 = 0;
let farX: f64 = 0;
let farY: f64 = 0;
let inverseX: f64 = 0;
let inverseY: f64 = 0;
let greatestGain: f32 = 1;
let greatestLeast: f32 = 0;

/** Counts the listed leapers at their present places. */
export function placeLeapers(job: usize, leapers: usize, count: u32): void {
  sums = column(job, words.LEAPER_SUMS);
  if (sums == 0) return;
  columns = <u32>min(MOST, max(FEWEST, sqrt(CELLS * <f64>count)));
  originX = Infinity;
  originY = Infinity;
  farX = -Infinity;
  farY = -Infinity;
  greatestGain = 1;
  greatestLeast = 0;
  for (let i: u32 = 0; i < count; i++) {
    const slot = wordAt(leapers, i);
    originX = min(originX, <f64>floatAt(xs, slot));
    originY = min(originY, <f64>floatAt(ys, slot));
    farX = max(farX, <f64>floatAt(xs, slot));
    farY = max(farY, <f64>floatAt(ys, slot));
    greatestGain = max(greatestGain, prominenceOf(slot));
    greatestLeast = max(greatestLeast, farthestLeastReach(slot));
  }
  inverseX = <f64>columns / max(farX - originX, 1e-30);
  inverseY = <f64>columns / max(farY - originY, 1e-30);
  // One row and one column more than there are cells: the first ones are 0.
  const width = columns + 1;
  memory.fill(sums, 0, <usize>(width * width) << 2);
  for (let i: u32 = 0; i < count; i++) {
    const slot = wordAt(leapers, i);
    const at = (rowOf(<f64>floatAt(ys, slot)) + 1) * width + columnOf(<f64>floatAt(xs, slot)) + 1;
    setWord(sums, at, wordAt(sums, at) + 1);
  }
  for (let y: u32 = 1; y < width; y++) {
    let inRow: u32 = 0;
    for (let x: u32 = 1; x < width; x++) {
      inRow += wordAt(sums, y * width + x);
      setWord(sums, y * width + x, inRow + wordAt(sums, (y - 1) * width + x));
    }
  }
}

@inline
function columnOf(x: f64): u32 {
  return clampedCell(x, originX, inverseX, columns);
}

@inline
function rowOf(y: f64): u32 {
  return clampedCell(y, originY, inverseY, columns);
}

/** Whether a watcher may perceive any of the leapers, or seat it by its rank. */
export function mayPerceiveLeaper(slot: u32): bool {
  if (sums == 0) return true;
  let range: f32 = 0;
  for (let s = 0; s < senseCount; s++) {
    const own = column(now, RANGES + s);
    if (own != 0) range = max(range, floatAt(own, slot));
  }
  const half = <f64>(max(range * greatestGain, greatestLeast) * shapeExtent()) * WIDER;
  const x = <f64>floatAt(xs, slot);
  const y = <f64>floatAt(ys, slot);
  if (x + half < originX || x - half > farX || y + half < originY || y - half > farY) return false;
  const width = columns + 1;
  const left = columnOf(x - half);
  const right = columnOf(x + half) + 1;
  const low = rowOf(y - half) * width;
  const high = (rowOf(y + half) + 1) * width;
  return wordAt(sums, high + right) - wordAt(sums, high + left) != wordAt(sums, low + right) - wordAt(sums, low + left);
}
