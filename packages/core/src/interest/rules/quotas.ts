/**
 * Quotas: the most seats that a watcher gives to markers of some layers. For example two hundred players and
 * fifty monsters, so that neither kind takes all the seats.
 *
 * Candidates are taken in the cap's order. A candidate whose quota is full is skipped, and the next one gets
 * the seat. A marker counts for the first quota that shares a layer with it; markers that no quota counts are
 * limited only by the cap. Cost: one visit of each candidate per quota.
 */
import { NO_CAP, type Property } from '../../entities/entity-state.ts';
import { CANDIDATE } from '../table/pair-rows.ts';
import type { RowDraft } from '../table/row-draft.ts';
import type { Candidate } from './cap.ts';

/** A checked quota of an interest. */
export interface ResolvedQuota {
  /** 32 bits, unsigned. */
  readonly layers: number;
  /** `NO_CAP` for none. */
  readonly cap: number;
}

/**
 * How many more candidates, of any layers, fit under the quotas besides those of a row. Below 0 if a quota has too many; `NO_CAP`
 * without quotas.
 */
export function seatsLeft(quotas: readonly ResolvedQuota[], layers: Property, row: RowDraft): number {
  const left = quotas.map(({ cap }) => cap);
  for (let j = 0; j < row.count && left.length > 0; j++) {
    if ((row.after[j] & CANDIDATE) === 0) continue;
    const quota = quotaOf(quotas, layers.at(row.marker[j]));
    if (quota >= 0) left[quota]--;
  }
  return Math.min(NO_CAP, ...left);
}

/** Returns the first candidates whose quotas are not full, at most `seats`. `candidates`: in the cap's order. */
export function takeSeats(
  quotas: readonly ResolvedQuota[],
  layers: Property,
  candidates: readonly Candidate[],
  seats: number,
): Candidate[] {
  const counts = quotas.map(() => 0);
  const taken: Candidate[] = [];
  for (const candidate of candidates) {
    if (taken.length >= seats) break;
    const quota = quotaOf(quotas, layers.at(candidate.marker));
    if (quota >= 0 && ++counts[quota] > quotas[quota].cap) continue;
    taken.push(candidate);
  }
  return taken;
}

/** Index of the quota that counts a marker of these layers; -1 if none does. */
export function quotaOf(quotas: readonly ResolvedQuota[], layers: number): number {
  for (let i = 0; i < quotas.length; i++) if ((quotas[i].layers & layers) !== 0) return i;
  return -1;
}
