/** No client ever gets a field, a message or an entity that is not for it; and one that would is found. */
import { describe, expect, it } from 'vitest';
import { runCanary } from './canary-run.ts';
import {
  childrenFirst,
  goneForgotten,
  leftForGone,
  parentsForgotten,
  reasonsMistaken,
  wrongWatcher,
} from './sabotage.ts';

describe('the canary', () => {
  it.each([1, 2, 3, 4])('finds no leak in 1,500 frames: seed %i', async (seed) => {
    const tally = await runCanary(seed, 1500);
    expect(tally.secrets).toBeGreaterThan(2500);
    expect(tally.withheld).toBeGreaterThan(2500);
    expect(tally.messages).toBeGreaterThan(250);
    expect(tally.bodiesLost).toBeGreaterThan(10);
    expect(tally.idsReused).toBeGreaterThan(500);
    expect(tally.gone).toBeGreaterThan(500);
    expect(tally.outOfRange).toBeGreaterThan(500);
    expect(tally.children).toBeGreaterThan(100);
  });

  it('finds a view that shows what another perceives', async () => {
    const found = runCanary(5, 20_000, wrongWatcher);
    await expect(found).rejects.toThrow(/seed 5, tick \d+: player \d.* is told of slot \d+, where nobody is/);
  });

  it.each([
    ['does not say who is gone', goneForgotten, /that \d+ left as out of range, and it was gone$/],
    [
      'says of all who left that they are gone',
      leftForGone,
      /that \d+ left as gone, and it was out of range$/,
    ],
  ])('finds a gateway that %s', async (_, sabotage, fault) => {
    await expect(runCanary(8, 20_000, sabotage)).rejects.toThrow(fault);
  });

  it('finds a client that mistakes one reason for the other', async () => {
    const found = runCanary(9, 20_000, reasonsMistaken);
    await expect(found).rejects.toThrow(/player \d hears in frame \d+ that \d+ left as/);
  });

  it('finds a gateway that sends children before their parents', async () => {
    const undo = parentsForgotten();
    try {
      const found = runCanary(13, 20_000);
      await expect(found).rejects.toThrow(/of \d+, and not of its parent \d+, whom it is to have$/);
    } finally {
      undo();
    }
  });

  it('finds a client that tells of children before their parents', async () => {
    const found = runCanary(11, 20_000, childrenFirst);
    await expect(found).rejects.toThrow(/player \d hears in frame \d+ of \d+ before its parent \d+$/);
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
