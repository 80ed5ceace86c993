/**
 * Why a watcher relates to a marker, or why not: the rule that decided at the last tick, its numbers, and a sentence.
 *
 * The rules are checked in the order in which a tick decides. Ranks are current ones, with the bonus of incumbents.
 * Cost: a look at the pair; if the cap excluded the marker, a look at the watcher's row.
 */
import { type Condition, failedCondition } from '../entities/conditions.ts';
import type { EntityId } from '../entities/entity-ids.ts';
import { NO_CAP } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { meets, meetsCarried, perceivedSenses, reachBetween } from '../entities/perception.ts';
import { rounded } from '../errors.ts';
import { compareRanked, newcomer } from '../interest/rules/cap.ts';
import { isWithin } from '../interest/rules/pin-reasons.ts';
import { quotaOf } from '../interest/rules/quotas.ts';
import { distanceBetween, effectiveRank, squaredDistance } from '../interest/rules/rank.ts';
import { forgottenRank } from '../interest/rules/stored-interest.ts';
import type { Ties } from '../interest/rules/ties.ts';
import {
  BLOCKED,
  CANDIDATE,
  exactOf,
  FORCED,
  GROUPED,
  type PairRows,
  PINNED,
  REFUSED,
  RELATED,
  SEATED,
  SHOWN_ALWAYS,
  sensesOf,
  WAITING,
} from '../interest/table/pair-rows.ts';
import type { WorldSettings } from '../settings.ts';
import { eachOutranked } from './outranked.ts';
import { type RelationSources, relationOf } from './visibility.ts';

/**
 * The rule that decided. A pair is related by: senses, margin, pin, group, always, linger. By 'attached', it is
 * related if the parent is. By all others it is not related.
 */
export type ExplanationRule =
  | 'senses'
  | 'margin'
  | 'pin'
  | 'group'
  | 'always'
  | 'linger'
  | 'attached'
  | 'itself'
  | 'not-yet'
  | 'block'
  | 'at-rest'
  | 'no-watcher'
  | 'no-marker'
  | 'layers'
  | Condition
  | 'channel'
  | 'cloaked'
  | 'range'
  | 'admit'
  | 'cap'
  | 'quota'
  | 'waiting'
  | 'mutual';

/**
 * What `World.explain` returns, as of the last tick. Distances are world units, float32; with 'not-yet' all are 0.
 */
export interface Explanation {
  /** The watcher of the pair. */
  readonly watcher: EntityId;
  /** The marker of the pair. */
  readonly marker: EntityId;
  /** As of the last tick. */
  readonly related: boolean;
  /** The rule that decided. */
  readonly rule: ExplanationRule;
  /** Names of the senses with which the marker is perceived, margin included. */
  readonly senses: readonly string[];
  /** World units, as of the last tick. */
  readonly distance: number;
  /** The longest reach over all senses, without margin; 0 if it has none. */
  readonly reach: number;
  /** The watcher's leave margin. */
  readonly margin: number;
  /** With 'attached': the entity that the marker was attached to. */
  readonly parent?: EntityId;
  /** With 'pin': the reasons that hold; reasons beyond their distance are not included. */
  readonly reasons?: readonly string[];
  /** With 'linger': number of ticks that the relation remains, unless the marker is perceived again before. */
  readonly ticksLeft?: number;
  /** With 'quota': index of the interest's quota that is full, from 0 on. */
  readonly quota?: number;
  /** With 'cap': number of seats for candidates. With 'quota': number of seats of the quota. */
  readonly seats?: number;
  /**
   * With 'cap': the marker's place among the candidates, from 1 on. With 'quota': its place among those that the
   * quota counts. Like `rank`, it is absent after a restore if the rank function of the last tick had already been
   * replaced when the snapshot was taken, because such a function is not stored.
   */
  readonly place?: number;
  /**
   * With 'cap' and 'quota': the marker's rank, without the bonus of an incumbent, because it has no seat; smaller is
   * better. A marker that lost its seat at the last tick had the bonus then, and has none any more.
   */
  readonly rank?: number;
  /** With 'cap' and 'quota': the rank of the last candidate with a seat, with the bonus; absent if there is none. */
  readonly lastSeatedRank?: number;
  /** With 'cap' and 'quota': the marker's weight. */
  readonly weight?: number;
  /** The explanation in words. */
  readonly sentence: string;
}

