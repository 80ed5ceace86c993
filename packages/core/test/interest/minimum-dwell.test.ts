/** Minimum dwell: whoever got a seat keeps it for some ticks, whatever comes. */
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

test('it is lost all the same by going out of perception', () => {
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
  // The first may go by now, the second is held.
  expect(lineup.tick()).toMatchObject({ entered: [2], left: [0] });
});

test('the cap is never exceeded for it: of those held the first by rank sit', () => {
  const lineup = new Lineup({ ...DWELL, cap: 3 }, [10, 20, 30]);
  lineup.tick();
  lineup.world.update(lineup.watcher, { cap: 2 });
  expect(lineup.tick().left).toEqual([2]);
  const friend = lineup.add(40);
  lineup.world.pin(lineup.watcher, lineup.markers[friend]);
  expect(lineup.tick()).toMatchObject({ entered: [3], left: [1] });
});

test('who lost a seat and got another begins anew', () => {
  const lineup = new Lineup(DWELL, [10, 20]);
  lineup.tick();
  lineup.walk(0, 200);
  lineup.tick();
  lineup.walk(0, 5);
  expect(lineup.ticks(2).entered).toEqual([]);
  expect(lineup.tick()).toMatchObject({ entered: [0], left: [1] });
});
