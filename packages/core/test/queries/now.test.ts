/** Questions about this moment: what was written since the last tick counts, and a grid that nobody needs is not kept. */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type EntityId, type UmweltError, World } from '../../src/index.ts';

const NOW = { now: true } as const;
const circle = (x: number, y: number, radius: number) => ({ kind: 'circle', x, y, radius }) as const;

test('added, moved, changed and removed since the tick count now, and not as of the tick', () => {
  const world = new World();
  const [stays, walks, goes] = [0, 1, 2].map((x) => world.add({ x, y: 0 })) as [EntityId, EntityId, EntityId];
  world.tick();
  expect([...world.query(circle(0, 0, 5), NOW)]).toEqual([stays, walks, goes]);
  world.move(walks, 100, 0);
  world.remove(goes);
  const comes = world.add({ x: 3, y: 0, layers: 2 });
  world.update(stays, { layers: 4 });
  expect([...world.query(circle(0, 0, 5), NOW)]).toEqual([stays, comes].sort((a, b) => a - b));
  expect([...world.query(circle(0, 0, 5))]).toEqual([stays, walks]);
  expect([...world.query(circle(0, 0, 5), { now: true, layers: 4 })]).toEqual([stays]);
  expect([...world.query(circle(0, 0, 5), { layers: 4 })]).toEqual([]);
  expect([...world.nearest(100, 1, 2, NOW)]).toEqual([walks, comes]);
  expect([...world.nearest(0, 0, 9, { now: true, maxDistance: 3 })]).toEqual([stays, comes]);
  world.tick();
  expect([...world.query(circle(0, 0, 5), NOW)]).toEqual([...world.query(circle(0, 0, 5))]);
});

test('it answers before the first tick, in a filter and in a listener', () => {
  const world = new World();
  const here = world.add({ x: 0, y: 0, range: 5 });
  const other = world.add({ x: 1, y: 0 });
  expect([...world.query(circle(0, 0, 2), NOW)]).toEqual([here, other]);
  const kept = world.query(circle(0, 0, 2), {
    now: true,
    filter: (id) => world.query(circle(1, 0, 0.5), NOW)[0] === id,
  });
  expect([...kept]).toEqual([other]);
  let heard: number[] = [];
  world.on('enter', (_, marker) => {
    world.move(marker, 50, 0);
    heard = [...world.query(circle(50, 0, 1), NOW)];
  });
  world.tick();
  expect(heard).toEqual([other]);
});

test('many moves at once, by columns and by indices, are seen', () => {
  for (const count of [10, 500]) {
    const world = new World();
    const column = Float32Array.from({ length: count }, (_, i) => i * 3);
    const ids = world.addMany({ x: column, y: column });
    expect(world.query(circle(0, 0, 1), NOW).length).toBe(1);
    const away = column.map((x) => x + 10_000);
    world.moveMany(ids, away, column);
    expect(world.query(circle(0, 0, 1), NOW).length).toBe(0);
    expect([...world.query(circle(10_003, 3, 1), NOW)]).toEqual([ids[1]]);
    world.moveMany(ids, column, column, undefined, Uint32Array.of(1, 4));
    expect([...world.query(circle(3, 3, 1), NOW)]).toEqual([ids[1]]);
    expect([...world.query(circle(12, 12, 1), NOW)]).toEqual([ids[4]]);
    world.validate();
  }
});

test('entities and questions at the end of the world, and of no extent, are found', () => {
  const world = new World({ dimensions: 3 });
  const end = Math.fround(1e12);
  const far = world.add({ x: end, y: -end, z: end });
  const near = world.add({ x: 1e-20, y: 0, z: 0 });
  const sphere = (x: number, y: number, z: number, radius: number) =>
    ({ kind: 'sphere', x, y, z, radius }) as const;
  expect([...world.query(sphere(0, 0, 0, 0), NOW)]).toEqual([]);
  expect([...world.query(sphere(0, 0, 0, 1e-10), NOW)]).toEqual([near]);
  expect([...world.query(sphere(end, -end, end, 0), NOW)]).toEqual([far]);
  expect([...world.query(sphere(0, 0, 0, 1e12), NOW)]).toEqual([near]);
  expect([...world.nearest(end, -end, 3, { now: true, z: end })]).toEqual([far, near]);
  expect([...world.nearest(0, 0, 1, { now: true, z: 5 })]).toEqual([near]);
});

test('mistakes are those of any question', () => {
  const world = new World();
  const code = (call: () => void) => {
    try {
      call();
    } catch (error) {
      return (error as UmweltError).code;
    }
    return undefined;
  };
  expect(code(() => world.query(circle(0, 0, -1), NOW))).toBe('BAD_SHAPE');
  expect(code(() => world.query({ ...circle(0, 0, 1), z: 1 } as never, NOW))).toBe('BAD_SHAPE');
  expect(code(() => world.query({ kind: 'sphere', x: 0, y: 0, z: 0, radius: 1 }, NOW))).toBe('BAD_SHAPE');
  expect(code(() => world.query(circle(0, 0, 1), { now: 1 } as never))).toBe('BAD_OPTION');
  expect(code(() => world.query(circle(0, 0, 1), { now: true, out: [] } as never))).toBe('BAD_OPTION');
  expect(code(() => world.query(circle(0, 0, 1), { now: true, wider: 1 } as never))).toBe('BAD_OPTION');
  expect(code(() => world.nearest(Number.NaN, 0, 1, NOW))).toBe('BAD_POSITION');
  expect(code(() => world.nearest(0, 0, -1, NOW))).toBe('BAD_OPTION');
  expect(code(() => world.nearest(0, 0, 1, { now: true, maxDistance: -1 }))).toBe('BAD_RANGE');
  expect(code(() => world.targets(world.add({ x: 0, y: 0 }), circle(0, 0, 1), NOW))).toBe('BAD_OPTION');
});

