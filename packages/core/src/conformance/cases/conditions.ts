/**
 * Hand-written cases: conditions of a marker.
 *
 * A maxReach limits the distance; needs, only and onlyGroup limit which watchers meet it. Each case differs from the
 * next simpler rule by one pair or one tick.
 */
import { expectIds, expectNothing, expectReport, expectSame, type HandWrittenCase } from '../expectation.ts';

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
    name: 'maxReach: limits the result of gain and minReach',
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
    name: 'maxReach: a marker is perceived and lost at it, whichever of the two walks',
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
    name: 'maxReach: set, changed and removed while no entity moves',
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
    name: 'maxReach: 0 hides a marker even from a watcher at the same place',
    run(create) {
      const world = create();
      world.add({ x: 1, y: 1, range: 10 });
      world.add({ x: 1, y: 1, maxReach: 0 });
      world.add({ x: 1, y: 1, maxReach: 9e-7 });
      expectNothing(world.tick());
    },
  },
  {
    name: 'maxReach: by sense, and a number is for every sense',
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
    name: 'maxReach: in a world of many entities of which few have one',
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
    name: 'maxReach: with 0 no watcher perceives the marker, and only a margin holds it',
    run(create) {
      const world = create({ interests: { default: { leaveMargin: 2 }, strict: { cap: 10 } } });
      const kind = world.add({ x: 0, y: 0, range: 10, marker: false });
      const strict = world.add({ x: 0, y: 0, range: 10, marker: false, interest: 'strict' });
      const marker = world.add({ x: 0, y: 0 });
      for (let step = 0; step < 3; step++) world.tick();
      expectIds('before', world.watchersOf(marker), [kind, strict]);
      world.update(marker, { maxReach: 0 });
      expectReport(world.tick(), [{ watcher: strict, left: [marker] }]);
      world.move(marker, 3, 0);
      expectReport(world.tick(), [{ watcher: kind, left: [marker] }]);
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
  {
    name: 'needs: a watcher must see all of them, and one of the layers',
    run(create) {
      const world = create();
      const both = world.add({ x: 0, y: 0, range: 5, sees: 7 });
      const one = world.add({ x: 0, y: 0, range: 5, sees: 3 });
      world.add({ x: 0, y: 0, range: 5, sees: 6 });
      const thing = world.add({ x: 1, y: 0, needs: 6 });
      const open = world.add({ x: 1, y: 0, layers: 1, needs: 2 });
      world.tick();
      expectIds('who meets what needs two', world.watchersOf(thing), [both]);
      expectIds('who meets what needs one', world.watchersOf(open), [both, one]);
    },
  },
  {
    name: 'needs: changes on both sides apply while no entity moves',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5, sees: 1 });
      const thing = world.add({ x: 1, y: 0, needs: -0x80000000 });
      expectNothing(world.tick());
      world.update(watcher, { sees: 0x80000001 });
      expectReport(world.tick(), [{ watcher, entered: [thing] }]);
      world.update(thing, { needs: 2 });
      expectReport(world.tick(), [{ watcher, left: [thing] }]);
      world.update(thing, { needs: 0 });
      expectReport(world.tick(), [{ watcher, entered: [thing] }]);
    },
  },
  {
    name: 'only: a single watcher meets it, and another one when it changes',
    run(create) {
      const world = create();
      const owner = world.add({ x: 0, y: 0, range: 5, marker: false });
      const heir = world.add({ x: 0, y: 0, range: 5, marker: false });
      const loot = world.add({ x: 1, y: 0, only: owner });
      expectReport(world.tick(), [{ watcher: owner, entered: [loot] }]);
      world.update(loot, { only: heir });
      expectReport(world.tick(), [
        { watcher: owner, left: [loot] },
        { watcher: heir, entered: [loot] },
      ]);
      world.update(loot, { only: 0 });
      expectReport(world.tick(), [{ watcher: owner, entered: [loot] }]);
    },
  },
  {
    name: 'only: if the watcher was removed no watcher meets it, also when the slot is reused',
    run(create) {
      const world = create();
      const owner = world.add({ x: 0, y: 0, range: 5, marker: false });
      const other = world.add({ x: 0, y: 0, range: 5, marker: false });
      const loot = world.add({ x: 1, y: 0, only: owner });
      world.tick();
      world.remove(owner);
      expectReport(world.tick(), [], [owner]);
      // Slots are reused once 1,024 are free.
      for (let i = 0; i < 3; i++) {
        world.removeMany(
          world.addMany({ x: new Float32Array(1100), y: new Float32Array(1100), marker: false }),
        );
        world.tick();
      }
      world.addMany({ x: new Float32Array(1100), y: new Float32Array(1100), range: 5, marker: false });
      world.tick();
      expectIds('who meets it', world.watchersOf(loot), []);
      world.update(loot, { only: other });
      expectReport(world.tick(), [{ watcher: other, entered: [loot] }]);
      const late = world.add({ x: 2, y: 0, only: owner });
      world.tick();
      expectIds('who meets what came late', world.watchersOf(late), []);
    },
  },
  {
    name: 'only: moves into and out of the reach of its watcher',
    run(create) {
      const world = create();
      const owner = world.add({ x: 0, y: 0, range: 5, marker: false });
      world.add({ x: 0, y: 0, range: 5, marker: false });
      const pet = world.add({ x: 6, y: 0, only: owner });
      expectNothing(world.tick());
      world.move(pet, 5, 0);
      expectReport(world.tick(), [{ watcher: owner, entered: [pet] }]);
      world.move(pet, 6, 0);
      expectReport(world.tick(), [{ watcher: owner, left: [pet] }]);
    },
  },
  {
    name: 'onlyGroup: only watchers of its group, in one of the kinds that it names',
    run(create) {
      const world = create({ groups: ['party', 'raid'] });
      const spot = { x: 0, y: 0, range: 5, marker: false };
      const party = world.add({ ...spot, group: { party: 1 } });
      const raid = world.add({ ...spot, group: { raid: 1 } });
      world.add({ ...spot, group: { party: 2, raid: 2 } });
      world.add(spot);
      const either = world.add({ x: 1, y: 0, group: { party: 1, raid: 1 }, onlyGroup: true });
      const raids = world.add({ x: 1, y: 0, group: { party: 1, raid: 1 }, onlyGroup: ['raid'] });
      const lone = world.add({ x: 1, y: 0, onlyGroup: true });
      const open = world.add({ x: 1, y: 0, group: { party: 1 }, onlyGroup: [] });
      world.tick();
      expectIds('of any kind', world.watchersOf(either), [party, raid]);
      expectIds('of one kind', world.watchersOf(raids), [raid]);
      expectIds('of no group', world.watchersOf(lone), []);
      expectSame('of no kind', world.watchersOf(open).length, 4);
    },
  },
  {
    name: 'onlyGroup: joining or leaving the group, on either side, while no entity moves',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 5 });
      const mark = world.add({ x: 1, y: 0, group: 4, onlyGroup: true });
      expectNothing(world.tick());
      world.update(watcher, { group: 4 });
      expectReport(world.tick(), [{ watcher, entered: [mark] }]);
      world.update(mark, { group: 5 });
      expectReport(world.tick(), [{ watcher, left: [mark] }]);
      world.update(watcher, { group: 5 });
      expectReport(world.tick(), [{ watcher, entered: [mark] }]);
      world.update(watcher, { group: 0 });
      expectReport(world.tick(), [{ watcher, left: [mark] }]);
      world.update(mark, { onlyGroup: false });
      expectReport(world.tick(), [{ watcher, entered: [mark] }]);
    },
  },
  {
    name: 'needs, only and onlyGroup apply to groups and always, and not to pins',
    run(create) {
      const world = create({ interests: { default: { showGroup: true } } });
      const watcher = world.add({ x: 0, y: 0, range: 5, group: 1 });
      const stranger = world.add({ x: 900, y: 0 });
      const fellow = world.add({ x: 500, y: 0, group: 1, needs: 2 });
      const boss = world.add({ x: 500, y: 0, always: true, only: stranger });
      const pinned = world.add({ x: 500, y: 0, group: 2, onlyGroup: true });
      world.pin(watcher, pinned);
      expectReport(world.tick(), [{ watcher, entered: [pinned] }]);
      world.update(fellow, { needs: 1 });
      world.update(boss, { only: watcher });
      expectReport(world.tick(), [{ watcher, entered: [fellow, boss] }]);
      world.update(fellow, { needs: 2 });
      world.update(boss, { only: stranger });
      expectReport(world.tick(), [{ watcher, left: [fellow, boss] }]);
    },
  },
  {
    name: 'needs, only and onlyGroup: a marker that is not met takes no seat, and gives up its seat',
    run(create) {
      const world = create({ interests: { default: { cap: 2 } } });
      const watcher = world.add({ x: 0, y: 0, range: 50, group: 1, marker: false });
      const other = world.add({ x: 900, y: 0 });
      const conditions = [
        { needs: 2 },
        { only: other },
        { group: 2, onlyGroup: true },
        {},
        { only: watcher },
      ];
      const things = Array.from({ length: 25 }, (_, i) =>
        world.add({ x: i + 1, y: 0, ...conditions[i % 5] }),
      );
      expectReport(world.tick(), [{ watcher, entered: [things[3], things[4]] }]);
      world.update(things[3], { only: other });
      expectReport(world.tick(), [{ watcher, entered: [things[8]], left: [things[3]] }]);
      world.update(watcher, { group: 2 });
      expectReport(world.tick(), [{ watcher, entered: [things[2]], left: [things[8]] }]);
    },
  },
];
