// See ../layouts/pass-holds.ts, which explains the job's words. The kernel works in steps, so that hardly any branch depends on
// the outcome of a test, and many cache misses overlap:
//
//   test    the pairs that crossed outwards, at their present positions: those that become margin-held
//   block   held pairs, block by block
//     test    likewise: those that stay held, those that end
//     merge   pairs that stay and pairs that begin into the next list; crossings and pairs that end into words
//
// So the data between two steps stays in the nearest cache.
//
// A pair that related at the last tick still meets unless one of the two entities has changed since, and most reaches are the
// watcher's range. So four pairs at a time are tested by distance alone. The positions of all other entities are set to NaN,
// which fails every comparison; a pair whose result is NaN is tested by the definition.
//
// Pairs are read as 64-bit numbers, with the watcher from bit 42 on and the marker from bit 20 on: their order is that of the
// lists.
import {
  BLOCK, BY_LANES, CHANGED_COUNT, CHANGED_SLOTS, CROSSINGS, CROSSING_COUNT, HELD, HELD_COUNT, INTERESTS, IS_ANY_GONE, IS_DERIVED, LOST, MARGINS,
  NEXT_COUNT, NEXT_HELD, OUT, OUT_COUNT, PLACES, SLOT_COUNT, STATE, REPORTED_FLAGS,
} from '../layouts/pass-holds';
import { FLAGS, GAINS, MAX_REACHES, MIN_REACHES, RANGES, SENSE_COUNT, X, Y } from '../layouts/perception';
import { column, setWord, word, wordAt } from './job';
import { heldByMargin } from './perception';
import { joinPlaces, loseOthers, losePlace } from './places';

const PAIR_BITS: u64 = ~0xfffff;
const SENSES_BITS: u64 = 0xff00;
/** Sorts after every pair. */
const NOBODY: u64 = ~0;
const MARKER_MASK: u32 = 0x3fffff;
const MARKER_OFFSETS: usize = <usize>MARKER_MASK << 3;
/** Bytes of a block: the offsets of all its pairs are fetched before any pair is tested. */
const BLOCK_BYTES: usize = 1024 << 3;
/** Bytes copied at once. Every list of pairs that is read is followed by at least this many bytes. */
const STRETCH: usize = 64;

// Shared by the functions of one call; set by passHolds.
let isDerived: usize = 0;
let flags: usize = 0;
let state: usize = 0;
let interests: usize = 0;
let margins: usize = 0;
let ranges: usize = 0;
/** x and y side by side, by slot; NaN for an entity that takes the slow path. */
let places: usize = 0;
/** By pair of a block: the offsets in x and y from the watcher to the marker, side by side; and the reaches with the margin. */
let ways: usize = 0;
let reaches: usize = 0;
let byLanes: bool = false;
let isAnyGone: bool = false;
let lostCount: u32 = 0;
let reportedFlags: u32 = 0;
/** Where the lists of tested pairs end: pairs that stay, and pairs that end. */
let keptEnd: usize = 0;
let goneEnd: usize = 0;
/** Where the next list and the words end; how far the crossings and the pairs that become held were read. */
let nextEnd: usize = 0;
let outEnd: usize = 0;
let crossing: usize = 0;
let taken: usize = 0;

