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
 * where a seat was taken or given up: the one side at that crossing, the other side at its reverse. Cost: a search in the
 * crossings of one watcher for each of them; a look at a whole row where a watcher changed itself. Memory: 4 bytes a slot where any
 * watcher is mutual.
 */
import { grown } from '../../columns.ts';
import { type Crossings, highWordOf, keyOf, markerIn, pairOf, placeIn } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { MOVED, pendingWith } from '../../entities/pending.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import type { EachOwnWatcher } from '../attached/attached-relations.ts';
import { FORCED, isAwaiting, isMarginHeld, isSeat, plainState, RELATED, SEATED } from '../pair-rows.ts';
import type { RowDecider } from '../row-decider.ts';
import { HEAVY, lookWhileAwaiting, ON_EVERY_TICK, ON_NEWS, type RuledWatchers } from '../ruled-watchers.ts';
import type { SeatTables } from '../seat-tables.ts';
import { lowWordOf } from '../table/relation-words.ts';
import type { DerivedWatchers } from '../ways/derived-watchers.ts';
import type { IncrementalRows } from '../ways/incremental-rows.ts';
import type { Overrides } from '../ways/overrides/overrides.ts';

/** What is known of the consent to a seat: nothing, that it is given, or that it is not. */
const UNKNOWN = 0;
const GIVEN = 1;
const REFUSED = 2;
/** Numbers of an element of `#asked`, and of the values above with one more. */
const ASK = 3;
const KINDS = 4;

