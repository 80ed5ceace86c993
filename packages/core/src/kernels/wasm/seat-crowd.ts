// Twin of ../seat-crowd.ts, which says how it decides.
import { column, floatAt, setFloat, setWord, word, wordAt } from './job';
import {
  ASKED, BORDERS, DECIDED, EDIT_END, EDITED, EDITED_COUNT, FIRST_EDIT, FORCED, LEAF_COUNT, LEAVES, LEFT, MARKER, MAY_FORCE,
  NEAR_FACTOR, NEAR_RANK, STANDING, TICK, WINDOW,
} from './crowd-job';
import { bitsOf } from './lanes';
import { openOrder, SEATED_BIT, selectFirst, sortFew } from './crowd-order';
import { closeEdits, editCapacity, editCount, openEdits, writeEdits, writeStates } from './crowd-edits';
import {
  forgetNear, gatherNear, nearCount, nearSlots, nearWeights, nearX, nearY, nearZ, openNear, places, weights,
} from './crowd-near';
import { begins, closeTree, ends, is3D, openTree, slots } from './crowd-tree';
import {
  cap, dwell, factor, flags, margin, markers, openWatchers, reachSquared, row, rowSinces, rowStates, ruleBits, senseCount,
  size, sizes, squaredTo, starts, takeUp, watcher, watcherX, watcherY, watcherZ, x, y, z,
} from './crowd-watcher';

/** How much farther than it did last the border may lie before more must be gathered. */
const GUESS: f32 = 1.1;
const FARTHER: f32 = 1.6;
/** The first window about where seats ended last, to either side. */
const NARROW: f32 = 1.0 / 96.0;
/** So many within the window are put in order; of more, those who sit are found. */
const FEW: u32 = 24;
/** What quotients and squares may lose to rounding. */
const SLACK: f32 = 1.0 + 1.0 / 262144.0;
const NO_FACTOR: f32 = NaN;
/** In place of a factor: before all others. */
const PROTECTED: f32 = -Infinity;

// What the functions of one call share.
let standing: usize = 0;
let borders: usize = 0;
let factors: usize = 0;
let ranks: usize = 0;
let window: usize = 0;
let tick: u32 = 0;
let firstEdits: usize = 0;
let editEnds: usize = 0;
let edited: usize = 0;
let editedCount: u32 = 0;

// Of the watcher at hand: its seats but for those held by force; near markers, and those of the row behind them.
let seats: u32 = 0;
let lookedAt: u32 = 0;
let windowCount: u32 = 0;
let belowCount: u32 = 0;
let border: f32 = 0;

export function seatCrowd(job: usize, from: u32): u32 {
  openTree(job);
  openNear(job);
  openOrder(job);
  openWatchers(job);
  openEdits(job);
  standing = column(job, STANDING);
  borders = column(job, BORDERS);
  factors = column(job, NEAR_FACTOR);
  ranks = column(job, NEAR_RANK);
  window = column(job, WINDOW);
  tick = word(job, TICK);
  firstEdits = column(job, FIRST_EDIT);
  editEnds = column(job, EDIT_END);
  edited = column(job, EDITED);
  editedCount = word(job, EDITED_COUNT);
  const leaves = column(job, LEAVES);
  const leafCount = word(job, LEAF_COUNT);
  let leaf = from;
  while (leaf < leafCount && seatLeaf(wordAt(leaves, leaf))) leaf++;
  closeTree(job);
  closeEdits(job);
  store<u32>(job + EDITED_COUNT, editedCount);
  return leaf;
}

/** Decides the watchers of a leaf; false when there is no room for the edits of the next one. */
function seatLeaf(node: u32): bool {
  const begin = wordAt(begins, node);
  const end = wordAt(ends, node);
  let cover: f32 = -1;
  let longest: u32 = 0;
  let fetched: u32 = 0;
  for (let i = begin; i < end; i++) {
    const slot = wordAt(slots, i);
    if (load<u8>(standing + slot) != ASKED) continue;
    const size = wordAt(sizes, slot);
    longest = max(longest, size);
    // Rows lie anywhere: all are fetched at once, so that their ways are gone together.
    const start = wordAt(starts, slot);
    for (let j: u32 = 0; j < size; j += 16) fetched += wordAt(markers, start + j);
    const last = floatAt(borders, slot);
    const guess: f32 = last > 0 ? last * GUESS : worstOf(slot);
    cover = max(cover, guess);
  }
  // What nobody reads would not be fetched.
  setWord(window, 0, fetched);
  for (let attempt: u32 = 0; attempt < 3 && cover >= 0; attempt++) {
    gatherNear(node, cover, 2 * longest + 1);
    fillWithOnes(factors, nearCount + longest + 20);
    let farthest: f32 = -1;
    for (let i = begin; i < end; i++) {
      const slot = wordAt(slots, i);
      if (load<u8>(standing + slot) != ASKED) continue;
      // Everybody in the row, and as many in their places.
      if (editCount + 2 * wordAt(sizes, slot) > editCapacity) {
        forgetNear();
        return false;
      }
      const outcome = takeUp(slot) ? seat(cover) : LEFT;
      if (outcome != ASKED) store<u8>(standing + slot, <u8>outcome);
      else if (attempt < 2) farthest = max(farthest, attempt == 0 ? cover * FARTHER : worstOf(slot));
    }
    forgetNear();
    cover = farthest > cover ? farthest : -1;
  }
  return true;
}

