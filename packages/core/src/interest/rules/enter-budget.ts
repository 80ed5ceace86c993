/**
 * The enter budget: at most so many a tick begin to relate to a watcher, so that one who comes into a crowd does not get all of it at
 * once. Nearest first, and nobody waits for ever.
 *
 *   seats are decided as ever; of those who would enter by it, in the cap's order, at most `budget` do:
 *     a quarter of them, one at least, are those that have waited longest; the others the first in the cap's order
 *   the rest wait: they have no seat, and whom they would have outranked keeps its own; who leaves leaves at once
 *
 * So one that goes on being due a seat enters after four ticks for each `budget` that wait longer than it, at most. Who relates by
 * force (pins, groups, always) and who is attached never waits, and counts for nothing here.
 *
 * A pair that waits has the bit WAITING in its row, and the tick since which it does in place of that since which it sits. Cost: a
 * sort of all candidates in each tick in which some wait; their watcher's row is decided whole then.
 */
import { NO_CAP, type Property } from '../../entities/entity-state.ts';
import type { ResolvedInterest } from '../interest.ts';
import { CANDIDATE, FORCED, SEATED, WAITING } from '../pair-rows.ts';
import type { Stage } from '../table/stage.ts';
import type { Candidates } from './cap.ts';
import { keepWithinQuotas, takeSeats } from './quotas.ts';

/** Of those that enter, the share that goes by how long they have waited. */
const SHARE_OF_LONGEST = 0.25;

/** Whether more candidates of the row staged last, which begins at `begin`, are new than may enter. */
export function isOverBudget(budget: number, stage: Stage, begin: number): boolean {
  if (budget === NO_CAP) return false;
  let newcomers = 0;
  for (let j = begin; j < stage.count; j++) {
    if (isNew(stage, j) && (stage.after[j] & CANDIDATE) !== 0) newcomers++;
  }
  return newcomers > budget;
}

/** Whether a pair of the stage had no seat and no force before. */
function isNew(stage: Stage, j: number): boolean {
  return (stage.before[j] & (SEATED | FORCED)) === 0;
}

/** Gives the seats to candidates, all of the row staged last, under quotas; of new ones to as many as may enter. The others wait. */
export function seatWithinBudget(
  { quotas, enterBudget }: ResolvedInterest,
  layers: Property,
  candidates: Candidates,
  seats: number,
  stage: Stage,
  tick: number,
): void {
  const { index, count } = candidates;
  keepWithinQuotas(quotas, layers, candidates);
  candidates.select(seats);
  const seated = Math.min(seats, candidates.count);
  let newcomerCount = 0;
  for (let i = 0; i < seated; i++) if (isNew(stage, index[i])) newcomerCount++;
  if (newcomerCount <= enterBudget) {
    for (let i = 0; i < seated; i++) stage.after[index[i]] |= SEATED;
    return;
  }
  // More than may enter are due a seat: all of them again, in order.
  candidates.count = count;
  const order = candidates.inOrder();
  const due = takeSeats(quotas, layers, candidates, order, seats);
  const newcomers = due.filter((i) => isNew(stage, index[i]));
  const sinceOf = (i: number) => ((stage.before[index[i]] & WAITING) === 0 ? tick : stage.since[index[i]]);
  const longest = [...newcomers].sort((i, j) => sinceOf(i) - sinceOf(j));
  const entering = new Set(longest.slice(0, Math.ceil(enterBudget * SHARE_OF_LONGEST)));
  for (const i of newcomers) if (entering.size < enterBudget) entering.add(i);
  const waiting = new Set(newcomers.filter((i) => !entering.has(i)));
  for (const i of waiting) stage.after[index[i]] |= WAITING;
  const others = order.filter((i) => !waiting.has(i));
  const places = takeSeats(quotas, layers, candidates, others, seats);
  for (const i of places) stage.after[index[i]] |= SEATED;
}
