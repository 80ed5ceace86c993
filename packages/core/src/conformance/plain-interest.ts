/**
 * Interests as data, and the functions that they describe.
 *
 * Problem: a script must survive JSON, and rules have functions. Method: a rank is a weighted sum of the distance and
 * of a number mixed from both slots, with holes where it returns NaN or an infinity; `admit` rejects by the slots,
 * and rejects banned entities. Bans are the only thing that changes here: a script that changes one touches the
 * banned entity, as a game would. Both functions can be made to throw, as a user's bug would. Cost: a few operations
 * a call.
 */
import type { EntityId, EntityInit, EntityPatch, Interest, WorldOptions } from '../index.ts';

/** rank = distance * distanceShare + mix * mixShare; the hole, where mix is 0 modulo `holeEvery`. */
export interface PlainRank {
  readonly distanceShare: number;
  readonly mixShare: number;
  readonly hole?: 'NaN' | 'Infinity' | '-Infinity';
  readonly holeEvery?: number;
}

/**
 * Rejects pairs for which the mix of the slots is 0 modulo `refusesEvery`, and pairs with a banned entity on either
 * side.
 */
export interface PlainAdmit {
  readonly refusesEvery: number;
  /**
   * World units: pairs with a volatile entity that are farther apart are rejected, too; and the mix depends on the
   * phase.
   */
  readonly within?: number;
}

/** An `Interest` as data. No cap: Infinity. */
export type PlainInterest = Omit<Interest, 'rank' | 'admit'> & {
  rank?: 'nearest' | PlainRank;
  admit?: PlainAdmit;
};

/** JSON has no Infinity. */
export type PlainCap = number | 'none';
/**
 * A minReach and a maxReach, by the same senses. If maxReaches are in use, both are set together, so that maxReach is
 * never below minReach whichever operations are removed.
 */
export interface PlainReaches {
  readonly least: number | Readonly<Record<string, number>>;
  readonly most: PlainCap | Readonly<Record<string, PlainCap>>;
}
/** Members written differently from what the engine takes. */
interface PlainMembers {
  cap?: PlainCap;
  /** By the script's own key; 'none': 0. */
  only?: number | 'none';
  reaches?: PlainReaches;
}
export type PlainInit = Omit<EntityInit, keyof PlainMembers> & PlainMembers;
export type PlainPatch = Omit<EntityPatch, keyof PlainMembers> & PlainMembers;
export type PlainOptions = Omit<WorldOptions, 'detector' | 'interests'> & {
  interests?: Record<string, PlainInterest>;
};

/** What the functions depend on besides the pair; read in each call. */
export interface Circumstances {
  /** Entities that `admit` rejects. */
  readonly banned: ReadonlySet<EntityId>;
  /** Entities for which answers change without a touch. */
  readonly volatile: ReadonlySet<EntityId>;
  /** A different number in each tick. */
  readonly phase: number;
  /** Number of further calls of any function before one throws. */
  callsLeft: number;
}

/** Thrown by a function that was made to throw. */
export class Mishap extends Error {}

const MIX_SIZE = 11;

/** The interest that the data describes. */
export function interestOf(plain: PlainInterest, circumstances: Circumstances): Interest {
  const { rank, admit, ...numbers } = plain;
  const { banned, volatile } = circumstances;
  const interest: Interest = numbers;
  const begin = () => {
    if (circumstances.callsLeft-- <= 0) throw new Mishap('a function of an interest was made to throw');
  };
  if (rank === 'nearest') interest.rank = rank;
  else if (rank !== undefined) {
    interest.rank = (...asked) => {
      begin();
      return rankOf(rank, ...asked);
    };
  }
  if (admit !== undefined) {
    const { refusesEvery, within = Number.POSITIVE_INFINITY } = admit;
    interest.admit = (watcher, marker, distanceSquared) => {
      begin();
      if (banned.has(watcher) || banned.has(marker)) return false;
      const isVolatile = volatile.has(watcher) || volatile.has(marker);
      if (isVolatile && !(distanceSquared <= within * within)) return false;
      return (mixOf(watcher, marker) + (isVolatile ? circumstances.phase : 0)) % refusesEvery !== 0;
    };
  }
  return interest;
}

/** The options of a world for that script. */
export function optionsOf(plain: PlainOptions, circumstances: Circumstances): Omit<WorldOptions, 'detector'> {
  const { interests, ...options } = plain;
  if (interests === undefined) return options;
  const named = Object.entries(interests).map(
    ([name, each]) => [name, interestOf(each, circumstances)] as const,
  );
  return { ...options, interests: Object.fromEntries(named) };
}

/**
 * An init, patch or crowd as the engine takes it. `idOf`: the id of a key that was added, even if it was removed;
 * else 0.
 */
export function inFull<T extends PlainMembers>(
  plain: T,
  idOf: (key: number) => EntityId,
): Omit<T, keyof PlainMembers> & Pick<EntityPatch, 'cap' | 'only' | 'minReach' | 'maxReach'> {
  // Most are the same in full; copies take as long as the call that they are for.
  if (plain.cap === undefined && plain.only === undefined && plain.reaches === undefined)
    return plain as ReturnType<typeof inFull<T>>;
  const { cap, only, reaches, ...rest } = plain;
  return {
    ...rest,
    ...(cap === undefined ? {} : { cap: numberOf(cap) }),
    ...(only === undefined ? {} : { only: only === 'none' ? 0 : idOf(only) }),
    ...(reaches === undefined ? {} : { minReach: reaches.least, maxReach: numbersOf(reaches.most) }),
  };
}

function numberOf(plain: PlainCap): number {
  return plain === 'none' ? Number.POSITIVE_INFINITY : plain;
}

function numbersOf(plain: PlainReaches['most']): number | Record<string, number> {
  if (typeof plain !== 'object') return numberOf(plain);
  return Object.fromEntries(Object.entries(plain).map(([sense, each]) => [sense, numberOf(each)]));
}

function rankOf(
  { distanceShare, mixShare, hole, holeEvery = 1 }: PlainRank,
  watcher: EntityId,
  marker: EntityId,
  distance: number,
): number {
  const mix = mixOf(watcher, marker);
  if (hole !== undefined && mix % holeEvery === 0) return Number(hole);
  return distance * distanceShare + mix * mixShare;
}

/** A small whole number that differs from pair to pair. */
function mixOf(watcher: EntityId, marker: EntityId): number {
  return ((watcher >>> 10) * 5 + (marker >>> 10) * 7) % MIX_SIZE;
}
