/**
 * Attachments: which entity is attached to which. A rider to a horse, a turret to a tank, a flag to its carrier.
 *
 * Problem: a child's position is its parent's plus an offset, and the parent may be a child itself. Method: each
 * child's parent and offset are columns of the state, like other properties; this module lists the children of each
 * parent, now and as of the last tick. Positions of children are computed when a tick begins, parents first:
 * `f32(parent + offset)` an axis, clamped to the limit of positions. Until then a child's columns hold its old position,
 * and `placeOf` computes the current one.
 *
 * A child that can be perceived has the flag CARRIED instead of MARKER, so that detectors do not see it as a marker:
 * relations to it follow from those to its parent, see interest/attached. Memory once any entity was attached, in each
 * state: 12 bytes a slot, 16 in 3-D, and the lists of child-lists.ts. Cost: nothing while no entity is attached; else
 * proportional to the children, or to the pending slots.
 */
import { grown } from '../columns.ts';
import { shown, UmweltError } from '../errors.ts';
import { MAX_DISTANCE, type WorldSettings } from '../settings.ts';
import { ChildLists } from './child-lists.ts';
import type { EntityIds } from './entity-ids.ts';
import type { EntityState } from './entity-state.ts';

/** A child's position relative to its parent: float32, from -1e12 to 1e12. */
export interface AttachmentOffset {
  /** World units. Default 0. */
  readonly x?: number;
  /** World units. Default 0. */
  readonly y?: number;
  /** World units; used in 3-D only. Default 0. */
  readonly z?: number;
}

/** Maximum number of links from a root down to its last descendant. */
const MAX_ATTACHMENT_DEPTH = 8;

/** What is read and written of the entity store. */
interface Population {
  readonly settings: WorldSettings;
  readonly ids: EntityIds;
  readonly last: EntityState;
  readonly now: EntityState;
  readonly slotCount: number;
  readonly pendingSlots: Uint32Array;
  readonly pendingCount: number;
  keepParents(): void;
  setParent(slot: number, parent: number, x: number, y: number, z: number): void;
  move(slot: number, x: number, y: number, z: number): void;
}

export class Attachments {
  /** The children of each slot, now and as of the last tick. */
  readonly children = new ChildLists();
  readonly lastChildren = new ChildLists();
  /**
   * By slot: 1 for each that is attached or has children, now or as of the last tick; also for some others. Slots beyond
   * its end are none.
   */
  isMember = new Uint8Array(0);
  /** Whether an entity may have moved since children were placed. */
  isStale = true;
  readonly #store: Population;
  /** The slots that have children now. */
  readonly #parents = new Set<number>();

  constructor(store: Population) {
    this.#store = store;
  }

  /** Number of children now, over all parents. */
  get count(): number {
    return this.children.count;
  }

  /** Whether any entity is attached, or was at the last tick. */
  get isAny(): boolean {
    return this.children.count > 0 || this.lastChildren.count > 0;
  }

  get memoryBytes(): number {
    return this.children.memoryBytes + this.lastChildren.memoryBytes + this.isMember.byteLength;
  }

  /** The slots that have children now; roots and others. */
  get parents(): ReadonlySet<number> {
    return this.#parents;
  }

  /** Slots of the children, in no order. */
  childrenOf(parent: number): readonly number[] {
    const list: number[] = [];
    const { children } = this;
    for (let child = children.first(parent); child >= 0; child = children.next(child)) list.push(child);
    return list;
  }

  /** The slot of the parent; -1 if the slot is not attached. */
  parentOf(slot: number): number {
    const id = this.#store.now.parents.at(slot);
    return id === 0 ? -1 : id >>> 10;
  }

  /** The slot at the top of the chain; the slot itself if it is not attached. */
  rootOf(slot: number): number {
    let root = slot;
    for (let parent = this.parentOf(slot); parent >= 0; parent = this.parentOf(root)) root = parent;
    return root;
  }

  /**
   * Attaches a slot to another, whatever it was attached to before. Throws `BAD_ID` for a ring, `CAPACITY` for a
   * chain that is too long, `BAD_POSITION` for an offset that is no number or beyond the limit; then nothing has
   * changed.
   */
  attach(child: number, parent: number, { x, y, z }: Required<AttachmentOffset>): void {
    const { ids, settings } = this.#store;
    checkOffset('offset.x', x);
    checkOffset('offset.y', y);
    if (settings.dimensions === 3) checkOffset('offset.z', z);
    this.#checkChain(child, parent);
    this.#store.keepParents();
    this.#unlist(child);
    this.#store.setParent(child, ids.idOf[parent], x, y, settings.dimensions === 3 ? z : 0);
    this.#list(parent, child);
  }

