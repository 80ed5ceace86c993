/**
 * Options of restoring a snapshot: what bytes cannot contain, and what should differ. Checked before any byte is
 * read.
 */
import type { DetectorFactory, DetectorName } from '../detectors/detector.ts';
import { detectorFactory } from '../detectors/registry.ts';
import { badOption, isRecord, rejectUnknownKeys } from '../errors.ts';
import type { Interest } from '../interest/rules/interest.ts';
import type { KernelChoice } from '../kernels/heap.ts';
import { checkedDebug, checkedThreads } from '../options.ts';

/** Options of `World.restore`. */
export interface RestoreOptions {
  /**
   * Interests by name. An interest that had a function when it was stored must be given here, because functions are
   * not stored. An interest that differs from the stored one, or is new, applies from the next tick on, as with
   * `setInterest`. Default: the stored ones.
   */
  interests?: Readonly<Record<string, Interest>>;
  /** Replaces the stored detector. Required if that was a detector of your own. */
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
