// The watcher at hand, for seat-crowd.ts and crowd-edits.ts: part of the twin of ../seat-crowd.ts.
import { column, floatAt, word, wordAt } from './job';
import {
  CAPS, FLAGS, INTERESTS, MARKER, PAIR_MARKER, PAIR_SINCE, PAIR_SIZE, PAIR_START, PAIR_STATE, RANGES, RULE_BYTES, RULES,
  SENSE_COUNT, WEIGHTS, X, Y, Z,
} from './crowd-job';
import { is3D } from './crowd-tree';

const CAP_UNSET: u32 = 0xfffffffe;
const NO_CAP: u32 = 0xffffffff;

export let x: usize = 0;
export let y: usize = 0;
export let z: usize = 0;
export let flags: usize = 0;
export let markers: usize = 0;
export let starts: usize = 0;
export let sizes: usize = 0;
export let senseCount: u32 = 0;
let states: usize = 0;
let sinces: usize = 0;
let ranges: usize = 0;
let interests: usize = 0;
let rules: usize = 0;
let caps: usize = 0;
let weights: usize = 0;

export let watcher: u32 = 0;
export let watcherX: f32 = 0;
export let watcherY: f32 = 0;
export let watcherZ: f32 = 0;
/** Its row, and the columns beside the markers. */
export let row: usize = 0;
export let rowStates: usize = 0;
export let rowSinces: usize = 0;
export let size: u32 = 0;
export let cap: u32 = 0;
/** 1 - bonus. */
export let factor: f32 = 1;
export let dwell: u32 = 0;
export let ruleBits: u32 = 0;
export let margin: f32 = 0;
/** Of its longest range. */
export let reachSquared: f32 = 0;

export function openWatchers(job: usize): void {
  x = column(job, X);
  y = column(job, Y);
  z = column(job, Z);
  flags = column(job, FLAGS);
  markers = column(job, PAIR_MARKER);
  states = column(job, PAIR_STATE);
  sinces = column(job, PAIR_SINCE);
  starts = column(job, PAIR_START);
  sizes = column(job, PAIR_SIZE);
  interests = column(job, INTERESTS);
  rules = column(job, RULES);
  caps = column(job, CAPS);
  weights = column(job, WEIGHTS);
  senseCount = word(job, SENSE_COUNT);
  ranges = job + RANGES;
}

/** Reads the watcher's own; false for one without a cap. */
export function takeUp(slot: u32): bool {
  watcher = slot;
  watcherX = floatAt(x, slot);
  watcherY = floatAt(y, slot);
  if (is3D) watcherZ = floatAt(z, slot);
  const start = <usize>wordAt(starts, slot) << 2;
  row = markers + start;
  rowStates = states + start;
  rowSinces = sinces + start;
  size = wordAt(sizes, slot);
  const interest: usize = interests == 0 ? 0 : <usize>load<u16>(interests + (<usize>slot << 1));
  const rule = rules + interest * RULE_BYTES;
  cap = caps == 0 ? CAP_UNSET : wordAt(caps, slot);
  if (cap == CAP_UNSET) cap = load<u32>(rule);
  factor = load<f32>(rule, 4);
  dwell = load<u32>(rule, 8);
  ruleBits = load<u32>(rule, 12);
  margin = load<f32>(rule, 16);
  reachSquared = 0;
  for (let s: u32 = 0; s < senseCount; s++) {
    const range = rangeOf(s);
    reachSquared = max(reachSquared, range * range);
  }
  return cap != NO_CAP && reachSquared > 0;
}

// @ts-ignore: decorator
@inline
function rangeOf(s: u32): f32 {
  const own = column(ranges, <usize>s << 2);
  return own == 0 ? 0 : floatAt(own, watcher);
}

// @ts-ignore: decorator
@inline
export function squaredTo(marker: u32): f32 {
  const dx = floatAt(x, marker) - watcherX;
  const dy = floatAt(y, marker) - watcherY;
  let squared: f32 = dx * dx + dy * dy;
  if (is3D) {
    const dz = floatAt(z, marker) - watcherZ;
    squared += dz * dz;
  }
  return squared;
}

/** The worst rank in the row, of those perceived; that of a newcomer who may have a seat is no worse. */
export function worstRank(): f32 {
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

/** Of the senses in which a pair is perceived no longer, those that the margin holds. */
export function heldSensesOf(marker: u32, lost: u32): u32 {
  if ((load<u8>(flags + marker) & MARKER) == 0) return 0;
  const squared = squaredTo(marker);
  let held: u32 = 0;
  for (let rest = lost; rest != 0; rest &= rest - 1) {
    const range = rangeOf(ctz(rest));
    const reach = range + margin;
    if (range > 0 && squared <= reach * reach) held |= 1 << ctz(rest);
  }
  return held;
}

/** The state of a pair of the row. */
export function stateOf(marker: u32): u32 {
  let low: u32 = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (wordAt(row, middle) < marker) low = middle + 1;
    else high = middle;
  }
  return wordAt(rowStates, low);
}

/** The senses in which a marker is perceived, without margin. */
export function sensesOf(marker: u32): u32 {
  if ((load<u8>(flags + marker) & MARKER) == 0) return 0;
  const squared = squaredTo(marker);
  let senses: u32 = 0;
  for (let s: u32 = 0; s < senseCount; s++) {
    const range = rangeOf(s);
    if (range > 0 && squared <= range * range) senses |= 1 << s;
  }
  return senses;
}