describe('the grid behind it', () => {
  test('is not made before a question, and given up some ticks after the last', () => {
    const world = new World();
    world.addMany({ x: new Float32Array(5000), y: new Float32Array(5000) });
    world.tick();
    const without = world.stats().memoryBytes;
    world.query(circle(0, 0, 1), NOW);
    expect(world.stats().memoryBytes).toBeGreaterThan(without + 5000 * 13);
    for (let tick = 0; tick < 70; tick++) world.tick();
    expect(world.stats().memoryBytes).toBeLessThan(without + 5000);
    expect(world.query(circle(0, 0, 1), NOW).length).toBe(5000);
  });

  test.each([2, 3] as const)(
    'in %i-D stays right while cells and crowds change by orders of magnitude',
    (dimensions) => {
      const random = new Random(dimensions);
      const world = new World({ dimensions });
      let present: EntityId[] = [];
      const place = (side: number) => ({
        x: random.between(-side, side),
        y: random.between(-side, side),
        z: random.between(-side, side),
      });
      for (const [count, side, radius] of [
        [30, 100, 10],
        [900, 100, 3],
        [900, 1e5, 4000],
        [40, 1e5, 1e4],
        [300, 0.5, 0.01],
      ] as const) {
        while (present.length > count) world.remove(present.pop() as EntityId);
        while (present.length < count) present.push(world.add(place(side)));
        for (const id of present) {
          const { x, y, z } = place(side);
          world.move(id, x, y, z);
        }
        for (let question = 0; question < 1100; question++) {
          const { x, y, z } = place(side);
          const kind =
            dimensions === 2 ? circle(x, y, radius) : ({ kind: 'sphere', x, y, z, radius } as const);
          const got = world.query(kind, NOW);
          if (question % 50 !== 0) continue;
          const squared = (id: EntityId) => {
            const [px = 0, py = 0, pz = z] = world.position(id);
            return (px - x) ** 2 + (py - y) ** 2 + (pz - z) ** 2;
          };
          const inside = present.filter((id) => squared(id) <= radius * radius).sort((a, b) => a - b);
          expect([...got]).toEqual(inside);
          const nearest = [...present].sort((a, b) => squared(a) - squared(b) || a - b).slice(0, 3);
          expect([...world.nearest(x, y, 3, { now: true, z })]).toEqual(nearest);
          const maxDistance = radius * random.pick([0.5, 2, 8]);
          const near = nearest.filter((id) => squared(id) <= maxDistance ** 2);
          expect([...world.nearest(x, y, 3, { now: true, z, maxDistance })]).toEqual(near);
          if (question % 250 === 0) world.tick();
          world.validate();
        }
        present = [...present];
      }
    },
  );
});

test('the nearest are the same few or many, whatever was asked before, ties by id', () => {
  const random = new Random(8);
  for (const dimensions of [2, 3] as const) {
    const world = new World({ dimensions });
    const places = Array.from(
      { length: 120 },
      () => [random.below(12), random.below(12), random.below(4)] as const,
    );
    const ids = places.map(([x, y, z]) => world.add({ x, y, z: dimensions === 3 ? z : 0 }));
    for (let question = 0; question < 400; question++) {
      const [x, y, z] = [random.below(14) - 1, random.below(14) - 1, dimensions === 3 ? random.below(4) : 0];
      const [k, maxDistance] = [
        random.pick([1, 3, 8, 20]),
        random.pick([0, 1, 2, 5, Number.POSITIVE_INFINITY]),
      ];
      const found = world.nearest(x, y, k, { z, maxDistance, now: true });
      const all = ids.map((id, i) => {
        const [ax, ay, az] = places[i] as (typeof places)[number];
        return { id, square: (ax - x) ** 2 + (ay - y) ** 2 + (dimensions === 3 ? (az - z) ** 2 : 0) };
      });
      const near = all.filter(({ square }) => square <= maxDistance * maxDistance);
      near.sort((a, b) => a.square - b.square || a.id - b.id);
      expect([...found], `question ${question}`).toEqual(near.slice(0, k).map(({ id }) => id));
    }
  }
});

test.each([20, 1_000, 32_768, 32_800])(
  'of %i entities, those within are told by ascending id',
  (entities) => {
    const random = new Random(entities);
    const world = new World();
    const axis = () => Float32Array.from({ length: entities }, () => random.between(0, 1000));
    const ids = world.addMany({ x: axis(), y: axis() });
    // Some slots are used again.
    for (let k = 0; k < 5; k++) world.remove(ids[k * 3] as EntityId);
    world.tick();
    for (let k = 0; k < 3; k++) world.add({ x: 500, y: 500 });
    world.tick();
    for (const radius of [0.5, 5, 50, 400, 2000]) {
      const at = circle(random.between(0, 1000), random.between(0, 1000), radius);
      expect([...world.query(at, NOW)]).toEqual([...world.query(at)]);
    }
    expect(world.query(circle(500, 500, 2000), NOW).length).toBe(entities - 2);
  },
);
