/**
 * Tower beyond the conformance suite: random lives beside the definition in both granularities, and what is its own:
 * observers, unequal views, and which observers may be passed over when a marker moves.
 */
import { describe, expect, test } from 'vitest';
import { CellTable, WATCHERS } from '../../src/detectors/cells/cell-table.ts';
import { CellSight } from '../../src/detectors/tower/cell-sight.ts';
import { noticesNoMove } from '../../src/detectors/tower/coverage.ts';
import { levelsForReach, reachOfLevels, Views } from '../../src/detectors/tower/views.ts';
import { tower } from '../../src/detectors/tower.ts';
import { World } from '../../src/index.ts';
import { liveMany, type Place, randomFrom, SideBySide } from './side-by-side.ts';

const CELLS_OF_TEN = { granularity: 'cell', cellRule: 'reach', cellSize: [10, 10, 10] } as const;

test('random lives report what the definition reports, by distance', () => {
  liveMany(tower, {}, 1, 150);
});

test('random lives report what the definition reports, by cells', () => {
  liveMany(tower, { granularity: 'cell', cellRule: 'reach' }, 1, 150);
});

describe('an observer of both the old cell and the new', () => {
  /** A cell of ten with watchers at its middle, and a marker that steps from one cell to the next. */
  function step(ranges: readonly number[], from: Place, to: Place, granularity: 'exact' | 'cell' = 'exact') {
    const world = new SideBySide(tower, { ...CELLS_OF_TEN, granularity });
    const watchers = ranges.map((range) => world.add([5, 5], { range }));
    const marker = world.add(from, {});
    world.tick();
    world.move(marker, to);
    return { watchers, marker, crossings: world.tick() };
  }

  test('may hold one who sees only the old: it cannot be skipped because somebody in it sees both', () => {
    // The far-sighted one makes the watchers' cell an observer of both of the marker's cells.
    const { watchers, marker, crossings } = step([40, 12], [15, 5], [25, 5]);
    expect(crossings).toEqual([[watchers[1], marker, 1, 0]]);
  });

  test('may hold one who sees only the new', () => {
    const { watchers, marker, crossings } = step([40, 12], [25, 5], [15, 5]);
    expect(crossings).toEqual([[watchers[1], marker, 0, 1]]);
  });

  test('may hold nobody who sees farther than the others, and still must be asked', () => {
    const { watchers, marker, crossings } = step([18, 18], [22, 5], [23.5, 20]);
    expect(crossings).toEqual([
      [watchers[0], marker, 1, 0],
      [watchers[1], marker, 1, 0],
    ]);
  });

  test('may hold one who sees only the old, by cells', () => {
    const { watchers, marker, crossings } = step([40, 10], [15, 5], [25, 5]);
    expect(crossings).toEqual([[watchers[1], marker, 1, 0]]);
  });

  test('promises nothing to a marker that is harder to see than others', () => {
    const world = new SideBySide(tower, { cellSize: [10, 10, 10] });
    const watcher = world.add([5, 5], { range: 60 });
    const marker = world.add([15, 5], { gain: 0.25 });
    world.tick();
    world.move(marker, [25, 5]);
    expect(world.tick()).toEqual([[watcher, marker, 1, 0]]);
    world.move(marker, [19.5, 5]);
    world.tick();
    world.move(marker, [19.9, 9.9]);
    expect(world.tick()).toEqual([[watcher, marker, 1, 0]]);
  });

  test('promises nothing to a marker that nobody perceives from farther than its maxReach', () => {
    const world = new SideBySide(tower, { cellSize: [10, 10, 10] });
    const watcher = world.add([5, 5], { range: 60 });
    const marker = world.add([15, 5], { maxReach: 12 });
    world.tick();
    world.move(marker, [25, 5]);
    expect(world.tick()).toEqual([[watcher, marker, 1, 0]]);
    world.move(marker, [15, 5]);
    world.tick();
    // Inside its cell.
    world.move(marker, [19, 9]);
    expect(world.tick()).toEqual([[watcher, marker, 1, 0]]);
  });

  /** Whether an observer with watchers of these ranges is passed over when a marker makes that step. */
  function isPassedOver(ranges: readonly number[], from: Place, to: Place) {
    const { store } = new SideBySide(tower, { ...CELLS_OF_TEN, granularity: 'cell' });
    const table = new CellTable([10, 10, 10], false, 100);
    const sight = new CellSight(9, 100);
    sight.growCells(table.cellCapacity);
    const observer = table.make(0, 0, 0);
    for (const [slot, range] of ranges.entries()) {
      sight.levels[slot] = Math.ceil(range / 10);
      sight.longest[slot] = sight.shortest[slot] = range;
      table.link(slot, observer, WATCHERS);
      sight.enter(slot, observer);
    }
    const slot = ranges.length;
    store.last.x[slot] = from[0];
    store.last.y[slot] = from[1];
    store.now.x[slot] = to[0];
    store.now.y[slot] = to[1];
    return noticesNoMove(table, sight, store, observer, slot);
  }

  test('is passed over, by cells, where the smallest reach covers both cells', () => {
    expect(isPassedOver([20, 80], [15, 5], [25, 5])).toBe(true);
    expect(isPassedOver([10, 80], [15, 5], [25, 5])).toBe(false);
  });
});

