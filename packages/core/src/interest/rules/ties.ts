/**
 * Pins and blocks (ties): pairs that relate, or never relate, because the game said so.
 *
 * A pin holds while at least one of its reasons holds. Reasons are a set, so the loss of one of two does not
 * end the pin. A change takes effect with the next tick. Until then, queries use the ties of the last tick:
 * at the first change of a watcher's ties since the last tick, a copy of them is kept. During a tick, the new
 * ties count; only `commit` drops the copies. Ties are stored by id, so a tie to a removed entity can never
 * apply to another one.
 *
 * Memory: an entry for each tie, and one on the marker's side, so that a removed entity finds the ties of
 * both sides. Cost: a copy of a watcher's ties at its first change in a tick.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { assert } from '../../errors.ts';
import { mapBytes, setBytes } from '../table/collection-bytes.ts';
import { loadPinReason, Pin, type PinReason, savePinReason } from './pin-reasons.ts';

/** By marker. */
type Pins = Map<EntityId, Pin>;
type Blocks = Set<EntityId>;

/** The ties of each watcher at one time; `undefined`: none. */
export interface TiesAt {
  pinsOf(watcher: EntityId): ReadonlyMap<EntityId, Pin> | undefined;
  blocksOf(watcher: EntityId): ReadonlySet<EntityId> | undefined;
}

/** All ties of one watcher; `undefined`: none of this kind. */
interface TiesOfOne {
  readonly pins: Pins | undefined;
  readonly blocks: Blocks | undefined;
}

