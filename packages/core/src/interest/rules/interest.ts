/**
 * The rules of a watcher on top of perception: as users give them (`Interest`) and as the engine reads them
 * (`ResolvedInterest`).
 *
 * `resolveInterest` checks rules once, when they are given: it fills in defaults, and rounds numbers to the
 * precision in which they are compared. This file holds the rules as data only. What each rule means is a
 * file of its own in rules/.
 */
import type { EntityId } from '../../entities/entity-ids.ts';
import { checkedCap, checkedKinds, checkedLayers, checkedNumber } from '../../entities/entity-init.ts';
import { NO_CAP } from '../../entities/entity-state.ts';
import { badOption, isRecord, rejectUnknownKeys, shown, UmweltError } from '../../errors.ts';
import { MAX_DISTANCE, type WorldSettings } from '../../settings.ts';
import { checkedTerms, type GroupTerms, hasTerms, type ShownGroups } from './group-terms.ts';
import type { ResolvedQuota } from './quotas.ts';

/**
 * Returns a rank, float64: the smallest rank comes first, NaN comes last. `distance`: world units, float32.
 * Must be a pure function.
 */
export type RankFunction = (watcher: EntityId, marker: EntityId, distance: number) => number;
/**
 * Returns whether the marker may get a seat with the watcher: true or false; for anything else `tick` throws
 * `BAD_OPTION`. `distanceSquared`: in the tick under way, float32. Must be a pure function.
 */
export type AdmitFunction = (watcher: EntityId, marker: EntityId, distanceSquared: number) => boolean;

/**
 * Rules of a watcher. All are optional. Without rules, a watcher relates to every marker that it perceives.
 */
export interface Interest {
  /** World units, default 0: a related marker stays related until it is this much beyond the reach. */
  leaveMargin?: number;
  /** Maximum number of relations: a whole number, default Infinity. */
  cap?: number;
  /**
   * Order of the candidates when there are more than seats: the nearest first (default), or the one with the
   * smallest return value first.
   */
  rank?: 'nearest' | RankFunction;
  /**
   * Called when a pair becomes a candidate, whenever the watcher or the marker was touched since, and in each
   * tick if either is volatile. False: no seat. The squared distance is the one in the tick under way,
   * float32. Default: all are admitted.
   */
  admit?: AdmitFunction;
  /**
   * 0 to 1, default 0.15: the rank of a related marker is better by this fraction, so that seats are steady.
   */
  incumbentBonus?: number;
  /** Ticks, default 0: a seat younger than this cannot be lost to a better rank. */
  minDwellTicks?: number;
  /**
   * Ticks, default 0: a marker that lost its seat because it was no longer perceived, and that is perceived
   * again within this time, counts as an incumbent.
   */
  memoryTicks?: number;
  /**
   * Ticks, 0 to 65535, default 0: a relation that no sense perceives any more stays for this long, while the
   * two meet.
   */
  lingerTicks?: number;
  /**
   * Maximum number of seats for markers of some layers. A marker counts for the first quota that shares a
   * layer with it. At most 32 quotas; `cap` is a whole number or Infinity. While a quota is full, each tick
   * in which a seat may change hands decides the watcher's whole row. Default: none.
   */
  quotas?: readonly { readonly layers: number; readonly cap: number }[];
  /**
   * Whether the watcher relates to the members of its own groups at any distance. True: groups of every kind;
   * a list: groups of these kinds; an object: within limits, see `ShownGroups`. Default false.
   */
  showGroup?: boolean | readonly string[] | ShownGroups;
  /**
   * A whole number from 1, default Infinity: maximum number of pairs that begin to relate in one tick, in the
   * cap's order. A quarter of these places goes to the pairs that have waited longest. While pairs wait, each
   * tick decides the watcher's whole row: some 40 ns for each marker that it perceives.
   */
  enterBudget?: number;
  /** Whether a seat is kept only if the other side also gives this watcher a seat. Default false. */
  mutual?: boolean;
  /**
   * How often changes are reported, by distance: every `everyTicks` ticks, 1 to 255, up to `fraction` of the
   * longest range. 1 to 255 rings, whose fractions ascend, above 0 and up to 1; the last ring also applies to
   * all that is farther. Default: every tick.
   */
  updateRates?: readonly (readonly [fraction: number, everyTicks: number])[];
}

