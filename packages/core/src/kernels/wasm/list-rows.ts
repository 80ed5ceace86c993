// See ../layouts/list-rows.ts, which draws the job.
import { MOVED, TOUCHED } from '../layouts/pending-bits';
import { LISTED, LISTED_COUNT, RATED } from '../layouts/list-rows';
import { column, setWord, word, wordAt } from './job';
import { closeRated, isAtRates, listDue, openRated } from './report-rated';

const REPORTED: u32 = MOVED | TOUCHED;

// Shared by the functions of one call; set by open.
let first: usize = 0;
let startOf: usize = 0;
let sizeOf: usize = 0;
let idOf: usize = 0;
let pending: usize = 0;
let watchers: usize = 0;
let offsets: usize = 0;
let markers: usize = 0;
let rows: u32 = 0;
let count: u32 = 0;

function open(job: usize): void {
  startOf = <usize>load<u32>(job, 4);
  sizeOf = <usize>load<u32>(job, 8);
  first = <usize>load<u32>(job, 12);
  idOf = <usize>load<u32>(job, 16);
  pending = <usize>load<u32>(job, 20);
  watchers = <usize>load<u32>(job, 24);
  offsets = <usize>load<u32>(job, 28);
  markers = <usize>load<u32>(job, 32);
  rows = 0;
  count = 0;
}

/** The next slot with a row, or `slots`. Many slots (things) have none: these start where the next row does. */
function firstFrom(from: u32, slots: u32): u32 {
  const start = wordAt(startOf, from);
  let slot = from;
  for (let step: u32 = 1; step > 0; ) {
    if (slot + step <= slots && wordAt(startOf, slot + step) == start) {
      slot += step;
      step <<= 1;
    } else step >>= 1;
  }
  return slot;
}

export function listRows(job: usize): u32 {
  const slots = load<u32>(job);
  open(job);
  let slot: u32 = 0;
  while (slot < slots) {
    slot = firstFrom(slot, slots);
    if (slot == slots) break;
    setWord(watchers, rows, wordAt(idOf, slot));
    setWord(offsets, rows, wordAt(startOf, slot));
    rows += <u32>(wordAt(sizeOf, slot++) != 0);
  }
  setWord(offsets, rows, wordAt(startOf, slots));
  return rows;
}

export function listChanged(job: usize): u32 {
  open(job);
  openRated(column(job, RATED));
  const slots = load<u32>(job);
  const listed = column(job, LISTED);
  if (listed == 0) {
    for (let slot = firstFrom(0, slots); slot < slots; slot = firstFrom(slot + 1, slots)) listRow(slot);
  } else {
    const listedCount = word(job, LISTED_COUNT);
    for (let i: u32 = 0; i < listedCount; i++) {
      const slot = wordAt(listed, i);
      if (slot < slots) listRow(slot);
    }
  }
  setWord(offsets, rows, count);
  closeRated();
  return rows;
}

/** Appends those of a row's markers that moved or were touched, or that are due where the watcher gets its updates at rates. */
@inline
function listRow(slot: u32): void {
  const before = count;
  const start = wordAt(startOf, slot);
  const size = wordAt(sizeOf, slot);
  let at = first + (<usize>start << 2);
  const rowEnd = at + (<usize>size << 2);
  if (isAtRates(slot)) count = listDue(slot, at, start, size, markers, count);
  else {
    for (; at < rowEnd; at += 4) {
      const id = load<u32>(at);
      setWord(markers, count, id);
      count += <u32>((load<u8>(pending + <usize>(id >>> 10)) & REPORTED) != 0);
    }
  }
  setWord(watchers, rows, wordAt(idOf, slot));
  setWord(offsets, rows, before);
  rows += <u32>(count != before);
}
