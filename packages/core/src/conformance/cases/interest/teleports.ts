/**
 * Hand-written cases: teleports are reported as left and entered to watchers that relate before and after.
 */
import { expectIds, expectNothing, expectReport, type HandWrittenCase } from '../../expectation.ts';

const TELEPORT = { teleport: true };

export const teleportCases: readonly HandWrittenCase[] = [
  {
    name: 'teleport: a pair related before and after is reported as left and entered, on both sides',
    run(create) {
      const world = create();
      const [one, other] = [0, 5].map((x) => world.add({ x, y: 0, range: 10 }));
      const rock = world.add({ x: 1, y: 1 });
      world.tick();
      world.move(other, -5, 0, undefined, TELEPORT);
      world.touch(other);
      expectReport(world.tick(), [
        { watcher: one, entered: [other], left: [other] },
        { watcher: other, entered: [one, rock], left: [one, rock] },
      ]);
      expectIds('visibleTo', world.visibleTo(one), [other, rock]);
      expectNothing(world.tick());
      world.move(other, 5, 0);
      expectReport(world.tick(), [{ watcher: one, updated: [other] }]);
    },
  },
  {
    name: 'teleport: a relation that ends or begins is reported once',
    run(create) {
      const world = create();
      const [watcher, far] = [0, 100].map((x) => world.add({ x, y: 0, range: 10, marker: false }));
      const marker = world.add({ x: 1, y: 0 });
      world.tick();
      world.moveMany(Uint32Array.of(marker), [101], [0], undefined, undefined, TELEPORT);
      expectReport(world.tick(), [
        { watcher, left: [marker] },
        { watcher: far, entered: [marker] },
      ]);
      world.move(marker, 0, 0, undefined, TELEPORT);
      world.remove(marker);
      expectReport(world.tick(), [{ watcher: far, left: [marker] }], [marker]);
      const late = world.add({ x: 5, y: 0 });
      world.move(late, 2, 0, undefined, TELEPORT);
      expectReport(world.tick(), [{ watcher, entered: [late] }]);
    },
  },
  {
    name: 'teleport: holds whatever other moves the tick has, and wherever it ends',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const marker = world.add({ x: 1, y: 0 });
      world.tick();
      world.move(marker, 2, 0, undefined, TELEPORT);
      world.move(marker, 3, 0);
      expectReport(world.tick(), [{ watcher, entered: [marker], left: [marker] }]);
      world.move(marker, 3, 0, undefined, TELEPORT);
      expectReport(world.tick(), [{ watcher, entered: [marker], left: [marker] }]);
      world.move(marker, 4, 0, undefined, { teleport: false });
      expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      world.moveMany(Uint32Array.of(marker, marker), [5, 6], [0, 0], undefined, Uint32Array.of(1), TELEPORT);
      expectReport(world.tick(), [{ watcher, entered: [marker], left: [marker] }]);
    },
  },
  {
    name: 'teleport: nothing is reported as sensed, and entered has the current senses',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'] });
      const range = { sight: 10, hearing: 50 };
      const watcher = world.add({ x: 0, y: 0, range, marker: false });
      const [marker, pinned] = [world.add({ x: 5, y: 0 }), world.add({ x: 900, y: 0 })];
      world.pin(watcher, pinned);
      world.tick();
      world.move(marker, 40, 0, undefined, TELEPORT);
      world.move(pinned, 800, 0, undefined, TELEPORT);
      expectReport(world.tick(), [{ watcher, entered: [marker, pinned], left: [marker, pinned] }]);
      world.move(marker, 5, 0);
      expectReport(world.tick(), [{ watcher, sensed: [marker], updated: [marker] }]);
    },
  },
  {
    name: 'teleport: margins, seats and dwell continue, and update rates count it as reported',
    run(create) {
      const updateRates = [[1, 3]] as const;
      const interests = { default: { leaveMargin: 5, cap: 1, minDwellTicks: 3, updateRates } };
      const world = create({ interests });
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const [seated, nearer] = [world.add({ x: 4, y: 0 }), world.add({ x: 20, y: 0 })];
      world.tick();
      world.move(seated, 12, 0, undefined, TELEPORT);
      world.move(nearer, 1, 0);
      expectReport(world.tick(), [{ watcher, entered: [seated], left: [seated] }]);
      expectNothing(world.tick());
      expectReport(world.tick(), [{ watcher, entered: [nearer], left: [seated] }]);
    },
  },
  {
    name: 'teleport: attached entities teleport with their parent, and their root alone does not',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const [horse, rider, sword] = [1, 2, 3].map((x) => world.add({ x, y: 0 }));
      world.attach(rider, horse, { y: 1 });
      world.attach(sword, rider, { y: 1 });
      world.tick();
      world.move(horse, 5, 0, undefined, TELEPORT);
      const all = [horse, rider, sword];
      expectReport(world.tick(), [{ watcher, entered: all, left: all }]);
      world.detach(sword);
      world.move(sword, 4, 0, undefined, TELEPORT);
      world.attach(sword, horse);
      expectReport(world.tick(), [{ watcher, entered: [sword], left: [sword] }]);
    },
  },
];
