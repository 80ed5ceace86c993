/**
 * The structures that detectors draw of themselves: in the window, true to the crowd, and bounded.
 */
import { describe, expect, test } from 'vitest';
import {
  type DetectorName,
  detectorNames,
  type StructureSketch,
  World,
  type WorldOptions,
} from '../../src/index.ts';

const EVERYWHERE = { minX: -1e12, minY: -1e12, maxX: 1e12, maxY: 1e12 };
const DRAWN = detectorNames.filter((name) => name !== 'brute-force');
/** Those whose cells hold everyone. */
const DIVIDING: readonly DetectorName[] = ['sweep', 'nine-grid', 'quadtree'];

/** A small generator of its own (a linear congruence): the crowds must not depend on the engine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function crowd(detector: DetectorName, count: number, extent: number, options: WorldOptions = {}): World {
  const world = new World({ detector, ...options });
  const random = randomFrom(count);
  for (let i = 0; i < count; i++) {
    world.add({
      x: (random() - 0.5) * extent,
      y: random() * extent,
      z: random() * extent,
      range: 5 + random() * 5,
    });
  }
  world.tick();
  return world;
}

const cellsOf = ({ cells }: StructureSketch) =>
  Array.from({ length: cells.length / 5 }, (_, i) => {
    const [minX = 0, minY = 0, maxX = 0, maxY = 0, count = 0] = cells.slice(5 * i, 5 * i + 5);
    return { minX, minY, maxX, maxY, count };
  });

const linesOf = ({ lines }: StructureSketch) =>
  Array.from({ length: lines.length / 4 }, (_, i) => {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = lines.slice(4 * i, 4 * i + 4);
    return { x1, y1, x2, y2 };
  });

const sumOf = (sketch: StructureSketch) => cellsOf(sketch).reduce((sum, { count }) => sum + count, 0);

describe.each(DRAWN)('the sketch of %s', (detector) => {
  test.each([2, 3] as const)(
    'has shapes in the window only, each of finite numbers, in %i-D',
    (dimensions) => {
      const world = crowd(detector, 800, 200, { dimensions });
      const window = { minX: -40, minY: 30, maxX: 10, maxY: 95 };
      const sketch = world.sketch(window);
      expect(sketch.cells.length + sketch.lines.length).toBeGreaterThan(0);
      expect(sketch.cells.length % 5).toBe(0);
      expect(sketch.lines.length % 4).toBe(0);
      for (const value of [...sketch.cells, ...sketch.lines]) expect(Number.isFinite(value)).toBe(true);
      for (const { minX, minY, maxX, maxY, count } of cellsOf(sketch)) {
        expect(minX < maxX && minY < maxY && Number.isInteger(count) && count > 0).toBe(true);
        expect(minX <= window.maxX && maxX >= window.minX).toBe(true);
        expect(minY <= window.maxY && maxY >= window.minY).toBe(true);
      }
      for (const { x1, y1, x2, y2 } of linesOf(sketch)) {
        expect(Math.min(x1, x2) <= window.maxX && Math.max(x1, x2) >= window.minX).toBe(true);
        expect(Math.min(y1, y2) <= window.maxY && Math.max(y1, y2) >= window.minY).toBe(true);
      }
    },
  );

  test('says in one sentence or two what it shows', () => {
    const { caption } = crowd(detector, 50, 100).sketch(EVERYWHERE);
    expect(caption).toMatch(/^[A-Z].*\.$/);
    expect(caption.length).toBeLessThan(200);
  });

  test('is bounded, and says when it leaves something out', () => {
    const world = crowd(detector, 40_000, 20_000, { cellSize: 10 });
    const { cells, lines, isCutShort } = world.sketch(EVERYWHERE);
    expect(cells.length / 5 + lines.length / 4).toBeLessThanOrEqual(20_000);
    // Cells of ten for forty thousand, a hundred apart: nearly all alone in theirs.
    const isFull = detector === 'sweep' || detector === 'nine-grid' || detector === 'tower';
    if (isFull) expect(cells.length / 5).toBe(20_000);
    expect(isCutShort).toBe(isFull || detector === 'cross-list' || detector === 'hot-pair');
    const few = world.sketch({ minX: 0, minY: 0, maxX: 500, maxY: 500 });
    expect(few.isCutShort).toBe(false);
    expect(few.cells.length + few.lines.length).toBeGreaterThan(0);
  });

  test('is there before the first tick, in an empty world, and with one entity at the end of the world', () => {
    const world = new World({ detector });
    expect(world.sketch(EVERYWHERE).cells).toEqual([]);
    const near = world.add({ x: 0, y: 0, range: 5 });
    world.sketch(EVERYWHERE);
    world.add({ x: 1e12, y: -1e12, range: 5 });
    world.tick();
    for (const value of world.sketch(EVERYWHERE).cells) expect(Number.isFinite(value)).toBe(true);
    world.removeMany(world.ids());
    world.tick();
    expect(world.has(near)).toBe(false);
    expect(sumOf(world.sketch(EVERYWHERE))).toBe(0);
  });

  test('changes nothing: the next tick reports what it reports without a look', () => {
    const looked = crowd(detector, 300, 100);
    const same = crowd(detector, 300, 100);
    const random = randomFrom(3);
    for (let tick = 0; tick < 5; tick++) {
      for (const id of same.ids()) {
        const [x = 0, y = 0] = same.position(id);
        const [toX, toY] = [x + (random() - 0.5) * 8, y + (random() - 0.5) * 8];
        for (const world of [looked, same]) world.move(id, toX, toY);
      }
      // With moves pending, as an inspector does it.
      looked.sketch(EVERYWHERE);
      expect(looked.tick().hash()).toBe(same.tick().hash());
      looked.sketch({ minX: 0, minY: 0, maxX: 20, maxY: 20 });
      looked.validate();
    }
  });
});

describe.each(DIVIDING)('the cells of %s', (detector) => {
  test.each([2, 3] as const)('hold everyone once, in %i-D', (dimensions) => {
    const world = crowd(detector, 700, 150, { dimensions });
    expect(sumOf(world.sketch(EVERYWHERE))).toBe(700);
    world.removeMany(world.ids().subarray(0, 300));
    world.tick();
    expect(sumOf(world.sketch(EVERYWHERE))).toBe(400);
  });

  test('are where those are whom they hold', () => {
    const world = new World({ detector });
    const places = [
      [0, 0],
      [5000, 4000],
      [-8000, -7000],
    ] as const;
    const random = randomFrom(11);
    for (const [i, [x, y]] of places.entries()) {
      for (let k = 0; k < 40 + i; k++) world.add({ x: x + random() * 2, y: y + random() * 2, range: 4 });
    }
    world.tick();
    for (const [i, [x, y]] of places.entries()) {
      const sketch = world.sketch({ minX: x - 1, minY: y - 1, maxX: x + 3, maxY: y + 3 });
      expect(sumOf(sketch), `at ${x}, ${y}`).toBe(40 + i);
    }
  });

  test('hold one that leaped once', () => {
    const world = crowd(detector, 100, 50);
    const [id = 0] = world.ids();
    const [x = 0] = world.position(id);
    world.move(id, x > 0 ? x - 25 : x + 25, 25);
    world.tick();
    expect(sumOf(world.sketch(EVERYWHERE))).toBe(100);
  });
});

describe('the sketch of tower', () => {
  /** Cells of ten units: the first sees three cells to each side, the third two, the fourth is alone. */
  function lookouts(): World {
    const world = new World({ detector: 'tower', cellSize: 10 });
    world.addMany({ x: [5], y: [5], range: 25 });
    world.addMany({ x: [25], y: [5], range: 5 });
    world.addMany({ x: [35], y: [5], range: 15 });
    world.addMany({ x: [5], y: [95] });
    world.tick();
    return world;
  }

  test('counts the cells that observe each', () => {
    const cells = cellsOf(lookouts().sketch({ minX: -100, minY: -100, maxX: 100, maxY: 50 }));
    const counts = new Map(cells.map(({ minX, count }) => [Math.round(minX), count]));
    // The cell at 0 sees itself and is seen by none; that at 20 sees itself and its neighbour, which all three see.
    expect([...counts].sort(([a], [b]) => a - b)).toEqual([
      [0, 1],
      [20, 3],
      [30, 3],
    ]);
  });

  test('joins a cell and its observers by one line, also when only one of them is in sight', () => {
    const ends = (sketch: StructureSketch) =>
      linesOf(sketch)
        .map(({ x1, x2 }) => [x1, x2].map((x) => Math.round(x)).sort((a, b) => a - b))
        .map((pair) => pair.join(' to '))
        .sort();
    const world = lookouts();
    expect(ends(world.sketch(EVERYWHERE))).toEqual(['25 to 35', '5 to 25', '5 to 35']);
    const near = { minY: 0, maxY: 9 };
    expect(ends(world.sketch({ ...near, minX: 21, maxX: 29 }))).toEqual(['25 to 35', '5 to 25']);
    expect(ends(world.sketch({ ...near, minX: 31, maxX: 39 }))).toEqual(['25 to 35', '5 to 35']);
  });

  test('has no lines where they could not be told apart', () => {
    const world = crowd('tower', 3000, 1000);
    expect(world.sketch(EVERYWHERE).lines).toEqual([]);
    expect(world.sketch({ minX: 0, minY: 100, maxX: 30, maxY: 130 }).lines.length).toBeGreaterThan(0);
  });
});

