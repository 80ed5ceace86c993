/**
 * The cap: which candidates get seats when there are more candidates than seats.
 *
 * The order: first the markers that had a seat at the last tick and whose seat is younger than the minimum
 * dwell; then by effective rank; then incumbents before others; then by ascending id. The first so many get a
 * seat. So a freed seat goes to the next best candidate in the same tick, and the dwell never causes more
 * seats than the cap.
 *
 * Kernels decide nearly all rows, by selection (kernels/wasm/seat-order.ts). Here candidates are sorted, for the rows that are left
 * to row-decider.ts. Cost: some 0.1 us a candidate.
 */
import { CAP_UNSET, type EntityState } from '../../entities/entity-state.ts';
import { NEW, PROTECTED, SEATED } from '../../kernels/layouts/seat-search.ts';

/** A watcher's cap: its own, else that of its interest; `NO_CAP` for none. */
export function capOf(state: EntityState, watcher: number, interest: { readonly cap: number }): number {
  const own = state.caps.at(watcher);
  return own === CAP_UNSET ? interest.cap : own;
}

export interface Ranked {
  /** A slot. */
  readonly marker: number;
  /** The effective rank. */
  readonly rank: number;
  /** `PROTECTED`, `SEATED` or `NEW`. */
  readonly standing: number;
}

export interface Candidate extends Ranked {
  /** Its index in the row. */
  readonly at: number;
}

export function standingOf(isProtected: boolean, isSeated: boolean): number {
  return isProtected ? PROTECTED : isSeated ? SEATED : NEW;
}

/** A candidate that had no seat. */
export function newcomer(marker: number, rank: number): Ranked {
  return { marker, rank, standing: NEW };
}

/**
 * The cap's order, for `sort`: below 0 if `a` comes before `b`. Markers are slots: ascending ids are ascending slots. The same
 * order is also defined by `keyOf` in kernels/wasm/seat-order.ts; test/interest/order-of-seats.test.ts checks that the two agree.
 */
export function compareRanked(a: Ranked, b: Ranked): number {
  const isProtected = a.standing === PROTECTED;
  if (isProtected !== (b.standing === PROTECTED)) return isProtected ? -1 : 1;
  if (a.rank < b.rank) return -1;
  if (a.rank > b.rank) return 1;
  return a.standing - b.standing || a.marker - b.marker;
}
