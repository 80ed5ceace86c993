/**
 * Pins and blocks: pairs that relate, or never do, because someone said so.
 *
 * A pin holds while any reason does; reasons are a set, so losing one of two hides nobody. What is said takes effect
 * with the next tick; until then answers go by what stood at the last one, so of each watcher whose ties change, what
 * stood is kept beside. A tick under way goes by what stands now, and only `commit` forgets what stood. Ties are by id: one
 * to an entity that is gone can never be taken for another's.
 *
 * Memory: an entry a tie, and one a tie on the marker's side, from which both are found when it is removed. Cost: a copy of
 * a watcher's ties at its first change in a tick.
 */
import type { EntityId } from '../../entities/entity-ids.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { assert } from '../../errors.ts';
import type { ByteReader } from '../../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../../recording/bytes/byte-writer.ts';
import { mapBytes, setBytes } from '../table/collection-bytes.ts';
import { loadPinReason, type PinReason, savePinReason } from './pin-reasons.ts';

/** Reasons of each pin, in the order in which they were given, by marker. A list is never changed. */
type Pins = Map<EntityId, readonly PinReason[]>;
type Blocks = Set<EntityId>;

/** All ties of one watcher; `undefined`: none of that kind. */
interface TiesOfOne {
  readonly pins: Pins | undefined;
  readonly blocks: Blocks | undefined;
}

export class Ties {
  /** By watcher, now. */
  readonly #pins = new Map<EntityId, Pins>();
  readonly #blocks = new Map<EntityId, Blocks>();
  /** As of the last tick, by watcher, of those whose ties were changed since. */
  readonly #before = new Map<EntityId, TiesOfOne>();
  /** By marker: the watchers that have a tie to it. */
  readonly #holders = new Map<EntityId, Set<EntityId>>();
  #isUnderWay = false;

