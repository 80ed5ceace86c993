/**
 * What the client's watcher perceives, kept up to date from frames.
 *
 * A frame is taken in whole before anything is told of it: listeners see the mirror as it is at the frame's tick, first
 * who left, then who entered, then who changed, then messages. A frame that does not fit what is here (an update of
 * somebody unknown, a number out of turn) is a `FrameError`; the mirror may then be half changed, and the connection is
 * of no more use: the next one has to begin with a resync.
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
 * Why an entity left. 'gone': it was removed from the world. 'out of range': it is still in the world, and is perceived no more: it is
 * too far away, hidden, or a cap gave its seat to another. 'unknown': frames were lost in between, or the server began
 * anew; nobody can say.
 */
export type LeaveReason = 'gone' | 'out of range' | 'unknown';

/** What of an entity a frame changed. */
export interface EntityChanges<A extends AppearanceShape = AppearanceShape> {
  /** It moved. */
  readonly position: boolean;
  /** Other senses perceive it. */
  readonly senses: boolean;
  /** It is attached to another, or to none. */
  readonly parent: boolean;
  /** Names of the fields that hold another value, came into sight, or went out of it. */
  readonly fields: readonly (keyof FieldsOf<A> & string)[];
}

/** The same, while a frame is taken in. */
interface Changed {
  position: boolean;
  senses: boolean;
  parent: boolean;
  fields: readonly string[];
}

const NO_FIELDS: readonly string[] = [];

/** An entity as the client was last told of it. */
export class Entity<A extends AppearanceShape = AppearanceShape> {
  /** As in the server's world. */
  readonly id: number;
  /** World units. */
  x = 0;
  y = 0;
  z = 0;
  /** Where to draw it; see `UmweltClient.interpolate`. */
  readonly shown = { x: 0, y: 0, z: 0 };
  /** By name; what is not for this client to see is absent. */
  readonly fields: FieldsOf<A> = Object.create(null);
  /** Bit i: perceived in `welcome.senses[i]`. None for its own, and for one related by other means. */
  senses = 0;
  /** Whom it is attached to, if that is here, too. */
  parent: Entity<A> | undefined;
  /** When it left, for one that is kept; else undefined. */
  leftMs: number | undefined;
  /** Why it left, for one that is kept; else undefined. */
  leftReason: LeaveReason | undefined;
  /** Whole steps. */
  readonly steps = [0, 0, 0];
  /** Where it has been; for `shown`. */
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

/** What a mirror tells. */
export interface MirrorEvents<A extends AppearanceShape = AppearanceShape> {
  /** It is perceived from now on. Parents come before their children. */
  enter(entity: Entity<A>): void;
  /** It moved, or its fields, senses or parent changed. */
  update(entity: Entity<A>, changes: EntityChanges<A>): void;
  /** It is perceived no more, or was removed from the world: `reason` says which. */
  leave(entity: Entity<A>, reason: LeaveReason): void;
  /** The bytes are a window on the frame: copy them to keep them. */
  message(entity: Entity<A>, bytes: Uint8Array): void;
  /** The same from a place where no entity need be. */
  messageAt(place: Place, bytes: Uint8Array): void;
}

export interface FrameFacts {
  readonly frameNumber: number;
  readonly tick: number;
  /** Number of the last input that the server had taken in. */
  readonly inputNumber: number;
}

export class Mirror {
  /** Those perceived now, and the client's own. */
  readonly entities = new Map<number, Entity>();
  /** Those that left and are kept for a while. */
  readonly left = new Map<number, Entity>();
  /** Id of the client's own entity; 0: it has none. */
  ownId = 0;
  readonly #bySlot = new Map<number, Entity>();
  readonly #welcome: Welcome;
  #mustResync: boolean;
  #entered = new Set<Entity>();
  #updated = new Map<Entity, Changed>();
  #left = new Map<Entity, LeaveReason>();
  #messages: [Entity, Uint8Array][] = [];
  #placed: [Place, Uint8Array][] = [];
  /** Those that have a parent. */
  #attached: Entity[] = [];

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

