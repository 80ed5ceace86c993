/**
 * What holds for every shape alike: bounds, mirrors, distance origins, and what is no shape.
 *
 * All shapes are star-shaped around their origin: from it, along any ray, there is one edge. Bisection down to
 * neighbouring floats finds the last point inside, which is where bounds that are a hair too small are caught, and shows
 * how far the shape really reaches, which is where bounds too large are.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UmweltError } from '../../src/errors.ts';
import { type PreparedShape, prepareShape, type Shape } from '../../src/queries/shape.ts';

type Dimensions = 2 | 3;
type Ray = readonly [dx: number, dy: number, dz: number];

/** Evenly spread, with a few of the tiny and round numbers that break things. */
function spread(min: number, max: number): fc.Arbitrary<number> {
  const even = fc.integer({ min: 0, max: 1e9 }).map((i) => min + ((max - min) * i) / 1e9);
  return fc.oneof(
    { weight: 4, arbitrary: even },
    { weight: 1, arbitrary: fc.double({ min, max, noNaN: true }) },
  );
}

const scale = fc.constantFrom(1e-6, 1e-3, 1, 1000, 1e6, 1e9);
const place = spread(-1, 1);
const size = fc.oneof(fc.constant(0), spread(0, 1));
const angle = fc.oneof(
  fc.integer({ min: -12, max: 12 }).map((eighths) => (eighths * Math.PI) / 4),
  spread(-100, 100),
);
const width = fc.oneof(
  fc.integer({ min: 0, max: 10 }).map((eighths) => (eighths * Math.PI) / 4),
  spread(0, 7),
);

/** A shape of any kind, `unit` in size, at most 3 units from 0. */
function shapes(unit: number, dimensions: Dimensions): fc.Arbitrary<Shape> {
  const flatAt = { x: place.map((x) => 3 * x * unit), y: place.map((y) => 3 * y * unit) };
  const solidAt = { ...flatAt, z: place.map((z) => 3 * z * unit) };
  const length = size.map((value) => value * unit);
  const box = { kind: fc.constant('box' as const), halfWidth: length, halfHeight: length, angle };
  const first = { x1: flatAt.x, y1: flatAt.y };
  const second = { x2: flatAt.x, y2: flatAt.y };
  const capsule = { kind: fc.constant('capsule' as const), ...first, ...second, radius: length };
  const axis = fc
    .tuple(place, place, place)
    .filter(([dx, dy, dz]) => dx !== 0 || dy !== 0 || dz !== 0)
    .map(([dx, dy, dz]) => ({ dx, dy, dz }));
  if (dimensions === 2) {
    return fc.oneof(
      fc.record({ kind: fc.constant('circle' as const), ...flatAt, radius: length }),
      fc.record({ ...box, ...flatAt }),
      fc.record({
        kind: fc.constant('sector' as const),
        ...flatAt,
        radius: length,
        direction: angle,
        width,
      }),
      fc.record(capsule),
    );
  }
  return fc.oneof(
    fc.record({ kind: fc.constant('sphere' as const), ...solidAt, radius: length }),
    fc.record({ ...box, ...solidAt, halfDepth: length }),
    fc
      .tuple(fc.record({ kind: fc.constant('cone' as const), ...solidAt, radius: length, width }), axis)
      .map(([cone, direction]) => ({ ...cone, ...direction })),
    fc.record({ ...capsule, z1: solidAt.z, z2: solidAt.z }),
  );
}

/** A shape, its unit, and a ray from its origin as a vector of about a unit. */
function cases(dimensions: Dimensions) {
  return scale.chain((unit) => {
    const shape = shapes(unit, dimensions);
    return fc.record({ unit: fc.constant(unit), shape, ray: fc.tuple(place, place, place) });
  });
}

function isWithinBounds(prepared: PreparedShape, x: number, y: number, z: number): boolean {
  const { minX, minY, minZ, maxX, maxY, maxZ } = prepared;
  return minX <= x && x <= maxX && minY <= y && y <= maxY && minZ <= z && z <= maxZ;
}

