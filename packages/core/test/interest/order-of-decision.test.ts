/**
 * Which rule takes precedence: block, pin, meeting, group and always, senses with margin, admit, cap, mutual.
 *
 * Each test compares two neighbours in this order.
 */
import { expect, test } from 'vitest';
import { Lineup } from './lineup.ts';

test('a block takes precedence over a pin', () => {
  const lineup = new Lineup({}, [10]);
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  lineup.world.block(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([]);
  lineup.world.unblock(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([0]);
});

test('a block takes precedence over group and always', () => {
  const lineup = new Lineup({ showGroup: true }, [10], { watcher: { group: 1 } });
  lineup.update(0, { group: 1, always: true });
  lineup.world.block(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([]);
});

test('a pin takes precedence over layers and channels, and those over group and always', () => {
  const lineup = new Lineup({ showGroup: true }, [10, 10], { watcher: { group: 1, channel: 1 } });
  for (const place of [0, 1]) lineup.update(place, { group: 1, always: true, channel: 2 });
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([0]);
});

test('group and always take precedence over admit', () => {
  const lineup = new Lineup({ showGroup: true, admit: () => false }, [10, 10, 10], { watcher: { group: 1 } });
  lineup.update(0, { group: 1 });
  lineup.update(1, { always: true });
  lineup.tick();
  expect(lineup.seen).toEqual([0, 1]);
});

test('the margin takes precedence over admit, and admit over the cap', () => {
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

test('the cap takes precedence over mutual: a marker without consent keeps its seat from others', () => {
  const lineup = new Lineup({ mutual: true, cap: 1 }, [10, 20], { watcher: { marker: true } });
  // The nearer one watches and does not perceive so far; the other one does not watch.
  lineup.update(0, { range: 1 });
  lineup.tick();
  expect(lineup.seen).toEqual([]);
});
