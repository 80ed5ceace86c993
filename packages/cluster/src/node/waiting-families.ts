/**
 * Which entities are of a family in which a call that waits for the log attaches, detaches, or removes what is attached.
 *
 * What such a call does depends on where the family is, and on what of it is attached to what: so the calls for the family that come
 * after it keep their order, see records/steps.ts. A family is the entity, all above it and all below it, as far as this node
 * knows: by the world as of the last record, and by the record that was taken last, which the log may not have yet. It may be taken
 * for larger than it is. Then calls keep an order that would not matter.
 */
import type { EntityId, WorldReader } from 'umwelt';
import type { Step } from '../records/steps.ts';

/** What the log has, and has attached, so far. */
export interface Attached {
  has(id: EntityId): boolean;
  /** `undefined` without one. */
  parentOf(child: EntityId): EntityId | undefined;
  isParent(id: EntityId): boolean;
  /** Whether this node owns it: no other one can attach it. */
  isOwn(id: EntityId): boolean;
}

export const NOTHING_ATTACHED: Attached = {
  has: () => true,
  parentOf: () => undefined,
  isParent: () => false,
  isOwn: () => true,
};

const NO_IDS = new Uint32Array(0);

/** What is attached in a world, also by ids of removed entities. */
export function attachedIn(world: () => WorldReader, isOwn: (id: EntityId) => boolean): Attached {
  return {
    isOwn,
    has: (id) => world().has(id),
    parentOf: (child) => (world().has(child) ? world().parentOf(child) : undefined),
    isParent: (id) => world().has(id) && world().childrenOfInto(id, NO_IDS) > 0,
  };
}

export class WaitingFamilies {
  readonly #attached: Attached;
  /** What waiting steps are for, and all above it then: what is of the family, and not of these, is below one of them. */
  readonly #noted = new Set<EntityId>();
  /** By child: to which the record that was taken last attaches it, unless the log has refused that. */
  readonly #taken = new Map<EntityId, EntityId[]>();
  readonly #takenParents = new Set<EntityId>();
  #attaches = false;
  /** Whether a call that waits attaches to what another node owns, or to what that carries. */
  #attachesToOthers = false;
  /** Whether a call that waits detaches from such: the other node may have attached that to any entity meanwhile. */
  #isAllNoted = false;

  constructor(attached: Attached) {
    this.#attached = attached;
  }

  /** A call waits that matters to the entity's family. Returns the entity, and all that may carry it. */
  #note(id: EntityId): EntityId[] {
    const above = this.above(id);
    for (const each of above) this.#noted.add(each);
    return above;
  }

  noteStep(step: Step): void {
    if (step.step === 'remove' || (step.step === 'attach' && step.parent === 0)) this.noteDetachment(step.id);
    else this.#note(step.id);
    if (step.step !== 'attach' || step.parent === 0) return;
    this.#attaches = true;
    if (this.#isAnyOfOthers(this.#note(step.parent))) this.#attachesToOthers = true;
  }

  /** A call waits that detaches the entity, or what is attached to it, where that is then. */
  noteDetachment(id: EntityId): void {
    const [, ...carriers] = this.#note(id);
    if (this.#attachesToOthers || this.#isAnyOfOthers(carriers)) this.#isAllNoted = true;
  }

  #isAnyOfOthers(ids: readonly EntityId[]): boolean {
    return ids.some((id) => !this.#attached.isOwn(id));
  }

  /**
   * Whether a call that waits attaches an entity. It is refused where the chain would be too long, or a ring: another node may have made
   * any entity a part of that chain meanwhile, so what is removed afterwards must not be removed before.
   */
  get attaches(): boolean {
    return this.#attaches;
  }

  /** Whether no call that waits matters to any entity. */
  get isEmpty(): boolean {
    return this.#noted.size === 0;
  }

  /** Whether a call that waits matters to the entity. */
  isNoted(id: EntityId): boolean {
    return this.#isAllNoted || (!this.isEmpty && this.above(id).some((each) => this.#noted.has(each)));
  }

  /** Whether it is attached, or something is attached to it. */
  isLinked(id: EntityId): boolean {
    return this.above(id).length > 1 || this.#takenParents.has(id) || this.#attached.isParent(id);
  }

  /** The entity, and all that may carry it. */
  above(id: EntityId): EntityId[] {
    const found = [id];
    for (let at = 0; at < found.length; at++) {
      const parent = this.#attached.parentOf(found[at]);
      if (parent !== undefined && !found.includes(parent)) found.push(parent);
      for (const each of this.#taken.get(found[at]) ?? NO_IDS) if (!found.includes(each)) found.push(each);
    }
    return found;
  }

  /** A record was taken with these steps, and without those that are left. */
  take(taken: readonly Step[], left: readonly Step[]): void {
    this.clear();
    for (const step of taken) {
      if (step.step !== 'attach' || step.parent === 0) continue;
      this.#taken.set(step.id, [...(this.#taken.get(step.id) ?? []), step.parent]);
      this.#takenParents.add(step.parent);
    }
    for (const step of left) this.noteStep(step);
  }

  clear(): void {
    this.#noted.clear();
    this.#taken.clear();
    this.#takenParents.clear();
    this.#attaches = false;
    this.#attachesToOthers = false;
    this.#isAllNoted = false;
  }
}
