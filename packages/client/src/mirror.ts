/**
 * The mirror: a copy of what the client's watcher perceives, updated from frames.
 *
 * A frame is taken in as a whole before its events are emitted, so listeners see the mirror as of the frame's
 * tick. The order of events is: entities that left, entities that entered, entities that changed, messages. A
 * frame that does not fit the mirror, such as an update of an unknown entity or a bad sequence number, throws
 * `FrameError`. The mirror then has the entities that the events have told of, but some may be half changed. The
 * connection is useless: the next one must start with a resync.
 */
import type { AppearanceShape, FieldsOf } from './appearance.ts';
import { ByteCursor, FrameError } from './byte-cursor.ts';
import {
  ENTITIES_MAX,
  FIELD_SHIFT,
  FRAME_ATTACHED,
  FRAME_GONE,
  FRAME_MAX_BYTES,
  FRAME_OWN,
  FRAME_PLACES,
  FRAME_RESYNC,
  HIDE,
  POSITION_DELTA,
  POSITION_WHOLE,
} from './frame-format.ts';
import { Track } from './track.ts';
import type { FieldValue, Welcome } from './welcome.ts';

/**
 * Why an entity left. 'gone': it was removed from the world. 'out of range': it is still in the world but no
 * longer perceived: it is too far away, hidden, or a cap gave its seat to another entity. 'unknown': frames
 * were lost, or the client was resynchronised, so the reason is not known.
 */
export type LeaveReason = 'gone' | 'out of range' | 'unknown';

/** What a frame changed of an entity. */
export interface EntityChanges<A extends AppearanceShape = AppearanceShape> {
  /** The position changed. */
  readonly position: boolean;
  /** The senses that perceive it changed. */
  readonly senses: boolean;
  /** It was attached to another entity, or detached. */
  readonly parent: boolean;
  /** Names of the fields that changed, became visible, or became hidden. */
  readonly fields: readonly (keyof FieldsOf<A> & string)[];
}

/** The same, mutable, while a frame is taken in. */
interface Changed {
  position: boolean;
  senses: boolean;
  parent: boolean;
  fields: readonly string[];
}

const NO_FIELDS: readonly string[] = [];

/** An entity as of the last update that the client received. The client changes it; a game only reads it. */
export interface Entity<A extends AppearanceShape = AppearanceShape> {
  /** Id in the server's world. */
  readonly id: number;
  /** World units. */
  readonly x: number;
  /** World units. */
  readonly y: number;
  /** World units; 0 in 2-D. */
  readonly z: number;
  /**
   * Position at which to draw it, in world units: as of the last `UmweltClient.interpolate`, or where it entered if that
   * was later.
   */
  readonly shown: Place;
  /** Values by name. A field that this client does not receive is absent. */
  readonly fields: Readonly<FieldsOf<A>>;
  /**
   * Bit i: perceived by `welcome.senses[i]`. 0 if no sense perceives it: an own entity that is not related to
   * the watcher, or an entity that is related by other means.
   */
  readonly senses: number;
  /** The entity that it is attached to, if the client has that entity too. */
  readonly parent: Entity<A> | undefined;
  /** Time at which it left, in milliseconds of the client's clock, if it is kept in `left`; else undefined. */
  readonly leftMs: number | undefined;
  /** Why it left, if it is kept in `left`; else undefined. */
  readonly leftReason: LeaveReason | undefined;
  /** Position in whole steps of `welcome.positionStep`, along x, y and z. */
  readonly steps: readonly number[];
}

/** The same, mutable, and what the client needs to keep it. */
export class MirroredEntity implements Entity {
  readonly id: number;
  x = 0;
  y = 0;
  z = 0;
  readonly shown = { x: 0, y: 0, z: 0 };
  readonly fields: FieldsOf<AppearanceShape> = Object.create(null);
  senses = 0;
  parent: MirroredEntity | undefined;
  leftMs: number | undefined;
  leftReason: LeaveReason | undefined;
  readonly steps = [0, 0, 0];
  /** Recent positions, for `shown`. */
  readonly track = new Track();

  constructor(id: number) {
    this.id = id;
  }
}

/** World units. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** The events of a mirror. */
export interface MirrorEvents<A extends AppearanceShape = AppearanceShape> {
  /** The entity is perceived from now on. Parents enter before their children. */
  enter(entity: Entity<A>): void;
  /** Its position, fields, senses or parent changed. */
  update(entity: Entity<A>, changes: EntityChanges<A>): void;
  /** The entity is no longer perceived, or was removed from the world: see `reason`. */
  leave(entity: Entity<A>, reason: LeaveReason): void;
  /** A message about an entity. `bytes` is a view of the frame: copy it to keep it. */
  message(entity: Entity<A>, bytes: Uint8Array): void;
  /** A message from a place, with no entity. */
  messageAt(place: Place, bytes: Uint8Array): void;
}

