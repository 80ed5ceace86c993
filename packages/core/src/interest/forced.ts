/**
 * Who relates whatever the distance and the cap: pinned markers, one's own group, markers shown always.
 *
 *   pin      a target, a quest giver, a camera's subject: whatever range, cap, layer and channel
 *   group    the party at the other end of the map: whoever has the same group number, when they meet
 *   always   a boss, a flag, the sun: every watcher with a range that meets it
 *
 * Method: members of groups and markers shown always are listed anew when anyone came, went or changed standing.
 * Cost: O(n) for such a list; for a watcher what it is shown.
 */
import { ALWAYS, type EntityState } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { ADDED, REMOVED, STANDING_CHANGED } from '../entities/pending.ts';
import { meets } from '../entities/perception.ts';
import { arrayBytes, mapBytes } from './collection-bytes.ts';
import type { ResolvedInterest } from './interest.ts';
import { GROUPED, PINNED, SHOWN_ALWAYS } from './pair-rows.ts';
import type { Ties } from './ties.ts';

export class ForcedRelations {
  /** Slots of markers shown always. */
  always: number[] = [];
  /** By kind, the slots of each group. */
  #members: readonly Map<number, number[]>[] = [];
  #isListed = false;

  get memoryBytes(): number {
    let bytes = arrayBytes(this.always.length);
    for (const members of this.#members) {
      bytes += mapBytes(members.size);
      for (const list of members.values()) bytes += arrayBytes(list.length);
    }
    return bytes;
  }

  /** Lists groups and markers shown always anew where needed. Answers whether anything may differ. */
  settle(store: EntityStore): boolean {
    if (this.#isListed && !isAnyPending(store, ADDED | REMOVED | STANDING_CHANGED)) return false;
    this.#isListed = true;
    const { now, slotCount } = store;
    this.always = [];
    for (let slot = 0; slot < slotCount; slot++) if ((now.flags[slot] & ALWAYS) !== 0) this.always.push(slot);
    this.#members = now.groups.map((groups) => {
      const members = new Map<number, number[]>();
      const column = groups.column?.array;
      if (column === undefined) return members;
      for (let slot = 0; slot < slotCount; slot++) {
        const group = column[slot];
        if (group === 0 || !now.isPresent(slot)) continue;
        const list = members.get(group);
        if (list === undefined) members.set(group, [slot]);
        else list.push(slot);
      }
      return members;
    });
    return true;
  }

  /** Nobody asks in this tick, or it did not stand: the lists are not to be relied on. */
  skip(): void {
    this.#isListed = false;
  }

  /** Whether the watcher belongs to a group that its interest shows. */
  hasGroup(state: EntityState, interest: ResolvedInterest, watcher: number): boolean {
    return state.groups.some((groups, kind) => {
      return (interest.groupKinds & (1 << kind)) !== 0 && groups.at(watcher) !== 0;
    });
  }

  /** By marker slot, ascending: PINNED, GROUPED, SHOWN_ALWAYS bits, for one watcher that is one now. */
  of(
    store: EntityStore,
    interest: ResolvedInterest,
    ties: Ties,
    watcher: number,
    hasRange: boolean,
  ): readonly [marker: number, bits: number][] {
    const { now, ids } = store;
    const found = new Map<number, number>();
    const add = (marker: number, bit: number) => found.set(marker, (found.get(marker) ?? 0) | bit);
    for (const id of ties.pinsOf(ids.idOf[watcher])?.keys() ?? []) {
      if (store.has(id) && now.isMarker(id >>> 10)) add(id >>> 10, PINNED);
    }
    for (let kind = 0; kind < now.groups.length; kind++) {
      const group = now.groups[kind].at(watcher);
      if (group === 0 || (interest.groupKinds & (1 << kind)) === 0) continue;
      for (const member of this.#members[kind].get(group) ?? []) {
        if (meets(now, watcher, member)) add(member, GROUPED);
      }
    }
    if (hasRange)
      for (const marker of this.always) if (meets(now, watcher, marker)) add(marker, SHOWN_ALWAYS);
    return found.size === 0 ? NOBODY : [...found].sort(([a], [b]) => a - b);
  }
}

const NOBODY: readonly [number, number][] = [];

function isAnyPending({ pending, pendingSlots, pendingCount, counts }: EntityStore, bits: number): boolean {
  if (counts.onlyMoved === pendingCount) return false;
  for (let i = 0; i < pendingCount; i++) if ((pending[pendingSlots[i]] & bits) !== 0) return true;
  return false;
}
