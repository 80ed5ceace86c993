/**
 * Decides which candidates get a seat when there are more candidates than seats.
 *
 * All candidates are sorted by the four rules in order, and the first ones get the seats. Cost: O(n log n).
 */
import type { EntityId } from '../../index.ts';
import { type Figure, type ModelOptions, squaredDistance } from '../perception.ts';
import type { Rules } from './rules.ts';

const f32 = Math.fround;

/** A marker that may get a seat. */
export interface Candidate {
  readonly marker: EntityId;
  readonly figure: Figure;
  /** The senses that perceive it. */
  readonly senses: number;
  /** Seated at the last tick, or back in time to count as seated. */
  readonly isSeated: boolean;
  /** Seated at the last tick, and for less than the minimum dwell. */
  readonly isProtected: boolean;
}

/** The candidates that get a seat. Ranks are computed only if there are not enough seats. */
export function seatedOf(
  watcher: EntityId,
  seer: Figure,
  rules: Rules,
  candidates: readonly Candidate[],
  seats: number,
  options: ModelOptions,
): readonly Candidate[] {
  if (candidates.length <= seats && rules.quotas.length === 0) return candidates;
  const order = inOrder(watcher, seer, rules, candidates, options);
  const taken = rules.quotas.map(() => 0);
  const admitted = order.filter(({ figure }) => {
    const quota = quotaOf(rules, figure);
    return quota < 0 || taken[quota]++ < rules.quotas[quota].cap;
  });
  return admitted.slice(0, seats);
}

/** The number of the quota that counts a marker; -1 for none. */
export function quotaOf({ quotas }: Rules, { layers }: Figure): number {
  return quotas.findIndex((quota) => (quota.layers & layers) !== 0);
}

/** Best candidate first. */
function inOrder(
  watcher: EntityId,
  seer: Figure,
  rules: Rules,
  candidates: readonly Candidate[],
  options: ModelOptions,
): readonly Candidate[] {
  const order = candidates.map((candidate) => {
    const rank = rankOf(watcher, seer, rules, candidate, options);
    return { ...candidate, rank: Number.isNaN(rank) ? Number.POSITIVE_INFINITY : rank };
  });
  return order.sort(
    (one, other) =>
      firstIf(one.isProtected, other.isProtected) ||
      ascending(one.rank, other.rank) ||
      firstIf(one.isSeated, other.isSeated) ||
      one.marker - other.marker,
  );
}

/**
 * Markers that would get a seat but wait, because no more may enter in a tick. A quarter of the budget, at least one
 * place, is for those that have waited longest, the rest follows the order of seats. `sinceOf`: the tick in which a
 * wait began.
 */
export function waitingOf(
  watcher: EntityId,
  seer: Figure,
  rules: Rules,
  newcomers: readonly Candidate[],
  sinceOf: (marker: EntityId) => number,
  options: ModelOptions,
): readonly EntityId[] {
  if (newcomers.length <= rules.enterBudget) return [];
  const order = inOrder(watcher, seer, rules, newcomers, options).map(({ marker }) => marker);
  const longest = [...order].sort((one, other) => sinceOf(one) - sinceOf(other));
  const first = longest.slice(0, Math.ceil(rules.enterBudget / 4));
  const others = order.filter((marker) => !first.includes(marker));
  return others.slice(rules.enterBudget - first.length);
}

/** The effective rank; may be NaN. */
export function rankOf(
  watcher: EntityId,
  seer: Figure,
  { rank, incumbentBonus }: Rules,
  { marker, figure, isSeated }: Pick<Candidate, 'marker' | 'figure' | 'isSeated'>,
  options: ModelOptions,
): number {
  const distance = f32(Math.sqrt(squaredDistance(seer, figure, options)));
  if (rank === 'nearest') {
    if (figure.weight === 0) return Number.POSITIVE_INFINITY;
    const byDistance = f32(distance / figure.weight);
    return isSeated ? f32(byDistance * f32(1 - incumbentBonus)) : byDistance;
  }
  const given = rank(watcher, marker, distance);
  return isSeated ? given - incumbentBonus * Math.abs(given) : given;
}

function firstIf(one: boolean, other: boolean): number {
  return Number(other) - Number(one);
}

/** A difference would be NaN for two infinities. */
function ascending(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
