/**
 * Mutual consent: a seat is kept only when the other side seats this watcher too. Duels, trades, talk at a table: where
 * one who cannot see you should not be seen either.
 *
 * One pass after caps, over seats as they were decided; nobody is moved up for a seat that falls, and for the next tick's
 * bonus the seat counts as taken. Markers that are no watchers are exempt, as are pairs that relate by force.
 * Cost: one look into the other's row, or one test of the definition.
 */
import { FORCED, type PairRows, SEATED } from './pair-rows.ts';
import type { Stage } from './stage.ts';

/** Whether `other`, which has a row, seats `watcher`, before its own mutual pass. `stagedRow`: of `other`, or -1. */
export function seatsToo(
  pairs: PairRows,
  stage: Stage,
  stagedRow: number,
  other: number,
  watcher: number,
): boolean {
  if (stagedRow >= 0) {
    const i = stage.find(stagedRow, watcher);
    return i >= 0 && (stage.after[i] & (SEATED | FORCED)) !== 0;
  }
  const i = pairs.find(other, watcher);
  return i >= 0 && (pairs.state[i] & (SEATED | FORCED)) !== 0;
}
