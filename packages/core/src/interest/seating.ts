/**
 * Who gets a seat: turns the crossings of perception into those of relation, for the watchers that have rules.
 *
 * A watcher without rules relates to whatever it perceives and is passed by. One with rules (an interest, a cap of its
 * own, pins or blocks, markers shown always) has a row of pairs (pair-rows.ts), and what a tick changes is decided in the
 * contract's order:
 *
 *   block: no.  pin: yes.  do not meet: no.  group, always: yes.
 *   senses, with margin, then admit: a candidate.  cap: the first so many.  mutual: the other side, too
 *
 * Rows are worked on only where something may differ: where a pair crossed, where the watcher changed, where the margin
 * or a tie holds someone, or where there are more candidates than seats. All of it is done on a stage beside the rows, so
 * that a user's function that throws leaves the world as it was.
 *
 * Memory: see pair-rows.ts; a byte or two a slot. Cost: nothing for watchers without rules; O(row) for each worked on.
 */
import type { Crossings } from '../detectors/crossings.ts';
import { CAP_UNSET, type EntityState, NO_CAP, UPDATES } from '../entities/entity-state.ts';
import {
  ADDED,
  CHANGED,
  type EntityStore,
  INTEREST_CHANGED,
  MOVED,
  STANDING_CHANGED,
  TOUCHED,
  UPDATES_CHANGED,
} from '../entities/entity-store.ts';
import { perceivedSenses } from '../entities/perception.ts';
import type { ByteReader } from '../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../recording/bytes/byte-writer.ts';
import type { ReportRows } from '../reports/report-rows.ts';
import { Candidates } from './cap.ts';
import { CrossingWriter } from './crossing-writer.ts';
import { CrowdJudge } from './crowds/crowd-judge.ts';
import { Crowds } from './crowds/crowds.ts';
import { ForcedRelations } from './forced.ts';
import { isPlain, type ResolvedInterest } from './interest.ts';
import type { InterestBook } from './interest-book.ts';
import { LIGHT, LightRows } from './light-rows.ts';
import { heldByMargin } from './margin.ts';
import { seatsToo } from './mutual.ts';
import {
  ASKED,
  BLOCKED,
  CANDIDATE,
  exactOf,
  FORCED,
  PairRows,
  REFUSED,
  RELATED,
  SEATED,
  sensesOf,
} from './pair-rows.ts';
import { effectiveRank } from './rank.ts';
import { SeatMemory } from './seat-memory.ts';
import { Stage } from './stage.ts';
import type { Ties } from './ties.ts';
import { UpdateRates } from './update-rates.ts';

/** Why a row is looked at again: there was any change in the world; in any tick at all. */
const ON_NEWS = 1;
const ON_EVERY_TICK = 2;
/** Once, at the next tick. */
const ONCE = 4;

/** What of the watcher's own takes the long way. */
const OWN_NEWS = ADDED | CHANGED | STANDING_CHANGED | INTEREST_CHANGED;

/** The pairs that a watcher (a slot) related to at the last tick, as ids. */
type RelatedIds = (watcher: number) => Uint32Array;
/** Of some markers, by ascending slot: the senses in which they are perceived now. */
type News = Pick<Crossings, 'markerAt' | 'afterAt'>;

export class Seating {
  readonly pairs = new PairRows();
  readonly memory = new SeatMemory();
  readonly #store: EntityStore;
  readonly #book: InterestBook;
  readonly #ties: Ties;
  readonly #forced = new ForcedRelations();
  readonly #rates = new UpdateRates();
  readonly #stage = new Stage();
  readonly #candidates = new Candidates();
  readonly #writer = new CrossingWriter();
  readonly #light: LightRows;
  readonly #judge: CrowdJudge;
  readonly #crowds: Crowds;
  /** Numbers of interests that changed since `begin`. */
  #changedInterests = new Set<number>();
  /** By slot. */
  #isRuled = new Uint8Array(0);
  #isRated = new Uint8Array(0);
  #look = new Uint8Array(0);
  /** Most pairs that each row may have while it is light, 0 for one that is not; see light-rows.ts. */
  #lightLimit = new Uint32Array(0);
  /** Slots of watchers with rules, ascending. */
  #ruled: number[] = [];
  #isRuledSorted = true;
  /** By interest. */
  #plain: boolean[];
  #hasAlways = false;
  /** Slots whose `updated` reports went to or from being rated, since the last tick. */
  readonly #ratedChanged: number[] = [];
  /** By watcher: its row on the stage, where it has one. */
  readonly #stagedRows = new Map<number, number>();
  /** By row of the stage: why it will be looked at again. */
  readonly #nextLook: number[] = [];
  readonly #nextLightLimit: number[] = [];
  /** What the tick does to memory when it stands. */
  #memoryNotes: { watcher: number; marker: number; isLost: boolean }[] = [];
  #lostWithWatcher = 0;
  #told: RelatedIds | undefined;

