/**
 * Who is new and who is gone, by a Set of markers for each watcher: the other half of what people write by hand.
 *
 * `freshSets` is the plain way: put all that is perceived now into a new Set and hold it against the old one, both
 * ways round. `keptSets` is the tuned way: one Set a watcher for good, changed in place; nobody is looked for among the
 * gone when the sizes say that there are none. It spares the garbage and half of the lookups.
 *
 * Memory: a Set of 30 takes more than a kilobyte. Cost: some 20 to 50 ns a perceived pair.
 */
import type { PairList } from './pair-list.ts';

export interface DifferenceLists {
  readonly entered: PairList;
  readonly left: PairList;
  readonly updated: PairList;
  /** By marker: 1 when `updated` is to name it; undefined when nobody wants `updated`. */
  readonly moved: Uint8Array | undefined;
}

/** Compares what a watcher perceives now, the first `count` of `found`, with what it was told last. */
export type SetDifference = (watcher: number, found: Uint32Array, count: number) => void;

/** Makes one for watchers 0 .. capacity - 1 that writes to `lists`. */
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
  /** Of those who were compared: of millions hardly anybody may watch. */
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
