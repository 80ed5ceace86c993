// Searches the index of markers around the current watcher: part of seat-search.ts. ../layouts/seat-search.ts has the layout.
import { BOX, CIRCLE, RATIO_X, RATIO_Y, RATIO_Z } from '../layouts/perception';
import * as words from '../layouts/seat-search';
import { clampedCell, column, floatAt, numberAt, word, wordAt } from './job';
import {
  Floats, Mask, WIDTH, add, allFloats, bitsOf, floatsAt, isAtMost, mul, raised, sub, wordsAt,
} from './lanes';
import { slackOutside, stir } from './seat-calm';
import { addNewcomer, count, ranks, slots as candidates } from './seat-candidates';
import { keepFirst } from './seat-order';
import {
  is3D, isMixed, longestReach, meets, now, plainSensesAt, rankAt, sensesAt, serial, shape, stamps, standAt, watcherChannel, watcherSees, watcherX, watcherY, watcherZ, weightOf,
  weights, weightsOf,
} from './seat-watcher';
import { squaredOf } from './perception';

/** What rounding may lose of lengths that are compared in float32. */
const SLACK: f64 = 1 + 1 / 262144;
const LEAST_LENGTH: f64 = 1e-18;
const LEAST_SQUARE: f64 = 1e-36;
const LEAST_RANK: f64 = 1e-44;
/** Newcomers beyond twice the wanted number, before the list is cut to that number. */
const SPARE: u32 = 64;
/** Entries of one run that are read before the newcomers are cut to the wanted number. */
const MOST_AT_ONCE: u32 = 256;
/** The square of the radius of a circle with one marker in it, if a cell of width 1 holds eight (grids/marker-grid.ts). */
const CIRCLE_SHARE: f64 = 1 / (8 * Math.PI);
/** If more are wanted, the newcomers are never cut. */
const MOST_WANTED: u32 = 1 << 28;

let slots: usize = 0;
let entriesX: usize = 0;
let entriesY: usize = 0;
let entriesZ: usize = 0;
let table: usize = 0;
let finer: usize = 0;
let finerGrids: usize = 0;
let grids: usize = 0;
let gridCount: u32 = 0;

/**
 * Whether the search goes on beyond the newcomers, to learn how near the other markers are. Results: no other candidate ranks better, and none
 * has a smaller weight; and how much any distance may change before another marker becomes a candidate.
 */
let isMeasuring: bool = false;
export let bestOther: f32 = Infinity;
export let leastWeight: f32 = 1;
export let slackOfOthers: f64 = Infinity;

// How far from the watcher the current grid is searched.
let halfX: f64 = 0;
let halfY: f64 = 0;
let halfZ: f64 = 0;
let limit: f32 = 0;
/** Up to which rank markers are looked at. */
let lookLimit: f32 = 0;
/**
 * With weights: how far away a marker of weight 1 may matter by its rank, squared; infinite if ranks do not limit the search.
 */
let rankSquare: f32 = Infinity;
/** Scratch: entries that are near enough and not in the row. */
let list: usize = 0;
let isPlain: bool = false;
/** A marker that ranks after this is not a newcomer; with an equal rank, one with a greater slot. */
let rankLimit: f32 = 0;
let slotLimit: u32 = 0;
/** The index of the first newcomer; and the number of candidates at which newcomers are cut to the wanted number. */
let firstNew: u32 = 0;
let cutAt: u32 = 0;
let wanted: u32 = 0;
/** Whether entries are visited for leapers, not for seats. */
let isStirring: bool = false;
/** How many entries were read to find the watchers that leapers affect. */
export let stirred: u32 = 0;

export function openIndex(job: usize): void {
  slots = column(job, words.ENTRY_SLOT);
  entriesX = column(job, words.ENTRY_X);
  entriesY = column(job, words.ENTRY_Y);
  entriesZ = column(job, words.ENTRY_Z);
  table = column(job, words.TABLE);
  finer = column(job, words.FINER);
  finerGrids = column(job, words.FINER_GRIDS);
  grids = column(job, words.GRIDS);
  gridCount = word(job, words.GRID_COUNT);
  list = column(job, words.RUN);
}

/** A first guess of how far the nearest `wanted` markers are, from the size of the smallest cells at the watcher's position. Above 0, so that it can grow. */
export function guessedReach(wanted: u32): f32 {
  let most: f64 = 0;
  for (let g: u32 = 0; g < gridCount; g++) {
    const grid = gridAt(g);
    if (!hasSeen(grid)) continue;
    const own: u32 = numberAt(grid, words.GRID_HAS_FINER) == 0 ? 0 : wordAt(finer, cellHere(grid));
    most = max(most, numberAt(own == 0 ? grid : finerGridAt(own), words.GRID_INVERSE));
  }
  return <f32>max(LEAST_LENGTH, Math.sqrt(<f64>wanted * CIRCLE_SHARE) / most);
}

