/**
 * Hand-written cases: relations that remain for some ticks after perception ends.
 *
 * The watcher is at the origin with a range of 10; a lingering marker is related by no sense.
 */
import type { EntityId, Interest, WorldOptions } from '../../../index.ts';
import {
  expectIds,
  expectNothing,
  expectReport,
  expectSame,
  expectWatched,
  type HandWrittenCase,
} from '../../expectation.ts';
import type { CreateSubject, Subject } from '../../subject.ts';

interface Scene {
  readonly world: Subject;
  readonly watcher: EntityId;
  /** Perceived at 5 units in tick 1. */
  readonly marker: EntityId;
}

function scene(create: CreateSubject, interest: Interest, options: WorldOptions = {}): Scene {
  const world = create({ ...options, interests: { default: interest, plain: {} } });
  const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
  const marker = world.add({ x: 5, y: 0 });
  expectReport(world.tick(), [{ watcher, entered: [marker] }]);
  return { world, watcher, marker };
}

/** As `scene`, at the tick in which the marker leaves the reach and remains by no sense. */
function lingering(create: CreateSubject, interest: Interest, options: WorldOptions = {}): Scene {
  const all = scene(create, interest, options);
  all.world.move(all.marker, 50, 0);
  expectReport(all.world.tick(), [{ watcher: all.watcher, updated: [all.marker], sensed: [all.marker] }]);
  return all;
}

