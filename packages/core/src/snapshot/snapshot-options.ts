/** The options of `World.snapshot`. */
import { badOption, isRecord, rejectUnknownKeys } from '../errors.ts';

/** Options of `World.snapshot`. */
export interface SnapshotOptions {
  /**
   * Writes the snapshot as if all entities had been at rest (`watches: false`) since before the last tick, so it has
   * no relations, seats and memory. For callers that want the state and will set again which entities watch. Ranges
   * are kept. Default false.
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
