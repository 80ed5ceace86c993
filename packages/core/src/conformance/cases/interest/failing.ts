/**
 * Hand-written cases: a tick that fails because a user's function threw changes nothing, whatever was set before it
 * and taken back after it.
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

interface Troubled {
  readonly world: Subject;
  /** A tick that fails. */
  fail(): void;
}

/** A world with an extra watcher far away, whose `admit` throws in ticks that must fail. */
function troubled(create: CreateSubject, interests: Record<string, Interest>): Troubled {
  let throws = false;
  const admit = () => {
    if (throws) throw new Error('admit failed');
    return true;
  };
  const world = create({ interests: { ...interests, asking: { admit } } });
  world.add({ x: -1e6, y: 0, range: 10, marker: false, interest: 'asking' });
  const asked = world.add({ x: -1e6, y: 1, layers: 1 });
  return {
    world,
    fail() {
      world.touch(asked);
      throws = true;
      let failed = false;
      try {
        world.tick();
      } catch {
        failed = true;
      }
      throws = false;
      if (!failed) throw new Error('the tick stood, expected it to fail');
    },
  };
}

/** The next tick must report only the touch of the failed tick. */
function expectNothingBut(
  { world }: Troubled,
  view: Parameters<typeof expectReport>[1][number] | undefined,
): void {
  const [asking, asked] = world.ids();
  expectReport(world.tick(), [
    { watcher: asking as EntityId, updated: [asked as EntityId] },
    ...(view === undefined ? [] : [view]),
  ]);
}

/**
 * For a marker that waits for its turn: its watcher gets another interest, a tick fails, and the watcher gets its old
 * interest back.
 */
function expectToldOnce(stage: Troubled, watcher: EntityId, marker: EntityId): void {
  const { world, fail } = stage;
  world.touch(marker);
  expectNothing(world.tick());
  world.update(watcher, { interest: 'other' });
  fail();
  world.update(watcher, { interest: 'default' });
  expectNothingBut(stage, undefined);
  let told = 0;
  for (let i = 0; i < 50; i++) told += world.tick().updatedCount;
  expectSame('times told', told, 1);
}

export const failingCases: readonly HandWrittenCase[] = [
  {
    name: 'fail, change, revert, continue: a remembered marker is still remembered',
    run(create) {
      const interest = { cap: 1, incumbentBonus: 0.5, memoryTicks: 100 };
      const stage = troubled(create, { default: interest, other: { cap: 2 } });
      const { world, fail } = stage;
      const watcher = world.add({ x: 0, y: 0, range: 100 });
      const [lost, heir] = [world.add({ x: 10, y: 0 }), world.add({ x: 9, y: 0 })];
      world.block(watcher, heir);
      world.tick();
      world.move(lost, 1000, 0);
      world.unblock(watcher, heir);
      expectReport(world.tick(), [{ watcher, left: [lost], entered: [heir] }]);
      world.update(watcher, { interest: 'other' });
      fail();
      world.update(watcher, { interest: 'default' });
      expectNothingBut(stage, undefined);
      // Both count as seated, so the nearer one gets the seat; if the one were forgotten, the other would.
      world.move(heir, 11, 0);
      world.move(lost, 10, 0);
      expectReport(world.tick(), [{ watcher, left: [heir], entered: [lost] }]);
    },
  },
  {
    name: 'fail, change, revert, continue: seats keep their age',
    run(create) {
      const interest = { cap: 1, incumbentBonus: 0, minDwellTicks: 4 };
      const stage = troubled(create, { default: interest, other: { cap: 3 } });
      const { world, fail } = stage;
      const watcher = world.add({ x: 0, y: 0, range: 100 });
      const seated = world.add({ x: 10, y: 0 });
      world.tick();
      const better = world.add({ x: 5, y: 0 });
      world.tick();
      expectNothing(world.tick());
      world.update(watcher, { interest: 'other' });
      fail();
      world.update(watcher, { interest: 'default' });
      expectNothingBut(stage, undefined);
      // The seat of tick 1 is 4 ticks old at tick 5.
      expectReport(world.tick(), [{ watcher, left: [seated], entered: [better] }]);
    },
  },
  {
    name: 'fail, change, revert, continue: a waiting update is reported in its turn',
    run(create) {
      const stage = troubled(create, { default: { updateRates: [[1, 50]] }, other: {} });
      const { world } = stage;
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const marker = world.add({ x: 1, y: 0 });
      world.tick();
      expectToldOnce(stage, watcher, marker);
    },
  },
  {
    name: 'fail, change, revert, continue: a waiting update of an attached marker is reported, too',
    run(create) {
      const stage = troubled(create, { default: { updateRates: [[1, 50]] }, other: {} });
      const { world } = stage;
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const [cart, load] = [world.add({ x: 1, y: 0 }), world.add({ x: 1, y: 0 })];
      world.attach(load, cart, { y: 1 });
      world.tick();
      expectToldOnce(stage, watcher, load);
    },
  },
  {
    name: 'fail, pin and block, undo, continue: nothing is reported',
    run(create) {
      const stage = troubled(create, { default: {} });
      const { world, fail } = stage;
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const [near, far] = [world.add({ x: 1, y: 0 }), world.add({ x: 100, y: 0 })];
      world.tick();
      world.pin(watcher, far, 'quest');
      world.block(watcher, near);
      fail();
      expectIds('as of the last tick', world.visibleTo(watcher), [near]);
      world.unpin(watcher, far, 'quest');
      world.unblock(watcher, near);
      expectNothingBut(stage, undefined);
      expectIds('after the next', world.visibleTo(watcher), [near]);
    },
  },
  {
    name: 'changes before a failed tick are applied by the next successful one',
    run(create) {
      const stage = troubled(create, { default: {}, other: { cap: 1 } });
      const { world, fail } = stage;
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const [near, next, far] = [1, 2, 100].map((x) => world.add({ x, y: 0 })) as [
        EntityId,
        EntityId,
        EntityId,
      ];
      world.tick();
      world.update(watcher, { interest: 'other' });
      world.pin(watcher, far);
      fail();
      fail();
      world.setInterest('other', { cap: 2 });
      expectNothingBut(stage, { watcher, left: [next], entered: [far] });
      expectIds('after it', world.visibleTo(watcher), [near, far]);
    },
  },
];