  /** Detaches a child at its current position; a slot that is not attached is left unchanged. */
  detach(child: number): void {
    if (this.parentOf(child) < 0) return;
    const [x, y, z] = this.placeOf(child);
    this.#unlist(child);
    this.#store.setParent(child, 0, 0, 0, 0);
    this.#store.move(child, x, y, z);
  }

  /** Called before a slot is removed: detaches the slot and its children. */
  release(slot: number): void {
    for (const child of this.childrenOf(slot)) this.detach(child);
    this.detach(slot);
  }

  /** Current position of a slot, as the next tick will use it; z is 0 in 2-D. */
  placeOf(slot: number): [x: number, y: number, z: number] {
    const { now, settings } = this.#store;
    const is3D = settings.dimensions === 3;
    const parent = this.parentOf(slot);
    if (parent < 0) return [now.x[slot], now.y[slot], is3D ? now.z[slot] : 0];
    const [x, y, z] = this.placeOf(parent);
    const [aside, ahead, above] = now.parentOffsets;
    return [within(x + aside.at(slot)), within(y + ahead.at(slot)), is3D ? within(z + above.at(slot)) : 0];
  }

  /**
   * Writes the current positions of children. Called when a tick begins, before pending changes are settled, and
   * before queries as of now.
   */
  place(): void {
    if (this.count === 0 || !this.isStale) return;
    this.#placeAll();
    this.isStale = false;
  }

