// See ../layouts/report-rated.ts, which explains the job's words. Part of list-rows.ts.
//
//   (tick + slot) divisible by n, for n up to 255   <=>   (slot + tick % n) / n is whole
//
// The sum is below 2^24, so the float32 quotient is whole only if the sum is divisible: it is exact, or is at least 1 / 255 away from
// every whole number, and so near the greatest quotient floats are denser than that.
import { RANGES, SENSE_COUNT, X, Y, Z } from '../layouts/perception';
import {
  CHANGED_AT, DUE_NOW, EVERY_TICKS, FRACTIONS, INTERESTS, IS_RATED, OWING, OWING_COUNT, REMAINDERS, RINGS_OF, SQUARES, STATE, TICK, TICKS,
} from '../layouts/report-rated';
import { column, floatAt, setFloat, setWord, word, wordAt } from './job';
import {
  Words, WIDTH, add, allFloats, allWords, areEqual, areWhole, bitOr, bitsOf, both, chosen, div, either, floatsFrom, gathered, gatheredWords, isAtLeast,
  isAtMost, isBelow, minus, mul, setWords, shiftedDown, sub, wordsAt, wordsWhere,
} from './lanes';

const NOW: u32 = DUE_NOW;

let job: usize = 0;
let isRated: usize = 0;
let ticks: usize = 0;
let changedAt: usize = 0;
let x: usize = 0;
let y: usize = 0;
let z: usize = 0;
let squares: usize = 0;
let remainders: usize = 0;
let everyTicks: usize = 0;
let tick: u32 = 0;
let owingCount: u32 = 0;
/** Of the current watcher: its position, and its rings, of which the last has no end. */
let ownX: f32 = 0;
let ownY: f32 = 0;
let ownZ: f32 = 0;
let firstRing: u32 = 0;
let lastRing: u32 = 0;
/** Whether it has a change that is not reported yet: any bit. */
let owes: u32 = 0;

/** `from`: the job, 0 if no watcher gets updates at rates. */
export function openRated(from: usize): void {
  job = from;
  if (from == 0) return;
  const state = from + (STATE << 2);
  isRated = column(from, IS_RATED);
  ticks = column(from, TICKS);
  changedAt = column(from, CHANGED_AT);
  x = column(state, X);
  y = column(state, Y);
  z = column(state, Z);
  squares = column(from, SQUARES);
  remainders = column(from, REMAINDERS);
  everyTicks = column(from, EVERY_TICKS);
  tick = word(from, TICK);
  owingCount = 0;
}

export function closeRated(): void {
  if (job != 0) setWord(job, OWING_COUNT, owingCount);
}

@inline
export function isAtRates(slot: u32): bool {
  return job != 0 && load<u8>(isRated + slot) != 0;
}

/**
 * Appends the markers of a watcher's row that are reported, as ids, to `markers` at index `count`, and stores that they were. `row`: its
 * first marker; `start`: its index from the first row on. Returns where the ids end.
 */
export function listDue(slot: u32, row: usize, start: u32, size: u32, markers: usize, count: u32): u32 {
  openWatcher(slot);
  const own = ticks + (<usize>start << 2);
  let to = count;
  let i: u32 = 0;
  for (; i + WIDTH <= size; i += WIDTH) {
    const at = row + (<usize>i << 2);
    const due = dueLanes(wordsAt(at), own + (<usize>i << 2));
    for (let lane: u32 = 0; lane < WIDTH; lane++) {
      setWord(markers, to, load<u32>(at + (<usize>lane << 2)));
      to += (due >>> lane) & 1;
    }
  }
  // With one lane, none are left.
  if (WIDTH > 1) {
    for (; i < size; i++) {
      const id = wordAt(row, i);
      setWord(markers, to, id);
      to += <u32>isDue(id, own + (<usize>i << 2));
    }
  }
  setWord(column(job, OWING), owingCount, slot);
  owingCount += <u32>(owes != 0);
  return to;
}

