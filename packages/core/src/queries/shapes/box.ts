/**
 * Boxes: a rectangle around its centre, rotated by an angle; in 3-D it is rotated about the z axis and has a depth.
 *
 * Without rotation (no angle, or 0) its edges are compared exactly. With rotation, a point is transformed into the
 * box's own frame, where an edge is inside up to rounding (rounding.ts). The z axis is never rotated, and always
 * compared exactly.
 */
import { ENDLESS, type PreparedShape, preparedShape, type Span, span } from './prepared-shape.ts';
import { angleSlack } from './rounding.ts';

/** A box. World units; half sizes are from the centre to an edge. */
export interface Box {
  readonly kind: 'box';
  /** The centre. */
  readonly x: number;
  readonly y: number;
  /** Required in 3-D; not allowed in 2-D. */
  readonly z?: number;
  /** Along x, before the rotation. */
  readonly halfWidth: number;
  /** Along y, before the rotation. */
  readonly halfHeight: number;
  /** Along z. Required in 3-D; not allowed in 2-D. */
  readonly halfDepth?: number;
  /** Radians, counter-clockwise in the plane of x and y. Default 0. */
  readonly angle?: number;
}

export function prepareBox(box: Box, dimensions: 2 | 3): PreparedShape {
  const { x, y, z = 0, halfWidth, halfHeight, halfDepth = 0, angle = 0 } = box;
  const slack = angle === 0 ? 0 : angleSlack(angle);
  const cosine = Math.cos(angle);
  const sine = Math.sin(angle);
  const size = halfWidth + halfHeight;
  // Near the box, |dx| + |dy| is at most 2 * size, which bounds the effect of the slack along each of its two axes.
  const excess = 4 * slack * size;
  const reachX = Math.abs(cosine) * halfWidth + Math.abs(sine) * halfHeight + excess;
  const reachY = Math.abs(sine) * halfWidth + Math.abs(cosine) * halfHeight + excess;
  const spanZ: Span = dimensions === 2 ? ENDLESS : span(z - halfDepth, z + halfDepth, halfDepth);
  const inPlane =
    angle === 0
      ? unturned(x, y, halfWidth, halfHeight)
      : turned(x, y, halfWidth, halfHeight, cosine, sine, slack);
  return preparedShape(
    x,
    y,
    z,
    span(x - reachX, x + reachX, size),
    span(y - reachY, y + reachY, size),
    spanZ,
    dimensions === 2
      ? inPlane
      : (pointX, pointY, pointZ) => Math.abs(pointZ - z) <= halfDepth && inPlane(pointX, pointY),
  );
}

type PlaneTest = (x: number, y: number) => boolean;

function unturned(centreX: number, centreY: number, halfWidth: number, halfHeight: number): PlaneTest {
  return (x, y) => Math.abs(x - centreX) <= halfWidth && Math.abs(y - centreY) <= halfHeight;
}

function turned(
  centreX: number,
  centreY: number,
  halfWidth: number,
  halfHeight: number,
  cosine: number,
  sine: number,
  slack: number,
): PlaneTest {
  return (x, y) => {
    const dx = x - centreX;
    const dy = y - centreY;
    const excess = slack * (Math.abs(dx) + Math.abs(dy));
    return (
      Math.abs(dx * cosine + dy * sine) <= halfWidth + excess &&
      Math.abs(dy * cosine - dx * sine) <= halfHeight + excess
    );
  };
}
