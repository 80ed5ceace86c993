/** Checks that what was given as a log is one, before anything is asked of it. */
import { UmweltError } from 'umwelt';
import type { Log } from './log.ts';

const LOG_METHODS = ['append', 'follow', 'read', 'ask', 'answer'] as const;

/** Throws `BAD_OPTION`. */
export function checkLog(log: Log): void {
  const missing = LOG_METHODS.find((method) => typeof log?.[method] !== 'function');
  if (missing === undefined) return;
  const given = log === null ? 'null' : typeof log;
  throw new UmweltError('BAD_OPTION', `log: ${given} was given, expected a Log: it has no ${missing}()`, {
    field: 'log',
    value: log,
  });
}
