/**
 * Forced relations: pairs that relate at any distance and that the cap never cuts. Pinned markers, members of the
 * watcher's own group, markers shown always.
 *
 *   pin      a target, a quest giver, a camera's subject: any range, cap, layer and channel, within the pin's limits
 *   group    the party at the other end of the map: all with the same group number, if they meet, or on terms
 *            (group-terms.ts)
 *   always   a boss, a flag, the sun: for every watcher that has a range and meets it
 *
 * Method: the members of groups and the markers shown always are listed; the lists are updated when an entity
 * is added, removed or changed. Cost: O(n) when the first of them appears; then O(log n) and a copy of the
 * list for each entity that changes; per watcher the markers that it is shown.
 */
import { placeInList } from '../../columns.ts';
import { ALWAYS, type EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED, pendingWith, REMOVED, STANDING_CHANGED } from '../../entities/pending.ts';
import { isReached, meets, meetsOnAnyLayer, reachFrom } from '../../entities/perception.ts';
import type { WorldSettings } from '../../settings.ts';
import { arrayBytes, mapBytes } from '../table/collection-bytes.ts';
import { GROUPED, PINNED, SHOWN_ALWAYS } from '../table/pair-rows.ts';
import type { GroupTerms } from './group-terms.ts';
import type { ResolvedInterest } from './interest.ts';
import { isWithin } from './pin-reasons.ts';
import { squaredDistance } from './rank.ts';
import type { Ties } from './ties.ts';

/** A marker (a slot) that is forced on a watcher, and why: the PINNED, GROUPED, SHOWN_ALWAYS bits. */
export type ForcedMarker = readonly [marker: number, bits: number];

/** By kind, then by group: slots of its members, ascending. */
type Members = readonly Map<number, number[]>[];

export class ForcedRelations {
  /** Slots of markers shown always. */
  always: number[] = [];
  /** Of now. Empty while no interest shows groups. */
  #members: Members = [];
  #isListed = false;
  /** The same as of the last tick, where they are read and not listed above; until that tick is no longer the last. */
  #read: Members | undefined;

  get memoryBytes(): number {
    let bytes = arrayBytes(this.always.length);
    for (const members of [...this.#members, ...(this.#read ?? [])]) {
      bytes += mapBytes(members.size);
      for (const list of members.values()) bytes += arrayBytes(list.length);
    }
    return bytes;
  }

  /** Applies the pending changes to the lists. Returns whether any marker is shown always. */
  settle(store: EntityStore, interests: readonly ResolvedInterest[]): boolean {
    const areGroupsShown = interests.some(({ groupKinds }) => groupKinds !== 0);
    if (!store.hasAlways && !areGroupsShown) {
      this.skip();
      return false;
    }
    if (!this.#isListed || areGroupsShown !== this.#members.length > 0) this.#listAll(store, areGroupsShown);
    else for (const slot of pendingWith(store, ADDED | REMOVED | STANDING_CHANGED)) this.#relist(store, slot);
    return this.always.length > 0;
  }

  /** The tick succeeded. */
  commit(): void {
    this.#read = undefined;
  }

  /** The lists are not used in this tick, or the tick failed: they are out of date from now on. */
  skip(): void {
    this.#isListed = false;
  }

  /** Whether the watcher belongs to a group of a kind that its interest shows. */
  hasGroup(state: EntityState, interest: ResolvedInterest, watcher: number): boolean {
    return state.groups.some((groups, kind) => {
      return (interest.groupKinds & (1 << kind)) !== 0 && groups.at(watcher) !== 0;
    });
  }

  /** Slots of the members of a group, ascending. */
  membersOf(kind: number, group: number): readonly number[] {
    return this.#members[kind]?.get(group) ?? NO_SLOTS;
  }

  /** The same as of the last tick, whether or not any interest shows groups; in a tick under way, maybe as of now. */
  membersBefore(store: EntityStore, kind: number, group: number): readonly number[] {
    if (this.#isListed && this.#members.length > 0) return this.membersOf(kind, group);
    this.#read ??= membersIn(store, store.last);
    return this.#read[kind].get(group) ?? NO_SLOTS;
  }

  /** Visits the slots of all members of groups of a kind. */
  eachMember(kind: number, visit: (slot: number) => void): void {
    for (const members of this.#members[kind]?.values() ?? []) members.forEach(visit);
  }

  /** The PINNED, GROUPED, SHOWN_ALWAYS bits of one pair now. Cost: O(group kinds). */
  bitsOf(
    { now, ids, settings }: EntityStore,
    { groupKinds, groupTerms }: ResolvedInterest,
    ties: Ties,
    watcher: number,
    marker: number,
  ): number {
    if (!now.isPerceptible(marker) || now.isResting(watcher)) return 0;
    const pins = ties.pinsOf(ids.idOf[watcher]);
    const hasRange = now.perceives(watcher);
    if (!hasRange && pins === undefined) return 0;
    const pin = pins?.get(ids.idOf[marker]);
    const isPinned =
      pin !== undefined && isWithin(squaredDistance(settings, now, watcher, marker), pin.within);
    let bits = isPinned ? PINNED : 0;
    if (hasRange && (now.flags[marker] & ALWAYS) !== 0 && meets(now, watcher, marker)) bits |= SHOWN_ALWAYS;
    if (groupKinds === 0 || !isSameGroup(now, groupKinds, watcher, marker)) return bits;
    return isShownMember(settings, now, groupTerms, watcher, marker) ? bits | GROUPED : bits;
  }

  /**
   * The PINNED, GROUPED, SHOWN_ALWAYS bits of all markers forced on one entity that is a watcher now, by
   * ascending slot.
   */
  of(
    store: EntityStore,
    interest: ResolvedInterest,
    ties: Ties,
    watcher: number,
    hasRange: boolean,
  ): readonly ForcedMarker[] {
    const { now, ids } = store;
    const lists: ForcedMarker[][] = [];
    const pinned: ForcedMarker[] = [];
    for (const [id, { within }] of ties.pinsOf(ids.idOf[watcher]) ?? []) {
      if (!store.has(id) || !now.isPerceptible(id >>> 10)) continue;
      const squared = squaredDistance(store.settings, now, watcher, id >>> 10);
      if (isWithin(squared, within)) pinned.push([id >>> 10, PINNED]);
    }
    if (pinned.length > 0) lists.push(pinned.sort(byMarker));
    for (let kind = 0; kind < now.groups.length; kind++) {
      const group = now.groups[kind].at(watcher);
      if (group === 0 || (interest.groupKinds & (1 << kind)) === 0) continue;
      const shown: ForcedMarker[] = [];
      for (const member of this.membersOf(kind, group)) {
        if (isShownMember(store.settings, now, interest.groupTerms, watcher, member))
          shown.push([member, GROUPED]);
      }
      if (shown.length > 0) lists.push(shown);
    }
    if (hasRange && this.always.length > 0) {
      const shown = this.always.filter((marker) => meets(now, watcher, marker));
      if (shown.length > 0) lists.push(shown.map((marker) => [marker, SHOWN_ALWAYS]));
    }
    return lists.length < 2 ? (lists[0] ?? NONE) : merged(lists);
  }

  #listAll(store: EntityStore, areGroupsShown: boolean): void {
    this.#isListed = true;
    this.always = [];
    const { flags } = store.now;
    for (let slot = 0; slot < store.slotCount; slot++)
      if ((flags[slot] & ALWAYS) !== 0) this.always.push(slot);
    this.#members = areGroupsShown ? membersIn(store, store.now) : [];
  }

  /** Updates the lists after an entity was added, removed or changed. */
  #relist({ now, last }: EntityStore, slot: number): void {
    setListed(this.always, slot, (now.flags[slot] & ALWAYS) !== 0);
    this.#members.forEach((members, kind) => {
      const before = last.isPresent(slot) ? last.groups[kind].at(slot) : 0;
      const after = now.isPresent(slot) ? now.groups[kind].at(slot) : 0;
      if (before === after) return;
      if (before !== 0) {
        const list = listOf(members, before);
        setListed(list, slot, false);
        if (list.length === 0) members.delete(before);
      }
      if (after !== 0) setListed(listOf(members, after), slot, true);
    });
  }
}

