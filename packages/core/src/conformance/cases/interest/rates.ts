/**
 * Hand-written cases: when changes are reported, by distance; and how a change of rules affects watchers that had
 * other rules.
 */
import {
  expectIds,
  expectNothing,
  expectReport,
  expectSame,
  type HandWrittenCase,
} from '../../expectation.ts';

const RATES = {
  updateRates: [
    [0.5, 2],
    [1, 5],
  ] as [number, number][],
};

export const rateCases: readonly HandWrittenCase[] = [
  {
    name: 'a change is reported on the turn of its ring, which the slot shifts; a ring ends at its fraction of the range',
    run(create) {
      const world = create({ interests: { default: RATES } });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const near = [world.add({ x: 5, y: 0 }), world.add({ x: 3, y: 4 })];
      const far = [world.add({ x: 5 + 2 ** -21, y: 0 }), world.add({ x: 10, y: 0 })];
      world.tick();
      for (let tick = 2; tick <= 30; tick++) {
        for (const marker of [...near, ...far]) world.touch(marker);
        const updated = [
          ...near.filter((marker) => (tick + (marker >>> 10)) % 2 === 0),
          ...far.filter((marker) => (tick + (marker >>> 10)) % 5 === 0),
        ];
        expectReport(world.tick(), updated.length === 0 ? [] : [{ watcher, updated }]);
      }
    },
  },
  {
    name: 'a change waits for its turn, and is reported once',
    run(create) {
      const world = create({ interests: { default: { updateRates: [[1, 5]] } } });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const marker = world.add({ x: 3, y: 0 });
      let tick = world.tick().tick;
      const turn = () => (tick + (marker >>> 10)) % 5 === 0;
      world.move(marker, 4, 0);
      let told = 0;
      for (; tick < 20; ) {
        const report = world.tick();
        tick = report.tick;
        if (told === 0 && turn()) {
          expectReport(report, [{ watcher, updated: [marker] }]);
          told = tick;
        } else expectNothing(report);
      }
      if (told === 0 || told > 6) throw new Error(`told at tick ${told}, expected within 5 ticks`);
    },
  },
  {
    name: 'no change is reported later than its rate, though the ring changed in between',
    run(create) {
      const world = create({
        interests: {
          default: {
            updateRates: [
              [0.5, 2],
              [1, 7],
            ],
          },
        },
      });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const marker = world.add({ x: 9, y: 0 });
      let told = world.tick().tick;
      for (let tick = 2; tick < 60; tick++) {
        const isNear = Math.floor(tick / 9) % 2 === 0;
        world.move(marker, isNear ? 1 : 9, tick % 2);
        const isTold = world.tick().of(watcher)?.updated.includes(marker) ?? false;
        if (isTold) told = tick;
        else if (tick - told >= (isNear ? 2 : 7)) throw new Error(`tick ${tick}: nothing told since ${told}`);
      }
    },
  },
  {
    name: 'the last rate applies beyond the last ring; the range is the largest of all senses, without gains',
    run(create) {
      const world = create({
        senses: ['sight', 'hearing'],
        interests: {
          default: {
            updateRates: [
              [0.1, 1],
              [0.2, 4],
            ],
          },
        },
      });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 5, hearing: 100 } });
      const near = world.add({ x: 10, y: 0, gain: 0.5 });
      const far = world.add({ x: 50, y: 0 });
      const pinned = world.add({ x: 1e6, y: 0 });
      world.pin(watcher, pinned);
      world.tick();
      for (let tick = 2; tick < 14; tick++) {
        for (const marker of [near, far, pinned]) world.touch(marker);
        const late = [far, pinned].filter((marker) => (tick + (marker >>> 10)) % 4 === 0);
        expectReport(world.tick(), [{ watcher, updated: [near, ...late] }]);
      }
    },
  },
  {
    name: 'entered counts as reported, and sensed does not wait',
    run(create) {
      const world = create({
        senses: ['sight', 'hearing'],
        interests: { default: { updateRates: [[1, 100]] } },
      });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 10, hearing: 20 } });
      const marker = world.add({ x: 5, y: 0 });
      world.touch(marker);
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      for (let tick = 2; tick < 90; tick++) expectNothing(world.tick());
      world.move(marker, 15, 0);
      expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
    },
  },
  {
    name: 'with rates, always and pinned markers stay related in and out of range, and their senses follow at once',
    run(create) {
      for (const leaveMargin of [0, 2]) {
        const world = create({ interests: { default: { updateRates: [[1, 100]], leaveMargin } } });
        const watcher = world.add({ x: 0, y: 0, range: 10 });
        const marker = world.add({ x: 50, y: 0, always: true });
        const other = world.add({ x: 9, y: 0 });
        expectReport(world.tick(), [{ watcher, entered: [marker, other] }]);
        world.move(marker, 9, 0);
        expectReport(world.tick(), [{ watcher, sensed: [marker] }]);
        // Within the margin, beyond it, and back; the other leaves.
        world.move(marker, 11, 0);
        expectReport(world.tick(), leaveMargin > 0 ? [] : [{ watcher, sensed: [marker] }]);
        expectSame('senses within the margin', world.senses(watcher, marker), leaveMargin > 0 ? 1 : 0);
        world.move(marker, 13, 0);
        world.move(other, 13, 0);
        const isSensed = leaveMargin > 0 ? { sensed: [marker] } : {};
        expectReport(world.tick(), [{ watcher, left: [other], ...isSensed }]);
        expectSame('senses beyond the margin', world.senses(watcher, marker), 0);
        expectSame('still related', world.related(watcher, marker), true);
        world.move(marker, 5, 0);
        world.pin(watcher, other);
        expectReport(world.tick(), [{ watcher, entered: [other], sensed: [marker] }]);
        world.update(marker, { always: false });
        world.move(other, 8, 0);
        expectReport(world.tick(), [{ watcher, sensed: [other] }]);
        world.unpin(watcher, other);
        world.move(marker, 20, 0);
        expectReport(world.tick(), [{ watcher, left: [marker] }]);
        world.move(other, 20, 0);
        expectReport(world.tick(), [{ watcher, left: [other] }]);
      }
    },
  },
  {
    name: 'a watcher that wants updates again gets changes from then on',
    run(create) {
      const world = create({ interests: { default: {}, slow: { updateRates: [[1, 3]] } } });
      const init = { x: 0, y: 0, range: 10, marker: false, updates: false };
      const [quick, slow] = [world.add(init), world.add({ ...init, interest: 'slow' })];
      const marker = world.add({ x: 1, y: 0 });
      world.tick();
      world.touch(marker);
      expectNothing(world.tick());
      world.update(quick, { updates: true });
      world.update(slow, { updates: true });
      for (let tick = 3; tick < 9; tick++) expectNothing(world.tick());
      world.update(quick, { updates: false });
      world.update(slow, { updates: false });
      world.tick();
      world.update(quick, { updates: true });
      world.touch(marker);
      expectReport(world.tick(), [{ watcher: quick, updated: [marker] }]);
    },
  },
];

