/**
 * Sorts entities by what they are as watchers and as markers, so that each is tested as it needs and nobody pays for the
 * odd ones: a bell that rings across the world does not widen everyone's window, nor does one who sees it all.
 *
 *   class 0   the crowd: plain markers (gain 1, no minReach, no maxReach) that watch by the common ranges
 *   class 1   things: plain markers that do not watch
 *   class 2   plain markers with other ranges
 *   class 3   plain markers that see much farther than is usual
 *   class 4   quiet: gains of at most 1, and no minReach
 *   class 5+  loud, by powers of four of the greatest gain, or of the minReach in usual reaches
 *   class 11+ near: perceived from less far than usual, by powers of four of the longest maxReach in usual reaches
 *   class 14  no plain markers, and far-seeing
 *
 * From class 4 on a member may watch by the common ranges, by its own, or not at all, which its byte says, too. How many there
 * are of each is counted as they come and go. The class decides speed, never results, as long as a class's limits hold for all
 * its members. Memory: 2 bytes a slot.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED, CHANGED, pendingWith, REMOVED } from '../../entities/pending.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/sweep-job.ts';
import { crowdRangesOf } from './crowd-ranges.ts';

const QUIET = 4;
const FIRST_LOUD = 5;
const FIRST_NEAR = 11;
const FAR_AND_ODD = 14;
/** Ranges of so many usual reaches are far. */
const FAR = 4;
/** The unit is found anew when the usual reach is so many times as long, or as short. */
const UNIT_CHANGE = 2;
const CONCERNED = ADDED | REMOVED | CHANGED;

