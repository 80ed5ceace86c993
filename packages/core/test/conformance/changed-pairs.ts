/**
 * Brute force for larger worlds in which few change at a time: what larger scripts are compared with.
 *
 * Problem: brute force tests all pairs in each tick, which is most of the time of a script with hundreds of entities. Method: as brute
 * force, but only pairs of whom one is in anything not what it was: of all others the definition would read the same numbers before
 * and now. Who changed is seen in the columns of both states, not in what the store lists as pending, which may be wrong. Memory: a
 * byte a slot. Cost: O(n * changed) a tick.
 */
import { bruteForce } from '../../src/detectors/brute-force.ts';
import type { Detector, DetectorFactory } from '../../src/detectors/detector.ts';
import type { EntityStore } from '../../src/entities/entity-store.ts';
import { perceivedSenses } from '../../src/entities/perception.ts';

/** Only pairs of whom one changed. `slotsThatChanged`: by slot, 1 where anything did. */
export function pairsOf(slotsThatChanged: (store: EntityStore) => Uint8Array): DetectorFactory {
  return (...given): Detector => ({
    ...bruteForce(...given),
    name: 'changed-pairs',

    detect(store, out) {
      const { last, now, settings, slotCount } = store;
      const isChanged = slotsThatChanged(store);
      for (let watcher = 0; watcher < slotCount; watcher++) {
        if (!last.isWatcher(watcher) && !now.isWatcher(watcher)) continue;
        for (let marker = 0; marker < slotCount; marker++) {
          if (isChanged[watcher] === 0 && isChanged[marker] === 0) continue;
          const before = perceivedSenses(settings, last, watcher, marker);
          const after = perceivedSenses(settings, now, watcher, marker);
          if (before !== after) out.crossing(watcher, marker, before, after);
        }
      }
    },
  });
}

export const changedPairs: DetectorFactory = pairsOf(changedSlots);

/** By slot: 1 where any column of now differs from that of the last tick. */
function changedSlots({ last, now, settings, slotCount }: EntityStore): Uint8Array {
  const isChanged = new Uint8Array(slotCount);
  const columnsNow = now.columns(settings.dimensions);
  for (const [i, { array: before }] of last.columns(settings.dimensions).entries()) {
    const { array: after } = columnsNow[i];
    for (let slot = 0; slot < slotCount; slot++) if (before[slot] !== after[slot]) isChanged[slot] = 1;
  }
  return isChanged;
}
