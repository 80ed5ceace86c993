/**
 * A log of recent changes of the seats of watchers without a row. From it, a row can be rebuilt as if it had
 * always existed: how long each seat is held, and which markers are remembered.
 *
 *   newest of w7 ---------------------------------+
 *   entries   | w7 took m3 | w2 lost m1 | ... | w7 lost m3 |      each has the distance to the watcher's entry before
 *
 * `minDwellTicks` and `memoryTicks` matter only when a cap is reached, and only as far as they look back.
 * Until then, their events are logged here in order, and read when a row is made. Rules that look back
 * farther than `MOST_TICKS` use rows, or a memory, from the beginning. Memory: 13 bytes an entry, for as many
 * ticks as the rules look back, and 8 bytes a slot. Cost: a few ns an entry; reading visits all entries of
 * one watcher.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { grown } from '../../columns.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import { NO_CAP } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { pendingWith, REMOVED } from '../../entities/pending.ts';
import type { ResolvedInterest } from '../rules/interest.ts';
import type { SeatMemory } from '../rules/seat-memory.ts';
import { mapBytes } from '../table/collection-bytes.ts';
import type { PairRows } from '../table/pair-rows.ts';

/**
 * Bits of an entry: the seat counts from its tick on; the marker is no longer remembered; it was lost from
 * perception.
 */
export const TOOK = 1;
export const BACK = 2;
export const LOST = 4;
const ALL_KINDS = TOOK | BACK | LOST;

/** Rules that look back at most this many ticks use the log. */
const MOST_TICKS = 64;
const FIRST_ENTRIES = 256;

/** Whether the log holds since when seats of such an interest are held. */
export function logsDwell({ minDwellTicks, mutual }: ResolvedInterest): boolean {
  return minDwellTicks > 0 && minDwellTicks <= MOST_TICKS && !mutual;
}

/** Whether the log holds which markers a watcher of such an interest remembers. */
export function logsMemory({ memoryTicks, mutual }: ResolvedInterest): boolean {
  return memoryTicks > 0 && memoryTicks <= MOST_TICKS && !mutual;
}

export class RecentSeats {
  readonly #store: EntityStore;
  /** By watcher's slot: 1 + the number of its newest entry, counted from the first ever; 0 for none. */
  #newest = new Float64Array(0);
  /** Entries, from number `#dropped` on. */
  #ids = new Uint32Array(FIRST_ENTRIES);
  #ticks = new Uint32Array(FIRST_ENTRIES);
  /** Distance back to the watcher's entry before; 0 for its first. */
  #steps = new Uint32Array(FIRST_ENTRIES);
  #kinds = new Uint8Array(FIRST_ENTRIES);
  #count = 0;
  #dropped = 0;
  /** Number of the first entry of each recent tick. */
  #begins: { readonly tick: number; readonly number: number }[] = [];
  /** By id: the tick of its removal, for recent ticks. */
  readonly #removed = new Map<EntityId, number>();
  /** Number of ticks that the rules look back. */
  #window = 0;
  /** Entries of the tick under way: watcher, id, kinds. */
  #notes: number[] = [];

  constructor(store: EntityStore) {
    this.#store = store;
  }

  get memoryBytes(): number {
    return 13 * this.#ids.length + this.#newest.byteLength + mapBytes(this.#removed.size);
  }

