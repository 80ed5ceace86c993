/** No client ever gets a field, a message or an entity that is not for it; and one that would is found. */
import { describe, expect, it } from 'vitest';
import { runCanary } from './canary-run.ts';
import { wrongWatcher } from './sabotage.ts';

describe('the canary', () => {
  it.each([1, 2, 3, 4])('finds no leak in 1,500 frames: seed %i', async (seed) => {
    const tally = await runCanary(seed, 1500);
    expect(tally.secrets).toBeGreaterThan(2500);
    expect(tally.withheld).toBeGreaterThan(2500);
    expect(tally.messages).toBeGreaterThan(250);
    expect(tally.bodiesLost).toBeGreaterThan(10);
    expect(tally.idsReused).toBeGreaterThan(500);
  });

  it('finds a view that shows what another perceives', async () => {
    const found = runCanary(5, 20_000, wrongWatcher);
    await expect(found).rejects.toThrow(/seed 5, tick \d+: player \d.* is told of slot \d+, where nobody is/);
  });

  it('finds a message to who does not perceive it', async () => {
    const found = runCanary(7, 20_000, {
      tick: ({ gateway }, tick) => {
        if (tick !== 40) return;
        const { broadcast } = gateway;
        gateway.broadcast = (marker, bytes) => broadcast.call(gateway, marker, bytes);
      },
    });
    await expect(found).rejects.toThrow(/seed 7, tick \d+: player \d.* hears <\d+:said:\d+>/);
  });

  it('finds fields that are shown beyond their band', async () => {
    const found = runCanary(6, 20_000, {
      world: (world) => {
        const leaveMargin = world.leaveMargin.bind(world);
        let asked = 0;
        // Only the gateway's question is answered wrong, each second one.
        world.leaveMargin = (watcher) => leaveMargin(watcher) + (asked++ % 2 === 0 ? 4 : 0);
      },
    });
    await expect(found).rejects.toThrow(/seed 6, tick \d+: player \d.* is told \w+ of \d+/);
  });
});