type Detail = Partial<Omit<Explanation, 'rule' | 'sentence'>> & { rule: ExplanationRule; words: string };

/** Explains a pair of slots. */
export function explain(sources: RelationSources, ties: Ties, watcher: number, marker: number): Explanation {
  const { store, seating } = sources;
  const { settings, last, ids } = store;
  // Columns of an entity added since may still hold values of an earlier one.
  const isThere = last.isPresent(watcher) && last.isPresent(marker);
  const state = isThere ? stateOf(sources, watcher, marker) : 0;
  const isRelated = (state & RELATED) !== 0;
  const distance = isThere ? distanceBetween(settings, last, watcher, marker) : 0;
  let reach = 0;
  for (let s = 0; isThere && s < settings.senseCount; s++) {
    reach = Math.max(reach, reachBetween(last, s, watcher, marker, last.ownRanges));
  }
  const { words, ...detail } = isRelated
    ? whyRelated(sources, ties, watcher, marker, state, distance, reach)
    : whyNot(sources, ties, watcher, marker, state, distance, reach);
  return {
    watcher: ids.idOf[watcher],
    marker: ids.idOf[marker],
    related: isRelated,
    senses: settings.senses.filter((_, s) => (sensesOf(state) & (1 << s)) !== 0),
    distance,
    reach,
    margin: isThere ? seating.watchers.interestIn(last, watcher).leaveMargin : 0,
    ...detail,
    sentence: `${isRelated ? 'related' : 'not related'}: ${words}`,
  };
}

/** State of a pair when the last tick was over, with the bits of the pair rows. */
function stateOf({ store, seating }: RelationSources, watcher: number, marker: number): number {
  const { settings, last } = store;
  if (last.isCarried(marker)) {
    const followed = seating.attached.last.totalOf(watcher, marker);
    const i = seating.find(watcher, marker);
    const own = i < 0 ? 0 : seating.tables.pairs.state[i] & (PINNED | BLOCKED);
    return followed === 0 ? own : own | ((followed & 255) << 8) | RELATED;
  }
  const exact = perceivedSenses(settings, last, watcher, marker, last.ownRanges);
  const cut = seating.tables.cuts.stateOf(watcher, marker);
  if (cut !== 0) return cut;
  const hasRow = seating.hasRow(watcher);
  const i = seating.find(watcher, marker);
  if (!hasRow && i < 0) {
    const senses = exact | seating.tables.holds.heldSensesOf(watcher, marker);
    return senses === 0 ? 0 : exact | (senses << 8) | SEATED | RELATED | CANDIDATE;
  }
  const state = i < 0 ? 0 : seating.tables.pairs.state[i];
  if ((state & RELATED) !== 0) return state;
  // A margin keeps only pairs that are related, whatever it did when the row was decided.
  const senses = exact | (exact << 8);
  // The row of a searched watcher contains only pairs with a seat.
  if (i < 0) return last.hidden.at(watcher) === 1 && exact !== 0 ? senses | CANDIDATE : 0;
  // What is out of reach is no candidate, whatever its row says of the tick in which the margin held it.
  const former = exact === 0 ? CANDIDATE | REFUSED : 0;
  return (state & ~(0xffff | former)) | senses;
}

