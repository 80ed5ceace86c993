/**
 * Statistics of the whole population, from which a grid's cells and the limits of usual entities are chosen.
 *
 * Problem: cells must fit the reach that most entities have, and the limits must keep the lists of far entities short
 * without widening the window of all. Method: ranges, gains and minReaches are counted by half octave, each with its
 * greatest value; these values are the candidates. The spread of the population is computed from the quartiles of a
 * sample, so that outliers do not count. The cost of a choice is the number of others that a moved entity would be
 * tested against, and the cheapest wins. Estimates affect speed, never results.
 *
 * Memory: 3 kilobytes. Cost: some 50 ns an entity, so a survey is made only when half of the population has changed.
 */
import { type EntityState, sampleSlots } from '../../entities/entity-state.ts';
import type { WorldSettings } from '../../settings.ts';
import { reachRatios } from '../pairs/reach-norm.ts';

const BUCKETS = 124;
/** The bucket of 1; that of 1e-6 is the first, and 1e12 is well below the last. */
const BUCKET_OF_ONE = 40;
const SAMPLE = 256;

export class Survey {
  entities = 0;
  watchers = 0;
  /** Of watchers: the longest range in any sense, world units. */
  readonly ranges = new Histogram();
  /** Of markers: the greatest gain, if above 1. */
  readonly gains = new Histogram();
  /** Of markers: the longest minReach, world units, if above 0. */
  readonly minReaches = new Histogram();
  readonly #settings: WorldSettings;
  /** World units per axis that most of the population spreads over. */
  readonly #spread: [x: number, y: number, z: number] = [0, 0, 0];

  constructor(settings: WorldSettings, state: EntityState, slotCount: number) {
    this.#settings = settings;
    for (let slot = 0; slot < slotCount; slot++) {
      if (!state.isPresent(slot)) continue;
      this.entities++;
      const range = state.maxRangeOf(slot);
      if (range > 0) {
        this.watchers++;
        this.ranges.count(range);
      }
      if (state.isMarker(slot)) this.#countLoudness(state, slot);
    }
    if (this.entities > 0) this.#measureSpread(state, slotCount);
  }

  /** Average number of other entities within this many world units per axis on each side. */
  crowdWithin(x: number, y: number, z: number): number {
    const [spreadX, spreadY, spreadZ] = this.#spread;
    const share = shareOf(x, spreadX) * shareOf(y, spreadY);
    return this.entities * share * (this.#settings.dimensions === 3 ? shareOf(z, spreadZ) : 1);
  }

  /** As `crowdWithin`, for the region of `reach` plus `rim` world units. */
  crowdInReach(reach: number, rim = 0): number {
    const [x, y, z] = reachRatios(this.#settings);
    return this.crowdWithin(reach * x + rim * x, reach * y + rim * y, reach * z + rim * z);
  }

  /** The reach whose region, as a cell, would hold `wanted` entities on average; 0 for a population on one spot. */
  reachFor(wanted: number): number {
    const ratios = reachRatios(this.#settings);
    let volume = 1;
    for (let axis = 0; axis < this.#settings.dimensions; axis++) volume *= this.#spread[axis] / ratios[axis];
    return (volume * Math.min(1, wanted / Math.max(1, this.entities))) ** (1 / this.#settings.dimensions);
  }

  /** The best limits above which a marker counts as loud: see `UsualLimits`. */
  chooseLoudness(): { gain: number; minReach: number } {
    let best = { gain: 1, minReach: 0 };
    let bestCost = Number.POSITIVE_INFINITY;
    for (const gain of [1, ...this.gains.levels()]) {
      for (const minReach of [0, ...this.minReaches.levels()]) {
        const loud = this.gains.above(gain) + this.minReaches.above(minReach);
        const cost =
          loud + this.meanOverRanges((range) => this.crowdInReach(Math.max(range * gain, minReach)));
        if (cost < bestCost) {
          bestCost = cost;
          best = { gain, minReach };
        }
      }
    }
    return best;
  }

  /** The mean of `value(range)` over all watchers; 0 without any. */
  meanOverRanges(value: (range: number) => number): number {
    let sum = 0;
    for (const range of this.ranges.levels()) sum += this.ranges.at(range) * value(range);
    return this.watchers === 0 ? 0 : sum / this.watchers;
  }

  #countLoudness(state: EntityState, slot: number): void {
    let gain = 0;
    let minReach = 0;
    for (const property of state.gains) gain = Math.max(gain, property.at(slot));
    for (const property of state.minReaches) minReach = Math.max(minReach, property.at(slot));
    if (gain > 1) this.gains.count(gain);
    if (minReach > 0) this.minReaches.count(minReach);
  }

  #measureSpread(state: EntityState, slotCount: number): void {
    const columns = this.#settings.dimensions === 3 ? [state.x, state.y, state.z] : [state.x, state.y];
    const slots = sampleSlots(state, slotCount, SAMPLE);
    for (const [axis, column] of columns.entries()) {
      const sample = slots.map((slot) => column[slot]).sort((a, b) => a - b);
      const quarter = sample.length >> 2;
      // Twice the middle half: the whole extent of an evenly spread population.
      if (sample.length > 0) this.#spread[axis] = 2 * (sample[sample.length - 1 - quarter] - sample[quarter]);
    }
  }
}

function shareOf(half: number, spread: number): number {
  return 2 * half >= spread ? 1 : (2 * half) / spread;
}

/** Positive numbers counted by half octave. */
class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);
  readonly #greatest = new Float64Array(BUCKETS);

  count(value: number): void {
    const bucket = bucketOf(value);
    this.#counts[bucket]++;
    if (value > this.#greatest[bucket]) this.#greatest[bucket] = value;
  }

  /** The greatest value of each half octave that has any, ascending. */
  levels(): number[] {
    return [...this.#greatest].filter((value) => value > 0);
  }

  /** Number of values in the half octave of `value`. */
  at(value: number): number {
    return this.#counts[bucketOf(value)];
  }

  /**
   * Number of values greater than `limit`: exact if it is one of `levels`, otherwise too high rather than too low.
   */
  above(limit: number): number {
    let sum = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      if (this.#greatest[bucket] > limit) sum += this.#counts[bucket];
    return sum;
  }
}

function bucketOf(value: number): number {
  return Math.min(BUCKETS - 1, Math.max(0, Math.round(2 * Math.log2(value)) + BUCKET_OF_ONE));
}
