/**
 * What a tick must compare with the last one, because relations to attached markers may have changed although those to
 * their roots did not:
 *
 *   changed    children that came, went, changed whom they are met by, or have another parent: for the watchers of their roots
 *   compared   watchers that see otherwise, have other ties, or another tree: for what is attached to these roots
 *
 * Collected when a tick begins, while queries still refer to the last one. Memory: 4 bytes a slot; during a tick, 24 bytes a
 * watcher of a root with a changed child. Cost: a look at each pending slot that did more than move; a search for each such
 * root.
 */
import { grown } from '../../columns.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { CONCERNS_MEETING, pendingWith } from '../../entities/pending.ts';
import type { Ties } from '../rules/ties.ts';
import { type EachOwnWatcher, RootWatchers } from './root-watchers.ts';
import type { TreeSide } from './tree-side.ts';

/** Up to so many watchers are tested for a root, and roots for a watcher: that takes less time than a search. */
const FEW = 64;

/** The ids of the markers that a watcher (a slot) related to at the last tick, without those that follow from a parent. */
export type OwnMarkers = (watcher: number) => Uint32Array;

export class TreeChanges {
  /** Slots; and by slot, 1 plus the index in this list. */
  readonly changed: number[] = [];
  changedAt = new Uint32Array(0);
  /** By watcher. */
  readonly compared = new Map<number, Set<number>>();
  /** By root: the watchers of the roots of `changed`, as of the last tick and of now. */
  readonly roots = new Map<number, RootWatchers>();
  /**
   * What is pending concerns through the trees: what is above it and not pending itself, and the watchers that relate to such
   * a root, or are of the tree. Slots; some may occur twice. As of the last tick.
   */
  readonly abovePending: number[] = [];
  readonly concerned: number[] = [];
  readonly #store: EntityStore;
  readonly #ties: Ties;
  readonly #last: TreeSide;
  readonly #now: TreeSide;

  constructor(store: EntityStore, ties: Ties, last: TreeSide, now: TreeSide) {
    this.#store = store;
    this.#ties = ties;
    this.#last = last;
    this.#now = now;
  }

  /** Bytes held between ticks. */
  get memoryBytes(): number {
    return this.changedAt.byteLength;
  }

  clear(): void {
    for (const child of this.changed) this.changedAt[child] = 0;
    this.changed.length = 0;
    this.compared.clear();
    this.roots.clear();
    this.abovePending.length = this.concerned.length = 0;
  }

