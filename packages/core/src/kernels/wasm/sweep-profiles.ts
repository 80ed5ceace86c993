/**
 * Profiles of odd entries, beside their positions: how far each perceives, and from how far it is perceived. With them a loop can
 * test four pairs at once even where all entities differ. The layout is in ../layouts/sweep-job.ts.
 *
 * Cost: 1 ns for each value, most of it a read by slot. Entries of the crowd and plain things have no profile.
 */
import { GAINS, MAX_REACHES, MIN_REACHES, RANGES } from '../layouts/perception';
import { FIRST_ENTRY, LAST_STATE, NOW_STATE, PLANES_OF_SENSE, PROFILES, PROFILE_BYTES } from '../layouts/sweep-job';
import { column, floatAt, setFloat, word, wordAt } from './job';
import { job, openCrossings, property, refs, senseCount } from './sweep-crossing';

const RANGE: u32 = 0;
const GAIN: u32 = 1;
const MIN_REACH: u32 = 2;

/** The address where entry 0 would be in the first plane; and the bytes of a plane, 0 if there are no planes. */
export let profiles: usize = 0;
export let planeBytes: usize = 0;
let planeCount: u32 = 0;

/** Call this after openCrossings. */
export function openProfiles(): void {
  profiles = column(job, PROFILES);
  planeBytes = column(job, PROFILE_BYTES);
  planeCount = planeBytes == 0 ? 0 : senseCount * PLANES_OF_SENSE;
}

/** Writes the profiles of entries, counted from `FIRST_ENTRY` on: one plane after the other, so that many cache misses overlap. */
export function fillProfiles(offset: usize, from: u32, to: u32): u32 {
  openCrossings(offset);
  openProfiles();
  const first = word(job, FIRST_ENTRY);
  for (let plane: u32 = 0; plane < planeCount; plane++) {
    const at = profiles + <usize>plane * planeBytes;
    if (isConstant(plane)) fillConstant(at, first + from, first + to, valueOf(plane, 0));
    else for (let entry = first + from; entry < first + to; entry++) setFloat(at, entry, valueOf(plane, wordAt(refs, entry)));
  }
  return to;
}

/** Whether no entity ever had another value. */
function isConstant(plane: u32): bool {
  const s = plane / PLANES_OF_SENSE;
  const kind = plane % PLANES_OF_SENSE;
  if (kind == RANGE) return false;
  const hasNoReach = areUnset(MAX_REACHES + s);
  if (kind == GAIN) return hasNoReach && areUnset(GAINS + s);
  return kind == MIN_REACH ? areUnset(MIN_REACHES + s) : hasNoReach;
}

function areUnset(values: u32): bool {
  return word(job, NOW_STATE + values) == 0 && word(job, LAST_STATE + values) == 0;
}

function fillConstant(at: usize, from: u32, to: u32, value: f32): void {
  for (let entry = from; entry < to; entry++) setFloat(at, entry, value);
}

/** Writes the profile of one entry. */
export function noteProfile(entry: u32, ref: u32): void {
  for (let plane: u32 = 0; plane < planeCount; plane++) setFloat(profiles + <usize>plane * planeBytes, entry, valueOf(plane, ref));
}

export function copyProfile(from: u32, to: u32): void {
  for (let plane: u32 = 0; plane < planeCount; plane++) {
    const at = profiles + <usize>plane * planeBytes;
    setFloat(at, to, floatAt(at, from));
  }
}

/** NaN for what is never perceived: every comparison with it fails. */
@inline
function valueOf(plane: u32, ref: u32): f32 {
  const s = plane / PLANES_OF_SENSE;
  const kind = plane % PLANES_OF_SENSE;
  if (kind == RANGE) {
    const range = property(RANGES, s, ref, 0);
    return range > 0 ? range : f32.NaN;
  }
  if (kind == GAIN) {
    const gain = property(GAINS, s, ref, 1);
    return gain > 0 && property(MAX_REACHES, s, ref, Infinity) > 0 ? gain : f32.NaN;
  }
  return kind == MIN_REACH ? property(MIN_REACHES, s, ref, 0) : property(MAX_REACHES, s, ref, Infinity);
}
