// Twin of ../pass-holds.ts, which says what the job's words are. It goes about it in steps, so that hardly any branch depends
// on what comes out, and many positions are waited for at once:
//
//   test    every held pair where it is now: those that stay, those that go
//   test    the pairs that crossed outwards likewise: those that come to be held
//   merge   what stays and what comes into the next list; crossings and what goes into words
//
// Pairs are read as numbers of 64 bits, watcher from bit 42 on, marker from bit 20 on: their order is that of the lists.

const PAIR_BITS: u64 = ~0xfffff;
const SENSES_BITS: u64 = 0xff00;
const MARKER_MASK: u32 = 0x3fffff;
/** Pairs whose markers' positions are fetched before any is tested. Scratch holds so many x, then so many y. */
const BLOCK: usize = 1024;
const BLOCK_BYTES: usize = BLOCK << 2;
/** Bytes copied at once. No list of pairs that is read ends before so many bytes behind its last one. */
const STRETCH: usize = 64;

// What the functions of one call share; set by passHolds.
let isEasy: usize = 0;
let flags: usize = 0;
let x: usize = 0;
let y: usize = 0;
let interests: usize = 0;
let margins: usize = 0;
let ranges: usize = 0;
let scratch: usize = 0;
let isAnyGone: bool = false;
let lostCount: u32 = 0;
/** Where the pairs end that were tested and stay, and those that go. */
let keptEnd: usize = 0;
let goneEnd: usize = 0;
/** Where the next list and the words end. */
let nextEnd: usize = 0;
let outEnd: usize = 0;

export function passHolds(job: usize): void {
  const crossings = <usize>load<u32>(job);
  const crossingBytes = <usize>load<u32>(job, 4) << 3;
  const held = <usize>load<u32>(job, 8);
  const next = <usize>load<u32>(job, 16);
  const out = <usize>load<u32>(job, 20);
  isEasy = <usize>load<u32>(job, 24);
  flags = <usize>load<u32>(job, 28);
  x = <usize>load<u32>(job, 32);
  y = <usize>load<u32>(job, 36);
  interests = <usize>load<u32>(job, 40);
  margins = <usize>load<u32>(job, 44);
  ranges = job + 48;
  scratch = <usize>load<u32>(job, 92);
  isAnyGone = load<u32>(job, 96) != 0;
  lostCount = 0;
  // So far behind what is written that nothing is written over before it was read: a crossing adds one pair at most.
  const kept = next + crossingBytes + STRETCH;
  const gone = out + crossingBytes;
  testPairs(held, held + (<usize>load<u32>(job, 12) << 3), kept, gone);
  const keptHeldEnd = endList(keptEnd);
  const goneHeldEnd = endList(goneEnd);
  const lost = goneHeldEnd + STRETCH;
  const lostEnd = listLost(crossings, crossings + crossingBytes, lost);
  // Those of them that no margin holds are of no further use.
  testPairs(lost, lostEnd, lostEnd, lost);
  endList(keptEnd);
  nextEnd = next;
  outEnd = out;
  merge(crossings, crossings + crossingBytes, kept, keptHeldEnd, gone, goneHeldEnd, lostEnd);
  store<u32>(job, <u32>((nextEnd - next) >> 3), 80);
  store<u32>(job, <u32>((outEnd - out) >> 3), 84);
  store<u32>(job, lostCount, 88);
}

/** Tests whether the margin holds pairs in the senses that they say. Lists those that it does, and those that lose any. */
function testPairs(pairs: usize, end: usize, kept: usize, gone: usize): void {
  keptEnd = kept;
  goneEnd = gone;
  for (let at = pairs; at < end; at += BLOCK << 3) {
    const blockEnd = min<usize>(at + (BLOCK << 3), end);
    fetchMarkers(at, blockEnd);
    if (isAnyGone) passOverGone(at, blockEnd);
    testBlock(at, blockEnd);
  }
}

