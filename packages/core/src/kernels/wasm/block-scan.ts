// Who may change in the row of the watcher at hand, and where its seats end: part of what ../seat-blocks.ts draws.
import { column, floatAt, setFloat, setWord, wordAt } from './job';
import { BORDERS, WINDOW } from './crowd-job';
import {
  AXIS_BYTES, certainlyNearer, certainlyNotFarther, FIRSTS, frame, GREATESTS, LEASTS, middleX, middleY, middleZ, PLACE_WIDTH,
  stepsOfOne,
} from './block-frame';
import { bitsAt, listCount } from './block-rows';
import { SLACK } from './crowd-rounding';
import { high, low, MOVED, moveWindow, openWindow, OUT_OF_COVER } from './crowd-search';
import { FEW, lastRank, settleFew, settleVeryFew, VERY_FEW } from './crowd-settle';
import { is3D, treeX, treeY, treeZ } from './crowd-tree';

/** The first window about where seats ended last, to either side. */
const NARROW: f32 = 1.0 / 48.0;
/** So often it moves, at most. */
const MOST_WINDOWS: u32 = 16;
/** In the window, behind those listed: their ranks. */
const LISTED_RANKS: usize = 256;
/** Behind those: blocks in which somebody may change, with who of them, and who of them is in the row. */
const FOUND: usize = 512;
const PLACE_BITS: u32 = (1 << PLACE_WIDTH) - 1;

/** Who is listed; once settled, who changes. */
export let window: usize = 0;
let borders: usize = 0;

// Of the watcher at hand: its place in the tree, and where; its bits; what its bonus leaves of a distance; its seats.
let self: u32 = 0;
let atX: f32 = 0;
let atY: f32 = 0;
let atZ: f32 = 0;
let own: usize = 0;
let bonus: f32 = 1;
let seats: u32 = 0;
let farthestSquared: f32 = 0;
let windowCount: u32 = 0;
let stayCount: u32 = 0;
let belowCount: u32 = 0;
let seatedBits: u32 = 0;

/** Takes up the job's columns. */
export function takeWindow(job: usize): void {
  window = column(job, WINDOW);
  borders = column(job, BORDERS);
}

/** The watcher at a place of the tree is at hand; `factor`: what its bonus leaves of a distance. */
export function takeWatcher(place: u32, factor: f32, reachSquared: f32, cap: u32): void {
  self = place;
  own = bitsAt(place);
  atX = floatAt(treeX, place);
  atY = floatAt(treeY, place);
  if (is3D) atZ = floatAt(treeZ, place);
  bonus = factor;
  farthestSquared = reachSquared;
  seats = cap;
}

/** Finds where the seats end, and leaves in the window those who change; false when that is not so simple. */
export function findBorder(slot: u32, cover: f32): bool {
  const last = floatAt(borders, slot);
  const farthest = (cover / bonus) * SLACK;
  if (!(farthest * farthest < farthestSquared)) return false;
  openWindow(last, NARROW, cover);
  for (let attempt: u32 = 0; attempt < MOST_WINDOWS; attempt++) {
    scan(low, high);
    if (windowCount > FEW) return false;
    const within = rankListed(low, high);
    const where = moveWindow(belowCount, within, seats);
    if (where == OUT_OF_COVER) return false;
    if (where == MOVED) continue;
    const ranks = window + LISTED_RANKS;
    const need = seats - stayCount;
    const isSettled = windowCount <= VERY_FEW
      ? settleVeryFew(window, ranks, need, seatedBits, low)
      : settleFew(window, ranks, windowCount, need, seatedBits, low);
    if (!isSettled) return false;
    setFloat(borders, slot, lastRank);
    return true;
  }
  return false;
}

/**
 * Counts those of the row who rank below `low` for certain, and lists the others of it, and who else may rank no higher than
 * `high`: whoever may change is among these. By distances in steps of the frame, eight at a time.
 */
