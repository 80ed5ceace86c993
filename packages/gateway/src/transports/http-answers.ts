/**
 * The plain HTTP answers of a transport: that it is alive, that it accepts clients, and, for the operator,
 * the metrics.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TransportHost } from './transport.ts';

const HEADERS_MS = 10_000;
/** Interval at which Node checks these time-outs. */
const CHECKING_MS = 2000;
/** After this much silence the operating system probes the other end, and closes a dead connection. */
const KEEP_ALIVE_MS = 15_000;
/** Connections still open this long after a server was closed are destroyed. */
const CLOSING_MS = 2000;

export function serverOf(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: HEADERS_MS,
      keepAliveTimeout: HEADERS_MS,
      connectionsCheckingInterval: CHECKING_MS,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    },
    listener,
  );
  server.on('clientError', (_error, socket) => socket.destroy());
  return server;
}

export function listening(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

export function closed(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    const deadline = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
    deadline.unref();
  });
}

export function portOf(server: { address(): AddressInfo | string | null } | undefined): number {
  const address = server?.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Answers /healthz and /readyz, and /metrics if `withMetrics`. Returns false for other paths. */
export function answerHealth(
  { url }: IncomingMessage,
  response: ServerResponse,
  host: TransportHost | undefined,
  isReady: boolean,
  withMetrics: boolean,
): boolean {
  const path = pathOf(url);
  if (path === '/healthz') answer(response, 200, 'ok\n');
  else if (path === '/readyz') answer(response, isReady ? 200 : 503, isReady ? 'ready\n' : 'not ready\n');
  else if (path === '/metrics' && withMetrics) answerMetrics(response, host);
  else return false;
  return true;
}

export function answer(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}

export function pathOf(url = '/'): string {
  return url.split('?', 1)[0] ?? '/';
}

function answerMetrics(response: ServerResponse, host: TransportHost | undefined): void {
  const metrics = host?.metrics() ?? Promise.resolve('');
  metrics.then(
    (text) => answer(response, 200, text, 'text/plain; version=0.0.4; charset=utf-8'),
    () => answer(response, 500, 'No metrics.\n'),
  );
}
