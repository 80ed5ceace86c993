/**
 * Shapes for searching a world: which entities are in the blast, the swing, the cone of light, the corridor?
 *
 * A shape is plain data from the caller. `prepareShape` checks it and computes once what every test would otherwise
 * repeat. It returns what a search needs: bounds for the index, an origin for distances, a test. All geometry is
 * float64 on stored positions; angles are in radians, counter-clockwise from +x; edges are inside. Each family of
 * shapes, flat and solid, has its own file; their fields and limits are in one table, form.ts.
 */
import { type Box, prepareBox } from './shapes/box.ts';
import { type Capsule, prepareCapsule } from './shapes/capsule.ts';
import { type Circle, prepareCircle, prepareSphere, type Sphere } from './shapes/circle.ts';
import { checkForm } from './shapes/form.ts';
import type { PreparedShape } from './shapes/prepared-shape.ts';
import { type Cone, prepareCone, prepareSector, type Sector } from './shapes/sector.ts';

export type { PreparedShape } from './shapes/prepared-shape.ts';

/** In 2-D a circle, box, sector or capsule; in 3-D a sphere, box, cone or capsule. World units and radians. */
export type Shape = Circle | Sphere | Box | Sector | Cone | Capsule;

/**
 * Checks a shape and prepares it for a search. The result keeps no reference to `shape`.
 *
 * @throws UmweltError `BAD_SHAPE`: a kind is unknown or of the other dimension; a field is missing, unknown, negative
 * where it is a size, not finite, or beyond 1e12; a cone has no direction. `details.field` names it, `details.value`
 * holds it.
 */
export function prepareShape(shape: Shape, dimensions: 2 | 3): PreparedShape {
  checkForm(shape, dimensions);
  switch (shape.kind) {
    case 'circle':
      return prepareCircle(shape);
    case 'sphere':
      return prepareSphere(shape);
    case 'box':
      return prepareBox(shape, dimensions);
    case 'sector':
      return prepareSector(shape);
    case 'cone':
      return prepareCone(shape);
    case 'capsule':
      return prepareCapsule(shape, dimensions);
  }
}
