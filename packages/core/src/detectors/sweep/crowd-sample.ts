/** Where a crowd is and how far it perceives, from a sample of its slots: for choosing the grids of a sweep (sweep-grids.ts). */
import { evenly } from '../../columns.ts';
import { sampleSlots } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';

/** Most slots of a sample. */
const SAMPLE = 1024;
/** Fewer watchers in a sample are not representative. */
const FEW_WATCHERS = 32;

export interface Box {
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/** Up to 1,024 present slots, evenly spread. */
export function sampleCrowd({ now, slotCount }: EntityStore): number[] {
  return sampleSlots(now, slotCount, SAMPLE);
}

/** The box of all but the outermost half per cent on each side, a twentieth wider. */
export function middleOf(store: EntityStore, slots: readonly number[]): Box {
  const { now, settings } = store;
  const min = [0, 0, 0];
  const max = [1, 1, 1];
  const columns = settings.dimensions === 3 ? [now.x, now.y, now.z] : [now.x, now.y];
  if (slots.length === 0) return { min, max };
  const values = new Float64Array(slots.length);
  columns.forEach((column, axis) => {
    for (let i = 0; i < slots.length; i++) values[i] = column[slots[i]];
    values.sort();
    const cut = Math.floor(values.length * 0.005);
    const low = values[cut];
    const high = values[values.length - 1 - cut];
    // The width is never 0, and larger than a rounding error at any position.
    const margin = (high - low) * 0.05 + Math.max(Math.abs(low), Math.abs(high)) * 2 ** -20 + 1e-3;
    min[axis] = low - margin;
    max[axis] = high + margin;
  });
  return { min, max };
}

export function contains(box: Box, store: EntityStore, slot: number): boolean {
  const { now, settings } = store;
  const isInPlane =
    now.x[slot] >= box.min[0] &&
    now.x[slot] <= box.max[0] &&
    now.y[slot] >= box.min[1] &&
    now.y[slot] <= box.max[1];
  return isInPlane && (settings.dimensions === 2 || (now.z[slot] >= box.min[2] && now.z[slot] <= box.max[2]));
}

/**
 * Some watchers: those in the sample and, if these are few, those with pending changes, because among very many
 * things most of the few that move are watchers.
 */
export function watchersAmong(
  { now, pendingSlots, pendingCount }: EntityStore,
  slots: readonly number[],
): number[] {
  const watches = (slot: number) => now.isPresent(slot) && now.maxRangeOf(slot) > 0;
  const watchers = slots.filter(watches);
  if (watchers.length >= FEW_WATCHERS) return watchers;
  watchers.push(...evenly(pendingSlots.subarray(0, pendingCount), SAMPLE).filter(watches));
  return watchers;
}

/** The median of some watchers' longest ranges; without any the longest range of all, 0 if there are no watchers. */
export function usualRangeOf({ now, limits }: EntityStore, watchers: readonly number[]): number {
  if (watchers.length === 0) return Math.max(...limits.maxRange);
  return Float64Array.from(watchers, (slot) => now.maxRangeOf(slot)).sort()[watchers.length >> 1];
}
