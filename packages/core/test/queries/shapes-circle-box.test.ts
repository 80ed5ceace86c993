/**
 * Circles, spheres and boxes against integers where edges are exact, and against polygons where they turn.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prepareShape } from '../../src/queries/shape.ts';

const lattice = Array.from({ length: 15 }, (_, i) => i - 7);
/** Evenly spread, with a few of the tiny and round numbers that break things. */
function spread(min: number, max: number): fc.Arbitrary<number> {
  const even = fc.integer({ min: 0, max: 1e9 }).map((i) => min + ((max - min) * i) / 1e9);
  return fc.oneof(
    { weight: 4, arbitrary: even },
    { weight: 1, arbitrary: fc.double({ min, max, noNaN: true }) },
  );
}

const coordinate = spread(-20, 20);
const halfSize = spread(0.1, 10);

/** The float32 next to a positive `value`, upward: the nearest an entity can stand beyond it. */
function nextFloat32(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer);
  bits[0] += 1;
  return new Float32Array(bits.buffer)[0];
}

describe('a circle', () => {
  test('contains exactly the lattice points that integers say', () => {
    for (const radius of [0, 1, 2, 5, 6]) {
      const { contains } = prepareShape({ kind: 'circle', x: 1, y: -2, radius }, 2);
      for (const x of lattice) {
        for (const y of lattice) {
          expect(contains(x, y, 0)).toBe((x - 1) ** 2 + (y + 2) ** 2 <= radius ** 2);
        }
      }
    }
  });

  test('ends with its radius, not one float32 later', () => {
    const { contains } = prepareShape({ kind: 'circle', x: 0, y: 0, radius: 1000 }, 2);
    expect(contains(600, 800, 0)).toBe(true);
    expect(contains(600, nextFloat32(800), 0)).toBe(false);
    expect(contains(nextFloat32(1000), 0, 0)).toBe(false);
  });

  test('of radius 0 is its centre', () => {
    const { contains } = prepareShape({ kind: 'circle', x: 3, y: 4, radius: 0 }, 2);
    expect(contains(3, 4, 0)).toBe(true);
    expect(contains(3, nextFloat32(4), 0)).toBe(false);
  });

  test('has its diameter for bounds', () => {
    const { minX, minY, maxX, maxY } = prepareShape({ kind: 'circle', x: 10, y: -20, radius: 5 }, 2);
    expect([minX, minY, maxX, maxY].map((bound) => Math.round(bound * 1e9) / 1e9)).toEqual([5, -25, 15, -15]);
  });

  test('is where the hypotenuse says, on random points', () => {
    fc.assert(
      fc.property(coordinate, coordinate, halfSize, coordinate, coordinate, (cx, cy, radius, x, y) => {
        const excess = Math.hypot(x - cx, y - cy) - radius;
        fc.pre(Math.abs(excess) > 1e-9);
        expect(prepareShape({ kind: 'circle', x: cx, y: cy, radius }, 2).contains(x, y, 0)).toBe(excess < 0);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a sphere', () => {
  test('contains exactly the lattice points that integers say', () => {
    for (const radius of [0, 1, 3, 6]) {
      const { contains } = prepareShape({ kind: 'sphere', x: 1, y: -2, z: 3, radius }, 3);
      for (const x of lattice) {
        for (const y of lattice) {
          for (const z of lattice) {
            expect(contains(x, y, z)).toBe((x - 1) ** 2 + (y + 2) ** 2 + (z - 3) ** 2 <= radius ** 2);
          }
        }
      }
    }
  });
});

describe('an unturned box', () => {
  test('contains exactly the lattice points between its edges, edges included', () => {
    for (const angle of [undefined, 0, -0]) {
      const box = { kind: 'box' as const, x: 1, y: -2, halfWidth: 4, halfHeight: 2 };
      const { contains } = prepareShape(angle === undefined ? box : { ...box, angle }, 2);
      for (const x of lattice) {
        for (const y of lattice) expect(contains(x, y, 0)).toBe(x >= -3 && x <= 5 && y >= -4 && y <= 0);
      }
    }
  });

  test('is not a float64 larger than given', () => {
    const { contains } = prepareShape({ kind: 'box', x: 0, y: 0, halfWidth: 1, halfHeight: 1 }, 2);
    expect(contains(1, -1, 0)).toBe(true);
    expect(contains(1 + Number.EPSILON, 0, 0)).toBe(false);
    expect(contains(0, -1 - Number.EPSILON, 0)).toBe(false);
  });

  test('in 3-D ends exactly above and below too', () => {
    const depth = { z: 5, halfDepth: 2 };
    for (const angle of [0, 1]) {
      const box = { kind: 'box' as const, x: 0, y: 0, halfWidth: 1, halfHeight: 1, ...depth, angle };
      const { contains, minZ, maxZ } = prepareShape(box, 3);
      expect([3, 5, 7].map((z) => contains(0, 0, z))).toEqual([true, true, true]);
      expect(contains(0, 0, 7 + 8 * Number.EPSILON)).toBe(false);
      expect(contains(0, 0, 3 - 8 * Number.EPSILON)).toBe(false);
      expect(contains(2, 0, 5)).toBe(false);
      expect([minZ, maxZ].map((bound) => Math.round(bound * 1e9) / 1e9)).toEqual([3, 7]);
    }
  });

  test('of no size is its centre, of no height a line', () => {
    const point = prepareShape({ kind: 'box', x: 3, y: 4, halfWidth: 0, halfHeight: 0 }, 2);
    expect(point.contains(3, 4, 0)).toBe(true);
    expect(point.contains(nextFloat32(3), 4, 0)).toBe(false);
    const line = prepareShape({ kind: 'box', x: 3, y: 4, halfWidth: 2, halfHeight: 0 }, 2);
    expect(line.contains(5, 4, 0)).toBe(true);
    expect(line.contains(5, nextFloat32(4), 0)).toBe(false);
  });
});

describe('a turned box', () => {
  /** Directions that integers can follow: cos and sin are over / length. */
  const turns = [
    { over: 1, up: 1, length: Math.SQRT2 },
    { over: 4, up: 3, length: 5 },
    { over: -12, up: 5, length: 13 },
    { over: 0, up: -1, length: 1 },
    { over: -1, up: 0, length: 1 },
  ];

  test.each(turns)('by the angle of $over, $up contains the lattice points on its edges', (turn) => {
    const { over, up, length } = turn;
    for (const wholeTurns of [0, 1, -3, 50]) {
      const angle = Math.atan2(up, over) + wholeTurns * 2 * Math.PI;
      for (const [along, across] of [
        [10, 5],
        [17, 0],
        [0, 0],
        [4, 26],
      ] as const) {
        const sizes = { halfWidth: along / length, halfHeight: across / length };
        const { contains } = prepareShape({ kind: 'box', x: 1, y: -2, ...sizes, angle }, 2);
        for (const x of lattice) {
          for (const y of lattice) {
            const isAlong = Math.abs((x - 1) * over + (y + 2) * up) <= along;
            const isAcross = Math.abs((y + 2) * over - (x - 1) * up) <= across;
            expect(contains(x, y, 0)).toBe(isAlong && isAcross);
          }
        }
      }
    }
  });

  test('ends one float32 beyond its edges at the latest', () => {
    const sizes = { halfWidth: 1000 * Math.SQRT1_2, halfHeight: 1000 * Math.SQRT1_2 };
    const { contains } = prepareShape({ kind: 'box', x: 0, y: 0, ...sizes, angle: Math.PI / 4 }, 2);
    expect(contains(400, 600, 0)).toBe(true);
    expect(contains(400, nextFloat32(600), 0)).toBe(false);
    expect(contains(-1000, 0, 0)).toBe(true);
    expect(contains(-nextFloat32(1000), 0, 0)).toBe(false);
  });

  test('turned by quarters swaps its sides', () => {
    const box = { kind: 'box' as const, x: 0, y: 0, halfWidth: 3, halfHeight: 1 };
    const quarter = prepareShape({ ...box, angle: Math.PI / 2 }, 2);
    expect(quarter.contains(1, 3, 0)).toBe(true);
    expect(quarter.contains(3, 1, 0)).toBe(false);
    expect([quarter.maxX, quarter.maxY].map((bound) => Math.round(bound * 1e9) / 1e9)).toEqual([1, 3]);
  });

  const boxes = fc.record({
    x: coordinate,
    y: coordinate,
    halfWidth: halfSize,
    halfHeight: halfSize,
    angle: spread(-10, 10),
  });
  const offset = fc.tuple(coordinate, coordinate);

  /** How far a point is out of the polygon of the box's corners; negative inside. */
  function excessOfPolygon(box: {
    x: number;
    y: number;
    halfWidth: number;
    halfHeight: number;
    angle: number;
  }) {
    const axis = [Math.cos(box.angle), Math.sin(box.angle)] as const;
    const corners = (
      [
        [1, 1],
        [-1, 1],
        [-1, -1],
        [1, -1],
      ] as const
    ).map(([width, height]) => ({
      x: box.x + width * box.halfWidth * axis[0] - height * box.halfHeight * axis[1],
      y: box.y + width * box.halfWidth * axis[1] + height * box.halfHeight * axis[0],
    }));
    return (x: number, y: number) =>
      Math.max(
        ...corners.map((from, i) => {
          const to = corners[(i + 1) % 4];
          const cross = (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);
          return -cross / Math.hypot(to.x - from.x, to.y - from.y);
        }),
      );
  }

  test('is the polygon of its corners, on random points', () => {
    fc.assert(
      fc.property(boxes, offset, (box, [dx, dy]) => {
        const [x, y] = [box.x + dx, box.y + dy];
        const excess = excessOfPolygon(box)(x, y);
        fc.pre(Math.abs(excess) > 1e-9);
        expect(prepareShape({ kind: 'box', ...box }, 2).contains(x, y, 0)).toBe(excess < 0);
      }),
      { numRuns: 3000 },
    );
  });

  test('turned with its surroundings contains the same', () => {
    const turn = spread(-10, 10);
    fc.assert(
      fc.property(boxes, offset, turn, (box, [dx, dy], angle) => {
        fc.pre(Math.abs(excessOfPolygon(box)(box.x + dx, box.y + dy)) > 1e-9);
        const turned = (x: number, y: number) =>
          [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)] as const;
        const [centreX, centreY] = turned(box.x, box.y);
        const [x, y] = turned(box.x + dx, box.y + dy);
        const other = { ...box, x: centreX, y: centreY, angle: box.angle + angle };
        const depth = { z: 0, halfDepth: 1 };
        expect(prepareShape({ kind: 'box', ...other, ...depth }, 3).contains(x, y, 1)).toBe(
          prepareShape({ kind: 'box', ...box }, 2).contains(box.x + dx, box.y + dy, 0),
        );
      }),
      { numRuns: 2000 },
    );
  });
});
