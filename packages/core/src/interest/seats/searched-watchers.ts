/**
 * Decides which watchers are searched: their seats are found by distance (seat-search.ts), and they are hidden from detectors.
 *
 *   new or elsewhere, many more near than its cap --+
 *   row that is longer than its cap ----------------+--> searched --- fewer than nine tenths of its cap seated --> by crossings again
 *
 * The choice affects only speed: seats are the same either way. A row of up to twice the cap is decided as fast as by a search.
 * For a longer one, a search saves the pairs beyond that. For a watcher that is new, leaps, comes into another channel, or begins to see
 * others or much farther, the length is not known, so it is estimated from samples. Ten thousand watchers that appear on one spot then cost
 * ten thousand times their caps. A watcher that ranks by a function, has an `admit` function, quotas or an enter budget, or lets relations
 * linger needs all markers in its row, and is never searched.
 *
 * For any search, all moving markers must be sorted in each tick. So the first watchers are hidden only when the rows that must be decided
 * in a tick together have enough pairs that a search would save; and all are shown again when they no longer save half of that.
 *
 * Cost: nothing while no watcher has a cap; otherwise one check for each watcher with a row.
 */
import { evenly, placeInList } from '../../columns.ts';
import { NO_CAP, sampleSlots } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { MOVED } from '../../entities/pending.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import { keepsRow, type ResolvedInterest } from '../rules/interest.ts';
import { squaredDistance } from '../rules/rank.ts';
import type { RuledWatchers } from '../standing/ruled-watchers.ts';
import type { PairRows } from '../table/pair-rows.ts';
import type { SeatSearch } from './seat-search.ts';

/**
 * Thresholds. `enter`, `leave`: a watcher is searched when its row holds this share of its cap, and no longer searched when it
 * holds less than the second. `ofAll`: to start searching at all, this many pairs must be saved for each entity: the kernel
 * sorts a marker in the time in which it decides some eight pairs. `isForNewcomers`: whether
 * new watchers may be searched at once. `areRowsByKernel`: whether the kernel decides whole rows (kernel-seats.ts). Tests change
 * these values.
 */
export const searchShares = {
  enter: 1.3,
  leave: 0.9,
  isForNewcomers: true,
  ofAll: 8,
  areRowsByKernel: true,
};

/** A row of up to this many times its cap is decided as fast as by a search. */
const FREE_SHARE = 2;
/** A new watcher is searched at once if it has this many times as many markers near it as seats: an estimate can be far off. */
const NEWCOMER_SHARE = 4;

const NONE = new Uint32Array(0);

/**
 * Size of the sample by which a new watcher's markers are estimated, and how many of the sample must be in its range for an
 * estimate.
 */
const SAMPLE = 256;
const LEAST_NEAR = 3;
/** A watcher that sees this many times as far as before may perceive many times as many markers. */
const MUCH_FARTHER = 1.5;
/** Ticks between two checks of whether searching is still worth its cost. */
const REVIEW_TICKS = 64;
/** Searched watchers are shown again when they have less than this share of the pairs required for hiding them. */
const REVIEW_SHARE = 0.5;
/** If most rows are due, and more than a few, they are judged once in this many ticks: their numbers of pairs change slowly. */
const JUDGED_TICKS = 8;
const FEW_ROWS = 1024;

export class SearchedWatchers {
  readonly #store: EntityStore;
  readonly #watchers: RuledWatchers;
  readonly #pairs: PairRows;
  readonly #search: SeatSearch;
  /**
   * The watchers with a row whose number of pairs may have changed since they were last judged; `undefined`: any may have
   * changed.
   */
  #due: Uint32Array | undefined;
  /** Number of hidden watchers; `undefined`: must be counted. */
  #count: number | undefined;
  /** Watchers to be hidden if all of them together are worth it, and the number of their pairs. */
  readonly #wanting: number[] = [];
  #wantedPairs = 0;
  /** Ticks since the rows were last judged, and since the last review. */
  #unjudged = 0;
  #age = 0;

  constructor(store: EntityStore, watchers: RuledWatchers, pairs: PairRows, search: SeatSearch) {
    this.#store = store;
    this.#search = search;
    this.#pairs = pairs;
    this.#watchers = watchers;
  }

