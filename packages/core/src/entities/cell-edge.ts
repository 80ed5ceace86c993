/** How wide the cells of a grid are to begin with, before anything is known of the questions to it. */
import type { EntityState } from './entity-state.ts';

/** World units. */
export const LEAST_EDGE = 1e-3;
export const MOST_EDGE = 1e12;
/** Slots by whose places the spread of the crowd is judged. */
const SAMPLE = 64;

export function limitedEdge(edge: number): number {
  return Math.min(MOST_EDGE, Math.max(LEAST_EDGE, edge));
}

/** The edge of a cell for one or two, if the crowd stood evenly where the middle four fifths of a sample stand. */
export function spacingOf({ x, y, flags }: EntityState, slotCount: number, size: number): number {
  const slots: number[] = [];
  const stride = Math.max(1, Math.floor(slotCount / SAMPLE));
  for (let slot = 0; slot < slotCount; slot += stride) if (flags[slot] !== 0) slots.push(slot);
  const [width, height] = [x, y].map((column) => {
    const sorted = Float64Array.from(slots, (slot) => column[slot]).sort();
    const tenth = Math.floor(sorted.length / 10);
    return sorted.length === 0 ? 0 : sorted[sorted.length - 1 - tenth] - sorted[tenth];
  }) as [number, number];
  const edge = Math.sqrt((2 * Math.max(width, 1) * Math.max(height, 1)) / Math.max(1, size));
  return limitedEdge(edge);
}
