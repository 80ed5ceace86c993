/**
 * Hand-written cases: which markers become watched or unwatched in a tick.
 *
 * Relations begin and end in many ways, and not all of them are reported: the relations of a removed watcher are in
 * no list.
 */
import { expectSame, expectWatched, type HandWrittenCase } from '../../expectation.ts';

export const watchedCases: readonly HandWrittenCase[] = [
  {
    name: 'a marker is watched from its first relation to its last, whichever watchers have them',
    run(create) {
      const world = create();
      const [first, second] = [0, 4].map((x) => world.add({ x, y: 0, range: 5, marker: false }));
      const marker = world.add({ x: 8, y: 0 });
      expectWatched(world.tick(), { watched: [marker] });
      world.move(marker, 2, 0);
      expectWatched(world.tick(), {});
      world.move(second, 100, 0);
      expectWatched(world.tick(), {});
      world.move(first, -100, 0);
      expectWatched(world.tick(), { unwatched: [marker] });
      world.move(first, 0, 0);
      expectWatched(world.tick(), { watched: [marker] });
    },
  },
  {
    name: 'watchers that are markers are watched as others are',
    run(create) {
      const world = create();
      const [near, far] = [world.add({ x: 0, y: 0, range: 5 }), world.add({ x: 8, y: 0, range: 10 })];
      expectWatched(world.tick(), { watched: [near] });
      world.update(near, { range: 10 });
      expectWatched(world.tick(), { watched: [far] });
      world.update(far, { range: 0 });
      expectWatched(world.tick(), { unwatched: [near] });
    },
  },
  {
    name: 'a marker that changes from one watcher to another in a tick is watched throughout',
    run(create) {
      const world = create();
      for (const x of [0, 100]) world.add({ x, y: 0, range: 5, marker: false });
      const marker = world.add({ x: 1, y: 0 });
      world.tick();
      world.move(marker, 101, 0);
      const report = world.tick();
      expectSame('leftCount', report.leftCount, 1);
      expectWatched(report, {});
    },
  },
  {
    name: 'a marker related only to a removed watcher is unwatched, though no leave is reported',
    run(create) {
      const world = create();
      const [gone, other] = [0, 10].map((x) => world.add({ x, y: 0, range: 6, marker: false }));
      const [lost, shared] = [1, 5].map((x) => world.add({ x, y: 0 }));
      expectWatched(world.tick(), { watched: [lost, shared] });
      world.remove(gone);
      const report = world.tick();
      expectSame('leftCount', report.leftCount, 0);
      expectWatched(report, { unwatched: [lost] });
      world.remove(other);
      expectWatched(world.tick(), { unwatched: [shared] });
    },
  },
  {
    name: 'a removed marker is not reported as unwatched, with its watcher or without',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5, marker: false });
      const [one, other] = [1, 2].map((x) => world.add({ x, y: 0 }));
      world.tick();
      world.remove(one);
      expectWatched(world.tick(), {});
      world.removeMany(Uint32Array.of(watcher, other));
      expectWatched(world.tick(), {});
    },
  },
  {
    name: 'a seat lost to the cap makes its marker unwatched, and the next best watched',
    run(create) {
      const world = create({ interests: { default: { cap: 1, incumbentBonus: 0 } } });
      world.add({ x: 0, y: 0, range: 50, marker: false });
      const [near, far] = [10, 20].map((x) => world.add({ x, y: 0 }));
      expectWatched(world.tick(), { watched: [near] });
      world.move(far, 5, 0);
      expectWatched(world.tick(), { watched: [far], unwatched: [near] });
    },
  },
  {
    name: 'removing a capped watcher makes only its seated markers unwatched',
    run(create) {
      const world = create({ interests: { default: { cap: 2 } } });
      const crowd = Array.from({ length: 12 }, (_, i) => world.add({ x: 1 + i, y: 0 }));
      const watcher = world.add({ x: 0, y: 0, range: 50, marker: false });
      expectWatched(world.tick(), { watched: crowd.slice(0, 2) });
      expectWatched(world.tick(), {});
      world.remove(watcher);
      expectWatched(world.tick(), { unwatched: crowd.slice(0, 2) });
    },
  },
  {
    name: 'a child of a parent without a range, whose only pin has no effect, is watched by it until it is removed',
    run(create) {
      const world = create();
      const horse = world.add({ x: 0, y: 0 });
      const riders = Array.from({ length: 30 }, () => world.add({ x: 50, y: 0 }));
      const hidden = world.add({ x: 90, y: 0, marker: false });
      for (const rider of riders) world.attach(rider, horse);
      world.pin(horse, hidden);
      expectWatched(world.tick(), { watched: riders });
      // The more often it is queried, the likelier lists of watchers are kept.
      for (const rider of riders) expectSame('watchers', [...world.watchersOf(rider)].join(), String(horse));
      for (const rider of riders) expectSame('watchers', [...world.watchersOf(rider)].join(), String(horse));
      world.remove(horse);
      expectWatched(world.tick(), { unwatched: riders });
    },
  },
  {
    name: 'pins, blocks, groups and margins make markers watched and unwatched, as senses do',
    run(create) {
      const world = create({ interests: { default: { leaveMargin: 5, showGroup: true } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, group: 1, marker: false });
      const [pinned, member, walker] = [100, 200, 9].map((x) => world.add({ x, y: 0 }));
      world.pin(watcher, pinned);
      expectWatched(world.tick(), { watched: [pinned, walker] });
      world.update(member, { group: 1 });
      world.move(walker, 14, 0);
      expectWatched(world.tick(), { watched: [member] });
      world.block(watcher, pinned);
      world.move(walker, 16, 0);
      expectWatched(world.tick(), { unwatched: [pinned, walker] });
      world.update(member, { group: 2 });
      world.unblock(watcher, pinned);
      expectWatched(world.tick(), { watched: [pinned], unwatched: [member] });
    },
  },
];
