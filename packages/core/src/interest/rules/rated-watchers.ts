/**
 * Which watchers get their updates at rates: because of their interest, or of a pin.
 *
 * A watcher that gets them because of a pin continues to do so until it has another interest, because updates
 * may still wait for their turn when the pin ends. None wait for a watcher at rest or without `updated` lists:
 * neither gets them at rates, and both begin anew afterwards. Where a watcher begins, or has another interest, all its relations count as
 * reported in the last tick. Memory: a byte a slot. Cost: O(1) for each watcher that changed.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import { type EntityState, UPDATES } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED } from '../../entities/pending.ts';
import { assert } from '../../errors.ts';
import type { Column } from '../../kernels/heap.ts';
import type { InterestBook } from './interest-book.ts';
import type { Ties } from './ties.ts';

export class RatedWatchers {
  count = 0;
  /** By slot: 1 for a watcher that gets its updates at rates. */
  readonly column: Column<'u8'>;
  /** Of the tick under way: slots of the watchers whose relations all count as reported in the last tick. */
  readonly anew = new Set<number>();
  /** Slots that began or ceased with the tick under way. */
  readonly #turned: number[] = [];
  readonly #store: EntityStore;
  readonly #book: InterestBook;
  readonly #ties: Ties;

  constructor(store: EntityStore, book: InterestBook, ties: Ties) {
    this.#store = store;
    this.#book = book;
    this.#ties = ties;
    this.column = store.heap.column('u8', 0);
  }

  /** Start of the tick, after the pending changes are settled. `tied`: watchers whose ties changed. */
  begin(tied: Iterable<EntityId>): void {
    const { changed, current } = this.#book;
    this.anew.clear();
    const mayBegin = current.some((_interest, number) => this.#hasRates(number)) || !this.#ties.isNone;
    if (this.count === 0 && !mayBegin) return;
    const { now, notOnlyMoved, ids, slotCount } = this.#store;
    // Also those without a range: they may get one later.
    for (let slot = 0; changed.size > 0 && slot < slotCount; slot++)
      if (now.isPresent(slot) && changed.has(now.interests.at(slot))) this.#settle(slot);
    for (const slot of notOnlyMoved) this.#settle(slot);
    for (const id of tied) if (ids.idOf[id >>> 10] === id) this.#settle(id >>> 10);
  }

  /** Whether a slot's watcher gets its updates at rates. */
  is(slot: number): boolean {
    return slot < this.column.length && this.column.array[slot] === 1;
  }

  /** The tick succeeded. */
  commit(): void {
    this.#turned.length = 0;
  }

  /** The tick failed. */
  abort(): void {
    for (const slot of this.#turned) this.#turn(slot);
    this.#turned.length = 0;
  }

  /** Which watchers have rates because of a pin that they may no longer have; all others follow from the interests. */
  save(writer: ByteWriter): void {
    const { last, slotCount } = this.#store;
    const byPin: number[] = [];
    for (let slot = 0; slot < Math.min(slotCount, this.column.length); slot++)
      if (this.column.array[slot] === 1 && !this.#hasRates(last.interests.at(slot))) byPin.push(slot);
    writer.column(Uint32Array.from(byPin));
  }

  /** Into a new instance; population and interests were loaded. */
  load(reader: ByteReader): void {
    const { last, slotCount } = this.#store;
    const byPin = reader.column('u32');
    for (const slot of byPin) {
      reader.check(slot < slotCount && this.#mayBe(last, slot), 'watchers that get updates at rates');
      if (!this.is(slot)) this.#turn(slot);
    }
    for (let slot = 0; slot < slotCount; slot++)
      if (this.#mayBe(last, slot) && this.#hasRates(last.interests.at(slot)) && !this.is(slot))
        this.#turn(slot);
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    let count = 0;
    this.column.array.forEach((is, slot) => {
      count += is;
      assert(is === 0 || this.#mayBe(this.#store.last, slot), 'a watcher with rates gets updates');
    });
    assert(count === this.count, 'watchers with rates are counted');
  }

  /** Decides whether a slot gets updates at rates from this tick on. */
  #settle(slot: number): void {
    const { now, last, pending, ids } = this.#store;
    const interest = now.interests.at(slot);
    const isNew = (pending[slot] & ADDED) !== 0;
    const isNewInterest =
      !isNew && (this.#book.changed.has(interest) || last.interests.at(slot) !== interest);
    const was = this.is(slot);
    const is =
      this.#mayBe(now, slot) &&
      (this.#hasRates(interest) || (was && !isNewInterest) || this.#ties.hasPinRates(ids.idOf[slot]));
    if (is && !isNew && (isNewInterest || !was)) this.anew.add(slot);
    if (was === is) return;
    this.#turn(slot);
    this.#turned.push(slot);
  }

  #turn(slot: number): void {
    const { heap, capacity } = this.#store;
    if (slot >= this.column.length) heap.resize([[this.column, capacity]]);
    this.column.array[slot] ^= 1;
    this.count += 2 * this.column.array[slot] - 1;
  }

  /** Whether a watcher may get updates at all in the given state of the world. */
  #mayBe(state: EntityState, watcher: number): boolean {
    return (state.flags[watcher] & UPDATES) !== 0 && !state.isResting(watcher);
  }

  /** Whether an interest, by its number, reports any changes less often than each tick. */
  #hasRates(interest: number): boolean {
    return this.#book.current[interest].updateRates.some(([, everyTicks]) => everyTicks > 1);
  }
}
