/**
 * Pins and blocks: pairs that relate, or never do, because someone said so.
 *
 * A pin holds while any reason does; reasons are a set, so losing one of two hides nobody. What is said takes effect
 * with the next tick; until then answers go by what stood at the last one, so each watcher whose ties change keeps the
 * settled ones beside them. Ties are by id: one to an entity that is gone can never be taken for another's.
 *
 * Memory: an entry a tie, and one a tie on the marker's side, from which both are found when it is removed.
 */
import type { EntityId } from '../entities/entity-ids.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { ByteReader } from '../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../recording/bytes/byte-writer.ts';

/** Reasons of each pin, by marker. */
type Pins = Map<EntityId, Set<string>>;
type Blocks = Set<EntityId>;

const NO_PINS: ReadonlySet<EntityId> = new Set();

export class Ties {
  /** By watcher, now. */
  readonly #pins = new Map<EntityId, Pins>();
  readonly #blocks = new Map<EntityId, Blocks>();
  /** By watcher, as of the last tick. */
  readonly #settledPins = new Map<EntityId, ReadonlySet<EntityId>>();
  readonly #settledBlocks = new Map<EntityId, ReadonlySet<EntityId>>();
  /** By marker: the watchers that have a tie to it. */
  readonly #holders = new Map<EntityId, Set<EntityId>>();
  readonly #changed = new Set<EntityId>();

  pin(watcher: EntityId, marker: EntityId, reason: string): void {
    const pins = this.#pins.get(watcher) ?? new Map<EntityId, Set<string>>();
    this.#pins.set(watcher, pins);
    const reasons = pins.get(marker);
    if (reasons !== undefined) {
      reasons.add(reason);
      return;
    }
    pins.set(marker, new Set([reason]));
    this.#note(watcher, marker);
  }

  /** Undoes one reason; one that does not hold, or ids that are gone, change nothing. */
  unpin(watcher: EntityId, marker: EntityId, reason: string): void {
    const pins = this.#pins.get(watcher);
    const reasons = pins?.get(marker);
    if (pins === undefined || reasons === undefined || !reasons.delete(reason) || reasons.size > 0) return;
    pins.delete(marker);
    if (pins.size === 0) this.#pins.delete(watcher);
    this.#release(watcher, marker);
  }

  block(watcher: EntityId, marker: EntityId): void {
    const blocks = this.#blocks.get(watcher) ?? new Set<EntityId>();
    this.#blocks.set(watcher, blocks);
    if (blocks.has(marker)) return;
    blocks.add(marker);
    this.#note(watcher, marker);
  }

  unblock(watcher: EntityId, marker: EntityId): void {
    const blocks = this.#blocks.get(watcher);
    if (blocks === undefined || !blocks.delete(marker)) return;
    if (blocks.size === 0) this.#blocks.delete(watcher);
    this.#release(watcher, marker);
  }

