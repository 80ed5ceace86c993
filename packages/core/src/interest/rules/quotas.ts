/**
 * Quotas: of a watcher's seats, at most so many for markers of some layers. Two hundred players and fifty monsters, so that
 * neither kind takes all the seats there are.
 *
 * Candidates are gone through in the cap's order; one whose quota is full is passed over, and the next one gets the seat. The
 * first quota that shares a layer with a marker counts it; of one that none counts there may be as many as seats.
 * Cost: for a row with more candidates than a quota or the cap has seats, a look at each for each quota.
 */
import { NO_CAP, type Property } from '../../entities/entity-state.ts';
import { CANDIDATE } from '../pair-rows.ts';
import type { Stage } from '../table/stage.ts';
import type { Candidates } from './cap.ts';

/** One of an interest's, checked. */
export interface ResolvedQuota {
  /** 32 bits, unsigned. */
  readonly layers: number;
  /** `NO_CAP` for none. */
  readonly cap: number;
}

/**
 * How many candidates more than the row staged last has, which begins at `begin`, fit whichever layers they are of; below 0 where a quota
 * has too many, `NO_CAP` without any.
 */
export function seatsLeft(
  quotas: readonly ResolvedQuota[],
  layers: Property,
  stage: Stage,
  begin: number,
): number {
  const left = quotas.map(({ cap }) => cap);
  for (let j = begin; j < stage.count && left.length > 0; j++) {
    if ((stage.after[j] & CANDIDATE) === 0) continue;
    const quota = quotaOf(quotas, layers.at(stage.marker[j]));
    if (quota >= 0) left[quota]--;
  }
  return Math.min(NO_CAP, ...left);
}

/** The first candidates of some, given in their order, whose quotas are not full; as many as there are seats. Places. */
export function takeSeats(
  quotas: readonly ResolvedQuota[],
  layers: Property,
  candidates: Candidates,
  order: readonly number[],
  seats: number,
): number[] {
  const counts = quotas.map(() => 0);
  const taken: number[] = [];
  for (const i of order) {
    if (taken.length >= seats) break;
    const quota = quotaOf(quotas, layers.at(candidates.marker[i]));
    if (quota >= 0 && ++counts[quota] > quotas[quota].cap) continue;
    taken.push(i);
  }
  return taken;
}

/** Forgets the candidates whose quotas are full by then. */
export function keepWithinQuotas(
  quotas: readonly ResolvedQuota[],
  layers: Property,
  candidates: Candidates,
): void {
  quotas.forEach(({ cap }, quota) => {
    candidates.keepFirst((marker) => quotaOf(quotas, layers.at(marker)) === quota, cap);
  });
}

/** The number of the quota that counts such a marker; -1 for none. */
export function quotaOf(quotas: readonly ResolvedQuota[], layers: number): number {
  for (let i = 0; i < quotas.length; i++) if ((quotas[i].layers & layers) !== 0) return i;
  return -1;
}
