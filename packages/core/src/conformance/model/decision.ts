/**
 * Decides all relations: the rules of interest, in their order.
 *
 * Problem: the engine decides only where something may have changed. Method: here every pair is decided again at
 * every tick, from the current state and the bonds of the last tick, one rule after the other: block, pin, meeting,
 * group and always, senses or linger, `admit`, cap, and when all seats are decided, mutual. Cost: O(n^2) a tick.
 */
import type { EntityId } from '../../index.ts';
import {
  type Figure,
  hasRange,
  isInside,
  type ModelOptions,
  meets,
  obstacleBesideLayers,
  perceivedSenses,
  reachOf,
  squaredDistance,
} from '../perception.ts';
import { type Bond, type Bonds, NO_BONDS, ownBond, type Unseated } from './bond.ts';
import { type Candidate, seatedOf, waitingOf } from './cap.ts';
import type { LostSeats } from './lost-seats.ts';
import { capOf, type RuleBook, type Rules } from './rules.ts';
import type { PlainTies } from './ties.ts';

/** All inputs of the decision. */
export interface Situation {
  /** The current tick. */
  readonly tick: number;
  readonly options: ModelOptions;
  readonly figures: ReadonlyMap<EntityId, Figure>;
  readonly rules: RuleBook;
  readonly ties: PlainTies;
  /** Updated here. */
  readonly lostSeats: LostSeats;
  /** Bonds of the last tick. */
  readonly before: Bonds;
  /** Filled here: markers that are perceived and have no seat, by watcher, and why. */
  readonly unseated: Map<EntityId, Map<EntityId, Unseated>>;
  /**
   * Answers of `admit` at the last tick, by watcher, by marker; without pairs for which it must be called again in
   * any case.
   */
  readonly answersBefore: Answers;
  /** Filled here: the answers of this tick. */
  readonly answers: Map<EntityId, Map<EntityId, boolean>>;
  readonly touched: ReadonlySet<EntityId>;
  /** Markers that waited to enter after the last tick, and since when; filled here: after this one. */
  readonly waitingBefore: Waits;
  readonly waiting: Map<EntityId, Map<EntityId, number>>;
}

/** By watcher, by marker: the tick in which a wait began. */
export type Waits = ReadonlyMap<EntityId, ReadonlyMap<EntityId, number>>;

/** Answers for pairs, by watcher, by marker. */
export type Answers = ReadonlyMap<EntityId, ReadonlyMap<EntityId, boolean>>;

const ALL_SENSES = 0xff;

/** What may relate a pair whatever the senses and the seats. */
export type Force = 'pin' | 'group' | 'always';

/** The bonds of this tick, except those that follow from a parent's; see attachments.ts. */
export function decide(situation: Situation): Bonds {
  const { figures, rules } = situation;
  const seated = new Map<EntityId, ReadonlyMap<EntityId, Bond>>();
  for (const watcher of figures.keys()) seated.set(watcher, seatsOf(situation, watcher));
  const decided = new Map(seated);
  for (const [watcher, bonds] of seated) {
    if (!rules.of(figures.get(watcher) as Figure).mutual) continue;
    const consented = [...bonds].map(([marker, bond]): [EntityId, Bond] => {
      return [
        marker,
        { ...bond, isRelated: bond.isForced || hasConsent(situation, seated, watcher, marker) },
      ];
    });
    decided.set(watcher, new Map(consented));
  }
  return decided;
}

/** Whether it watches, and has a range or a pin. */
export function isWatcher({ ties }: Pick<Situation, 'ties'>, id: EntityId, figure: Figure): boolean {
  return figure.watches && (hasRange(figure) || ties.hasPins(id));
}

