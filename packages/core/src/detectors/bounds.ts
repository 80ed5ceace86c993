/** Parts of a world that lie between edges parallel to its axes: what a search asks for. */

/** A rectangle in world units, edges inside. */
export interface Rectangle {
  /** World units; `max` at least `min`. */
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

/** A box in world units, edges inside; infinite in z for 2-D. */
export interface Bounds extends Rectangle {
  /** World units; minus infinity in 2-D. */
  readonly minZ: number;
  /** World units; infinity in 2-D. */
  readonly maxZ: number;
}
