// See ../layouts/list-rows.ts, which draws the job.
import { MOVED, TOUCHED } from '../layouts/pending-bits';
import { setWord, wordAt } from './job';

const REPORTED: u32 = MOVED | TOUCHED;

/** The next slot with a row, or `slots`. Many slots (things) have none: these start where the next row does. */
function firstFrom(from: u32, slots: u32, startOf: usize): u32 {
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
  const startOf = <usize>load<u32>(job, 4);
  const sizeOf = <usize>load<u32>(job, 8);
  const idOf = <usize>load<u32>(job, 16);
  const watchers = <usize>load<u32>(job, 24);
  const offsets = <usize>load<u32>(job, 28);
  let rows: u32 = 0;
  let slot: u32 = 0;
  while (slot < slots) {
    slot = firstFrom(slot, slots, startOf);
    if (ASC_FEATURE_SIMD) {
      // Nearly all slots have rows here, so four are written at once.
      for (; slot + 4 <= slots && i32x4.all_true(v128.load(sizeOf + (<usize>slot << 2))); slot += 4, rows += 4) {
        v128.store(watchers + (<usize>rows << 2), v128.load(idOf + (<usize>slot << 2)));
        v128.store(offsets + (<usize>rows << 2), v128.load(startOf + (<usize>slot << 2)));
      }
    }
    if (slot == slots) break;
    setWord(watchers, rows, wordAt(idOf, slot));
    setWord(offsets, rows, wordAt(startOf, slot));
    rows += <u32>(wordAt(sizeOf, slot++) != 0);
  }
  setWord(offsets, rows, wordAt(startOf, slots));
  return rows;
}

export function listChanged(job: usize): u32 {
  const slots = load<u32>(job);
  const startOf = <usize>load<u32>(job, 4);
  const sizeOf = <usize>load<u32>(job, 8);
  const idOf = <usize>load<u32>(job, 16);
  const pending = <usize>load<u32>(job, 20);
  const watchers = <usize>load<u32>(job, 24);
  const offsets = <usize>load<u32>(job, 28);
  const markers = <usize>load<u32>(job, 32);
  let at = <usize>load<u32>(job, 12);
  let rows: u32 = 0;
  let count: u32 = 0;
  for (let slot = firstFrom(0, slots, startOf); slot < slots; slot = firstFrom(slot + 1, slots, startOf)) {
    const before = count;
    const rowEnd = at + ((<usize>wordAt(sizeOf, slot)) << 2);
    for (; at < rowEnd; at += 4) {
      const id = load<u32>(at);
      setWord(markers, count, id);
      count += <u32>((load<u8>(pending + <usize>(id >>> 10)) & REPORTED) != 0);
    }
    setWord(watchers, rows, wordAt(idOf, slot));
    setWord(offsets, rows, before);
    rows += <u32>(count != before);
  }
  setWord(offsets, rows, count);
  return rows;
}
