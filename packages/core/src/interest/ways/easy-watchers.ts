/**
 * What a tick does with the easy watchers, which have no row (ruled-watchers.ts): what they perceive and what their margin holds
 * is whom they relate to, as long as it fits under the cap.
 *
 *   begin     whoever came near its cap in the last tick gets its row back
 *   decide    so does whoever may reach it in this one; for the others crossings pass margins and overrides
 *   commit    the others are counted on
 *
 * Cost: of what crossed; a row given back is one of the watcher's pairs.
 */
import type { Crossings } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import type { InterestBook } from '../interest-book.ts';
import { ONCE, type RelatedIds, type RuledWatchers } from '../ruled-watchers.ts';
import type { LightRows } from './light-rows.ts';
import type { MarginHolds } from './margin-holds.ts';
import type { Overrides } from './overrides/overrides.ts';

export class EasyWatchers {
  readonly #store: EntityStore;
  readonly #book: InterestBook;
  readonly #watchers: RuledWatchers;
  readonly #light: LightRows;
  readonly #overrides: Overrides;
  readonly #holds: MarginHolds;
  /** Those that get their rows back with the next tick; one may be in it more than once. */
  readonly #nearCap: number[] = [];

  constructor(
    store: EntityStore,
    book: InterestBook,
    watchers: RuledWatchers,
    light: LightRows,
    overrides: Overrides,
    holds: MarginHolds,
  ) {
    this.#store = store;
    this.#book = book;
    this.#watchers = watchers;
    this.#light = light;
    this.#overrides = overrides;
    this.#holds = holds;
  }

  /** The tick's beginning: rows for those that came near their cap. */
  giveRows(tick: number, related: RelatedIds): void {
    const watchers = this.#watchers;
    for (const watcher of this.#nearCap) {
      if (watchers.isEasy[watcher] === 0 || !this.#store.now.isPresent(watcher)) continue;
      watchers.giveRow(watcher, related(watcher), tick);
      watchers.look[watcher] |= ONCE;
    }
  }

  /**
   * Rows for those that may reach their cap; rewrites the crossings of the others. Answers how many relations ended with their watcher that
   * perception does not count.
   */
  decide(crossings: Crossings, tick: number, told: RelatedIds): number {
    const watchers = this.#watchers;
    let i = watchers.nextReached(crossings, 0);
    for (; i < crossings.count; i = watchers.nextReached(crossings, i + 1)) {
      const watcher = crossings.watcherAt(i);
      // Overridden pairs may be due.
      const isOverridden = this.#overrides.rows.has[watcher] === 1;
      watchers.giveRow(watcher, watchers.relatedBefore(watcher, told), tick);
      if (isOverridden) watchers.look[watcher] |= ONCE;
      // It may turn out to be light after all.
      this.#light.countHeld(watcher);
    }
    for (const watcher of this.#overrides.beyondCap(crossings, watchers)) {
      watchers.giveRow(watcher, watchers.relatedBefore(watcher, told), tick);
      watchers.look[watcher] |= ONCE;
      this.#light.countHeld(watcher);
    }
    this.#overrides.take(crossings);
    const margins = Float32Array.from(this.#book.current, ({ leaveMargin }) => leaveMargin);
    this.#holds.pass(crossings, watchers.easyColumn, margins, watchers.isAnyTaken);
    this.#overrides.ask(crossings, watchers.hasRow);
    this.#overrides.remember(crossings, watchers);
    this.#overrides.decide(crossings);
    return this.#holds.lostWithWatcher + this.#overrides.lostWithWatcher;
  }

  /** The tick stands: counts on how many each relates to. */
  count(crossings: Crossings): void {
    const watchers = this.#watchers;
    this.#nearCap.length = 0;
    if (!watchers.hasEasy) return;
    let i = watchers.countRelations(crossings, 0);
    for (; i < crossings.count; i = watchers.countRelations(crossings, i + 1)) {
      const watcher = crossings.watcherAt(i);
      if (watchers.isNearCap(watcher)) this.#nearCap.push(watcher);
    }
  }
}
