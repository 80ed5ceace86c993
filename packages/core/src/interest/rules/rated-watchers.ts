/**
 * Which watchers get their updates at rates, and not from `RelationRows`: because of their interest, or of a
 * pin.
 *
 * A watcher that gets them because of a pin continues to do so until it has another interest, because updates
 * may still wait for their turn when the pin ends. None wait for a watcher at rest or without `updated` lists:
 * neither gets them at rates, and both begin anew afterwards. Memory: a byte a slot.
 */
import { grown } from '../../columns.ts';
import { type EntityState, UPDATES } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { assert } from '../../errors.ts';
import type { InterestBook } from './interest-book.ts';
import type { Ties } from './ties.ts';

export class RatedWatchers {
  /** By slot: 1 for a watcher that gets its updates at rates. */
  is = new Uint8Array(0);
  count = 0;
  /** Slots that changed since the last tick. A slot may occur more than once. */
  readonly changes: number[] = [];
  readonly #store: EntityStore;
  readonly #book: InterestBook;
  readonly #ties: Ties;

  constructor(store: EntityStore, book: InterestBook, ties: Ties) {
    this.#store = store;
    this.#book = book;
    this.#ties = ties;
  }

  growSlots(capacity: number): void {
    this.is = grown(this.is, capacity);
  }

  /** Whether `is` of a watcher no longer agrees with its rules. */
  isOther(watcher: number, interest: number, isNewInterest: boolean): boolean {
    const { now, ids } = this.#store;
    const was = this.is[watcher] === 1;
    const isNow =
      this.mayBe(now, watcher) &&
      (this.hasRates(interest) || (was && !isNewInterest) || this.#ties.hasPinRates(ids.idOf[watcher]));
    return was !== isNow;
  }

  /** Whether a watcher may get updates at all in the given state of the world. */
  mayBe(state: EntityState, watcher: number): boolean {
    return (state.flags[watcher] & UPDATES) !== 0 && !state.isResting(watcher);
  }

  /** Changes `is` of a watcher. */
  turn(watcher: number): void {
    this.is[watcher] ^= 1;
    this.count += 2 * this.is[watcher] - 1;
  }

  /**
   * Whether a watcher gets its updates at rates although its interest has none: a pin had a rate, and an
   * update may still wait.
   */
  isByPin(watcher: number): boolean {
    return this.is[watcher] === 1 && !this.hasRates(this.#store.now.interests.at(watcher));
  }

  /** Whether an interest, by its number, reports any changes less often than each tick. */
  hasRates(interest: number): boolean {
    return this.#book.current[interest].updateRates.some(([, everyTicks]) => everyTicks > 1);
  }

  /** Throws at the first broken invariant. `hasRow`: by slot, as of the last tick. For tests. */
  validate(hasRow: Uint8Array): void {
    this.is.forEach((is, slot) => {
      const isSo = is === 0 || (hasRow[slot] === 1 && this.mayBe(this.#store.last, slot));
      assert(isSo, 'a watcher that gets updates at rates has a row, and gets updates');
    });
  }
}
