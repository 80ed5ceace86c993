/**
 * Hand-written cases: what one tick reports.
 *
 * One case for each sentence about coalescing, additions, removals, moves and touches; every report is compared
 * whole, so an extra entry fails as surely as a missing one.
 */
import { expectIds, expectNothing, expectReport, expectSame, type HandWrittenCase } from '../expectation.ts';

export const tickCases: readonly HandWrittenCase[] = [
  {
    name: 'the first tick is tick 1 and reports all surroundings as entered',
    run(create) {
      const world = create();
      const [one, other] = [world.add({ x: 0, y: 0, range: 5 }), world.add({ x: 1, y: 0, range: 5 })];
      const report = world.tick();
      expectSame('tick', report.tick, 1);
      expectReport(report, [
        { watcher: one, entered: [other] },
        { watcher: other, entered: [one] },
      ]);
      expectNothing(world.tick());
    },
  },
  {
    name: 'an empty world ticks, before any entity is added and after all are removed',
    run(create) {
      const world = create();
      expectNothing(world.tick());
      const ids = [0, 1, 2].map((x) => world.add({ x, y: 0, range: 5 }));
      world.tick();
      for (const id of ids) world.remove(id);
      expectReport(world.tick(), [], ids);
      expectNothing(world.tick());
      expectSame('size', world.size, 0);
    },
  },
  {
    name: 'in and out again between two ticks reports nothing',
    run(create) {
      const world = create();
      world.add({ x: 0, y: 0, range: 5 });
      const visitor = world.add({ x: 100, y: 0 });
      world.tick();
      world.move(visitor, 1, 0);
      world.move(visitor, 200, 0);
      expectNothing(world.tick());
    },
  },
  {
    name: 'out and back between two ticks is no move',
    run(create) {
      const world = create();
      world.add({ x: 0, y: 0, range: 5 });
      const visitor = world.add({ x: 1, y: 0, range: 5 });
      world.tick();
      world.move(visitor, 100, 100);
      world.move(visitor, 1, 0);
      expectNothing(world.tick());
      world.move(visitor, 1 + 1e-9, 0);
      expectNothing(world.tick());
    },
  },
  {
    name: 'minus zero is zero: going there is no move',
    run(create) {
      const world = create();
      world.add({ x: 0, y: 0, range: 5 });
      const still = world.add({ x: 0, y: 0, range: -0 });
      world.tick();
      world.move(still, -0, -0);
      expectNothing(world.tick());
    },
  },
  {
    name: 'an entity added and removed between two ticks is in no list but in removed',
    run(create) {
      const world = create();
      world.add({ x: 0, y: 0, range: 5 });
      world.tick();
      const ghost = world.add({ x: 1, y: 0, range: 5 });
      world.touch(ghost);
      world.remove(ghost);
      expectReport(world.tick(), [], [ghost]);
    },
  },
  {
    name: 'a removed marker has left, a removed watcher gets nothing more',
    run(create) {
      const world = create();
      const [one, other, third] = [0, 1, 2].map((x) => world.add({ x, y: 0, range: 5 }));
      world.tick();
      world.remove(other);
      expectReport(
        world.tick(),
        [
          { watcher: one, left: [other] },
          { watcher: third, left: [other] },
        ],
        [other],
      );
    },
  },
  {
    name: 'if both sides of a pair are removed nothing is reported',
    run(create) {
      const world = create();
      const pair = [0, 1].map((x) => world.add({ x, y: 0, range: 5 }));
      world.tick();
      world.removeMany(Uint32Array.from(pair));
      expectReport(world.tick(), [], pair);
    },
  },
  {
    name: 'an entity that moved and was removed has left, wherever it went',
    run(create) {
      const world = create();
      const near = world.add({ x: 0, y: 0, range: 5 });
      world.add({ x: 100, y: 0, range: 5 });
      const walker = world.add({ x: 1, y: 0, range: 5 });
      world.tick();
      world.move(walker, 101, 0);
      world.remove(walker);
      expectReport(world.tick(), [{ watcher: near, left: [walker] }], [walker]);
    },
  },
  {
    name: 'a new watcher gets its whole surroundings as entered',
    run(create) {
      const world = create();
      const things = [0, 1, 2, 3].map((x) => world.add({ x, y: 0 }));
      expectNothing(world.tick());
      world.update(things[0], { range: 2 });
      const newcomer = world.add({ x: 3, y: 0, range: 1 });
      expectReport(world.tick(), [
        { watcher: things[0], entered: [things[1], things[2]] },
        { watcher: newcomer, entered: [things[2], things[3]] },
      ]);
    },
  },
  {
    name: 'an entity that ceases to be a watcher gets left for all its relations',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'] });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 5, hearing: 2 } });
      const things = [1, 2, 3].map((x) => world.add({ x, y: 0 }));
      world.tick();
      world.move(things[0], 1.5, 0);
      world.update(watcher, { range: { sight: 0, hearing: 0 } });
      expectReport(world.tick(), [{ watcher, left: things }]);
      world.update(watcher, { range: { hearing: 2 } });
      expectReport(world.tick(), [{ watcher, entered: things.slice(0, 2) }]);
    },
  },
  {
    name: 'an entity that ceases to be a marker has left, and enters when it is one again',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const marker = world.add({ x: 1, y: 0 });
      world.tick();
      world.update(marker, { marker: false });
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      world.move(marker, 2, 0);
      expectNothing(world.tick());
      world.update(marker, { marker: true });
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
    },
  },
  {
    name: 'a teleport without the option is a move: a pair related before and after reports no leave and enter',
    run(create) {
      const world = create();
      const giant = world.add({ x: 0, y: 0, range: 2000, gain: 0 });
      const west = world.add({ x: -1000, y: 0, range: 5, gain: 0 });
      const east = world.add({ x: 1000, y: 0, range: 5, gain: 0 });
      // Between the two places, and not on either side of the jump.
      world.add({ x: 10, y: 0, range: 5, gain: 0 });
      const jumper = world.add({ x: -1000, y: 1, range: 5 });
      const [westStone, eastStone] = [world.add({ x: -1001, y: 0 }), world.add({ x: 1001, y: 0 })];
      world.tick();
      world.move(jumper, 1000, 1);
      expectReport(world.tick(), [
        { watcher: giant, updated: [jumper] },
        { watcher: west, left: [jumper] },
        { watcher: east, entered: [jumper] },
        { watcher: jumper, left: [westStone], entered: [eastStone] },
      ]);
    },
  },
  {
    name: 'a watcher that leaps within its own surroundings keeps the relations that it still reaches',
    run(create) {
      const world = create();
      const things = Array.from({ length: 40 }, (_, i) => world.add({ x: i * 10, y: 0 }));
      const watcher = world.add({ x: 0, y: 0, range: 200 });
      world.tick();
      world.move(watcher, 190, 0);
      expectReport(world.tick(), [{ watcher, entered: things.slice(21) }]);
      world.move(watcher, 390, 0);
      expectReport(world.tick(), [{ watcher, left: things.slice(0, 19) }]);
    },
  },
  {
    name: 'two entities that swap places are only updated for nearby watchers',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const [one, other] = [world.add({ x: 1, y: 0, range: 5 }), world.add({ x: -1, y: 0, range: 5 })];
      world.tick();
      world.move(one, -1, 0);
      world.move(other, 1, 0);
      expectReport(world.tick(), [
        { watcher, updated: [one, other] },
        { watcher: one, updated: [other] },
        { watcher: other, updated: [one] },
      ]);
    },
  },
  {
    name: 'updated names related markers that moved or were touched, not those that just entered',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const [still, walker, touched, comer] = [1, 2, 3, 9].map((x) => world.add({ x, y: 0 }));
      world.tick();
      world.move(walker, 2, 1);
      world.touch(touched);
      world.touch(comer);
      world.move(comer, 4, 0);
      expectReport(world.tick(), [{ watcher, entered: [comer], updated: [walker, touched] }]);
      expectNothing(world.tick());
      world.touch(still);
      world.touch(watcher);
      expectReport(world.tick(), [{ watcher, updated: [still] }]);
    },
  },
  {
    name: 'a watcher that moves gets no update of markers that did not',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5, gain: 0 });
      world.add({ x: 1, y: 0 });
      world.tick();
      world.move(watcher, 0, 1);
      expectNothing(world.tick());
    },
  },
  {
    name: 'an update of properties alone is no updated',
    run(create) {
      const world = create();
      world.add({ x: 0, y: 0, range: 5 });
      const marker = world.add({ x: 1, y: 0 });
      world.tick();
      world.update(marker, { gain: 2, layers: 3, channel: 0, minReach: 1 });
      expectNothing(world.tick());
    },
  },
  {
    name: 'updates: false silences updated and nothing else',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'] });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 5, hearing: 2 }, updates: false });
      const marker = world.add({ x: 1, y: 0 });
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.move(marker, 3, 0);
      expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
      world.touch(marker);
      expectNothing(world.tick());
      world.move(marker, 4, 0);
      world.update(watcher, { updates: true });
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      world.update(watcher, { updates: false });
      world.touch(marker);
      expectNothing(world.tick());
      world.update(watcher, { updates: true });
      expectNothing(world.tick());
      world.remove(marker);
      expectReport(world.tick(), [{ watcher, left: [marker] }], [marker]);
    },
  },
  {
    name: 'sensed names related markers whose senses changed, beside updated if they moved',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'] });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 10, hearing: 5 } });
      const marker = world.add({ x: 4, y: 0 });
      world.tick();
      world.move(marker, 6, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker], sensed: [marker] }]);
      expectSame('senses', world.senses(watcher, marker), 1);
      world.update(watcher, { range: { hearing: 6 } });
      expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
      world.update(marker, { gain: { sight: 0 } });
      expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
      expectSame('senses', world.senses(watcher, marker), 2);
      world.update(watcher, { range: { sight: 9, hearing: 7 } });
      expectNothing(world.tick());
    },
  },
  {
    name: 'a change from one sense to another in one tick is sensed, not left and entered',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'] });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 10, hearing: 0 } });
      const marker = world.add({ x: 4, y: 0 });
      world.tick();
      world.update(watcher, { range: { sight: 0, hearing: 10 } });
      expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
    },
  },
  {
    name: 'a change of range applies while no entity moves',
    run(create) {
      const world = create();
      const things = [1, 2, 3, 500].map((x) => world.add({ x, y: 0 }));
      const watcher = world.add({ x: 0, y: 0, range: 1 });
      world.tick();
      world.update(watcher, { range: 3 });
      expectReport(world.tick(), [{ watcher, entered: things.slice(1, 3) }]);
      world.update(watcher, { range: 1000 });
      expectReport(world.tick(), [{ watcher, entered: things.slice(3) }]);
      world.update(watcher, { range: 2 });
      expectReport(world.tick(), [{ watcher, left: things.slice(2) }]);
    },
  },
  {
    name: 'changes of gain, minReach, layers, sees and channel apply while no entity moves',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 2 });
      const marker = world.add({ x: 10, y: 0 });
      const enters = [{ watcher, entered: [marker] }];
      const leaves = [{ watcher, left: [marker] }];
      expectNothing(world.tick());
      world.update(marker, { gain: 5 });
      expectReport(world.tick(), enters);
      world.update(marker, { gain: 1 });
      expectReport(world.tick(), leaves);
      world.update(marker, { minReach: 10 });
      expectReport(world.tick(), enters);
      world.update(marker, { layers: 2 });
      expectReport(world.tick(), leaves);
      world.update(watcher, { sees: 2 });
      expectReport(world.tick(), enters);
      world.update(marker, { channel: 7 });
      expectNothing(world.tick());
      world.update(watcher, { channel: 8 });
      expectReport(world.tick(), leaves);
      world.update(watcher, { channel: 7 });
      expectReport(world.tick(), enters);
    },
  },
  {
    name: 'a change and its undoing between two ticks reports nothing',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 2 });
      const marker = world.add({ x: 1, y: 0 });
      world.tick();
      world.update(watcher, { range: 0 });
      world.update(watcher, { range: 2 });
      world.update(marker, { layers: 2, marker: false });
      world.update(marker, { layers: 1, marker: true });
      expectNothing(world.tick());
    },
  },
  {
    name: 'moving out while the range grows to match reports only the move',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const marker = world.add({ x: 5, y: 0 });
      world.tick();
      world.move(marker, 50, 0);
      world.update(watcher, { range: 50 });
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
    },
  },
  {
    name: 'a reused slot is another entity: the old one left, the new one enters',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      for (let round = 0; round < 6; round++) {
        const crowd = Array.from({ length: 400 }, (_, i) => world.add({ x: 1 + i * 0.001, y: 0 }));
        expectReport(world.tick(), [{ watcher, entered: crowd }]);
        for (const id of crowd) world.remove(id);
        expectReport(world.tick(), [{ watcher, left: crowd }], crowd);
      }
      expectIds('visibleTo', world.visibleTo(watcher), []);
    },
  },
  {
    name: 'a reused slot has no senses, layers and range of the old entity',
    run(create) {
      const world = create();
      const special = {
        range: 9,
        gain: 7,
        minReach: 3,
        layers: 6,
        sees: 4,
        channel: 3,
        marker: false,
        updates: false,
      };
      for (let round = 0; round < 4; round++) {
        const crowd = Array.from({ length: 600 }, (_, x) => world.add({ x, y: 0, ...special }));
        world.tick();
        world.removeMany(Uint32Array.from(crowd));
        world.tick();
      }
      const plain = Array.from({ length: 1400 }, (_, x) => world.add({ x: x * 10, y: 0 }));
      expectNothing(world.tick());
      const watcher = world.add({ x: 0, y: 0, range: 15 });
      expectReport(world.tick(), [{ watcher, entered: plain.slice(0, 2) }]);
    },
  },
  {
    name: 'relations answer as of the last tick, without entities removed since',
    run(create) {
      const world = create();
      const [one, other, third] = [0, 1, 2].map((x) => world.add({ x, y: 0, range: 5 }));
      expectIds('visibleTo before the first tick', world.visibleTo(one), []);
      world.tick();
      world.move(other, 100, 0);
      world.update(one, { range: 0 });
      const late = world.add({ x: 0, y: 0, range: 5 });
      expectIds('visibleTo', world.visibleTo(one), [other, third]);
      expectIds('watchersOf', world.watchersOf(one), [other, third]);
      expectIds('visibleTo of the newcomer', world.visibleTo(late), []);
      expectIds('watchersOf the newcomer', world.watchersOf(late), []);
      expectSame('related', world.related(other, one), true);
      world.remove(third);
      expectIds('visibleTo', world.visibleTo(one), [other]);
      expectIds('watchersOf', world.watchersOf(one), [other]);
      world.tick();
      expectIds('visibleTo', world.visibleTo(one), []);
      expectIds('watchersOf', world.watchersOf(one), [late]);
    },
  },
];
