/**
 * The rank of candidates when there are more candidates than seats: the nearest first, markers with a higher
 * weight as if nearer; or the user's function. The smallest rank comes first.
 *
 *   'nearest'    f32(distance / weight), weight 0 last       incumbent: times f32(1 - bonus)
 *   a function   float64, NaN last                           incumbent: rank - bonus * |rank|
 *
 * The bonus makes seats steady: a newcomer must be better than an incumbent by more than the bonus. Cost: 5
 * ns, or the function.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import type { WorldSettings } from '../../settings.ts';
import type { ResolvedInterest } from './interest.ts';

const f32 = Math.fround;

/** World units, float32. Slots. */
export function distanceBetween(
  settings: WorldSettings,
  state: EntityState,
  watcher: number,
  marker: number,
): number {
  return f32(Math.sqrt(squaredDistance(settings, state, watcher, marker)));
}

/** World units squared, float32: `d2` of the definition. Slots. */
export function squaredDistance(
  settings: WorldSettings,
  state: EntityState,
  watcher: number,
  marker: number,
): number {
  const dx = f32(state.x[marker] - state.x[watcher]);
  const dy = f32(state.y[marker] - state.y[watcher]);
  const inPlane = f32(f32(dx * dx) + f32(dy * dy));
  if (settings.dimensions === 2) return inPlane;
  const dz = f32(state.z[marker] - state.z[watcher]);
  return f32(inPlane + f32(dz * dz));
}

/** The rank of a marker without a user's function and without bonus. World units, float32. */
export function rankByDistance(distance: number, weight: number): number {
  return weight === 0 ? Number.POSITIVE_INFINITY : f32(distance / weight);
}

/** The effective rank; `isSeated`: with the incumbent's bonus. Slots. */
export function effectiveRank(
  store: EntityStore,
  state: EntityState,
  interest: ResolvedInterest,
  watcher: number,
  marker: number,
  isSeated: boolean,
): number {
  const distance = distanceBetween(store.settings, state, watcher, marker);
  const bonus = interest.incumbentBonus;
  if (interest.rank === undefined) {
    const rank = rankByDistance(distance, state.weights.at(marker));
    // A tiny weight may make the rank infinite; a bonus of 1 would then make it NaN.
    return isSeated && rank < Number.POSITIVE_INFINITY ? f32(rank * f32(1 - bonus)) : rank;
  }
  const { idOf } = store.ids;
  const rank = Number(interest.rank(idOf[watcher], idOf[marker], distance));
  return withBonus(rank, isSeated, bonus);
}

/** The effective rank by a user's function that returned this rank, float64. */
export function withBonus(rank: number, isSeated: boolean, bonus: number): number {
  const effective = isSeated ? rank - bonus * Math.abs(rank) : rank;
  return Number.isNaN(effective) ? Number.POSITIVE_INFINITY : effective;
}
