/**
 * Which watchers have rules, and how much of a memory each needs for them.
 *
 *   none    it relates to whatever it perceives
 *   easy    a margin, or a cap that is not reached: what its margin holds is listed (ways/margin-holds.ts), it is counted, and what
 *           became of its seats lately is noted (ways/recent-seats.ts)
 *   row     anything else: a row of pairs (pair-rows.ts)
 *
 * One without a row may override what perception says of some pairs: ways/overrides/.
 *
 * A watcher gets a row when it first has rules, with whom it relates to by then as its seats; it gives the row up when it
 * turns out to be easy, gets it back when something of its own changes or its cap may be reached, and is let go when it has
 * no rules left. Memory: 12 bytes a slot. Cost: nothing while nobody has rules; O(1) a watcher whose standing changed.
 */
import { grown } from '../columns.ts';
import type { Crossings } from '../detectors/crossings.ts';
import { CAP_UNSET, type EntityState, NO_CAP, UPDATES } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { ADDED, CHANGED, INTEREST_CHANGED, STANDING_CHANGED, UPDATES_CHANGED } from '../entities/pending.ts';
import { assert } from '../errors.ts';
import type { Column } from '../kernels/heap.ts';
import * as relations from '../kernels/layouts/count-relations.ts';
import { HEAVY, ON_EVERY_TICK, ON_NEWS, ONCE } from '../kernels/layouts/looks.ts';
import type { ByteReader } from '../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../recording/bytes/byte-writer.ts';
import { isPlain, keepsRow, type ResolvedInterest } from './interest.ts';
import type { InterestBook } from './interest-book.ts';
import { ASKED, FORCED, type PairRows, REFUSED, RELATED, SEATED, WAITING } from './pair-rows.ts';
import { RatedWatchers } from './rules/rated-watchers.ts';
import type { SeatMemory } from './rules/seat-memory.ts';
import type { Ties } from './rules/ties.ts';
import { SlotList } from './table/slot-list.ts';
import { TakenUp } from './table/taken-up.ts';
import type { MarginHolds } from './ways/margin-holds.ts';
import type { OverrideRows } from './ways/overrides/override-rows.ts';
import { logsDwell, type RecentSeats } from './ways/recent-seats.ts';
import { fillRow, findRelatedBefore } from './ways/row-before.ts';

export * from '../kernels/layouts/looks.ts';

const ALL_LOOKS = ON_NEWS | ON_EVERY_TICK | ONCE | HEAVY;

/** What of the watcher's own takes the long way. */
export const OWN_NEWS = ADDED | CHANGED | STANDING_CHANGED | INTEREST_CHANGED;

/** The pairs that a watcher (a slot) related to at the last tick, as ids. */
export type RelatedIds = (watcher: number) => Uint32Array;

export class RuledWatchers {
  /** By slot: 1 for one with a row. */
  hasRow = new Uint8Array(0);
  /** By slot: 1 for an easy one. */
  readonly easyColumn: Column<'u8'>;
  readonly #countColumn: Column<'u32'>;
  readonly rated: RatedWatchers;
  readonly lookColumn: Column<'u8'>;
  readonly #limitColumn: Column<'u32'>;
  readonly #countJob: Column<'u32'>;
  hasAlways = false;
  #hadAlways = false;
  readonly #store: EntityStore;
  readonly #book: InterestBook;
  readonly #ties: Ties;
  readonly #pairs: PairRows;
  readonly #memory: SeatMemory;
  readonly #holds: MarginHolds;
  readonly #overrides: OverrideRows;
  readonly #withRow = new SlotList();
  #easyCount = 0;
  /** By interest: whether seats are protected for some ticks. */
  dwells: readonly boolean[];
  /** By interest. */
  #plain: boolean[];
  readonly #taken: TakenUp;
  readonly #recent: RecentSeats;

  constructor(
    store: EntityStore,
    book: InterestBook,
    ties: Ties,
    pairs: PairRows,
    memory: SeatMemory,
    recent: RecentSeats,
    holds: MarginHolds,
    overrides: OverrideRows,
  ) {
    this.#store = store;
    this.#book = book;
    this.#ties = ties;
    this.#pairs = pairs;
    this.#memory = memory;
    this.#holds = holds;
    this.#overrides = overrides;
    this.rated = new RatedWatchers(store, book, ties);
    this.#taken = new TakenUp(pairs, memory);
    this.#recent = recent;
    recent.noteInterests(book.current);
    this.lookColumn = store.heap.column('u8', 0);
    this.easyColumn = store.heap.column('u8', 0);
    this.#countColumn = store.heap.column('u32', 0);
    this.#limitColumn = store.heap.column('u32', 0);
    this.#countJob = store.heap.column('u32', relations.JOB_WORDS);
    this.#plain = book.current.map(isPlain);
    this.dwells = book.current.map(({ minDwellTicks }) => minDwellTicks > 0);
  }

