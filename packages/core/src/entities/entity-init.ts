/**
 * Checks and rounds what a caller passes about an entity: `EntityInit` and `EntityPatch` become numbers here.
 *
 * Nothing is written to a world before all members have passed.
 */
import { badOption, isRecord, rejectUnknownKeys, shown, UmweltError } from '../errors.ts';
import { MAX_DISTANCE, MAX_GAIN, MIN_MAGNITUDE, type WorldSettings } from '../settings.ts';
import type { EntityId, EntityIds } from './entity-ids.ts';
import { CAP_UNSET, type EntityState, NO_CAP } from './entity-state.ts';

/** The properties of an entity when it is added. All but the position are optional. */
export interface EntityInit {
  /** Position in world units, stored as float32: -1e12 to 1e12, with 24 bits. */
  x: number;
  y: number;
  /** Required in 3-D, ignored in 2-D. */
  z?: number;
  /**
   * How far the entity perceives, world units, 0 to 1e12. A bare number is for the first sense only, unlike `gain`
   * and `minReach`; use a record for others. Absent: 0, no watcher.
   */
  range?: number | Readonly<Record<string, number>>;
  /**
   * Scales the range of every watcher towards this entity, 0 to 1e6. A number is for every sense; absent: 1; 0:
   * cannot be perceived.
   */
  gain?: number | Readonly<Record<string, number>>;
  /**
   * Every watcher that has the sense perceives this entity at least this far, world units. A number is for every
   * sense; absent: 0.
   */
  minReach?: number | Readonly<Record<string, number>>;
  /**
   * No watcher perceives this entity farther than this, world units, at least `minReach`. A number is for every
   * sense; absent: Infinity. So the smaller one applies: the reach from the watcher's range, or the limit of the
   * marker's type.
   */
  maxReach?: number | Readonly<Record<string, number>>;
  /** Whether it can be perceived. Default true. */
  marker?: boolean;
  /** Layers that it is on: a 32-bit mask. Default 1. */
  layers?: number;
  /** Layers that it perceives: a 32-bit mask. Default: `layers`, until it is set. */
  sees?: number;
  /** The copy of the crowd that it is in, 0 to 65535; 0 (default) meets all channels. */
  channel?: number;
  /** A watcher must see all of these layers, in addition to one of `layers`: a 32-bit mask. Default 0. */
  needs?: number;
  /**
   * The only watcher that meets it: an owner's loot. If that watcher was removed, no watcher meets it. Default 0: any
   * watcher.
   */
  only?: EntityId;
  /**
   * Only watchers of its group meet it: in any kind (true), or in one of these kinds. If it is in no group, no
   * watcher meets it. Default false.
   */
  onlyGroup?: boolean | readonly string[];
  /**
   * Whether, as a watcher, it gets `updated` lists and `update` events. A gateway's clients need them: without
   * them what they were sent stands still. Default true.
   */
  updates?: boolean;
  /**
   * Default true. False: the entity is at rest. It keeps its ranges, interest, pins and blocks, but it perceives
   * nothing and relates to no marker; its seats and memory are dropped. Set to true again, it starts from scratch.
   */
  watches?: boolean;
  /**
   * The number of the party, raid or guild that it belongs to, a whole number; 0 (default): none. A bare number is
   * for the first kind.
   */
  group?: number | Readonly<Record<string, number>>;
  /** Importance for rank 'nearest': distances are divided by it. 0 and up; default 1. */
  weight?: number;
  /** Relates this marker to every watcher that meets it and has a range, whatever the distance. Default false. */
  always?: boolean;
  /**
   * On either side of a pair in reach: the interest's `admit` is called for the pair in each tick, without a `touch`.
   * Default false. For stealth by level, duels, quests.
   */
  volatile?: boolean;
  /** The name of its interest. Default 'default'. */
  interest?: string;
  /**
   * Maximum number of relations of this watcher, instead of its interest's: a whole number, or Infinity. Default: the
   * interest's.
   */
  cap?: number;
}

