/**
 * Hand-written cases: the cap, and which markers get a seat.
 *
 * Few entities on a line, a cap of one or two, and ranks that differ by nothing, very little, or exactly the bonus.
 */
import type { EntityId, Interest } from '../../../index.ts';
import {
  expectIds,
  expectNothing,
  expectReport,
  expectSame,
  type HandWrittenCase,
} from '../../expectation.ts';
import type { CreateSubject, Subject } from '../../subject.ts';

/** A watcher at the origin with a range of 100 units and this interest. */
function oneWatcher(create: CreateSubject, interest: Interest): { world: Subject; watcher: EntityId } {
  const world = create({ interests: { default: interest } });
  return { world, watcher: world.add({ x: 0, y: 0, range: 100 }) };
}

export const seatCases: readonly HandWrittenCase[] = [
  {
    name: 'of more candidates than seats the nearest get them, and at equal distance the lower id',
    run(create) {
      const { world, watcher } = oneWatcher(create, { cap: 2 });
      const [, near, first] = [9, 3, -5, 5].map((x) => world.add({ x, y: 0 }));
      expectReport(world.tick(), [{ watcher, entered: [near, first] }]);
      expectIds('visibleTo', world.visibleTo(watcher), [near, first]);
    },
  },
  {
    name: 'a freed seat goes to the next best in the same tick',
    run(create) {
      const { world, watcher } = oneWatcher(create, { cap: 1 });
      const [first, second, third] = [1, 2, 3].map((x) => world.add({ x, y: 0 }));
      expectReport(world.tick(), [{ watcher, entered: [first] }]);
      world.remove(first);
      expectReport(world.tick(), [{ watcher, left: [first], entered: [second] }], [first]);
      world.move(second, 200, 0);
      expectReport(world.tick(), [{ watcher, left: [second], entered: [third] }]);
    },
  },
  {
    name: 'a newcomer must beat an incumbent by more than the bonus',
    run(create) {
      for (const [bonus, tie, better] of [
        [0.5, 5, 5 - 2 ** -21],
        [0.15, 8.5, 8.5 - 2 ** -20],
        [0, 10, 10 - 2 ** -20],
      ]) {
        const { world, watcher } = oneWatcher(create, { cap: 1, incumbentBonus: bonus });
        const incumbent = world.add({ x: 10, y: 0 });
        world.tick();
        const newcomer = world.add({ x: tie, y: 0 });
        expectNothing(world.tick());
        world.move(newcomer, better, 0);
        expectReport(world.tick(), [{ watcher, left: [incumbent], entered: [newcomer] }]);
      }
    },
  },
  {
    name: 'with a bonus of 1 no incumbent loses its seat to another, but only when it is no longer perceived',
    run(create) {
      const { world, watcher } = oneWatcher(create, { cap: 1, incumbentBonus: 1 });
      const incumbent = world.add({ x: 99, y: 0 });
      world.tick();
      const newcomer = world.add({ x: 0, y: 0 });
      expectNothing(world.tick());
      world.move(incumbent, 101, 0);
      expectReport(world.tick(), [{ watcher, left: [incumbent], entered: [newcomer] }]);
    },
  },
  {
    name: 'distance counts by weight, and weight 0 comes last however near',
    run(create) {
      const { world, watcher } = oneWatcher(create, { cap: 2, incumbentBonus: 0 });
      const worthless = world.add({ x: 1, y: 0, weight: 0 });
      const important = world.add({ x: 10, y: 0, weight: 2 });
      const plain = world.add({ x: 6, y: 0 });
      const far = world.add({ x: 11, y: 0 });
      expectReport(world.tick(), [{ watcher, entered: [important, plain] }]);
      world.update(far, { weight: 4 });
      expectReport(world.tick(), [{ watcher, entered: [far], left: [plain] }]);
      world.update(far, { weight: 0 });
      world.remove(important);
      expectReport(world.tick(), [{ watcher, entered: [plain], left: [important] }], [important]);
      world.move(plain, 200, 0);
      expectReport(world.tick(), [{ watcher, entered: [worthless], left: [plain] }]);
    },
  },
  {
    name: 'a rank function may rank freely; it is called once for each candidate, and only if there are not enough seats',
    run(create) {
      const asked: string[] = [];
      const rank = (watcher: EntityId, marker: EntityId, distance: number) => {
        asked.push(`${watcher} ${marker} ${distance}`);
        return -distance;
      };
      const { world, watcher } = oneWatcher(create, { cap: 2, rank });
      const near = world.add({ x: 3, y: 4 });
      const middle = world.add({ x: 0, y: 8 });
      world.tick();
      expectSame('calls', asked.length, 0);
      const far = world.add({ x: 0.1, y: 10 });
      expectReport(world.tick(), [{ watcher, left: [near], entered: [far] }]);
      const distance = Math.fround(Math.sqrt(Math.fround(Math.fround(0.1) ** 2) + 100));
      const expected = [`${watcher} ${near} 5`, `${watcher} ${middle} 8`, `${watcher} ${far} ${distance}`];
      expectSame('calls', asked.sort().join(', '), expected.sort().join(', '));
    },
  },
  {
    name: 'the bonus improves a rank below 0 too, and NaN comes last, seated or not',
    run(create) {
      for (const [seatedRank, newRank, isTaken] of [
        [-10, -15, false],
        [-10, -15.5, true],
        [10, 5, false],
        [10, 4.9, true],
        [Number.NaN, 1e300, true],
        [Number.NaN, Number.NaN, false],
        [10, Number.NaN, false],
        [Number.POSITIVE_INFINITY, Number.NaN, false],
        [Number.NaN, Number.NEGATIVE_INFINITY, true],
        [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, false],
      ] as const) {
        const ranks = new Map<EntityId, number>();
        const rank = (_: EntityId, marker: EntityId) => ranks.get(marker) as number;
        const { world, watcher } = oneWatcher(create, { cap: 1, incumbentBonus: 0.5, rank });
        const incumbent = world.add({ x: 1, y: 0 });
        world.tick();
        const newcomer = world.add({ x: 1, y: 0 });
        ranks.set(incumbent, seatedRank).set(newcomer, newRank);
        const views = isTaken ? [{ watcher, entered: [newcomer], left: [incumbent] }] : [];
        expectReport(world.tick(), views);
      }
    },
  },
  {
    name: 'a seat younger than the minimum dwell is not lost to a better rank, and lost to it once it is that old',
    run(create) {
      const { world, watcher } = oneWatcher(create, { cap: 1, incumbentBonus: 0, minDwellTicks: 3 });
      const first = world.add({ x: 50, y: 0 });
      world.tick();
      const better = world.add({ x: 5, y: 0 });
      expectNothing(world.tick());
      expectNothing(world.tick());
      expectReport(world.tick(), [{ watcher, left: [first], entered: [better] }]);
      const best = world.add({ x: 1, y: 0 });
      expectNothing(world.tick());
      expectNothing(world.tick());
      expectReport(world.tick(), [{ watcher, left: [better], entered: [best] }]);
    },
  },
  {
    name: 'dwell keeps no marker that is no longer perceived, refused or blocked',
    run(create) {
      const refused = new Set<EntityId>();
      const { world, watcher } = oneWatcher(create, {
        cap: 3,
        minDwellTicks: 100,
        admit: (_, marker) => !refused.has(marker),
      });
      const [one, two, three, ...others] = [1, 2, 3, 4, 5, 6].map((x) => world.add({ x, y: 0 }));
      world.tick();
      world.move(one, 1000, 0);
      world.block(watcher, two);
      refused.add(three);
      world.touch(three);
      expectReport(world.tick(), [{ watcher, left: [one, two, three], entered: others }]);
    },
  },
  {
    name: 'dwell never exceeds the cap: of seats too young to lose the best stay',
    run(create) {
      const { world, watcher } = oneWatcher(create, { cap: 3, minDwellTicks: 100 });
      const [far, near, middle] = [30, 10, 20].map((x) => world.add({ x, y: 0 }));
      world.tick();
      world.update(watcher, { cap: 2 });
      expectReport(world.tick(), [{ watcher, left: [far] }]);
      world.update(watcher, { cap: 1 });
      expectReport(world.tick(), [{ watcher, left: [middle] }]);
      world.move(far, 1, 0);
      expectNothing(world.tick());
      expectIds('visibleTo', world.visibleTo(watcher), [near]);
    },
  },
  {
    name: 'relations by pin, group and always take seats, and may be more than there are',
    run(create) {
      const world = create({ interests: { default: { cap: 2, showGroup: true } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, group: 7 });
      const [near, next] = [world.add({ x: 1, y: 0 }), world.add({ x: 2, y: 0 })];
      expectReport(world.tick(), [{ watcher, entered: [near, next] }]);
      const fellow = world.add({ x: 1e6, y: 0, group: 7 });
      expectReport(world.tick(), [{ watcher, entered: [fellow], left: [next] }]);
      const sun = world.add({ x: -1e6, y: 0, always: true });
      expectReport(world.tick(), [{ watcher, entered: [sun], left: [near] }]);
      const target = world.add({ x: 0, y: 1e6 });
      world.pin(watcher, target);
      expectReport(world.tick(), [{ watcher, entered: [target] }]);
      world.unpin(watcher, target);
      world.update(sun, { always: false });
      expectReport(world.tick(), [{ watcher, entered: [near], left: [target, sun] }]);
    },
  },
  {
    name: "an entity's own cap is over its interest's, be it smaller, larger or none",
    run(create) {
      const world = create({ interests: { default: { cap: 1 } } });
      const things = [1, 2, 3].map((x) => world.add({ x, y: 0 }));
      const [none, zero, two, plain] = [Number.POSITIVE_INFINITY, 0, 2, undefined].map((cap) =>
        world.add({ x: 0, y: 0, range: 10, marker: false, ...(cap === undefined ? {} : { cap }) }),
      );
      expectReport(world.tick(), [
        { watcher: none, entered: things },
        { watcher: two, entered: things.slice(0, 2) },
        { watcher: plain, entered: things.slice(0, 1) },
      ]);
      world.update(zero, { cap: 1 });
      world.update(none, { cap: 0 });
      expectReport(world.tick(), [
        { watcher: none, left: things },
        { watcher: zero, entered: things.slice(0, 1) },
      ]);
    },
  },
  {
    name: 'seats are freed when a crowd leaves',
    run(create) {
      const { world, watcher } = oneWatcher(create, { cap: 5, minDwellTicks: 3, memoryTicks: 5 });
      const settlers = Array.from({ length: 5 }, (_, i) => world.add({ x: 90 - i, y: 0 }));
      expectReport(world.tick(), [{ watcher, entered: settlers }]);
      const crowd = Array.from({ length: 60 }, (_, i) => world.add({ x: i % 10, y: Math.floor(i / 10) }));
      for (let tick = 0; tick < 6; tick++) world.tick();
      expectIds(
        'visibleTo',
        world.visibleTo(watcher),
        [0, 1, 2, 10, 11].map((i) => crowd[i]),
      );
      world.removeMany(Uint32Array.from(crowd));
      world.tick();
      expectIds('visibleTo', world.visibleTo(watcher), settlers);
    },
  },
  {
    name: 'a cap holds at the ends of the world, for the shortest range and the longest',
    run(create) {
      for (const range of [2e-6, 1, 1e12]) {
        for (const corner of [0, 1e12, -1e12]) {
          const world = create({ interests: { default: { cap: 1 } } });
          const watcher = world.add({ x: corner, y: -corner, range });
          const things = Array.from({ length: 9 }, () => world.add({ x: corner, y: -corner }));
          world.add({ x: -corner, y: corner, z: 0, layers: 2 });
          expectReport(world.tick(), [{ watcher, entered: [things[0]] }]);
          world.remove(things[0]);
          expectReport(world.tick(), [{ watcher, entered: [things[1]], left: [things[0]] }], [things[0]]);
        }
      }
    },
  },
  {
    name: 'in a stationary world nothing changes, whatever the rules',
    run(create) {
      const world = create({
        groups: ['party', 'raid'],
        interests: {
          default: { cap: 3, minDwellTicks: 2, memoryTicks: 4, leaveMargin: 1, showGroup: ['raid'] },
          mutual: { cap: 4, mutual: true, incumbentBonus: 0, minDwellTicks: 5 },
          ranked: { cap: 2, rank: (one, other) => (one ^ other) % 7, updateRates: [[0.5, 3]] },
        },
      });
      for (let i = 0; i < 60; i++) {
        const interest = ['default', 'mutual', 'ranked'][i % 3];
        world.add({ x: (i * 7) % 20, y: (i * 11) % 17, range: i % 9, interest, group: { raid: i % 5 } });
      }
      if (world.tick().enteredCount < 100) throw new Error('the crowd is too thin to show anything');
      for (let tick = 0; tick < 12; tick++) expectNothing(world.tick());
    },
  },
];
