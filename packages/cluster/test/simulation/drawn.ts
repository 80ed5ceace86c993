/**
 * What the game draws by chance of each thing that can be said of an entity, of many and of an interest. The tables have a line
 * for each member: one that the engine learns is an error of types here until it has its line, too.
 */
import type { EntityId, EntityInit, EntityPatch, Interest, UpdateColumns } from 'umwelt';
import type { Random } from './random.ts';

export const INTEREST_NAMES = ['default', 'few', 'wide'] as const;
/** Set by the log, and unknown before. */
export const LATE_NAMES = ['late', 'later'] as const;
export const SENSES = ['sight', 'hearing'] as const;
export const GROUPS = ['party', 'guild'] as const;

/** Functions are given by name when a node joins: pure ones of what all replicas have. */
export const rankById = (watcher: EntityId, marker: EntityId): number => (marker * 7 + watcher) % 101;
export const admitSome = (watcher: EntityId, marker: EntityId): boolean =>
  ((watcher ^ marker) >>> 10) % 5 > 0;

type Drawn<T> = { readonly [M in keyof Required<T>]: (random: Random, ids: readonly EntityId[]) => T[M] };

const PATCH: Drawn<Omit<EntityPatch, 'watches'>> = {
  range: (random) => (random.chance(0.5) ? random.between(0, 40) : { hearing: random.between(0, 60) }),
  gain: (random) => (random.chance(0.5) ? random.between(0, 2) : { sight: random.between(0, 2) }),
  minReach: (random) => random.between(0, 10),
  maxReach: (random) => (random.chance(0.3) ? Number.POSITIVE_INFINITY : random.between(10, 60)),
  layers: (random) => 1 + random.below(3),
  sees: (random) => 1 + random.below(3),
  needs: (random) => (random.chance(0.7) ? 0 : 1 + random.below(2)),
  only: (random, ids) => (random.chance(0.7) || ids.length === 0 ? 0 : random.of(ids)),
  onlyGroup: (random) => random.of([false, false, true, ['guild']]),
  volatile: (random) => random.chance(0.4),
  channel: (random) => random.below(3),
  group: (random) => (random.chance(0.5) ? random.below(3) : { guild: random.below(3) }),
  weight: (random) => random.between(0.5, 2),
  always: (random) => random.chance(0.1),
  interest: (random) => random.of([...INTEREST_NAMES, ...LATE_NAMES]),
  cap: (random) => (random.chance(0.2) ? Number.POSITIVE_INFINITY : random.below(6)),
  updates: (random) => random.chance(0.9),
  marker: (random) => random.chance(0.9),
};

/** `mutual` where nodes compute all views. */
const INTEREST: Drawn<Omit<Interest, 'mutual'>> = {
  leaveMargin: (random) => random.below(8),
  cap: (random) => (random.chance(0.2) ? Number.POSITIVE_INFINITY : random.below(7)),
  rank: (random) => random.of(['nearest' as const, rankById]),
  admit: () => admitSome,
  incumbentBonus: (random) => random.unit(),
  minDwellTicks: (random) => random.below(6),
  memoryTicks: (random) => random.below(40),
  lingerTicks: (random) => random.below(5),
  quotas: (random) => [
    { layers: 1, cap: random.below(4) },
    { layers: 6, cap: random.chance(0.3) ? Number.POSITIVE_INFINITY : random.below(4) },
  ],
  enterBudget: (random) => (random.chance(0.5) ? Number.POSITIVE_INFINITY : 1 + random.below(4)),
  showGroup: (random) => random.of([false, true, ['guild'], { kinds: ['guild'], within: 'reach' as const }]),
  updateRates: (random) => [
    [0.5, 1],
    [1, 1 + random.below(4)],
  ],
};

const COLUMNS: {
  readonly [P in keyof Required<UpdateColumns>]: (random: Random, count: number) => UpdateColumns[P];
} = {
  range: (random, count) =>
    random.chance(0.5)
      ? floats(count, () => random.between(0, 40))
      : { hearing: floats(count, () => random.between(0, 40)) },
  gain: (random, count) => floats(count, () => random.between(0, 2)),
  layers: (random, count) => Array.from({ length: count }, () => 1 + random.below(3)),
  sees: (random, count) => Array.from({ length: count }, () => 1 + random.below(3)),
  channel: (random, count) => Array.from({ length: count }, () => random.below(3)),
  weight: (random, count) => floats(count, () => random.between(0.5, 2)),
  group: (random, count) => ({ guild: Uint32Array.from({ length: count }, () => random.below(3)) }),
};

function floats(count: number, value: () => number): Float64Array {
  return Float64Array.from({ length: count }, value);
}

/** One member of an entity, at random. */
export function drawnPatch(
  random: Random,
  ids: readonly EntityId[],
): Omit<EntityInit, 'x' | 'y' | 'z' | 'watches'> {
  const member = random.of(Object.keys(PATCH) as (keyof typeof PATCH)[]);
  return { [member]: PATCH[member](random, ids) };
}

/** A few members of an interest, at random. */
export function drawnInterest(random: Random, isMutual: boolean): Interest {
  const interest: Record<string, unknown> = {};
  for (const member of Object.keys(INTEREST) as (keyof typeof INTEREST)[]) {
    if (random.chance(0.3)) interest[member] = INTEREST[member](random, []);
  }
  return { ...interest, ...(isMutual && { mutual: true }) };
}

/** A property or two of many. */
export function drawnColumns(random: Random, count: number): UpdateColumns {
  const columns: Record<string, unknown> = {};
  for (let i = 0; i < 2; i++) {
    const property = random.of(Object.keys(COLUMNS) as (keyof UpdateColumns)[]);
    columns[property] = COLUMNS[property](random, count);
  }
  return columns;
}
