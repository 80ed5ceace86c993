/**
 * Mutual consent: a seat is kept only when the other side seats this watcher too. Duels, trades, talk at a table: where
 * one who cannot see you should not be seen either.
 *
 * One pass when all seats of a tick are decided; nobody is moved up for a seat that falls, and for the next tick's bonus the
 * seat counts as taken. Exempt are pairs that relate by force, markers that are no watchers, and watchers that are no markers.
 *
 *   crossings of seats    | a: b came | a: d left | b: a came | d: a left |   both sides agree: nothing to do
 *                         | a: c came |                                       c does not seat a: the seat awaits consent
 *
 * A seat that awaits consent is one without RELATED, in a row or among overrides; all others have consent. So a tick asks only
 * where a seat was taken or given up: the one side at that crossing, the other side at its reverse. The crossings are read in the
 * order of their markers, beside themselves in their own order, so that reverse crossings meet:
 *
 *   by marker, then watcher    | b -> a | c -> a | a -> b |      | a -> b is the reverse of b -> a: both sides agree
 *   by watcher, then marker    | a -> b | b -> a | c -> a |      | c -> a has none: does the row of a seat c?
 *
 * Cost: two passes over the crossings, a search in a row for each without a reverse, a look at a whole row where a watcher changed
 * itself. Memory: 16 bytes a crossing where any watcher is mutual.
 */
import { cleared, sortBySlot } from '../../columns.ts';
import { type Crossings, highWordOf, keyOf, pairOf } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { MOVED, pendingWith } from '../../entities/pending.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import type { EachOwnWatcher } from '../attached/attached-relations.ts';
import { FORCED, isAwaiting, isMarginHeld, isSeat, plainState, RELATED, SEATED } from '../pair-rows.ts';
import type { RowDecider } from '../row-decider.ts';
import { HEAVY, lookWhileAwaiting, ON_EVERY_TICK, ON_NEWS, type RuledWatchers } from '../ruled-watchers.ts';
import type { SeatTables } from '../seat-tables.ts';
import { lowWordOf } from '../table/relation-words.ts';
import { ScratchRoom } from '../table/scratch-room.ts';
import type { DerivedWatchers } from '../ways/derived-watchers.ts';
import type { IncrementalRows } from '../ways/incremental-rows.ts';
import type { Overrides } from '../ways/overrides/overrides.ts';

/** Numbers of an element of `#turns`. */
const TURN = 4;
/** In place of a turn's state: the one in the watcher's row when the tick's rows are written, without consent. */
const AS_WRITTEN = -1;

/** Where seats are found: of those that have rows and of those that have none. */
interface SeatSources extends Omit<SeatTables, 'overrides'> {
  readonly watchers: RuledWatchers;
  readonly decider: RowDecider;
  readonly incremental: IncrementalRows;
  readonly overrides: Overrides;
  readonly derived: DerivedWatchers;
}

export class MutualConsent {
  readonly #store: EntityStore;
  readonly #from: SeatSources;
  /** Pairs of the tick under way whose consent must be looked up, because no crossing may tell: watcher and marker, alternating. */
  #asked: number[] = [];
  /**
   * Seats that get consent in the tick under way or lose it, of watchers whose row is not on the stage: watcher, marker, and the
   * pair's states before and after.
   */
  #turns: number[] = [];
  /** Watchers with a turned pair that a kernel's edits already contain, and the pair's state, alternating. */
  #edited: number[] = [];
  /** Changes of the crossings of the tick under way: index and new low word, alternating. */
  #rewritten: number[] = [];
  #addedFlags = 0;
  /** Indices of crossings; for sorting. */
  #order: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  #scratch: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  readonly #room = new ScratchRoom(256);

  constructor(from: SeatSources) {
    this.#store = from.store;
    this.#from = from;
  }

  get memoryBytes(): number {
    return this.#order.byteLength + this.#scratch.byteLength;
  }

  /** Frees memory that recent ticks did not use. */
  trim(): void {
    const room = this.#room.look(this.#order.length);
    this.#order = cleared(this.#order, room);
    this.#scratch = cleared(this.#scratch, room);
  }

