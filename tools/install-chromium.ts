/**
 * Makes sure that the browser tests have a browser, before the tests start.
 *
 * If none is found, it is installed from the system's packages where this process may do that: on Debian and Ubuntu, as
 * root. Elsewhere the browser suites are skipped, and the command to type is shown. With CI=true a skip is a failure: a
 * run without the browser tests must not count as a run with them; and the Chromium without windows is installed beside
 * another, too, if the system has a package of it.
 */
import path from 'node:path';
import { findChromium, WITHOUT_WINDOWS } from './chromium.ts';
import { aptGet, mayInstall } from './system-packages.ts';

const lineToType = 'apt-get install -y chromium, or UMWELT_CHROMIUM=/path/to/chromium npm test';
const isNamed = (process.env.UMWELT_CHROMIUM ?? '') !== '';
const found = findChromium();
const isEnough =
  found !== undefined && (process.env.CI !== 'true' || path.basename(found) === WITHOUT_WINDOWS);

if (!isEnough && !isNamed && mayInstall()) {
  process.stderr.write(`umwelt: apt-get install ${WITHOUT_WINDOWS}\n`);
  const install = (name: string) => aptGet(['install', '-y', '--no-install-recommends', name]);
  if (aptGet(['update']) && !install(WITHOUT_WINDOWS) && found === undefined) install('chromium');
}
if (findChromium() === undefined) {
  process.stderr.write(`umwelt: no Chromium, so the browser suites are skipped. For them: ${lineToType}\n`);
  if (process.env.CI === 'true') process.exit(1);
}
