/**
 * The slow path: decides a watcher's whole row, in the contract's order, on a stage beside the rows.
 *
 *   row as it was + crossings + forced relations  ->  row-judge.ts: candidates  ->  seats  ->  mutual consent
 *
 * Nothing is changed until `commit`: a user's `rank` or `admit` may throw. Cost: O(row), and sorting where there are more
 * candidates than seats.
 */
import type { Crossings } from '../detectors/crossings.ts';
import { NO_CAP, type Property, VOLATILE } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { keepsRow, type ResolvedInterest } from './interest.ts';
import {
  BLOCKED,
  CANDIDATE,
  exactOf,
  FORCED,
  isAwaiting,
  isMarginHeld,
  type PairRows,
  REFUSED,
  RELATED,
  SEATED,
  sensesOf,
  staysAwaiting,
  WAITING,
} from './pair-rows.ts';
import { HEAVY, ON_EVERY_TICK, ON_NEWS, ONCE, type RuledWatchers } from './ruled-watchers.ts';
import { type Candidate, standingOf } from './rules/cap.ts';
import { isOverBudget, seatInOrder } from './rules/enter-budget.ts';
import { seatsLeft } from './rules/quotas.ts';
import { effectiveRank } from './rules/rank.ts';
import type { SeatMemory } from './rules/seat-memory.ts';
import { KernelSeats } from './searched/kernel-seats.ts';
import type { SeatSearch } from './searched/seat-search.ts';
import { Surroundings } from './searched/surroundings.ts';
import type { SeatTables } from './seat-tables.ts';
import { Admissions } from './table/admissions.ts';
import { Stage } from './table/stage.ts';
import { judgeOf } from './ways/row-judge.ts';

/** Of some markers, by ascending slot: the senses in which they are perceived now. */
type News = Pick<Crossings, 'markerAt' | 'afterAt'>;

export class RowDecider {
  readonly stage = new Stage();
  readonly #tables: SeatTables;
  readonly #store: EntityStore;
  readonly #watchers: RuledWatchers;
  readonly #pairs: PairRows;
  readonly #memory: SeatMemory;
  readonly #surroundings: Surroundings;
  /** What a kernel decides. */
  readonly seats: KernelSeats;
  readonly #admissions = new Admissions();
  /** By row of the stage: why it will be looked at again, and how many pairs it may have while each has its seat. */
  readonly #nextLook: number[] = [];
  readonly #nextLimit: number[] = [];

