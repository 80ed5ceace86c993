/**
 * Rank: which candidates come first when there are more than seats. The nearest by weight, or a function of
 * the user.
 */
import { expect, test } from 'vitest';
import type { EntityId, RankFunction, World } from '../../src/index.ts';
import { Lineup } from './lineup.ts';

const ONE_SEAT = { cap: 1, incumbentBonus: 0 };

test('weight divides the distance: a marker with twice the weight may be twice as far', () => {
  const lineup = new Lineup(ONE_SEAT, [10]);
  lineup.add(19, { weight: 2 });
  lineup.tick();
  expect(lineup.seen).toEqual([1]);
  lineup.walk(1, 21);
  lineup.tick();
  expect(lineup.seen).toEqual([0]);
});

test('a marker of weight 0 comes last, however near', () => {
  const lineup = new Lineup(ONE_SEAT, []);
  lineup.add(0, { weight: 0 });
  lineup.add(99);
  lineup.tick();
  expect(lineup.seen).toEqual([1]);
});

test.each([0, 1, 2, 3, 4, 5, 6])(
  'a weight so small that the rank is infinite comes last, also with a bonus of 1: place %i',
  (tiny) => {
    const lineup = new Lineup({ incumbentBonus: 1 }, [10, 20, 30, 40, 50, 60, 70]);
    lineup.update(tiny, { weight: 1e-38 });
    lineup.tick();
    lineup.world.update(lineup.watcher, { cap: 6 });
    expect(lineup.tick().left).toEqual([tiny]);
  },
);

test('a change of weight applies from the next tick on', () => {
  const lineup = new Lineup(ONE_SEAT, [10, 30]);
  lineup.tick();
  lineup.update(1, { weight: 4 });
  expect(lineup.tick()).toMatchObject({ entered: [1], left: [0] });
});

test('a function may rank by anything, smaller first', () => {
  const lineup: Lineup = new Lineup(
    { ...ONE_SEAT, rank: (_watcher, marker) => -lineup.markers.indexOf(marker) },
    [10, 20, 30],
  );
  lineup.tick();
  expect(lineup.seen).toEqual([2]);
});

test('it gets the distance as float32', () => {
  const distances: number[] = [];
  const rank: RankFunction = (_watcher, _marker, distance) => distances.push(distance);
  new Lineup({ ...ONE_SEAT, rank }, [0.1, 20]).tick();
  expect(distances.sort()).toEqual([Math.fround(0.1), 20]);
});

test('it is called once for each candidate, and only when there are more than seats', () => {
  const asked: number[] = [];
  const rank: RankFunction = (_watcher, marker, distance) => {
    asked.push(marker);
    return distance;
  };
  const lineup = new Lineup({ cap: 2, rank }, [10, 20]);
  lineup.tick();
  expect(asked).toEqual([]);
  lineup.add(30);
  lineup.add(400);
  lineup.tick();
  expect(asked.sort((a, b) => a - b)).toEqual(lineup.markers.slice(0, 3));
});

test('a marker ranked NaN comes last', () => {
  const lineup: Lineup = new Lineup(
    { ...ONE_SEAT, rank: (_watcher, marker) => (marker === lineup.markers[0] ? Number.NaN : 1e300) },
    [10, 20],
  );
  lineup.tick();
  expect(lineup.seen).toEqual([1]);
});

test.each<[string, (world: World, watcher: EntityId, marker: EntityId) => unknown]>([
  ['explain', (world, watcher, marker) => world.explain(watcher, marker)],
  ['outranked', (world, watcher) => world.outranked(watcher)],
])('in %s it may use as little of the world as in a tick', (_name, ask) => {
  const calls: (() => unknown)[] = [];
  const rank: RankFunction = (_watcher, _marker, distance) => {
    for (const call of calls.splice(0)) call();
    return distance;
  };
  const lineup: Lineup = new Lineup({ ...ONE_SEAT, rank }, [10, 20]);
  lineup.tick();
  const { world, watcher, markers } = lineup;
  const usual = ask(world, watcher, markers[1]);
  calls.push(() => [world.has(watcher), world.slotOf(watcher), world.position(watcher)]);
  expect(ask(world, watcher, markers[1])).toEqual(usual);
  for (const call of [
    () => world.tick(),
    () => world.move(markers[1], 5, 0),
    () => world.related(watcher, watcher),
  ]) {
    calls.push(call);
    expect(() => ask(world, watcher, markers[1])).toThrow(
      expect.objectContaining({ code: 'REENTRANT_TICK' }),
    );
  }
  expect(ask(world, watcher, markers[1])).toEqual(usual);
  expect(world.tick().viewCount).toBe(0);
});
