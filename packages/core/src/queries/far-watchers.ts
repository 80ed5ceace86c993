/**
 * Lists the watchers with the longest ranges of a world, so that the search for watchers that perceive a place need
 * not go as far as they do.
 *
 * For each sense, a border divides the ranges as of the last tick: watchers beyond it are listed, the others are
 * found in a box. Both cost time in each search: the list costs its length, the box all entities in it. The border
 * lies between two octaves of ranges, where the sum is lowest. For the estimate, the crowd is taken as evenly spread
 * over the area of its middle four fifths on each axis, so that one distant entity does not distort it. A poor
 * estimate makes searches slower, never wrong.
 *
 * Where ranges change in every tick, reading them is worth its cost only if all searches until the next change visit as many entities fewer as there
 * are watchers: `isWorth`. That is expected if it was so until the last change; if not, it is known once searches of the longest range visited as many.
 *
 * When a search follows ticks in which few entities were added or changed, these are listed or taken out, and the border stays. All ranges are read
 * again when many did, or when many more are beyond the border than when it was set. Memory: 4 bytes for each listed watcher, 16 for each changed
 * one; allocated by the first search. Cost: O(changed and listed); O(watchers) if all are read, some 10 ns a watcher and sense.
 */
import { unionOf } from '../columns.ts';
import type { Bounds } from '../detectors/bounds.ts';
import type { Detector } from '../detectors/detector.ts';
import { halfExtents } from '../detectors/reach-box.ts';
import type { EntityState } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';

/** Number of powers of two that a float32 may lie between. */
const OCTAVES = 256;
/** Number of entities whose positions are sampled to estimate the spread of the crowd. */
const SAMPLES = 128;
/** All ranges are read again if more than a few, and one in so many of the watchers, changed or came to be beyond the border. */
const CHANGED_SHARE = 16;
const FEW = 16;
const NOBODY = new Uint32Array(0);

const bits = new Float32Array(1);
const bitsAsWord = new Uint32Array(bits.buffer);

export class FarWatchers {
  /** Per sense: slots of watchers whose range is beyond the border, ascending. */
  #listed: Uint32Array[] = [];
  /** Per sense: the longest range of watchers that are not listed, world units; 0 if there are none. */
  longestNear: number[] = [];
  /** Slots that changed since the lists were up to date; `undefined`: the lists must be made. */
  #changed: Set<number> | undefined;
  /** How many were listed when all ranges were read. */
  #listedCount = 0;
  /** Whether reading all ranges costs less than the box of the longest range, as far as known. */
  isWorth = true;
  /** How many entities fewer than in the box of the longest range a search visits, by the estimate. */
  #saved = 0;
  /** How many all searches since the lists were last dropped visited fewer, or would have. */
  #savedByAll = 0;

