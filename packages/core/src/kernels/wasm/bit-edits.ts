// Seats that change hands in rows that are held as bits: part of what ../seat-blocks.ts draws.
import { column, setWord, word, wordAt } from './job';
import {
  BIT_EDIT_COUNT, EDITS, EDIT_BYTES, EDIT_COUNT, EDIT_END, FIRST_EDIT, GROUPS, SEATED_BIT, SLOT_COUNT, STANDING, TOLD,
  TOLD_WORDS,
} from './crowd-job';
import { PLACE_WIDTH } from './block-frame';
import { gathered, placeOf, window } from './block-scan';
import { putInOrder } from './crowd-edits';
import { changeCount } from './crowd-settle';
import { slots } from './crowd-tree';

export let editCount: u32 = 0;
let edits: usize = 0;
let groups: usize = 0;
/** The first bit of the watcher at hand. */
let rowBits: u32 = 0;
let firsts: usize = 0;
let lasts: usize = 0;

/** Takes up the job's columns. */
export function takeEdits(job: usize): void {
  edits = column(job, EDITS);
  groups = column(job, GROUPS);
  editCount = word(job, EDIT_COUNT);
  firsts = column(job, FIRST_EDIT);
  lasts = column(job, EDIT_END);
}

/** To be followed by `turnBits` when the tick stands. */
export function giveEdits(job: usize): void {
  store<u32>(job + EDIT_COUNT, editCount);
  store<u32>(job + BIT_EDIT_COUNT, editCount);
}

/** Writes down those who change, by ascending slot: as crossings, and where their bits are. `own`: the watcher's bits. */
export function writeEdits(watcher: u32, own: usize): void {
  rowBits = <u32>(own - groups) << 3;
  const first = edits + <usize>editCount * EDIT_BYTES;
  const count = changeCount;
  setWord(firsts, watcher, editCount);
  editCount += count;
  setWord(lasts, watcher, editCount);
  if (count <= 8) {
    writeEight(first, watcher, count);
    return;
  }
  let end = first;
  for (let i: u32 = 0; i < count; i++) {
    const entry = wordAt(window, i);
    putInOrder(first, end, keyOf(watcher, load<u32>(slots + placeOf(entry)), entry), bitOf(entry));
    end += EDIT_BYTES;
  }
}

/** As `writeEdits`, by counting who comes before each; what is written behind the last is written over. */
function writeEight(first: usize, watcher: u32, count: u32): void {
  const window_ = window;
  const last = i32x4.splat(<i32>count - 1);
  const behind = i32x4.splat(0x7fffffff);
  // Slots have 22 bits: who is behind the last comes after all.
  const a = v128.or(markersAt(window_), v128.and(i32x4.gt_s(i32x4(0, 1, 2, 3), last), behind));
  let before = countBefore(a, a);
  if (count <= 4) {
    putFour(first, watcher, window_, a, before);
    return;
  }
  const b = v128.or(markersAt(window_ + 16), v128.and(i32x4.gt_s(i32x4(4, 5, 6, 7), last), behind));
  before = i32x4.add(before, countBefore(a, b));
  const beforeB = i32x4.add(countBefore(b, a), countBefore(b, b));
  putFour(first, watcher, window_ + 16, b, beforeB);
  putFour(first, watcher, window_, a, before);
}

/** Of four that are listed one after the other: their slots. */
// @ts-ignore: decorator
@inline
function markersAt(listed: usize): v128 {
  return gathered(
    slots, placeOf(load<u32>(listed)), placeOf(load<u32>(listed, 4)), placeOf(load<u32>(listed, 8)), placeOf(load<u32>(listed, 12)),
  );
}

/** How many of four others come before each of four. */
// @ts-ignore: decorator
@inline
function countBefore(own: v128, others: v128): v128 {
  const a = i32x4.gt_s(own, v128.shuffle<i32>(others, others, 0, 0, 0, 0));
  const b = i32x4.gt_s(own, v128.shuffle<i32>(others, others, 1, 1, 1, 1));
  const c = i32x4.gt_s(own, v128.shuffle<i32>(others, others, 2, 2, 2, 2));
  const d = i32x4.gt_s(own, v128.shuffle<i32>(others, others, 3, 3, 3, 3));
  return i32x4.neg(i32x4.add(i32x4.add(a, b), i32x4.add(c, d)));
}

/** Those behind the last come behind all others, in one place, where the next watcher's edits will be. */
// @ts-ignore: decorator
@inline
function putFour(first: usize, watcher: u32, listed: usize, markers: v128, before: v128): void {
  putEdit(first, watcher, load<u32>(listed), i32x4.extract_lane(markers, 0), i32x4.extract_lane(before, 0));
  putEdit(first, watcher, load<u32>(listed, 4), i32x4.extract_lane(markers, 1), i32x4.extract_lane(before, 1));
  putEdit(first, watcher, load<u32>(listed, 8), i32x4.extract_lane(markers, 2), i32x4.extract_lane(before, 2));
  putEdit(first, watcher, load<u32>(listed, 12), i32x4.extract_lane(markers, 3), i32x4.extract_lane(before, 3));
}

// @ts-ignore: decorator
@inline
function putEdit(first: usize, watcher: u32, entry: u32, marker: u32, before: u32): void {
  const at = first + <usize>before * EDIT_BYTES;
  store<u64>(at, keyOf(watcher, marker, entry));
  store<u32>(at, bitOf(entry), 8);
}

// @ts-ignore: decorator
@inline
function keyOf(watcher: u32, marker: u32, entry: u32): u64 {
  const low = (marker << 20) | ((entry & SEATED_BIT) != 0 ? 1 : 256);
  return ((<u64>watcher << 10) | <u64>(marker >>> 12)) << 32 | <u64>low;
}

/** Where its bit is, of all there are. */
// @ts-ignore: decorator
@inline
function bitOf(entry: u32): u32 {
  return rowBits + (((entry & ~SEATED_BIT) >>> PLACE_WIDTH) << 4) + (entry & 15);
}

/** Carries out in bits what was decided. */
export function turnBits(job: usize): void {
  const groups = column(job, GROUPS);
  const edits_ = column(job, EDITS);
  const end = edits_ + <usize>word(job, BIT_EDIT_COUNT) * EDIT_BYTES;
  for (let edit = edits_; edit < end; edit += EDIT_BYTES) {
    const bit = load<u32>(edit, 8);
    const at = groups + (<usize>(bit >>> 4) << 1);
    store<u16>(at, load<u16>(at) ^ (<u16>1 << <u16>(bit & 15)));
  }
}

/** Writes the crossings of those that are `TOLD`, by ascending watcher; answers how many they are. */
export function tellBits(job: usize): u32 {
  const standing_ = column(job, STANDING);
  takeEdits(job);
  const edits_ = edits;
  const words = column(job, TOLD_WORDS);
  const slotCount = word(job, SLOT_COUNT);
  let to = words;
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    if (load<u8>(standing_ + slot) != TOLD) continue;
    const end = edits_ + <usize>wordAt(lasts, slot) * EDIT_BYTES;
    for (let edit = edits_ + <usize>wordAt(firsts, slot) * EDIT_BYTES; edit < end; edit += EDIT_BYTES) {
      store<u64>(to, load<u64>(edit));
      to += 8;
    }
  }
  return <u32>((to - words) >>> 3);
}
