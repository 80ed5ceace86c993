// Twin of ../seat-crowd.ts, which says how it decides.
import { column, floatAt, setFloat, setWord, word, wordAt } from './job';
import {
  ASKED, DECIDED, EDIT_END, EDITED, EDITED_COUNT, FIRST_EDIT, FORCED, LEAF_COUNT, LEAVES, LEFT, MARKER, MAY_FORCE, STANDING,
  TICK,
} from './crowd-job';
import { borders, factorOfSeated, factors, findBorder, openBorder, PROTECTED, ranks, window, windowCount } from './crowd-border';
import { closeEdits, editCapacity, editCount, openEdits, writeEdits, writeStates } from './crowd-edits';
import {
  forgetNear, gatherNear, nearCount, nearSlots, nearWeights, nearX, nearY, nearZ, openNear, places, weights,
} from './crowd-near';
import { GUESS } from './crowd-search';
import { begins, closeTree, ends, is3D, openTree, slots } from './crowd-tree';
import {
  cap, dwell, flags, margin, markers, openWatchers, row, rowSinces, rowStates, ruleBits, senseCount,
  size, sizes, starts, takeUp, watcher, worstRank, x, y, z,
} from './crowd-watcher';

/** How much farther than before is gathered where that was not enough. */
const FARTHER: f32 = 1.6;
const NO_FACTOR: f32 = NaN;

// What the functions of one call share.
let standing: usize = 0;
let tick: u32 = 0;
let firstEdits: usize = 0;
let editEnds: usize = 0;
let edited: usize = 0;
let editedCount: u32 = 0;

// Of the watcher at hand: its seats but for those held by force; near markers, and those of the row behind them.
let seats: u32 = 0;
let lookedAt: u32 = 0;

export function seatCrowd(job: usize, from: u32): u32 {
  openTree(job);
  openNear(job);
  openBorder(job);
  openWatchers(job);
  openEdits(job);
  standing = column(job, STANDING);
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

function worstOf(slot: u32): f32 {
  takeUp(slot);
  return worstRank();
}

/** Decides the watcher's row among those near, who rank up to `cover`; `ASKED` when they are not enough, `LEFT` when it is not so simple. */
function seat(cover: f32): u32 {
  if (!markRow()) {
    fillWithOnes(factors, lookedAt + 16);
    return LEFT;
  }
  if (!findBorder(cover, seats, lookedAt)) return ASKED;
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
    const own = factorOfSeated();
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
  const ofSeated = factorOfSeated();
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
