/**
 * Capsules, exhaustively on lattices against integers, and against a search along the segment elsewhere.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prepareShape } from '../../src/queries/shape.ts';

/** Evenly spread, with a few of the tiny and round numbers that break things. */
function spread(min: number, max: number): fc.Arbitrary<number> {
  const even = fc.integer({ min: 0, max: 1e9 }).map((i) => min + ((max - min) * i) / 1e9);
  return fc.oneof(
    { weight: 4, arbitrary: even },
    { weight: 1, arbitrary: fc.double({ min, max, noNaN: true }) },
  );
}

const coordinate = spread(-20, 20);
const point = fc.tuple(coordinate, coordinate, coordinate);
type Point = readonly [x: number, y: number, z: number];

/** In integers: nearest to an end, that distance; in between, |d|^2 - (d . axis)^2 / |axis|^2, cleared of the fraction. */
function isNear([x, y, z]: Point, [x1, y1, z1]: Point, [x2, y2, z2]: Point, radius: number): boolean {
  const lengthSquared = (x2 - x1) ** 2 + (y2 - y1) ** 2 + (z2 - z1) ** 2;
  const dot = (x - x1) * (x2 - x1) + (y - y1) * (y2 - y1) + (z - z1) * (z2 - z1);
  const toFirst = (x - x1) ** 2 + (y - y1) ** 2 + (z - z1) ** 2;
  const toSecond = (x - x2) ** 2 + (y - y2) ** 2 + (z - z2) ** 2;
  if (toFirst <= radius ** 2 || toSecond <= radius ** 2) return true;
  if (dot <= 0 || dot >= lengthSquared) return false;
  return toFirst * lengthSquared - dot ** 2 <= radius ** 2 * lengthSquared;
}

/** The distance to the segment, which falls and rises along it: the lowest by thirds. */
function distanceBySearch(from: Point, first: Point, second: Point): number {
  const at = (t: number) =>
    Math.hypot(...from.map((value, axis) => first[axis] + t * (second[axis] - first[axis]) - value));
  let low = 0;
  let high = 1;
  for (let i = 0; i < 200; i++) {
    const third = (high - low) / 3;
    if (at(low + third) <= at(high - third)) high -= third;
    else low += third;
  }
  return at((low + high) / 2);
}

function flat([x1, y1]: Point, [x2, y2]: Point, radius: number) {
  return prepareShape({ kind: 'capsule', x1, y1, x2, y2, radius }, 2);
}

function solid([x1, y1, z1]: Point, [x2, y2, z2]: Point, radius: number) {
  return prepareShape({ kind: 'capsule', x1, y1, z1, x2, y2, z2, radius }, 3);
}

/** The float32 next to a positive `value`, upward: the nearest an entity can stand beyond it. */
function nextFloat32(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer);
  bits[0] += 1;
  return new Float32Array(bits.buffer)[0];
}

