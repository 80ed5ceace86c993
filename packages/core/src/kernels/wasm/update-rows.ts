// Twin of ../update-rows.ts, which says what the job's words are and how a block is gone through.
import { setWord, wordAt } from './job';
import { bitsOf } from './lanes';

const BLOCK_BITS: u32 = 10;
const BLOCK_SLOTS: u32 = 1 << BLOCK_BITS;
const REPORTED: u32 = 4 | 16;
/** Words of a row that are looked at in any case. No more than are spare behind a block. */
const COUNTED: u32 = 48;
/** Words of the job that say where the rows lie of who left, of who entered. */
const LEFT: usize = 52;
const ENTERED: usize = 72;

export function updateRows(job: usize): u32 {
  const slotCount = load<u32>(job);
  const startOf = <usize>load<u32>(job, 4);
  const sizeOf = <usize>load<u32>(job, 8);
  const pool = <usize>load<u32>(job, 16);
  const everyoneChanged = load<u32>(job, 20) != 0;
  const markers = <usize>load<u32>(job, 40);
  let left: u32 = 0;
  let entered: u32 = 0;
  let written: u32 = 0;
  let held: u32 = 0;
  store<u32>(job, 0, 96);
  for (let slot: u32 = 0; slot < slotCount; slot += BLOCK_SLOTS) {
    const last = slot + BLOCK_SLOTS - 1;
    const leftEnd = rowsUpTo(job + LEFT, left, last);
    const enteredEnd = rowsUpTo(job + ENTERED, entered, last);
    const hasCrossings = leftEnd > left || enteredEnd > entered;
    const start = wordAt(startOf, slot);
    const end = wordAt(startOf, last) + wordAt(sizeOf, last);
    if (!hasCrossings && start == end) continue;
    const begin = pool + ((<usize>start) << 2);
    const kept = everyoneChanged
      ? markers + ((<usize>written) << 2)
      : hasCrossings
        ? <usize>load<u32>(job, 48)
        : begin;
    if (kept != begin) takeOutLeft(job, left, leftEnd, begin, pool + ((<usize>end) << 2), kept);
    const slotEnd = min(last + 1, slotCount);
    written = everyoneChanged
      ? reportAll(job, slot, slotEnd, written)
      : reportChanged(job, slot, slotEnd, kept, written);
    held += hasCrossings ? putInEntered(job, slot, entered, enteredEnd, kept) : end - start;
    left = leftEnd;
    entered = enteredEnd;
  }
  const rows = load<u32>(job, 96);
  setWord(<usize>load<u32>(job, 36), rows, written);
  store<u32>(job, held, 92);
  return rows;
}

/** The first of a kind's rows from `row` on that is of a watcher behind `lastSlot`. */
function rowsUpTo(kind: usize, row: u32, lastSlot: u32): u32 {
  const count = load<u32>(kind);
  const watchers = <usize>load<u32>(kind, 4);
  while (row < count && wordAt(watchers, row) >>> 10 <= lastSlot) row++;
  return row;
}

/**
 * Writes the report's rows of slots whose markers are in it already, `written` being how many were before. The rows so far
 * are a word of the job. Answers how many markers the report has then.
 */
function reportAll(job: usize, slot: u32, slotEnd: u32, written: u32): u32 {
  const sizeOf = <usize>load<u32>(job, 8);
  const idOf = <usize>load<u32>(job, 24);
  const watchers = <usize>load<u32>(job, 32);
  const offsets = <usize>load<u32>(job, 36);
  let rows = load<u32>(job, 96);
  for (let s = slot; s < slotEnd; s++) {
    const size = wordAt(sizeOf, s);
    setWord(watchers, rows, wordAt(idOf, s));
    setWord(offsets, rows, written);
    written += size;
    rows += <u32>(size != 0);
  }
  store<u32>(job, rows, 96);
  return written;
}

/** The same, of rows that lie at `kept` and of which those that moved or were touched are reported. */
function reportChanged(job: usize, slot: u32, slotEnd: u32, kept: usize, written: u32): u32 {
  const sizeOf = <usize>load<u32>(job, 8);
  const idOf = <usize>load<u32>(job, 24);
  const pending = <usize>load<u32>(job, 28);
  const watchers = <usize>load<u32>(job, 32);
  const offsets = <usize>load<u32>(job, 36);
  const markers = <usize>load<u32>(job, 40);
  let rows = load<u32>(job, 96);
  let at = kept;
  for (let s = slot; s < slotEnd; s++) {
    const before = written;
    const rowEnd = at + ((<usize>wordAt(sizeOf, s)) << 2);
    for (; at < rowEnd; at += 4) {
      const id = load<u32>(at);
      setWord(markers, written, id);
      written += <u32>((load<u8>(pending + <usize>(id >>> 10)) & REPORTED) != 0);
    }
    setWord(watchers, rows, wordAt(idOf, s));
    setWord(offsets, rows, before);
    rows += <u32>(written != before);
  }
  store<u32>(job, rows, 96);
  return written;
}

/**
 * Copies a block from `begin` to `end`, an address each, to `kept`, without those who left by the rows `first` to `next` of the
 * report; sizes become those of what is kept.
 */
