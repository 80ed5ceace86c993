/**
 * The definition as a detector: tests every pair, before and now.
 *
 * Problem: the other detectors need a reference. Method: two loops and `perceivedSenses`. Memory: none. Cost: O(n^2)
 * a tick, whatever moved; suitable for tests and for worlds of some dozens of entities.
 */
import { perceivedSenses } from '../entities/perception.ts';
import type { Detector, DetectorFactory } from './detector.ts';

export const bruteForce: DetectorFactory = (): Detector => ({
  name: 'brute-force',

  detect(store, out) {
    if (store.pendingCount === 0) return;
    const { last, now, settings, slotCount } = store;
    for (let watcher = 0; watcher < slotCount; watcher++) {
      if (!last.isWatcher(watcher) && !now.isWatcher(watcher)) continue;
      for (let marker = 0; marker < slotCount; marker++) {
        const before = perceivedSenses(settings, last, watcher, marker);
        const after = perceivedSenses(settings, now, watcher, marker);
        if (before !== after) out.crossing(watcher, marker, before, after);
      }
    }
  },

  collect(store, _bounds, visit) {
    for (let slot = 0; slot < store.slotCount; slot++) if (store.last.isPresent(slot)) visit(slot);
  },

  validate() {},

  describe: () => 'brute-force keeps nothing',

  memoryBytes: 0,
});
