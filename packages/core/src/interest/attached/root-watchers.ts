/**
 * The watchers that relate to a root, at the last tick or now: those to which a child of it may be told.
 *
 * Method: one search as of the last tick for each root with a child that changed, before the detector takes the new
 * state; then the tick's crossings. Memory: 24 bytes a watcher, during a tick.
 */
import { RELATES } from '../table/relation-words.ts';

/**
 * Visits the watchers that relate to a marker by their own relation as of the last tick, with the senses that
 * perceive it. Slots.
 */
export type EachOwnWatcher = (marker: number, visit: (watcher: number, senses: number) => void) => void;

/** The watchers that `eachOwnWatcher` visits, as a list. */
export function listed(eachOwnWatcher: EachOwnWatcher, marker: number): number[] {
  const watchers: number[] = [];
  eachOwnWatcher(marker, (watcher) => watchers.push(watcher));
  return watchers;
}

export class RootWatchers {
  /** Slots, each once, and how each related, and relates, to the root: 0, or `RELATES` and the senses. */
  readonly slots: number[] = [];
  readonly before: number[] = [];
  readonly after: number[] = [];
  /** The watchers of its tree, at the last tick and now; `undefined`: not asked for yet. */
  treeBefore: readonly number[] | undefined;
  treeAfter: readonly number[] | undefined;
  /** Crossings of the tick at the root: watcher, before, after, in turn. */
  readonly #crossed: number[] = [];

  constructor(eachOwnWatcher: EachOwnWatcher, root: number) {
    eachOwnWatcher(root, (watcher, senses) => {
      this.slots.push(watcher);
      this.before.push(RELATES | senses);
      this.after.push(RELATES | senses);
    });
  }

  cross(watcher: number, before: number, after: number): void {
    this.#crossed.push(watcher, before, after);
  }

  /** Takes the crossings over. `places`: scratch by slot; afterwards it is 0 for each that was written. */
  settle(places: Uint32Array): void {
    const crossed = this.#crossed;
    if (crossed.length === 0) return;
    const { slots, before, after } = this;
    const known = slots.length;
    for (let i = 0; i < crossed.length; i += 3) places[crossed[i]] = 0;
    for (let k = 0; k < known; k++) places[slots[k]] = k + 1;
    for (let i = 0; i < crossed.length; i += 3) {
      const k = places[crossed[i]] - 1;
      if (k >= 0) after[k] = crossed[i + 2];
      else {
        slots.push(crossed[i]);
        before.push(crossed[i + 1]);
        after.push(crossed[i + 2]);
      }
    }
    for (let k = 0; k < known; k++) places[slots[k]] = 0;
    crossed.length = 0;
  }
}
