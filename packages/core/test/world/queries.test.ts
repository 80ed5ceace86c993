/**
 * Queries: what is inside which shape, what the options leave out, in which order and how many.
 */
import { describe, expect, test } from 'vitest';
import { detectorNames, type Shape, World } from '../../src/index.ts';

const circle = (x: number, y: number, radius: number): Shape => ({ kind: 'circle', x, y, radius });

/** A grid of 11 x 11 entities from (-5, -5) to (5, 5), a tick old, and who stands where. */
function gridWorld(detector: (typeof detectorNames)[number] = 'sweep') {
  const world = new World({ detector });
  const at = new Map<string, number>();
  for (let y = -5; y <= 5; y++) for (let x = -5; x <= 5; x++) at.set(`${x},${y}`, world.add({ x, y }));
  world.tick();
  const idsWhere = (inside: (x: number, y: number) => boolean): number[] =>
    [...at]
      .filter(([place]) => inside(...(place.split(',').map(Number) as [number, number])))
      .map(([, id]) => id);
  return { world, idAt: (x: number, y: number) => at.get(`${x},${y}`) as number, idsWhere };
}

describe.each(detectorNames)('with %s', (detector) => {
  test('each flat shape finds all inside it, edges included, ascending', () => {
    const { world, idsWhere } = gridWorld(detector);
    const shapes: [Shape, (x: number, y: number) => boolean][] = [
      [circle(0, 0, 5), (x, y) => x * x + y * y <= 25],
      [circle(2, -1, 0), (x, y) => x === 2 && y === -1],
      [
        { kind: 'box', x: 1, y: 0, halfWidth: 2, halfHeight: 1 },
        (x, y) => Math.abs(x - 1) <= 2 && Math.abs(y) <= 1,
      ],
      [
        { kind: 'box', x: 0, y: 0, halfWidth: 2 * Math.SQRT2, halfHeight: Math.SQRT2, angle: Math.PI / 4 },
        (x, y) => Math.abs(x + y) <= 4 && Math.abs(y - x) <= 2,
      ],
      [
        { kind: 'sector', x: -5, y: 0, radius: 5, direction: 0, width: Math.PI / 2 },
        (x, y) => (x + 5) ** 2 + y * y <= 25 && Math.abs(y) <= x + 5,
      ],
      [
        { kind: 'capsule', x1: -3, y1: 2, x2: 3, y2: 2, radius: 1 },
        (x, y) => (Math.abs(x) <= 3 && Math.abs(y - 2) <= 1) || (Math.abs(x) === 4 && y === 2),
      ],
      [{ kind: 'capsule', x1: -5, y1: -5, x2: 5, y2: 5, radius: 0 }, (x, y) => x === y],
    ];
    for (const [shape, inside] of shapes) {
      expect([...world.query(shape)], JSON.stringify(shape)).toEqual(idsWhere(inside));
    }
  });

  test('a filter may tick the world, and the answer is as of the tick before', () => {
    const { world, idsWhere } = gridWorld(detector);
    const far = idsWhere((x, y) => x * x + y * y > 25);
    const filter = (id: number) => {
      world.move(id, 500, 500);
      world.remove(far.pop() as number);
      world.addMany({ x: new Float32Array(300), y: new Float32Array(300) });
      world.tick();
      return true;
    };
    const near = idsWhere((x, y) => x * x + y * y <= 4);
    expect([...world.query(circle(0, 0, 2), { filter })]).toEqual(near);
    world.validate();
  });

  test.each([false, true])(
    'whom a filter removes is asked about no more, nor answered; it ticks: %s',
    (isTicking) => {
      const line: Shape = { kind: 'box', x: 0, y: 0, halfWidth: 5, halfHeight: 0 };
      const asked: number[] = [];
      const removing = ({ world }: { world: World }, victims: (id: number) => number[]) => {
        asked.length = 0;
        return (id: number) => {
          for (const victim of victims(id)) if (world.has(victim)) world.remove(victim);
          if (isTicking) world.tick();
          return asked.push(id) > 0;
        };
      };
      // Ids ascend eastward: the next one of the line, or the one that was asked about before.
      const first = gridWorld(detector);
      const everyOther = first.idsWhere((x, y) => y === 0 && x % 2 !== 0);
      const next = removing(first, (id) => [id + 1024]);
      expect([...first.world.query(line, { filter: next })]).toEqual(everyOther);
      expect(asked).toEqual(everyOther);
      const second = gridWorld(detector);
      const before = removing(second, () => asked.slice(-1));
      expect([...second.world.query(line, { filter: before })]).toEqual([second.idAt(5, 0)]);
      expect(asked).toEqual(second.idsWhere((_, y) => y === 0));
      // The nearest looks farther for those who are missing then.
      const third = gridWorld(detector);
      const column = third.idsWhere((x) => x === 0);
      const others = removing(third, () => third.idsWhere((x) => x !== 0));
      expect([...third.world.nearest(0, 0, 3, { filter: others })]).toEqual([
        third.idAt(0, 0),
        third.idAt(0, -1),
        third.idAt(0, 1),
      ]);
      expect(column).toEqual(expect.arrayContaining(asked));
      const fourth = gridWorld(detector);
      const earlier = removing(fourth, () => asked.slice(-1));
      expect([...fourth.world.nearest(0, 0, 2, { filter: earlier })]).toEqual([fourth.idAt(5, 5)]);
      expect(asked.length).toBe(121);
      for (const { world } of [first, second, third, fourth]) world.validate();
    },
  );

  test('each solid shape finds all inside it, edges included', () => {
    const world = new World({ dimensions: 3, detector });
    const places = Array.from({ length: 343 }, (_, i) => [
      (i % 7) - 3,
      (Math.floor(i / 7) % 7) - 3,
      Math.floor(i / 49) - 3,
    ]);
    const ids = world.addMany({
      x: places.map(([x]) => x),
      y: places.map(([, y]) => y),
      z: places.map(([, , z]) => z),
    });
    world.tick();
    const where = (inside: (x: number, y: number, z: number) => boolean) =>
      [...ids].filter((_, i) => inside(...(places[i] as [number, number, number])));
    const shapes: [Shape, (x: number, y: number, z: number) => boolean][] = [
      [{ kind: 'sphere', x: 0, y: 0, z: 0, radius: 3 }, (x, y, z) => x * x + y * y + z * z <= 9],
      [
        { kind: 'box', x: 0, y: 1, z: 0, halfWidth: 1, halfHeight: 2, halfDepth: 0 },
        (x, y, z) => Math.abs(x) <= 1 && Math.abs(y - 1) <= 2 && z === 0,
      ],
      [
        { kind: 'cone', x: 0, y: 0, z: -3, dx: 0, dy: 0, dz: 2, radius: 4, width: Math.PI / 2 },
        (x, y, z) => x * x + y * y + (z + 3) ** 2 <= 16 && Math.hypot(x, y) <= z + 3,
      ],
      [
        { kind: 'capsule', x1: 0, y1: 0, z1: -2, x2: 0, y2: 0, z2: 2, radius: 1 },
        (x, y, z) => x * x + y * y + Math.max(0, Math.abs(z) - 2) ** 2 <= 1,
      ],
    ];
    for (const [shape, inside] of shapes) {
      expect([...world.query(shape)], shape.kind).toEqual(where(inside));
    }
  });
});