export function passHolds(job: usize): void {
  const crossings = column(job, CROSSINGS);
  const crossingBytes = column(job, CROSSING_COUNT) << 3;
  const held = column(job, HELD);
  const next = column(job, NEXT_HELD);
  const out = column(job, OUT);
  isDerived = column(job, IS_DERIVED);
  state = job + (STATE << 2);
  flags = column(state, FLAGS);
  interests = column(job, INTERESTS);
  margins = column(job, MARGINS);
  ranges = state + (RANGES << 2);
  places = column(job, PLACES);
  ways = column(job, BLOCK);
  reaches = ways + BLOCK_BYTES;
  byLanes = word(job, BY_LANES) != 0;
  isAnyGone = word(job, IS_ANY_GONE) != 0;
  lostCount = 0;
  reportedFlags = 0;
  nextEnd = next;
  outEnd = out;
  crossing = crossings;
  if (byLanes) {
    joinPlaces(column(state, X), column(state, Y), places, word(job, SLOT_COUNT));
    loseOdd(job);
  }
  const heldBytes = column(job, HELD_COUNT) << 3;
  // This list lies after the last place to which words can be written: there are at most as many words as crossings and held
  // pairs.
  takeLost(crossings + crossingBytes, out + crossingBytes + heldBytes);
  passBlocks(held, held + heldBytes, crossings + crossingBytes);
  setWord(job, NEXT_COUNT, <u32>((nextEnd - next) >> 3));
  setWord(job, OUT_COUNT, <u32>((outEnd - out) >> 3));
  setWord(job, LOST, lostCount);
  setWord(job, REPORTED_FLAGS, reportedFlags);
}

/** Sets the positions of entities whose pairs must be tested by the definition to NaN. */
function loseOdd(job: usize): void {
  const slotCount = word(job, SLOT_COUNT);
  for (let s: u32 = 0; s < word(state, SENSE_COUNT); s++) {
    loseOthers(column(state, GAINS + <i32>s), 1, places, slotCount);
    loseOthers(column(state, MIN_REACHES + <i32>s), 0, places, slotCount);
    loseOthers(column(state, MAX_REACHES + <i32>s), Infinity, places, slotCount);
  }
  const changed = column(job, CHANGED_SLOTS);
  const count = word(job, CHANGED_COUNT);
  for (let i: u32 = 0; i < count; i++) losePlace(places, wordAt(changed, i));
}

/** -1, within which nothing lies, if the watcher lacks the sense or the margin. */
@inline // in JavaScript, too
function reachWith(range: f32, margin: f32): f32 {
  return range > 0 && margin > 0 ? range + margin : -1;
}

/** Lists the pairs that become margin-held. */
function takeLost(crossingEnd: usize, list: usize): void {
  const end = listLost(crossing, crossingEnd, list);
  const gone = reaches + (BLOCK_BYTES >> 1) + BLOCK_BYTES + STRETCH;
  keptEnd = end;
  for (let at = list; at < end; at += BLOCK_BYTES) {
    // Pairs that no margin holds are dropped.
    goneEnd = gone;
    testBlock(at, min<usize>(at + BLOCK_BYTES, end));
  }
  endList(keptEnd);
  taken = end;
}

/** Processes all held pairs. The lists of a block's pairs that stay and that end lie after its offsets and reaches. */
function passBlocks(held: usize, heldEnd: usize, crossingEnd: usize): void {
  const kept = reaches + (BLOCK_BYTES >> 1);
  const gone = kept + BLOCK_BYTES + STRETCH;
  let at = held;
  do {
    const end = min<usize>(at + BLOCK_BYTES, heldEnd);
    keptEnd = kept;
    goneEnd = gone;
    testBlock(at, end);
    endList(keptEnd);
    endList(goneEnd);
    merge(crossingEnd, end == heldEnd ? NOBODY : load<u64>(end) & PAIR_BITS, kept, gone);
    at = end;
  } while (at < heldEnd);
}

/** Writes the offsets from watchers to markers side by side, and the reaches within which pairs are held. */
function fetchWays(pairs: usize, end: usize): void {
  const from = places;
  let way = ways;
  let reach = reaches;
  for (let at = pairs; at < end; at += 8) {
    const pair = load<u64>(at);
    const watcher = <usize>(pair >>> 42);
    storeWay(way, from + (<usize>(pair >>> 17) & MARKER_OFFSETS), from + (watcher << 3));
    const senses = <u32>load<u8>(at, 1);
    store<f32>(reach, ownReach(watcher, senses));
    way += 8;
    reach += 4;
  }
}

