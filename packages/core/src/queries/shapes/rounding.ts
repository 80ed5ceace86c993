/**
 * How much of an edge is rounding, for edges that are not compared exactly.
 *
 * Edges belong to a shape. Where a test needs no more than a difference and a square (circles, unrotated boxes,
 * the ends of capsules) it compares exactly. Where it goes through sines, arc tangents or the length of a slanted
 * axis, a point that lies on the edge in real numbers comes out a few ulp to either side, and the tests
 * below let it in. The price is that a point outside by less than that counts as inside: at a distance of
 * a million units that is 4e-9 units, where neighbouring float32 positions are 0.06 apart.
 */

const ULP = 2 ** -52;

/**
 * Relative to the size of the terms compared, or in radians. One operation is off by at most h = 2^-53 of its result.
 *
 * - Rotated box, dx * cos + dy * sin: h for the difference, 2h for the cosine, h for the product, h for the sum, all of
 *   |dx| + |dy|; h for adding the slack: 6h.
 * - Slanted capsule: axis h, difference h, product h, difference of the products h, all of the sum of the products;
 *   radius * length 4h, squares and sums in three dimensions 4h, h for adding the slack: 13h.
 * - Sector, |atan2(dy, dx) - direction|: h for dx and dy, 4h for the arc tangent (results up to pi), 8h to bring the
 *   direction within a turn, 4h for the difference, 4h for 2 pi itself, 2h for taking it from there, 2h for half the
 *   width, 2h for adding the slack: 27h.
 * - Cone: axis 2h, difference h, products h, sums 2h, times sqrt(2) for three dimensions: cross and dot product each within
 *   9h of the distance, so 13h for the angle; 2h for the length, 4h for the arc tangent, 4h as above: 23h.
 *
 * 32h is above them all.
 */
export const EDGE_SLACK = 16 * ULP;

/**
 * Slack of an edge that a given angle turns, in radians or relative to the terms compared.
 * An angle arrives rounded: `base + turns * 2 * Math.PI` is off by up to 2.4 * 2^-53 of itself, less than 2 ulp.
 */
export function angleSlack(angle: number): number {
  return EDGE_SLACK + 2 * ULP * Math.abs(angle);
}