describe('options', () => {
  /** Six on a line at x = 0 to 5, each of another sort. */
  function mixedWorld() {
    const world = new World();
    const plain = world.add({ x: 0, y: 0 });
    const ghost = world.add({ x: 1, y: 0, marker: false, range: 1 });
    const red = world.add({ x: 2, y: 0, layers: 2 });
    const none = world.add({ x: 3, y: 0, layers: 0 });
    const first = world.add({ x: 4, y: 0, channel: 1 });
    const second = world.add({ x: 5, y: 0, channel: 2 });
    world.tick();
    return { world, plain, ghost, red, none, first, second, all: [plain, ghost, red, none, first, second] };
  }
  const around = circle(0, 0, 10);

  test('without options everybody inside is found', () => {
    const { world, all } = mixedWorld();
    expect([...world.query(around)]).toEqual(all);
    expect([...world.query(around, {})]).toEqual(all);
    expect([...world.query(around, { markersOnly: false, channel: 0 })]).toEqual(all);
  });

  test('layers keep those that have one of them, channel those of it and of 0, markersOnly the markers', () => {
    const { world, plain, ghost, red, none, first, all } = mixedWorld();
    expect([...world.query(around, { layers: 2 })]).toEqual([red]);
    expect([...world.query(around, { layers: -1 })]).toEqual(all.filter((id) => id !== none));
    expect([...world.query(around, { layers: 0 })]).toEqual([]);
    expect([...world.query(around, { channel: 1 })]).toEqual([plain, ghost, red, none, first]);
    expect([...world.query(around, { channel: 9 })]).toEqual([plain, ghost, red, none]);
    expect([...world.query(around, { markersOnly: true })]).toEqual(all.filter((id) => id !== ghost));
    expect([...world.nearest(0, 0, 9, { layers: 3, channel: 1, markersOnly: true })]).toEqual([
      plain,
      red,
      first,
    ]);
  });

  test('layers, channel and the rest are those of the last tick', () => {
    const { world, plain, red } = mixedWorld();
    world.update(plain, { layers: 2, channel: 5, marker: false });
    expect([...world.query(around, { layers: 2 })]).toEqual([red]);
    expect([...world.query(circle(0, 0, 0), { channel: 1, markersOnly: true })]).toEqual([plain]);
    world.tick();
    expect([...world.query(around, { layers: 2 })]).toEqual([plain, red]);
    expect([...world.query(circle(0, 0, 0), { markersOnly: true })]).toEqual([]);
  });

  test('filter is asked once for each that passed the rest, and decides', () => {
    const { world, plain, red, all } = mixedWorld();
    const asked: number[] = [];
    const filter = (id: number) => {
      asked.push(id);
      return id !== red;
    };
    expect([...world.query(circle(0, 0, 2), { filter, markersOnly: true })]).toEqual([plain]);
    expect(asked.sort((one, other) => one - other)).toEqual([plain, red]);
    expect([...world.nearest(0, 0, 2, { filter: (id) => id > red })]).toEqual(all.slice(3, 5));
  });

  test('limit takes the first in the order asked for', () => {
    const { world, idAt, idsWhere } = gridWorld();
    const shape = circle(4, 4, 20);
    expect([...world.query(shape, { limit: 3 })]).toEqual([idAt(-5, -5), idAt(-4, -5), idAt(-3, -5)]);
    expect([...world.query(shape, { order: 'nearest', limit: 4 })]).toEqual(
      [idAt(4, 4), idAt(4, 3), idAt(3, 4), idAt(5, 4)].sort((one, other) =>
        one === idAt(4, 4) ? -1 : other === idAt(4, 4) ? 1 : one - other,
      ),
    );
    expect([...world.query(shape, { limit: 0 })]).toEqual([]);
    expect(world.query(shape, { limit: 1000 }).length).toBe(idsWhere(() => true).length);
  });

  test('nearest finds the same, however dense the place of the query before was', () => {
    const { world, idAt } = gridWorld();
    for (let i = 0; i < 200; i++) world.add({ x: 900, y: 900, range: i === 0 ? 5000 : 0 });
    const far = world.add({ x: -80_000, y: 0 });
    world.tick();
    for (let turn = 0; turn < 9; turn++) {
      expect(world.nearest(900, 900, 3)).toHaveLength(3);
      expect([...world.nearest(0.1, 0, 2)]).toEqual([idAt(0, 0), idAt(1, 0)]);
      expect([...world.nearest(-80_000, 0, 1, { maxDistance: 0 })]).toEqual([far]);
      expect([...world.nearest(-50_000, 0, 1)]).toEqual([far]);
      expect([...world.nearest(-50_000, 0, 1, { maxDistance: 9 })]).toEqual([]);
      expect(world.nearest(0, 0, 999)).toHaveLength(world.size);
    }
  });

  test("order 'nearest' measures to a centre, an apex, or a capsule's first end, ties by id", () => {
    const { world, idAt } = gridWorld();
    const order = 'nearest' as const;
    const line: Shape = { kind: 'capsule', x1: 3, y1: 0, x2: -1, y2: 0, radius: 0 };
    expect([...world.query(line, { order })]).toEqual([3, 2, 1, 0, -1].map((x) => idAt(x, 0)));
    const fan: Shape = {
      kind: 'sector',
      x: -5,
      y: -5,
      radius: 2,
      direction: Math.PI / 4,
      width: Math.PI / 2,
    };
    expect([...world.query(fan, { order })].slice(0, 3)).toEqual([idAt(-5, -5), idAt(-4, -5), idAt(-5, -4)]);
    const box: Shape = { kind: 'box', x: 0, y: 0, halfWidth: 1, halfHeight: 0 };
    expect([...world.query(box, { order })]).toEqual([idAt(0, 0), idAt(-1, 0), idAt(1, 0)]);
  });

  test('out is filled when it is large enough, and the Into forms answer the whole count', () => {
    const { world, all } = mixedWorld();
    const out = new Uint32Array(8).fill(7);
    const found = world.query(around, { out });
    expect(found.buffer).toBe(out.buffer);
    expect([...out]).toEqual([...all, 7, 7]);
    const tight = new Uint32Array(2);
    expect([...world.query(around, { out: tight })]).toEqual(all);
    expect(world.queryInto(around, undefined, tight)).toBe(6);
    expect([...tight]).toEqual(all.slice(0, 2));
    expect(world.nearestInto(5, 0, 3, undefined, tight)).toBe(3);
    expect([...tight]).toEqual([all[5], all[4]]);
    expect([...world.nearest(5, 0, 2, { out })]).toEqual([all[5], all[4]]);
  });
});

