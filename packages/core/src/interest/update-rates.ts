/**
 * Update rates: changes near by are told each tick, far ones less often, and none later than its ring allows.
 *
 *   [[0.25, 1], [0.5, 2], [1, 4]]     up to a quarter of the longest range every tick, up to half every second, then
 *                                     every fourth
 *
 * Use them where fan-out is what a server spends its time on: three rings tell about a third. A changed marker is told
 * when its turn comes, which its slot decides so that ticks stay even, or when it has waited as long as its ring allows.
 *
 * What a pin names goes before the rings: see pin-reasons.ts.
 *
 * Memory: 4 bytes a slot for the tick of its last change. Cost: a few nanoseconds a relation.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { MOVED, TOUCHED } from '../entities/pending.ts';
import type { ByteReader } from '../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../recording/bytes/byte-writer.ts';
import type { ReportRows } from '../reports/report-rows.ts';
import { type AttachedPairs, isFollowing } from './attached/attached-pairs.ts';
import type { ResolvedInterest } from './interest.ts';
import { type PairRows, PINNED, RELATED } from './pair-rows.ts';
import { rateOf } from './pin-reasons.ts';
import { squaredDistance } from './rank.ts';
import type { Ties } from './ties.ts';

const f32 = Math.fround;

export class UpdateRates {
  /** By slot: the tick at which it last moved or was touched. */
  #changedAt = new Uint32Array(0);
  #watchers: number[] = [];
  #offsets: number[] = [0];
  #markers: number[] = [];

  get memoryBytes(): number {
    return this.#changedAt.byteLength;
  }

  /** Takes note of who changed in this tick. */
  note(store: EntityStore, tick: number): void {
    if (this.#changedAt.length < store.slotCount) {
      const longer = new Uint32Array(store.capacity);
      longer.set(this.#changedAt);
      this.#changedAt = longer;
    }
    const { pending, pendingSlots, pendingCount } = store;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if ((pending[slot] & (MOVED | TOUCHED)) !== 0) this.#changedAt[slot] = tick;
    }
  }

  clear(): void {
    this.#watchers = [];
    this.#offsets = [0];
    this.#markers = [];
  }

  /**
   * Lists what one watcher is told in this tick, and notes in its row, and its pairs with those that are attached, that it was.
   * Watchers must come ascending.
   */
  tell(
    store: EntityStore,
    pairs: PairRows,
    attached: AttachedPairs,
    interest: ResolvedInterest,
    ties: Ties,
    watcher: number,
    tick: number,
  ): void {
    const { idOf } = store.ids;
    const pins = ties.pinsOf(idOf[watcher]);
    const longestRange = store.now.longestRangeOf(watcher);
    const rings = interest.updateRates.map(([fraction, everyTicks]) => {
      const radius = f32(fraction * longestRange);
      return [f32(radius * radius), everyTicks] as const;
    });
    const last = rings.at(-1)?.[1] ?? 1;
    const isDue = (marker: number, reportedAt: number, isPinned: boolean) => {
      const squared = squaredDistance(store.settings, store.now, watcher, marker);
      const byPin = isPinned ? rateOf(pins?.get(idOf[marker]) ?? [], squared) : 0;
      const everyTicks = byPin || (rings.find(([within]) => squared <= within)?.[1] ?? last);
      return (tick + marker) % everyTicks === 0 || tick - reportedAt >= everyTicks;
    };
    const { marker, state, reported } = pairs;
    const end = pairs.start[watcher] + pairs.size[watcher];
    const before = this.#markers.length;
    for (let i = pairs.start[watcher]; i < end; i++) {
      if ((state[i] & RELATED) === 0 || this.#changedAt[marker[i]] <= reported[i]) continue;
      if (!isDue(marker[i], reported[i], (state[i] & PINNED) !== 0)) continue;
      reported[i] = tick;
      this.#markers.push(idOf[marker[i]]);
    }
    const inRow = this.#markers.length;
    for (let pair = attached.firstOfWatcher(watcher); pair >= 0; pair = attached.nextOfWatcher(pair)) {
      const slot = attached.marker[pair];
      if (!isFollowing(attached.state[pair]) || this.#changedAt[slot] <= attached.reported[pair]) continue;
      if (!isDue(slot, attached.reported[pair], false)) continue;
      attached.reported[pair] = tick;
      this.#markers.push(idOf[slot]);
    }
    if (this.#markers.length > inRow) {
      const all = this.#markers.splice(before);
      for (const id of all.sort((a, b) => a - b)) this.#markers.push(id);
    }
    if (this.#markers.length === before) return;
    this.#watchers.push(idOf[watcher]);
    this.#offsets.push(this.#markers.length);
  }

  /** Merges what was listed into the report's rows, in which none of these watchers has one. Room was reserved. */
  mergeInto(rows: ReportRows): void {
    if (this.#watchers.length > 0) rows.merge(this.#watchers, this.#offsets, this.#markers);
  }

  save(writer: ByteWriter, slotCount: number): void {
    writer.column(this.#changedAt.subarray(0, slotCount));
  }

  /** `tickCount`: ticks that are over. */
  load(reader: ByteReader, slotCount: number, tickCount: number): void {
    const changedAt = reader.column('u32');
    reader.check(changedAt.length <= slotCount, 'at most a tick for each slot');
    reader.check(
      changedAt.every((tick) => tick <= tickCount),
      'ticks that are over',
    );
    this.#changedAt = changedAt;
  }
}
