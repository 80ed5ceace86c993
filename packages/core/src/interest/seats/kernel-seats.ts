/**
 * Chooses the watchers whose seats a kernel decides (seat-search.ts), and stores what follows from the kernel's decisions. These
 * are searched watchers, and watchers whose whole row is due, if the row depends only on perception, margin, rank, dwell, quotas,
 * the enter budget, and answers of `admit` that are known or asked for here; and on ties and groups, while the watcher's own are unchanged.
 *
 *   a watcher that is due -> only rules that the kernel knows? -> the kernel -> lost seats: memory, cut margins -> rows, looks and limits
 *                            no, or the kernel gives it back: row-decider.ts
 *
 * Both ways give the same results. Cost: some 50 ns a watcher in addition to the kernel's.
 */
import { unionOf } from '../../columns.ts';
import type { Crossings } from '../../detectors/crossings.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import { NO_CAP } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import { FORCE_SHIFT } from '../../kernels/layouts/seat-search.ts';
import { leastAwayOf } from '../grids/own-reach.ts';
import { type AdmitFunction, isForKernel, keepsRow, type ResolvedInterest } from '../rules/interest.ts';
import { withMargin } from '../rules/margin.ts';
import { isAdmittedNow, isAskedAnew } from '../rules/row-judge.ts';
import {
  ASKED_ANEW,
  HEAVY,
  ON_EVERY_TICK,
  ON_NEWS,
  ONCE,
  type RuledWatchers,
} from '../standing/ruled-watchers.ts';
import type { SeatTables } from '../standing/seat-tables.ts';
import type { Admissions } from '../table/admissions.ts';
import {
  CANDIDATE,
  EVERY_SENSE,
  exactOf,
  FORCED,
  hasAnswer,
  isAwaiting,
  REFUSED,
  RELATED,
  SEATED,
  sensesOf,
} from '../table/pair-rows.ts';
import { searchShares } from './searched-watchers.ts';
import { SeatSearch } from './seat-search.ts';

/**
 * Share of a watcher's range. A remembered marker that is farther than this beyond the range is treated as if it were this far
 * beyond.
 */
const FAR_SHARE = 0.5;
/** In place of a marker, after the last one. */
const NOBODY = 0xffff_ffff;

/** The rules that decide, and the places where results are stored. */
export interface SeatRules extends SeatTables {
  readonly watchers: RuledWatchers;
  readonly admissions: Admissions;
}

export class KernelSeats {
  /** What a kernel decided and reported for this tick. */
  readonly search: SeatSearch;
  /** After `commit`: of the watchers whose whole rows were decided, those with new rules, and others with room for all candidates. */
  readonly renewed: number[] = [];
  readonly roomy: number[] = [];
  readonly #store: EntityStore;
  readonly #rules: SeatRules;
  #interests: readonly ResolvedInterest[] = [];
  #mayTie = false;
  #mayRemember = false;
  #mayGroup = false;
  /** Whether few entities moved or changed in this tick. */
  #isCalmTick = false;
  /** How many pairs of the watcher in question relate by other forces from now on. */
  #turnedCount = 0;
  #tick = 0;

  constructor(rules: SeatRules) {
    this.#store = rules.store;
    this.#rules = rules;
    this.search = new SeatSearch(rules.store, rules.pairs, rules.watchers, rules.lingering);
  }

  /** A tick begins to decide. */
  clear(): void {
    this.renewed.length = 0;
    this.roomy.length = 0;
    this.search.begin();
  }

  /**
   * Returns the watchers with a row whose row may change, ascending. `isSearching`: some watchers are searched; `isCalm`: few
   * entities moved or changed in this tick.
   */
  listDue(
    interests: readonly ResolvedInterest[],
    tick: number,
    isSearching: boolean,
    isCalm: boolean,
    crossings: Crossings,
  ): Uint32Array {
    const { ties, memory, watchers, lingering, near } = this.#rules;
    this.#interests = interests;
    this.#tick = tick;
    this.#isCalmTick = isCalm;
    this.#mayTie = !ties.isNone;
    this.#mayRemember = !memory.isNone;
    this.#mayGroup = interests.some(({ groupKinds }) => groupKinds !== 0);
    this.search.open(tick, isSearching);
    const found = this.search.listDue(crossings, near);
    const others = lingering.isNone
      ? []
      : lingering.dueWatchers(tick).filter((watcher) => watchers.hasRow[watcher] === 1);
    // The search noted what it found; a list of all rows must not be noted, because it changes in place.
    if (others.length === 0) return found;
    const due = unionOf(found, others);
    this.search.toRead.noteDue(due);
    return due;
  }

