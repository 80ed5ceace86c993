/**
 * The markers that lost a relation in a tick because its watcher was removed. No report contains these relations, and
 * afterwards no query can find them. They are kept until the next tick for `WatchCounts`, which may begin to count after
 * any tick.
 *
 * Method: stored relations are noted before the tick changes them. Of other watchers a detector has found all pairs, so
 * these are taken from the crossings before those of removed watchers are dropped: no search is needed. How many relations a
 * marker lost does not matter, only whether it lost any.
 *
 * Memory: a byte a slot, in ticks that remove a watcher. Cost: some 2 ns a crossing in such a tick.
 */
import { type Crossings, markerIn, UNVERIFIED } from '../detectors/crossings.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { perceivedSenses } from '../entities/perception.ts';

const ALL_SENSES = 255;

export class LostRelations {
  /** By slot: 1 for a marker that lost a relation. */
  readonly #isLost: Uint8Array;
  /** Removed watchers whose pairs are in the crossings: slots. */
  readonly #unstored = new Set<number>();

  constructor(slotCount: number) {
    this.#isLost = new Uint8Array(slotCount);
  }

  get memoryBytes(): number {
    return this.#isLost.byteLength;
  }

  /** Notes that a marker (a slot) loses a relation. */
  add(marker: number): void {
    this.#isLost[marker] = 1;
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

  /** Visits the markers: slots, ascending. */
  each(visit: (marker: number) => void): void {
    this.#isLost.forEach((isLost, marker) => {
      if (isLost === 1) visit(marker);
    });
  }
}
