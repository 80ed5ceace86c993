/**
 * The markers that lost a relation in a tick because its watcher was removed. No report contains these relations, and
 * afterwards no query can find them. They are kept until the next tick for `WatchCounts`, which may begin to count after
 * any tick.
 *
 * Method: stored relations are noted before the tick changes them. Of other watchers a detector has found all pairs, so
 * these are taken from the crossings before those of removed watchers are dropped: no search is needed. How many relations a
 * marker lost does not matter, only whether it lost any.
 *
 * Memory: some bytes for each lost relation. Cost: some 2 ns a crossing, in ticks that remove a watcher.
 */
import { type Crossings, markerIn, UNVERIFIED } from '../detectors/crossings.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { perceivedSenses } from '../entities/perception.ts';

const ALL_SENSES = 255;

export class LostRelations {
  /** Markers that lost a relation: slots, as often as watchers of theirs were removed. */
  readonly #markers: number[] = [];
  /** Removed watchers whose pairs are in the crossings: slots. */
  readonly #unstored = new Set<number>();

  get memoryBytes(): number {
    return this.#markers.length * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** Notes that a marker (a slot) loses a relation. */
  add(marker: number): void {
    this.#markers.push(marker);
  }

  /** Notes that the relations of a watcher (a slot) must be taken from the crossings. */
  expect(watcher: number): void {
    this.#unstored.add(watcher);
  }

  /** Takes pairs of removed watchers from a detector's crossings, which are not resolved yet. */
  take({ words, count }: Crossings, { now, last, settings }: EntityStore): void {
    if (this.#unstored.size === 0) return;
    const { flags } = now;
    for (let i = 0; i < count; i++) {
      const watcher = words[2 * i + 1] >>> 10;
      // A watcher that is present has flags: most pairs need no look-up.
      if (flags[watcher] !== 0 || !this.#unstored.has(watcher)) continue;
      const marker = markerIn(words, i);
      const before =
        (words[2 * i] & UNVERIFIED) === 0
          ? words[2 * i] & ALL_SENSES
          : perceivedSenses(settings, last, watcher, marker);
      if (before !== 0) this.add(marker);
    }
  }

  /** Visits the markers: slots, in no order, some more than once. */
  each(visit: (marker: number) => void): void {
    for (const marker of this.#markers) visit(marker);
  }
}
