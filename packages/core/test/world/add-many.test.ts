/** Adding many at once, held against adding one after the other: the stored worlds must be the same, byte for byte. */
import { describe, expect, test } from 'vitest';
import { type EntitiesInit, type EntityInit, World, type WorldOptions } from '../../src/index.ts';

const COUNT = 1500;
const x = Array.from({ length: COUNT }, (_, i) => (i % 7 === 0 ? -0 : (i * 37) % 101));
const y = Array.from({ length: COUNT }, (_, i) => (i * 53) % 97);
const z = Array.from({ length: COUNT }, (_, i) => i % 11);

/** Two worlds, one filled by `addMany`, the other by `add`. */
function filled(options: WorldOptions, init: Omit<EntitiesInit, 'x' | 'y' | 'z'>): [many: World, one: World] {
  const [many, one] = [new World(options), new World(options)];
  fill(many, one, init);
  return [many, one];
}

function fill(many: World, one: World, init: Omit<EntitiesInit, 'x' | 'y' | 'z'>): void {
  const ids = many.addMany({ ...init, x, y, z } as EntitiesInit);
  const single = x.map((at, i) =>
    one.add({ ...init, x: at, y: y[i] as number, z: z[i] as number } as EntityInit),
  );
  expect([...ids]).toEqual(single);
}

/** All that can be set; nobody sees anybody's layers, or there would be two million relations to tell of. */
const everything = {
  range: { sight: 9, hearing: 4 },
  gain: { sight: 0.5 },
  minReach: 3,
  layers: 6,
  sees: 8,
  channel: 3,
  group: 17,
  weight: 2,
  always: true,
  cap: 5,
  interest: 'steady',
} as const;

describe('addMany makes what add makes one by one', () => {
  test('with nothing but a place', () => {
    const [many, one] = filled({}, {});
    expect(many.snapshot()).toEqual(one.snapshot());
    expect(many.tick().hash()).toBe(one.tick().hash());
  });

  test('with everything that an entity can have, in 3-D', () => {
    const options: WorldOptions = {
      dimensions: 3,
      senses: ['sight', 'hearing'],
      interests: { steady: { leaveMargin: 2, cap: 4, showGroup: true } },
    };
    const [many, one] = filled(options, everything);
    expect(many.snapshot()).toEqual(one.snapshot());
    expect(many.tick().hash()).toBe(one.tick().hash());
    expect(many.snapshot()).toEqual(one.snapshot());
  });

  test('as pure watchers that want no updates', () => {
    const [many, one] = filled({}, { range: 5, marker: false, updates: false });
    expect(many.snapshot()).toEqual(one.snapshot());
  });

  test('on slots that others had, of whom nothing is left', () => {
    const options: WorldOptions = { senses: ['sight', 'hearing'], interests: { steady: { cap: 3 } } };
    const [many, one] = filled(options, everything);
    for (const world of [many, one]) {
      world.tick();
      world.removeMany(world.ids().subarray(20));
      for (let tick = 0; tick < 3; tick++) world.tick();
    }
    fill(many, one, { range: 6 });
    expect(many.snapshot()).toEqual(one.snapshot());
    expect(many.tick().hash()).toBe(one.tick().hash());
  });
});

test('a list of entities is told that addMany takes columns', () => {
  const world = new World();
  const entities = [{ x: 0, y: 0 }] as unknown as Parameters<World['addMany']>[0];
  expect(() => world.addMany(entities)).toThrow(
    'an array of 1 was given, expected one object with the columns x and y',
  );
  expect(world.size).toBe(0);
});