function takeOutLeft(job: usize, first: u32, next: u32, begin: usize, end: usize, kept: usize): void {
  const startOf = <usize>load<u32>(job, 4);
  const sizeOf = <usize>load<u32>(job, 8);
  const pool = <usize>load<u32>(job, 16);
  const watchers = <usize>load<u32>(job + LEFT, 4);
  const offsets = <usize>load<u32>(job + LEFT, 8);
  const markers = <usize>load<u32>(job + LEFT, 12);
  let from = begin;
  let to = kept;
  for (let row = first; row < next; row++) {
    const who = wordAt(watchers, row) >>> 10;
    const rowBegin = pool + ((<usize>wordAt(startOf, who)) << 2);
    // A row that has lost some already ends where it did.
    const rowEnd = ((who + 1) & (BLOCK_SLOTS - 1)) == 0 ? end : pool + ((<usize>wordAt(startOf, who + 1)) << 2);
    // Who keeps no row.
    if (rowBegin == rowEnd) continue;
    let lost: u32 = 0;
    for (let i = wordAt(offsets, row); i < wordAt(offsets, row + 1); i++) {
      const id = wordAt(markers, i);
      const at = firstFrom(rowBegin, rowEnd, id);
      // A row of a forged snapshot may lack it.
      if (at == rowEnd || load<u32>(at) != id) continue;
      copyWords(to, from, at);
      to += at - from;
      from = at + 4;
      lost++;
    }
    setWord(sizeOf, who, wordAt(sizeOf, who) - lost);
  }
  copyWords(to, from, end);
}

/**
 * Writes what was kept back to the block of `slot`, with those who entered by the rows `first` to `next` of the report; sets
 * starts and sizes. Answers the relations of the block.
 */
function putInEntered(job: usize, slot: u32, first: u32, next: u32, kept: usize): u32 {
  const startOf = <usize>load<u32>(job, 4);
  const sizeOf = <usize>load<u32>(job, 8);
  const keeps = <usize>load<u32>(job, 12);
  const watchers = <usize>load<u32>(job + ENTERED, 4);
  const offsets = <usize>load<u32>(job + ENTERED, 8);
  const markers = <usize>load<u32>(job + ENTERED, 12);
  const start = wordAt(startOf, slot);
  // Where rows begin in what was kept, until the new starts are known.
  const keptSize = chainRows(startOf, sizeOf, slot, 0);
  let from = kept;
  let to = <usize>load<u32>(job, 16) + ((<usize>start) << 2);
  for (let row = first; row < next; row++) {
    const who = wordAt(watchers, row) >>> 10;
    if (load<u8>(keeps + <usize>who) == 0) continue;
    const size = wordAt(sizeOf, who);
    const rowBegin = kept + ((<usize>wordAt(startOf, who)) << 2);
    const rowEnd = rowBegin + ((<usize>size) << 2);
    let gained: u32 = 0;
    for (let i = wordAt(offsets, row); i < wordAt(offsets, row + 1); i++) {
      const id = wordAt(markers, i);
      const at = firstFrom(rowBegin, rowEnd, id);
      // Or a row of a forged snapshot has it already.
      if (at < rowEnd && load<u32>(at) == id) continue;
      copyWords(to, from, at);
      to += at - from;
      store<u32>(to, id);
      to += 4;
      from = at;
      gained++;
    }
    setWord(sizeOf, who, size + gained);
  }
  copyWords(to, from, kept + ((<usize>keptSize) << 2));
  return chainRows(startOf, sizeOf, slot, start) - start;
}

function chainRows(startOf: usize, sizeOf: usize, slot: u32, start: u32): u32 {
  for (let s = slot; s < slot + BLOCK_SLOTS; s++) {
    setWord(startOf, s, start);
    start += wordAt(sizeOf, s);
  }
  return start;
}

/**
 * Copies the words from `from` to `end`, and up to 31 more, so that only the end of the loop is a branch to be guessed: what
 * follows is written later, or is spare.
 */
function copyWords(to: usize, from: usize, end: usize): void {
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
 * The first place of an ascending row with no less than `least`. What is left of a row when it is short is counted through:
 * a search would wait for memory at each of its steps, and guess wrong how many there are.
 */
// @ts-ignore: decorator
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

/** How many of so many ascending words are below `least`; `COUNTED` are looked at, be they of the row or not. */
function countBelow(row: usize, size: u32, least: u32): u32 {
  const leasts = i32x4.splat(least);
  const notBelow = notBelowBits(row, leasts) | (notBelowBits(row + 64, leasts) << 16) | (notBelowBits(row + 128, leasts) << 32);
  return min(size, <u32>ctz(notBelow | (1 << 48)));
}

/** A bit for each of sixteen words. */
// @ts-ignore: decorator
@inline
function notBelowBits(row: usize, leasts: v128): u64 {
  return <u64>bitsOf(
    i32x4.ge_u(v128.load(row), leasts), i32x4.ge_u(v128.load(row, 16), leasts),
    i32x4.ge_u(v128.load(row, 32), leasts), i32x4.ge_u(v128.load(row, 48), leasts),
  );
}
