/**
 * Requests to stop, from all sources.
 *
 * Ctrl-C (SIGINT), SIGTERM, and a closed output pipe all abort one `AbortSignal`. The command sees it, closes what it opened and
 * exits with code 0, since that is the normal way to end a command that runs forever (and npm would report any other code
 * as a failure). A closed pipe for errors and progress ends nothing.
 *
 * A second Ctrl-C ends the process at once: `SAME_KEY_PRESS_MS` after the first, signals have their usual effect again. Not
 * before, since one key press may arrive twice: the terminal signals the whole process group, and npm passes the signal on to
 * its children as well.
 */

/** Signals within this time, in milliseconds, count as one request. */
export const SAME_KEY_PRESS_MS = 300;

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Installs the handlers, for the life of the process. */
export function stopOnSignals(): AbortSignal {
  const wish = new AbortController();
  const onSignal = () => {
    wish.abort();
    setTimeout(() => {
      for (const name of ENDING_SIGNALS) process.off(name, onSignal);
    }, SAME_KEY_PRESS_MS).unref();
  };
  for (const name of ENDING_SIGNALS) process.on(name, onSignal);
  process.stdout.on('error', () => wish.abort());
  // Progress that nobody reads any more is no reason to end.
  process.stderr.on('error', () => {});
  return wish.signal;
}

/** The result of `work`, or undefined as soon as a stop is requested; the work then continues unobserved. */
export function untilStopped<Outcome>(
  work: Promise<Outcome>,
  stop: AbortSignal,
): Promise<Outcome | undefined> {
  const wish = Promise.withResolvers<undefined>();
  const onAbort = () => wish.resolve(undefined);
  if (stop.aborted) onAbort();
  stop.addEventListener('abort', onAbort, { once: true });
  return Promise.race([wish.promise, work]).finally(() => stop.removeEventListener('abort', onAbort));
}
