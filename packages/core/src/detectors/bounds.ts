/** Axis-parallel regions of a world, as searches use them. */

/** A rectangle in world units, edges included. */
export interface Rectangle {
  /** World units; `max` at least `min`. */
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

/** A box in world units, edges included; infinite in z for 2-D. */
export interface Bounds extends Rectangle {
  /** World units; minus infinity in 2-D. */
  readonly minZ: number;
  /** World units; infinity in 2-D. */
  readonly maxZ: number;
}
