/** How a gateway ends. */
import { badOption } from '../appearance/bad-option.ts';
import { checkKeys } from '../bounds/option-keys.ts';

export interface DrainOptions {
  /** All goes on for so many milliseconds more, but `/readyz` says 503; 0. */
  readonly noticeMs?: number;
}

const NOTICE_MS_MAX = 2 ** 31 - 1;

/** With defaults. Throws `BAD_OPTION`. */
export function readDrainOptions(given: DrainOptions): Required<DrainOptions> {
  checkKeys('drain', given, ['noticeMs']);
  const { noticeMs = 0 } = given;
  if (!(noticeMs >= 0 && noticeMs <= NOTICE_MS_MAX)) {
    throw badOption('noticeMs', noticeMs, `milliseconds of 0 to ${NOTICE_MS_MAX}`);
  }
  return { noticeMs };
}
