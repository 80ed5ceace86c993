/**
 * Memory of those that went: who lost a seat by going out of perception and is back soon counts as seated before, so that
 * a pillar between two people does not cost one of them his seat.
 *
 * Use it with a cap, where sight is broken often. A watcher remembers at most as many as its cap; the oldest are forgotten
 * first, of one tick the higher ids. Whoever is a candidate again is struck off, seated or not.
 *
 * Memory: an entry for each that is remembered, 8 bytes a slot up to twice the last that remembers. Cost: a look-up for each candidate that is
 * new.
 */
import { grown } from '../../columns.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import type { ByteReader } from '../../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../../recording/bytes/byte-writer.ts';
import { mapBytes } from '../table/collection-bytes.ts';
import { loadTicks, saveTicks } from './stored-ticks.ts';

/** What one watcher remembers: the tick at which each marker was lost. */
export type LostSeats = ReadonlyMap<EntityId, number>;

/** What the tick under way does to memory when it stands. */
export class MemoryNotes {
  /** Watcher's slot, marker's id, 1 where it was lost and 0 where it is back. */
  #notes: number[] = [];

  note(watcher: number, marker: EntityId, isLost: boolean): void {
    this.#notes.push(watcher, marker, isLost ? 1 : 0);
  }

  clear(): void {
    this.#notes = [];
  }

  /** Writes it into the memory. `trim`: of a watcher that lost somebody, once or more. */
  commit(memory: SeatMemory, tick: number, trim: (watcher: number) => void): void {
    const notes = this.#notes;
    if (notes.length === 0) return;
    for (let i = 0; i < notes.length; i += 3) {
      if (notes[i + 2] === 1) memory.remember(notes[i], notes[i + 1], tick);
      else memory.strike(notes[i], notes[i + 1]);
    }
    let trimmed = -1;
    for (let i = 0; i < notes.length; i += 3) {
      if (notes[i + 2] === 0 || notes[i] === trimmed) continue;
      trimmed = notes[i];
      trim(trimmed);
    }
    this.clear();
  }
}

export class SeatMemory {
  /** By watcher's slot: the tick at which each marker was lost, in ascending order of these ticks. */
  readonly #lost = new Map<number, Map<EntityId, number>>();
  /** By watcher's slot, as far as any remembers: see `awayUntil`; below 0 for one that remembers nobody. */
  #awayUntil = new Float64Array(0);

  get memoryBytes(): number {
    let bytes = mapBytes(this.#lost.size) + this.#awayUntil.byteLength;
    for (const lost of this.#lost.values()) bytes += mapBytes(lost.size);
    return bytes;
  }

  /** The tick at which the watcher lost the marker; `undefined` when it remembers none. */
  lostAt(watcher: number, marker: EntityId): number | undefined {
    return this.#lost.get(watcher)?.get(marker);
  }

  /** The ids that the watcher remembers. */
  markersOf(watcher: number): Iterable<EntityId> {
    return this.#lost.get(watcher)?.keys() ?? [];
  }

  /** Whether nobody remembers anyone. */
  get isNone(): boolean {
    return this.#lost.size === 0;
  }

  isEmpty(watcher: number): boolean {
    // Nor does any behind the last.
    return !(this.#awayUntil[watcher] >= 0);
  }

  /**
   * World units of travel (searched/seat-search.ts): until then nobody whom the watcher remembers can be perceived. 0: not known, as after
   * it has lost one more.
   */
  awayUntil(watcher: number): number {
    return this.#awayUntil[watcher];
  }

  /** Of one that remembers somebody. */
  noteAway(watcher: number, until: number): void {
    this.#awayUntil[watcher] = until;
  }

  /** Notes that the watcher lost the marker at `tick`. */
  remember(watcher: number, marker: EntityId, tick: number): void {
    const lost = this.#lost.get(watcher) ?? new Map<EntityId, number>();
    this.#set(watcher, lost);
    lost.delete(marker);
    lost.set(marker, tick);
  }

  strike(watcher: number, marker: EntityId): void {
    const lost = this.#lost.get(watcher);
    if (lost?.delete(marker) === true && lost.size === 0) this.forgetWatcher(watcher);
  }

  /**
   * Forgets the markers that the watcher lost before a tick: they count as seated no more. They are the first that `trim` would forget, so
   * it makes no difference when they are forgotten.
   */
  expire(watcher: number, before: number): void {
    const lost = this.#lost.get(watcher);
    if (lost === undefined) return;
    for (const [marker, lostAt] of lost) {
      if (lostAt >= before) break;
      lost.delete(marker);
    }
    if (lost.size === 0) this.forgetWatcher(watcher);
  }

  /** Where it remembers more than `most`: forgets who is gone, then the oldest beyond it. */
  trim(watcher: number, most: number, isPresent: (marker: EntityId) => boolean): void {
    const lost = this.#lost.get(watcher);
    if (lost === undefined || lost.size <= most) return;
    for (const marker of lost.keys()) if (!isPresent(marker)) lost.delete(marker);
    if (lost.size > most) {
      const order = [...lost].sort(([a, atA], [b, atB]) => atA - atB || b - a);
      for (const [marker] of order.slice(0, lost.size - most)) lost.delete(marker);
    }
    if (lost.size === 0) this.forgetWatcher(watcher);
  }

  forgetWatcher(watcher: number): void {
    if (this.#lost.delete(watcher)) this.#awayUntil[watcher] = -1;
  }

  /** What the watcher remembers, for `giveBack`. */
  copyOf(watcher: number): LostSeats | undefined {
    const lost = this.#lost.get(watcher);
    return lost === undefined ? undefined : new Map(lost);
  }

  /** Forgets all that the watcher remembers, and answers it for `giveBack`. */
  take(watcher: number): LostSeats | undefined {
    const lost = this.#lost.get(watcher);
    this.forgetWatcher(watcher);
    return lost;
  }

  giveBack(watcher: number, lost: LostSeats): void {
    this.#set(watcher, lost as Map<EntityId, number>);
  }

  save(writer: ByteWriter): void {
    saveTicks(writer, this.#lost);
  }

  /** Into a memory that was never used; the population was loaded. `tickCount`: ticks that are over. */
  load(reader: ByteReader, store: EntityStore, tickCount: number): void {
    // Whom it lost may be gone since long, and the slot another's.
    const isMarker = (marker: EntityId) => marker >>> 10 < store.slotCount;
    for (const [watcher, lost] of loadTicks(reader, store, tickCount, isMarker)) this.giveBack(watcher, lost);
  }

  #set(watcher: number, lost: Map<EntityId, number>): void {
    this.#lost.set(watcher, lost);
    if (watcher >= this.#awayUntil.length) this.#awayUntil = grown(this.#awayUntil, 2 * watcher + 64, -1);
    this.#awayUntil[watcher] = 0;
  }
}
