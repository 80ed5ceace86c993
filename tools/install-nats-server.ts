/**
 * Makes sure that the suites on a real broker have one, before the tests start.
 *
 * If none is found, Debian's package is downloaded and unpacked into .cache. It is not installed, because that would
 * start a broker as a service of the machine. Elsewhere the suites are skipped, and the command to type is shown. With
 * CI=true a skip is a failure: a run without a broker must not count as a run with one.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { findNatsServer, unpackedFolder } from './nats-server.ts';
import { aptGet, hasApt, mayInstall, runQuietly } from './system-packages.ts';

const lineToType = 'apt-get install -y nats-server, or UMWELT_NATS_SERVER=/path/to/nats-server npm test';
const isNamed = (process.env.UMWELT_NATS_SERVER ?? '') !== '';

/** Two processes may do this at the same time: each uses a folder of its own until the last step. */
function unpack(): void {
  const parent = path.dirname(unpackedFolder);
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, 'nats-server-'));
  try {
    // Existing package lists may be old, and name a package version that no longer exists.
    if (mayInstall()) aptGet(['update']);
    if (!aptGet(['download', 'nats-server'], folder)) return;
    const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
    if (file === undefined || !runQuietly('dpkg-deb', ['-x', file, 'unpacked'], folder)) return;
    if (findNatsServer() !== undefined) return;
    rmSync(unpackedFolder, { recursive: true, force: true });
    renameSync(path.join(folder, 'unpacked'), unpackedFolder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (findNatsServer() === undefined && !isNamed && hasApt()) {
  process.stderr.write('umwelt: no nats-server found: apt-get download nats-server\n');
  unpack();
}
if (findNatsServer() === undefined) {
  process.stderr.write(
    `umwelt: no nats-server, so the suites on a real broker are skipped. For them: ${lineToType}\n`,
  );
  if (process.env.CI === 'true') process.exit(1);
}