/** Calls the listeners of an event. */
export type EmitEvent = <Name extends keyof MirrorEvents>(
  event: Name,
  ...values: Parameters<MirrorEvents[Name]>
) => void;

export interface FrameFacts {
  readonly frameNumber: number;
  readonly tick: number;
  /** Number of the last input that the server had processed. */
  readonly inputNumber: number;
}

export class Mirror {
  /** The entities perceived now, and the client's own entity. */
  readonly entities = new Map<number, MirroredEntity>();
  /** Entities that left and are kept for a while. */
  readonly left = new Map<number, MirroredEntity>();
  /** Id of the client's own entity; 0 for none. */
  ownId = 0;
  readonly #bySlot = new Map<number, MirroredEntity>();
  readonly #welcome: Welcome;
  #mustResync: boolean;
  /** What the events of the last frame tell. */
  #entered!: Set<MirroredEntity>;
  #updated!: Map<MirroredEntity, Changed>;
  #left!: Map<MirroredEntity, LeaveReason>;
  #messages!: [MirroredEntity, Uint8Array][];
  #placed!: [Place, Uint8Array][];
  /** The entities that have a parent. */
  #attached: MirroredEntity[] = [];

  constructor(welcome: Welcome, earlier?: Mirror) {
    this.#welcome = welcome;
    this.#mustResync = !welcome.resumed || earlier === undefined;
    if (earlier === undefined) return;
    this.ownId = earlier.ownId;
    this.entities = earlier.entities;
    this.left = earlier.left;
    this.#bySlot = earlier.#bySlot;
    this.#attached = earlier.#attached;
  }