/** Forced relations and seats of one watcher, before the consent of the other sides. */
function seatsOf(situation: Situation, watcher: EntityId): Map<EntityId, Bond> {
  const { tick, options, figures, lostSeats } = situation;
  const seer = figures.get(watcher) as Figure;
  const rules = situation.rules.of(seer);
  const before = situation.before.get(watcher) ?? NO_BONDS;
  const bonds = new Map<EntityId, Bond>();
  if (!seer.watches) {
    lostSeats.forget(watcher);
    return bonds;
  }
  if (before.size === 0 && !isWatcher(situation, watcher, seer)) return bonds;
  const cap = capOf(seer, rules);
  // Without a cap nothing is remembered, not even what was lost under one.
  if (cap === Number.POSITIVE_INFINITY) lostSeats.forget(watcher);
  const candidates: Candidate[] = [];
  const unseated = new Map<EntityId, Unseated>();
  situation.unseated.set(watcher, unseated);
  for (const [marker, seen] of figures) {
    const bond = ownBond(before.get(marker));
    const force = forceOf(situation, watcher, seer, rules, marker, seen);
    const senses = heldSenses(situation, seer, seen, rules, bond, force);
    if (situation.ties.isBlocked(watcher, marker)) {
      unseated.set(marker, { why: 'block', senses });
    } else if (force !== undefined) {
      bonds.set(marker, bondOf(tick, rules, bond, before.get(marker), senses, true));
    } else {
      const isWanted = senses !== 0 || isLingering(situation, watcher, seer, seen, rules, bond);
      const isAdmitted = isWanted && answerOf(situation, watcher, seer, rules, marker, seen);
      if (isWanted && !isAdmitted) unseated.set(marker, { why: 'admit', senses });
      if (isAdmitted) candidates.push(candidateOf(situation, rules, watcher, marker, seen, senses, bond));
      else if (senses === 0 && bond?.isSeated) lostSeats.remember(watcher, marker, tick);
    }
  }
  const seats = Math.max(0, cap - bonds.size);
  const due = seatedOf(watcher, seer, rules, candidates, seats, options);
  const waiting = waitOf(situation, watcher, seer, rules, due);
  // Ranks are computed once if no marker waits.
  const seated =
    waiting.length === 0
      ? due
      : seatedOf(watcher, seer, rules, enteringOf(before, candidates, due, waiting), seats, options);
  for (const { marker, senses } of seated) {
    const bond = before.get(marker);
    bonds.set(marker, bondOf(tick, rules, ownBond(bond), bond, senses, false));
  }
  for (const { marker, senses } of candidates) {
    lostSeats.strike(watcher, marker);
    if (bonds.has(marker)) continue;
    unseated.set(marker, { why: waiting.includes(marker) ? 'waiting' : 'cap', senses });
  }
  lostSeats.trim(watcher, cap);
  return bonds;
}

/** The candidates for seats while markers wait: incumbents, and those that would get a seat and do not wait. */
function enteringOf(
  before: ReadonlyMap<EntityId, Bond>,
  candidates: readonly Candidate[],
  due: readonly Candidate[],
  waiting: readonly EntityId[],
): Candidate[] {
  const dueMarkers = new Set(due.map(({ marker }) => marker));
  return candidates.filter(({ marker }) => {
    const isIncumbent = ownBond(before.get(marker)) !== undefined;
    return isIncumbent || (dueMarkers.has(marker) && !waiting.includes(marker));
  });
}

/** Of the markers that would get a seat, those that wait to enter; recorded for the next tick. */
function waitOf(
  { tick, before, waitingBefore, waiting, options }: Situation,
  watcher: EntityId,
  seer: Figure,
  rules: Rules,
  due: readonly Candidate[],
): readonly EntityId[] {
  if (rules.enterBudget === Number.POSITIVE_INFINITY) return [];
  const own = before.get(watcher) ?? NO_BONDS;
  const newcomers = due.filter(({ marker }) => ownBond(own.get(marker)) === undefined);
  const sinceOf = (marker: EntityId) => waitingBefore.get(watcher)?.get(marker) ?? tick;
  const markers = waitingOf(watcher, seer, rules, newcomers, sinceOf, options);
  waiting.set(watcher, new Map(markers.map((marker) => [marker, sinceOf(marker)])));
  return markers;
}

/** The answer of `admit` for a candidate pair: the previous one, unless it must be called again. */
function answerOf(
  { answers, answersBefore, touched, options }: Situation,
  watcher: EntityId,
  seer: Figure,
  rules: Rules,
  marker: EntityId,
  seen: Figure,
): boolean {
  if (rules.admit === undefined) return true;
  const isVolatile = seer.volatile || seen.volatile || touched.has(watcher) || touched.has(marker);
  const before = isVolatile ? undefined : answersBefore.get(watcher)?.get(marker);
  const answer = before ?? rules.admit(watcher, marker, squaredDistance(seer, seen, options));
  const own = answers.get(watcher) ?? new Map<EntityId, boolean>();
  answers.set(watcher, own.set(marker, answer));
  return answer;
}

/**
 * The senses that perceive. The margin holds senses that perceived at the last tick if the pair was related, and all
 * senses if it was related by a force that has ended.
 */
function heldSenses(
  { options }: Situation,
  seer: Figure,
  seen: Figure,
  { leaveMargin }: Rules,
  bond: Bond | undefined,
  force: Force | undefined,
): number {
  // No watcher perceives it directly: relations to it follow from those to its parent.
  if (seen.parent !== 0) return 0;
  if (!bond?.isRelated) return perceivedSenses(seer, seen, options);
  const senses = bond.isForced && force === undefined ? ALL_SENSES : bond.senses;
  return perceivedSenses(seer, seen, options, { margin: leaveMargin, senses });
}

