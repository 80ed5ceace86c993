/**
 * Who is watched: how many relations each marker has, and whose number a tick took from 0 to more, or to 0.
 *
 * For putting to sleep what nobody perceives. Nothing is counted before somebody asks or listens; then all relations are
 * counted once, and each tick adds who entered and takes off who left, and whom watchers related to that were removed: of those
 * no report tells. Method: each marker that a tick names keeps its number from before the tick, and is compared when all are
 * in.
 *
 *   counts    by slot: relations as of the last tick
 *   before    by slot: relations before the tick and 1 more, 0 for one that the tick did not name yet
 *
 * Memory: 12 bytes a slot. Cost: some 5 ns a pair that entered or left; a list for each watcher that was removed.
 */
import type { EntityId } from '../entities/entity-ids.ts';
import type { Report } from './report.ts';

/** Ids of markers, ascending. */
export interface WatchedLists {
  /** Somebody relates to it, and nobody did. */
  readonly watched: Uint32Array;
  /** Nobody relates to it any more; it is still there. */
  readonly unwatched: Uint32Array;
}

export const NOBODY_WATCHED: WatchedLists = { watched: new Uint32Array(0), unwatched: new Uint32Array(0) };

export class WatchCounts {
  #isCounting = false;
  #counts = new Uint32Array(0);
  #before = new Uint32Array(0);
  #named = new Uint32Array(0);
  #namedCount = 0;
  /** Markers that watchers related to that are removed with the tick under way; one may be in it more than once. */
  #lost: EntityId[] = [];

  /** Whether anybody asked. */
  get isCounting(): boolean {
    return this.#isCounting;
  }

  get memoryBytes(): number {
    return this.#counts.byteLength + this.#before.byteLength + this.#named.byteLength;
  }

  /** Counts all relations as of the last tick, which `each` visits by marker. Before that nothing is counted. */
  start(capacity: number, each: (visit: (marker: EntityId) => void) => void): void {
    this.#resize(capacity);
    each((marker) => this.#counts[marker >>> 10]++);
    this.#isCounting = true;
  }

  /** Before a tick: makes room for so many slots. */
  begin(capacity: number): void {
    this.#lost = [];
    if (capacity > this.#counts.length) this.#resize(capacity);
  }

  /** In the tick under way the relation of a watcher that was removed goes with it. */
  lose(marker: EntityId): void {
    this.#lost.push(marker);
  }

  /** Takes the report of a tick in; answers what it changed. `isPresent`: whether a slot is there after the tick. */
  take({ entered, left }: Report, isPresent: (slot: number) => boolean): WatchedLists {
    const [came, went] = [entered.markers, left.markers];
    for (let i = 0; i < entered.count; i++) this.#add(came[i], 1);
    for (let i = 0; i < left.count; i++) this.#add(went[i], -1);
    for (const marker of this.#lost) this.#add(marker, -1);
    this.#lost = [];
    return this.#changed(isPresent);
  }

  /** The same for a report that was taken in with the rest of the relations: counting began after its tick. */
  takeBelated(report: Report, isPresent: (slot: number) => boolean): WatchedLists {
    const { entered, left } = report;
    const [came, went] = [entered.markers, left.markers];
    for (let i = 0; i < entered.count; i++) this.#counts[came[i] >>> 10]--;
    for (let i = 0; i < left.count; i++) this.#counts[went[i] >>> 10]++;
    return this.take(report, isPresent);
  }

  /** Gives back what slots beyond `capacity`, none of which is in use, need no more. */
  shrink(capacity: number): void {
    if (capacity < this.#counts.length) this.#resize(capacity);
  }

  /** Throws when a count is not that of the relations, which `each` visits. For tests. */
  validate(each: (visit: (marker: EntityId) => void) => void): void {
    if (!this.#isCounting) return;
    const counts = new Uint32Array(this.#counts.length);
    each((marker) => counts[marker >>> 10]++);
    const wrong = counts.findIndex((count, slot) => count !== this.#counts[slot]);
    if (wrong < 0) return;
    throw new Error(
      `umwelt: broken invariant: slot ${wrong} is counted ${this.#counts[wrong]} relations, and has ${counts[wrong]}`,
    );
  }

  #add(marker: EntityId, more: number): void {
    const slot = marker >>> 10;
    if (this.#before[slot] === 0) {
      this.#before[slot] = this.#counts[slot] + 1;
      this.#named[this.#namedCount++] = marker;
    }
    this.#counts[slot] += more;
  }

  #changed(isPresent: (slot: number) => boolean): WatchedLists {
    const watched: EntityId[] = [];
    const unwatched: EntityId[] = [];
    for (let i = 0; i < this.#namedCount; i++) {
      const marker = this.#named[i];
      const slot = marker >>> 10;
      const [before, after] = [this.#before[slot] - 1, this.#counts[slot]];
      this.#before[slot] = 0;
      if (before === 0 && after > 0) watched.push(marker);
      else if (before > 0 && after === 0 && isPresent(slot)) unwatched.push(marker);
    }
    this.#namedCount = 0;
    if (watched.length + unwatched.length === 0) return NOBODY_WATCHED;
    return { watched: Uint32Array.from(watched).sort(), unwatched: Uint32Array.from(unwatched).sort() };
  }

  #resize(capacity: number): void {
    const resized = (column: Uint32Array) => {
      const other = new Uint32Array(capacity);
      other.set(column.subarray(0, capacity));
      return other;
    };
    [this.#counts, this.#before, this.#named] = [
      resized(this.#counts),
      resized(this.#before),
      resized(this.#named),
    ];
  }
}
