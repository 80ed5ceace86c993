/**
 * Cached answers to `watchersOf` (or `visibleTo`): an entity that was asked about gets a list, and each tick's report
 * updates it.
 *
 * A search checks all entities nearby and takes 10 us to 100; a list takes less than 1. A report contains each
 * relation that began or ended, whatever rule decided, so lists updated from it are exact. The one exception is a
 * removed entity, which ends relations without a report: its ids are dropped when a list is read.
 *
 *   few queries        searched, nothing is kept
 *   more               each answer is kept as a list; a tick scans its report and changes these lists
 *   very many          all lists are built at once, from the rows of watchers that get `updated` events (`fillAll`)
 *
 * Costs are counted in changes of a list, some 20 ns each. All lists are built when searches have cost as much as
 * that would; all are dropped when their updates in ticks have cost more than they saved. So the total is at most
 * about twice that of the better way.
 *
 * Memory: 16 bytes a slot, 4 to 16 a relation in a list. Cost: a look at each pair of a report, and each change of a
 * list.
 */
import type { EntityId } from '../entities/entity-ids.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { Report } from '../reports/report.ts';
import type { IdList } from './id-list.ts';
import { IdRows } from './id-rows.ts';

/** Number of queries that are searched before answers are kept. */
const FIRST_SEARCHES = 16;
/** Cost of a search, in changes of a list. */
const SEARCH_COST = 1000;
/** When all lists are built, a relation costs 1 / this, in changes of a list. */
const FILLED_AT_ONCE = 3;
/** How much more lists may cost than they saved before they are dropped. */
const LEAST_CREDIT = 100_000;
/**
 * Maximum number of ids in lists from single searches: 64 MB. Lists built all at once are as long as the rows they
 * are built from.
 */
const MOST_KEPT = 1 << 24;
/**
 * An id is reused after its slot was reused a thousand times, and each reuse waits for a thousand other slots: long
 * after this.
 */
const MOST_REMOVALS = 1 << 19;

/** Visits relations as of the last tick; entities removed since may be included. */
export type EachPair = (visit: (watcher: EntityId, marker: EntityId) => void) => void;

export class KeptLists {
  readonly #store: EntityStore;
  readonly #isByMarker: boolean;
  #rows: IdRows;
  /** All possible lists exist: an entity without a list has no relation. */
  #isComplete = false;
  #searches = 0;
  /** Cost of searches so far, less what updating all lists would have cost. */
  #searched = 0;
  /** Cost of updates so far, less what the lists saved. */
  #unpaid = 0;
  #removals = 0;
  /** All lists cannot be built before the next tick. */
  #isPutOff = false;
  /** Whether a query was made since the last memory check. */
  #isAsked = false;

  /** `isByMarker`: lists of watchers by marker, else of markers by watcher. */
  constructor(store: EntityStore, isByMarker: boolean) {
    this.#store = store;
    this.#isByMarker = isByMarker;
    this.#rows = this.#noRows();
  }

  get memoryBytes(): number {
    return this.#rows.memoryBytes;
  }

  /** Whether memory is held that `shrink` may free. */
  get isHolding(): boolean {
    return this.#rows.owner.length > 0;
  }

