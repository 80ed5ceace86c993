/**
 * Nine-grid beyond the conformance suite: random lives beside the definition in both granularities, and what is its own:
 * cells that come and go, the classic's coarse answer, the few that reach far, and cells that cease to fit.
 */
import { describe, expect, test } from 'vitest';
import { nineGrid } from '../../src/detectors/nine-grid.ts';
import type { StructureSketch } from '../../src/detectors/structure-sketch.ts';
import { World } from '../../src/index.ts';
import { liveMany, type Place, SideBySide } from './side-by-side.ts';

const CELLS_OF_TEN = { granularity: 'cell', cellRule: 'neighbours', cellSize: [10, 10, 10] } as const;

test('random lives report what the definition reports, by distance', () => {
  liveMany(nineGrid, {}, 1, 150);
});

test('random lives report what the definition reports, by cells', () => {
  liveMany(nineGrid, { granularity: 'cell', cellRule: 'neighbours' }, 1, 100);
});

test('one that came and went between two ticks may have had a slot beyond all that are known', () => {
  const world = new SideBySide(nineGrid);
  const slots = Array.from({ length: 2000 }, (_, i) => world.add([i, 0], { range: 1 }));
  world.tick();
  const { capacity } = world.store;
  while (world.store.capacity === capacity) slots.push(world.add([0, 0], {}));
  for (const slot of slots.slice(2000)) world.store.remove(slot);
  expect(world.tick()).toEqual([]);
});

describe('by cells', () => {
  test('two at opposite ends of neighbouring cells perceive each other, in every sense with a reach', () => {
    const world = new SideBySide(nineGrid, { ...CELLS_OF_TEN, senses: ['sight', 'hearing', 'smell'] });
    const watcher = world.add([0, 0], { range: { sight: 0.1, smell: 500 } });
    const marker = world.add([19.9, 19.9], {});
    expect(world.tick()).toEqual([[watcher, marker, 0, 0b101]]);
    world.move(marker, [20, 19.9]);
    expect(world.tick()).toEqual([[watcher, marker, 0b101, 0]]);
  });

  test('a cell begins at its lower edge, also left of the origin', () => {
    const world = new SideBySide(nineGrid, CELLS_OF_TEN);
    const watcher = world.add([0, 5], { range: 1 });
    const marker = world.add([-10, 5], {});
    expect(world.tick()).toEqual([[watcher, marker, 0, 1]]);
    world.move(marker, [-10.001, 5]);
    expect(world.tick()).toEqual([[watcher, marker, 1, 0]]);
  });

  test('a move inside a cell crosses nothing, however large the cell', () => {
    const world = new SideBySide(nineGrid, { ...CELLS_OF_TEN, cellSize: [1000, 1000, 1000] });
    const walker = world.add([1, 1], { range: 5 });
    world.add([1999, 1999], { range: 5 });
    expect(world.tick()).toHaveLength(2);
    world.move(walker, [999, 3]);
    expect(world.tick()).toEqual([]);
  });

  test('cells may be longer on one axis than on another', () => {
    const world = new SideBySide(nineGrid, { ...CELLS_OF_TEN, dimensions: 3, cellSize: [1, 100, 10] });
    const watcher = world.add([0.5, 50, 5], { range: 1 });
    const near = world.add([1.5, 199, 19], {});
    world.add([2.5, 50, 5], {});
    expect(world.tick()).toEqual([[watcher, near, 0, 1]]);
  });
});

