/**
 * Which watchers have rules, and how much state each of them needs.
 *
 *   none      the watcher relates to whatever it perceives
 *   derived   it has a margin, or a cap that is not reached, and few of its seats await consent. Its margin-held pairs are listed
 *             (margin-holds.ts), its relations are counted, and recent changes of its seats are logged (recent-seats.ts)
 *   row       anything else: a row of pairs (table/pair-rows.ts)
 *
 * A watcher without a row may override what perception says of some pairs (derived/overrides.ts). A watcher gets a row when it first has
 * rules; what it relates to by then are its seats. It gives the row up when it turns out to be derived, and gets the row back when its
 * rules change, it may reach its cap, or many seats await consent. It is released when it has no rules left. Memory: 3 bytes a slot, and
 * those of relation-counts.ts. Cost: nothing while no watcher has rules; O(1) for each watcher that changed.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { grown } from '../../columns.ts';
import type { Crossings } from '../../detectors/crossings.ts';
import { type EntityState, NO_CAP, UPDATES, VOLATILE } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import {
  ADDED,
  CHANGED,
  INTEREST_CHANGED,
  STANDING_CHANGED,
  UPDATES_CHANGED,
} from '../../entities/pending.ts';
import { assert } from '../../errors.ts';
import type { Column } from '../../kernels/heap.ts';
import { HEAVY, ON_EVERY_TICK, ON_NEWS, ONCE } from '../../kernels/layouts/looks.ts';
import { capOf } from '../rules/cap.ts';
import { isPlain, keepsRow, type ResolvedInterest } from '../rules/interest.ts';
import { ASKED, FORCED, type PairRows, REFUSED, RELATED, SEATED, WAITING } from '../table/pair-rows.ts';
import { SlotList } from '../table/slot-list.ts';
import { logsDwell } from './recent-seats.ts';
import { RelationCounts } from './relation-counts.ts';
import { fillRow, RelatedBefore } from './row-before.ts';
import type { SeatTables } from './seat-tables.ts';
import { UndoJournal } from './undo-journal.ts';

export * from '../../kernels/layouts/looks.ts';

/**
 * A mutual watcher keeps its row while more than one in so many of its seats await consent, and gets it back when more than one in `MANY_AWAIT`
 * do. Without a row they are overrides, each of which costs some 0.5 us to begin and as much to end.
 */
const FEW_AWAIT = 16;
const MANY_AWAIT = 4;
/** Ticks: so often the row of a mutual watcher is read for whether it is still needed. */
const LOOK_EVERY = 16;

/** A failed tick may leave others. */
const STORED_LOOKS = ON_NEWS | ON_EVERY_TICK | ONCE | HEAVY;

/** Changes of a watcher itself after which its whole row must be decided. */
export const OWN_NEWS = ADDED | CHANGED | STANDING_CHANGED | INTEREST_CHANGED;

/** Returns the markers that a watcher (a slot) related to at the last tick, as ids. */
export type RelatedIds = (watcher: number) => Uint32Array;

export class RuledWatchers {
  /** By slot: 1 for a watcher with a row. */
  hasRow = new Uint8Array(0);
  /** Which watchers are derived, and how many relations these have. */
  readonly counts: RelationCounts;
  readonly lookColumn: Column<'u8'>;
  hasAlways = false;
  /** Slots of the watchers that `wake` was called for since rows were last listed. */
  readonly woken: number[] = [];
  #hadAlways = false;
  readonly #tables: SeatTables;
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly #overrides: SeatTables['overrides'];
  readonly #withRow = new SlotList();
  /** By interest: whether it has a minimum dwell. */
  dwells: readonly boolean[] = [];
  /** By interest: whether it changes nothing (`isPlain`). */
  #plain: boolean[] = [];
  readonly #journal: UndoJournal;
  readonly #relatedBefore: RelatedBefore;

  constructor(tables: SeatTables) {
    const { store, pairs, memory, overrides } = tables;
    this.#tables = tables;
    this.#store = store;
    this.#pairs = pairs;
    this.#overrides = overrides;
    this.#journal = new UndoJournal(pairs, memory);
    this.#relatedBefore = new RelatedBefore(tables);
    this.lookColumn = store.heap.column('u8', 0);
    this.counts = new RelationCounts(store.heap);
    this.noteInterests();
  }