export class EntryClasses {
  /** By class: upper bounds over its members, over all senses. */
  readonly maxGain = new Float64Array(job.CLASSES);
  readonly maxMinReach = new Float64Array(job.CLASSES);
  /** Infinite where a member has none in some sense. */
  readonly maxMaxReach = new Float64Array(job.CLASSES);
  /** The longest range of its watchers; 0 where nobody watches. */
  readonly maxRange = new Float64Array(job.CLASSES);
  /** Entities in it now, and at the last tick. */
  readonly members = new Uint32Array(job.CLASSES);
  readonly membersBefore = new Uint32Array(job.CLASSES);
  /** By sense, the ranges of those that watch as the crowd does; `undefined` where no watchers are alike. */
  common: readonly number[] | undefined;
  /** World units: what counts as one step of minReach and maxReach. */
  #unit = 1;
  readonly #heap: Heap;
  readonly #now: Column<'u8'>;
  readonly #last: Column<'u8'>;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#now = heap.column('u8', 0);
    this.#last = heap.column('u8', 0);
  }

  /** Slots that the classes have room for. */
  get slotRoom(): number {
    return this.#last.length;
  }

  /** Bytes into the heap of the classes by slot. */
  get nowOffset(): number {
    return this.#now.offset;
  }

  get lastOffset(): number {
    return this.#last.offset;
  }

  /** World units: the longest of the common ranges; 0 where there are none. */
  get commonReach(): number {
    return this.common === undefined ? 0 : Math.max(...this.common);
  }

  /** How far a grid of its members is searched, usually; world units. */
  searchReach(k: number, usualReach: number): number {
    if (k <= job.THINGS && this.common !== undefined) return this.commonReach;
    const isNear = k >= FIRST_NEAR && k < FAR_AND_ODD;
    return isNear ? Math.min(usualReach, this.#unit / 4 ** (k - FIRST_NEAR)) : usualReach;
  }

  /** The class that a slot had when the last tick was over. */
  classOf(slot: number): number {
    return this.#last.array[slot] & job.CLASS_MASK;
  }

  /**
   * Chooses the common ranges from some watchers. Answers whether they are others than before: then all classes were found anew,
   * and entries that were sorted by them are of no use. Cost: O(n) then.
   */
  choose(store: EntityStore, watchers: readonly number[], usualReach: number): boolean {
    const common = crowdRangesOf(store, watchers, this.common);
    const unit = Math.max(usualReach, common === undefined ? 0 : Math.max(...common));
    const isUnitRight = unit <= this.#unit * UNIT_CHANGE && unit >= this.#unit / UNIT_CHANGE;
    const isSame = common?.join() === this.common?.join() && (isUnitRight || unit === 0);
    if (isSame && this.slotRoom > 0) return false;
    this.common = common;
    this.#unit = unit > 0 ? unit : 1;
    this.#findAll(store);
    return true;
  }

  /** Finds the classes of those that came, went or changed; twice in a tick is as good as once. */
  settle(store: EntityStore): void {
    const { counts, now, last } = store;
    // Slots are handed out, too, to those that come and go between two ticks, of which nothing is pending.
    this.#makeRoom(store);
    if (counts.added + counts.removed + counts.changed === 0) return;
    this.members.set(this.membersBefore);
    const before = this.#last.array;
    const after = this.#now.array;
    for (const slot of pendingWith(store, CONCERNED)) {
      if (last.isPresent(slot)) this.#count(before[slot], -1);
      if (!now.isPresent(slot)) continue;
      after[slot] = this.#find(now, slot);
      this.#count(after[slot], 1);
    }
  }

  /** To be called when the tick is over. */
  endTick(store: EntityStore): void {
    const { counts } = store;
    if (counts.added + counts.removed + counts.changed === 0) return;
    const before = this.#last.array;
    const after = this.#now.array;
    for (const slot of pendingWith(store, CONCERNED)) before[slot] = after[slot];
    this.membersBefore.set(this.members);
    for (let k = 0; k < job.CLASSES; k++) if (this.members[k] === 0) this.#forget(k);
  }

  dispose(): void {
    for (const column of [this.#now, this.#last]) this.#heap.release(column);
  }

  #findAll(store: EntityStore): void {
    const { now, last, slotCount } = store;
    this.#makeRoom(store);
    this.members.fill(0);
    this.membersBefore.fill(0);
    for (let k = 0; k < job.CLASSES; k++) this.#forget(k);
    const before = this.#last.array;
    const after = this.#now.array;
    for (let slot = 0; slot < slotCount; slot++) {
      if (last.isPresent(slot)) {
        before[slot] = this.#find(last, slot);
        this.membersBefore[before[slot] & job.CLASS_MASK]++;
      }
      if (!now.isPresent(slot)) continue;
      after[slot] = this.#find(now, slot);
      this.#count(after[slot], 1);
    }
  }

  #makeRoom({ slotCount, capacity }: EntityStore): void {
    if (this.#now.length < slotCount) this.#heap.resizeAll([this.#now, this.#last], capacity);
  }

  #count(byte: number, change: number): void {
    this.members[byte & job.CLASS_MASK] += change;
  }

  /** A class without members has no limits. */
  #forget(k: number): void {
    this.maxGain[k] = k < job.FIRST_PROFILED ? 1 : 0;
    this.maxMinReach[k] = 0;
    this.maxMaxReach[k] = k < job.FIRST_PROFILED ? Number.POSITIVE_INFINITY : 0;
    this.maxRange[k] = k === job.CROWD ? this.commonReach : 0;
  }

  /** The byte for what a slot is in a state. Widens the limits of its class where needed. */
  #find(state: EntityState, slot: number): number {
    const { ranges, gains, minReaches, maxReaches } = state;
    let isCommon = this.common !== undefined;
    let isPlain = true;
    let longest = 0;
    let gain = 0;
    let minReach = 0;
    let maxReach = 0;
    for (let s = 0; s < ranges.length; s++) {
      const range = ranges[s].at(slot);
      if (isCommon && range !== (this.common as readonly number[])[s]) isCommon = false;
      if (range > longest) longest = range;
      const ownGain = gains[s].at(slot);
      const ownMinReach = minReaches[s].at(slot);
      const ownMaxReach = maxReaches[s].at(slot);
      if (ownGain !== 1 || ownMinReach !== 0 || ownMaxReach !== Number.POSITIVE_INFINITY) isPlain = false;
      if (ownGain > gain) gain = ownGain;
      if (ownMinReach > minReach) minReach = ownMinReach;
      if (ownMaxReach > maxReach) maxReach = ownMaxReach;
    }
    if (isPlain && isCommon) return job.CROWD | job.WATCHES_AS_COMMON;
    if (isPlain && longest === 0) return job.THINGS;
    const isFar = !isCommon && longest > this.#unit * FAR;
    let found = isFar ? job.FAR_SEEING : job.OTHER_RANGES;
    if (!isPlain) {
      if (isFar) found = FAR_AND_ODD;
      else found = maxReach < this.#unit ? this.#nearClass(maxReach) : this.#loudClass(gain, minReach);
      this.maxGain[found] = Math.max(this.maxGain[found], gain);
      this.maxMinReach[found] = Math.max(this.maxMinReach[found], minReach);
      this.maxMaxReach[found] = Math.max(this.maxMaxReach[found], maxReach);
    }
    this.maxRange[found] = Math.max(this.maxRange[found], longest);
    if (longest === 0) return found;
    return found | (isCommon ? job.WATCHES_AS_COMMON : job.WATCHES_BY_OWN);
  }

  #nearClass(maxReach: number): number {
    const step = Math.floor(Math.log2(this.#unit / maxReach) / 2);
    return Math.min(FIRST_NEAR + Math.max(0, step), FAR_AND_ODD - 1);
  }

  #loudClass(gain: number, minReach: number): number {
    if (gain <= 1 && minReach === 0) return QUIET;
    const step = Math.max(0, Math.floor(Math.log2(Math.max(gain, minReach / this.#unit)) / 2));
    return Math.min(FIRST_LOUD + step, FIRST_NEAR - 1);
  }
}