describe('cells', () => {
  test('exist while someone is in them', () => {
    const world = new SideBySide(nineGrid, { cellSize: [10, 10, 10] });
    const slots = Array.from({ length: 50 }, (_, i) => world.add([i * 25, i * -25], { range: 10 }));
    world.tick();
    expect(world.detector.describe()).toContain('nine-grid: 50 cells');
    for (const slot of slots.slice(1)) world.store.remove(slot);
    world.tick();
    expect(world.detector.describe()).toContain('nine-grid: 1 cells');
    world.store.remove(slots[0]!);
    world.tick();
    expect(world.detector.describe()).toContain('nine-grid: 0 cells');
  });

  test('cost no memory for a map that was only crossed', () => {
    const world = new SideBySide(nineGrid, { cellSize: [1, 1, 1] });
    const [first, second] = [world.add([0, 0], { range: 1 }), world.add([0, 1], { range: 1 })];
    world.tick();
    const { memoryBytes } = world.detector;
    for (let step = 1; step <= 2000; step++) {
      world.move(first, [step * 3, 0]);
      world.move(second, [step * 3, 1]);
      expect(world.tick()).toEqual([]);
    }
    expect(world.detector.memoryBytes).toBe(memoryBytes);
  });

  test('are told apart where their numbers take more than 32 bits, and more than 53', () => {
    for (const cellSize of [1e-3, 1e-6]) {
      const world = new SideBySide(nineGrid, { cellSize: [cellSize, cellSize, cellSize] });
      const places: Place[] = [0, 1e9, -1e9, 1e12, -1e12, 2 ** 32 * cellSize].map((far) => [far, -far]);
      for (const [x, y] of places) {
        world.add([x, y], { range: cellSize });
        world.add([x, y + cellSize], { range: cellSize });
      }
      // Far out the two stand on one point, which is near enough; at 2^32 cells the float32 grid is coarser than a cell.
      expect(world.tick().length).toBeGreaterThanOrEqual(2 * (places.length - 1));
      world.expectCollected({
        minX: -1e12,
        minY: -1e12,
        minZ: Number.NEGATIVE_INFINITY,
        maxX: 1e12,
        maxY: 1e12,
        maxZ: Number.POSITIVE_INFINITY,
      });
    }
  });

  test('fit the usual reach, and are cut anew when that has become another', () => {
    const world = new SideBySide(nineGrid);
    const sizeOf = () => Number(/cells of ([\d.]+)/.exec(world.detector.describe())?.[1]);
    const slots = Array.from({ length: 200 }, (_, i) =>
      world.add([(i * 7) % 100, (i * 3) % 40], { range: 8 }),
    );
    world.tick();
    expect(sizeOf()).toBeCloseTo(8, 3);
    for (const slot of slots.slice(0, 150)) world.update(slot, { range: 0.5 });
    world.tick();
    for (const slot of slots) world.update(slot, { range: 20 });
    world.tick();
    expect(sizeOf()).toBeCloseTo(20, 3);
  });

  test('are as wide as was asked for, and a reach of that length still looks only next door', () => {
    const world = new SideBySide(nineGrid, { cellSize: [50, 50, 50] });
    for (let i = 0; i < 100; i++) world.add([i * 20, 0], { range: 50 });
    world.tick();
    expect(world.detector.describe()).toContain('usual: 1 x 1 cells');
    const finer = new SideBySide(nineGrid, { cellSize: [20, 50, 50] });
    for (let i = 0; i < 100; i++) finer.add([i * 20, 0], { range: 50 });
    finer.tick();
    expect(finer.detector.describe()).toContain('usual: 3 x 1 cells');
  });

  test('are drawn with how many they hold, inside the window only', () => {
    const world = new World({ detector: nineGrid, cellSize: 10 });
    world.addMany({ x: [5, 6, 25, 300], y: [5, 6, 5, 5], range: 10 });
    world.tick();
    const sketch: StructureSketch = world.sketch({ minX: 0, minY: 0, maxX: 50, maxY: 50 });
    expect(sketch.cells).toHaveLength(10);
    expect([sketch.cells[4], sketch.cells[9]].sort()).toEqual([1, 2]);
    expect(sketch.lines).toEqual([]);
  });
});

describe('the few that reach far', () => {
  test('leave the neighbourhood of all others as it was', () => {
    const world = new SideBySide(nineGrid);
    const slots = Array.from({ length: 400 }, (_, i) =>
      world.add([(i % 20) * 10, Math.floor(i / 20) * 10], { range: 15 }),
    );
    world.add([1e12, 0], { range: 1e12 });
    world.add([0, 1e9], { minReach: 1e12 });
    world.add([50, 50], { range: 15, gain: 1e6 });
    world.tick();
    expect(world.detector.describe()).toContain('1 far-sighted, 2 loud');
    expect(world.detector.describe()).toContain('cells of 15 x 15,');
    for (const slot of slots.slice(0, 30)) world.move(slot, [slot * 3, 205]);
    world.move(400, [-1e12, 5]);
    world.update(401, { minReach: 20 });
    world.tick();
    world.update(401, { minReach: 0 });
    world.update(402, { gain: 1 });
    world.update(400, { range: 15 });
    world.tick();
    expect(world.detector.describe()).toContain('0 far-sighted, 0 loud');
  });

  test('are usual where everybody is like that', () => {
    const world = new SideBySide(nineGrid);
    for (let i = 0; i < 300; i++) world.add([(i % 20) * 10, Math.floor(i / 20) * 10], { range: 10, gain: 2 });
    world.tick();
    expect(world.detector.describe()).toContain('0 far-sighted, 0 loud');
    expect(world.detector.describe()).toContain('cells of 20 x 20,');
  });
});

test('100,000 things on one point are met by the watchers among them only', () => {
  const count = 100_000;
  const world = new World({ detector: nineGrid });
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

test('a structure is told in at most 40 lines, however many cells there are', () => {
  const world = new World({ detector: nineGrid, cellSize: 1 });
  world.addMany({ x: Array.from({ length: 500 }, (_, i) => i * 4), y: new Float32Array(500), range: 1 });
  world.tick();
  expect(world.describe().split('\n').length).toBeLessThanOrEqual(40);
  expect(world.describe()).toContain('and 476 cells with fewer');
});
