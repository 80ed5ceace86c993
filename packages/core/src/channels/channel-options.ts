/**
 * What users say of their channels, checked once; and how many channels a crowd of a given size calls for.
 */
import type { EntityId } from '../entities/entity-ids.ts';
import { groupKind } from '../entities/entity-init.ts';
import { badOption, isRecord, rejectUnknownKeys } from '../errors.ts';
import { MAX_ENTITIES, type WorldSettings } from '../settings.ts';

/**
 * Where one who joins is to be: a channel, 1 to 65535. `counts[channel]` are those joined in it; its length, less one, is
 * the number of channels that the crowd calls for with the newcomer, or the highest in use. Valid during the call.
 */
export type ChooseFunction = (id: EntityId, counts: Uint32Array) => number;

/** Options of `new Channels()`. */
export interface ChannelOptions {
  /** How many a channel is meant to hold: a whole number from 1. */
  target: number;
  /** 0 to 1: by what fraction of `target` channels may be fuller before one more opens, or emptier before one closes. */
  tolerance: number;
  /** Most entities that one `balance()` moves: a whole number from 1, or Infinity. Default 16. */
  movesPerTick?: number;
  /** The kind of groups that are kept together. Default: the world's first. */
  groupKind?: string;
  /** Your own rule in place of ours: asked once for each who joins. Nobody is moved afterwards. */
  choose?: ChooseFunction;
}

/** `ChannelOptions`, checked and complete. */
export interface ChannelRules {
  readonly target: number;
  readonly tolerance: number;
  readonly movesPerTick: number;
  /** Index of the kind of groups. */
  readonly kind: number;
  readonly choose: ChooseFunction | undefined;
}

/** Channels are numbered from 1 to this. */
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
 * The number of channels for `count` who joined, where there were `channelCount`: one more while they are too many for it,
 * one fewer while they are few enough for that. Between the two bounds it stays, so a crowd that wavers changes nothing.
 */
export function channelCountFor(count: number, channelCount: number, rules: ChannelRules): number {
  let fitting = channelCount;
  while (fitting < MAX_CHANNEL && isCrowded(count, fitting, rules)) fitting++;
  while (fitting > 1 && isQuiet(count, fitting, rules)) fitting--;
  return fitting;
}

/** Whether `count` are too many for `channelCount` channels. */
export function isCrowded(count: number, channelCount: number, { target, tolerance }: ChannelRules): boolean {
  return count > target * channelCount * (1 + tolerance);
}

/** Whether `count` fit into one channel fewer with room to spare. */
function isQuiet(count: number, channelCount: number, { target, tolerance }: ChannelRules): boolean {
  return count < target * (channelCount - 1) * (1 - tolerance);
}

/** Most and least that a channel holds before somebody has to move. */
export interface Bounds {
  readonly most: number;
  readonly least: number;
}

/**
 * `most` is the target and the tolerance, or, where that leaves no room, an even share. `least` is an even share less the
 * tolerance, so that nobody is alone in a channel while others are crowded. Both can be kept at once.
 */
export function boundsFor(count: number, channelCount: number, { target, tolerance }: ChannelRules): Bounds {
  const share = count / channelCount;
  return {
    most: Math.max(Math.floor(target * (1 + tolerance)), Math.ceil(share)),
    least: Math.floor(share * (1 - tolerance)),
  };
}
