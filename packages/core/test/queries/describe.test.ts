/** A world as text: who stands where along each axis, whom one entity perceives and by what, and that the text is bounded. */
import { expect, test } from 'vitest';
import { detectorNames, type EntityId, World, type WorldOptions } from '../../src/index.ts';

/** The six of the classic's example, in a square range of 2; the last one stands in the midst of the others. */
function classicWorld(options: WorldOptions = {}): { world: World; ids: EntityId[] } {
  const world = new World({ rangeShape: 'box', ...options });
  const places = [
    [1, 5],
    [6, 6],
    [3, 1],
    [2, 2],
    [5, 3],
    [3, 3],
  ];
  const ids = places.map(([x, y]) => world.add({ x, y, range: 2 }));
  world.tick();
  return { world, ids };
}

test.each(detectorNames)('with %s ids and positions stand in their order on each axis', (detector) => {
  const { world, ids } = classicWorld({ detector });
  const [a, f, c, b, e, d] = ids;
  const lines = world.describe().split('\n');
  expect(lines[0]).toBe(`6 entities in 2-D as of tick 1, found by ${detector}`);
  expect(lines.slice(-2)).toEqual([
    `x: ${a}(1, 5) -> ${b}(2, 2) -> ${c}(3, 1) -> ${d}(3, 3) -> ${e}(5, 3) -> ${f}(6, 6) -> end`,
    `y: ${c}(3, 1) -> ${b}(2, 2) -> ${e}(5, 3) -> ${d}(3, 3) -> ${a}(1, 5) -> ${f}(6, 6) -> end`,
  ]);
});

test.each(detectorNames)('with %s no number has more digits than a reader needs', (detector) => {
  const world = new World({ detector });
  for (let i = 0; i < 50; i++) world.add({ x: i * 17.77777, y: i * 0.333333, range: 20.1 + i / 7 });
  world.tick();
  world.tick();
  expect(world.describe()).not.toMatch(/\.\d{7}|\d{3}\.\d{5}|\d{2}\.\d{6}/);
});

test('around an entity it says whom that relates to, by what, how far away, and who relates to it', () => {
  const { world, ids } = classicWorld();
  const [a, , c, b, e, d] = ids;
  world.update(a, { range: 1 });
  world.tick();
  const text = world.describe({ around: d });
  expect(text.slice(text.indexOf(`\n${d}`) + 1)).toBe(
    [
      `${d}(3, 3) relates to 4, nearest first:`,
      `  ${b}(2, 2) perceived by sight: distance 1.414, reach 2`,
      `  ${c}(3, 1) perceived by sight: distance 2, reach 2`,
      `  ${e}(5, 3) perceived by sight: distance 2, reach 2`,
      `  ${a}(1, 5) perceived by sight: distance 2.828, reach 2, measured as a box of 2 x 2 to each side`,
      `3 relate to it, nearest first: ${b}(2, 2), ${c}(3, 1), ${e}(5, 3)`,
    ].join('\n'),
  );
});

test('a pin, a group and a margin are named as what relates', () => {
  const world = new World({ interests: { default: { leaveMargin: 5, showGroup: true } } });
  const watcher = world.add({ x: 0, y: 0, range: 10, group: 7 });
  const [held, friend, pinned] = world.addMany({ x: [9, 50, 90], y: [0, 0, 0] });
  world.update(friend, { group: 7 });
  world.pin(watcher, pinned, 'quest');
  world.tick();
  world.move(held, 12, 0);
  world.tick();
  const text = world.describe({ around: watcher });
  expect(text).toContain(`${held}(12, 0) held by margin: distance 12, reach 10, margin 5`);
  expect(text).toContain(`${friend}(50, 0) of the same group: group 7, distance 50`);
  expect(text).toContain(`${pinned}(90, 0) pinned: quest`);
  expect(text).toContain('no watcher relates to it');
});

test('lists hold at most `limit`, and say how many more there are', () => {
  const { world, ids } = classicWorld();
  const [a, , c, b, , d] = ids;
  const lines = world.describe({ around: d, limit: 3 }).split('\n');
  expect(lines).toContain(
    `x: 2 before ... -> ${c}(3, 1) -> [${d}(3, 3)] -> ${ids[4]}(5, 3) -> ... 1 more -> end`,
  );
  expect(lines).toContain('  ... 1 more');
  expect(lines.at(-1)).toMatch(/^4 relate to it, nearest first: .*, \.\.\. 1 more$/);
  const start = world.describe({ limit: 2 }).split('\n');
  expect(start.at(-2)).toBe(`x: ${a}(1, 5) -> ${b}(2, 2) -> ... 4 more -> end`);
  expect(world.describe({ limit: 0 })).not.toContain('end');
});

test('whatever the crowd, the text is as long as its lists', () => {
  const world = new World();
  const crowd = new Float32Array(20_000);
  const ids = world.addMany({ x: crowd, y: crowd });
  world.update(ids[10_000], { range: 1 });
  world.tick();
  const text = world.describe({ around: ids[10_000] });
  expect(text.length).toBeLessThan(4000);
  expect(text).toContain('relates to 19999, nearest first:');
  // All on one place: in the order of their slots, its own in the middle.
  expect(text).toContain(`${ids[9999]}(0, 0) -> [${ids[10_000]}(0, 0)] -> ${ids[10_001]}(0, 0)`);
  expect(text).toContain('x: 9995 before ... ->');
  expect(text).toContain('-> ... 9995 more -> end');
});

test('in 3-D there is a third chain and a third coordinate', () => {
  const world = new World({ dimensions: 3 });
  const [high, low] = world.addMany({ x: [1, 2], y: [3, 4], z: [0.1, -5] });
  world.tick();
  expect(world.describe().split('\n').at(-1)).toBe(`z: ${low}(2, 4, -5) -> ${high}(1, 3, 0.1) -> end`);
});

test('it tells of the last tick, less who was removed since', () => {
  const { world, ids } = classicWorld();
  const [, , , b, , d] = ids;
  world.move(d, 100, 100);
  world.remove(b);
  const late = world.add({ x: 0, y: 0, range: 2 });
  const text = world.describe({ around: d });
  expect(text).toContain('5 entities in 2-D as of tick 1');
  expect(text).toContain(`${d}(3, 3) relates to 3`);
  expect(text).not.toContain(`${b}(`);
  expect(world.describe({ around: late })).toContain(`${late}(0, 0) was added after the last tick`);
  expect(() => world.describe({ around: b })).toThrow(expect.objectContaining({ code: 'STALE_ID' }));
  expect(new World().describe()).toContain('0 entities in 2-D as of tick 0');
});

test.each([[null], [5], [[]], [{ Limit: 5 }], [{ limit: -1 }], [{ limit: 0.5 }], [{ limit: '5' }]])(
  'options %j are a BAD_OPTION',
  (options) => {
    const { world } = classicWorld();
    expect(() => world.describe(options as never)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
  },
);
