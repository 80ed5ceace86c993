/** Ranges as they are now, sense by sense. */
import { expect, test } from 'vitest';
import { World } from '../../src/index.ts';

test('each sense has its own, 0 where there is none', () => {
  const world = new World({ senses: ['sight', 'hearing'] });
  const both = world.add({ x: 0, y: 0, range: { sight: 50, hearing: 20 } });
  const none = world.add({ x: 1, y: 0 });
  expect([...world.ranges(both)]).toEqual([50, 20]);
  expect([...world.ranges(none)]).toEqual([0, 0]);
});

test('a change counts at once', () => {
  const world = new World();
  const id = world.add({ x: 0, y: 0, range: 50 });
  world.tick();
  world.update(id, { range: 60 });
  expect([...world.ranges(id)]).toEqual([60]);
});

test('a watcher whose cap is reached keeps its own', () => {
  const world = new World({ interests: { default: { cap: 1 } } });
  const id = world.add({ x: 0, y: 0, range: 50 });
  world.addMany({
    x: Array.from({ length: 200 }, (_, i) => i / 10),
    y: Array.from({ length: 200 }, () => 1),
  });
  for (let i = 0; i < 3; i++) world.tick();
  expect([...world.ranges(id)]).toEqual([50]);
});

test('an array that is given is filled', () => {
  const world = new World({ senses: ['sight', 'hearing'] });
  const id = world.add({ x: 0, y: 0, range: { hearing: 20 } });
  const out = new Float32Array(3);
  expect([...world.ranges(id, out)]).toEqual([0, 20]);
  expect([...out]).toEqual([0, 20, 0]);
  expect(() => world.ranges(id, [] as unknown as Float32Array)).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION' }),
  );
});