/** The cell of a grid at the watcher's position. */
function cellHere(grid: usize): u32 {
  const inverse = numberAt(grid, words.GRID_INVERSE);
  const width = <u32>numberAt(grid, words.GRID_WIDTH);
  const height = <u32>numberAt(grid, words.GRID_HEIGHT);
  const x = clampedCell(<f64>watcherX, numberAt(grid, words.GRID_ORIGIN), inverse, width);
  const y = clampedCell(<f64>watcherY, numberAt(grid, words.GRID_ORIGIN + 1), inverse, height);
  const z = clampedCell(<f64>watcherZ, numberAt(grid, words.GRID_ORIGIN + 2), inverse, is3D ? <u32>numberAt(grid, words.GRID_DEPTH) : 1);
  const band = watcherChannel & <u32>numberAt(grid, words.GRID_BAND_MASK);
  return <u32>numberAt(grid, words.GRID_FIRST_CELL) + band * <u32>numberAt(grid, words.GRID_BAND_CELLS) + (z * height + y) * width + x;
}

/** The grid that a dense cell has of its own. */
@inline
function finerGridAt(own: u32): usize {
  return finerGrids + <usize>(own - 1) * (words.GRID_NUMBERS << 3);
}

/**
 * Adds all newcomers that are perceived and rank no worse than `worst`. Those that come after the first `most` may be omitted. `beyond`: up
 * to which rank the other candidates are looked at, if that is more than `worst`.
 */
export function search(worst: f32, beyond: f32, most: u32): void {
  rankLimit = worst;
  slotLimit = u32.MAX_VALUE;
  firstNew = count;
  wanted = most;
  cutAt = firstNew + 2 * min(most, MOST_WANTED) + SPARE;
  isStirring = false;
  isMeasuring = beyond > worst;
  lookLimit = max(beyond, worst);
  bestOther = Infinity;
  leastWeight = 1;
  // Without measuring, a marker that is near but not perceived, or far for its small weight, is passed over. A plain one is neither.
  slackOfOthers = isMeasuring || (!isMixed && weights == 0) ? Infinity : 0;
  for (let g: u32 = 0; g < gridCount; g++) searchGrid(g);
}

/** Visits all entries within `radius` of the current position: see `stir` in seat-calm.ts. */
export function stirAround(radius: f64): void {
  const line = radius * SLACK + LEAST_LENGTH;
  limit = <f32>(line * line * SLACK + LEAST_SQUARE);
  setHalves(line);
  isStirring = true;
  for (let g: u32 = 0; g < gridCount; g++) {
    const grid = gridAt(g);
    if (numberAt(grid, words.GRID_MEMBERS) > 0) searchBands(grid, 0);
  }
}

function setHalves(line: f64): void {
  halfX = line;
  halfY = line;
  halfZ = line;
}

@inline
function gridAt(g: u32): usize {
  return grids + <usize>g * (words.GRID_NUMBERS << 3);
}

@inline
function isPlainGrid(g: u32): bool {
  return numberAt(gridAt(g), words.GRID_IS_PLAIN) != 0;
}

/** Whether a grid has members, some on a layer that the watcher sees. */
@inline
function hasSeen(grid: usize): bool {
  return numberAt(grid, words.GRID_MEMBERS) > 0 && (watcherSees & <u32>numberAt(grid, words.GRID_LAYERS)) != 0;
}

/** The longest reach for any member of a grid. */
function reachIn(grid: usize): f32 {
  const reach = longestReach(<f32>numberAt(grid, words.GRID_MAX_GAIN), <f32>numberAt(grid, words.GRID_MAX_MIN_REACH));
  return min(reach, <f32>numberAt(grid, words.GRID_MAX_MAX_REACH));
}

/** The same for any marker. */
export function farthestReach(): f32 {
  let farthest: f32 = 0;
  for (let g: u32 = 0; g < gridCount; g++) if (hasSeen(gridAt(g))) farthest = max(farthest, reachIn(gridAt(g)));
  return farthest;
}