/** The last point inside along a ray from the origin, by bisection until no float is left in between. */
function lastInside(prepared: PreparedShape, ray: Ray, furthest: number) {
  const { originX, originY, originZ } = prepared;
  const at = (t: number) =>
    [originX + t * ray[0], originY + t * ray[1], originZ + t * ray[2]] as [number, number, number];
  let inside = 0;
  let outside = furthest;
  if (prepared.contains(...at(outside))) return at(outside);
  for (;;) {
    const middle = (inside + outside) / 2;
    if (middle === inside || middle === outside) return at(inside);
    if (prepared.contains(...at(middle))) inside = middle;
    else outside = middle;
  }
}

const evenly = Array.from({ length: 4000 }, (_, i) => {
  // Golden-angle spiral over the sphere; in 2-D its plain angles, flat.
  const z = 1 - (2 * i + 1) / 4000;
  const turn = i * Math.PI * (3 - Math.sqrt(5));
  const ring = Math.sqrt(1 - z * z);
  const flat = (i * 2 * Math.PI) / 4000;
  return {
    solid: [ring * Math.cos(turn), ring * Math.sin(turn), z] as const,
    flat: [Math.cos(flat), Math.sin(flat), 0] as const,
  };
});

/** A long capsule's far end is a small target: rays to just within what it reaches along each axis. */
function towardsFarEnd(shape: Shape): Ray[] {
  if (shape.kind !== 'capsule') return [];
  const { x1, y1, z1 = 0, x2, y2, z2 = 0 } = shape;
  const reach = 0.99 * shape.radius;
  const axes = [
    [reach, 0, 0],
    [0, reach, 0],
    [0, 0, reach],
  ] as const;
  const to = (dx: number, dy: number, dz: number): Ray => [x2 + dx - x1, y2 + dy - y1, z2 + dz - z1];
  return axes.flatMap(([dx, dy, dz]) => [to(dx, dy, dz), to(-dx, -dy, -dz)]);
}

