/** A detector of a user's own, the least that there can be. */
import type { Detector } from '../../src/index.ts';

/** A detector that finds nothing. */
export function blindDetector(): Detector {
  return {
    name: 'blind',
    memoryBytes: 0,
    detect() {},
    collect() {},
    validate() {},
    describe: () => '',
  };
}
