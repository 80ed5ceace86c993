/**
 * Answers to `watchersOf` (or `visibleTo`) that are kept: who was asked about gets a list, and each tick's report changes it.
 *
 * A search looks at everybody near, asks each whether it relates, and takes 10 us to 100; a list takes less than 1. A report
 * tells each relation that began or ended, whatever rule decided, so lists are exact by what was told. Only who relates and is
 * removed goes without a word: ids of those who are gone are taken out when a list is read.
 *
 *   few questions      searched, nothing is kept
 *   more               each answer stays as a list; a tick passes over its report and changes those lists
 *   very many          all lists are made at once, from the rows of those who are told of updates (`fillAll`)
 *
 * All of it is counted in changes of a list, some 20 ns each: all lists are made when searches have cost as much since, and
 * all are dropped when ticks have changed them for more than they were worth. So it costs at most about twice what the better of
 * the two ways would have.
 *
 * Memory: 16 bytes a slot, 4 to 16 a relation in a list. Cost: a look at each pair of a report, and at each change of a list.
 */
import type { EntityId } from '../entities/entity-ids.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { Report } from '../reports/report.ts';
import type { IdList } from './id-list.ts';
import { IdRows } from './id-rows.ts';

/** Questions that are searched before answers are kept. */
const FIRST_SEARCHES = 16;
/** What a search costs, in changes of a list. */
const SEARCH_COST = 1000;
/** What a relation costs when all lists are made, in changes of a list: 1 / this. */
const FILLED_AT_ONCE = 3;
/** What lists may cost on top of what they are worth, before they are dropped. */
const LEAST_CREDIT = 100_000;
/** Ids in lists that were searched, one by one: 64 MB. Lists made all at once are as long as the rows they are made from. */
const MOST_KEPT = 1 << 24;
/** An id comes again when its slot was taken a thousand times, and a slot waits for a thousand others: long after this. */
const MOST_REMOVALS = 1 << 19;

/** Visits relations as of the last tick: whoever was removed since may be among them. */
export type EachPair = (visit: (watcher: EntityId, marker: EntityId) => void) => void;

export class KeptLists {
  readonly #store: EntityStore;
  readonly #isByMarker: boolean;
  #rows: IdRows;
  /** Every list there could be is there: who has none has nobody in it. */
  #isComplete = false;
  #searches = 0;
  /** What was searched, less what the upkeep of all lists would have been. */
  #searched = 0;
  /** What the upkeep has cost, less what was saved. */
  #unpaid = 0;
  #removals = 0;
  /** All lists cannot be made before the next tick. */
  #isPutOff = false;
  /** Somebody asked since it was last looked at how much memory is held. */
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

  /** Somebody was removed. */
  noteRemoval(): void {
    if (this.#rows.owner.length > 0 && ++this.#removals > MOST_REMOVALS) this.drop();
  }

  /** Forgets all lists. */
  drop(): void {
    this.#rows = this.#noRows();
    this.#isComplete = false;
    this.#searches = 0;
    this.#searched = 0;
    this.#unpaid = 0;
    this.#removals = 0;
  }

  /**
   * Forgets all lists where nobody asked since the last call, or where these have slots beyond `capacity`: of a crowd that is
   * gone.
   */
  shrink(capacity: number): void {
    const slots = this.#rows.owner.length;
    if (slots > 0 && (!this.#isAsked || slots > capacity)) this.drop();
    this.#isAsked = false;
  }

  /** Whether there is a list of one who is present. */
  has(key: EntityId): boolean {
    return this.#isComplete || this.#rows.has(key);
  }

  /** The ids that are in it, ascending, less who was removed since: a window, valid until the next call. Of one that there is. */
  wordsOf(key: EntityId): Uint32Array {
    this.#unpaid = Math.max(0, this.#unpaid - SEARCH_COST);
    this.#isAsked = true;
    if (!this.#rows.has(key)) return NOBODY;
    if (this.#removals > 0) this.#rows.takeOutGone(key);
    return this.#rows.wordsOf(key);
  }

  /** Keeps what a search has found, where that is worth it. `found`: ids, ascending. */
  keep(key: EntityId, found: IdList): void {
    this.#searched += SEARCH_COST;
    this.#isAsked = true;
    if (++this.#searches <= FIRST_SEARCHES || this.#rows.count + found.length > MOST_KEPT) return;
    this.#rows.growSlots(this.#store.capacity);
    this.#rows.begin(key, found.length);
    for (let i = 0; i < found.length; i++) this.#rows.add(key, found.at(i));
  }

  /** Whether searches, and as many as there will be now, cost what lists of all so many relations would. */
  isTimeToFill(relations: number, searches: number): boolean {
    if (this.#isComplete || this.#isPutOff || this.#searches + searches <= FIRST_SEARCHES) return false;
    return this.#searched + searches * SEARCH_COST > relations / FILLED_AT_ONCE;
  }

  /** All lists cannot be made now: it is not time for that before the next tick. */
  putOffFill(): void {
    this.#isPutOff = true;
  }

  /**
   * Makes all lists. `each` visits each pair, fastest by ascending watchers, and each time the same, with those removed since (`isAnyRemoved`:
   * there are some).
   */
  fillAll(each: EachPair, isAnyRemoved: boolean): void {
    const { capacity, ids } = this.#store;
    const sizes = new Uint32Array(capacity);
    const count = (key: EntityId) => {
      sizes[key >>> 10]++;
    };
    each(this.#isByMarker ? (_, marker) => count(marker) : count);
    this.drop();
    // Beside those that are asked, until all are there.
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

  /** Takes in what a tick has told. Where there is no memory for that, forgets all lists: the tick stands. */
  take(report: Report): void {
    try {
      this.#take(report);
    } catch (error) {
      this.drop();
      if (!(error instanceof RangeError)) throw error;
    }
  }

  /**
   * Throws at a list that is not that of a search, which `searched` answers: every sixteenth is looked at, by turns. For
   * tests.
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
      if (kept.join() === expected.join()) continue;
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
