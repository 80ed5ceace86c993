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
 * where a seat was taken or given up: the one side at that crossing, the other side at its reverse. Where there is none, the other side's
 * row says whether it seats this one.
 *
 * Crossings ascend by watcher, then marker. So the reverses among one watcher's crossings are wanted in their own order, and an index for
 * each watcher, which only goes up, finds them:
 *
 *   all crossings, in order       | a -> b | a -> c | ... | b -> c | ...
 *   their reverses, those of c             | c -> a |     | c -> b |
 *
 * Cost: two passes over the crossings, a search in a row for each that has no reverse, a look at a whole row where a watcher changed itself.
 * Memory: 4 bytes a slot where any watcher is mutual.
 */
import {
  type Crossings,
  highWordOf,
  keyOf,
  markerIn,
  pairOf,
  RELATED_AFTER,
  RELATED_BEFORE,
} from '../detectors/crossings.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { MOVED, pendingWith } from '../entities/pending.ts';
import { perceivedSenses } from '../entities/perception.ts';
import type { EachOwnWatcher } from './attached/root-watchers.ts';
import type { DerivedWatchers } from './derived/derived-watchers.ts';
import type { Overrides } from './derived/overrides.ts';
import type { RowEdits } from './seats/row-edits.ts';
import { HEAVY, ON_NEWS, ONCE, OWN_NEWS, type RuledWatchers } from './standing/ruled-watchers.ts';
import type { SeatTables } from './standing/seat-tables.ts';
import {
  FORCED,
  isAwaiting,
  isMarginHeld,
  isSeat,
  plainState,
  RELATED,
  SEATED,
  sensesOf,
} from './table/pair-rows.ts';
import { lowWordOf } from './table/relation-words.ts';

/** Numbers of an element of `#turns`. */
const TURN = 4;

/** Where seats are found: of those that have rows and of those that have none. */
interface SeatSources extends Omit<SeatTables, 'overrides'> {
  readonly watchers: RuledWatchers;
  readonly edits: RowEdits;
  readonly overrides: Overrides;
  readonly derived: DerivedWatchers;
}

export class MutualConsent {
  readonly #store: EntityStore;
  readonly #from: SeatSources;
  /** Pairs of the tick under way whose consent must be looked up, because no crossing may tell: watcher and marker, alternating. */
  #asked: number[] = [];
  /**
   * Seats that get consent in the tick under way or lose it, and that no edit changes: watcher, marker, and the pair's states before and
   * after.
   */
  #turns: number[] = [];
  /** Watchers with a seat that is edited and has no consent, and the pair's state, alternating. */
  #edited: number[] = [];
  /** Changes of the crossings of the tick under way: index and new low word, alternating. */
  #rewritten: number[] = [];
  /** By number of an interest: 1 if it is mutual. */
  #mutual = new Uint8Array(0);
  /** Crossings to add, as words: low, high. */
  #added: number[] = [];
  #addedFlags = 0;
  /** By slot: see `#placesIn`. */
  #places = new Uint32Array(0);

  constructor(from: SeatSources) {
    this.#store = from.store;
    this.#from = from;
  }

  get memoryBytes(): number {
    return this.#places.byteLength;
  }

