/**
 * Where a `nats-server` is, for the tests, the fuzz run and the example that put a world on a real broker.
 *
 * Taken from the environment variable UMWELT_NATS_SERVER, else from the PATH, else from where Debian's package or
 * tools/install-nats-server.ts puts it.
 */
import path from 'node:path';
import { findExecutable } from './executables.ts';
import { root } from './run-command.ts';

/** Where tools/install-nats-server.ts unpacks Debian's package. */
export const unpackedFolder = path.join(root, '.cache', 'nats-server');

/** The path of an executable nats-server, or `undefined`. A path in UMWELT_NATS_SERVER is taken or nothing is. */
export function findNatsServer(): string | undefined {
  return findExecutable(
    'UMWELT_NATS_SERVER',
    ['nats-server'],
    ['/usr/sbin', '/usr/local/sbin', path.join(unpackedFolder, 'usr', 'sbin')],
  );
}
