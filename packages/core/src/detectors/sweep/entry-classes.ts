/**
 * Classifies entities by their properties as watchers and as markers, so that each is tested as it needs, and
 * entities that differ from the common profile do not slow down the others: a bell that rings across the world does
 * not widen all windows, nor does a watcher that sees all of it.
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
 * From class 4 on a member may watch by the common ranges, by its own, or not at all, which its byte says, too. The
 * members of each class are counted. The class affects speed, never results, as long as a class's limits hold for all
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
/** Ranges of this many usual reaches are far. */
const FAR = 4;
/** The unit is chosen again when the usual reach is this many times as long, or as short. */
const UNIT_CHANGE = 2;
/**
 * Watchers look for the markers of a class if it holds more than this many markers per watcher. Above 1, because a watcher's window also finds
 * markers that are then decided one by one.
 */
const MARKERS_A_WATCHER = 2;
const CONCERNED = ADDED | REMOVED | CHANGED;

export class EntryClasses {
  /** By class: upper bounds over its members, over all senses. */
  readonly maxGain = new Float64Array(job.CLASSES);
  readonly maxMinReach = new Float64Array(job.CLASSES);
  /** Infinite if a member has no maxReach in some sense. */
  readonly maxMaxReach = new Float64Array(job.CLASSES);
  /** The longest range of its watchers; 0 if it has none. */
  readonly maxRange = new Float64Array(job.CLASSES);
  /** Number of entities in it now, and at the last tick. */
  readonly members = new Uint32Array(job.CLASSES);
  readonly membersBefore = new Uint32Array(job.CLASSES);
  /** Number of watchers with the common ranges, in all classes, now; and at the last tick. */
  #commonWatchers = 0;
  #commonWatchersBefore = 0;
  /** By sense, the ranges of watchers in the crowd; `undefined` if too few watchers are equal. */
  common: readonly number[] | undefined;
  /** World units: one step of minReach and maxReach. */
  #unit = 1;
  readonly #heap: Heap;
  readonly #now: Column<'u8'>;
  readonly #last: Column<'u8'>;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#now = heap.column('u8', 0);
    this.#last = heap.column('u8', 0);
  }

  /** Number of slots that the classes have room for. */
  get slotRoom(): number {
    return this.#last.length;
  }

  /** Byte offset in the heap of the classes by slot. */
  get nowOffset(): number {
    return this.#now.offset;
  }

  get lastOffset(): number {
    return this.#last.offset;
  }

  /** World units: the longest of the common ranges; 0 if there are none. */
  get commonReach(): number {
    return this.common === undefined ? 0 : Math.max(...this.common);
  }

  /**
   * A bit for each class with so many more markers than there are watchers with the common ranges that these watchers look for
   * the markers, and not the markers for them. Affects speed, never results.
   */
  get foundByWatchers(): number {
    const watchers = Math.max(this.#commonWatchers, this.#commonWatchersBefore);
    let bits = 0;
    for (let k = job.OTHER_RANGES; k < job.CLASSES; k++)
      if (this.members[k] > watchers * MARKERS_A_WATCHER) bits |= 1 << k;
    return bits;
  }

  /** How far a grid of its members is usually searched; world units. */
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
   * Chooses the common ranges from some watchers. Returns whether they changed: then all classes were assigned again,
   * and entries sorted by them are invalid. Cost: O(n) in that case.
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

  /** Assigns the classes of added, removed or changed entities; calling it twice in a tick is harmless. */
  settle(store: EntityStore): void {
    const { counts, now, last } = store;
    // Slots are also handed out to entities that were added and removed between two ticks, of which nothing is
    // pending.
    this.#makeRoom(store);
    if (counts.added + counts.removed + counts.changed === 0) return;
    this.members.set(this.membersBefore);
    this.#commonWatchers = this.#commonWatchersBefore;
    const before = this.#last.array;
    const after = this.#now.array;
    for (const slot of pendingWith(store, CONCERNED)) {
      if (last.isPresent(slot)) this.#count(before[slot], -1);
      if (!now.isPresent(slot)) continue;
      after[slot] = this.#find(now, slot);
      this.#count(after[slot], 1);
    }
  }

  /** Call this when the tick is over. */
  endTick(store: EntityStore): void {
    const { counts } = store;
    if (counts.added + counts.removed + counts.changed === 0) return;
    const before = this.#last.array;
    const after = this.#now.array;
    for (const slot of pendingWith(store, CONCERNED)) before[slot] = after[slot];
    this.membersBefore.set(this.members);
    this.#commonWatchersBefore = this.#commonWatchers;
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
    this.#commonWatchers = 0;
    this.#commonWatchersBefore = 0;
    for (let k = 0; k < job.CLASSES; k++) this.#forget(k);
    const before = this.#last.array;
    const after = this.#now.array;
    for (let slot = 0; slot < slotCount; slot++) {
      if (last.isPresent(slot)) {
        before[slot] = this.#find(last, slot);
        this.membersBefore[before[slot] & job.CLASS_MASK]++;
        if ((before[slot] & job.WATCHES_AS_COMMON) !== 0) this.#commonWatchersBefore++;
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
    if ((byte & job.WATCHES_AS_COMMON) !== 0) this.#commonWatchers += change;
  }

  /** A class without members has no limits. */
  #forget(k: number): void {
    this.maxGain[k] = k < job.FIRST_PROFILED ? 1 : 0;
    this.maxMinReach[k] = 0;
    this.maxMaxReach[k] = k < job.FIRST_PROFILED ? Number.POSITIVE_INFINITY : 0;
    this.maxRange[k] = k === job.CROWD ? this.commonReach : 0;
  }

  /** The byte for a slot in a state. Extends the limits of its class if needed. */
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
