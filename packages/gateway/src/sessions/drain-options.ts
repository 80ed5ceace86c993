/** How a gateway ends. */
import { badOption } from '../bounds/bad-option.ts';
import { checkKeys, isNumberWithin } from '../bounds/option-keys.ts';

/** Options of `Gateway.drain`. */
export interface DrainOptions {
  /** All goes on for so many milliseconds more, but `/readyz` says 503; 0. */
  readonly noticeMs?: number;
  /**
   * Sessions stand as they are, and `onLeave` hears of none: for `snapshot`, and a gateway restored from it to whom clients come
   * back. false.
   */
  readonly keepSessions?: boolean;
}

const NOTICE_MS_MAX = 2 ** 31 - 1;

/** With defaults. Throws `BAD_OPTION`. */
export function readDrainOptions(given: DrainOptions): Required<DrainOptions> {
  checkKeys('drain', given, ['noticeMs', 'keepSessions']);
  const { noticeMs = 0, keepSessions = false } = given;
  if (!isNumberWithin(noticeMs, 0, NOTICE_MS_MAX)) {
    throw badOption('noticeMs', noticeMs, `milliseconds of 0 to ${NOTICE_MS_MAX}`);
  }
  if (typeof keepSessions !== 'boolean') throw badOption('keepSessions', keepSessions, 'true or false');
  return { noticeMs, keepSessions };
}
