/**
 * After a tick that did not stand, because a user's function threw, the world answers, is stored and goes on as before.
 */
import { describe, expect, test } from 'vitest';
import { World } from '../../src/index.ts';

/** A watcher whose margin holds a marker, and another whose `admit` throws when it is told to. */
function heldWorld() {
  const state = { throws: false };
  const interests = {
    held: { leaveMargin: 5 },
    asking: {
      admit: () => {
        if (state.throws) throw new Error('admit failed');
        return true;
      },
    },
  };
  const world = new World({ interests });
  const watcher = world.add({ x: 0, y: 0, range: 10, marker: false, interest: 'held' });
  const marker = world.add({ x: 9, y: 0 });
  world.add({ x: 100, y: 0, range: 10, marker: false, interest: 'asking' });
  const asked = world.add({ x: 101, y: 0 });
  world.tick();
  world.move(marker, 12, 0);
  world.tick();
  const fail = () => {
    world.update(watcher, { cap: 3 });
    world.touch(asked);
    state.throws = true;
    expect(() => world.tick()).toThrow('admit failed');
    state.throws = false;
  };
  return { world, interests, watcher, marker, fail };
}

describe('after a tick that did not stand', () => {
  test('nobody is named twice', () => {
    const { world, watcher, marker, fail } = heldWorld();
    fail();
    expect([...world.watchersOf(marker)]).toEqual([watcher]);
    expect([...world.visibleTo(watcher)]).toEqual([marker]);
  });

  test('the world can be stored, and goes on from there as it does here', () => {
    const { world, interests, marker, fail } = heldWorld();
    fail();
    const restored = World.restore(world.snapshot(), { interests });
    expect(restored.tick().hash()).toBe(world.tick().hash());
    for (const each of [world, restored]) each.move(marker, 16, 0);
    const changes = world.tick();
    expect(changes.leftCount).toBe(1);
    expect(restored.tick().hash()).toBe(changes.hash());
  });

  test('the tick that was meant comes about when it is asked for again', () => {
    const { world, watcher, marker, fail } = heldWorld();
    fail();
    world.tick();
    world.validate();
    expect(world.explain(watcher, marker)).toMatchObject({ related: true, rule: 'margin' });
  });

  test('explanations are of the last tick that stood', () => {
    const { world, interests, watcher, marker, fail } = heldWorld();
    const other = world.add({ x: 500, y: 0 });
    world.tick();
    const pairs = () => [marker, other].map((each) => world.explain(watcher, each));
    const before = pairs();
    world.setInterest('held', { leaveMargin: 1 });
    world.pin(watcher, other, 'quest');
    world.block(watcher, marker);
    fail();
    expect(pairs()).toEqual(before);
    const restored = World.restore(world.snapshot(), { interests: { asking: interests.asking } });
    expect([marker, other].map((each) => restored.explain(watcher, each))).toEqual(before);
    world.tick();
    expect(pairs()).toMatchObject([
      { rule: 'block', margin: 1 },
      { rule: 'pin', reasons: ['quest'] },
    ]);
  });

  test('a snapshot goes on as if there had been no such tick', () => {
    const { world, interests, watcher, marker, fail } = heldWorld();
    const twin = World.restore(world.snapshot(), { interests });
    world.update(watcher, { interest: 'asking' });
    world.pin(watcher, marker);
    fail();
    const restored = World.restore(world.snapshot(), { interests });
    for (const each of [world, restored]) {
      each.update(watcher, { interest: 'held', cap: Number.POSITIVE_INFINITY });
      each.unpin(watcher, marker);
    }
    for (let x = 12; x < 18; x++) {
      const hashes = [world, restored, twin].map((each) => {
        each.move(marker, x, 0);
        // What `fail` touched is told by the next tick.
        if (each === twin && x === 12) each.touch(each.ids()[3] as number);
        return each.tick().hash();
      });
      expect(new Set(hashes).size, `at ${x}`).toBe(1);
    }
    for (const each of [world, restored]) each.validate();
  });

  test('who was hidden for it, being in a crowd, is shown again', () => {
    const { world, interests, fail } = heldWorld();
    const crowd = world.addMany({ x: new Float32Array(50), y: new Float32Array(50).fill(500), range: 5 });
    world.tick();
    for (const id of crowd) world.update(id, { cap: 2 });
    fail();
    const stored = world.snapshot();
    for (const id of crowd) world.update(id, { cap: Number.POSITIVE_INFINITY });
    expect(world.tick().leftCount).toBe(0);
    expect(world.stats().changedCount).toBe(0);
    expect(World.restore(stored, { interests }).tick().leftCount).toBe(50 * 47);
    world.validate();
  });
});
