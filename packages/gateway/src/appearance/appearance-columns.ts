/**
 * What clients can be sent of each entity, in columns by slot, with the tick of each change.
 *
 * A client that was last sent an entity at tick T needs what changed after T. So each value has the tick of
 * its last change, and no list of what was sent to which client is needed. A field changes when the game sets
 * it. For a field with an update rate the tick is its next turn, the same for all clients; only the owner
 * does not wait for the turn. A position is read when the first client needs it in a tick (the entity is then
 * "noticed"). The previous position is kept, so that clients that have it are sent a delta.
 *
 * For each entity noticed in a tick two more values are known: the fresh values, that is those changed in
 * this tick, and the tick since which all other values are unchanged (`restedTick`). A client that was
 * updated at or after `restedTick`, as nearly all are, needs only the fresh values.
 *
 * Memory: about 70 bytes per slot, plus 12 for each field, or 20 if the field has a rate.
 */
import { type EntityId, UmweltError } from 'umwelt';
import { told } from '../bounds/bad-option.ts';
import { checkObject, isNumberWithin } from '../bounds/option-keys.ts';
import { FIELD_SHIFT, POSITION_DELTA, POSITION_WHOLE } from '../wire/frame-format.ts';
import { DueTouches } from './due-touches.ts';
import type { GatewayWorld } from './gateway-world.ts';
import { checkValue, type FieldValue, type Schema } from './schema.ts';

const SLOTS_AT_FIRST = 1024;
/** Most entities that are noticed at once. */
export const BATCH_MAX = 256;
const STEPS_MAX = 2 ** 31 - 1;
/** A limit for tiny steps only: nothing in a world is that far away. */
const FARTHEST_STEPS = 1e150;
/** Beyond this many steps a position is sent whole: the delta of two might not fit. */
const DELTA_MAX = 2 ** 28;

export class AppearanceColumns {
  readonly schema: Schema;
  readonly world: GatewayWorld;
  readonly due: DueTouches;
  #capacity = 0;
  /** Entity that the row describes; 0 for none yet. */
  ids!: Uint32Array;
  /** In steps: the position when last noticed, also beyond what can be sent, because distances are measured with it. */
  x!: Float64Array;
  y!: Float64Array;
  z!: Float64Array;
  /** In steps, as sent: the position before that. */
  earlierX!: Int32Array;
  earlierY!: Int32Array;
  earlierZ!: Int32Array;
  noticedTick!: Uint32Array;
  /** Ticks since which x, y, z and earlierX, ... have had their values. */
  movedTick!: Uint32Array;
  earlierTick!: Uint32Array;
  /** Mask of a record with what changed in the tick in which the entity was noticed. */
  fresh!: Uint32Array;
  /** A client updated at this tick or later needs only the fresh values. */
  restedTick!: Uint32Array;
  /** Above 0; 1 unless set. */
  importance!: Float32Array;
  /** By field. A string field uses `texts`; its `numbers` are empty. */
  readonly numbers: Float64Array[] = [];
  readonly texts: string[][] = [];
  /** By field: the tick with which clients are sent its current value. May be in the future. */
  readonly changedTick: Uint32Array[] = [];
  /**
   * By field with a rate, else empty: its last turn with a change, once `changedTick` is that of the next one. A client
   * that missed the turn, because it was behind or bytes were short, needs the value although it has changed again.
   */
  readonly turnedTick: Uint32Array[] = [];
  /** As `changedTick` for the owner, which is sent it with the next tick. The same array if the field has no rate. */
  readonly changedForOwnerTick: Uint32Array[] = [];
  readonly #position: Float32Array;
  /** Entities that are noticed at once: their slots and positions. */
  readonly #slots = new Uint32Array(BATCH_MAX);
  readonly #worldX = new Float32Array(BATCH_MAX);
  readonly #worldY = new Float32Array(BATCH_MAX);
  readonly #worldZ = new Float32Array(BATCH_MAX);
  /** Entities that the last published tick reported as removed. */
  #removed: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  /** The newest tick whose frames were written, or are being written. */
  #framedTick: number;

