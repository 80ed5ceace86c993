// Rows of crowded watchers as bits over the blocks near them: part of what ../seat-blocks.ts draws.
import { column, setWord, word, wordAt } from './job';
import {
  AS_BITS, BLOCK_GROUPS, BLOCK_PLACES, BLOCK_SIZE, BLOCK_TABLE, BOX_BYTES, DRIFT, GROUPS, GROUP_CAPACITY, GROUP_COUNT, LENT,
  MOST_NEAR, NODE_STACK, NOWHERE, PACKING, PAIR_MARKER, PAIR_SIZE, PAIR_START, SLOT_COUNT, STEP, TREE_COUNT, TREE_SLOT,
  UNSORTED,
} from './crowd-job';
import { ROUNDED, VANISHING_SQUARED } from './crowd-rounding';
import { begins, boxes, childrenOf, slots, squaredGap } from './crowd-tree';

export let places: usize = 0;
/** Of the group at hand: the blocks near it, and how many. */
export let list: usize = 0;
export let listCount: u32 = 0;
let lent: usize = 0;
let groups: usize = 0;
let groupCount: u32 = 0;
let groupCapacity: u32 = 0;
let blockGroups: usize = 0;
let table: usize = 0;
let drift: f32 = 0;
/** How much farther lists look than needed. */
let skin: f32 = 0;
let starts: usize = 0;
let sizes: usize = 0;
let markers: usize = 0;
let stack: usize = 0;

/** Ticks like the last for which a list should last; and how much farther than needed it looks for that, at most. */
const LASTING: f32 = 4;
const WIDEST: f32 = 0.25;
/** A group: how many blocks are listed, how far the list is good for, the list, the bits of its watchers. */
const GROUP_BYTES: usize = 2320;
const REACH: usize = 4;
const LIST: usize = 16;
const ROWS: usize = 272;
/** A block, and a vector that may be written behind it. */
const AT_ONCE: usize = 80;
/** The bits of one watcher. */
const ROW_BYTES: usize = 128;

/** The group at hand; 0 while a block has none. */
let group: usize = 0;

/** Takes up the job's columns, those of the tree having been. */
export function takeBlocks(job: usize): void {
  places = column(job, BLOCK_PLACES);
  lent = column(job, LENT);
  groups = column(job, GROUPS);
  groupCount = word(job, GROUP_COUNT);
  groupCapacity = word(job, GROUP_CAPACITY);
  blockGroups = column(job, BLOCK_GROUPS);
  table = column(job, BLOCK_TABLE);
  drift = load<f32>(job + DRIFT);
  skin = load<f32>(job + STEP) * LASTING;
  starts = column(job, PAIR_START);
  sizes = column(job, PAIR_SIZE);
  markers = column(job, PAIR_MARKER);
  stack = column(job, NODE_STACK);
}

export function giveBlocks(job: usize): void {
  store<u32>(job + GROUP_COUNT, groupCount);
}

/** Another order of the markers: says where each is, and that nothing is known of what is near. */
export function openBlocks(job: usize, count: u32): void {
  const places = column(job, BLOCK_PLACES);
  memory.fill(places, 255, <usize>word(job, SLOT_COUNT) << 2);
  for (let i: u32 = 0; i < count; i++) setWord(places, wordAt(slots, i), i);
  store<u32>(job + GROUP_COUNT, 0);
  memory.fill(column(job, BLOCK_GROUPS), 0, <usize>((count + BLOCK_SIZE - 1) / BLOCK_SIZE) << 2);
}

/** Gives all rows that are held as bits back to the pairs, in no order: before markers are put in another order. */
export function restRows(job: usize): void {
  if (column(job, GROUPS) == 0) return;
  takeBlocks(job);
  const slots_ = column(job, TREE_SLOT);
  const count = word(job, TREE_COUNT);
  const packing = job + PACKING;
  for (let place: u32 = 0; place < count; place++) {
    const slot = wordAt(slots_, place);
    if (load<u8>(lent + slot) != AS_BITS) continue;
    store<u8>(lent + slot, UNSORTED);
    let to = markers + (<usize>wordAt(starts, slot) << 2);
    const end = to + (<usize>wordAt(sizes, slot) << 2);
    const group = groupOf(place / BLOCK_SIZE);
    const own = group + ROWS + <usize>(place % BLOCK_SIZE) * ROW_BYTES;
    const nearCount = load<u32>(group);
    for (let k: u32 = 0; k < nearCount; k++) {
      const first = wordAt(group + LIST, k) * BLOCK_SIZE;
      const held = <u32>load<u16>(own + (<usize>k << 1));
      if (held == 0) continue;
      const block = slots_ + (<usize>first << 2);
      if (to + AT_ONCE > end) {
        to = putEach(to, block, held);
        continue;
      }
      // Of each four those that are held come to the front; what is written behind them is written over.
      to = putHeld(to, v128.load(block), held & 15, packing);
      to = putHeld(to, v128.load(block, 16), (held >>> 4) & 15, packing);
      to = putHeld(to, v128.load(block, 32), (held >>> 8) & 15, packing);
      to = putHeld(to, v128.load(block, 48), held >>> 12, packing);
    }
  }
}

