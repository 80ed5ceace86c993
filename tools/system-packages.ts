/**
 * Installs Debian packages that the tests need: without prompts, and with retries when the network fails.
 *
 * Used by tools/install-chromium.ts and tools/install-nats-server.ts. On systems other than Debian and Ubuntu nothing is
 * installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The number of tries of a step, and the pause between two tries. */
const TRIES = 3;
const REST_MS = 5000;

/** Makes apt wait for another apt's lock instead of failing, and retry failed downloads. */
const PATIENT = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3'];

export function hasApt(): boolean {
  return existsSync('/usr/bin/apt-get');
}

/** Whether this process may install packages and fetch their lists. */
export function mayInstall(): boolean {
  return hasApt() && process.getuid?.() === 0;
}

/** Runs apt-get until it succeeds, at most three times; its output is shown when it fails. */
export function aptGet(words: readonly string[], cwd?: string): boolean {
  return tried('apt-get', [...PATIENT, ...words], cwd, TRIES);
}

/** Runs a command once; its output is shown when it fails. */
export function runQuietly(command: string, words: readonly string[], cwd?: string): boolean {
  return tried(command, words, cwd, 1);
}

function tried(command: string, words: readonly string[], cwd: string | undefined, tries: number): boolean {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (let left = tries; left > 0; left--) {
    const result = spawnSync(command, [...words], { env: environment, encoding: 'utf8', cwd });
    if (result.status === 0) return true;
    process.stderr.write(`${result.error?.message ?? ''}${result.stdout ?? ''}${result.stderr ?? ''}`);
    if (left > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REST_MS);
  }
  return false;
}