  /** Call this when a tick succeeded, before it ends: slots of entities that were added, removed or changed, not only moved. */
  noteChanges(slots: readonly number[], { watchers }: EntityStore): void {
    if (this.#changed === undefined) return;
    for (const slot of slots) if (watchers.has(slot)) this.#changed.add(slot);
    if (this.#changed.size <= FEW + watchers.count / CHANGED_SHARE) return;
    this.#changed = undefined;
    this.isWorth = this.#savedByAll > watchers.count;
    this.#savedByAll = 0;
  }

  get memoryBytes(): number {
    return this.#beyond + 16 * (this.#changed?.size ?? 0);
  }

  /** Updates the lists to the last tick's state. */
  refresh(store: EntityStore): void {
    if (this.#changed?.size === 0) return;
    if (this.#changed !== undefined) {
      for (let s = 0; s < this.#listed.length; s++) this.#relist(store.last, s, this.#changed);
      this.#changed.clear();
      if (this.#beyond / 4 <= FEW + 2 * this.#listedCount) return;
    }
    this.#changed = new Set();
    const spread = spreadOf(store);
    this.#listed = [];
    this.longestNear = [];
    this.#saved = 0;
    for (let s = 0; s < store.settings.senseCount; s++) this.#list(store, s, spread);
    this.#listedCount = this.#beyond / 4;
  }

  /** Bytes of the lists. */
  get #beyond(): number {
    return this.#listed.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Lists those of the changed slots whose range in a sense is beyond the border, and no others of them. */
  #relist({ flags, ownRanges }: EntityState, s: number, changed: ReadonlySet<number>): void {
    const ranges = ownRanges[s];
    const isBeyond = (slot: number) => flags[slot] !== 0 && ranges.at(slot) > this.longestNear[s];
    const beyond = Array.from(changed).filter(isBeyond);
    const listed = this.#listed[s];
    if (beyond.length === 0 && !listed.some((slot) => changed.has(slot))) return;
    this.#listed[s] = unionOf(
      listed.filter((slot) => !changed.has(slot)),
      beyond,
    );
  }

  /** To be called after a search: its box held so many entities. */
  noteVisits(visits: number, { watchers }: EntityStore): void {
    this.#savedByAll += Math.max(visits, this.#saved);
    if (this.#savedByAll > watchers.count) this.isWorth = true;
  }

  /**
   * Visits the slots listed for one of the senses of the mask, then all others in the box, each once. Listed entities may have been removed
   * since. Unless `channel` is 0, maybe without those in other channels. Without a box, visits the listed ones only. Returns how many entities the box held.
   */
  eachIn(
    store: EntityStore,
    detector: Detector,
    box: Bounds | undefined,
    channel: number,
    senses: number,
    visit: (slot: number) => void,
  ): number {
    const { last } = store;
    for (let s = 0; s < this.#listed.length; s++) {
      if ((senses & (1 << s)) === 0) continue;
      const before = senses & ((1 << s) - 1);
      for (const slot of this.#listed[s]) if (!this.#holds(last, slot, before)) visit(slot);
    }
    let visits = 0;
    if (box !== undefined) {
      const visitOther = (slot: number) => {
        visits++;
        if (!this.#holds(last, slot, senses)) visit(slot);
      };
      detector.collect(store, box, visitOther, channel);
    }
    return visits;
  }

  /** Whether a slot is listed for one of the senses of the mask. */
  #holds(state: EntityState, slot: number, senses: number): boolean {
    for (let s = 0; s < this.#listed.length; s++) {
      if (this.#listed[s].length === 0 || (senses & (1 << s)) === 0) continue;
      if (state.ownRanges[s].at(slot) > this.longestNear[s]) return true;
    }
    return false;
  }

  #list(store: EntityStore, s: number, spread: Spread): void {
    const { last, watchers } = store;
    const ranges = last.ownRanges[s].column?.array;
    if (ranges === undefined) {
      this.#listed.push(NOBODY);
      this.longestNear.push(0);
      return;
    }
    const { flags } = last;
    const counts = new Uint32Array(OCTAVES);
    const longest = new Float32Array(OCTAVES);
    watchers.each((slot) => {
      const range = ranges[slot];
      if (flags[slot] === 0 || !(range > 0)) return;
      bits[0] = range;
      const octave = bitsAsWord[0] >>> 23;
      counts[octave]++;
      if (range > longest[octave]) longest[octave] = range;
    });
    const { border, saved } = borderOf(store, counts, longest, spread);
    this.#saved += saved;
    this.longestNear.push(border);
    const beyond: number[] = [];
    watchers.each((slot) => {
      if (flags[slot] !== 0 && ranges[slot] > border) beyond.push(slot);
    });
    this.#listed.push(beyond.length === 0 ? NOBODY : Uint32Array.from(beyond));
  }
}

/** Extent of the middle four fifths of the crowd: world units, per axis. */
type Spread = readonly [x: number, y: number, z: number];

/**
 * The longest range that is found by the box, from counts of ranges by octave; 0 for none. `saved`: what this saves, in entities, of a box of
 * the longest range of all.
 */
function borderOf(store: EntityStore, counts: Uint32Array, longest: Float32Array, spread: Spread) {
  let listed = 0;
  let border = 0;
  let least = Number.POSITIVE_INFINITY;
  let widest = 0;
  for (let octave = OCTAVES - 1; octave >= 0; octave--) {
    if (counts[octave] === 0) continue;
    const cost = listed + expectedWithin(store, longest[octave], spread);
    if (listed === 0) widest = cost;
    if (cost < least) {
      least = cost;
      border = longest[octave];
    }
    listed += counts[octave];
  }
  return { border: listed < least ? 0 : border, saved: Math.max(0, widest - Math.min(listed, least)) };
}

/** Estimated number of entities in the box of a reach. */
function expectedWithin({ settings, size }: EntityStore, reach: number, spread: Spread): number {
  const halves = halfExtents(settings, reach);
  let share = 1;
  for (let axis = 0; axis < settings.dimensions; axis++) {
    if (spread[axis] > 0) share *= Math.min(1, (2 * halves[axis] * 0.8) / spread[axis]);
  }
  return size * share;
}

function spreadOf({ last, slotCount, settings }: EntityStore): Spread {
  const step = Math.max(1, Math.floor(slotCount / SAMPLES));
  const slots: number[] = [];
  for (let slot = 0; slot < slotCount; slot += step) if (last.isPresent(slot)) slots.push(slot);
  const columns = settings.dimensions === 3 ? [last.x, last.y, last.z] : [last.x, last.y];
  const [x, y, z = 0] = columns.map((column) => {
    const sorted = Float32Array.from(slots, (slot) => column[slot]).sort();
    const tenth = Math.floor(sorted.length / 10);
    return sorted.length === 0 ? 0 : sorted[sorted.length - 1 - tenth] - sorted[tenth];
  });
  return [x, y, z];
}
