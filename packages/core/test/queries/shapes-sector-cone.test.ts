/**
 * Sectors and cones, exhaustively on lattices.
 *
 * The cosine of half a width that is a multiple of 30 or 45 degrees has a rational square, so for an axis of integers
 * the question whether a lattice point is within it has an exact answer in integers, points on the edge included:
 * dot >= 0 and dot^2 >= cos^2 * |axis|^2 * |point|^2. Elsewhere an arc cosine decides, away from the edge.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prepareShape } from '../../src/queries/shape.ts';

const lattice = [-4, -3, -2, -1, 0, 1, 2, 3, 4];
/** Evenly spread, with a few of the tiny and round numbers that break things. */
function spread(min: number, max: number): fc.Arbitrary<number> {
  const even = fc.integer({ min: 0, max: 1e9 }).map((i) => min + ((max - min) * i) / 1e9);
  return fc.oneof(
    { weight: 4, arbitrary: even },
    { weight: 1, arbitrary: fc.double({ min, max, noNaN: true }) },
  );
}

const coordinate = spread(-20, 20);
const radii = spread(1, 20);
const angles = spread(-10, 10);

/** Widths with the square of the cosine of their half, in twelfths. */
const WIDTHS = [
  { degrees: 0, twelfths: 12 },
  { degrees: 60, twelfths: 9 },
  { degrees: 90, twelfths: 6 },
  { degrees: 120, twelfths: 3 },
  { degrees: 180, twelfths: 0 },
  { degrees: 240, twelfths: 3 },
  { degrees: 270, twelfths: 6 },
  { degrees: 300, twelfths: 9 },
  { degrees: 360, twelfths: 12 },
];

/** Whether integers say that a point is within half of `degrees` of the axis. The apex is. */
function isWithin(degrees: number, twelfths: number, dot: number, squares: number): boolean {
  if (squares === 0) return true;
  if (degrees < 180) return dot >= 0 && 12 * dot * dot >= twelfths * squares;
  if (degrees === 180) return dot >= 0;
  return dot >= 0 || 12 * dot * dot <= twelfths * squares;
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const rounded = (bounds: readonly number[]) => bounds.map((bound) => Math.round(bound * 1e9) / 1e9 + 0);

/** The float32 next to a positive `value`, upward: the nearest an entity can stand beyond it. */
function nextFloat32(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer);
  bits[0] += 1;
  return new Float32Array(bits.buffer)[0];
}

