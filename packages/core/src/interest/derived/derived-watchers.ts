/**
 * What a tick does with derived watchers, which have no row (ruled-watchers.ts): they relate to what
 * they perceive and to what their margin holds, as long as that fits under the cap.
 *
 *   begin     a watcher that came near its cap in the last tick, or awaits much consent, gets its row back
 *   decide    so does a watcher that may reach its cap in this one; the crossings of the others pass margins and overrides
 *   commit    the relations of the others are counted
 *
 * Cost: O(crossings); a row that is given back costs one visit of each of the watcher's pairs.
 */
import type { Crossings } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { heldByMargin } from '../rules/margin.ts';
import { ONCE, type RelatedIds, type RuledWatchers } from '../standing/ruled-watchers.ts';
import type { SeatTables } from '../standing/seat-tables.ts';
import { EVERY_SENSE, RELATED } from '../table/pair-rows.ts';
import type { Overrides } from './overrides.ts';

export class DerivedWatchers {
  readonly #tables: SeatTables;
  readonly #store: EntityStore;
  readonly #watchers: RuledWatchers;
  readonly #overrides: Overrides;
  /** Watchers that get their row back at the next tick. One may occur more than once. */
  readonly #wantingRow: number[] = [];

  constructor(tables: SeatTables, watchers: RuledWatchers, overrides: Overrides) {
    this.#tables = tables;
    this.#store = tables.store;
    this.#watchers = watchers;
    this.#overrides = overrides;
  }

  /** Start of the tick: gives rows to the watchers that came near their cap, or await much consent. */
  giveRows(tick: number, related: RelatedIds): void {
    const watchers = this.#watchers;
    for (const watcher of this.#wantingRow) {
      if (watchers.counts.isDerived[watcher] === 0 || !this.#store.now.isPresent(watcher)) continue;
      watchers.giveRow(watcher, related(watcher), tick);
      watchers.wake(watcher, ONCE);
    }
  }

  /**
   * Gives rows to the watchers that may reach their cap, and rewrites the crossings of the others. Returns
   * how many relations ended because their watcher was removed, beyond those that perception counts.
   */
  decide(crossings: Crossings, tick: number, storedRelated: RelatedIds): number {
    const watchers = this.#watchers;
    let i = watchers.counts.nextReached(crossings, 0);
    for (; i < crossings.count; i = watchers.counts.nextReached(crossings, i + 1)) {
      const watcher = crossings.watcherAt(i);
      if (this.#fits(crossings, watcher)) {
        i = crossings.firstFrom(watcher + 1, i) - 1;
        continue;
      }
      // An overridden pair may be due: then the whole row must be decided.
      const isOverridden = this.#overrides.rows.has[watcher] === 1;
      watchers.giveRow(watcher, watchers.relatedBefore(watcher, crossings, storedRelated), tick);
      if (isOverridden) watchers.wake(watcher, ONCE);
    }
    for (const watcher of this.#overrides.beyondCap(crossings, watchers.counts)) {
      watchers.giveRow(watcher, watchers.relatedBefore(watcher, crossings, storedRelated), tick);
      watchers.wake(watcher, ONCE);
    }
    this.#overrides.take(crossings);
    const { book, holds } = this.#tables;
    const margins = new Float32Array(book.current.length);
    for (let i = 0; i < margins.length; i++) margins[i] = book.current[i].leaveMargin;
    const isAnew = watchers.isAnyRowGiven || book.changed.size > 0;
    holds.pass(crossings, watchers.counts.derivedColumn, margins, isAnew);
    this.#overrides.ask(crossings, watchers.hasRow);
    this.#overrides.remember(crossings, watchers.counts);
    this.#overrides.decide(crossings);
    return holds.lostWithWatcher + this.#overrides.lostWithWatcher;
  }

  /**
   * Whether what a watcher relates to after its crossings fits under its cap for certain: a watcher that leaped loses as many relations as
   * it gets. Crossings: of perception. Cost: O(its crossings).
   */
  #fits(crossings: Crossings, watcher: number): boolean {
    const { rows } = this.#overrides;
    const { settings, now } = this.#store;
    const watchers = this.#watchers;
    const { leaveMargin } = watchers.interestIn(now, watcher);
    let related = watchers.counts.count[watcher];
    const end = crossings.firstFrom(watcher + 1, 0);
    for (let i = crossings.firstFrom(watcher, 0); i < end; i++) {
      const marker = crossings.markerAt(i);
      const state = rows.stateOf(watcher, marker);
      if (state !== undefined) {
        // A rule about the pair decides; at most it relates from now on.
        if ((state & RELATED) === 0) related++;
        continue;
      }
      if (crossings.beforeAt(i) === 0) related++;
      if (crossings.afterAt(i) !== 0) continue;
      // In any sense: it may have been margin-held in one in which it was not perceived.
      const mayHold =
        leaveMargin > 0 && heldByMargin(settings, now, watcher, marker, EVERY_SENSE, leaveMargin) !== 0;
      if (!mayHold) related--;
    }
    return related <= watchers.counts.roomLimit[watcher];
  }

  /** After `count`: a seat of a watcher, derived or not, came (1) or went (-1) without a crossing that reports it. */
  countUnreported(watcher: number, seats: 1 | -1): void {
    const watchers = this.#watchers;
    if (watchers.counts.isDerived[watcher] === 0) return;
    watchers.counts.count[watcher] += seats;
    if (seats > 0 && (watchers.isNearCap(watcher) || watchers.awaitsMuch(watcher)))
      this.#wantingRow.push(watcher);
  }

  /** After the tick succeeded: updates the number of relations of each derived watcher. */
  count(crossings: Crossings): void {
    const watchers = this.#watchers;
    this.#wantingRow.length = 0;
    if (!watchers.counts.hasDerived) return;
    let i = watchers.counts.countRelations(crossings, 0);
    for (; i < crossings.count; i = watchers.counts.countRelations(crossings, i + 1)) {
      const watcher = crossings.watcherAt(i);
      if (watchers.isNearCap(watcher)) this.#wantingRow.push(watcher);
    }
  }
}
