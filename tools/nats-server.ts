/**
 * Finds a `nats-server` for the tests, the fuzz run and the example that use a real broker.
 *
 * The path comes from the environment variable UMWELT_NATS_SERVER, else from the PATH, else from where Debian's package
 * or tools/install-nats-server.ts puts it.
 */
import path from 'node:path';
import { findExecutable } from './executables.ts';
import { root } from './run-command.ts';

/** The folder into which tools/install-nats-server.ts unpacks Debian's package. */
export const unpackedFolder = path.join(root, '.cache', 'nats-server');

/** The path of an executable nats-server, or `undefined`. If UMWELT_NATS_SERVER is set, only its path is tried. */
export function findNatsServer(): string | undefined {
  return findExecutable(
    'UMWELT_NATS_SERVER',
    ['nats-server'],
    ['/usr/sbin', '/usr/local/sbin', path.join(unpackedFolder, 'usr', 'sbin')],
  );
}
