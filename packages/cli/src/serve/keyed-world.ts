/**
 * A world whose entities have callers' keys; each belongs to the connection that put it.
 *
 * A map finds an entity by its key; columns by slot give the way back: key, its bytes, and the owner. A slot keeps its key after
 * the entity is removed: the tick that reports the removal still needs it, and no slot is reused before that tick.
 *
 * A tick writes hundreds of thousands of keys in random order. Keys of up to 15 bytes are stored flat in one column, 16 bytes per
 * slot, the first of them the length; a length of 0 means that the key is in the map of longer ones.
 *
 * Memory: about 100 bytes per entity besides the world's. Cost: one map look-up per command, and one cache line per written key.
 */
import { type EntityId, type EntityPatch, type Place, UmweltError, type World } from 'umwelt';
import type { Properties, PutProperties, SoundProperties } from './command.ts';
import { isKey, type Key } from './key.ts';
import { keyBytes, type MessageWriter } from './message-bytes.ts';
import { type Refusal, shownJson } from './refusal.ts';
import { SOUNDS_MAX } from './serve-format.ts';

/** Owners are numbered from 1. */
const NO_OWNER = 0;
const SLOTS_FIRST = 1024;
const AXES: ReadonlySet<string> = new Set(['x', 'y', 'z']);
const FLAT_BYTES = 16;

export class KeyedWorld {
  readonly world: World;
  readonly #entitiesMax: number;
  readonly #idOf = new Map<Key, EntityId>();
  readonly #keyAt: Key[] = [];
  #flatKeys = new Uint8Array(SLOTS_FIRST * FLAT_BYTES);
  /** By slot. */
  readonly #longKeys = new Map<number, Uint8Array>();
  #ownerAt = new Uint16Array(SLOTS_FIRST);
  /** Entities whose parent changed by a command or a removal, with their previous parent. */
  readonly #parentBefore = new Map<EntityId, EntityId | undefined>();
  /** Sounds that wait for the next tick. */
  #sounds: { readonly key: Key; readonly place: Place }[] = [];

  constructor(world: World, entitiesMax: number) {
    this.world = world;
    this.#entitiesMax = entitiesMax;
  }

  /**
   * Adds or moves an entity, as a teleport if `given` says so. As the three methods after it, it returns the reason of a refusal or
   * throws UmweltError; nothing has changed then.
   */
  put(
    owner: number,
    key: Key,
    x: number,
    y: number,
    z: number | undefined,
    given: PutProperties | undefined,
  ): Refusal | undefined {
    const id = this.#idOf.get(key);
    const { refusal, properties } = this.#withIds(withoutTeleport(given));
    if (refusal !== undefined) return refusal;
    if (id === undefined) return this.#add(owner, key, x, y, z, properties);
    if (this.ownerAt(id) !== owner) return notYours(key);
    if (this.world.attachedCount > 0 && this.world.parentOf(id) !== undefined) throw carriedError(key);
    if (properties === undefined) this.world.move(id, x, y, z);
    else this.#moveAndUpdate(id, x, y, z, properties);
    if (given?.teleport === true) this.world.move(id, x, y, z, { teleport: true });
    return undefined;
  }

  update(owner: number, key: Key, given: Properties): Refusal | undefined {
    const id = this.#ownId(owner, key);
    if (typeof id !== 'number') return id;
    const { refusal, properties } = this.#withIds(given);
    if (refusal !== undefined) return refusal;
    this.world.update(id, properties ?? {});
    return undefined;
  }

  touch(owner: number, key: Key): Refusal | undefined {
    const id = this.#ownId(owner, key);
    if (typeof id !== 'number') return id;
    this.world.touch(id);
    return undefined;
  }

  remove(owner: number, key: Key): Refusal | undefined {
    const id = this.#ownId(owner, key);
    if (typeof id !== 'number') return id;
    this.#removeEntity(id, key);
    return undefined;
  }

  /** The parent may belong to any connection: only the child is changed. An absent offset is 0. */
  attach(
    owner: number,
    key: Key,
    to: Key,
    x: number | undefined,
    y: number | undefined,
    z: number | undefined,
  ): Refusal | undefined {
    const id = this.#ownId(owner, key);
    if (typeof id !== 'number') return id;
    const parent = this.#idOf.get(to);
    if (parent === undefined) return unknownKey(to);
    this.#checkRing(id, key, parent, to);
    const before = this.world.parentOf(id);
    const offset = Object.fromEntries(Object.entries({ x, y, z }).filter(([, value]) => value !== undefined));
    this.world.attach(id, parent, offset);
    this.#noteParent(id, before);
    return undefined;
  }

