/**
 * Counts the relations of each marker: which markers a tick made watched (from 0 to more), and which unwatched (to
 * 0).
 *
 * This is for putting entities that no watcher perceives to sleep. Counting starts with the first read or listener;
 * then all relations are counted once. Each tick adds the entered pairs and subtracts the left ones, and subtracts
 * relations of removed watchers, which no report contains. Method: for each marker named in a tick, its count before
 * the tick is stored, and compared when all changes are counted.
 *
 *   counts    by slot: relations as of the last tick
 *   before    by slot: relations before the tick plus 1; 0 for a marker that the tick has not named yet
 *
 * Memory: 12 bytes a slot. Cost: some 5 ns a pair that entered or left; a list for each watcher that was removed.
 */
import type { EntityId } from '../entities/entity-ids.ts';
import { broken } from '../errors.ts';
import type { Report } from './report.ts';

/** Ids of markers, ascending. */
export interface WatchedLists {
  /** Markers that now have a relation, and had none before. */
  readonly watched: Uint32Array;
  /** Markers that no longer have a relation and are still present. */
  readonly unwatched: Uint32Array;
}

export const NOBODY_WATCHED: WatchedLists = { watched: new Uint32Array(0), unwatched: new Uint32Array(0) };

export class WatchCounts {
  #isCounting = false;
  #counts = new Uint32Array(0);
  #before = new Uint32Array(0);
  #named = new Uint32Array(0);
  #namedCount = 0;
  /** Markers that lose the relation of a watcher removed in the current tick; a marker may be in it more than once. */
  #lost: EntityId[] = [];

  /** Whether counting has started. */
  get isCounting(): boolean {
    return this.#isCounting;
  }

  get memoryBytes(): number {
    return this.#counts.byteLength + this.#before.byteLength + this.#named.byteLength;
  }

  /** Number of relations of a marker (a slot) as of the last tick. */
  countOf(marker: number): number {
    return this.#counts[marker] ?? 0;
  }

  /** Counts all relations as of the last tick, which `each` visits by marker. Starts the counting. */
  start(capacity: number, each: (visit: (marker: EntityId) => void) => void): void {
    this.#resize(capacity);
    each((marker) => this.#counts[marker >>> 10]++);
    this.#isCounting = true;
  }

  /** Call this before a tick: makes room for `capacity` slots. */
  begin(capacity: number): void {
    this.#lost = [];
    if (capacity > this.#counts.length) this.#resize(capacity);
  }

  /** Notes that a marker loses the relation of a removed watcher. */
  lose(marker: EntityId): void {
    this.#lost.push(marker);
  }

  /** Applies the report of a tick; returns what it changed. `isPresent`: whether a slot is present after the tick. */
  take({ entered, left }: Report, isPresent: (slot: number) => boolean): WatchedLists {
    const [came, went] = [entered.markers, left.markers];
    for (let i = 0; i < entered.count; i++) this.#add(came[i], 1);
    for (let i = 0; i < left.count; i++) this.#add(went[i], -1);
    for (const marker of this.#lost) this.#add(marker, -1);
    this.#lost = [];
    return this.#changed(isPresent);
  }

  /**
   * As `take`, for a report that the initial count already includes: counting began after its tick. Before, call `lose`
   * for each marker that lost relations in the tick with their watchers.
   */
  takeBelated(report: Report, isPresent: (slot: number) => boolean): WatchedLists {
    const { entered, left } = report;
    const [came, went] = [entered.markers, left.markers];
    for (let i = 0; i < entered.count; i++) this.#counts[came[i] >>> 10]--;
    for (let i = 0; i < left.count; i++) this.#counts[went[i] >>> 10]++;
    for (const marker of this.#lost) this.#counts[marker >>> 10]++;
    return this.take(report, isPresent);
  }

  /** Frees memory of slots beyond `capacity`, none of which is in use. */
  shrink(capacity: number): void {
    if (capacity < this.#counts.length) this.#resize(capacity);
  }

  /** Throws if a count is not that of the relations, which `each` visits. For tests. */
  validate(each: (visit: (marker: EntityId) => void) => void): void {
    if (!this.#isCounting) return;
    const counts = new Uint32Array(this.#counts.length);
    each((marker) => counts[marker >>> 10]++);
    for (let slot = 0; slot < counts.length; slot++) {
      if (counts[slot] === this.#counts[slot]) continue;
      broken(`slot ${slot} is counted ${this.#counts[slot]} relations, and has ${counts[slot]}`);
    }
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
