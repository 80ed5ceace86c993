/** Finds a free port, for a program that must be given one. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port that was free at the time of the call. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