  /** Outside the heap. */
  get memoryBytes(): number {
    return this.hasRow.length + this.#withRow.memoryBytes;
  }

  /** By slot: bits of layouts/looks.ts, why and how the row must be decided again. */
  get look(): Uint8Array {
    return this.lookColumn.array;
  }

  /** Slots of watchers with a row, ascending. Valid until one gets a row or gives it up. */
  get withRow(): Uint32Array {
    return this.#withRow.slots;
  }

  /** Whether no watcher has a rule now or gets one in this tick. Any tie counts, also one of an entity at rest. */
  get isIdle(): boolean {
    if (this.#withRow.size > 0 || this.counts.hasDerived || this.#store.hasAlways) return false;
    if (!this.#tables.ties.isNone || !this.#overrides.isEmpty) return false;
    return this.#store.now.caps.column === undefined && this.#plain.every((plain) => plain);
  }

  /** Whether any watcher got a row for the tick under way. */
  get isAnyRowGiven(): boolean {
    return this.#journal.given.length > 0;
  }

  /** Whether the rules of a watcher, or what they apply to, may have changed with this tick. Until its row is planned anew. */
  isAnew(watcher: number): boolean {
    return (this.look[watcher] & ONCE) !== 0 || (this.#store.pending[watcher] & OWN_NEWS) !== 0;
  }

  /** The interest of a watcher in the given state of the world. */
  interestIn(state: EntityState, watcher: number): ResolvedInterest {
    return this.#tables.book.current[state.interests.at(watcher)];
  }

  /** Most relations of a watcher in the given state of the world; `NO_CAP` for none. */
  capIn(state: EntityState, watcher: number): number {
    return capOf(state, watcher, this.interestIn(state, watcher));
  }

  growSlots(capacity: number): void {
    if (this.hasRow.length >= capacity) return;
    this.#tables.recent.growSlots(capacity);
    this.#pairs.growSlots(capacity);
    this.hasRow = grown(this.hasRow, capacity);
    this.#store.heap.resizeAll([this.lookColumn, ...this.counts.columns], capacity);
  }

  /** To be called when changed interests were applied. */
  noteInterests(): void {
    const { book, recent } = this.#tables;
    this.#plain = book.current.map(isPlain);
    this.dwells = book.current.map(({ minDwellTicks }) => minDwellTicks > 0);
    recent.noteInterests(book.current);
  }

  /**
   * Gives a slot a row if it needs one now, and resets its seats if it has another interest. `changed`:
   * numbers of changed interests; `isRuleChanged`: its rules may have changed, even if nothing is pending for it.
   */
  applyChange(
    slot: number,
    changed: ReadonlySet<number>,
    isRuleChanged: boolean,
    tick: number,
    related: RelatedIds,
  ): void {
    const { now, last, pending } = this.#store;
    if (!now.isPresent(slot)) return;
    const bits = pending[slot];
    const number = now.interests.at(slot);
    const isNew = (bits & ADDED) !== 0;
    const isNewInterest = !isNew && (changed.has(number) || last.interests.at(slot) !== number);
    const wasRuled = this.counts.isDerived[slot] === 1 || this.#overrides.has[slot] === 1;
    if (wasRuled && !isNewInterest && !isRuleChanged && this.staysWithoutRow(slot)) return;
    if (!wasRuled && this.hasRow[slot] === 0 && !this.needsRules(slot) && !this.#remembersAll(slot)) return;
    if (this.hasRow[slot] === 0) this.giveRow(slot, isNew ? undefined : related(slot), tick);
    if (isNewInterest) this.#beginSeatsAnew(slot, tick);
    this.wake(slot, ONCE);
  }

  /**
   * Has the row of a watcher decided for these reasons (layouts/looks.ts), although nothing may happen in it. For ONCE, it is read for all
   * that relates by force.
   */
  wake(slot: number, reasons: number): void {
    this.look[slot] |= reasons;
    this.woken.push(slot);
    if ((reasons & ONCE) !== 0) this.#tables.maybeForced.delete(slot);
  }

  /**
   * Whether a watcher without a row needs none in this tick, although its properties may have changed: its rules are the same. Crossings and
   * what a margin holds are decided with the new properties anyway, and overrides/override-causes.ts considers the pairs that relate by
   * force.
   */
  staysWithoutRow(slot: number): boolean {
    const { now, last, pending } = this.#store;
    if ((pending[slot] & (OWN_NEWS | UPDATES_CHANGED)) === 0) return true;
    if ((pending[slot] & UPDATES_CHANGED) !== 0 || !last.perceives(slot) || !now.perceives(slot))
      return false;
    // A search needs its seats.
    if (now.hidden.at(slot) === 1) return false;
    // Any of its seats may need consent from now on, or none may.
    if (this.interestIn(now, slot).mutual && now.isMarker(slot) !== last.isMarker(slot)) return false;
    return this.capIn(now, slot) === this.capIn(last, slot);
  }

  /** Whether a watcher, without rules until now, ceases to perceive and remembers what it related to. */
  #remembersAll(slot: number): boolean {
    const { now, last } = this.#store;
    if (!last.perceives(slot) || now.perceives(slot) || now.isResting(slot)) return false;
    return this.interestIn(now, slot).memoryTicks > 0 && this.capIn(now, slot) !== NO_CAP;
  }

  /** Whether a slot is now a watcher with rules. */
  needsRules(slot: number): boolean {
    const { now, ids } = this.#store;
    if (now.isResting(slot)) return false;
    const hasRange = now.perceives(slot);
    if (hasRange && (!this.#plain[now.interests.at(slot)] || this.capIn(now, slot) !== NO_CAP)) return true;
    const id = ids.idOf[slot];
    if (this.#tables.ties.pinsOf(id) !== undefined) return true;
    return hasRange && (this.#tables.ties.blocksOf(id) !== undefined || this.hasAlways);
  }

  /**
   * Gives a watcher a row: the markers it related to at the last tick, as seats of that tick. It is no longer
   * derived.
   */
  giveRow(watcher: number, related: Uint32Array | undefined, tick: number): void {
    const relationCount = this.counts.isDerived[watcher] === 1 ? this.counts.count[watcher] : undefined;
    const overrides = this.#overrides.take(watcher);
    const { memory, recent } = this.#tables;
    const { last } = this.#store;
    const lost = memory.copyOf(watcher);
    const before = this.interestIn(last, watcher);
    const byId = recent.replay(watcher, before, this.capIn(last, watcher), memory);
    this.#journal.given.push({ watcher, relationCount, overrides, lost, recent: recent.take(watcher) });
    // Seats of a derived watcher that are not in the log are older than any rule looks back.
    const since = { byId, usual: relationCount === undefined ? tick - 1 : 0 };
    this.hasRow[watcher] = 1;
    this.#withRow.add(watcher);
    const isAsked = this.interestIn(this.#store.now, watcher).admit !== undefined;
    if (related !== undefined) fillRow(this.#tables, watcher, related, overrides, isAsked, since);
    this.countHeld(watcher);
    this.counts.end(watcher);
  }

  /** Counts the pairs of a row that only the margin holds: on news, any may end. */
  countHeld(watcher: number): void {
    if (this.#pairs.countHeld(watcher) > 0) this.look[watcher] |= ON_NEWS;
  }

  /**
   * After a row was written: whether it is not needed any more. `tick`: given if the watcher has the rules that it had; then the row of
   * a mutual watcher is read for that in one tick of `LOOK_EVERY` only.
   */
  mayBeDerived(watcher: number, tick?: number): boolean {
    const limit = this.counts.roomLimit[watcher];
    if (limit === 0 || this.#pairs.heldColumn.array[watcher] > 0) return false;
    const interest = this.interestIn(this.#store.now, watcher);
    if (keepsRow(interest)) return false;
    // In each tick `admit` is called for all of its pairs.
    if (interest.admit !== undefined && (this.#store.now.flags[watcher] & VOLATILE) !== 0) return false;
    // A watcher without a cap may get one later, and then the age of its seats counts.
    if (interest.minDwellTicks > 0 && !logsDwell(interest)) return false;
    // If the cap is reached later, the row is rebuilt from the rows of relations. Without updates there are
    // none, so the watcher must stay well below its cap. A cheap row costs little while nothing crosses, and a
    // mutual one saves overrides: it must not be dropped and rebuilt in turn.
    const isKept = interest.mutual || (interest.leaveMargin === 0 && interest.memoryTicks === 0);
    const most = limit - (limit >>> (isKept ? 2 : 3));
    const size = this.#pairs.size[watcher];
    if (limit === NO_CAP || size <= most) {
      if (!interest.mutual) return true;
      if (tick !== undefined && (watcher + tick) % LOOK_EVERY !== 0) return false;
      return this.#pairs.countAwaiting(watcher) * FEW_AWAIT <= size;
    }
    // Relations by force may exceed the cap.
    return !isKept && this.#getsUpdates(watcher) && this.#pairs.countSeats(watcher) <= limit;
  }

  /** Whether so many seats of a derived watcher await consent that it should get its row back. */
  awaitsMuch(watcher: number): boolean {
    const most = this.counts.count[watcher] / MANY_AWAIT;
    return this.#pairs.size[watcher] > most && this.#pairs.countAwaiting(watcher) > most;
  }

  /** Whether a derived watcher without updates should get its row back before its cap is reached. */
  isNearCap(watcher: number): boolean {
    const limit = this.counts.roomLimit[watcher];
    return (
      limit !== NO_CAP &&
      this.counts.count[watcher] > limit - (limit >>> 4) - 1 &&
      !this.#getsUpdates(watcher)
    );
  }

  /**
   * The ids that a derived watcher related to at the last tick, while the detector already holds the new
   * state. From `storedRelated`; for a watcher without updates from its `crossings`, and the definition.
   */
  relatedBefore(watcher: number, crossings: Crossings, storedRelated: RelatedIds): Uint32Array {
    if (this.#getsUpdates(watcher)) return storedRelated(watcher);
    return this.#relatedBefore.of(watcher, crossings, this.counts.count[watcher]);
  }

  /**
   * Drops the row of a watcher that is derived from now on; `recent` keeps its log. Call `sweep` afterwards.
   */
  makeDerived(watcher: number, tick: number): void {
    const { minDwellTicks } = this.interestIn(this.#store.now, watcher);
    this.#tables.recent.noteRow(watcher, this.#pairs, minDwellTicks, tick);
    this.counts.begin(watcher, this.#pairs.countSeats(watcher));
    this.#overrides.reduce(watcher, this.#blockedBy(watcher));
    this.hasRow[watcher] = 0;
  }

  /** After its seats were decided: makes a watcher forget what its memory, its cap or rest no longer let it remember. */
  limitMemory(watcher: number, tick: number): void {
    const { memory } = this.#tables;
    if (memory.isEmpty(watcher)) return;
    const { now } = this.#store;
    const cap = this.capIn(now, watcher);
    if (cap === NO_CAP || now.isResting(watcher)) {
      memory.forgetWatcher(watcher);
      return;
    }
    memory.expire(watcher, tick - this.interestIn(now, watcher).memoryTicks);
    memory.trim(watcher, cap, (id) => this.#store.has(id));
  }

  /** Frees the state of a slot that has no rules any more, or is removed. Call `sweep` afterwards. */
  release(slot: number): void {
    this.counts.end(slot);
    this.#overrides.take(slot);
    this.#tables.recent.take(slot);
    this.#pairs.drop(slot);
    this.#tables.memory.forgetWatcher(slot);
    this.hasRow[slot] = 0;
    this.look[slot] = 0;
    this.counts.roomLimit[slot] = 0;
  }

  /** Removes watchers without a row from the list of watchers with a row. */
  sweep(): void {
    this.#withRow.keep(this.hasRow);
  }

  /** The tick succeeded: what was applied is final. Call this before `release` and `makeDerived`. */
  commit(): void {
    this.#journal.clear();
    this.#relatedBefore.end();
    this.#tables.maybeForced.clear();
    this.#hadAlways = this.hasAlways;
  }

  /** The tick failed: undoes what was applied for it. */
  abort(): void {
    const journal = this.#journal;
    const { memory } = this.#tables;
    this.#tables.maybeForced.clear();
    journal.restoreRows();
    this.#relatedBefore.end();
    for (const { watcher, relationCount, overrides, recent, lost } of journal.given) {
      this.#tables.recent.giveBack(watcher, recent);
      memory.take(watcher);
      if (lost !== undefined) memory.giveBack(watcher, lost);
      this.#pairs.drop(watcher);
      this.hasRow[watcher] = 0;
      if (overrides !== undefined) this.#overrides.giveBack(watcher, overrides);
      // If the row found no room, the watcher is still derived.
      if (relationCount === undefined || this.counts.isDerived[watcher] === 1) continue;
      this.counts.begin(watcher, relationCount);
    }
    if (journal.given.length > 0) this.sweep();
    journal.clear();
    this.hasAlways = this.#hadAlways;
    this.noteInterests();
  }

  save(writer: ByteWriter): void {
    const withRow = this.withRow.slice();
    writer.column(withRow);
    writer.elements(new Uint8Array(withRow.map((watcher) => this.look[watcher] & STORED_LOOKS)));
    writer.elements(withRow.map((watcher) => this.counts.roomLimit[watcher]));
    this.counts.save(writer);
    writer.flag(this.hasAlways);
  }

  /** Into a new instance; population, interests and ties were loaded. */
  load(reader: ByteReader): void {
    const { slotCount, last } = this.#store;
    this.noteInterests();
    this.growSlots(this.#store.capacity);
    const withRow = reader.column('u32');
    const look = reader.elements('u8', withRow.length);
    const roomLimit = reader.elements('u32', withRow.length);
    const isListed = (slots: Uint32Array, i: number) =>
      slots[i] < slotCount && (i === 0 || slots[i] > slots[i - 1]) && last.isPresent(slots[i]);
    withRow.forEach((watcher, i) => {
      reader.check(isListed(withRow, i), 'watchers with a row, ascending');
      reader.check(look[i] <= STORED_LOOKS, 'how a watcher is looked at');
      this.hasRow[watcher] = 1;
      this.look[watcher] = look[i];
      this.counts.roomLimit[watcher] = roomLimit[i];
    });
    for (const watcher of withRow) this.#withRow.add(watcher);
    this.counts.load(reader, slotCount, (slots, i) => {
      return isListed(slots, i) && this.hasRow[slots[i]] === 0;
    });
    this.hasAlways = reader.flag();
    this.#hadAlways = this.hasAlways;
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    let previous = -1;
    for (const watcher of this.withRow) {
      const isListed =
        watcher > previous && this.hasRow[watcher] === 1 && this.counts.isDerived[watcher] === 0;
      assert(isListed, 'watchers with a row are listed once, ascending');
      previous = watcher;
    }
    this.counts.validate();
  }

  #getsUpdates(watcher: number): boolean {
    return (this.#store.now.flags[watcher] & UPDATES) !== 0;
  }

  /** Slots of the markers that a watcher blocks now, ascending. */
  #blockedBy(watcher: number): number[] {
    const { ids } = this.#store;
    const blocked: number[] = [];
    for (const id of this.#tables.ties.blocksOf(ids.idOf[watcher]) ?? [])
      if (this.#store.has(id)) blocked.push(id >>> 10);
    return blocked.sort((a, b) => a - b);
  }

  /**
   * The watcher has another interest: what it relates to now counts as seated, as of the last tick; its
   * memory is cleared.
   */
  #beginSeatsAnew(watcher: number, tick: number): void {
    this.#journal.keepRow(watcher);
    const { start, size, state, since } = this.#pairs;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const isRelated = (state[i] & RELATED) !== 0;
      state[i] &= ~(ASKED | REFUSED | SEATED | WAITING);
      if (isRelated && (state[i] & FORCED) === 0) state[i] |= SEATED;
      since[i] = tick - 1;
    }
  }
}
