/**
 * Memory: a marker that lost its seat because it was no longer perceived, and that is perceived again soon, counts as an
 * incumbent. So a pillar between two entities does not cost a seat.
 *
 * Use it with a cap, where perception is interrupted often. A watcher remembers at most as many markers as its cap. It
 * forgets the oldest first, and among those of one tick the higher ids. A marker that is a candidate again is struck off,
 * whether it gets a seat or not.
 *
 * Memory: an entry for each remembered marker, 20 bytes a slot up to twice the highest slot that remembers. Cost: a lookup
 * for each new candidate.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { grown } from '../../columns.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { mapBytes } from '../table/collection-bytes.ts';
import { loadTicks, saveTicks } from './stored-ticks.ts';

/** What one watcher remembers: the tick at which each marker was lost. */
export type LostSeats = ReadonlyMap<EntityId, number>;

/** What the tick under way changes in the memory, if it succeeds. */
export class MemoryNotes {
  /** Watcher's slot, marker's id, 1 if the marker was lost and 0 if it is perceived again; in turn. */
  #notes: number[] = [];

  note(watcher: number, marker: EntityId, isLost: boolean): void {
    this.#notes.push(watcher, marker, isLost ? 1 : 0);
  }

  clear(): void {
    this.#notes = [];
  }

  /** Applies the notes. `trim`: called for each watcher that lost a marker, once or more. */
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
  /** By watcher's slot, see `awayUntil`; below 0 for a watcher that remembers no marker. */
  #awayUntil = new Float64Array(0);
  /** By watcher's slot: it lost no remembered marker before this tick. */
  #oldest = new Float64Array(0);
  /** By watcher's slot: how many markers it remembers, if any. */
  #counts = new Uint32Array(0);

  get memoryBytes(): number {
    let bytes = mapBytes(this.#lost.size) + this.#awayUntil.byteLength;
    bytes += this.#oldest.byteLength + this.#counts.byteLength;
    for (const lost of this.#lost.values()) bytes += mapBytes(lost.size);
    return bytes;
  }

  /** The tick at which the watcher lost the marker; `undefined` if it does not remember it. */
  lostAt(watcher: number, marker: EntityId): number | undefined {
    return this.#lost.get(watcher)?.get(marker);
  }

  /** The ids that the watcher remembers. */
  markersOf(watcher: number): Iterable<EntityId> {
    return this.#lost.get(watcher)?.keys() ?? [];
  }

  /** Slots of the watchers that remember a marker. */
  get watchers(): readonly number[] {
    return [...this.#lost.keys()];
  }

  /** Whether no watcher remembers a marker. */
  get isNone(): boolean {
    return this.#lost.size === 0;
  }

  isEmpty(watcher: number): boolean {
    // Slots beyond the end of the column remember none.
    return !(this.#awayUntil[watcher] >= 0);
  }

  /**
   * World units of travel (seats/seat-search.ts): until then, no remembered marker can be perceived. 0: not known, as after
   * another marker was lost.
   */
  awayUntil(watcher: number): number {
    return this.#awayUntil[watcher];
  }

  /** For a watcher that remembers a marker. */
  noteAway(watcher: number, until: number): void {
    this.#awayUntil[watcher] = until;
  }

  /** Notes that the watcher lost the marker at `tick`. */
  remember(watcher: number, marker: EntityId, tick: number): void {
    let lost = this.#lost.get(watcher);
    if (lost === undefined) {
      lost = new Map<EntityId, number>();
      this.#set(watcher, lost, tick);
    }
    this.#awayUntil[watcher] = 0;
    lost.delete(marker);
    lost.set(marker, tick);
    this.#counts[watcher] = lost.size;
  }

  strike(watcher: number, marker: EntityId): void {
    const lost = this.#lost.get(watcher);
    if (lost?.delete(marker) === true) this.#count(watcher, lost);
  }

  /**
   * Forgets the markers that the watcher lost before a tick: they no longer count as seated. They are the first that `trim`
   * would forget, so it does not matter when they are forgotten.
   */
  expire(watcher: number, before: number): void {
    if (this.isEmpty(watcher) || this.#oldest[watcher] >= before) return;
    const lost = this.#lost.get(watcher)!;
    for (const [marker, lostAt] of lost) {
      this.#oldest[watcher] = lostAt;
      if (lostAt >= before) break;
      lost.delete(marker);
    }
    this.#count(watcher, lost);
  }

  /** If the watcher remembers more than `most`: forgets removed markers, then the oldest until `most` are left. */
  trim(watcher: number, most: number, isPresent: (marker: EntityId) => boolean): void {
    if (this.isEmpty(watcher) || this.#counts[watcher] <= most) return;
    const lost = this.#lost.get(watcher)!;
    for (const marker of lost.keys()) if (!isPresent(marker)) lost.delete(marker);
    if (lost.size > most) {
      const order = [...lost].sort(([a, atA], [b, atB]) => atA - atB || b - a);
      for (const [marker] of order.slice(0, lost.size - most)) lost.delete(marker);
    }
    this.#count(watcher, lost);
  }

  forgetWatcher(watcher: number): void {
    if (this.#lost.delete(watcher)) this.#awayUntil[watcher] = -1;
  }

  /** A copy of what the watcher remembers, for `giveBack`. */
  copyOf(watcher: number): LostSeats | undefined {
    const lost = this.#lost.get(watcher);
    return lost === undefined ? undefined : new Map(lost);
  }

  /** Forgets all that the watcher remembers, and returns it for `giveBack`. */
  take(watcher: number): LostSeats | undefined {
    const lost = this.#lost.get(watcher);
    this.forgetWatcher(watcher);
    return lost;
  }

  giveBack(watcher: number, lost: LostSeats): void {
    this.#set(watcher, lost as Map<EntityId, number>, 0);
  }

  save(writer: ByteWriter): void {
    saveTicks(writer, this.#lost);
  }

  /** Into a new instance; the population was loaded. `tickCount`: finished ticks. */
  load(reader: ByteReader, store: EntityStore, tickCount: number): void {
    // A lost marker may have been removed long ago, and its slot may belong to another entity.
    const isMarker = (marker: EntityId) => marker >>> 10 < store.slotCount;
    for (const [watcher, lost] of loadTicks(reader, store, tickCount, isMarker)) this.giveBack(watcher, lost);
  }

  #set(watcher: number, lost: Map<EntityId, number>, oldest: number): void {
    this.#lost.set(watcher, lost);
    if (watcher >= this.#awayUntil.length) {
      this.#awayUntil = grown(this.#awayUntil, 2 * watcher + 64, -1);
      this.#oldest = grown(this.#oldest, 2 * watcher + 64);
      this.#counts = grown(this.#counts, 2 * watcher + 64);
    }
    this.#awayUntil[watcher] = 0;
    this.#oldest[watcher] = oldest;
    this.#counts[watcher] = lost.size;
  }

  /** After markers were struck off. */
  #count(watcher: number, { size }: LostSeats): void {
    this.#counts[watcher] = size;
    if (size === 0) this.forgetWatcher(watcher);
  }
}
