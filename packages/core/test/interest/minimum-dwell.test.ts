/** Minimum dwell: a marker that got a seat keeps it for some ticks, whatever better candidate comes. */
import { afterEach, expect, test, vi } from 'vitest';
import { World } from '../../src/index.ts';
import { SeatSearch } from '../../src/interest/seats/seat-search.ts';
import { Lineup } from './lineup.ts';

const DWELL = { cap: 1, incumbentBonus: 0, minDwellTicks: 3 };

afterEach(() => void vi.restoreAllMocks());

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

test('where nothing moves a row is decided again until dwell protects no seat', () => {
  const decided = vi.spyOn(SeatSearch.prototype, 'ask');
  const quotas = [{ layers: 1, cap: 2 }];
  const world = new World({
    interests: { default: { cap: 1, minDwellTicks: 4, incumbentBonus: 0, quotas } },
  });
  const watcher = world.add({ x: 0, y: 0, range: 100, marker: false });
  world.add({ x: 20, y: 0 });
  world.tick();
  // Few of all entities move: otherwise each row is decided anyway.
  for (let i = 0; i < 40; i++) world.add({ x: 1000 + i, y: 0 });
  const wanderer = world.add({ x: 500, y: 0 });
  const better = world.add({ x: 10, y: 0 });
  let relatedSince: number | undefined;
  const counts: number[] = [];
  for (let tick = 0; tick < 9; tick++) {
    decided.mockClear();
    world.tick();
    if (world.related(watcher, better)) relatedSince ??= tick;
    counts.push(decided.mock.calls.length);
    world.move(wanderer, 500 + tick, 0);
  }
  // The seat was taken in the tick before these.
  expect(relatedSince).toBe(3);
  // The new seat is protected for as long.
  expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0]);
});
