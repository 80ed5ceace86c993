/** Minimum dwell: a marker that got a seat keeps it for some ticks, whatever better candidate comes. */
import { expect, test } from 'vitest';
import { Lineup } from './lineup.ts';

const DWELL = { cap: 1, incumbentBonus: 0, minDwellTicks: 3 };

test('a seat younger than the dwell is not lost to a better rank', () => {
  const lineup = new Lineup(DWELL, [10, 20]);
  lineup.tick();
  lineup.walk(1, 1);
  expect(lineup.tick().entered).toEqual([]);
  expect(lineup.tick().entered).toEqual([]);
  expect(lineup.tick()).toMatchObject({ entered: [1], left: [0] });
});

test('a young seat is lost when the marker is no longer perceived', () => {
  const lineup = new Lineup(DWELL, [10, 20]);
  lineup.tick();
  lineup.walk(0, 101);
  expect(lineup.tick()).toMatchObject({ entered: [1], left: [0] });
});

test('each seat counts from the tick in which it was taken', () => {
  const lineup = new Lineup({ ...DWELL, cap: 2 }, [10]);
  lineup.ticks(3);
  lineup.add(20);
  lineup.tick();
  lineup.add(5);
  lineup.add(6);
  // The first may lose its seat by now; the second is still protected.
  expect(lineup.tick()).toMatchObject({ entered: [2], left: [0] });
});

test('it never exceeds the cap: the first protected markers by rank keep their seats', () => {
  const lineup = new Lineup({ ...DWELL, cap: 3 }, [10, 20, 30]);
  lineup.tick();
  lineup.world.update(lineup.watcher, { cap: 2 });
  expect(lineup.tick().left).toEqual([2]);
  const friend = lineup.add(40);
  lineup.world.pin(lineup.watcher, lineup.markers[friend]);
  expect(lineup.tick()).toMatchObject({ entered: [3], left: [1] });
});

test('a marker that lost a seat and got another begins its dwell again', () => {
  const lineup = new Lineup(DWELL, [10, 20]);
  lineup.tick();
  lineup.walk(0, 200);
  lineup.tick();
  lineup.walk(0, 5);
  expect(lineup.ticks(2).entered).toEqual([]);
  expect(lineup.tick()).toMatchObject({ entered: [0], left: [1] });
});