/** An `Interest`, checked and complete. */
export interface ResolvedInterest {
  readonly name: string;
  /** float32. */
  readonly leaveMargin: number;
  /** `NO_CAP` for none. */
  readonly cap: number;
  /** `undefined`: the nearest first. */
  readonly rank: RankFunction | undefined;
  readonly admit: AdmitFunction | undefined;
  readonly incumbentBonus: number;
  readonly minDwellTicks: number;
  readonly memoryTicks: number;
  readonly lingerTicks: number;
  readonly quotas: readonly ResolvedQuota[];
  /** `NO_CAP` for none. */
  readonly enterBudget: number;
  /** Bit i: groups of kind i are shown. */
  readonly groupKinds: number;
  /** `undefined`: shown wherever the two meet. */
  readonly groupTerms: GroupTerms | undefined;
  readonly mutual: boolean;
  /** Empty: every change is reported in its tick. */
  readonly updateRates: readonly (readonly [fraction: number, everyTicks: number])[];
}

const NAMES: ReadonlySet<string> = new Set([
  'leaveMargin',
  'cap',
  'rank',
  'admit',
  'incumbentBonus',
  'minDwellTicks',
  'memoryTicks',
  'lingerTicks',
  'showGroup',
  'mutual',
  'quotas',
  'enterBudget',
  'updateRates',
]);
const QUOTA_NAMES: ReadonlySet<string> = new Set(['layers', 'cap']);
const EXPECTED_GROUPS = 'true, false, a list of kinds of groups, or { kinds, within, through }';
const MAX_QUOTAS = 32;
const MAX_TICKS = 0xffff_ffff;
const MAX_LINGER_TICKS = 0xffff;
const MAX_EVERY_TICKS = 255;
/** Most rings of update rates: a snapshot stores their number in one byte. */
const MAX_RINGS = 255;

/**
 * Checks an interest and completes it. Throws `BAD_OPTION`, `BAD_RANGE` for the margin, `UNKNOWN_GROUP`,
 * `UNSUPPORTED` for a margin with granularity 'cell'.
 */
export function resolveInterest(settings: WorldSettings, name: string, given: Interest): ResolvedInterest {
  const field = `interests.${name}`;
  if (!isRecord(given)) throw badOption(field, given, 'an Interest');
  rejectUnknownKeys(given, NAMES, field);
  const { rank = 'nearest', admit, incumbentBonus = 0.15, mutual = false } = given;
  const { leaveMargin = 0, minDwellTicks = 0, memoryTicks = 0, lingerTicks = 0, showGroup = false } = given;
  if (rank !== 'nearest' && typeof rank !== 'function')
    throw badOption(`${field}.rank`, rank, "'nearest' or a function");
  if (admit !== undefined && typeof admit !== 'function')
    throw badOption(`${field}.admit`, admit, 'a function');
  if (typeof incumbentBonus !== 'number' || !(incumbentBonus >= 0 && incumbentBonus <= 1)) {
    throw badOption(`${field}.incumbentBonus`, incumbentBonus, 'a number from 0 to 1');
  }
  if (typeof mutual !== 'boolean') throw badOption(`${field}.mutual`, mutual, 'true or false');
  return {
    name,
    leaveMargin: checkedMargin(settings, `${field}.leaveMargin`, leaveMargin),
    cap: given.cap === undefined ? NO_CAP : checkedCap(`${field}.cap`, given.cap),
    rank: rank === 'nearest' ? undefined : rank,
    admit,
    incumbentBonus: incumbentBonus + 0,
    minDwellTicks: checkedTicks(`${field}.minDwellTicks`, minDwellTicks),
    memoryTicks: checkedTicks(`${field}.memoryTicks`, memoryTicks),
    lingerTicks: checkedTicks(`${field}.lingerTicks`, lingerTicks, MAX_LINGER_TICKS),
    quotas: checkedQuotas(`${field}.quotas`, given.quotas),
    enterBudget: checkedBudget(`${field}.enterBudget`, given.enterBudget),
    ...checkedGroups(settings, `${field}.showGroup`, showGroup),
    mutual,
    updateRates: checkedRates(`${field}.updateRates`, given.updateRates),
  };
}

/**
 * Whether the interest changes no relation: every perceived marker is related. Update rates only decide when changes are reported.
 */
export function isPlain(interest: ResolvedInterest): boolean {
  return (
    interest.leaveMargin === 0 &&
    interest.cap === NO_CAP &&
    interest.admit === undefined &&
    interest.groupKinds === 0 &&
    !keepsRow(interest) &&
    !interest.mutual &&
    // The watcher may get a cap of its own later, and from then on the age of its seats counts.
    interest.minDwellTicks === 0
  );
}