  /** Frees memory that a larger population needed. */
  trim(): void {
    this.#places = new Uint32Array(0);
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
    this.#added = [];
    this.#addedFlags = 0;
    this.#mutual = Uint8Array.from(this.#from.book.current, ({ mutual }) => (mutual ? 1 : 0));
    this.#askRows();
    this.#askCrossings(crossings);
    this.#askPairs(crossings);
    const { words } = crossings;
    for (let i = 0; i < this.#rewritten.length; i += 2)
      words[2 * this.#rewritten[i]] = this.#rewritten[i + 1];
    if (this.#rewritten.length > 0) crossings.keep((i) => words[2 * i] !== 0);
    if (this.#added.length === 0) return;
    // As whole words they ascend in the order of reports.
    const ascending = new BigUint64Array(Uint32Array.from(this.#added).buffer).sort();
    crossings.merge(new Uint32Array(ascending.buffer), this.#addedFlags);
  }

  /** Makes what was decided so. After rows, overrides and what margins hold. */
  commit(tick: number): void {
    const { pairs, watchers, holds, overrides, cuts, derived, lingering } = this.#from;
    const heldNoMore: number[] = [];
    const turns = this.#turns;
    for (let i = 0; i < turns.length; i += TURN) {
      const [watcher, marker, before, after] = [turns[i], turns[i + 1], turns[i + 2], turns[i + 3]];
      const hasRow = watchers.hasRow[watcher] === 1;
      const at = hasRow ? pairs.find(watcher, marker) : -1;
      const isGiven = (after & RELATED) !== 0;
      cuts.note(watcher, marker, before, after);
      if (hasRow) {
        pairs.state[at] = after;
        lingering.note(watcher, marker, before, after, tick);
        if (!isGiven) this.#wake(watcher, after);
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
    if (now.hidden.at(watcher) === 0) watchers.wake(watcher, ON_NEWS);
    else if (interest.leaveMargin > 0) watchers.wake(watcher, HEAVY | ON_NEWS);
    // What only a margin held is over with the next tick, even if nothing happens in it and the row is calm. A marker that lingers may be too
    // far away for `seatedWith`: the next tick asks for consent to the whole row.
    if (isMarginHeld(state) || sensesOf(state) === 0) watchers.wake(watcher, ONCE);
  }

  /** Settles the consent of all seats that were taken or given up. */
  #askCrossings(crossings: Crossings): void {
    const { words, count } = crossings;
    const mutual = this.#mutual;
    // Without a column all have the first interest, which is the only one that can be mutual then.
    const interests = this.#store.now.interests.column?.array;
    const places = this.#placesIn(crossings);
    for (let i = 0; i < count; i++) {
      if (!isTurn(words[2 * i])) continue;
      const watcher = words[2 * i + 1] >>> 10;
      const marker = markerIn(words, i);
      if (interests !== undefined && (mutual[interests[watcher]] | mutual[interests[marker]]) === 0) continue;
      let at = places[marker];
      while (at < count && words[2 * at + 1] >>> 10 === marker && markerIn(words, at) < watcher) at++;
      places[marker] = at;
      const isReverse = at < count && words[2 * at + 1] >>> 10 === marker && markerIn(words, at) === watcher;
      this.#askPair(words, i, isReverse ? at : -1);
    }
  }

  /** By slot: the index of a watcher's first crossing. Of all others, an index of no meaning. */
  #placesIn({ words, count }: Crossings): Uint32Array {
    const { capacity } = this.#store;
    if (this.#places.length < capacity) this.#places = new Uint32Array(capacity);
    for (let i = count - 1; i >= 0; i--) this.#places[words[2 * i + 1] >>> 10] = i;
    return this.#places;
  }

  /** Settles the consent for one crossing. `reverse`: that of the other side, or -1. Indices. */
  #askPair(words: Uint32Array, i: number, reverse: number): void {
    const low = words[2 * i];
    const watcher = words[2 * i + 1] >>> 10;
    const other = markerIn(words, i);
    const isBoth = reverse >= 0 && isTurn(words[2 * reverse]);
    const asks = isRelated(low) && this.#isMutual(watcher);
    const isAsked = !isBoth && this.#isMutual(other);
    if (!asks && !isAsked) return;
    const state = isBoth ? 0 : this.#stateNow(other, watcher);
    if (isAsked) this.#turn(other, watcher, state, isRelated(low) || this.#isExempt(watcher, other), reverse);
    const isSeatedBack = isBoth ? isRelated(words[2 * reverse]) : (state & (SEATED | FORCED)) !== 0;
    if (asks && !isSeatedBack && !this.#isExempt(other, watcher)) this.#refuse(watcher, other, i);
  }

  /** The watcher may not keep a seat that it took in this tick; `i`: the crossing. A relation by force is no seat. */
  #refuse(watcher: number, marker: number, i: number): void {
    const state = this.#stateNow(watcher, marker);
    if (!isSeat(state)) return;
    this.#rewritten.push(i, 0);
    // It had no relation before, so no margin holds it.
    this.#note(watcher, marker, 0, state & ~RELATED);
  }

  /** Gives consent to a seat or takes it back, if that is a change. `state`: the pair's in this tick; `at`: its crossing, or -1. */
  #turn(watcher: number, marker: number, state: number, isGiven: boolean, at: number): void {
    const flags = this.#store.now.flags[watcher];
    if (flags === 0 || !isSeat(state) || isGiven === !isAwaiting(state)) return;
    const before = this.#stateBefore(watcher, marker);
    const after = state ^ RELATED;
    const low = lowWordOf(marker, before, after);
    if (at >= 0) this.#rewritten.push(at, low);
    else if (low !== 0) {
      this.#added.push(low, highWordOf(watcher, marker));
      this.#addedFlags |= flags;
    }
    this.#note(watcher, marker, before, after);
  }

  /** Stores the state of a seat whose consent is another than `#stateNow` says, where `commit` finds it. */
  #note(watcher: number, marker: number, before: number, after: number): void {
    const { edits, cuts } = this.#from;
    if (edits.isDecided(watcher) && edits.turn(watcher, marker)) {
      cuts.note(watcher, marker, before, after);
      if ((after & RELATED) === 0) this.#edited.push(watcher, after);
    } else this.#turns.push(watcher, marker, before, after);
  }

  get #isAnyMutual(): boolean {
    return this.#from.book.current.some(({ mutual }) => mutual);
  }

  /**
   * Lists pairs to look up: all of the rows that changed themselves, or took the slow path; of those in which only forces may have changed, the
   * pairs with these markers. To others, the crossings tell.
   */
  #askRows(): void {
    const { edits, watchers, maybeForced } = this.#from;
    const { start, size, marker } = this.#from.pairs;
    const rowOf = (watcher: number) => marker.subarray(start[watcher], start[watcher] + size[watcher]);
    const ask = (watcher: number, markers: Iterable<number>) => {
      if (!this.#isMutual(watcher)) return;
      for (const each of markers) this.#asked.push(watcher, each);
    };
    for (const watcher of edits.decided) {
      if (!watchers.isAnew(watcher)) continue;
      const isOwn = (this.#store.pending[watcher] & OWN_NEWS) !== 0;
      const lists = isOwn ? undefined : maybeForced.get(watcher);
      ask(watcher, lists?.flat() ?? rowOf(watcher));
    }
    for (const watcher of edits.taken) ask(watcher, rowOf(watcher));
    this.#asked = this.#asked.concat(this.#from.overrides.unforced);
  }

  /** Looks up the consent to the pairs asked about, once for each, unless a crossing has told it. */
  #askPairs(crossings: Crossings): void {
    const asked = this.#asked;
    const keys = new Float64Array(asked.length / 2);
    for (let i = 0; i < keys.length; i++) keys[i] = keyOf(asked[2 * i], asked[2 * i + 1]);
    keys.sort();
    for (let i = 0; i < keys.length; i++) {
      if (i > 0 && keys[i] === keys[i - 1]) continue;
      const [watcher, marker] = pairOf(keys[i]);
      if (!this.#isMutual(watcher)) continue;
      const state = this.#stateNow(watcher, marker);
      // A row of a crowd has many pairs that got no seat.
      if (!isSeat(state)) continue;
      const at = crossings.find(watcher, marker);
      const isTold = [at, crossings.find(marker, watcher)].some(
        (j) => j >= 0 && isTurn(crossings.words[2 * j]),
      );
      if (isTold) continue;
      const isSeatedBack = (this.#stateNow(marker, watcher) & (SEATED | FORCED)) !== 0;
      this.#turn(watcher, marker, state, isSeatedBack || this.#isExempt(marker, watcher), at);
    }
  }

  #isMutual(slot: number): boolean {
    return this.#mutual[this.#store.now.interests.at(slot)] === 1;
  }

  /** Whether a seat that `watcher` has for `other` needs no consent. */
  #isExempt(other: number, watcher: number): boolean {
    return !this.#from.ties.isWatcher(this.#store, other) || !this.#store.now.isMarker(watcher);
  }

  /** How a pair stands in the tick under way, but for consent that a new seat may lack. */
  #stateNow(watcher: number, marker: number): number {
    const { pairs, watchers, edits, holds, overrides } = this.#from;
    const { now, settings } = this.#store;
    if (edits.isDecided(watcher)) return edits.stateOf(watcher, marker);
    if (watchers.hasRow[watcher] === 1) {
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
    const { pairs, watchers, overrides } = this.#from;
    if (watchers.hasRow[watcher] === 0) return overrides.stateBefore(watcher, marker);
    const at = pairs.find(watcher, marker);
    return at < 0 ? 0 : pairs.state[at];
  }
}

/** Whether a crossing says that a relation begins or ends, not only that its senses change. `low`: its word. */
function isTurn(low: number): boolean {
  return isRelated(low) === ((low & RELATED_BEFORE) === 0);
}

/** Whether the pair of a crossing relates now. */
function isRelated(low: number): boolean {
  return (low & RELATED_AFTER) !== 0;
}
