/**
 * What a search needs of a shape: a bounding box, a point to measure from, and a test for candidates.
 *
 * The box is used with a spatial index, so it is as tight as the shape allows; and because the index trusts it, it is
 * never too small. `contains` may accept points outside by 1e-15 of the shape's size because of rounding, or a little
 * more for an angle of many turns, which adds its own slack; the margin of 1e-12 here is ample for that.
 */

export interface PreparedShape {
  /** Bounds of every point inside, world units, slightly enlarged. In 2-D, z goes from -Infinity to Infinity. */
  readonly minX: number;
  readonly minY: number;
  readonly minZ: number;
  readonly maxX: number;
  readonly maxY: number;
  readonly maxZ: number;
  /** Origin of distances: the centre; the apex of a sector or cone; the first end of a capsule. z is 0 in 2-D. */
  readonly originX: number;
  readonly originY: number;
  readonly originZ: number;
  /** Whether a stored position is inside, edges included; z is ignored in 2-D. Float64; allocates nothing. */
  contains(x: number, y: number, z: number): boolean;
}

/** The extent of a shape on one axis, world units. */
export interface Span {
  readonly min: number;
  readonly max: number;
}

const MARGIN = 1e-12;
/**
 * Differences below 1.5e-162 square to 0, so a shape of size 0 at 0 contains them; the bounds must contain them too.
 */
export const SMALLEST_MARGIN = 1e-30;

/** The span of the z axis for a 2-D shape. */
export const ENDLESS: Span = { min: -Infinity, max: Infinity };

/**
 * From `min` to `max`, slightly enlarged. `size`: the extent of the whole shape, to which its rounding is relative.
 */
export function span(min: number, max: number, size: number): Span {
  const margin = MARGIN * (Math.max(Math.abs(min), Math.abs(max)) + size) + SMALLEST_MARGIN;
  return { min: min - margin, max: max + margin };
}

/** Creates the same object layout for all shapes, so that a search over any of them stays fast. */
export function preparedShape(
  originX: number,
  originY: number,
  originZ: number,
  spanX: Span,
  spanY: Span,
  spanZ: Span,
  contains: PreparedShape['contains'],
): PreparedShape {
  return {
    minX: spanX.min,
    minY: spanY.min,
    minZ: spanZ.min,
    maxX: spanX.max,
    maxY: spanY.max,
    maxZ: spanZ.max,
    originX,
    originY,
    originZ,
    contains,
  };
}
