/**
 * Hand-written cases: groups that are shown on terms.
 */
import { expectNothing, expectReport, expectSame, type HandWrittenCase } from '../../expectation.ts';

export const groupCases: readonly HandWrittenCase[] = [
  {
    name: 'groups: a member is shown within a distance, its end included, and again when it is back',
    run(create) {
      const world = create({ interests: { default: { showGroup: { within: 40 } } } });
      const watcher = world.add({ x: 0, y: 0, range: 5, group: 3, marker: false });
      const fellow = world.add({ x: 41, y: 0, group: 3 });
      world.add({ x: 30, y: 0, group: 4 });
      expectNothing(world.tick());
      world.move(fellow, 40, 0);
      expectReport(world.tick(), [{ watcher, entered: [fellow] }]);
      expectSame('senses', world.senses(watcher, fellow), 0);
      world.move(fellow, 40.00001, 0);
      expectReport(world.tick(), [{ watcher, left: [fellow] }]);
      world.move(watcher, 10, 0);
      expectReport(world.tick(), [{ watcher, entered: [fellow] }]);
      world.setInterest('default', { showGroup: { within: 20 } });
      expectReport(world.tick(), [{ watcher, left: [fellow] }]);
      world.setInterest('default', { showGroup: true });
      expectReport(world.tick(), [{ watcher, entered: [fellow] }]);
    },
  },
  {
    name: 'groups: a watcher that joins later is shown a member within a distance for as long as it is there',
    run(create) {
      const world = create({ interests: { default: { leaveMargin: 1, showGroup: { within: 40 } } } });
      const watcher = world.add({ x: 0, y: 0, range: 5, marker: false });
      const fellow = world.add({ x: 30, y: 0, group: 3 });
      expectNothing(world.tick());
      expectNothing(world.tick());
      world.update(watcher, { group: 3 });
      expectReport(world.tick(), [{ watcher, entered: [fellow] }]);
      expectNothing(world.tick());
      world.move(fellow, 41, 0);
      expectReport(world.tick(), [{ watcher, left: [fellow] }]);
      world.move(fellow, 39, 0);
      expectReport(world.tick(), [{ watcher, entered: [fellow] }]);
    },
  },
  {
    name: 'groups: within reach uses the ranges with gain 1, whatever the gain of the member',
    run(create) {
      const interests = { default: { showGroup: { within: 'reach', through: ['gain'] } as const } };
      const world = create({ senses: ['sight', 'hearing'], interests });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 10, hearing: 30 }, group: 1, marker: false });
      const [quiet, cloaked] = [0.5, 0].map((gain) => world.add({ x: 30, y: 0, gain, group: 1 }));
      world.add({ x: 30, y: 0, gain: 0 });
      world.add({ x: 41, y: 0, gain: 0, group: 1 });
      expectReport(world.tick(), [{ watcher, entered: [quiet, cloaked] }]);
      world.update(watcher, { range: { hearing: 20 } });
      expectReport(world.tick(), [{ watcher, left: [quiet, cloaked] }]);
      world.update(cloaked, { minReach: { hearing: 30 } });
      expectReport(world.tick(), [{ watcher, entered: [cloaked] }]);
      world.update(cloaked, { maxReach: { hearing: 30 }, minReach: 0 });
      world.update(watcher, { range: { hearing: 40 } });
      expectReport(world.tick(), [{ watcher, entered: [quiet] }]);
      world.update(cloaked, { maxReach: { hearing: 29 } });
      expectReport(world.tick(), [{ watcher, left: [cloaked] }]);
    },
  },
  {
    name: 'groups: cloaked markers and other layers are shown if named, each by itself',
    run(create) {
      const interests = {
        default: { showGroup: {} },
        gain: { showGroup: { through: ['gain'] } as const },
        layers: { showGroup: { through: ['layers'] } as const },
        both: { showGroup: { through: ['layers', 'gain'] } as const },
      };
      const world = create({ interests });
      const init = { x: 0, y: 0, range: 1, group: 7, marker: false };
      const [plain, gain, layers, both] = Object.keys(interests).map((interest) =>
        world.add({ ...init, interest }),
      );
      const fellow = world.add({ x: 100, y: 0, group: 7 });
      const cloaked = world.add({ x: 200, y: 0, group: 7, gain: 0 });
      const layered = world.add({ x: 300, y: 0, group: 7, layers: 4 });
      const hidden = world.add({ x: 400, y: 0, group: 7, layers: 4, gain: 0 });
      world.add({ x: 500, y: 0, group: 7, layers: 4, gain: 0, channel: 2 });
      world.update(both, { channel: 3 });
      expectReport(world.tick(), [
        { watcher: plain, entered: [fellow] },
        { watcher: gain, entered: [fellow, cloaked] },
        { watcher: layers, entered: [fellow, layered] },
        { watcher: both, entered: [fellow, cloaked, layered, hidden] },
      ]);
      world.update(cloaked, { gain: 0.5 });
      world.update(layered, { needs: 8 });
      expectReport(world.tick(), [
        { watcher: plain, entered: [cloaked] },
        { watcher: layers, entered: [cloaked], left: [layered] },
        { watcher: both, left: [layered] },
      ]);
    },
  },
  {
    name: 'groups: members shown on terms take seats first, only of the kinds named',
    run(create) {
      const showGroup = { kinds: ['party'], within: 50 };
      const world = create({
        groups: ['party', 'raid'],
        interests: { default: { showGroup, cap: 1, leaveMargin: 10 } },
      });
      const watcher = world.add({ x: 0, y: 0, range: 20, group: { party: 1, raid: 1 }, marker: false });
      const near = world.add({ x: 1, y: 0 });
      const fellow = world.add({ x: 45, y: 0, group: { party: 1 } });
      world.add({ x: 30, y: 0, group: { raid: 1 } });
      expectReport(world.tick(), [{ watcher, entered: [fellow] }]);
      world.move(fellow, 51, 0);
      expectReport(world.tick(), [{ watcher, entered: [near], left: [fellow] }]);
      world.move(fellow, 28, 0);
      expectReport(world.tick(), [{ watcher, entered: [fellow], left: [near] }]);
      // The margin keeps holding it when the group no longer does, and its seat is better only by the bonus.
      world.remove(near);
      world.update(fellow, { group: { party: 2 } });
      expectReport(world.tick(), [{ watcher, sensed: [fellow] }], [near]);
    },
  },
];
