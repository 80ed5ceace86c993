/**
 * Clients by WebSocket, on an HTTP server that also says how the gateway is.
 *
 * `/healthz` answers while the process does, `/readyz` as long as clients are taken. Metrics are for the operator and not for
 * players: they have a server of their own, on the loopback unless told otherwise, when a port is given for it.
 *
 * A page of another site may not connect unless its origin is listed; a program that sends no origin may, for whoever
 * writes programs can send what they like. Slow and half-open connections are bounded by time at every stage: request
 * headers, the first message (by the gateway), the closing handshake.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { UmweltError } from 'umwelt';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Connection, Transport, TransportHost } from './transport.ts';

export interface WebSocketTransportOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Every address of the machine unless given. */
  readonly host?: string;
  /** Path that clients ask for; '/' unless given. */
  readonly path?: string;
  /** Origins of pages that may connect, as 'https://play.example', or '*'. The server's own may always. */
  readonly origins?: readonly string[] | '*';
  /** For `/metrics`, `/healthz` and `/readyz`; 0 takes a free one. None unless given. */
  readonly adminPort?: number;
  /** 127.0.0.1 unless given. */
  readonly adminHost?: string;
  /** Answers GET and HEAD for every other path, with the game's page say; 404 unless given. */
  readonly answer?: RequestListener;
}

const HEADERS_MS = 10_000;
/** How often that is looked at. */
const CHECKING_MS = 2000;
/** After so long without a word the system asks whether the other end is still there, and cuts the connection when it is not. */
const KEEP_ALIVE_MS = 15_000;
/** A closing handshake that takes longer is not waited for. */
const CLOSING_MS = 2000;
/** Requests and sockets that are not clients', at once. */
const OTHER_SOCKETS = 256;
const TOO_BIG = 1009;
const PROTOCOL_ERROR = 1002;
const NO_BYTES = new Uint8Array(0);

export class WebSocketTransport implements Transport {
  readonly #options: WebSocketTransportOptions;
  readonly #server: Server;
  readonly #admin: Server;
  #sockets: WebSocketServer | undefined;
  #host: TransportHost | undefined;
  #isStopped = false;

  /** Throws `BAD_OPTION`. */
  constructor(options: WebSocketTransportOptions) {
    for (const field of ['port', 'adminPort'] as const) checkPort(field, options[field]);
    this.#options = options;
    this.#server = serverOf((request, response) => this.#answer(request, response, false));
    this.#admin = serverOf((request, response) => this.#answer(request, response, true));
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Where it listens; 0 before it does. */
  get port(): number {
    return portOf(this.#server);
  }

  get adminPort(): number {
    return portOf(this.#admin);
  }

  async start(host: TransportHost): Promise<void> {
    this.#host = host;
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: host.messageBytesMax,
    });
    this.#server.maxConnections = host.connectionsMax + OTHER_SOCKETS;
    await listening(this.#server, this.#options.port, this.#options.host);
    const { adminPort, adminHost = '127.0.0.1' } = this.#options;
    if (adminPort === undefined) return;
    try {
      await listening(this.#admin, adminPort, adminHost);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([closed(this.#server), closed(this.#admin)]);
  }

  #answer(request: IncomingMessage, response: ServerResponse, isAdmin: boolean): void {
    const path = pathOf(request);
    const isReady = !this.#isStopped && this.#host?.status().ready === true;
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(response, 405, 'GET only.\n');
    else if (path === '/healthz') answer(response, 200, 'ok\n');
    else if (path === '/readyz') answer(response, isReady ? 200 : 503, isReady ? 'ready\n' : 'not ready\n');
    else if (isAdmin && path === '/metrics') this.#answerMetrics(response);
    else if (!isAdmin && this.#options.answer !== undefined) this.#options.answer(request, response);
    else answer(response, 404, 'Nothing here.\n');
  }

  #answerMetrics(response: ServerResponse): void {
    const metrics = this.#host?.metrics() ?? Promise.resolve('');
    metrics.then(
      (text) => answer(response, 200, text, 'text/plain; version=0.0.4; charset=utf-8'),
      () => answer(response, 500, 'No metrics.\n'),
    );
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Without a listener, a reset during the handshake would end the process.
    socket.on('error', () => socket.destroy());
    const host = this.#host;
    const sockets = this.#sockets;
    if (host === undefined || sockets === undefined) socket.destroy();
    else if (pathOf(request) !== (this.#options.path ?? '/'))
      this.#refuse(socket, host, 'path', '404 Not Found');
    else if (!this.#isOriginAllowed(request)) this.#refuse(socket, host, 'origin', '403 Forbidden');
    else if (this.#isStopped || !host.mayAccept()) {
      this.#refuse(socket, host, 'full', '503 Service Unavailable');
    } else {
      sockets.handleUpgrade(request, socket, head, (webSocket) => attach(webSocket, request, host));
    }
  }

  #refuse(socket: Duplex, host: TransportHost, why: 'origin' | 'full' | 'path', status: string): void {
    host.refused(why);
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }

  #isOriginAllowed({ headers: { origin, host } }: IncomingMessage): boolean {
    const { origins = [] } = this.#options;
    if (origin === undefined || origins === '*' || origins.includes(origin)) return true;
    try {
      return new URL(origin).host === new URL(`http://${host}`).host;
    } catch {
      return false;
    }
  }
}

function attach(socket: WebSocket, request: IncomingMessage, host: TransportHost): void {
  /** Why it has to end, where its frames are the reason. */
  let fault: number | undefined;
  const connection: Connection = {
    get bufferedBytes(): number {
      return socket.bufferedAmount;
    },
    send: (bytes) => {
      if (socket.readyState === socket.OPEN) socket.send(bytes);
    },
    sendText: (text) => {
      if (socket.readyState === socket.OPEN) socket.send(text);
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: (code, reason) => {
      socket.close(code, reason);
      const deadline = setTimeout(() => socket.terminate(), CLOSING_MS);
      deadline.unref();
      socket.once('close', () => clearTimeout(deadline));
    },
    terminate: () => socket.terminate(),
  };
  const events = host.accept(connection, {
    address: request.socket.remoteAddress ?? '',
    url: request.url ?? '/',
    origin: request.headers.origin,
    headers: request.headers,
  });
  socket.on('message', (data, isBinary) => {
    if (isBinary) events.received(data as Buffer);
    else if (events.receivedText === undefined) events.received(NO_BYTES);
    else events.receivedText((data as Buffer).toString());
  });
  socket.on('error', (error: Error & { code?: string }) => {
    // ws has begun to close it by then; what remains open after a moment is cut.
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') fault = TOO_BIG;
    else if (error.code?.startsWith('WS_ERR')) fault = PROTOCOL_ERROR;
    connection.close(fault ?? PROTOCOL_ERROR, '');
  });
  socket.on('close', (code) => events.closed(fault ?? code));
}

function serverOf(listener: RequestListener): Server {
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

function listening(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    const deadline = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
    deadline.unref();
  });
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

function checkPort(field: string, port: number | undefined): void {
  if (port === undefined || (Number.isInteger(port) && port >= 0 && port <= 65_535)) return;
  throw new UmweltError('BAD_OPTION', `${field} is ${port}; expected an integer of 0 to 65535`, {
    field,
    value: port,
  });
}
