/** Some thousands of the frames that `npm run fuzz -- canary` sends by the million. */
import { describe, expect, test } from 'vitest';
import { runCanary } from './canary-run.ts';

const FRAMES = 3000;
const TIMEOUT_MS = 120_000;

describe.each(['frames', 'view'] as const)("in mode '%s'", (mode) => {
  test.each([1, 2])(
    'nobody is sent what it may not know, nor has anything but its view: seed %i',
    async (seed) => {
      const tally = await runCanary(mode, seed, FRAMES);
      expect(tally.compared).toBeGreaterThan(FRAMES / 2);
      for (const count of [tally.drops, tally.returns, tally.deaths, tally.slotsReused]) {
        expect(count).toBeGreaterThan(20);
      }
      if (mode === 'view') expect(tally.viewNumbersReused).toBeGreaterThan(5);
    },
    TIMEOUT_MS,
  );

  test(
    'a client that is shown what another watcher perceives is found',
    async () => {
      await expect(runCanary(mode, 1, FRAMES, 'wrong watcher')).rejects.toThrow('which it may not know');
    },
    TIMEOUT_MS,
  );
});

test(
  'a view that is disposed of while its client may come back is found',
  async () => {
    await expect(runCanary('view', 1, FRAMES, 'view disposed')).rejects.toThrow('which it may not know');
  },
  TIMEOUT_MS,
);
