// Finds where the seats of the watcher at hand end, and who changes: part of the twin of ../seat-crowd.ts.
import { column, floatAt, setFloat, setWord, wordAt } from './job';
import { BORDERS, NEAR_FACTOR, NEAR_RANK, SEATED_BIT, WINDOW } from './crowd-job';
import { bitsOf } from './lanes';
import { SLACK, VANISHING_SQUARED } from './crowd-rounding';
import { ENDS_HERE, high, low, moveWindow, openWindow, OUT_OF_COVER } from './crowd-search';
import { changeCount, FEW, lastRank, settleFew } from './crowd-settle';
import { openOrder, selectFirst } from './crowd-order';
import { nearWeights, nearX, nearY, nearZ, weights } from './crowd-near';
import { is3D } from './crowd-tree';
import { dwell, factor, margin, reachSquared, watcher, watcherX, watcherY, watcherZ } from './crowd-watcher';

/** The first window about where seats ended last, to either side. */
const NARROW: f32 = 1.0 / 96.0;
/** Squares tell ranks apart that differ by more than this. */
const APART: f32 = 1.0 / 1048576.0;
/** In place of a factor: before all others. */
export const PROTECTED: f32 = -Infinity;

export let borders: usize = 0;
export let factors: usize = 0;
export let ranks: usize = 0;
export let window: usize = 0;
/** All weigh the same and nobody is protected: ranks are looked at as squares first. */
let isPlain: bool = false;
/** Places among those looked at of who changes. */
export let windowCount: u32 = 0;
let lookedAt: u32 = 0;
let mayBeOut: bool = false;
/** Who sits for certain, and is not in the window. */
let stayCount: u32 = 0;
/** Of who ranks before the window. */
let belowCount: u32 = 0;
/** A bit for each in a window of few: who is in the row. */
let seatedBits: u32 = 0;
let border: f32 = 0;

/** Takes up the job's columns, those of the near having been. */
export function openBorder(job: usize): void {
  openOrder(job);
  borders = column(job, BORDERS);
  factors = column(job, NEAR_FACTOR);
  ranks = column(job, NEAR_RANK);
  window = column(job, WINDOW);
}

/** What stands in the column of factors for who is in the row of the watcher that was taken up. */
export function factorOfSeated(): f32 {
  isPlain = weights == 0 && dwell == 0;
  return isPlain ? -factor * factor : -factor;
}

/**
 * Finds the rank at which so many seats of the first `looked` end, and leaves in the window only those who change; false when
 * that is farther than `cover`.
 */
export function findBorder(cover: f32, seats: u32, looked: u32): bool {
  lookedAt = looked;
  const last = floatAt(borders, watcher);
  const farthest = (cover / factor) * SLACK;
  mayBeOut = margin > 0 || !(farthest * farthest < reachSquared);
  openWindow(last, NARROW, cover);
  if (isPlain) rankAndLook(certainlyBelow(low), certainlyNotAbove(high));
  else {
    rankAll();
    look(low, high);
  }
  while (true) {
    const within = rankListed(low, high);
    const where = moveWindow(belowCount, within, seats);
    if (where == OUT_OF_COVER) return false;
    if (where == ENDS_HERE) break;
    if (isPlain) look(certainlyBelow(low), certainlyNotAbove(high));
    else look(low, high);
  }
  border = low;
  settle(seats - stayCount);
  setFloat(borders, watcher, border);
  return true;
}

/** Whose square with the bonus is less than this ranks below. */
// @ts-ignore: decorator
@inline
function certainlyBelow(rank: f32): f32 {
  return rank * rank * (1 - APART) - VANISHING_SQUARED;
}

/** Whose square with the bonus is greater than this ranks above. */
// @ts-ignore: decorator
@inline
function certainlyNotAbove(rank: f32): f32 {
  return rank * rank * (1 + APART) + VANISHING_SQUARED;
}

/** Ranks of those in the window, side by side in scratch behind it. */
// @ts-ignore: decorator
@inline
function listedRanks(): usize {
  return window + (<usize>(lookedAt + 16) << 2);
}

/** Ranks those in the window, now that they are few; counts who ranks below, and answers how many rank within. */
function rankListed(low: f32, high: f32): u32 {
  const list = window;
  const count = windowCount;
  const ranks_ = ranks;
  const listed = listedRanks();
  const hasRanks = !isPlain;
  const isOut = mayBeOut;
  let below: u32 = 0;
  let notAbove: u32 = 0;
  let seated: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = wordAt(list, i);
    const isSeated = wordAt(ranks_, at) >>> 31;
    let rank: f32 = 0;
    if (hasRanks) {
      rank = abs(floatAt(ranks_, at));
      // No distance by no weight is no number.
      if (!(rank < Infinity)) rank = Infinity;
    } else {
      const dx = floatAt(nearX, at) - watcherX;
      const dy = floatAt(nearY, at) - watcherY;
      let squared: f32 = dx * dx + dy * dy;
      if (is3D) {
        const dz = floatAt(nearZ, at) - watcherZ;
        squared += dz * dz;
      }
      rank = Mathf.sqrt(squared) * select<f32>(factor, 1, isSeated != 0);
      if (isOut && !(squared <= reachSquared)) rank = Infinity;
    }
    setFloat(listed, i, rank);
    below += <u32>(rank < low);
    notAbove += <u32>(rank <= high);
    seated |= isSeated << (i & 31);
  }
  belowCount = stayCount + below;
  seatedBits = seated;
  return notAbove - below;
}

