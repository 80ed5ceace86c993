// Finds the watchers that may perceive what is pending, or did at the last tick: see ../layouts/near-watchers.ts, and
// ../../interest/grids/near-watchers.ts for the method. seat-due.ts finds those near a leaper in the same grids.
import { BOX, CIRCLE, DIMENSIONS, FLAGS, GAINS, MIN_REACHES, RATIO_X, RATIO_Y, RATIO_Z, SHAPE, X, Y, Z } from '../layouts/perception';
import * as words from '../layouts/near-watchers';
import * as grids from '../layouts/seat-search';
import { clampedCell, column, floatAt, numberAt, setWord, word, wordAt } from './job';
import { channelIn, greatestOf } from './perception';
import {
  EVERY_LANE, Floats, WIDTH, add, allFloats, bitsOf, either, firsts, floatsAt, highPairs, isAtLeast, isAtMost, lowPairs, lowered, mul, raised, seconds, sub, wordsAt,
} from './lanes';
import { isByRing, newX, newY, newZ, oldX, oldY, oldZ, rankShare, rings, stirRow } from './seat-calm';
import { sortWords } from './sort-words';

/** What rounding may lose. */
const SLACK: f64 = 1 + 1 / 65536;
const LEAST_LENGTH: f64 = 1e-18;
const TOO_MANY: u32 = words.TOO_MANY;

let job: usize = 0;
let is3D: bool = false;
/** Whether watchers are looked for around a leaper (seat-calm.ts), or listed. */
let isStirring: bool = false;
let marks: usize = 0;
let near: usize = 0;
let count: u32 = 0;
export let visits: u32 = 0;
/** The channels of what is searched around: at its two places. */
let channel: u32 = 0;
let otherChannel: u32 = 0;
// The box of the places of what is searched around: the present one, and that of the last tick.
let lowX: f64 = 0;
let lowY: f64 = 0;
let lowZ: f64 = 0;
let highX: f64 = 0;
let highY: f64 = 0;
let highZ: f64 = 0;
// Where the entries lie, and the box in which they are found.
let slots: usize = 0;
let xs: usize = 0;
let ys: usize = 0;
let zs: usize = 0;
let leastX: f64 = 0;
let leastY: f64 = 0;
let mostX: f64 = 0;
let mostY: f64 = 0;

/** Lists the watchers and returns their number, or `TOO_MANY`. */
export function findNear(record: usize): u32 {
  openNear(record, false);
  marks = column(job, words.MARKS);
  near = column(job, words.NEAR);
  count = 0;
  const most = word(job, words.MOST_VISITS);
  const pendingSlots = column(job, words.PENDING_SLOTS);
  const pendingCount = word(job, words.PENDING_COUNT);
  for (let i: u32 = 0; i < pendingCount && visits <= most; i++) findAround(wordAt(pendingSlots, i));
  const isEnough = visits <= most;
  const strays = column(job, words.STRAYS);
  const strayCount = word(job, words.STRAY_COUNT);
  for (let i: u32 = 0; isEnough && i < strayCount; i++) mark(wordAt(strays, i));
  for (let i: u32 = 0; i < count; i++) store<u8>(marks + wordAt(near, i), 0);
  if (!isEnough) return TOO_MANY;
  sortWords(near, column(job, words.SCRATCH), count, word(job, words.SLOT_COUNT));
  return count;
}

/** `stirs`: the watchers around an entity get `stirRow`, instead of being listed. */
export function openNear(record: usize, stirs: bool): void {
  job = record;
  is3D = word(job + (words.NOW_STATE << 2), DIMENSIONS) == 3;
  isStirring = stirs;
  visits = 0;
}

