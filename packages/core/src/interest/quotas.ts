/**
 * Quotas: of a watcher's seats, at most so many for markers of some layers. Two hundred players and fifty monsters, so that
 * neither kind takes all the seats there are.
 *
 * Candidates are gone through in the cap's order; one whose quota is full is passed over, and the next one gets the seat. The
 * first quota that shares a layer with a marker counts it; of one that none counts there may be as many as seats.
 * Cost: for a row with more candidates than a quota or the cap has seats, a sort of them.
 */
import type { Property } from '../entities/entity-state.ts';
import type { Candidates } from './cap.ts';
import { CANDIDATE, SEATED } from './pair-rows.ts';
import type { Stage } from './stage.ts';

/** One of an interest's, checked. */
export interface ResolvedQuota {
  /** 32 bits, unsigned. */
  readonly layers: number;
  /** `NO_CAP` for none. */
  readonly cap: number;
}

/** Whether the candidates of the row staged last, which begins at `begin`, are more than some quota has seats for. */
export function areOverQuota(
  quotas: readonly ResolvedQuota[],
  layers: Property,
  stage: Stage,
  begin: number,
): boolean {
  const counts = quotas.map(() => 0);
  for (let j = begin; j < stage.count && quotas.length > 0; j++) {
    if ((stage.after[j] & CANDIDATE) === 0) continue;
    const quota = quotaOf(quotas, layers.at(stage.marker[j]));
    if (quota >= 0 && ++counts[quota] > quotas[quota].cap) return true;
  }
  return false;
}

/** Gives the seats to the first of the candidates, in their order, whose quotas are not full. */
export function seatWithinQuotas(
  quotas: readonly ResolvedQuota[],
  layers: Property,
  candidates: Candidates,
  seats: number,
  stage: Stage,
): void {
  const counts = quotas.map(() => 0);
  let taken = 0;
  for (const i of candidates.inOrder()) {
    if (taken === seats) return;
    const quota = quotaOf(quotas, layers.at(candidates.marker[i]));
    if (quota >= 0 && ++counts[quota] > quotas[quota].cap) continue;
    stage.after[candidates.index[i]] |= SEATED;
    taken++;
  }
}

/** The number of the quota that counts such a marker; -1 for none. */
function quotaOf(quotas: readonly ResolvedQuota[], layers: number): number {
  return quotas.findIndex((quota) => (quota.layers & layers) !== 0);
}
