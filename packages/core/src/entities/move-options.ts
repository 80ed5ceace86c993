/** Options of moves. */
import { badOption, isRecord, rejectUnknownKeys } from '../errors.ts';
import type { CountOptions } from './update-columns.ts';

/** How an entity is moved. */
export interface MoveOptions {
  /**
   * Default false. True: the entity jumps. Pairs that relate before and after the tick, with the entity on either
   * side, are reported as left and entered in that tick. It applies whatever other moves happen before the tick, and
   * wherever the entity ends.
   */
  teleport?: boolean;
}

/** How many entities are moved, and how. */
export interface MoveManyOptions extends CountOptions, MoveOptions {}

const NAMES: ReadonlySet<string> = new Set(['teleport']);
const NAMES_OF_MANY: ReadonlySet<string> = new Set(['count', 'teleport']);

/** In 2-D, where z is ignored, options in its place would be, too. Throws `BAD_OPTION`. */
export function checkNotOptions(z: unknown): void {
  if (typeof z !== 'object' || z === null || !('teleport' in z || 'count' in z)) return;
  throw badOption('z', z, 'coordinates, or undefined: the options of a move come last');
}

/** Whether the move is a teleport. Throws `BAD_OPTION`. */
export function readTeleport(options: MoveManyOptions, isOfMany: boolean): boolean {
  if (!isRecord(options)) throw badOption('options', options, 'an object of MoveOptions');
  rejectUnknownKeys(options, isOfMany ? NAMES_OF_MANY : NAMES, 'MoveOptions');
  const { teleport = false } = options;
  if (typeof teleport !== 'boolean') throw badOption('teleport', teleport, 'true or false');
  return teleport;
}
