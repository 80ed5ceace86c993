/**
 * The enter budget: the most pairs that may begin to relate to a watcher in one tick (rate limit), so that a
 * watcher that comes into a crowd does not get the whole crowd at once. The nearest enter first, and no pair
 * waits for ever.
 *
 *   seats are decided as usual; of the pairs that would enter, at most `budget` do:
 *     a quarter of them, at least one, are those that have waited longest; the others are the first in the cap's order
 *   the rest wait: they have no seat, and an incumbent that they would have outranked keeps its seat; no newcomer of
 *   a lower rank takes it; a marker that leaves does so at once
 *
 * If n pairs have waited longer, a pair that stays due for a seat enters after at most 4 n / `budget` ticks.
 * Pairs that relate by force (pins, groups, always) and attached markers never wait, and do not count for the
 * budget.
 *
 * A waiting pair has the WAITING bit in its row, and `since` holds the tick from which it waits. While a pair
 * waits, each tick decides the watcher's row as a whole: by the kernel (kernels/wasm/seat-budget.ts), or here.
 */
import { NO_CAP, type Property } from '../../entities/entity-state.ts';
import { type Candidate, compareRanked } from '../rules/cap.ts';
import type { ResolvedInterest } from '../rules/interest.ts';
import { takeSeats } from '../rules/quotas.ts';
import type { RuledWatchers } from '../standing/ruled-watchers.ts';
import type { SeatTables } from '../standing/seat-tables.ts';
import { CANDIDATE, FORCED, SEATED, WAITING } from '../table/pair-rows.ts';
import type { RowDraft } from '../table/row-draft.ts';

/** Share of the budget that goes to the pairs that have waited longest. */
const SHARE_OF_LONGEST = 0.25;

/** Number of pairs that wait to enter, as of the last tick. Cost: visits each pair of the rows whose interest has a budget. */
export function countWaiting({ store, pairs, book }: SeatTables, watchers: RuledWatchers): number {
  const { start, size, state } = pairs;
  // Watchers may have rows for other rules: then none of them is visited.
  if (book.current.every(({ enterBudget }) => enterBudget === NO_CAP)) return 0;
  let waiting = 0;
  for (const watcher of watchers.withRow) {
    if (watchers.interestIn(store.last, watcher).enterBudget === NO_CAP) continue;
    const end = start[watcher] + size[watcher];
    for (let i = start[watcher]; i < end; i++) if ((state[i] & WAITING) !== 0) waiting++;
  }
  return waiting;
}

/** Whether a row has more new candidates than may enter. */
export function isOverBudget(budget: number, row: RowDraft): boolean {
  if (budget === NO_CAP) return false;
  let newcomers = 0;
  for (let j = 0; j < row.count; j++) {
    if (isNew(row, j) && (row.after[j] & CANDIDATE) !== 0) newcomers++;
  }
  return newcomers > budget;
}

/** Whether a pair of the row had neither a seat nor a forced relation before. */
function isNew(row: RowDraft, j: number): boolean {
  return (row.before[j] & (SEATED | FORCED)) === 0;
}

/**
 * Gives seats to candidates of a row, in the cap's order and under its quotas. Of new candidates, only as many as may enter get one; the
 * others wait.
 */
export function seatInOrder(
  { quotas, enterBudget }: ResolvedInterest,
  layers: Property,
  candidates: Candidate[],
  seats: number,
  row: RowDraft,
  tick: number,
): void {
  candidates.sort(compareRanked);
  let seated = takeSeats(quotas, layers, candidates, seats);
  const newcomers = seated.filter(({ at }) => isNew(row, at));
  if (newcomers.length > enterBudget) {
    const sinceOf = ({ at }: Candidate) => ((row.before[at] & WAITING) === 0 ? tick : row.since[at]);
    const longest = [...newcomers].sort((a, b) => sinceOf(a) - sinceOf(b));
    const entering = new Set(longest.slice(0, Math.ceil(enterBudget * SHARE_OF_LONGEST)));
    for (const each of newcomers) if (entering.size < enterBudget) entering.add(each);
    for (const each of newcomers) if (!entering.has(each)) row.after[each.at] |= WAITING;
    // Only incumbents get the seats of those that wait: other new pairs would be too many.
    const others = candidates.filter((each) => entering.has(each) || !isNew(row, each.at));
    seated = takeSeats(quotas, layers, others, seats);
  }
  for (const { at } of seated) row.after[at] |= SEATED;
}
