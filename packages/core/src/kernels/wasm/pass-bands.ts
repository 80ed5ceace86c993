// Twin of ../pass-bands.ts, which says what the job's words are and what an entry is. Four entries are tested in one vector,
// and what stays and what goes is listed without a branch; of crossings and of what goes, positions are fetched in blocks, by a
// loop that does nothing else, so that many are waited for at once.
// Entries and crossings are read as numbers of 64 bits, watcher from bit 42 on, marker from bit 20 on.
import { joinPlaces } from './places';

const PAIR_BITS: u64 = ~0xfffff;
const MARKER_MASK: u32 = 0x3fffff;
const MARKER_OFFSETS: usize = <usize>MARKER_MASK << 3;
const LEVEL_BITS: u32 = 7;
const MUTUAL: u32 = 8;
/** Bytes of the crossings or entries whose positions are fetched before anything is decided of them. */
const BLOCK_BYTES: usize = 1024 << 3;
const BANDS: usize = 72;
const MASKS: usize = 136;

// What the functions of one call share; set by openBands.
let isEasy: usize = 0;
let flags: usize = 0;
/** x and y side by side, by slot. */
let places: usize = 0;
/** Of a block: squares of how far x and y are apart, side by side; and where crossings lie that lost senses. */
let squares: usize = 0;
let lostList: usize = 0;
let bands: usize = 0;
let masks: usize = 0;
let levelCount: u32 = 0;
let isAnyGone: bool = false;
/** The entry that was added last, unless it is mutual by now. */
let lastTaken: u64 = 0;
/** Where entries that stay, those that go, and crossings end. */
let nextEnd: usize = 0;
let goneEnd: usize = 0;
let crossingEnd: usize = 0;
let lostCount: u32 = 0;

function openBands(job: usize): void {
  isEasy = <usize>load<u32>(job, 32);
  flags = <usize>load<u32>(job, 36);
  places = <usize>load<u32>(job, 48);
  squares = <usize>load<u32>(job, 52);
  lostList = squares + BLOCK_BYTES;
  bands = job + BANDS;
  masks = job + MASKS;
  levelCount = load<u32>(job, 68);
  isAnyGone = load<u32>(job, 60) != 0;
}

export function testBands(job: usize): void {
  openBands(job);
  joinPlaces(<usize>load<u32>(job, 40), <usize>load<u32>(job, 44), places, load<u32>(job, 56));
  const held = <usize>load<u32>(job, 8);
  const end = held + (<usize>load<u32>(job, 12) << 3);
  const next = <usize>load<u32>(job, 16);
  const gone = <usize>load<u32>(job, 24);
  nextEnd = next;
  goneEnd = gone;
  testEntries(held, end);
  if (isAnyGone) passOverGone(next);
  store<u32>(job, <u32>((nextEnd - next) >> 3), 20);
  store<u32>(job, <u32>((goneEnd - gone) >> 3), 28);
}

export function tellBands(job: usize): void {
  openBands(job);
  lostCount = 0;
  const next = <usize>load<u32>(job, 16);
  nextEnd = next + (<usize>load<u32>(job, 20) << 3);
  const crossings = <usize>load<u32>(job);
  takeCrossings(crossings, crossings + (<usize>load<u32>(job, 4) << 3));
  const gone = <usize>load<u32>(job, 24);
  const end = gone + (<usize>load<u32>(job, 28) << 3);
  for (let at = gone; at < end; at += BLOCK_BYTES) {
    const stop = min<usize>(at + BLOCK_BYTES, end);
    if (isAnyGone) for (let entry = at; entry < stop; entry += 8) tellGone(load<u64>(entry));
    else tellLost(at, stop);
  }
  store<u32>(job, <u32>((crossingEnd - crossings) >> 3), 4);
  store<u32>(job, <u32>((nextEnd - next) >> 3), 20);
  store<u32>(job, lostCount, 64);
}