/** Marks the watchers around an entity: around its present place, and that of the last tick. One may be found twice. */
export function findAround(slot: u32): void {
  const now = job + (words.NOW_STATE << 2);
  const last = job + (words.LAST_STATE << 2);
  const isHere = load<u8>(column(now, FLAGS) + slot) != 0;
  const wasHere = load<u8>(column(last, FLAGS) + slot) != 0;
  if (!isHere && !wasHere) return;
  // If it was added, its place at the last tick means nothing, and the reverse.
  const one = isHere ? now : last;
  const other = wasHere ? last : now;
  const oneX = <f64>floatAt(column(one, X), slot);
  const oneY = <f64>floatAt(column(one, Y), slot);
  const oneZ: f64 = is3D ? <f64>floatAt(column(one, Z), slot) : 0;
  const otherX = <f64>floatAt(column(other, X), slot);
  const otherY = <f64>floatAt(column(other, Y), slot);
  const otherZ: f64 = is3D ? <f64>floatAt(column(other, Z), slot) : 0;
  channel = channelIn(one, slot);
  otherChannel = channelIn(other, slot);
  const length = max(max(abs(oneX - otherX), abs(oneY - otherY)), abs(oneZ - otherZ));
  const gain = <f64>greatestOf(now, last, GAINS, 1, slot);
  const leastReach = <f64>greatestOf(now, last, MIN_REACHES, 0, slot);
  const added = <f64>floatAt(job, words.ADDED_MARGIN);
  const gridCount = word(job, words.GRID_COUNT);
  const reaches = column(job, words.REACHES);
  for (let g: u32 = 0; g < gridCount; g++) {
    const reach = (max(<f64>floatAt(reaches, 2 * g) * gain, leastReach) + <f64>floatAt(reaches, 2 * g + 1) + added) * SLACK + LEAST_LENGTH;
    const grid = column(job, words.GRIDS) + <usize>g * (grids.GRID_NUMBERS << 3);
    if (length <= reach) {
      setBox(min(oneX, otherX), min(oneY, otherY), min(oneZ, otherZ), max(oneX, otherX), max(oneY, otherY), max(oneZ, otherZ));
      searchBands(grid, reach);
      continue;
    }
    setBox(oneX, oneY, oneZ, oneX, oneY, oneZ);
    searchBands(grid, reach);
    setBox(otherX, otherY, otherZ, otherX, otherY, otherZ);
    searchBands(grid, reach);
  }
}

@inline
function setBox(fromX: f64, fromY: f64, fromZ: f64, toX: f64, toY: f64, toZ: f64): void {
  lowX = fromX;
  lowY = fromY;
  lowZ = fromZ;
  highX = toX;
  highY = toY;
  highZ = toZ;
}

/** Searches the bands of a grid in which there may be watchers of the entity's channels; all, if it meets or met all channels. */
function searchBands(grid: usize, reach: f64): void {
  const mask = <u32>numberAt(grid, grids.GRID_BAND_MASK);
  if (channel == 0 || otherChannel == 0) {
    for (let band: u32 = 0; band <= mask; band++) searchGrid(grid, band, reach);
    return;
  }
  searchGrid(grid, channel & mask, reach);
  if ((channel & mask) != (otherChannel & mask)) searchGrid(grid, otherChannel & mask, reach);
}