/** A seat that got consent or lost it, of a watcher whose row is not on the stage. */
interface Turn {
  readonly watcher: number;
  readonly marker: number;
  readonly before: number;
  readonly after: number;
}

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
  /** Pairs to look at in the tick under way: watcher, marker, and what is known of the other side's consent. */
  #asked: number[] = [];
  #turns: Turn[] = [];
  /** By watcher's slot: its first crossing in the tick under way; for a watcher without crossings, any number. */
  #firsts = new Uint32Array(0);

  constructor(from: SeatSources) {
    this.#store = from.store;
    this.#from = from;
  }

  get memoryBytes(): number {
    return this.#firsts.byteLength;
  }

  /**
   * The tick's beginning: notes whose consent may be needed no more, or from now on. `seatedWith`: visits who seats a marker as of the
   * last tick; `tied`: watchers whose pins changed.
   */
  begin(seatedWith: EachOwnWatcher, tied: Iterable<number>): void {
    this.#asked = [];
    this.#turns = [];
    if (!this.#isAnyMutual) return;
    const { last, now, ids } = this.#store;
    const consider = (slot: number, isTied: boolean) => {
      if (!last.isPresent(slot) || !now.isPresent(slot)) return;
      // One that perceives is a watcher; one that does not is none, unless it has pins.
      if (last.perceives(slot) && now.perceives(slot)) return;
      const mayHavePins = isTied || this.#from.ties.pinsOf(ids.idOf[slot]) !== undefined;
      if (!last.perceives(slot) && !now.perceives(slot) && !mayHavePins) return;
      seatedWith(slot, (watcher) => this.#asked.push(watcher, slot, UNKNOWN));
    };
    for (const slot of pendingWith(this.#store, ~MOVED)) consider(slot, false);
    for (const id of tied) consider(id >>> 10, true);
  }

  /** Rewrites crossings of seats to those of relation. */
  decide(crossings: Crossings): void {
    if (!this.#isAnyMutual) return;
    const isMutual = Uint8Array.from(this.#from.book.current, ({ mutual }) => (mutual ? 1 : 0));
    const { column, fallback } = this.#store.now.interests;
    const interestOf = column?.array;
    const usual = isMutual[fallback];
    const { count, words } = crossings;
    this.#noteFirsts(crossings);
    for (let i = 0; i < count; i++) {
      const watcher = words[2 * i + 1] >>> 10;
      const marker = markerIn(words, i);
      const mayAsk = (interestOf === undefined ? usual : isMutual[interestOf[watcher]]) === 1;
      const isAsked = (interestOf === undefined ? usual : isMutual[interestOf[marker]]) === 1;
      // Most crossings are of entities that are not mutual.
      if (!mayAsk && !isAsked) continue;
      const isSeated = crossings.isRelated(i);
      if (crossings.wasRelated(i) === isSeated) continue;
      const asks = isSeated && mayAsk;
      if (!asks && !isAsked) continue;
      const reverse = this.#find(crossings, marker, watcher);
      const isBoth = reverse >= 0 && crossings.wasRelated(reverse) !== crossings.isRelated(reverse);
      const isConsent = isBoth && crossings.isRelated(reverse);
      if (
        asks &&
        !isConsent &&
        !(isBoth ? this.#isExempt(marker, watcher) : this.#isSeatedBy(marker, watcher))
      )
        this.#asked.push(watcher, marker, REFUSED);
      if (isAsked && !isBoth)
        this.#asked.push(marker, watcher, isSeated || this.#isExempt(watcher, marker) ? GIVEN : REFUSED);
    }
    this.#askRows();
    this.#turnAll(crossings);
  }

  /** Makes what was decided so. After rows, overrides and what margins hold. */
  commit(tick: number): void {
    const { pairs, watchers, holds, overrides, cuts, derived } = this.#from;
    const { now } = this.#store;
    const heldNoMore: number[] = [];
    for (const { watcher, marker, before, after } of this.#turns) {
      const isGiven = (after & RELATED) !== 0;
      cuts.note(watcher, marker, before, after);
      if (watchers.hasRow[watcher] === 1) {
        const interest = watchers.interestIn(now, watcher);
        const at = pairs.find(watcher, marker);
        pairs.state[at] = after;
        if (isGiven) pairs.reported[at] = tick;
        // A searched row is read as it stands; but no margin holds a pair that awaits consent.
        else if (now.hidden.at(watcher) === 0) watchers.wake(watcher, lookWhileAwaiting(interest));
        else if (interest.leaveMargin > 0) watchers.wake(watcher, HEAVY | ON_NEWS);
        // What only a margin held is over with the next tick, even if nothing happens in it.
        if (!isGiven && isMarginHeld(after)) watchers.wake(watcher, ON_EVERY_TICK);
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
    holds.letGo(heldNoMore);
  }

  #noteFirsts({ words, count }: Crossings): void {
    this.#firsts = grown(this.#firsts, this.#store.capacity);
    for (let i = count - 1; i >= 0; i--) this.#firsts[words[2 * i + 1] >>> 10] = i;
  }

  /** As `crossings.find`, but faster: reads only the crossings of the watcher. */
  #find(crossings: Crossings, watcher: number, marker: number): number {
    const from = this.#firsts[watcher];
    if (from >= crossings.count || crossings.watcherAt(from) !== watcher) return -1;
    return placeIn(crossings.words, watcher, marker, from, crossings.firstFrom(watcher + 1, from));
  }

  get #isAnyMutual(): boolean {
    return this.#from.book.current.some(({ mutual }) => mutual);
  }

  /** Of watchers that changed themselves, any seat may have or lack consent now; of rows that were decided whole, those that are new. */
  #askRows(): void {
    const { decider, pairs, watchers } = this.#from;
    const { stage, search } = decider;
    const { now } = this.#store;
    for (let row = 0; row < stage.rowCount; row++) {
      const watcher = stage.watchers[row];
      if (!watchers.interestIn(now, watcher).mutual) continue;
      const isAnew = watchers.isAnew(watcher);
      for (let j = stage.begins[row]; j < stage.begins[row + 1]; j++) {
        if (isSeat(stage.after[j]) && (isAnew || !isConsented(stage.before[j])))
          this.#asked.push(watcher, stage.marker[j], UNKNOWN);
      }
    }
    for (const watcher of search.decided) {
      if (!watchers.isAnew(watcher) || !watchers.interestIn(now, watcher).mutual) continue;
      const { start, size, marker } = pairs;
      for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++)
        this.#asked.push(watcher, marker[i], UNKNOWN);
    }
    const { unforced } = this.#from.overrides;
    for (let i = 0; i < unforced.length; i += 2) this.#asked.push(unforced[i], unforced[i + 1], UNKNOWN);
  }

  /** Looks at the pairs asked about, once each. */
  #turnAll(crossings: Crossings): void {
    const asked = this.#asked;
    if (asked.length === 0) return;
    const keys = new Float64Array(asked.length / ASK);
    for (let i = 0; i < keys.length; i++)
      keys[i] = KINDS * keyOf(asked[ASK * i], asked[ASK * i + 1]) + asked[ASK * i + 2];
    keys.sort();
    const words: number[] = [];
    const ended = new Set<number>();
    let flags = 0;
    for (let i = 0; i < keys.length; i++) {
      const key = Math.floor(keys[i] / KINDS);
      // The last of the same pair is the one that knows more.
      if (i + 1 < keys.length && Math.floor(keys[i + 1] / KINDS) === key) continue;
      const [watcher, marker] = pairOf(key);
      const turn = this.#turnOf(watcher, marker, keys[i] - KINDS * key);
      if (turn === undefined) continue;
      const low = lowWordOf(marker, turn.before, turn.after);
      const at = this.#find(crossings, watcher, marker);
      if (at >= 0 && low === 0) ended.add(at);
      else if (at >= 0) crossings.words[2 * at] = low;
      else if (low !== 0) {
        words.push(low, highWordOf(watcher, marker));
        flags |= this.#store.now.flags[watcher];
      }
    }
    if (ended.size > 0) crossings.keep((i) => !ended.has(i));
    if (words.length > 0) crossings.merge(words, flags);
  }

  /** What becomes of a seat whose consent is another than it was; `undefined`: nothing. */
  #turnOf(watcher: number, marker: number, known: number): Turn | undefined {
    const { now } = this.#store;
    const { decider, watchers } = this.#from;
    if (now.flags[watcher] === 0 || !watchers.interestIn(now, watcher).mutual) return undefined;
    const state = this.#stateNow(watcher, marker);
    if (!isSeat(state)) return undefined;
    const isGiven = known === UNKNOWN ? this.#isSeatedBy(marker, watcher) : known === GIVEN;
    if (isGiven === !isAwaiting(state)) return undefined;
    const turn = { watcher, marker, before: this.#stateBefore(watcher, marker), after: state ^ RELATED };
    const row = decider.stagedRowOf(watcher);
    if (row < 0) this.#turns.push(turn);
    else decider.turn(row, marker);
    return turn;
  }

  /** Whether `other` seats `watcher` in this tick, or need not. */
  #isSeatedBy(other: number, watcher: number): boolean {
    return this.#isExempt(other, watcher) || (this.#stateNow(other, watcher) & (SEATED | FORCED)) !== 0;
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

/** Whether a pair is a seat that had consent. The other side's crossing asks again. */
function isConsented(state: number): boolean {
  return isSeat(state) && !isAwaiting(state);
}