/** Lists the entries that stay in their bands, and those that do not. */
function testEntries(entries: usize, end: usize): void {
  const fours = entries + ((end - entries) & ~31);
  // Locals, since a global is read anew in each round.
  const from = places;
  const table = bands;
  let n = nextEnd;
  // Whoever is not on the one list is on the other.
  let both = goneEnd + n + 8;
  for (let at = entries; at < fours; at += 32) {
    const first = load<u64>(at);
    const second = load<u64>(at, 8);
    const third = load<u64>(at, 16);
    const fourth = load<u64>(at, 24);
    const stays = staysOfFour(from, table, first, second, third, fourth);
    store<u64>(n, first);
    store<u64>(both - 8 - n, first);
    n += (stays & 1) << 3;
    store<u64>(n, second);
    store<u64>(both - n, second);
    n += (stays & 2) << 2;
    store<u64>(n, third);
    store<u64>(both + 8 - n, third);
    n += (stays & 4) << 1;
    store<u64>(n, fourth);
    store<u64>(both + 16 - n, fourth);
    n += stays & 8;
    both += 32;
  }
  let g = both - 8 - n;
  for (let at = fours; at < end; at += 8) {
    const entry = load<u64>(at);
    const squared = squaredOf(watcherOf(entry), markerOf(entry));
    const band = bands + ((<usize>entry & LEVEL_BITS) << 3);
    const stays = <usize>(u32(squared > load<f32>(band)) & u32(squared <= load<f32>(band, 4)));
    store<u64>(n, entry);
    store<u64>(g, entry);
    n += stays << 3;
    g += (1 - stays) << 3;
  }
  nextEnd = n;
  goneEnd = g;
}

/** By bits: which of four entries stay. */
// @ts-ignore: decorator
@inline
function staysOfFour(from: usize, table: usize, first: u64, second: u64, third: u64, fourth: u64): usize {
  const some = squaresOfTwo(from, first, second);
  const others = squaresOfTwo(from, third, fourth);
  const squared = f32x4.add(
    v128.shuffle<f32>(some, others, 0, 2, 4, 6), v128.shuffle<f32>(some, others, 1, 3, 5, 7),
  );
  const ofSome = bandsOfTwo(table, first, second);
  const ofOthers = bandsOfTwo(table, third, fourth);
  const least = v128.shuffle<f32>(ofSome, ofOthers, 0, 2, 4, 6);
  const most = v128.shuffle<f32>(ofSome, ofOthers, 1, 3, 5, 7);
  return <usize>i32x4.bitmask(v128.and(f32x4.gt(squared, least), f32x4.le(squared, most)));
}

// @ts-ignore: decorator
@inline
function squaresOfTwo(from: usize, first: u64, second: u64): v128 {
  const markers = v128.load64_lane(
    from + (<usize>(second >>> 17) & MARKER_OFFSETS),
    v128.load64_zero(from + (<usize>(first >>> 17) & MARKER_OFFSETS)), 1,
  );
  const watchers = v128.load64_lane(
    from + (<usize>(second >>> 42) << 3), v128.load64_zero(from + (<usize>(first >>> 42) << 3)), 1,
  );
  const ways = f32x4.sub(markers, watchers);
  return f32x4.mul(ways, ways);
}

// @ts-ignore: decorator
@inline
function bandsOfTwo(table: usize, first: u64, second: u64): v128 {
  const ofFirst = v128.load64_zero(table + ((<usize>first & LEVEL_BITS) << 3));
  return v128.load64_lane(table + ((<usize>second & LEVEL_BITS) << 3), ofFirst, 1);
}

/** Entries of which anyone is gone, or has a row again, do not stay: `tellGone` looks at them one by one. */
function passOverGone(entries: usize): void {
  let n = entries;
  let g = goneEnd;
  for (let at = entries; at < nextEnd; at += 8) {
    const entry = load<u64>(at);
    const watcher = watcherOf(entry);
    const marker = markerOf(entry);
    const isHere =
      isPresent(watcher) && isPresent(marker) && isEasyOne(watcher) && ((<u32>entry & MUTUAL) == 0 || isEasyOne(marker));
    store<u64>(n, entry);
    store<u64>(g, entry);
    n += <usize>u32(isHere) << 3;
    g += <usize>u32(!isHere) << 3;
  }
  nextEnd = n;
  goneEnd = g;
}

