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
});
