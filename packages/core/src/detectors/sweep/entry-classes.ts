/**
 * Classifies entities by their properties as watchers and as markers, so that entities that differ from the common profile do not
 * slow down the others: a bell that rings across the world does not widen all windows, nor does a watcher that sees all of it.
 *
 *   class 0    the crowd: plain markers (gain 1, no minReach, no maxReach) that watch by the common ranges
 *   class 1    things: plain markers that do not watch
 *   class 2+   odd watchers, by how far they perceive or are perceived, in usual reaches: up to 1, 2, 4, 16, 64, and more
 *   class 8    one-way watchers: none of them sees another of them, as creatures that look for players only (one-way.ts)
 *   class 9+   odd things, by how far they are perceived: up to 1/16, 1/4, 1, 4, 16, 64, and more; in the first also what neither
 *              watches nor is a marker: if there is nothing else in it, it has no layers, so that it is tested against nothing
 *   class 16+  the same kinds again, of entities that are in a channel
 *   class 32   if all are sorted: what changed in place in this tick, until the next sort (kernels/wasm/sweep-changed.ts)
 *
 * Each two classes of which one watches are tested against each other, unless no layer that is seen in one is used in the other:
 * kernels/wasm/sweep-pairs.ts. The members of each class are
 * counted. The class affects speed, never results, as long as a class's limits hold for all its members. Memory: 2 bytes a slot.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED, CHANGED, pendingWith, REMOVED } from '../../entities/pending.ts';
import type { Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/sweep-job.ts';
import { crowdRangesOf } from './crowd-ranges.ts';
import { areWorthAClass, isOneWay, layersOf, type OneWayLayers, oneWayLayersOf } from './one-way.ts';

/** By class from the first odd one on: the greatest extent of its watchers, or things, in units. */
const WATCHER_EXTENTS = [1, 2, 4, 16, 64];
const THING_EXTENTS = [1 / 16, 1 / 4, 1, 4, 16, 64];
/** An entity may change in place if it perceives, and is perceived, at most so many usual reaches far. */
const FARTHEST_IN_PLACE = 2;
/** Cells are made for windows of at most so many usual reaches. */
const WIDEST_WINDOW = 4;
/** The unit is chosen again when the usual reach is this many times as long, or as short. */
const UNIT_CHANGE = 2;
const CONCERNED = ADDED | REMOVED | CHANGED;

export class EntryClasses {
  /** By class: upper bounds over its members, over all senses. */
  readonly maxGain = new Float64Array(job.CLASSES);
  readonly maxMinReach = new Float64Array(job.CLASSES);
  /** Infinite if a member has no maxReach in some sense. */
  readonly maxMaxReach = new Float64Array(job.CLASSES);
  /** The longest range of its watchers; 0 if it has none. */
  readonly maxRange = new Float64Array(job.CLASSES);
  /** Bits of the layers that any of its watchers sees, and that any of its markers is on. */
  readonly sees = new Uint32Array(job.CLASSES);
  readonly layers = new Uint32Array(job.CLASSES);
  /** Number of entities in it now, and at the last tick. */
  readonly members = new Uint32Array(job.CLASSES);
  readonly membersBefore = new Uint32Array(job.CLASSES);
  /** How many of them have a gain, minReach or maxReach of their own. */
  readonly #profiled = new Uint32Array(job.CLASSES);
  readonly #profiledBefore = new Uint32Array(job.CLASSES);
  /** Counts up whenever members or limits may have changed. */
  version = 0;
  /** See `present`: of which version the list is. */
  readonly #present: number[] = [];
  #presentVersion = -1;
  /** Number of entities that may change in place in this tick. */
  inPlaceCount = 0;
  /** By sense, the ranges of watchers in the crowd; `undefined` if too few watchers are equal. */
  common: readonly number[] | undefined;
  /** The layers of one-way watchers; `undefined` if there are too few. */
  #oneWay: OneWayLayers | undefined;
  /** Whether those are one-way, too, that could be of the crowd. */
  #areCrowdApart = false;
  /** World units: how far a watcher usually perceives, and from how far most are perceived at most. Extents are measured in the lesser one. */
  #range = 1;
  #farthest = Number.POSITIVE_INFINITY;
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

