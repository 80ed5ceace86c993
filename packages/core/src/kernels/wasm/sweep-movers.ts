/**
 * The double test for a world in which few move: only the pairs that have a mover in them, both directions at once.
 *
 * Everyone's entry lies in place from the tick before, in cells with gaps; those that changed have been put right, and are
 * listed and marked by a bit each. Each is tested against all entries near it, as a watcher by its own range and as a
 * marker by theirs. Nearly all of these are at rest: where they were is where they are, so the loop reads only that, and
 * passes over movers if it finds any. Pairs of two movers are found by the bits, from the one that lies before the other.
 *
 * 2-D, circles, plain markers.Cost: some 230 ns a mover with 30 perceived, most of it
 * waiting for memory, in a world that no cache holds.
 */
import {
  GHOST_BIT, GRID_HEIGHT, GRID_INVERSE, GRID_ORIGIN, GRID_WIDTH, GRIDS, LANES, LEVEL_COUNT, LEVEL_RANGES, MAX_RANGE, MOVER_BITS, MOVERS, NEW_X,
  NEW_Y, OLD_X, OLD_Y, RANGE, SENSE_COUNT, SLACK, TABLE, clampedCell, column, floatAt, word, wordAt,
} from './job';
import {
  FIRST_CHANGED, SECOND_CHANGED, capacity, closeCrossings, count, cutCrossings, decideCrossing, notePair,
  openCrossings, refs, settlePairs,
} from './sweep-crossing';
import {
  Floats, Mask, STEP, WIDTH, add, bitsOf, differ, either, allFloats, floatsAt, floatsOf, greater, isAnywhere, isAtMost, mul, nowhere, sub,
} from './lanes';

const REACH_SLACK: f64 = 1.0 + 1.0 / 4194304.0;
/** Movers whose surroundings the nearest cache holds, where some fifteen share a cell. */
const BLOCK: u32 = 16;
/** Movers that are touched ahead: among them are those of the next row. */
const AHEAD: u32 = 128;
/** Entries of a row that are worth touching: what lies behind is streamed. */
const MOST_TOUCHED: u32 = 128;

// What the functions of one call share; set by scanMovers.
let job: usize = 0;
let oldX: usize = 0;
let oldY: usize = 0;
let ranges: usize = 0;
let table: usize = 0;
let grid: usize = 0;
let width: u32 = 0;
let half: f64 = 0;
// The window of one mover, by cells; set by openWindow.
let fromX: u32 = 0;
let toX: u32 = 0;
let fromY: u32 = 0;
let toY: u32 = 0;

export function scanMovers(offset: usize, from: u32, to: u32): u32 {
  openMovers(offset);
  const hasOneSense = word(job, SENSE_COUNT) == 1;
  const levelCount = word(job, LEVEL_COUNT);
  const movers = column(job, MOVERS);
  const newX = column(job, NEW_X);
  const newY = column(job, NEW_Y);
  let noted = count;
  for (let k = from; k < to; k++) {
    if ((k - from) % AHEAD == 0) {
      if (hasOneSense) settlePairs(noted);
      noted = count;
      touchMovers(k == from ? k : k + AHEAD, min<u32>(k + 2 * AHEAD, to));
    }
    if ((k - from) % BLOCK == 0) touchSurroundings(k, min<u32>(k + BLOCK, to));
    const mover = wordAt(movers, k);
    const before = count;
    openWindow(mover);
    for (let cellY = fromY; cellY <= toY; cellY++) {
      const begin = wordAt(table, cellY * width + fromX);
      const end = wordAt(table, cellY * width + toX + 1);
      if (count + 2 * (end - begin) > capacity) {
        stopAt(before, noted, hasOneSense);
        return k;
      }
      if (levelCount == 1 && hasOneSense) scanOneLevel(newX, newY, mover, begin, end);
      else if (hasOneSense) scanOneSense(newX, newY, mover, begin, end);
      else scanSenses(newX, newY, mover, begin, end);
      scanMarked(mover, max<u32>(begin, mover + 1), end, hasOneSense, levelCount);
    }
  }
  stopAt(count, noted, hasOneSense);
  return to;
}

