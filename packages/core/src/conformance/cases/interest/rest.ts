/**
 * Hand-written cases: entities at rest (`watches: false`). They keep their properties, perceive nothing, are no
 * watchers and forget all.
 */
import type { EntityPatch } from '../../../index.ts';
import {
  expectIds,
  expectNothing,
  expectReport,
  expectSame,
  type HandWrittenCase,
} from '../../expectation.ts';

const REMEMBERS = { cap: 1, incumbentBonus: 0.5, memoryTicks: 10 };

export const restCases: readonly HandWrittenCase[] = [
  {
    name: 'a watcher put at rest gets all its markers as left, and is perceived as before',
    run(create) {
      const world = create();
      const [sleeper, other] = [world.add({ x: 0, y: 0, range: 5 }), world.add({ x: 1, y: 0, range: 5 })];
      world.tick();
      world.update(sleeper, { watches: false });
      expectReport(world.tick(), [{ watcher: sleeper, left: [other] }]);
      expectIds('watchersOf', world.watchersOf(other), []);
      expectIds('watchersOf', world.watchersOf(sleeper), [other]);
      world.move(sleeper, 2, 0);
      world.move(other, 3, 0);
      expectReport(world.tick(), [{ watcher: other, updated: [sleeper] }]);
    },
  },
  {
    name: 'a watcher that wakes gets its whole surroundings, by its current ranges',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'] });
      const sleeper = world.add({ x: 0, y: 0, range: { sight: 5, hearing: 1 }, watches: false });
      const [near, far] = [world.add({ x: 1, y: 0 }), world.add({ x: 9, y: 0 })];
      expectNothing(world.tick());
      world.update(sleeper, { range: { sight: 10 } });
      expectNothing(world.tick());
      world.update(sleeper, { watches: true });
      expectReport(world.tick(), [{ watcher: sleeper, entered: [near, far] }]);
      expectSame('senses', world.senses(sleeper, near), 3);
      expectSame('senses', world.senses(sleeper, far), 1);
    },
  },
  {
    name: 'at rest and awake again between two ticks changes nothing',
    run(create) {
      const world = create({ interests: { default: { leaveMargin: 5 } } });
      const sleeper = world.add({ x: 0, y: 0, range: 5 });
      const held = world.add({ x: 4, y: 0 });
      world.tick();
      world.move(held, 7, 0);
      expectReport(world.tick(), [{ watcher: sleeper, updated: [held] }]);
      world.update(sleeper, { watches: false });
      world.update(sleeper, { watches: true });
      expectNothing(world.tick());
      expectIds('visibleTo', world.visibleTo(sleeper), [held]);
    },
  },
  {
    name: 'pins and blocks of an entity at rest are kept, and hold again when it wakes',
    run(create) {
      const world = create();
      const sleeper = world.add({ x: 0, y: 0, range: 5 });
      const [pinned, blocked] = [world.add({ x: 100, y: 0 }), world.add({ x: 1, y: 0 })];
      world.pin(sleeper, pinned);
      world.block(sleeper, blocked);
      expectReport(world.tick(), [{ watcher: sleeper, entered: [pinned] }]);
      world.update(sleeper, { watches: false });
      expectReport(world.tick(), [{ watcher: sleeper, left: [pinned] }]);
      world.unpin(sleeper, pinned);
      world.pin(sleeper, pinned, 'quest');
      expectNothing(world.tick());
      world.update(sleeper, { watches: true });
      expectReport(world.tick(), [{ watcher: sleeper, entered: [pinned] }]);
    },
  },
  {
    name: 'a watcher that was at rest remembers nothing: seats are taken anew',
    run(create) {
      const world = create({ interests: { default: REMEMBERS } });
      const sleeper = world.add({ x: 0, y: 0, range: 100 });
      const seated = world.add({ x: 10, y: 0 });
      world.tick();
      const nearer = world.add({ x: 9, y: 0 });
      expectNothing(world.tick());
      world.update(sleeper, { watches: false });
      expectReport(world.tick(), [{ watcher: sleeper, left: [seated] }]);
      world.update(sleeper, { watches: true });
      expectReport(world.tick(), [{ watcher: sleeper, entered: [nearer] }]);
    },
  },
  {
    name: 'a watcher that was at rest or got no updates has forgotten the rate that a pin had before',
    run(create) {
      const pauses: readonly (readonly [EntityPatch, EntityPatch])[] = [
        [{ watches: false }, { watches: true }],
        [{ updates: false }, { updates: true }],
      ];
      for (const [pause, end] of pauses) {
        const world = create();
        const watcher = world.add({ x: 0, y: 0, range: 5 });
        const marker = world.add({ x: 9, y: 0 });
        world.pin(watcher, marker, '', { everyTicks: 3 });
        world.tick();
        world.pin(watcher, marker);
        world.tick();
        world.update(watcher, pause);
        world.tick();
        world.update(watcher, end);
        for (let tick = 4; tick <= 6; tick++) world.tick();
        world.pin(watcher, marker, '', { everyTicks: 3 });
        world.touch(marker);
        expectNothing(world.tick());
        // Its turn: 8 + its slot, 1, is divisible by 3.
        expectReport(world.tick(), [{ watcher, updated: [marker] }]);
      }
    },
  },
  {
    name: 'an entity at rest need not consent',
    run(create) {
      const world = create({ interests: { default: {}, duel: { mutual: true } } });
      const watcher = world.add({ x: 0, y: 0, range: 5, interest: 'duel' });
      const short = world.add({ x: 3, y: 0, range: 1 });
      world.pin(short, world.add({ x: 50, y: 0 }));
      world.tick();
      expectIds('visibleTo', world.visibleTo(watcher), []);
      world.update(short, { watches: false });
      world.tick();
      expectIds('visibleTo', world.visibleTo(watcher), [short]);
    },
  },
  {
    name: 'groups and always markers are not shown to a watcher at rest',
    run(create) {
      const world = create({ interests: { default: { showGroup: true } } });
      const sleeper = world.add({ x: 0, y: 0, range: 5, group: 1, watches: false });
      const [fellow, sun] = [
        world.add({ x: 100, y: 0, group: 1 }),
        world.add({ x: 200, y: 0, always: true }),
      ];
      expectNothing(world.tick());
      world.update(sleeper, { watches: true });
      expectReport(world.tick(), [{ watcher: sleeper, entered: [fellow, sun] }]);
    },
  },
  {
    name: 'the state hash differs for all given properties, but not for rest',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'], interests: { default: {}, other: {} } });
      expectSame('stateHash of nobody', world.stateHash(), '0'.repeat(16));
      const id = world.add({ x: 1, y: 2, range: 5, minReach: { hearing: 2 } });
      world.tick();
      const awake = world.stateHash();
      world.update(id, { watches: false });
      world.tick();
      expectSame('stateHash at rest', world.stateHash(), awake);
      const seen = new Set([awake]);
      const patches = [
        { range: 6 },
        { range: { hearing: 6 } },
        { gain: 2 },
        { minReach: 3 },
        { maxReach: 50 },
        { marker: false },
        { layers: 2 },
        { sees: 4 },
        { channel: 1 },
        { updates: false },
        { group: 7 },
        { weight: 3 },
        { always: true },
        { interest: 'other' },
        { cap: 3 },
      ];
      for (const patch of patches) {
        world.update(id, patch);
        const before = world.stateHash();
        expectSame('stateHash before the tick', seen.has(before), true);
        world.tick();
        expectSame(`stateHash is another by ${Object.keys(patch)}`, seen.has(world.stateHash()), false);
        seen.add(world.stateHash());
      }
      world.move(id, 2, 1);
      world.tick();
      expectSame('stateHash is another by a move', seen.has(world.stateHash()), false);
    },
  },
];