  /** To be called when changed interests were applied. */
  noteInterests(interests: readonly ResolvedInterest[]): void {
    this.#window = interests.reduce((longest, interest) => {
      const dwell = logsDwell(interest) ? interest.minDwellTicks : 0;
      return Math.max(longest, dwell, logsMemory(interest) ? interest.memoryTicks : 0);
    }, 0);
  }

  growSlots(capacity: number): void {
    this.#newest = grown(this.#newest, capacity);
  }

  /** Whether nothing is logged, and no interest needs a log. */
  get isIdle(): boolean {
    return this.#window === 0 && this.#count === 0;
  }

  /** The tick begins to decide. */
  begin(): void {
    this.#notes = [];
  }

  /** Logs what the tick under way does to a seat, if the tick succeeds. */
  note(watcher: number, id: EntityId, kinds: number): void {
    this.#notes.push(watcher, id, kinds);
  }

  /** The tick succeeded. Before rows are dropped. */
  commit(tick: number): void {
    if (this.isIdle) return;
    this.#expire(tick);
    this.#noteRemoved(tick);
    this.#begins.push({ tick, number: this.#dropped + this.#count });
    for (let i = 0; i < this.#notes.length; i += 3)
      this.#append(this.#notes[i], this.#notes[i + 1], this.#notes[i + 2], tick);
    this.#notes = [];
  }

  /** Logs the seats of a dropped row that are younger than `dwellTicks`. After `commit`. */
  noteRow(watcher: number, pairs: PairRows, dwellTicks: number, tick: number): void {
    const { start, size, marker, since } = pairs;
    for (let i = start[watcher]; dwellTicks > 0 && i < start[watcher] + size[watcher]; i++) {
      if (tick - since[i] < dwellTicks)
        this.#append(watcher, this.#store.ids.idOf[marker[i]], TOOK, since[i]);
    }
  }

  /** Appends an entry of a watcher. */
  #append(watcher: number, id: EntityId, kinds: number, tick: number): void {
    if (this.#count === this.#ids.length) this.#makeRoom();
    const i = this.#count++;
    const number = this.#dropped + i;
    const before = this.#newest[watcher] - 1;
    this.#ids[i] = id;
    this.#ticks[i] = tick;
    this.#kinds[i] = kinds;
    this.#steps[i] = before >= this.#dropped ? number - before : 0;
    this.#newest[watcher] = number + 1;
  }

  /** Visits a watcher's entries in order, at least as far as the rules look back. */
  each(watcher: number, visit: (id: EntityId, kinds: number, tick: number) => void): void {
    const places: number[] = [];
    for (let i = this.#newest[watcher] - 1 - this.#dropped; i >= 0; ) {
      places.push(i);
      if (this.#steps[i] === 0) break;
      i -= this.#steps[i];
    }
    for (let k = places.length - 1; k >= 0; k--)
      visit(this.#ids[places[k]], this.#kinds[places[k]], this.#ticks[places[k]]);
  }

  /** Drops a watcher's entries. Returns what `giveBack` takes during the same tick. */
  take(watcher: number): number {
    const newest = this.#newest[watcher];
    this.#newest[watcher] = 0;
    return newest;
  }

  giveBack(watcher: number, newest: number): void {
    this.#newest[watcher] = newest;
  }

  /**
   * Returns since when a watcher holds its seats, by id, for those taken recently. Writes what it remembers
   * into `memory`. `cap`: the watcher's cap during the logged time.
   */
  replay(
    watcher: number,
    interest: ResolvedInterest,
    cap: number,
    memory: SeatMemory,
  ): ReadonlyMap<EntityId, number> {
    const since = new Map<EntityId, number>();
    const remembers = cap !== NO_CAP && logsMemory(interest);
    let untrimmed = -1;
    const trim = (next: number) => {
      if (untrimmed >= 0 && next > untrimmed)
        memory.trim(watcher, cap, (id) => this.#wasPresent(id, untrimmed));
      if (next > untrimmed) untrimmed = -1;
    };
    this.each(watcher, (id, kinds, tick) => {
      if ((kinds & TOOK) !== 0) since.set(id, tick);
      if (!remembers) return;
      trim(tick);
      if ((kinds & BACK) !== 0) memory.strike(watcher, id);
      if ((kinds & LOST) === 0) return;
      memory.remember(watcher, id, tick);
      untrimmed = tick;
    });
    trim(Number.POSITIVE_INFINITY);
    return since;
  }

  /** Whether an entity of a watcher's entries existed at the end of a tick. */
  #wasPresent(id: EntityId, tick: number): boolean {
    const removedAt = this.#removed.get(id);
    if (removedAt !== undefined) return removedAt > tick;
    // One that is removed in the tick under way is not listed yet, and existed until then.
    const { last, ids } = this.#store;
    return last.isPresent(id >>> 10) && ids.idOf[id >>> 10] === id;
  }

  save(writer: ByteWriter, tickCount: number): void {
    const watchers: number[] = [];
    for (let slot = 0; slot < this.#newest.length; slot++) if (this.#newest[slot] > 0) watchers.push(slot);
    const rows = watchers
      .map((watcher) => ({ watcher, entries: this.#recentOf(watcher, tickCount) }))
      .filter(({ entries }) => entries.length > 0);
    writer.u32(rows.length);
    for (const { watcher, entries } of rows) {
      writer.u32(watcher);
      for (let column = 0; column < 3; column++)
        writer.column(Uint32Array.from(entries, (entry) => entry[column] as number));
    }
    const removed = [...this.#removed].filter(([, tick]) => tick > tickCount - this.#window);
    removed.sort(([a, atA], [b, atB]) => atA - atB || a - b);
    writer.column(Uint32Array.from(removed, ([id]) => id));
    writer.column(Uint32Array.from(removed, ([, tick]) => tick));
  }

  /** Into a new instance; the population was loaded. `isDerived`: by slot, whether it is a derived watcher. */
  load(reader: ByteReader, isDerived: Uint8Array, tickCount: number): void {
    const { slotCount, capacity } = this.#store;
    this.growSlots(capacity);
    if (tickCount > 0) this.#begins.push({ tick: tickCount, number: 0 });
    for (let left = reader.u32(); left > 0; left--) {
      const watcher = reader.below(slotCount, 'a slot');
      const [ids, kinds, ticks] = [reader.column('u32'), reader.column('u32'), reader.column('u32')];
      const isWhole = ids.length > 0 && ids.length === kinds.length && ids.length === ticks.length;
      reader.check(
        isWhole && isDerived[watcher] === 1 && this.#newest[watcher] === 0,
        'a watcher and its seats',
      );
      ids.forEach((id, i) => {
        const isKind = kinds[i] > 0 && kinds[i] <= ALL_KINDS;
        if (id >>> 10 >= slotCount || !isKind || ticks[i] > tickCount)
          throw reader.fault('what became of a seat, and when');
        this.#append(watcher, id, kinds[i], ticks[i]);
      });
    }
    const removed = reader.column('u32');
    const ticks = reader.column('u32');
    reader.check(removed.length === ticks.length, 'a tick for each that was removed');
    removed.forEach((id, i) => {
      if (ticks[i] > tickCount) throw reader.fault('when it was removed');
      this.#removed.set(id, ticks[i]);
    });
  }

  /** The entries of a watcher that a rule may still need. */
  #recentOf(watcher: number, tickCount: number): (readonly [id: EntityId, kinds: number, tick: number])[] {
    const entries: (readonly [EntityId, number, number])[] = [];
    this.each(watcher, (id, kinds, tick) => {
      if (tick + this.#window > tickCount) entries.push([id, kinds, tick]);
    });
    return entries;
  }

  #expire(tick: number): void {
    while (this.#begins.length > 0 && this.#begins[0].tick + this.#window < tick) this.#begins.shift();
    if (this.#begins.length === 0) {
      this.#dropped += this.#count;
      this.#count = 0;
    }
    for (const [id, removedAt] of this.#removed) {
      if (removedAt + this.#window >= tick) break;
      this.#removed.delete(id);
    }
  }

  #noteRemoved(tick: number): void {
    const { idOf } = this.#store.ids;
    if (this.#count === 0) return;
    for (const slot of pendingWith(this.#store, REMOVED)) {
      const id = idOf[slot];
      this.#removed.delete(id);
      this.#removed.set(id, tick);
    }
  }

  /** Drops the entries that no rule needs any more. If that is less than half, the columns grow. */
  #makeRoom(): void {
    const first = (this.#begins[0]?.number ?? this.#dropped + this.#count) - this.#dropped;
    const length = first * 2 >= this.#count ? this.#ids.length : 2 * this.#ids.length;
    for (const column of [this.#ids, this.#ticks, this.#steps, this.#kinds])
      column.copyWithin(0, first, this.#count);
    this.#ids = grown(this.#ids, length);
    this.#ticks = grown(this.#ticks, length);
    this.#steps = grown(this.#steps, length);
    this.#kinds = grown(this.#kinds, length);
    this.#count -= first;
    this.#dropped += first;
  }
}