@inline // in JavaScript, too
function ownReach(watcher: usize, senses: u32): f32 {
  const range = load<f32>(<usize>load<u32>(ranges + (<usize>ctz(senses) << 2)) + (watcher << 2));
  const reach = reachWith(range, marginOf(watcher));
  return (senses & (senses - 1)) == 0 ? reach : f32.NaN;
}

@inline // in JavaScript, too
function marginOf(watcher: usize): f32 {
  return load<f32>(margins + (interests == 0 ? 0 : <usize>load<u16>(interests + (watcher << 1)) << 2));
}

/** The difference of two pairs of floats. */
@inline // in JavaScript, too
function storeWay(way: usize, marker: usize, watcher: usize): void {
  if (ASC_FEATURE_SIMD) v128.store64_lane(way, f32x4.sub(v128.load64_zero(marker), v128.load64_zero(watcher)), 0);
  else {
    store<f32>(way, load<f32>(marker) - load<f32>(watcher));
    store<f32>(way, load<f32>(marker, 4) - load<f32>(watcher, 4), 4);
  }
}

/** If either entity of a pair is gone, or its watcher has a row again, sets the offset to NaN: no margin holds the pair. */
function passOverGone(pairs: usize, end: usize): void {
  let way = ways;
  for (let at = pairs; at < end; at += 8) {
    const pair = load<u64>(at);
    const marker = <usize>(<u32>(pair >>> 20) & MARKER_MASK);
    if (!isHere(<usize>(pair >>> 42)) || load<u8>(flags + marker) == 0) store<f32>(way, f32.NaN);
    way += 8;
  }
}

@inline
function isHere(watcher: usize): bool {
  return load<u8>(isDerived + watcher) != 0 && load<u8>(flags + watcher) != 0;
}

/**
 * Tests for at most a block of pairs whether the margin holds them in the senses that they name. Lists the pairs that stay held,
 * and the pairs that lose any sense.
 */
function testBlock(pairs: usize, end: usize): void {
  if (!byLanes) {
    for (let at = pairs; at < end; at += 8) testOne(load<u64>(at));
    return;
  }
  fetchWays(pairs, end);
  if (isAnyGone) passOverGone(pairs, end);
  let way = ways;
  let reach = reaches;
  let fours = pairs;
  if (ASC_FEATURE_SIMD) {
    fours += (end - pairs) & ~31;
    // Each pair is on exactly one of the two lists, so one end follows from the other.
    let k = keptEnd;
    let both = goneEnd + k + 8;
    for (let at = pairs; at < fours; at += 32) {
      const found = heldOfFour(way, v128.load(reach));
      if (found < 0) {
        keptEnd = k;
        goneEnd = both - 8 - k;
        for (let each = at; each < at + 32; each += 8) testOne(load<u64>(each));
        k = keptEnd;
        both = goneEnd + k + 8;
      } else {
        const held = <usize>found;
        const first = load<u64>(at);
        store<u64>(k, first);
        store<u64>(both - 8 - k, first);
        k += (held & 1) << 3;
        const second = load<u64>(at, 8);
        store<u64>(k, second);
        store<u64>(both - k, second);
        k += (held & 2) << 2;
        const third = load<u64>(at, 16);
        store<u64>(k, third);
        store<u64>(both + 8 - k, third);
        k += (held & 4) << 1;
        const fourth = load<u64>(at, 24);
        store<u64>(k, fourth);
        store<u64>(both + 16 - k, fourth);
        k += held & 8;
        both += 32;
      }
      way += 32;
      reach += 16;
    }
    keptEnd = k;
    goneEnd = both - 8 - k;
  }
  for (let at = fours; at < end; at += 8, way += 8, reach += 4) testWay(load<u64>(at), way, load<f32>(reach));
}