describe('nearest', () => {
  test('gives the k nearest, nearest first, ties by id', () => {
    const { world, idAt } = gridWorld();
    expect([...world.nearest(0, 0, 5)]).toEqual([
      idAt(0, 0),
      idAt(0, -1),
      idAt(-1, 0),
      idAt(1, 0),
      idAt(0, 1),
    ]);
    expect([...world.nearest(0.5, 0.5, 1)]).toEqual([idAt(0, 0)]);
    expect([...world.nearest(1000, 0, 2)]).toEqual([idAt(5, 0), idAt(5, -1)]);
    expect([...world.nearest(0, 0, 0)]).toEqual([]);
    expect(world.nearest(0, 0, 5000).length).toBe(121);
  });

  test('maxDistance is inside, and may be 0', () => {
    const { world, idAt, idsWhere } = gridWorld();
    expect(world.nearest(0, 0, 500, { maxDistance: 5 }).length).toBe(
      idsWhere((x, y) => x * x + y * y <= 25).length,
    );
    expect([...world.nearest(3, 4, 9, { maxDistance: 0 })]).toEqual([idAt(3, 4)]);
    expect([...world.nearest(3.5, 4, 9, { maxDistance: 0.25 })]).toEqual([]);
  });

  test('asks the filter once for each, however far it has to look', () => {
    const { world, idsWhere } = gridWorld();
    const asked: number[] = [];
    const filter = (id: number) => {
      asked.push(id);
      return false;
    };
    expect([...world.nearest(0, 0, 3, { filter })]).toEqual([]);
    expect(asked.sort((one, other) => one - other)).toEqual(idsWhere(() => true));
  });

  test('in 3-D takes z into account', () => {
    const world = new World({ dimensions: 3 });
    const [low, high] = world.addMany({ x: [0, 3], y: [0, 0], z: [0, 40] });
    world.tick();
    expect([...world.nearest(0, 0, 2, { z: 39 })]).toEqual([high, low]);
    expect([...world.nearest(3, 0, 1, { z: 1 })]).toEqual([low]);
  });

  test('in an empty world finds nobody', () => {
    const world = new World();
    expect([...world.nearest(0, 0, 3)]).toEqual([]);
    world.tick();
    expect([...world.nearest(0, 0, 3)]).toEqual([]);
    expect([...world.query(circle(0, 0, 1e12))]).toEqual([]);
  });
});

test('watchersOfMany gives a row for each id in the order they are given in, and watcherCount how long it is', () => {
  const world = new World();
  const [a, b, c] = world.addMany({ x: [0, 3, 6], y: [0, 0, 0], range: 4 });
  const far = world.add({ x: 900, y: 0 });
  world.tick();
  const { offsets, watchers } = world.watchersOfMany(Uint32Array.of(c, far, b, b, a));
  expect([...offsets]).toEqual([0, 1, 1, 3, 5, 6]);
  expect([...watchers]).toEqual([b, a, c, a, c, b]);
  expect([a, b, c, far].map((id) => world.watcherCount(id))).toEqual([1, 2, 1, 0]);
  const none = world.watchersOfMany(new Uint32Array(0));
  expect([[...none.offsets], [...none.watchers]]).toEqual([[0], []]);
  world.remove(a);
  expect(world.watcherCount(b)).toBe(1);
  expect(() => world.watcherCount(a)).toThrow(expect.objectContaining({ code: 'STALE_ID' }));
  expect(() => world.watchersOfMany(Uint32Array.of(b, a))).toThrow(
    expect.objectContaining({ code: 'STALE_ID', details: { index: 1, id: a } }),
  );
  expect(() => world.watchersOfMany([b] as never)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
});
