/**
 * Checks the answers of spatial queries by plain filtering.
 *
 * Problem: an index may lose an entity at a cell's edge or a shape's rim. Method: every settled entity is tested
 * against the shape, with geometry written for readability. Rotations and angles round, so an entity very near such a
 * rim may be in or out; if the arithmetic is exact (short binary fractions, no rotation), the rim is inside and no
 * other answer is accepted. Cost: O(n) a query, O(n log n) for nearest.
 */
import type { EntityId, QueryOptions, Shape } from '../index.ts';
import type { Figure } from './perception.ts';

type Side = 'inside' | 'edge' | 'outside';
type Settled = ReadonlyMap<EntityId, Readonly<Figure>>;

/** Query options as data; `filter` and `out` are not included. */
export type PlainQueryOptions = Pick<
  QueryOptions,
  'layers' | 'channel' | 'groups' | 'markersOnly' | 'now' | 'order' | 'limit'
>;

const HAIR = 1e-9;

/** What is wrong with the answer `got` to a query, or `undefined`. */
export function faultOfQuery(
  settled: Settled,
  shape: Shape,
  options: PlainQueryOptions,
  got: Uint32Array,
): string | undefined {
  const inside: EntityId[] = [];
  const edge: EntityId[] = [];
  for (const [id, figure] of settled) {
    if (!isKept(figure, options)) continue;
    const side = sideOf(shape, figure);
    if (side === 'inside') inside.push(id);
    else if (side === 'edge') edge.push(id);
  }
  if (edge.length === 0) return differs(ordered(inside, settled, shape, options), got);
  const accepted = new Set([...inside, ...edge]);
  const stray = got.find((id) => !accepted.has(id));
  if (stray !== undefined) return `${stray} is not inside, got [${got}]`;
  if (options.limit !== undefined) return undefined;
  const missing = inside.find((id) => !got.includes(id));
  return missing === undefined ? undefined : `${missing} is inside, got [${got}]`;
}

/** What is wrong with the answer `got` to `nearest`, or `undefined`. */
export function faultOfNearest(
  settled: Settled,
  x: number,
  y: number,
  k: number,
  options: PlainQueryOptions & { z?: number; maxDistance?: number },
  got: Uint32Array,
): string | undefined {
  const { z = 0, maxDistance = Number.POSITIVE_INFINITY } = options;
  const kept = [...settled]
    .filter(([, figure]) => isKept(figure, options))
    .map(([id, figure]) => ({ id, squared: squaredDistance(figure, x, y, z) }))
    .filter(({ squared }) => squared <= maxDistance * maxDistance)
    .sort((one, other) => one.squared - other.squared || one.id - other.id);
  return differs(
    kept.slice(0, k).map(({ id }) => id),
    got,
  );
}

function differs(expected: readonly EntityId[], got: Uint32Array): string | undefined {
  const same = expected.length === got.length && expected.every((id, i) => id === got[i]);
  return same ? undefined : `expected [${expected}], got [${got}]`;
}

function isKept(figure: Readonly<Figure>, options: PlainQueryOptions): boolean {
  if (options.markersOnly && !figure.marker) return false;
  if (options.layers !== undefined && (figure.layers & options.layers) === 0) return false;
  if (options.groups !== undefined && !options.groups.includes(figure.groups[0])) return false;
  const channel = options.channel ?? 0;
  return channel === 0 || figure.channel === 0 || figure.channel === channel;
}

function ordered(inside: EntityId[], settled: Settled, shape: Shape, options: PlainQueryOptions): EntityId[] {
  const [x, y, z] = centreOf(shape);
  const distance = (id: EntityId) => squaredDistance(settled.get(id) as Figure, x, y, z);
  inside.sort((one, other) => one - other);
  if (options.order === 'nearest') inside.sort((one, other) => distance(one) - distance(other));
  return inside.slice(0, options.limit ?? inside.length);
}

function squaredDistance(figure: Readonly<Figure>, x: number, y: number, z: number): number {
  const [dx, dy, dz] = [figure.x - x, figure.y - y, figure.z - z];
  return dx * dx + dy * dy + dz * dz;
}

/** The point that order 'nearest' measures to: the centre, an apex, or a capsule's first end. */
function centreOf(shape: Shape): [x: number, y: number, z: number] {
  const { x, y, z, x1, y1, z1 } = shape as unknown as Record<string, number | undefined>;
  return [x ?? x1 ?? 0, y ?? y1 ?? 0, z ?? z1 ?? 0];
}

