/**
 * `ChannelOptions`, checked once; and how many channels a crowd of a given size calls for.
 */
import type { EntityId } from '../entities/entity-ids.ts';
import { groupKind } from '../entities/entity-init.ts';
import { badOption, isRecord, rejectUnknownKeys } from '../errors.ts';
import { MAX_ENTITIES, type WorldSettings } from '../settings.ts';

/**
 * Returns the channel for an entity that joins, 1 to 65535. `counts[channel]` is the number of joined entities in it.
 * `counts.length - 1` is the number of channels that the crowd calls for with the new entity, or the highest channel
 * in use. `counts` is valid during the call.
 */
export type ChooseFunction = (id: EntityId, counts: Uint32Array) => number;

/** Options of `new Channels()`. */
export interface ChannelOptions {
  /** Intended number of entities in a channel: a whole number from 1. */
  target: number;
  /**
   * 0 to 1: the fraction of `target` by which channels may be fuller before another opens, or emptier before one closes.
   */
  tolerance: number;
  /** Maximum number of entities that one `balance()` moves: a whole number from 1, or Infinity. Default 16. */
  movesPerTick?: number;
  /** The kind of groups that stay together. Default: the world's first kind. */
  groupKind?: string;
  /**
   * Your own rule: called once for each entity that joins. No entity is moved afterwards. Default: the built-in rule.
   */
  choose?: ChooseFunction;
}

/** `ChannelOptions`, checked and complete. */
export interface ChannelRules {
  readonly target: number;
  readonly tolerance: number;
  readonly movesPerTick: number;
  /** Index of the group kind. */
  readonly kind: number;
  readonly choose: ChooseFunction | undefined;
}

/** Channels are numbered from 1 to this number. */
export const MAX_CHANNEL = 65_535;

const NAMES: ReadonlySet<string> = new Set(['target', 'tolerance', 'movesPerTick', 'groupKind', 'choose']);

/** Throws `BAD_OPTION`, `UNKNOWN_GROUP`. */
export function resolveChannelOptions(settings: WorldSettings, given: ChannelOptions): ChannelRules {
  if (!isRecord(given)) throw badOption('options', given, 'an object of ChannelOptions');
  rejectUnknownKeys(given, NAMES, 'ChannelOptions');
  const { target, tolerance, movesPerTick = 16, choose } = given;
  if (!Number.isInteger(target) || target < 1 || target > MAX_ENTITIES) {
    throw badOption('target', target, `a whole number from 1 to ${MAX_ENTITIES}`);
  }
  if (typeof tolerance !== 'number' || !(tolerance >= 0 && tolerance <= 1)) {
    throw badOption('tolerance', tolerance, 'a number from 0 to 1');
  }
  const isBudget = Number.isInteger(movesPerTick) || movesPerTick === Number.POSITIVE_INFINITY;
  if (!isBudget || movesPerTick < 1) {
    throw badOption('movesPerTick', movesPerTick, 'a whole number from 1, or Infinity');
  }
  if (choose !== undefined && typeof choose !== 'function') throw badOption('choose', choose, 'a function');
  const kind = given.groupKind === undefined ? 0 : groupKind(settings, given.groupKind, 'groupKind');
  return { target, tolerance, movesPerTick, kind, choose };
}

/**
 * The number of channels for `count` joined entities, if there were `channelCount` before: more while the entities
 * are too many for them, fewer while they fit into fewer. Between the two bounds the number stays (hysteresis), so a
 * crowd that fluctuates changes nothing.
 */
export function channelCountFor(count: number, channelCount: number, rules: ChannelRules): number {
  let fitting = channelCount;
  while (fitting < MAX_CHANNEL && isCrowded(count, fitting, rules)) fitting++;
  while (fitting > 1 && isQuiet(count, fitting, rules)) fitting--;
  return fitting;
}

/** Whether `count` entities are too many for `channelCount` channels. */
export function isCrowded(count: number, channelCount: number, { target, tolerance }: ChannelRules): boolean {
  return count > target * channelCount * (1 + tolerance);
}

/** Whether `count` entities fit into one channel fewer with room to spare. */
function isQuiet(count: number, channelCount: number, { target, tolerance }: ChannelRules): boolean {
  return count < target * (channelCount - 1) * (1 - tolerance);
}

/** The largest and smallest size of a channel before entities have to move. */
export interface Bounds {
  readonly most: number;
  readonly least: number;
}

/**
 * `most` is the target plus the tolerance, or an even share if that leaves no room. `least` is an even share less the
 * tolerance, so that no entity is alone in a channel while others are crowded. Both can hold at once.
 */
export function boundsFor(count: number, channelCount: number, { target, tolerance }: ChannelRules): Bounds {
  const share = count / channelCount;
  return {
    most: Math.max(Math.floor(target * (1 + tolerance)), Math.ceil(share)),
    least: Math.floor(share * (1 - tolerance)),
  };
}
