/**
 * Capsules: all points within `radius` of the segment between two ends. A blade's sweep, a beam, a line of sight.
 *
 * For a point before the first end or past the second, the distance to that end counts, exactly as for a circle. In
 * between, the distance from the line is |axis x d| / |axis|, compared without the division: exactly if the axis is
 * parallel to a world axis, up to rounding (rounding.ts) if it is slanted. With radius 0 it is a segment; with two
 * equal ends, a circle.
 */
import { ENDLESS, type PreparedShape, preparedShape, span } from './prepared-shape.ts';
import { EDGE_SLACK } from './rounding.ts';

/** A capsule. World units. */
export interface Capsule {
  readonly kind: 'capsule';
  /** The first end. */
  readonly x1: number;
  readonly y1: number;
  /** Required in 3-D; not allowed in 2-D. */
  readonly z1?: number;
  /** The second end. */
  readonly x2: number;
  readonly y2: number;
  /** Required in 3-D; not allowed in 2-D. */
  readonly z2?: number;
  /** Distance from the segment. */
  readonly radius: number;
}

export function prepareCapsule(capsule: Capsule, dimensions: 2 | 3): PreparedShape {
  const { x1, y1, z1 = 0, x2, y2, z2 = 0, radius } = capsule;
  const size = Math.abs(x2 - x1) + Math.abs(y2 - y1) + Math.abs(z2 - z1) + radius;
  const ends: Capsule3 = { x1, y1, z1, x2, y2, z2, radius };
  const axis = axisOf(x2 - x1, y2 - y1, z2 - z1);
  return preparedShape(
    x1,
    y1,
    z1,
    span(Math.min(x1, x2) - radius, Math.max(x1, x2) + radius, size),
    span(Math.min(y1, y2) - radius, Math.max(y1, y2) + radius, size),
    dimensions === 2 ? ENDLESS : span(Math.min(z1, z2) - radius, Math.max(z1, z2) + radius, size),
    dimensions === 2 ? insideFlat(ends, axis) : insideSolid(ends, axis),
  );
}

type Capsule3 = Readonly<Record<'x1' | 'y1' | 'z1' | 'x2' | 'y2' | 'z2' | 'radius', number>>;

/** From the first end to the second, scaled to a suitable length; 0 if the ends are equal. */
interface Axis {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly length: number;
  /** Slack of the sides, relative to the products compared. */
  readonly slack: number;
}

/**
 * If the axis is parallel to a world axis, its length becomes 1, so that nothing rounds more than in a circle's test.
 * If it is slanted, it is scaled to near 1 by a power of two: this loses no bit, and keeps the squares of a very
 * short axis from underflowing (2^1022 is the largest scale needed: a still shorter axis has bits enough).
 */
function axisOf(dx: number, dy: number, dz: number): Axis {
  const isSlanted = Number(dx !== 0) + Number(dy !== 0) + Number(dz !== 0) > 1;
  const largest = Math.max(Math.abs(dx), Math.abs(dy), Math.abs(dz));
  const scale = 2 ** Math.min(1022, -Math.floor(Math.log2(largest)));
  const x = isSlanted ? dx * scale : Math.sign(dx);
  const y = isSlanted ? dy * scale : Math.sign(dy);
  const z = isSlanted ? dz * scale : Math.sign(dz);
  return { x, y, z, length: Math.sqrt(x * x + y * y + z * z), slack: isSlanted ? EDGE_SLACK : 0 };
}

function insideFlat({ x1, y1, x2, y2, radius }: Capsule3, axis: Axis): PreparedShape['contains'] {
  const { x: axisX, y: axisY, slack } = axis;
  const reach = radius * axis.length;
  const radiusSquared = radius * radius;
  return (x, y) => {
    const dx = x - x1;
    const dy = y - y1;
    if (dx * axisX + dy * axisY <= 0) return dx * dx + dy * dy <= radiusSquared;
    const endX = x - x2;
    const endY = y - y2;
    if (endX * axisX + endY * axisY >= 0) return endX * endX + endY * endY <= radiusSquared;
    const left = axisX * dy;
    const right = axisY * dx;
    return Math.abs(left - right) <= reach + slack * (Math.abs(left) + Math.abs(right));
  };
}

function insideSolid({ x1, y1, z1, x2, y2, z2, radius }: Capsule3, axis: Axis): PreparedShape['contains'] {
  const { x: axisX, y: axisY, z: axisZ, slack } = axis;
  const reach = radius * axis.length;
  const radiusSquared = radius * radius;
  return (x, y, z) => {
    const dx = x - x1;
    const dy = y - y1;
    const dz = z - z1;
    if (dx * axisX + dy * axisY + dz * axisZ <= 0) return dx * dx + dy * dy + dz * dz <= radiusSquared;
    const endX = x - x2;
    const endY = y - y2;
    const endZ = z - z2;
    if (endX * axisX + endY * axisY + endZ * axisZ >= 0) {
      return endX * endX + endY * endY + endZ * endZ <= radiusSquared;
    }
    const yz = axisY * dz;
    const zy = axisZ * dy;
    const zx = axisZ * dx;
    const xz = axisX * dz;
    const xy = axisX * dy;
    const yx = axisY * dx;
    const crossX = yz - zy;
    const crossY = zx - xz;
    const crossZ = xy - yx;
    const terms = Math.abs(yz) + Math.abs(zy) + Math.abs(zx) + Math.abs(xz) + Math.abs(xy) + Math.abs(yx);
    const limit = reach + slack * terms;
    return crossX * crossX + crossY * crossY + crossZ * crossZ <= limit * limit;
  };
}
