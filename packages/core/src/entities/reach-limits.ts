/**
 * The longest ranges, greatest gains and longest minReaches in a world, per sense: how far a search must go to find
 * every watcher that might perceive a given marker.
 *
 * They are upper bounds. A write raises them at once; they are lowered only now and then, because finding the next
 * lower value means reading all entities.
 */
import type { PropertyValues } from './entity-init.ts';
import type { EntityState } from './entity-state.ts';
import type { WatcherSlots } from './watcher-slots.ts';

/** Number of ticks between two scans of all entities, when an entity that may have held a maximum is gone. */
const REFRESH_TICKS = 64;

/** Rounded squares may admit slightly more than the reach itself: a search goes to reach * (1 + 2^-22). */
export const SEARCH_SLACK = 1 + 2 ** -22;

export class ReachLimits {
  readonly maxRange: Float64Array;
  /** Including watchers hidden from detectors. */
  readonly maxOwnRange: Float64Array;
  readonly maxGain: Float64Array;
  readonly maxMinReach: Float64Array;
  #stale = false;
  #age = 0;
  readonly #watchers: WatcherSlots;

  constructor(senseCount: number, watchers: WatcherSlots) {
    this.#watchers = watchers;
    this.maxRange = new Float64Array(senseCount);
    this.maxOwnRange = new Float64Array(senseCount);
    this.maxGain = new Float64Array(senseCount).fill(1);
    this.maxMinReach = new Float64Array(senseCount);
  }

  /** Whether any watcher has a range, hidden ones left out. */
  get isWatched(): boolean {
    return this.maxRange.some((range) => range > 0);
  }

  /**
   * No watcher with ranges up to these perceives `slot` from farther away, in `state`; world units, search slack
   * included.
   */
  reachOfMarker(state: EntityState, slot: number, maxRange: ArrayLike<number> = this.maxRange): number {
    let reach = 0;
    for (let s = 0; s < maxRange.length; s++) {
      if (maxRange[s] === 0) continue;
      const own = Math.max(maxRange[s] * state.gains[s].at(slot), state.minReaches[s].at(slot));
      reach = Math.max(reach, Math.min(own, state.maxReaches[s].at(slot)));
    }
    return reach * SEARCH_SLACK;
  }

  /** `slot` perceives no marker farther away than this, in `state`; world units, search slack included. */
  reachOfWatcher(state: EntityState, slot: number): number {
    let reach = 0;
    for (let s = 0; s < this.maxRange.length; s++) {
      const range = state.ranges[s].at(slot);
      if (range > 0) reach = Math.max(reach, range * this.maxGain[s], this.maxMinReach[s]);
    }
    return reach * SEARCH_SLACK;
  }

  /** Raises the limits to a range in a sense. */
  includeRange(s: number, range: number): void {
    this.maxRange[s] = Math.max(this.maxRange[s], range);
    this.maxOwnRange[s] = Math.max(this.maxOwnRange[s], range);
  }

  include(values: PropertyValues): void {
    for (let s = 0; s < this.maxRange.length; s++) {
      const bit = 1 << s;
      if ((values.rangesGiven & bit) !== 0) this.includeRange(s, values.ranges[s]);
      if ((values.gainsGiven & bit) !== 0) this.maxGain[s] = Math.max(this.maxGain[s], values.gains[s]);
      if ((values.minReachesGiven & bit) !== 0) {
        this.maxMinReach[s] = Math.max(this.maxMinReach[s], values.minReaches[s]);
      }
    }
    this.#stale = true;
  }

  /** As `include`, for many values of one property in one sense. */
  includeLongest(property: string, s: number, values: Float32Array): void {
    const limits = { range: this.maxRange, gain: this.maxGain }[property];
    if (limits === undefined) return;
    let most = limits[s];
    for (let k = 0; k < values.length; k++) if (values[k] > most) most = values[k];
    if (property === 'range') this.includeRange(s, most);
    else limits[s] = most;
    this.#stale = true;
  }

  /** An entity that may have held a maximum is gone. */
  markStale(): void {
    this.#stale = true;
  }

  /** Raises the limits to the values of all entities present in a state. Cost: O(n) where entities have gains or minReaches. */
  includeAll(state: EntityState, slotCount: number): void {
    this.#watchers.each((slot) => {
      for (let s = 0; s < this.maxRange.length; s++) {
        this.includeRange(s, state.ranges[s].at(slot));
        this.maxOwnRange[s] = Math.max(this.maxOwnRange[s], state.ownRanges[s].at(slot));
      }
    });
    for (let s = 0; s < this.maxRange.length; s++) {
      this.maxGain[s] = largest(state, slotCount, state.gains[s].column?.array, this.maxGain[s]);
      this.maxMinReach[s] = largest(state, slotCount, state.minReaches[s].column?.array, this.maxMinReach[s]);
    }
  }

  /** Call this when a tick is over and both states are the same. */
  refresh(state: EntityState, slotCount: number): void {
    if (!this.#stale || ++this.#age < REFRESH_TICKS) return;
    this.#stale = false;
    this.#age = 0;
    this.maxRange.fill(0);
    this.maxOwnRange.fill(0);
    this.maxGain.fill(1);
    this.maxMinReach.fill(0);
    this.includeAll(state, slotCount);
  }
}

/**
 * From how far most of some entities are perceived at most, by their maxReaches: twice the median; world units. Infinite if there are none,
 * or if it is 0.
 */
export function usualMaxReachOf({ maxReaches }: EntityState, slots: readonly number[]): number {
  const longestOf = (slot: number) => Math.max(...maxReaches.map((maxReach) => maxReach.at(slot)));
  return 2 * Float64Array.from(slots, longestOf).sort()[slots.length >> 1] || Number.POSITIVE_INFINITY;
}

function largest(
  { flags }: EntityState,
  slotCount: number,
  column: Float32Array | undefined,
  atLeast: number,
): number {
  if (column === undefined) return atLeast;
  let max = atLeast;
  for (let slot = 0; slot < slotCount; slot++)
    if (flags[slot] !== 0 && column[slot] > max) max = column[slot];
  return max;
}