/** The side of the shape's rim on which an entity is. In 2-D all z are 0. */
function sideOf(shape: Shape, figure: Readonly<Figure>): Side {
  const [x, y, z] = centreOf(shape);
  const [dx, dy, dz] = [figure.x - x, figure.y - y, figure.z - z];
  const scale = Math.max(...[figure.x, figure.y, figure.z, x, y, z].map(Math.abs));
  switch (shape.kind) {
    case 'circle':
    case 'sphere':
      return sideOfBall([dx, dy, dz], shape.radius, scale);
    case 'box': {
      const angle = shape.angle ?? 0;
      const along = dx * Math.cos(angle) + dy * Math.sin(angle);
      const across = dy * Math.cos(angle) - dx * Math.sin(angle);
      const halfDepth = (shape as { halfDepth?: number }).halfDepth ?? 0;
      const excess = Math.max(
        Math.abs(along) - shape.halfWidth,
        Math.abs(across) - shape.halfHeight,
        Math.abs(dz) - halfDepth,
      );
      if (angle === 0 && [dx, dy, dz, shape.halfWidth, shape.halfHeight, halfDepth].every(isShort)) {
        return excess <= 0 ? 'inside' : 'outside';
      }
      return sideOfExcess(excess, scale);
    }
    case 'sector': {
      const axis = [snapped(Math.cos(shape.direction)), snapped(Math.sin(shape.direction)), 0] as const;
      return sideOfCone([dx, dy, 0], axis, shape.radius, shape.width, scale);
    }
    case 'cone':
      return sideOfCone([dx, dy, dz], [shape.dx, shape.dy, shape.dz], shape.radius, shape.width, scale);
    case 'capsule': {
      const { x2, y2, z2 = 0 } = shape as { x2: number; y2: number; z2?: number };
      const [ax, ay, az] = [x2 - x, y2 - y, z2 - z];
      const length = ax * ax + ay * ay + az * az;
      const t = length === 0 ? 0 : Math.min(1, Math.max(0, (dx * ax + dy * ay + dz * az) / length));
      const widest = Math.max(scale, Math.abs(x2), Math.abs(y2), Math.abs(z2));
      const isAlongAxis = [ax, ay, az].filter((part) => part !== 0).length <= 1;
      // Beside a segment along an axis, only the offset across it counts, and nothing is rounded.
      const across = (part: number, axis: number) =>
        axis !== 0 && t > 0 && t < 1 ? 0 : part - (t === 1 ? axis : 0);
      if (isAlongAxis)
        return sideOfBall([across(dx, ax), across(dy, ay), across(dz, az)], shape.radius, widest);
      const gap = Math.hypot(dx - t * ax, dy - t * ay, dz - t * az);
      return sideOfExcess(gap - shape.radius, widest);
    }
  }
}

type Vector = readonly [x: number, y: number, z: number];

/** Within the radius of the centre; exact if the arithmetic is exact. */
function sideOfBall(offset: Vector, radius: number, scale: number): Side {
  const [dx, dy, dz] = offset;
  if ([dx, dy, dz, radius].every(isShort)) {
    return dx * dx + dy * dy + dz * dz <= radius * radius ? 'inside' : 'outside';
  }
  return sideOfExcess(Math.hypot(dx, dy, dz) - radius, scale);
}

/** The sine and cosine of a right angle, corrected because pi in float64 is not exact. */
function snapped(part: number): number {
  return Math.abs(part) < 1e-15 ? 0 : part;
}

/** A sector is a flat cone: within the radius of the apex and within half the width of the axis. */
function sideOfCone(offset: Vector, axis: Vector, radius: number, width: number, scale: number): Side {
  const distance = Math.hypot(...offset);
  if (distance === 0) return 'inside';
  const far = sideOfBall(offset, radius, scale);
  if (far === 'outside' || width >= 2 * Math.PI) return far;
  const [[x, y, z], [ax, ay, az]] = [offset, axis];
  const cross = Math.hypot(y * az - z * ay, z * ax - x * az, x * ay - y * ax);
  const dot = x * ax + y * ay + z * az;
  // On the axis, however narrow.
  if (cross === 0 && dot > 0) return far;
  const angle = Math.atan2(cross, dot);
  const wide = sideOfExcess(angle - width / 2, 1);
  return wide === 'inside' ? far : wide;
}

function sideOfExcess(excess: number, scale: number): Side {
  if (Math.abs(excess) <= HAIR * (1 + scale)) return 'edge';
  return excess < 0 ? 'inside' : 'outside';
}

/** Whether sums of squares of such numbers are exact in float64. */
function isShort(value: number): boolean {
  return Math.abs(value) < 2 ** 20 && Number.isInteger(value * 64);
}