  /** The classes that have members, now or at the last tick, ascending; without `IN_PLACE`. Valid until a class is settled. */
  get present(): readonly number[] {
    if (this.#presentVersion === this.version) return this.#present;
    this.#presentVersion = this.version;
    this.#present.length = 0;
    for (let k = 0; k < job.IN_PLACE; k++) if (this.sizeOf(k) > 0) this.#present.push(k);
    return this.#present;
  }

  /** Whether any entity has a profile beside its position, now or at the last tick. */
  get isAnyOdd(): boolean {
    return this.present.some(isOdd);
  }

  /** Upper bound of the members of a class, now and at the last tick. */
  sizeOf(k: number): number {
    return Math.max(this.members[k], this.membersBefore[k]);
  }

  /** Upper bound of the watchers' entries: of the watchers now, and those at the last tick. */
  get watcherCount(): number {
    let count = 0;
    for (const k of this.present) if (this.isWatching(k)) count += this.members[k] + this.membersBefore[k];
    return count;
  }

  /** Whether a class has watchers. */
  isWatching(k: number): boolean {
    const kind = kindOf(k);
    return kind === job.CROWD || (kind >= job.FIRST_ODD && kind < job.FIRST_ODD_THINGS);
  }

  /** Whether all members of both classes, now and at the last tick, are plain markers. */
  arePlain(k: number, other: number): boolean {
    return this.#plain(k) && this.#plain(other);
  }

  #plain(k: number): boolean {
    return this.#profiled[k] + this.#profiledBefore[k] === 0;
  }

  /** Whether by their layers a member of one class may perceive a member of the other, in either direction. */
  mayMeet(k: number, other: number): boolean {
    return ((this.sees[k] & this.layers[other]) | (this.sees[other] & this.layers[k])) !== 0;
  }

  /** World units: upper bound of how far a member of one class perceives a member of the other, in either direction. */
  reachBetween(k: number, other: number): number {
    return Math.max(this.reachOf(this.maxRange[k], other), this.reachOf(this.maxRange[other], k));
  }

  /** World units: upper bound of how far a watcher with that range perceives a member of a class. */
  reachOf(range: number, k: number): number {
    if (range === 0) return 0;
    return Math.min(Math.max(range * this.maxGain[k], this.maxMinReach[k]), this.maxMaxReach[k]);
  }

  /** How far a grid of its members is usually searched; world units. */
  searchReach(k: number, usualReach: number): number {
    if (!isOdd(k)) return this.common === undefined ? usualReach : this.commonReach;
    const reach = this.isWatching(k) ? this.reachBetween(k, k) : this.reachOf(usualReach, k);
    return reach === 0 ? usualReach : Math.min(reach, WIDEST_WINDOW * usualReach);
  }

  /** The class that a slot had when the last tick was over. */
  classOf(slot: number): number {
    return this.#last.array[slot] & job.CLASS_MASK;
  }

  /** Whether a slot is now in a class, or in the other one of the crowd and things, which have the same cells. */
  isAlike(k: number, slot: number): boolean {
    const own = this.#now.array[slot] & job.CLASS_MASK;
    return own === k || (!isOdd(k) && own === (k ^ job.THINGS));
  }