/** A bit for each of four pairs: whether the margin holds it in its only sense. -1 if any must be tested by the definition. */
@inline
function heldOfFour(way: usize, reach: v128): i32 {
  const some = v128.load(way);
  const others = v128.load(way, 16);
  const ofSome = f32x4.mul(some, some);
  const ofOthers = f32x4.mul(others, others);
  const squared = f32x4.add(
    v128.shuffle<f32>(ofSome, ofOthers, 0, 2, 4, 6), v128.shuffle<f32>(ofSome, ofOthers, 1, 3, 5, 7),
  );
  const most = f32x4.mul(reach, reach);
  const sum = f32x4.add(squared, most);
  const isHeld = v128.and(f32x4.le(squared, most), f32x4.gt(reach, f32x4.splat(0)));
  return i32x4.bitmask(isHeld) | (v128.any_true(f32x4.ne(sum, sum)) ? -1 : 0);
}

@inline // in JavaScript, too
function watcherOf(pair: u64): usize {
  return <usize>(pair >>> 42);
}

function testWay(pair: u64, way: usize, reach: f32): void {
  const dx = load<f32>(way);
  const dy = load<f32>(way, 4);
  const squared: f32 = dx * dx + dy * dy;
  const most: f32 = reach * reach;
  const sum: f32 = squared + most;
  if (sum != sum) testOne(pair);
  else list(pair, squared <= most && reach > 0 ? (<u32>pair >>> 8) & 255 : 0);
}

function testOne(pair: u64): void {
  list(pair, heldNow(pair, (<u32>pair >>> 8) & 255));
}

/** Lists a pair among those that stay, those that lose any sense, or both. `after`: the senses that hold now. */
@inline // in JavaScript, too
function list(pair: u64, after: u32): void {
  const before = (<u32>pair >>> 8) & 255;
  store<u64>(keptEnd, (pair & ~SENSES_BITS) | (<u64>after << 8));
  keptEnd += <usize>u32(after != 0) << 3;
  store<u64>(goneEnd, pair);
  goneEnd += <usize>u32(after != before) << 3;
}

/** In which of `senses` the margin holds the pair, by the definition. */
function heldNow(pair: u64, senses: u32): u32 {
  const watcher = watcherOf(pair);
  const margin = marginOf(watcher);
  if (!isHere(watcher) || margin == 0) return 0;
  return heldByMargin(state, <u32>watcher, <u32>(pair >>> 20) & MARKER_MASK, senses, margin);
}

/** Writes sentinel pairs that sort after all others, so that no loop has to check where a list ends. */
function endList(end: usize): void {
  for (let at: usize = 0; at < STRETCH; at += 8) store<u64>(end + at, NOBODY);
}

/** Lists the pairs of derived watchers that crossed outwards, each with the senses that it lost. Returns where the list ends. */
function listLost(crossings: usize, end: usize, list: usize): usize {
  const derived = isDerived;
  let to = list;
  for (let at = crossings; at < end; at += 8) {
    const crossing = load<u64>(at);
    const lost = <u32>crossing & ~(<u32>crossing >>> 8) & 255;
    store<u64>(to, (crossing & PAIR_BITS) | (<u64>lost << 8));
    to += <usize>(u32(lost != 0) & <u32>load<u8>(derived + <usize>(crossing >>> 42))) << 3;
  }
  return to;
}

