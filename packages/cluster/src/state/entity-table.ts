/**
 * What the cluster stores of entities besides their world: the owner, the member that shows it, its key, and the kept state.
 *
 * Columns by slot. A code is a member's number plus 1; 0 is no member. Memory: 9 bytes per slot, and a map entry for each key,
 * each kept state and each set of fields.
 */
import type { EntityId } from 'umwelt';
import { FIELDS_MAX, type FieldValue } from '../records/calls.ts';

export class EntityTable {
  /** The entity that has the slot; 0 if free. */
  ids = new Uint32Array(64);
  /** Code of the owner. */
  owners = new Uint16Array(64);
  /** Code of the member that shows its view. */
  showers = new Uint16Array(64);
  /** 1 if it watches; 0 if it does not, as when no member shows it. */
  awake = new Uint8Array(64);
  readonly keys = new Map<string, EntityId>();
  readonly keyOf = new Map<EntityId, string>();
  readonly keeps = new Map<EntityId, Uint8Array>();
  readonly fields = new Map<EntityId, Map<string, FieldValue>>();

  has(id: EntityId): boolean {
    return this.ids[id >>> 10] === id && id !== 0;
  }

  /**
   * Whether the id means the entity that it meant in an earlier state: where the log lost its end, ids are given again. A key never
   * changes. Two entities without keys cannot be told apart, and count as one.
   */
  isSame(id: EntityId, earlier: EntityTable): boolean {
    return this.has(id) && this.keyOf.get(id) === earlier.keyOf.get(id);
  }

  add(id: EntityId, owner: number, key: string): void {
    const slot = id >>> 10;
    this.reserve(slot + 1);
    this.ids[slot] = id;
    this.owners[slot] = owner;
    this.showers[slot] = 0;
    this.awake[slot] = 0;
    if (key === '') return;
    this.keys.set(key, id);
    this.keyOf.set(id, key);
  }

  remove(id: EntityId): void {
    const slot = id >>> 10;
    this.ids[slot] = 0;
    this.owners[slot] = 0;
    this.showers[slot] = 0;
    this.awake[slot] = 0;
    const key = this.keyOf.get(id);
    if (key !== undefined) this.keys.delete(key);
    this.keyOf.delete(id);
    this.keeps.delete(id);
    this.fields.delete(id);
  }

  ownerOf(id: EntityId): number {
    return this.has(id) ? this.owners[id >>> 10] : 0;
  }

  /** The entities that the member of this code owns, by slot. O(slots). */
  *ownedBy(code: number): Generator<EntityId> {
    if (code === 0) return;
    for (let slot = 0; slot < this.ids.length; slot++) {
      if (this.owners[slot] === code && this.ids[slot] !== 0) yield this.ids[slot];
    }
  }

  showerOf(id: EntityId): number {
    return this.has(id) ? this.showers[id >>> 10] : 0;
  }

  /** A copy of the kept state, for users: the bytes themselves are part of what all replicas must have alike. */
  stateOf(id: EntityId): Uint8Array {
    return Uint8Array.from(this.keeps.get(id) ?? []);
  }

  /** Number of fields that the entity would have with these. */
  fieldCountWith(id: EntityId, fields: Readonly<Record<string, FieldValue>>): number {
    const own = this.fields.get(id);
    const added = Object.keys(fields).filter((name) => own?.has(name) !== true);
    return (own?.size ?? 0) + added.length;
  }

  /** Adds to an entity's fields. Returns false and changes nothing if there would be too many. */
  setFields(id: EntityId, fields: Readonly<Record<string, FieldValue>>): boolean {
    if (this.fieldCountWith(id, fields) > FIELDS_MAX) return false;
    const all = new Map(this.fields.get(id));
    for (const [name, value] of Object.entries(fields)) all.set(name, value);
    this.fields.set(id, all);
    return true;
  }

  /** Reserves that many slots, by doubling. */
  reserve(slotCount: number): void {
    if (slotCount <= this.ids.length) return;
    const length = Math.max(slotCount, 2 * this.ids.length);
    this.ids = grown(this.ids, new Uint32Array(length));
    this.owners = grown(this.owners, new Uint16Array(length));
    this.showers = grown(this.showers, new Uint16Array(length));
    this.awake = grown(this.awake, new Uint8Array(length));
  }
}

function grown<A extends Uint32Array | Uint16Array | Uint8Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