  /** Whether a slot was marked, when the last tick was over, as one whose properties decide whom it meets. */
  isFiltered(slot: number): boolean {
    return (this.#last.array[slot] & job.IS_FILTERED) !== 0;
  }

  /**
   * Chooses the common ranges and the layers of one-way watchers from some watchers. Returns whether they changed: then all classes were assigned again,
   * and entries sorted by them are invalid. `farthest`: from how far most are perceived at most, world units. Cost: O(n) in that case.
   */
  choose(store: EntityStore, watchers: readonly number[], usualRange: number, farthest: number): boolean {
    const oneWay = oneWayLayersOf(store.now, watchers, this.#oneWay);
    const areApart = oneWay !== undefined && areWorthAClass(store.now, watchers, oneWay, this.#areCrowdApart);
    const others =
      oneWay === undefined ? watchers : watchers.filter((slot) => !isOneWay(store.now, slot, oneWay));
    // One-way watchers need no common ranges: if these are not theirs, they are in their own class anyway.
    let common = crowdRangesOf(store, others, this.common);
    if (common === undefined && others !== watchers && !areApart)
      common = crowdRangesOf(store, watchers, this.common);
    const range = Math.max(usualRange, common === undefined ? 0 : Math.max(...common));
    const unit = Math.min(range, farthest);
    const isUnitRight = unit <= this.#unit * UNIT_CHANGE && unit >= this.#unit / UNIT_CHANGE;
    const areSame = oneWay === this.#oneWay && areApart === this.#areCrowdApart;
    const isSame = common?.join() === this.common?.join() && areSame && (isUnitRight || unit === 0);
    if (isSame && this.slotRoom > 0) return false;
    this.common = common;
    this.#oneWay = oneWay;
    this.#areCrowdApart = areApart;
    this.#range = range > 0 ? range : 1;
    this.#farthest = farthest;
    this.#unit = unit > 0 ? unit : 1;
    this.#findAll(store);
    return true;
  }

  /**
   * Assigns the classes of added, removed or changed entities; calling it twice in a tick is harmless. `isSorting`: all are going to be
   * sorted.
   */
  settle(store: EntityStore, isSorting: boolean): void {
    const { counts, now, last, pending, settings } = store;
    this.inPlaceCount = 0;
    this.members[job.IN_PLACE] = 0;
    this.#forget(job.IN_PLACE);
    // Slots are also handed out to entities that were added and removed between two ticks, of which nothing is
    // pending.
    this.#makeRoom(store);
    if (counts.added + counts.removed + counts.changed === 0) return;
    this.version++;
    this.members.set(this.membersBefore);
    this.#profiled.set(this.#profiledBefore);
    const before = this.#last.array;
    const after = this.#now.array;
    for (const slot of pendingWith(store, CONCERNED)) {
      if (last.isPresent(slot)) this.#count(before[slot], -1);
      if (!now.isPresent(slot)) continue;
      after[slot] = this.#find(now, slot);
      this.#count(after[slot], 1);
      if ((pending[slot] & (ADDED | REMOVED)) !== 0 || settings.rangeShape !== 'circle') continue;
      if (!this.#isOrdinary(now, slot) || !this.#isOrdinary(last, slot)) continue;
      if (now.channels.at(slot) !== last.channels.at(slot)) continue;
      after[slot] |= job.IS_IN_PLACE;
      for (const state of [now, last]) this.#extend(job.IN_PLACE, state, slot);
      this.inPlaceCount++;
    }
    if (isSorting) this.members[job.IN_PLACE] = this.inPlaceCount;
  }

  /** Call this when the tick is over. */
  endTick(store: EntityStore): void {
    const { counts } = store;
    if (counts.added + counts.removed + counts.changed === 0) return;
    this.version++;
    const before = this.#last.array;
    const after = this.#now.array;
    for (const slot of pendingWith(store, CONCERNED)) {
      after[slot] &= ~job.IS_IN_PLACE;
      before[slot] = after[slot];
    }
    this.membersBefore.set(this.members);
    this.membersBefore[job.IN_PLACE] = 0;
    this.#profiledBefore.set(this.#profiled);
    for (let k = 0; k < job.CLASSES; k++) if (this.members[k] === 0) this.#forget(k);
  }

  dispose(): void {
    for (const column of [this.#now, this.#last]) this.#heap.release(column);
  }

  #findAll(store: EntityStore): void {
    const { now, last, slotCount } = store;
    this.version++;
    this.#makeRoom(store);
    this.members.fill(0);
    this.membersBefore.fill(0);
    this.#profiled.fill(0);
    this.#profiledBefore.fill(0);
    for (let k = 0; k < job.CLASSES; k++) this.#forget(k);
    const before = this.#last.array;
    const after = this.#now.array;
    for (let slot = 0; slot < slotCount; slot++) {
      if (last.isPresent(slot)) {
        before[slot] = this.#find(last, slot);
        this.membersBefore[before[slot] & job.CLASS_MASK]++;
        if ((before[slot] & job.IS_PROFILED) !== 0) this.#profiledBefore[before[slot] & job.CLASS_MASK]++;
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
    if ((byte & job.IS_PROFILED) !== 0) this.#profiled[byte & job.CLASS_MASK] += change;
  }

  /** Whether an entity neither perceives nor is perceived unusually far. */
  #isOrdinary({ ranges, gains, minReaches }: EntityState, slot: number): boolean {
    const most = FARTHEST_IN_PLACE * this.#unit;
    for (let s = 0; s < ranges.length; s++) {
      if (Math.min(ranges[s].at(slot), this.#farthest) > most || minReaches[s].at(slot) > most) return false;
      if (gains[s].at(slot) > FARTHEST_IN_PLACE) return false;
    }
    return true;
  }

  /** Extends the limits of a class so that they include an entity. */
  #extend(k: number, state: EntityState, slot: number): void {
    const { ranges, gains, minReaches, maxReaches } = state;
    this.#extendLayers(k, state, slot);
    for (let s = 0; s < ranges.length; s++) {
      this.maxRange[k] = Math.max(this.maxRange[k], ranges[s].at(slot));
      this.maxGain[k] = Math.max(this.maxGain[k], gains[s].at(slot));
      this.maxMinReach[k] = Math.max(this.maxMinReach[k], minReaches[s].at(slot));
      this.maxMaxReach[k] = Math.max(this.maxMaxReach[k], maxReaches[s].at(slot));
    }
  }

  #extendLayers(k: number, state: EntityState, slot: number): void {
    if (state.maxRangeOf(slot) > 0) this.sees[k] |= state.sees.at(slot);
    this.layers[k] |= layersOf(state, slot);
  }

  /** A class without members has no limits. */
  #forget(k: number): void {
    this.maxGain[k] = isOdd(k) ? 0 : 1;
    this.maxMinReach[k] = 0;
    this.maxMaxReach[k] = isOdd(k) ? 0 : Number.POSITIVE_INFINITY;
    this.maxRange[k] = kindOf(k) === job.CROWD ? this.commonReach : 0;
    this.sees[k] = 0;
    this.layers[k] = 0;
  }

  /** The byte for a slot in a state. Extends the limits of its class if needed. */
  #find(state: EntityState, slot: number): number {
    const { ranges, gains, minReaches, maxReaches, channels } = state;
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
    const filtered = state.mayNotMeet(slot) ? job.IS_FILTERED : 0;
    const inChannel = channels.at(slot) === 0 ? 0 : job.IN_CHANNEL;
    const perceived = gain === 0 ? 0 : Math.min(Math.max(this.#range * gain, minReach), maxReach);
    // Who perceives farther than that meets few more.
    const extent = Math.max(Math.min(longest, this.#farthest), perceived) / this.#unit;
    const isCrowd = isPlain && isCommon;
    const oneWay = isCrowd && !this.#areCrowdApart ? undefined : this.#oneWay;
    let kind: number;
    // Nobody perceives what is no marker, whatever its gain: the limits of its class need not include it.
    const isInert = longest === 0 && !state.isMarker(slot);
    if (isInert) kind = job.FIRST_ODD_THINGS;
    else if (longest === 0)
      kind = isPlain ? job.THINGS : job.FIRST_ODD_THINGS + stepOf(THING_EXTENTS, perceived / this.#unit);
    else if (oneWay !== undefined && extent <= 1 && isOneWay(state, slot, oneWay)) kind = job.ONE_WAY;
    else kind = isCrowd ? job.CROWD : job.FIRST_ODD + stepOf(WATCHER_EXTENTS, extent);
    const found = kind | inChannel;
    if (isInert) return found | filtered | (isPlain ? 0 : job.IS_PROFILED);
    if (isOdd(kind)) this.#extend(found, state, slot);
    else this.#extendLayers(found, state, slot);
    return found | filtered | (isPlain ? 0 : job.IS_PROFILED);
  }
}

/** A class, whether or not its members are in channels. */
export function kindOf(k: number): number {
  return k & job.KIND_MASK;
}

/** Whether members have profiles beside their positions. */
export function isOdd(k: number): boolean {
  return kindOf(k) >= job.FIRST_ODD;
}

/** How many of these extents, ascending, are exceeded. */
function stepOf(extents: readonly number[], extent: number): number {
  let step = 0;
  while (step < extents.length && extent > extents[step]) step++;
  return step;
}