/** Whether a marker that no sense perceives stays a candidate: it was related, and perceived not too long ago. */
function isLingering(
  situation: Situation,
  watcher: EntityId,
  seer: Figure,
  seen: Figure,
  { lingerTicks }: Rules,
  bond: Bond | undefined,
): boolean {
  if (seen.parent !== 0 || !bond?.isRelated || bond.perceivedAt === undefined) return false;
  if (!meets(seer, seen, situation.options) || !isWatcher(situation, watcher, seer)) return false;
  return situation.tick - bond.perceivedAt <= lingerTicks;
}

/** What relates the pair by force, if anything does; blocks are ignored. */
export function forceOf(
  situation: Pick<Situation, 'ties' | 'options'>,
  watcher: EntityId,
  seer: Figure,
  { shownKinds, groupTerms }: Rules,
  marker: EntityId,
  seen: Figure,
): Force | undefined {
  const { ties, options } = situation;
  if (seen.marker && ties.hasPins(watcher)) {
    const squared = squaredDistance(seer, seen, options);
    if (ties.reasonsAt(watcher, marker, squared).length > 0) return 'pin';
  }
  if (shownKinds.length === 0 && !seen.always) return undefined;
  if (seen.parent !== 0 || !isWatcher(situation, watcher, seer)) return undefined;
  const isFellow = options.groups.some((kind, i) => {
    return shownKinds.includes(kind) && seer.groups[i] !== 0 && seer.groups[i] === seen.groups[i];
  });
  if (isFellow && isShownFellow(seer, seen, groupTerms, options)) return 'group';
  return seen.always && hasRange(seer) && meets(seer, seen, options) ? 'always' : undefined;
}

/** Whether a marker of the watcher's group is shown to it: if they meet, or on terms. */
function isShownFellow(
  seer: Figure,
  seen: Figure,
  terms: Rules['groupTerms'],
  options: ModelOptions,
): boolean {
  if (terms === undefined) return meets(seer, seen, options);
  const { within = Number.POSITIVE_INFINITY, through = [] } = terms;
  const isMet = through.includes('layers')
    ? seer !== seen && seen.marker && obstacleBesideLayers(seer, seen, options) === undefined
    : meets(seer, seen, options);
  if (!isMet) return false;
  // As if its gain were 1, in the senses in which it is not cloaked.
  const gains = seen.gains.map((gain) => (through.includes('gain') || gain > 0 ? 1 : 0));
  const senses = options.senses.map((_, sense) => sense).filter((s) => seer.ranges[s] * gains[s] > 0);
  if (within === 'reach') {
    return senses.some((s) => {
      const reach = reachOf(seer, { ...seen, gains }, s);
      return reach > 0 && isInside(seer, seen, reach, options);
    });
  }
  const limit = Math.fround(within);
  const isNear = squaredDistance(seer, seen, options) <= Math.fround(limit * limit);
  return isNear && (through.includes('gain') || senses.length > 0);
}

function candidateOf(
  { tick, lostSeats }: Situation,
  { minDwellTicks, memoryTicks }: Rules,
  watcher: EntityId,
  marker: EntityId,
  figure: Figure,
  senses: number,
  bond: Bond | undefined,
): Candidate {
  return {
    marker,
    figure,
    senses,
    isSeated: bond !== undefined || lostSeats.isRemembered(watcher, marker, tick, memoryTicks),
    isProtected: bond !== undefined && tick - bond.since < minDwellTicks,
  };
}

function bondOf(
  tick: number,
  { lingerTicks }: Rules,
  own: Bond | undefined,
  before: Bond | undefined,
  senses: number,
  isForced: boolean,
): Bond {
  const isKept = own?.isRelated === true && lingerTicks > 0;
  return {
    perceivedAt: senses !== 0 ? tick : isKept ? own.perceivedAt : undefined,
    senses,
    isForced,
    isSeated: !isForced,
    isRelated: true,
    isAttached: false,
    since: own?.since ?? tick,
    lastReported: before?.isRelated ? before.lastReported : tick,
  };
}

/** With mutual rules: whether the marker has the watcher seated as well, or need not. */
function hasConsent(situation: Situation, seated: Bonds, watcher: EntityId, marker: EntityId): boolean {
  const { figures } = situation;
  const [seer, seen] = [figures.get(watcher) as Figure, figures.get(marker) as Figure];
  // An attached entity takes no seat.
  if (!seer.marker || seer.parent !== 0 || !isWatcher(situation, marker, seen)) return true;
  return seated.get(marker)?.has(watcher) ?? false;
}