/**
 * Whether the kernel knows all rules that decide a whole row of this interest: rank, margin, dwell, quotas, the
 * enter budget, and what `admit` returned. Mutual consent is checked afterwards (mutual.ts).
 * The kernel hands back rows in which a pair lingers, or `admit` must be called for a pair that neither crossed nor
 * is of a touched or volatile entity; see kernels/wasm/seat-whole.ts. A user's `rank` is called once for a pair, so a
 * row that it ranks and that may linger is not for the kernel, which might hand it back after the calls.
 */
export function isForKernel({ rank, lingerTicks }: ResolvedInterest): boolean {
  return rank === undefined || lingerTicks === 0;
}

/**
 * Whether a rule depends on the former state of each pair. A watcher with such a rule always has a row, and
 * is never searched.
 */
export function keepsRow({ lingerTicks, quotas, enterBudget }: ResolvedInterest): boolean {
  return lingerTicks > 0 || quotas.length > 0 || enterBudget !== NO_CAP;
}

function checkedMargin(settings: WorldSettings, field: string, given: unknown): number {
  const value = checkedNumber('BAD_RANGE', field, given, MAX_DISTANCE);
  if (value > 0 && settings.granularity === 'cell') {
    throw new UmweltError(
      'UNSUPPORTED',
      `${field}: ${shown(value)} was given with granularity 'cell', expected 0`,
      { field, value },
    );
  }
  // Adding 0 turns -0 into 0.
  return Math.fround(value) + 0;
}

function checkedTicks(field: string, value: unknown, most = MAX_TICKS): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most) {
    throw badOption(field, value, `a whole number of ticks from 0 to ${most}`);
  }
  return value + 0;
}

function checkedGroups(
  settings: WorldSettings,
  field: string,
  showGroup: Interest['showGroup'],
): Pick<ResolvedInterest, 'groupKinds' | 'groupTerms'> {
  if (!hasTerms(showGroup))
    return { groupKinds: checkedKinds(settings, field, showGroup, EXPECTED_GROUPS), groupTerms: undefined };
  const groupTerms = checkedTerms(field, showGroup);
  const { kinds = settings.groups } = showGroup;
  const expected = 'a list of kinds of groups';
  if (typeof kinds === 'boolean') throw badOption(`${field}.kinds`, kinds, expected);
  return { groupKinds: checkedKinds(settings, `${field}.kinds`, kinds, expected), groupTerms };
}

function checkedBudget(field: string, value: unknown): number {
  return value === undefined ? NO_CAP : checkedCap(field, value, 1);
}

function checkedQuotas(field: string, value: Interest['quotas']): readonly ResolvedQuota[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MAX_QUOTAS)
    throw badOption(field, value, `at most ${MAX_QUOTAS} quotas { layers, cap }`);
  return [...value].map((given: unknown, i) => {
    const quota = given as { layers?: unknown; cap?: unknown };
    const own = `${field}[${i}]`;
    if (!isRecord(given)) throw badOption(own, given, 'an object { layers, cap }');
    rejectUnknownKeys(quota, QUOTA_NAMES, own);
    return { layers: checkedLayers(`${own}.layers`, quota.layers), cap: checkedCap(`${own}.cap`, quota.cap) };
  });
}

function checkedRates(field: string, value: Interest['updateRates']): ResolvedInterest['updateRates'] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_RINGS) {
    throw badOption(field, value, `1 to ${MAX_RINGS} pairs [fraction, everyTicks]`);
  }
  let previous = 0;
  return [...value].map((ring) => {
    if (!Array.isArray(ring) || ring.length !== 2)
      throw badOption(field, ring, 'pairs [fraction, everyTicks]');
    const [fraction, everyTicks] = ring;
    if (typeof fraction !== 'number' || !(fraction > previous && fraction <= 1)) {
      throw badOption(field, fraction, 'fractions that ascend, above 0 and up to 1');
    }
    if (!Number.isInteger(everyTicks) || everyTicks < 1 || everyTicks > MAX_EVERY_TICKS) {
      throw badOption(field, everyTicks, `whole numbers of ticks from 1 to ${MAX_EVERY_TICKS}`);
    }
    previous = fraction;
    return [fraction, everyTicks] as const;
  });
}
