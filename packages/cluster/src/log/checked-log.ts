/** Checks that what was given as a log is one, before anything is asked of it. */
import { badOption } from './bad-option.ts';
import type { Log } from './log.ts';

const LOG_METHODS = ['append', 'follow', 'read', 'ask', 'answer'] as const;

/** Throws `BAD_OPTION`. */
export function checkLog(log: Log): void {
  const missing = LOG_METHODS.find((method) => typeof log?.[method] !== 'function');
  if (missing !== undefined) throw badOption('log', log, `a Log: it has no ${missing}()`);
}
