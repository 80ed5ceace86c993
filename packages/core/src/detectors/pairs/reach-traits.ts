/**
 * How far each entity perceives, and from how far it is perceived, over all senses: columns by slot.
 *
 * Problem: a structure prunes by a bound on the reach between two entities, and the properties that determine it are
 * in up to 24 columns. Method: for each slot the greatest range, gain and minReach in any sense, and the least range
 * and gain above 0. The reach in any sense between watcher w and marker m is then at most max(widest(w) * loudest(m),
 * minReach(m)), and if it is above 0 at least narrowest(w) * quietest(m).
 *
 * Memory: 20 bytes a slot. Cost: a few nanoseconds a sense to read one.
 */
import { grown } from '../../columns.ts';
import type { EntityState } from '../../entities/entity-state.ts';

/**
 * For a marker whose maxReach may be below range times gain: above 0, and so small that no pair is certain to be
 * inside.
 */
const UNSURE = 2 ** -120;

export class ReachTraits {
  /** The longest range, world units; 0 if it is no watcher. */
  widest = new Float32Array(0);
  /** The shortest range above 0, world units; infinite if it is no watcher. */
  narrowest = new Float32Array(0);
  /** The greatest gain; 0 if it is no marker. */
  loudest = new Float32Array(0);
  /** The least gain above 0; infinite if there is none; almost 0 if a maxReach limits the reach. */
  quietest = new Float32Array(0);
  /** The longest minReach, world units; 0 if it is no marker. */
  minReach = new Float32Array(0);

  get memoryBytes(): number {
    return 5 * this.widest.byteLength;
  }

  /** Number of slots that the columns hold. */
  get slotRoom(): number {
    return this.minReach.length;
  }

  grow(capacity: number): void {
    this.widest = grown(this.widest, capacity);
    this.narrowest = grown(this.narrowest, capacity);
    this.loudest = grown(this.loudest, capacity);
    this.quietest = grown(this.quietest, capacity);
    this.minReach = grown(this.minReach, capacity);
  }

  /** Reads the values of a present slot in `state`. */
  read(state: EntityState, slot: number): void {
    let widest = 0;
    let narrowest = Number.POSITIVE_INFINITY;
    let loudest = 0;
    let quietest = Number.POSITIVE_INFINITY;
    let minReach = 0;
    const isMarker = state.isMarker(slot);
    for (let s = 0; s < state.ranges.length; s++) {
      const range = state.ranges[s].at(slot);
      if (range > widest) widest = range;
      if (range > 0 && range < narrowest) narrowest = range;
      if (!isMarker) continue;
      const gain = state.gains[s].at(slot);
      if (gain > loudest) loudest = gain;
      if (gain > 0 && gain < quietest) quietest = gain;
      minReach = Math.max(minReach, state.minReaches[s].at(slot));
      if (state.maxReaches[s].at(slot) < Number.POSITIVE_INFINITY) quietest = UNSURE;
    }
    this.widest[slot] = widest;
    this.narrowest[slot] = narrowest;
    this.loudest[slot] = loudest;
    this.quietest[slot] = quietest;
    this.minReach[slot] = minReach;
  }
}

/**
 * Upper bound of the distance at which any of the first entities perceives any of the second, or the reverse: world
 * units, 0 if neither side watches. From `widest`, `loudest` and `minReach` of each side.
 */
export function mutualReach(
  widestA: number,
  loudestA: number,
  minReachA: number,
  widestB: number,
  loudestB: number,
  minReachB: number,
): number {
  let reach = 0;
  if (widestA > 0) reach = widestA * loudestB;
  if (widestA > 0 && loudestB > 0 && minReachB > reach) reach = minReachB;
  if (widestB * loudestA > reach) reach = widestB * loudestA;
  if (widestB > 0 && loudestA > 0 && minReachA > reach) reach = minReachA;
  return reach;
}
