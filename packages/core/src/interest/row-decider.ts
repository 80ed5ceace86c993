/**
 * The slow path: decides a watcher's whole row, in the contract's order.
 *
 *   row as it was + crossings + forced relations  ->  row-judge.ts: candidates  ->  seats  ->  edits, as a kernel makes them
 *
 * Nothing is changed until the edits are committed: a user's `rank` or `admit` may throw. Cost: O(row), and sorting where there are more
 * candidates than seats.
 */
import type { Crossings } from '../detectors/crossings.ts';
import { NO_CAP, type Property } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { LIMIT_WHILE_WAITING } from '../kernels/layouts/seat-search.ts';
import { type Candidate, standingOf } from './rules/cap.ts';
import type { ForcedMarker } from './rules/forced.ts';
import type { ResolvedInterest } from './rules/interest.ts';
import { seatsLeft } from './rules/quotas.ts';
import { effectiveRank } from './rules/rank.ts';
import { judgeOf } from './rules/row-judge.ts';
import { isOverBudget, seatInOrder } from './seats/enter-budget.ts';
import type { SeatSearch } from './seats/seat-search.ts';
import { Surroundings } from './seats/surroundings.ts';
import { ONCE, type RuledWatchers } from './standing/ruled-watchers.ts';
import type { SeatTables } from './standing/seat-tables.ts';
import type { Admissions } from './table/admissions.ts';
import {
  BLOCKED,
  CANDIDATE,
  exactOf,
  FORCED,
  type PairRows,
  RELATED,
  SEATED,
  sensesOf,
  staysAwaiting,
  WAITING,
} from './table/pair-rows.ts';
import { RowDraft } from './table/row-draft.ts';

/** Of some markers, by ascending slot: the senses in which they are perceived now. */
type News = Pick<Crossings, 'markerAt' | 'afterAt'>;

export class RowDecider {
  readonly #tables: SeatTables;
  readonly #store: EntityStore;
  readonly #watchers: RuledWatchers;
  readonly #pairs: PairRows;
  readonly #search: SeatSearch;
  readonly #admissions: Admissions;
  readonly #surroundings: Surroundings;
  /** The row of the current watcher. */
  readonly #row = new RowDraft();

  constructor(tables: SeatTables, watchers: RuledWatchers, search: SeatSearch, admissions: Admissions) {
    const { store, pairs, memory } = tables;
    this.#tables = tables;
    this.#store = store;
    this.#watchers = watchers;
    this.#pairs = pairs;
    this.#search = search;
    this.#admissions = admissions;
    this.#surroundings = new Surroundings(store, pairs, memory, search);
  }