function fetchMarkers(pairs: usize, end: usize): void {
  const xs = x;
  const ys = y;
  let to = scratch;
  for (let at = pairs; at < end; at += 8) {
    const marker = <usize>(<u32>(load<u64>(at) >>> 20) & MARKER_MASK) << 2;
    store<u32>(to, load<u32>(xs + marker));
    store<u32>(to, load<u32>(ys + marker), BLOCK_BYTES);
    to += 4;
  }
}

/** Pairs of which either is gone, or whose watcher has a row again, are nowhere: no margin holds them. */
function passOverGone(pairs: usize, end: usize): void {
  let to = scratch;
  for (let at = pairs; at < end; at += 8) {
    const pair = load<u64>(at);
    const marker = <usize>(<u32>(pair >>> 20) & MARKER_MASK);
    if (!isHere(<usize>(pair >>> 42)) || load<u8>(flags + marker) == 0) store<f32>(to, f32.NaN);
    to += 4;
  }
}

// @ts-ignore: decorator
@inline
function isHere(watcher: usize): bool {
  return load<u8>(isEasy + watcher) != 0 && load<u8>(flags + watcher) != 0;
}

function testBlock(pairs: usize, end: usize): void {
  const xs = x;
  const ys = y;
  const columns = ranges;
  const numbers = interests;
  const byInterest = margins;
  let k = keptEnd;
  let g = goneEnd;
  let from = scratch;
  for (let at = pairs; at < end; at += 8, from += 4) {
    const pair = load<u64>(at);
    const watcher = <usize>(pair >>> 42) << 2;
    const dx = load<f32>(from) - load<f32>(xs + watcher);
    const dy = load<f32>(from, BLOCK_BYTES) - load<f32>(ys + watcher);
    const squared = dx * dx + dy * dy;
    const margin = load<f32>(byInterest + (numbers == 0 ? 0 : <usize>load<u16>(numbers + (watcher >>> 1)) << 2));
    const before = (<u32>pair >>> 8) & 255;
    if ((before & (before - 1)) != 0) {
      const after = heldInMany(squared, watcher, before, margin);
      store<u64>(k, (pair & ~SENSES_BITS) | (<u64>after << 8));
      k += <usize>u32(after != 0) << 3;
      store<u64>(g, pair);
      g += <usize>u32(after != before) << 3;
      continue;
    }
    const isHeld = isWithin(squared, load<f32>(<usize>load<u32>(columns + (<usize>ctz(before) << 2)) + watcher), margin);
    store<u64>(k, pair);
    k += <usize>isHeld << 3;
    store<u64>(g, pair);
    g += <usize>(isHeld ^ 1) << 3;
  }
  keptEnd = k;
  goneEnd = g;
}

function heldInMany(squared: f32, watcher: usize, senses: u32, margin: f32): u32 {
  let held: u32 = 0;
  for (let rest = senses; rest != 0; rest &= rest - 1) {
    const s = ctz(rest);
    held |= isWithin(squared, load<f32>(<usize>load<u32>(ranges + (<usize>s << 2)) + watcher), margin) << s;
  }
  return held;
}

// @ts-ignore: decorator
@inline
function isWithin(squared: f32, range: f32, margin: f32): u32 {
  const reach = range + margin;
  return u32(range > 0) & u32(squared <= reach * reach);
}

/** Writes pairs behind all others, so that no loop need look where a list ends. */
function endList(end: usize): usize {
  memory.fill(end, 255, STRETCH);
  return end;
}

/** Lists the pairs of easy watchers that crossed outwards, each with the senses in which it did; answers where they end. */
function listLost(crossings: usize, end: usize, list: usize): usize {
  const easy = isEasy;
  let to = list;
  for (let at = crossings; at < end; at += 8) {
    const crossing = load<u64>(at);
    const lost = <u32>crossing & ~(<u32>crossing >>> 8) & 255;
    store<u64>(to, (crossing & PAIR_BITS) | (<u64>lost << 8));
    to += <usize>(u32(lost != 0) & <u32>load<u8>(easy + <usize>(crossing >>> 42))) << 3;
  }
  return to;
}

