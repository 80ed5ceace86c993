/**
 * Lets one process at a time do something, such as fill a folder of .cache that several test files need.
 *
 * Method: a file that contains the process's id, created only if it does not exist. The lock of a process that was killed
 * is taken by the next one.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** How often a waiting process looks, milliseconds. */
const LOOK_MS = 100;

/** Runs `action` while this process holds the lock `file`, whose folder exists. `isDone`: another process has done it. */
export async function doneOnce(
  file: string,
  isDone: () => boolean,
  action: () => Promise<void>,
): Promise<void> {
  while (!isDone()) {
    if (isTaken(file)) {
      await setTimeout(LOOK_MS);
      continue;
    }
    try {
      // Another process may have finished in between.
      if (!isDone()) await action();
      return;
    } finally {
      rmSync(file);
    }
  }
}

/** Takes a lock for this process; returns true instead if a running process holds it. */
function isTaken(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return false;
  } catch {
    const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    // A killed process does not hold the lock; the next round takes it.
    if (holder > 0 && !isRunning(holder)) rmSync(file, { force: true });
    return true;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
