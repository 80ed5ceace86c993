/**
 * Finds the pairs of one group that come within the distance at which the watcher is shown its group, or leave it: `showGroup` with `within`.
 *
 * Problem: a group of thousands has millions of pairs, and nearly none of them crosses in a tick. Method: as for perception. The members
 * are entities of a second store, in which a watcher's range is the distance at which it is shown members, and a channel stands for a
 * group. A detector finds what crosses there. It may find more pairs: the rules decide each.
 *
 *   world's store   --members of the groups with such a watcher-->   store of members   --detector-->   crossings
 *
 * An instance serves one kind of groups, and either distances in world units or what ranges reach ('reach'). It is made in any tick, from the
 * state at the last one. Memory: some 100 bytes a member, 4 a slot. Cost: as for perception, if members perceived each other that far.
 */
import { grown } from '../../columns.ts';
import { Crossings } from '../../detectors/crossings.ts';
import type { Detector, DetectorFactory } from '../../detectors/detector.ts';
import { emptyValues, type PropertyValues } from '../../entities/entity-init.ts';
import { EntityStore } from '../../entities/entity-store.ts';
import { MOVED } from '../../entities/pending.ts';
import { Heap } from '../../kernels/heap.ts';
import type { ResolvedInterest } from '../rules/interest.ts';
import type { SeatTables } from '../standing/seat-tables.ts';

/** Channels other than 0. Two groups may share one. */
const CHANNELS = 65_535;
/** World units, in place of a distance of 0, which would be no range: its square rounds to 0, too. */
const NO_DISTANCE = 2 ** -76;
/** Settings of the members' store for distances in world units. */
const BY_DISTANCE = {
  senses: ['within'],
  senseCount: 1,
  rangeShape: 'circle',
  granularity: 'exact',
  cellRounding: 'up',
  cellSize: undefined,
} as const;

/** Whether an interest shows groups of a kind within a distance: in world units, or 'reach'. */
export function isLimiting(
  { groupKinds, groupTerms }: ResolvedInterest,
  kind: number,
  isReach: boolean,
): boolean {
  if ((groupKinds & (1 << kind)) === 0 || groupTerms === undefined) return false;
  const { within } = groupTerms;
  return within === 'reach' ? isReach : !isReach && within < Number.POSITIVE_INFINITY;
}

export class GroupCrossings {
  readonly #tables: SeatTables;
  readonly #kind: number;
  readonly #isReach: boolean;
  readonly #members: EntityStore;
  readonly #detector: Detector;
  readonly #crossings: Crossings;
  readonly #values: PropertyValues;
  /** By slot: the id among the members; 0 for none. */
  #idOf = new Uint32Array(0);
  /** By slot among the members. */
  readonly #slotOf: number[] = [];
  /** Groups that have, or had, a watcher that is shown them within a distance. */
  readonly #groups = new Set<number>();
  /** False while members are added as they were at the last tick. */
  #isMade = false;

  constructor(tables: SeatTables, kind: number, isReach: boolean, makeDetector: DetectorFactory) {
    const { settings, heap } = tables.store;
    this.#tables = tables;
    this.#kind = kind;
    this.#isReach = isReach;
    const own = isReach ? settings : { ...settings, ...BY_DISTANCE };
    this.#members = new EntityStore(new Heap(heap.wasm ? 'auto' : 'typescript'), own, 0);
    this.#crossings = new Crossings(this.#members.heap);
    this.#values = emptyValues(own);
    this.#settleAll(() => true);
    this.#members.settle();
    this.#members.endTick();
    this.#detector = makeDetector(this.#members);
    this.#isMade = true;
  }

  get memoryBytes(): number {
    const { heap, memoryBytes } = this.#members;
    const own = this.#idOf.byteLength + 8 * this.#slotOf.length;
    return heap.byteLength + memoryBytes + this.#detector.memoryBytes + own;
  }

