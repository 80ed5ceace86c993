/** A port that nobody listens on, for a program that has to be told one. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** One that was free just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