/** Marks the entries of a band that are within this reach of the box. */
function searchGrid(grid: usize, band: u32, reach: f64): void {
  const now = job + (words.NOW_STATE << 2);
  const shape = word(now, SHAPE);
  const halfX = (shape == BOX ? reach * <f64>floatAt(now, RATIO_X) : reach) + <f64>floatAt(job, words.WIDER);
  const halfY = (shape == BOX ? reach * <f64>floatAt(now, RATIO_Y) : reach) + <f64>floatAt(job, words.WIDER + 1);
  const halfZ = (shape == CIRCLE ? reach : reach * <f64>floatAt(now, RATIO_Z)) + <f64>floatAt(job, words.WIDER + 2);
  const inverse = numberAt(grid, grids.GRID_INVERSE);
  const width = <u32>numberAt(grid, grids.GRID_WIDTH);
  const height = <u32>numberAt(grid, grids.GRID_HEIGHT);
  const originX = numberAt(grid, grids.GRID_ORIGIN);
  const originY = numberAt(grid, grids.GRID_ORIGIN + 1);
  leastX = lowX - halfX;
  leastY = lowY - halfY;
  mostX = highX + halfX;
  mostY = highY + halfY;
  const firstColumn = clampedCell(leastX, originX, inverse, width);
  const lastColumn = clampedCell(mostX, originX, inverse, width);
  const firstRow = clampedCell(leastY, originY, inverse, height);
  const lastRow = clampedCell(mostY, originY, inverse, height);
  let firstDeck: u32 = 0;
  let lastDeck: u32 = 0;
  if (is3D) {
    const originZ = numberAt(grid, grids.GRID_ORIGIN + 2);
    const depth = <u32>numberAt(grid, grids.GRID_DEPTH);
    firstDeck = clampedCell(lowZ - halfZ, originZ, inverse, depth);
    lastDeck = clampedCell(highZ + halfZ, originZ, inverse, depth);
  }
  const table = column(job, words.TABLE);
  slots = column(job, words.ENTRY_SLOT);
  xs = column(job, words.ENTRY_X);
  ys = column(job, words.ENTRY_Y);
  zs = column(job, words.ENTRY_Z);
  const firstCell = <u32>numberAt(grid, grids.GRID_FIRST_CELL) + band * <u32>numberAt(grid, grids.GRID_BAND_CELLS);
  for (let deck = firstDeck; deck <= lastDeck; deck++) {
    for (let row = firstRow; row <= lastRow; row++) {
      const cells = firstCell + (deck * height + row) * width;
      const end = wordAt(table, cells + lastColumn + 1);
      let i = wordAt(table, cells + firstColumn);
      visits += 4 + end - i;
      if (isStirring && isByRing) i = stirRun(i, end);
      for (; i < end; i++) visit(i);
    }
  }
}

/** Marks or stirs the watcher of an entry, if it is in the box. */
@inline
function visit(i: u32): void {
  const x = floatAt(xs, i);
  const y = floatAt(ys, i);
  if (<f64>x < leastX || <f64>x > mostX || <f64>y < leastY || <f64>y > mostY) return;
  if (isStirring) stirRow(wordAt(slots, i), x, y, is3D ? floatAt(zs, i) : 0);
  else mark(wordAt(slots, i));
}

/** Visits these entries as far as full lanes go, but for those whose ring says that the leaper does not matter. Returns the next entry. */
function stirRun(from: u32, end: u32): u32 {
  let i = from;
  for (; i + WIDTH <= end; i += WIDTH) {
    const at = <usize>i << 2;
    const x = floatsAt(xs + at);
    const y = floatsAt(ys + at);
    const z = is3D ? floatsAt(zs + at) : x;
    const before = squaredRanks(x, y, z, oldX, oldY, oldZ);
    const after = squaredRanks(x, y, z, newX, newY, newZ);
    const watchers = wordsAt(slots + at);
    const low = lowPairs(rings, watchers);
    const high = highPairs(rings, watchers);
    const areSeated = isAtMost(raised(before, after), firsts(low, high));
    const areNot = isAtLeast(lowered(before, after), seconds(low, high));
    for (let left = ~bitsOf(either(areSeated, areNot)) & EVERY_LANE; left != 0; left &= left - 1) visit(i + ctz(left));
  }
  return i;
}

@inline
function squaredRanks(x: Floats, y: Floats, z: Floats, fromX: f32, fromY: f32, fromZ: f32): Floats {
  const dx = sub(x, allFloats(fromX));
  const dy = sub(y, allFloats(fromY));
  let square = add(mul(dx, dx), mul(dy, dy));
  if (is3D) {
    const dz = sub(z, allFloats(fromZ));
    square = add(square, mul(dz, dz));
  }
  return mul(square, allFloats(rankShare));
}

@inline
function mark(slot: u32): void {
  if (load<u8>(marks + slot) != 0) return;
  store<u8>(marks + slot, 1);
  setWord(near, count++, slot);
}
