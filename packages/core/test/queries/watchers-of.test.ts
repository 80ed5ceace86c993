/** Who relates to a marker is asked of those near it and of those that may relate from afar, and not of everybody with rules. */
import { afterEach, expect, test, vi } from 'vitest';
import type { Detector } from '../../src/detectors/detector.ts';
import { nineGrid } from '../../src/detectors/nine-grid.ts';
import type { EntityStore } from '../../src/entities/entity-store.ts';
import { type Interest, World } from '../../src/index.ts';
import { PairRows } from '../../src/interest/table/pair-rows.ts';

const COUNT = 1600;

afterEach(() => vi.restoreAllMocks());

/** Walkers on a lattice, ten units apart, each of which perceives some twelve. */
function lattice(interest: Interest) {
  const world = new World({ interests: { default: interest } });
  const side = Math.sqrt(COUNT);
  const column = (place: (i: number) => number) =>
    Float32Array.from({ length: COUNT }, (_, i) => 10 * place(i));
  const x = column((i) => i % side);
  const y = column((i) => Math.floor(i / side));
  const ids = world.addMany({ x, y, range: 20 });
  world.tick();
  world.moveMany(
    ids,
    x.map((each) => each + 1),
    y,
  );
  world.tick();
  return { world, ids };
}

/** In how many rows it is looked for while `ask` runs. */
function rowsAsked(ask: () => void): number {
  const find = vi.spyOn(PairRows.prototype, 'find');
  ask();
  return find.mock.calls.length;
}

test.each<[string, Interest]>([
  ['a cap', { cap: 6 }],
  ['a cap, dwell, memory and a margin', { cap: 6, minDwellTicks: 3, memoryTicks: 5, leaveMargin: 5 }],
  ['a function that admits', { admit: (_, marker) => marker % 3 !== 0 }],
  ['mutual consent', { cap: 6, mutual: true }],
  ['linger', { lingerTicks: 3 }],
  ['groups that are shown', { cap: 6, showGroup: true }],
])('with %s it looks into the rows of those near', (_, interest) => {
  const { world, ids } = lattice(interest);
  const marker = ids[COUNT / 2 + 20] as number;
  const expected = [...ids].filter((watcher) => world.related(watcher, marker));
  const asked = rowsAsked(() => expect([...world.watchersOf(marker)]).toEqual(expected));
  expect(asked).toBeLessThan(100);
});

test('those that relate from afar are among them: pins, groups, what lingers', () => {
  const { world, ids } = lattice({ cap: 40, showGroup: true, lingerTicks: 2, admit: () => true });
  const marker = ids[0] as number;
  const [pinning, unpinning, fellow, near] = [1599, 1598, 1597, 1] as const;
  world.pin(ids[unpinning] as number, marker);
  world.update(marker, { group: 3 });
  world.update(ids[fellow] as number, { group: 3 });
  world.tick();
  world.pin(ids[pinning] as number, marker);
  world.unpin(ids[unpinning] as number, marker);
  const from = (places: readonly number[]) =>
    places.map((place) => ids[place]).sort((a, b) => Number(a) - Number(b));
  expect([...world.watchersOf(marker)]).toEqual(expect.arrayContaining(from([near, unpinning, fellow])));
  expect(world.watchersOf(marker)).not.toContain(ids[pinning]);
  world.move(marker, -100_000, 0);
  world.tick();
  expect(world.watchersOf(marker)).toContain(ids[near]);
  expect(world.watchersOf(marker)).toContain(ids[pinning]);
  for (let tick = 0; tick < 3; tick++) world.tick();
  expect([...world.watchersOf(marker)]).toEqual(from([pinning, fellow]));
});

/** Things on a lattice, five players, and a sniper that sees them all; `visits` counts what the detector collects. */
function rangeWithSniper(interest: Interest, rangeOfThings = 0) {
  const visits = { count: 0 };
  const detector = (store: EntityStore): Detector => {
    const grid = nineGrid(store);
    const { collect } = grid;
    grid.collect = (from, box, visit) =>
      collect.call(grid, from, box, (slot) => {
        visits.count++;
        visit(slot);
      });
    return grid;
  };
  const world = new World({ detector, interests: { default: interest } });
  const things = Array.from({ length: 900 }, (_, i) =>
    world.add({ x: 10 * (i % 30), y: 10 * Math.floor(i / 30), range: rangeOfThings }),
  );
  const players = Array.from({ length: 5 }, (_, i) => world.add({ x: 50 * i + 40, y: 150, range: 25 }));
  const sniper = world.add({ x: 150, y: 150, range: 1000 });
  world.tick();
  return { world, visits, things, players, sniper };
}

test.each<[string, Interest]>([
  ['no rule', {}],
  ['a cap', { cap: 400 }],
  ['a cap that is reached', { cap: 12 }],
  ['a margin', { leaveMargin: 10 }],
])('one that sees everything makes no search long, with %s', (_, interest) => {
  const { world, visits, things, players, sniper } = rangeWithSniper(interest);
  const watchers = [...players, sniper];
  const check = () => {
    for (const thing of things.filter((_, i) => i % 41 === 0)) {
      if (!world.has(thing)) continue;
      const expected = watchers.filter(
        (watcher) => world.has(watcher) && [...world.visibleTo(watcher)].includes(thing),
      );
      expect([...world.watchersOf(thing)]).toEqual(expected.sort((a, b) => a - b));
    }
  };
  check();
  for (let tick = 0; tick < 12; tick++) {
    for (const [i, player] of players.entries())
      if (world.has(player)) world.move(player, 50 * i + 40, 150 + 3 * tick);
    // A second one comes, and the ranges of others change; then both snipers go.
    if (tick === 3) watchers.push(world.add({ x: 0, y: 0, range: 700 }));
    if (tick === 5) world.update(players[1]!, { range: 300 });
    if (tick === 7) world.remove(sniper);
    if (tick === 9) world.update(watchers[6]!, { range: 20 });
    world.tick();
    visits.count = 0;
    world.watchersOf(things[465]!);
    if (tick > 0 && tick < 7) expect(visits.count).toBeLessThan(200);
    check();
  }
});

test('where all watch and all ranges change, only a few searches go as far as a sniper sees', () => {
  const { world, visits, things, sniper } = rangeWithSniper({ cap: 20 }, 25);
  for (let tick = 0; tick < 6; tick++) {
    for (const thing of things) world.update(thing, { range: 25 + (tick % 2) });
    world.tick();
    visits.count = 0;
    for (let i = 0; i < 60; i++) {
      const thing = things[15 * i]!;
      expect(world.watchersOf(thing)).toContain(things[15 * i + 1]);
    }
    expect(visits.count).toBeLessThan(4 * things.length);
  }
  expect(world.visibleTo(sniper)).toHaveLength(20);
});
