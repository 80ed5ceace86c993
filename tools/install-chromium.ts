/**
 * Makes sure that the browser tests have a browser, before the tests start.
 *
 * When none is found it is installed from the system's packages where this process may do that: on Debian and Ubuntu,
 * as root. Elsewhere the browser suites are skipped, and the line to type is shown. With CI=true a skip is a failure:
 * a run that did not look at the page must not pass for one that did.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findChromium } from './chromium.ts';

const lineToType = 'apt-get install -y chromium, or UMWELT_CHROMIUM=/path/to/chromium npm test';

function mayInstall(): boolean {
  const named = process.env.UMWELT_CHROMIUM;
  return (named === undefined || named === '') && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** Runs apt-get; its output is shown only when it fails. */
function aptGet(...args: readonly string[]): boolean {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const result = spawnSync('apt-get', [...args], { env: environment, encoding: 'utf8' });
  if (result.status !== 0) process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  return result.status === 0;
}

if (findChromium() === undefined && mayInstall()) {
  process.stderr.write('umwelt: no Chromium found: apt-get install chromium\n');
  if (aptGet('update')) aptGet('install', '-y', '--no-install-recommends', 'chromium');
}
if (findChromium() === undefined) {
  process.stderr.write(`umwelt: no Chromium, so the browser suites are skipped. For them: ${lineToType}\n`);
  if (process.env.CI === 'true') process.exit(1);
}