const NONE: readonly ForcedMarker[] = [];
const NO_SLOTS: readonly number[] = [];

function byMarker([one]: ForcedMarker, [other]: ForcedMarker): number {
  return one - other;
}

/** One list of all, by ascending slot; the bits of a marker in several are combined. */
function merged(lists: readonly (readonly ForcedMarker[])[]): readonly ForcedMarker[] {
  const found = new Map<number, number>();
  for (const list of lists)
    for (const [marker, bits] of list) found.set(marker, (found.get(marker) ?? 0) | bits);
  return [...found].sort(byMarker);
}

/** Whether two entities have the same group in one of these kinds. */
function isSameGroup(state: EntityState, kinds: number, watcher: number, marker: number): boolean {
  for (let kind = 0; kind < state.groups.length; kind++) {
    if ((kinds & (1 << kind)) === 0) continue;
    const group = state.groups[kind].at(watcher);
    if (group !== 0 && group === state.groups[kind].at(marker)) return true;
  }
  return false;
}

/**
 * Whether a member of its group is shown to a watcher. `terms` `undefined`: shown wherever the two meet.
 * Slots.
 */
function isShownMember(
  settings: WorldSettings,
  state: EntityState,
  terms: GroupTerms | undefined,
  watcher: number,
  marker: number,
): boolean {
  if (terms === undefined) return meets(state, watcher, marker);
  const { within, isThroughGain, isThroughLayers } = terms;
  const isMet = isThroughLayers ? meetsOnAnyLayer(state, watcher, marker) : meets(state, watcher, marker);
  if (!isMet) return false;
  const isNear = within === 'reach' || isWithin(squaredDistance(settings, state, watcher, marker), within);
  if (!isNear) return false;
  if (within !== 'reach' && isThroughGain) return true;
  for (let s = 0; s < settings.senseCount; s++) {
    const range = state.ownRanges[s].at(watcher);
    if (range === 0 || (!isThroughGain && state.gains[s].at(marker) === 0)) continue;
    if (within !== 'reach') return true;
    const reach = reachFrom(range, 1, state.minReaches[s].at(marker), state.maxReaches[s].at(marker));
    if (isReached(settings, state, watcher, marker, reach)) return true;
  }
  return false;
}

/** The members of all groups. */
function membersIn({ slotCount }: EntityStore, state: EntityState): Members {
  return state.groups.map((groups) => {
    const members = new Map<number, number[]>();
    for (let slot = 0; groups.column !== undefined && slot < slotCount; slot++) {
      const group = state.isPresent(slot) ? groups.at(slot) : 0;
      if (group !== 0) listOf(members, group).push(slot);
    }
    return members;
  });
}

/** Inserts a slot into an ascending list, or removes it. */
function setListed(list: number[], slot: number, isListed: boolean): void {
  let at = list.length;
  // Most added slots are the highest.
  if (at > 0 && list[at - 1] >= slot) at = placeInList(list, slot);
  const isThere = list[at] === slot;
  if (isListed && !isThere) list.splice(at, 0, slot);
  else if (!isListed && isThere) list.splice(at, 1);
}

function listOf(members: Map<number, number[]>, group: number): number[] {
  const list = members.get(group) ?? [];
  members.set(group, list);
  return list;
}
