/** What a caller says of a snapshot that is to be taken. */
import { badOption, isRecord, rejectUnknownKeys } from '../errors.ts';

/** Options of `World.snapshot`. */
export interface SnapshotOptions {
  /**
   * As if all had been at rest since before the last tick, so that there are no relations, seats and memories: for whoever
   * wants the state and will say anew who watches. Ranges are kept. Default false.
   */
  readonly atRest?: boolean;
}

const NAMES: ReadonlySet<string> = new Set(['atRest']);

/** Throws `BAD_OPTION`. */
export function checkSnapshotOptions(options: SnapshotOptions): void {
  if (!isRecord(options)) throw badOption('options', options, 'an object of SnapshotOptions');
  rejectUnknownKeys(options, NAMES, 'SnapshotOptions');
  const { atRest } = options;
  if (atRest !== undefined && typeof atRest !== 'boolean') throw badOption('atRest', atRest, 'true or false');
}
