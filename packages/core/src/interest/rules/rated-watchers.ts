/**
 * Which watchers are told of changes at rates, not by `RelationRows`: by their interest, or for the sake of a pin.
 *
 * One that is for the sake of a pin stays so until it goes by another interest: what waits for its turn when the pin goes is told
 * then. Memory: a byte a slot.
 */
import { grown } from '../../columns.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import type { InterestBook } from '../interest-book.ts';
import type { Ties } from './ties.ts';

export class RatedWatchers {
  /** By slot: 1 for one that is. */
  is = new Uint8Array(0);
  count = 0;
  /** Those that went to or from it since the last tick; some more than once. */
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

  /** Whether the rules of a watcher say another than what is so. */
  isOther(watcher: number, interest: number, isNewInterest: boolean): boolean {
    const was = this.is[watcher] === 1;
    const isNow =
      this.hasRates(interest) ||
      (was && !isNewInterest) ||
      this.#ties.hasPinRates(this.#store.ids.idOf[watcher]);
    return was !== isNow;
  }

  /** Turns it round. */
  turn(watcher: number): void {
    this.is[watcher] ^= 1;
    this.count += 2 * this.is[watcher] - 1;
  }

  /** Whether a watcher is one though its interest has no rates: a pin had one, and something may wait for its turn. */
  isByPin(watcher: number): boolean {
    return this.is[watcher] === 1 && !this.hasRates(this.#store.now.interests.at(watcher));
  }

  /** Whether an interest, by its number, tells anything less often than in each tick. */
  hasRates(interest: number): boolean {
    return this.#book.current[interest].updateRates.some(([, everyTicks]) => everyTicks > 1);
  }
}