describe.each([2, 3] as const)('a shape in %i-D', (dimensions) => {
  test('contains its origin', () => {
    fc.assert(
      fc.property(cases(dimensions), ({ shape }) => {
        const { contains, originX, originY, originZ } = prepareShape(shape, dimensions);
        expect(contains(originX, originY, originZ)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('holds the last float inside along any ray within its bounds', () => {
    fc.assert(
      fc.property(cases(dimensions), ({ shape, unit, ray }) => {
        const prepared = prepareShape(shape, dimensions);
        const [x, y, z] = lastInside(prepared, ray, 20 * unit);
        expect(isWithinBounds(prepared, x, y, z)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  test('holds whatever it contains, many turns of its angle included, within its bounds', () => {
    const turns = fc.constantFrom(1e3, 1e6, 1e9, 1e11);
    fc.assert(
      fc.property(cases(dimensions), turns, ({ shape, unit, ray }, turn) => {
        const turned = { ...shape } as { angle?: number; direction?: number };
        if (turned.angle !== undefined) turned.angle *= turn / 100;
        if (turned.direction !== undefined) turned.direction *= turn / 100;
        const prepared = prepareShape(turned as Shape, dimensions);
        const [x, y, z] = lastInside(prepared, ray, 20 * unit);
        expect(isWithinBounds(prepared, x, y, z)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('has bounds no larger than it reaches', () => {
    // The nearest of the sampled rays is off by up to 0.03 radians in 3-D, 0.001 in 2-D.
    const tolerance = dimensions === 2 ? 0.01 : 0.15;
    const thick = shapes(1, dimensions).filter((shape) =>
      Object.entries(shape).every(([field, value]) => {
        if (field === 'width') return value > 0.3;
        return !/radius|half/.test(field) || value > 0.3;
      }),
    );
    fc.assert(
      fc.property(thick, (shape) => {
        const prepared = prepareShape(shape, dimensions);
        const rays = evenly.map(({ flat, solid }) => (dimensions === 2 ? flat : solid));
        const points = [...rays, ...towardsFarEnd(shape)].map((ray) => lastInside(prepared, ray, 20));
        const axes = dimensions === 2 ? ['X', 'Y'] : ['X', 'Y', 'Z'];
        for (const [axis, name] of axes.entries()) {
          const bounds = prepared as unknown as Record<string, number>;
          const along = points.map((point) => point[axis]);
          expect(bounds[`max${name}`] - Math.max(...along)).toBeLessThan(tolerance);
          expect(Math.min(...along) - bounds[`min${name}`]).toBeLessThan(tolerance);
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test('mirrored in the x axis contains exactly the mirrored points', () => {
    fc.assert(
      fc.property(cases(dimensions), ({ shape, unit, ray }) => {
        const { contains, ...prepared } = prepareShape(shape, dimensions);
        const mirrored = prepareShape(mirroredY(shape), dimensions);
        const [x, y, z] = lastInside({ ...prepared, contains }, ray, 20 * unit);
        expect(mirrored.contains(x, -y, z)).toBe(contains(x, y, z));
        const beyondX = x + 1e-15 * unit * ray[0];
        const beyondY = y + 1e-15 * unit * ray[1];
        expect(mirrored.contains(beyondX, -beyondY, z)).toBe(contains(beyondX, beyondY, z));
        const bounds = [mirrored.minX, mirrored.minY, mirrored.maxX, mirrored.maxY];
        const expected = [prepared.minX, -prepared.maxY, prepared.maxX, -prepared.minY];
        for (const [i, bound] of bounds.entries()) {
          expect(Math.abs(bound - expected[i])).toBeLessThanOrEqual(1e-14 * unit);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

/** What turns with y: positions, angles and the axis of a cone. */
function mirroredY(shape: Shape): Shape {
  const turning = ['y', 'y1', 'y2', 'dy', 'angle', 'direction'];
  const entries = Object.entries(shape).map(([field, value]) => [
    field,
    turning.includes(field) ? -value : value,
  ]);
  return Object.fromEntries(entries) as Shape;
}

describe('a prepared shape', () => {
  test.each<[Shape, Dimensions, readonly number[]]>([
    [{ kind: 'circle', x: 1, y: 2, radius: 3 }, 2, [1, 2, 0]],
    [{ kind: 'box', x: 1, y: 2, halfWidth: 3, halfHeight: 4, angle: 1 }, 2, [1, 2, 0]],
    [{ kind: 'sector', x: 1, y: 2, radius: 3, direction: 1, width: 1 }, 2, [1, 2, 0]],
    [{ kind: 'capsule', x1: 1, y1: 2, x2: 7, y2: 8, radius: 1 }, 2, [1, 2, 0]],
    [{ kind: 'sphere', x: 1, y: 2, z: 3, radius: 3 }, 3, [1, 2, 3]],
    [{ kind: 'box', x: 1, y: 2, z: 3, halfWidth: 3, halfHeight: 4, halfDepth: 5 }, 3, [1, 2, 3]],
    [{ kind: 'cone', x: 1, y: 2, z: 3, dx: 1, dy: 0, dz: 0, radius: 3, width: 1 }, 3, [1, 2, 3]],
    [{ kind: 'capsule', x1: 1, y1: 2, z1: 3, x2: 7, y2: 8, z2: 9, radius: 1 }, 3, [1, 2, 3]],
  ])('of %o in %i-D measures from its own origin', (shape, dimensions, origin) => {
    const { originX, originY, originZ } = prepareShape(shape, dimensions);
    expect([originX, originY, originZ]).toEqual(origin);
  });

  test.each<Shape>([
    { kind: 'circle', x: 1, y: 2, radius: 3 },
    { kind: 'box', x: 1, y: 2, halfWidth: 3, halfHeight: 4, angle: 1 },
    { kind: 'sector', x: 1, y: 2, radius: 3, direction: 1, width: 1 },
    { kind: 'capsule', x1: 1, y1: 2, x2: 7, y2: 8, radius: 1 },
  ])('of the plane, %o, has no end along z and ignores it', (shape) => {
    const { minZ, maxZ, contains } = prepareShape(shape, 2);
    expect([minZ, maxZ]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
    expect(contains(1, 2, 1e12)).toBe(true);
  });

  test('does not follow later changes to what was given', () => {
    const shape = { kind: 'circle' as const, x: 0, y: 0, radius: 5 };
    const { contains } = prepareShape(shape, 2);
    shape.radius = 1;
    expect(contains(3, 4, 0)).toBe(true);
  });

  test('takes numbers at their limits', () => {
    const far = { x: 1e12, y: -1e12 };
    const circle = prepareShape({ kind: 'circle', ...far, radius: 1e12 }, 2);
    expect(circle.contains(0, -1e12, 0)).toBe(true);
    expect(circle.contains(-1e5, -1e12, 0)).toBe(false);
    const capsule = prepareShape({ kind: 'capsule', x1: -1e12, y1: -1e12, x2: 1e12, y2: 1e12, radius: 0 }, 2);
    expect(capsule.contains(5, 5, 0)).toBe(true);
    expect(capsule.contains(1e12, 9.9e11, 0)).toBe(false);
    for (const prepared of [circle, capsule]) {
      expect([prepared.minX, prepared.minY, prepared.maxX, prepared.maxY].every(Number.isFinite)).toBe(true);
    }
  });

  test('reads a field of undefined as absent', () => {
    const box = { kind: 'box', x: 0, y: 0, z: undefined, halfWidth: 1, halfHeight: 1, angle: undefined };
    expect(prepareShape(box as unknown as Shape, 2).contains(1, 1, 0)).toBe(true);
  });
});

/** Good shapes to spoil, one field at a time. */
const GOOD: readonly (readonly [Dimensions, Record<string, unknown>])[] = [
  [2, { kind: 'circle', x: 1, y: 2, radius: 3 }],
  [2, { kind: 'box', x: 1, y: 2, halfWidth: 3, halfHeight: 4 }],
  [2, { kind: 'sector', x: 1, y: 2, radius: 3, direction: 1, width: 1 }],
  [2, { kind: 'capsule', x1: 1, y1: 2, x2: 3, y2: 4, radius: 1 }],
  [3, { kind: 'sphere', x: 1, y: 2, z: 3, radius: 3 }],
  [3, { kind: 'box', x: 1, y: 2, z: 3, halfWidth: 3, halfHeight: 4, halfDepth: 5 }],
  [3, { kind: 'cone', x: 1, y: 2, z: 3, dx: 1, dy: 2, dz: 3, radius: 3, width: 1 }],
  [3, { kind: 'capsule', x1: 1, y1: 2, z1: 3, x2: 4, y2: 5, z2: 6, radius: 1 }],
];

function refusal(shape: unknown, dimensions: Dimensions): UmweltError {
  try {
    prepareShape(shape as Shape, dimensions);
  } catch (error) {
    if (error instanceof UmweltError) return error;
    throw error;
  }
  throw new Error(`accepted in ${dimensions}-D: ${JSON.stringify(shape)}`);
}

describe('BAD_SHAPE', () => {
  test.each([undefined, null, 5, 'circle', () => 0])('is what %o gets', (shape) => {
    expect(refusal(shape, 2)).toMatchObject({ code: 'BAD_SHAPE', details: { field: 'shape', value: shape } });
  });

  test.each([undefined, 'ellipse', 'Circle', 'constructor', '__proto__', 7, null])(
    'names kind %o',
    (kind) => {
      const error = refusal({ kind, x: 0, y: 0, radius: 1 }, 2);
      expect(error).toMatchObject({ code: 'BAD_SHAPE', details: { field: 'kind', value: kind } });
      expect(error.message).toContain("'circle', 'box', 'sector', 'capsule'");
    },
  );

  test.each([
    [3, 'circle'],
    [3, 'sector'],
    [2, 'sphere'],
    [2, 'cone'],
  ] as const)('in %i-D refuses a %s, which is of the other dimension', (dimensions, kind) => {
    const good = GOOD.find(([, shape]) => shape.kind === kind)?.[1];
    const error = refusal(good, dimensions);
    expect(error).toMatchObject({ code: 'BAD_SHAPE', details: { field: 'kind', value: kind } });
    expect(error.message).toContain(`'${kind}'`);
    expect(error.message).toContain(`${dimensions}-D`);
  });

  describe.each(GOOD)('in %i-D, for %o,', (dimensions, good) => {
    const fields = Object.keys(good).filter((field) => field !== 'kind');

    test('spares the shape itself', () => {
      expect(() => prepareShape(good as unknown as Shape, dimensions)).not.toThrow();
    });

    test('names a missing field', () => {
      for (const field of fields) {
        const { [field]: _missing, ...rest } = good;
        const error = refusal(rest, dimensions);
        expect(error).toMatchObject({ code: 'BAD_SHAPE', details: { field, value: undefined } });
        expect(error.message).toContain(`${field} of a ${good.kind} in ${dimensions}-D is undefined`);
      }
    });

    test('names a field that holds no finite number', () => {
      const bad = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '1', null, 1n, [1], true];
      for (const field of fields) {
        for (const value of bad) {
          const error = refusal({ ...good, [field]: value }, dimensions);
          expect(error).toMatchObject({ code: 'BAD_SHAPE', details: { field, value } });
        }
      }
    });

    test('names a number beyond 1e12, but for an axis, whose length does not count', () => {
      for (const field of fields) {
        if (['dx', 'dy', 'dz'].includes(field)) continue;
        const error = refusal({ ...good, [field]: 1.000001e12 }, dimensions);
        expect(error).toMatchObject({ code: 'BAD_SHAPE', details: { field, value: 1.000001e12 } });
        expect(error.message).toContain('1000001000000');
        expect(() => prepareShape({ ...good, [field]: 1e12 } as unknown as Shape, dimensions)).not.toThrow();
        const isSize = /radius|half|width/.test(field);
        const least = { ...good, [field]: isSize ? 0 : -1e12 } as unknown as Shape;
        expect(() => prepareShape(least, dimensions)).not.toThrow();
      }
    });

    test('names a negative size', () => {
      for (const field of fields.filter((name) => /radius|half|width/.test(name))) {
        const error = refusal({ ...good, [field]: -1e-9 }, dimensions);
        expect(error).toMatchObject({ code: 'BAD_SHAPE', details: { field, value: -1e-9 } });
        expect(error.message).toContain('from 0 to 1e12');
      }
    });

    test('names an unknown field, one of the other dimension among them', () => {
      const solidFields = ['z', 'halfDepth', 'z1', 'z2', 'dz'].filter((field) => !fields.includes(field));
      for (const field of [...solidFields, 'raduis', 'toString', 'Kind']) {
        const error = refusal({ ...good, [field]: 1 }, dimensions);
        expect(error).toMatchObject({ code: 'BAD_SHAPE', details: { field, value: 1 } });
        expect(error.message).toContain(fields.join(', '));
      }
    });
  });

  test('names the angle of a box', () => {
    for (const [dimensions, good] of GOOD.filter(([, shape]) => shape.kind === 'box')) {
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1.1e12, '0', null]) {
        const error = refusal({ ...good, angle: value }, dimensions);
        expect(error).toMatchObject({ code: 'BAD_SHAPE', details: { field: 'angle', value } });
      }
    }
  });

  test('refuses a cone without a direction', () => {
    const cone = { kind: 'cone', x: 1, y: 2, z: 3, dx: 0, dy: -0, dz: 0, radius: 3, width: 1 };
    const error = refusal(cone, 3);
    expect(error).toMatchObject({ code: 'BAD_SHAPE', details: { field: 'dx', value: 0 } });
    expect(error.message).toContain('direction');
  });
});
