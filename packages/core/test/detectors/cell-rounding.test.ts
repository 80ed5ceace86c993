/** By cells, how many of them a reach is for: those that it touches, or only those that it covers whole. */
import { describe, expect, test } from 'vitest';
import { type EntityId, World, type WorldOptions } from '../../src/index.ts';

const CELL = 10;

/** A watcher in the midst of a lattice of markers, one in each cell, seven cells wide. */
function lattice(options: WorldOptions, range: number): { world: World; watcher: EntityId } {
  const world = new World({ granularity: 'cell', cellSize: CELL, ...options });
  const watcher = world.add({ x: 1, y: 1, z: 1, range, marker: false });
  for (let i = -3; i <= 3; i++) {
    for (let j = -3; j <= 3; j++) world.add({ x: i * CELL + 9, y: j * CELL + 9, z: 9 });
  }
  world.tick();
  return { world, watcher };
}

/** How many cells in a row are in view. */
function cellsInView(options: WorldOptions, range: number): number {
  const { world, watcher } = lattice(options, range);
  return Math.sqrt(world.visibleTo(watcher).length);
}

describe.each(['tower', 'cross-list'] as const)('with %s', (detector) => {
  test.each([2, 3] as const)('rounded down, every square of cells can be said in %i-D', (dimensions) => {
    const options: WorldOptions = { detector, dimensions, cellRounding: 'down' };
    expect([0.5, 9.99, 10, 19.99, 20, 30].map((range) => cellsInView(options, range))).toEqual([
      1, 1, 3, 3, 5, 7,
    ]);
  });

  test('rounded up, as without it, a reach is for every cell that it touches', () => {
    for (const options of [{ detector }, { detector, cellRounding: 'up' }] as const) {
      expect([0.5, 9.99, 10, 10.01, 20, 30].map((range) => cellsInView(options, range))).toEqual([
        3, 3, 3, 5, 5, 7,
      ]);
    }
  });
});

test('with nine-grid it is the own cell or the nine', () => {
  const ranges = [0.5, 10, 1000];
  const inView = (options: WorldOptions) => ranges.map((range) => cellsInView(options, range));
  expect(inView({ detector: 'nine-grid', cellRounding: 'down' })).toEqual([1, 3, 3]);
  expect(inView({ detector: 'nine-grid' })).toEqual([3, 3, 3]);
});

test('gain and minReach count before it is rounded', () => {
  const world = new World({ detector: 'tower', granularity: 'cell', cellSize: CELL, cellRounding: 'down' });
  const watcher = world.add({ x: 5, y: 5, range: 5, marker: false });
  const [plain, loud, bell] = [{}, { gain: 2 }, { minReach: 10 }].map((traits) =>
    world.add({ x: 15, y: 5, ...traits }),
  );
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([loud, bell]);
  world.move(watcher, 11, 1);
  world.tick();
  expect(world.related(watcher, plain)).toBe(true);
});

test('a snapshot has it, and the restored world goes on by it', () => {
  const { world, watcher } = lattice({ detector: 'tower', cellRounding: 'down' }, 5);
  const restored = World.restore(world.snapshot(), { detector: 'cross-list' });
  for (const each of [world, restored]) {
    each.move(watcher, 11, 1);
    each.tick();
    expect(each.visibleTo(watcher).length).toBe(1);
  }
  expect(restored.lastChanges.hash()).toBe(world.lastChanges.hash());
  expect(World.restore(lattice({ detector: 'tower' }, 5).world.snapshot()).visibleTo(watcher).length).toBe(9);
});

test.each([[{ cellRounding: 'half' }], [{ cellRounding: 'down' }], [{ cellRounding: null }]])(
  '%j is a BAD_OPTION',
  (options) => {
    const fault = expect.objectContaining({
      code: 'BAD_OPTION',
      details: expect.objectContaining({ field: 'cellRounding' }),
    });
    expect(() => new World(options as never)).toThrow(fault);
  },
);