describe('views', () => {
  test('of a level hold every cell in which someone within that reach may stand', () => {
    const random = randomFrom(11);
    const { settings } = new SideBySide(tower, {
      dimensions: 3,
      rangeShape: 'box',
      ratioX: 1,
      ratioY: 0.5,
      ratioZ: 2,
    }).store;
    for (let trial = 0; trial < 400; trial++) {
      const sizes = [0.5 + random() * 3, 0.5 + random() * 3, 0.5 + random() * 3] as const;
      const views = new Views(settings, sizes, 1 + Math.floor(random() * 5));
      const reach = random() * reachOfLevels(settings, sizes, views.count);
      const level = views.levelFor(reach);
      expect(level).toBeLessThanOrEqual(views.count);
      const [x, y, z] = [random() * 100 - 50, random() * 100 - 50, random() * 100 - 50];
      const corner = () => (random() < 0.5 ? -1 : 1) * reach;
      const other = [x + corner(), y + corner() * 0.5, z + corner() * 2];
      const [dx, dy, dz] = [x, y, z].map(
        (at, axis) => Math.floor(other[axis] / sizes[axis]) - Math.floor(at / sizes[axis]),
      );
      expect(views.levelAt(dx, dy, dz)).toBeLessThanOrEqual(level);
    }
  });

  test('name each offset once, ring after ring', () => {
    const { settings } = new SideBySide(tower).store;
    const views = new Views(settings, [10, 4, 1], 6);
    const seen = new Set<string>();
    for (let level = 1; level <= 6; level++) {
      for (let i = views.ringStart[level]; i < views.ringStart[level + 1]; i++) {
        const [x, y, z] = views.offsets.subarray(3 * i, 3 * i + 3);
        expect(views.levelAt(x, y, z)).toBe(level);
        seen.add(`${x} ${y} ${z}`);
      }
    }
    // Steps of 4: up to 24 units, so 3 cells of 10 to each side, and 6 of 4.
    expect(seen.size).toBe(7 * 13);
    expect(views.levelAt(4, 0, 0)).toBe(7);
    expect(views.levelFor(1e12)).toBe(7);
    expect(views.levelFor(0)).toBe(0);
  });

  test('are as many as a reach needs', () => {
    const { settings } = new SideBySide(tower, { cellSize: [10, 10, 10] }).store;
    for (const reach of [0.1, 9.99, 10, 10.01, 50, 1234]) {
      const levels = levelsForReach(settings, [10, 10, 10], reach);
      expect(reachOfLevels(settings, [10, 10, 10], levels)).toBeGreaterThanOrEqual(reach);
      expect(levels).toBeLessThanOrEqual(Math.ceil(reach / 10) + 1);
    }
  });
});

describe('observers', () => {
  test('are drawn as lines between cells, one for two that observe each other', () => {
    const world = new World({ detector: tower, cellSize: 10 });
    world.add({ x: 5, y: 5, range: 25 });
    world.add({ x: 25, y: 5, range: 5 });
    world.add({ x: 35, y: 5, range: 15 });
    world.add({ x: 5, y: 95 });
    world.tick();
    const sketch = world.sketch({ minX: -100, minY: -100, maxX: 100, maxY: 100 });
    expect(sketch.cells).toHaveLength(4 * 5);
    const lines = Array.from({ length: sketch.lines.length / 4 }, (_, i) =>
      [sketch.lines[4 * i], sketch.lines[4 * i + 2]]
        .map((x) => Math.round(x))
        .sort((a, b) => a - b)
        .join(' to '),
    );
    // The first sees three cells to each side, the third two; the second one, which holds the third.
    expect(lines.sort()).toEqual(['25 to 35', '5 to 25', '5 to 35']);
  });

  test('come and go with the farthest-seeing of a cell, and with the cell', () => {
    const world = new SideBySide(tower, { cellSize: [10, 10, 10] });
    const short = world.add([5, 5], { range: 5 });
    const long = world.add([6, 5], { range: 40 });
    const marker = world.add([35, 5], {});
    world.tick();
    const observersOfMarker = () =>
      /cell 3 0: 0 watchers, 1 others, observed by (\d) cells/.exec(world.detector.describe())?.[1];
    expect(observersOfMarker()).toBe('1');
    world.store.remove(long);
    world.tick();
    expect(observersOfMarker()).toBe('0');
    world.update(short, { range: 30 });
    world.tick();
    expect(observersOfMarker()).toBe('1');
    world.move(marker, [-35, 5]);
    world.tick();
    world.move(marker, [35, 5]);
    world.tick();
    expect(observersOfMarker()).toBe('1');
  });

  test('are told with the least, mean and most that a cell sees', () => {
    const world = new SideBySide(tower, { cellSize: [10, 10, 10] });
    for (const range of [2, 4, 12]) world.add([5, 5], { range });
    world.tick();
    expect(world.detector.describe()).toContain(
      'cell 0 0: 3 watchers, 0 others, sees 2 / 6 / 12 (least / mean / most)',
    );
  });
});

