/**
 * What attachments and removals that wait for the log mean for the calls after them.
 *
 * An attached child cannot be moved. In a record moves come first, then removals, then attachments. So a move that is called after the
 * child was detached, or after its parent was removed, must wait for a later record than that call. And a parent that was removed
 * after a child was attached to it must stay until the record after the attachment: the child is then where that took it, as in a
 * world of one process.
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

  constructor(attached: Attached) {
    this.#attached = attached;
  }

  /** An attachment waits. `parent`: 0 to detach the child. */
  attach(child: EntityId, parent: EntityId): void {
    this.#waiting.set(child, parent);
    if (parent !== 0) this.#parents.add(parent);
  }

  /** A removal waits. */
  remove(id: EntityId): void {
    const isParent = this.#parents.has(id) || this.#takenParents.has(id) || this.#attached.isParent(id);
    if (isParent) this.#removing.add(id);
  }

  /** Whether a child that is attached is free once the calls that wait are made: its moves come after them. */
  isFreed(child: EntityId): boolean {
    if (this.#waiting.size === 0 && this.#removing.size === 0) return false;
    const parent = this.#waiting.get(child) ?? this.#taken.get(child) ?? this.#attached.parentOf(child);
    return this.#waiting.get(child) === 0 || (parent !== undefined && this.#removing.has(parent));
  }

  /** Whether an attachment to the entity waits, so that its removal must come in a later record. */
  isAwaited(id: EntityId): boolean {
    return this.#parents.has(id);
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
    for (const [child, parent] of left) this.attach(child, parent);
    if (this.#removing.size > 0) for (const id of removed) this.#removing.delete(id);
  }

  clear(): void {
    this.take([], [], this.#removing);
  }
}