  /** Whether any watcher is searched. */
  get isAny(): boolean {
    if (this.#store.now.hidden.column === undefined) return false;
    this.#count ??= this.#countHidden();
    return this.#count > 0;
  }

  /** The tick failed. */
  abort(): void {
    this.#count = undefined;
    this.#due = undefined;
  }

  /** The current tick considers only the rows of these watchers. */
  noteDue(due: Uint32Array): void {
    this.#due = this.#due === NONE ? due : undefined;
  }

  /**
   * Hides watchers that will be searched from the detector, and shows those that will not. Call before `store.settle`.
   * `areChanged`: an interest was changed, so a hidden watcher may now need all markers in its row.
   */
  judge(interests: readonly ResolvedInterest[], areChanged: boolean): void {
    const { now, settings, pending, pendingSlots, pendingCount } = this.#store;
    const mayCap = now.caps.column !== undefined || interests.some(({ cap }) => cap !== NO_CAP);
    if (settings.granularity === 'cell' || (!mayCap && !this.isAny)) return;
    this.#wanting.length = 0;
    this.#wantedPairs = 0;
    // Watchers that are hidden or shown here become pending, too; they are appended, and need not be judged again.
    const unknown: number[] = [];
    const doSomeLeap = this.#doSomeLeap();
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      const isChanged = pending[slot] !== MOVED;
      if (isChanged) this.#showUnlessSearchable(slot);
      if ((isChanged || doSomeLeap) && this.#isUnknown(slot)) unknown.push(slot);
    }
    if (searchShares.isForNewcomers) this.#judgeUnknown(unknown);
    this.#judgeRows(areChanged);
    if (++this.#age >= REVIEW_TICKS) {
      this.#age = 0;
      this.#review();
    }
    if (!this.isAny && !this.#isWorth(this.#wantedPairs)) return;
    // A watcher that had only pins may be in the list as a new watcher, too.
    for (const slot of this.#wanting) if (now.hidden.at(slot) === 0) this.#hide(slot);
  }

  #judgeRows(areChanged: boolean): void {
    const { now, last } = this.#store;
    const { size } = this.#pairs;
    const { withRow } = this.#watchers;
    const due = areChanged ? withRow : (this.#due ?? withRow);
    const { enter } = searchShares;
    const areMany = due.length > FEW_ROWS && 2 * due.length > withRow.length;
    if (!areChanged && areMany && ++this.#unjudged < JUDGED_TICKS) {
      this.#due = undefined;
      return;
    }
    this.#unjudged = 0;
    this.#due = NONE;
    for (const watcher of due) {
      const isHidden = now.hidden.at(watcher) === 1;
      if (now.flags[watcher] === 0 || this.#watchers.hasRow[watcher] === 0) continue;
      if (isHidden && areChanged && !this.#mayBeSearched(watcher)) {
        this.#show(watcher);
        continue;
      }
      const cap = this.#watchers.capIn(now, watcher);
      if (isHidden ? size[watcher] >= searchShares.leave * cap : size[watcher] < enter * cap) continue;
      // Nothing is known yet of a watcher that was hidden for this tick, or is elsewhere now.
      if (isHidden && last.hidden.at(watcher) === 1 && !this.#isUnknown(watcher)) this.#show(watcher);
      else if (!isHidden && this.#mayBeSearched(watcher)) this.#want(watcher, size[watcher]);
    }
  }

  #want(slot: number, pairs: number): void {
    this.#wanting.push(slot);
    this.#wantedPairs += this.#savedOf(slot, pairs);
  }

  /** How many pairs of a row of that size need not be read if the watcher is searched. */
  #savedOf(slot: number, pairs: number): number {
    return Math.max(0, pairs - FREE_SHARE * this.#watchers.capIn(this.#store.now, slot));
  }

  /** Whether deciding so many pairs takes longer than sorting all entities. */
  #isWorth(pairs: number, share = searchShares.ofAll): boolean {
    return pairs >= share * this.#store.size;
  }

  /** Shows all hidden watchers if they, and those that are to be hidden, are too few to be worth a search. */
  #review(): void {
    const { now } = this.#store;
    const share = REVIEW_SHARE * searchShares.ofAll;
    if (!this.isAny) return;
    const hidden: number[] = [];
    let pairs = this.#wantedPairs;
    for (const watcher of this.#watchers.withRow) {
      if (now.flags[watcher] === 0 || now.hidden.at(watcher) === 0) continue;
      pairs += this.#savedOf(watcher, this.#perceivedBy(watcher));
      if (this.#isWorth(pairs, share)) return;
      hidden.push(watcher);
    }
    for (const watcher of hidden) this.#show(watcher);
  }

  /**
   * Estimates how many markers a searched watcher perceives: its row holds only its seats. In an even crowd their number grows with the
   * area.
   */
  #perceivedBy(watcher: number): number {
    const { now, settings } = this.#store;
    const border = this.#search.borders.array[watcher];
    if (!(border > 0)) return 0;
    return (
      this.#pairs.size[watcher] * Math.max(1, now.longestRangeOf(watcher) / border) ** settings.dimensions
    );
  }

  /** For an entity with any change other than a move. */
  #showUnlessSearchable(slot: number): void {
    const { now } = this.#store;
    if (now.flags[slot] === 0 || now.hidden.at(slot) === 0) return;
    if (!this.#mayBeSearched(slot)) this.#show(slot);
  }

  /** Whether a watcher's row says nothing of how many markers it perceives now. */
  #isUnknown(slot: number): boolean {
    const bits = this.#store.pending[slot];
    return bits !== 0 && (this.#leaps(slot) || (bits !== MOVED && this.#meetsOthers(slot)));
  }

  /** Whether anybody leaps, by a sample: few who leap among many who walk make no long rows. */
  #doSomeLeap(): boolean {
    const { pendingSlots, pendingCount } = this.#store;
    return evenly(pendingSlots.subarray(0, pendingCount), 4 * SAMPLE).some((slot) => this.#leaps(slot));
  }

  /** Whether a watcher moves so far with this tick that it perceives nothing of what it perceived. */
  #leaps(slot: number): boolean {
    const { now, last, settings } = this.#store;
    const range = now.longestRangeOf(slot);
    if (range === 0) return false;
    let far = Math.abs(now.x[slot] - last.x[slot]) + Math.abs(now.y[slot] - last.y[slot]);
    if (settings.dimensions === 3) far += Math.abs(now.z[slot] - last.z[slot]);
    return far > 2 * range;
  }

  /** Whether a changed watcher's properties may let it perceive with this tick what it did not perceive from the same place. */
  #meetsOthers(slot: number): boolean {
    const { now, last } = this.#store;
    if (!last.perceives(slot) || now.longestRangeOf(slot) > MUCH_FARTHER * last.longestRangeOf(slot))
      return true;
    return now.channels.at(slot) !== last.channels.at(slot) || now.sees.at(slot) !== last.sees.at(slot);
  }

  /** Judges entities of which no row says how many markers they perceive: each is new, leaps, or meets others than before. */
  #judgeUnknown(slots: readonly number[]): void {
    const { now, size, slotCount } = this.#store;
    const capped = slots.filter((slot) => {
      if (now.hidden.at(slot) === 1 || !this.#mayBeSearched(slot)) return false;
      return size > this.#watchers.capIn(now, slot);
    });
    if (capped.length === 0) return;
    // Where these gather there may be many, although they are few among all.
    const samples = [
      sampleOf(this.#store, size, sampleSlots(now, slotCount, SAMPLE)),
      sampleOf(this.#store, capped.length, evenly(capped, SAMPLE)),
    ];
    for (const slot of capped) {
      const pairs = Math.max(...samples.map((sample) => nearIn(sample, this.#store, slot)));
      if (pairs > NEWCOMER_SHARE * this.#watchers.capIn(now, slot)) this.#want(slot, pairs);
    }
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

/** Slots of entities that stand for `size` of them, by ascending x. */
interface Sample {
  readonly size: number;
  readonly slots: readonly number[];
  /** Theirs. */
  readonly x: readonly number[];
}

/** `slots` are sorted in place. */
function sampleOf({ now: { x } }: EntityStore, size: number, slots: number[]): Sample {
  slots.sort((one, other) => x[one] - x[other]);
  return { size, slots, x: slots.map((slot) => x[slot]) };
}

/** Estimates how many of the entities of a sample are in a watcher's range; 0 if too few of the sample are, which proves nothing. */
function nearIn({ size, slots, x }: Sample, { now, settings }: EntityStore, watcher: number): number {
  const own = now.channels.at(watcher);
  const range = now.longestRangeOf(watcher);
  const farthest = now.x[watcher] + range;
  const { isMixed } = now;
  let near = 0;
  for (let i = placeInList(x, now.x[watcher] - range); i < slots.length && x[i] <= farthest; i++) {
    const channel = now.channels.at(slots[i]);
    if (own !== 0 && channel !== 0 && channel !== own) continue;
    if (squaredDistance(settings, now, watcher, slots[i]) > range * range) continue;
    // Most markers may be perceived from less far.
    if (!isMixed || perceivedSenses(settings, now, watcher, slots[i], now.ownRanges) !== 0) near++;
  }
  return near < LEAST_NEAR ? 0 : (near / slots.length) * size;
}