function fillWithOnes(column: usize, count: u32): void {
  const one = f32x4.splat(1);
  for (let i: u32 = 0; i < count; i += 4) v128.store(column + (<usize>i << 2), one);
}

/** The worst rank in a row, of those perceived; that of a newcomer who may have a seat is no worse. */
function worstOf(slot: u32): f32 {
  takeUp(slot);
  let worst: f32 = 0;
  for (let i: u32 = 0; i < size; i++) {
    const marker = wordAt(row, i);
    const squared = squaredTo(marker);
    if (!(squared <= reachSquared)) continue;
    let rank: f32 = Mathf.sqrt(squared);
    if (weights != 0) rank = rank / floatAt(weights, marker);
    rank = rank * factor;
    if (rank > worst && rank < Infinity) worst = rank;
  }
  return worst;
}

/** Decides the watcher's row among those near, who rank up to `cover`; `ASKED` when they are not enough, `LEFT` when it is not so simple. */
function seat(cover: f32): u32 {
  if (!markRow()) {
    fillWithOnes(factors, lookedAt + 16);
    return LEFT;
  }
  if (!findBorder(cover)) return ASKED;
  setFloat(borders, watcher, border);
  const first = editCount;
  if (windowCount > 0 && !writeEdits(window, windowCount, ranks)) return LEFT;
  if (senseCount > 1 || margin > 0 || (ruleBits & MAY_FORCE) != 0) writeStates(first);
  setWord(firstEdits, watcher, first);
  setWord(editEnds, watcher, editCount);
  if (editCount > first) setWord(edited, editedCount++, watcher);
  return DECIDED;
}

/** Marks those of the row among the near, and adds those who are not; false when seats are free. */
function markRow(): bool {
  const slots_ = row;
  const count = size;
  const places_ = places;
  const factors_ = factors;
  // Who is not near is listed behind the window.
  const far = window;
  let farCount: u32 = 0;
  let forced: u32 = 0;
  if (dwell == 0 && (ruleBits & MAY_FORCE) == 0) {
    const own = -factor;
    for (let i: u32 = 0; i < count; i++) {
      const place = wordAt(places_, wordAt(slots_, i));
      setFloat(factors_, place, own);
      setWord(far, farCount, i);
      farCount += <u32>(place == 0);
    }
    lookedAt = nearCount;
    for (let f: u32 = 0; f < farCount; f++) addFar(wordAt(slots_, wordAt(far, f)), own);
  } else forced = markWithCare();
  setFloat(factors_, wordAt(places_, watcher), NO_FACTOR);
  setFloat(factors_, 0, 1);
  if (cap <= forced || size != cap) return false;
  seats = cap - forced;
  const nobody = f32x4.splat(NaN);
  const end = nearX + (<usize>lookedAt << 2);
  v128.store(end, nobody);
  v128.store(end, nobody, 16);
  v128.store(end, nobody, 32);
  v128.store(end, nobody, 48);
  return true;
}

/** As `markRow` where seats may be protected by dwell, or pairs relate by force; answers how many do. */
function markWithCare(): u32 {
  const mayForce = (ruleBits & MAY_FORCE) != 0;
  const ofSeated = -factor;
  let forced: u32 = 0;
  lookedAt = nearCount;
  for (let i: u32 = 0; i < size; i++) {
    const marker = wordAt(row, i);
    let own = ofSeated;
    if (dwell > 0 && tick - wordAt(rowSinces, i) < dwell) own = PROTECTED;
    if (mayForce && (wordAt(rowStates, i) & FORCED) != 0) {
      own = NO_FACTOR;
      forced++;
    }
    const place = wordAt(places, marker);
    if (place != 0) setFloat(factors, place, own);
    else addFar(marker, own);
  }
  return forced;
}

