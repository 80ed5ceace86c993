// The definition of perception (entities/perception.ts) for any two slots in one state of the world. `state`: where the words of
// ../layouts/perception.ts begin. Cost: some 10 ns a pair.
import { MARKER } from '../layouts/entity-flags';
import {
  BOX, CHANNELS, CIRCLE, FLAGS, GAINS, GROUPS, IDS, LAYERS, MAX_REACHES, MIN_REACHES, NEEDS, ONLY, ONLY_GROUPS, RANGES, RATIO_X, RATIO_Y, RATIO_Z, SEES,
  SENSE_COUNT, SHAPE, X, Y, Z,
} from '../layouts/perception';
import { column, floatAt, word, wordAt } from './job';

/** Both are present, and the watcher may see the marker. */
export function meets(state: usize, watcher: u32, marker: u32): bool {
  const flags = column(state, FLAGS);
  return (<u32>load<u8>(flags + marker) & MARKER) != 0 && load<u8>(flags + watcher) != 0 && maySee(state, watcher, marker);
}

/**
 * As `meets`, for two that are present: the watcher sees the marker's layers, their channels match, and the marker's conditions
 * hold.
 */
@inline
export function maySee(state: usize, watcher: u32, marker: u32): bool {
  const sees = column(state, SEES);
  const layers = column(state, LAYERS);
  const seen: u32 = sees == 0 ? 1 : wordAt(sees, watcher);
  if ((seen & (layers == 0 ? 1 : wordAt(layers, marker))) == 0) return false;
  const channels = column(state, CHANNELS);
  if (channels != 0) {
    const ofWatcher = load<u16>(channels + (<usize>watcher << 1));
    const ofMarker = load<u16>(channels + (<usize>marker << 1));
    if (ofWatcher != ofMarker && ofWatcher != 0 && ofMarker != 0) return false;
  }
  const needs = column(state, NEEDS);
  if (needs != 0 && (wordAt(needs, marker) & ~seen) != 0) return false;
  const only = column(state, ONLY);
  if (only != 0) {
    const id = wordAt(only, marker);
    if (id != 0 && id != wordAt(column(state, IDS), watcher)) return false;
  }
  const onlyGroups = column(state, ONLY_GROUPS);
  const kinds: u32 = onlyGroups == 0 ? 0 : <u32>load<u8>(onlyGroups + <usize>marker);
  return kinds == 0 || areOfOneGroup(state, kinds, watcher, marker);
}

function areOfOneGroup(state: usize, kinds: u32, watcher: u32, marker: u32): bool {
  for (let rest = kinds; rest != 0; rest &= rest - 1) {
    const groups = column(state, GROUPS + <i32>ctz(rest));
    if (groups == 0) continue;
    const group = wordAt(groups, marker);
    if (group != 0 && group == wordAt(groups, watcher)) return true;
  }
  return false;
}

/** The least float32 above 0. */
export const LEAST: f32 = 1e-45;

/** From how far a watcher with that range perceives a marker in a sense; -1: not at all, whatever the margin. */
@inline
export function reachFrom(state: usize, s: u32, range: f32, marker: u32): f32 {
  const gains = column(state, GAINS + <i32>s);
  const base: f32 = gains == 0 ? range : range * floatAt(gains, marker);
  if (!(base > 0)) return -1;
  const minReaches = column(state, MIN_REACHES + <i32>s);
  const maxReaches = column(state, MAX_REACHES + <i32>s);
  const atLeast = minReaches == 0 ? base : max<f32>(base, floatAt(minReaches, marker));
  return maxReaches == 0 ? atLeast : min<f32>(atLeast, floatAt(maxReaches, marker));
}

/** The greatest value of a marker's property of all senses, in either state of the world. `usual`: where it was never set. */
export function greatestOf(state: usize, otherState: usize, property: u32, usual: f32, marker: u32): f32 {
  let most: f32 = 0;
  for (let s: u32 = 0; s < word(state, SENSE_COUNT); s++) {
    const values = column(state, property + s);
    const otherValues = column(otherState, property + s);
    most = max(most, max<f32>(values == 0 ? usual : floatAt(values, marker), otherValues == 0 ? usual : floatAt(otherValues, marker)));
  }
  return most;
}

/** The channel of a slot. 0: it meets all channels. */
@inline
export function channelIn(state: usize, slot: u32): u32 {
  const channels = column(state, CHANNELS);
  return channels == 0 ? 0 : <u32>load<u16>(channels + (<usize>slot << 1));
}

/** Whether only the margin holds a pair of this state in some sense. */
@inline
export function isMarginHeld(state: u32): bool {
  return (state & 255) != ((state >>> 8) & 255);
}

/** Which of `senses` perceive the marker if their reach is extended by `margin`. */
export function heldByMargin(state: usize, watcher: u32, marker: u32, senses: u32, margin: f32): u32 {
  if (!meets(state, watcher, marker)) return 0;
  const x = column(state, X);
  const y = column(state, Y);
  const z = column(state, Z);
  const dx = floatAt(x, marker) - floatAt(x, watcher);
  const dy = floatAt(y, marker) - floatAt(y, watcher);
  const dz: f32 = z == 0 ? 0 : floatAt(z, marker) - floatAt(z, watcher);
  const squared = squaredOf(dx, dy, dz);
  let held: u32 = 0;
  for (let rest = senses; rest != 0; rest &= rest - 1) {
    const s = ctz(rest);
    const ranges = column(state, RANGES + <i32>s);
    const reach: f32 = ranges == 0 ? -1 : reachFrom(state, s, floatAt(ranges, watcher), marker);
    // A reach of 0 by its maxReach has a margin, too.
    if (reach >= 0 && isInside(state, dx, dy, dz, squared, reach + margin)) held |= 1 << s;
  }
  return held;
}

/** In 2-D `dz` is 0. */
@inline
export function squaredOf(dx: f32, dy: f32, dz: f32): f32 {
  return dx * dx + dy * dy + dz * dz;
}

/** Whether an offset lies inside the region that `reach` spans. */
@inline
export function isInside(state: usize, dx: f32, dy: f32, dz: f32, squared: f32, reach: f32): bool {
  const shape = word(state, SHAPE);
  if (shape == CIRCLE) return squared <= reach * reach;
  const inPlane =
    shape == BOX
      ? abs(dx) <= reach * floatAt(state, RATIO_X) && abs(dy) <= reach * floatAt(state, RATIO_Y)
      : dx * dx + dy * dy <= reach * reach;
  return inPlane && abs(dz) <= reach * floatAt(state, RATIO_Z);
}
