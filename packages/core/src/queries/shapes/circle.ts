/**
 * Circles, and spheres in 3-D: all points within `radius` of the centre.
 *
 * Squared distance is compared with squared radius, without root and without slack: points at (3, 4) are always
 * inside a circle of radius 5 around the origin. A radius of 0 is a point.
 */
import { ENDLESS, type PreparedShape, preparedShape, span } from './prepared-shape.ts';

/** A circle, 2-D. World units. */
export interface Circle {
  readonly kind: 'circle';
  /** The centre. */
  readonly x: number;
  readonly y: number;
  /** Distance from the centre. */
  readonly radius: number;
}

/** A sphere, 3-D. World units. */
export interface Sphere {
  readonly kind: 'sphere';
  /** The centre. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Distance from the centre. */
  readonly radius: number;
}

export function prepareCircle(circle: Circle): PreparedShape {
  const { x: centreX, y: centreY, radius } = circle;
  const radiusSquared = radius * radius;
  return preparedShape(
    centreX,
    centreY,
    0,
    span(centreX - radius, centreX + radius, radius),
    span(centreY - radius, centreY + radius, radius),
    ENDLESS,
    (x, y) => {
      const dx = x - centreX;
      const dy = y - centreY;
      return dx * dx + dy * dy <= radiusSquared;
    },
  );
}

export function prepareSphere(sphere: Sphere): PreparedShape {
  const { x: centreX, y: centreY, z: centreZ, radius } = sphere;
  const radiusSquared = radius * radius;
  return preparedShape(
    centreX,
    centreY,
    centreZ,
    span(centreX - radius, centreX + radius, radius),
    span(centreY - radius, centreY + radius, radius),
    span(centreZ - radius, centreZ + radius, radius),
    (x, y, z) => {
      const dx = x - centreX;
      const dy = y - centreY;
      const dz = z - centreZ;
      return dx * dx + dy * dy + dz * dz <= radiusSquared;
    },
  );
}
