/**
 * The markers that got no seat at the last tick because of a watcher's cap, a quota or an enter budget: perceived,
 * admitted, and outranked.
 *
 * A row contains the outranked markers that were considered. The row of a searched watcher contains only markers with
 * a seat, so there all entities are tested against the definition. Ranks are current ones. Cost: a look at the row;
 * for a searched watcher a look at all entities, O(n). A user's `rank` is called once for each outranked marker.
 */
import { NO_CAP } from '../entities/entity-state.ts';
import { perceivedSenses } from '../entities/perception.ts';
import { badOption } from '../errors.ts';
import { compareRanked, newcomer, type Ranked } from '../interest/rules/cap.ts';
import { effectiveRank } from '../interest/rules/rank.ts';
import { forgottenRank } from '../interest/rules/stored-interest.ts';
import type { Ties } from '../interest/rules/ties.ts';
import { CANDIDATE, exactOf, FORCED, SEATED } from '../interest/table/pair-rows.ts';
import type { RelationSources } from './visibility.ts';

/** What `World.outranked` returns, as of the last tick. */
export interface Outranked {
  /** Number of seats that the cap has for candidates; Infinity without a cap. */
  readonly seats: number;
  /** Number of candidates with a seat. */
  readonly seated: number;
  /** Number of candidates without a seat, in all, without those removed since. */
  readonly total: number;
  /** The first of these, best rank first, ties by id. */
  readonly ids: Uint32Array;
  /**
   * Their places after all candidates with a seat: the first is `seated` + 1. As of the last tick, so candidates removed
   * since count.
   */
  readonly places: Uint32Array;
  /**
   * Their ranks without an incumbent's bonus, also of markers that lost their seat in the last tick; smaller is better. NaN
   * if the rank function was not stored with the world.
   */
  readonly ranks: Float64Array;
}

const NOBODY = { total: 0, ids: new Uint32Array(0), places: new Uint32Array(0), ranks: new Float64Array(0) };

/** The first `limit` of a watcher (a slot). */
export function outranked(sources: RelationSources, ties: Ties, watcher: number, limit: number): Outranked {
  if (!Number.isInteger(limit) || limit < 0) throw badOption('limit', limit, 'a whole number of at least 0');
  const { store, seating } = sources;
  const { last, now, ids } = store;
  const cap = last.isPresent(watcher) ? seating.watchers.capIn(last, watcher) : NO_CAP;
  const interest = seating.watchers.interestIn(last, watcher);
  const isCut = cap !== NO_CAP || interest.quotas.length > 0 || interest.enterBudget !== NO_CAP;
  if (!last.isPresent(watcher) || !isCut) return { seats: Number.POSITIVE_INFINITY, seated: 0, ...NOBODY };
  const { isDerived, count } = seating.watchers.counts;
  const { start, size, state } = seating.tables.pairs;
  const hasRow = seating.hasRow(watcher);
  const isStored = hasRow || seating.tables.overrides.has[watcher] === 1;
  const end = isStored ? start[watcher] + size[watcher] : 0;
  let [forced, seated] = [0, 0];
  for (let i = start[watcher]; i < end; i++) {
    if ((state[i] & FORCED) !== 0) forced++;
    if ((state[i] & CANDIDATE) !== 0 && (state[i] & SEATED) !== 0) seated++;
  }
  if (!hasRow) {
    // Only pairs that a rule decides are stored, and the seats are counted.
    seated = isDerived[watcher] === 1 ? count[watcher] - forced : 0;
    return { seats: seatsOf(cap, forced), seated, ...NOBODY };
  }
  const found: Ranked[] = [];
  const isForgotten = interest.rank === forgottenRank;
  eachOutranked(sources, ties, watcher, (marker) => {
    const rank = isForgotten ? Number.NaN : effectiveRank(store, last, interest, watcher, marker, false);
    found.push(newcomer(marker, rank));
  });
  found.sort(compareRanked);
  const present = Array.from(found.keys()).filter((place) => now.isPresent(found[place].marker));
  const first = present.slice(0, limit);
  return {
    seats: seatsOf(cap, forced),
    seated,
    total: present.length,
    ids: Uint32Array.from(first, (place) => ids.idOf[found[place].marker]),
    places: Uint32Array.from(first, (place) => seated + 1 + place),
    ranks: Float64Array.from(first, (place) => found[place].rank),
  };
}

function seatsOf(cap: number, forced: number): number {
  return cap === NO_CAP ? Number.POSITIVE_INFINITY : Math.max(0, cap - forced);
}

/**
 * Visits, once each and in no order, the candidates of `watcher` that have no seat. Arguments are slots; entities
 * removed since are included.
 */
export function eachOutranked(
  { store, seating }: RelationSources,
  ties: Ties,
  watcher: number,
  visit: (marker: number) => void,
): void {
  const { settings, last, slotCount, ids } = store;
  const { pairs, cuts } = seating.tables;
  for (let i = pairs.start[watcher]; i < pairs.start[watcher] + pairs.size[watcher]; i++) {
    const state = pairs.state[i];
    const isOut = (state & CANDIDATE) !== 0 && (state & SEATED) === 0;
    // A margin does not hold a marker without a seat, unless it lost the seat in this very tick: then it is in
    // `cuts`.
    if (isOut && exactOf(state) !== 0) visit(pairs.marker[i]);
  }
  cuts.each(watcher, (marker, state) => {
    // Markers perceived without the margin were visited above. A seated marker that lacks the other side's consent is
    // not outranked.
    if ((state & CANDIDATE) !== 0 && (state & SEATED) === 0 && exactOf(state) === 0) visit(marker);
  });
  if (last.hidden.at(watcher) !== 1) return;
  const blocks = ties.blocksOf(ids.idOf[watcher]);
  for (let slot = 0; slot < slotCount; slot++) {
    if (perceivedSenses(settings, last, watcher, slot, last.ownRanges) === 0) continue;
    if (pairs.find(watcher, slot) < 0 && blocks?.has(ids.idOf[slot]) !== true) visit(slot);
  }
}