function searchGrid(g: u32): void {
  const grid = gridAt(g);
  if (!hasSeen(grid)) return;
  isPlain = isPlainGrid(g);
  const reach = <f64>reachIn(grid);
  if (reach == 0) return;
  // A marker of weight 0 has an infinite rank, wherever it is.
  const maxWeight = numberAt(grid, words.GRID_MAX_WEIGHT);
  const byRank = lookLimit == Infinity ? Infinity : (<f64>lookLimit + LEAST_RANK) * maxWeight;
  let line = reach;
  halfX = reach;
  halfY = reach;
  halfZ = reach;
  if (shape != CIRCLE) {
    if (shape == BOX) {
      halfX = reach * <f64>floatAt(now, RATIO_X);
      halfY = reach * <f64>floatAt(now, RATIO_Y);
    }
    halfZ = reach * <f64>floatAt(now, RATIO_Z);
    line = sqrt<f64>(halfX * halfX + halfY * halfY + (is3D ? halfZ * halfZ : 0));
  }
  line = min(line, byRank);
  halfX = min(halfX, byRank);
  halfY = min(halfY, byRank);
  halfZ = min(halfZ, byRank);
  // Markers farther than that are not looked at.
  if (maxWeight > 0) {
    bestOther = min(bestOther, <f32>(line / maxWeight / SLACK));
    leastWeight = min(leastWeight, <f32>maxWeight);
  }
  limit = <f32>(line * line * SLACK + LEAST_SQUARE);
  rankSquare = Infinity;
  if (maxWeight > 1) {
    const byRankOnly = <f64>lookLimit + LEAST_RANK;
    rankSquare = <f32>(byRankOnly * byRankOnly * SLACK + LEAST_SQUARE);
  }
  halfX = halfX * SLACK + LEAST_LENGTH;
  halfY = halfY * SLACK + LEAST_LENGTH;
  halfZ = halfZ * SLACK + LEAST_LENGTH;
  searchBands(grid, watcherChannel);
}

/** Searches the cells of a channel; of all bands for channel 0, which meets all. */
function searchBands(grid: usize, channel: u32): void {
  const hasFiner = numberAt(grid, words.GRID_HAS_FINER) != 0;
  const mask = <u32>numberAt(grid, words.GRID_BAND_MASK);
  const cells = <u32>numberAt(grid, words.GRID_BAND_CELLS);
  const first = <u32>numberAt(grid, words.GRID_FIRST_CELL);
  const to = channel == 0 ? mask : channel & mask;
  for (let band = channel & mask; band <= to; band++) searchCells(grid, first + band * cells, hasFiner);
}

function searchCells(grid: usize, first: u32, hasFiner: bool): void {
  const inverse = numberAt(grid, words.GRID_INVERSE);
  const width = <u32>numberAt(grid, words.GRID_WIDTH);
  const height = <u32>numberAt(grid, words.GRID_HEIGHT);
  const originX = numberAt(grid, words.GRID_ORIGIN);
  const originY = numberAt(grid, words.GRID_ORIGIN + 1);
  const x = <f64>watcherX;
  const y = <f64>watcherY;
  const fromX = clampedCell(x - halfX, originX, inverse, width);
  const toX = clampedCell(x + halfX, originX, inverse, width);
  const fromY = clampedCell(y - halfY, originY, inverse, height);
  const toY = clampedCell(y + halfY, originY, inverse, height);
  let fromZ: u32 = 0;
  let toZ: u32 = 0;
  if (is3D) {
    const originZ = numberAt(grid, words.GRID_ORIGIN + 2);
    const depth = <u32>numberAt(grid, words.GRID_DEPTH);
    fromZ = clampedCell(<f64>watcherZ - halfZ, originZ, inverse, depth);
    toZ = clampedCell(<f64>watcherZ + halfZ, originZ, inverse, depth);
  }
  for (let cellZ = fromZ; cellZ <= toZ; cellZ++) {
    for (let cellY = fromY; cellY <= toY; cellY++) {
      const cells = first + (cellZ * height + cellY) * width;
      if (!hasFiner) searchRun(wordAt(table, cells + fromX), wordAt(table, cells + toX + 1));
      else searchWithFiner(cells + fromX, cells + toX);
    }
  }
}

/** Adjacent cells, some of which may have finer grids of their own. */
function searchWithFiner(from: u32, to: u32): void {
  let begin = wordAt(table, from);
  for (let cell = from; cell <= to; cell++) {
    const own = wordAt(finer, cell);
    if (own == 0) continue;
    searchRun(begin, wordAt(table, cell));
    const grid = finerGridAt(own);
    searchCells(grid, <u32>numberAt(grid, words.GRID_FIRST_CELL), false);
    begin = wordAt(table, cell + 1);
  }
  searchRun(begin, wordAt(table, to + 1));
}

@inline
function areWithin(i: u32, fromX: Floats, fromY: Floats, fromZ: Floats, most: Floats): Mask {
  return isAtMost(squaresAt(i, fromX, fromY, fromZ), most);
}

