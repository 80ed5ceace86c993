/**
 * Who may open the feed. A page of the inspector's own may, and a program on the same machine; a page of some
 * other site, which any browser would let connect to localhost, may not.
 *
 * Two doors. The origin's host must be the host that was asked for. And an inspector that listens on the
 * loopback only answers to the loopback's names: else a site could point its own name at 127.0.0.1 and be its
 * own origin (DNS rebinding).
 */
import type { IncomingMessage } from 'node:http';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function hostnameOf(host: string): string | undefined {
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return undefined;
  }
}

/** Whether the request names this server in a way that it can be reached by. `listenHost` is what it listens on. */
export function isHostAllowed(request: Pick<IncomingMessage, 'headers'>, listenHost: string): boolean {
  const { host } = request.headers;
  if (host === undefined) return false;
  const hostname = hostnameOf(host);
  if (hostname === undefined) return false;
  return !isLoopback(listenHost) || LOOPBACK_NAMES.has(hostname) || hostname === listenHost;
}

/** Whether the feed may be opened. Programs send no origin; browsers always do. */
export function isOriginAllowed(request: Pick<IncomingMessage, 'headers'>): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  try {
    return new URL(origin).host === new URL(`http://${host}`).host;
  } catch {
    return false;
  }
}
