/**
 * Pairs that a rule about the pair decides (pins, blocks, groups, markers shown always), for watchers without
 * a whole row. A tick decides only the pairs that crossed, or of which a rule, the marker or a tie changed.
 *
 *   crossings of perception --take--> those of overridden pairs | the others --> margins
 *   ties, groups, markers that changed --consider-->  due pairs --decide--> words, merged with the others in order
 *
 * A pair that becomes overridden is inserted into the watcher's row with its state at the last tick, and
 * taken out of the margin-held pairs. A pair that is no longer overridden goes back there. Both become final
 * at `commit`, or are undone by `abort`. Cost: one lookup for each crossing; some 100 ns for each due pair. A
 * forced pair that is also margin-held is due in each tick in which anything changes.
 */
import { type Crossings, highWordOf, keyOf, pairOf } from '../../detectors/crossings.ts';
import { NO_CAP } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { pendingWith, REMOVED } from '../../entities/pending.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import { capOf } from '../rules/cap.ts';
import type { ResolvedInterest } from '../rules/interest.ts';
import { isAdmittedNow, judgeOf } from '../rules/row-judge.ts';
import type { OverrideRows } from '../standing/override-rows.ts';
import { BACK, LOST, logsDwell, logsMemory, TOOK } from '../standing/recent-seats.ts';
import type { RelationCounts } from '../standing/relation-counts.ts';
import type { SeatTables } from '../standing/seat-tables.ts';
import {
  ASKED,
  BLOCKED,
  CANDIDATE,
  exactOf,
  FORCED,
  isAwaiting,
  isMarginHeld,
  type PairRows,
  plainState,
  REFUSED,
  RELATED,
  SEATED,
  sensesOf,
  staysAwaiting,
} from '../table/pair-rows.ts';
import { lowWordOf } from '../table/relation-words.ts';

/** Bit of a state during a tick: the pair is due. */
const DUE = 1 << 30;

/** Bit of a decision: the pair stays overridden. */
const KEPT = 1 << 30;
/** Numbers a decision has: watcher, marker, state before, state after with the bit above. */
const DECISION = 4;

export class Overrides {
  /**
   * Number of relations that ended because their watcher was removed in this tick, without those that
   * perception counts.
   */
  lostWithWatcher = 0;
  readonly rows: OverrideRows;
  readonly #tables: SeatTables;
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  /** The due pairs, by `keyOf`, each once. */
  #due: number[] = [];
  /**
   * Pairs inserted for the tick under way, watcher and marker alternating; and those of them that a margin
   * held.
   */
  #inserted: number[] = [];
  #marginHeld: number[] = [];
  /** Decisions about due pairs: DECISION numbers each. */
  #decisions: number[] = [];
  /** By `keyOf`: states after; built when first needed. */
  #decided: Map<number, number> | undefined;
  #words: number[] = [];
  /** Pairs that an interest's `admit` refused: watcher, marker, senses. */
  #refused: number[] = [];
  /**
   * Of the tick under way: pairs whose forced relation ended and that now need consent; watcher and marker
   * alternating.
   */
  unforced: number[] = [];

  constructor(tables: SeatTables) {
    this.rows = tables.overrides;
    this.#tables = tables;
    this.#store = tables.store;
    this.#pairs = tables.pairs;
  }

  get memoryBytes(): number {
    return this.rows.memoryBytes;
  }

  growSlots(capacity: number): void {
    this.rows.growSlots(capacity);
  }

