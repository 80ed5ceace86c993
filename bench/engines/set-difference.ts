/**
 * Finds entered and left markers with a Set of markers for each watcher: the other half of what people write by hand.
 *
 * `freshSets` is the plain way: put all markers perceived now into a new Set and compare it with the old one, in both
 * directions. `keptSets` is the tuned way: one Set for each watcher, changed in place; left markers are searched only if
 * the sizes show that there are any. This avoids the garbage and half of the lookups.
 *
 * Memory: a Set of 30 takes more than a kilobyte. Cost: about 20 to 50 ns a perceived pair.
 */
import type { PairList } from './pair-list.ts';

export interface DifferenceLists {
  readonly entered: PairList;
  readonly left: PairList;
  readonly updated: PairList;
  /** By marker: 1 if `updated` must list it; undefined if `updated` is not reported. */
  readonly moved: Uint8Array | undefined;
}

/** Compares what a watcher perceives now, the first `count` of `found`, with what was reported last. */
export type SetDifference = (watcher: number, found: Uint32Array, count: number) => void;

/** Makes a comparison for watchers 0 .. capacity - 1 that writes to `lists`. */
export type SetDifferenceMaker = (capacity: number, lists: DifferenceLists) => SetDifference;

export const freshSets: SetDifferenceMaker = (capacity, { entered, left, updated, moved }) => {
  const known = Array.from({ length: capacity }, () => new Set<number>());
  return (watcher, found, count) => {
    const before = known[watcher]!;
    const now = new Set<number>();
    for (let i = 0; i < count; i++) {
      const marker = found[i]!;
      now.add(marker);
      if (!before.has(marker)) entered.push(watcher, marker);
      else if (moved !== undefined && moved[marker] === 1) updated.push(watcher, marker);
    }
    for (const marker of before) if (!now.has(marker)) left.push(watcher, marker);
    known[watcher] = now;
  };
};

export const keptSets: SetDifferenceMaker = (capacity, { entered, left, updated, moved }) => {
  /** Only of watchers that were compared: of millions of actors few may watch. */
  const known = new Array<Set<number> | undefined>(capacity);
  /** By marker: the number of the comparison that found it last. */
  const foundIn = new Uint32Array(capacity);
  let comparison = 0;
  return (watcher, found, count) => {
    const markers = known[watcher] ?? new Set<number>();
    known[watcher] = markers;
    comparison = (comparison + 1) >>> 0;
    for (let i = 0; i < count; i++) {
      const marker = found[i]!;
      foundIn[marker] = comparison;
      if (!markers.has(marker)) {
        markers.add(marker);
        entered.push(watcher, marker);
      } else if (moved !== undefined && moved[marker] === 1) updated.push(watcher, marker);
    }
    if (markers.size === count) return;
    for (const marker of markers) {
      if (foundIn[marker] === comparison) continue;
      markers.delete(marker);
      left.push(watcher, marker);
    }
  };
};