describe('the sketch of cross-list', () => {
  test('has index nodes along both axes, and links between neighbours in the list of x', () => {
    const world = new World({ detector: 'cross-list' });
    world.addMany({ x: [0, 30, 10, 20], y: [0, 5, -7, 2], range: 5 });
    world.tick();
    const lines = linesOf(world.sketch({ minX: -50, minY: -50, maxX: 50, maxY: 50 }));
    const isUpright = (line: { x1: number; x2: number }) => line.x1 === line.x2;
    const isLevel = (line: { y1: number; y2: number }) => line.y1 === line.y2;
    expect(lines.filter(isUpright)).toEqual([{ x1: 0, y1: -50, x2: 0, y2: 50 }]);
    expect(lines.filter(isLevel)).toEqual([{ x1: -50, y1: -7, x2: 50, y2: -7 }]);
    expect(lines.filter((line) => !isUpright(line) && !isLevel(line))).toEqual([
      { x1: 0, y1: 0, x2: 10, y2: -7 },
      { x1: 10, y1: -7, x2: 20, y2: 2 },
      { x1: 20, y1: 2, x2: 30, y2: 5 },
    ]);
  });

  test('follows links out of sight, of those in sight only', () => {
    const world = new World({ detector: 'cross-list' });
    world.addMany({ x: [0, 10, 20, 30], y: [0, 900, 1, 900], range: 5 });
    world.tick();
    const links = linesOf(world.sketch({ minX: 15, minY: -5, maxX: 25, maxY: 5 })).filter(
      ({ x1, y1, x2, y2 }) => x1 !== x2 && y1 !== y2,
    );
    expect(links).toEqual([
      { x1: 10, y1: 900, x2: 20, y2: 1 },
      { x1: 20, y1: 1, x2: 30, y2: 900 },
    ]);
  });

  test('thins its nodes evenly, and says by how much', () => {
    const { lines, caption, isCutShort } = crowd('cross-list', 20_000, 10_000).sketch(EVERYWHERE);
    const share = Number(/one in (\d+) of them/.exec(caption)?.[1]);
    expect(lines.length / 4).toBeLessThanOrEqual(600);
    expect((lines.length / 4) * share).toBeGreaterThan((2 * 20_000) / 32);
    expect(isCutShort).toBe(true);
  });
});