export const changeCases: readonly HandWrittenCase[] = [
  {
    name: 'an interest that is replaced applies from the next tick on, to all watchers with its name',
    run(create) {
      const world = create({ interests: { default: {}, other: {} } });
      const init = { x: 0, y: 0, range: 10, marker: false };
      const [one, two, other] = [world.add(init), world.add(init), world.add({ ...init, interest: 'other' })];
      const [near, far] = [world.add({ x: 1, y: 0 }), world.add({ x: 2, y: 0 })];
      world.tick();
      world.setInterest('default', { cap: 1 });
      expectIds('until then', world.visibleTo(one), [near, far]);
      expectReport(world.tick(), [
        { watcher: one, left: [far] },
        { watcher: two, left: [far] },
      ]);
      world.setInterest('new', { cap: 0 });
      world.update(other, { interest: 'new' });
      world.update(two, { interest: 'other' });
      expectReport(world.tick(), [
        { watcher: two, entered: [far] },
        { watcher: other, left: [near, far] },
      ]);
    },
  },
  {
    name: 'with new rules, relations count as seats taken in the tick before',
    run(create) {
      const world = create({
        interests: { default: {}, next: { cap: 1, incumbentBonus: 0, minDwellTicks: 3 } },
      });
      const watcher = world.add({ x: 0, y: 0, range: 100 });
      const [first, second] = [world.add({ x: 10, y: 0 }), world.add({ x: 20, y: 0 })];
      for (let tick = 1; tick <= 5; tick++) world.tick();
      world.update(watcher, { interest: 'next' });
      const newcomer = world.add({ x: 1, y: 0 });
      // Seats as of tick 5 are 1 and 2 ticks old at ticks 6 and 7.
      expectReport(world.tick(), [{ watcher, left: [second] }]);
      expectNothing(world.tick());
      expectReport(world.tick(), [{ watcher, left: [first], entered: [newcomer] }]);
    },
  },
  {
    name: 'with new rules nothing is remembered, also with the same rules under the same name',
    run(create) {
      const interest = { cap: 1, incumbentBonus: 0.5, memoryTicks: 100 };
      const world = create({ interests: { default: interest } });
      const watcher = world.add({ x: 0, y: 0, range: 100 });
      const [lost, heir] = [world.add({ x: 10, y: 0 }), world.add({ x: 12, y: 0 })];
      world.tick();
      world.move(lost, 1000, 0);
      expectReport(world.tick(), [{ watcher, left: [lost], entered: [heir] }]);
      world.setInterest('default', interest);
      world.tick();
      world.move(lost, 10, 0);
      expectNothing(world.tick());
    },
  },
  {
    name: 'with new rules a waiting change is dropped, and a change in that tick is reported on its turn',
    run(create) {
      const world = create({ interests: { default: { updateRates: [[1, 50]] }, next: {} } });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const [early, late] = [world.add({ x: 1, y: 0 }), world.add({ x: 2, y: 0 })];
      world.tick();
      world.touch(early);
      expectNothing(world.tick());
      world.update(watcher, { interest: 'next' });
      world.touch(late);
      expectReport(world.tick(), [{ watcher, updated: [late] }]);
      expectNothing(world.tick());
    },
  },
  {
    name: 'another interest and back between two ticks is no change',
    run(create) {
      const world = create({
        interests: {
          default: { updateRates: [[1, 4]], cap: 1, minDwellTicks: 5, incumbentBonus: 0 },
          other: {},
        },
      });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const marker = world.add({ x: 5, y: 0 });
      let tick = world.tick().tick;
      world.touch(marker);
      let told = 0;
      for (; tick < 5; ) {
        world.update(watcher, { interest: 'other' });
        world.update(watcher, { interest: 'default' });
        const report = world.tick();
        tick = report.tick;
        told += report.updatedCount;
      }
      expectSame('times told', told, 1);
      // The seat is 5 ticks old at tick 6: its age was never reset.
      const better = world.add({ x: 1, y: 0 });
      expectReport(world.tick(), [{ watcher, left: [marker], entered: [better] }]);
    },
  },
  {
    name: 'a margin that is added later holds related markers, one that is removed releases them',
    run(create) {
      const world = create({ interests: { default: {}, wide: { leaveMargin: 5 } } });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const marker = world.add({ x: 10, y: 0 });
      world.tick();
      world.update(watcher, { interest: 'wide' });
      world.move(marker, 15, 0);
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      world.setInterest('wide', { leaveMargin: 4 });
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
    },
  },
  {
    name: 'consent is asked of the other side after its own change of rules',
    run(create) {
      const world = create({ interests: { default: { mutual: true }, nobody: { cap: 0 } } });
      const one = world.add({ x: 0, y: 0, range: 10 });
      const other = world.add({ x: 1, y: 0, range: 10 });
      world.tick();
      world.update(other, { interest: 'nobody' });
      expectReport(world.tick(), [
        { watcher: one, left: [other] },
        { watcher: other, left: [one] },
      ]);
      world.update(other, { interest: 'default' });
      expectReport(world.tick(), [
        { watcher: one, entered: [other] },
        { watcher: other, entered: [one] },
      ]);
    },
  },
];
