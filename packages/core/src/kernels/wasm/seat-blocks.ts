// What ../seat-blocks.ts draws: it has no like in TypeScript.
import { column, floatAt, setFloat, wordAt, word } from './job';
import {
  ASKED, ASKED_COUNT, BLOCK_SIZE, BORDERS, DECIDED, EDIT_CAPACITY, HAS_PILES, LEAF_COUNT, LEAVES, REMEMBERS, STANDING, TOLD,
} from './crowd-job';
import { editCount, giveEdits, takeEdits, writeEdits } from './bit-edits';
import { frame, KEPT, openFrame, takeFrame } from './block-frame';
import { bitsAt, closeList, giveBlocks, isAsBits, lendRow, openList, takeBlocks, takeList } from './block-rows';
import { findBorder, takeWatcher, takeWindow } from './block-scan';
import { SLACK } from './crowd-rounding';
import { GUESS } from './crowd-search';
import { FEW } from './crowd-settle';
import { begins, closeTree, ends, openTree, slots } from './crowd-tree';
import {
  cap, dwell, factor, margin, openWatchers, reachSquared, ruleBits, size, takeUp, worstRank,
} from './crowd-watcher';

/** Greater bonuses leave too few steps for distances in sixteen bits. */
const LEAST_FACTOR: f32 = 0.4;

let borders: usize = 0;
let standing: usize = 0;
let askedCount: u32 = 0;

export function seatBlocks(job: usize, from: u32): u32 {
  const leafCount = word(job, LEAF_COUNT);
  if (word(job, HAS_PILES) != 0) return leafCount;
  openTree(job);
  takeBlocks(job);
  openWatchers(job);
  takeFrame(job);
  takeWindow(job);
  takeEdits(job);
  borders = column(job, BORDERS);
  standing = column(job, STANDING);
  askedCount = word(job, ASKED_COUNT);
  const capacity = word(job, EDIT_CAPACITY);
  const leaves = column(job, LEAVES);
  let leaf = from;
  while (leaf < leafCount && editCount + BLOCK_SIZE * FEW <= capacity) seatGroup(wordAt(leaves, leaf++));
  closeTree(job);
  giveBlocks(job);
  giveEdits(job);
  store<u32>(job + ASKED_COUNT, askedCount);
  return leaf;
}

/** Decides the watchers of a block that can be. */
function seatGroup(node: u32): void {
  const begin = wordAt(begins, node);
  const end = wordAt(ends, node);
  let cover: f32 = 0;
  let least: f32 = 1;
  let isAnyInRow = false;
  // A bit each.
  let simple: u32 = 0;
  for (let place = begin; place < end; place++) {
    const slot = wordAt(slots, place);
    if (load<u8>(standing + slot) != ASKED || !takeUp(slot) || !isSimple()) continue;
    let last = floatAt(borders, slot);
    if (last == 0 && !isAsBits(slot)) {
      // Seats are likely to end where the worst of those seated stands.
      last = worstRank();
      setFloat(borders, slot, last);
    }
    cover = max(cover, last * GUESS);
    least = min(least, factor);
    simple |= 1 << (place - begin);
    if (!isAsBits(slot)) isAnyInRow = true;
    keep(place - begin);
  }
  if (simple == 0 || !(cover < Infinity)) return;
  if (isAnyInRow || !takeList(begin / BLOCK_SIZE, cover * SLACK)) {
    simple = listNear(node, begin, cover * SLACK, simple);
    if (simple == 0) return;
  }
  if (!openFrame(node, cover / least)) return;
  for (let rest = simple; rest != 0; rest &= rest - 1) {
    const place = begin + ctz(rest);
    const slot = wordAt(slots, place);
    const kept = frame + KEPT + (<usize>ctz(rest) << 4);
    takeWatcher(place, load<f32>(kept), load<f32>(kept, 4), load<u32>(kept, 8));
    if (!findBorder(slot, cover)) continue;
    writeEdits(slot, bitsAt(place));
    askedCount--;
    store<u8>(standing + slot, <u8>((load<u32>(kept, 12) & REMEMBERS) != 0 ? DECIDED : TOLD));
  }
}

/** Keeps what is known of the watcher taken up, the nth of its group. */
// @ts-ignore: decorator
@inline
function keep(n: u32): void {
  const kept = frame + KEPT + (<usize>n << 4);
  store<f32>(kept, factor);
  store<f32>(kept, reachSquared, 4);
  store<u32>(kept, size, 8);
  store<u32>(kept, ruleBits, 12);
}

/** Brings the list of a group up to date, and holds the rows of those that are simple as bits; answers who of them could be. */
function listNear(node: u32, begin: u32, reach: f32, simple: u32): u32 {
  if (!openList(node, begin / BLOCK_SIZE, reach)) return 0;
  let able = simple;
  for (let rest = simple; rest != 0; rest &= rest - 1) {
    const place = begin + ctz(rest);
    const slot = wordAt(slots, place);
    if (!isAsBits(slot) && !lendRow(slot, place)) able &= ~(1 << ctz(rest));
  }
  closeList();
  return able;
}

/** Whether nothing but distance decides for the watcher at hand, all of whose seats are taken. */
// @ts-ignore: decorator
@inline
function isSimple(): bool {
  return cap == size && size > 0 && dwell == 0 && (ruleBits & ~REMEMBERS) == 0 && margin == 0 && factor >= LEAST_FACTOR;
}