/** Closes the list behind what was found before the count was `end`. */
function stopAt(end: u32, noted: u32, hasOneSense: bool): void {
  cutCrossings(end);
  if (hasOneSense) settlePairs(noted);
  closeCrossings(count);
}

function openMovers(offset: usize): void {
  job = offset;
  openCrossings(job);
  oldX = column(job, OLD_X);
  oldY = column(job, OLD_Y);
  ranges = column(job, RANGE);
  table = column(job, TABLE);
  grid = column(job, GRIDS);
  width = load<u32>(grid + GRID_WIDTH);
  half = (<f64>load<f32>(job + MAX_RANGE) + 2 * load<f64>(job + SLACK)) * REACH_SLACK;
}

/** The cells around a mover. */
function openWindow(mover: u32): void {
  const isGhost = (wordAt(refs, mover) & GHOST_BIT) != 0;
  const x = <f64>floatAt(isGhost ? oldX : column(job, NEW_X), mover);
  const y = <f64>floatAt(isGhost ? oldY : column(job, NEW_Y), mover);
  const height = load<u32>(grid + GRID_HEIGHT);
  const originX = load<f64>(grid + GRID_ORIGIN);
  const inverseX = load<f64>(grid + GRID_INVERSE);
  const originY = load<f64>(grid + GRID_ORIGIN, 8);
  const inverseY = load<f64>(grid + GRID_INVERSE, 8);
  fromX = clampedCell(x - half, originX, inverseX, width);
  toX = clampedCell(x + half, originX, inverseX, width);
  fromY = clampedCell(y - half, originY, inverseY, height);
  toY = clampedCell(y + half, originY, inverseY, height);
}

/**
 * Reads what their windows and pairs of movers depend on, and does nothing else, so that many wait for memory at once. What it
 * adds up to nobody wants. Only where memory is slower than the code.
 */
function touchMovers(from: u32, to: u32): void {
  if (!ASC_FEATURE_SIMD) return;
  const movers = column(job, MOVERS);
  const newX = column(job, NEW_X);
  const newY = column(job, NEW_Y);
  let sum: f32 = 0;
  for (let k = from; k < to; k++) {
    const mover = wordAt(movers, k);
    sum += floatAt(newX, mover) + floatAt(newY, mover) + floatAt(oldX, mover) + floatAt(oldY, mover) + floatAt(refs, mover);
  }
  store<f32>(job, sum, LANES);
}

/** Reads one float of each cache line that the scan of these movers will read, to the same end. */
function touchSurroundings(from: u32, to: u32): void {
  if (!ASC_FEATURE_SIMD) return;
  const movers = column(job, MOVERS);
  const newX = column(job, NEW_X);
  const newY = column(job, NEW_Y);
  let sum: f32 = 0;
  for (let k = from; k < to; k++) {
    openWindow(wordAt(movers, k));
    for (let cellY = fromY; cellY <= toY; cellY++) {
      const begin = wordAt(table, cellY * width + fromX);
      const end = min<u32>(wordAt(table, cellY * width + toX + 1), begin + MOST_TOUCHED);
      for (let i = begin; i < end; i += 16) sum += floatAt(newX, i) + floatAt(newY, i);
      // The last line, which the steps may have left out.
      sum += floatAt(newX, end) + floatAt(newY, end);
    }
  }
  store<f32>(job, sum, LANES);
}

