/**
 * The incumbent bonus: seats are sticky, and a newcomer must be better than an incumbent by more than a
 * fraction.
 */
import { expect, test } from 'vitest';
import { Lineup, NOTHING } from './lineup.ts';

test('a newcomer must be better than the incumbent by more than the bonus', () => {
  const lineup = new Lineup({ cap: 1, incumbentBonus: 0.5 }, [10, 20]);
  lineup.tick();
  lineup.walk(1, 6);
  expect(lineup.tick()).toEqual(NOTHING);
  lineup.walk(1, 5);
  expect(lineup.tick()).toEqual(NOTHING);
  lineup.walk(1, 4.99);
  expect(lineup.tick()).toMatchObject({ entered: [1], left: [0] });
});

test('a newcomer that got the seat has the bonus', () => {
  const lineup = new Lineup({ cap: 1, incumbentBonus: 0.5 }, [10, 4]);
  lineup.tick();
  expect(lineup.seen).toEqual([1]);
  lineup.walk(0, 3);
  expect(lineup.tick().entered).toEqual([]);
});

test('the default is 0.15', () => {
  const lineup = new Lineup({ cap: 1 }, [10, 20]);
  lineup.tick();
  lineup.walk(1, 8.6);
  expect(lineup.tick().entered).toEqual([]);
  lineup.walk(1, 8.4);
  expect(lineup.tick().entered).toEqual([1]);
});

test('a bonus of 0 gives seats to the nearest, each tick; of equal candidates the incumbent keeps the seat', () => {
  const lineup = new Lineup({ cap: 1, incumbentBonus: 0 }, [10, 5]);
  lineup.tick();
  expect(lineup.seen).toEqual([1]);
  lineup.walk(0, 5);
  expect(lineup.tick().entered).toEqual([]);
  lineup.walk(0, 4.999);
  expect(lineup.tick().entered).toEqual([0]);
});

test('with a bonus of 1 no seat is lost to a better rank', () => {
  const lineup = new Lineup({ cap: 1, incumbentBonus: 1 }, [90, 91]);
  lineup.tick();
  lineup.walk(1, 0.5);
  expect(lineup.ticks(3).entered).toEqual([]);
});

test('with a function the bonus is a fraction of the absolute rank, also if the rank is negative', () => {
  const ranks = [-10, 0];
  const lineup: Lineup = new Lineup(
    { cap: 1, incumbentBonus: 0.5, rank: (_watcher, marker) => ranks[lineup.markers.indexOf(marker)] },
    [10, 20],
  );
  lineup.tick();
  expect(lineup.seen).toEqual([0]);
  ranks[1] = -14;
  lineup.walk(1, 21);
  expect(lineup.tick().entered).toEqual([]);
  ranks[1] = -15.5;
  lineup.walk(1, 20);
  expect(lineup.tick().entered).toEqual([1]);
});