function whyRelated(
  sources: RelationSources,
  ties: Ties,
  watcher: number,
  marker: number,
  state: number,
  distance: number,
  reach: number,
): Detail {
  const { store, seating } = sources;
  const { ids, settings, last } = store;
  if ((state & PINNED) !== 0) {
    const squared = squaredDistance(settings, last, watcher, marker);
    const given = ties.pinsOf(ids.idOf[watcher])?.get(ids.idOf[marker])?.reasons.values() ?? [];
    const holding = [...given].filter(({ within }) => isWithin(squared, within));
    const reasons = holding.map(({ reason }) => reason);
    const named = reasons.filter((reason) => reason !== '');
    return { rule: 'pin', reasons, words: named.length === 0 ? 'pinned' : `pinned: ${named.join(', ')}` };
  }
  if ((state & GROUPED) !== 0) {
    const { groupKinds } = seating.watchers.interestIn(last, watcher);
    const kind = settings.groups.findIndex((_, k) => {
      const group = last.groups[k].at(watcher);
      return (groupKinds & (1 << k)) !== 0 && group !== 0 && group === last.groups[k].at(marker);
    });
    const of = kind < 0 ? '' : ` ${settings.groups[kind]} ${last.groups[kind].at(watcher)}`;
    return { rule: 'group', words: `of the same group:${of}, distance ${rounded(distance)}` };
  }
  if ((state & SHOWN_ALWAYS) !== 0)
    return { rule: 'always', words: `shown always, distance ${rounded(distance)}` };
  if (last.isCarried(marker)) {
    const parent = last.parents.at(marker);
    const isOfOneTree = !relationOf(sources, watcher, parent >>> 10).isRelated;
    const why = isOfOneTree ? 'and the watcher is of the same tree' : 'to which the watcher relates';
    return { rule: 'attached', parent, words: `attached to ${parent}, ${why}` };
  }
  if (sensesOf(state) === 0) return whyLinger(sources, watcher, marker);
  const names = settings.senses.filter((_, s) => (sensesOf(state) & (1 << s)) !== 0).join(', ');
  const isExact = exactOf(state) !== 0;
  const where = whereWords(settings, distance, reach, isExact);
  if (isExact) return { rule: 'senses', words: `perceived by ${names}: ${where}` };
  const { leaveMargin } = seating.watchers.interestIn(last, watcher);
  return { rule: 'margin', words: `held by margin: ${where}, margin ${rounded(leaveMargin)}` };
}

function whyLinger({ store, seating, tickCount }: RelationSources, watcher: number, marker: number): Detail {
  const { lingerTicks } = seating.watchers.interestIn(store.last, watcher);
  const unseen = tickCount - (seating.tables.lingering.seenAt(watcher, marker) ?? tickCount);
  const words = `lingers: not perceived for ${unseen} of ${lingerTicks} ticks`;
  return { rule: 'linger', ticksLeft: lingerTicks - unseen, words };
}

function whyNot(
  sources: RelationSources,
  ties: Ties,
  watcher: number,
  marker: number,
  state: number,
  distance: number,
  reach: number,
): Detail {
  const { store } = sources;
  const { last, ids } = store;
  if (watcher === marker) return { rule: 'itself', words: 'an entity never relates to itself' };
  if (!last.isPresent(watcher) || !last.isPresent(marker)) {
    return {
      rule: 'not-yet',
      words: `the ${last.isPresent(watcher) ? 'marker' : 'watcher'} was added after the last tick`,
    };
  }
  const watcherId = ids.idOf[watcher];
  if ((state & BLOCKED) !== 0 || ties.blocksOf(watcherId)?.has(ids.idOf[marker]) === true)
    return { rule: 'block', words: 'blocked' };
  if (last.isResting(watcher)) return { rule: 'at-rest', words: 'the watcher is at rest' };
  if (!last.perceives(watcher) && ties.pinsOf(watcherId) === undefined)
    return { rule: 'no-watcher', words: 'the watcher has no range in any sense, and no pin' };
  if (!last.isPerceptible(marker)) return { rule: 'no-marker', words: 'it is no marker' };
  const isCarried = last.isCarried(marker);
  if (!(isCarried ? meetsCarried : meets)(last, watcher, marker)) return whyNotMet(sources, watcher, marker);
  if (isCarried) {
    const parent = last.parents.at(marker);
    return { rule: 'attached', parent, words: `attached to ${parent}, to which the watcher does not relate` };
  }
  if ((state & SEATED) !== 0)
    return { rule: 'mutual', words: `the other side does not seat it: distance ${rounded(distance)}` };
  // What would linger is a candidate of no sense.
  if (sensesOf(state) === 0 && (state & (CANDIDATE | REFUSED)) === 0) {
    if (last.gains.every((gain) => gain.at(marker) === 0))
      return { rule: 'cloaked', words: 'imperceptible: gain 0 in every sense' };
    // What a gain, a minReach or a maxReach of the marker makes of it would otherwise not show.
    const range = last.longestRangeOf(watcher);
    const of = range === reach ? '' : `; range ${rounded(range)}`;
    return {
      rule: 'range',
      words: `out of reach: ${whereWords(store.settings, distance, reach, false)}${of}`,
    };
  }
  if ((state & REFUSED) !== 0) return { rule: 'admit', words: "not admitted by the interest's function" };
  if ((state & WAITING) !== 0) return whyWaiting(sources, watcher, marker);
  return cutByCap(sources, ties, watcher, marker, distance);
}

