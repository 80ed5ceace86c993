/**
 * What the cluster stores of entities besides their world: the owner, the member that shows it, its key, and the kept state.
 *
 * Columns by slot. A code is a member's number plus 1; 0 is no member. Memory: 9 bytes per slot, and a map entry for each key,
 * each kept state and each set of fields.
 */
import type { EntityId } from 'umwelt';
import { FIELDS_MAX, type Fields, type FieldValue } from '../records/calls.ts';
import { KeptSum } from './kept-sum.ts';

export class EntityTable {
  /** The entity that has the slot; 0 if free. */
  ids = new Uint32Array(64);
  /** Code of the owner. */
  owners = new Uint16Array(64);
  /** Code of the member that shows its view. */
  showers = new Uint16Array(64);
  /** 1 if it watches; 0 if it does not, as when no member shows it. */
  awake = new Uint8Array(64);
  /** Of keys, kept bytes and fields, for the digest: each change of them is noted there. */
  readonly keptSum = new KeptSum();
  readonly #keys = new Map<string, EntityId>();
  readonly #keyOf = new Map<EntityId, string>();
  readonly #keeps = new Map<EntityId, Uint8Array>();
  readonly #fields = new Map<EntityId, ReadonlyMap<string, FieldValue>>();

  get keys(): ReadonlyMap<string, EntityId> {
    return this.#keys;
  }

  get keyOf(): ReadonlyMap<EntityId, string> {
    return this.#keyOf;
  }

  get keeps(): ReadonlyMap<EntityId, Uint8Array> {
    return this.#keeps;
  }

  get fields(): ReadonlyMap<EntityId, ReadonlyMap<string, FieldValue>> {
    return this.#fields;
  }

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
    if (key !== '') this.setKey(id, key);
  }

  remove(id: EntityId): void {
    const slot = id >>> 10;
    this.ids[slot] = 0;
    this.owners[slot] = 0;
    this.showers[slot] = 0;
    this.awake[slot] = 0;
    const key = this.#keyOf.get(id);
    if (key !== undefined) this.#keys.delete(key);
    const isKeyGone = this.#keyOf.delete(id);
    const areBytesGone = this.#keeps.delete(id);
    const areFieldsGone = this.#fields.delete(id);
    if (isKeyGone || areBytesGone || areFieldsGone) this.keptSum.noteChange(slot);
  }

  /** The entity must have no key yet. */
  setKey(id: EntityId, key: string): void {
    this.#keys.set(key, id);
    this.#keyOf.set(id, key);
    this.keptSum.noteChange(id >>> 10);
  }

  /** Keeps these bytes with the entity, in place of others. */
  keep(id: EntityId, bytes: Uint8Array): void {
    this.#keeps.set(id, bytes);
    this.keptSum.noteChange(id >>> 10);
  }

  /** Drops the bytes that are kept with the entity. */
  dropKept(id: EntityId): void {
    if (this.#keeps.delete(id)) this.keptSum.noteChange(id >>> 10);
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
  fieldCountWith(id: EntityId, fields: Fields): number {
    const own = this.fields.get(id);
    const added = Object.keys(fields).filter((name) => own?.has(name) !== true);
    return (own?.size ?? 0) + added.length;
  }

  /** Adds to an entity's fields. Returns false and changes nothing if there would be too many. */
  setFields(id: EntityId, fields: Fields): boolean {
    if (this.fieldCountWith(id, fields) > FIELDS_MAX) return false;
    const all = new Map(this.#fields.get(id));
    for (const [name, value] of Object.entries(fields)) all.set(name, value);
    this.#fields.set(id, all);
    this.keptSum.noteChange(id >>> 10);
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
