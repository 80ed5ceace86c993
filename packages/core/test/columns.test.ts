/** What a sample of a list contains: a share of each kind, however the kinds follow each other in the list. */
import { expect, test } from 'vitest';
import { evenly, sampleAt } from '../src/columns.ts';
import { type EntityId, World } from '../src/index.ts';

test('a sample has some of each stretch of the list, in order', () => {
  for (const [length, most] of [
    [1000, 1024],
    [1024, 1024],
    [1025, 1024],
    [4096, 128],
    [1_000_000, 1024],
  ] as const) {
    const stride = Math.max(1, length / most);
    const places = Array.from({ length: Math.min(most, length) }, (_, i) => sampleAt(i, stride));
    for (const [i, place] of places.entries()) {
      expect(place).toBeGreaterThanOrEqual(Math.floor(i * stride));
      expect(place).toBeLessThan(Math.min(length, (i + 1) * stride));
    }
    expect(new Set(places).size).toBe(places.length);
  }
});

test('a sample has the share of each of some kinds that take turns', () => {
  for (const kinds of [2, 3, 4, 5, 8, 10, 16]) {
    for (const stride of [kinds, 2 * kinds, 25 * kinds]) {
      const list = Array.from({ length: 128 * stride }, (_, i) => i % kinds);
      const counts = new Array(kinds).fill(0);
      for (const kind of evenly(list, 128)) counts[kind]++;
      for (const count of counts) expect(Math.abs(count - 128 / kinds)).toBeLessThan(4);
    }
  }
});

test('a crowd of which every second one runs has one entry for each', () => {
  const world = new World();
  const count = 512;
  const x = Float32Array.from({ length: count }, (_, i) => 10 * (i % 32));
  const y = Float32Array.from({ length: count }, (_, i) => 10 * Math.floor(i / 32));
  const ids = world.addMany({ x, y, range: 50 });
  world.tick();
  for (let tick = 0; tick < 3; tick++) {
    for (let i = 0; i < count; i++) x[i] += i % 2 === 0 ? 0.25 : 10;
    world.moveMany(ids, x, y);
    world.tick();
  }
  expect(world.describe({ limit: 0 })).toContain('512 entries sorted anew each tick');
});

test('few who are left of many are sampled, though nearly all slots are empty', () => {
  const many = 20_000;
  const few = 200;
  const at = (i: number) => ({ x: 7 * (i % 20), y: 7 * Math.floor(i / 20) });
  const grids = (world: World, ids: readonly EntityId[]) => {
    for (let tick = 0; tick < 20; tick++) {
      for (const [i, id] of ids.entries()) world.move(id, at(i).x + tick / 10, at(i).y);
      world.tick();
    }
    return world
      .describe({ limit: 0 })
      .split('\n')
      .find((line) => line.includes('cells'));
  };
  const shrunken = new World();
  const all = shrunken.addMany({ x: new Float32Array(many), y: new Float32Array(many), range: 0 });
  const stay = [...all].filter((_, i) => i % (many / few) === 0);
  shrunken.removeMany(all.filter((_, i) => i % (many / few) !== 0));
  for (const id of stay) shrunken.update(id, { range: 20 });
  const young = new World();
  const ids = stay.map((_, i) => young.add({ ...at(i), range: 20 }));
  expect(grids(shrunken, stay)).toBe(grids(young, ids));
});
