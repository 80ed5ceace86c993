/**
 * Makes sure that the browser tests have a browser, before the tests start.
 *
 * If none is found, it is installed from the system's packages where this process may do that: on Debian and Ubuntu, as
 * root. Elsewhere the browser suites are skipped, and the command to type is shown. With CI=true a skip is a failure: a
 * run without the browser tests must not count as a run with them.
 */
import { findChromium } from './chromium.ts';
import { aptGet, mayInstall } from './system-packages.ts';

const lineToType = 'apt-get install -y chromium, or UMWELT_CHROMIUM=/path/to/chromium npm test';
const isNamed = (process.env.UMWELT_CHROMIUM ?? '') !== '';

if (findChromium() === undefined && !isNamed && mayInstall()) {
  process.stderr.write('umwelt: no Chromium found: apt-get install chromium\n');
  if (aptGet(['update'])) aptGet(['install', '-y', '--no-install-recommends', 'chromium']);
}
if (findChromium() === undefined) {
  process.stderr.write(`umwelt: no Chromium, so the browser suites are skipped. For them: ${lineToType}\n`);
  if (process.env.CI === 'true') process.exit(1);
}
