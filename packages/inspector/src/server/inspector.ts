/**
 * The inspector: a small web server inside the process of a running world, with a page that draws the world live.
 *
 * HTTP serves the page and `/healthz`; `/feed` is a WebSocket that streams frames (see `feed-frame.ts`) and accepts a few small
 * commands (see `feed-message.ts`). It listens on loopback by default: anyone who can open the page can pause the world, and
 * change its detector where that is offered. On other addresses page and feed require a token (see `request-guard.ts`).
 *
 * At most `PAGES_MAX` pages are open at once; the next is refused with 503. While no page is open, nothing is computed except
 * sums of what each tick reports.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Changes } from 'umwelt';
import { WebSocketServer } from 'ws';
import { FeedHost, type InspectorStatus } from '../feed/feed-host.ts';
import { PAGE_MESSAGE_MAX_BYTES } from '../feed-message.ts';
import { checkOptions, type InspectorOptions } from './inspector-options.ts';
import { type PageFile, readPageFiles } from './page-files.ts';
import { isLoopback, isOriginAllowed, RequestGuard } from './request-guard.ts';

const PAGES_MAX = 16;
/** Maximum connections of all kinds; the server drops more without an answer. */
const CONNECTIONS_MAX = 128;

/** Maximum number of addresses listed for other machines. */
const ADDRESSES_MAX = 4;

const NOT_ITS_NAME =
  'This host name is not allowed. Use an IP address, or add the name to the option hostNames.\n';
const NO_TOKEN =
  'The token is missing or wrong. Open the address that the inspector printed: it ends in ?token=\n';

const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** A running inspector: call `publish` after each tick. */
export interface Inspector {
  /** Address of the page on this machine, token included. */
  readonly url: string;
  /** The same and, if it listens on all addresses, at most 4 addresses for other machines. */
  readonly urls: readonly string[];
  /** Number of open pages. */
  readonly clientCount: number;
  /** Call it after every tick. With the same changes again it only updates the status. Cost: see `Feed`. */
  publish(changes: Changes, status: InspectorStatus): void;
  /** Recordings only: how many pairs entered and left in a tick that was played. Published ticks are noted automatically. */
  noteChurn(tick: number, pairCount: number): void;
  /** Recordings only: progress on the way to `tick`, 0 to 1; 1 after it was published. */
  tellSeek(tick: number, progress: number): void;
  /** Stops the server. Idempotent. */
  close(): Promise<void>;
}

/** Interval of probes whether pages are still connected, in milliseconds. */
const PROBE_MS = 20_000;

/**
 * Serves the inspector of `options.world`. Throws `BAD_OPTION`; rejects with the unchanged error of `listen`, such as
 * `EADDRINUSE`.
 */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  checkOptions(options);
  const running = new RunningInspector(options, await readPageFiles());
  await running.listen();
  return running;
}