  /**
   * Queues a searched watcher that is due for the kernel, if its seats depend only on rules that the kernel knows. Returns
   * whether it did.
   */
  askSearched(watcher: number): boolean {
    const { pairs } = this.#rules;
    if ((this.#mayRemember && this.#mayBeBack(watcher)) || !this.#isSimple(watcher)) return false;
    this.search.ask(watcher, pairs.size[watcher] + this.#turnedCount);
    this.#barBlocked(watcher);
    return true;
  }

  /**
   * Queues a watcher that is not searched and whose whole row is due, if the kernel knows its rules. `from` to `to`: its crossings. The kernel
   * may give the row back. Throws what `admit` throws.
   */
  askWhole(watcher: number, crossings: Crossings, from: number, to: number): void {
    const { lingering, pairs, ties, watchers } = this.#rules;
    if (!searchShares.areRowsByKernel) return;
    const interest = watchers.interestIn(this.#store.now, watcher);
    if (!isForKernel(interest) || (interest.mutual && !lingering.isEmpty(watcher))) return;
    // For one that is no watcher any more, nothing lingers.
    if (interest.lingerTicks > 0 && !ties.isWatcher(this.#store, watcher)) return;
    if (this.#mayRemember && this.#isAnyBack(watcher, crossings, from, to)) return;
    if (!this.#isSimple(watcher)) return;
    if (interest.admit !== undefined) this.#admit(watcher, interest, interest.admit, crossings, from, to);
    this.search.ask(watcher, pairs.size[watcher] + to - from + this.#turnedCount);
    this.#barBlocked(watcher);
    if (!lingering.isEmpty(watcher)) this.#barOver(watcher, interest.lingerTicks, crossings);
  }

  /**
   * Calls `admit` for the perceived pairs that crossed and have no answer, and for those that are asked about anew. The kernel gives back
   * rows with others that must be asked about.
   */
  #admit(
    watcher: number,
    { leaveMargin }: ResolvedInterest,
    admit: AdmitFunction,
    crossings: Crossings,
    from: number,
    to: number,
  ): void {
    const { pairs, watchers } = this.#rules;
    const store = this.#store;
    const { state, marker: markers } = pairs;
    const blocks = this.#blocksOf(watcher);
    const isAllAnew = isAskedAnew(store, watcher);
    const wasHidden = store.last.hidden.at(watcher) === 1;
    let i = pairs.start[watcher];
    // The row matters only if pairs that did not cross may be asked about.
    const end = i + ((watchers.look[watcher] & ASKED_ANEW) !== 0 ? pairs.size[watcher] : 0);
    let known = i < end ? markers[i] : NOBODY;
    let c = from;
    let crossed = c < to ? crossings.markerAt(c) : NOBODY;
    while (known !== NOBODY || crossed !== NOBODY) {
      const marker = Math.min(known, crossed);
      const isCrossed = crossed === marker;
      const exactNow = isCrossed ? crossings.afterAt(c) : 0;
      let at = -1;
      if (known === marker) {
        at = i++;
        known = i < end ? markers[i] : NOBODY;
      } else if (i === end) at = pairs.find(watcher, marker);
      if (isCrossed) crossed = ++c < to ? crossings.markerAt(c) : NOBODY;
      const isAnew = isAllAnew || isAskedAnew(store, marker);
      if (!isAnew && !isCrossed) continue;
      const before = at < 0 ? 0 : state[at];
      if ((before & FORCED) !== 0 || !store.now.isPresent(marker)) continue;
      const exact = isCrossed ? exactNow : wasHidden ? 0 : exactOf(before);
      const mustAsk = isAnew
        ? exact !== 0 || this.#isHeld(watcher, marker, before, leaveMargin)
        : exact !== 0 && !hasAnswer(before);
      const isBlocked = blocks?.has(store.ids.idOf[marker]) === true;
      if (mustAsk && !isBlocked) this.#ask(watcher, marker, before, admit);
    }
  }

  /** Whether the margin holds a pair that no sense perceives without it. */
  #isHeld(watcher: number, marker: number, before: number, margin: number): boolean {
    if ((before & RELATED) === 0) return false;
    const { settings, now } = this.#store;
    return withMargin(settings, now, watcher, marker, sensesOf(before), 0, margin) !== 0;
  }

  #ask(watcher: number, marker: number, before: number, admit: AdmitFunction): void {
    const isAdmitted = isAdmittedNow(this.#store, admit, watcher, marker);
    this.#rules.admissions.note(watcher, marker, isAdmitted);
    const wasRefused = hasAnswer(before) && (before & REFUSED) !== 0;
    if (isAdmitted === wasRefused) this.search.rules.turned.add(watcher, marker);
  }

  /** Runs the kernel for the queued watchers. */
  decide(crossings: Crossings): void {
    if (this.search.edits.decided.length === 0) return;
    this.search.decide(this.#interests, crossings);
    const { now } = this.#store;
    const keepsNone = ({ memoryTicks, leaveMargin, lingerTicks }: ResolvedInterest) =>
      memoryTicks === 0 && leaveMargin === 0 && lingerTicks === 0;
    if (this.#interests.every(keepsNone)) return;
    for (const watcher of this.search.edits.decided) {
      const interest = this.#rules.watchers.interestIn(now, watcher);
      if (keepsNone(interest)) continue;
      const remembers = interest.memoryTicks > 0 && this.#rules.watchers.capIn(now, watcher) !== NO_CAP;
      // If each candidate has its seat, none was lost to another.
      const isRoomy = now.hidden.at(watcher) === 0 && this.search.edits.limitOf(watcher) > 0;
      if (isRoomy && !remembers && interest.admit === undefined) continue;
      this.#noteLost(watcher, interest, remembers);
    }
  }

  /** Applies the decisions. */
  commit(tick: number): void {
    this.#noteLingering(tick);
    this.search.edits.commit();
    const { now } = this.#store;
    const { watchers, memory } = this.#rules;
    const { look, dwells } = watchers;
    const { roomLimit } = watchers.counts;
    for (const watcher of this.search.edits.decided) {
      watchers.limitMemory(watcher, tick);
      if (now.hidden.at(watcher) === 0) {
        if (this.#isAsPlanned(watcher)) continue;
        const isAnew = watchers.isAnew(watcher);
        this.#planWhole(watcher);
        // With more candidates than seats, it needs its row for as long as its rules stay.
        if (isAnew) this.renewed.push(watcher);
        else if (roomLimit[watcher] > 0) this.roomy.push(watcher);
        continue;
      }
      // Dwell may end while nothing else changes.
      look[watcher] = dwells[now.interests.at(watcher)] ? ON_NEWS | ON_EVERY_TICK : ON_NEWS;
      roomLimit[watcher] = 0;
      if (!memory.isEmpty(watcher)) this.#planBack(watcher);
    }
  }

  /** Plans when a searched watcher that remembers markers must be decided again: one may be perceived again. */
  #planBack(watcher: number): void {
    const { memory } = this.#rules;
    const { now } = this.#store;
    const until = memory.awayUntil(watcher);
    const still = Math.max(0, until - this.search.travel);
    this.search.keepCalmUntil(watcher, until, now.longestRangeOf(watcher) + still);
  }

  /**
   * Whether nothing in the watcher's whole row changed, so that the plan of the last decision holds. What a plan depends on besides
   * (interest, cap, blocks) comes with the look ONCE.
   */
  #isAsPlanned(watcher: number): boolean {
    const { watchers } = this.#rules;
    const { edits } = this.search;
    // Dwell may protect no seat any more.
    if (this.#isCalmTick && (watchers.look[watcher] & ON_EVERY_TICK) !== 0) return false;
    const isCalled = (watchers.look[watcher] & (ONCE | ASKED_ANEW)) !== 0;
    if (isCalled || edits.isEdited(watcher) || edits.hasWaiting(watcher)) return false;
    return edits.limitOf(watcher) === watchers.counts.roomLimit[watcher];
  }

  /** Stores when a whole row must be decided again, and whether it may be given up. */
  #planWhole(watcher: number): void {
    const { watchers, pairs } = this.#rules;
    const { now } = this.#store;
    const interest = watchers.interestIn(now, watcher);
    const limit = this.search.edits.limitOf(watcher);
    const isOver = limit === 0 && pairs.size[watcher] > 0;
    // A row with more candidates than seats is read on any news.
    const mayHold = !isOver && (interest.leaveMargin > 0 || pairs.heldColumn.array[watcher] > 0);
    const isAnyHeld = mayHold && pairs.countHeld(watcher) > 0;
    const mayAsk = interest.admit !== undefined;
    const isOnNews = isOver || mayAsk || interest.quotas.length > 0 || isAnyHeld;
    const mayLose =
      isOver && interest.minDwellTicks > 0 && this.#isAnyProtected(watcher, interest.minDwellTicks);
    // A user's function may rank the seated differently although nothing changes.
    const isByFunction = isOver && interest.rank !== undefined;
    const isTimed = mayLose || isByFunction || this.search.edits.hasWaiting(watcher);
    const look = (isOnNews ? ON_NEWS : 0) | (isTimed ? ON_EVERY_TICK : 0) | (mayAsk ? HEAVY : 0);
    watchers.look[watcher] = this.#awaits(watcher, interest) ? look | ON_NEWS : look;
    // Mutual consent takes seats away and gives them back, so lingering and counted seats need the whole row.
    watchers.counts.roomLimit[watcher] = interest.mutual && keepsRow(interest) ? 0 : limit;
  }

  /** Whether any seat of a whole row awaits consent, where it matters: a row with room for all is decided by crossings, any other on news. */
  #awaits(watcher: number, interest: ResolvedInterest): boolean {
    if (!interest.mutual || (interest.memoryTicks === 0 && !keepsRow(interest))) return false;
    const { start, size, state } = this.#rules.pairs;
    const end = start[watcher] + size[watcher];
    for (let i = start[watcher]; i < end; i++) if (isAwaiting(state[i])) return true;
    return false;
  }

  /** Whether any seat of a whole row is protected by dwell. If more than a tenth of all entities moved, the answer is not worth its cost. */
  #isAnyProtected(watcher: number, dwell: number): boolean {
    if (!this.#isCalmTick) return true;
    const { start, size, state, since } = this.#rules.pairs;
    const end = start[watcher] + size[watcher];
    for (let i = start[watcher]; i < end; i++)
      if ((state[i] & SEATED) !== 0 && this.#tick - since[i] < dwell) return true;
    return false;
  }

  /** Makes the kernel skip the markers that a watcher blocks. Call it directly after the watcher was queued. */
  #barBlocked(watcher: number): void {
    for (const marker of this.#blocksOf(watcher) ?? [])
      if (this.#store.has(marker)) this.search.rules.barred.add(watcher, marker >>> 10);
  }

  /** The same for the markers whose time to linger is over: the kernel does not know it. It counts while they relate by force, too. */
  #barOver(watcher: number, lingerTicks: number, crossings: Crossings): void {
    const { lingering, pairs } = this.#rules;
    for (const marker of lingering.overOf(watcher, lingerTicks, this.#tick)) {
      const crossed = crossings.find(watcher, marker);
      const isPerceived = crossed >= 0 && crossings.afterAt(crossed) !== 0;
      const isForced = (pairs.state[pairs.find(watcher, marker)] & FORCED) !== 0;
      if (!isPerceived && !isForced) this.search.rules.barred.add(watcher, marker);
    }
  }

  /** Notes which pairs begin or cease to linger; for watchers that have ceased to let any linger, all do. */
  #noteLingering(tick: number): void {
    const { lingering, watchers } = this.#rules;
    const { now } = this.#store;
    if (lingering.isNone && this.#interests.every(({ lingerTicks }) => lingerTicks === 0)) return;
    for (const watcher of this.search.edits.decided) {
      const { lingerTicks } = watchers.interestIn(now, watcher);
      if (lingerTicks === 0) {
        lingering.forgetWatcher(watcher);
        continue;
      }
      this.search.edits.eachSenseless(watcher, (marker, begins) =>
        lingering.noteUnseen(watcher, marker, begins, tick),
      );
      if (!lingering.isEmpty(watcher)) lingering.plan(watcher, lingerTicks, tick);
    }
  }

  /** The ids of the markers that a watcher blocks; `undefined`: none. */
  #blocksOf(watcher: number): ReadonlySet<EntityId> | undefined {
    return this.#mayTie ? this.#rules.ties.blocksOf(this.#store.ids.idOf[watcher]) : undefined;
  }

  /**
   * Whether the watcher's row says which pairs ties and groups decide, or the kernel can be told. If ties and groups may now decide other
   * pairs, override-causes.ts requests a decision for one tick.
   */
  #isSimple(watcher: number): boolean {
    const { now, ids } = this.#store;
    const { watchers, lingering, ties, forced, maybeForced } = this.#rules;
    this.#turnedCount = 0;
    if (!watchers.isAnew(watcher)) return true;
    const lists = maybeForced.get(watcher);
    if (lists !== undefined) return this.#turnForces(watcher, lists);
    const hasPins = this.#mayTie && ties.pinsOf(ids.idOf[watcher]) !== undefined;
    const hasGroup = this.#mayGroup && forced.hasGroup(now, watchers.interestIn(now, watcher), watcher);
    if (hasPins || hasGroup || this.#blocksOf(watcher) !== undefined) return false;
    // Other pairs may relate by force now, and relations that linger by the former rules end.
    return !watchers.hasAlways && !this.#holdsForced(watcher) && lingering.isEmpty(watcher);
  }

  /**
   * Tells the kernel by which forces a watcher relates to these markers (slots) now; nothing else about it may have changed. False if the
   * kernel cannot decide them: `admit` may have to be called, a relation may linger, or a marker is remembered.
   */
  #turnForces(watcher: number, lists: readonly (readonly number[])[]): boolean {
    const { watchers, pairs, memory, forced, ties } = this.#rules;
    const { now, ids } = this.#store;
    const interest = watchers.interestIn(now, watcher);
    if (interest.admit !== undefined || interest.lingerTicks > 0) return false;
    const markers = lists.length === 1 ? lists[0] : lists.flat();
    const ordered = markers.length === 1 ? markers : [...new Set(markers)].sort((a, b) => a - b);
    for (const marker of ordered) {
      const bits = forced.bitsOf(this.#store, interest, ties, watcher, marker);
      const at = pairs.find(watcher, marker);
      if (bits === (at < 0 ? 0 : pairs.state[at] & FORCED)) continue;
      if (this.#mayRemember && memory.lostAt(watcher, ids.idOf[marker]) !== undefined) return false;
      this.search.rules.turned.add(watcher, (bits << FORCE_SHIFT) | marker);
      this.#turnedCount++;
    }
    return true;
  }

  #holdsForced(watcher: number): boolean {
    const { start, size, state } = this.#rules.pairs;
    const end = start[watcher] + size[watcher];
    for (let i = start[watcher]; i < end; i++) if ((state[i] & FORCED) !== 0) return true;
    return false;
  }

  /** Whether any marker that the watcher remembers is perceived. */
  #mayBeBack(watcher: number): boolean {
    const store = this.#store;
    const { memory, watchers } = this.#rules;
    const { travel } = this.search;
    if (memory.isEmpty(watcher)) return false;
    memory.expire(watcher, this.#tick - watchers.interestIn(store.now, watcher).memoryTicks);
    if (memory.isEmpty(watcher)) return false;
    const range = store.now.longestRangeOf(watcher);
    const away = leastAwayOf(store, watcher, memory.markersOf(watcher), range, FAR_SHARE * range);
    if (away < 0) return true;
    memory.noteAway(watcher, travel + away);
    return false;
  }

  /** Whether a watcher with a whole row may perceive a marker again that it remembers. `from` to `to`: its crossings. */
  #isAnyBack(watcher: number, crossings: Crossings, from: number, to: number): boolean {
    const { memory, watchers } = this.#rules;
    if (memory.isEmpty(watcher)) return false;
    const { ids, last } = this.#store;
    // A marker that was refused may be admitted again without a crossing.
    if ((watchers.look[watcher] & ASKED_ANEW) !== 0) return true;
    // What the watcher perceived while it was hidden did not cross.
    if (last.hidden.at(watcher) === 1) return true;
    for (let c = from; c < to; c++)
      if (crossings.afterAt(c) !== 0 && memory.lostAt(watcher, ids.idOf[crossings.markerAt(c)]) !== undefined)
        return true;
    return false;
  }

  /**
   * Of the markers that lost a seat of a kernel-decided watcher: stores those that are no longer perceived, if the watcher remembers, and
   * those that the margin holds or that would linger.
   */
  #noteLost(watcher: number, interest: ResolvedInterest, remembers: boolean): void {
    const { leaveMargin, mutual } = interest;
    const { lingering } = this.#rules;
    const { settings, now, ids } = this.#store;
    const isWhole = now.hidden.at(watcher) === 0;
    this.search.edits.eachLost(watcher, mutual, (marker, before, after) => {
      if (!now.isPresent(marker)) return;
      // A whole row says what is perceived or held by the margin, and what was refused.
      let state = after;
      if (!isWhole) {
        const exact = perceivedSenses(settings, now, watcher, marker, now.ownRanges);
        // What ceased to relate by force, the margin held in every sense.
        const wasHeld = (before & FORCED) !== 0 ? EVERY_SENSE : sensesOf(before);
        const former = (before & RELATED) === 0 ? 0 : wasHeld;
        const held = withMargin(settings, now, watcher, marker, former, exact, leaveMargin);
        state = exact | (held << 8) | CANDIDATE;
      }
      const isPerceived = sensesOf(state) !== 0;
      // A marker that would linger was outranked.
      const mayStay =
        isPerceived || lingering.lingers(this.#store, interest, watcher, marker, before, this.#tick);
      if (mayStay) this.#rules.cuts.note(watcher, marker, before, isPerceived ? state : CANDIDATE);
      else if (remembers && (before & SEATED) !== 0)
        this.#rules.memoryNotes.note(watcher, ids.idOf[marker], true);
    });
  }
}