  /** An entity was removed. */
  noteRemoval(): void {
    if (this.#rows.owner.length > 0 && ++this.#removals > MOST_REMOVALS) this.drop();
  }

  /** Drops all lists. */
  drop(): void {
    this.#rows = this.#noRows();
    this.#isComplete = false;
    this.#searches = 0;
    this.#searched = 0;
    this.#unpaid = 0;
    this.#removals = 0;
  }

  /**
   * Drops all lists if no query was made since the last call, or if the lists have slots beyond `capacity`, from a
   * crowd that has left.
   */
  shrink(capacity: number): void {
    const slots = this.#rows.owner.length;
    if (slots > 0 && (!this.#isAsked || slots > capacity)) this.drop();
    this.#isAsked = false;
  }

  /** Whether a present entity has a list. */
  has(key: EntityId): boolean {
    return this.#isComplete || this.#rows.has(key);
  }

  /**
   * The ids in a list, ascending, without those removed since: a window, valid until the next call. The list must
   * exist.
   */
  wordsOf(key: EntityId): Uint32Array {
    this.#unpaid = Math.max(0, this.#unpaid - SEARCH_COST);
    this.#isAsked = true;
    if (!this.#rows.has(key)) return NOBODY;
    if (this.#removals > 0) this.#rows.takeOutGone(key);
    return this.#rows.wordsOf(key);
  }

  /** Keeps the result of a search, if that pays. `found`: ids, ascending. */
  keep(key: EntityId, found: IdList): void {
    this.#searched += SEARCH_COST;
    this.#isAsked = true;
    if (++this.#searches <= FIRST_SEARCHES || this.#rows.count + found.length > MOST_KEPT) return;
    this.#rows.growSlots(this.#store.capacity);
    this.#rows.begin(key, found.length);
    for (let i = 0; i < found.length; i++) this.#rows.add(key, found.at(i));
  }

  /**
   * Whether the searches so far, plus `searches` that follow now, cost as much as building lists of `relations`
   * relations: each slot is looked at, too, for about as long as a list takes to change.
   */
  isTimeToFill(relations: number, searches: number): boolean {
    if (this.#isComplete || this.#isPutOff || this.#searches + searches <= FIRST_SEARCHES) return false;
    return this.#searched + searches * SEARCH_COST > relations / FILLED_AT_ONCE + this.#store.slotCount;
  }

  /** All lists cannot be built: does not try again before the next tick, nor before searches have cost as much again. */
  putOffFill(): void {
    this.#isPutOff = true;
    this.#searched = 0;
  }

  /**
   * Builds all lists. `each` visits each pair, fastest by ascending watchers, and gives the same pairs each time,
   * including removed entities (`isAnyRemoved`: there are some).
   */
  fillAll(each: EachPair, isAnyRemoved: boolean): void {
    const { capacity, ids } = this.#store;
    const sizes = new Uint32Array(capacity);
    const count = (key: EntityId) => {
      sizes[key >>> 10]++;
    };
    each(this.#isByMarker ? (_, marker) => count(marker) : count);
    this.drop();
    // Built beside the current lists, until they are complete.
    const rows = this.#noRows();
    rows.growSlots(capacity);
    for (let slot = 0; slot < capacity; slot++) if (sizes[slot] > 0) rows.begin(ids.idOf[slot], sizes[slot]);
    each(
      this.#isByMarker
        ? (watcher, marker) => rows.add(marker, watcher)
        : (watcher, marker) => rows.add(watcher, marker),
    );
    rows.settle();
    this.#rows = rows;
    this.#isComplete = true;
    this.#isAsked = true;
    this.#removals = isAnyRemoved ? 1 : 0;
  }

  /** Applies the report of a tick. If memory runs out, drops all lists, because the tick is already done. */
  take(report: Report): void {
    try {
      this.#take(report);
    } catch (error) {
      this.drop();
      if (!(error instanceof RangeError)) throw error;
    }
  }

  /**
   * Throws if a list differs from the result of a search, which `searched` returns. Checks every sixteenth list, in
   * turns. For tests.
   */
  validate(turn: number, searched: (slot: number) => Uint32Array): void {
    this.#rows.validate();
    const { slotCount, now, ids } = this.#store;
    for (let slot = turn % 16; slot < slotCount; slot += 16) {
      const key = ids.idOf[slot];
      if (!now.isPresent(slot) || !this.has(key)) continue;
      const kept = this.#rows.has(key)
        ? [...this.#rows.wordsOf(key)].filter((id) => this.#store.has(id))
        : [];
      const expected = searched(slot);
      if (kept.length === expected.length && kept.every((id, i) => id === expected[i])) continue;
      throw new Error(`umwelt: broken invariant: the list of ${key} is [${kept}], expected [${expected}]`);
    }
  }

  #take({ entered, left }: Report): void {
    this.#isPutOff = false;
    this.#searched = Math.max(0, this.#searched - entered.count - left.count);
    const rows = this.#rows;
    if (rows.owner.length === 0) return;
    if (this.#isComplete) rows.growSlots(this.#store.capacity);
    const changes = this.#isByMarker
      ? this.#takeByMarker(rows, left, false) + this.#takeByMarker(rows, entered, true)
      : this.#takeByWatcher(rows, left, false) + this.#takeByWatcher(rows, entered, true);
    rows.settle();
    this.#unpaid += changes;
    const isFull = !this.#isComplete && rows.count > MOST_KEPT;
    if (isFull || this.#unpaid > LEAST_CREDIT + rows.count) this.drop();
  }

  #noRows(): IdRows {
    return new IdRows((id) => this.#store.has(id));
  }

  #takeByMarker(rows: IdRows, told: Report['left'], isAdded: boolean): number {
    const { rowCount, watchers, offsets, markers } = told;
    const isComplete = this.#isComplete;
    const { owner } = rows;
    const slots = owner.length;
    let changes = 0;
    for (let row = 0; row < rowCount; row++) {
      const watcher = watchers[row];
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        const marker = markers[i];
        const slot = marker >>> 10;
        if (slot >= slots || owner[slot] !== marker) {
          if (!isComplete || !isAdded) continue;
          rows.begin(marker);
        }
        changes++;
        if (isAdded) rows.add(marker, watcher);
        else rows.drop(marker, watcher);
      }
    }
    return changes;
  }

  #takeByWatcher(rows: IdRows, told: Report['left'], isAdded: boolean): number {
    const { rowCount, watchers, offsets, markers } = told;
    let changes = 0;
    for (let row = 0; row < rowCount; row++) {
      const watcher = watchers[row];
      if (!rows.has(watcher)) continue;
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        changes++;
        if (isAdded) rows.add(watcher, markers[i]);
        else rows.drop(watcher, markers[i]);
      }
    }
    return changes;
  }
}

const NOBODY = new Uint32Array(0);
