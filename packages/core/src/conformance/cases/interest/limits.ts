/**
 * Hand-written cases: forced relations with a limit, and the margin that holds a pair after the force ends.
 *
 * The watcher is at the origin with a range of 10.
 */
import type { EntityId, PinOptions, WorldOptions } from '../../../index.ts';
import { expectNothing, expectReport, expectSame, type HandWrittenCase } from '../../expectation.ts';
import type { CreateSubject, Subject } from '../../subject.ts';

interface Scene {
  readonly world: Subject;
  readonly watcher: EntityId;
  readonly marker: EntityId;
}

/** A pinned marker, related at 20 units since tick 1. */
function pinned(create: CreateSubject, limits: PinOptions, options: WorldOptions = {}): Scene {
  const world = create(options);
  const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
  const marker = world.add({ x: 20, y: 0, layers: 2 });
  world.pin(watcher, marker, 'duel', limits);
  expectReport(world.tick(), [{ watcher, entered: [marker] }]);
  return { world, watcher, marker };
}

export const limitCases: readonly HandWrittenCase[] = [
  {
    name: 'a limited pin holds within its distance, the boundary inside, and again after a return',
    run(create) {
      const { world, watcher, marker } = pinned(create, { within: 25 });
      world.move(marker, 25, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      world.move(marker, 0, 25.001);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      expectNothing(world.tick());
      world.move(watcher, 0, 1);
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.move(watcher, 0, -1);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'distances of limited pins are those between centres in three dimensions, whatever the range shape',
    run(create) {
      const world = create({ dimensions: 3, rangeShape: 'cylinder', rangeRatio: [1, 1, 9] });
      const watcher = world.add({ x: 0, y: 0, z: 0, range: 1, marker: false });
      const marker = world.add({ x: 2, y: 3, z: 6 });
      world.pin(watcher, marker, '', { within: 7 });
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.pin(watcher, marker, '', { within: 6.999 });
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'a pin holds while any of its reasons does, each within its own distance',
    run(create) {
      const { world, watcher, marker } = pinned(create, { within: 25 });
      world.pin(watcher, marker, 'quest', { within: 60 });
      world.move(marker, 50, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      world.unpin(watcher, marker, 'quest');
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.pin(watcher, marker, 'camera');
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
    },
  },
  {
    name: 'a reason that is given again holds by its new limits, in the next tick',
    run(create) {
      const { world, watcher, marker } = pinned(create, { within: 25 });
      world.pin(watcher, marker, 'duel', { within: 5 });
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.pin(watcher, marker, 'duel');
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.unpin(watcher, marker, 'duel');
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'beyond its distance a pinned marker is perceived, ranked and cut as any other',
    run(create) {
      const world = create({ interests: { default: { cap: 1 } } });
      const watcher = world.add({ x: 0, y: 0, range: 50, marker: false });
      const [near, far] = [10, 20].map((x) => world.add({ x, y: 0 }));
      world.pin(watcher, far, '', { within: 25 });
      expectReport(world.tick(), [{ watcher, entered: [far] }]);
      world.move(far, 30, 0);
      expectReport(world.tick(), [{ watcher, entered: [near], left: [far] }]);
      world.move(near, 40, 0);
      expectReport(world.tick(), [{ watcher, entered: [far], left: [near] }]);
    },
  },
  {
    name: 'a pin has its own update rate: higher or lower than the interest rate',
    run(create) {
      const told = (everyTicks: number | undefined, updateRates: [number, number][] | undefined) => {
        const options = updateRates === undefined ? {} : { interests: { default: { updateRates } } };
        const scene = pinned(create, everyTicks === undefined ? {} : { everyTicks }, options);
        let count = 0;
        for (let i = 0; i < 40; i++) {
          scene.world.touch(scene.marker);
          count += scene.world.tick().updatedCount;
        }
        return count;
      };
      expectSame('at the rate of the world', told(undefined, undefined), 40);
      expectSame('every fourth tick', told(4, undefined), 10);
      expectSame('at the rate of the interest', told(undefined, [[1, 8]]), 5);
      expectSame('every second tick', told(2, [[1, 8]]), 20);
      expectSame('every tick', told(1, [[1, 8]]), 40);
    },
  },
  {
    name: 'the smallest rate of the holding reasons counts, and other markers of the watcher keep their rates',
    run(create) {
      const { world, watcher, marker } = pinned(create, { everyTicks: 10, within: 25 });
      world.pin(watcher, marker, 'quest', { everyTicks: 5 });
      world.pin(watcher, marker, 'camera');
      const other = world.add({ x: 5, y: 0 });
      world.tick();
      const counts = new Map([
        [marker, 0],
        [other, 0],
      ]);
      for (let i = 0; i < 20; i++) {
        for (const id of counts.keys()) world.touch(id);
        for (const id of world.tick().of(watcher)?.updated ?? []) counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      expectSame('told of the pinned one', counts.get(marker) ?? 0, 4);
      expectSame('told of the other', counts.get(other) ?? 0, 20);
    },
  },
  {
    name: 'a rate given to an existing pin holds from the next tick on',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const [, marker] = [world.add({ x: 5, y: 0 }), world.add({ x: 80, y: 0 })];
      world.pin(watcher, marker);
      expectSame('enteredCount', world.tick().enteredCount, 2);
      world.pin(watcher, marker, '', { everyTicks: 200 });
      world.touch(marker);
      expectNothing(world.tick());
      world.pin(watcher, marker, '', { everyTicks: 1 });
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
    },
  },
  {
    name: 'a change that waits for its turn is reported when the pin with the rate is removed',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const marker = world.add({ x: 5, y: 0 });
      world.pin(watcher, marker, '', { everyTicks: 200 });
      world.tick();
      world.move(marker, 6, 0);
      expectNothing(world.tick());
      world.unpin(watcher, marker);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      expectNothing(world.tick());
    },
  },
  {
    name: 'relations by pin, group or always are held by the margin when that ends, in every sense',
    run(create) {
      for (const force of ['pin', 'group', 'always', 'within'] as const) {
        const world = create({
          senses: ['sight', 'hearing'],
          interests: { default: { leaveMargin: 5, showGroup: true } },
        });
        const range = { sight: 10, hearing: 12 };
        const watcher = world.add({ x: 0, y: 0, range, group: 1, marker: false });
        const marker = world.add({
          x: 14,
          y: 0,
          group: force === 'group' ? 1 : 0,
          always: force === 'always',
        });
        if (force === 'pin') world.pin(watcher, marker);
        if (force === 'within') world.pin(watcher, marker, '', { within: 14 });
        expectReport(world.tick(), [{ watcher, entered: [marker] }]);
        expectSame(`senses by ${force}`, world.senses(watcher, marker), 0);
        expectNothing(world.tick());
        if (force === 'pin') world.unpin(watcher, marker);
        if (force === 'group') world.update(marker, { group: 2 });
        if (force === 'always') world.update(marker, { always: false });
        if (force === 'within') world.move(marker, 14.5, 0);
        const updated = force === 'within' ? [marker] : [];
        expectReport(world.tick(), [{ watcher, sensed: [marker], updated }]);
        expectSame(`senses after ${force}`, world.senses(watcher, marker), 3);
        world.move(marker, 16, 0);
        expectReport(world.tick(), [{ watcher, sensed: [marker], updated: [marker] }]);
        world.move(marker, 18, 0);
        expectReport(world.tick(), [{ watcher, left: [marker] }]);
      }
    },
  },
  {
    name: 'relations by force beyond the margin leave when the force ends',
    run(create) {
      const world = create({ interests: { default: { leaveMargin: 5 } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const [marker, cloaked] = [world.add({ x: 16, y: 0 }), world.add({ x: 11, y: 0, gain: 0 })];
      for (const id of [marker, cloaked]) world.pin(watcher, id);
      world.tick();
      for (const id of [marker, cloaked]) world.unpin(watcher, id);
      expectReport(world.tick(), [{ watcher, left: [marker, cloaked] }]);
    },
  },
];
