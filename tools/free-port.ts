/** Finds a free port, for a program that must be given one, or whether one is free. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port that was free at the time of the call. */
export function freePort(): Promise<number> {
  return listenedOn(0, '127.0.0.1');
}

/** Listens on a port for a moment, and returns which one. Rejects with the error of `listen`. `host`: by default all addresses. */
export async function listenedOn(port: number, host?: string): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}