  /** Drops all ties of an entity that is removed, on both sides. */
  remove(id: EntityId): void {
    for (const marker of this.#pins.get(id)?.keys() ?? []) this.#holders.get(marker)?.delete(id);
    for (const marker of this.#blocks.get(id) ?? []) this.#holders.get(marker)?.delete(id);
    if (this.#pins.delete(id)) this.#changed.add(id);
    if (this.#blocks.delete(id)) this.#changed.add(id);
    for (const holder of this.#holders.get(id) ?? []) {
      this.#changed.add(holder);
      const pins = this.#pins.get(holder);
      if (pins?.delete(id) === true && pins.size === 0) this.#pins.delete(holder);
      const blocks = this.#blocks.get(holder);
      if (blocks?.delete(id) === true && blocks.size === 0) this.#blocks.delete(holder);
    }
    this.#holders.delete(id);
  }

  /** Makes what stands now what stood at the last tick; answers the watchers whose ties changed. */
  settle(): ReadonlySet<EntityId> {
    if (this.#changed.size === 0) return NO_PINS;
    const changed = new Set(this.#changed);
    for (const watcher of changed) {
      const pins = this.#pins.get(watcher);
      if (pins === undefined) this.#settledPins.delete(watcher);
      else this.#settledPins.set(watcher, new Set(pins.keys()));
      const blocks = this.#blocks.get(watcher);
      if (blocks === undefined) this.#settledBlocks.delete(watcher);
      else this.#settledBlocks.set(watcher, new Set(blocks));
    }
    this.#changed.clear();
    return changed;
  }

  /** The markers that a watcher has pinned, as of the last tick settled; `undefined`: none. */
  pinsOf(watcher: EntityId): ReadonlySet<EntityId> | undefined {
    return this.#settledPins.get(watcher);
  }

  blocksOf(watcher: EntityId): ReadonlySet<EntityId> | undefined {
    return this.#settledBlocks.get(watcher);
  }

  /** Why the pin holds now: its reasons, in the order in which they were given. */
  reasonsOf(watcher: EntityId, marker: EntityId): readonly string[] {
    return [...(this.#pins.get(watcher)?.get(marker) ?? [])];
  }

  /** Pins with their reasons, blocks, and what stood at the last tick where that differs. */
  save(writer: ByteWriter): void {
    writer.u32(this.#pins.size);
    for (const [watcher, pins] of this.#pins) {
      writer.u32(watcher);
      writer.u32(pins.size);
      for (const [marker, reasons] of pins) {
        writer.u32(marker);
        writer.texts([...reasons]);
      }
    }
    writer.u32(this.#blocks.size);
    for (const [watcher, blocks] of this.#blocks) {
      writer.u32(watcher);
      writer.column(Uint32Array.from(blocks));
    }
    writer.u32(this.#changed.size);
    for (const watcher of this.#changed) {
      writer.u32(watcher);
      writer.column(Uint32Array.from(this.#settledPins.get(watcher) ?? []));
      writer.column(Uint32Array.from(this.#settledBlocks.get(watcher) ?? []));
    }
  }

  /** Into ties that were never used; the population was loaded. */
  load(reader: ByteReader, store: EntityStore): void {
    const present = () => {
      const id = reader.u32();
      reader.check(store.has(id), 'the id of one who is present');
      return id;
    };
    for (let pinning = reader.u32(); pinning > 0; pinning--) {
      const watcher = present();
      for (let pins = reader.u32(); pins > 0; pins--) {
        const marker = present();
        for (let reasons = reader.u32(); reasons > 0; reasons--) this.pin(watcher, marker, reader.text());
      }
    }
    for (let blocking = reader.u32(); blocking > 0; blocking--) {
      const watcher = present();
      for (const marker of reader.column('u32')) {
        reader.check(store.has(marker), 'ids of those who are present');
        this.block(watcher, marker);
      }
    }
    this.settle();
    for (let changed = reader.u32(); changed > 0; changed--) {
      const watcher = reader.u32();
      this.#changed.add(watcher);
      const [pins, blocks] = [new Set(reader.column('u32')), new Set(reader.column('u32'))];
      if (pins.size > 0) this.#settledPins.set(watcher, pins);
      else this.#settledPins.delete(watcher);
      if (blocks.size > 0) this.#settledBlocks.set(watcher, blocks);
      else this.#settledBlocks.delete(watcher);
    }
  }

  #note(watcher: EntityId, marker: EntityId): void {
    this.#changed.add(watcher);
    const holders = this.#holders.get(marker);
    if (holders === undefined) this.#holders.set(marker, new Set([watcher]));
    else holders.add(watcher);
  }

  #release(watcher: EntityId, marker: EntityId): void {
    this.#changed.add(watcher);
    const isTied =
      this.#pins.get(watcher)?.has(marker) === true || this.#blocks.get(watcher)?.has(marker) === true;
    if (isTied) return;
    const holders = this.#holders.get(marker);
    if (holders?.delete(watcher) === true && holders.size === 0) this.#holders.delete(marker);
  }
}