describe('a sector', () => {
  test.each(WIDTHS)('of $degrees degrees contains exactly the lattice points that integers say', (width) => {
    const { degrees, twelfths } = width;
    for (const axisX of lattice) {
      for (const axisY of lattice) {
        if (axisX === 0 && axisY === 0) continue;
        const wholeTurns = [0, 1, -1, 3, -1000][Math.abs(axisX + axisY) % 5];
        const direction = Math.atan2(axisY, axisX) + wholeTurns * 2 * Math.PI;
        const shape = { kind: 'sector' as const, x: 1, y: -2, radius: 5, direction, width: radians(degrees) };
        const { contains } = prepareShape(shape, 2);
        for (const dx of lattice) {
          for (const dy of lattice) {
            const distanceSquared = dx * dx + dy * dy;
            const squares = distanceSquared * (axisX * axisX + axisY * axisY);
            const expected =
              distanceSquared <= 25 && isWithin(degrees, twelfths, dx * axisX + dy * axisY, squares);
            expect([axisX, axisY, dx, dy, contains(1 + dx, -2 + dy, 0)]).toEqual([
              axisX,
              axisY,
              dx,
              dy,
              expected,
            ]);
          }
        }
      }
    }
  });

  test('ends one float32 beyond its edges at the latest', () => {
    const sector = { kind: 'sector' as const, x: 0, y: 0, radius: 2000, direction: 0, width: Math.PI / 2 };
    const { contains } = prepareShape(sector, 2);
    expect(contains(1000, 1000, 0)).toBe(true);
    expect(contains(1000, -1000, 0)).toBe(true);
    expect(contains(1000, nextFloat32(1000), 0)).toBe(false);
    expect(contains(1000, -nextFloat32(1000), 0)).toBe(false);
    expect(contains(2000, 0, 0)).toBe(true);
    expect(contains(nextFloat32(2000), 0, 0)).toBe(false);
  });

  test('that looks along -x joins both sides of the half turn', () => {
    for (const direction of [Math.PI, -Math.PI, 3 * Math.PI, -7 * Math.PI]) {
      const sector = { kind: 'sector' as const, x: 0, y: 0, radius: 9, direction, width: Math.PI / 2 };
      const { contains } = prepareShape(sector, 2);
      const near = [
        [-1, 0],
        [-1, -0],
        [-4, 4],
        [-4, -4],
        [-5, 1e-30],
        [-5, -1e-30],
      ] as const;
      expect(near.map(([x, y]) => contains(x, y, 0))).toEqual(near.map(() => true));
      expect(contains(1, 0, 0)).toBe(false);
      expect(contains(-3, 4, 0)).toBe(false);
      expect(contains(-3, -4, 0)).toBe(false);
    }
  });

  test('of width 0 is a ray as long as its radius, and nothing behind', () => {
    const direction = Math.atan2(4, 3);
    const { contains } = prepareShape({ kind: 'sector', x: 0, y: 0, radius: 10, direction, width: 0 }, 2);
    expect([0, 1, 2].map((t) => contains(3 * t, 4 * t, 0))).toEqual([true, true, true]);
    expect(contains(9, 12, 0)).toBe(false);
    expect(contains(-3, -4, 0)).toBe(false);
    expect(contains(3, nextFloat32(4), 0)).toBe(false);
  });

  test('of a full turn or more is a circle', () => {
    for (const width of [2 * Math.PI, 7, 1e12]) {
      const { contains, minX, maxY } = prepareShape(
        { kind: 'sector', x: 0, y: 0, radius: 5, direction: 1, width },
        2,
      );
      expect(contains(-3, -4, 0)).toBe(true);
      expect(contains(-4, -4, 0)).toBe(false);
      expect(rounded([minX, maxY])).toEqual([-5, 5]);
    }
  });

  test('of radius 0 is its apex', () => {
    const { contains } = prepareShape({ kind: 'sector', x: 3, y: 4, radius: 0, direction: 1, width: 1 }, 2);
    expect(contains(3, 4, 0)).toBe(true);
    expect(contains(nextFloat32(3), nextFloat32(4), 0)).toBe(false);
  });

  test.each([
    { direction: 0, width: 90, bounds: [0, -Math.SQRT2, 2, Math.SQRT2] },
    { direction: 45, width: 90, bounds: [0, 0, 2, 2] },
    { direction: 45, width: 30, bounds: [0, 0, Math.sqrt(3), Math.sqrt(3)] },
    { direction: 180, width: 60, bounds: [-2, -1, 0, 1] },
    { direction: -180, width: 60, bounds: [-2, -1, 0, 1] },
    { direction: 270, width: 180, bounds: [-2, -2, 2, 0] },
    { direction: 90, width: 240, bounds: [-2, -1, 2, 2] },
    { direction: 135, width: 0, bounds: [-Math.SQRT2, 0, 0, Math.SQRT2] },
    { direction: 10, width: 360, bounds: [-2, -2, 2, 2] },
  ])('towards $direction degrees, $width wide, has tight bounds', ({ direction, width, bounds }) => {
    const angle = { direction: radians(direction), width: radians(width) };
    const { minX, minY, maxX, maxY } = prepareShape({ kind: 'sector', x: 10, y: 20, radius: 2, ...angle }, 2);
    expect(rounded([minX - 10, minY - 20, maxX - 10, maxY - 20])).toEqual(rounded(bounds));
  });

  const sectors = fc.record({
    x: coordinate,
    y: coordinate,
    radius: radii,
    direction: angles,
    width: spread(0, 6.2),
  });
  const offset = fc.tuple(coordinate, coordinate);

  /** Inside or not by arc cosine; undefined near an edge. */
  function byArcCosine(sector: { radius: number; direction: number; width: number }, dx: number, dy: number) {
    const distance = Math.hypot(dx, dy);
    const cosine = (dx * Math.cos(sector.direction) + dy * Math.sin(sector.direction)) / distance;
    const beyond = Math.acos(Math.max(-1, Math.min(1, cosine))) - sector.width / 2;
    if (distance < 1e-6 || Math.abs(beyond) < 1e-6 || Math.abs(distance - sector.radius) < 1e-9)
      return undefined;
    return distance < sector.radius && beyond < 0;
  }

  test('is where an arc cosine says, on random points', () => {
    fc.assert(
      fc.property(sectors, offset, (sector, [dx, dy]) => {
        const expected = byArcCosine(sector, dx, dy);
        fc.pre(expected !== undefined);
        const { contains } = prepareShape({ kind: 'sector', ...sector }, 2);
        expect(contains(sector.x + dx, sector.y + dy, 0)).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });

  test('turned with its surroundings contains the same', () => {
    fc.assert(
      fc.property(sectors, offset, angles, (sector, [dx, dy], turn) => {
        fc.pre(byArcCosine(sector, dx, dy) !== undefined);
        const turnedX = dx * Math.cos(turn) - dy * Math.sin(turn);
        const turnedY = dx * Math.sin(turn) + dy * Math.cos(turn);
        const turned = prepareShape({ kind: 'sector', ...sector, direction: sector.direction + turn }, 2);
        const { contains } = prepareShape({ kind: 'sector', ...sector }, 2);
        expect(turned.contains(sector.x + turnedX, sector.y + turnedY, 0)).toBe(
          contains(sector.x + dx, sector.y + dy, 0),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a cone', () => {
  const short = [-2, -1, 0, 1, 2];

  test.each(WIDTHS)('of $degrees degrees contains exactly the lattice points that integers say', (width) => {
    const { degrees, twelfths } = width;
    const points = short.flatMap((dx) => short.flatMap((dy) => short.map((dz) => [dx, dy, dz] as const)));
    const wrong: unknown[] = [];
    for (const [axisX, axisY, axisZ] of points) {
      if (axisX === 0 && axisY === 0 && axisZ === 0) continue;
      const axis = { dx: axisX * 0.37, dy: axisY * 0.37, dz: axisZ * 0.37 };
      const apex = { x: 1, y: -2, z: 3 };
      const { contains } = prepareShape(
        { kind: 'cone', ...apex, ...axis, radius: 3, width: radians(degrees) },
        3,
      );
      for (const [dx, dy, dz] of points) {
        const distanceSquared = dx * dx + dy * dy + dz * dz;
        const dot = dx * axisX + dy * axisY + dz * axisZ;
        const squares = distanceSquared * (axisX * axisX + axisY * axisY + axisZ * axisZ);
        const expected = distanceSquared <= 9 && isWithin(degrees, twelfths, dot, squares);
        if (contains(1 + dx, dy - 2, 3 + dz) !== expected) wrong.push([axisX, axisY, axisZ, dx, dy, dz]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('has an axis of any length', () => {
    for (const length of [5e-324, 1e-320, 1e-200, 1e-3, 1e12, 1e200, 1.7e308]) {
      const axis = { dx: length, dy: -length, dz: 0 };
      const cone = { kind: 'cone' as const, x: 0, y: 0, z: 0, ...axis, radius: 5, width: Math.PI / 2 };
      const { contains, minX, minY, minZ, maxX, maxY, maxZ } = prepareShape(cone, 3);
      expect(contains(1, 0, 0)).toBe(true);
      expect(contains(0, -1, 0)).toBe(true);
      expect(contains(2, -2, 2)).toBe(true);
      expect(contains(0, 1, 0)).toBe(false);
      expect(contains(1, -1, 2)).toBe(false);
      const side = 5 * Math.SQRT1_2;
      expect(rounded([minX, minY, minZ, maxX, maxY, maxZ])).toEqual(rounded([0, -5, -side, 5, 0, side]));
    }
  });

  test('ends one float32 beyond its edges at the latest', () => {
    const axis = { dx: 0, dy: 0, dz: 3 };
    const cone = { kind: 'cone' as const, x: 0, y: 0, z: 0, ...axis, radius: 2000, width: Math.PI / 2 };
    const { contains } = prepareShape(cone, 3);
    expect(contains(600, 800, 1000)).toBe(true);
    expect(contains(600, nextFloat32(800), 1000)).toBe(false);
    expect(contains(0, 0, 2000)).toBe(true);
    expect(contains(0, 0, nextFloat32(2000))).toBe(false);
  });

  test('of width 0 is a ray, and nothing behind or beside', () => {
    const axis = { dx: 1, dy: 2, dz: 3 };
    const { contains } = prepareShape({ kind: 'cone', x: 5, y: 5, z: 5, ...axis, radius: 10, width: 0 }, 3);
    expect([0, 0.5, 1, 2].map((t) => contains(5 + t, 5 + 2 * t, 5 + 3 * t))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(contains(8, 11, 14)).toBe(false);
    expect(contains(4, 3, 2)).toBe(false);
    expect(contains(6, 7, nextFloat32(8))).toBe(false);
  });

  test('of a full turn or more is a sphere', () => {
    const axis = { dx: 1, dy: 2, dz: 3 };
    for (const width of [2 * Math.PI, 7]) {
      const { contains } = prepareShape({ kind: 'cone', x: 0, y: 0, z: 0, ...axis, radius: 3, width }, 3);
      expect(contains(-1, -2, -2)).toBe(true);
      expect(contains(-1, -2, -3)).toBe(false);
    }
  });

  test('of radius 0 is its apex, also where squares vanish', () => {
    const axis = { dx: 1, dy: 0, dz: 0 };
    const { contains } = prepareShape({ kind: 'cone', x: 3, y: 4, z: 5, ...axis, radius: 0, width: 0 }, 3);
    expect(contains(3, 4, 5)).toBe(true);
    expect(contains(nextFloat32(3), 4, 5)).toBe(false);
    const near = prepareShape({ kind: 'cone', x: 1e-200, y: 0, z: 0, ...axis, radius: 1, width: 1 }, 3);
    expect(near.contains(0, 0, 0)).toBe(true);
  });

  const cones = fc
    .record({
      x: coordinate,
      y: coordinate,
      z: coordinate,
      dx: coordinate,
      dy: coordinate,
      dz: coordinate,
      radius: radii,
      width: spread(0, 6.2),
    })
    .filter(({ dx, dy, dz }) => Math.hypot(dx, dy, dz) > 1e-3);

  /** Inside or not by turning the axis into +x and reading the latitude there; undefined near an edge. */
  function byTurning(
    cone: { dx: number; dy: number; dz: number; radius: number; width: number },
    [dx, dy, dz]: readonly [number, number, number],
  ) {
    const yaw = Math.atan2(cone.dy, cone.dx);
    const pitch = Math.atan2(cone.dz, Math.hypot(cone.dx, cone.dy));
    const level = dx * Math.cos(yaw) + dy * Math.sin(yaw);
    const ahead = level * Math.cos(pitch) + dz * Math.sin(pitch);
    const distance = Math.hypot(dx, dy, dz);
    const beyond = Math.acos(Math.max(-1, Math.min(1, ahead / distance))) - cone.width / 2;
    if (distance < 1e-6 || Math.abs(beyond) < 1e-6 || Math.abs(distance - cone.radius) < 1e-9)
      return undefined;
    return distance < cone.radius && beyond < 0;
  }

  test('is where its latitude says, on random points', () => {
    fc.assert(
      fc.property(cones, fc.tuple(coordinate, coordinate, coordinate), (cone, offset) => {
        const expected = byTurning(cone, offset);
        fc.pre(expected !== undefined);
        const { contains } = prepareShape({ kind: 'cone', ...cone }, 3);
        expect(contains(cone.x + offset[0], cone.y + offset[1], cone.z + offset[2])).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });

  test('along the plane is a sector there', () => {
    const plane = fc.record({
      radius: radii,
      direction: angles,
      width: spread(0, 7),
    });
    fc.assert(
      fc.property(plane, coordinate, coordinate, ({ radius, direction, width }, x, y) => {
        fc.pre(Math.hypot(x, y) > 1e-100);
        const axis = { dx: Math.cos(direction), dy: Math.sin(direction), dz: 0 };
        const turn = Math.abs(Math.atan2(y, x) - direction) % (2 * Math.PI);
        fc.pre(Math.abs(Math.min(turn, 2 * Math.PI - turn) - width / 2) > 1e-9);
        const cone = prepareShape({ kind: 'cone', x: 0, y: 0, z: 0, ...axis, radius, width }, 3);
        const sector = prepareShape({ kind: 'sector', x: 0, y: 0, radius, direction, width }, 2);
        expect(cone.contains(x, y, 0)).toBe(sector.contains(x, y, 0));
      }),
      { numRuns: 2000 },
    );
  });
});
