/**
 * Bulk calls: columns as they lie in an ECS, `at` to pick from them, the last of repeated ids, all or nothing.
 */
import { describe, expect, test } from 'vitest';
import { detectorNames, type UmweltError, World } from '../../src/index.ts';

const placesOf = (world: World, ids: Iterable<number>) =>
  [...ids].map((id) => [...world.position(id)].slice(0, 2));

test('addMany adds one for each row, with the same properties, and answers their ids in order', () => {
  const world = new World();
  const ids = world.addMany({ x: [1, 2, 3], y: Float32Array.of(4, 5, 6), range: 2, layers: 3, marker: true });
  expect(world.size).toBe(3);
  expect(placesOf(world, ids)).toEqual([
    [1, 4],
    [2, 5],
    [3, 6],
  ]);
  const [first] = world.tick();
  expect(first.watcher).toBe(ids[0]);
  expect(world.addMany({ x: [], y: [] }).length).toBe(0);
});

test.each(detectorNames)('addMany and moveMany report what add and move report (%s)', (detector) => {
  const [single, bulk] = [new World({ detector, dimensions: 3 }), new World({ detector, dimensions: 3 })];
  const columns = (seed: number) => ({
    x: Array.from({ length: 200 }, (_, i) => ((i * 37 + seed * 11) % 101) - 50.5),
    y: Float64Array.from({ length: 200 }, (_, i) => ((i * 53 + seed * 7) % 67) / 3),
    z: Int16Array.from({ length: 200 }, (_, i) => ((i * 29 + seed) % 41) - 20),
  });
  const start = columns(0);
  const ids = bulk.addMany({ ...start, range: 9, gain: 1.5 });
  const singles = start.x.map((x, i) => single.add({ x, y: start.y[i], z: start.z[i], range: 9, gain: 1.5 }));
  expect([...ids]).toEqual(singles);
  for (let tick = 0; tick < 5; tick++) {
    expect(bulk.tick().hash()).toBe(single.tick().hash());
    const { x, y, z } = columns(tick + 1);
    bulk.moveMany(ids, x, y, z);
    ids.forEach((id, i) => {
      single.move(id, x[i], y[i], z[i]);
    });
  }
});

test('with `at`, the k-th move takes row at[k] of every column; the others stay', () => {
  const world = new World();
  const ids = world.addMany({ x: [0, 1, 2, 3, 4], y: [0, 0, 0, 0, 0] });
  const x = Float32Array.of(10, 11, 12, 13, 14);
  const y = [20, 21, 22, 23, 24];
  world.moveMany(ids, x, y, undefined, Uint16Array.of(4, 1));
  expect(placesOf(world, ids)).toEqual([
    [0, 0],
    [11, 21],
    [2, 0],
    [3, 0],
    [14, 24],
  ]);
});

test('rows that `at` does not name may hold anything, as the columns of an ECS do', () => {
  const world = new World();
  const [one, other] = world.addMany({ x: [0, 0], y: [0, 0] });
  const ids = Uint32Array.of(0, other, 12345, one);
  world.moveMany(ids, [Number.NaN, 1, Number.NaN, 2], [Number.NaN, 3, Number.NaN, 4], undefined, [3, 1]);
  expect(placesOf(world, [one, other])).toEqual([
    [2, 4],
    [1, 3],
  ]);
});

test('of an id that comes twice the last place wins, with and without `at`', () => {
  const world = new World();
  const [id] = world.addMany({ x: [0], y: [0] });
  world.moveMany(Uint32Array.of(id, id, id), [1, 2, 3], [0, 0, 0]);
  expect(placesOf(world, [id])).toEqual([[3, 0]]);
  world.moveMany(Uint32Array.of(id, id, id), [1, 2, 3], [0, 0, 0], undefined, [2, 0, 1, 0]);
  expect(placesOf(world, [id])).toEqual([[1, 0]]);
});

test.each([2, 3] as const)(
  'a long `at` over columns of float32 is as one move after the other, in %i-D',
  (dimensions) => {
    const [world, other] = [new World({ dimensions }), new World({ dimensions })];
    const count = 500;
    const column = (seed: number) => Float32Array.from({ length: count }, (_, i) => ((i * seed) % 211) - 100);
    const [x, y, z] = [column(37), column(53), column(71)];
    const ids = world.addMany({ x, y, z, range: 9 });
    other.addMany({ x, y, z, range: 9 });
    world.tick();
    other.tick();
    // The ids' columns hold an id twice, and `at` a row twice: the last of them wins.
    const given = ids.slice();
    given[7] = given[450]!;
    const at = Uint32Array.from({ length: 300 }, (_, k) => (k * 171) % count);
    at.set([450, 7, 450, 7], 100);
    world.moveMany(given, y, z, x, at);
    for (const i of at) other.move(given[i]!, y[i]!, z[i]!, x[i]!);
    expect(placesOf(world, ids)).toEqual(placesOf(other, ids));
    expect(world.tick().hash()).toBe(other.tick().hash());
    expect(world.lastChanges.enteredCount).toBeGreaterThan(0);
  },
);