  constructor(world: GatewayWorld, schema: Schema) {
    this.world = world;
    this.schema = schema;
    this.due = new DueTouches(world);
    this.#framedTick = world.tickCount;
    this.#position = new Float32Array(schema.dimensions);
    this.#grow(SLOTS_AT_FIRST);
  }

  /** Sets fields of a present entity, all or none, and schedules the updates. */
  set(id: EntityId, values: Readonly<Record<string, FieldValue>>): void {
    const { fields, fieldOf } = this.schema;
    const slot = this.#presentSlot(id);
    checkObject('values', values, [...fieldOf.keys()]);
    for (const [name, value] of Object.entries(values)) {
      const index = fieldOf.get(name);
      if (index === undefined) {
        throw new UmweltError(
          'BAD_OPTION',
          `${name} is no field; expected ${[...fieldOf.keys()].join(', ')}`,
          {
            field: name,
            id,
            value,
          },
        );
      }
      checkValue(fields[index]!, value);
    }
    this.claim(id);
    for (const [name, value] of Object.entries(values)) {
      const index = fieldOf.get(name)!;
      if (this.#setField(slot, index, value)) this.due.add(id, this.#noteChange(slot, index));
    }
  }

  /** The frames of a tick are about to be written. */
  beginTick(tick: number): void {
    this.#framedTick = tick;
  }

  /** After a tick: touches the entities whose turn is the next tick. */
  touchDue(): void {
    this.due.touch();
  }

  /** Copies the importance of entities that are still present. */
  adoptImportance({ ids, importance }: AppearanceColumns): void {
    for (let slot = 0; slot < ids.length; slot++) {
      const id = ids[slot]!;
      if (id !== 0 && importance[slot] !== 1 && this.world.has(id)) this.setImportance(id, importance[slot]!);
    }
  }

  /**
   * The value of a field; false, 0 or '' if it was never set. Also works for an entity whose removal the last
   * tick reported.
   */
  get(id: EntityId, name: string): FieldValue | undefined {
    const index = this.schema.fieldOf.get(name);
    if (index === undefined) return undefined;
    const slot = this.world.slotOf(id);
    this.claim(id);
    return this.valueAt(slot, index);
  }

  /** The value of a field, by index, of the entity in the slot. */
  valueAt(slot: number, index: number): FieldValue {
    const { type } = this.schema.fields[index]!;
    if (type === 'string') return this.texts[index]![slot] ?? '';
    const value = this.numbers[index]![slot]!;
    return type === 'bool' ? value === 1 : value;
  }

  /** Stores a value of the field's type without notifying clients. */
  putValue(slot: number, index: number, value: FieldValue): void {
    if (typeof value === 'string') this.texts[index]![slot] = value;
    else this.numbers[index]![slot] = Number(value);
  }

  setImportance(id: EntityId, importance: number): void {
    const slot = this.#presentSlot(id);
    if (!isNumberWithin(importance, Number.MIN_VALUE, Number.MAX_VALUE)) {
      const message = `importance is ${told(importance)}; expected a number above 0`;
      throw new UmweltError('BAD_OPTION', message, { field: 'importance', id, value: importance });
    }
    this.claim(id);
    this.importance[slot] = importance;
  }

  /**
   * Reads the position of the entity, once per tick. Returns false if the entity was removed and never
   * noticed: then nothing can be sent of it. An entity removed since the tick keeps its last noticed state.
   */
  notice(id: EntityId, tick: number): boolean {
    const slot = id >>> 10;
    if (this.noticedTick[slot] === tick && this.ids[slot] === id) return true;
    if (this.world.has(id)) {
      this.claim(id);
      this.#read(0, id);
      this.#weighBatch(1, tick);
      return true;
    }
    if (this.ids[slot] !== id || this.noticedTick[slot] === 0) return false;
    this.noticedTick[slot] = tick;
    this.fresh[slot] = 0;
    this.restedTick[slot] = this.movedTick[slot]!;
    this.#weighFields(slot, tick);
    return true;
  }

  /**
   * Notices those of `ids[0 .. count)` that are present, at most `BATCH_MAX` ids, and returns their number: `ids` then
   * begins with their slots. It costs half of what noticing them one by one does.
   */
  noticeMany(ids: Uint32Array, count: number, tick: number): number {
    let present = 0;
    for (let i = 0; i < count; i++) {
      const id = ids[i]!;
      if (!this.world.has(id)) continue;
      this.claim(id);
      this.#read(present++, id);
    }
    this.#weighBatch(present, tick);
    for (let i = 0; i < present; i++) ids[i] = this.#slots[i]!;
    return present;
  }

  /**
   * The mask of a record that updates a client that was last updated at `since` and then had the fields
   * `shown`. `since` is 0 if the client has never received the entity. The entity must have been noticed in
   * this tick.
   */
  wanted(slot: number, since: number, shown: number, visible: number, isOwn: boolean): number {
    if (!isOwn && shown === visible && since >= this.restedTick[slot]!) {
      return this.fresh[slot]! & (((visible << FIELD_SHIFT) >>> 0) | POSITION_DELTA);
    }
    let mask = 0;
    if (since < this.movedTick[slot]!) {
      mask = since >= this.earlierTick[slot]! ? POSITION_DELTA : POSITION_WHOLE;
    }
    const tick = this.noticedTick[slot]!;
    for (let field = 0; field < this.schema.fields.length; field++) {
      const bit = 1 << field;
      if ((visible & bit) === 0) continue;
      const changed = isOwn ? this.changedForOwnerTick[field]![slot]! : this.#changedBy(tick, field, slot);
      if ((shown & bit) === 0 || (changed > since && changed <= tick)) mask |= bit << FIELD_SHIFT;
    }
    return mask;
  }

  /**
   * A client updated at this tick or later needs only the fresh fields. For an entity noticed in this tick.
   */
  fieldsRestedTick(slot: number, tick: number): number {
    // At 0 the client has never received the entity.
    let rested = 1;
    for (let field = 0; field < this.changedTick.length; field++) {
      const changed = this.#changedBy(tick, field, slot);
      if (changed < tick && changed > rested) rested = changed;
    }
    return rested;
  }

  /** Squared distance between two entities, in steps. */
  distanceSquared(slot: number, other: number): number {
    const dx = this.x[slot]! - this.x[other]!;
    const dy = this.y[slot]! - this.y[other]!;
    const dz = this.z[slot]! - this.z[other]!;
    return dx * dx + dy * dy + dz * dz;
  }

  /** Resets the row for this entity if it still describes another one. */
  claim(id: EntityId): void {
    const slot = id >>> 10;
    if (slot >= this.#capacity) this.#grow(Math.max(slot + 1, this.#capacity * 2));
    if (this.ids[slot] === id) return;
    this.ids[slot] = id;
    this.noticedTick[slot] = 0;
    this.importance[slot] = 1;
    for (let field = 0; field < this.changedTick.length; field++) {
      if (this.schema.fields[field]!.type === 'string') this.texts[field]![slot] = '';
      else this.numbers[field]![slot] = 0;
      this.changedTick[field]![slot] = 0;
      this.turnedTick[field]![slot] = 0;
      this.changedForOwnerTick[field]![slot] = 0;
    }
  }

  /**
   * A tick that has removed these entities is published; undefined if ticks were skipped. Their rows last until the next
   * one: ids are given out again in the end, and another entity with such an id has no values.
   */
  release(removed: Uint32Array | undefined): void {
    for (const id of this.#removed) {
      const slot = id >>> 10;
      if (this.ids[slot] === id && !this.world.has(id)) this.ids[slot] = 0;
    }
    // The report is valid until the next tick only.
    this.#removed = Uint32Array.from(removed ?? this.ids.filter((id) => id !== 0 && !this.world.has(id)));
  }

  /** The tick of the last change of a field that clients may be sent by `tick`; 0 or above `tick` if there is none. */
  #changedBy(tick: number, field: number, slot: number): number {
    const changed = this.changedTick[field]![slot]!;
    return changed <= tick ? changed : (this.turnedTick[field]![slot] ?? changed);
  }

  #setField(slot: number, index: number, value: FieldValue): boolean {
    if (typeof value === 'string') {
      if ((this.texts[index]![slot] ?? '') === value) return false;
      this.texts[index]![slot] = value;
    } else {
      const isFloat = this.schema.fields[index]!.type === 'float32';
      // Compare the value as it is sent. Adding 0 turns -0 into 0, which `Object.is` would tell apart, and clients would not.
      const number = (isFloat ? Math.fround(value as number) : Number(value)) + 0;
      if (Object.is(this.numbers[index]![slot], number)) return false;
      this.numbers[index]![slot] = number;
    }
    return true;
  }