/** Changes to an entity; absent members stay as they are. A record by sense changes only the senses that it names. */
export type EntityPatch = Partial<Omit<EntityInit, 'x' | 'y' | 'z'>>;

/** Checked numbers; bit i of a `...Given` mask says that sense i was named. */
export interface PropertyValues {
  readonly ranges: Float32Array;
  readonly gains: Float32Array;
  readonly minReaches: Float32Array;
  readonly maxReaches: Float32Array;
  rangesGiven: number;
  gainsGiven: number;
  minReachesGiven: number;
  maxReachesGiven: number;
  layers: number | undefined;
  sees: number | undefined;
  channel: number | undefined;
  needs: number | undefined;
  only: EntityId | undefined;
  /** Bit k for kind k. */
  onlyGroups: number | undefined;
  marker: boolean | undefined;
  updates: boolean | undefined;
  watches: boolean | undefined;
  readonly groups: Uint32Array;
  groupsGiven: number;
  weight: number | undefined;
  always: boolean | undefined;
  volatile: boolean | undefined;
  /** Index of the interest. */
  interest: number | undefined;
  /** `NO_CAP` for Infinity. */
  cap: number | undefined;
}

export const PATCH_KEYS = [
  'range',
  'gain',
  'minReach',
  'maxReach',
  'marker',
  'layers',
  'sees',
  'channel',
  'needs',
  'only',
  'onlyGroup',
  'updates',
  'watches',
  'group',
  'weight',
  'always',
  'volatile',
  'interest',
  'cap',
] as const;
const PATCH_NAMES: ReadonlySet<string> = new Set(PATCH_KEYS);
const INIT_NAMES: ReadonlySet<string> = new Set(['x', 'y', 'z', ...PATCH_KEYS]);

export function emptyValues({ senseCount, groups }: WorldSettings): PropertyValues {
  return {
    ranges: new Float32Array(senseCount),
    gains: new Float32Array(senseCount),
    minReaches: new Float32Array(senseCount),
    maxReaches: new Float32Array(senseCount),
    rangesGiven: 0,
    gainsGiven: 0,
    minReachesGiven: 0,
    maxReachesGiven: 0,
    layers: undefined,
    sees: undefined,
    channel: undefined,
    needs: undefined,
    only: undefined,
    onlyGroups: undefined,
    marker: undefined,
    updates: undefined,
    watches: undefined,
    groups: new Uint32Array(groups.length),
    groupsGiven: 0,
    weight: undefined,
    always: undefined,
    volatile: undefined,
    interest: undefined,
    cap: undefined,
  };
}

/**
 * Fills `out` with all members of `given` except the position. Throws the code of the first wrong member. A value can
 * be wrong alone, or together with what `slot` has in `now`: for a patch, the slot that it is for; for an init there
 * is none.
 */
