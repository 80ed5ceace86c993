/**
 * Decides one pair both ways, by the definition, before and now.
 *
 * For pairs found by an axis walk or in the test of the far-reaching entities, in any world. If a tick tests very
 * many pairs of a plain world, `UnrolledList` decides them itself. Cost: some 50 to 150 ns a pair.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import type { WorldSettings } from '../../settings.ts';
import type { Crossings } from '../crossings.ts';

export class PairJudge {
  readonly #settings: WorldSettings;
  readonly #last: EntityState;
  readonly #now: EntityState;

  constructor(store: EntityStore) {
    this.#settings = store.settings;
    this.#last = store.last;
    this.#now = store.now;
  }

  /** Reports how a's perception of b changed, and b's of a. Slots. */
  judge(a: number, b: number, out: Crossings): void {
    this.#judgeOneWay(a, b, out);
    this.#judgeOneWay(b, a, out);
  }

  #judgeOneWay(watcher: number, marker: number, out: Crossings): void {
    // A removed entity gets no report, but its relations are counted.
    const before = perceivedSenses(this.#settings, this.#last, watcher, marker);
    const after = perceivedSenses(this.#settings, this.#now, watcher, marker);
    if (before !== after) out.crossing(watcher, marker, before, after);
  }
}