  constructor(tables: SeatTables, watchers: RuledWatchers) {
    const { store, pairs, memory } = tables;
    this.#tables = tables;
    this.#store = store;
    this.#watchers = watchers;
    this.#pairs = pairs;
    this.#memory = memory;
    this.seats = new KernelSeats({ ...tables, watchers, admissions: this.#admissions });
    this.#surroundings = new Surroundings(store, pairs, memory, this.seats.search);
  }

  /** What a kernel decided in this tick. */
  get search(): SeatSearch {
    return this.seats.search;
  }

  get memoryBytes(): number {
    return this.stage.memoryBytes + this.search.memoryBytes + this.#admissions.memoryBytes;
  }

  /** Frees memory that recent ticks did not use. What was decided is lost. */
  trim(): void {
    this.stage.trim();
    this.search.trim();
    this.#admissions.trim();
  }

  /** Start of the tick. */
  clear(): void {
    this.stage.clear();
    this.#nextLook.length = 0;
    this.#nextLimit.length = 0;
    this.#tables.memoryNotes.clear();
    this.#admissions.clear();
    this.search.begin();
  }

  /** Puts a watcher's row on the stage, as it was and as it will be before mutual consent. `news`: its crossings. */
  decide(watcher: number, news: News, from: number, to: number, tick: number): void {
    const pairs = this.#pairs;
    const store = this.#store;
    const interest = this.#watchers.interestIn(store.now, watcher);
    const forced = this.#forcedOf(watcher, interest);
    const blocks = this.#tables.ties.blocksOf(store.ids.idOf[watcher]);
    const lingering =
      interest.lingerTicks > 0 && this.isWatcher(watcher) ? this.#tables.lingering : undefined;
    const judge = judgeOf(store, interest, blocks, watcher, lingering, tick, this.#admissions);
    const { stage } = this;
    // The detector reports everything that a watcher perceives when it is shown again.
    const wasHidden = store.last.hidden.at(watcher) === 1;
    const begin = stage.beginRow(watcher);
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
      const reported = isKnown ? pairs.reported[i] : 0;
      if (isKnown) i++;
      const unchanged = wasHidden ? 0 : exactOf(before);
      const exact = c < to && news.markerAt(c) === marker ? news.afterAt(c++) : unchanged;
      const force = f < forced.length && forced[f][0] === marker ? forced[f++][1] : 0;
      stage.add(marker, before, judge(marker, before, exact, force), since, reported);
    }
    this.#seat(watcher, interest, begin, tick);
  }

  /** As `decide`, for a searched watcher: its row keeps only pairs that have a seat or relate by force. */
  decideSearched(watcher: number, tick: number): void {
    const { now, ids } = this.#store;
    const interest = this.#watchers.interestIn(now, watcher);
    const forced = this.#forcedOf(watcher, interest);
    const blocks = this.#tables.ties.blocksOf(ids.idOf[watcher]);
    const news = this.#surroundings.newsOf(watcher, this.#watchers.capIn(now, watcher), forced, blocks);
    this.decide(watcher, news, 0, news.count, tick);
    // The row does not say how many markers the watcher perceives.
    const row = this.stage.rowCount - 1;
    this.#nextLimit[row] = 0;
    this.#nextLook[row] |= interest.minDwellTicks > 0 ? ON_NEWS | ON_EVERY_TICK : ON_NEWS;
  }

  /** The row of the stage that a watcher has, or -1. */
  stagedRowOf(watcher: number): number {
    return this.stage.rowOf(watcher);
  }

  /** Gives consent to a seat on the stage, or takes it back. */
  turn(row: number, marker: number): void {
    const j = this.stage.find(row, marker);
    const after = this.stage.after[j] ^ RELATED;
    this.stage.after[j] = after;
    this.#nextLook[row] |= ON_NEWS;
    // What only a margin held ends with the next tick, even if nothing happens in it.
    if (isAwaiting(after) && isMarginHeld(after)) this.#nextLook[row] |= ON_EVERY_TICK;
    // A marker that lingers may be too far away for `seatedWith`: the next tick asks for consent to the whole row.
    if (isAwaiting(after) && sensesOf(after) === 0) this.#nextLook[row] |= ONCE;
  }

  /** Applies the decisions. */
  commit(tick: number): void {
    this.#tables.memoryNotes.commit(this.#memory, tick, (watcher) =>
      this.#watchers.limitMemory(watcher, tick),
    );
    this.seats.commit(tick);
    this.stage.makeRoomIn(this.#pairs);
    for (let row = 0; row < this.stage.rowCount; row++) this.#commitRow(row, tick);
  }

  /** Whether a watcher whose row was just committed no longer needs it: the row says no more than perception does. */
  mayRelease(watcher: number): boolean {
    if (this.#watchers.needsRules(watcher) || this.#watchers.rated.isByPin(watcher)) return false;
    if (!this.#memory.isEmpty(watcher)) return false;
    const { start, size, state } = this.#pairs;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const isPlainPair = (state[i] & RELATED) !== 0 && !isMarginHeld(state[i]);
      if (!isPlainPair || (state[i] & FORCED) !== 0) return false;
    }
    return true;
  }

  /** The markers that relate to a watcher by force now: as its row says, but for those whose force may have changed. Ascending. */
  #forcedOf(watcher: number, interest: ResolvedInterest): readonly [marker: number, bits: number][] {
    const { store, ties, forced } = this.#tables;
    if (store.now.isResting(watcher)) return [];
    const hasRange = store.now.perceives(watcher);
    const hasPins = ties.pinsOf(store.ids.idOf[watcher]) !== undefined;
    if (!hasPins && (!hasRange || (interest.groupKinds === 0 && !this.#watchers.hasAlways))) return [];
    const mayDiffer = (this.#watchers.look[watcher] & ONCE) !== 0;
    const markers = mayDiffer ? this.#tables.maybeForced.get(watcher) : [];
    if (markers === undefined) return forced.of(store, interest, ties, watcher, hasRange);
    const { start, size, marker, state } = this.#pairs;
    const found: [marker: number, bits: number][] = [];
    const again = new Set(markers);
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

  /** Gives seats to the candidates of the row staged last, which begins at `begin`. */
  #seat(watcher: number, interest: ResolvedInterest, begin: number, tick: number): void {
    const { stage } = this;
    const { flags } = this.#store.now;
    const cap = this.#watchers.capIn(this.#store.now, watcher);
    let forced = 0;
    let wanted = 0;
    for (let j = begin; j < stage.count; j++) {
      if ((stage.after[j] & FORCED) !== 0) forced++;
      else if ((stage.after[j] & CANDIDATE) !== 0) wanted++;
    }
    const seats = cap === NO_CAP ? Number.POSITIVE_INFINITY : Math.max(0, cap - forced);
    const remembers = cap !== NO_CAP && (interest.memoryTicks > 0 || !this.#memory.isEmpty(watcher));
    const remembered = remembers ? this.#remember(watcher, interest, begin, tick) : NO_MARKERS;
    const left = seatsLeft(interest.quotas, this.#store.now.layers as Property, stage, begin);
    const isOver = wanted > seats || left < 0 || isOverBudget(interest.enterBudget, stage, begin);
    if (isOver) this.#select(watcher, interest, begin, tick, seats, remembered);
    const mayBeVolatile = interest.admit !== undefined && this.#store.hasVolatile;
    let look = 0;
    for (let j = begin; j < stage.count; j++) {
      const after = stage.after[j];
      if (!isOver && (after & CANDIDATE) !== 0) stage.after[j] |= SEATED;
      if (sensesOf(after) === 0 && (after & (CANDIDATE | REFUSED)) !== 0) {
        if ((after & CANDIDATE) !== 0) look |= ON_EVERY_TICK;
        // A lingering marker that gets no seat leaves the row.
        if ((stage.after[j] & SEATED) === 0) {
          this.#tables.cuts.note(watcher, stage.marker[j], stage.before[j], after);
          stage.after[j] = 0;
        }
      }
      if (isMarginHeld(after)) look |= ON_NEWS;
      if (mayBeVolatile && (flags[stage.marker[j]] & VOLATILE) !== 0) look |= ON_EVERY_TICK;
      const isIncumbent = (stage.before[j] & (SEATED | FORCED)) !== 0;
      if ((stage.after[j] & WAITING) !== 0) look |= ON_EVERY_TICK;
      if (!isIncumbent && (stage.before[j] & stage.after[j] & WAITING) === 0) stage.since[j] = tick;
      // Where others wait for the seat, it may be lost when it ceases to be protected.
      const isProtected = tick - stage.since[j] < interest.minDwellTicks;
      if (isOver && isProtected && (stage.after[j] & SEATED) !== 0) look |= ON_EVERY_TICK;
      // A new seat has consent until mutual.ts checks it.
      const isSeated = (stage.after[j] & (SEATED | FORCED)) !== 0;
      if (isSeated && !staysAwaiting(interest.mutual, stage.before[j], after)) stage.after[j] |= RELATED;
      if (isAwaiting(stage.after[j])) look |= ON_NEWS;
    }
    const limit = Math.min(cap, forced + wanted + left);
    // What was remembered under another interest is forgotten only in a whole row.
    const needsRow = isOver || (remembers && interest.memoryTicks === 0);
    this.#planNext(watcher, interest, isOver, look, needsRow ? 0 : limit);
  }

  /**
   * Stores when the row must be decided again, and whether it may be given up. `look`: what its pairs require; `limit`:
   * most pairs with which each has its seat, 0 if some have none.
   */
  #planNext(watcher: number, interest: ResolvedInterest, isOver: boolean, look: number, limit: number): void {
    const { store, ties } = this.#tables;
    const isAsking = interest.admit !== undefined;
    // A user's function may rank the seated differently although nothing changes: the bonus does not improve an infinite rank.
    const isTimed = isOver && interest.rank !== undefined;
    const hasBlocks = ties.blocksOf(store.ids.idOf[watcher]) !== undefined;
    if (isOver || isAsking || interest.quotas.length > 0) look |= ON_NEWS;
    if (isTimed) look |= ON_EVERY_TICK;
    if (hasBlocks || isAsking) look |= HEAVY;
    this.#nextLook.push(look);
    // Mutual consent takes seats away and gives them back, so lingering and counted seats need the whole row.
    this.#nextLimit.push(interest.mutual && keepsRow(interest) ? 0 : limit);
  }

  /** Notes the markers that are no longer perceived or perceived again. Returns those that count as seated again. */
  #remember(watcher: number, interest: ResolvedInterest, begin: number, tick: number): ReadonlySet<number> {
    const { stage } = this;
    const { memoryNotes } = this.#tables;
    const { now, ids } = this.#store;
    const back = new Set<number>();
    for (let j = begin; j < stage.count; j++) {
      const marker = stage.marker[j];
      const before = stage.before[j];
      const after = stage.after[j];
      const id = ids.idOf[marker];
      if ((after & CANDIDATE) !== 0) {
        const lostAt = this.#memory.lostAt(watcher, id);
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
    begin: number,
    tick: number,
    seats: number,
    remembered: ReadonlySet<number>,
  ): void {
    const { stage } = this;
    const candidates: Candidate[] = [];
    for (let j = begin; j < stage.count; j++) {
      if ((stage.after[j] & CANDIDATE) === 0) continue;
      const marker = stage.marker[j];
      const isIncumbent = (stage.before[j] & (SEATED | FORCED)) !== 0;
      const isProtected = isIncumbent && tick - stage.since[j] < interest.minDwellTicks;
      const isSeated = isIncumbent || remembered.has(marker);
      const rank = effectiveRank(this.#store, this.#store.now, interest, watcher, marker, isSeated);
      candidates.push({ at: j, marker, rank, standing: standingOf(isProtected, isSeated) });
    }
    seatInOrder(interest, this.#store.now.layers as Property, candidates, seats, stage, tick);
  }

  /** Copies a row from the stage to the pairs, without the pairs that are dropped. */
  #commitRow(row: number, tick: number): void {
    const { stage } = this;
    const pairs = this.#pairs;
    const { cuts, lingering } = this.#tables;
    const watcher = stage.watchers[row];
    const { lingerTicks } = this.#watchers.interestIn(this.#store.now, watcher);
    if (lingerTicks === 0) lingering.forgetWatcher(watcher);
    // The row of a searched watcher holds only pairs that have a seat or relate by force.
    const keptBits = this.#store.now.hidden.at(watcher) === 1 ? SEATED | FORCED : -1;
    let kept = 0;
    for (let j = stage.begins[row]; j < stage.begins[row + 1]; j++) {
      cuts.note(watcher, stage.marker[j], stage.before[j], stage.after[j]);
      if (lingerTicks > 0) lingering.note(watcher, stage.marker[j], stage.before[j], stage.after[j], tick);
      if ((stage.after[j] & keptBits) === 0) stage.after[j] = 0;
      else kept++;
    }
    if (lingerTicks > 0) lingering.plan(watcher, lingerTicks, tick);
    let to = pairs.resize(watcher, kept);
    const { marker, state, since, reported } = pairs;
    for (let j = stage.begins[row]; j < stage.begins[row + 1]; j++) {
      if (stage.after[j] === 0) continue;
      marker[to] = stage.marker[j];
      state[to] = stage.after[j];
      since[to] = stage.since[j];
      reported[to++] = (stage.before[j] & RELATED) === 0 ? tick : stage.reported[j];
    }
    this.#watchers.look[watcher] = this.#nextLook[row];
    this.#watchers.counts.roomLimit[watcher] = this.#nextLimit[row];
    pairs.countHeld(watcher);
    this.#watchers.limitMemory(watcher, tick);
  }

  /** Whether an entity is a watcher now: it has a range or a pin. */
  isWatcher(slot: number): boolean {
    return this.#tables.ties.isWatcher(this.#store, slot);
  }
}

const NO_MARKERS: ReadonlySet<number> = new Set();
