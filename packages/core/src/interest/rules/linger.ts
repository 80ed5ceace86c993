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
 * Memory: an entry for each pair that relates by no sense and did by one. Cost: a look-up for each such pair and tick, and the
 * whole row of its watcher, since time alone ends it; watchers without linger have none of it.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { meets } from '../../entities/perception.ts';
import type { ByteReader } from '../../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../../recording/bytes/byte-writer.ts';
import type { ResolvedInterest } from '../interest.ts';
import { RELATED, sensesOf } from '../pair-rows.ts';
import { mapBytes } from '../table/collection-bytes.ts';
import { loadTicks, type PairTicks, saveTicks } from './stored-ticks.ts';

export class Lingering {
  /** By watcher's slot, by marker's: the last tick in which it was perceived. */
  #seenAt: PairTicks = new Map();

  get memoryBytes(): number {
    let bytes = mapBytes(this.#seenAt.size);
    for (const seen of this.#seenAt.values()) bytes += mapBytes(seen.size);
    return bytes;
  }

  /** Whether the watcher relates to nothing but by some sense, as far as is noted. */
  isEmpty(watcher: number): boolean {
    return !this.#seenAt.has(watcher);
  }

  /** The last tick in which a pair that relates by no sense was perceived; `undefined` where it does, or never was. */
  seenAt(watcher: number, marker: number): number | undefined {
    return this.#seenAt.get(watcher)?.get(marker);
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
    const isUnseen = (before & after & RELATED) !== 0 && sensesOf(after) === 0;
    if (isUnseen && sensesOf(before) === 0) return;
    const seen = this.#seenAt.get(watcher);
    if (isUnseen) {
      if (seen === undefined) this.#seenAt.set(watcher, new Map([[marker, tick - 1]]));
      else seen.set(marker, tick - 1);
    } else if (seen?.delete(marker) === true && seen.size === 0) this.#seenAt.delete(watcher);
  }

  forgetWatcher(watcher: number): void {
    this.#seenAt.delete(watcher);
  }

  save(writer: ByteWriter): void {
    saveTicks(writer, this.#seenAt);
  }

  /** Into one that was never used; the population was loaded. `tickCount`: ticks that are over. */
  load(reader: ByteReader, store: EntityStore, tickCount: number): void {
    const { last, slotCount } = store;
    const isThere = (marker: number) => marker < slotCount && last.isPresent(marker);
    this.#seenAt = loadTicks(reader, store, tickCount, isThere);
  }
}