test('one bad row far down a long `at` moves nobody, and is named', () => {
  const world = new World();
  const x = Float32Array.from({ length: 300 }, (_, i) => i);
  const ids = world.addMany({ x, y: x });
  const before = placesOf(world, ids);
  const at = Uint32Array.from({ length: 300 }, (_, i) => 299 - i);
  const moved = x.map((value) => value + 1);
  const indexOf = (call: () => void): unknown => {
    try {
      call();
      return undefined;
    } catch (error) {
      return (error as UmweltError).details.index;
    }
  };
  const stray = at.slice();
  stray[250] = 300;
  expect(() => world.moveMany(ids, moved, moved, undefined, stray)).toThrow('at[250]');
  const broken = moved.slice();
  broken[10] = Number.NaN;
  expect(indexOf(() => world.moveMany(ids, broken, moved, undefined, at))).toBe(289);
  const stale = ids.slice();
  stale[20] = 5;
  expect(indexOf(() => world.moveMany(stale, moved, moved, undefined, at))).toBe(279);
  expect(placesOf(world, ids)).toEqual(before);
});

test.each([
  ['ascend', (i: number) => i],
  ['descend', (i: number) => 19_999 - i],
  ['are repeated', (i: number) => i % 9000],
] as const)('a long `at` in no order moves as its moves one by one, where ids %s', (_, actorOf) => {
  const COUNT = 20_000;
  const [single, bulk] = [new World({ dimensions: 3 }), new World({ dimensions: 3 })];
  const start = { x: new Float32Array(COUNT), y: new Float32Array(COUNT), z: new Float32Array(COUNT) };
  const added = bulk.addMany({ ...start, range: 0 });
  single.addMany({ ...start, range: 0 });
  for (let round = 1; round <= 3; round++) {
    const ids = Uint32Array.from({ length: COUNT }, (_, i) => added[actorOf(i)]!);
    const column = (factor: number) => Float32Array.from({ length: COUNT }, (_, i) => factor * i + round);
    const [x, y, z] = [column(1), column(2), column(-1)];
    // A step that is prime to the count: each row once, in no order.
    const at = Uint32Array.from({ length: 12_000 }, (_, k) => (k * 7919) % COUNT);
    bulk.moveMany(ids, x, y, z, at);
    for (const i of at) single.move(ids[i]!, x[i]!, y[i]!, z[i]);
    const places = (world: World) => Array.from(added, (id) => [...world.position(id)].join());
    expect(places(bulk)).toEqual(places(single));
    expect(bulk.tick().hash()).toBe(single.tick().hash());
    bulk.validate();
  }
});

test('an empty `at` moves nobody', () => {
  const world = new World();
  const ids = world.addMany({ x: [7], y: [8] });
  world.moveMany(ids, [0], [0], undefined, []);
  expect(placesOf(world, ids)).toEqual([[7, 8]]);
});

describe('a bad row anywhere', () => {
  const good = [9, 9, 9];
  const calls: [string, (world: World, ids: Uint32Array) => void][] = [
    ['in x', (world, ids) => world.moveMany(ids, [9, 9, Number.NaN], good)],
    ['in y', (world, ids) => world.moveMany(ids, good, [9, 9, 2e12])],
    ['in the ids', (world, ids) => world.moveMany(Uint32Array.of(ids[0], ids[1], 0), good, good)],
    ['behind `at`', (world, ids) => world.moveMany(ids, [9, 9, Number.NaN], good, undefined, [0, 1, 2])],
    ['in `at`', (world, ids) => world.moveMany(ids, good, good, undefined, [0, 1, 3])],
  ];
  test.each(calls)('%s moves nobody', (_, call) => {
    const world = new World();
    const ids = world.addMany({ x: [1, 2, 3], y: [0, 0, 0], range: 50 });
    world.tick();
    expect(() => call(world, ids)).toThrow(expect.objectContaining({ name: 'UmweltError' }));
    expect(placesOf(world, ids)).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
    expect(world.tick().viewCount).toBe(0);
  });
});

test("a component's whole column of ids, in which a row has no entity, is told to use `at`", () => {
  const world = new World();
  const ids = Uint32Array.of(0, world.add({ x: 1, y: 0 }));
  const message =
    '0 at index 0 was given, expected the id of an entity; leave out rows without one, in moveMany by `at`';
  expect(() => world.moveMany(ids, [9, 9], [9, 9])).toThrow(
    expect.objectContaining({ code: 'BAD_ID', message, details: { index: 0, id: 0 } }),
  );
  world.moveMany(ids, [9, 9], [9, 9], undefined, [1]);
  expect(placesOf(world, [ids[1]!])).toEqual([[9, 9]]);
});

test('the details of a bad index in `at` have its place in `at`', () => {
  const world = new World();
  const ids = world.addMany({ x: [1, 2, 3], y: [0, 0, 0] });
  expect(() => world.moveMany(ids, [9, 9, 9], [9, 9, 9], undefined, [0, 1, 2, 3])).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION', details: { field: 'at[3]', value: 3, index: 3 } }),
  );
});

test('an `at` that is no array is BAD_OPTION, also in a world with attachments', () => {
  const world = new World();
  const ids = world.addMany({ x: [1, 2, 3], y: [0, 0, 0] });
  world.attach(ids[2]!, ids[1]!);
  expect(() => world.moveMany(ids, [9, 9, 9], [9, 9, 9], undefined, null as never)).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION', details: { field: 'at', value: null } }),
  );
});

test('what was given is copied: columns may change afterwards', () => {
  const world = new World();
  const x = Float32Array.of(1, 2);
  const ids = world.addMany({ x, y: [0, 0] });
  x.fill(50);
  expect(placesOf(world, ids)[0]).toEqual([1, 0]);
  world.moveMany(ids, x, [1, 1]);
  x.fill(70);
  expect(placesOf(world, ids)[1]).toEqual([50, 1]);
});