export class Ties {
  /** By watcher, current. */
  readonly #pins = new Map<EntityId, Pins>();
  readonly #blocks = new Map<EntityId, Blocks>();
  /** By watcher, as of the last tick: only watchers whose ties changed since. */
  readonly #before = new Map<EntityId, TiesOfOne>();
  /** By marker: the watchers that have a tie to it, current. */
  readonly #holders = new Map<EntityId, Set<EntityId>>();
  /** All current pins of which a reason has, or had, a distance. */
  readonly limitedPins = new Set<Pin>();
  /** The ties of the last tick, and the current ones, whether a tick is under way or not. */
  readonly stood: TiesAt = {
    pinsOf: (watcher) => (this.#before.get(watcher) ?? { pins: this.#pins.get(watcher) }).pins,
    blocksOf: (watcher) => (this.#before.get(watcher) ?? { blocks: this.#blocks.get(watcher) }).blocks,
  };
  readonly current: TiesAt = {
    pinsOf: (watcher) => this.#pins.get(watcher),
    blocksOf: (watcher) => this.#blocks.get(watcher),
  };
  #isUnderWay = false;

  get memoryBytes(): number {
    let bytes = mapBytes(this.#pins.size) + mapBytes(this.#blocks.size) + mapBytes(this.#holders.size);
    for (const pins of this.#pins.values()) bytes += pinBytes(pins);
    for (const blocks of this.#blocks.values()) bytes += setBytes(blocks.size);
    for (const holders of this.#holders.values()) bytes += setBytes(holders.size);
    for (const { pins, blocks } of this.#before.values()) {
      bytes += BEFORE_BYTES + pinBytes(pins) + (blocks === undefined ? 0 : setBytes(blocks.size));
    }
    return bytes + mapBytes(this.#before.size) + setBytes(this.limitedPins.size);
  }

  /** Adds a reason. If the reason exists, its limits are replaced. */
  pin(watcher: EntityId, marker: EntityId, given: PinReason): void {
    const known = this.#pins.get(watcher)?.get(marker);
    const before = known?.reasons.get(given.reason);
    if (before !== undefined && isSamePin(before, given)) return;
    const pin = this.#changing(watcher, known ?? new Pin(watcher, marker));
    pin.set(given);
    if (given.within < Number.POSITIVE_INFINITY) this.limitedPins.add(pin);
    if (known === undefined) this.#addHolder(watcher, marker);
  }

  /** Removes one reason. Does nothing if it does not exist, or an id is stale. */
  unpin(watcher: EntityId, marker: EntityId, reason: string): void {
    const known = this.#pins.get(watcher)?.get(marker);
    if (known?.reasons.has(reason) !== true) return;
    const pin = this.#changing(watcher, known);
    pin.delete(reason);
    if (pin.reasons.size > 0) return;
    this.#dropPin(watcher, marker);
    this.#releaseHolder(watcher, marker);
  }

  block(watcher: EntityId, marker: EntityId): void {
    if (this.#blocks.get(watcher)?.has(marker) === true) return;
    this.#keepBefore(watcher);
    const blocks = this.#blocks.get(watcher) ?? new Set<EntityId>();
    this.#blocks.set(watcher, blocks.add(marker));
    this.#addHolder(watcher, marker);
  }

  unblock(watcher: EntityId, marker: EntityId): void {
    if (this.#blocks.get(watcher)?.has(marker) !== true) return;
    this.#keepBefore(watcher);
    const blocks = this.#blocks.get(watcher) as Blocks;
    blocks.delete(marker);
    if (blocks.size === 0) this.#blocks.delete(watcher);
    this.#releaseHolder(watcher, marker);
  }

  /** Drops all ties of an entity that is removed, on both sides. */
  remove(id: EntityId): void {
    const [pins, blocks, holders] = [this.#pins.get(id), this.#blocks.get(id), this.#holders.get(id)];
    if (pins !== undefined || blocks !== undefined) {
      this.#keepBefore(id);
      const pinned = [...(pins?.keys() ?? [])];
      for (const marker of pinned) this.#dropPin(id, marker);
      this.#blocks.delete(id);
      for (const marker of [...pinned, ...(blocks ?? [])]) this.#releaseHolder(id, marker);
    }
    for (const holder of holders ?? []) {
      this.#keepBefore(holder);
      this.#dropPin(holder, id);
      const blocked = this.#blocks.get(holder);
      if (blocked?.delete(id) === true && blocked.size === 0) this.#blocks.delete(holder);
    }
    this.#holders.delete(id);
  }

  /**
   * Visits the ids of watchers that have a tie to a marker, now or at the last tick. Some may be visited
   * twice.
   */
  eachHolder(marker: EntityId, visit: (watcher: EntityId) => void): void {
    for (const holder of this.#holders.get(marker) ?? []) visit(holder);
    for (const [watcher, { pins, blocks }] of this.#before) {
      if (pins?.has(marker) === true || blocks?.has(marker) === true) visit(watcher);
    }
  }

  /**
   * Start of the tick: until `commit` or `abort`, queries use the current ties. Returns the watchers whose
   * ties changed.
   */
  begin(): { readonly size: number; keys(): Iterable<EntityId> } {
    this.#isUnderWay = true;
    return this.#before;
  }

  /**
   * Visits the markers to which a watcher's ties changed since the last tick. Removed markers are included; some may be visited
   * twice, and some without a change.
   */
  eachChanged(watcher: EntityId, visit: (marker: EntityId) => void): void {
    const before = this.#before.get(watcher);
    if (before === undefined) return;
    const [pins, blocks] = [this.#pins.get(watcher), this.#blocks.get(watcher)];
    for (const [marker, pin] of before.pins ?? []) if (pins?.get(marker) !== pin) visit(marker);
    for (const [marker, pin] of pins ?? []) if (before.pins?.get(marker) !== pin) visit(marker);
    for (const marker of before.blocks ?? []) if (blocks?.has(marker) !== true) visit(marker);
    for (const marker of blocks ?? []) if (before.blocks?.has(marker) !== true) visit(marker);
  }

  /** The watchers that now have a tie to a marker. */
  holdersOf(marker: EntityId): Iterable<EntityId> {
    return this.#holders.get(marker) ?? [];
  }

  /** The tick succeeded: the current ties are those of the last tick. */
  commit(): void {
    this.#isUnderWay = false;
    this.#before.clear();
  }

  /** The tick failed. */
  abort(): void {
    this.#isUnderWay = false;
  }

  /** Whether there are no ties, neither current ones nor of the last tick. */
  get areNoneEver(): boolean {
    return this.isNone && this.#before.size === 0;
  }

  /** Whether there are no current ties. */
  get isNone(): boolean {
    return this.#pins.size === 0 && this.#blocks.size === 0;
  }

  /**
   * The markers that a watcher has pinned, with the reasons, as of the last tick or the one under way;
   * `undefined`: none.
   */
  pinsOf(watcher: EntityId): ReadonlyMap<EntityId, Pin> | undefined {
    return (this.#isUnderWay ? this.current : this.stood).pinsOf(watcher);
  }

  /** The current pins, by watcher. */
  get pinned(): Iterable<readonly [watcher: EntityId, pins: ReadonlyMap<EntityId, Pin>]> {
    return this.#pins;
  }

  /** Whether an entity (a slot) is a watcher now: it has a range or a pin, and is not at rest. */
  isWatcher({ now, ids }: EntityStore, slot: number): boolean {
    return now.perceives(slot) || (!now.isResting(slot) && this.pinsOf(ids.idOf[slot]) !== undefined);
  }

  /**
   * Whether a watcher has a pin with a rate above 1, whether the pin holds or not. As of the last tick or the
   * one under way.
   */
  hasPinRates(watcher: EntityId): boolean {
    for (const { reasons } of this.pinsOf(watcher)?.values() ?? [])
      for (const { everyTicks } of reasons.values()) if (everyTicks > 1) return true;
    return false;
  }

  blocksOf(watcher: EntityId): ReadonlySet<EntityId> | undefined {
    return (this.#isUnderWay ? this.current : this.stood).blocksOf(watcher);
  }

  /** Writes pins with their reasons, blocks, and the ties of the last tick where these may differ. */
  save(writer: ByteWriter): void {
    writer.u32(this.#pins.size);
    for (const [watcher, pins] of this.#pins) {
      writer.u32(watcher);
      savePins(writer, pins);
    }
    writer.u32(this.#blocks.size);
    for (const [watcher, blocks] of this.#blocks) {
      writer.u32(watcher);
      writer.column(Uint32Array.from(blocks));
    }
    writer.u32(this.#before.size);
    for (const [watcher, { pins, blocks }] of this.#before) {
      writer.u32(watcher);
      savePins(writer, pins ?? new Map());
      writer.column(Uint32Array.from(blocks ?? []));
    }
  }

  /** Into a new instance; the population was loaded. */
  load(reader: ByteReader, store: EntityStore): void {
    const { ids, slotCount } = store;
    const isPresent = (id: EntityId) => store.has(id);
    // An entity of the last tick may be removed by now, but its slot is not reused yet.
    const isKnown = (id: EntityId) => id >>> 10 < slotCount && ids.idOf[id >>> 10] === id;
    const watcherThat = (isSo: (id: EntityId) => boolean) => {
      const watcher = reader.u32();
      reader.check(isSo(watcher), 'the id of an entity');
      store.watchers.add(watcher >>> 10);
      return watcher;
    };
    for (let pinning = reader.u32(); pinning > 0; pinning--) {
      const watcher = watcherThat(isPresent);
      for (const [marker, { reasons }] of loadPins(reader, watcher, isPresent)) {
        for (const reason of reasons.values()) this.pin(watcher, marker, reason);
      }
    }
    for (let blocking = reader.u32(); blocking > 0; blocking--) {
      const watcher = watcherThat(isPresent);
      for (const marker of loadBlocks(reader, watcher, isPresent)) this.block(watcher, marker);
    }
    this.commit();
    for (let changed = reader.u32(); changed > 0; changed--) {
      const watcher = watcherThat(isKnown);
      this.#keepBefore(watcher);
      const pins = loadPins(reader, watcher, isKnown);
      const blocks = new Set(loadBlocks(reader, watcher, isKnown));
      this.#before.set(watcher, {
        pins: pins.size === 0 ? undefined : pins,
        blocks: blocks.size === 0 ? undefined : blocks,
      });
    }
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    const isHeld = (watcher: EntityId, marker: EntityId) => this.#holders.get(marker)?.has(watcher) === true;
    let held = 0;
    let limited = 0;
    for (const [watcher, pins] of this.#pins) {
      for (const [marker, pin] of pins) {
        assert(pin.reasons.size > 0 && isHeld(watcher, marker), 'a pin has a reason and a holder');
        const isListed = this.limitedPins.has(pin);
        assert(isListed || pin.within === Number.POSITIVE_INFINITY, 'pins with a distance are listed');
        held++;
        if (isListed) limited++;
      }
    }
    assert(limited === this.limitedPins.size, 'only current pins are listed');
    for (const [watcher, blocks] of this.#blocks) {
      for (const marker of blocks) {
        assert(isHeld(watcher, marker), 'a block has a holder');
        if (this.#pins.get(watcher)?.has(marker) !== true) held++;
      }
    }
    for (const { size } of this.#holders.values()) held -= size;
    assert(held === 0, 'holders of ties are listed by marker');
    assert(!this.#isUnderWay, 'no tick is under way');
  }

  /**
   * Before the ties of a watcher change for the first time in a tick: keeps them, and makes a copy for the
   * change.
   */
  #keepBefore(watcher: EntityId): void {
    if (this.#before.has(watcher)) return;
    const [pins, blocks] = [this.#pins.get(watcher), this.#blocks.get(watcher)];
    this.#before.set(watcher, { pins, blocks });
    if (pins !== undefined) this.#pins.set(watcher, new Map(pins));
    if (blocks !== undefined) this.#blocks.set(watcher, new Set(blocks));
  }

  /** The pin of a watcher that is to be changed: a copy, if it is still as at the last tick. */
  #changing(watcher: EntityId, pin: Pin): Pin {
    this.#keepBefore(watcher);
    const pins = this.#pins.get(watcher) ?? new Map<EntityId, Pin>();
    this.#pins.set(watcher, pins);
    const mine = this.#before.get(watcher)?.pins?.get(pin.marker) === pin ? pin.copy() : pin;
    pins.set(pin.marker, mine);
    if (mine !== pin && this.limitedPins.delete(pin)) this.limitedPins.add(mine);
    return mine;
  }

  /** Removes a pin, if it exists, with all of its reasons. */
  #dropPin(watcher: EntityId, marker: EntityId): void {
    const pins = this.#pins.get(watcher);
    const pin = pins?.get(marker);
    if (pins === undefined || pin === undefined) return;
    pins.delete(marker);
    this.limitedPins.delete(pin);
    if (pins.size === 0) this.#pins.delete(watcher);
  }

  #addHolder(watcher: EntityId, marker: EntityId): void {
    const holders = this.#holders.get(marker);
    if (holders === undefined) this.#holders.set(marker, new Set([watcher]));
    else holders.add(watcher);
  }

  #releaseHolder(watcher: EntityId, marker: EntityId): void {
    const isTied =
      this.#pins.get(watcher)?.has(marker) === true || this.#blocks.get(watcher)?.has(marker) === true;
    if (isTied) return;
    const holders = this.#holders.get(marker);
    if (holders?.delete(watcher) === true && holders.size === 0) this.#holders.delete(marker);
  }
}

/** Estimated bytes of an object with two members. */
const BEFORE_BYTES = 40;
/** Estimated bytes of a pin with one reason, and of the table of its reasons. The text itself is mostly shared by many. */
const PIN_BYTES = 120 + mapBytes(1);

function isSamePin(one: PinReason, other: PinReason): boolean {
  return one.within === other.within && one.everyTicks === other.everyTicks;
}

function pinBytes(pins: Pins | undefined): number {
  return pins === undefined ? 0 : mapBytes(pins.size) + PIN_BYTES * pins.size;
}

function savePins(writer: ByteWriter, pins: Pins): void {
  writer.u32(pins.size);
  for (const [marker, { reasons }] of pins) {
    writer.u32(marker);
    writer.u32(reasons.size);
    for (const reason of reasons.values()) savePinReason(writer, reason);
  }
}

function loadPins(reader: ByteReader, watcher: EntityId, isSo: (id: EntityId) => boolean): Pins {
  const pins: Pins = new Map();
  for (let left = reader.u32(); left > 0; left--) {
    const marker = reader.u32();
    reader.check(isSo(marker) && marker !== watcher && !pins.has(marker), 'a marker that is pinned once');
    const pin = new Pin(watcher, marker);
    let count = reader.u32();
    reader.check(count > 0, 'a reason');
    for (; count > 0; count--) pin.set(loadPinReason(reader));
    pins.set(marker, pin);
  }
  return pins;
}

function loadBlocks(
  reader: ByteReader,
  watcher: EntityId,
  isSo: (id: EntityId) => boolean,
): readonly EntityId[] {
  const blocks = reader.column('u32');
  const areMarkers = blocks.every((marker) => isSo(marker) && marker !== watcher);
  reader.check(areMarkers, 'markers that are blocked');
  return [...blocks];
}