/** Writes the next list and the words. `taken`: the pairs that come to be held. */
function merge(
  crossings: usize, crossingEnd: usize, kept: usize, keptListEnd: usize, gone: usize, goneListEnd: usize, taken: usize,
): void {
  let k = kept;
  let g = gone;
  let t = taken;
  let n = nextEnd;
  for (let at = crossings; at < crossingEnd; at += 8) {
    const crossing = load<u64>(at);
    const pair = crossing & PAIR_BITS;
    let copied: usize = STRETCH;
    while (copied == STRETCH) {
      copied = copyBefore(pair, k, n);
      k += copied;
      n += copied;
    }
    for (; load<u64>(g) < pair; g += 8) tellGone(load<u64>(g));
    const exact = (<u32>crossing >>> 8) & 255;
    const heldPair = load<u64>(k);
    const isHeld = (heldPair & PAIR_BITS) == pair;
    k += <usize>isHeld << 3;
    const staying = (<u32>heldPair >>> 8) & 255 & (0 - u32(isHeld));
    const takenPair = load<u64>(t);
    const isTaken = (takenPair & PAIR_BITS) == pair;
    t += <usize>isTaken << 3;
    const held = (staying & ~exact) | ((<u32>takenPair >>> 8) & 255 & (0 - u32(isTaken)));
    store<u64>(n, pair | <u64>(exact | (held << 8)));
    n += <usize>u32(held != 0) << 3;
    let before = (<u32>crossing & 255) | staying;
    if ((load<u64>(g) & PAIR_BITS) == pair) {
      // One that has a row again brought its held pairs along there.
      if (load<u8>(isEasy + <usize>(pair >>> 42)) != 0) before |= (<u32>load<u64>(g) >>> 8) & 255;
      g += 8;
    }
    write(pair, before, exact | held);
  }
  for (; g < goneListEnd; g += 8) tellGone(load<u64>(g));
  memory.copy(n, k, keptListEnd - k);
  nextEnd = n + (keptListEnd - k);
}

/** Copies eight pairs; answers the bytes of those of them that come before one. */
// @ts-ignore: decorator
@inline
function copyBefore(pair: u64, from: usize, to: usize): usize {
  // Vectors compare signed numbers only.
  const sign = i64x2.splat(1 << 63);
  const limit = i64x2.splat(pair ^ (1 << 63));
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

/** Tells of a pair that is held no more, or in fewer senses, and did not cross. */
function tellGone(pair: u64): void {
  const watcher = <usize>(pair >>> 42);
  const exact = <u32>pair & 255;
  const held = (<u32>pair >>> 8) & 255;
  if (!isHere(watcher)) {
    lostCount += u32(exact == 0) & <u32>load<u8>(isEasy + watcher);
    return;
  }
  write(pair & PAIR_BITS, exact | held, exact | ((held & (held - 1)) == 0 ? 0 : heldNow(pair, held)));
}

/** Which of several senses the margin holds: a pair that loses some of them. */
function heldNow(pair: u64, senses: u32): u32 {
  const watcher = <usize>(pair >>> 42) << 2;
  const marker = <usize>(<u32>(pair >>> 20) & MARKER_MASK);
  if (load<u8>(flags + marker) == 0) return 0;
  const dx = load<f32>(x + (marker << 2)) - load<f32>(x + watcher);
  const dy = load<f32>(y + (marker << 2)) - load<f32>(y + watcher);
  const interest: usize = interests == 0 ? 0 : <usize>load<u16>(interests + (watcher >>> 1));
  return heldInMany(dx * dx + dy * dy, watcher, senses, load<f32>(margins + (interest << 2)));
}

/** Writes a word, where anything changes. */
// @ts-ignore: decorator
@inline
function write(pair: u64, before: u32, after: u32): void {
  store<u64>(outEnd, pair | <u64>(before | (after << 8)));
  outEnd += <usize>u32(after != before) << 3;
}