  #placeAll(): void {
    const { pendingSlots, pendingCount } = this.#store;
    if (this.#parents.size <= pendingCount) {
      for (const parent of this.#parents) if (this.parentOf(parent) < 0) this.#placeBelow(parent, true);
      return;
    }
    // Each slot placed here becomes pending and is appended to the list; it has then been placed with all its
    // descendants.
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if (this.parentOf(slot) >= 0) this.#placeAt(slot, ...this.placeOf(slot));
      if (this.children.has(slot)) this.#placeBelow(slot, false);
    }
  }

  /** The tick is over: what is attached now was attached at the last tick. Before the state is copied. `slots`: all that changed. */
  endTick(slots: readonly number[]): void {
    if (!this.isAny) return;
    const { last, now } = this.#store;
    for (const slot of slots) {
      const [before, after] = [last.parents.at(slot), now.parents.at(slot)];
      if (before === after) continue;
      if (before !== 0) this.lastChildren.remove(before >>> 10, slot);
      if (after !== 0) this.lastChildren.add(after >>> 10, slot);
      for (const member of [slot, before >>> 10])
        if (now.parents.at(member) === 0 && !this.children.has(member)) this.isMember[member] = 0;
    }
  }

  /**
   * Rebuilds the child lists from a loaded state. Throws at a parent that is not present, a ring, or a chain that is
   * too long.
   */
  load(fault: (expected: string) => Error): void {
    const { last, now, slotCount, ids } = this.#store;
    if (now.parents.column === undefined) return;
    for (const state of [last, now]) {
      const parents = state.parents;
      for (let slot = 0; slot < slotCount; slot++) {
        let above = slot;
        for (let links = 0; parents.at(above) !== 0; links++) {
          const parent = parents.at(above) >>> 10;
          const isThere =
            parent < slotCount && state.isPresent(parent) && ids.idOf[parent] === parents.at(above);
          if (!isThere || links === MAX_ATTACHMENT_DEPTH) throw fault(`a valid parent of slot ${slot}`);
          above = parent;
        }
        if (state.isCarried(slot) && (parents.at(slot) === 0 || state.isMarker(slot)))
          throw fault(`slot ${slot} to be attached`);
        if (parents.at(slot) !== 0 && (state.isMarker(slot) || !state.isPresent(slot)))
          throw fault(`no marker at slot ${slot}`);
      }
    }
    for (let slot = 0; slot < slotCount; slot++) {
      const parent = this.parentOf(slot);
      if (parent >= 0) this.#list(parent, slot);
      const before = last.parents.at(slot);
      if (before === 0) continue;
      this.lastChildren.add(before >>> 10, slot);
      this.#noteMembers(before >>> 10, slot);
    }
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    const { last, now, slotCount } = this.#store;
    if (now.parents.column === undefined) return;
    for (const [state, lists] of [
      [now, this.children],
      [last, this.lastChildren],
    ] as const) {
      let listed = 0;
      for (let slot = 0; slot < slotCount; slot++) {
        for (let child = lists.first(slot); child >= 0; child = lists.next(child), listed++) {
          const isRight = state.parents.at(child) >>> 10 === slot && state.parents.at(child) !== 0;
          if (!isRight || this.isMember[slot] !== 1 || this.isMember[child] !== 1)
            throw new Error(`umwelt: broken invariant: the children of slot ${slot} name it as their parent`);
        }
      }
      if (listed !== lists.count) throw new Error('umwelt: broken invariant: children are counted');
    }
  }

  #checkChain(child: number, parent: number): void {
    const { ids } = this.#store;
    let links = 1;
    for (let above = parent; above >= 0; above = this.parentOf(above), links++) {
      if (above !== child) continue;
      const message =
        child === parent
          ? `${ids.idOf[child]} cannot be attached to itself, expected another entity`
          : `${ids.idOf[child]} cannot be attached to ${ids.idOf[parent]}, which is attached to it, directly or through others: expected no ring`;
      throw new UmweltError('BAD_ID', message, { id: ids.idOf[parent] });
    }
    const depth = links - 1 + this.#depthBelow(child);
    if (depth <= MAX_ATTACHMENT_DEPTH) return;
    throw new UmweltError(
      'CAPACITY',
      `this makes a chain of ${depth} attachments, expected at most ${MAX_ATTACHMENT_DEPTH}`,
      { id: ids.idOf[parent], value: depth },
    );
  }

  /** Number of links from a slot down to its last descendant. */
  #depthBelow(slot: number): number {
    let depth = 0;
    for (const child of this.childrenOf(slot)) depth = Math.max(depth, 1 + this.#depthBelow(child));
    return depth;
  }

  /** The parent is where its columns say. */
  #placeBelow(parent: number, isWhole: boolean): void {
    const { now, settings } = this.#store;
    const { children } = this;
    const is3D = settings.dimensions === 3;
    const [x, y, z] = [now.x[parent], now.y[parent], is3D ? now.z[parent] : 0];
    const [aside, ahead, above] = now.parentOffsets;
    for (let child = children.first(parent); child >= 0; child = children.next(child)) {
      const atZ = is3D ? within(z + above.at(child)) : 0;
      const isMoved = this.#placeAt(child, within(x + aside.at(child)), within(y + ahead.at(child)), atZ);
      if ((isMoved || isWhole) && children.has(child)) this.#placeBelow(child, isWhole);
    }
  }

  /** Returns whether the child's position changed. */
  #placeAt(child: number, x: number, y: number, z: number): boolean {
    const { now, settings } = this.#store;
    if (now.x[child] === x && now.y[child] === y && (settings.dimensions === 2 || now.z[child] === z))
      return false;
    this.#store.move(child, x, y, z);
    return true;
  }

  #list(parent: number, child: number): void {
    this.children.add(parent, child);
    this.#parents.add(parent);
    this.#noteMembers(parent, child);
  }

  #unlist(child: number): void {
    const parent = this.parentOf(child);
    if (parent < 0) return;
    this.children.remove(parent, child);
    if (!this.children.has(parent)) this.#parents.delete(parent);
  }

  #noteMembers(parent: number, child: number): void {
    const length = Math.max(parent, child) + 1;
    if (length > this.isMember.length) this.isMember = grown(this.isMember, 2 * length);
    this.isMember[parent] = 1;
    this.isMember[child] = 1;
  }
}

/** The error for a move of an attached entity. */
export function carriedError(id: number, index?: number): UmweltError {
  const at = index === undefined ? '' : ` at index ${index}`;
  return new UmweltError(
    'UNSUPPORTED',
    `${id}${at} is attached and cannot be moved: expected a move of its root, another offset, or detach() first`,
    index === undefined ? { id } : { index, id },
  );
}

function checkOffset(field: string, value: unknown): void {
  if (typeof value === 'number' && Math.abs(value) <= MAX_DISTANCE) return;
  throw new UmweltError(
    'BAD_POSITION',
    `${field}: ${shown(value)} was given, expected a number within 1e12`,
    {
      field,
      value,
    },
  );
}

/** A coordinate as it is stored: float32, within the limit, never -0. */
function within(sum: number): number {
  return Math.fround(Math.min(Math.max(sum, -MAX_DISTANCE), MAX_DISTANCE)) + 0;
}
