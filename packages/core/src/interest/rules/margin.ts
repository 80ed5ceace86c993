/**
 * The leave margin: who has come is lost only a little farther out than where he came in, so that one who walks along
 * the edge does not flicker.
 *
 * Use it wherever entering and leaving cost something: a spawn on the client, a sound, a line in a log.
 *
 *        in at reach           out past reach + margin
 *   -------->|                         |<--------
 *            related stays related ....|
 *
 * It holds a pair that was related at the last tick in the senses that perceived it then, and only there; one that a pin, a
 * group or always related, in every sense, so that what ends within it does not flicker. Cost: one test of
 * the definition for each pair and sense that only the margin holds.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import { isInside, meets, reachFrom } from '../../entities/perception.ts';
import type { WorldSettings } from '../../settings.ts';

const f32 = Math.fround;

/** Of a pair that related by the senses `before`: those that count now, which are those without margin (`exact`) and those it holds. */
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

/** Which of `senses` still perceive the marker with their reach longer by `margin`. Slots; float32 throughout. */
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
    // A reach of 0 by its maxReach has a margin, too.
    if (f32(range * gain) === 0) continue;
    const reach = reachFrom(range, gain, state.minReaches[s].at(marker), state.maxReaches[s].at(marker));
    if (isInside(settings, dx, dy, dz, f32(reach + margin))) held |= 1 << s;
  }
  return held;
}