  /**
   * Returns the tick with which clients are sent the change: the next one that is published, or the next turn of the
   * field. What a listener of a tick sets belongs to that tick: a field that a listener sets in each tick would otherwise
   * always be the next one's.
   */
  #noteChange(slot: number, index: number): number {
    const next = this.#framedTick + 1;
    this.changedForOwnerTick[index]![slot] = next;
    const { everyTicks } = this.schema.fields[index]!;
    if (everyTicks === 1) return next;
    const nextReport = this.world.tickCount + 1;
    // The same turns as the world's own update rates.
    const sinceTurn = (nextReport + slot) % everyTicks;
    const turn = sinceTurn === 0 ? nextReport : nextReport + everyTicks - sinceTurn;
    const before = this.changedTick[index]![slot]!;
    if (before < nextReport) this.turnedTick[index]![slot] = before;
    this.changedTick[index]![slot] = turn;
    return turn;
  }

  /** Reads the position of a present entity into row `i` of the batch. */
  #read(i: number, id: EntityId): void {
    // A listener may have moved it since the tick: that belongs to the next one. If it is moved back before then, no
    // report would ever correct what clients had been sent.
    const position = this.world.positionAtTick(id, this.#position);
    this.#slots[i] = id >>> 10;
    this.#worldX[i] = position[0]!;
    this.#worldY[i] = position[1]!;
    if (position.length === 3) this.#worldZ[i] = position[2]!;
  }

  /** Places the first `count` entities of the batch, and notes what is fresh of them. */
  #weighBatch(count: number, tick: number): void {
    const { x, y, z, earlierX, earlierY, earlierZ, noticedTick, movedTick, earlierTick, fresh, restedTick } =
      this;
    const { positionStep, dimensions, fields } = this.schema;
    const slots = this.#slots;
    const worldX = this.#worldX;
    const worldY = this.#worldY;
    const worldZ = this.#worldZ;
    const isFlat = dimensions === 2;
    for (let i = 0; i < count; i++) {
      const slot = slots[i]!;
      if (noticedTick[slot] === tick) continue;
      const nowX = nearestStep(worldX[i]!, positionStep);
      const nowY = nearestStep(worldY[i]!, positionStep);
      const nowZ = isFlat ? 0 : nearestStep(worldZ[i]!, positionStep);
      const beforeX = sendable(x[slot]!);
      const beforeY = sendable(y[slot]!);
      const beforeZ = isFlat ? 0 : sendable(z[slot]!);
      x[slot] = nowX;
      y[slot] = nowY;
      if (!isFlat) z[slot] = nowZ;
      const distance =
        Math.abs(sendable(nowX) - beforeX) +
        Math.abs(sendable(nowY) - beforeY) +
        Math.abs(sendable(nowZ) - beforeZ);
      const isNew = noticedTick[slot] === 0;
      // 0 if it stands still, and if it moves where positions can no longer be sent.
      const hasMoved = isNew || distance !== 0;
      let rested = movedTick[slot]!;
      if (hasMoved) {
        // No delta is possible if no client has received this entity, nor over so far.
        if (isNew || distance > DELTA_MAX) rested = tick;
        earlierTick[slot] = rested;
        movedTick[slot] = tick;
        earlierX[slot] = beforeX;
        earlierY[slot] = beforeY;
        if (!isFlat) earlierZ[slot] = beforeZ;
      }
      noticedTick[slot] = tick;
      fresh[slot] = hasMoved ? POSITION_DELTA : 0;
      restedTick[slot] = rested;
    }
    if (fields.length > 0) for (let i = 0; i < count; i++) this.#weighFields(slots[i]!, tick);
  }

  /** Adds the fields to what is fresh of the entity in the slot, and since when the rest is unchanged. */
  #weighFields(slot: number, tick: number): void {
    let fresh = this.fresh[slot]!;
    let rested = this.restedTick[slot]!;
    for (let field = 0; field < this.changedTick.length; field++) {
      const changed = this.#changedBy(tick, field, slot);
      if (changed === tick) fresh |= 1 << (field + FIELD_SHIFT);
      else if (changed < tick && changed > rested) rested = changed;
    }
    this.fresh[slot] = fresh;
    this.restedTick[slot] = rested;
  }

  /**
   * Throws unless the entity is present: `slotOf` also works for entities whose removal was just reported.
   */
  #presentSlot(id: EntityId): number {
    // `position` throws unless the entity is present.
    if (!this.world.has(id)) this.world.position(id);
    return this.world.slotOf(id);
  }

  #grow(capacity: number): void {
    const int32 = (old?: Int32Array): Int32Array => filled(new Int32Array(capacity), old);
    const float64 = (old?: Float64Array): Float64Array => filled(new Float64Array(capacity), old);
    const uint32 = (old?: Uint32Array): Uint32Array => filled(new Uint32Array(capacity), old);
    this.#capacity = capacity;
    this.ids = uint32(this.ids);
    this.x = float64(this.x);
    this.y = float64(this.y);
    this.z = float64(this.z);
    this.earlierX = int32(this.earlierX);
    this.earlierY = int32(this.earlierY);
    this.earlierZ = int32(this.earlierZ);
    this.noticedTick = uint32(this.noticedTick);
    this.movedTick = uint32(this.movedTick);
    this.earlierTick = uint32(this.earlierTick);
    this.fresh = uint32(this.fresh);
    this.restedTick = uint32(this.restedTick);
    this.importance = filled(new Float32Array(capacity), this.importance);
    for (const [field, { type, everyTicks }] of this.schema.fields.entries()) {
      const size = type === 'string' ? 0 : capacity;
      this.numbers[field] = filled(new Float64Array(size), this.numbers[field]);
      this.texts[field] ??= [];
      const changedTick = uint32(this.changedTick[field]);
      const changedForOwnerTick = everyTicks === 1 ? changedTick : uint32(this.changedForOwnerTick[field]);
      this.changedTick[field] = changedTick;
      this.turnedTick[field] = filled(
        new Uint32Array(everyTicks === 1 ? 0 : capacity),
        this.turnedTick[field],
      );
      this.changedForOwnerTick[field] = changedForOwnerTick;
    }
  }
}

function filled<T extends Int32Array | Uint32Array | Float32Array | Float64Array>(column: T, old?: T): T {
  if (old !== undefined) column.set(old);
  return column;
}

/** A coordinate in steps, rounded to the nearest, as it is sent. */
export function stepsOf(coordinate: number, step: number): number {
  return sendable(nearestStep(coordinate, step));
}

/** A coordinate in steps, clamped to what can be sent. */
export function sendable(steps: number): number {
  if (steps > STEPS_MAX) return STEPS_MAX;
  return steps < -STEPS_MAX ? -STEPS_MAX : steps;
}

/** A coordinate in steps, rounded to the nearest; finite, and its square as well. */
function nearestStep(coordinate: number, step: number): number {
  const nearest = Math.floor(coordinate / step + 0.5);
  return Math.max(-FARTHEST_STEPS, Math.min(FARTHEST_STEPS, nearest));
}