  /** Decides a watcher's row, up to mutual consent. Call in ascending order of watchers. `news`: its crossings. */
  decide(watcher: number, news: News, from: number, to: number, tick: number): void {
    const pairs = this.#pairs;
    const store = this.#store;
    const { ties, lingering: allLingering } = this.#tables;
    const interest = this.#watchers.interestIn(store.now, watcher);
    const forced = this.#forcedOf(watcher, interest);
    const blocks = ties.blocksOf(store.ids.idOf[watcher]);
    const mayLinger = interest.lingerTicks > 0 && ties.isWatcher(store, watcher);
    const lingering = mayLinger ? allLingering : undefined;
    const judge = judgeOf(store, interest, blocks, watcher, lingering, tick, this.#admissions);
    // The detector reports everything that a watcher perceives when it is shown again.
    const wasHidden = store.last.hidden.at(watcher) === 1;
    const row = this.#row;
    row.clear();
    const end = pairs.start[watcher] + pairs.size[watcher];
    let i = pairs.start[watcher];
    let c = from;
    let f = 0;
    while (i < end || c < to || f < forced.length) {
      let marker = i < end ? pairs.marker[i] : 0xffff_ffff;
      if (c < to) marker = Math.min(marker, news.markerAt(c));
      if (f < forced.length) marker = Math.min(marker, forced[f][0]);
      const isKnown = i < end && pairs.marker[i] === marker;
      const before = isKnown ? pairs.state[i] : 0;
      const since = isKnown ? pairs.since[i] : 0;
      if (isKnown) i++;
      const unchanged = wasHidden ? 0 : exactOf(before);
      const exact = c < to && news.markerAt(c) === marker ? news.afterAt(c++) : unchanged;
      const force = f < forced.length && forced[f][0] === marker ? forced[f++][1] : 0;
      row.add(marker, before, judge(marker, before, exact, force), since);
    }
    const limit = this.#seat(watcher, interest, tick);
    this.#finish(watcher, limit);
  }

  /** As `decide`, for a searched watcher: its row keeps only pairs that have a seat or relate by force. */
  decideSearched(watcher: number, tick: number): void {
    const { now, ids } = this.#store;
    const interest = this.#watchers.interestIn(now, watcher);
    const forced = this.#forcedOf(watcher, interest);
    const blocks = this.#tables.ties.blocksOf(ids.idOf[watcher]);
    const news = this.#surroundings.newsOf(watcher, this.#watchers.capIn(now, watcher), forced, blocks);
    this.decide(watcher, news, 0, news.count, tick);
  }

  /** The markers that relate to a watcher by force now: as its row says, but for those whose force may have changed. Ascending. */
  #forcedOf(watcher: number, interest: ResolvedInterest): readonly ForcedMarker[] {
    const { store, ties, forced } = this.#tables;
    if (store.now.isResting(watcher)) return [];
    const hasRange = store.now.perceives(watcher);
    const hasPins = ties.pinsOf(store.ids.idOf[watcher]) !== undefined;
    if (!hasPins && (!hasRange || (interest.groupKinds === 0 && !this.#watchers.hasAlways))) return [];
    const mayDiffer = (this.#watchers.look[watcher] & ONCE) !== 0;
    const lists = mayDiffer ? this.#tables.maybeForced.get(watcher) : [];
    if (lists === undefined) return forced.of(store, interest, ties, watcher, hasRange);
    const { start, size, marker, state } = this.#pairs;
    const found: ForcedMarker[] = [];
    const again = new Set(lists.flat());
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const bits = state[i] & FORCED;
      if (bits !== 0 && !again.has(marker[i])) found.push([marker[i], bits]);
    }
    for (const slot of again) {
      const bits = forced.bitsOf(store, interest, ties, watcher, slot);
      if (bits !== 0) found.push([slot, bits]);
    }
    return again.size === 0 ? found : found.sort(([a], [b]) => a - b);
  }

  /** Gives seats to the candidates of the row. Returns its limit: see `LIMITS` in kernels/layouts/seat-search.ts. */
  #seat(watcher: number, interest: ResolvedInterest, tick: number): number {
    const row = this.#row;
    const cap = this.#watchers.capIn(this.#store.now, watcher);
    let forced = 0;
    let wanted = 0;
    for (let j = 0; j < row.count; j++) {
      if ((row.after[j] & FORCED) !== 0) forced++;
      else if ((row.after[j] & CANDIDATE) !== 0) wanted++;
    }
    const seats = cap === NO_CAP ? Number.POSITIVE_INFINITY : Math.max(0, cap - forced);
    const remembers = cap !== NO_CAP && (interest.memoryTicks > 0 || !this.#tables.memory.isEmpty(watcher));
    const remembered = remembers ? this.#remember(watcher, interest, tick) : NO_MARKERS;
    const left = seatsLeft(interest.quotas, this.#store.now.layers as Property, row);
    const isOver = wanted > seats || left < 0 || isOverBudget(interest.enterBudget, row);
    if (isOver) this.#select(watcher, interest, tick, seats, remembered);
    let isAnyWaiting = false;
    for (let j = 0; j < row.count; j++) {
      if (!isOver && (row.after[j] & CANDIDATE) !== 0) row.after[j] |= SEATED;
      if ((row.after[j] & WAITING) !== 0) isAnyWaiting = true;
      // A new seat has consent until mutual.ts checks it.
      const isSeated = (row.after[j] & (SEATED | FORCED)) !== 0;
      if (isSeated && !staysAwaiting(interest.mutual, row.before[j], row.after[j])) row.after[j] |= RELATED;
    }
    if (isAnyWaiting) return LIMIT_WHILE_WAITING;
    return isOver ? 0 : Math.min(cap, forced + wanted + left);
  }

  /** Notes what the row says, without the pairs that it does not keep. */
  #finish(watcher: number, limit: number): void {
    const row = this.#row;
    const isSearched = this.#store.now.hidden.at(watcher) === 1;
    for (let j = 0; j < row.count; j++) {
      const after = row.after[j];
      this.#tables.cuts.note(watcher, row.marker[j], row.before[j], after);
      // A marker that no sense perceives any more stays by force or with a seat; the row of a searched watcher holds no other pairs.
      if ((isSearched || sensesOf(after) === 0) && (after & (SEATED | FORCED)) === 0) row.after[j] = 0;
    }
    // The row of a searched watcher does not say how many markers it perceives.
    this.#search.take(watcher, row, isSearched ? 0 : limit);
  }

  /** Notes the markers that are no longer perceived or perceived again. Returns those that count as seated again. */
  #remember(watcher: number, interest: ResolvedInterest, tick: number): ReadonlySet<number> {
    const row = this.#row;
    const { memory, memoryNotes } = this.#tables;
    const { now, ids } = this.#store;
    const back = new Set<number>();
    for (let j = 0; j < row.count; j++) {
      const marker = row.marker[j];
      const before = row.before[j];
      const after = row.after[j];
      const id = ids.idOf[marker];
      if ((after & CANDIDATE) !== 0) {
        const lostAt = memory.lostAt(watcher, id);
        if (lostAt === undefined) continue;
        memoryNotes.note(watcher, id, false);
        if (tick - lostAt <= interest.memoryTicks && (before & (SEATED | FORCED)) === 0) back.add(marker);
      } else if ((before & SEATED) !== 0 && sensesOf(after) === 0 && (after & (FORCED | BLOCKED)) === 0) {
        if (now.isPresent(marker) && interest.memoryTicks > 0) memoryNotes.note(watcher, id, true);
      }
    }
    return back;
  }

  /** Seats the first `seats` candidates of the row. */
  #select(
    watcher: number,
    interest: ResolvedInterest,
    tick: number,
    seats: number,
    remembered: ReadonlySet<number>,
  ): void {
    const row = this.#row;
    const candidates: Candidate[] = [];
    for (let j = 0; j < row.count; j++) {
      if ((row.after[j] & CANDIDATE) === 0) continue;
      const marker = row.marker[j];
      const isIncumbent = (row.before[j] & (SEATED | FORCED)) !== 0;
      const isProtected = isIncumbent && tick - row.since[j] < interest.minDwellTicks;
      const isSeated = isIncumbent || remembered.has(marker);
      const rank = effectiveRank(this.#store, this.#store.now, interest, watcher, marker, isSeated);
      candidates.push({ at: j, marker, rank, standing: standingOf(isProtected, isSeated) });
    }
    seatInOrder(interest, this.#store.now.layers as Property, candidates, seats, row, tick);
  }
}

const NO_MARKERS: ReadonlySet<number> = new Set();
