/**
 * What attachments and removals that wait for the log mean for the calls after them.
 *
 * An attached child cannot be moved. In a record moves come first, then removals, then attachments. So that entities are where they
 * would be in a world of one process, these wait for a later record:
 *
 *   a move of a child       that was detached, or whose parent was removed
 *   a move of a carrier     of a child that was detached, or whose parent was removed: the child stays behind
 *   the removal of a parent to which a child was attached, or which was attached itself: its children stay where that took them
 *
 * Not kept is the order of a detachment after a move that waits, where both are of one family: the child stays where the carrier was.
 */
import type { EntityId, WorldReader } from 'umwelt';

/** What the log has, and has attached, so far. */
export interface Attached {
  has(id: EntityId): boolean;
  /** `undefined` without one. */
  parentOf(child: EntityId): EntityId | undefined;
  isParent(id: EntityId): boolean;
}

export const NOTHING_ATTACHED: Attached = {
  has: () => true,
  parentOf: () => undefined,
  isParent: () => false,
};

const NO_IDS = new Uint32Array(0);
/** As many as a world allows; calls that wait may be more, or a ring, and are refused. */
const LINKS_MAX = 8;

/** What is attached in a world, also by ids of removed entities. */
export function attachedIn(world: () => WorldReader): Attached {
  return {
    has: (id) => world().has(id),
    parentOf: (child) => (world().has(child) ? world().parentOf(child) : undefined),
    isParent: (id) => world().has(id) && world().childrenOfInto(id, NO_IDS) > 0,
  };
}

export class WaitingAttachments {
  readonly #attached: Attached;
  /** By child: the parent of its last attachment that waits; 0 if that is a detachment. */
  readonly #waiting = new Map<EntityId, EntityId>();
  /** Parents of all attachments that wait. */
  readonly #parents = new Set<EntityId>();
  /** As both, of the record that was taken last: the log may not have it yet. */
  readonly #taken = new Map<EntityId, EntityId>();
  readonly #takenParents = new Set<EntityId>();
  /** Parents whose removal waits. */
  readonly #removing = new Set<EntityId>();
  /** Those of them that were attached before, or what carries them was: their children are left behind at the place to which that took them. */
  readonly #takenAlong = new Set<EntityId>();
  /** What carries a child, or its parent's parent, until a detachment or removal that waits. */
  readonly #carriers = new Set<EntityId>();

  constructor(attached: Attached) {
    this.#attached = attached;
  }

  /** An attachment waits. `parent`: 0 to detach the child. */
  attach(child: EntityId, parent: EntityId): void {
    if (parent === 0) {
      // Nothing comes of the detachment of what is not attached, so nothing waits for it.
      if (!this.#parentOf(child)) return;
      this.#noteCarriers(child);
    }
    this.#waiting.set(child, parent);
    if (parent !== 0) this.#parents.add(parent);
  }

  /** A removal waits. */
  remove(id: EntityId): void {
    const isParent = this.#parents.has(id) || this.#takenParents.has(id) || this.#attached.isParent(id);
    if (!isParent) return;
    this.#removing.add(id);
    if (this.#isTakenAlong(id)) this.#takenAlong.add(id);
    this.#noteCarriers(id);
  }

  /** Whether an attachment of it waits, or of what carries it. */
  #isTakenAlong(id: EntityId): boolean {
    return this.#waiting.size > 0 && this.#chainOf(id).some((each) => (this.#waiting.get(each) ?? 0) !== 0);
  }

  /** Whether a move of the entity comes after the calls that wait: they free it from its parent, or a child from it. */
  isFreed(id: EntityId): boolean {
    if (this.#waiting.size === 0 && this.#removing.size === 0) return false;
    const parent = this.#parentOf(id);
    return (
      this.#waiting.get(id) === 0 ||
      (parent !== undefined && this.#removing.has(parent)) ||
      this.#carriers.has(id)
    );
  }

  /** 0 or `undefined` without one, once the calls that wait are made. */
  #parentOf(child: EntityId): EntityId | undefined {
    return this.#waiting.get(child) ?? this.#taken.get(child) ?? this.#attached.parentOf(child);
  }

  #noteCarriers(child: EntityId): void {
    for (const id of this.#chainOf(child).slice(1)) this.#carriers.add(id);
  }

  /** The entity, its parent, and so on. */
  #chainOf(id: EntityId): EntityId[] {
    const chain = [id];
    for (let above = this.#parentOf(id); above && chain.length <= LINKS_MAX; above = this.#parentOf(above))
      chain.push(above);
    return chain;
  }

  /** Whether the entity's removal must come in a later record: an attachment to it waits, or one by which its children get elsewhere. */
  isAwaited(id: EntityId): boolean {
    return this.#parents.has(id) || this.#takenAlong.has(id);
  }

  /** A record was taken: with these attachments, without those that are left, and with these removals. */
  take(
    taken: Iterable<readonly [child: EntityId, parent: EntityId]>,
    left: Iterable<readonly [child: EntityId, parent: EntityId]>,
    removed: Iterable<EntityId>,
  ): void {
    this.#taken.clear();
    this.#takenParents.clear();
    for (const [child, parent] of taken) this.#taken.set(child, parent);
    for (const parent of this.#taken.values()) this.#takenParents.add(parent);
    this.#waiting.clear();
    this.#parents.clear();
    this.#carriers.clear();
    for (const [child, parent] of left) this.attach(child, parent);
    if (this.#removing.size > 0) for (const id of removed) this.#removing.delete(id);
    for (const id of this.#takenAlong)
      if (!this.#removing.has(id) || !this.#isTakenAlong(id)) this.#takenAlong.delete(id);
    for (const id of this.#removing) this.#noteCarriers(id);
  }

  clear(): void {
    this.take([], [], this.#removing);
  }
}
