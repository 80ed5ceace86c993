/**
 * The leave margin: a related marker leaves only a little farther out than the distance at which it entered,
 * so that an entity that walks along the edge does not flicker (hysteresis).
 *
 * Use it wherever entering and leaving cost something: a spawn on the client, a sound, a line in a log.
 *
 *        in at reach           out past reach + margin
 *   -------->|                         |<--------
 *            related stays related ....|
 *
 * The margin holds a pair that was related at the last tick, and only in the senses that perceived it then. A
 * pair that a pin, a group or `always` related is held in every sense, so that a rule that ends within the
 * margin does not cause flicker. Cost: one test of the definition for each pair and sense that only the
 * margin holds.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import { isInside, meets, reachFrom } from '../../entities/perception.ts';
import type { WorldSettings } from '../../settings.ts';

const f32 = Math.fround;

/**
 * The senses that count now for a pair that related by the senses `before`: those without margin (`exact`)
 * and those in which the margin holds the pair.
 */
export function withMargin(
  settings: WorldSettings,
  state: EntityState,
  watcher: number,
  marker: number,
  before: number,
  exact: number,
  margin: number,
): number {
  const lost = before & ~exact;
  if (lost === 0 || margin === 0) return exact;
  return exact | heldByMargin(settings, state, watcher, marker, lost, margin);
}

/**
 * The senses of `senses` that still perceive the marker when their reach is longer by `margin`. Slots;
 * float32 throughout.
 */
export function heldByMargin(
  settings: WorldSettings,
  state: EntityState,
  watcher: number,
  marker: number,
  senses: number,
  margin: number,
): number {
  if (!meets(state, watcher, marker)) return 0;
  const dx = f32(state.x[marker] - state.x[watcher]);
  const dy = f32(state.y[marker] - state.y[watcher]);
  const dz = settings.dimensions === 3 ? f32(state.z[marker] - state.z[watcher]) : 0;
  let held = 0;
  for (let s = 0; s < settings.senseCount; s++) {
    if ((senses & (1 << s)) === 0) continue;
    const [range, gain] = [state.ownRanges[s].at(watcher), state.gains[s].at(marker)];
    // A reach of 0 that comes from `maxReach` also has a margin.
    if (f32(range * gain) === 0) continue;
    const reach = reachFrom(range, gain, state.minReaches[s].at(marker), state.maxReaches[s].at(marker));
    if (isInside(settings, dx, dy, dz, f32(reach + margin))) held |= 1 << s;
  }
  return held;
}
