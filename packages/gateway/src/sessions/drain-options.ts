/** Options of the shutdown of a gateway. */
import { badOption } from '../bounds/bad-option.ts';
import { checkKeys, isNumberWithin } from '../bounds/option-keys.ts';
import { TIMER_MS_MAX } from '../bounds/timer.ts';

/** Options of `Gateway.drain`. */
export interface DrainOptions {
  /**
   * Everything continues for this many milliseconds before the shutdown, but `/readyz` answers 503. Default
   * 0.
   */
  readonly noticeMs?: number;
  /**
   * Keeps the sessions, and does not call `onLeave`: take a `snapshot`, restore a gateway from it, and
   * clients reconnect to that one. Default false.
   */
  readonly keepSessions?: boolean;
}

/** Adds the defaults. Throws `BAD_OPTION`. */
export function readDrainOptions(given: DrainOptions): Required<DrainOptions> {
  checkKeys('drain', given, ['noticeMs', 'keepSessions']);
  const { noticeMs = 0, keepSessions = false } = given;
  if (!isNumberWithin(noticeMs, 0, TIMER_MS_MAX)) {
    throw badOption('noticeMs', noticeMs, `milliseconds of 0 to ${TIMER_MS_MAX}`);
  }
  if (typeof keepSessions !== 'boolean') throw badOption('keepSessions', keepSessions, 'true or false');
  return { noticeMs, keepSessions };
}
