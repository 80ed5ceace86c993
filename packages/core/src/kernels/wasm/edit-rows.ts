// See ../layouts/edit-rows.ts, which explains the job's words and how rows are processed.
import { ARRIVED_ROWS, DROPPED, FIRST_ROW, INSERTED_TICK, LEAST_SHIFT, LEFT_ROWS, TICKS_BEHIND } from '../layouts/edit-rows';
import { column, setWord, word, wordAt } from './job';

/** Words of a row that are compared in any case. No more than the spare words after the last row. */
const COUNTED: u32 = ASC_FEATURE_SIMD ? 48 : 0;
/** Greater than every change. A change is a slot and a marker's id. */
const NONE: u64 = 0xffffffffffffffff;
const LEAST_BYTES: usize = LEAST_SHIFT << 2;

/** How far behind each word its tick lies; 0 if there are no ticks. */
let behind: usize = 0;

export function editRows(job: usize): u32 {
  const slots = load<u32>(job);
  const startOf = <usize>load<u32>(job, 4);
  const sizeOf = <usize>load<u32>(job, 8);
  behind = column(job, TICKS_BEHIND);
  const tick = word(job, INSERTED_TICK);
  const leftRows = job + (LEFT_ROWS << 2);
  const arrivedRows = job + (ARRIVED_ROWS << 2);
  const holes = column(job, DROPPED);
  const holeCount = word(job, DROPPED + 1);
  let hole: u32 = 0;
  let holeChange = holeAt(holes, hole, holeCount);
  let leftRow: u32 = 0;
  let left = <usize>load<u32>(leftRows, 12);
  let leftEnd = rowEndOf(leftRows, leftRow);
  let leftSlot = slotAt(leftRows, leftRow);
  let arrivedRow: u32 = 0;
  let arrived = <usize>load<u32>(arrivedRows, 12);
  let arrivedEnd = rowEndOf(arrivedRows, arrivedRow);
  let arrivedSlot = slotAt(arrivedRows, arrivedRow);
  // The rows before this one stay where they are.
  const firstSlot = min(slots, <u32>(min(min(leftSlot, arrivedSlot), holeChange) >>> 32));
  const lastArrived = arrived + ((<usize>wordAt(<usize>load<u32>(arrivedRows, 8), load<u32>(arrivedRows))) << 2);
  // `first`: address of the first row, for the rows not yet read. `begin`: where the written rows begin.
  let first = <usize>load<u32>(job, 20);
  let begin = <usize>load<u32>(job, 24);
  let from = first;
  let to = begin;
  let slot: u32 = 0xffffffff;
  let at: usize = 0;
  let rowEnd: usize = 0;
  for (;;) {
    const leaving = leftSlot | <u64>load<u32>(left);
    const arriving = arrivedSlot | <u64>load<u32>(arrived);
    const change = min(leaving, arriving);
    if (min(change, holeChange) == NONE) break;
    if (from - to < LEAST_BYTES) {
      // Moves the unread rows to the end, and the written rows in front of them, with room in between for all markers that will
      // enter.
      const end = first + ((<usize>wordAt(startOf, slots)) << 2);
      const moved = <usize>load<u32>(job, 16) - end;
      moveWords(from + moved, from, end - from);
      first += moved;
      from += moved;
      at += moved;
      rowEnd += moved;
      const written = to - begin;
      to = max(<usize>load<u32>(job, 12) + written, from - LEAST_BYTES - (lastArrived - arrived));
      moveWords(to - written, begin, written);
      begin = to - written;
    }
    if (holeChange < change) {
      const dropped = <u32>(holeChange >>> 32);
      const holeBegin = first + ((<usize>wordAt(startOf, dropped)) << 2);
      copyPairs(to, from, holeBegin);
      to += holeBegin - from;
      from = first + ((<usize>wordAt(startOf, dropped + 1)) << 2);
      holeChange = holeAt(holes, ++hole, holeCount);
      continue;
    }
    const who = <u32>(change >>> 32);
    if (who != slot) {
      slot = who;
      at = first + ((<usize>wordAt(startOf, who)) << 2);
      rowEnd = at + ((<usize>wordAt(sizeOf, who)) << 2);
    }
    const id = <u32>change;
    at = firstFrom(at, rowEnd, id);
    // This may read after the last row; the id there is then ignored.
    const isThere = <u32>(at < rowEnd) & <u32>(load<u32>(at) == id);
    const isLeaving = <u32>(leaving == change);
    const lost = isLeaving & isThere;
    const gained = (isLeaving | isThere) ^ 1;
    copyPairs(to, from, at);
    to += at - from;
    // Written into the gap, where the next word is written in any case.
    store<u32>(to, id);
    if (behind != 0) store<u32>(to + behind, tick);
    to += (<usize>gained) << 2;
    at += (<usize>lost) << 2;
    from = at;
    setWord(sizeOf, who, wordAt(sizeOf, who) + gained - lost);
    if (arriving == change) {
      arrived += 4;
      if (arrived == arrivedEnd) {
        arrivedEnd = rowEndOf(arrivedRows, ++arrivedRow);
        arrivedSlot = slotAt(arrivedRows, arrivedRow);
      }
    }
    if (leaving == change) {
      left += 4;
      if (left == leftEnd) {
        leftEnd = rowEndOf(leftRows, ++leftRow);
        leftSlot = slotAt(leftRows, leftRow);
      }
    }
  }
  copyPairs(to, from, first + ((<usize>wordAt(startOf, slots)) << 2));
  setWord(job, FIRST_ROW, <u32>begin);
  return chainRows(startOf, sizeOf, firstSlot, slots);
}