  /**
   * Takes in a frame, without its kind byte. Call `tell` next. `number` is that of the frame before, 0 for any.
   * Throws `FrameError`.
   */
  take(bytes: Uint8Array, number: number): FrameFacts {
    this.#begin();
    try {
      return this.#take(bytes, number);
    } catch (error) {
      // No event will tell who has entered or left with this frame.
      for (const { id } of this.#entered) this.entities.delete(id);
      for (const entity of this.#left.keys()) this.entities.set(entity.id, entity);
      throw error;
    }
  }

  #take(bytes: Uint8Array, number: number): FrameFacts {
    if (bytes.length > FRAME_MAX_BYTES) throw new FrameError('a message is too long');
    const cursor = new ByteCursor(bytes);
    const flags = cursor.byte();
    const frameNumber = cursor.varint();
    const tick = cursor.varint();
    const inputNumber = cursor.varint();
    if (number !== 0 && frameNumber !== (number + 1) >>> 0)
      throw new FrameError(`frame ${frameNumber} after ${number}`);
    if (flags & FRAME_OWN) this.ownId = cursor.varint();
    if (this.#mustResync && !(flags & FRAME_RESYNC)) throw new FrameError('a delta before a resync');
    this.#mustResync = false;
    // A resync ends all attachments, with or without a list of new ones.
    const parents =
      flags & (FRAME_ATTACHED | FRAME_RESYNC) &&
      new Map(this.#attached.map((entity) => [entity, entity.parent]));
    const earlier = flags & FRAME_RESYNC ? this.#clear() : undefined;
    this.#readLeft(cursor, 'out of range');
    if (flags & FRAME_GONE) this.#readLeft(cursor, 'gone');
    this.#read(cursor, tick, earlier);
    if (flags & FRAME_PLACES) this.#readPlaces(cursor);
    if (flags & FRAME_ATTACHED) this.#readAttached(cursor);
    if (parents) this.#noteParents(parents);
    cursor.end();
    return { frameNumber, tick, inputNumber };
  }

  /** Emits the events of the last frame. */
  tell(nowMs: number, emit: EmitEvent): void {
    for (const [entity, reason] of this.#left) {
      entity.leftMs = nowMs;
      entity.leftReason = reason;
      if (!this.entities.has(entity.id)) this.left.set(entity.id, entity);
    }
    for (const [entity, reason] of this.#left) emit('leave', entity, reason);
    const entering = new Set(this.#entered);
    for (const entity of this.#entered) tellEntered(entity, entering, emit);
    for (const [entity, changes] of this.#updated) emit('update', entity, changes);
    for (const [entity, bytes] of this.#messages) emit('message', entity, bytes);
    for (const [place, bytes] of this.#placed) emit('messageAt', place, bytes);
  }

  /** Emits `leave` for all entities and keeps none. The mirror cannot be used afterwards. */
  leaveAll(nowMs: number, emit: EmitEvent): void {
    this.#begin();
    this.#clear();
    this.tell(nowMs, emit);
  }

  /** Forgets entities that left more than `keepMs` ago. */
  forgetLeft(nowMs: number, keepMs: number): void {
    for (const entity of this.left.values()) {
      if (nowMs - (entity.leftMs as number) >= keepMs) this.left.delete(entity.id);
    }
  }

  #begin(): void {
    this.#entered = new Set();
    this.#updated = new Map();
    this.#left = new Map();
    this.#messages = [];
    this.#placed = [];
  }

  /** All entities leave, unless the frame names them again. Returns them by id. */
  #clear(): Map<number, MirroredEntity> {
    const earlier = new Map(this.entities);
    for (const entity of earlier.values()) this.#left.set(entity, 'unknown');
    this.entities.clear();
    this.#bySlot.clear();
    for (const entity of this.#attached) entity.parent = undefined;
    this.#attached = [];
    return earlier;
  }

  #readLeft(cursor: ByteCursor, reason: LeaveReason): void {
    eachSlot(cursor, (slot) => {
      const entity = this.#known(slot);
      this.#bySlot.delete(slot);
      this.entities.delete(entity.id);
      this.#left.set(entity, reason);
    });
  }

  #read(cursor: ByteCursor, tick: number, earlier: Map<number, MirroredEntity> | undefined): void {
    eachSlot(cursor, (slot) => {
      const generation = cursor.varint();
      const id = slot * 1024 + generation;
      if (generation === 0 || generation > 1023 || this.#bySlot.has(slot)) throw misfit(slot);
      const again = earlier?.get(id);
      const entity = again ?? this.#kept(id) ?? new MirroredEntity(id);
      this.#add(slot, entity);
      const changed = noChange();
      // The client had it before the resync: an update.
      if (again) {
        this.#left.delete(again);
        this.#updated.set(entity, changed);
      } else this.#entered.add(entity);
      this.#readSenses(cursor, entity, changed);
      this.#readRecord(cursor, entity, tick, true, changed);
      // Until the next `interpolate`, also for listeners of this frame.
      if (!again) entity.track.at(tick, 0, entity.shown);
    });
    eachSlot(cursor, (slot) => {
      const entity = this.#known(slot);
      this.#readRecord(cursor, entity, tick, false, this.#changedOf(entity));
    });
    eachSlot(cursor, (slot) => {
      const entity = this.#known(slot);
      this.#readSenses(cursor, entity, this.#changedOf(entity));
    });
    for (let next = cursor.varint(); next !== 0; next = cursor.varint()) {
      this.#messages.push([this.#known(next - 1), cursor.raw()]);
    }
  }

  #readPlaces(cursor: ByteCursor): void {
    const { dimensions, positionStep } = this.#welcome;
    const coordinate = (): number => cursor.signed() * positionStep;
    for (let count = cursor.varint(); count > 0; count--) {
      const place = { x: coordinate(), y: coordinate(), z: dimensions === 3 ? coordinate() : 0 };
      this.#placed.push([place, cursor.raw()]);
    }
  }

  /** Reads all attachments; they replace the previous ones. */
  #readAttached(cursor: ByteCursor): void {
    for (const entity of this.#attached) entity.parent = undefined;
    this.#attached = [];
    eachSlot(cursor, (slot) => {
      const entity = this.#known(slot);
      const parentSlot = cursor.varint();
      if (parentSlot === slot) throw misfit(slot);
      entity.parent = this.#known(parentSlot);
      this.#attached.push(entity);
    });
  }

  /** Notes which entities have another parent than `before`. */
  #noteParents(before: ReadonlyMap<MirroredEntity, MirroredEntity | undefined>): void {
    for (const entity of new Set([...before.keys(), ...this.#attached])) {
      const isKnown = this.entities.get(entity.id) === entity && !this.#entered.has(entity);
      if (isKnown && before.get(entity) !== entity.parent) this.#changedOf(entity).parent = true;
    }
  }

  /** The recorded changes of an entity that gets an `update` event. */
  #changedOf(entity: MirroredEntity): Changed {
    const changed = this.#updated.get(entity) ?? noChange();
    this.#updated.set(entity, changed);
    return changed;
  }

  #readSenses(cursor: ByteCursor, entity: MirroredEntity, changed: Changed): void {
    const senses = cursor.byte();
    if (senses !== entity.senses) changed.senses = true;
    entity.senses = senses;
  }

  #known(slot: number): MirroredEntity {
    const entity = this.#bySlot.get(slot);
    if (entity === undefined) throw misfit(slot);
    return entity;
  }

  /**
   * Reuses the object of an entity that returns while it is kept: the renderer may hold a reference to it.
   */
  #kept(id: number): MirroredEntity | undefined {
    const entity = this.left.get(id);
    if (entity === undefined) return undefined;
    this.left.delete(id);
    entity.leftMs = undefined;
    entity.leftReason = undefined;
    entity.parent = undefined;
    entity.track.clear();
    return entity;
  }

  #add(slot: number, entity: MirroredEntity): void {
    if (this.entities.size + this.left.size >= ENTITIES_MAX) {
      const [oldest] = this.left.keys();
      if (oldest === undefined) throw new FrameError('too many entities');
      this.left.delete(oldest);
    }
    this.#bySlot.set(slot, entity);
    this.entities.set(entity.id, entity);
  }

  #readRecord(
    cursor: ByteCursor,
    entity: MirroredEntity,
    tick: number,
    isWhole: boolean,
    changed: Changed,
  ): void {
    const { fields, dimensions, positionStep } = this.#welcome;
    const mask = cursor.varint();
    const hidden = mask & HIDE ? cursor.varint() : 0;
    const isDelta = (mask & POSITION_DELTA) !== 0;
    const hasPosition = isDelta || (mask & POSITION_WHOLE) !== 0;
    const isBad = (mask & 3) === 3 || (isWhole && (isDelta || !hasPosition));
    if (isBad || Math.max(mask >>> FIELD_SHIFT, hidden) >= 2 ** fields.length) {
      throw new FrameError('an invalid mask');
    }
    const { steps, x, y, z } = entity;
    if (hasPosition) {
      for (let axis = 0; axis < dimensions; axis++) {
        const told = cursor.signed();
        steps[axis] = isDelta ? ((steps[axis] as number) + told) | 0 : told;
      }
      entity.x = (steps[0] as number) * positionStep;
      entity.y = (steps[1] as number) * positionStep;
      entity.z = (steps[2] as number) * positionStep;
      changed.position = entity.x !== x || entity.y !== y || entity.z !== z;
      entity.track.add(tick, entity.x, entity.y, entity.z);
    }
    const told = mask >>> FIELD_SHIFT;
    // Most records contain only a position.
    if ((told | hidden) === 0 && !isWhole) return;
    const values = entity.fields;
    // The server may have restarted with an appearance that no longer has some fields.
    for (const name of isWhole ? Object.keys(values) : []) {
      if (fields.some((field) => field.name === name)) continue;
      delete values[name];
      changed.fields = [...changed.fields, name];
    }
    for (const [index, { name, type }] of fields.entries()) {
      const before = values[name];
      if (told & (1 << index)) values[name] = readField(cursor, type);
      else if (isWhole || hidden & (1 << index)) delete values[name];
      if (values[name] !== before) changed.fields = [...changed.fields, name];
    }
  }
}

function noChange(): Changed {
  return { position: false, senses: false, parent: false, fields: NO_FIELDS };
}

/** Emits `enter` for parents first. */
function tellEntered(entity: MirroredEntity, entering: Set<MirroredEntity>, emit: EmitEvent): void {
  const chain: MirroredEntity[] = [];
  for (
    let next: MirroredEntity | undefined = entity;
    next !== undefined && entering.delete(next);
    next = next.parent
  ) {
    chain.push(next);
  }
  for (const next of chain.reverse()) emit('enter', next);
}

/**
 * Calls `visit` for the slots of a section: each is the distance from the previous slot, and 0 ends the list.
 */
function eachSlot(cursor: ByteCursor, visit: (slot: number) => void): void {
  let slot = -1;
  for (let step = cursor.varint(); step !== 0; step = cursor.varint()) {
    slot += step;
    if (slot >= 2 ** 22) throw misfit(slot);
    visit(slot);
  }
}

function readField(cursor: ByteCursor, type: string): FieldValue {
  switch (type) {
    case 'bool':
      return cursor.byte() !== 0;
    case 'int':
      return cursor.signed();
    case 'uint':
      return cursor.varint();
    case 'float32':
      return cursor.float32();
    default:
      return cursor.text();
  }
}

function misfit(slot: number): FrameError {
  return new FrameError(`slot ${slot} does not fit`);
}