/** The squared distance of one entry from the watcher. */
@inline
function squareAt(i: u32): f32 {
  const at = <usize>i << 2;
  const dz: f32 = is3D ? load<f32>(entriesZ + at) - watcherZ : 0;
  return squaredOf(load<f32>(entriesX + at) - watcherX, load<f32>(entriesY + at) - watcherY, dz);
}

/** The squared distances of entries from the watcher. */
@inline
function squaresAt(i: u32, fromX: Floats, fromY: Floats, fromZ: Floats): Floats {
  const at = <usize>i << 2;
  const dx = sub(floatsAt(entriesX + at), fromX);
  const dy = sub(floatsAt(entriesY + at), fromY);
  const squared = add(mul(dx, dx), mul(dy, dy));
  if (!is3D) return squared;
  const dz = sub(floatsAt(entriesZ + at), fromZ);
  return add(squared, mul(dz, dz));
}

function stirRun(begin: u32, end: u32): void {
  stirred += end - begin;
  const x = watcherX;
  const y = watcherY;
  const z = watcherZ;
  for (let i = begin; i < end; i++) if (squareAt(i) <= limit && stir(wordAt(slots, i))) standAt(x, y, z);
}

function searchRun(begin: u32, end: u32): void {
  if (isStirring) {
    stirRun(begin, end);
    return;
  }
  for (let from = begin; from < end; ) {
    const to = min(end, from + MOST_AT_ONCE);
    searchPart(from, to);
    from = to;
    // All newcomers found are at the watcher's own point: only a marker with a smaller slot can come before them.
    if (isPlain && rankLimit == 0 && !isMeasuring) while (from < end && wordAt(slots, from) > slotLimit) from++;
  }
}

function searchPart(begin: u32, end: u32): void {
  const fromX = allFloats(watcherX);
  const fromY = allFloats(watcherY);
  const most = allFloats(limit);
  const fromZ = allFloats(watcherZ);
  let found = list;
  for (let i = begin; i < end; i += WIDTH) {
    let hits = bitsOf(areWithin(i, fromX, fromY, fromZ, most));
    if (hits == 0) continue;
    if (end - i < WIDTH) hits &= (1 << (end - i)) - 1;
    else if (rankSquare < Infinity) hits &= bitsOf(mayRank(i, fromX, fromY, fromZ));
    // Stored whether or not it is a newcomer: a branch would be mispredicted.
    for (let lane: u32 = 0; lane < WIDTH; lane++) {
      const isHit = (hits >>> lane) & 1;
      store<u32>(found, i + lane);
      // The words after the end may hold anything.
      const isKnown = <u32>(wordAt(stamps, wordAt(slots, i + lane) * isHit) == serial);
      found += <usize>(isHit & ~isKnown) << 2;
    }
  }
  for (let at = list; at < found; at += 4) hit(load<u32>(at));
}

/** Which of these entries are near enough for their weights. */
@inline
function mayRank(i: u32, fromX: Floats, fromY: Floats, fromZ: Floats): Mask {
  const most = raised(weightsOf(wordsAt(slots + (<usize>i << 2))), allFloats(1));
  return areWithin(i, fromX, fromY, fromZ, mul(mul(most, most), allFloats(rankSquare)));
}

function hit(i: u32): void {
  const slot = wordAt(slots, i);
  const at = <usize>i << 2;
  const dx = load<f32>(entriesX + at) - watcherX;
  const dy = load<f32>(entriesY + at) - watcherY;
  const dz: f32 = is3D ? load<f32>(entriesZ + at) - watcherZ : 0;
  const squared = squaredOf(dx, dy, dz);
  const distance: f32 = Mathf.sqrt(squared);
  const rank = rankAt(slot, distance);
  const mayEnter = rank < rankLimit || (rank == rankLimit && slot <= slotLimit);
  if (!mayEnter && !isMeasuring) return;
  if (!isPlain && !meets(slot)) return;
  const senses = isPlain ? plainSensesAt(dx, dy, dz, squared) : sensesAt(slot, dx, dy, dz, squared);
  if (senses == 0) {
    if (isMeasuring) slackOfOthers = min(slackOfOthers, slackOutside(slot, distance));
  } else if (mayEnter) {
    addNewcomer(slot, rank, squared, senses);
    if (count == cutAt) cutNewcomers();
  } else {
    bestOther = min(bestOther, rank);
    const weight = weightOf(slot);
    if (weight > 0) leastWeight = min(leastWeight, weight);
  }
}

/** Many markers are in one place: those that come after enough others need not be read. */
function cutNewcomers(): void {
  const last = keepFirst(firstNew, wanted);
  rankLimit = floatAt(ranks, last);
  bestOther = min(bestOther, rankLimit);
  if (weights != 0) slackOfOthers = 0;
  slotLimit = wordAt(candidates, last);
}