/** Writes the next list and the words, for all pairs before `limit`. */
function merge(crossingEnd: usize, limit: u64, kept: usize, gone: usize): void {
  let k = kept;
  let g = gone;
  let t = taken;
  // Not a pair: a predecessor for the first one.
  store<u64>(kept - 8, 0);
  let n = nextEnd;
  let at = crossing;
  for (; at < crossingEnd; at += 8) {
    const word = load<u64>(at);
    const pair = word & PAIR_BITS;
    if (pair >= limit) break;
    let copied: usize = STRETCH;
    while (copied == STRETCH) {
      copied = copyThrough(pair, k, n);
      k += copied;
      n += copied;
    }
    for (; load<u64>(g) < pair; g += 8) tellGone(load<u64>(g));
    const exact = (<u32>word >>> 8) & 255;
    // If this pair is held, it was copied, too; this removes it again. So the next copy does not have to wait for whether the
    // pair was held.
    const heldPair = load<u64>(k - 8);
    const isHeld = (heldPair & PAIR_BITS) == pair;
    n -= <usize>isHeld << 3;
    const staying = (<u32>heldPair >>> 8) & 255 & (0 - u32(isHeld));
    const takenPair = load<u64>(t);
    const isTaken = (takenPair & PAIR_BITS) == pair;
    t += <usize>isTaken << 3;
    const held = (staying & ~exact) | ((<u32>takenPair >>> 8) & 255 & (0 - u32(isTaken)));
    store<u64>(n, pair | <u64>(exact | (held << 8)));
    n += <usize>u32(held != 0) << 3;
    let before = (<u32>word & 255) | staying;
    if ((load<u64>(g) & PAIR_BITS) == pair) {
      // If the watcher has a row again, its held pairs are in the row already.
      if (load<u8>(isDerived + <usize>(pair >>> 42)) != 0) before |= (<u32>load<u64>(g) >>> 8) & 255;
      g += 8;
    }
    write(pair, before, exact | held);
  }
  for (; g < goneEnd; g += 8) tellGone(load<u64>(g));
  for (; k < keptEnd; k += 8, n += 8) store<u64>(n, load<u64>(k));
  nextEnd = n;
  taken = t;
  crossing = at;
}

/** Copies eight pairs. Returns the bytes of those that come before `pair` or are equal to it. */
@inline // in JavaScript, too
function copyThrough(pair: u64, from: usize, to: usize): usize {
  if (!ASC_FEATURE_SIMD) {
    let copied: usize = 0;
    for (; copied < STRETCH; copied += 8) {
      const next = load<u64>(from + copied);
      if (next >= (pair | ~PAIR_BITS)) break;
      store<u64>(to + copied, next);
    }
    return copied;
  }
  // Vectors compare only signed numbers.
  const sign = i64x2.splat(1 << 63);
  const limit = i64x2.splat((pair | ~PAIR_BITS) ^ (1 << 63));
  const first = v128.load(from);
  const second = v128.load(from, 16);
  const third = v128.load(from, 32);
  const fourth = v128.load(from, 48);
  v128.store(to, first);
  v128.store(to, second, 16);
  v128.store(to, third, 32);
  v128.store(to, fourth, 48);
  const some = i64x2.add(i64x2.lt_s(v128.xor(first, sign), limit), i64x2.lt_s(v128.xor(second, sign), limit));
  const others = i64x2.add(i64x2.lt_s(v128.xor(third, sign), limit), i64x2.lt_s(v128.xor(fourth, sign), limit));
  const all = i64x2.add(some, others);
  return <usize>(0 - (<i32>i64x2.extract_lane(all, 0) + <i32>i64x2.extract_lane(all, 1))) << 3;
}

/** Reports a pair that is no longer held, or is held in fewer senses, and did not cross. */
function tellGone(pair: u64): void {
  const watcher = <usize>(pair >>> 42);
  const exact = <u32>pair & 255;
  const held = (<u32>pair >>> 8) & 255;
  if (!isHere(watcher)) {
    lostCount += u32(exact == 0) & <u32>load<u8>(isDerived + watcher);
    return;
  }
  reportedFlags |= <u32>load<u8>(flags + watcher);
  write(pair & PAIR_BITS, exact | held, exact | ((held & (held - 1)) == 0 ? 0 : heldNow(pair, held)));
}

/** Writes a word if anything changes. */
@inline // in JavaScript, too
function write(pair: u64, before: u32, after: u32): void {
  store<u64>(outEnd, pair | <u64>(before | (after << 8)));
  outEnd += <usize>u32(after != before) << 3;
}
