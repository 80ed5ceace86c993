/**
 * Which watchers are searched: have their seats found by distance (seat-search.ts), so that detectors take them for none.
 *
 *   new, with a cap ------------+
 *   row of at least its cap ----+--> searched --- fewer than nine tenths of its cap seated --> by crossings again
 *
 * Only speed depends on the answer: seats are the same either way. Who has fewer in reach than its cap is best told of what
 * crosses; who has more is best searched for, and there is no telling of a newcomer, so that it is searched for first: ten
 * thousand that appear on one spot cost ten thousand times their caps. Whoever ranks by a function, asks one whom to admit, or
 * lets relations linger, must be shown everyone.
 *
 * To search at all, all markers that move are sorted in each tick: a few watchers at their caps, among many that move, are decided
 * sooner pair by pair. So the first are hidden only together, when their rows hold a share of what moves; and all are shown again
 * when they would not any more.
 *
 * Cost: nothing while nobody has a cap; else a look at each watcher with a row.
 */
import { NO_CAP } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { MOVED } from '../../entities/pending.ts';
import { keepsRow, type ResolvedInterest } from '../interest.ts';
import type { PairRows } from '../pair-rows.ts';
import type { RuledWatchers } from '../ruled-watchers.ts';

/**
 * Of the cap: with that many in its row a watcher is searched; with fewer than that it is no more. Of what moves: so many pairs must be
 * in the rows of those that would be searched, if nobody is yet: a pair is decided in the time in which some thirty markers are sorted.
 * And whether whole rows are decided by the kernel (kernel-seats.ts). Tests change them.
 */
export const searchShares = {
  enter: 1,
  leave: 0.9,
  isForNewcomers: true,
  ofMoving: 0.03,
  areRowsByKernel: true,
};

const NONE = new Uint32Array(0);

/** Slots that newcomers are held against, and how many of those must be near one. */
const SAMPLE = 256;
const LEAST_NEAR = 3;
/** Ticks between two looks at whether those that are searched are worth it. */
const REVIEW_TICKS = 64;
/** Shown again when they have less than this part of what it takes to be hidden. */
const REVIEW_SHARE = 0.5;

export class SearchedWatchers {
  readonly #store: EntityStore;
  readonly #watchers: RuledWatchers;
  readonly #pairs: PairRows;
  /** Places, by ascending x; of the tick under way, where one was needed. */
  #sample: { readonly x: readonly number[]; readonly y: readonly number[] } | undefined;
  /** Of those with a row, all that may have another number of pairs than when they were judged last; `undefined`: any may. */
  #due: Uint32Array | undefined;
  /** Hidden when they were last counted; `undefined`: to be counted. */
  #count: number | undefined;
  /** To be hidden if all of them together are worth it, and how many pairs they have. */
  readonly #wanting: number[] = [];
  #wantedPairs = 0;
  /** How many moved or changed in a tick: the most of late. */
  #movingCount = 0;
  #age = 0;

  constructor(store: EntityStore, watchers: RuledWatchers, pairs: PairRows) {
    this.#store = store;
    this.#pairs = pairs;
    this.#watchers = watchers;
  }