/** Goes through the crossings in blocks; those of which nothing is left are taken out. */
function takeCrossings(crossings: usize, end: usize): void {
  crossingEnd = crossings;
  lastTaken = 0;
  for (let at = crossings; at < end; at += BLOCK_BYTES) {
    const stop = min<usize>(at + BLOCK_BYTES, end);
    const lostEnd = listLost(at, stop);
    fetchLost(lostEnd);
    takeLost(lostEnd);
    keepChanges(at, stop);
  }
}

/** Lists where the crossings of easy watchers lie that lost senses; answers where the list ends. */
function listLost(crossings: usize, end: usize): usize {
  const easy = isEasy;
  let to = lostList;
  for (let at = crossings; at < end; at += 8) {
    const word = load<u64>(at);
    store<u32>(to, <u32>at);
    const lost = <u32>word & ~(<u32>word >>> 8) & 255;
    to += <usize>(u32(lost != 0) & <u32>load<u8>(easy + watcherOf(word))) << 2;
  }
  return to;
}

/** Fetches where both are of each entry, one after the other. */
function fetchSquares(entries: usize, end: usize): void {
  const from = places;
  let square = squares;
  for (let at = entries; at < end; at += 8) {
    const entry = load<u64>(at);
    const marker = v128.load64_zero(from + (<usize>(entry >>> 17) & MARKER_OFFSETS));
    const way = f32x4.sub(marker, v128.load64_zero(from + (<usize>(entry >>> 42) << 3)));
    v128.store64_lane(square, f32x4.mul(way, way), 0);
    square += 8;
  }
}

/** The same for the crossings on the list. */
function fetchLost(lostEnd: usize): void {
  const from = places;
  let square = squares;
  for (let at = lostList; at < lostEnd; at += 4) {
    const word = load<u64>(<usize>load<u32>(at));
    const marker = v128.load64_zero(from + (<usize>(word >>> 17) & MARKER_OFFSETS));
    const way = f32x4.sub(marker, v128.load64_zero(from + (<usize>(word >>> 42) << 3)));
    v128.store64_lane(square, f32x4.mul(way, way), 0);
    square += 8;
  }
}

/** Adds the senses in which margins hold those of the list, and their entries. */
function takeLost(lostEnd: usize): void {
  let square = squares;
  let n = nextEnd;
  let last = lastTaken;
  for (let at = lostList; at < lostEnd; at += 4, square += 8) {
    const crossing = <usize>load<u32>(at);
    const word = load<u64>(crossing);
    const squared = load<f32>(square) + load<f32>(square, 4);
    const level = levelsInside(squared);
    if (level == levelCount || !(squared <= load<f32>(bands + (<usize>level << 3), 4))) continue;
    const senses = sensesOf(level);
    if ((<u32>word & ~(<u32>word >>> 8) & senses) == 0) continue;
    if (isAnyGone && !(isPresent(watcherOf(word)) && isPresent(markerOf(word)))) continue;
    store<u64>(crossing, word | (<u64>senses << 8));
    const entry = (word & PAIR_BITS) | <u64>level;
    if (wayBack(entry) == last) {
      store<u64>(n - 8, last | <u64>MUTUAL);
      last = 0;
    } else {
      store<u64>(n, entry);
      n += 8;
      last = entry;
    }
  }
  nextEnd = n;
  lastTaken = last;
}

/** Closes the gaps that crossings leave of which nothing is left. */
function keepChanges(crossings: usize, end: usize): void {
  let to = crossingEnd;
  for (let at = crossings; at < end; at += 8) {
    const word = load<u64>(at);
    store<u64>(to, word);
    to += <usize>u32(((<u32>word ^ (<u32>word >>> 8)) & 255) != 0) << 3;
  }
  crossingEnd = to;
}

