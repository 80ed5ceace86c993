/**
 * Distance as a reach measures it: the norm whose ball of radius r is the region of a reach of r.
 *
 * Problem: structures that prune by distance need the triangle inequality, for three range shapes. Method: a circle
 * or sphere is the ball of the Euclidean norm; a box is that of the greatest offset, each axis divided by its ratio;
 * a cylinder is that of the greater of the two. All three are norms, so one argument serves them all: a pair is not
 * within its reach if it is farther apart than its reach plus the distances that both may have moved. Offsets are
 * scaled by axis, then joined by kind. In 2-D the scale of z is 0, and y is used as the column of z, so loops need no
 * branch for it.
 *
 * Float32 rounding in the definition may admit slightly more or less than the reach: see `SEARCH_SLACK` and
 * `PairSieve`.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { WorldSettings } from '../../settings.ts';

/**
 * How scaled offsets are joined: the sum of squares, the greatest square, or the greater of (x and y together) and z.
 */
export const SUM = 0;
const GREATEST = 1;
const CYLINDER = 2;

/** The scales and the kind that turn offsets into the squared norm; see `normSquared`. */
export interface ReachNorm {
  readonly kind: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** 0 in 2-D. */
  readonly scaleZ: number;
  /** As `reachRatios`. */
  readonly extents: readonly [x: number, y: number, z: number];
}

/** Half extents of the region of a reach of 1, per axis. */
export function reachRatios(settings: WorldSettings): [x: number, y: number, z: number] {
  const { rangeShape, ratioX, ratioY, ratioZ } = settings;
  if (rangeShape === 'box') return [ratioX, ratioY, ratioZ];
  return [1, 1, rangeShape === 'cylinder' ? ratioZ : 1];
}

export function reachNorm(settings: WorldSettings): ReachNorm {
  const extents = reachRatios(settings);
  return {
    kind: { box: GREATEST, cylinder: CYLINDER, circle: SUM }[settings.rangeShape],
    scaleX: 1 / extents[0],
    scaleY: 1 / extents[1],
    scaleZ: settings.dimensions === 3 ? 1 / extents[2] : 0,
    extents,
  };
}

/** The squared norm of a scaled offset. float64. */
export function normSquared(kind: number, dx: number, dy: number, dz: number): number {
  const x = dx * dx;
  const y = dy * dy;
  const z = dz * dz;
  if (kind === SUM) return x + y + z;
  const plane = kind === CYLINDER ? x + y : x > y ? x : y;
  return plane > z ? plane : z;
}

/** The column of z; in 2-D that of y, which the norm multiplies by 0. */
export function columnZ(settings: WorldSettings, state: EntityState): Float32Array {
  return settings.dimensions === 3 ? state.z : state.y;
}
