// Who of the candidates has a seat: the order of interest/cap.ts. Part of seat-search.ts.
import * as words from '../layouts/seat-search';
import {
  WIDTH, allFloats, allWords, areUnequal, bitsOf, both, floatsAt, greatestLane, isAtLeast, isAtMost, mul, raised, root, setFloats, setWords,
  wordsAt, wordsUnless,
} from './lanes';
import { column, floatAt, setFloat, setWord, wordAt } from './seat-words';
import {
  addSeated, clearCandidates, count, isAnyChanged, keepCandidates, kinds, NEW, openCandidates, PROTECTED, ranks, SEATED, setRow, slots,
  squares, states, worstSeated,
} from './seat-candidates';
import { change, editCount, enter, first as firstEdit, leave } from './seat-changes';
import { forcedCount, goneCount, greatestOpenSquare, greatestSquare, isProtectedAt, protectedOf, readOrdinary, readRow } from './seat-row';
import { beCalm, clearance, leastToEdge, setClearance } from './seat-calm';
import { cellSizeHere, countPlain, nearestOther, oddWithin, plainLimit, search, searchOdd } from './seat-window';
import {
  factor, isMarker, isPlainAt, longestReach, margin, row, rowSize, rowStates, serial, shape, shortestRange, stamps, watcher, watcherSeats,
  watcherSees,
} from './seat-watcher';

/** The mark of a candidate that has no seat. */
const DROPPED: u32 = 4;
/** How much farther than seats ended last newcomers are looked for when a seat is free, and by how much more after that. */
const GUESS: f32 = 1.2;
const FARTHER: f32 = 1.6;
/** How far off, of where seats end, it is looked for who may come to sit soon: where all are taken, and where some are free. */
const FULL_EDGE: f32 = 1.2;
const FREE_EDGE: f32 = 1.1;
/** What rounding may lose. */
const CLOSER: f64 = 1 - 1 / 262144;
/** So many edits of one watcher in a tick are many. */
const RESTLESS: u32 = 3;

let borders: usize = 0;
let seatedCount: u32 = 0;
/** Numbers of candidates: first of those that may have to go, then of those that do. */
let dropped: usize = 0;
let droppedCount: u32 = 0;
let keys: usize = 0;
/** Whether the row is there as it was, element by element. */
let isOrdinary: bool = false;

export function openChoice(job: usize): void {
  openCandidates(job);
  borders = column(job, words.BORDERS);
  dropped = column(job, words.CANDIDATE_DROPPED);
  keys = column(job, words.CANDIDATE_KEY);
}

/** Makes candidates of all of the row that stay, in the states that they have. Their squared distances are known. */
function addOrdinary(): void {
  for (let i: u32 = 0; i < rowSize; i++) setWord(stamps, wordAt(row, i), serial);
  if (goneCount > 0) {
    isOrdinary = false;
    for (let i: u32 = 0; i < rowSize; i++) addIfStaying(i);
    return;
  }
  const factors = allFloats(factor);
  for (let i: u32 = 0; i < rowSize; i += WIDTH) {
    const at = <usize>i << 2;
    setWords(slots + at, wordsAt(row + at));
    setFloats(ranks + at, mul(root(floatsAt(squares + at)), factors));
    setWords(kinds + at, wordsUnless(protectedOf(i), allWords(SEATED)));
  }
  setRow(rowSize, Mathf.sqrt(greatestOpenSquare) * factor);
}

function addIfStaying(i: u32): void {
  const squared = floatAt(squares, i);
  const marker = wordAt(row, i);
  const state = wordAt(rowStates, i);
  if (squared == Infinity) leave(marker, state);
  else addSeated(marker, Mathf.sqrt(squared) * factor, squared, state, state, isProtectedAt(i));
}

/** How many of the row are at most that far away, of those that still are candidates. */
function countSeatedWithin(square: f32): u32 {
  const most = allFloats(square);
  let within: u32 = 0;
  let i: u32 = 0;
  for (; i + WIDTH <= seatedCount; i += WIDTH) within += popcnt(bitsOf(isAtMost(floatsAt(squares + (<usize>i << 2)), most)));
  for (; i < seatedCount; i++) within += <u32>(floatAt(squares, i) <= square);
  return within;
}

/** Gives the seats away, and writes down what changes. */
export function chooseSeats(): void {
  isOrdinary = shape == 0 && (watcherSees & 1) != 0 && readOrdinary(squares);
  if (isOrdinary) {
    if (isSteady()) return;
    addOrdinary();
  } else readRow();
  setClearance(0);
  const seats: u32 = watcherSeats > forcedCount ? watcherSeats - forcedCount : 0;
  seatedCount = count;
  if (seats > 0) findNewcomers(seats);
  droppedCount = 0;
  if (count > seats) dropWorst(count - seats);
  if (isAnyChanged) writeStates();
  writeSeats(seats);
  clearCandidates();
}