function whyWaiting({ store, seating, tickCount }: RelationSources, watcher: number, marker: number): Detail {
  const { enterBudget } = seating.watchers.interestIn(store.last, watcher);
  const ticks = 1 + tickCount - seating.tables.pairs.since[seating.tables.pairs.find(watcher, marker)];
  return {
    rule: 'waiting',
    words: `waiting to enter for ${counted(ticks, 'tick')}; each tick lets ${enterBudget} in`,
  };
}

function whyNotMet({ store }: RelationSources, from: number, to: number): Detail {
  const [sees, layers] = [store.last.sees.at(from), store.last.layers.at(to)];
  if ((sees & layers) === 0) {
    const words = `its layers 0x${layers.toString(16)} are not among those the watcher sees, 0x${sees.toString(16)}`;
    return { rule: 'layers', words };
  }
  const [own, other] = [store.last.channels.at(from), store.last.channels.at(to)];
  if (own !== other && own !== 0 && other !== 0)
    return { rule: 'channel', words: `it is in channel ${other}, the watcher in ${own}` };
  return whyNoCondition(store, from, to);
}

function whyNoCondition({ last, ids, settings }: EntityStore, from: number, to: number): Detail {
  const rule = failedCondition(last, from, to) as Condition;
  if (rule === 'needs') {
    const [sees, needs] = [last.sees.at(from), last.needs.at(to)];
    const words = `it needs a watcher that sees all of 0x${needs.toString(16)}, and this one sees 0x${sees.toString(16)}`;
    return { rule, words };
  }
  if (rule === 'only') {
    const only = last.only.at(to);
    const words =
      ids.idOf[only >>> 10] === only && last.isPresent(only >>> 10)
        ? `${only}`
        : `${only}, which was removed`;
    return { rule, words: `it is only for ${words}` };
  }
  const kinds = settings.groups.filter((_, kind) => (last.onlyGroups.at(to) & (1 << kind)) !== 0);
  return { rule, words: `it is only for its own group: ${kinds.join(', ')}` };
}

