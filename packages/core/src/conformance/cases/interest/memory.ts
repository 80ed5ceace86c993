/**
 * Hand-written cases: memory of markers that lost a seat by leaving perception.
 *
 * One seat, a bonus of a half: at 10 units, a marker that counts as seated beats one that is seated at 12, and a
 * newcomer does not.
 */
import type { EntityId, Interest } from '../../../index.ts';
import { expectIds, expectNothing, expectReport, type HandWrittenCase } from '../../expectation.ts';
import type { CreateSubject, Subject } from '../../subject.ts';

interface Scene {
  readonly world: Subject;
  readonly watcher: EntityId;
  /** Had the seat at 10 units, and left perception at tick 2. */
  readonly lost: EntityId;
  /** Seated since tick 2, at 12 units. */
  readonly heir: EntityId;
}

const NONE: Interest = {};

function afterALoss(create: CreateSubject, interest: Interest = NONE): Scene {
  const world = create({
    interests: { default: { cap: 1, incumbentBonus: 0.5, memoryTicks: 3, ...interest } },
  });
  const watcher = world.add({ x: 0, y: 0, range: 100 });
  const lost = world.add({ x: 10, y: 0 });
  const heir = world.add({ x: 12, y: 0 });
  world.tick();
  world.move(lost, 1000, 0);
  world.tick();
  expectIds('visibleTo', world.visibleTo(watcher), [heir]);
  return { world, watcher, lost, heir };
}

export const memoryCases: readonly HandWrittenCase[] = [
  {
    name: 'a marker back within memoryTicks, the last tick included, counts as seated before',
    run(create) {
      const { world, watcher, lost, heir } = afterALoss(create);
      world.tick();
      world.tick();
      world.move(lost, 10, 0);
      expectReport(world.tick(), [{ watcher, entered: [lost], left: [heir] }]);
    },
  },
  {
    name: 'a marker back a tick later counts as new',
    run(create) {
      const { world, lost } = afterALoss(create);
      for (let tick = 3; tick <= 5; tick++) world.tick();
      world.move(lost, 10, 0);
      expectNothing(world.tick());
    },
  },
  {
    name: 'without memory a marker back in the next tick counts as new',
    run(create) {
      const { world, lost } = afterALoss(create, { memoryTicks: 0 });
      world.move(lost, 10, 0);
      expectNothing(world.tick());
    },
  },
  {
    name: 'memory is used up when the marker is a candidate again, seated or not',
    run(create) {
      const { world, lost, heir } = afterALoss(create, { memoryTicks: 100 });
      world.move(heir, 5, 0);
      world.move(lost, 10, 0);
      world.tick();
      world.move(heir, 12, 0);
      world.tick();
      world.touch(lost);
      world.tick();
      const names = [...world.visibleTo(world.ids()[0])];
      if (names[0] !== heir) throw new Error('who was outranked on its return took the seat from memory');
    },
  },
  {
    name: 'a seat regained from memory is as young as any other',
    run(create) {
      const { world, watcher, lost, heir } = afterALoss(create, { minDwellTicks: 3 });
      // The seat of the heir is protected at ticks 3 and 4; the returned marker is not protected: it is no incumbent.
      world.move(lost, 10, 0);
      expectNothing(world.tick());
      world.move(lost, 1000, 0);
      expectNothing(world.tick());
      world.move(heir, 1000, 0);
      world.move(lost, 10, 0);
      expectReport(world.tick(), [{ watcher, entered: [lost], left: [heir] }]);
      const better = world.add({ x: 1, y: 0 });
      expectNothing(world.tick());
      expectNothing(world.tick());
      expectReport(world.tick(), [{ watcher, entered: [better], left: [lost] }]);
    },
  },
  {
    name: 'an outranked or refused marker is not remembered',
    run(create) {
      const refused = new Set<EntityId>();
      const { world, watcher, lost, heir } = afterALoss(create, {
        memoryTicks: 100,
        admit: (_, marker) => !refused.has(marker),
      });
      const best = world.add({ x: 1, y: 0 });
      expectReport(world.tick(), [{ watcher, entered: [best], left: [heir] }]);
      refused.add(best);
      world.touch(best);
      expectReport(world.tick(), [{ watcher, entered: [heir], left: [best] }]);
      refused.clear();
      world.touch(best);
      world.move(best, 7, 0);
      expectNothing(world.tick());
      world.move(lost, 10, 0);
      expectReport(world.tick(), [{ watcher, entered: [lost], left: [heir] }]);
      world.move(heir, 6, 0);
      expectNothing(world.tick());
    },
  },
  {
    name: 'at most as many as the cap are remembered, and of one tick the lower ids',
    run(create) {
      const world = create({ interests: { default: { cap: 2, incumbentBonus: 0.5, memoryTicks: 100 } } });
      const watcher = world.add({ x: 0, y: 0, range: 100 });
      const early = world.add({ x: 10, y: 0 });
      const [low, high] = [world.add({ x: 20, y: 0 }), world.add({ x: 20, y: 1 })];
      const heirs = [21, 22].map((x) => world.add({ x, y: 0 }));
      world.tick();
      // At tick 2 `early` is lost, at tick 3 both markers seated then: of the three, the oldest is forgotten.
      world.move(early, 1000, 0);
      expectReport(world.tick(), [{ watcher, left: [early], entered: [high] }]);
      world.moveMany(Uint32Array.of(low, high), [1000, 1000], [0, 0]);
      expectReport(world.tick(), [{ watcher, left: [low, high], entered: heirs }]);
      world.moveMany(Uint32Array.from(heirs), [24, 24], [0, 0]);
      world.move(early, 12.5, 0);
      expectReport(world.tick(), [{ watcher, updated: heirs }]);
      world.move(low, 20, 0);
      expectReport(world.tick(), [{ watcher, entered: [low], left: [heirs[1]] }]);
      // A cap of one from now on: of those lost in one tick the lower id is remembered.
      world.move(low, 10, 0);
      world.move(heirs[0], 5, 0);
      world.tick();
      world.moveMany(Uint32Array.of(low, heirs[0]), [1000, 1000], [0, 0]);
      world.update(watcher, { cap: 1 });
      world.tick();
      expectIds('visibleTo', world.visibleTo(watcher), [early]);
      world.move(heirs[0], 8, 0);
      expectNothing(world.tick());
      world.move(low, 8, 0);
      expectReport(world.tick(), [{ watcher, entered: [low], left: [early] }]);
    },
  },
  {
    name: 'without a cap nothing is remembered, and a later cap finds nothing remembered',
    run(create) {
      const world = create({ interests: { default: { incumbentBonus: 0.5, memoryTicks: 100 } } });
      const watcher = world.add({ x: 0, y: 0, range: 100 });
      const [lost, heir] = [world.add({ x: 10, y: 0 }), world.add({ x: 12, y: 0 })];
      world.tick();
      world.move(lost, 1000, 0);
      expectReport(world.tick(), [{ watcher, left: [lost] }]);
      world.update(watcher, { cap: 1 });
      world.tick();
      world.move(lost, 10, 0);
      expectNothing(world.tick());
      expectIds('visibleTo', world.visibleTo(watcher), [heir]);
    },
  },
];
