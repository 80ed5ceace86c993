/**
 * The watchers that have a row: which rows are decided in a tick, by what, and what a tick does with the decisions.
 *
 *   searched watcher that is due                            -> the seat kernel, or row-decider.ts where it gives the row back
 *   row in which a pair crossed; row with more candidates   -> the seat kernel, or row-decider.ts
 *     than seats, or with a rule of its own, in which
 *     anything moved or changed, unless it is calm
 *   any other row                                           -> stays as it is
 *
 * Both write edits (seats/row-edits.ts), from which the crossings of relation are made, and the rows when the tick succeeds.
 *
 * Cost: O(1) for a row that stays as it is.
 */
import type { Crossings } from '../detectors/crossings.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { RowDecider } from './row-decider.ts';
import { KernelSeats } from './seats/kernel-seats.ts';
import type { RowEdits } from './seats/row-edits.ts';
import { SearchedWatchers } from './seats/searched-watchers.ts';
import {
  ASKED_ANEW,
  ON_EVERY_TICK,
  ON_NEWS,
  ONCE,
  OWN_NEWS,
  type RuledWatchers,
} from './standing/ruled-watchers.ts';
import type { SeatTables } from './standing/seat-tables.ts';
import { Admissions } from './table/admissions.ts';

/** A tick is calm if at most this share of all entities moved or changed: then it is worth finding out which rows are. */
const CALM_SHARE = 0.1;

export class Rows {
  /** How many relations ended in the last decision because their watcher is gone. */
  lostWithWatcher = 0;
  readonly searched: SearchedWatchers;
  readonly #tables: SeatTables;
  readonly #store: EntityStore;
  readonly #watchers: RuledWatchers;
  readonly #admissions = new Admissions();
  readonly #seats: KernelSeats;
  readonly #decider: RowDecider;

  constructor(tables: SeatTables, watchers: RuledWatchers) {
    const { store, pairs } = tables;
    this.#tables = tables;
    this.#store = store;
    this.#watchers = watchers;
    this.#seats = new KernelSeats({ ...tables, watchers, admissions: this.#admissions });
    const { search } = this.#seats;
    this.#decider = new RowDecider(tables, watchers, search, this.#admissions);
    this.searched = new SearchedWatchers(store, watchers, pairs, search);
  }

  /** What was decided in the tick under way. */
  get edits(): RowEdits {
    return this.#seats.search.edits;
  }

  /** After `commit`: the watchers that may not need their row any more; and those of them whose rules may have changed. */
  get roomy(): readonly number[] {
    return this.#seats.roomy;
  }

  get renewed(): readonly number[] {
    return this.#seats.renewed;
  }

  /** Bytes outside the heap. */
  get memoryBytes(): number {
    return this.#seats.search.memoryBytes + this.#admissions.memoryBytes;
  }

  /** A tick begins to decide. */
  clear(): void {
    this.lostWithWatcher = 0;
    this.#tables.memoryNotes.clear();
    this.#admissions.clear();
    this.#seats.clear();
  }

  /** Frees memory that recent ticks did not use. What was decided is lost. */
  trim(): void {
    this.#seats.search.trim();
    this.#admissions.trim();
  }

  /** Applies the decisions. */
  commit(tick: number): void {
    const watchers = this.#watchers;
    const { memory, memoryNotes } = this.#tables;
    memoryNotes.commit(memory, tick, (watcher) => watchers.limitMemory(watcher, tick));
    this.#seats.commit(tick);
  }

  /** The tick failed. */
  abort(): void {
    this.searched.abort();
    this.#seats.search.abort();
  }

  /**
   * Decides the rows that may change in this tick, and rewrites their crossings of perception to those of relation. Throws what a user's
   * `rank` or `admit` throws.
   */
  decide(crossings: Crossings, tick: number): void {
    const { searched } = this;
    const { book, pairs } = this.#tables;
    const watchers = this.#watchers;
    const seats = this.#seats;
    if (watchers.withRow.length === 0) return;
    const { now, last, pendingCount } = this.#store;
    const lingering = this.#tables.lingering.isNone ? undefined : this.#tables.lingering;
    const reasons = ON_EVERY_TICK | ONCE | ASKED_ANEW | (pendingCount > 0 ? ON_NEWS : 0);
    const isSearching = searched.isAny;
    // If many entities move, nearly every row contains one that did.
    const isCalmTick = pendingCount <= this.#store.size * CALM_SHARE;
    const due = seats.listDue(book.current, tick, isSearching, isCalmTick, crossings);
    searched.noteDue(due);
    // Only now: columns move with the heap.
    const { look } = watchers;
    const { pending } = this.#store;
    const { flags } = now;
    const hidden = now.hidden.column?.array;
    const { words, count } = crossings;
    const slow: number[] = [];
    let from = 0;
    for (const watcher of due) {
      // Usually the next crossing is this watcher's or a later one's.
      if (from < count && words[2 * from + 1] >>> 10 < watcher) from = crossings.firstFrom(watcher, from);
      let to = from;
      while (to < count && words[2 * to + 1] >>> 10 === watcher) to++;
      const isOwnNews = (pending[watcher] & OWN_NEWS) !== 0;
      const isDue = lingering?.isDue(watcher, tick) === true;
      // Perception knew no relations of a watcher that was hidden.
      if (flags[watcher] === 0) {
        this.lostWithWatcher += pairs.lostWith(watcher, last.hidden.at(watcher) === 0);
      } else if (hidden?.[watcher] === 1) {
        const isAtRest = !isOwnNews && (look[watcher] & reasons) === 0 && pendingCount === 0;
        if (!isAtRest && !seats.askSearched(watcher)) slow.push(watcher);
      } else {
        const isCalled = (look[watcher] & reasons) !== 0;
        if (to > from || isOwnNews || isDue || isCalled) {
          seats.askWhole(watcher, crossings, from, to);
          slow.push(watcher);
        }
      }
      from = to;
    }
    seats.decide(crossings);
    this.#decideSlowly(slow, crossings, tick);
    this.edits.report(crossings, due);
  }

  /** The slow path: decides those of these watchers (ascending) that no kernel decided. */
  #decideSlowly(watchers: readonly number[], crossings: Crossings, tick: number): void {
    const { hidden } = this.#store.now;
    let from = 0;
    for (const watcher of watchers) {
      if (this.edits.isDecided(watcher)) continue;
      if (hidden.at(watcher) === 1) {
        this.#decider.decideSearched(watcher, tick);
        continue;
      }
      from = crossings.firstFrom(watcher, from);
      const to = crossings.firstFrom(watcher + 1, from);
      this.#decider.decide(watcher, crossings, from, to, tick);
      from = to;
    }
  }
}