/** As four times `putHeld`, near the end of a row. */
function putEach(to: usize, block: usize, held: u32): usize {
  for (let rest = held; rest != 0; rest &= rest - 1) {
    store<u32>(to, wordAt(block, ctz(rest)));
    to += 4;
  }
  return to;
}

// @ts-ignore: decorator
@inline
function putHeld(to: usize, four: v128, held: u32, packing: usize): usize {
  v128.store(to, i8x16.swizzle(four, v128.load(packing + (<usize>held << 4))));
  return to + (<usize>popcnt(held) << 2);
}

/** The group of a block's watchers; 0 where it has none. */
// @ts-ignore: decorator
@inline
function groupOf(block: u32): usize {
  const number = wordAt(blockGroups, block);
  return number == 0 ? 0 : groups + <usize>(number - 1) * GROUP_BYTES;
}

/** The bits of the watcher at that place of the tree. */
// @ts-ignore: decorator
@inline
export function bitsAt(place: u32): usize {
  return groupOf(place / BLOCK_SIZE) + ROWS + <usize>(place % BLOCK_SIZE) * ROW_BYTES;
}

// @ts-ignore: decorator
@inline
export function isAsBits(slot: u32): bool {
  return load<u8>(lent + slot) == AS_BITS;
}

function takeGroup(block: u32): void {
  group = groupOf(block);
  list = group + LIST;
  listCount = group == 0 ? 0 : load<u32>(group);
}

/** Takes the list that a group has; false when not all who may come as near as `reach` are in it. */
export function takeList(block: u32, reach: f32): bool {
  takeGroup(block);
  return listCount > 0 && (reach + drift) * ROUNDED <= load<f32>(group, REACH);
}

/**
 * Adds to a group's list the blocks that come as near as `reach`, and somewhat farther, so that it lasts; to be followed by
 * `closeList`. None is taken out of it until the tree is planted anew: bits stay where they are. False when it is too long, or
 * there is no room for another group.
 */
export function openList(node: u32, block: u32, reach: f32): bool {
  takeGroup(block);
  if (group == 0 && !addGroup(block)) return false;
  for (let k: u32 = 0; k < listCount; k++) setWord(table, wordAt(list, k), k + 1);
  const farther = reach + min(skin, reach * WIDEST);
  if (!addNear(node, farther * farther + VANISHING_SQUARED)) {
    closeList();
    return false;
  }
  store<f32>(group, farther + drift, REACH);
  return true;
}

function addNear(node: u32, squared: f32): bool {
  const leafBox = boxes + (<usize>node) * BOX_BYTES;
  const least = v128.load(leafBox);
  const greatest = v128.load(leafBox, 16);
  let depth: u32 = 1;
  setWord(stack, 0, 0);
  while (depth > 0) {
    const other = wordAt(stack, --depth);
    if (squaredGap(other, least, greatest) > squared) continue;
    const left = childrenOf(other);
    if (left == 0) {
      if (placeInList(wordAt(begins, other) / BLOCK_SIZE) == 0) return false;
    } else {
      setWord(stack, depth++, left + 1);
      setWord(stack, depth++, left);
    }
  }
  return true;
}

/** Where a block is in the list, from 1 on: at its end, if it was not in it; 0 where there is no room. */
// @ts-ignore: decorator
@inline
function placeInList(block: u32): u32 {
  const known = wordAt(table, block);
  if (known != 0) return known;
  if (listCount == MOST_NEAR) return 0;
  setWord(list, listCount++, block);
  setWord(table, block, listCount);
  return listCount;
}

/** Begins a group for a block's watchers; false when there is no room for it. */
function addGroup(block: u32): bool {
  if (groupCount == groupCapacity) return false;
  setWord(blockGroups, block, ++groupCount);
  takeGroup(block);
  store<u32>(group, 0);
  // Good for nothing yet.
  store<f32>(group, -1, REACH);
  listCount = 0;
  return true;
}

/** Holds a row as bits, in a list that is open; false when somebody in it is in no block, or in one too many. */
export function lendRow(slot: u32, place: u32): bool {
  const own = bitsAt(place);
  const nobody = i16x8.splat(0);
  for (let at: usize = 0; at < ROW_BYTES; at += 16) v128.store(own + at, nobody);
  const row = markers + (<usize>wordAt(starts, slot) << 2);
  const size = wordAt(sizes, slot);
  for (let i: u32 = 0; i < size; i++) {
    const there = wordAt(places, wordAt(row, i));
    if (there == NOWHERE) return false;
    const k = placeInList(there / BLOCK_SIZE);
    if (k == 0) return false;
    const at = own + (<usize>(k - 1) << 1);
    store<u16>(at, load<u16>(at) | (<u16>1 << <u16>(there % BLOCK_SIZE)));
  }
  store<u8>(lent + slot, AS_BITS);
  return true;
}

/** Keeps the list; whoever reads the table next must know nothing. */
export function closeList(): void {
  store<u32>(group, listCount);
  for (let k: u32 = 0; k < listCount; k++) setWord(table, wordAt(list, k), 0);
}
