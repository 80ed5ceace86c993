/**
 * When the watchers that get updates at rates last got an update of each attached marker.
 *
 * All other watchers get each update at once. Method: a relation that follows from the parent's stores the
 * tick beside it; a relation of its own stores it in the watcher's row. When one kind replaces the other, it
 * takes the tick over. When a watcher gets another interest, everything counts as reported at the tick
 * before. Cost: nothing while no watcher gets updates at rates.
 */
import { UPDATES } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { INTEREST_CHANGED, pendingWith, UPDATES_CHANGED } from '../../entities/pending.ts';
import type { PairRows } from '../pair-rows.ts';
import { RELATES } from '../table/relation-words.ts';
import { type AttachedPairs, ownOf, totalOf } from './attached-pairs.ts';

export class FollowedUpdates {
  readonly #store: EntityStore;
  readonly #pairs: AttachedPairs;
  readonly #rows: PairRows;
  /** Watcher, marker, tick, in turn: for rows that are about to be written. */
  readonly #handedBack: number[] = [];

  constructor(store: EntityStore, pairs: AttachedPairs, rows: PairRows) {
    this.#store = store;
    this.#pairs = pairs;
    this.#rows = rows;
  }

  /**
   * Marks everything as reported at the tick before this one, for watchers that have another interest, get
   * updates again, or began or ceased to get updates at rates.
   */
  renew(changedInterests: ReadonlySet<number>, changedRates: readonly number[], tick: number): void {
    const { now, last, pending, watchers } = this.#store;
    for (const watcher of changedRates) this.#renewOne(watcher, tick);
    if (changedInterests.size > 0) {
      watchers.each((slot) => {
        if (changedInterests.has(now.interests.at(slot))) this.#renewOne(slot, tick);
      });
    }
    for (const slot of pendingWith(this.#store, INTEREST_CHANGED | UPDATES_CHANGED)) {
      const getsUpdatesAgain = (pending[slot] & UPDATES_CHANGED) !== 0 && (last.flags[slot] & UPDATES) === 0;
      // A watcher that got another interest and then its former one again has the same interest.
      const isNewInterest = last.interests.at(slot) !== now.interests.at(slot);
      if (isNewInterest || getsUpdatesAgain) this.#renewOne(slot, tick);
    }
  }

  /** Writes a pair as it was decided. `pair`: its index, or -1. Before rows are written. */
  write(pair: number, watcher: number, marker: number, after: number, tick: number): void {
    const before = this.#pairs.stateAt(pair);
    let reported = tick;
    if ((totalOf(before) & totalOf(after) & RELATES) !== 0) {
      if ((ownOf(before) & RELATES) === 0) {
        reported = this.#pairs.reported[pair];
        if ((ownOf(after) & RELATES) !== 0) this.#handedBack.push(watcher, marker, reported);
      } else if ((ownOf(after) & RELATES) === 0) {
        const at = this.#rows.find(watcher, marker);
        if (at >= 0) reported = this.#rows.reported[at];
      }
    }
    this.#pairs.setAt(pair, watcher, marker, after, reported);
  }

  /** After rows were written: gives them the report ticks of the pairs that they took over. */
  handBack(): void {
    const handed = this.#handedBack;
    for (let i = 0; i < handed.length; i += 3) {
      const at = this.#rows.find(handed[i], handed[i + 1]);
      if (at >= 0) this.#rows.reported[at] = handed[i + 2];
    }
    handed.length = 0;
  }

  #renewOne(watcher: number, tick: number): void {
    const pairs = this.#pairs;
    for (let pair = pairs.firstOfWatcher(watcher); pair >= 0; pair = pairs.nextOfWatcher(pair)) {
      pairs.reported[pair] = tick - 1;
    }
  }
}