  /**
   * Makes a pair due in the tick under way, if a rule about the pair applies or did, or if the interest's
   * `admit` must be called again (`isAsked`). The watcher has no whole row and existed at the last tick.
   */
  consider(watcher: number, marker: number, isAsked = false): void {
    let at = this.rows.find(watcher, marker);
    if (at < 0) {
      const { ties, forced } = this.#tables;
      const { ids } = this.#store;
      const interest = this.#interestOf(watcher);
      const isBlocked = ties.blocksOf(ids.idOf[watcher])?.has(ids.idOf[marker]) === true;
      if (!isAsked && !isBlocked && forced.bitsOf(this.#store, interest, ties, watcher, marker) === 0) return;
      const before = this.#unruledBefore(watcher, marker, interest);
      at = this.rows.insert(watcher, marker, before);
      if (isMarginHeld(before)) this.#marginHeld.push(watcher, marker);
      this.#inserted.push(watcher, marker);
    }
    this.#note(watcher, marker, at);
  }

  /**
   * The watchers that might exceed their limit with what is due and what crossed, before either is decided.
   * They must get a whole row.
   */
  beyondCap(crossings: Crossings, { isDerived, count, roomLimit }: RelationCounts): number[] {
    const due = new Map<number, number>();
    for (const key of this.#due) {
      const [watcher] = pairOf(key);
      if (isDerived[watcher] === 1 && roomLimit[watcher] !== NO_CAP && this.rows.has[watcher] === 1)
        due.set(watcher, (due.get(watcher) ?? 0) + 1);
    }
    return [...due.keys()].filter((watcher) => {
      const from = crossings.firstFrom(watcher, 0);
      const crossed = crossings.firstFrom(watcher + 1, from) - from;
      return count[watcher] + (due.get(watcher) ?? 0) + crossed > roomLimit[watcher];
    });
  }

  /**
   * Takes overridden pairs out of the crossings of perception, and makes them due. Afterwards no watcher may
   * get a whole row.
   */
  take(crossings: Crossings): void {
    if (this.#marginHeld.length > 0) this.#tables.holds.takeOut(this.#marginHeld);
    const rows = this.rows;
    // Few markers are overridden by any watcher, and most of these do not cross in a tick.
    if (rows.isEmpty || !this.#isAnyNamed(crossings)) return;
    crossings.keep((i) => {
      const watcher = crossings.watcherAt(i);
      const marker = crossings.markerAt(i);
      const at = rows.isNamed(marker) ? rows.find(watcher, marker) : -1;
      if (at < 0) return true;
      this.#note(watcher, marker, at);
      return false;
    });
  }

  /** Decides the due pairs and merges them into the crossings of relation. */
  decide(crossings: Crossings): void {
    this.lostWithWatcher = 0;
    const store = this.#store;
    const rows = this.rows;
    if (rows.isEmpty) return;
    this.#countLost();
    // No margin holds a seat that awaits consent: it is over even if nothing changes.
    const mayEnd = this.#tables.book.current.some(({ leaveMargin, mutual }) => {
      return leaveMargin > 0 && (mutual || store.pendingCount > 0);
    });
    if (mayEnd) for (const watcher of rows.marginHeld) this.#noteMarginHeld(watcher);
    const due = Float64Array.from(this.#due).sort();
    let flags = 0;
    for (let from = 0; from < due.length; ) {
      const [watcher] = pairOf(due[from]);
      let end = from + 1;
      while (end < due.length && due[end] < keyOf(watcher + 1, 0)) end++;
      const words = this.#words.length;
      if (store.now.flags[watcher] !== 0 && rows.has[watcher] === 1)
        this.#decidePairs(watcher, due.subarray(from, end), this.#interestOf(watcher));
      if (this.#words.length > words) flags |= store.now.flags[watcher];
      from = end;
    }
    if (this.#words.length > 0) crossings.merge(this.#words, flags);
  }

  /**
   * Calls the interests' `admit` for pairs that began to be perceived, and takes the refused ones out of the
   * crossings of relation. Before `decide`. `hasRow`: by watcher's slot.
   */
  ask(crossings: Crossings, hasRow: Uint8Array): void {
    const interests = this.#tables.book.current;
    if (interests.every(({ admit }) => admit === undefined)) return;
    const { now } = this.#store;
    crossings.keep((i) => {
      const watcher = crossings.watcherAt(i);
      if (crossings.wasRelated(i) || hasRow[watcher] === 1) return true;
      const { admit } = interests[now.interests.at(watcher)];
      const marker = crossings.markerAt(i);
      if (admit === undefined || isAdmittedNow(this.#store, admit, watcher, marker)) return true;
      this.#refused.push(watcher, marker, crossings.afterAt(i));
      return false;
    });
  }

  /**
   * Logs which seats were taken, lost to perception or won back, for watchers whose rules look back.
   * `crossings`: of relation, for watchers without a whole row. Before `decide`, which logs overridden pairs
   * itself.
   */
  remember(crossings: Crossings, { isDerived }: RelationCounts): void {
    const looksBack = this.#tables.book.current.map((each) => each.memoryTicks > 0 || logsDwell(each));
    if (!looksBack.includes(true)) return;
    const { now, ids } = this.#store;
    for (let i = 0; i < crossings.count; i++) {
      const watcher = crossings.watcherAt(i);
      if (!looksBack[now.interests.at(watcher)] || isDerived[watcher] !== 1) continue;
      const isLost = !crossings.isRelated(i);
      if (crossings.wasRelated(i) !== isLost) continue;
      const marker = crossings.markerAt(i);
      if (this.rows.find(watcher, marker) >= 0) continue;
      const kinds = isLost ? (now.isPresent(marker) ? LOST : 0) : TOOK | BACK;
      this.#noteSeat(watcher, ids.idOf[marker], kinds);
    }
  }

  /**
   * The state of an overridden pair in the tick under way; `undefined`: no rule about the pair applies or
   * did.
   */
  stateNow(watcher: number, marker: number): number | undefined {
    this.#decided ??= this.#indexDecisions();
    const decided = this.#decided.get(keyOf(watcher, marker));
    if (decided !== undefined) return decided;
    const at = this.rows.find(watcher, marker);
    return at < 0 ? undefined : this.#pairs.state[at];
  }

  /** The state at the last tick of a pair whose watcher has no whole row. Until `commit`. */
  stateBefore(watcher: number, marker: number): number {
    const at = this.rows.find(watcher, marker);
    return at < 0 ? this.#unruledBefore(watcher, marker, this.#interestOf(watcher)) : this.#pairs.state[at];
  }

  /**
   * Applies the decisions. Before `MarginCuts` commits; after `MarginHolds` did and crossings were counted.
   */
  commit({ isDerived, count }: RelationCounts): void {
    const held: number[] = [];
    const decisions = this.#decisions;
    for (let d = 0; d < decisions.length; d += DECISION) {
      const [watcher, marker, before] = [decisions[d], decisions[d + 1], decisions[d + 2]];
      const after = decisions[d + 3] & ~KEPT;
      this.#tables.cuts.note(watcher, marker, before, after);
      // A seat that awaited consent was counted, although no crossing reports its end.
      if (isDerived[watcher] === 1 && isAwaiting(before) && !isAwaiting(after)) count[watcher]--;
      if ((decisions[d + 3] & KEPT) !== 0) {
        this.rows.set(watcher, marker, after);
        continue;
      }
      this.rows.remove(watcher, marker);
      const [exact, senses] = [exactOf(after), sensesOf(after)];
      if ((after & RELATED) === 0 || exact === senses) continue;
      held.push((marker << 20) | exact | ((senses & ~exact) << 8), highWordOf(watcher, marker));
    }
    if (held.length > 0) this.#tables.holds.putIn(held);
    for (let i = 0; i < this.#refused.length; i += 3) {
      const exact = this.#refused[i + 2];
      this.rows.insert(this.#refused[i], this.#refused[i + 1], exact | (exact << 8) | ASKED | REFUSED);
    }
    this.#clear();
  }

  /** The tick failed. After whole rows that were given are taken back. */
  abort(): void {
    for (const key of this.#due) {
      const at = this.rows.find(...pairOf(key));
      if (at >= 0) this.#pairs.state[at] &= ~DUE;
    }
    for (let i = 0; i < this.#inserted.length; i += 2)
      this.rows.remove(this.#inserted[i], this.#inserted[i + 1]);
    if (this.#marginHeld.length > 0) this.#tables.holds.putBack();
    this.#clear();
  }

  #interestOf(watcher: number): ResolvedInterest {
    return this.#tables.book.current[this.#store.now.interests.at(watcher)];
  }

  #clear(): void {
    this.#due = [];
    this.#inserted = [];
    this.#marginHeld = [];
    this.#decisions = [];
    this.#decided = undefined;
    this.#words = [];
    this.#refused = [];
    this.unforced = [];
  }

  #isAnyNamed(crossings: Crossings): boolean {
    for (let i = 0; i < crossings.count; i++) if (this.rows.isNamed(crossings.markerAt(i))) return true;
    return false;
  }

  /** `at`: the index of an overridden pair in the pool of rows. */
  #note(watcher: number, marker: number, at: number): void {
    const { state } = this.#pairs;
    if ((state[at] & DUE) === 0) this.#due.push(keyOf(watcher, marker));
    state[at] |= DUE;
  }

  /** Makes the pairs of a watcher due that its margin holds and may no longer hold. */
  #noteMarginHeld(watcher: number): void {
    const { leaveMargin } = this.#interestOf(watcher);
    const isAnyPending = this.#store.pendingCount > 0;
    const { start, size, marker, state } = this.#pairs;
    let isAny = false;
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) {
      if (!isMarginHeld(state[i])) continue;
      isAny = true;
      const mayEnd = ((state[i] & FORCED) !== 0 && isAnyPending) || isAwaiting(state[i]);
      if (mayEnd && leaveMargin > 0) this.#note(watcher, marker[i], i);
    }
    if (!isAny) this.rows.marginHeld.delete(watcher);
  }

  /** The state at the last tick of a pair that was not overridden. */
  #unruledBefore(watcher: number, marker: number, { admit }: ResolvedInterest): number {
    const { settings, last } = this.#store;
    const exact = perceivedSenses(settings, last, watcher, marker);
    const held = this.#tables.holds.heldSensesOf(watcher, marker);
    return plainState(exact, exact | held, admit !== undefined);
  }

  /** `due`: pairs of one watcher, ascending. */
  #decidePairs(watcher: number, due: Float64Array, interest: ResolvedInterest): void {
    const { store, ties, forced } = this.#tables;
    const { settings, now, ids } = store;
    const blocks = ties.blocksOf(ids.idOf[watcher]);
    const judge = judgeOf(store, interest, blocks, watcher);
    const { state } = this.#pairs;
    for (const key of due) {
      const [, marker] = pairOf(key);
      const i = this.#pairs.find(watcher, marker);
      const before = state[i] & ~DUE;
      state[i] = before;
      const exact = perceivedSenses(settings, now, watcher, marker);
      const force = forced.bitsOf(store, interest, ties, watcher, marker);
      let after = judge(marker, before, exact, force);
      if ((after & CANDIDATE) !== 0) after |= SEATED;
      const isSeated = (after & (FORCED | CANDIDATE)) !== 0;
      if (isSeated && !staysAwaiting(interest.mutual, before, after)) after |= RELATED;
      if (interest.mutual && (before & FORCED) !== 0 && (after & FORCED) === 0)
        this.unforced.push(watcher, marker);
      const isBlocked = now.isPresent(marker) && blocks?.has(ids.idOf[marker]) === true;
      if (isBlocked) after |= BLOCKED;
      const isRefused = (after & REFUSED) !== 0 && exact !== 0;
      const isKept = isBlocked || (after & FORCED) !== 0 || isRefused || isAwaiting(after);
      if (isKept && before === after) continue;
      this.#decisions.push(watcher, marker, before, after | (isKept ? KEPT : 0));
      this.#noteDecision(watcher, marker, before, after);
      const low = lowWordOf(marker, before, after);
      if (low !== 0) this.#words.push(low, highWordOf(watcher, marker));
    }
  }

  /** As `remember`, for a pair that is decided here. */
  #noteDecision(watcher: number, marker: number, before: number, after: number): void {
    const { now, ids } = this.#store;
    const isLost = (before & SEATED) !== 0 && sensesOf(after) === 0 && (after & (FORCED | BLOCKED)) === 0;
    const isNew = (before & (SEATED | FORCED)) === 0 && (after & (SEATED | FORCED)) !== 0;
    const memory = (after & CANDIDATE) !== 0 ? BACK : isLost && now.isPresent(marker) ? LOST : 0;
    this.#noteSeat(watcher, ids.idOf[marker], (isNew ? TOOK : 0) | memory);
  }

  /** Logs a change of a seat, if the watcher's interest looks back. Without a cap nothing is remembered. */
  #noteSeat(watcher: number, id: number, kinds: number): void {
    const interest = this.#interestOf(watcher);
    const mayRemember = capOf(this.#store.now, watcher, interest) !== NO_CAP;
    let logged = logsDwell(interest) ? kinds & TOOK : 0;
    if (mayRemember && logsMemory(interest)) logged |= kinds & (BACK | LOST);
    else if (mayRemember && interest.memoryTicks > 0 && (kinds & (BACK | LOST)) !== 0)
      this.#tables.memoryNotes.note(watcher, id, (kinds & LOST) !== 0);
    if (logged !== 0) this.#tables.recent.note(watcher, id, logged);
  }

  #indexDecisions(): Map<number, number> {
    const decided = new Map<number, number>();
    for (let d = 0; d < this.#decisions.length; d += DECISION)
      decided.set(keyOf(this.#decisions[d], this.#decisions[d + 1]), this.#decisions[d + 3] & ~KEPT);
    for (let i = 0; i < this.#refused.length; i += 3)
      decided.set(keyOf(this.#refused[i], this.#refused[i + 1]), REFUSED);
    return decided;
  }

  /** Corrects perception's count of relations that ended with a removed watcher. */
  #countLost(): void {
    for (const watcher of pendingWith(this.#store, REMOVED))
      if (this.rows.has[watcher] === 1) this.lostWithWatcher += this.#pairs.lostWith(watcher, true);
  }
}