  constructor(store: EntityStore, book: InterestBook, ties: Ties) {
    this.#store = store;
    this.#book = book;
    this.#ties = ties;
    this.#light = new LightRows(store, this.pairs);
    this.#judge = new CrowdJudge(store);
    this.#crowds = new Crowds(store, this.pairs, this.memory);
    this.#plain = book.current.map(isPlain);
  }

  get memoryBytes(): number {
    const { pairs } = this;
    return (
      pairs.memoryBytes +
      this.#light.memoryBytes +
      this.#stage.memoryBytes +
      this.#judge.memoryBytes +
      this.#crowds.memoryBytes +
      this.#rates.memoryBytes +
      3 * this.#look.byteLength
    );
  }

  /** Whether the watcher's relations as of the last tick are in `pairs`; else they follow from perception and `light`. */
  hasRow(watcher: number): boolean {
    return this.#isRuled[watcher] === 1 && this.#light.isRowless[watcher] === 0;
  }

  /** What margins hold for watchers without a row. */
  get light(): LightRows {
    return this.#light;
  }

  /** Slots of all watchers with rules, ascending. */
  get ruled(): readonly number[] {
    if (!this.#isRuledSorted) this.#ruled.sort((a, b) => a - b);
    this.#isRuledSorted = true;
    return this.#ruled;
  }

  /** Whether changes are told to the watcher at its rates, not by `RelationRows`. */
  isRated(watcher: number): boolean {
    return this.#isRated[watcher] === 1;
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

  /** Before a tick settles what is pending: hides watchers that see too many from the detector; see crowds/crowds.ts. */
  judgeCrowds(): void {
    for (const number of this.#book.settle()) this.#changedInterests.add(number);
    if (this.#store.pendingCount > 0 || this.#changedInterests.size > 0)
      this.#judge.judge(this.#book.current);
  }

  /** The tick's beginning: takes up rules, ties and interests that changed. `tick`: the one under way. */
  begin(tick: number, related: RelatedIds): void {
    const changed = this.#changedInterests;
    this.#changedInterests = new Set();
    const tied = this.#ties.settle();
    if (changed.size > 0) this.#plain = this.#book.current.map(isPlain);
    const store = this.#store;
    if (this.#isIdle(tied.size)) {
      this.#forced.skip();
      return;
    }
    this.#growSlots();
    let isAnyone = changed.size > 0;
    if (store.hasAlways || this.#book.current.some(({ groupKinds }) => groupKinds !== 0)) {
      if (this.#forced.settle(store) || (this.#hasAlways && store.counts.changed > 0)) this.#lookAtAll();
      const hasAlways = this.#forced.always.length > 0;
      if (hasAlways !== this.#hasAlways) isAnyone = true;
      this.#hasAlways = hasAlways;
    } else this.#forced.skip();
    if (isAnyone) {
      for (let slot = 0; slot < store.slotCount; slot++) this.#takeUp(slot, changed, isAnyone, tick, related);
    } else if (this.#mayConcernRules()) {
      const { pendingSlots, pendingCount } = store;
      for (let i = 0; i < pendingCount; i++) {
        if (store.pending[pendingSlots[i]] !== MOVED)
          this.#takeUp(pendingSlots[i], changed, isAnyone, tick, related);
      }
    }
    for (const id of tied) {
      const slot = id >>> 10;
      if (store.ids.idOf[slot] !== id) continue;
      this.#takeUp(slot, changed, true, tick, related);
    }
  }

  /** Watchers that since the last tick went to or from being told of changes at rates; then none. */
  takeRatedChanges(): number[] {
    return this.#ratedChanged.splice(0);
  }

  /**
   * Decides. Rewrites `crossings`, resolved, from pairs that began or ceased to be perceived to pairs that began or
   * ceased to relate. `told`: whom a watcher that is told of
   * updates related to at the last tick; the detector has moved on and cannot say. Nothing is changed until `commit`. Throws what a user's `rank` or `admit` throws.
   */
  decide(crossings: Crossings, tick: number, told: RelatedIds): void {
    this.#told = told;
    const stage = this.#stage;
    stage.clear();
    this.#stagedRows.clear();
    this.#nextLook.length = 0;
    this.#nextLightLimit.length = 0;
    this.#memoryNotes = [];
    this.#lostWithWatcher = 0;
    this.#light.clear();
    this.#crowds.begin();
    if (this.#ruled.length === 0) return;
    const { now, pending, pendingCount } = this.#store;
    const reasons = pendingCount > 0 ? ON_NEWS | ON_EVERY_TICK | ONCE : ON_EVERY_TICK | ONCE;
    const { flags } = now;
    const look = this.#look;
    const { words, count } = crossings;
    let from = 0;
    for (const watcher of this.ruled) {
      while (from < count && words[2 * from + 1] >>> 10 < watcher) from++;
      let to = from;
      while (to < count && words[2 * to + 1] >>> 10 === watcher) to++;
      const isOwnNews = (pending[watcher] & OWN_NEWS) !== 0;
      if (flags[watcher] === 0) this.#countLost(watcher);
      else if (now.hidden.at(watcher) === 1) {
        if ((look[watcher] & reasons) !== 0 || pendingCount > 0) this.#stageCrowded(watcher, tick);
      } else if (
        this.#lightLimit[watcher] > 0 &&
        this.#sizeOf(watcher) + to - from <= this.#lightLimit[watcher] &&
        !isOwnNews &&
        (look[watcher] & ONCE) === 0
      ) {
        if (to > from || this.#light.held[watcher] > 0) {
          const { leaveMargin } = this.interestIn(now, watcher);
          this.#light.decide(watcher, words, from, to, leaveMargin);
        }
      } else if (to > from || isOwnNews || (look[watcher] & reasons) !== 0) {
        this.#stageRow(watcher, crossings, from, to, tick);
      }
      from = to;
    }
    this.#consent();
    crossings.lostWithWatcher += this.#lostWithWatcher;
    this.#writer.write(crossings, stage, this.#light, this.#isRuled);
  }

  /** Makes what was decided so, and drops the rows of watchers that are gone. */
  commit(tick: number): void {
    const { pairs } = this;
    const stage = this.#stage;
    if (this.#ruled.length === 0) return;
    for (const { watcher, marker, isLost } of this.#memoryNotes) {
      if (isLost) this.memory.remember(watcher, marker, tick);
      else this.memory.strike(watcher, marker);
    }
    this.#light.commit(tick);
    for (let row = 0; row < stage.rowCount; row++) this.#commitRow(row, tick);
    let isAnyGone = false;
    const { flags } = this.#store.now;
    for (const watcher of this.#ruled) {
      if (flags[watcher] !== 0 && !this.#mayRelease(watcher)) continue;
      pairs.drop(watcher);
      this.memory.forgetWatcher(watcher);
      this.#isRuled[watcher] = 0;
      this.#setRated(watcher, false);
      this.#look[watcher] = 0;
      this.#lightLimit[watcher] = 0;
      this.#light.forget(watcher);
      isAnyGone = true;
    }
    if (isAnyGone) this.#ruled = this.ruled.filter((watcher) => this.#isRuled[watcher] === 1);
  }

  /** Adds to `updated` what watchers with update rates are told. Rows were committed. Room was reserved. */
  tellRated(tick: number, updated: ReportRows): void {
    if (!this.#book.current.some(({ updateRates }) => updateRates.length > 0)) return;
    const store = this.#store;
    this.#rates.note(store, tick);
    this.#rates.clear();
    for (const watcher of this.ruled) {
      if (this.#isRated[watcher] === 0 || (store.now.flags[watcher] & UPDATES) === 0) continue;
      const longest = store.now.longestRangeOf(watcher);
      this.#rates.tell(store, this.pairs, this.interestIn(this.#store.now, watcher), watcher, longest, tick);
    }
    this.#rates.mergeInto(updated);
  }

  save(writer: ByteWriter): void {
    const { ruled } = this;
    const { slotCount } = this.#store;
    const column = Uint32Array.from(ruled);
    writer.column(column);
    writer.elements(Uint8Array.from(column, (watcher) => this.#isRated[watcher]));
    writer.elements(Uint8Array.from(column, (watcher) => this.#look[watcher]));
    writer.elements(column.map((watcher) => this.#lightLimit[watcher]));
    this.pairs.save(writer, ruled);
    this.#light.save(writer, column);
    this.memory.save(writer);
    writer.flag(this.#hasAlways);
    writer.column(Uint32Array.from(this.#ratedChanged));
    this.#rates.save(writer, slotCount);
  }

  /** Into seats that were never used; population, interests and ties were loaded. */
  load(reader: ByteReader): void {
    const { slotCount, last } = this.#store;
    this.#plain = this.#book.current.map(isPlain);
    this.#growSlots();
    const ruled = reader.column('u32');
    const isRated = reader.elements('u8', ruled.length);
    const look = reader.elements('u8', ruled.length);
    const lightLimit = reader.elements('u32', ruled.length);
    ruled.forEach((watcher, i) => {
      const isNext = watcher < slotCount && (i === 0 || watcher > ruled[i - 1]);
      reader.check(isNext && isRated[i] <= 1, 'watchers with rules, ascending');
      this.#isRuled[watcher] = 1;
      this.#look[watcher] = look[i];
      this.#lightLimit[watcher] = lightLimit[i];
      this.#isRated[watcher] = isRated[i];
    });
    this.#ruled = [...ruled];
    this.pairs.load(reader, this.#ruled, (slot) => slot < slotCount && last.isPresent(slot));
    this.#light.load(reader, ruled, this.#isRuled);
    this.memory.load(reader, slotCount);
    this.#hasAlways = reader.flag();
    for (const slot of reader.column('u32')) {
      reader.check(slot < slotCount, 'a slot');
      this.#ratedChanged.push(slot);
    }
    this.#rates.load(reader, slotCount);
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    this.pairs.validate();
    let previous = -1;
    for (const watcher of this.ruled) {
      if (watcher <= previous || this.#isRuled[watcher] !== 1)
        throw new Error('umwelt: broken invariant: watchers with rules are listed once, ascending');
      previous = watcher;
    }
  }

  /** Whether no watcher has or will have any rule: all that is left to do is nothing. */
  #isIdle(tied: number): boolean {
    if (this.#ruled.length > 0 || tied > 0 || this.#store.hasAlways) return false;
    return this.#store.now.caps.column === undefined && this.#plain.every((plain) => plain);
  }

  #growSlots(): void {
    const { capacity } = this.#store;
    if (this.#look.length >= capacity) return;
    this.pairs.growSlots(capacity);
    this.#isRuled = grown(this.#isRuled, capacity);
    this.#isRated = grown(this.#isRated, capacity);
    this.#look = grown(this.#look, capacity);
    const limits = new Uint32Array(capacity);
    limits.set(this.#lightLimit);
    this.#lightLimit = limits;
    this.#light.growSlots(capacity);
  }

  /** Whether anything is pending besides moves. */
  #mayConcernRules(): boolean {
    const { pending, pendingSlots, pendingCount } = this.#store;
    for (let i = 0; i < pendingCount; i++) if (pending[pendingSlots[i]] !== MOVED) return true;
    return false;
  }

  #lookAtAll(): void {
    // Who has no row belongs to no group that is shown, and nobody is shown always.
    for (const watcher of this.#ruled) {
      if (this.#light.isRowless[watcher] === 0) this.#look[watcher] |= ONCE;
    }
  }

  /** Gives a slot a row where it needs one now, and begins its seats anew where it goes by another interest. */
  #takeUp(
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
    const wasRuled = this.#isRuled[slot] === 1;
    if (!wasRuled && !this.#needsRow(slot)) return;
    if (wasRuled && this.#light.isRowless[slot] === 1) {
      if (!isNewInterest && !isAnyone && (bits & (OWN_NEWS | UPDATES_CHANGED)) === 0) return;
      this.#writeRow(slot, related, tick);
    }
    if (!wasRuled) this.#enrol(slot, tick, isNew ? undefined : related(slot));
    else if (isNewInterest) {
      this.#beginSeatsAnew(slot, tick);
    }
    const wasTold = (last.flags[slot] & UPDATES) !== 0;
    if ((bits & UPDATES_CHANGED) !== 0 && !wasTold) this.#tellFrom(slot, tick - 1);
    const rates = this.#book.current[number].updateRates;
    this.#setRated(
      slot,
      rates.some(([, everyTicks]) => everyTicks > 1),
    );
    this.#look[slot] |= ONCE;
  }

  #needsRow(slot: number): boolean {
    const { now, ids } = this.#store;
    const id = ids.idOf[slot];
    const hasPins = this.#ties.pinsOf(id) !== undefined;
    const hasRange = this.#hasRange(slot);
    if (!hasRange && !hasPins) return false;
    if (hasPins || this.#ties.blocksOf(id) !== undefined || (this.#hasAlways && hasRange)) return true;
    return !this.#plain[now.interests.at(slot)] || this.capIn(now, slot) !== NO_CAP;
  }

  #hasRange(slot: number): boolean {
    return this.#store.now.perceives(slot);
  }

  /** A row of what the watcher related to at the last tick, as seats of that tick. */
  #enrol(watcher: number, tick: number, related: Uint32Array | undefined): void {
    this.#isRuled[watcher] = 1;
    this.#isRuledSorted = false;
    this.#ruled.push(watcher);
    if (related !== undefined) this.#fillRow(watcher, this.#exactOf(watcher, related), tick);
  }

  /** By marker's slot, of those: the senses that perceived it at the last tick, without margin. */
  #exactOf(watcher: number, related: Uint32Array): Map<number, number> {
    const { settings, last } = this.#store;
    const exact = new Map<number, number>();
    for (const id of related) exact.set(id >>> 10, perceivedSenses(settings, last, watcher, id >>> 10));
    return exact;
  }

  /** Another interest: who is related now is seated, as of the last tick; nobody is remembered. */
  #beginSeatsAnew(watcher: number, tick: number): void {
    const { start, size, state, since, reported } = this.pairs;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const isRelated = (state[i] & RELATED) !== 0;
      state[i] &= ~(ASKED | REFUSED | SEATED);
      if (isRelated && (state[i] & FORCED) === 0) state[i] |= SEATED;
      since[i] = tick - 1;
      reported[i] = tick - 1;
    }
    this.memory.forgetWatcher(watcher);
  }

  /** Counts everyone as told of as of `tick`. */
  #tellFrom(watcher: number, tick: number): void {
    const { start, size, reported } = this.pairs;
    reported.fill(tick, start[watcher], start[watcher] + size[watcher]);
  }

  #setRated(watcher: number, isRated: boolean): void {
    if ((this.#isRated[watcher] === 1) === isRated) return;
    this.#isRated[watcher] = isRated ? 1 : 0;
    this.#ratedChanged.push(watcher);
  }

  /** A watcher that was removed takes its relations with it: perception's count of those is put right. */
  #countLost(watcher: number): void {
    if (this.#light.isRowless[watcher] === 1) {
      this.#light.eachHeld(watcher, (_marker, _senses, exact) => {
        if (exact === 0) this.#lostWithWatcher++;
      });
      return;
    }
    const { start, size, state } = this.pairs;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      if ((state[i] & RELATED) !== 0) this.#lostWithWatcher++;
      // Of one that was hidden, perception knew none.
      if (exactOf(state[i]) !== 0 && this.#store.last.hidden.at(watcher) === 0) this.#lostWithWatcher--;
    }
  }

  /** Puts the row of a crowded watcher on the stage: it keeps those with a seat, or forced, and nobody else. */
  #stageCrowded(watcher: number, tick: number): void {
    this.#writeRow(watcher, this.#told as RelatedIds, tick);
    const { now, ids } = this.#store;
    const forced = this.#forcedOf(watcher, this.interestIn(now, watcher), this.#hasRange(watcher));
    const blocks = this.#ties.blocksOf(ids.idOf[watcher]);
    const news = this.#crowds.newsOf(watcher, this.capIn(now, watcher), forced, blocks);
    this.#stageRow(watcher, news, 0, news.count, tick);
    const stage = this.#stage;
    for (let j = stage.begins[stage.rowCount - 1]; j < stage.count; j++) {
      if ((stage.after[j] & (SEATED | FORCED)) === 0) stage.after[j] = 0;
    }
    // The row does not say how many it perceives.
    this.#nextLightLimit[this.#nextLightLimit.length - 1] = 0;
  }

  /** Puts a watcher's row on the stage, as it was and as it will be but for mutual consent. */
  #stageRow(watcher: number, crossings: News, from: number, to: number, tick: number): void {
    this.#writeRow(watcher, this.#told as RelatedIds, tick);
    const { pairs } = this;
    const store = this.#store;
    const interest = this.interestIn(this.#store.now, watcher);
    const hasRange = this.#hasRange(watcher);
    const forced = this.#forcedOf(watcher, interest, hasRange);
    const judge = new RowJudge(store, interest, this.#ties.blocksOf(store.ids.idOf[watcher]), watcher);
    const stage = this.#stage;
    // Of one that is shown again, the detector reports all that it perceives.
    const wasHidden = store.last.hidden.at(watcher) === 1;
    this.#stagedRows.set(watcher, stage.rowCount);
    const begin = stage.beginRow(watcher);
    const end = pairs.start[watcher] + pairs.size[watcher];
    let i = pairs.start[watcher];
    let c = from;
    let f = 0;
    while (i < end || c < to || f < forced.length) {
      let marker = i < end ? pairs.marker[i] : 0xffff_ffff;
      if (c < to) marker = Math.min(marker, crossings.markerAt(c));
      if (f < forced.length) marker = Math.min(marker, forced[f][0]);
      const isKnown = i < end && pairs.marker[i] === marker;
      const before = isKnown ? pairs.state[i] : 0;
      const since = isKnown ? pairs.since[i] : 0;
      const reported = isKnown ? pairs.reported[i] : 0;
      if (isKnown) i++;
      const unchanged = wasHidden ? 0 : exactOf(before);
      const exact = c < to && crossings.markerAt(c) === marker ? crossings.afterAt(c++) : unchanged;
      const force = f < forced.length && forced[f][0] === marker ? forced[f++][1] : 0;
      stage.add(marker, before, judge.stateOf(marker, before, exact, force), since, reported);
    }
    this.#seat(watcher, interest, begin, tick);
  }

  #forcedOf(watcher: number, interest: ResolvedInterest, hasRange: boolean) {
    const hasPins = this.#ties.pinsOf(this.#store.ids.idOf[watcher]) !== undefined;
    if (!hasPins && (!hasRange || (interest.groupKinds === 0 && !this.#hasAlways))) return [];
    return this.#forced.of(this.#store, interest, this.#ties, watcher, hasRange);
  }

  /** Gives seats to the candidates of the row staged last, which begins at `begin`. */
  #seat(watcher: number, interest: ResolvedInterest, begin: number, tick: number): void {
    const stage = this.#stage;
    const cap = this.capIn(this.#store.now, watcher);
    let forced = 0;
    let wanted = 0;
    for (let j = begin; j < stage.count; j++) {
      if ((stage.after[j] & FORCED) !== 0) forced++;
      else if ((stage.after[j] & CANDIDATE) !== 0) wanted++;
    }
    const seats = cap === NO_CAP ? Number.POSITIVE_INFINITY : Math.max(0, cap - forced);
    const remembers = cap !== NO_CAP && (interest.memoryTicks > 0 || !this.memory.isEmpty(watcher));
    const remembered = remembers ? this.#remember(watcher, interest, begin, tick) : NOBODY;
    if (wanted > seats) this.#select(watcher, interest, begin, tick, seats, remembered);
    let isHeld = forced > 0;
    for (let j = begin; j < stage.count; j++) {
      const after = stage.after[j];
      if (wanted <= seats && (after & CANDIDATE) !== 0) stage.after[j] |= SEATED;
      if (sensesOf(after) !== exactOf(after)) isHeld = true;
      const isIncumbent = (stage.before[j] & (SEATED | FORCED)) !== 0;
      if (!isIncumbent) stage.since[j] = tick;
      if ((stage.after[j] & (SEATED | FORCED)) !== 0 && !interest.mutual) stage.after[j] |= RELATED;
    }
    const isLively = isHeld || wanted > seats || interest.mutual || interest.admit !== undefined;
    // A function may rank those seated differently even while nothing changes: an infinite rank knows no bonus.
    const isTimed =
      interest.mutual || (wanted > seats && (interest.minDwellTicks > 0 || interest.rank !== undefined));
    const mayForce =
      this.#forced.hasGroup(this.#store.now, interest, watcher) ||
      this.#ties.pinsOf(this.#store.ids.idOf[watcher]) !== undefined;
    const look = (isLively || mayForce ? ON_NEWS : 0) | (isTimed ? ON_EVERY_TICK : 0);
    this.#nextLook.push(look);
    const isCapped = cap !== NO_CAP;
    const isLight =
      wanted <= seats &&
      !mayForce &&
      forced === 0 &&
      !this.#hasAlways &&
      !interest.mutual &&
      interest.admit === undefined &&
      (!isCapped || interest.memoryTicks === 0) &&
      this.#ties.blocksOf(this.#store.ids.idOf[watcher]) === undefined;
    this.#nextLightLimit.push(isLight ? cap : 0);
  }

  /** Notes who is lost from sight and who is back; answers the markers that count as seated again. */
  #remember(watcher: number, interest: ResolvedInterest, begin: number, tick: number): ReadonlySet<number> {
    const stage = this.#stage;
    const { now, ids } = this.#store;
    const back = new Set<number>();
    for (let j = begin; j < stage.count; j++) {
      const marker = stage.marker[j];
      const [before, after] = [stage.before[j], stage.after[j]];
      const id = ids.idOf[marker];
      if ((after & CANDIDATE) !== 0) {
        const lostAt = this.memory.lostAt(watcher, id);
        if (lostAt === undefined) continue;
        this.#memoryNotes.push({ watcher, marker: id, isLost: false });
        if (tick - lostAt <= interest.memoryTicks && (before & (SEATED | FORCED)) === 0) back.add(marker);
      } else if ((before & SEATED) !== 0 && sensesOf(after) === 0 && (after & (FORCED | BLOCKED)) === 0) {
        const isThere = now.isPresent(marker);
        if (isThere && interest.memoryTicks > 0)
          this.#memoryNotes.push({ watcher, marker: id, isLost: true });
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
    const stage = this.#stage;
    const candidates = this.#candidates;
    candidates.clear();
    for (let j = begin; j < stage.count; j++) {
      if ((stage.after[j] & CANDIDATE) === 0) continue;
      const marker = stage.marker[j];
      const isIncumbent = (stage.before[j] & (SEATED | FORCED)) !== 0;
      const isProtected = isIncumbent && tick - stage.since[j] < interest.minDwellTicks;
      const isSeated = isIncumbent || remembered.has(marker);
      const rank = effectiveRank(this.#store, this.#store.now, interest, watcher, marker, isSeated);
      candidates.add(j, marker, rank, isProtected, isSeated);
    }
    candidates.select(seats);
    for (let i = 0; i < seats; i++) stage.after[candidates.index[i]] |= SEATED;
  }

  /** Mutual consent, when all seats are decided. */
  #consent(): void {
    const stage = this.#stage;
    for (let row = 0; row < stage.rowCount; row++) {
      const watcher = stage.watchers[row];
      if (!this.interestIn(this.#store.now, watcher).mutual) continue;
      for (let j = stage.begins[row]; j < stage.begins[row + 1]; j++) {
        const after = stage.after[j];
        const isKept =
          (after & FORCED) !== 0 || ((after & SEATED) !== 0 && this.#isSeatedBy(stage.marker[j], watcher));
        if (isKept) stage.after[j] |= RELATED;
      }
    }
  }

  /** Whether a row that was just written needs not be kept; see light-rows.ts. */
  #mayGiveUpRow(watcher: number): boolean {
    if (this.#lightLimit[watcher] === 0 || this.#light.held[watcher] > 0) return false;
    // A watcher without a cap may be given one later: then ages count, too.
    const { minDwellTicks } = this.interestIn(this.#store.now, watcher);
    const isTold = (this.#store.now.flags[watcher] & UPDATES) !== 0 && this.#isRated[watcher] === 0;
    return (
      minDwellTicks === 0 && (this.#lightLimit[watcher] === NO_CAP ? this.#isRated[watcher] === 0 : isTold)
    );
  }

  /** How many pairs a watcher's row has, or would have. */
  #sizeOf(watcher: number): number {
    return this.#light.isRowless[watcher] === 1 ? this.#light.count[watcher] : this.pairs.size[watcher];
  }

  /**
   * Gives a light watcher its row as of the last tick: what it needs for the long way. `related`: whom it related to.
   */
  #writeRow(watcher: number, related: RelatedIds, tick: number): void {
    if (this.#light.isRowless[watcher] === 1)
      this.#fillRow(watcher, this.#exactOf(watcher, related(watcher)), tick);
  }

  /** Writes a row of pairs that are all related, from their senses without margin as of the last tick. */
  #fillRow(watcher: number, exact: Map<number, number>, tick: number): void {
    const held = new Map<number, number>();
    this.#light.eachHeld(watcher, (marker, senses, exactThen) => {
      held.set(marker, senses);
      exact.set(marker, exactThen);
    });
    const markers = [...exact.keys()]
      .filter((marker) => ((exact.get(marker) as number) | (held.get(marker) ?? 0)) !== 0)
      .sort((a, b) => a - b);
    const { pairs } = this;
    const start = pairs.resize(watcher, markers.length);
    markers.forEach((marker, i) => {
      const senses = (exact.get(marker) as number) | (held.get(marker) ?? 0);
      pairs.marker[start + i] = marker;
      pairs.state[start + i] = (exact.get(marker) as number) | (senses << 8) | LIGHT;
    });
    pairs.since.fill(tick - 1, start, start + markers.length);
    pairs.reported.fill(tick - 1, start, start + markers.length);
    this.#light.isRowless[watcher] = 0;
  }

  /** Whether `other` seats `watcher` in this tick, or is no watcher. */
  #isSeatedBy(other: number, watcher: number): boolean {
    const { now, ids, settings } = this.#store;
    const isWatcher = this.#hasRange(other) || this.#ties.pinsOf(ids.idOf[other]) !== undefined;
    if (!isWatcher || !now.isMarker(watcher)) return true;
    if (this.#lightLimit[other] > 0 && !this.#stagedRows.has(other)) {
      return perceivedSenses(settings, now, other, watcher) !== 0 || this.#light.isHeldNow(other, watcher);
    }
    if (this.#isRuled[other] === 0) return perceivedSenses(settings, now, other, watcher) !== 0;
    return seatsToo(this.pairs, this.#stage, this.#stagedRows.get(other) ?? -1, other, watcher);
  }

  /** Copies a row from the stage to the pairs, without those that are nobody's business any more. */
  #commitRow(row: number, tick: number): void {
    const { pairs } = this;
    const stage = this.#stage;
    const watcher = stage.watchers[row];
    let kept = 0;
    for (let j = stage.begins[row]; j < stage.begins[row + 1]; j++) if (stage.after[j] !== 0) kept++;
    let to = pairs.resize(watcher, kept);
    const { marker, state, since, reported } = pairs;
    for (let j = stage.begins[row]; j < stage.begins[row + 1]; j++) {
      if (stage.after[j] === 0) continue;
      marker[to] = stage.marker[j];
      state[to] = stage.after[j];
      since[to] = stage.since[j];
      reported[to++] = (stage.before[j] & RELATED) === 0 ? tick : stage.reported[j];
    }
    this.#look[watcher] = this.#nextLook[row];
    this.#lightLimit[watcher] = this.#nextLightLimit[row];
    this.#light.countHeld(watcher);
    if (this.#mayGiveUpRow(watcher)) this.#light.giveUpRow(watcher);
    const cap = this.capIn(this.#store.now, watcher);
    if (!this.memory.isEmpty(watcher)) {
      if (cap === NO_CAP) this.memory.forgetWatcher(watcher);
      else this.memory.trim(watcher, cap);
    }
  }

  /** Whether the watcher needs no row any more, and the row says no more than perception does. */
  #mayRelease(watcher: number): boolean {
    const row = this.#stagedRows.get(watcher);
    if (row === undefined || this.#needsRow(watcher) || !this.memory.isEmpty(watcher)) return false;
    const { start, size, state } = this.pairs;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      const isPlainPair = (state[i] & RELATED) !== 0 && exactOf(state[i]) === sensesOf(state[i]);
      if (!isPlainPair || (state[i] & FORCED) !== 0) return false;
    }
    return true;
  }
}

const NOBODY: ReadonlySet<number> = new Set();

/** Says of each marker of one watcher how it stands, up to being a candidate. */
class RowJudge {
  readonly #store: EntityStore;
  readonly #interest: ResolvedInterest;
  readonly #blocks: ReadonlySet<number> | undefined;
  readonly #watcher: number;
  readonly #isTouched: boolean;

  constructor(
    store: EntityStore,
    interest: ResolvedInterest,
    blocks: ReadonlySet<number> | undefined,
    watcher: number,
  ) {
    this.#store = store;
    this.#interest = interest;
    this.#blocks = blocks;
    this.#watcher = watcher;
    this.#isTouched = (store.pending[watcher] & TOUCHED) !== 0;
  }

  /** The state after: senses, force, and whether it is a candidate; 0 for nobody's business. */
  stateOf(marker: number, before: number, exact: number, force: number): number {
    const { now, settings, ids, pending } = this.#store;
    if (!now.isPresent(marker)) return 0;
    const { leaveMargin, admit } = this.#interest;
    let senses = exact;
    if (leaveMargin > 0 && (before & RELATED) !== 0) {
      const lost = sensesOf(before) & ~exact;
      if (lost !== 0) senses |= heldByMargin(settings, now, this.#watcher, marker, lost, leaveMargin);
    }
    const state = exact | (senses << 8);
    if (this.#blocks?.has(ids.idOf[marker]) === true) return state === 0 ? 0 : state | BLOCKED;
    if (force !== 0) return state | force;
    if (senses === 0) return 0;
    if (admit === undefined) return state | CANDIDATE;
    const isAnswered = (before & ASKED) !== 0 && !this.#isTouched && (pending[marker] & TOUCHED) === 0;
    const isAdmitted = isAnswered
      ? (before & REFUSED) === 0
      : admit(ids.idOf[this.#watcher], ids.idOf[marker]) === true;
    return state | ASKED | (isAdmitted ? CANDIDATE : REFUSED);
  }
}

function grown(column: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length);
  longer.set(column);
  return longer;
}
