/**
 * How long this thread has been ready to run without having a core: the effect of other programs on the machine.
 *
 * An interrupted tick is not a slow tick of the engine, and on a shared machine interruptions decide the 99th percentile.
 * The kernel counts this time: the second figure of /proc/self/schedstat (Linux), in nanoseconds, of the process's first
 * thread. Under a real-time priority it also counts the twentieth of each second in which the kernel lets other processes
 * run. On other systems it is always 0. Reading it costs some microseconds.
 */
import { openSync, readSync } from 'node:fs';

const file = opened();
const text = Buffer.alloc(64);

function opened(): number | undefined {
  try {
    return openSync('/proc/self/schedstat', 'r');
  } catch {
    return undefined;
  }
}

/** Milliseconds of waiting since the process began. */
export function coreWaitMs(): number {
  if (file === undefined) return 0;
  const length = readSync(file, text, 0, text.length, 0);
  const waitedNs = Number(text.toString('latin1', 0, length).split(' ')[1]);
  return Number.isFinite(waitedNs) ? waitedNs / 1e6 : 0;
}