  /** Once in each tick that succeeds: visits the pairs (slots) that may have crossed in it. The world's changes are settled. */
  find(visit: (watcher: number, marker: number) => void): void {
    const { store, book } = this.#tables;
    const members = this.#members;
    // What was found in the last tick is over.
    members.endTick();
    if (book.changed.size > 0) this.#settleAll((slot) => book.changed.has(store.now.interests.at(slot)));
    for (const slot of store.notOnlyMoved) this.#settle(slot);
    this.#moveMembers();
    members.settle();
    const crossings = this.#crossings;
    crossings.clear();
    this.#detector.detect(members, crossings);
    crossings.resolve(members);
    for (let i = 0; i < crossings.count; i++)
      visit(this.#slotOf[crossings.watcherAt(i)], this.#slotOf[crossings.markerAt(i)]);
  }

  /** Moves the members that moved: from their own list or that of the tick, whichever is shorter. */
  #moveMembers(): void {
    const members = this.#members;
    const { pending, pendingSlots, pendingCount, now } = this.#tables.store;
    const { x, y, z } = now;
    const move = (slot: number) => {
      const id = this.#idOf[slot];
      if (id > 0 && (pending[slot] & MOVED) !== 0) members.move(id >>> 10, x[slot], y[slot], z[slot]);
    };
    if (this.#slotOf.length < pendingCount) for (const slot of this.#slotOf) move(slot);
    else for (let i = 0; i < pendingCount; i++) move(pendingSlots[i]);
  }

  #settleAll(isChanged: (slot: number) => boolean): void {
    this.#tables.forced.eachMember(this.#kind, (slot) => {
      if (isChanged(slot)) this.#settle(slot);
    });
  }

  /** Adds, changes or removes the member in a slot; all of its group, if it is the first that is shown that within a distance. */
  #settle(slot: number): void {
    const { now } = this.#tables.store;
    const group = now.isPresent(slot) ? now.groups[this.#kind].at(slot) : 0;
    if (group !== 0 && !this.#groups.has(group) && this.#isLimited(slot)) {
      this.#groups.add(group);
      for (const member of this.#tables.forced.membersOf(this.#kind, group)) this.#write(member, group);
    } else this.#write(slot, this.#groups.has(group) ? group : 0);
  }

  /** Whether a slot is, or may be, a watcher that is shown its group within a distance. */
  #isLimited(slot: number): boolean {
    const { store, book } = this.#tables;
    const { now } = store;
    const interest = book.current[now.interests.at(slot)];
    // One without a range may watch by a pin, and is then shown what nothing hides.
    const isByPin = interest.groupTerms?.isThroughGain === true && !now.isResting(slot);
    return (isByPin || now.perceives(slot)) && isLimiting(interest, this.#kind, this.#isReach);
  }

  /** `group` 0: no member. */
  #write(slot: number, group: number): void {
    const { store } = this.#tables;
    const members = this.#members;
    if (slot >= this.#idOf.length) this.#idOf = grown(this.#idOf, store.capacity);
    const id = this.#idOf[slot];
    if (group === 0) {
      if (id !== 0) members.remove(id >>> 10);
      this.#idOf[slot] = 0;
      return;
    }
    this.#readValues(slot, group);
    if (id !== 0) members.update(id >>> 10, this.#values);
    else if (this.#isMade || store.last.isPresent(slot)) {
      const { x, y, z } = this.#isMade ? store.now : store.last;
      members.reserve(1);
      const added = members.add(x[slot], y[slot], z[slot], this.#values);
      this.#idOf[slot] = added;
      this.#slotOf[added >>> 10] = slot;
    }
  }

  #readValues(slot: number, group: number): void {
    const { store, book } = this.#tables;
    const { now } = store;
    const { ranges, minReaches, maxReaches } = this.#values;
    const isLimited = this.#isLimited(slot);
    this.#values.channel = 1 + ((group - 1) % CHANNELS);
    this.#values.marker = now.isPerceptible(slot);
    const all = (1 << ranges.length) - 1;
    this.#values.rangesGiven = all;
    if (!this.#isReach) {
      const within = Number(book.current[now.interests.at(slot)].groupTerms?.within);
      ranges[0] = isLimited ? Math.max(within, NO_DISTANCE) : 0;
      return;
    }
    this.#values.minReachesGiven = all;
    this.#values.maxReachesGiven = all;
    // What reaches another distance in the tick in which this is made, crosses in it.
    const state = this.#isMade ? now : store.last;
    for (let s = 0; s < ranges.length; s++) {
      ranges[s] = isLimited ? state.ownRanges[s].at(slot) : 0;
      minReaches[s] = state.minReaches[s].at(slot);
      maxReaches[s] = state.maxReaches[s].at(slot);
    }
  }
}
