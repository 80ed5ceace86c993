/**
 * What is attached to what in one state of the world (the last tick's, or that of now), and the definition of the
 * relations that follow from it.
 *
 *   own      how a watcher relates to a marker by itself: to a root by any rule, to a child by a pin only
 *   total    how it relates in the end: to a child as to its parent, or without a sense to a child of its own tree, if
 *            it meets the child and does not block it; else as by itself
 *
 * Both are 0, or `RELATES` and the senses. Cost: O(links) a pair.
 */
import type { ChildLists } from '../../entities/child-lists.ts';
import type { EntityIds } from '../../entities/entity-ids.ts';
import type { EntityState } from '../../entities/entity-state.ts';
import { meetsCarried } from '../../entities/perception.ts';
import type { TiesAt } from '../rules/ties.ts';
import { RELATES } from '../table/relation-words.ts';

/** How a watcher relates to a marker by itself, in the same state of the world. Slots. */
export type OwnRelation = (watcher: number, marker: number) => number;

export class TreeSide {
  readonly state: EntityState;
  readonly children: ChildLists;
  readonly own: OwnRelation;
  readonly #ties: TiesAt;
  readonly #ids: EntityIds;

  constructor(state: EntityState, children: ChildLists, ids: EntityIds, ties: TiesAt, own: OwnRelation) {
    this.state = state;
    this.children = children;
    this.own = own;
    this.#ties = ties;
    this.#ids = ids;
  }

  /** The parent's slot; -1 if the slot is not attached. */
  parentOf(slot: number): number {
    const id = this.state.parents.at(slot);
    return id === 0 ? -1 : id >>> 10;
  }

  rootOf(slot: number): number {
    let root = slot;
    for (let parent = this.parentOf(slot); parent >= 0; parent = this.parentOf(root)) root = parent;
    return root;
  }

  /** Whether a slot is attached or has children. */
  isMember(slot: number): boolean {
    return this.children.has(slot) || this.state.parents.at(slot) !== 0;
  }

  /** Whether a slot has a range or a pin, and is not at rest. */
  isWatcher(slot: number): boolean {
    const { state } = this;
    if (!state.isPresent(slot) || state.isResting(slot)) return false;
    return state.perceives(slot) || this.#ties.pinsOf(this.#ids.idOf[slot]) !== undefined;
  }

  /** Whether the watcher has a tie to a child, so that its relations may not follow from those to the root alone. */
  isTied(watcher: number): boolean {
    const id = this.#ids.idOf[watcher];
    const [pins, blocks] = [this.#ties.pinsOf(id), this.#ties.blocksOf(id)];
    if (pins === undefined && blocks === undefined) return false;
    for (const marker of pins?.keys() ?? []) if (this.parentOf(marker >>> 10) >= 0) return true;
    for (const marker of blocks ?? []) if (this.parentOf(marker >>> 10) >= 0) return true;
    return false;
  }

  /** `RELATES` if a watcher relates to a child of this parent because it is the parent, or of the same tree; else 0. */
  floorOf(watcher: number, parent: number): number {
    const isAttached = this.state.parents.at(watcher) !== 0;
    if (watcher !== parent && !isAttached) return 0;
    const isOfTree = watcher === parent || this.rootOf(watcher) === this.rootOf(parent);
    return isOfTree && this.isWatcher(watcher) ? RELATES : 0;
  }

  /** The total state with a child, from that with its parent and the floor of the parent's children; without ties. */
  follow(watcher: number, child: number, above: number, floor: number): number {
    const followed = above === 0 ? floor : above;
    return followed !== 0 && meetsCarried(this.state, watcher, child) ? followed : 0;
  }

  /** The same with ties. */
  totalBelow(watcher: number, child: number, parent: number, above: number): number {
    const followed = this.follow(watcher, child, above, this.floorOf(watcher, parent));
    const blocks = this.#ties.blocksOf(this.#ids.idOf[watcher]);
    if (followed === 0 || blocks?.has(this.#ids.idOf[child]) === true) return this.own(watcher, child);
    return followed;
  }

  /** The total state of a pair. */
  totalOf(watcher: number, marker: number): number {
    const parent = this.parentOf(marker);
    if (parent < 0) return this.own(watcher, marker);
    return this.totalBelow(watcher, marker, parent, this.totalOf(watcher, parent));
  }

  /** Visits a slot and all that is attached to it, directly or through others. */
  eachBelow(slot: number, visit: (member: number) => void): void {
    visit(slot);
    const { children } = this;
    for (let child = children.first(slot); child >= 0; child = children.next(child))
      this.eachBelow(child, visit);
  }

  /** The roots of the trees of these slots, and of the watcher's own. */
  rootsOf(watcher: number, slots: Iterable<number>): Set<number> {
    const roots = new Set<number>();
    if (this.isMember(watcher)) roots.add(this.rootOf(watcher));
    for (const slot of slots) if (this.isMember(slot)) roots.add(this.rootOf(slot));
    return roots;
  }

  /** Visits the members of trees that a watcher relates to only because of their parents or their tree. */
  eachFollowed(watcher: number, roots: Iterable<number>, visit: (member: number) => void): void {
    const isTied = this.isTied(watcher);
    const walk = (parent: number, above: number) => {
      const { children } = this;
      const floor = this.floorOf(watcher, parent);
      for (let child = children.first(parent); child >= 0; child = children.next(child)) {
        const total = isTied
          ? this.totalBelow(watcher, child, parent, above)
          : this.follow(watcher, child, above, floor);
        if (total !== 0 && !(isTied && this.own(watcher, child) !== 0)) visit(child);
        if (children.has(child)) walk(child, total);
      }
    };
    for (const root of roots) walk(root, this.own(watcher, root));
  }

  /** Lists the watchers of a tree. */
  watchersIn(root: number): number[] {
    const watchers: number[] = [];
    this.eachBelow(root, (member) => {
      if (this.isWatcher(member)) watchers.push(member);
    });
    return watchers;
  }
}

/** Where a child hangs in one state of the world. */
export class ChildLink {
  readonly parent: number;
  /** The slot itself, if it has no parent. */
  readonly root: number;
  /** From below the root to the parent. */
  readonly between: readonly number[];
  /** Whether watchers out of the tree relate to it as to the root, whoever they are. */
  readonly isAsRoot: boolean;
  readonly #side: TreeSide;
  readonly #child: number;

  constructor(side: TreeSide, child: number) {
    this.#side = side;
    this.#child = child;
    this.parent = side.parentOf(child);
    this.root = side.rootOf(child);
    const between: number[] = [];
    for (let slot = this.parent; slot >= 0 && slot !== this.root; slot = side.parentOf(slot))
      between.unshift(slot);
    this.between = between;
    this.isAsRoot = between.length === 0 && side.state.isCarried(child) && side.state.doAllMeet;
  }

  /** How a watcher relates to the child, from how it relates to the root; without ties. */
  follow(watcher: number, own: number): number {
    const side = this.#side;
    let total = own;
    let parent = this.root;
    for (const slot of this.between) {
      total = side.follow(watcher, slot, total, side.floorOf(watcher, parent));
      parent = slot;
    }
    return side.follow(watcher, this.#child, total, side.floorOf(watcher, parent));
  }
}
