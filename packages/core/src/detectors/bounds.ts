/** Axis-parallel regions of a world, as searches use them. */
import type { EntityStore } from '../entities/entity-store.ts';

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

/** A visitor that passes on the slots whose position at the last tick lies in a box. */
export function visitorWithin(
  { last, settings }: EntityStore,
  { minX, minY, minZ, maxX, maxY, maxZ }: Bounds,
  visit: (slot: number) => void,
): (slot: number) => void {
  const { x, y, z } = last;
  const is3D = settings.dimensions === 3;
  return (slot) => {
    if (!(x[slot] >= minX && x[slot] <= maxX && y[slot] >= minY && y[slot] <= maxY)) return;
    if (!is3D || (z[slot] >= minZ && z[slot] <= maxZ)) visit(slot);
  };
}
