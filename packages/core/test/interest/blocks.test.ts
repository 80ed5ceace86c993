/** Blocks: a pair that never relates, whatever else holds. One way. */
import { expect, test } from 'vitest';
import { Lineup, NOTHING } from './lineup.ts';

test('a blocked marker leaves with the next tick and enters again after unblock', () => {
  const lineup = new Lineup({}, [10]);
  lineup.tick();
  lineup.world.block(lineup.watcher, lineup.markers[0]);
  expect(lineup.tick().left).toEqual([0]);
  lineup.walk(0, 11);
  expect(lineup.tick()).toEqual(NOTHING);
  lineup.world.unblock(lineup.watcher, lineup.markers[0]);
  expect(lineup.tick().entered).toEqual([0]);
});

test('block and unblock between two ticks change nothing', () => {
  const lineup = new Lineup({}, [10]);
  lineup.tick();
  lineup.world.block(lineup.watcher, lineup.markers[0]);
  lineup.world.unblock(lineup.watcher, lineup.markers[0]);
  expect(lineup.tick()).toEqual(NOTHING);
});

test('it hides the marker from one side only', () => {
  const lineup = new Lineup({}, [10], { watcher: { marker: true }, marker: { range: 50 } });
  lineup.world.block(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.world.related(lineup.watcher, lineup.markers[0])).toBe(false);
  expect(lineup.world.related(lineup.markers[0], lineup.watcher)).toBe(true);
});

test('a blocked marker takes no seat', () => {
  const lineup = new Lineup({ cap: 1 }, [10, 20]);
  lineup.tick();
  lineup.world.block(lineup.watcher, lineup.markers[0]);
  expect(lineup.tick()).toMatchObject({ entered: [1], left: [0] });
});

test('unblock without a block does nothing', () => {
  const lineup = new Lineup({}, [10]);
  lineup.tick();
  lineup.world.unblock(lineup.watcher, lineup.markers[0]);
  expect(lineup.tick()).toEqual(NOTHING);
});