  /** As `AttachedRelations.begin`. */
  collect(
    eachOwnWatcher: EachOwnWatcher,
    ownMarkers: OwnMarkers,
    tied: Iterable<EntityId>,
    asksConcerned: boolean,
  ): void {
    this.changedAt = grown(this.changedAt, this.#store.capacity);
    for (const slot of pendingWith(this.#store, CONCERNS_MEETING)) this.#noteChanged(slot, ownMarkers);
    for (const id of tied) if (this.#store.has(id)) this.#noteTied(id);
    const visit = this.#few(eachOwnWatcher);
    for (const child of this.changed) {
      for (const side of [this.#last, this.#now]) {
        const root = side.rootOf(child);
        if (root !== child && !this.roots.has(root)) this.roots.set(root, new RootWatchers(visit, root));
      }
    }
    if (asksConcerned) this.#listConcerned(eachOwnWatcher);
  }

  /** Whether anything above a slot is among `changed`. */
  isBelowChanged(slot: number): boolean {
    for (let above = this.#now.parentOf(slot); above >= 0; above = this.#now.parentOf(above))
      if (this.changedAt[above] > 0) return true;
    return false;
  }

  /** The roots for which a watcher is compared; none before. */
  rootsFor(watcher: number): Set<number> {
    const known = this.compared.get(watcher);
    if (known !== undefined) return known;
    const roots = new Set<number>();
    this.compared.set(watcher, roots);
    return roots;
  }

  /** Takes note of a slot that was added, removed or changed. */
  #noteChanged(slot: number, ownMarkers: OwnMarkers): void {
    const [last, now] = [this.#last.state, this.#now.state];
    const [before, after] = [last.parents.at(slot), now.parents.at(slot)];
    const isRehung = before !== after;
    if (isRehung || (after !== 0 && isMetOtherwise(last, now, slot))) {
      this.changedAt[slot] = this.changed.push(slot);
      if (isRehung) this.#now.eachBelow(slot, (member) => this.#compareOwnTree(member));
    }
    const watched = this.#last.isWatcher(slot);
    if (this.#isMember(slot) && watched !== this.#now.isWatcher(slot)) this.#compareOwnTree(slot);
    if (!watched || !now.isPresent(slot) || !seesOtherwise(last, now, slot)) return;
    const { parents } = this.#store.attachments;
    const members = parents.size <= FEW ? parents : slotsOf(ownMarkers(slot));
    this.rootsFor(slot);
    for (const side of [this.#last, this.#now])
      for (const root of side.rootsOf(slot, members)) this.rootsFor(slot).add(root);
  }

  /** Takes note of a watcher whose ties changed. */
  #noteTied(id: EntityId): void {
    const watcher = id >>> 10;
    this.#ties.eachChanged(id, (marker) => {
      for (const side of [this.#last, this.#now])
        if (side.parentOf(marker >>> 10) >= 0) this.rootsFor(watcher).add(side.rootOf(marker >>> 10));
    });
    if (this.#isMember(watcher) && this.#last.isWatcher(watcher) !== this.#now.isWatcher(watcher))
      this.#compareOwnTree(watcher);
  }

  #isMember(slot: number): boolean {
    return this.#store.attachments.isMember[slot] === 1;
  }

  #listConcerned(eachOwnWatcher: EachOwnWatcher): void {
    const { pendingSlots, pendingCount, pending } = this.#store;
    const above = new Set<number>();
    const roots = new Set<number>();
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if (this.#now.parentOf(slot) < 0) continue;
      roots.add(this.#now.rootOf(slot));
      for (let parent = this.#now.parentOf(slot); parent >= 0; parent = this.#now.parentOf(parent))
        if (pending[parent] === 0) above.add(parent);
    }
    this.abovePending.push(...above);
    for (const root of roots) {
      if (pending[root] === 0) eachOwnWatcher(root, (watcher) => this.concerned.push(watcher));
      for (const watcher of this.#now.watchersIn(root)) this.concerned.push(watcher);
    }
  }

  #compareOwnTree(watcher: number): void {
    if (!this.#last.isWatcher(watcher) && !this.#now.isWatcher(watcher)) return;
    for (const side of [this.#last, this.#now])
      if (side.isMember(watcher)) this.rootsFor(watcher).add(side.rootOf(watcher));
  }

  /** The same visits, where few watch without a search. */
  #few(eachOwnWatcher: EachOwnWatcher): EachOwnWatcher {
    const { watchers, now } = this.#store;
    if (watchers.count > FEW) return eachOwnWatcher;
    return (marker, visit) => {
      watchers.each((watcher) => {
        const own = now.isPresent(watcher) ? this.#last.own(watcher, marker) : 0;
        if (own !== 0) visit(watcher, own & 255);
      });
    };
  }
}

/** Whether other watchers may meet it than did. */
function isMetOtherwise(last: EntityState, now: EntityState, slot: number): boolean {
  const { layers, channels, needs, only, onlyGroups } = now;
  return (
    last.isCarried(slot) !== now.isCarried(slot) ||
    last.layers.at(slot) !== layers.at(slot) ||
    last.channels.at(slot) !== channels.at(slot) ||
    last.needs.at(slot) !== needs.at(slot) ||
    last.only.at(slot) !== only.at(slot) ||
    last.onlyGroups.at(slot) !== onlyGroups.at(slot) ||
    isOfOtherGroups(last, now, slot)
  );
}

/** Whether it may meet other markers than it did. */
function seesOtherwise(last: EntityState, now: EntityState, slot: number): boolean {
  const isSame = last.sees.at(slot) === now.sees.at(slot) && last.channels.at(slot) === now.channels.at(slot);
  return !isSame || isOfOtherGroups(last, now, slot);
}

function isOfOtherGroups(last: EntityState, now: EntityState, slot: number): boolean {
  return now.hasConditions && now.groups.some((group, kind) => group.at(slot) !== last.groups[kind].at(slot));
}

export function slotsOf(ids: Uint32Array): Uint32Array {
  return ids.map((id) => id >>> 10);
}