  /**
   * The tick's beginning: notes whose consent may be needed no more, or from now on. `seatedWith`: visits who seats a marker as of the
   * last tick; `tied`: watchers whose pins changed.
   */
  begin(seatedWith: EachOwnWatcher, tied: Iterable<number>): void {
    this.#asked = [];
    this.#turns = [];
    this.#edited = [];
    if (!this.#isAnyMutual) return;
    const { last, now, ids } = this.#store;
    const consider = (slot: number, isTied: boolean) => {
      if (!last.isPresent(slot) || !now.isPresent(slot)) return;
      // One that perceives is a watcher; one that does not is none, unless it has pins.
      if (last.perceives(slot) && now.perceives(slot)) return;
      const mayHavePins = isTied || this.#from.ties.pinsOf(ids.idOf[slot]) !== undefined;
      if (!last.perceives(slot) && !now.perceives(slot) && !mayHavePins) return;
      seatedWith(slot, (watcher) => this.#asked.push(watcher, slot));
    };
    for (const slot of pendingWith(this.#store, ~MOVED)) consider(slot, false);
    for (const id of tied) consider(id >>> 10, true);
  }

  /** Rewrites crossings of seats to those of relation. */
  decide(crossings: Crossings): void {
    if (!this.#isAnyMutual) return;
    this.#rewritten = [];
    this.#addedFlags = 0;
    this.#askRows();
    const ofCrossings = this.#askCrossings(crossings);
    const ofRows = this.#askPairs(crossings);
    const { words } = crossings;
    for (let i = 0; i < this.#rewritten.length; i += 2)
      words[2 * this.#rewritten[i]] = this.#rewritten[i + 1];
    if (this.#rewritten.length > 0) crossings.keep((i) => words[2 * i] !== 0);
    for (const added of [ofCrossings, ofRows]) if (added.length > 0) crossings.merge(added, this.#addedFlags);
  }

  /** Makes what was decided so. After rows, overrides and what margins hold. */
  commit(tick: number): void {
    const { pairs, watchers, holds, overrides, cuts, derived } = this.#from;
    const heldNoMore: number[] = [];
    const turns = this.#turns;
    for (let i = 0; i < turns.length; i += TURN) {
      const [watcher, marker, before] = [turns[i], turns[i + 1], turns[i + 2]];
      let after = turns[i + 3];
      const hasRow = watchers.hasRow[watcher] === 1;
      const at = hasRow ? pairs.find(watcher, marker) : -1;
      if (after === AS_WRITTEN) after = pairs.state[at] & ~RELATED;
      const isGiven = (after & RELATED) !== 0;
      cuts.note(watcher, marker, before, after);
      if (hasRow) {
        pairs.state[at] = after;
        if (isGiven) pairs.reported[at] = tick;
        else this.#wake(watcher, after);
        continue;
      }
      if (isGiven) overrides.rows.remove(watcher, marker);
      else {
        if (isMarginHeld(after)) heldNoMore.push(watcher, marker);
        overrides.rows.insert(watcher, marker, after);
      }
      // Crossings say which pairs relate; what is counted are seats.
      derived.countUnreported(watcher, isGiven ? -1 : 1);
    }
    for (let i = 0; i < this.#edited.length; i += 2) this.#wake(this.#edited[i], this.#edited[i + 1]);
    holds.letGo(heldNoMore);
  }

  /** A seat in a row lost consent, or got none: later ticks must not take it for an ordinary one. `state`: the pair's. */
  #wake(watcher: number, state: number): void {
    const { watchers } = this.#from;
    const { now } = this.#store;
    const interest = watchers.interestIn(now, watcher);
    // A searched row is read as it stands; but no margin holds a pair that awaits consent.
    if (now.hidden.at(watcher) === 0) watchers.wake(watcher, lookWhileAwaiting(interest));
    else if (interest.leaveMargin > 0) watchers.wake(watcher, HEAVY | ON_NEWS);
    // What only a margin held is over with the next tick, even if nothing happens in it.
    if (isMarginHeld(state)) watchers.wake(watcher, ON_EVERY_TICK);
  }

  /**
   * Settles the consent of all seats that were taken or given up, by the crossings: for each, whether the taker may keep it, and whether
   * the other side's seat has consent now. Goes by the other side, so that each row is read once, and a crossing and its reverse are found
   * together. Returns the crossings to add, as words.
   */
  #askCrossings(crossings: Crossings): number[] {
    const end = crossings.count;
    const added: number[] = [];
    const chosen = this.#choose(crossings);
    let from = 0;
    for (let k = 0; k < chosen; k++) {
      const i = this.#order[k];
      const watcher = crossings.watcherAt(i);
      const other = crossings.markerAt(i);
      from = crossings.firstFrom(other, from);
      while (from < end && crossings.watcherAt(from) === other && crossings.markerAt(from) < watcher) from++;
      const isFound =
        from < end && crossings.watcherAt(from) === other && crossings.markerAt(from) === watcher;
      const isBoth = isFound && isTurn(crossings, from);
      const isSeated = crossings.isRelated(i);
      const asks = isSeated && this.#isMutual(watcher);
      const isAsked = !isBoth && this.#isMutual(other);
      if (!asks && !isAsked) continue;
      const state = isBoth ? 0 : this.#stateNow(other, watcher);
      if (isAsked) {
        const isGiven = isSeated || this.#isExempt(watcher, other);
        this.#turn(other, watcher, state, isGiven, isFound ? from : -1, added);
      }
      const isSeatedBack = isBoth ? crossings.isRelated(from) : (state & (SEATED | FORCED)) !== 0;
      if (asks && !isSeatedBack && !this.#isExempt(other, watcher)) this.#refuse(watcher, other, i);
    }
    return added;
  }

  /** Lists the crossings by which a seat that concerns consent is taken or given up, by marker, then watcher, in `#order`. Returns their number. */
  #choose(crossings: Crossings): number {
    const { count } = crossings;
    if (count > this.#order.length) {
      this.#order = new Uint32Array(2 * count);
      this.#scratch = new Uint32Array(2 * count);
    }
    let chosen = 0;
    for (let i = 0; i < count; i++) {
      if (!isTurn(crossings, i)) continue;
      const asks = crossings.isRelated(i) && this.#isMutual(crossings.watcherAt(i));
      if (asks || this.#isMutual(crossings.markerAt(i))) this.#order[chosen++] = i;
    }
    this.#room.note(count);
    sortBySlot(this.#order, this.#scratch, chosen, (i) => crossings.markerAt(i));
    return chosen;
  }

  /** The watcher may not keep a seat that it took in this tick; `i`: the crossing. A relation by force is no seat. */
  #refuse(watcher: number, marker: number, i: number): void {
    const { decider, watchers } = this.#from;
    // An incremental row takes no pair by force.
    const isWhole = decider.search.isDecided(watcher) || decider.stagedRowOf(watcher) >= 0;
    const isIncremental = watchers.hasRow[watcher] === 1 && !isWhole;
    const state = isIncremental ? SEATED | RELATED : this.#stateNow(watcher, marker);
    if (!isSeat(state)) return;
    this.#rewritten.push(i, 0);
    // It had no relation before, so no margin holds it.
    this.#note(watcher, marker, 0, isIncremental ? AS_WRITTEN : state & ~RELATED);
  }

  /** Gives consent to a seat or takes it back, if that is a change. `state`: the pair's in this tick; `at`: its crossing, or -1. */
  #turn(watcher: number, marker: number, state: number, isGiven: boolean, at: number, added: number[]): void {
    const flags = this.#store.now.flags[watcher];
    if (flags === 0 || !isSeat(state) || isGiven === !isAwaiting(state)) return;
    const before = this.#stateBefore(watcher, marker);
    const after = state ^ RELATED;
    const low = lowWordOf(marker, before, after);
    if (at >= 0) this.#rewritten.push(at, low);
    else if (low !== 0) {
      added.push(low, highWordOf(watcher, marker));
      this.#addedFlags |= flags;
    }
    this.#note(watcher, marker, before, after);
  }

  /** Stores the state of a seat whose consent is another than `#stateNow` says, where `commit` finds it. */
  #note(watcher: number, marker: number, before: number, after: number): void {
    const { decider, cuts } = this.#from;
    const row = decider.stagedRowOf(watcher);
    if (row >= 0) decider.turn(row, marker);
    else if (decider.search.isDecided(watcher) && decider.search.turn(watcher, marker)) {
      cuts.note(watcher, marker, before, after);
      if ((after & RELATED) === 0) this.#edited.push(watcher, after);
    } else this.#turns.push(watcher, marker, before, after);
  }

  get #isAnyMutual(): boolean {
    return this.#from.book.current.some(({ mutual }) => mutual);
  }

  /**
   * Lists pairs to look up: of watchers that changed themselves, all; of rows on the stage, seats that are new or awaited consent, without
   * those whose relation begins, because their crossing asks.
   */
  #askRows(): void {
    const { decider, pairs, watchers } = this.#from;
    const { stage, search } = decider;
    for (let row = 0; row < stage.rowCount; row++) {
      const watcher = stage.watchers[row];
      if (!this.#isMutual(watcher)) continue;
      const isAnew = watchers.isAnew(watcher);
      for (let j = stage.begins[row]; j < stage.begins[row + 1]; j++) {
        const [before, after] = [stage.before[j], stage.after[j]];
        if (!isSeat(after) || ((before ^ after) & RELATED) !== 0) continue;
        if (isAnew || !isSeat(before) || isAwaiting(before)) this.#asked.push(watcher, stage.marker[j]);
      }
    }
    for (const watcher of search.decided) {
      if (!watchers.isAnew(watcher) || !this.#isMutual(watcher)) continue;
      const { start, size, marker } = pairs;
      for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++)
        this.#asked.push(watcher, marker[i]);
    }
    this.#asked = this.#asked.concat(this.#from.overrides.unforced);
  }

  /** Looks up the consent to the pairs asked about, once for each, unless a crossing has told it. Returns the crossings to add, as words. */
  #askPairs(crossings: Crossings): number[] {
    const asked = this.#asked;
    const added: number[] = [];
    const keys = new Float64Array(asked.length / 2);
    for (let i = 0; i < keys.length; i++) keys[i] = keyOf(asked[2 * i], asked[2 * i + 1]);
    keys.sort();
    for (let i = 0; i < keys.length; i++) {
      if (i > 0 && keys[i] === keys[i - 1]) continue;
      const [watcher, marker] = pairOf(keys[i]);
      if (!this.#isMutual(watcher)) continue;
      const at = crossings.find(watcher, marker);
      const isTold = [at, crossings.find(marker, watcher)].some((j) => j >= 0 && isTurn(crossings, j));
      if (isTold) continue;
      const state = this.#stateNow(watcher, marker);
      const isSeatedBack = (this.#stateNow(marker, watcher) & (SEATED | FORCED)) !== 0;
      this.#turn(watcher, marker, state, isSeatedBack || this.#isExempt(marker, watcher), at, added);
    }
    return added;
  }

  #isMutual(slot: number): boolean {
    return this.#from.watchers.interestIn(this.#store.now, slot).mutual;
  }

  /** Whether a seat that `watcher` has for `other` needs no consent. */
  #isExempt(other: number, watcher: number): boolean {
    return !this.#from.decider.isWatcher(other) || !this.#store.now.isMarker(watcher);
  }

  /** How a pair stands in the tick under way, but for consent that a new seat may lack. */
  #stateNow(watcher: number, marker: number): number {
    const { pairs, watchers, decider, incremental, holds, overrides } = this.#from;
    const { now, settings } = this.#store;
    if (decider.search.isDecided(watcher)) return decider.search.stateOf(watcher, marker);
    const row = decider.stagedRowOf(watcher);
    if (row >= 0) {
      const j = decider.stage.find(row, marker);
      return j < 0 ? 0 : decider.stage.after[j];
    }
    if (watchers.hasRow[watcher] === 1) {
      const isHeavy = (watchers.look[watcher] & HEAVY) !== 0;
      if (!isHeavy && watchers.counts.incrementalLimit[watcher] > 0)
        return incremental.stateNow(watcher, marker, watchers.interestIn(now, watcher));
      const at = pairs.find(watcher, marker);
      return at < 0 ? 0 : pairs.state[at];
    }
    const byOverride = overrides.stateNow(watcher, marker);
    if (byOverride !== undefined) return byOverride;
    const exact = perceivedSenses(settings, now, watcher, marker);
    const senses = exact | holds.heldSensesNow(watcher, marker);
    // A pair that is seated without an override was admitted.
    return plainState(exact, senses, watchers.interestIn(now, watcher).admit !== undefined);
  }

  /** How a pair stood at the last tick. */
  #stateBefore(watcher: number, marker: number): number {
    const { pairs, watchers, decider, overrides } = this.#from;
    const row = decider.stagedRowOf(watcher);
    if (row >= 0) return decider.stage.before[decider.stage.find(row, marker)];
    if (watchers.hasRow[watcher] === 0) return overrides.stateBefore(watcher, marker);
    const at = pairs.find(watcher, marker);
    return at < 0 ? 0 : pairs.state[at];
  }
}

/** Whether a crossing (its index) says that a relation begins or ends, not only that its senses change. */
function isTurn(crossings: Crossings, i: number): boolean {
  return crossings.wasRelated(i) !== crossings.isRelated(i);
}
