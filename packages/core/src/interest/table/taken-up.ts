/**
 * What a tick took up of watchers' rules before it was sure to stand, so that it can be given back: a user's `rank` or
 * `admit` may throw later on, and then nothing has changed.
 *
 *   row given     a watcher got a row, and perhaps was easy before: the row is dropped, and it is what it was
 *   begun anew    its seats, ages and what it was told of were written over: they are put back, and whom it remembered
 *   rated         it went to or from being told at rates: it goes back
 *
 * The columns that others change while a tick is under way are written on a stage (stage.ts) and need none of this. Memory:
 * 12 bytes a pair of watchers whose rules changed, until the tick is over. Cost: a copy of their rows.
 */

import type { PairRows } from '../pair-rows.ts';
import type { LostSeats, SeatMemory } from '../rules/seat-memory.ts';
import type { TakenOverrides } from '../ways/overrides/override-rows.ts';

/** A row as it was. */
interface FormerRow {
  readonly watcher: number;
  readonly state: Uint32Array;
  readonly since: Uint32Array;
  readonly reported: Uint32Array;
  readonly lost: LostSeats | undefined;
}

/** A watcher that got a row. */
interface GivenRow {
  readonly watcher: number;
  /** How many it related to while it was easy; `undefined`: it was not. */
  readonly easyCount: number | undefined;
  /** What it overrode while it had none. */
  readonly overrides: TakenOverrides | undefined;
  /** Where its entries in recent-seats.ts ended, and whom it remembered before these were read. */
  readonly recent: number;
  readonly lost: LostSeats | undefined;
}

export class TakenUp {
  readonly given: GivenRow[] = [];
  /** Slots whose `isRated` was turned round, as often as it was. */
  readonly rated: number[] = [];
  readonly #former: FormerRow[] = [];
  readonly #pairs: PairRows;
  readonly #memory: SeatMemory;

  constructor(pairs: PairRows, memory: SeatMemory) {
    this.#pairs = pairs;
    this.#memory = memory;
  }

  /** Before the seats of a watcher with a row are written over; whom it remembers is forgotten with `forgets`. */
  keepRow(watcher: number, forgets: boolean): void {
    const { start, size, state, since, reported } = this.#pairs;
    const [from, end] = [start[watcher], start[watcher] + size[watcher]];
    this.#former.push({
      watcher,
      state: state.slice(from, end),
      since: since.slice(from, end),
      reported: reported.slice(from, end),
      lost: forgets ? this.#memory.take(watcher) : undefined,
    });
  }

  /** Puts back what `keepRow` kept, the latest first. */
  restoreRows(): void {
    for (let row = this.#former.pop(); row !== undefined; row = this.#former.pop()) {
      const { watcher, lost } = row;
      // Rows may have moved since, but not grown: that is for a tick that stands. An empty one may begin beyond the end of a
      // pool that has become shorter.
      const { start, state, since, reported } = this.#pairs;
      if (row.state.length > 0) {
        state.set(row.state, start[watcher]);
        since.set(row.since, start[watcher]);
        reported.set(row.reported, start[watcher]);
      }
      if (lost !== undefined) this.#memory.giveBack(watcher, lost);
    }
  }

  /** The tick is over. */
  clear(): void {
    this.given.length = 0;
    this.rated.length = 0;
    this.#former.length = 0;
  }
}
