/** Watchers that are looked for around what changed: worlds that do so report what worlds report that read all rows. */
import { Random } from '@umwelt/scenarios';
import { afterEach, describe, expect, test } from 'vitest';
import { type EntityId, World, type WorldOptions } from '../../src/index.ts';
import { nearShares } from '../../src/interest/grids/near-watchers.ts';

const USUAL = { ...nearShares };
const ALWAYS = { ...USUAL, pending: 0, rows: 0, visits: 1000 };
const NEVER = { ...USUAL, pending: Number.POSITIVE_INFINITY, moving: Number.POSITIVE_INFINITY };
/** All rows may be due, and those near leapers are found in the grids. */
const STIRRED = { ...USUAL, moving: 0, rows: 0 };
const FAR = 1e5;

interface Crowd {
  readonly first: EntityId;
  readonly crowd: readonly EntityId[];
}
const crowds = new WeakMap<World, Crowd>();

afterEach(() => void Object.assign(nearShares, USUAL));

/** Ten watchers in a row that see each other, of which the first is tied to what `add` adds; then `act` in each of ten ticks. */
function expectAlike(
  options: WorldOptions,
  add: (world: World, watchers: EntityId[]) => EntityId,
  act: (world: World, marker: EntityId, tick: number) => void,
  shares = ALWAYS,
): number {
  const worlds = [shares, NEVER].map((shares) => {
    const world = new World(options);
    const watchers = Array.from({ length: 10 }, (_, i) => world.add({ x: 10 * i, y: 0, range: 25 }));
    return { shares, world, marker: add(world, watchers) };
  });
  let updates = 0;
  for (let tick = 0; tick < 10; tick++) {
    const [near, all] = worlds.map(({ shares, world, marker }) => {
      Object.assign(nearShares, shares);
      if (tick > 2) act(world, marker, tick);
      const changes = world.tick();
      if (tick > 2) updates += changes.updatedCount;
      return changes.hash();
    });
    expect(near, `tick ${tick}`).toBe(all);
  }
  return updates;
}

const step = (world: World, marker: EntityId): void => {
  const [x = 0, y = 0] = world.position(marker);
  world.move(marker, x + 1, y);
};

test('a member of the group is far away, and moves', () => {
  const updates = expectAlike(
    { groups: ['party'], interests: { default: { showGroup: true } } },
    (world, [first]) => {
      world.update(first as EntityId, { group: 7 });
      return world.add({ x: FAR, y: 0, group: 7 });
    },
    step,
  );
  expect(updates).toBe(14);
});

test('a member of the group of a watcher with a row is far away, and moves', () => {
  const updates = expectAlike(
    { groups: ['party'], interests: { default: { showGroup: true, cap: 2 } } },
    (world, [first]) => {
      world.update(first as EntityId, { group: 7 });
      return world.add({ x: FAR, y: 0, group: 7 });
    },
    step,
  );
  expect(updates).toBe(14);
});

test('a pinned marker is far away, and moves', () => {
  const updates = expectAlike(
    {},
    (world, [first]) => {
      const marker = world.add({ x: FAR, y: 0 });
      world.pin(first as EntityId, marker);
      return marker;
    },
    step,
  );
  expect(updates).toBe(14);
});

test('a marker that is always shown is far away, and moves', () => {
  expect(expectAlike({}, (world) => world.add({ x: FAR, y: 0, always: true }), step)).toBe(140);
});

test('a marker is attached to a parent nearby, and far away itself', () => {
  const updates = expectAlike(
    {},
    (world) => {
      const parent = world.add({ x: 1, y: 0 });
      const child = world.add({ x: 0, y: 0 });
      world.attach(child, parent, { x: FAR, y: 0 });
      return child;
    },
    (world, child) => world.touch(child),
  );
  expect(updates).toBe(42);
});

test('an attached marker is due later than it changed', () => {
  expectAlike(
    { interests: { default: { updateRates: [[1, 4]] } } },
    (world) => {
      const parent = world.add({ x: 1, y: 0 });
      const child = world.add({ x: 0, y: 0 });
      world.attach(child, parent, { x: FAR, y: 0 });
      return child;
    },
    (world, child, tick) => {
      if (tick < 6) world.touch(child);
    },
  );
});

test('a marker is due later than it changed', () => {
  const updates = expectAlike(
    { interests: { default: { updateRates: [[1, 4]] } } },
    (world) => world.add({ x: 1, y: 0 }),
    (world, marker, tick) => {
      if (tick < 6) step(world, marker);
    },
  );
  expect(updates).toBe(12);
});

