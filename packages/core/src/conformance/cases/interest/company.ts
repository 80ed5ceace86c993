/**
 * Hand-written cases: groups, `always` markers, `admit` and mutual seats.
 */
import type { EntityId } from '../../../index.ts';
import {
  expectIds,
  expectNothing,
  expectReport,
  expectSame,
  type HandWrittenCase,
} from '../../expectation.ts';

export const companyCases: readonly HandWrittenCase[] = [
  {
    name: 'the same number of a shown group relates whatever the distance; 0 is no group',
    run(create) {
      const world = create({ interests: { default: { showGroup: true } } });
      const places = [0, 1e6, 2e6, 3e6, 4e6];
      const [one, two, , zero, other] = [7, 7, 0, 0, 8].map((group, i) =>
        world.add({ x: places[i], y: 0, range: 1, group }),
      );
      expectReport(world.tick(), [
        { watcher: one, entered: [two] },
        { watcher: two, entered: [one] },
      ]);
      expectSame('senses', world.senses(one, two), 0);
      world.update(zero, { group: 8 });
      world.update(two, { group: 0 });
      expectReport(world.tick(), [
        { watcher: one, left: [two] },
        { watcher: two, left: [one] },
        { watcher: zero, entered: [other] },
        { watcher: other, entered: [zero] },
      ]);
    },
  },
  {
    name: 'a group is shown to watchers that meet the marker, in the kinds that the interest shows',
    run(create) {
      const world = create({
        groups: ['party', 'raid'],
        interests: { default: {}, party: { showGroup: ['party'] }, both: { showGroup: true } },
      });
      const init = { x: 0, y: 0, range: 1, group: { party: 1, raid: 2 }, marker: false };
      world.add(init);
      const party = world.add({ ...init, interest: 'party' });
      const both = world.add({ ...init, interest: 'both' });
      const fellow = world.add({ x: 100, y: 0, group: 1 });
      const raider = world.add({ x: 200, y: 0, group: { raid: 2 } });
      world.add({ x: 300, y: 0, group: { party: 2, raid: 1 } });
      world.add({ x: 400, y: 0, group: { party: 1, raid: 2 }, layers: 2 });
      world.add({ x: 500, y: 0, group: { party: 1, raid: 2 }, marker: false });
      expectReport(world.tick(), [
        { watcher: party, entered: [fellow] },
        { watcher: both, entered: [fellow, raider] },
      ]);
      world.update(fellow, { channel: 1 });
      expectNothing(world.tick());
      world.update(both, { channel: 2 });
      expectReport(world.tick(), [{ watcher: both, left: [fellow] }]);
    },
  },
  {
    name: 'a marker set to always relates to all watchers that meet it and have a range, however short',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'] });
      const watcher = world.add({ x: 0, y: 0, range: { hearing: 0.001 } });
      const blind = world.add({ x: 0, y: 9 });
      world.add({ x: 0, y: 5, range: 1, sees: 2 });
      const sun = world.add({ x: 1e9, y: 0, always: true, gain: 0 });
      world.add({ x: 1e9, y: 1, always: true, marker: false });
      expectReport(world.tick(), [{ watcher, entered: [sun] }]);
      world.update(blind, { range: 0.5 });
      expectReport(world.tick(), [{ watcher: blind, entered: [sun] }]);
      world.update(sun, { channel: 4 });
      world.update(blind, { channel: 5 });
      world.update(watcher, { range: { hearing: 0 } });
      expectReport(world.tick(), [
        { watcher, left: [sun] },
        { watcher: blind, left: [sun] },
      ]);
    },
  },
  {
    name: 'admit refuses a seat, and is called again when either side is touched',
    run(create) {
      const refused = new Set<EntityId>();
      const admit = (watcher: EntityId, marker: EntityId) => !refused.has(watcher) && !refused.has(marker);
      const world = create({ interests: { default: { admit, cap: 1 } } });
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const [near, far] = [world.add({ x: 1, y: 0 }), world.add({ x: 5, y: 0 })];
      refused.add(near);
      expectReport(world.tick(), [{ watcher, entered: [far] }]);
      refused.add(far);
      world.touch(far);
      expectReport(world.tick(), [{ watcher, left: [far] }]);
      refused.clear();
      world.touch(watcher);
      expectReport(world.tick(), [{ watcher, entered: [near] }]);
      refused.add(watcher);
      world.touch(watcher);
      expectReport(world.tick(), [{ watcher, left: [near] }]);
    },
  },
  {
    name: 'admit is not called for forced relations, and is called when the force ends',
    run(create) {
      const refused = new Set<EntityId>();
      const admit = (_: EntityId, marker: EntityId) => !refused.has(marker);
      const world = create({ interests: { default: { admit, showGroup: true } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, group: 1 });
      const [pinned, fellow] = [world.add({ x: 1, y: 0 }), world.add({ x: 2, y: 0, group: 1 })];
      world.tick();
      world.pin(watcher, pinned);
      world.tick();
      refused.add(pinned).add(fellow);
      world.touch(pinned);
      world.touch(fellow);
      expectReport(world.tick(), [{ watcher, updated: [pinned, fellow] }]);
      world.unpin(watcher, pinned);
      world.update(fellow, { group: 2 });
      expectReport(world.tick(), [{ watcher, left: [pinned, fellow] }]);
    },
  },
  {
    name: 'admit is called again for a marker that left perception and returned',
    run(create) {
      const refused = new Set<EntityId>();
      const admit = (_: EntityId, marker: EntityId) => !refused.has(marker);
      const world = create({ interests: { default: { admit } } });
      const [watcher, marker] = [world.add({ x: 0, y: 0, range: 10 }), world.add({ x: 1, y: 0 })];
      world.tick();
      world.move(marker, 20, 0);
      expectReport(world.tick(), [{ watcher, left: [marker] }]);
      refused.add(marker);
      world.move(marker, 1, 0);
      expectNothing(world.tick());
    },
  },
  {
    name: 'a mutual seat counts only if the other side has seated this one too; no other marker takes its place',
    run(create) {
      const world = create({ interests: { default: { mutual: true, cap: 1 }, plain: { cap: 1 } } });
      const one = world.add({ x: 0, y: 0, range: 10 });
      const two = world.add({ x: 4, y: 0, range: 10 });
      const three = world.add({ x: 7, y: 0, range: 10 });
      const four = world.add({ x: 7, y: 5, range: 10, interest: 'plain' });
      // One seats two, two seats three, three seats two; four seats three without mutual consent.
      expectReport(world.tick(), [
        { watcher: two, entered: [three] },
        { watcher: three, entered: [two] },
        { watcher: four, entered: [three] },
      ]);
      world.move(three, 100, 0);
      expectReport(world.tick(), [
        { watcher: one, entered: [two] },
        { watcher: two, entered: [one], left: [three] },
        { watcher: three, left: [two] },
        { watcher: four, entered: [two], left: [three] },
      ]);
    },
  },
  {
    name: 'markers that do not watch, watchers that are no markers and forced pairs need no consent',
    run(create) {
      const world = create({ interests: { default: { mutual: true, showGroup: true } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, group: 1 });
      const camera = world.add({ x: 0, y: 0, range: 10, marker: false });
      const stone = world.add({ x: 1, y: 0 });
      const shortSighted = world.add({ x: 9, y: 0, range: 1 });
      const fellow = world.add({ x: 5, y: 0, range: 1, group: 1, sees: 2 });
      const sun = world.add({ x: 500, y: 0, range: 1, always: true });
      world.pin(stone, shortSighted);
      world.tick();
      expectIds('of the watcher', world.visibleTo(watcher), [fellow, sun]);
      expectIds('of the camera', world.visibleTo(camera), [watcher, stone, shortSighted, fellow, sun]);
      expectIds('of a stone that pins', world.visibleTo(stone), [shortSighted, sun].slice(0, 1));
      world.unpin(stone, shortSighted);
      expectReport(world.tick(), [
        { watcher, entered: [stone] },
        { watcher: stone, left: [shortSighted] },
      ]);
      world.pin(shortSighted, watcher);
      expectReport(world.tick(), [
        { watcher, entered: [shortSighted] },
        { watcher: shortSighted, entered: [watcher] },
      ]);
    },
  },
  {
    name: 'a mutual watcher needs consent for as long as it is a marker, also if nobody moves',
    run(create) {
      const world = create({ interests: { default: { mutual: true } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const shortSighted = world.add({ x: 5, y: 0, range: 2 });
      expectReport(world.tick(), [{ watcher, entered: [shortSighted] }]);
      expectNothing(world.tick());
      world.update(watcher, { marker: true });
      expectReport(world.tick(), [{ watcher, left: [shortSighted] }]);
      expectNothing(world.tick());
      world.update(watcher, { marker: false });
      expectReport(world.tick(), [{ watcher, entered: [shortSighted] }]);
    },
  },
  {
    name: 'both sides of a mutual pair added in one tick are related in that tick, whatever rules the other has',
    run(create) {
      for (const interest of ['default', 'plain', 'margin', 'rates', 'capped']) {
        const world = create({
          interests: {
            default: { mutual: true },
            plain: {},
            margin: { leaveMargin: 1 },
            rates: { updateRates: [[1, 9]] },
            capped: { cap: 5 },
          },
        });
        const one = world.add({ x: 0, y: 0, range: 5 });
        const other = world.add({ x: 9, y: 0, range: 5, interest });
        expectNothing(world.tick());
        world.move(other, 5, 0);
        expectReport(world.tick(), [
          { watcher: one, entered: [other] },
          { watcher: other, entered: [one] },
        ]);
        world.update(other, { range: 4 });
        const isHeld = interest === 'margin';
        const lost = [
          { watcher: one, left: [other] },
          { watcher: other, left: [one] },
        ];
        expectReport(world.tick(), isHeld ? [] : lost);
      }
    },
  },
  {
    name: 'a seat without consent is a seat: it has its bonus and its age when the other side consents',
    run(create) {
      const world = create({ interests: { default: { mutual: true, cap: 1, incumbentBonus: 0.5 } } });
      const one = world.add({ x: 0, y: 0, range: 100 });
      const other = world.add({ x: 10, y: 0, range: 5 });
      expectNothing(world.tick());
      // A stone at 6 would beat a newcomer at 10, but does not beat an incumbent that has had the seat all along.
      world.add({ x: -6, y: 0 });
      expectNothing(world.tick());
      world.update(other, { range: 100 });
      expectReport(world.tick(), [
        { watcher: one, entered: [other] },
        { watcher: other, entered: [one] },
      ]);
    },
  },
];