// @ts-ignore: decorator
@inline // in JavaScript, too
function scanOneLevel(newX: usize, newY: usize, mover: u32, begin: u32, end: u32): void {
  const own = <usize>mover << 2;
  const level = load<f32>(job + LEVEL_RANGES);
  const levelSquared = allFloats(level * level);
  const ownNewX = floatsOf(newX + own);
  const ownNewY = floatsOf(newY + own);
  const ownOldX = floatsOf(oldX + own);
  const ownOldY = floatsOf(oldY + own);
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += STEP) {
    const x = floatsAt(newX + at);
    const y = floatsAt(newY + at);
    const isIn = isAtMost(squared(sub(x, ownNewX), sub(y, ownNewY)), levelSquared);
    const wasIn = isAtMost(squared(sub(x, ownOldX), sub(y, ownOldY)), levelSquared);
    const crossed = differ(isIn, wasIn);
    if (isAnywhere(crossed)) noteLanes(mover, <u32>(at >> 2), end, crossed, isIn, crossed, isIn);
  }
}

// @ts-ignore: decorator
@inline // in JavaScript, too
function scanOneSense(newX: usize, newY: usize, mover: u32, begin: u32, end: u32): void {
  const own = <usize>mover << 2;
  const ownRange = floatAt(ranges, mover);
  const ownSquared = allFloats(ownRange * ownRange);
  const ownNewX = floatsOf(newX + own);
  const ownNewY = floatsOf(newY + own);
  const ownOldX = floatsOf(oldX + own);
  const ownOldY = floatsOf(oldY + own);
  const rangeColumn = ranges;
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += STEP) {
    const x = floatsAt(newX + at);
    const y = floatsAt(newY + at);
    const newSquared = squared(sub(x, ownNewX), sub(y, ownNewY));
    const oldSquared = squared(sub(x, ownOldX), sub(y, ownOldY));
    const range = floatsAt(rangeColumn + at);
    const rangeSquared = mul(range, range);
    const isInOwn = isAtMost(newSquared, ownSquared);
    const isInTheirs = isAtMost(newSquared, rangeSquared);
    const crossedOwn = differ(isInOwn, isAtMost(oldSquared, ownSquared));
    const crossedTheirs = differ(isInTheirs, isAtMost(oldSquared, rangeSquared));
    if (isAnywhere(either(crossedOwn, crossedTheirs))) {
      noteLanes(mover, <u32>(at >> 2), end, crossedOwn, isInOwn, crossedTheirs, isInTheirs);
    }
  }
}

// @ts-ignore: decorator
@inline // in JavaScript, too
function scanSenses(newX: usize, newY: usize, mover: u32, begin: u32, end: u32): void {
  const levelCount = word(job, LEVEL_COUNT);
  const own = <usize>mover << 2;
  const ownRange = floatsOf(ranges + own);
  const ownNewX = floatsOf(newX + own);
  const ownNewY = floatsOf(newY + own);
  const ownOldX = floatsOf(oldX + own);
  const ownOldY = floatsOf(oldY + own);
  const rangeColumn = ranges;
  const stop = <usize>end << 2;
  for (let at = <usize>begin << 2; at < stop; at += STEP) {
    const x = floatsAt(newX + at);
    const y = floatsAt(newY + at);
    const newSquared = squared(sub(x, ownNewX), sub(y, ownNewY));
    const oldSquared = squared(sub(x, ownOldX), sub(y, ownOldY));
    let mayDiffer = nowhere();
    for (let k: u32 = 0; k < levelCount; k++) {
      const level = floatsOf(job + LEVEL_RANGES + (<usize>k << 2));
      const levelSquared = mul(level, level);
      const crossed = differ(isAtMost(newSquared, levelSquared), isAtMost(oldSquared, levelSquared));
      mayDiffer = either(mayDiffer, crossed);
    }
    if (levelCount == 0) {
      const longest = greater(floatsAt(rangeColumn + at), ownRange);
      const longestSquared = mul(longest, longest);
      mayDiffer = either(isAtMost(newSquared, longestSquared), isAtMost(oldSquared, longestSquared));
    }
    if (isAnywhere(mayDiffer)) decideLanes(mover, <u32>(at >> 2), end, mayDiffer);
  }
}

// @ts-ignore: decorator
@inline // in JavaScript, too
function squared(dx: Floats, dy: Floats): Floats {
  return add(mul(dx, dx), mul(dy, dy));
}

