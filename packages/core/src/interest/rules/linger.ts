/**
 * Lingering: a relation stays for some ticks after no sense perceives the marker any more, so that short
 * breaks of perception do not cost a despawn and a spawn.
 *
 *   tick        1   2   3   4   5   6         lingerTicks 3
 *   perceived   x   .   .   .   .   .
 *   related     x   x   x   x   .   .         by no sense from 2 to 4; if perceived again in between, it continues
 *
 * Use it where a relation is costly to begin anew and perception breaks often: corners, smoke, a gain that
 * changes. A lingering marker is an ordinary candidate: it ranks by distance, the cap and `admit` can cut it,
 * and it must still meet the watcher; if the cap cuts it, its relation ends. The ticks count from the last
 * one in which a sense perceived it, also while a pin or a group relates it.
 *
 * Memory: an entry for each pair that relates by no sense and did by one, and one on the marker's side; 8 bytes
 * a slot. Cost: O(1) when an entry begins or ends. A row is decided when the time of its first entry is over, or
 * when a lingering marker in it changed so that it may no longer meet the watcher.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { grown } from '../../columns.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { CONCERNS_MEETING, pendingWith } from '../../entities/pending.ts';
import { meets } from '../../entities/perception.ts';
import { mapBytes } from '../table/collection-bytes.ts';
import { HolderLists } from '../table/holder-lists.ts';
import { FORCED, type PairRows, RELATED, sensesOf } from '../table/pair-rows.ts';
import type { ResolvedInterest } from './interest.ts';
import { loadTicks, type PairTicks, saveTicks } from './stored-ticks.ts';

const NEVER = 0xffff_ffff;

export class Lingering {
  /**
   * By watcher's slot, by marker's slot: the last tick in which the marker was perceived. Markers in the
   * order of these ticks.
   */
  #seenAt: PairTicks = new Map();
  readonly #holders = new HolderLists((watcher, marker) => this.seenAt(watcher, marker) !== undefined);
  /** By watcher's slot: the first tick in which the time of an entry may be over. */
  #overAt = new Uint32Array(0);
  /** Slots of the watchers of which a lingering marker may no longer meet them in the tick under way. */
  readonly #changed = new Set<number>();

  get memoryBytes(): number {
    let bytes = mapBytes(this.#seenAt.size) + this.#overAt.byteLength + this.#holders.memoryBytes;
    for (const seen of this.#seenAt.values()) bytes += mapBytes(seen.size);
    return bytes;
  }

  get isNone(): boolean {
    return this.#seenAt.size === 0;
  }

  /** Whether the watcher has no entries. */
  isEmpty(watcher: number): boolean {
    return !this.#seenAt.has(watcher);
  }

  /**
   * The last tick in which a pair that relates by no sense was perceived; `undefined` for any other pair, or
   * if it never was.
   */
  seenAt(watcher: number, marker: number): number | undefined {
    return this.#seenAt.get(watcher)?.get(marker);
  }

  /** Number of lingering pairs: those that relate by no sense and by no force. */
  countIn(pairs: PairRows): number {
    let count = 0;
    this.each((watcher, marker) => {
      if ((pairs.state[pairs.find(watcher, marker)] & FORCED) === 0) count++;
    });
    return count;
  }

  /** Slots of the watchers that a marker lingers with, or would if nothing forced it. Valid until an entry begins or ends. */
  holdersOf(marker: number): readonly number[] {
    return this.#holders.of(marker);
  }

  growSlots(capacity: number): void {
    const from = this.#overAt.length;
    if (capacity <= from) return;
    this.#overAt = grown(this.#overAt, capacity);
    this.#overAt.fill(NEVER, from);
    this.#holders.growSlots(capacity);
  }

  /** Start of the tick, after the pending changes are settled. */
  begin(store: EntityStore): void {
    this.#changed.clear();
    if (this.#seenAt.size === 0) return;
    for (const marker of pendingWith(store, CONCERNS_MEETING)) {
      for (const watcher of this.#holders.of(marker)) this.#changed.add(watcher);
    }
  }

  /** Whether a marker may cease to linger with a watcher in the tick under way, although nothing crossed. */
  isDue(watcher: number, tick: number): boolean {
    return this.#overAt[watcher] <= tick || this.#changed.has(watcher);
  }

  /** Slots of the watchers for which `isDue` holds. Cost: O(watchers with entries). */
  dueWatchers(tick: number): readonly number[] {
    return [...this.#seenAt.keys()].filter((watcher) => this.isDue(watcher, tick));
  }

  /** Slots of the markers of a watcher whose time is over. */
  overOf(watcher: number, lingerTicks: number, tick: number): readonly number[] {
    const over: number[] = [];
    for (const [marker, seenAt] of this.#seenAt.get(watcher) ?? []) {
      if (tick - seenAt <= lingerTicks) break;
      over.push(marker);
    }
    return over;
  }

  /** After `note` for all pairs of a watcher: sets when the watcher is due again. */
  plan(watcher: number, lingerTicks: number, tick: number): void {
    this.#overAt[watcher] = NEVER;
    for (const seenAt of this.#seenAt.get(watcher)?.values() ?? []) {
      const overAt = seenAt + lingerTicks + 1;
      // The time of earlier entries is over: they relate by force.
      if (overAt <= tick) continue;
      this.#overAt[watcher] = overAt;
      return;
    }
  }

  /** Visits all entries: pairs that relate by no sense and did by one. Slots. */
  each(visit: (watcher: number, marker: number) => void): void {
    for (const [watcher, seen] of this.#seenAt) for (const marker of seen.keys()) visit(watcher, marker);
  }

  /**
   * Whether a pair that no sense perceives in the tick under way is still a candidate. `before`: its state at
   * the last tick.
   */
  lingers(
    store: EntityStore,
    { lingerTicks }: ResolvedInterest,
    watcher: number,
    marker: number,
    before: number,
    tick: number,
  ): boolean {
    if (lingerTicks === 0 || (before & RELATED) === 0) return false;
    const seenAt = sensesOf(before) !== 0 ? tick - 1 : this.seenAt(watcher, marker);
    if (seenAt === undefined || tick - seenAt > lingerTicks) return false;
    return meets(store.now, watcher, marker);
  }

  /**
   * After the tick succeeded: updates the entry of a pair whose watcher has `lingerTicks`. `before`, `after`:
   * its states.
   */
  note(watcher: number, marker: number, before: number, after: number, tick: number): void {
    const staysUnseen = (before & RELATED) !== 0 && isUnseen(after);
    if (isUnseen(before) !== staysUnseen) this.noteUnseen(watcher, marker, staysUnseen, tick);
  }

  /** The same for a pair that related and begins to relate by no sense, or ceases to. */
  noteUnseen(watcher: number, marker: number, begins: boolean, tick: number): void {
    const seen = this.#seenAt.get(watcher);
    if (begins) {
      if (seen === undefined) this.#seenAt.set(watcher, new Map([[marker, tick - 1]]));
      else seen.set(marker, tick - 1);
      this.#holders.add(watcher, marker);
    } else if (seen?.delete(marker) === true) {
      if (seen.size === 0) this.#seenAt.delete(watcher);
      this.#holders.remove(marker);
    }
  }

  forgetWatcher(watcher: number): void {
    const seen = this.#seenAt.get(watcher);
    if (seen === undefined) return;
    this.#seenAt.delete(watcher);
    this.#overAt[watcher] = NEVER;
    for (const marker of seen.keys()) this.#holders.remove(marker);
  }

  save(writer: ByteWriter): void {
    saveTicks(writer, this.#seenAt);
  }

  /**
   * Into a new instance; the population and the rows of these watchers were loaded. `tickCount`: finished
   * ticks.
   */
  load(
    reader: ByteReader,
    { pairs, watchers }: { readonly pairs: PairRows; readonly watchers: Uint32Array },
    store: EntityStore,
    tickCount: number,
  ): void {
    const { last, slotCount } = store;
    const isThere = (marker: number) => marker < slotCount && last.isPresent(marker);
    this.#seenAt = loadTicks(reader, store, tickCount, isThere);
    // Without its tick, a pair would linger for ever.
    for (const watcher of watchers)
      reader.check(this.#hasTicksOf(pairs, watcher), 'a tick for each pair that lingers');
    this.growSlots(store.capacity);
    this.each((watcher, marker) => this.#holders.add(watcher, marker));
    // Due at once; the next tick plans them.
    for (const watcher of this.#seenAt.keys()) this.#overAt[watcher] = 0;
  }

  /** Whether each lingering pair of a watcher's row has an entry. */
  #hasTicksOf({ start, size, state, marker }: PairRows, watcher: number): boolean {
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const lingers = isUnseen(state[i]) && (state[i] & FORCED) === 0;
      if (lingers && this.seenAt(watcher, marker[i]) === undefined) return false;
    }
    return true;
  }
}

/** Whether a pair relates by no sense. */
function isUnseen(state: number): boolean {
  return (state & RELATED) !== 0 && sensesOf(state) === 0;
}
