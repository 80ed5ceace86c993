/**
 * Hand-written cases: pins and blocks, which decide before all other rules.
 */
import {
  expectIds,
  expectNothing,
  expectReport,
  expectSame,
  type HandWrittenCase,
} from '../../expectation.ts';

export const tieCases: readonly HandWrittenCase[] = [
  {
    name: 'a pin relates whatever the range, layer and channel, without any sense',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 1, layers: 1, channel: 1 });
      const marker = world.add({ x: 1e9, y: 0, layers: 2, channel: 2, gain: 0 });
      world.tick();
      world.pin(watcher, marker);
      expectSame('related before the tick', world.related(watcher, marker), false);
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      expectSame('related', world.related(watcher, marker), true);
      expectSame('senses', world.senses(watcher, marker), 0);
      expectIds('visibleTo', world.visibleTo(watcher), [marker]);
      expectIds('watchersOf', world.watchersOf(marker), [watcher]);
      world.move(marker, -1e9, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      world.unpin(watcher, marker);
      expectSame('related until the tick', world.related(watcher, marker), true);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'removing one of two reasons does not hide, and removing an absent reason changes nothing',
    run(create) {
      const world = create();
      const [watcher, marker] = [world.add({ x: 0, y: 0 }), world.add({ x: 5, y: 0 })];
      for (const reason of ['quest', 'target', 'quest', undefined]) world.pin(watcher, marker, reason);
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      for (const reason of ['target', 'nobody gave this', 'quest', 'quest']) {
        world.unpin(watcher, marker, reason);
        expectNothing(world.tick());
      }
      world.unpin(watcher, marker, '');
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.unpin(watcher, marker);
      expectNothing(world.tick());
    },
  },
  {
    name: 'a pin makes a watcher of an entity without any range, for as long as it holds',
    run(create) {
      const world = create({ interests: { default: { showGroup: true } } });
      const eye = world.add({ x: 0, y: 0, group: 1, marker: false });
      const [target, fellow] = [world.add({ x: 9, y: 0 }), world.add({ x: 99, y: 0, group: 1 })];
      world.add({ x: 0, y: 0, always: true });
      expectNothing(world.tick());
      world.pin(eye, target);
      expectReport(world.tick(), [{ watcher: eye, entered: [target, fellow] }]);
      world.unpin(eye, target);
      expectReport(world.tick(), [{ watcher: eye, left: [target, fellow] }]);
    },
  },
  {
    name: 'a pin on an entity that is no marker has no effect until it is one',
    run(create) {
      const world = create({ interests: { default: { showGroup: true } } });
      const watcher = world.add({ x: 0, y: 0, group: 1 });
      const fellow = world.add({ x: 50, y: 0, group: 1 });
      const hidden = world.add({ x: 9, y: 0, marker: false });
      world.pin(watcher, hidden);
      expectReport(world.tick(), [{ watcher, entered: [fellow] }]);
      world.update(hidden, { marker: true });
      expectReport(world.tick(), [{ watcher, entered: [hidden] }]);
      world.update(hidden, { marker: false });
      expectReport(world.tick(), [{ watcher, left: [hidden] }]);
      world.unpin(watcher, hidden);
      expectReport(world.tick(), [{ watcher, left: [fellow] }]);
    },
  },
  {
    name: 'a pinned marker that comes into perception and out of it is sensed, and stays',
    run(create) {
      const world = create();
      const [watcher, marker] = [world.add({ x: 0, y: 0, range: 5 }), world.add({ x: 9, y: 0 })];
      world.pin(watcher, marker);
      world.tick();
      world.move(marker, 5, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      world.unpin(watcher, marker);
      expectNothing(world.tick());
      world.pin(watcher, marker);
      world.move(marker, 6, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      expectSame('senses', world.senses(watcher, marker), 0);
    },
  },
  {
    name: 'removal drops the pins and blocks of both sides',
    run(create) {
      const world = create();
      const [one, other, third] = [0, 50, 100].map((x) => world.add({ x, y: 0 }));
      world.pin(one, other);
      world.pin(other, third);
      world.pin(third, other);
      expectReport(world.tick(), [
        { watcher: one, entered: [other] },
        { watcher: other, entered: [third] },
        { watcher: third, entered: [other] },
      ]);
      world.remove(other);
      world.unpin(one, other);
      world.unblock(third, other);
      expectReport(
        world.tick(),
        [
          { watcher: one, left: [other] },
          { watcher: third, left: [other] },
        ],
        [other],
      );
      expectIds('visibleTo', world.visibleTo(third), []);
    },
  },
  {
    name: 'a pin and a block undone between two ticks have no effect',
    run(create) {
      const world = create();
      const [watcher, near] = [world.add({ x: 0, y: 0, range: 5 }), world.add({ x: 1, y: 0 })];
      const far = world.add({ x: 100, y: 0 });
      world.tick();
      world.pin(watcher, far, 'quest');
      world.unpin(watcher, far, 'quest');
      world.block(watcher, near);
      world.unblock(watcher, near);
      expectNothing(world.tick());
      world.pin(watcher, far);
      world.tick();
      world.unpin(watcher, far);
      world.pin(watcher, far, 'another reason');
      expectNothing(world.tick());
    },
  },
  {
    name: 'a block comes before all else, one way, until it is undone',
    run(create) {
      const world = create({ interests: { default: { showGroup: true, leaveMargin: 5 } } });
      const init = { range: 10, group: 1, always: true };
      const [one, other] = [world.add({ x: 0, y: 0, ...init }), world.add({ x: 1, y: 0, ...init })];
      world.pin(one, other);
      world.tick();
      world.block(one, other);
      expectReport(world.tick(), [{ watcher: one, left: [other] }]);
      expectSame('senses', world.senses(one, other), 0);
      world.pin(one, other, 'more');
      world.move(other, 2, 0);
      expectNothing(world.tick());
      world.unblock(one, other);
      world.unblock(one, other);
      expectReport(world.tick(), [{ watcher: one, entered: [other] }]);
    },
  },
  {
    name: 'an unblocked marker enters like any other: at reach, and as one that never had a seat',
    run(create) {
      const world = create({ interests: { default: { leaveMargin: 5, cap: 1, memoryTicks: 9 } } });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const [blocked, heir] = [world.add({ x: 8, y: 0 }), world.add({ x: 9, y: 0 })];
      world.tick();
      world.block(watcher, blocked);
      expectReport(world.tick(), [{ watcher, left: [blocked], entered: [heir] }]);
      world.unblock(watcher, blocked);
      expectNothing(world.tick());
      world.remove(heir);
      world.move(blocked, 11, 0);
      expectReport(world.tick(), [{ watcher, left: [heir] }], [heir]);
    },
  },
];