/** Whether nobody is near enough to take a seat, or one of those that are free: the usual case, which is found out by counting. */
function isSteady(): bool {
  const staying = rowSize - goneCount;
  if (floatAt(borders, watcher) < 0) return false;
  // Of a seat that fell free it is known that somebody else takes it, most likely.
  if (staying > watcherSeats || rowSize == 0 || (goneCount > 0 && rowSize == watcherSeats)) return false;
  const isFull = staying == watcherSeats;
  const worst: f32 = isFull ? Mathf.sqrt(greatestOpenSquare) * factor : Infinity;
  seatedCount = rowSize;
  if (worst > 0) {
    const reach = longestReach(1, 0);
    const base: f32 = isFull ? Mathf.sqrt(greatestSquare) * factor : reach;
    // Nobody without a seat can be near enough by now.
    if (goneCount == 0 && clearance() > <f64>base) {
      calmDown(isFull, base, reach, <f32>clearance());
      setBorder(isFull, base);
      return true;
    }
    const edge = base * (isFull ? FULL_EDGE : FREE_EDGE);
    stampBetween(worst, edge);
    const within = countPlain(worst, base, edge, isFull);
    const own = isPlainAt(watcher);
    const isAnyOdd = oddWithin > (own == 1 || !isMarker(watcher) ? 0 : 1);
    if (isAnyOdd) {
      searchOdd(worst);
      // Those of the row are no newcomers; but none of it lies in a grid where it would have been found.
      if (count > 0) {
        clearCandidates();
        return false;
      }
    }
    if (within != countSeatedWithin(plainLimit) + own) return false;
    // Leapers would not find one that is no marker.
    if (!isAnyOdd && goneCount == 0 && isMarker(watcher)) {
      const nearest = min(edge, Mathf.sqrt(nearestOther));
      setClearance(<f64>nearest * CLOSER);
      calmDown(isFull, base, reach, nearest);
    } else setClearance(0);
  }
  for (let i: u32 = 0; goneCount > 0 && i < rowSize; i++) {
    if (floatAt(squares, i) == Infinity) leave(wordAt(row, i), wordAt(rowStates, i));
  }
  setBorder(isFull, Mathf.sqrt(greatestSquare) * factor);
  return true;
}

/** Stamps those of the row that rank behind `worst`, as far as `edge`, and some that are nearer. */
function stampBetween(worst: f32, edge: f32): void {
  const from = allFloats(worst == Infinity ? 0 : worst * worst * SURE);
  const to = allFloats(edge * edge);
  for (let i: u32 = 0; i < rowSize; i += WIDTH) {
    const at = <usize>i << 2;
    const squared = floatsAt(squares + at);
    let bits = bitsOf(both(isAtLeast(squared, from), isAtMost(squared, to)));
    if (rowSize - i < WIDTH) bits &= (1 << (rowSize - i)) - 1;
    for (; bits != 0; bits &= bits - 1) setWord(stamps, wordAt(row, i + ctz(bits)), serial);
  }
}

/**
 * Finds out how far all may go before a seat changes hands. `base`: how far off seats end; `nearest`: nobody without a seat is nearer, for
 * `base` or more.
 */
function calmDown(isFull: bool, base: f32, reach: f32, nearest: f32): void {
  // One without a seat who comes nearer, and one with a seat who goes away, meet in between.
  const gap: f64 = isFull ? <f64>(nearest - base) / (1 + <f64>factor) : <f64>(nearest - base);
  const rounding = <f64>max(nearest, reach + margin) * 4e-6;
  const slack = min(gap, <f64>leastToEdge(squares)) * 0.999 - rounding;
  const farthest = <f64>Mathf.sqrt(greatestSquare);
  const inside = <f64>shortestRange() - slack;
  if (isFull) beCalm(slack, min(min(<f64>nearest - slack, farthest), inside), max(farthest + slack, <f64>nearest));
  else beCalm(slack, inside, <f64>(reach + margin) + slack);
}

/** Writes down who lost a seat, and who got one. */
function writeSeats(seats: u32): void {
  for (let k: u32 = 0; k < droppedCount; k++) {
    const i = wordAt(dropped, k);
    if (i < seatedCount) leave(wordAt(slots, i), stateBefore(i));
  }
  for (let i = seatedCount; i < count; i++) {
    if ((wordAt(kinds, i) & DROPPED) == 0) enter(wordAt(slots, i), load<u32>(states + (<usize>i << 3)));
  }
  setBorder(count >= seats, greatestOf(ranks, count));
}

/** Writes down who of those that stay is in another state than before. */
function writeStates(): void {
  for (let i: u32 = 0; i < seatedCount; i++) {
    if ((wordAt(kinds, i) & DROPPED) != 0) continue;
    change(wordAt(slots, i), stateBefore(i), load<u32>(states + (<usize>i << 3)));
  }
}