describe('a capsule', () => {
  test('contains exactly the lattice points that integers say', () => {
    const ends = [-3, -2, -1, 0, 1, 2, 3, 4];
    const reach = Array.from({ length: 18 }, (_, i) => i - 8);
    const wrong: unknown[] = [];
    for (const x2 of ends) {
      for (const y2 of ends) {
        for (const radius of [0, 1, 2, 5]) {
          const { contains } = flat([1, -1, 0], [x2, y2, 0], radius);
          for (const x of reach) {
            for (const y of reach) {
              const expected = isNear([x, y, 0], [1, -1, 0], [x2, y2, 0], radius);
              if (contains(x, y, 0) !== expected) wrong.push([x2, y2, radius, x, y]);
            }
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test('in 3-D contains exactly the lattice points that integers say', () => {
    const ends = [-2, -1, 0, 1, 2];
    const reach = [-4, -3, -2, -1, 0, 1, 2, 3, 4];
    const wrong: unknown[] = [];
    for (const x2 of ends) {
      for (const y2 of ends) {
        for (const z2 of ends) {
          for (const radius of [0, 1, 3]) {
            const { contains } = solid([1, -1, 0], [x2, y2, z2], radius);
            for (const x of reach) {
              for (const y of reach) {
                for (const z of reach) {
                  const expected = isNear([x, y, z], [1, -1, 0], [x2, y2, z2], radius);
                  if (contains(x, y, z) !== expected) wrong.push([x2, y2, z2, radius, x, y, z]);
                }
              }
            }
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test('parallel to an axis is not a float64 thicker than given', () => {
    const thick = 1.9;
    const beyond = thick + Number.EPSILON;
    for (let sevenths = 1; sevenths <= 50; sevenths++) {
      const [length, half] = [sevenths / 7, sevenths / 14];
      const along = flat([0, 0, 0], [length, 0, 0], thick);
      expect([along.contains(half, thick, 0), along.contains(half, -thick, 0)]).toEqual([true, true]);
      expect([along.contains(half, beyond, 0), along.contains(half, -beyond, 0)]).toEqual([false, false]);
      const back = flat([0, 0, 0], [0, -length, 0], thick);
      expect([back.contains(thick, -half, 0), back.contains(beyond, -half, 0)]).toEqual([true, false]);
      const up = solid([0, 0, 0], [0, 0, length], 5);
      expect([up.contains(3, 4, half), up.contains(3, 4 + 4 * Number.EPSILON, half)]).toEqual([true, false]);
    }
  });

  test('slanted includes its sides where their distance is no round number', () => {
    const reach = [-4, -3, -2, -1, 0, 1, 2, 3, 4];
    const axes = [
      [3, 1, 0],
      [3, 3, 0],
      [-2, 5, 0],
      [4, -4, 0],
      [1, 2, 3],
      [-3, 1, 1],
    ] as const;
    const wrong: unknown[] = [];
    for (const [axisX, axisY, axisZ] of axes) {
      const lengthSquared = axisX ** 2 + axisY ** 2 + axisZ ** 2;
      for (let product = 0; product < 30; product++) {
        const radius = Math.sqrt(product / lengthSquared);
        const inSpace = solid([0, 0, 0], [axisX, axisY, axisZ], radius);
        const inPlane = flat([0, 0, 0], [axisX, axisY, 0], radius);
        for (const [x, y, z] of reach.flatMap((x) => reach.flatMap((y) => reach.map((z) => [x, y, z])))) {
          const dot = x * axisX + y * axisY + z * axisZ;
          if (dot <= 0 || dot >= lengthSquared) continue;
          const crossSquared = (x * x + y * y + z * z) * lengthSquared - dot * dot;
          const expected = crossSquared <= product;
          if (inSpace.contains(x, y, z) !== expected) wrong.push([axisX, axisY, axisZ, product, x, y, z]);
          if (axisZ === 0 && z === 0 && inPlane.contains(x, y, z) !== expected)
            wrong.push([axisX, axisY, product, x, y]);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test('slanted ends one float32 beyond its sides at the latest', () => {
    // 3000 across the direction (4000, 3000) / 5000 from its middle is (2000 - 1800, 1500 + 2400).
    const { contains } = flat([0, 0, 0], [4000, 3000, 0], 3000);
    expect(contains(200, 3900, 0)).toBe(true);
    expect(contains(200, nextFloat32(3900), 0)).toBe(false);
    const segment = solid([0, 0, 0], [3, 1, 2], 0);
    expect(segment.contains(1.5, 0.5, 1)).toBe(true);
    expect(segment.contains(1.5, nextFloat32(0.5), 1)).toBe(false);
  });

  test('of radius 0 is the segment, ends included', () => {
    const { contains } = flat([1, 2, 0], [7, 5, 0], 0);
    expect(contains(1, 2, 0)).toBe(true);
    expect(contains(7, 5, 0)).toBe(true);
    expect(contains(3, 3, 0)).toBe(true);
    expect(contains(-1, 1, 0)).toBe(false);
    expect(contains(9, 6, 0)).toBe(false);
    expect(contains(3, nextFloat32(3), 0)).toBe(false);
  });

  test('of no length is a circle or a sphere', () => {
    const circle = flat([3, 4, 0], [3, 4, 0], 5);
    expect([circle.contains(0, 0, 0), circle.contains(-Number.EPSILON, 0, 0)]).toEqual([true, true]);
    expect(circle.contains(0, -1e-6, 0)).toBe(false);
    const sphere = solid([1, 2, 2], [1, 2, 2], 3);
    expect([sphere.contains(0, 0, 0), sphere.contains(0, -1e-6, 0)]).toEqual([true, false]);
    const spot = flat([3, 4, 0], [3, 4, 0], 0);
    expect([spot.contains(3, 4, 0), spot.contains(3, nextFloat32(4), 0)]).toEqual([true, false]);
  });

  test('so short that squares vanish keeps both its ends', () => {
    const { contains } = flat([1e-200, 1e-200, 0], [0, 0, 0], 0);
    expect(contains(0, 0, 0)).toBe(true);
    expect(contains(1e-30, 0, 0)).toBe(false);
    const speck = solid([1e-161, 0, 1e-303], [0, 0, 0], 0);
    expect(speck.contains(0, 0, 0)).toBe(true);
    expect(speck.contains(1e-161, 0, -5e-20)).toBe(false);
  });

  test('has its ends and its radius for bounds', () => {
    const { minX, minY, minZ, maxX, maxY, maxZ } = solid([10, -3, 4], [-5, 8, 4], 2);
    const bounds = [minX, minY, minZ, maxX, maxY, maxZ].map((bound) => Math.round(bound * 1e9) / 1e9);
    expect(bounds).toEqual([-7, -5, 2, 12, 10, 6]);
  });

  test('is where a search along its segment says, on random points', () => {
    const radius = spread(0, 20);
    fc.assert(
      fc.property(point, point, point, radius, (first, second, from, reach) => {
        const excess = distanceBySearch(from, first, second) - reach;
        if (Math.abs(excess) > 1e-6) {
          expect(solid(first, second, reach).contains(...from)).toBe(excess < 0);
        }
        const flatten = ([x, y]: Point) => [x, y, 0] as const;
        const flatExcess = distanceBySearch(flatten(from), flatten(first), flatten(second)) - reach;
        if (Math.abs(flatExcess) > 1e-6) {
          expect(flat(first, second, reach).contains(...from)).toBe(flatExcess < 0);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('turned with its surroundings contains the same', () => {
    const angle = spread(-10, 10);
    const radius = spread(1, 20);
    fc.assert(
      fc.property(point, point, point, radius, angle, (first, second, from, reach, turn) => {
        fc.pre(Math.abs(distanceBySearch(from, first, second) - reach) > 1e-6);
        const turned = ([x, y, z]: Point): Point => {
          const [cosine, sine] = [Math.cos(turn), Math.sin(turn)];
          // About z, then the axes exchanged in a ring: a rotation that no axis survives.
          return [z, x * cosine - y * sine, x * sine + y * cosine];
        };
        expect(solid(turned(first), turned(second), reach).contains(...turned(from))).toBe(
          solid(first, second, reach).contains(...from),
        );
      }),
      { numRuns: 2000 },
    );
  });

  test('holds the same from either end', () => {
    const whole = fc.tuple(
      fc.integer({ min: -9, max: 9 }),
      fc.integer({ min: -9, max: 9 }),
      fc.integer({ min: -9, max: 9 }),
    );
    fc.assert(
      fc.property(whole, whole, whole, fc.integer({ min: 0, max: 9 }), (first, second, from, radius) => {
        expect(solid(first, second, radius).contains(...from)).toBe(
          solid(second, first, radius).contains(...from),
        );
      }),
      { numRuns: 2000 },
    );
  });
});
