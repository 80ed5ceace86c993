/**
 * Objects with getters, as classes have them: a getter may call the world while a call reads the object.
 */
import { describe, expect, test } from 'vitest';
import { type EntityPatch, World } from '../../src/index.ts';

describe('an object whose getters call the world', () => {
  test('has its own properties, and so has an entity that one of them adds', () => {
    const world = new World();
    let owner = 0;
    const loot = world.add({
      x: 1,
      y: 0,
      range: 7,
      layers: 2,
      get only() {
        owner ||= world.add({ x: 0, y: 0, range: 5, sees: 2 });
        return owner;
      },
    });
    expect([...world.ranges(loot), ...world.ranges(owner)]).toEqual([7, 5]);
    world.tick();
    expect([...world.visibleTo(owner)]).toEqual([loot]);
  });

  test('is a STALE_ID when it is a patch of an entity that one of them removes', () => {
    const world = new World();
    const id = world.add({ x: 0, y: 0 });
    const patch: EntityPatch = {
      get range() {
        world.remove(id);
        return 3;
      },
    };
    expect(() => world.update(id, patch)).toThrow(expect.objectContaining({ code: 'STALE_ID' }));
    world.tick();
    world.validate();
    expect(World.restore(world.snapshot()).size).toBe(0);
  });

  test.each([0, 1])(
    'is a STALE_ID when it is the offset of an entity that one of them removes: %i',
    (index) => {
      const world = new World();
      const pair = [world.add({ x: 0, y: 0 }), world.add({ x: 0, y: 0 })] as const;
      const offset = {
        get x() {
          world.remove(pair[index]!);
          return 1;
        },
      };
      expect(() => world.attach(...pair, offset)).toThrow(expect.objectContaining({ code: 'STALE_ID' }));
      world.tick();
      expect(World.restore(world.snapshot()).size).toBe(1);
    },
  );

  test('is checked against what one of them changed', () => {
    const world = new World();
    const id = world.add({ x: 0, y: 0 });
    const patch: EntityPatch = {
      maxReach: 9,
      get layers() {
        world.update(id, { minReach: 50 });
        return 2;
      },
    };
    expect(() => world.update(id, patch)).toThrow(expect.objectContaining({ code: 'BAD_RANGE' }));
    expect(World.restore(world.snapshot()).size).toBe(1);
  });

  test('is read once for its position', () => {
    const world = new World();
    let reads = 0;
    const id = world.add({
      get x() {
        reads++;
        return reads === 1 ? 5 : Number.NaN;
      },
      y: 0,
    });
    expect([...world.position(id)]).toEqual([5, 0]);
  });
});
