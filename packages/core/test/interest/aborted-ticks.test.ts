/**
 * After a tick that failed because a user's function threw: queries, snapshots and the next ticks work as if
 * it had not run.
 */
import { describe, expect, test } from 'vitest';
import { type EntityId, World } from '../../src/index.ts';

/** A watcher whose margin holds a marker, and another one whose `admit` can be made to throw. */
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
  return { world, interests, watcher, marker, asked, fail };
}

describe('after a failed tick', () => {
  test('no entity is listed twice', () => {
    const { world, watcher, marker, fail } = heldWorld();
    fail();
    expect([...world.watchersOf(marker)]).toEqual([watcher]);
    expect([...world.visibleTo(watcher)]).toEqual([marker]);
  });

  test('a snapshot can be taken, and a restored world continues as the original does', () => {
    const { world, interests, marker, fail } = heldWorld();
    fail();
    const restored = World.restore(world.snapshot(), { interests });
    expect(restored.tick().hash()).toBe(world.tick().hash());
    for (const each of [world, restored]) each.move(marker, 16, 0);
    const changes = world.tick();
    expect(changes.leftCount).toBe(1);
    expect(restored.tick().hash()).toBe(changes.hash());
  });

  test('a second call of tick applies the changes of the failed one', () => {
    const { world, watcher, marker, fail } = heldWorld();
    fail();
    world.tick();
    world.validate();
    expect(world.explain(watcher, marker)).toMatchObject({ related: true, rule: 'margin' });
  });

  test('explanations refer to the last successful tick', () => {
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

  test('a restored snapshot continues as if the failed tick had not run', () => {
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
        // The next tick reports what `fail` touched.
        if (each === twin && x === 12) each.touch(each.ids()[3] as number);
        return each.tick().hash();
      });
      expect(new Set(hashes).size, `at ${x}`).toBe(1);
    }
    for (const each of [world, restored]) each.validate();
  });

  test('a crowded watcher that was hidden from the detector for the tick is shown to it again', () => {
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

  test('watchers that came before it and went after it leave nothing behind', () => {
    const { world, asked, fail } = heldWorld();
    const watcher = world.add({ x: 0, y: 500, range: 10, marker: false });
    const marker = world.add({ x: 90, y: 500 });
    world.tick();
    const many: EntityId[] = [];
    for (let i = 0; i < 2000; i++) many.push(world.add({ x: i, y: 1000, range: 5 }));
    fail();
    for (const id of many) world.remove(id);
    // Until the columns have shrunk, and ranges were read again.
    for (let tick = 0; tick < 260; tick++) {
      world.update(watcher, { range: 10 + (tick % 2) });
      world.touch(asked);
      world.tick();
    }
    world.move(marker, 5, 500);
    expect(world.tick().enteredCount).toBe(1);
    expect([...world.watchersOf(marker)]).toEqual([watcher]);
    expect([...world.watchersAt({ x: 5, y: 500 })]).toEqual([watcher]);
    world.validate();
  });
});

describe('a watcher that was to get updates from a failed tick on', () => {
  /** A watcher without updates of two markers; `fail` makes a tick fail in which it gets them. */
  function silentWorld() {
    const state = { throws: false };
    const admit = () => {
      if (state.throws) throw new Error('admit failed');
      return true;
    };
    const interests = { default: { admit } };
    const world = new World({ interests });
    const watcher = world.add({ x: 0, y: 0, range: 10, marker: false, updates: false });
    const markers = [world.add({ x: 1, y: 0 }), world.add({ x: 2, y: 0 })];
    world.tick();
    world.update(watcher, { updates: true });
    for (const marker of markers) world.touch(marker);
    state.throws = true;
    expect(() => world.tick()).toThrow('admit failed');
    state.throws = false;
    return { world, watcher, markers, interests };
  }

  test('gets none once it is removed', () => {
    const { world, watcher, interests } = silentWorld();
    const restored = World.restore(world.snapshot(), { interests });
    for (const each of [world, restored]) {
      each.remove(watcher);
      const { viewCount, updatedCount } = each.tick();
      expect({ viewCount, updatedCount }).toEqual({ viewCount: 0, updatedCount: 0 });
    }
  });

  test('gets none if it is silenced again', () => {
    const { world, watcher, markers, interests } = silentWorld();
    const restored = World.restore(world.snapshot(), { interests });
    for (const each of [world, restored]) {
      each.update(watcher, { updates: false });
      expect(each.tick().updatedCount).toBe(0);
      for (const marker of markers) each.touch(marker);
      expect(each.tick().updatedCount).toBe(0);
    }
  });

  test('gets them from the next tick on that succeeds', () => {
    const { world, watcher, markers } = silentWorld();
    const changes = world.tick();
    expect([changes.viewCount, [...(changes.of(watcher)?.updated ?? [])]]).toEqual([1, markers]);
  });
});
