/** A detector that is right, and writes past the end of a column of its own: nothing shows, unless writes are checked. */
import type { DetectorFactory } from '../../src/index.ts';
import { soundDetector } from './canaries.ts';

const vanishingWrite: DetectorFactory = (made) => {
  const column = new Uint8Array(3);
  const sound = soundDetector(made);
  return {
    ...sound,
    detect(store, out) {
      for (let slot = 0; slot < store.slotCount; slot++) column[slot] = 1;
      sound.detect(store, out);
    },
  };
};

export default vanishingWrite;