describe('the sketch of hot-pair', () => {
  test('joins those that wait for one another, once, and nobody else', () => {
    const world = new World({ detector: 'hot-pair' });
    world.addMany({ x: [0, 15, 300], y: [0, 1, 0], range: 10 });
    world.tick();
    const lines = linesOf(world.sketch(EVERYWHERE));
    // Fifteen apart: out of reach, and within twice that.
    expect(world.stats().relationCount).toBe(0);
    expect(lines.map(({ x1, x2 }) => [x1, x2].sort((a, b) => a - b))).toEqual([[0, 15]]);
    const around = (x: number) => world.sketch({ minX: x - 2, minY: -2, maxX: x + 2, maxY: 2 }).lines;
    expect([around(0).length, around(15).length, around(300).length]).toEqual([4, 4, 0]);
  });

  test('has cells that hold everyone but the few that reach far', () => {
    for (const count of [100, 700]) {
      const world = crowd('hot-pair', count, 150);
      const far = Number(/(\d+) reach farther/.exec(world.describe())?.[1]);
      expect(sumOf(world.sketch(EVERYWHERE)) + far).toBe(count);
    }
  });

  test('thins the pairs of a crowd, keeps those that it drew, and says by how much', () => {
    const world = crowd('hot-pair', 2000, 100);
    const { lines, caption, isCutShort } = world.sketch(EVERYWHERE);
    const share = Number(/one hot pair in (\d+)/.exec(caption)?.[1]);
    expect(share).toBeGreaterThan(1);
    expect(isCutShort).toBe(true);
    expect(lines.length / 4).toBeGreaterThan(1000);
    expect(lines.length / 4).toBeLessThan(5000);
    world.move(world.ids()[0] as number, 0, 0);
    world.tick();
    const after = new Set(linesOf(world.sketch(EVERYWHERE)).map((line) => Object.values(line).join(' ')));
    const kept = linesOf({ lines } as StructureSketch).filter((line) =>
      after.has(Object.values(line).join(' ')),
    );
    expect(kept.length).toBeGreaterThan((lines.length / 4) * 0.95);
  });
});

