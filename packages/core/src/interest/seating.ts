/**
 * Decides which markers get a seat: turns the crossings of perception into crossings of relation, for the
 * watchers that have rules.
 *
 * A watcher without rules relates to whatever it perceives and is skipped here. For the other watchers, the
 * changes of a tick are decided in this order, which the contract prescribes:
 *
 *   block: no.  pin: yes.  do not meet: no.  group, always: yes.
 *   senses, with margin, then admit: a candidate.  cap: the first so many.  mutual: the other side, too
 *   then, for attached markers: as their parents (attached/)
 *
 * Several methods give the same result. Each watcher uses the cheapest one that its rules allow
 * (standing/ruled-watchers.ts):
 *
 *   standing/margin-holds.ts   no row: a margin, or a cap that is not reached
 *   derived/overrides.ts       in addition: ties, groups and markers shown always, pair by pair
 *   seats/seat-search.ts       a row of the seats only: found by distance, where that is cheaper than a whole row
 *   seats/kernel-seats.ts      a whole row that is due, while the watcher's own ties and groups are as they were
 *   row-decider.ts             any other row: a tie changed, what is remembered is perceived again, something is new
 *   rows.ts                    says for each row in each tick whether it is due, and which method decides it
 *   mutual.ts                  last: takes away the seats to which the other side does not consent
 *
 * All results are staged beside the stored state, so a user's function that throws leaves the world
 * unchanged. Changes that must be applied at the start of the tick are undone by `abort` (standing/undo-journal.ts).
 * Cost: nothing for watchers without rules; see each file for the others.
 */
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { Crossings } from '../detectors/crossings.ts';
import type { DetectorFactory } from '../detectors/detector.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { pendingWith, REMOVED, UPDATES_CHANGED } from '../entities/pending.ts';
import { perceivedSenses } from '../entities/perception.ts';
import { assert } from '../errors.ts';
import { AttachedRelations } from './attached/attached-relations.ts';
import { type EachOwnWatcher, listed } from './attached/root-watchers.ts';
import { DerivedWatchers } from './derived/derived-watchers.ts';
import { LimitCrossings } from './derived/limit-crossings.ts';
import { OverrideCauses } from './derived/override-causes.ts';
import { Overrides } from './derived/overrides.ts';
import { NearWatchers } from './grids/near-watchers.ts';
import { MutualConsent } from './mutual.ts';
import { Rows } from './rows.ts';
import { ForcedRelations } from './rules/forced.ts';
import type { InterestBook } from './rules/interest-book.ts';
import { Lingering } from './rules/linger.ts';
import { RatedWatchers } from './rules/rated-watchers.ts';
import { MemoryNotes, SeatMemory } from './rules/seat-memory.ts';
import type { Ties } from './rules/ties.ts';
import { countWaiting } from './seats/enter-budget.ts';
import { MarginHolds } from './standing/margin-holds.ts';
import { OverrideRows } from './standing/override-rows.ts';
import { RecentSeats } from './standing/recent-seats.ts';
import { OWN_NEWS, type RelatedIds, RuledWatchers } from './standing/ruled-watchers.ts';
import type { SeatTables } from './standing/seat-tables.ts';
import { MarginCuts } from './table/margin-cuts.ts';
import { FORCED, isMarginHeld, PairRows, RELATED, sensesOf } from './table/pair-rows.ts';
import { RELATES } from './table/relation-words.ts';
import { UpdateRates } from './update-rates.ts';

export class Seating {
  /** Which watchers have rules, and which of them a row. */
  readonly watchers: RuledWatchers;
  readonly tables: SeatTables;
  /** Relations to attached markers, in addition to all others. */
  readonly attached: AttachedRelations;
  /** Which watchers get their updates at rates, and when. */
  readonly rated: RatedWatchers;
  readonly rates: UpdateRates;
  readonly #store: EntityStore;
  readonly #overrides: Overrides;
  readonly #causes: OverrideCauses;
  readonly #limits: LimitCrossings;
  /** `undefined`: not counted since the last tick. */
  #waitingCount: number | undefined;
  #lingeringCount: number | undefined;
  readonly #derived: DerivedWatchers;
  readonly #rows: Rows;
  readonly #consent: MutualConsent;
  /** Whether no watcher has rules in this tick; and whether that is so since the tick before: then nothing is staged, or to be committed. */
  #isIdle = false;
  #isAtRest = false;

