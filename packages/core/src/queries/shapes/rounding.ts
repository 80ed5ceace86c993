/**
 * The rounding tolerance of edges that are not compared exactly.
 *
 * Edges belong to a shape. A test that needs only a difference and a square (circles, unrotated boxes, the ends of
 * capsules) compares exactly. A test that needs sines, arc tangents or the length of a slanted axis may place a point
 * on the edge a few ulp to either side; those tests use the slack below to accept it. In exchange, a point outside by
 * less than that counts as inside: at a distance of a million units that is 4e-9 units, where neighbouring float32
 * positions are 0.06 apart.
 */

const ULP = 2 ** -52;

/**
 * Relative to the size of the terms compared, or in radians. One operation is off by at most h = 2^-53 of its result.
 *
 * - Rotated box, dx * cos + dy * sin: h for the difference, 2h for the cosine, h for the product, h for the sum, all
 *   relative to |dx| + |dy|; h for adding the slack: 6h.
 * - Slanted capsule: axis h, difference h, product h, difference of the products h, all relative to the sum of the
 *   products; radius * length 4h, squares and sums in three dimensions 4h, h for adding the slack: 13h.
 * - Sector, |atan2(dy, dx) - direction|: h for dx and dy, 4h for the arc tangent (results up to pi), 8h for reducing
 *   the direction to one turn, 4h for the difference, 4h for 2 pi itself, 2h for subtracting from it, 2h for half the
 *   width, 2h for adding the slack: 27h.
 * - Cone: axis 2h, difference h, products h, sums 2h, times sqrt(2) for three dimensions: cross and dot product each
 *   within 9h of the distance, so 13h for the angle; 2h for the length, 4h for the arc tangent, 4h as above: 23h.
 *
 * 32h is above them all.
 */
export const EDGE_SLACK = 16 * ULP;

/**
 * Slack of an edge rotated by a given angle, in radians or relative to the terms compared. An angle arrives rounded:
 * `base + turns * 2 * Math.PI` is off by up to 2.4 * 2^-53 of itself, less than 2 ulp.
 */
export function angleSlack(angle: number): number {
  return EDGE_SLACK + 2 * ULP * Math.abs(angle);
}
