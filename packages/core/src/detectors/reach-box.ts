/**
 * The box in which searches look: all that may be within a reach of a place, whatever the world's range shape is.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { cellsWithin } from '../entities/perception.ts';
import type { WorldSettings } from '../settings.ts';
import type { Bounds } from './bounds.ts';
import { reachRatios } from './pairs/reach-norm.ts';

/** The box that contains everything within `reach` of a slot's last position, whatever the range shape. */
export function boxAround({ last, settings }: EntityStore, slot: number, reach: number): Bounds {
  return boxAbout(settings, last.x[slot], last.y[slot], settings.dimensions === 3 ? last.z[slot] : 0, reach);
}

/** The box that contains everything within `reach` of a position, whatever the range shape. */
export function boxAbout(settings: WorldSettings, x: number, y: number, z: number, reach: number): Bounds {
  const [halfX, halfY, halfZ] = halfExtents(settings, reach);
  const isFlat = settings.dimensions === 2;
  return {
    minX: x - halfX,
    maxX: x + halfX,
    minY: y - halfY,
    maxY: y + halfY,
    minZ: isFlat ? Number.NEGATIVE_INFINITY : z - halfZ,
    maxZ: isFlat ? Number.POSITIVE_INFINITY : z + halfZ,
  };
}

/** Half the edges of the box that `reach` spans, per axis. */
export function halfExtents(settings: WorldSettings, reach: number): [x: number, y: number, z: number] {
  if (settings.granularity === 'cell') {
    // This many whole cells on each side, and the rest of the own cell.
    const sizes = settings.cellSize as readonly [number, number, number];
    return sizes.map((size) => (cellsWithin(settings, reach, size) + 1) * size) as [number, number, number];
  }
  const [x, y, z] = reachRatios(settings);
  return [reach * x, reach * y, reach * z];
}
