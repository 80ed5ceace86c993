/**
 * The undo journal of rule changes that a tick applied at its start. A user's `rank` or `admit` may throw
 * later in the tick, and then `abort` must restore the former state.
 *
 *   row given     a watcher got a row, and perhaps was derived before: the row is dropped, the former state restored
 *   begun anew    its seats, ages and report ticks were overwritten: they are restored, and so is its memory
 *   rated         it began or ceased to get updates at rates: that is reversed
 *
 * What changes later in a tick is written as edits (seats/row-edits.ts) and does not need this journal. Memory:
 * 12 bytes a pair of watchers whose rules changed, until the end of the tick. Cost: a copy of their rows.
 */
import type { LostSeats, SeatMemory } from '../rules/seat-memory.ts';
import type { PairRows } from '../table/pair-rows.ts';
import type { TakenOverrides } from './override-rows.ts';

/** Former contents of a row. */
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
  /** Number of its relations while it was derived; `undefined`: it was not. */
  readonly relationCount: number | undefined;
  /** Its overrides while it had no row. */
  readonly overrides: TakenOverrides | undefined;
  /** The end of its entries in recent-seats.ts, and its memory before they were read. */
  readonly recent: number;
  readonly lost: LostSeats | undefined;
}

export class UndoJournal {
  readonly given: GivenRow[] = [];
  /** Slots whose `isRated` changed, once for each change. */
  readonly rated: number[] = [];
  readonly #former: FormerRow[] = [];
  readonly #pairs: PairRows;
  readonly #memory: SeatMemory;

  constructor(pairs: PairRows, memory: SeatMemory) {
    this.#pairs = pairs;
    this.#memory = memory;
  }

  /**
   * Saves the seats of a watcher with a row before they are overwritten. With `forgets`, its memory is
   * cleared, too.
   */
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

  /** Restores what `keepRow` saved, the latest first. */
  restoreRows(): void {
    for (let row = this.#former.pop(); row !== undefined; row = this.#former.pop()) {
      const { watcher, lost } = row;
      // Rows may have moved since, but have not grown: only `commit` grows them. An empty row may begin
      // beyond the end of a pool that has become shorter.
      const { start, state, since, reported } = this.#pairs;
      if (row.state.length > 0) {
        state.set(row.state, start[watcher]);
        since.set(row.since, start[watcher]);
        reported.set(row.reported, start[watcher]);
      }
      if (lost !== undefined) this.#memory.giveBack(watcher, lost);
    }
  }

  /** The tick succeeded, or everything was restored. */
  clear(): void {
    this.given.length = 0;
    this.rated.length = 0;
    this.#former.length = 0;
  }
}