export function readProperties(
  settings: WorldSettings,
  given: EntityInit | EntityPatch,
  kind: 'EntityInit' | 'EntityPatch',
  out: PropertyValues,
  ids: EntityIds,
  now?: EntityState,
  slot = 0,
): PropertyValues {
  const known = kind === 'EntityInit' ? INIT_NAMES : PATCH_NAMES;
  const isObject = typeof given === 'object' && given !== null;
  // An array or a Map has no keys, or unknown ones. A value with known keys needs no check of its type, which costs
  // 10 ns.
  const what = kind === 'EntityPatch' ? 'EntityPatch (`move` sets positions)' : kind;
  if (!isObject || (rejectUnknownKeys(given, known, what) === 0 && !isRecord(given)))
    throw badOption('entity', given, `an ${kind}`);
  out.rangesGiven = readSenses(settings, 'range', given.range, out.ranges, checkedRange, 1);
  out.gainsGiven = readGains(settings, given.gain, out.gains);
  out.minReachesGiven = readMinReaches(settings, given.minReach, out.minReaches);
  out.maxReachesGiven = readMaxReaches(settings, given.maxReach, out.maxReaches);
  out.layers = given.layers === undefined ? undefined : checkedLayers('layers', given.layers);
  out.sees = given.sees === undefined ? undefined : checkedLayers('sees', given.sees);
  out.channel = given.channel === undefined ? undefined : checkedChannel(given.channel);
  out.needs = given.needs === undefined ? undefined : checkedLayers('needs', given.needs);
  out.only = given.only === undefined ? undefined : checkedOnly(ids, given.only);
  out.onlyGroups = given.onlyGroup === undefined ? undefined : checkedOnlyGroups(settings, given.onlyGroup);
  out.marker = checkedFlag('marker', given.marker);
  out.updates = checkedFlag('updates', given.updates);
  out.watches = checkedFlag('watches', given.watches);
  out.groupsGiven = given.group === undefined ? 0 : readGroups(settings, given.group, out.groups);
  out.weight = given.weight === undefined ? undefined : checkedWeight(given.weight);
  out.always = checkedFlag('always', given.always);
  out.volatile = checkedFlag('volatile', given.volatile);
  out.interest = given.interest === undefined ? undefined : interestIndex(settings, given.interest);
  out.cap = given.cap === undefined ? undefined : checkedCap('cap', given.cap);
  // Last, because a getter of `given` may have changed the slot.
  if (out.minReachesGiven + out.maxReachesGiven !== 0) checkReachOrder(settings, out, now, slot);
  return out;
}

/** Fills `out` with the given gains; returns a mask of the senses given. Throws `BAD_GAIN`, `UNKNOWN_SENSE`. */
export function readGains(settings: WorldSettings, given: EntityInit['gain'], out: Float32Array): number {
  return readSenses(settings, 'gain', given, out, checkedGain, (1 << settings.senseCount) - 1);
}

/** As `readGains`, for minReach. Throws `BAD_RANGE`, `UNKNOWN_SENSE`. */
export function readMinReaches(
  settings: WorldSettings,
  given: EntityInit['minReach'],
  out: Float32Array,
): number {
  return readSenses(settings, 'minReach', given, out, checkedRange, (1 << settings.senseCount) - 1);
}

/** As `readGains`, for maxReach. Throws `BAD_RANGE`, `UNKNOWN_SENSE`. */
export function readMaxReaches(
  settings: WorldSettings,
  given: EntityInit['maxReach'],
  out: Float32Array,
): number {
  return readSenses(settings, 'maxReach', given, out, checkedMaxReach, (1 << settings.senseCount) - 1);
}

/**
 * Throws `BAD_RANGE` if maxReach would be below minReach. Values that were not given are taken from `slot` in `now`.
 */
export function checkReachOrder(
  { senses }: WorldSettings,
  values: Pick<PropertyValues, 'minReaches' | 'maxReaches' | 'minReachesGiven' | 'maxReachesGiven'>,
  now?: EntityState,
  slot = 0,
): void {
  for (let s = 0; s < senses.length; s++) {
    const isMinGiven = (values.minReachesGiven & (1 << s)) !== 0;
    const isMaxGiven = (values.maxReachesGiven & (1 << s)) !== 0;
    const min = isMinGiven ? values.minReaches[s] : (now?.minReaches[s].at(slot) ?? 0);
    const max = isMaxGiven ? values.maxReaches[s] : (now?.maxReaches[s].at(slot) ?? Number.POSITIVE_INFINITY);
    if (max >= min) continue;
    const [field, value] = isMaxGiven ? ['maxReach', max] : ['minReach', min];
    const expected = isMaxGiven ? `at least its minReach, ${min}` : `at most its maxReach, ${max}`;
    throw new UmweltError(
      'BAD_RANGE',
      `${field}: ${value} was given for ${senses[s]}, expected ${expected}`,
      {
        field,
        value,
      },
    );
  }
}

