/**
 * Chooses how far an entity may step in a tick before the sweep treats it as two entries.
 *
 * A wide slack widens every watcher's window; a narrow one splits many entities in two. A pair with a split entity that stays within
 * reach is found twice, as lost and as found. These costs are estimated from a sample of this tick's steps, and the cheapest of a few
 * candidates is used. The choice affects speed, never results.
 */
import { sampleAt } from '../../columns.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { MOVED } from '../../entities/pending.ts';

/** Most steps in a sample, and the least; where few entities are pending, one in so many. */
const SAMPLE = 128;
const LEAST_SAMPLE = 16;
const ONE_IN = 8;
/** Times as long as its tests: to find a pair as lost and as found, and to cancel both. */
const CANCELLED = 30;
/** Scratch for the sample; valid until the next one. */
const sampled = new Float64Array(SAMPLE);

/** World units per axis, at least 0. `usualReach`: the reach that windows are made for, world units. */
export function chooseSlack(store: EntityStore, usualReach: number): number {
  const steps = sampleSteps(store);
  if (steps.length === 0) return 0;
  const last = steps.length - 1;
  let best = 0;
  let bestCost = Number.POSITIVE_INFINITY;
  for (const share of [0, 0.5, 0.9, 0.98, 1]) {
    // Slightly above the sampled step, so that equal steps are not split.
    const slack = share === 0 ? 0 : steps[Math.round(last * share)] * 1.125;
    let above = last;
    let staying = 0;
    for (; above >= 0 && steps[above] > slack; above--)
      if (usualReach > 0) staying += Math.max(0, 1 - steps[above] / (2 * usualReach));
    const splitShare = (last - above) / steps.length;
    const widening = usualReach > 0 ? 1 + (2 * slack) / usualReach : 1;
    const cost = widening * widening * (1 + splitShare) + (CANCELLED * staying) / steps.length;
    if (cost < bestCost) {
      bestCost = cost;
      best = slack;
    }
  }
  return best;
}

/** Lengths of up to 128 of this tick's steps, each the longest over the axes, ascending. */
function sampleSteps(store: EntityStore): Float64Array {
  const { pendingSlots, pending, pendingCount, now, last } = store;
  const is3D = store.settings.dimensions === 3;
  const { x, y, z } = now;
  const { x: lastX, y: lastY, z: lastZ } = last;
  let count = 0;
  const most = Math.min(SAMPLE, Math.max(LEAST_SAMPLE, Math.floor(pendingCount / ONE_IN)));
  const stride = Math.max(1, pendingCount / most);
  for (let i = 0; i < Math.min(most, pendingCount); i++) {
    const slot = pendingSlots[sampleAt(i, stride)];
    if ((pending[slot] & MOVED) === 0) continue;
    const stepX = Math.abs(x[slot] - lastX[slot]);
    const stepY = Math.abs(y[slot] - lastY[slot]);
    const stepZ = is3D ? Math.abs(z[slot] - lastZ[slot]) : 0;
    sampled[count++] = Math.max(stepX, stepY, stepZ);
  }
  return sampled.subarray(0, count).sort();
}