/** A row's slot as the upper half of a change, or `NONE` after the last row. */
@inline
function slotAt(rows: usize, row: u32): u64 {
  if (row >= load<u32>(rows)) return NONE;
  return (<u64>(wordAt(<usize>load<u32>(rows, 4), row) >>> 10)) << 32;
}

/** Where the markers of a row end. */
@inline
function rowEndOf(rows: usize, row: u32): usize {
  if (row >= load<u32>(rows)) return 0;
  return <usize>load<u32>(rows, 12) + ((<usize>wordAt(<usize>load<u32>(rows, 8), row + 1)) << 2);
}

/** A dropped row as a change that sorts after all others of its slot, or `NONE` after the last. */
function holeAt(holes: usize, hole: u32, holeCount: u32): u64 {
  return hole < holeCount ? ((<u64>wordAt(holes, hole)) << 32) | 0xffffffff : NONE;
}

/** Sets the starts of rows from a slot on. Returns where the last row ends. */
function chainRows(startOf: usize, sizeOf: usize, from: u32, slots: u32): u32 {
  let at = wordAt(startOf, from);
  for (let slot = from; slot < slots; slot++) {
    setWord(startOf, slot, at);
    at += wordAt(sizeOf, slot);
  }
  setWord(startOf, slots, at);
  return at;
}

function moveWords(to: usize, from: usize, bytes: usize): void {
  memory.copy(to, from, bytes);
  if (behind != 0) memory.copy(to + behind, from + behind, bytes);
}

/** Copies words as `copyWords` does, and their ticks. */
@inline
function copyPairs(to: usize, from: usize, end: usize): void {
  copyWords(to, from, end);
  if (behind != 0) copyWords(to + behind, from + behind, end + behind);
}

/**
 * Copies the words from `from` to `end`, and up to 31 more, so that the loop's end is the only branch that can be mispredicted.
 * The additional words do no harm: the target is at least 32 words in front, in a place that is read no more.
 */
function copyWords(to: usize, from: usize, end: usize): void {
  if (!ASC_FEATURE_SIMD) {
    memory.copy(to, from, from < end ? end - from : 0);
    return;
  }
  for (; from < end; from += 128, to += 128) {
    const a = v128.load(from);
    const b = v128.load(from, 16);
    const c = v128.load(from, 32);
    const d = v128.load(from, 48);
    const e = v128.load(from, 64);
    const f = v128.load(from, 80);
    const g = v128.load(from, 96);
    const h = v128.load(from, 112);
    v128.store(to, a);
    v128.store(to, b, 16);
    v128.store(to, c, 32);
    v128.store(to, d, 48);
    v128.store(to, e, 64);
    v128.store(to, f, 80);
    v128.store(to, g, 96);
    v128.store(to, h, 112);
  }
}

/**
 * The first place in an ascending row whose word is at least `least`. A binary search ends when few words remain; the remaining
 * ones are compared all at once: further steps of the search would each wait for memory, and their number would be mispredicted.
 */
@inline
function firstFrom(row: usize, rowEnd: usize, least: u32): usize {
  let size = <u32>((rowEnd - row) >>> 2);
  while (size > COUNTED) {
    const half = size >>> 1;
    if (load<u32>(row + ((<usize>half) << 2)) < least) {
      row += ((<usize>half) << 2) + 4;
      size -= half + 1;
    } else size = half;
  }
  return row + ((<usize>countBelow(row, size, least)) << 2);
}

/** How many of `size` ascending words are below `least`. Always compares `COUNTED` words, even past the end of the row. */
function countBelow(row: usize, size: u32, least: u32): u32 {
  if (!ASC_FEATURE_SIMD) return 0;
  const leasts = i32x4.splat(least);
  const notBelow = notBelowBits(row, leasts) | (notBelowBits(row + 64, leasts) << 16) | (notBelowBits(row + 128, leasts) << 32);
  return min(size, <u32>ctz(notBelow | (1 << 48)));
}

/** A bit for each of sixteen words. */
@inline
function notBelowBits(row: usize, leasts: v128): u64 {
  const some = i16x8.narrow_i32x4_s(i32x4.ge_u(v128.load(row), leasts), i32x4.ge_u(v128.load(row, 16), leasts));
  const others = i16x8.narrow_i32x4_s(i32x4.ge_u(v128.load(row, 32), leasts), i32x4.ge_u(v128.load(row, 48), leasts));
  // Narrowing keeps signs.
  return <u64><u32>i8x16.bitmask(i8x16.narrow_i16x8_s(some, others));
}