  /** Outside the heap. */
  get memoryBytes(): number {
    return this.hasRow.length + this.rated.is.length + this.#withRow.memoryBytes;
  }

  get isEasy(): Uint8Array {
    return this.easyColumn.array;
  }

  /** By slot: how many seats an easy one gave, those that relate by force among them. */
  get count(): Uint32Array {
    return this.#countColumn.array;
  }

  /** By slot: most pairs that it may relate to while it is easy or its row light; 0 for one that is neither. */
  get lightLimit(): Uint32Array {
    return this.#limitColumn.array;
  }

  /** By slot: the bits above. */
  get look(): Uint8Array {
    return this.lookColumn.array;
  }

  /** Slots of those with a row, ascending; valid until any is given one or gives it up. */
  get withRow(): Uint32Array {
    return this.#withRow.slots;
  }

  /** Whether nobody has or will have any rule. Ties of one at rest wait until it wakes. */
  get isIdle(): boolean {
    if (this.#withRow.size > 0 || this.#easyCount > 0 || this.#store.hasAlways) return false;
    if (!this.#ties.isNone) return false;
    if (!this.#overrides.isEmpty) return false;
    return this.#store.now.caps.column === undefined && this.#plain.every((plain) => plain);
  }

  get hasEasy(): boolean {
    return this.#easyCount > 0;
  }

  /** Watchers that go to or from being told at rates with the tick under way; those of ticks that did not stand are not among them. */
  get turned(): readonly number[] {
    return this.#taken.rated;
  }

  /** Whether any that was easy at the last tick got a row for the one under way. */
  get isAnyTaken(): boolean {
    return this.#taken.given.length > 0;
  }

  /** The interest of a watcher in one state of the world. */
  interestIn(state: EntityState, watcher: number): ResolvedInterest {
    return this.#book.current[state.interests.at(watcher)];
  }

  /** Most relations of a watcher in one state of the world; `NO_CAP` for none. */
  capIn(state: EntityState, watcher: number): number {
    const own = state.caps.at(watcher);
    return own === CAP_UNSET ? this.interestIn(state, watcher).cap : own;
  }

  growSlots(capacity: number): void {
    if (this.hasRow.length >= capacity) return;
    this.#recent.growSlots(capacity);
    this.#pairs.growSlots(capacity);
    this.hasRow = grown(this.hasRow, capacity);
    const columns = [this.lookColumn, this.easyColumn, this.#countColumn, this.#limitColumn];
    this.#store.heap.resizeAll(columns, capacity);
    this.rated.growSlots(capacity);
  }

  /** Interests were taken up. */
  noteInterests(): void {
    this.#plain = this.#book.current.map(isPlain);
    this.dwells = this.#book.current.map(({ minDwellTicks }) => minDwellTicks > 0);
    this.#recent.noteInterests(this.#book.current);
  }

  /**
   * Gives a slot a row where it needs one now, and begins its seats anew where it goes by another interest. `changed`:
   * numbers of interests that did; `isAnyone`: rules may have changed for anyone.
   */
  takeUp(
    slot: number,
    changed: ReadonlySet<number>,
    isAnyone: boolean,
    tick: number,
    related: RelatedIds,
  ): void {
    const { now, last, pending } = this.#store;
    if (!now.isPresent(slot)) return;
    const bits = pending[slot];
    const number = now.interests.at(slot);
    const isNew = (bits & ADDED) !== 0;
    const isNewInterest = !isNew && (changed.has(number) || last.interests.at(slot) !== number);
    const wasRuled = this.isEasy[slot] === 1 || this.#overrides.has[slot] === 1;
    if (wasRuled && !isNewInterest && !isAnyone && (bits & (OWN_NEWS | UPDATES_CHANGED)) === 0) return;
    if (!wasRuled && this.hasRow[slot] === 0 && !this.needsRules(slot)) return;
    if (this.hasRow[slot] === 0) this.giveRow(slot, isNew ? undefined : related(slot), tick);
    if (isNewInterest) this.#beginSeatsAnew(slot, tick);
    const wasTold = (last.flags[slot] & UPDATES) !== 0;
    if ((bits & UPDATES_CHANGED) !== 0 && !wasTold) this.#tellFrom(slot, tick - 1);
    this.#setRated(slot, number, isNewInterest, tick);
    this.look[slot] |= ONCE;
  }

  /** Whether a slot is a watcher with rules now. */
  needsRules(slot: number): boolean {
    const { now, ids } = this.#store;
    const id = ids.idOf[slot];
    if (now.isResting(slot)) return false;
    const hasPins = this.#ties.pinsOf(id) !== undefined;
    const hasRange = now.perceives(slot);
    if (!hasRange && !hasPins) return false;
    if (hasPins || this.#ties.blocksOf(id) !== undefined || (this.hasAlways && hasRange)) return true;
    return !this.#plain[now.interests.at(slot)] || this.capIn(now, slot) !== NO_CAP;
  }

  /** A row of whom the watcher related to at the last tick, as seats of that tick; an easy one is that no more. */
  giveRow(watcher: number, related: Uint32Array | undefined, tick: number): void {
    const easyCount = this.isEasy[watcher] === 1 ? this.count[watcher] : undefined;
    const overrides = this.#overrides.take(watcher);
    const { last } = this.#store;
    const lost = this.#memory.copyOf(watcher);
    const before = this.interestIn(last, watcher);
    const byId = this.#recent.replay(watcher, before, this.capIn(last, watcher), this.#memory);
    this.#taken.given.push({ watcher, easyCount, overrides, lost, recent: this.#recent.take(watcher) });
    // Of one that is counted, seats that are not among the latest are as old as may be asked for.
    const since = { byId, usual: easyCount === undefined ? tick - 1 : 0 };
    this.hasRow[watcher] = 1;
    this.#withRow.add(watcher);
    const isAsked = this.interestIn(this.#store.now, watcher).admit !== undefined;
    if (related !== undefined)
      fillRow(this.#store, this.#pairs, this.#holds, watcher, related, overrides, isAsked, since, tick);
    if (this.isEasy[watcher] === 1) this.#endEasy(watcher);
  }

  /** After a light row was written in which the margin holds nobody: whether it need not be kept. */
  mayBeEasy(watcher: number): boolean {
    const limit = this.lightLimit[watcher];
    // What is told at rates says of each pair when it was told last; who is told nothing begins anew with the first word.
    if (limit === 0 || (this.rated.is[watcher] === 1 && this.#isTold(watcher))) return false;
    const interest = this.interestIn(this.#store.now, watcher);
    if (keepsRow(interest)) return false;
    // A watcher without a cap may be given one later: then ages count, too.
    if (interest.minDwellTicks > 0 && !logsDwell(interest)) return false;
    // Who relates by force may be more than the cap.
    if (limit !== NO_CAP && this.#pairs.countSeats(watcher) > limit) return false;
    // Should the cap be reached, the row comes from what it was told; who is told nothing stays well away from it. A row that costs
    // little while nothing crosses is not taken and given up in turn.
    const isCheap = interest.leaveMargin === 0 && interest.memoryTicks === 0 && !interest.mutual;
    const most = limit - (limit >>> (isCheap ? 2 : 3));
    return limit === NO_CAP || (this.#isTold(watcher) && !isCheap) || this.#pairs.size[watcher] <= most;
  }

  /** Whether an easy watcher that is told nothing should have its row back before its cap is reached. */
  isNearCap(watcher: number): boolean {
    const limit = this.lightLimit[watcher];
    return limit !== NO_CAP && this.count[watcher] > limit - (limit >>> 4) - 1 && !this.#isTold(watcher);
  }

  /**
   * Whom an easy watcher related to at the last tick, while the detector has moved on to this one: from `told`, or, where it
   * is told nothing, from the definition, after a look at everyone. That is rare: only a leap takes one past `isNearCap` unseen.
   */
  relatedBefore(watcher: number, told: RelatedIds): Uint32Array {
    if (this.#isTold(watcher)) return told(watcher);
    return findRelatedBefore(this.#store, this.#pairs, this.#holds, this.#overrides, watcher);
  }

  /**
   * The first crossing, from one on, with which an easy watcher might reach its cap; their count if there is none. Before
   * anything is decided of them.
   */
  nextReached(crossings: Crossings, from: number): number {
    return this.#store.heap.kernels.findReached(this.#writeCountJob(crossings), from);
  }

  /**
   * Counts whom easy watchers came and ceased to relate to, from one crossing on, up to the first that brought one near
   * its cap, which it answers, or their count.
   */
  countRelations(crossings: Crossings, from: number): number {
    return this.#store.heap.kernels.countRelations(this.#writeCountJob(crossings), from);
  }

  /** Gives up the row of one that is easy from now on, of which `recent` goes on to tell. To be followed by `sweep`. */
  makeEasy(watcher: number, tick: number): void {
    const { minDwellTicks } = this.interestIn(this.#store.now, watcher);
    this.#recent.noteRow(watcher, this.#pairs, minDwellTicks, tick);
    this.isEasy[watcher] = 1;
    this.#easyCount++;
    this.count[watcher] = this.#pairs.countSeats(watcher);
    this.#overrides.reduce(watcher, this.#blockedBy(watcher));
    this.hasRow[watcher] = 0;
  }

  /** Forgets the rules of a slot that has none any more, or is gone. To be followed by `sweep`. */
  release(slot: number): void {
    if (this.isEasy[slot] === 1) this.#endEasy(slot);
    this.#overrides.take(slot);
    this.#recent.take(slot);
    this.#pairs.drop(slot);
    this.#memory.forgetWatcher(slot);
    this.hasRow[slot] = 0;
    this.look[slot] = 0;
    this.lightLimit[slot] = 0;
    if (this.rated.is[slot] === 0) return;
    this.rated.changes.push(slot);
    this.rated.turn(slot);
  }

  /** Takes those without a row off the list of those with one. */
  sweep(): void {
    this.#withRow.keep(this.hasRow);
  }

  /** The tick stands, with all that was taken up for it. To be followed by what it lets go of. */
  commit(): void {
    this.#taken.clear();
    this.rated.changes.length = 0;
    this.#hadAlways = this.hasAlways;
  }

  /** The tick did not stand: gives back what was taken up for it. */
  abort(): void {
    const taken = this.#taken;
    taken.restoreRows();
    for (const watcher of taken.rated) this.rated.turn(watcher);
    for (const { watcher, easyCount, overrides, recent, lost } of taken.given) {
      this.#recent.giveBack(watcher, recent);
      this.#memory.take(watcher);
      if (lost !== undefined) this.#memory.giveBack(watcher, lost);
      this.#pairs.drop(watcher);
      this.hasRow[watcher] = 0;
      if (overrides !== undefined) this.#overrides.giveBack(watcher, overrides);
      // One that got no room for its row is still easy.
      if (easyCount === undefined || this.isEasy[watcher] === 1) continue;
      this.isEasy[watcher] = 1;
      this.count[watcher] = easyCount;
      this.#easyCount++;
    }
    if (taken.given.length > 0) this.sweep();
    taken.clear();
    this.hasAlways = this.#hadAlways;
    this.noteInterests();
  }

  save(writer: ByteWriter): void {
    const withRow = this.withRow.slice();
    const easy = Uint32Array.from(this.#easySlots());
    writer.column(withRow);
    writer.elements(Uint8Array.from(withRow, (watcher) => this.rated.is[watcher]));
    writer.elements(Uint8Array.from(withRow, (watcher) => this.look[watcher]));
    writer.elements(withRow.map((watcher) => this.lightLimit[watcher]));
    writer.column(easy);
    writer.elements(easy.map((watcher) => this.lightLimit[watcher]));
    writer.elements(easy.map((watcher) => this.count[watcher]));
    writer.flag(this.hasAlways);
    writer.column(Uint32Array.from(this.rated.changes));
  }

  /** Into one that was never used; population, interests and ties were loaded. */
  load(reader: ByteReader): void {
    const { slotCount, last } = this.#store;
    this.noteInterests();
    this.growSlots(this.#store.capacity);
    const withRow = reader.column('u32');
    const isRated = reader.elements('u8', withRow.length);
    const look = reader.elements('u8', withRow.length);
    const lightLimit = reader.elements('u32', withRow.length);
    withRow.forEach((watcher, i) => {
      const isNext = watcher < slotCount && (i === 0 || watcher > withRow[i - 1]);
      reader.check(isNext && last.isPresent(watcher), 'watchers with a row, ascending');
      const hasRates = this.rated.hasRates(last.interests.at(watcher));
      const isTold = isRated[i] === 1 || (isRated[i] === 0 && !hasRates);
      reader.check(isTold && look[i] <= ALL_LOOKS, 'how a watcher is looked at');
      this.hasRow[watcher] = 1;
      this.look[watcher] = look[i];
      this.lightLimit[watcher] = lightLimit[i];
      if (isRated[i] === 1) this.rated.turn(watcher);
    });
    for (const watcher of withRow) this.#withRow.add(watcher);
    const easy = reader.column('u32');
    const limits = reader.elements('u32', easy.length);
    const counts = reader.elements('u32', easy.length);
    easy.forEach((watcher, i) => {
      const isNext = watcher < slotCount && (i === 0 || watcher > easy[i - 1]) && this.hasRow[watcher] === 0;
      reader.check(
        isNext && last.isPresent(watcher) && counts[i] <= slotCount,
        'watchers without a row, ascending',
      );
      this.isEasy[watcher] = 1;
      if (this.rated.hasRates(last.interests.at(watcher))) this.rated.turn(watcher);
      this.lightLimit[watcher] = limits[i];
      this.count[watcher] = counts[i];
    });
    this.#easyCount = easy.length;
    this.hasAlways = reader.flag();
    this.#hadAlways = this.hasAlways;
    for (const slot of reader.column('u32')) {
      reader.check(slot < slotCount, 'a slot');
      this.rated.changes.push(slot);
    }
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    let previous = -1;
    for (const watcher of this.withRow) {
      const isListed = watcher > previous && this.hasRow[watcher] === 1 && this.isEasy[watcher] === 0;
      assert(isListed, 'watchers with a row are listed once, ascending');
      previous = watcher;
    }
    assert(this.#easySlots().length === this.#easyCount, 'watchers without a row are counted');
  }

  #writeCountJob(crossings: Crossings): number {
    const job = this.#countJob.array;
    job[relations.CROSSINGS] = crossings.offset;
    job[relations.CROSSING_COUNT] = crossings.count;
    job[relations.IS_EASY] = this.easyColumn.offset;
    job[relations.RELATIONS] = this.#countColumn.offset;
    job[relations.LIMITS] = this.#limitColumn.offset;
    return this.#countJob.offset;
  }

  #isTold(watcher: number): boolean {
    return (this.#store.now.flags[watcher] & UPDATES) !== 0;
  }

  #easySlots(): number[] {
    const easy: number[] = [];
    const { isEasy } = this;
    for (let slot = 0; slot < isEasy.length; slot++) if (isEasy[slot] === 1) easy.push(slot);
    return easy;
  }

  #endEasy(watcher: number): void {
    this.isEasy[watcher] = 0;
    this.count[watcher] = 0;
    this.#easyCount--;
  }

  /** Slots of the markers that a watcher blocks now, ascending. */
  #blockedBy(watcher: number): number[] {
    const { ids } = this.#store;
    const blocked: number[] = [];
    for (const id of this.#ties.blocksOf(ids.idOf[watcher]) ?? [])
      if (this.#store.has(id)) blocked.push(id >>> 10);
    return blocked.sort((a, b) => a - b);
  }

  /** Another interest: who is related now is seated, as of the last tick; nobody is remembered. */
  #beginSeatsAnew(watcher: number, tick: number): void {
    this.#taken.keepRow(watcher, true);
    const { start, size, state, since, reported } = this.#pairs;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const isRelated = (state[i] & RELATED) !== 0;
      state[i] &= ~(ASKED | REFUSED | SEATED | WAITING);
      if (isRelated && (state[i] & FORCED) === 0) state[i] |= SEATED;
      since[i] = tick - 1;
      reported[i] = tick - 1;
    }
  }

  /** Counts everyone as told of as of `tick`. */
  #tellFrom(watcher: number, tick: number): void {
    this.#taken.keepRow(watcher, false);
    const { start, size, reported } = this.#pairs;
    reported.fill(tick, start[watcher], start[watcher] + size[watcher]);
  }

  #setRated(watcher: number, interest: number, isNewInterest: boolean, tick: number): void {
    if (!this.rated.isOther(watcher, interest, isNewInterest)) return;
    if (this.rated.is[watcher] === 0 && !isNewInterest) this.#tellFrom(watcher, tick - 1);
    this.rated.turn(watcher);
    this.#taken.rated.push(watcher);
    this.rated.changes.push(watcher);
  }
}