function scan(low: f32, high: f32): void {
  const nearer = certainlyNearer(low / bonus);
  const notFarther = certainlyNotFarther(high);
  const fromX = stepsOfOne(atX, middleX);
  const fromY = stepsOfOne(atY, middleY);
  const isSpace = is3D;
  const fromZ = isSpace ? stepsOfOne(atZ, middleZ) : fromX;
  const window_ = window;
  const bits_ = own;
  const frame_ = frame;
  const firsts_ = frame + FIRSTS;
  let found = window_ + FOUND;
  let stay: u32 = 0;
  let count: u32 = 0;
  for (let needed = blocksWithin(notFarther, fromX, fromY, fromZ); needed != 0; needed &= needed - 1) {
    const k = <u32>ctz(needed);
    const at = frame_ + (<usize>k << 5);
    let squaresA = i16x8.add_sat_s(squaresOn(at, fromX), squaresOn(at + AXIS_BYTES, fromY));
    let squaresB = i16x8.add_sat_s(squaresOn(at + 16, fromX), squaresOn(at + AXIS_BYTES + 16, fromY));
    if (isSpace) {
      squaresA = i16x8.add_sat_s(squaresA, squaresOn(at + 2 * AXIS_BYTES, fromZ));
      squaresB = i16x8.add_sat_s(squaresB, squaresOn(at + 2 * AXIS_BYTES + 16, fromZ));
    }
    const seated = <u32>load<u16>(bits_ + (<usize>k << 1));
    const farther = lanesOf(i16x8.gt_s(squaresA, notFarther), i16x8.gt_s(squaresB, notFarther));
    const stays = lanesOf(i16x8.lt_s(squaresA, nearer), i16x8.lt_s(squaresB, nearer)) & seated;
    stay += popcnt(stays);
    // Whether there is anyone need not be foreseen: what is written for nobody is written over.
    const set = ((farther & ~seated) | stays) ^ 0xffff;
    store<u64>(found, (<u64>seated << 32) | <u64>((k << 16) | set));
    found += <usize>(set != 0) << 3;
  }
  for (let at = window_ + FOUND; at < found; at += 8) {
    const first = wordAt(firsts_, load<u16>(at, 2));
    const seated = load<u32>(at, 4);
    let set = <u32>load<u16>(at);
    setWord(window_, count++ & 63, entryOf(first, ctz(set), seated));
    for (set &= set - 1; set != 0; set &= set - 1) setWord(window_, count++ & 63, entryOf(first, ctz(set), seated));
  }
  // Entries are read four at a time, and what this held before were none.
  if (count <= FEW) v128.store(window_ + (<usize>count << 2), i32x4.splat(0));
  windowCount = count;
  stayCount = stay;
}

/** What stands in the window for a marker: its place in the tree, its block's in the list, whether it is in the row. */
// @ts-ignore: decorator
@inline
function entryOf(first: u32, lane: u32, seated: u32): u32 {
  return first | (lane & 15) | ((seated >>> lane) << 31);
}

/** The blocks of the list, a bit each, that come near enough to the watcher at hand, or have someone of its row. */
function blocksWithin(notFarther: v128, fromX: v128, fromY: v128, fromZ: v128): u64 {
  const count = listCount;
  const nobody = i16x8.splat(0);
  const frame_ = frame;
  const own_ = own;
  const isSpace = is3D;
  let needed: u64 = 0;
  for (let k: u32 = 0; k < count; k += 8) {
    const at = frame_ + (<usize>k << 1);
    let squares = i16x8.add_sat_s(gapSquares(at, fromX), gapSquares(at + AXIS_BYTES, fromY));
    if (isSpace) squares = i16x8.add_sat_s(squares, gapSquares(at + 2 * AXIS_BYTES, fromZ));
    const isEmpty = i16x8.eq(v128.load(own_ + (<usize>k << 1)), nobody);
    const skipped = v128.and(i16x8.gt_s(squares, notFarther), isEmpty);
    needed |= <u64>(~<u32>i16x8.bitmask(skipped) & 255) << <u64>k;
  }
  return needed & (<u64>-1 >> <u64>(64 - count));
}

// @ts-ignore: decorator
@inline
function gapSquares(axis: usize, from: v128): v128 {
  const gap = i16x8.max_s(
    i16x8.max_s(i16x8.sub_sat_s(v128.load(axis, LEASTS), from), i16x8.sub_sat_s(from, v128.load(axis, GREATESTS))),
    i16x8.splat(0),
  );
  return i16x8.q15mulr_sat_s(gap, gap);
}

