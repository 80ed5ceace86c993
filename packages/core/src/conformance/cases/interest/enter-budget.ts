/**
 * Hand-written cases: the enter budget.
 */
import { expectNothing, expectReport, type HandWrittenCase } from '../../expectation.ts';

export const budgetCases: readonly HandWrittenCase[] = [
  {
    name: 'enter budget: a crowd enters in portions, nearest first, and a marker that leaves leaves at once',
    run(create) {
      const world = create({ interests: { default: { enterBudget: 2 } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const things = [5, 4, 3, 2, 1].map((x) => world.add({ x, y: 0 }));
      expectReport(world.tick(), [{ watcher, entered: [things[3], things[4]] }]);
      world.move(things[0], 50, 0);
      world.move(things[4], 60, 0);
      expectReport(world.tick(), [{ watcher, entered: [things[1], things[2]], left: [things[4]] }]);
      expectNothing(world.tick());
      world.move(watcher, 1000, 0);
      expectReport(world.tick(), [{ watcher, left: [things[1], things[2], things[3]] }]);
    },
  },
  {
    name: 'enter budget: a quarter is for the longest waiting, so that no marker waits for ever',
    run(create) {
      const world = create({ interests: { default: { enterBudget: 2 } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const far = world.add({ x: 9, y: 0 });
      const [a, b] = [1, 2].map((x) => world.add({ x, y: 0 }));
      expectReport(world.tick(), [{ watcher, entered: [a, b] }]);
      const [c, d, e] = [3, 4, 5].map((x) => world.add({ x, y: 0 }));
      expectReport(world.tick(), [{ watcher, entered: [far, c] }]);
      const f = world.add({ x: 4.5, y: 0 });
      const g = world.add({ x: 0, y: 0 });
      expectReport(world.tick(), [{ watcher, entered: [d, g] }]);
      expectReport(world.tick(), [{ watcher, entered: [e, f] }]);
    },
  },
  {
    name: 'enter budget: a seat that only waiting markers would outrank is kept, and dwell begins with entering',
    run(create) {
      const interests = { default: { cap: 2, enterBudget: 1, incumbentBonus: 0, minDwellTicks: 2 } };
      const world = create({ interests });
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const [a, b] = [5, 6].map((x) => world.add({ x, y: 0 }));
      expectReport(world.tick(), [{ watcher, entered: [a] }]);
      expectReport(world.tick(), [{ watcher, entered: [b] }]);
      expectNothing(world.tick());
      expectNothing(world.tick());
      const [c, d] = [1, 2].map((x) => world.add({ x, y: 0 }));
      expectReport(world.tick(), [{ watcher, entered: [c], left: [b] }]);
      const e = world.add({ x: 0.5, y: 0 });
      // The waiting marker goes first, and c is protected.
      expectReport(world.tick(), [{ watcher, entered: [e], left: [a] }]);
      expectNothing(world.tick());
      expectNothing(world.tick());
      world.remove(c);
      expectReport(world.tick(), [{ watcher, entered: [d], left: [c] }], [c]);
    },
  },
  {
    name: 'enter budget: no newcomer of a lower rank takes the seat that a waiting marker leaves free',
    run(create) {
      for (const limit of [{ cap: 3 }, { quotas: [{ layers: 1, cap: 3 }] }]) {
        const world = create({ interests: { default: { ...limit, enterBudget: 1 } } });
        const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
        const [a, b, c] = [1, 2, 3, 4, 5].map((x) => world.add({ x, y: 0 }));
        for (const entered of [a, b, c]) expectReport(world.tick(), [{ watcher, entered: [entered] }]);
        expectNothing(world.tick());
      }
    },
  },
  {
    name: 'enter budget: forced and attached markers never wait, and do not count',
    run(create) {
      const world = create({ interests: { default: { enterBudget: 1, showGroup: true } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false, group: 1 });
      const near = world.add({ x: 1, y: 0 });
      const [pinned, fellow, sun] = [
        world.add({ x: 2, y: 0 }),
        world.add({ x: 3, y: 0, group: 1 }),
        world.add({ x: 4, y: 0, always: true }),
      ];
      const hat = world.add({ x: 0, y: 0 });
      world.attach(hat, near);
      const late = world.add({ x: 5, y: 0 });
      world.pin(watcher, pinned);
      expectReport(world.tick(), [{ watcher, entered: [near, pinned, fellow, sun, hat] }]);
      world.unpin(watcher, pinned);
      expectReport(world.tick(), [{ watcher, entered: [late] }]);
    },
  },
  {
    name: 'enter budget: no margin holds a waiting marker, and all enter when the budget is removed',
    run(create) {
      const world = create({ interests: { default: { enterBudget: 1, leaveMargin: 5 } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const [a, b, c, d] = [1, 2, 3, 4].map((x) => world.add({ x, y: 0 }));
      expectReport(world.tick(), [{ watcher, entered: [a] }]);
      world.move(b, 12, 0);
      world.move(a, 12, 0);
      expectReport(world.tick(), [{ watcher, entered: [c], sensed: [], updated: [a] }]);
      world.setInterest('default', { leaveMargin: 5 });
      expectReport(world.tick(), [{ watcher, entered: [d] }]);
    },
  },
];
