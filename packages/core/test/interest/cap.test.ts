/**
 * A cap: the watcher is shown at most so many markers, the first by rank. A freed seat is taken in the same
 * tick.
 */
import { expect, test } from 'vitest';
import { World } from '../../src/index.ts';
import { Lineup, NOTHING } from './lineup.ts';

const CAP = { cap: 2, incumbentBonus: 0 };

test('the nearest candidates get the seats', () => {
  const lineup = new Lineup(CAP, [40, 10, 30, 20]);
  expect(lineup.tick().entered).toEqual([1, 3]);
  expect(lineup.seen).toEqual([1, 3]);
});

test('of equal candidates the one with the lower id gets the seat', () => {
  const lineup = new Lineup(CAP, [10, 10, 10]);
  lineup.tick();
  expect(lineup.seen).toEqual([0, 1]);
});

test('a freed seat goes to the next best in the same tick', () => {
  const lineup = new Lineup(CAP, [10, 20, 30, 40]);
  lineup.tick();
  lineup.walk(0, 500);
  expect(lineup.tick()).toEqual({ ...NOTHING, left: [0], entered: [2] });
  lineup.world.remove(lineup.markers[1]);
  expect(lineup.tick()).toEqual({ ...NOTHING, left: [1], entered: [3] });
});

test('a better candidate takes the seat of the worst', () => {
  const lineup = new Lineup(CAP, [10, 20, 30]);
  lineup.tick();
  lineup.walk(2, 15);
  expect(lineup.tick()).toMatchObject({ left: [1], entered: [2] });
});

test('when the crowd leaves, the remaining markers without a seat get one', () => {
  const lineup = new Lineup(CAP, [1, 2, 3, 4, 5]);
  lineup.tick();
  for (const place of [0, 1, 2]) lineup.walk(place, 1000 + place);
  expect(lineup.tick()).toMatchObject({ left: [0, 1], entered: [3, 4] });
});

test('in a world without changes no relation changes', () => {
  const lineup = new Lineup(CAP, [5, 5, 5, 5]);
  lineup.tick();
  expect(lineup.ticks(5)).toEqual(NOTHING);
});

test('a cap of the watcher’s own takes precedence over that of its interest, and may change', () => {
  const lineup = new Lineup(CAP, [10, 20, 30, 40], { watcher: { cap: 3 } });
  lineup.tick();
  expect(lineup.seen).toEqual([0, 1, 2]);
  lineup.world.update(lineup.watcher, { cap: 1 });
  expect(lineup.tick().left).toEqual([1, 2]);
  lineup.world.update(lineup.watcher, { cap: Number.POSITIVE_INFINITY });
  expect(lineup.tick().entered).toEqual([1, 2, 3]);
});

test('a cap of the watcher’s own needs no interest', () => {
  const lineup = new Lineup({}, [10, 20], { watcher: { cap: 1 } });
  lineup.tick();
  expect(lineup.seen).toEqual([0]);
});

test('with a cap of 0 no marker is shown and none is reported', () => {
  const lineup = new Lineup({ cap: 0 }, [10]);
  expect(lineup.tick()).toEqual(NOTHING);
  lineup.walk(0, 11);
  expect(lineup.tick()).toEqual(NOTHING);
});

test.each(['nine-grid', 'tower', 'cross-list'] as const)(
  '%s: by cells, those that it perceives beyond its range count when it leaps to its cap',
  (detector) => {
    const cells = { detector, granularity: 'cell', cellSize: 10 } as const;
    const world = new World({ ...cells, interests: { default: { cap: 8 } } });
    const watcher = world.add({ x: 9, y: 5, range: 5, updates: false });
    for (let i = 0; i < 3; i++) world.add({ x: 8, y: 5 });
    // In the next cell, farther than the range.
    for (let i = 0; i < 3; i++) world.add({ x: 19, y: 5 });
    const comers = Array.from({ length: 3 }, () => world.add({ x: 40, y: 5 }));
    world.tick();
    expect(world.visibleTo(watcher)).toHaveLength(6);
    for (const comer of comers) world.move(comer, 7, 5);
    world.tick();
    expect(world.visibleTo(watcher)).toHaveLength(8);
  },
);

test('a cap that falls below what a watcher far below its cap relates to applies at once', () => {
  const world = new World({ interests: { default: { cap: 100 } } });
  const watcher = world.add({ x: 0, y: 0, range: 10 });
  for (let i = 1; i <= 5; i++) world.add({ x: i, y: 0 });
  world.tick();
  world.tick();
  world.update(watcher, { cap: 2 });
  expect(world.tick().leftCount).toBe(3);
});