  /** Takes in a frame, without the byte that says its kind; `tell` is next. Throws `FrameError`. */
  take(bytes: Uint8Array): FrameFacts {
    if (bytes.length > FRAME_MAX_BYTES) throw new FrameError('a frame is longer than any may be');
    this.#entered = new Set();
    this.#updated = new Map();
    this.#left = new Map();
    this.#messages = [];
    this.#placed = [];
    const cursor = new ByteCursor(bytes);
    const flags = cursor.byte();
    const frameNumber = cursor.varint();
    const tick = cursor.varint();
    const inputNumber = cursor.varint();
    if (flags & FRAME_OWN) this.ownId = cursor.varint();
    if (this.#mustResync && !(flags & FRAME_RESYNC)) throw new FrameError('a difference from nothing');
    this.#mustResync = false;
    const earlier = flags & FRAME_RESYNC ? this.#clear() : undefined;
    this.#readLeft(cursor, 'out of range');
    if (flags & FRAME_GONE) this.#readLeft(cursor, 'gone');
    this.#read(cursor, tick, earlier);
    if (flags & FRAME_PLACES) this.#readPlaces(cursor);
    if (flags & FRAME_ATTACHED) this.#readAttached(cursor);
    cursor.end();
    for (const entity of earlier?.values() ?? []) this.#left.set(entity, 'unknown');
    return { frameNumber, tick, inputNumber };
  }

  /** Tells of the frame that was taken in last. */
  tell(nowMs: number, events: MirrorEvents): void {
    for (const [entity, reason] of this.#left) {
      noteLeft(entity, reason, nowMs);
      if (!this.entities.has(entity.id)) this.left.set(entity.id, entity);
    }
    for (const [entity, reason] of this.#left) events.leave(entity, reason);
    const entering = new Set(this.#entered);
    for (const entity of this.#entered) tellEntered(entity, entering, events);
    for (const [entity, changes] of this.#updated) events.update(entity, changes);
    for (const [entity, bytes] of this.#messages) events.message(entity, bytes);
    for (const [place, bytes] of this.#placed) events.messageAt(place, bytes);
  }

  /** Tells that all have left: nothing is kept, and the mirror is of no more use. */
  leaveAll(nowMs: number, events: MirrorEvents): void {
    const all = [...this.#clear().values()];
    this.left.clear();
    for (const entity of all) noteLeft(entity, 'unknown', nowMs);
    for (const entity of all) events.leave(entity, 'unknown');
  }

  /** Lets those go that left longer than `keepMs` ago. */
  forgetLeft(nowMs: number, keepMs: number): void {
    for (const entity of this.left.values()) {
      if (nowMs - (entity.leftMs as number) >= keepMs) this.left.delete(entity.id);
    }
  }

  #clear(): Map<number, Entity> {
    const earlier = new Map(this.entities);
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

  #read(cursor: ByteCursor, tick: number, earlier: Map<number, Entity> | undefined): void {
    eachSlot(cursor, (slot) => {
      const generation = cursor.varint();
      const id = slot * 1024 + generation;
      if (generation === 0 || generation > 1023 || this.#bySlot.has(slot)) throw misfit(slot);
      const again = earlier?.get(id);
      earlier?.delete(id);
      const entity = again ?? this.#kept(id) ?? new Entity(id);
      this.#add(slot, entity);
      const changed = noChange();
      this.#readSenses(cursor, entity, changed);
      this.#readRecord(cursor, entity, tick, true, changed);
      // One that was here before the resync has only changed.
      if (again) this.#updated.set(entity, changed);
      else this.#entered.add(entity);
    });
    eachSlot(cursor, (slot) => {
      const entity = this.#known(slot);
      const changed = this.#changedOf(entity);
      this.#readRecord(cursor, entity, tick, false, changed);
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

  /** Who is attached to whom, all anew. */
  #readAttached(cursor: ByteCursor): void {
    const before = new Map(this.#attached.map((entity) => [entity, entity.parent]));
    for (const entity of this.#attached) entity.parent = undefined;
    this.#attached = [];
    eachSlot(cursor, (slot) => {
      const entity = this.#known(slot);
      const parentSlot = cursor.varint();
      if (parentSlot === slot) throw misfit(slot);
      entity.parent = this.#known(parentSlot);
      this.#attached.push(entity);
      if (before.get(entity) !== entity.parent) this.#noteChanged(entity);
      before.delete(entity);
    });
    for (const entity of before.keys())
      if (this.entities.get(entity.id) === entity) this.#noteChanged(entity);
  }

  #noteChanged(entity: Entity): void {
    if (!this.#entered.has(entity)) this.#changedOf(entity).parent = true;
  }

  /** Of one that is told of as updated. */
  #changedOf(entity: Entity): Changed {
    let changed = this.#updated.get(entity);
    if (changed === undefined) {
      changed = noChange();
      this.#updated.set(entity, changed);
    }
    return changed;
  }

  #readSenses(cursor: ByteCursor, entity: Entity, changed: Changed): void {
    const senses = cursor.byte();
    if (senses !== entity.senses) changed.senses = true;
    entity.senses = senses;
  }

  #known(slot: number): Entity {
    const entity = this.#bySlot.get(slot);
    if (entity === undefined) throw misfit(slot);
    return entity;
  }

  /** The same object for one that comes back while it is kept: whoever draws it has it in hand. */
  #kept(id: number): Entity | undefined {
    const entity = this.left.get(id);
    if (entity === undefined) return undefined;
    this.left.delete(id);
    entity.leftMs = undefined;
    entity.leftReason = undefined;
    entity.parent = undefined;
    entity.track.clear();
    return entity;
  }

  #add(slot: number, entity: Entity): void {
    if (this.entities.size + this.left.size >= ENTITIES_MAX) {
      const [oldest] = this.left.keys();
      if (oldest === undefined) throw new FrameError(`more entities than ${ENTITIES_MAX}`);
      this.left.delete(oldest);
    }
    this.#bySlot.set(slot, entity);
    this.entities.set(entity.id, entity);
  }

  #readRecord(cursor: ByteCursor, entity: Entity, tick: number, isWhole: boolean, changed: Changed): void {
    const { fields, dimensions, positionStep } = this.#welcome;
    const mask = cursor.varint();
    const hidden = mask & HIDE ? cursor.varint() : 0;
    const isDelta = (mask & POSITION_DELTA) !== 0;
    const hasPosition = isDelta || (mask & POSITION_WHOLE) !== 0;
    const isBad = (mask & 3) === 3 || (isWhole && (isDelta || !hasPosition));
    if (isBad || Math.max(mask >>> FIELD_SHIFT, hidden) >= 2 ** fields.length) {
      throw new FrameError('a record that names what is not there');
    }
    const { steps } = entity;
    if (hasPosition) {
      for (let axis = 0; axis < dimensions; axis++) {
        const told = cursor.signed();
        const before = steps[axis] as number;
        steps[axis] = isDelta ? (before + told) | 0 : told;
        if (steps[axis] !== before) changed.position = true;
      }
      entity.x = (steps[0] as number) * positionStep;
      entity.y = (steps[1] as number) * positionStep;
      entity.z = (steps[2] as number) * positionStep;
      entity.track.add(tick, entity.x, entity.y, entity.z);
    }
    const told = mask >>> FIELD_SHIFT;
    // Most records are of moves alone.
    if ((told | hidden) === 0 && !isWhole) return;
    const values = entity.fields;
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

function noteLeft(entity: Entity, reason: LeaveReason, nowMs: number): void {
  entity.leftMs = nowMs;
  entity.leftReason = reason;
}

/** Parents first. */
function tellEntered(entity: Entity, entering: Set<Entity>, events: MirrorEvents): void {
  const chain: Entity[] = [];
  for (
    let next: Entity | undefined = entity;
    next !== undefined && entering.delete(next);
    next = next.parent
  ) {
    chain.push(next);
  }
  for (const next of chain.reverse()) events.enter(next);
}

/** Calls `visit` for the slots of a section: each is told as its distance from the one before, and 0 ends it. */
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
  return new FrameError(`what is told of slot ${slot} does not fit what is known`);
}