  get memoryBytes(): number {
    let bytes = mapBytes(this.#pins.size) + mapBytes(this.#blocks.size) + mapBytes(this.#holders.size);
    for (const pins of this.#pins.values()) bytes += pinBytes(pins);
    for (const blocks of this.#blocks.values()) bytes += setBytes(blocks.size);
    for (const holders of this.#holders.values()) bytes += setBytes(holders.size);
    for (const { pins, blocks } of this.#before.values()) {
      bytes += BEFORE_BYTES + pinBytes(pins) + (blocks === undefined ? 0 : setBytes(blocks.size));
    }
    return bytes + mapBytes(this.#before.size);
  }

  /** One that is given again holds by its new limits. */
  pin(watcher: EntityId, marker: EntityId, given: PinReason): void {
    const reasons = this.#pins.get(watcher)?.get(marker);
    const known = reasons?.findIndex(({ reason }) => reason === given.reason) ?? -1;
    if (reasons !== undefined && known >= 0 && isSamePin(reasons[known], given)) return;
    this.#keepBefore(watcher);
    const pins = this.#pins.get(watcher) ?? new Map<EntityId, readonly PinReason[]>();
    const others = reasons ?? [];
    this.#pins.set(watcher, pins.set(marker, known < 0 ? [...others, given] : others.with(known, given)));
    if (reasons === undefined) this.#addHolder(watcher, marker);
  }

  /** Undoes one reason; one that does not hold, or ids that are gone, change nothing. */
  unpin(watcher: EntityId, marker: EntityId, reason: string): void {
    const reasons = this.#pins.get(watcher)?.get(marker);
    const others = reasons?.filter((other) => other.reason !== reason);
    if (others === undefined || others.length === reasons?.length) return;
    this.#keepBefore(watcher);
    const pins = this.#pins.get(watcher) as Pins;
    if (others.length > 0) {
      pins.set(marker, others);
      return;
    }
    pins.delete(marker);
    if (pins.size === 0) this.#pins.delete(watcher);
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
      this.#pins.delete(id);
      this.#blocks.delete(id);
      for (const marker of [...(pins?.keys() ?? []), ...(blocks ?? [])]) this.#releaseHolder(id, marker);
    }
    for (const holder of holders ?? []) {
      this.#keepBefore(holder);
      const pinned = this.#pins.get(holder);
      if (pinned?.delete(id) === true && pinned.size === 0) this.#pins.delete(holder);
      const blocked = this.#blocks.get(holder);
      if (blocked?.delete(id) === true && blocked.size === 0) this.#blocks.delete(holder);
    }
    this.#holders.delete(id);
  }

  /** Visits the watchers that have a tie to a marker, now or at the last tick; some more than once. Ids. */
  eachHolder(marker: EntityId, visit: (watcher: EntityId) => void): void {
    for (const holder of this.#holders.get(marker) ?? []) visit(holder);
    for (const [watcher, { pins, blocks }] of this.#before) {
      if (pins?.has(marker) === true || blocks?.has(marker) === true) visit(watcher);
    }
  }

  /** A tick begins: until `commit` or `abort` answers go by what stands now. Answers the watchers whose ties changed. */
  begin(): { readonly size: number; keys(): Iterable<EntityId> } {
    this.#isUnderWay = true;
    return this.#before;
  }

  /** Visits the markers to which a watcher's ties may have changed since the last tick; removed ones too, some more than once. */
  eachChanged(watcher: EntityId, visit: (marker: EntityId) => void): void {
    const before = this.#before.get(watcher);
    if (before === undefined) return;
    for (const marker of before.pins?.keys() ?? []) visit(marker);
    for (const marker of before.blocks ?? []) visit(marker);
    for (const marker of this.#pins.get(watcher)?.keys() ?? []) visit(marker);
    for (const marker of this.#blocks.get(watcher) ?? []) visit(marker);
  }

  /** The watchers that have a tie to a marker now. */
  holdersOf(marker: EntityId): Iterable<EntityId> {
    return this.#holders.get(marker) ?? [];
  }

  /** The tick stands: what stands now is what stood at the last tick. */
  commit(): void {
    this.#isUnderWay = false;
    this.#before.clear();
  }

  /** The tick did not stand. */
  abort(): void {
    this.#isUnderWay = false;
  }

  /** Whether nobody has a tie, in the tick under way. */
  get isNone(): boolean {
    return this.#pins.size === 0 && this.#blocks.size === 0;
  }

  /** The markers that a watcher has pinned, with the reasons, as of the last tick or the one under way; `undefined`: none. */
  pinsOf(watcher: EntityId): ReadonlyMap<EntityId, readonly PinReason[]> | undefined {
    return (this.#stoodOf(watcher) ?? { pins: this.#pins.get(watcher) }).pins;
  }

  /** Whether a watcher has a pin with a rate that is not every tick, held or not; as of the same. */
  hasPinRates(watcher: EntityId): boolean {
    for (const reasons of this.pinsOf(watcher)?.values() ?? []) {
      if (reasons.some(({ everyTicks }) => everyTicks > 1)) return true;
    }
    return false;
  }

  /** Whether a watcher has a pin that holds only within a distance or has a rate, so that its whole row is decided. */
  hasLimits(watcher: EntityId): boolean {
    for (const reasons of this.pinsOf(watcher)?.values() ?? []) {
      if (reasons.some(({ within, everyTicks }) => everyTicks > 0 || within < Number.POSITIVE_INFINITY))
        return true;
    }
    return false;
  }

  blocksOf(watcher: EntityId): ReadonlySet<EntityId> | undefined {
    return (this.#stoodOf(watcher) ?? { blocks: this.#blocks.get(watcher) }).blocks;
  }

  /** Pins with their reasons, blocks, and what stood at the last tick where that may differ. */
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

  /** Into ties that were never used; the population was loaded. */
  load(reader: ByteReader, store: EntityStore): void {
    const { ids, slotCount } = store;
    const isPresent = (id: EntityId) => store.has(id);
    // Whoever was there at the last tick may be gone, but his slot is not another's yet.
    const isKnown = (id: EntityId) => id >>> 10 < slotCount && ids.idOf[id >>> 10] === id;
    const watcherThat = (isSo: (id: EntityId) => boolean) => {
      const watcher = reader.u32();
      reader.check(isSo(watcher), 'the id of an entity');
      return watcher;
    };
    for (let pinning = reader.u32(); pinning > 0; pinning--) {
      const watcher = watcherThat(isPresent);
      for (const [marker, reasons] of loadPins(reader, watcher, isPresent)) {
        for (const reason of reasons) this.pin(watcher, marker, reason);
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
    for (const [watcher, pins] of this.#pins) {
      for (const [marker, reasons] of pins) {
        assert(reasons.length > 0 && isHeld(watcher, marker), 'a pin has a reason and a holder');
        held++;
      }
    }
    for (const [watcher, blocks] of this.#blocks) {
      for (const marker of blocks) {
        assert(isHeld(watcher, marker), 'a block has a holder');
        if (this.#pins.get(watcher)?.has(marker) !== true) held++;
      }
    }
    for (const { size } of this.#holders.values()) held -= size;
    assert(held === 0, 'who holds ties is listed by marker');
    assert(!this.#isUnderWay, 'no tick is under way');
  }

  /** What stood at the last tick, where answers are to go by it and it may differ. */
  #stoodOf(watcher: EntityId): TiesOfOne | undefined {
    return this.#isUnderWay ? undefined : this.#before.get(watcher);
  }

  /** Before ties of a watcher change for the first time in a tick: what stands now becomes a copy of what stood. */
  #keepBefore(watcher: EntityId): void {
    if (this.#before.has(watcher)) return;
    const [pins, blocks] = [this.#pins.get(watcher), this.#blocks.get(watcher)];
    this.#before.set(watcher, { pins, blocks });
    if (pins !== undefined) this.#pins.set(watcher, new Map(pins));
    if (blocks !== undefined) this.#blocks.set(watcher, new Set(blocks));
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

/** Of an object with two members. */
const BEFORE_BYTES = 40;
/** Of a list of one reason with its limits; the text itself is mostly one that many share. */
const REASONS_BYTES = 104;

function isSamePin(one: PinReason, other: PinReason): boolean {
  return one.within === other.within && one.everyTicks === other.everyTicks;
}

function pinBytes(pins: Pins | undefined): number {
  return pins === undefined ? 0 : mapBytes(pins.size) + REASONS_BYTES * pins.size;
}

function savePins(writer: ByteWriter, pins: Pins): void {
  writer.u32(pins.size);
  for (const [marker, reasons] of pins) {
    writer.u32(marker);
    writer.u32(reasons.length);
    for (const reason of reasons) savePinReason(writer, reason);
  }
}

function loadPins(reader: ByteReader, watcher: EntityId, isSo: (id: EntityId) => boolean): Pins {
  const pins: Pins = new Map();
  for (let left = reader.u32(); left > 0; left--) {
    const marker = reader.u32();
    reader.check(isSo(marker) && marker !== watcher && !pins.has(marker), 'a marker that is pinned once');
    const reasons = new Map<string, PinReason>();
    let count = reader.u32();
    reader.check(count > 0, 'a reason');
    for (; count > 0; count--) {
      const reason = loadPinReason(reader);
      reasons.set(reason.reason, reason);
    }
    pins.set(marker, [...reasons.values()]);
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