  detach(owner: number, key: Key): Refusal | undefined {
    const id = this.#ownId(owner, key);
    if (typeof id !== 'number') return id;
    this.#noteParent(id, this.world.parentOf(id));
    this.world.detach(id);
    return undefined;
  }

  /** Watchers that would perceive a marker there after the next tick hear it then. `key` is the sound's own. */
  sound(
    key: Key,
    x: number,
    y: number,
    z: number | undefined,
    given: SoundProperties | undefined,
  ): Refusal | undefined {
    if (this.#sounds.length === SOUNDS_MAX) {
      return { code: 'FULL', reason: `${SOUNDS_MAX} sounds wait for the tick, which is the maximum` };
    }
    const { refusal, properties } = this.#withIds(given);
    if (refusal !== undefined) return refusal;
    const place = { ...properties, x, y, ...(z === undefined ? {} : { z }) };
    // Report errors in it now.
    this.world.watchersAt(place);
    this.#sounds.push({ key, place });
    return undefined;
  }

  /** Calls `visit` with what each watcher hears as of the completed tick, then drops the sounds. */
  takeSounds(visit: (watcher: EntityId, sounds: readonly Key[]) => void): void {
    if (this.#sounds.length === 0) return;
    const heard = new Map<EntityId, Key[]>();
    for (const { key, place } of this.#sounds.splice(0)) {
      // It was for a watcher that has been removed.
      const isForNobody = place.only !== undefined && place.only !== 0 && !this.world.has(place.only);
      for (const watcher of isForNobody ? [] : this.world.watchersAt(place)) {
        const sounds = heard.get(watcher);
        if (sounds === undefined) heard.set(watcher, [key]);
        else sounds.push(key);
      }
    }
    for (const [watcher, sounds] of [...heard].sort(([a], [b]) => a - b)) visit(watcher, sounds);
  }

  /** Present entities whose parent differs from that at the last call. */
  takeReattached(): EntityId[] {
    if (this.#parentBefore.size === 0) return [];
    const { world } = this;
    const changed = [...this.#parentBefore].filter(
      ([id, before]) => world.has(id) && world.parentOf(id) !== before,
    );
    this.#parentBefore.clear();
    return changed.map(([id]) => id);
  }

  /** Removes all entities of one owner. Cost: O(entities). */
  removeAllOf(owner: number): void {
    for (const id of this.idsOf(owner)) this.#removeEntity(id, this.keyAt(id));
  }

  /** All present entities of one owner, ascending. Cost: O(entities). */
  idsOf(owner: number): Uint32Array {
    return this.world.ids().filter((id) => this.ownerAt(id) === owner);
  }

  /** These work for a present entity, and for one removed since the last tick but one. */
  keyAt(id: EntityId): Key {
    return this.#keyAt[slotOf(id)]!;
  }

  writeKey(id: EntityId, writer: MessageWriter): void {
    const at = slotOf(id) * FLAT_BYTES;
    const length = this.#flatKeys[at]!;
    if (length > 0) writer.copy(this.#flatKeys, at + 1, length);
    else writer.raw(this.#longKeys.get(slotOf(id))!);
  }

  ownerAt(id: EntityId): number {
    return this.#ownerAt[slotOf(id)] ?? NO_OWNER;
  }

  #add(
    owner: number,
    key: Key,
    x: number,
    y: number,
    z: number | undefined,
    properties: EntityPatch | undefined,
  ): Refusal | undefined {
    if (this.world.size >= this.#entitiesMax) {
      return { code: 'FULL', reason: `there are ${this.#entitiesMax} entities, which is the maximum` };
    }
    const id = this.world.add({ ...properties, x, y, ...(z === undefined ? {} : { z }) });
    const slot = slotOf(id);
    this.#idOf.set(key, id);
    this.#keyAt[slot] = key;
    if (slot >= this.#ownerAt.length) {
      const slots = Math.max(slot + 1, this.#ownerAt.length * 2);
      this.#ownerAt = grown(this.#ownerAt, new Uint16Array(slots));
      this.#flatKeys = grown(this.#flatKeys, new Uint8Array(slots * FLAT_BYTES));
    }
    this.#ownerAt[slot] = owner;
    this.#keepBytes(slot, keyBytes(key));
    return undefined;
  }

  #removeEntity(id: EntityId, key: Key): void {
    if (this.world.attachedCount > 0) {
      for (const child of this.world.childrenOf(id)) this.#noteParent(child, id);
    }
    this.world.remove(id);
    this.#idOf.delete(key);
  }

  /** The world refuses a ring, too, but names ids, which callers do not know. */
  #checkRing(id: EntityId, key: Key, parent: EntityId, to: Key): void {
    let above: EntityId | undefined = parent;
    while (above !== undefined && above !== id) above = this.world.parentOf(above);
    if (above === undefined) return;
    const [child, root] = [JSON.stringify(key), JSON.stringify(to)];
    const message =
      parent === id
        ? `${child} cannot be attached to itself, expected another entity`
        : `${child} cannot be attached to ${root}, which is attached to it, directly or through others: expected no ring`;
    throw new UmweltError('BAD_ID', message, { field: 'to', value: to });
  }

  #noteParent(id: EntityId, before: EntityId | undefined): void {
    if (!this.#parentBefore.has(id)) this.#parentBefore.set(id, before);
  }

  #keepBytes(slot: number, bytes: Uint8Array): void {
    const isFlat = bytes.length < FLAT_BYTES;
    this.#flatKeys[slot * FLAT_BYTES] = isFlat ? bytes.length : 0;
    if (isFlat) this.#flatKeys.set(bytes, slot * FLAT_BYTES + 1);
    // The slot may have had a longer key before.
    if (isFlat) this.#longKeys.delete(slot);
    else this.#longKeys.set(slot, bytes);
  }

  #moveAndUpdate(id: EntityId, x: number, y: number, z: number | undefined, properties: EntityPatch): void {
    const [beforeX = 0, beforeY = 0, beforeZ] = this.world.position(id);
    this.world.move(id, x, y, z);
    try {
      this.world.update(id, properties);
    } catch (error) {
      // Moving out and back is no move.
      this.world.move(id, beforeX, beforeY, beforeZ);
      throw error;
    }
  }