/** Throws `BAD_POSITION` unless every coordinate in use is a number within the limit. */
export function checkPosition(
  settings: WorldSettings,
  x: number,
  y: number,
  z: number | undefined,
  index?: number,
): void {
  if (isCoordinate(x) && isCoordinate(y) && (settings.dimensions === 2 || isCoordinate(z))) return;
  const field = !isCoordinate(x) ? 'x' : !isCoordinate(y) ? 'y' : 'z';
  const value = field === 'x' ? x : field === 'y' ? y : z;
  const at = index === undefined ? '' : ` at index ${index}`;
  throw new UmweltError(
    'BAD_POSITION',
    `${field}: ${shown(value)} was given${at}, expected a number from -${MAX_DISTANCE} to ${MAX_DISTANCE}`,
    index === undefined ? { field, value } : { field, value, index },
  );
}

/** Whether a value is a number from -1e12 to 1e12. */
export function isCoordinate(value: unknown): value is number {
  // Comparisons with NaN are false, so NaN and the infinities fail.
  return typeof value === 'number' && value >= -MAX_DISTANCE && value <= MAX_DISTANCE;
}

/** Reads a number (for the senses of `numberMeans`) or a record by sense; returns a mask of the senses given. */
function readSenses(
  settings: WorldSettings,
  field: string,
  given: number | Readonly<Record<string, number>> | undefined,
  out: Float32Array,
  checked: (field: string, value: unknown) => number,
  numberMeans: number,
): number {
  if (given === undefined) return 0;
  if (!isRecord(given)) {
    const value = checked(field, given);
    for (let s = 0; s < settings.senseCount; s++) if ((numberMeans & (1 << s)) !== 0) out[s] = value;
    return numberMeans;
  }
  let named = 0;
  for (const sense of Object.keys(given)) {
    if (given[sense] === undefined) continue;
    const s = senseIndex(settings, field, sense);
    out[s] = checked(`${field}.${sense}`, given[sense]);
    named |= 1 << s;
  }
  return named;
}

/** The index of a sense. Throws `UNKNOWN_SENSE`. */
export function senseIndex({ senses }: WorldSettings, field: string, sense: string): number {
  const s = senses.indexOf(sense);
  if (s >= 0) return s;
  throw new UmweltError(
    'UNKNOWN_SENSE',
    `${field}: sense ${shown(sense)} was given, expected one of ${senses.join(', ')}`,
    { field, value: sense },
  );
}

/** A range as it is stored, float32. Throws unless it is valid. */
export function checkedRange(field: string, value: unknown): number {
  return stored(checkedNumber('BAD_RANGE', field, value, MAX_DISTANCE));
}

function checkedMaxReach(field: string, value: unknown): number {
  if (value === Number.POSITIVE_INFINITY) return value;
  return stored(checkedNumber('BAD_RANGE', field, value, MAX_DISTANCE, ', or Infinity'));
}

/** A gain as it is stored, float32. Throws unless it is valid. */
export function checkedGain(field: string, value: unknown): number {
  return stored(checkedNumber('BAD_GAIN', field, value, MAX_GAIN));
}

/** A number from 0 to `most`. `besides`: what else is valid, which the caller has looked for. */
export function checkedNumber(
  code: 'BAD_RANGE' | 'BAD_GAIN',
  field: string,
  value: unknown,
  most: number,
  besides = '',
): number {
  if (typeof value === 'number' && value >= 0 && value <= most) return value;
  const message = `${field}: ${shown(value)} was given, expected a number from 0 to ${most}${besides}`;
  throw new UmweltError(code, message, { field, value });
}

function stored(value: number): number {
  return value < MIN_MAGNITUDE ? 0 : Math.fround(value);
}

/** A 32-bit mask, given signed or unsigned. */
export function checkedLayers(field: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < -(2 ** 31) || value > 2 ** 32 - 1) {
    throw new UmweltError(
      'BAD_LAYERS',
      `${field}: ${shown(value)} was given, expected an integer of -2^31 to 2^32 - 1`,
      { field, value },
    );
  }
  return value >>> 0;
}