/** Of those in the window the first `need` sit: leaves those who change, and finds where seats end. */
function settle(need: u32): void {
  if (windowCount > FEW || !settleFew(window, listedRanks(), windowCount, need, seatedBits, border)) {
    settleMany(need);
    return;
  }
  border = lastRank;
  windowCount = changeCount;
}

/** By halves. */
function settleMany(need: u32): void {
  const listed = listedRanks();
  const count = windowCount;
  for (let i: u32 = 0; i < count; i++) {
    const at = wordAt(window, i);
    setWord(ranks, at, wordAt(listed, i) | (wordAt(ranks, at) & SEATED_BIT));
  }
  // In another order, so that the window can be written meanwhile.
  const ordered = listed;
  for (let i: u32 = 0; i < count; i++) setWord(ordered, i, wordAt(window, i));
  selectFirst(ordered, count, need);
  let changes: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = wordAt(ordered, i);
    const isSeated = (wordAt(ranks, at) & SEATED_BIT) != 0;
    if (isSeated == i >= need) setWord(window, changes++, at);
    if (i < need) border = max(border, abs(floatAt(ranks, at)));
  }
  windowCount = changes;
}

/** Ranks everyone looked at: rank with bonus, infinite where not perceived, its sign set for those in the row, NaN for others. */
function rankAll(): void {
  const factors_ = factors;
  const ranks_ = ranks;
  const x_ = nearX;
  const y_ = nearY;
  const z_ = nearZ;
  const hasWeights = weights != 0;
  const weights_ = nearWeights;
  const isSpace = is3D;
  const mayProtect = dwell > 0;
  const isProtected = f32x4.splat(PROTECTED);
  const one = f32x4.splat(1);
  const infinity = f32x4.splat(Infinity);
  const sign = i32x4.splat(<i32>SEATED_BIT);
  const fromX = f32x4.splat(watcherX);
  const fromY = f32x4.splat(watcherY);
  const fromZ = f32x4.splat(watcherZ);
  const limit = f32x4.splat(reachSquared);
  const end = <usize>lookedAt << 2;
  for (let at: usize = 0; at < end; at += 16) {
    const own = v128.load(factors_ + at);
    v128.store(factors_ + at, one);
    const dx = f32x4.sub(v128.load(x_ + at), fromX);
    const dy = f32x4.sub(v128.load(y_ + at), fromY);
    let squared = f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy));
    if (isSpace) {
      const dz = f32x4.sub(v128.load(z_ + at), fromZ);
      squared = f32x4.add(squared, f32x4.mul(dz, dz));
    }
    let rank = f32x4.sqrt(squared);
    if (hasWeights) rank = f32x4.div(rank, v128.load(weights_ + at));
    rank = f32x4.mul(rank, f32x4.abs(own));
    if (mayProtect) rank = v128.andnot(rank, f32x4.eq(own, isProtected));
    rank = v128.bitselect(rank, infinity, f32x4.le(squared, limit));
    // What is no number may have a sign of its own.
    v128.store(ranks_ + at, v128.or(v128.andnot(rank, sign), v128.and(own, sign)));
  }
  const nobody = f32x4.splat(NaN);
  const tail = ranks_ + end;
  v128.store(tail, nobody);
  v128.store(tail, nobody, 16);
  v128.store(tail, nobody, 32);
  v128.store(tail, nobody, 48);
}

/** Lists who may rank within two numbers, who comes to sit and who loses a seat for certain; counts who stays for certain. */
function look(least: f32, greatest: f32): void {
  const low = f32x4.splat(least);
  const high = f32x4.splat(greatest);
  const ranks_ = ranks;
  const window_ = window;
  const end = lookedAt;
  let stay: u32 = 0;
  let count: u32 = 0;
  for (let i: u32 = 0; i < end; i += 16) {
    const at = ranks_ + (<usize>i << 2);
    const signedA = v128.load(at);
    const signedB = v128.load(at, 16);
    const signedC = v128.load(at, 32);
    const signedD = v128.load(at, 48);
    const rankA = f32x4.abs(signedA);
    const rankB = f32x4.abs(signedB);
    const rankC = f32x4.abs(signedC);
    const rankD = f32x4.abs(signedD);
    const belowBits = bitsOf(f32x4.lt(rankA, low), f32x4.lt(rankB, low), f32x4.lt(rankC, low), f32x4.lt(rankD, low));
    const notAboveBits = bitsOf(
      f32x4.le(rankA, high), f32x4.le(rankB, high), f32x4.le(rankC, high), f32x4.le(rankD, high),
    );
    const seated = bitsOf(signedA, signedB, signedC, signedD);
    stay += popcnt(belowBits & seated);
    count = listBits((notAboveBits & ~belowBits) | (belowBits ^ seated), i, window_, count);
  }
  windowCount = count;
  stayCount = stay;
}