  /** `makeDetector`: as the world makes its own. */
  constructor(store: EntityStore, book: InterestBook, ties: Ties, makeDetector: DetectorFactory) {
    const pairs = new PairRows(store.heap);
    const tables: SeatTables = {
      store,
      book,
      ties,
      forced: new ForcedRelations(),
      pairs,
      holds: new MarginHolds(store),
      overrides: new OverrideRows(pairs),
      cuts: new MarginCuts(),
      memory: new SeatMemory(),
      memoryNotes: new MemoryNotes(),
      lingering: new Lingering(),
      recent: new RecentSeats(store),
      near: new NearWatchers(store, book),
      maybeForced: new Map(),
    };
    this.tables = tables;
    this.#store = store;
    const watchers = new RuledWatchers(tables);
    const overrides = new Overrides(tables);
    this.watchers = watchers;
    this.#rows = new Rows(tables, watchers);
    this.#overrides = overrides;
    this.#limits = new LimitCrossings(tables, makeDetector);
    this.#causes = new OverrideCauses(tables, watchers, overrides, this.#limits);
    this.#derived = new DerivedWatchers(tables, watchers, overrides);
    this.#consent = new MutualConsent({
      ...tables,
      watchers,
      edits: this.#rows.edits,
      overrides,
      derived: this.#derived,
    });
    const own = (watcher: number, marker: number) => this.ownRelation(watcher, marker);
    this.attached = new AttachedRelations(store, ties, own);
    this.rated = new RatedWatchers(store, book, ties);
    this.rates = new UpdateRates(store, book, ties, this.rated, (watcher, marker) => {
      const at = this.find(watcher, marker);
      return at < 0 ? 0 : pairs.state[at];
    });
  }

  get memoryBytes(): number {
    const { memory, lingering, cuts, recent, forced, near } = this.tables;
    const tables = [memory, lingering, cuts, recent, forced, near, this.attached];
    const ways = [this.#overrides, this.#limits, this.watchers, this.#rows, this.#consent];
    return [...tables, ...ways].reduce((bytes, { memoryBytes }) => bytes + memoryBytes, 0);
  }

  /** Between ticks: frees memory that recent ticks did not use. */
  trim(): void {
    this.#rows.trim();
    this.tables.pairs.trim();
    this.tables.holds.trim();
    this.tables.near.trim();
    this.#consent.trim();
    this.attached.trim();
  }

  /** The index in `tables.pairs` of what is stored of a pair (slots): in the watcher's row, or as an override; -1 if nothing is. */
  find(watcher: number, marker: number): number {
    const { pairs, overrides } = this.tables;
    return this.hasRow(watcher) ? pairs.find(watcher, marker) : overrides.find(watcher, marker);
  }

  /**
   * How a watcher relates to a marker (slots) as of the last tick, but for what is attached: `RELATES` and the senses
   * that perceive it; 0 if it does not.
   */
  ownRelation(watcher: number, marker: number): number {
    const store = this.#store;
    const i = this.find(watcher, marker);
    if (i < 0) {
      if (this.hasRow(watcher)) return 0;
      const exact = perceivedSenses(store.settings, store.last, watcher, marker);
      const senses = exact | this.tables.holds.heldSensesOf(watcher, marker);
      return senses === 0 ? 0 : RELATES | senses;
    }
    const state = this.tables.pairs.state[i];
    return (state & RELATED) === 0 ? 0 : RELATES | sensesOf(state);
  }

  /** Whether the watcher (a slot) has a row of all its pairs, or, if it is searched, of its seats. */
  hasRow(watcher: number): boolean {
    return this.watchers.hasRow[watcher] === 1;
  }

  /**
   * Whether any state of the watcher's pairs at the last tick is stored. Such a watcher may relate without a
   * range.
   */
  hasPairs(watcher: number): boolean {
    return (
      this.hasRow(watcher) || this.tables.overrides.has[watcher] === 1 || this.attached.hasAnyOf(watcher)
    );
  }

  /**
   * Number of pairs that linger as of the last tick. Cost: visits each of them, at the first call after a
   * tick.
   */
  get lingeringCount(): number {
    this.#lingeringCount ??= this.tables.lingering.countIn(this.tables.pairs);
    return this.#lingeringCount;
  }

  /** Number of pairs that wait to enter, as of the last tick. Cost: as `lingeringCount`. */
  get waitingCount(): number {
    this.#waitingCount ??= countWaiting(this.tables, this.watchers);
    return this.#waitingCount;
  }

  /**
   * Before a tick settles the pending changes: applies changed rules, and hides from the detector the
   * watchers whose seats are found by distance; see seats/searched-watchers.ts.
   */
  judgeSearched(): void {
    const { book } = this.tables;
    book.begin();
    const areChanged = book.changed.size > 0;
    if (this.#store.pendingCount > 0 || areChanged) this.#rows.searched.judge(book.current, areChanged);
  }

  /**
   * Start of the tick: applies ties and interests that changed. `related`: the ids that a watcher related to
   * at the last tick. `watchersOf` visits the watchers that related to a marker, `seatedWith` the watchers
   * that gave it a seat, `holdersOf` all with a row or override that contains it; all without relations that follow from a parent's.
   */
  begin(
    tick: number,
    related: RelatedIds,
    watchersOf: EachOwnWatcher,
    seatedWith: EachOwnWatcher,
    holdersOf: EachOwnWatcher,
  ): void {
    const { book, forced, ties, lingering, near } = this.tables;
    const { changed } = book;
    near.begin();
    const tied = ties.begin();
    this.attached.begin(watchersOf, related, tied.keys(), near.mayTell);
    this.#consent.begin(seatedWith, tied.keys());
    const store = this.#store;
    const watchers = this.watchers;
    if (changed.size > 0) watchers.noteInterests();
    this.rated.begin(tied.keys());
    const wasIdle = this.#isIdle;
    this.#isIdle = watchers.isIdle && tied.size === 0;
    this.#isAtRest = this.#isIdle && wasIdle && this.tables.holds.isEmpty && this.tables.recent.isIdle;
    if (this.#isIdle) {
      forced.skip();
      this.#causes.skip();
      return;
    }
    watchers.growSlots(store.capacity);
    this.#overrides.growSlots(store.capacity);
    lingering.growSlots(store.capacity);
    lingering.begin(store);
    watchers.hasAlways = forced.settle(store, book.current);
    const { now, last } = store;
    const isChanged = book.current.map((_interest, number) => changed.has(number));
    const hasChanged = (slot: number) =>
      isChanged[now.interests.at(slot)] || isChanged[last.interests.at(slot)];
    for (const id of tied.keys()) if (store.has(id)) store.watchers.add(id >>> 10);
    if (changed.size > 0) {
      store.watchers.each((slot) => {
        if (hasChanged(slot) && !this.#staysAsItIs(slot))
          watchers.applyChange(slot, changed, true, tick, related);
      });
    }
    for (const slot of store.notOnlyMoved)
      if (!hasChanged(slot)) watchers.applyChange(slot, changed, false, tick, related);
    this.#derived.giveRows(tick, related);
    for (const id of tied.keys()) {
      if (store.ids.idOf[id >>> 10] === id) this.#causes.applyTies(id, tick, related);
    }
    const slotsOf = (marker: number) => listed(watchersOf, marker);
    this.#causes.considerMarkers();
    this.#causes.considerLimits();
    this.#causes.considerLayers(slotsOf);
    this.#causes.considerAsked(tick, related, (marker) => listed(holdersOf, marker));
  }

  /**
   * Decides the tick. Rewrites the resolved `crossings` from pairs that began or ceased to be perceived to
   * pairs that began or ceased to relate. `storedRelated`: the ids that a watcher with `updated` events related to at
   * the last tick; the detector cannot say, because it already holds the new state. Returns the crossings to
   * report: `crossings` itself, or a copy with the relations to attached markers. Changes nothing until
   * `commit`. Throws what a user's `rank` or `admit` throws.
   */
  decide(crossings: Crossings, tick: number, storedRelated: RelatedIds): Crossings {
    if (this.#isAtRest) return this.attached.decide(crossings);
    const { watchers } = this;
    const { holds, overrides, recent, cuts } = this.tables;
    this.#rows.clear();
    recent.begin();
    cuts.begin();
    let lost = 0;
    if (watchers.counts.hasDerived || !holds.isEmpty || !overrides.isEmpty)
      lost = this.#derived.decide(crossings, tick, storedRelated);
    this.#rows.decide(crossings, tick);
    this.#consent.decide(crossings);
    crossings.lostWithWatcher += lost + this.#rows.lostWithWatcher;
    return this.attached.decide(crossings);
  }

  /**
   * Applies the decisions, and frees the state of watchers that are removed or have no rules left.
   * `crossings`: the rewritten ones of `decide`, without attached markers.
   */
  commit(crossings: Crossings, tick: number): void {
    const { book, ties } = this.tables;
    this.attached.commit();
    this.rated.commit();
    this.watchers.commit();
    if (!this.#isAtRest) this.#commitRules(crossings, tick);
    this.tables.forced.commit();
    book.commit();
    ties.commit();
  }

  #commitRules(crossings: Crossings, tick: number): void {
    const { overrides, holds, recent, lingering, cuts } = this.tables;
    const { watchers } = this;
    this.#lingeringCount = undefined;
    this.#waitingCount = undefined;
    this.#derived.count(crossings);
    if (watchers.counts.hasDerived || !holds.isEmpty) holds.commit();
    this.#overrides.commit(watchers.counts);
    recent.commit(tick);
    this.#rows.commit(tick);
    this.#consent.commit(tick);
    cuts.commit();
    let isAnyGone = false;
    for (const slot of pendingWith(this.#store, REMOVED)) {
      // Slots that were added since any watcher had rules lie beyond the end of these columns.
      const isRuled = watchers.hasRow[slot] === 1 || watchers.counts.isDerived[slot] === 1;
      if (!isRuled && overrides.has[slot] !== 1) continue;
      watchers.release(slot);
      lingering.forgetWatcher(slot);
      isAnyGone = true;
    }
    const { renewed, roomy } = this.#rows;
    for (const watcher of renewed) if (this.#shed(watcher, true, tick)) isAnyGone = true;
    for (const watcher of roomy) if (this.#shed(watcher, false, tick)) isAnyGone = true;
    if (isAnyGone) watchers.sweep();
  }

  /** The tick failed: undoes all that was applied for it. */
  abort(): void {
    this.#isIdle = false;
    this.rated.abort();
    this.tables.book.abort();
    this.tables.ties.abort();
    this.watchers.abort();
    this.#overrides.abort();
    this.#limits.skip();
    this.tables.forced.skip();
    this.#rows.abort();
    this.#store.undoHides();
  }

  /** About how many bytes `save` writes. */
  get savedBytes(): number {
    // Of each watcher with a row, besides its pairs: its slot, how it is looked at, a limit, recent seats.
    return 24 * this.watchers.withRow.length + this.tables.pairs.savedBytes(this.watchers.withRow);
  }

  save(writer: ByteWriter, tickCount: number): void {
    const { watchers } = this;
    const { book, pairs, overrides, holds, memory, recent, lingering, cuts } = this.tables;
    watchers.save(writer);
    pairs.save(writer, watchers.withRow);
    overrides.save(writer);
    holds.save(writer);
    // What is over is forgotten when the watcher is decided, which may be earlier in a world of other thresholds. Pending calls end no memory yet.
    const { last } = this.#store;
    for (const watcher of memory.watchers) {
      const { memoryTicks } = book.settled[last.interests.at(watcher)];
      memory.expire(watcher, tickCount - memoryTicks);
    }
    memory.save(writer);
    recent.save(writer, tickCount);
    lingering.save(writer);
    cuts.save(writer);
    this.rated.save(writer);
    this.rates.save(writer, this.#store.slotCount);
    this.attached.save(writer);
  }

  /** Into a new instance; population, interests and ties were loaded. `tickCount`: finished ticks. */
  load(reader: ByteReader, tickCount: number): void {
    const { watchers } = this;
    const { pairs, overrides, holds, memory, recent, lingering, cuts } = this.tables;
    const store = this.#store;
    watchers.load(reader);
    pairs.load(reader, watchers.withRow, store, tickCount);
    for (const watcher of watchers.withRow) watchers.countHeld(watcher);
    this.#overrides.growSlots(store.capacity);
    overrides.load(reader, watchers.hasRow, store, tickCount);
    holds.load(reader, watchers.counts.isDerived);
    memory.load(reader, store, tickCount);
    recent.load(reader, watchers.counts.isDerived, tickCount);
    lingering.load(reader, { pairs, watchers: watchers.withRow }, store, tickCount);
    cuts.load(reader, store);
    this.rated.load(reader);
    this.rates.load(reader, store.slotCount, tickCount);
    this.attached.load(reader);
    for (let slot = 0; slot < store.slotCount; slot++) if (this.hasPairs(slot)) store.watchers.add(slot);
  }

  /** As `load`, where there are no watchers. */
  loadNone(): void {
    this.watchers.noteInterests();
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    this.tables.pairs.validate();
    this.watchers.validate();
    this.rated.validate();
    this.tables.overrides.validate();
    this.tables.ties.validate();
    const { last, watchers, slotCount } = this.#store;
    for (let slot = 0; slot < slotCount; slot++) {
      if (last.perceives(slot) || this.hasPairs(slot)) assert(watchers.has(slot), 'watchers are listed');
    }
  }

  /**
   * Whether a watcher with a changed interest needs neither a new row nor a decision: only the margin changed. What crossed is decided with
   * the new one anyway, and so is what the margin holds without a row; and in the row it holds nothing.
   */
  #staysAsItIs(slot: number): boolean {
    const { watchers } = this;
    const { now, last, pending } = this.#store;
    const { book, overrides, pairs } = this.tables;
    const number = now.interests.at(slot);
    if (last.interests.at(slot) !== number || !book.changesByMargin(number)) return false;
    if (watchers.counts.isDerived[slot] === 1)
      return overrides.has[slot] !== 1 && watchers.staysWithoutRow(slot);
    // For a searched watcher, the margin also decides how long its seats last. Consent is asked for anew.
    if (!this.hasRow(slot) || now.hidden.at(slot) === 1 || book.current[number].mutual) return false;
    return (pending[slot] & (OWN_NEWS | UPDATES_CHANGED)) === 0 && pairs.countHeld(slot) === 0;
  }

  /**
   * Frees the row of a watcher that has no rules left, or does not need its row any more. `isAnew`: its rules may have changed. Returns
   * whether it freed one.
   */
  #shed(watcher: number, isAnew: boolean, tick: number): boolean {
    const watchers = this.watchers;
    if (!this.hasRow(watcher)) return false;
    if (this.#mayRelease(watcher)) {
      watchers.release(watcher);
      this.tables.lingering.forgetWatcher(watcher);
      return true;
    }
    if (!watchers.mayBeDerived(watcher, isAnew ? undefined : tick)) return false;
    watchers.makeDerived(watcher, tick);
    return true;
  }

  /** Whether a watcher whose row was just committed no longer needs it: the row says no more than perception does. */
  #mayRelease(watcher: number): boolean {
    if (this.watchers.needsRules(watcher) || !this.tables.memory.isEmpty(watcher)) return false;
    const { start, size, state } = this.tables.pairs;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const isPlainPair = (state[i] & RELATED) !== 0 && !isMarginHeld(state[i]);
      if (!isPlainPair || (state[i] & FORCED) !== 0) return false;
    }
    return true;
  }
}
