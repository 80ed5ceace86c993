/**
 * Hand-written cases: what a marker asks of who perceives it.
 *
 * A maxReach says from how far at most. Each case is told apart from the next simpler rule by one pair or one tick.
 */
import { expectNothing, expectReport, expectSame, type HandWrittenCase } from '../expectation.ts';

/** The float32 next above 3. */
const ABOVE_THREE = 3 + 2 ** -22;
const NONE = Number.POSITIVE_INFINITY;

export const conditionCases: readonly HandWrittenCase[] = [
  {
    name: 'maxReach: the smaller of range and maxReach counts, and that boundary is inside',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const short = world.add({ x: 1, y: 0, range: 2 });
      const inside = world.add({ x: 0, y: 3, maxReach: 3 });
      world.add({ x: 0, y: ABOVE_THREE, maxReach: 3 });
      const far = world.add({ x: 5, y: 0, maxReach: 100 });
      expectReport(world.tick(), [
        { watcher, entered: [short, inside, far] },
        { watcher: short, entered: [watcher] },
      ]);
    },
  },
  {
    name: 'maxReach: bounds what gain and minReach come to',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const loud = world.add({ x: 8, y: 0, gain: 3, maxReach: 8 });
      world.add({ x: 9, y: 0, gain: 3, maxReach: 8 });
      const bell = world.add({ x: 0, y: 8, minReach: 8, maxReach: 8 });
      world.add({ x: 0, y: 9, minReach: 8, maxReach: 8 });
      expectReport(world.tick(), [{ watcher, entered: [loud, bell] }]);
    },
  },
  {
    name: 'maxReach: a marker is perceived and lost at it, whoever of the two walks',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const marker = world.add({ x: 4, y: 0, maxReach: 3 });
      expectNothing(world.tick());
      world.move(marker, 3, 0);
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.move(watcher, -0.25, 0);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.move(watcher, 0.25, 0);
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
    },
  },
  {
    name: 'maxReach: given, changed and taken away where nobody moves',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const marker = world.add({ x: 4, y: 0 });
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.update(marker, { maxReach: 3 });
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.update(marker, { maxReach: 4 });
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.update(marker, { maxReach: 0 });
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.update(marker, { maxReach: NONE });
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
    },
  },
  {
    name: 'maxReach: of 0 hides even from one at the same place',
    run(create) {
      const world = create();
      world.add({ x: 1, y: 1, range: 10 });
      world.add({ x: 1, y: 1, maxReach: 0 });
      world.add({ x: 1, y: 1, maxReach: 9e-7 });
      expectNothing(world.tick());
    },
  },
  {
    name: 'maxReach: by sense, and a number is that of every sense',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'] });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 10, hearing: 10 } });
      const quiet = world.add({ x: 5, y: 0, maxReach: { hearing: 2 } });
      world.add({ x: 5, y: 0, maxReach: 2 });
      expectReport(world.tick(), [{ watcher, entered: [quiet] }]);
      expectSame('senses', world.senses(watcher, quiet), 1);
      world.move(quiet, 2, 0);
      expectReport(world.tick(), [{ watcher, updated: [quiet], sensed: [quiet] }]);
      expectSame('senses', world.senses(watcher, quiet), 3);
    },
  },
  {
    name: 'maxReach: in a world of many, few of whom have one',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 40 });
      const crowd = Array.from({ length: 200 }, (_, i) =>
        world.add({ x: (i % 20) * 2, y: Math.floor(i / 20) * 2 }),
      );
      const things = [1, 2, 10, 39, 60].map((maxReach) => world.add({ x: -20, y: 0, maxReach }));
      expectReport(world.tick(), [{ watcher, entered: [...crowd, ...things.slice(3)].filter(isNear) }]);
      world.moveMany(Uint32Array.from(things), [-1, -2.5, -10, -40, -40], [0, 0, 0, 0, 0]);
      expectReport(world.tick(), [
        { watcher, entered: [things[0], things[2]], left: [things[3]], updated: [things[4]] },
      ]);

      function isNear(id: number): boolean {
        const [x, y] = world.position(id);
        return x * x + y * y <= 1600;
      }
    },
  },
  {
    name: 'maxReach: a leave margin holds beyond it',
    run(create) {
      const world = create({ interests: { default: { leaveMargin: 2 } } });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const marker = world.add({ x: 3, y: 0, maxReach: 3 });
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.move(marker, 5, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      world.move(marker, 5.5, 0);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.move(marker, 4, 0);
      expectNothing(world.tick());
    },
  },
  {
    name: 'maxReach: seats go to the nearest within it',
    run(create) {
      const world = create({ interests: { default: { cap: 2 } } });
      const watcher = world.add({ x: 0, y: 0, range: 50 });
      const things = Array.from({ length: 30 }, (_, i) =>
        world.add({ x: i + 1, y: 0, maxReach: i === 0 ? 0.5 : 40 }),
      );
      expectReport(world.tick(), [{ watcher, entered: [things[1], things[2]] }]);
      world.update(things[1], { maxReach: 1 });
      expectReport(world.tick(), [{ watcher, entered: [things[3]], left: [things[1]] }]);
    },
  },
];
