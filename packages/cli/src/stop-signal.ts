/**
 * The wish to end, wherever it comes from.
 *
 * Ctrl-C (SIGINT), SIGTERM, and a reader that closed our output all abort one `AbortSignal`; the command sees it,
 * closes what it opened and ends with exit code 0, for that is how a command without an end of its own is meant
 * to end (and npm would report any other code as a failure).
 *
 * A second Ctrl-C ends the process at once: from `SAME_KEY_PRESS_MS` after the first on, signals have their usual
 * effect again. Not before, since one press may arrive twice: the terminal signals the whole group of processes,
 * and npm passes it on to its children as well.
 */

/** Signals this close together, in milliseconds, are taken for one wish. */
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
  return wish.signal;
}

/** What `work` comes to, or undefined as soon as the wish to end is there; the work then goes on unheeded. */
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
