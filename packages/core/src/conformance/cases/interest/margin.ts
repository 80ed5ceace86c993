/**
 * Hand-written cases: the leave margin.
 *
 * A pair enters at the reach and leaves beyond reach plus margin. Only pairs that were related are held, and only in
 * the senses that perceived then.
 */
import {
  expectIds,
  expectNothing,
  expectReport,
  expectSame,
  type HandWrittenCase,
} from '../../expectation.ts';

/** The float32 next above 7. */
const ABOVE_SEVEN = 7 + 2 ** -21;
const MARGIN = { interests: { default: { leaveMargin: 2 } } };

export const marginCases: readonly HandWrittenCase[] = [
  {
    name: 'a related marker is lost beyond reach plus margin, and that boundary is inside',
    run(create) {
      const world = create(MARGIN);
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const marker = world.add({ x: 5, y: 0 });
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.move(marker, 0, 7);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      expectSame('senses', world.senses(watcher, marker), 1);
      world.move(marker, ABOVE_SEVEN, 0);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'a marker that is new, or was lost, needs the reach itself',
    run(create) {
      const world = create(MARGIN);
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const marker = world.add({ x: 5.5, y: 0 });
      expectNothing(world.tick());
      world.move(marker, 5, 0);
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.move(marker, 8, 0);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.move(marker, 6, 0);
      expectNothing(world.tick());
    },
  },
  {
    name: 'out past the margin and back into it between two ticks is held, once lost it is not',
    run(create) {
      const world = create(MARGIN);
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const marker = world.add({ x: 5, y: 0 });
      world.tick();
      world.move(marker, 100, 0);
      world.move(marker, 6, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      world.move(watcher, -1, 0);
      expectNothing(world.tick());
      world.move(watcher, -1.5, 0);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'the margin holds only the senses that perceived at the last tick',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'], ...MARGIN });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 5, hearing: 10 } });
      const marker = world.add({ x: 6, y: 0 });
      world.tick();
      expectSame('senses', world.senses(watcher, marker), 2);
      world.move(marker, 5, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      world.move(marker, 7, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      expectSame('senses', world.senses(watcher, marker), 3);
      world.move(marker, 11, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      expectSame('senses', world.senses(watcher, marker), 2);
      world.move(marker, 6, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
    },
  },
  {
    name: 'the margin holds nothing without reach: a cloaked marker is lost at once',
    run(create) {
      const world = create(MARGIN);
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const [near, far] = [world.add({ x: 1, y: 0 }), world.add({ x: 5, y: 0 })];
      world.tick();
      world.update(near, { gain: 0 });
      world.update(far, { gain: 0.8 });
      expectReport(world.tick(), [{ watcher, left: [near] }]);
      world.update(far, { gain: 0.5 });
      expectReport(world.tick(), [{ watcher, left: [far] }]);
    },
  },
  {
    name: 'the margin is added to a minimum reach as to a range, and holds only pairs that meet',
    run(create) {
      const world = create({ interests: { default: { leaveMargin: 1 } } });
      const watcher = world.add({ x: 0, y: 0, range: 1 });
      const bell = world.add({ x: 4, y: 0, minReach: 4 });
      const other = world.add({ x: 1, y: 0 });
      world.tick();
      world.move(bell, 5, 0);
      world.update(other, { channel: 3 });
      expectReport(world.tick(), [{ watcher, updated: [bell] }]);
      world.update(watcher, { channel: 2 });
      expectReport(world.tick(), [{ watcher, left: [other] }]);
      world.update(bell, { layers: 2 });
      expectReport(world.tick(), [{ watcher, left: [bell] }]);
    },
  },
  {
    name: 'a box is longer by the margin before its ratio',
    run(create) {
      const world = create({ rangeShape: 'box', rangeRatio: [2, 0.5], ...MARGIN });
      const watcher = world.add({ x: 0, y: 0, range: 4 });
      const corner = world.add({ x: 8, y: 2 });
      world.tick();
      world.move(corner, 12, -3);
      expectReport(world.tick(), [{ watcher, updated: [corner] }]);
      world.move(corner, 12, 3.01);
      expectReport(world.tick(), [{ watcher, left: [corner] }]);
    },
  },
  {
    name: 'a shorter range holds by the margin from its own end',
    run(create) {
      const world = create(MARGIN);
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const markers = [2, 3, 4].map((x) => world.add({ x, y: 0 }));
      world.tick();
      world.update(watcher, { range: 1 });
      expectReport(world.tick(), [{ watcher, left: markers.slice(2) }]);
      world.update(watcher, { range: 0 });
      expectReport(world.tick(), [{ watcher, left: markers.slice(0, 2) }]);
    },
  },
  {
    name: 'a pinned marker is held in the senses it has, and after the pin by the margin alone',
    run(create) {
      const world = create(MARGIN);
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const marker = world.add({ x: 6, y: 0 });
      world.pin(watcher, marker);
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      expectSame('senses', world.senses(watcher, marker), 0);
      world.move(marker, 5, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      world.move(marker, 7, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      world.unpin(watcher, marker);
      expectNothing(world.tick());
      expectIds('visibleTo', world.visibleTo(watcher), [marker]);
      world.move(marker, 7.5, 0);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
];
