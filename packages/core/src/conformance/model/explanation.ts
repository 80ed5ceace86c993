/**
 * What decided on a pair at the last tick, and by which numbers: the definition of `World.explain`, without its
 * sentence.
 *
 * The rules are checked in the order of the contract. The numbers of the cap describe the state after the tick:
 * seated markers are ranked with the bonus, others without; seated markers come first, then the others by rank, ties
 * by lower id. Cost: O(n) a pair.
 */
import type { EntityId, Explanation, ExplanationRule } from '../../index.ts';
import {
  type Figure,
  type ModelOptions,
  obstacle,
  perceivedSenses,
  reachOf,
  squaredDistance,
} from '../perception.ts';
import { type Bond, type Bonds, NO_BONDS, type Unseated } from './bond.ts';
import { quotaOf, rankOf } from './cap.ts';
import { forceOf, isWatcher } from './decision.ts';
import { capOf, type RuleBook } from './rules.ts';
import type { PlainTies } from './ties.ts';

/** All that the last tick left behind. */
export interface Aftermath {
  readonly options: ModelOptions;
  readonly rules: RuleBook;
  readonly ties: PlainTies;
  readonly figures: ReadonlyMap<EntityId, Figure>;
  readonly bonds: Bonds;
  /** The last tick. */
  readonly tick: number;
  /** By watcher, by marker. */
  readonly unseated: ReadonlyMap<EntityId, ReadonlyMap<EntityId, Unseated>>;
}

export type PlainExplanation = Omit<Explanation, 'sentence'>;

const NOWHERE = { senses: [], distance: 0, reach: 0, margin: 0 };

export function explained(aftermath: Aftermath, watcher: EntityId, marker: EntityId): PlainExplanation {
  const { options, rules, figures } = aftermath;
  const [seer, seen] = [figures.get(watcher), figures.get(marker)];
  const pair = { watcher, marker };
  if (seer === undefined || seen === undefined) {
    return { ...pair, ...NOWHERE, related: false, rule: watcher === marker ? 'itself' : 'not-yet' };
  }
  const bond = aftermath.bonds.get(watcher)?.get(marker);
  const senses =
    bond?.senses ??
    aftermath.unseated.get(watcher)?.get(marker)?.senses ??
    (seen.parent === 0 ? perceivedSenses(seer, seen, options) : 0);
  const holding = aftermath.ties.reasonsAt(watcher, marker, squaredDistance(seer, seen, options));
  const decided = ruleOf(aftermath, watcher, seer, marker, seen, bond);
  const quota = decided === 'cap' ? fullQuotaOf(aftermath, watcher, seer, seen) : -1;
  const rule = quota < 0 ? decided : 'quota';
  return {
    ...pair,
    related: bond?.isRelated ?? false,
    rule,
    senses: options.senses.filter((_, sense) => (senses & (1 << sense)) !== 0),
    distance: Math.fround(Math.sqrt(squaredDistance(seer, seen, options))),
    reach: Math.max(...options.senses.map((_, sense) => reachOf(seer, seen, sense))),
    margin: rules.of(seer).leaveMargin,
    ...(seen.parent !== 0 && rule === 'attached' ? { parent: seen.parent } : {}),
    ...(rule === 'pin' ? { reasons: holding.map(([reason]) => reason) } : {}),
    ...(rule === 'linger'
      ? { ticksLeft: rules.of(seer).lingerTicks - (aftermath.tick - (bond?.perceivedAt as number)) }
      : {}),
    ...(rule === 'quota' ? { quota } : {}),
    ...(decided === 'cap' ? numbersOfCap(aftermath, watcher, seer, marker, seen, quota) : {}),
  };
}

function ruleOf(
  aftermath: Aftermath,
  watcher: EntityId,
  seer: Figure,
  marker: EntityId,
  seen: Figure,
  bond: Bond | undefined,
): ExplanationRule {
  const { options, ties } = aftermath;
  if (watcher === marker) return 'itself';
  if (bond?.isForced)
    return forceOf(aftermath, watcher, seer, aftermath.rules.of(seer), marker, seen) ?? 'pin';
  if (bond?.isRelated && bond.isAttached) return 'attached';
  if (bond?.isRelated && bond.senses === 0) return 'linger';
  if (bond?.isRelated) return perceivedSenses(seer, seen, options) === 0 ? 'margin' : 'senses';
  if (ties.isBlocked(watcher, marker)) return 'block';
  if (!seer.watches) return 'at-rest';
  if (!isWatcher(aftermath, watcher, seer)) return 'no-watcher';
  if (!seen.marker) return 'no-marker';
  const unmet = obstacle(seer, seen, options);
  if (unmet !== undefined) return unmet;
  if (seen.parent !== 0) return 'attached';
  if (bond !== undefined) return 'mutual';
  const isCloaked = seen.gains.every((gain) => gain === 0);
  return aftermath.unseated.get(watcher)?.get(marker)?.why ?? (isCloaked ? 'cloaked' : 'range');
}

/** The quota that counts a marker, if all of the quota's seats are taken or waited for; else -1. */
function fullQuotaOf(
  { rules, figures, bonds, unseated }: Aftermath,
  watcher: EntityId,
  seer: Figure,
  seen: Figure,
): number {
  const book = rules.of(seer);
  const quota = quotaOf(book, seen);
  if (quota < 0) return -1;
  const seated = [...(bonds.get(watcher) ?? NO_BONDS)].filter(([id, { isSeated }]) => {
    return isSeated && quotaOf(book, figures.get(id) as Figure) === quota;
  });
  const waiting = [...(unseated.get(watcher) ?? [])].filter(([id, { why }]) => {
    return why === 'waiting' && quotaOf(book, figures.get(id) as Figure) === quota;
  });
  return seated.length + waiting.length >= book.quotas[quota].cap ? quota : -1;
}

/** With a quota: only for the markers that it counts, with its seats. */
function numbersOfCap(
  { options, rules, figures, bonds, unseated }: Aftermath,
  watcher: EntityId,
  seer: Figure,
  marker: EntityId,
  seen: Figure,
  quota: number,
): Partial<PlainExplanation> {
  const book = rules.of(seer);
  const isCounted = (id: EntityId) => quota < 0 || quotaOf(book, figures.get(id) as Figure) === quota;
  const rank = (id: EntityId, isSeated: boolean) => {
    const candidate = { marker: id, figure: figures.get(id) as Figure, isSeated };
    const given = rankOf(watcher, seer, book, candidate, options);
    return Number.isNaN(given) ? Number.POSITIVE_INFINITY : given;
  };
  const mine = [...(bonds.get(watcher) ?? NO_BONDS)].filter(([, bond]) => bond.isForced || !bond.isAttached);
  const sitting = mine.filter(([, bond]) => !bond.isForced).map(([id]) => id);
  const seated = sitting.filter(isCounted).map((id) => rank(id, true));
  const ownSeats = Math.max(0, capOf(seer, book) - (mine.length - sitting.length));
  const seats = quota < 0 ? ownSeats : book.quotas[quota].cap;
  const own = rank(marker, false);
  const others = [...(unseated.get(watcher) ?? [])].filter(([id, { why }]) => {
    return (why === 'cap' || why === 'waiting') && id !== marker && isCounted(id);
  });
  const better = others.filter(([id]) => {
    const other = rank(id, false);
    return other < own || (other === own && id < marker);
  });
  return {
    seats,
    place: 1 + seated.length + better.length,
    rank: own,
    weight: seen.weight,
    ...(seated.length > 0 ? { lastSeatedRank: Math.max(...seated) } : {}),
  };
}
