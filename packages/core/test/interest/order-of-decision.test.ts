/**
 * Which rule goes before which: block, pin, meeting, group and always, senses with margin, admit, cap, mutual.
 *
 * Each test holds two neighbours in that order against each other.
 */
import { expect, test } from 'vitest';
import { Lineup } from './lineup.ts';

test('a block goes before a pin', () => {
  const lineup = new Lineup({}, [10]);
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  lineup.world.block(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([]);
  lineup.world.unblock(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([0]);
});

test('a block goes before group and always', () => {
  const lineup = new Lineup({ showGroup: true }, [10], { watcher: { group: 1 } });
  lineup.update(0, { group: 1, always: true });
  lineup.world.block(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([]);
});

test('a pin goes before layers and channels, and those before group and always', () => {
  const lineup = new Lineup({ showGroup: true }, [10, 10], { watcher: { group: 1, channel: 1 } });
  for (const place of [0, 1]) lineup.update(place, { group: 1, always: true, channel: 2 });
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([0]);
});

test('group and always go before admit', () => {
  const lineup = new Lineup({ showGroup: true, admit: () => false }, [10, 10, 10], { watcher: { group: 1 } });
  lineup.update(0, { group: 1 });
  lineup.update(1, { always: true });
  lineup.tick();
  expect(lineup.seen).toEqual([0, 1]);
});

test('the margin goes before admit, and admit before the cap', () => {
  const asked: number[] = [];
  const lineup: Lineup = new Lineup(
    {
      leaveMargin: 10,
      cap: 1,
      admit: (_watcher, marker) => {
        asked.push(lineup.markers.indexOf(marker));
        return marker !== lineup.markers[0];
      },
    },
    [10, 90],
  );
  lineup.tick();
  expect(lineup.seen).toEqual([1]);
  lineup.walk(1, 105);
  lineup.tick();
  expect(lineup.seen).toEqual([1]);
  expect(asked).toEqual([0, 1]);
});

test('the cap goes before mutual: who has no consent keeps others from the seat', () => {
  const lineup = new Lineup({ mutual: true, cap: 1 }, [10, 20], { watcher: { marker: true } });
  // The nearer one watches and does not perceive so far; the other is a thing.
  lineup.update(0, { range: 1 });
  lineup.tick();
  expect(lineup.seen).toEqual([]);
});