class RunningInspector implements Inspector {
  readonly #options: InspectorOptions;
  readonly #host: string;
  readonly #guard: RequestGuard;
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #feed: FeedHost;
  #probeTimer: NodeJS.Timeout | undefined;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: PAGE_MESSAGE_MAX_BYTES,
    perMessageDeflate: false,
    clientTracking: false,
  });
  /** Connections that have had their one answer. */
  readonly #answered = new WeakSet<Duplex>();
  #closed: Promise<void> | undefined;

  constructor(options: InspectorOptions, files: ReadonlyMap<string, PageFile>) {
    this.#options = options;
    this.#host = options.host ?? '127.0.0.1';
    const { token, hostNames = [] } = options;
    this.#guard = new RequestGuard({ host: this.#host, token, hostNames });
    this.#files = files;
    this.#feed = new FeedHost(options);
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port, this.#host, () => {
        this.#server.off('error', reject);
        // After a long tick, timers fire before sockets are read: pages that have answered meanwhile must be heard first.
        this.#probeTimer = setInterval(() => setImmediate(() => this.#feed.probe()), PROBE_MS).unref();
        resolve();
      });
    });
  }

  get url(): string {
    return this.#urlOf(this.#isAnywhere || isLoopback(this.#host) ? 'localhost' : this.#host);
  }

  get urls(): readonly string[] {
    const others = this.#isAnywhere ? outsideAddresses(this.#host === '::') : [];
    return [this.url, ...others.slice(0, ADDRESSES_MAX).map((address) => this.#urlOf(address))];
  }

  get #isAnywhere(): boolean {
    return this.#host === '0.0.0.0' || this.#host === '::';
  }

  #urlOf(name: string): string {
    const { port } = this.#server.address() as AddressInfo;
    const { token } = this.#guard;
    const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
    return token === undefined ? address : `${address}/?token=${encodeURIComponent(token)}`;
  }

  get clientCount(): number {
    return this.#feed.pageCount;
  }

  publish(changes: Changes, status: InspectorStatus): void {
    this.#feed.publish(changes, status);
  }

  noteChurn(tick: number, pairCount: number): void {
    this.#feed.noteChurn(tick, pairCount);
  }

  tellSeek(tick: number, progress: number): void {
    this.#feed.tellSeek(tick, progress);
  }

  close(): Promise<void> {
    clearInterval(this.#probeTimer);
    this.#closed ??= new Promise((resolve) => {
      this.#feed.close();
      this.#server.close(() => {
        this.#feed.forget();
        resolve();
      });
      this.#server.closeIdleConnections();
      // Do not wait for a page that does not answer the closing handshake.
      const deadline = setTimeout(() => {
        this.#feed.terminate();
        this.#server.closeAllConnections();
      }, 500);
      deadline.unref();
    });
    return this.#closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (this.#answered.has(socket)) {
      // A pipelined request: thousands of these in one packet would delay the world's ticks.
      socket.destroy();
      return;
    }
    this.#answered.add(socket);
    response.shouldKeepAlive = false;
    const path = pathOf(request);
    const file = this.#files.get(path);
    if (!this.#guard.isHostAllowed(request)) answerText(response, 403, NOT_ITS_NAME);
    else if (request.method !== 'GET' && request.method !== 'HEAD') answerText(response, 405, 'GET only.\n');
    else if (path === '/healthz') this.#answerHealth(response);
    // The page's scripts and styles are no secret, and are requested without the token.
    else if (isPage(path) && !this.#guard.isTokenRight(request)) answerText(response, 401, NO_TOKEN);
    else if (file !== undefined) answerFile(response, file, request.method === 'HEAD');
    else if (path === '/') answerText(response, 503, 'The page has not been built: npm run build.\n');
    else answerText(response, 404, 'Not found.\n');
  }

  #answerHealth(response: ServerResponse): void {
    const health = { status: 'ok', tick: this.#feed.tick, pages: this.#feed.pageCount };
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
    });
    response.end(`${JSON.stringify(health)}\n`);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Without a listener, a reset during the handshake would end the process.
    socket.on('error', () => socket.destroy());
    const refusal = this.#refusal(request);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#feed.join(webSocket));
  }

  /** The status line to refuse an upgrade with; undefined if it is accepted. */
  #refusal(request: IncomingMessage): string | undefined {
    if (pathOf(request) !== '/feed') return '404 Not Found';
    if (!this.#guard.isHostAllowed(request) || !isOriginAllowed(request)) return '403 Forbidden';
    if (!this.#guard.isTokenRight(request)) return '401 Unauthorized';
    if (this.#closed !== undefined || this.#feed.pageCount >= PAGES_MAX) return '503 Service Unavailable';
    return undefined;
  }
}

/** Addresses of this machine's networks, in the system's order. */
function outsideAddresses(withIpv6: boolean): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(
      ({ internal, family, scopeid }) => !internal && (family === 'IPv4' || (withIpv6 && scopeid === 0)),
    )
    .map(({ address }) => address);
}

function isPage(path: string): boolean {
  return path === '/' || path === '/index.html';
}

function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...SECURITY_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(text);
}

function answerFile(
  response: ServerResponse,
  { body, contentType, cacheControl }: PageFile,
  isHead: boolean,
): void {
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'Content-Type': contentType,
    'Content-Length': body.length,
    'Cache-Control': cacheControl,
  });
  response.end(isHead ? undefined : body);
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}