// @ts-ignore: decorator
@inline
function squaresOn(places: usize, from: v128): v128 {
  const away = i16x8.sub(v128.load(places), from);
  return i16x8.q15mulr_sat_s(away, away);
}

// @ts-ignore: decorator
@inline
function lanesOf(a: v128, b: v128): u32 {
  return <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(a, b));
}

/** Ranks those in the window; counts who ranks below, and answers how many rank within. */
function rankListed(low: f32, high: f32): u32 {
  const count = windowCount;
  const listed = window;
  const isSpace = is3D;
  const x_ = treeX;
  const y_ = treeY;
  const fromX = f32x4.splat(atX);
  const fromY = f32x4.splat(atY);
  const fromZ = f32x4.splat(atZ);
  const one = f32x4.splat(1);
  const bonuses = f32x4.splat(bonus);
  const infinity = f32x4.splat(Infinity);
  const selves = i32x4.splat(<i32>self);
  const lanes = i32x4(0, 1, 2, 3);
  const last = i32x4.splat(<i32>count - 1);
  const lows = f32x4.splat(low);
  const highs = f32x4.splat(high);
  let below: u32 = 0;
  let notAbove: u32 = 0;
  let seated: u32 = 0;
  // Behind the last there may be anything, as long as it is somewhere in the list.
  for (let i: u32 = 0; i < count; i += 4) {
    const at = listed + (<usize>i << 2);
    const entries = v128.load(at);
    const a = placeOf(load<u32>(at));
    const b = placeOf(load<u32>(at, 4));
    const c = placeOf(load<u32>(at, 8));
    const d = placeOf(load<u32>(at, 12));
    const dx = f32x4.sub(gathered(x_, a, b, c, d), fromX);
    const dy = f32x4.sub(gathered(y_, a, b, c, d), fromY);
    let squares = f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy));
    if (isSpace) {
      const dz = f32x4.sub(gathered(treeZ, a, b, c, d), fromZ);
      squares = f32x4.add(squares, f32x4.mul(dz, dz));
    }
    // The sign of an entry says who is in the row.
    const isSeated = i32x4.shr_s(entries, 31);
    let rank = f32x4.mul(f32x4.sqrt(squares), v128.bitselect(bonuses, one, isSeated));
    // Nobody sits with itself, and nobody is behind the last.
    const isSelf = i32x4.eq(v128.and(entries, i32x4.splat(<i32>PLACE_BITS)), selves);
    const isNobody = v128.or(isSelf, i32x4.gt_s(i32x4.add(lanes, i32x4.splat(<i32>i)), last));
    rank = v128.bitselect(infinity, rank, isNobody);
    v128.store(at, rank, LISTED_RANKS);
    seated |= <u32>i32x4.bitmask(isSeated) << i;
    below |= <u32>i32x4.bitmask(f32x4.lt(rank, lows)) << i;
    notAbove |= <u32>i32x4.bitmask(f32x4.le(rank, highs)) << i;
  }
  // Of a second and third four nobody may have been looked at.
  if (count <= 8) v128.store(listed, infinity, LISTED_RANKS + 32);
  if (count <= 4) v128.store(listed, infinity, LISTED_RANKS + 16);
  const belowThese = popcnt(below);
  belowCount = stayCount + belowThese;
  seatedBits = seated & (count == 32 ? <u32>-1 : (<u32>1 << count) - 1);
  return popcnt(notAbove) - belowThese;
}

/** Four times the place in the tree of one that is listed. */
// @ts-ignore: decorator
@inline
export function placeOf(entry: u32): usize {
  return <usize>(entry & PLACE_BITS) << 2;
}

// @ts-ignore: decorator
@inline
export function gathered(axis: usize, a: usize, b: usize, c: usize, d: usize): v128 {
  let values = v128.load32_splat(axis + a);
  values = v128.load32_lane(axis + b, values, 1);
  values = v128.load32_lane(axis + c, values, 2);
  return v128.load32_lane(axis + d, values, 3);
}
