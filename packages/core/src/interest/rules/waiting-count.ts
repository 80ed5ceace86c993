/**
 * Number of pairs that wait to enter, as of the last tick: `waitingCount` of `stats`. See enter-budget.ts.
 *
 * A row with a waiting pair is decided again as a whole in every tick. So the rows on a tick's stage hold all
 * waiting pairs, and the tick counts them from scratch. Cost: visits each pair of the staged rows whose
 * interest has a budget; nothing for other rows.
 */
import { NO_CAP } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { assert } from '../../errors.ts';
import { type PairRows, WAITING } from '../pair-rows.ts';
import type { RuledWatchers } from '../ruled-watchers.ts';
import type { Stage } from '../table/stage.ts';

export class WaitingCount {
  value = 0;

  /** Counts the waiting pairs of the stage, when the tick succeeded. */
  take(stage: Stage, watchers: RuledWatchers, { now }: EntityStore): void {
    this.value = 0;
    for (let row = 0; row < stage.rowCount; row++) {
      if (watchers.interestIn(now, stage.watchers[row]).enterBudget === NO_CAP) continue;
      this.value += waitingIn(stage.after, stage.begins[row], stage.begins[row + 1]);
    }
  }

  /** Counts the waiting pairs in the rows of these watchers. */
  count(pairs: PairRows, watchers: Uint32Array): void {
    this.value = 0;
    for (const watcher of watchers) {
      const begin = pairs.start[watcher];
      this.value += waitingIn(pairs.state, begin, begin + pairs.size[watcher]);
    }
  }

  /** Throws if the number is wrong. For tests. */
  validate(pairs: PairRows, watchers: Uint32Array): void {
    const { value } = this;
    this.count(pairs, watchers);
    assert(value === this.value, 'pairs that wait are counted');
  }
}

function waitingIn(state: Uint32Array, begin: number, end: number): number {
  let waiting = 0;
  for (let i = begin; i < end; i++) if ((state[i] & WAITING) !== 0) waiting++;
  return waiting;
}
