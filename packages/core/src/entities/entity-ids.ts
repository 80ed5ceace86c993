/**
 * Entity ids: handles with a generation. From an id follow its slot and whether the entity still exists.
 *
 *   id = slot * 1024 + generation      slot 0 .. 4,194,303, generation 1 .. 1023, id 0 is never used
 *
 * A removed id must stay distinguishable from live ones for long. So slots are reused oldest first, only while more
 * than 1,024 are free, and not before the end of the second tick after their removal: a reader of the report that
 * contains the removal can still use the slot. A slot's generation wraps around after 1,023 reuses, and each reuse
 * waits behind 1,024 other slots.
 *
 * Memory: 4 bytes a slot for the id, 4 a free slot. It is kept when the world shrinks, because stale ids are
 * recognised by it. Cost: O(1) for each operation.
 */
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { shown, UmweltError } from '../errors.ts';
import type { Column, Heap } from '../kernels/heap.ts';
import { MAX_ENTITIES } from '../settings.ts';

/** Unsigned 32-bit handle of an entity, unique only within its world: `slot * 1024 + generation`. */
export type EntityId = number;

const GENERATION_BITS = 10;
const MAX_GENERATION = 1023;
const MIN_FREE = 1024;
/** Maximum number of slots in a world. */
export const MAX_SLOTS = MAX_ENTITIES + MIN_FREE;

/**
 * The id that overwrites lists of earlier ticks in a world with `debug`. Its generation is 0, so it is never a valid
 * id.
 */
export const SPOILT_ID: EntityId = 0xffff_fc00;

export class EntityIds {
  /** Number of slots ever handed out. */
  handedOut = 0;
  /** Number of entities present now. */
  size = 0;
  /** By slot: the id last handed out. The state says whether it is present. */
  readonly idColumn: Column<'u32'>;
  /** Slots whose generation has wrapped around: any of their generations may be stale. */
  readonly #wrapped = new Set<number>();
  readonly #free = new SlotQueue();
  /** Number of freed slots that may be handed out now; the rest of the queue waits for a tick or two. */
  #available = 0;
  #freedBeforeLastTick = 0;
  #freedSinceLastTick = 0;

  constructor(heap: Heap) {
    this.idColumn = heap.column('u32', 0);
  }