test('a margin becomes longer, and holds a marker that goes on', () => {
  const updates = expectAlike(
    { interests: { default: {} } },
    (world) => world.add({ x: -24, y: 0 }),
    (world, marker, tick) => {
      if (tick === 4) world.setInterest('default', { leaveMargin: 50 });
      if (tick > 4) world.move(marker, -24 - 4 * (tick - 4), 0);
    },
  );
  expect(updates).toBe(10);
});

test('a marker leaps, and changes how far it can be perceived', () => {
  expectAlike(
    {},
    (world) => world.add({ x: 40, y: 0 }),
    (world, marker, tick) => {
      world.move(marker, tick % 2 === 0 ? 40 : -500, 0);
      if (tick > 5) world.update(marker, { gain: tick % 3 === 0 ? 30 : 1 });
    },
  );
});

test('a watcher walks on and perceives others', () => {
  expectAlike(
    {},
    (_world, watchers) => watchers[3] as EntityId,
    (world, watcher, tick) => {
      world.move(watcher, 30 + 17 * (tick - 2), 0);
    },
  );
});

test('with more entities than are worth a search, all rows are read', () => {
  Object.assign(nearShares, { ...ALWAYS, visits: 0 });
  const world = new World();
  const things = Array.from({ length: 400 }, (_, i) => world.add({ x: i, y: 0, range: 25 }));
  for (let tick = 0; tick < 4; tick++) world.tick();
  for (const id of things) step(world, id);
  expect(world.tick().updatedCount).toBe(19_350);
});

test('rows that were all decided are due again, also those whose place in the list changed', () => {
  expectAlike(
    { interests: { default: {}, queue: { enterBudget: 1 }, lingers: { lingerTicks: 20 } } },
    (world, [first]) => {
      const place = { x: FAR, y: 0 };
      world.add({ x: -FAR, y: 0, range: 25, interest: 'lingers' });
      const leaver = world.add({ x: 1 - FAR, y: 0 });
      world.add({ ...place, range: 25, interest: 'queue' });
      for (let i = 0; i < 20; i++) world.add(place);
      const crowd = Array.from({ length: 60 }, () => world.add({ x: 0, y: FAR }));
      crowds.set(world, { first: first as EntityId, crowd });
      return leaver;
    },
    (world, leaver, tick) => {
      const { first, crowd } = crowds.get(world) as Crowd;
      // It lingers; many move; then a watcher gets a row, which is the first in the list.
      if (tick === 3) world.move(leaver, 0, -FAR);
      if (tick === 5) for (const id of crowd) world.move(id, 1, FAR);
      if (tick === 6) world.update(first, { cap: 3 });
    },
  );
});

test('a lingering marker is far away, and goes on', () => {
  const updates = expectAlike(
    { interests: { default: { lingerTicks: 5 } } },
    (world) => world.add({ x: -24, y: 0 }),
    (world, marker, tick) => world.move(marker, -FAR - tick, 0),
  );
  expect(updates).toBe(10);
});

test('a margin becomes shorter in the tick in which watchers are listed, and what it held lingers', () => {
  const updates = expectAlike(
    { interests: { default: { leaveMargin: 20, lingerTicks: 3 } } },
    (world) => world.add({ x: -24, y: 0 }),
    (world, marker, tick) => {
      if (tick === 3) world.move(marker, -40, 0);
      if (tick === 6) world.setInterest('default', { lingerTicks: 3 });
      if (tick === 6) world.touch(marker);
    },
    { ...ALWAYS, fewStrays: -1, strays: Number.POSITIVE_INFINITY },
  );
  expect(updates).toBe(4);
});

test('a row that begins to wait in a tick in which many move goes on in the next', () => {
  expectAlike(
    { interests: { default: {}, queue: { enterBudget: 1 } } },
    (world, [first]) => {
      const crowd = Array.from({ length: 60 }, () => world.add({ x: 0, y: FAR }));
      crowds.set(world, { first: first as EntityId, crowd });
      return world.add({ x: FAR, y: 0, range: 25, interest: 'queue' });
    },
    (world, _watcher, tick) => {
      if (tick === 5) for (const id of crowds.get(world)?.crowd ?? []) world.move(id, FAR, 0);
    },
  );
});

test('a marker that lingers far from its watcher goes farther, and loses its seat to one in range', () => {
  Object.assign(nearShares, ALWAYS);
  const world = new World({ interests: { default: { lingerTicks: 100 } } });
  const watcher = world.add({ x: 0, y: 0, range: 20, cap: 1 });
  const heavy = world.add({ x: 5, y: 0, weight: 4 });
  const other = world.add({ x: 15, y: 0 });
  world.tick();
  const seats = [25, 45, 70, 71].map((x) => {
    // Grids are made at the second tick in a row in which few move.
    for (let tick = 0; tick < 3; tick++) {
      world.move(heavy, x + tick / 10, 0);
      world.tick();
    }
    return [...world.visibleTo(watcher)];
  });
  // At 70.6, its rank of a quarter of that, less the bonus of 15 %, is the 15 of the other.
  expect(seats).toEqual([[heavy], [heavy], [heavy], [other]]);
});

