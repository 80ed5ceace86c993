/** What a caller gives with a snapshot: what bytes cannot hold, and what is to differ. Checked before anything is read. */
import type { DetectorFactory, DetectorName } from '../detectors/detector.ts';
import { detectorFactory } from '../detectors/registry.ts';
import { badOption, isRecord, rejectUnknownKeys } from '../errors.ts';
import type { Interest } from '../interest/interest.ts';
import type { KernelChoice } from '../kernels/heap.ts';
import { checkedDebug, checkedThreads } from '../options.ts';

/** Options of `World.restore`. */
export interface RestoreOptions {
  /**
   * Interests by name. One that had a function when it was stored must be here, since functions are not stored. One that
   * differs from what was stored, or was not there, is taken up with the next tick, as by `setInterest`.
   */
  interests?: Readonly<Record<string, Interest>>;
  /** In place of the one stored. Needed where that was not one of those that ship. */
  detector?: DetectorName | DetectorFactory;
  /** As in `WorldOptions`. */
  kernels?: KernelChoice;
  /** As in `WorldOptions`. */
  threads?: number;
  /** As in `WorldOptions`. */
  debug?: boolean;
}

export const RESTORE_OPTION_NAMES: ReadonlySet<string> = new Set([
  'interests',
  'detector',
  'kernels',
  'threads',
  'debug',
]);

/** Throws `BAD_OPTION`, `UNKNOWN_DETECTOR`. */
export function checkRestoreOptions(options: RestoreOptions): void {
  if (!isRecord(options)) throw badOption('options', options, 'an object of RestoreOptions');
  rejectUnknownKeys(options, RESTORE_OPTION_NAMES, 'RestoreOptions');
  checkedThreads(options.threads);
  checkedDebug(options.debug);
  const { interests, detector } = options;
  if (detector !== undefined) detectorFactory(detector);
  if (interests !== undefined && !isRecord(interests))
    throw badOption('interests', interests, 'a record of Interest by name');
}