export const lingerCases: readonly HandWrittenCase[] = [
  {
    name: 'a marker no longer perceived stays related by no sense for lingerTicks, and then leaves',
    run(create) {
      const { world, watcher, marker } = lingering(create, { lingerTicks: 3 });
      expectSame('related', world.related(watcher, marker), true);
      expectSame('senses', world.senses(watcher, marker), 0);
      expectNothing(world.tick());
      expectNothing(world.tick());
      expectIds('visibleTo', world.visibleTo(watcher), [marker]);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      expectNothing(world.tick());
    },
  },
  {
    name: 'without linger it leaves at once',
    run(create) {
      const { world, watcher, marker } = scene(create, { lingerTicks: 0 });
      world.move(marker, 50, 0);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'a marker perceived again while it lingers stays, and may linger as long once more',
    run(create) {
      const { world, watcher, marker } = lingering(create, { lingerTicks: 2 });
      expectNothing(world.tick());
      world.move(marker, 5, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      world.move(marker, 50, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      expectNothing(world.tick());
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'linger begins where the margin ends, and a margin holds no lingering marker',
    run(create) {
      const { world, watcher, marker } = scene(create, { lingerTicks: 2, leaveMargin: 5 });
      world.move(marker, 14, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      world.move(marker, 16, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      world.move(marker, 14, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      expectSame('senses', world.senses(watcher, marker), 0);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'a marker that hides, or loses one of two senses, lingers by the remaining ones',
    run(create) {
      const senses = ['sight', 'hearing'];
      const world = create({ senses, interests: { default: { lingerTicks: 1 } } });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 10, hearing: 4 }, marker: false });
      const marker = world.add({ x: 3, y: 0 });
      world.tick();
      world.update(marker, { gain: { hearing: 0 } });
      expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
      expectSame('senses', world.senses(watcher, marker), 1);
      world.update(marker, { gain: 0 });
      expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'a marker that the watcher no longer meets leaves at once, as do blocked and removed ones',
    run(create) {
      for (const change of ['layers', 'channel', 'marker', 'block', 'remove'] as const) {
        for (const isLate of [false, true]) {
          const { world, watcher, marker } = scene(create, { lingerTicks: 9 });
          world.update(watcher, { channel: 1 });
          if (isLate) {
            world.move(marker, 50, 0);
            world.tick();
          }
          if (change === 'layers') world.update(marker, { layers: 2 });
          if (change === 'channel') world.update(marker, { channel: 2 });
          if (change === 'marker') world.update(marker, { marker: false });
          if (change === 'block') world.block(watcher, marker);
          if (change === 'remove') world.remove(marker);
          expectReport(world.tick(), [{ watcher, left: [marker] }], change === 'remove' ? [marker] : []);
        }
      }
    },
  },
  {
    name: 'an entity that ceases to be a watcher keeps no lingering markers',
    run(create) {
      const { world, watcher, marker } = lingering(create, { lingerTicks: 9 });
      world.update(watcher, { range: 0 });
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.update(watcher, { range: 10 });
      expectNothing(world.tick());
    },
  },
  {
    name: 'a watcher that goes away keeps what it perceived for that long',
    run(create) {
      const { world, watcher, marker } = scene(create, { lingerTicks: 1 });
      world.move(watcher, -100, 0);
      expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'a lingering marker keeps its seat while no candidate is nearer, and a cut ends it for good',
    run(create) {
      const { world, watcher, marker } = scene(create, { lingerTicks: 9, cap: 1, incumbentBonus: 0 });
      world.update(marker, { gain: 0 });
      const other = world.add({ x: 6, y: 0 });
      expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
      world.move(other, 4, 0);
      expectReport(world.tick(), [{ watcher, entered: [other], left: [marker] }]);
      world.move(other, 9, 0);
      expectReport(world.tick(), [{ watcher, updated: [other] }]);
    },
  },
  {
    name: 'the next best takes the seat in the tick in which linger ends',
    run(create) {
      const { world, watcher, marker } = scene(create, { lingerTicks: 2, cap: 1 });
      const other = world.add({ x: 8, y: 0 });
      world.update(marker, { gain: 0 });
      expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
      expectNothing(world.tick());
      expectReport(world.tick(), [{ watcher, entered: [other], left: [marker] }]);
    },
  },
  {
    name: 'a seat lost when linger ends is remembered from then on, one lost to the cap is not',
    run(create) {
      const interest = { lingerTicks: 1, cap: 1, memoryTicks: 2, incumbentBonus: 0.5 };
      const { world, watcher, marker } = scene(create, interest);
      const heir = world.add({ x: 6, y: 0 });
      world.update(marker, { gain: 0 });
      world.tick();
      expectReport(world.tick(), [{ watcher, entered: [heir], left: [marker] }]);
      world.tick();
      world.update(marker, { gain: 1 });
      // Both count as seated, and it is the nearer one.
      expectReport(world.tick(), [{ watcher, entered: [marker], left: [heir] }]);
    },
  },
  {
    name: 'admit is called for a lingering marker when either is touched, and a refusal ends it',
    run(create) {
      let isOpen = true;
      const { world, watcher, marker } = lingering(create, { lingerTicks: 9, admit: () => isOpen });
      isOpen = false;
      world.touch(watcher);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      isOpen = true;
      world.touch(watcher);
      expectNothing(world.tick());
    },
  },
  {
    name: 'ticks count from the last one in which it was perceived, also while a pin holds it',
    run(create) {
      const { world, watcher, marker } = scene(create, { lingerTicks: 3 });
      world.pin(watcher, marker);
      world.move(marker, 50, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      expectNothing(world.tick());
      world.unpin(watcher, marker);
      expectNothing(world.tick());
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'a relation only by a pin, and by no sense, ends with the pin',
    run(create) {
      const { world, watcher } = scene(create, { lingerTicks: 9 });
      const far = world.add({ x: 90, y: 0 });
      world.pin(watcher, far);
      expectReport(world.tick(), [{ watcher, entered: [far] }]);
      world.unpin(watcher, far);
      expectReport(world.tick(), [{ watcher, left: [far] }]);
    },
  },
  {
    name: 'setting, removing or extending linger applies from the next tick on',
    run(create) {
      const { world, watcher, marker } = scene(create, {});
      world.setInterest('default', { lingerTicks: 1 });
      world.move(marker, 50, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      world.setInterest('default', { lingerTicks: 3 });
      expectNothing(world.tick());
      expectNothing(world.tick());
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.move(marker, 5, 0);
      world.tick();
      world.move(marker, 50, 0);
      world.tick();
      world.update(watcher, { interest: 'plain' });
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'mutual consent counts a lingering marker as seated',
    run(create) {
      const world = create({ interests: { default: { mutual: true, lingerTicks: 2 } } });
      const [one, other] = [0, 8].map((x) => world.add({ x, y: 0, range: 10 }));
      world.tick();
      world.update(other, { gain: 0 });
      expectReport(world.tick(), [{ watcher: one, sensed: [other] }]);
      expectNothing(world.tick());
      expectReport(world.tick(), [
        { watcher: one, left: [other] },
        { watcher: other, left: [one] },
      ]);
    },
  },
  {
    name: 'a lingering marker is watched and gets updates while it lingers',
    run(create) {
      const { world, watcher, marker } = lingering(create, { lingerTicks: 1 });
      world.touch(marker);
      const report = world.tick();
      expectReport(report, [{ watcher, left: [marker] }]);
      expectWatched(report, { unwatched: [marker] });
      const again = lingering(create, { lingerTicks: 2 });
      again.world.touch(again.marker);
      expectReport(again.world.tick(), [{ watcher: again.watcher, updated: [again.marker] }]);
    },
  },
  {
    name: 'in a crowd of capped watchers with linger, each keeps what it last perceived',
    run(create) {
      const world = create({ interests: { default: { cap: 3, lingerTicks: 1, incumbentBonus: 1 } } });
      const watchers = Array.from({ length: 5 }, (_, i) =>
        world.add({ x: i, y: 0, range: 30, marker: false }),
      );
      for (let i = 0; i < 40; i++) world.add({ x: i / 4, y: 5 });
      world.tick();
      const before = watchers.map((watcher) => world.visibleTo(watcher));
      for (const watcher of watchers) world.move(watcher, -500, 0);
      world.tick();
      watchers.forEach((watcher, i) => {
        expectIds(`visibleTo of ${i}`, world.visibleTo(watcher), [...(before[i] as Uint32Array)]);
      });
      expectSame('leftCount', world.tick().leftCount, 15);
    },
  },
];