/** The number of a channel. */
export function checkedChannel(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 65_535) {
    throw badOption('channel', value, 'a whole number from 0 to 65535');
  }
  return value + 0;
}

/** The id of an entity that is or was present; or 0. */
export function checkedOnly(ids: EntityIds, value: unknown): EntityId {
  if (value === 0 || ids.isKnown(value)) return (value as EntityId) + 0;
  throw new UmweltError('BAD_ID', `only: ${shown(value)} was given, expected the id of an entity, or 0`, {
    field: 'only',
    value,
  });
}

/** Kinds of groups as bits. */
export function checkedOnlyGroups(settings: WorldSettings, value: unknown): number {
  return checkedKinds(settings, 'onlyGroup', value, 'true, false, or kinds of groups');
}

/** Kinds of groups as bits; true is for all. Throws `BAD_OPTION`, saying what was `expected`, and `UNKNOWN_GROUP`. */
export function checkedKinds(
  settings: WorldSettings,
  field: string,
  value: unknown,
  expected: string,
): number {
  if (typeof value === 'boolean') return value ? (1 << settings.groups.length) - 1 : 0;
  if (!Array.isArray(value)) throw badOption(field, value, expected);
  // A copy by spreading has `undefined` where the list has a hole, which `reduce` would pass over.
  return [...value].reduce<number>((bits, kind) => bits | (1 << groupKind(settings, kind, field)), 0);
}

function checkedFlag(field: string, value: unknown): boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean') throw badOption(field, value, 'true or false');
  return value;
}

/** Reads a number (for the first kind) or a record by kind; returns a mask of the kinds given. */
export function readGroups(
  settings: WorldSettings,
  given: number | Readonly<Record<string, number>>,
  out: Uint32Array,
): number {
  if (!isRecord(given)) {
    out[0] = checkedGroup('group', given);
    return 1;
  }
  let named = 0;
  for (const kind of Object.keys(given)) {
    if (given[kind] === undefined) continue;
    const index = groupKind(settings, kind, 'group');
    out[index] = checkedGroup(`group.${kind}`, given[kind]);
    named |= 1 << index;
  }
  return named;
}

/** The index of a group kind. Throws `UNKNOWN_GROUP`. */
export function groupKind({ groups }: WorldSettings, kind: unknown, field: string): number {
  const index = groups.indexOf(kind as string);
  if (index >= 0) return index;
  throw new UmweltError(
    'UNKNOWN_GROUP',
    `${field}: ${shown(kind)} was given, expected one of the world's kinds of groups: ${groups.join(', ')}`,
    { field, value: kind },
  );
}

/** The number of a group, 0 to 2^32 - 1. */
export function checkedGroup(field: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffff_ffff) {
    throw badOption(field, value, 'a whole number from 0 to 2^32 - 1');
  }
  return value;
}

/** A weight as it is stored: float32, and never minus zero. Throws unless it is valid. */
export function checkedWeight(value: unknown): number {
  if (typeof value !== 'number' || !(value >= 0) || !Number.isFinite(Math.fround(value))) {
    throw badOption('weight', value, 'a finite number from 0');
  }
  return Math.fround(value) + 0;
}

/** A whole number of at least `least`, or Infinity, as the column stores it. */
export function checkedCap(field: string, value: unknown, least = 0): number {
  if (value === Number.POSITIVE_INFINITY) return NO_CAP;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least) {
    throw badOption(field, value, `a whole number from ${least}, or Infinity`);
  }
  return value >= CAP_UNSET ? NO_CAP : value + 0;
}

/** The index of a named interest. Throws `UNKNOWN_INTEREST`. */
export function interestIndex({ interestNames }: WorldSettings, name: unknown): number {
  const index = interestNames.get(name as string);
  if (index !== undefined) return index;
  throw new UmweltError(
    'UNKNOWN_INTEREST',
    `interest: ${shown(name)} was given, expected one of ${[...interestNames.keys()].join(', ')}`,
    { field: 'interest', value: name },
  );
}