// @ts-ignore: decorator
@inline
function stateBefore(i: u32): u32 {
  return isOrdinary ? wordAt(rowStates, i) : load<u32>(states + (<usize>i << 3), 4);
}

/** Of the first so many, of a column of ranks. */
function greatestOf(column: usize, to: u32): f32 {
  let lanes = allFloats(-1);
  let i: u32 = 0;
  for (; i + WIDTH <= to; i += WIDTH) lanes = raised(lanes, floatsAt(column + (<usize>i << 2)));
  let greatest = greatestLane(lanes);
  for (; i < to; i++) greatest = max(greatest, floatAt(column, i));
  return greatest;
}

/** Who ranks so far from where seats ended is sure of one. */
const SURE: f32 = 0.9;

/** Drops those that come last. */
function dropWorst(drops: u32): void {
  const last = abs(floatAt(borders, watcher));
  let listed = listFrom(last * SURE);
  // Who is protected is not among them.
  if (listed < drops) listed = listAll();
  for (let k: u32 = 0; k < listed; k++) store<u64>(keys + (<usize>k << 3), keyOf(wordAt(dropped, k)));
  const first = select(listed, listed - drops);
  for (let k: u32 = 0; k < listed; k++) {
    const i = wordAt(dropped, k);
    if (keyOf(i) < first) continue;
    setWord(kinds, i, wordAt(kinds, i) | DROPPED);
    setWord(dropped, droppedCount++, i);
  }
  // Only now, since ranks are in the keys.
  for (let k: u32 = 0; k < droppedCount; k++) setFloat(ranks, wordAt(dropped, k), -1);
}

/** Lists the numbers of all who rank from there on, but for those protected; answers how many. */
function listFrom(least: f32): u32 {
  const from = allFloats(least);
  let listed: u32 = 0;
  for (let i: u32 = 0; i < count; i += WIDTH) {
    const at = <usize>i << 2;
    const areOpen = areUnequal(wordsAt(kinds + at), allWords(PROTECTED));
    let found = bitsOf(both(isAtLeast(floatsAt(ranks + at), from), areOpen));
    if (count - i < WIDTH) found &= (1 << (count - i)) - 1;
    for (; found != 0; found &= found - 1) setWord(dropped, listed++, i + ctz(found));
  }
  return listed;
}

function listAll(): u32 {
  for (let i: u32 = 0; i < count; i++) setWord(dropped, i, i);
  return count;
}

/** One number for the whole order: smaller ones come first. Ranks are not negative, so that their bits ascend with them. */
// @ts-ignore: decorator
@inline
function keyOf(i: u32): u64 {
  const kind = wordAt(kinds, i);
  return (<u64>(kind != PROTECTED) << 62) | (<u64>wordAt(ranks, i) << 31) | (<u64>(kind == NEW) << 30) | <u64>wordAt(slots, i);
}

/** Of so many keys, the one before which there are so many smaller ones: quickselect. */
function select(total: u32, before: u32): u64 {
  let low = keys;
  let high = keys + (<usize>(total - 1) << 3);
  const wanted = keys + (<usize>before << 3);
  while (low < high) {
    const pivot = load<u64>(low + (((high - low) >>> 4) << 3));
    let i = low;
    let j = high;
    while (i <= j) {
      while (load<u64>(i) < pivot) i += 8;
      while (load<u64>(j) > pivot) j -= 8;
      if (i > j) break;
      const held = load<u64>(i);
      store<u64>(i, load<u64>(j));
      store<u64>(j, held);
      i += 8;
      j -= 8;
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else break;
  }
  return load<u64>(wanted);
}

/** 0 where it is not known: seats are free, or one who ranks infinitely far has one. */
function setBorder(isFull: bool, border: f32): void {
  const known: f32 = isFull && border < Infinity ? border : 0;
  // Below 0 where several seats changed hands: then some do so again, most likely, and it is no use to count first.
  setFloat(borders, watcher, editCount - firstEdit > RESTLESS ? -known : known);
}

/** Looks for newcomers as far as one may come to sit. */
function findNewcomers(seats: u32): void {
  if (count >= seats) {
    // All seats are taken: a newcomer must rank before the worst of those not protected. Of equals the seated one stays.
    if (worstSeated > 0) search(worstSeated);
    return;
  }
  const reach = longestReach(1, 0);
  const last = abs(floatAt(borders, watcher));
  // Where seats were free before, all in reach are looked at; of a new watcher it is not known how far that is.
  let worst: f32 = last > 0 ? last * GUESS : rowSize > 0 ? reach : cellSizeHere();
  while (worst < reach) {
    search(worst);
    // Good when as many as there are seats rank no worse than so far was looked.
    let within: u32 = count - seatedCount;
    for (let i: u32 = 0; i < seatedCount; i++) within += <u32>(floatAt(ranks, i) <= worst || wordAt(kinds, i) == PROTECTED);
    if (within >= seats) return;
    keepCandidates(seatedCount);
    worst *= FARTHER;
  }
  search(Infinity);
}
