/**
 * Hand-written cases: volatile entities, for which an interest's `admit` is called in each tick.
 *
 * The function's answer changes without a touch; a marker that is not volatile must keep the answer from when it
 * came.
 */
import type { EntityId, Interest } from '../../../index.ts';
import { expectNothing, expectReport, expectSame, type HandWrittenCase } from '../../expectation.ts';

/** An interest that admits all markers not in the set, and the set. */
function refusing(more: Interest = {}): { interests: Record<string, Interest>; refused: Set<EntityId> } {
  const refused = new Set<EntityId>();
  const admit = (_watcher: EntityId, marker: EntityId) => !refused.has(marker);
  return { interests: { default: { ...more, admit } }, refused };
}

export const volatileCases: readonly HandWrittenCase[] = [
  {
    name: 'volatile: admit is called for a marker in each tick, while no entity moves, and reports no update',
    run(create) {
      const { interests, refused } = refusing();
      const world = create({ interests });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const spy = world.add({ x: 1, y: 0, volatile: true });
      const cat = world.add({ x: 2, y: 0 });
      expectReport(world.tick(), [{ watcher, entered: [spy, cat] }]);
      for (const marker of [spy, cat]) refused.add(marker);
      expectReport(world.tick(), [{ watcher, left: [spy] }]);
      expectNothing(world.tick());
      refused.clear();
      expectReport(world.tick(), [{ watcher, entered: [spy] }]);
      expectNothing(world.tick());
    },
  },
  {
    name: 'volatile: for a watcher, admit is called for all of its pairs',
    run(create) {
      const { interests, refused } = refusing();
      const world = create({ interests });
      const spot = { x: 0, y: 0, range: 10, marker: false };
      const seer = world.add({ ...spot, volatile: true });
      const guard = world.add(spot);
      const [one, other] = [world.add({ x: 1, y: 0 }), world.add({ x: 2, y: 0 })];
      expectReport(world.tick(), [
        { watcher: seer, entered: [one, other] },
        { watcher: guard, entered: [one, other] },
      ]);
      refused.add(other);
      expectReport(world.tick(), [{ watcher: seer, left: [other] }]);
      refused.delete(other);
      refused.add(one);
      expectReport(world.tick(), [{ watcher: seer, entered: [other], left: [one] }]);
    },
  },
  {
    name: 'volatile: may be set and removed at any time',
    run(create) {
      const { interests, refused } = refusing();
      const world = create({ interests });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const spy = world.add({ x: 1, y: 0 });
      expectReport(world.tick(), [{ watcher, entered: [spy] }]);
      refused.add(spy);
      expectNothing(world.tick());
      world.update(spy, { volatile: true });
      expectReport(world.tick(), [{ watcher, left: [spy] }]);
      world.update(spy, { volatile: false });
      expectNothing(world.tick());
      refused.clear();
      expectNothing(world.tick());
      world.touch(spy);
      expectReport(world.tick(), [{ watcher, entered: [spy] }]);
    },
  },
  {
    name: 'volatile: the function gets the squared distance of the current tick',
    run(create) {
      const told: number[] = [];
      const admit = (_watcher: EntityId, _marker: EntityId, distanceSquared: number) => {
        told.push(distanceSquared);
        return distanceSquared <= 9;
      };
      const world = create({ interests: { default: { admit } } });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const rogue = world.add({ x: 4, y: 3, volatile: true });
      expectNothing(world.tick());
      expectSame('squared', told.at(-1) ?? 0, 25);
      world.move(rogue, 0, 3);
      expectReport(world.tick(), [{ watcher, entered: [rogue] }]);
      world.move(watcher, 0.5, 0);
      expectReport(world.tick(), [{ watcher, left: [rogue] }]);
      expectSame('squared', told.at(-1) ?? 0, 9.25);
      const far = world.add({ x: 100, y: 0, volatile: true });
      told.length = 0;
      world.move(far, 90, 0);
      world.tick();
      expectSame('asked of those in reach alone', told.includes(89.5 * 89.5), false);
    },
  },
  {
    name: 'volatile: with a cap, a refused marker gives up its seat in the same tick',
    run(create) {
      const { interests, refused } = refusing({ cap: 2 });
      const world = create({ interests });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const [spy, cat, dog] = [1, 2, 3].map((x) => world.add({ x, y: 0, volatile: x === 1 }));
      expectReport(world.tick(), [{ watcher, entered: [spy, cat] }]);
      refused.add(spy);
      expectReport(world.tick(), [{ watcher, entered: [dog], left: [spy] }]);
      refused.clear();
      expectReport(world.tick(), [{ watcher, entered: [spy], left: [dog] }]);
    },
  },
];
