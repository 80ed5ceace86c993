/**
 * How many pairs linger, and how many wait to enter, as of the last tick: what `stats` says of them.
 *
 *   lingers   relates, by no sense and by no force: see rules/linger.ts
 *   waits     has the bit WAITING: see rules/enter-budget.ts
 *
 * Time alone ends both, so each row with such a pair is decided again in every tick, as a whole. What a tick has on its stage is
 * therefore all there is, and both are counted anew. Cost: a look at each pair of those rows; none for other watchers.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { assert } from '../../errors.ts';
import { decidesWholeRows } from '../interest.ts';
import { FORCED, type PairRows, RELATED, sensesOf, WAITING } from '../pair-rows.ts';
import type { RuledWatchers } from '../ruled-watchers.ts';
import type { Stage } from './stage.ts';

export class PairCounts {
  lingering = 0;
  waiting = 0;

  /** Counts what a tick decided, when it stands. */
  take(stage: Stage, watchers: RuledWatchers, { now }: EntityStore): void {
    this.#clear();
    for (let row = 0; row < stage.rowCount; row++) {
      if (!decidesWholeRows(watchers.interestIn(now, stage.watchers[row]))) continue;
      this.#add(stage.after, stage.begins[row], stage.begins[row + 1]);
    }
  }

  /** Counts what is kept of all these watchers. */
  count(pairs: PairRows, watchers: Uint32Array): void {
    this.#clear();
    for (const watcher of watchers) {
      const begin = pairs.start[watcher];
      this.#add(pairs.state, begin, begin + pairs.size[watcher]);
    }
  }

  /** Throws where it is wrong. For tests. */
  validate(pairs: PairRows, watchers: Uint32Array): void {
    const counted = new PairCounts();
    counted.count(pairs, watchers);
    const isRight = counted.lingering === this.lingering && counted.waiting === this.waiting;
    assert(isRight, 'pairs that linger or wait are counted');
  }

  #clear(): void {
    this.lingering = 0;
    this.waiting = 0;
  }

  #add(state: Uint32Array, begin: number, end: number): void {
    for (let i = begin; i < end; i++) {
      if ((state[i] & (RELATED | FORCED)) === RELATED && sensesOf(state[i]) === 0) this.lingering++;
      if ((state[i] & WAITING) !== 0) this.waiting++;
    }
  }
}
