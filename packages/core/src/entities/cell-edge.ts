/** The initial cell edge of a grid, before its queries are known. */
import { type EntityState, sampleSlots } from './entity-state.ts';

/** World units. */
export const LEAST_EDGE = 1e-3;
export const MOST_EDGE = 1e12;
/** Number of slots whose positions are sampled to estimate the spread of the crowd. */
const SAMPLE = 64;

export function limitedEdge(edge: number): number {
  return Math.min(MOST_EDGE, Math.max(LEAST_EDGE, edge));
}

/**
 * The cell edge that gives one or two entities a cell, if the crowd were spread evenly over the area of the middle
 * four fifths of a sample.
 */
export function spacingOf(state: EntityState, slotCount: number, size: number): number {
  const slots = sampleSlots(state, slotCount, SAMPLE);
  const [width, height] = [state.x, state.y].map((column) => {
    const sorted = Float64Array.from(slots, (slot) => column[slot]).sort();
    const tenth = Math.floor(sorted.length / 10);
    return sorted.length === 0 ? 0 : sorted[sorted.length - 1 - tenth] - sorted[tenth];
  }) as [number, number];
  const edge = Math.sqrt((2 * Math.max(width, 1) * Math.max(height, 1)) / Math.max(1, size));
  return limitedEdge(edge);
}