describe('the sketch of quadtree', () => {
  test('has smaller cells where many stand', () => {
    const world = new World({ detector: 'quadtree' });
    const random = randomFrom(5);
    for (let i = 0; i < 400; i++) world.add({ x: random() * 10, y: random() * 10, range: 1 });
    for (let i = 0; i < 400; i++) world.add({ x: random() * 1000, y: random() * 1000, range: 1 });
    world.tick();
    const edgeAt = (x: number, y: number) => {
      const [cell] = cellsOf(world.sketch({ minX: x, minY: y, maxX: x, maxY: y }));
      return (cell?.maxX ?? 0) - (cell?.minX ?? 0);
    };
    expect(edgeAt(5, 5)).toBeGreaterThan(0);
    expect(edgeAt(500.1, 500.1)).toBeGreaterThan(8 * edgeAt(5, 5));
  });

  test('has cells that do not lie on one another', () => {
    const cells = cellsOf(crowd('quadtree', 1000, 100).sketch(EVERYWHERE));
    for (const one of cells) {
      const overlapping = cells.filter(
        (other) =>
          other.minX < one.maxX && other.maxX > one.minX && other.minY < one.maxY && other.maxY > one.minY,
      );
      expect(overlapping).toEqual([one]);
    }
  });
});

test('brute-force has no picture, and says so by having no caption', () => {
  const world = crowd('brute-force', 20, 10);
  expect(world.sketch(EVERYWHERE)).toMatchObject({ cells: [], lines: [], caption: '', isCutShort: false });
});
