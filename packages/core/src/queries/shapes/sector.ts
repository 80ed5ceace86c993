/**
 * Sectors, and cones in 3-D: all points within `radius` of an apex and within half of `width` of a direction.
 *
 * The radius is compared exactly, as a circle's. The angle is compared by arc tangent, which is precise from a needle
 * to a full turn (an arc cosine loses half its digits around the axis), and is inside up to rounding (rounding.ts).
 * The apex is inside. A width of 0 is a ray; from 2 pi on it is the whole circle or sphere; a cone wider than pi is a
 * sphere without a cone at its back.
 *
 * Along a direction at angle `a` from its axis, either shape reaches at most radius * cos(a - width / 2): the whole
 * radius if that direction itself is inside, and 0, the apex, if the cosine is negative.
 */
import { ENDLESS, type PreparedShape, preparedShape, type Span, span } from './prepared-shape.ts';
import { angleSlack, EDGE_SLACK } from './rounding.ts';

/** A sector, 2-D. World units and radians. */
export interface Sector {
  readonly kind: 'sector';
  /** The apex. */
  readonly x: number;
  readonly y: number;
  /** Distance from the apex. */
  readonly radius: number;
  /** Direction of the middle, counter-clockwise from +x; any number of turns, either way. */
  readonly direction: number;
  /** The full angle, half of it on either side. */
  readonly width: number;
}

/** A cone, 3-D. World units and radians. */
export interface Cone {
  readonly kind: 'cone';
  /** The apex. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** The axis: any length but 0. */
  readonly dx: number;
  readonly dy: number;
  readonly dz: number;
  /** Distance from the apex. */
  readonly radius: number;
  /** The full angle, half of it on either side of the axis. */
  readonly width: number;
}

/** Squares of differences below this lose their last bits to underflow; such a near point counts as the apex. */
const NEAREST_SQUARED = 1e-290;

export function prepareSector(sector: Sector): PreparedShape {
  const { x: apexX, y: apexY, radius, width } = sector;
  const direction = withinTurn(sector.direction);
  const halfWidth = width / 2 + angleSlack(sector.direction);
  const radiusSquared = radius * radius;
  return preparedShape(
    apexX,
    apexY,
    0,
    wedgeSpan(apexX, radius, angleBetween(direction, 0), halfWidth),
    wedgeSpan(apexY, radius, angleBetween(direction, Math.PI / 2), halfWidth),
    ENDLESS,
    (x, y) => {
      const dx = x - apexX;
      const dy = y - apexY;
      if (dx * dx + dy * dy > radiusSquared) return false;
      return (dx === 0 && dy === 0) || angleBetween(direction, Math.atan2(dy, dx)) <= halfWidth;
    },
  );
}

export function prepareCone(cone: Cone): PreparedShape {
  const { x: apexX, y: apexY, z: apexZ, radius } = cone;
  // Divided by the largest first, because neither 1e300 nor 1e-320 can be squared.
  const largest = Math.max(Math.abs(cone.dx), Math.abs(cone.dy), Math.abs(cone.dz));
  const ratioX = cone.dx / largest;
  const ratioY = cone.dy / largest;
  const ratioZ = cone.dz / largest;
  const length = Math.sqrt(ratioX * ratioX + ratioY * ratioY + ratioZ * ratioZ);
  const axisX = ratioX / length;
  const axisY = ratioY / length;
  const axisZ = ratioZ / length;
  const halfWidth = cone.width / 2 + EDGE_SLACK;
  const radiusSquared = radius * radius;
  return preparedShape(
    apexX,
    apexY,
    apexZ,
    wedgeSpan(apexX, radius, Math.atan2(Math.hypot(axisY, axisZ), axisX), halfWidth),
    wedgeSpan(apexY, radius, Math.atan2(Math.hypot(axisZ, axisX), axisY), halfWidth),
    wedgeSpan(apexZ, radius, Math.atan2(Math.hypot(axisX, axisY), axisZ), halfWidth),
    (x, y, z) => {
      const dx = x - apexX;
      const dy = y - apexY;
      const dz = z - apexZ;
      const distanceSquared = dx * dx + dy * dy + dz * dz;
      if (distanceSquared > radiusSquared) return false;
      if (distanceSquared < NEAREST_SQUARED) return true;
      const crossX = axisY * dz - axisZ * dy;
      const crossY = axisZ * dx - axisX * dz;
      const crossZ = axisX * dy - axisY * dx;
      const across = Math.sqrt(crossX * crossX + crossY * crossY + crossZ * crossZ);
      return Math.atan2(across, axisX * dx + axisY * dy + axisZ * dz) <= halfWidth;
    },
  );
}

/**
 * The same direction from -pi to pi. Uses sine and cosine instead of `%`, because 2 * Math.PI is not exactly a turn.
 */
function withinTurn(angle: number): number {
  return Math.abs(angle) <= Math.PI ? angle : Math.atan2(Math.sin(angle), Math.cos(angle));
}

/** The smaller angle between two directions, each from -pi to pi; 0 to pi. */
function angleBetween(first: number, second: number): number {
  const turn = Math.abs(first - second);
  return turn > Math.PI ? 2 * Math.PI - turn : turn;
}

/** The extent of a sector or cone on a world axis that its own axis meets at `angle`, 0 to pi. */
function wedgeSpan(apex: number, radius: number, angle: number, halfWidth: number): Span {
  const ahead = Math.max(0, Math.cos(Math.max(0, angle - halfWidth)));
  const behind = Math.max(0, Math.cos(Math.max(0, Math.PI - angle - halfWidth)));
  return span(apex - radius * behind, apex + radius * ahead, radius);
}