/** Decides the pairs of a mover with those from `begin` on that are movers, too. */
// @ts-ignore: decorator
@inline // in JavaScript, too
function scanMarked(mover: u32, begin: u32, end: u32, hasOneSense: bool, levelCount: u32): void {
  const bits = column(job, MOVER_BITS);
  for (let first = begin & ~31; first < end; first += 32) {
    let marked = wordAt(bits, first >>> 5);
    if (first < begin) marked &= -1 << (begin & 31);
    if (end - first < 32) marked &= (1 << (end - first)) - 1;
    for (; marked != 0; marked &= marked - 1) {
      const other = first + <u32>ctz(marked);
      if (hasOneSense) decideMarked(mover, other, levelCount);
      else decideSenses(mover, other);
    }
  }
}

/** Notes a pair of movers if anything changed in the one sense. */
function decideMarked(mover: u32, other: u32, levelCount: u32): void {
  const newX = column(job, NEW_X);
  const newY = column(job, NEW_Y);
  const newDx = floatAt(newX, other) - floatAt(newX, mover);
  const newDy = floatAt(newY, other) - floatAt(newY, mover);
  const oldDx = floatAt(oldX, other) - floatAt(oldX, mover);
  const oldDy = floatAt(oldY, other) - floatAt(oldY, mover);
  const newSquared = newDx * newDx + newDy * newDy;
  const oldSquared = oldDx * oldDx + oldDy * oldDy;
  if (levelCount == 1) {
    // Then no range need be looked at of most.
    const level = load<f32>(job + LEVEL_RANGES);
    if (newSquared <= level * level == oldSquared <= level * level) return;
  }
  const bits = changeOf(mover, newSquared, oldSquared) | (changeOf(other, newSquared, oldSquared) << 2);
  if ((bits & (FIRST_CHANGED | SECOND_CHANGED)) != 0) notePair(mover, other, bits);
}

/** The first one's bits of a pair. */
function changeOf(watcher: u32, newSquared: f32, oldSquared: f32): u32 {
  const range = floatAt(ranges, watcher);
  const rangeSquared = range * range;
  const isIn = u32(newSquared <= rangeSquared);
  return (isIn ^ u32(oldSquared <= rangeSquared)) | (isIn << 1);
}

function decideSenses(mover: u32, other: u32): void {
  if (floatAt(ranges, mover) > 0) decideCrossing(mover, other);
  if (floatAt(ranges, other) > 0) decideCrossing(other, mover);
}

// @ts-ignore: decorator
@inline
function isMarked(entry: u32): bool {
  return ((wordAt(column(job, MOVER_BITS), entry >>> 5) >>> (entry & 31)) & 1) != 0;
}

/** Decides those at rest in the lanes where something may differ. */
function decideLanes(mover: u32, first: u32, end: u32, mayDiffer: Mask): void {
  const lanes = bitsOf(mayDiffer);
  for (let lane: u32 = 0; lane < WIDTH && first + lane < end; lane++) {
    if (((lanes >>> lane) & 1) != 0 && !isMarked(first + lane)) decideSenses(mover, first + lane);
  }
}

/** Notes the pairs with those at rest in the lanes that crossed. */
function noteLanes(
  mover: u32, first: u32, end: u32, crossedOwn: Mask, isInOwn: Mask, crossedTheirs: Mask, isInTheirs: Mask,
): void {
  const own = bitsOf(crossedOwn);
  const ownInside = bitsOf(isInOwn);
  const theirs = bitsOf(crossedTheirs);
  const theirsInside = bitsOf(isInTheirs);
  for (let lane: u32 = 0; lane < WIDTH && first + lane < end; lane++) {
    if ((((own | theirs) >>> lane) & 1) == 0 || isMarked(first + lane)) continue;
    const ownBits = ((own >>> lane) & 1) | (((ownInside >>> lane) & 1) << 1);
    const theirBits = ((theirs >>> lane) & 1) | (((theirsInside >>> lane) & 1) << 1);
    notePair(mover, first + lane, ownBits | (theirBits << 2));
  }
}