function cutByCap(
  sources: RelationSources,
  ties: Ties,
  watcher: number,
  marker: number,
  distance: number,
): Detail {
  const { store, seating } = sources;
  const { last } = store;
  const interest = seating.watchers.interestIn(last, watcher);
  const quota = fullQuotaOf(sources, watcher, marker);
  const isCounted = (slot: number) => quota < 0 || quotaOf(interest.quotas, last.layers.at(slot)) === quota;
  const weight = last.weights.at(marker);
  const rankOf = (slot: number, isSeated: boolean) =>
    effectiveRank(store, last, interest, watcher, slot, isSeated);
  const rank = rankOf(marker, false);
  const own = newcomer(marker, rank);
  let seated = 0;
  let forced = 0;
  let lastSeatedRank = Number.NEGATIVE_INFINITY;
  eachPair(seating.tables.pairs, watcher, (other, state) => {
    if ((state & FORCED) !== 0) forced++;
    if ((state & CANDIDATE) === 0 || (state & SEATED) === 0 || other === marker || !isCounted(other)) return;
    lastSeatedRank = Math.max(lastSeatedRank, rankOf(other, true));
    seated++;
  });
  let place = seated + 1;
  eachOutranked(sources, ties, watcher, (other) => {
    if (other === marker || !isCounted(other)) return;
    if (compareRanked(newcomer(other, rankOf(other, false)), own) < 0) place++;
  });
  const cap = quota < 0 ? seating.watchers.capIn(last, watcher) : interest.quotas[quota].cap;
  const seats = quota < 0 ? Math.max(0, cap - forced) : cap;
  const rule = quota < 0 ? ({ rule: 'cap' } as const) : ({ rule: 'quota', quota } as const);
  const cut =
    quota < 0
      ? 'cut by cap'
      : `cut by quota ${quota}, of layers 0x${interest.quotas[quota].layers.toString(16)}`;
  if (interest.rank === forgottenRank) {
    const words = `${cut}: ${counted(seats, 'seat')}, distance ${rounded(distance)}, ranked by a function that was not stored`;
    return { ...rule, seats, weight, words };
  }
  const ranked =
    interest.rank === undefined ? `weight ${rounded(weight)}` : `the function ranks it ${rounded(rank)}`;
  const border =
    seats === 0
      ? cap === 0
        ? 'it has no seats'
        : 'forced relations take all seats'
      : seated === 0
        ? 'the seats go to markers that wait to enter'
        : `the ${ordinal(seated)} ranks at ${rounded(lastSeatedRank)}`;
  // Otherwise the number of seats would not be the cap that the game has set.
  const taken =
    quota < 0 && forced > 0 && seats > 0 ? `; forced relations take ${forced} of ${cap} seats` : '';
  return {
    ...rule,
    seats: cap === NO_CAP ? Number.POSITIVE_INFINITY : seats,
    place,
    rank,
    weight,
    ...(seated > 0 ? { lastSeatedRank } : {}),
    words: `${cut}: rank ${place} of ${seats}, distance ${rounded(distance)}, ${ranked}; ${border}${taken}`,
  };
}

/** The quota that counts a marker, if all of the quota's seats are taken, or due to markers that wait to enter; else -1. */
function fullQuotaOf({ store, seating }: RelationSources, watcher: number, marker: number): number {
  const { last } = store;
  const { quotas } = seating.watchers.interestIn(last, watcher);
  const quota = quotaOf(quotas, last.layers.at(marker));
  if (quota < 0) return -1;
  let taken = 0;
  eachPair(seating.tables.pairs, watcher, (other, state) => {
    const isTaken = (state & CANDIDATE) !== 0 && (state & (SEATED | WAITING)) !== 0;
    if (isTaken && quotaOf(quotas, last.layers.at(other)) === quota) taken++;
  });
  return taken >= quotas[quota].cap ? quota : -1;
}

function eachPair(
  { start, size, marker, state }: PairRows,
  watcher: number,
  visit: (marker: number, state: number) => void,
): void {
  for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++) visit(marker[i], state[i]);
}

function whereWords(settings: WorldSettings, distance: number, reach: number, isInside: boolean): string {
  // A distance just beyond the reach must not read as the same number. Nine digits distinguish all float32.
  let digits = 4;
  while (digits < 9 && distance !== reach && rounded(distance, digits) === rounded(reach, digits)) digits++;
  // By a box or cells, a shorter distance may be out of reach, and a longer one within it.
  const how = distance <= reach === isInside ? '' : measureWords(settings, reach);
  return `distance ${rounded(distance, digits)}, reach ${rounded(reach, digits)}${how}`;
}

function measureWords(settings: WorldSettings, reach: number): string {
  const { granularity, rangeShape, dimensions, ratioX, ratioY, ratioZ } = settings;
  if (granularity === 'cell') return ', measured by cells';
  if (rangeShape === 'circle') return '';
  const ratios = rangeShape === 'box' ? [ratioX, ratioY, ratioZ] : [1, 1, ratioZ];
  const sizes = ratios.slice(0, dimensions).map((ratio) => rounded(reach * ratio));
  return `, measured as a ${rangeShape} of ${sizes.join(' x ')} to each side`;
}

function counted(n: number, what: string): string {
  return n === 1 ? `1 ${what}` : `${n} ${what}s`;
}

function ordinal(n: number): string {
  const tens = n % 100;
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${suffix}`;
}