/** Tells of entries that left their bands, each way. All of them are there, and all who hold are easy. */
function tellLost(entries: usize, end: usize): void {
  fetchSquares(entries, end);
  let square = squares;
  let to = crossingEnd;
  for (let at = entries; at < end; at += 8, square += 8) {
    const entry = load<u64>(at);
    const level = <u32>entry & LEVEL_BITS;
    const squared = load<f32>(square) + load<f32>(square, 4);
    const inside = levelsInside(squared);
    const isHeld = u32(inside <= level) & u32(squared <= load<f32>(bands + (<usize>inside << 3), 4));
    const before = load<u32>(masks + (<usize>level << 2), 4);
    const senses = <u64>(before | (load<u32>(masks + (<usize>(inside + isHeld) << 2)) << 8));
    const pair = entry & PAIR_BITS;
    store<u64>(to, pair | senses);
    store<u64>(to, wayBack(pair) | senses, 8);
    to += 8 + (<usize>u32((<u32>entry & MUTUAL) != 0) << 3);
  }
  crossingEnd = to;
}

/** Tells of an entry that goes, each way; what of it stays after all is put back. */
function tellGone(entry: u64): void {
  const watcher = watcherOf(entry);
  const marker = markerOf(entry);
  const level = <u32>entry & LEVEL_BITS;
  const squared = isPresent(watcher) && isPresent(marker) ? squaredOf(watcher, marker) : f32.NaN;
  const pair = entry & PAIR_BITS;
  const stays = tellPair(pair, level, squared);
  const staysBack = (<u32>entry & MUTUAL) != 0 && tellPair(wayBack(pair), level, squared);
  if (!stays && !staysBack) return;
  const left = (stays ? pair : wayBack(pair)) | <u64>level;
  store<u64>(nextEnd, stays && staysBack ? left | <u64>MUTUAL : left);
  nextEnd += 8;
}

/** Tells of one pair of an entry. Answers whether it stays. */
function tellPair(pair: u64, level: u32, squared: f32): bool {
  const watcher = watcherOf(pair);
  // One that has a row again brought its held pairs along there.
  if (!isEasyOne(watcher)) return false;
  if (!isPresent(watcher)) {
    lostCount += u32(level == 0);
    return false;
  }
  const inside = levelsInside(squared);
  const isHeld = u32(inside <= level) & u32(squared <= load<f32>(bands + (<usize>inside << 3), 4));
  if (isHeld != 0 && inside == level) return true;
  const before = load<u32>(masks + (<usize>level << 2), 4);
  const after = load<u32>(masks + (<usize>(inside + isHeld) << 2));
  store<u64>(crossingEnd, pair | <u64>(before | (after << 8)));
  crossingEnd += 8;
  return false;
}

/** How many levels a squared distance is inside of; none where it is no number. */
// @ts-ignore: decorator
@inline
function levelsInside(squared: f32): u32 {
  let inside: u32 = 0;
  const count = levelCount;
  for (let k: u32 = 0; k < count; k++) inside += u32(squared <= load<f32>(bands + (<usize>k << 3)));
  return inside;
}

/** The senses of a level. */
// @ts-ignore: decorator
@inline
function sensesOf(level: u32): u32 {
  const at = masks + (<usize>level << 2);
  return load<u32>(at) ^ load<u32>(at, 4);
}

// @ts-ignore: decorator
@inline
function squaredOf(watcher: usize, marker: usize): f32 {
  const to = places + (marker << 3);
  const from = places + (watcher << 3);
  const dx = load<f32>(to) - load<f32>(from);
  const dy = load<f32>(to, 4) - load<f32>(from, 4);
  return dx * dx + dy * dy;
}

/** The pair the other way; what else is in the word stays. */
// @ts-ignore: decorator
@inline
function wayBack(pair: u64): u64 {
  return (pair << 22 & <u64>MARKER_MASK << 42) | (pair >>> 22 & <u64>MARKER_MASK << 20) | (pair & ~PAIR_BITS);
}

// @ts-ignore: decorator
@inline
function watcherOf(pair: u64): usize {
  return <usize>(pair >>> 42);
}

// @ts-ignore: decorator
@inline
function markerOf(pair: u64): usize {
  return <usize>(<u32>(pair >>> 20) & MARKER_MASK);
}

// @ts-ignore: decorator
@inline
function isPresent(slot: usize): bool {
  return load<u8>(flags + slot) != 0;
}

// @ts-ignore: decorator
@inline
function isEasyOne(slot: usize): bool {
  return load<u8>(isEasy + slot) != 0;
}
