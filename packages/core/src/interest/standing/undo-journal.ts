/**
 * The undo journal of rule changes that a tick applied at its start. A user's `rank` or `admit` may throw
 * later in the tick, and then `abort` must restore the former state.
 *
 *   row given     a watcher got a row, and perhaps was derived before: the row is dropped, the former state restored
 *   begun anew    its seats and ages were overwritten: they are restored, and so is its memory
 *
 * What changes later in a tick is written as edits (seats/row-edits.ts) and does not need this journal. Memory:
 * 8 to 16 bytes a pair of watchers whose rules changed, until the end of the tick. Cost: a copy of their rows.
 */
import { grown } from '../../columns.ts';
import type { LostSeats, SeatMemory } from '../rules/seat-memory.ts';
import type { PairRows } from '../table/pair-rows.ts';
import type { TakenOverrides } from './override-rows.ts';

/** Words of a pair: state, since. */
const WORDS = 2;
const NO_WORDS = new Uint32Array(0);

/** Former contents of a row: `size` pairs, whose words begin at `from`. */
interface FormerRow {
  readonly watcher: number;
  readonly from: number;
  readonly size: number;
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
  readonly #former: FormerRow[] = [];
  /** The words of all former pairs: one column, because two for each row take ten times as long. */
  #words = NO_WORDS;
  #wordCount = 0;
  readonly #pairs: PairRows;
  readonly #memory: SeatMemory;

  constructor(pairs: PairRows, memory: SeatMemory) {
    this.#pairs = pairs;
    this.#memory = memory;
  }

  /** Saves the seats of a watcher with a row before they are overwritten, and clears its memory. */
  keepRow(watcher: number): void {
    const { start, size, state, since } = this.#pairs;
    const from = this.#wordCount;
    this.#wordCount += WORDS * size[watcher];
    if (this.#wordCount > this.#words.length) this.#words = grown(this.#words, 2 * this.#wordCount);
    const words = this.#words;
    const end = start[watcher] + size[watcher];
    for (let i = start[watcher], to = from; i < end; i++) {
      words[to++] = state[i];
      words[to++] = since[i];
    }
    this.#former.push({ watcher, from, size: size[watcher], lost: this.#memory.take(watcher) });
  }

  /** Restores what `keepRow` saved, the latest first. */
  restoreRows(): void {
    for (let row = this.#former.pop(); row !== undefined; row = this.#former.pop()) {
      const { watcher, from, size, lost } = row;
      // Rows may have moved since, but have not grown: only `commit` grows them.
      const { start, state, since } = this.#pairs;
      for (let k = 0; k < size; k++) {
        const [i, at] = [start[watcher] + k, from + WORDS * k];
        state[i] = this.#words[at];
        since[i] = this.#words[at + 1];
      }
      if (lost !== undefined) this.#memory.giveBack(watcher, lost);
    }
  }

  /** The tick succeeded, or everything was restored. */
  clear(): void {
    this.given.length = 0;
    this.#former.length = 0;
    this.#words = NO_WORDS;
    this.#wordCount = 0;
  }
}