test.each(['auto', 'typescript'] as const)(
  'a seated marker becomes lighter and goes away, and all step a little: another gets its seat (%s)',
  (kernels) => {
    Object.assign(nearShares, STIRRED);
    const world = new World({ kernels, interests: { default: { cap: 2, incumbentBonus: 0 } } });
    const watchers = Array.from({ length: 8 }, () => world.add({ x: 0, y: 0, range: 100, marker: false }));
    const lighter = world.add({ x: -1, y: 0 });
    const seated = world.add({ x: 0, y: 9 });
    const other = world.add({ x: 11, y: 0 });
    const crowd = Array.from({ length: 20 }, (_, i) => world.add({ x: FAR + i, y: 0 }));
    for (let tick = 0; tick < 4; tick++) {
      step(world, crowd[0]!);
      world.tick();
    }
    world.update(lighter, { weight: 0.5 });
    world.tick();
    // Its rank is 8.9, and that of the other 11.
    world.move(lighter, -4.45, 0);
    world.tick();
    const seats = () => [...world.visibleTo(watchers[0]!)];
    expect(seats()).toEqual([lighter, seated]);
    // From the first watcher's new place, the rank is 10.7, and that of the other 10.1. Without the crowd, those that step were leapers.
    world.move(lighter, -4.9, 0);
    world.move(other, 10.55, 0);
    world.move(watchers[0]!, 0.45, 0);
    for (const id of crowd) world.move(id, world.position(id)[0]! + 0.45, 0);
    world.tick();
    expect(seats()).toEqual([seated, other]);
  },
);

describe('seats around few that move', () => {
  const kinds: [name: string, options: WorldOptions, seats: number][] = [
    ['by distance', {}, 0],
    ['without a bonus', { interests: { default: { incumbentBonus: 0 } } }, 0],
    ['in 3-D, with a large bonus', { dimensions: 3, interests: { default: { incumbentBonus: 0.7 } } }, 0],
    ['with dwell and a margin', { interests: { default: { minDwellTicks: 3, leaveMargin: 4 } } }, 0],
    ['that are remembered', { interests: { default: { memoryTicks: 4 } } }, 0],
    ['that linger', { interests: { default: { lingerTicks: 6 } } }, 0],
    ['under quotas', { interests: { default: { quotas: [{ layers: 2, cap: 2 }] } } }, 0],
  ];
  test.each(kinds)(
    '%s: they and snapshots are those of a world that reads all rows',
    (_name, options, seats) => {
      const worlds = [NEVER, ALWAYS, STIRRED].map((shares) => ({
        shares,
        world: new World(options),
        ids: [] as EntityId[],
      }));
      const hashes = worlds.map(({ shares, world, ids }) => {
        Object.assign(nearShares, shares);
        const random = new Random(7);
        const place = () => ({
          x: random.between(0, 100),
          y: random.between(0, 100),
          z: random.between(0, 10),
        });
        for (let i = 0; i < 80; i++) {
          const weight = random.unit() < 0.5 ? 1 : random.between(0, 3);
          ids.push(
            world.add({
              ...place(),
              range: 30,
              cap: 1 + random.below(20),
              weight,
              layers: 1 + random.below(2),
              sees: 3,
            }),
          );
        }
        const ticks = Array.from({ length: 400 }, (_, tick) => {
          // Some step, some leap, and now and then one changes.
          for (let i = 0; i < 3; i++) {
            const id = ids[random.below(8)]!;
            const [x = 0, y = 0, z = 0] = world.position(id);
            const { x: toX, y: toY, z: toZ } = place();
            const share = random.unit() < 0.2 ? 1 : 0.02;
            world.move(id, x + share * (toX - x), y + share * (toY - y), z + share * (toZ - z));
          }
          if (tick % 20 === 0) world.update(ids[random.below(80)]!, { weight: random.between(0, 3) });
          seats += world.tick().enteredCount;
          return world.lastChanges.hash();
        });
        return [...ticks, ...world.snapshot()];
      });
      expect(hashes[1]).toEqual(hashes[0]);
      expect(hashes[2]).toEqual(hashes[0]);
      expect(seats).toBeGreaterThan(3000);
    },
  );
});