  /** Number of entities that could be added now. */
  get room(): number {
    return Math.min(MAX_ENTITIES - this.size, this.#reusable + (MAX_SLOTS - this.handedOut));
  }

  /**
   * Number of slots that columns must hold so that `count` more entities can be added. `inUse`: slots below it are
   * known to fit. Cost: O(1), or O(count) in a world that has shrunk.
   */
  slotCountAfter(count: number, inUse: number): number {
    const reused = Math.min(count, this.#reusable);
    if (count > reused) return this.handedOut + count - reused;
    let slotCount = inUse;
    if (inUse < this.handedOut) {
      for (let i = 0; i < reused; i++) slotCount = Math.max(slotCount, this.#free.at(i) + 1);
    }
    return slotCount;
  }

  /** Number of freed slots that may be handed out before new ones. */
  get #reusable(): number {
    return Math.max(0, Math.min(this.#available, this.#free.length - MIN_FREE));
  }

  /** By slot: the id last handed out. Read it again in each call: the heap may move. */
  get idOf(): Uint32Array {
    return this.idColumn.array;
  }

  /** Hands out an id. The caller has checked `room` and grown the columns. */
  allocate(): EntityId {
    this.size++;
    const idOf = this.idOf;
    if (this.#available > 0 && this.#free.length > MIN_FREE) {
      this.#available--;
      const slot = this.#free.shift();
      let generation = (idOf[slot] & MAX_GENERATION) + 1;
      if (generation > MAX_GENERATION) {
        generation = 1;
        this.#wrapped.add(slot);
      }
      idOf[slot] = slot * 1024 + generation;
      return idOf[slot];
    }
    const slot = this.handedOut++;
    idOf[slot] = slot * 1024 + 1;
    return idOf[slot];
  }

  /** Frees a slot. `idOf[slot]` stays readable until the slot is handed out again. */
  free(slot: number): void {
    this.size--;
    this.#free.push(slot);
    this.#freedSinceLastTick++;
  }

  /** Call this when a tick is over. */
  endTick(): void {
    this.#available += this.#freedBeforeLastTick;
    this.#freedBeforeLastTick = this.#freedSinceLastTick;
    this.#freedSinceLastTick = 0;
  }

  /** The error for an id that no present entity has. */
  errorFor(id: unknown, index?: number): UmweltError {
    const where = index === undefined ? {} : { index };
    const at = index === undefined ? '' : ` at index ${index}`;
    if (this.#wasHandedOut(id)) {
      return new UmweltError(
        'STALE_ID',
        `id ${id}${at} names an entity that was removed, expected one that is present`,
        {
          ...where,
          id: id as number,
        },
      );
    }
    const details = typeof id === 'number' ? { ...where, id } : { ...where, value: id };
    if (id === SPOILT_ID) {
      return new UmweltError(
        'BAD_ID',
        `${id}${at} comes from a list of an earlier tick, expected the id of an entity; lists are valid until the next tick, copy by slice() what you keep`,
        details,
      );
    }
    // Most often a column of ids by the entities of an ECS, in which not every row is used.
    const hint = id === 0 && index !== undefined ? '; leave out rows without one, in moveMany by `at`' : '';
    return new UmweltError(
      'BAD_ID',
      `${shown(id)}${at} was given, expected the id of an entity${hint}`,
      details,
    );
  }

  /** Whether the id names an entity that is or was present. */
  isKnown(id: unknown): boolean {
    return this.#wasHandedOut(id);
  }

  save(writer: ByteWriter): void {
    writer.elements(this.idOf.subarray(0, this.handedOut));
    writer.column(this.#free.toArray());
    writer.u32(this.#available);
    writer.u32(this.#freedBeforeLastTick);
    writer.column(Uint32Array.from(this.#wrapped).sort());
  }

  /** Whether the predicate holds for any free slot. */
  isAnyFree(isSo: (slot: number) => boolean): boolean {
    for (let i = 0; i < this.#free.length; i++) if (isSo(this.#free.at(i))) return true;
    return false;
  }

  /** Loads into an unused instance whose column has room. Slots without an entity are the free ones. */
  load(reader: ByteReader, handedOut: number): void {
    const ids = reader.elements('u32', handedOut);
    for (let slot = 0; slot < handedOut; slot++) {
      const isItsOwn = ids[slot] >>> GENERATION_BITS === slot && (ids[slot] & MAX_GENERATION) !== 0;
      if (!isItsOwn) throw reader.fault(`an id of slot ${slot}`);
    }
    const free = reader.column('u32');
    reader.check(isDistinct(free, handedOut), 'distinct free slots');
    for (const slot of free) this.#free.push(slot);
    this.#available = reader.below(free.length + 1, 'free slots to hand out');
    this.#freedBeforeLastTick = reader.below(free.length - this.#available + 1, 'slots freed before');
    this.#freedSinceLastTick = free.length - this.#available - this.#freedBeforeLastTick;
    const wrapped = reader.column('u32');
    reader.check(isDistinct(wrapped, handedOut), 'distinct slots');
    for (const slot of wrapped) this.#wrapped.add(slot);
    this.idOf.set(ids);
    this.handedOut = handedOut;
    this.size = handedOut - free.length;
  }

  /** Bytes held outside the heap. */
  get memoryBytes(): number {
    return this.#free.byteLength;
  }

  #wasHandedOut(id: unknown): boolean {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id > 0xffff_ffff) return false;
    const slot = id >>> GENERATION_BITS;
    const generation = id & MAX_GENERATION;
    if (generation === 0 || slot >= this.handedOut) return false;
    return this.#wrapped.has(slot) || generation <= (this.idOf[slot] & MAX_GENERATION);
  }
}

/** Whether all slots are below `slotCount` and distinct. */
export function isDistinct(slots: Uint32Array, slotCount: number): boolean {
  if (slots.length > slotCount) return false;
  const isSeen = new Uint8Array(slotCount);
  for (const slot of slots) {
    if (slot >= slotCount || isSeen[slot] === 1) return false;
    isSeen[slot] = 1;
  }
  return true;
}

/** A queue of slots in a ring buffer that doubles when full. */
class SlotQueue {
  length = 0;
  #ring = new Uint32Array(64);
  #head = 0;

  get byteLength(): number {
    return this.#ring.byteLength;
  }

  push(slot: number): void {
    if (this.length === this.#ring.length) this.#double();
    this.#ring[(this.#head + this.length) & (this.#ring.length - 1)] = slot;
    this.length++;
  }

  shift(): number {
    const slot = this.#ring[this.#head];
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.length--;
    return slot;
  }

  /** The i-th oldest slot. */
  at(i: number): number {
    return this.#ring[(this.#head + i) & (this.#ring.length - 1)];
  }

  /** All slots, oldest first. */
  toArray(): Uint32Array {
    const slots = new Uint32Array(this.length);
    const untilEnd = this.#ring.subarray(this.#head, this.#head + this.length);
    slots.set(untilEnd);
    slots.set(this.#ring.subarray(0, this.length - untilEnd.length), untilEnd.length);
    return slots;
  }

  #double(): void {
    const doubled = new Uint32Array(this.#ring.length * 2);
    doubled.set(this.toArray());
    this.#ring = doubled;
    this.#head = 0;
  }
}