function openWatcher(slot: u32): void {
  const state = job + (STATE << 2);
  const interests = column(job, INTERESTS);
  const interest = interests == 0 ? 0 : <u32>load<u16>(interests + (<usize>slot << 1));
  const fractions = column(job, FRACTIONS);
  owes = 0;
  ownX = floatAt(x, slot);
  ownY = floatAt(y, slot);
  ownZ = z == 0 ? 0 : floatAt(z, slot);
  firstRing = wordAt(column(job, RINGS_OF), 2 * interest);
  lastRing = firstRing + wordAt(column(job, RINGS_OF), 2 * interest + 1) - 1;
  let longest: f32 = 0;
  for (let s: u32 = 0; s < word(state, SENSE_COUNT); s++) {
    const ranges = column(state, RANGES + <i32>s);
    if (ranges != 0) longest = max(longest, floatAt(ranges, slot));
  }
  for (let r = firstRing; r < lastRing; r++) {
    const end = <f32>(load<f64>(fractions + (<usize>r << 3)) * <f64>longest);
    setFloat(squares, r, end * end);
  }
}

/** A bit for each lane: whether its marker is reported. `tickAt`: where the ticks of these markers lie. */
@inline
function dueLanes(ids: Words, tickAt: usize): u32 {
  const slots = shiftedDown(ids, 10);
  const since = wordsAt(tickAt);
  const hasChanged = isBelow(since, gatheredWords(changedAt, slots));
  const dx = sub(gathered(x, slots), allFloats(ownX));
  const dy = sub(gathered(y, slots), allFloats(ownY));
  let squared = add(mul(dx, dx), mul(dy, dy));
  if (z != 0) {
    const dz = sub(gathered(z, slots), allFloats(ownZ));
    squared = add(squared, mul(dz, dz));
  }
  // In which ring a marker is, and whether it is due, is unpredictable: so none of this is a branch.
  let every = allFloats(<f32>wordAt(everyTicks, lastRing));
  let remainder = allFloats(<f32>wordAt(remainders, lastRing));
  for (let r = lastRing; r > firstRing; r--) {
    const isInside = isAtMost(squared, allFloats(floatAt(squares, r - 1)));
    every = chosen(isInside, allFloats(<f32>wordAt(everyTicks, r - 1)), every);
    remainder = chosen(isInside, allFloats(<f32>wordAt(remainders, r - 1)), remainder);
  }
  const hasTurn = areWhole(div(add(floatsFrom(slots), remainder), every));
  const hasWaited = isAtLeast(floatsFrom(minus(allWords(tick), since)), every);
  const isNow = both(hasChanged, either(hasTurn, hasWaited));
  const isDueNow = either(isNow, areEqual(since, allWords(NOW)));
  setWords(tickAt, bitOr(wordsWhere(isDueNow, allWords(tick)), minus(since, wordsWhere(isDueNow, since))));
  const due = bitsOf(isDueNow);
  owes |= bitsOf(hasChanged) & ~due;
  return due;
}

/** As `dueLanes`, for one marker. */
function isDue(id: u32, tickAt: usize): bool {
  const slot = id >>> 10;
  const since = load<u32>(tickAt);
  const hasChanged = wordAt(changedAt, slot) > since;
  const dx = floatAt(x, slot) - ownX;
  const dy = floatAt(y, slot) - ownY;
  let squared = dx * dx + dy * dy;
  if (z != 0) {
    const dz = floatAt(z, slot) - ownZ;
    squared += dz * dz;
  }
  let ring = firstRing;
  while (ring < lastRing && !(squared <= floatAt(squares, ring))) ring++;
  const every = wordAt(everyTicks, ring);
  const isNow = hasChanged && ((slot + wordAt(remainders, ring)) % every == 0 || tick - since >= every);
  const isReported = isNow || since == NOW;
  if (isReported) store<u32>(tickAt, tick);
  owes |= <u32>(hasChanged && !isReported);
  return isReported;
}