  /** Whether anyone is searched. */
  get isAny(): boolean {
    if (this.#store.now.hidden.column === undefined) return false;
    this.#count ??= this.#countHidden();
    return this.#count > 0;
  }

  /** The tick did not stand. */
  abort(): void {
    this.#count = undefined;
    this.#due = undefined;
  }

  /** The tick under way looks at the rows of these, and of nobody else; `undefined`: of anybody. */
  noteDue(due: Uint32Array | undefined): void {
    this.#due = this.#due === NONE ? due : undefined;
  }

  /**
   * Hides those that are to be searched from the detector, and shows those that are not. Before `store.settle`. `areChanged`:
   * some interest is another, so that whoever is hidden may have to be shown everyone.
   */
  judge(interests: readonly ResolvedInterest[], areChanged: boolean): void {
    const { now, last, settings, pending, pendingSlots, pendingCount } = this.#store;
    const mayCap = now.caps.column !== undefined || interests.some(({ cap }) => cap !== NO_CAP);
    if (settings.granularity === 'cell' || (!mayCap && !this.isAny)) return;
    this.#sample = undefined;
    this.#wanting.length = 0;
    this.#wantedPairs = 0;
    this.#movingCount = Math.max(pendingCount, this.#movingCount - (this.#movingCount >>> 2));
    // Whoever is hidden or shown is pending, too; those that come behind were judged.
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if (pending[slot] !== MOVED) this.#judgeChanged(slot);
    }
    const { size } = this.#pairs;
    const due = areChanged ? undefined : this.#due;
    this.#due = NONE;
    for (const watcher of due ?? this.#watchers.withRow) {
      const isHidden = now.hidden.at(watcher) === 1;
      if (now.flags[watcher] === 0 || this.#watchers.hasRow[watcher] === 0) continue;
      if (isHidden && areChanged && !this.#mayBeSearched(watcher)) {
        this.#show(watcher);
        continue;
      }
      const cap = this.#watchers.capIn(now, watcher);
      if (isHidden ? size[watcher] >= searchShares.leave * cap : size[watcher] < searchShares.enter * cap)
        continue;
      // Of one that was hidden for this tick nothing is known yet.
      if (isHidden && last.hidden.at(watcher) === 1) this.#show(watcher);
      else if (!isHidden && this.#mayBeSearched(watcher)) this.#want(watcher, size[watcher]);
    }
    if (this.isAny || this.#isWorth(this.#wantedPairs)) {
      // One that only had pins may be wanted as a newcomer, too.
      for (const slot of this.#wanting) if (now.hidden.at(slot) === 0) this.#hide(slot);
    }
    if (++this.#age < REVIEW_TICKS) return;
    this.#age = 0;
    this.#review();
  }

  #want(slot: number, pairs: number): void {
    this.#wanting.push(slot);
    this.#wantedPairs += pairs;
  }

  /** Whether rows of so many pairs in all are more work than to sort all that moves. */
  #isWorth(pairs: number, share = searchShares.ofMoving): boolean {
    return pairs >= share * this.#movingCount;
  }

  /** Shows all that are hidden, where they are too few to be worth it. */
  #review(): void {
    const { now, last } = this.#store;
    const share = REVIEW_SHARE * searchShares.ofMoving;
    if (!this.isAny || this.#isWorth(this.#count ?? 0, share)) return;
    const hidden: number[] = [];
    let pairs = 0;
    for (const watcher of this.#watchers.withRow) {
      if (now.flags[watcher] === 0 || now.hidden.at(watcher) === 0) continue;
      // Of its row only seats are left: what it perceives is guessed.
      pairs += Math.max(this.#pairs.size[watcher], this.#nearOf(watcher));
      if (last.hidden.at(watcher) === 0 || this.#isWorth(pairs, share)) return;
      hidden.push(watcher);
    }
    for (const watcher of hidden) this.#show(watcher);
  }

  /** Judges one that did anything but walk. */
  #judgeChanged(slot: number): void {
    const { now, last } = this.#store;
    if (now.flags[slot] === 0) return;
    const isHidden = now.hidden.at(slot) === 1;
    const mayBe = this.#mayBeSearched(slot);
    if (isHidden && !mayBe) this.#show(slot);
    // One that was no watcher at the last tick has no row yet that says how many it perceives.
    const isNew = !isHidden && mayBe && searchShares.isForNewcomers && !last.perceives(slot);
    if (!isNew || this.#store.size <= this.#watchers.capIn(now, slot)) return;
    const pairs = this.#nearOf(slot);
    if (pairs > this.#watchers.capIn(now, slot)) this.#want(slot, pairs);
  }

  /** How many there are in its reach, by a sample of all; 0 where too few of it are: they are no proof. */
  #nearOf(slot: number): number {
    const { now, size } = this.#store;
    this.#sample ??= this.#takeSample();
    const { x, y } = this.#sample;
    const range = now.longestRangeOf(slot);
    const [ownX, ownY] = [now.x[slot], now.y[slot]];
    let near = 0;
    for (let i = 0; i < x.length && x[i] <= ownX + range; i++) {
      if (x[i] < ownX - range) continue;
      const dx = x[i] - ownX;
      const dy = y[i] - ownY;
      if (dx * dx + dy * dy <= range * range) near++;
    }
    return near < LEAST_NEAR ? 0 : (near / x.length) * size;
  }

  /** Places of some, evenly spread over the slots. */
  #takeSample() {
    const { slotCount, now } = this.#store;
    const { x, y } = now;
    const slots: number[] = [];
    for (let i = 0; i < slotCount; i += Math.max(1, slotCount / SAMPLE)) {
      if (now.isPresent(Math.floor(i))) slots.push(Math.floor(i));
    }
    slots.sort((one, other) => x[one] - x[other]);
    return { x: slots.map((slot) => x[slot]), y: slots.map((slot) => y[slot]) };
  }

  #mayBeSearched(slot: number): boolean {
    const { now } = this.#store;
    const interest = this.#watchers.interestIn(now, slot);
    if (interest.rank !== undefined || interest.admit !== undefined || keepsRow(interest)) return false;
    return this.#watchers.capIn(now, slot) !== NO_CAP && now.perceives(slot);
  }

  #hide(slot: number): void {
    this.#count = (this.#count ?? this.#countHidden()) + 1;
    this.#store.hide(slot);
  }

  #show(slot: number): void {
    this.#count = (this.#count ?? this.#countHidden()) - 1;
    this.#store.show(slot);
  }

  #countHidden(): number {
    const { now, slotCount } = this.#store;
    let count = 0;
    for (let slot = 0; slot < slotCount; slot++)
      if (now.hidden.at(slot) === 1 && now.flags[slot] !== 0) count++;
    return count;
  }
}