// @ts-ignore: decorator
@inline
function addFar(marker: u32, own: f32): void {
  const isThere = (load<u8>(flags + marker) & MARKER) != 0;
  setWord(nearSlots, lookedAt, marker);
  // Infinitely far: what is no number would lose the sign of its factor.
  setFloat(nearX, lookedAt, isThere ? floatAt(x, marker) : Infinity);
  setFloat(nearY, lookedAt, floatAt(y, marker));
  if (is3D) setFloat(nearZ, lookedAt, floatAt(z, marker));
  if (weights != 0) setFloat(nearWeights, lookedAt, floatAt(weights, marker));
  setFloat(factors, lookedAt++, own);
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

/** Lists who ranks within two numbers, who comes to sit and who loses a seat for certain; counts who ranks below. */
function look(least: f32, greatest: f32): u32 {
  const low = f32x4.splat(least);
  const high = f32x4.splat(greatest);
  const ranks_ = ranks;
  const window_ = window;
  const end = lookedAt;
  let notAbove: u32 = 0;
  let below: u32 = 0;
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
    const seatedBits = bitsOf(signedA, signedB, signedC, signedD);
    below += popcnt(belowBits);
    notAbove += popcnt(notAboveBits);
    count = listBits((notAboveBits & ~belowBits) | (belowBits ^ seatedBits), i, window_, count);
  }
  windowCount = count;
  belowCount = below;
  return notAbove - below;
}

/**
 * As `rankAll`, then `look`, in one pass: where nobody is protected, and all weigh the same. Unless anyone may be out of reach
 * who ranks up to where the near end, those who are have a finite rank beyond that.
 */
function rankAndLook(least: f32, greatest: f32, mayBeOut: bool): u32 {
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
  const end = lookedAt;
  let notAbove: u32 = 0;
  let below: u32 = 0;
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
    let signedA = f32x4.mul(f32x4.sqrt(squaresA), ownA);
    let signedB = f32x4.mul(f32x4.sqrt(squaresB), ownB);
    let signedC = f32x4.mul(f32x4.sqrt(squaresC), ownC);
    let signedD = f32x4.mul(f32x4.sqrt(squaresD), ownD);
    if (mayBeOut) {
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
    const seatedBits = bitsOf(signedA, signedB, signedC, signedD);
    below += popcnt(belowBits);
    notAbove += popcnt(notAboveBits);
    count = listBits((notAboveBits & ~belowBits) | (belowBits ^ seatedBits), i, window_, count);
  }
  windowCount = count;
  belowCount = below;
  return notAbove - below;
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

/** Finds the rank at which seats end, and leaves in the window only those who change; false when that is farther than `cover`. */
function findBorder(cover: f32): bool {
  const last = floatAt(borders, watcher);
  let width = NARROW;
  let low: f32 = last * (1 - width);
  let high: f32 = min(cover, last * (1 + width));
  if (last == 0) high = cover * width;
  let within: u32 = 0;
  if (weights != 0 || dwell > 0) {
    rankAll();
    within = look(low, high);
  } else {
    const farthest = (cover / factor) * SLACK;
    within = rankAndLook(low, high, margin > 0 || !(farthest * farthest < reachSquared));
  }
  while (true) {
    if (belowCount > seats) {
      if (low == 0) return false;
      high = low;
      width = min<f32>(1, 2 * width);
      low = low * (1 - width);
    } else if (belowCount + within < seats) {
      if (high >= cover) return false;
      low = high;
      width = 2 * width;
      high = min(cover, max(high * (1 + width), cover * width));
    } else {
      settle(low, high, seats - belowCount);
      return true;
    }
    within = look(low, high);
  }
}

/** Of those within the window the first `need` sit. */
function settle(low: f32, high: f32, need: u32): void {
  let changes: u32 = 0;
  let within: u32 = 0;
  // Those within come to the end of the window, in scratch behind it.
  const inner = window + (<usize>(lookedAt + 16) << 2);
  for (let i: u32 = 0; i < windowCount; i++) {
    const at = wordAt(window, i);
    const rank = abs(floatAt(ranks, at));
    if (rank < low || !(rank <= high)) setWord(window, changes++, at);
    else setWord(inner, within++, at);
  }
  windowCount = changes;
  border = low;
  if (within <= FEW) sortFew(inner, within);
  else selectFirst(inner, within, need);
  for (let i: u32 = 0; i < within; i++) {
    const at = wordAt(inner, i);
    const isSeated = (wordAt(ranks, at) & SEATED_BIT) != 0;
    if (isSeated == i >= need) setWord(window, windowCount++, at);
    if (i < need) border = max(border, abs(floatAt(ranks, at)));
  }
}