/**
 * As `rankAll`, then `look`, in one pass, of plain watchers: what is ranked and looked at are squares with the bonus squared,
 * which need no root. Unless anyone may be out of reach who ranks up to where the near end, those who are have a finite rank
 * beyond that.
 */
function rankAndLook(least: f32, greatest: f32): void {
  const low = f32x4.splat(least);
  const high = f32x4.splat(greatest);
  const ranks_ = ranks;
  const factors_ = factors;
  const window_ = window;
  const x_ = nearX;
  const y_ = nearY;
  const z_ = nearZ;
  const isSpace = is3D;
  const fromX = f32x4.splat(watcherX);
  const fromY = f32x4.splat(watcherY);
  const fromZ = f32x4.splat(watcherZ);
  const limit = f32x4.splat(reachSquared);
  const one = f32x4.splat(1);
  const isOut = mayBeOut;
  const end = lookedAt;
  let stay: u32 = 0;
  let count: u32 = 0;
  for (let i: u32 = 0; i < end; i += 16) {
    const at = <usize>i << 2;
    let squaresA = squaresOf(x_ + at, y_ + at, fromX, fromY);
    let squaresB = squaresOf(x_ + at + 16, y_ + at + 16, fromX, fromY);
    let squaresC = squaresOf(x_ + at + 32, y_ + at + 32, fromX, fromY);
    let squaresD = squaresOf(x_ + at + 48, y_ + at + 48, fromX, fromY);
    if (isSpace) {
      squaresA = f32x4.add(squaresA, squaresOn(z_ + at, fromZ));
      squaresB = f32x4.add(squaresB, squaresOn(z_ + at + 16, fromZ));
      squaresC = f32x4.add(squaresC, squaresOn(z_ + at + 32, fromZ));
      squaresD = f32x4.add(squaresD, squaresOn(z_ + at + 48, fromZ));
    }
    const own = factors_ + at;
    const ownA = v128.load(own);
    const ownB = v128.load(own, 16);
    const ownC = v128.load(own, 32);
    const ownD = v128.load(own, 48);
    // A factor's sign says who is in the row, and the product has it, too.
    let signedA = f32x4.mul(squaresA, ownA);
    let signedB = f32x4.mul(squaresB, ownB);
    let signedC = f32x4.mul(squaresC, ownC);
    let signedD = f32x4.mul(squaresD, ownD);
    if (isOut) {
      signedA = farIfOut(signedA, squaresA, limit);
      signedB = farIfOut(signedB, squaresB, limit);
      signedC = farIfOut(signedC, squaresC, limit);
      signedD = farIfOut(signedD, squaresD, limit);
    }
    v128.store(own, one);
    v128.store(own, one, 16);
    v128.store(own, one, 32);
    v128.store(own, one, 48);
    const ranked = ranks_ + at;
    v128.store(ranked, signedA);
    v128.store(ranked, signedB, 16);
    v128.store(ranked, signedC, 32);
    v128.store(ranked, signedD, 48);
    const rankA = f32x4.abs(signedA);
    const rankB = f32x4.abs(signedB);
    const rankC = f32x4.abs(signedC);
    const rankD = f32x4.abs(signedD);
    const belowBits = bitsOf(f32x4.lt(rankA, low), f32x4.lt(rankB, low), f32x4.lt(rankC, low), f32x4.lt(rankD, low));
    const notAboveBits = bitsOf(
      f32x4.le(rankA, high), f32x4.le(rankB, high), f32x4.le(rankC, high), f32x4.le(rankD, high),
    );
    const seated = bitsOf(signedA, signedB, signedC, signedD);
    stay += popcnt(belowBits & seated);
    count = listBits((notAboveBits & ~belowBits) | (belowBits ^ seated), i, window_, count);
  }
  windowCount = count;
  stayCount = stay;
}

// @ts-ignore: decorator
@inline
function squaresOf(x: usize, y: usize, fromX: v128, fromY: v128): v128 {
  return f32x4.add(squaresOn(x, fromX), squaresOn(y, fromY));
}

// @ts-ignore: decorator
@inline
function squaresOn(places: usize, from: v128): v128 {
  const away = f32x4.sub(v128.load(places), from);
  return f32x4.mul(away, away);
}

/** Signed ranks, infinite for those out of reach. */
// @ts-ignore: decorator
@inline
function farIfOut(signed: v128, squares: v128, limit: v128): v128 {
  const far = v128.or(f32x4.splat(Infinity), v128.and(signed, i32x4.splat(<i32>SEATED_BIT)));
  return v128.bitselect(signed, far, f32x4.le(squares, limit));
}

/** Lists the places, from `first` on, whose bits are set; answers how many are listed then. */
// @ts-ignore: decorator
@inline
function listBits(set: u32, first: u32, list: usize, listed: u32): u32 {
  let count = listed;
  for (let bits = set; bits != 0; bits &= bits - 1) setWord(list, count++, first + ctz(bits));
  return count;
}