describe('unequal views', () => {
  test('cost the short-sighted no wider windows: each is entered at its own level', () => {
    const world = new SideBySide(tower, { cellSize: [10, 10, 10] });
    for (let i = 0; i < 60; i++) {
      for (let k = 0; k < 6; k++)
        world.add([(i % 10) * 12 + k, Math.floor(i / 10) * 12], { range: k === 0 ? 60 : 5 });
    }
    world.tick();
    expect(world.detector.describe()).toMatch(/0 far-sighted/);
    for (let i = 0; i < 60; i++) world.move(i * 3, [i * 2, (i * 7) % 70]);
    world.tick();
  });

  test('far beyond the others are kept apart, and so are bells', () => {
    const world = new SideBySide(tower);
    const slots = Array.from({ length: 400 }, (_, i) =>
      world.add([(i % 20) * 10, Math.floor(i / 20) * 10], { range: i % 10 === 0 ? 30 : 10 }),
    );
    world.add([1e12, 0], { range: 1e12 });
    world.add([0, 1e9], { minReach: 1e12 });
    world.tick();
    expect(world.detector.describe()).toContain('1 far-sighted, 1 loud');
    for (const slot of slots.slice(0, 40)) world.move(slot, [slot * 3, 205]);
    world.move(400, [-1e12, 5]);
    world.tick();
    world.update(400, { range: 10 });
    world.update(401, { minReach: 5 });
    world.tick();
    expect(world.detector.describe()).toContain('0 far-sighted');
  });

  test('that cover more cells than a view can hold are far-sighted, and lose nobody', () => {
    const world = new SideBySide(tower, { dimensions: 3, cellSize: [1, 1, 1] });
    for (let i = 0; i < 300; i++) {
      world.add([i % 9, Math.floor(i / 9) % 6, Math.floor(i / 54)], { range: i % 30 === 0 ? 90 : 1 });
    }
    world.tick();
    expect(world.detector.describe()).toContain('10 far-sighted');
    for (let i = 0; i < 300; i += 7) world.move(i, [(i * 5) % 11, i / 60, 2]);
    world.tick();
  });
});

test('by cells, a watcher perceives as many whole cells as its reach begins', () => {
  const world = new SideBySide(tower, { ...CELLS_OF_TEN, cellSize: [10, 20, 10] });
  const watcher = world.add([5, 5], { range: 20.5 });
  const markers = [39.9, 40, -30, -30.1].map((x) => world.add([x, 5], {}));
  const above = [59.9, 60].map((y) => world.add([5, y], {}));
  expect(world.tick()).toEqual([
    [watcher, markers[0], 0, 1],
    [watcher, markers[2], 0, 1],
    [watcher, above[0], 0, 1],
  ]);
  world.move(watcher, [9.9, 19.9]);
  expect(world.tick()).toEqual([]);
});

test('100,000 things on one point are met by the watchers among them only', () => {
  const count = 100_000;
  const world = new World({ detector: tower });
  const place = new Float32Array(count).fill(3);
  const things = world.addMany({ x: place, y: place });
  const watcher = world.add({ x: 3, y: 3, range: 1 });
  expect(world.tick().enteredCount).toBe(count);
  world.moveMany(
    things,
    place.map(() => 3.25),
    place,
  );
  expect(world.tick().of(watcher)?.updated.length).toBe(count);
  world.removeMany(things.subarray(10));
  expect(world.tick().leftCount).toBe(count - 10);
  world.validate();
});