  /** The same properties with the id of the watcher they are for; or the reason of a refusal. */
  #withIds<P extends { readonly only?: Key | null }>(
    given: P | undefined,
  ): { refusal?: Refusal; properties?: Omit<P, 'only'> & { only?: EntityId } } {
    if (given === undefined) return {};
    checkNoPosition(given);
    const { only, ...properties } = given;
    if (only === undefined) return { properties };
    if (only === null) return { properties: { ...properties, only: 0 } };
    if (!isKey(only)) {
      throw new UmweltError('BAD_OPTION', `only: ${typeof only} was given, expected a key, or null`, {
        field: 'only',
        value: only,
      });
    }
    const id = this.#idOf.get(only);
    return id === undefined ? { refusal: unknownKey(only) } : { properties: { ...properties, only: id } };
  }

  /** The entity with that key, or why this owner has none. */
  #ownId(owner: number, key: Key): EntityId | Refusal {
    const id = this.#idOf.get(key);
    if (id === undefined) return unknownKey(key);
    return this.ownerAt(id) === owner ? id : notYours(key);
  }
}

/** The entity's properties in a put: all but `teleport`. */
function withoutTeleport(given: PutProperties | undefined): Properties | undefined {
  if (given?.teleport === undefined) return given;
  const { teleport, ...properties } = given;
  if (typeof teleport !== 'boolean') {
    throw new UmweltError(
      'BAD_OPTION',
      `teleport: ${shownJson(teleport)} was given, expected true or false`,
      {
        field: 'teleport',
        value: teleport,
      },
    );
  }
  return Object.keys(properties).length > 0 ? properties : undefined;
}

/** The world names its own calls to who updates a position, and would not notice one among the properties of a new entity. */
function checkNoPosition(properties: object): void {
  const axis = Object.keys(properties).find((name) => AXES.has(name));
  if (axis === undefined) return;
  const message = `${axis} was given as a property, expected a position only in a put or a sound: \`put\` moves an entity`;
  throw new UmweltError('BAD_OPTION', message, { field: axis });
}

/** As the world's error for it, but with the key. */
function carriedError(key: Key): UmweltError {
  const expected = 'a put of its root, an attach with another offset, or a detach first';
  return new UmweltError(
    'UNSUPPORTED',
    `${JSON.stringify(key)} is attached and cannot be moved: expected ${expected}`,
    { field: 'key', value: key },
  );
}

function unknownKey(key: Key): Refusal {
  return { code: 'UNKNOWN_KEY', reason: `no entity has the key ${JSON.stringify(key)}` };
}

function notYours(key: Key): Refusal {
  return { code: 'NOT_YOURS', reason: `another connection put ${JSON.stringify(key)}` };
}

function grown<Column extends Uint8Array | Uint16Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}

/** An id is slot * 1024 + generation. */
function slotOf(id: EntityId): number {
  return id >>> 10;
}
