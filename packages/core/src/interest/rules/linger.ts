/**
 * Lingering: a relation stays for some ticks when nothing perceives it any more, so that what flickers does not pop.
 *
 *   tick        1   2   3   4   5   6         lingerTicks 3
 *   perceived   x   .   .   .   .   .
 *   related     x   x   x   x   .   .         by no sense from 2 to 4; what is perceived again in between goes on
 *
 * Use it where a relation is costly to begin anew and perception breaks often: corners, smoke, one's gain going up and down.
 * Who lingers is a candidate as others are, ranks by distance, is cut by the cap and by `admit`, and must still meet; what the
 * cap cuts is gone. The ticks count from the last one in which a sense perceived it, also while a pin or a group relates it.
 *
 * Memory: an entry for each pair that relates by no sense and did by one, 4 bytes a slot. Cost: an entry when one begins or ends; a
 * row is looked at when the time of its first is over, or a marker that lingers there changed so that it may not meet the watcher
 * any more; in a tick in which any entity came, went or changed, a look at each entry.
 */
import { grown } from '../../columns.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { CONCERNS_MEETING, pendingWith } from '../../entities/pending.ts';
import { meets } from '../../entities/perception.ts';
import type { ByteReader } from '../../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../../recording/bytes/byte-writer.ts';
import type { ResolvedInterest } from '../interest.ts';
import { FORCED, type PairRows, RELATED, sensesOf } from '../pair-rows.ts';
import { mapBytes } from '../table/collection-bytes.ts';
import { loadTicks, type PairTicks, saveTicks } from './stored-ticks.ts';

const NEVER = 0xffff_ffff;

export class Lingering {
  /** By watcher's slot, by marker's: the last tick in which it was perceived. Markers in the order of these ticks. */
  #seenAt: PairTicks = new Map();
  /** By watcher's slot: the first tick in which the time of one that lingers there may be over. */
  #overAt = new Uint32Array(0);
  /** By watcher's slot: markers that linger there and may meet it no more in the tick under way. */
  readonly #changed = new Map<number, number[]>();

  get memoryBytes(): number {
    let bytes = mapBytes(this.#seenAt.size) + this.#overAt.byteLength;
    for (const seen of this.#seenAt.values()) bytes += mapBytes(seen.size);
    return bytes;
  }

  get isNone(): boolean {
    return this.#seenAt.size === 0;
  }

  /** Whether the watcher relates to nothing but by some sense, as far as is noted. */
  isEmpty(watcher: number): boolean {
    return !this.#seenAt.has(watcher);
  }

  /** The last tick in which a pair that relates by no sense was perceived; `undefined` where it does, or never was. */
  seenAt(watcher: number, marker: number): number | undefined {
    return this.#seenAt.get(watcher)?.get(marker);
  }

  /** How many linger: pairs that relate by no sense, and by no force. */
  countIn(pairs: PairRows): number {
    let count = 0;
    this.each((watcher, marker) => {
      if ((pairs.state[pairs.find(watcher, marker)] & FORCED) === 0) count++;
    });
    return count;
  }

  growSlots(capacity: number): void {
    const from = this.#overAt.length;
    if (capacity <= from) return;
    this.#overAt = grown(this.#overAt, capacity);
    this.#overAt.fill(NEVER, from);
  }

  /** The tick's beginning, when what is pending is settled. */
  begin(store: EntityStore): void {
    this.#changed.clear();
    if (this.#seenAt.size === 0) return;
    const changed = new Set(pendingWith(store, CONCERNS_MEETING));
    if (changed.size === 0) return;
    this.each((watcher, marker) => {
      if (!changed.has(marker)) return;
      const markers = this.#changed.get(watcher);
      if (markers === undefined) this.#changed.set(watcher, [marker]);
      else markers.push(marker);
    });
  }

  /** Whether anybody may cease to linger with a watcher in the tick under way, though nothing crossed. */
  isDue(watcher: number, tick: number): boolean {
    return this.#overAt[watcher] <= tick || this.#changed.has(watcher);
  }

  /** Slots of the markers that are due with a watcher, ascending. */
  dueOf(watcher: number, lingerTicks: number, tick: number): readonly number[] {
    const due = [...(this.#changed.get(watcher) ?? [])];
    for (const [marker, seenAt] of this.#seenAt.get(watcher) ?? []) {
      if (tick - seenAt <= lingerTicks) break;
      if (!due.includes(marker)) due.push(marker);
    }
    return due.sort((a, b) => a - b);
  }

  /** After a watcher's pairs were noted: says when it is due again. */
  plan(watcher: number, lingerTicks: number, tick: number): void {
    this.#overAt[watcher] = NEVER;
    for (const seenAt of this.#seenAt.get(watcher)?.values() ?? []) {
      const overAt = seenAt + lingerTicks + 1;
      // Those of before relate by force.
      if (overAt <= tick) continue;
      this.#overAt[watcher] = overAt;
      return;
    }
  }

  /** Visits the pairs that relate by no sense and did by one. Slots. */
  each(visit: (watcher: number, marker: number) => void): void {
    for (const [watcher, seen] of this.#seenAt) for (const marker of seen.keys()) visit(watcher, marker);
  }

  /** Whether a pair that no sense perceives in the tick under way is a candidate still. `before`: its state at the last tick. */
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

  /** Notes how a pair of a watcher that may linger was and is, when the tick stands. */
  note(watcher: number, marker: number, before: number, after: number, tick: number): void {
    const staysUnseen = (before & RELATED) !== 0 && isUnseen(after);
    if (isUnseen(before) === staysUnseen) return;
    const seen = this.#seenAt.get(watcher);
    if (staysUnseen) {
      if (seen === undefined) this.#seenAt.set(watcher, new Map([[marker, tick - 1]]));
      else seen.set(marker, tick - 1);
    } else if (seen?.delete(marker) === true && seen.size === 0) this.#seenAt.delete(watcher);
  }

  forgetWatcher(watcher: number): void {
    if (this.#seenAt.delete(watcher)) this.#overAt[watcher] = NEVER;
  }

  save(writer: ByteWriter): void {
    saveTicks(writer, this.#seenAt);
  }

  /** Into one that was never used; the population was loaded, and the rows of these watchers. `tickCount`: ticks that are over. */
  load(
    reader: ByteReader,
    { pairs, watchers }: { readonly pairs: PairRows; readonly watchers: Uint32Array },
    store: EntityStore,
    tickCount: number,
  ): void {
    const { last, slotCount } = store;
    const isThere = (marker: number) => marker < slotCount && last.isPresent(marker);
    this.#seenAt = loadTicks(reader, store, tickCount, isThere);
    // Without its tick it would linger for ever.
    for (const watcher of watchers)
      reader.check(this.#hasTicksOf(pairs, watcher), 'a tick for each pair that lingers');
    this.growSlots(store.capacity);
    // Due at once, and planned then.
    for (const watcher of this.#seenAt.keys()) this.#overAt[watcher] = 0;
  }

  /** Whether each pair of a watcher's row that lingers is noted. */
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
