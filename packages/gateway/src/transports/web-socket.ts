/**
 * Clients by WebSocket, on an HTTP server of its own that also says how the gateway is, or on one of yours.
 *
 * `/healthz` answers while the process does, `/readyz` as long as clients are taken. They and the metrics are for the operator and
 * not for players: they have a server of their own, on the loopback unless told otherwise, when a port is given for it. Clients'
 * port answers the first two only where the operator says so.
 *
 * A page of another site may not connect unless its origin is listed; a program that sends no origin may, for whoever
 * writes programs can send what they like. Slow and half-open connections are bounded by number, address and time at every
 * stage: the request (`Door`), the first message (by the gateway), the closing handshake. A plain request is answered, and its
 * connection ends.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { Places } from '../bounds/places.ts';
import { Door } from './door.ts';
import { readDoorLimits } from './door-limits.ts';
import { answer, answerHealth, closed, listening, pathOf, portOf, serverOf } from './http-answers.ts';
import { isOriginAllowed } from './origins.ts';
import type { RefusalFacts, RefusalReason, Transport, TransportHost } from './transport.ts';
import { WebSocketConnection } from './web-socket-connection.ts';
import { checkTransportOptions, type WebSocketTransportOptions } from './web-socket-options.ts';

/** Beside clients and half-open sockets: those that are being closed. */
const OTHER_SOCKETS = 512;
/** Of one message. */
const FRAGMENTS_MAX = 64;
/** Of what a stranger sent, in a log. */
const TOLD_LENGTH = 100;

/** Clients by WebSockets, on a port of its own or on a server of yours. */
export class WebSocketTransport implements Transport {
  readonly #options: WebSocketTransportOptions;
  /** None where clients come by a server of the user's. */
  readonly #ownServer: Server | undefined;
  readonly #admin: Server;
  readonly #door: Door;
  readonly #halfOpenMax: number;
  readonly #connections = new Set<WebSocketConnection>();
  readonly #closing = new Places<WebSocketConnection>();
  #sockets: WebSocketServer | undefined;
  #host: TransportHost | undefined;
  #isStopped = false;

  /** Throws `BAD_OPTION`. */
  constructor(options: WebSocketTransportOptions) {
    checkTransportOptions(options);
    const limits = readDoorLimits(options.limits);
    this.#options = options;
    this.#halfOpenMax = limits.halfOpenMax;
    this.#door = new Door(limits);
    this.#admin = serverOf((request, response) => this.#answerOperator(request, response));
    if (options.server !== undefined) return;
    this.#ownServer = serverOf((request, response) => this.#answerAnyone(request, response));
    this.#door.guard(this.#ownServer);
  }

  /** Where it listens; 0 before it does. */
  get port(): number {
    return portOf(this.#server);
  }

  /** Where the operator asks; 0 for nowhere. */
  get adminPort(): number {
    return portOf(this.#admin);
  }

  async start(host: TransportHost): Promise<void> {
    this.#host = host;
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: host.messageBytesMax,
      maxFragments: FRAGMENTS_MAX,
    });
    this.#server.on('upgrade', this.#onUpgrade);
    const { port = 0, adminPort, adminHost = '127.0.0.1' } = this.#options;
    if (this.#ownServer !== undefined) {
      this.#ownServer.maxConnections = host.connectionsMax + this.#halfOpenMax + OTHER_SOCKETS;
      await listening(this.#ownServer, port, this.#options.host);
    }
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
    this.#server.off('upgrade', this.#onUpgrade);
    this.#door.close();
    const ownClosed = this.#ownServer === undefined ? this.#allGone() : closed(this.#ownServer);
    await Promise.all([ownClosed, closed(this.#admin)]);
  }

  get #server(): Server | NonNullable<WebSocketTransportOptions['server']> {
    return this.#ownServer ?? this.#options.server!;
  }

  get #isReady(): boolean {
    return !this.#isStopped && this.#host?.status().ready === true;
  }

  /** Of a server that stays: until no connection of ours is left. */
  async #allGone(): Promise<void> {
    await Promise.all([...this.#connections].map(({ gone }) => gone));
  }

  #answerOperator(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(response, 405, 'GET only.\n');
    else if (!answerHealth(request, response, this.#host, this.#isReady, true)) {
      answer(response, 404, 'Nothing here.\n');
    }
  }

  /** One answer, and the connection ends. */
  #answerAnyone(request: IncomingMessage, response: ServerResponse): void {
    const { socket, method } = request;
    this.#door.answering(socket);
    response.setHeader('Connection', 'close');
    response.once('close', () => socket.destroy());
    if (!this.#door.mayRequest(this.#addressOf(request))) answer(response, 429, 'Too many requests.\n');
    else if (method !== 'GET' && method !== 'HEAD') answer(response, 405, 'GET only.\n');
    else if (
      this.#options.publicHealth === true &&
      answerHealth(request, response, this.#host, this.#isReady, false)
    ) {
      return;
    } else if (this.#options.answer !== undefined) this.#options.answer(request, response);
    else answer(response, 404, 'Nothing here.\n');
  }

  readonly #onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const path = pathOf(request.url);
    const isOurs = path === (this.#options.path ?? '/');
    // Of a server of the user's, others may take it; if there are none it would be open for ever.
    if (!isOurs && this.#server.listenerCount('upgrade') > 1) return;
    // Without a listener, a reset during the handshake would end the process.
    socket.on('error', () => socket.destroy());
    const address = this.#addressOf(request);
    const { origins = [] } = this.#options;
    const { origin, host } = request.headers;
    if (!isOurs) this.#refuse(socket, 'path', '404 Not Found', { path: told(path) });
    else if (!isOriginAllowed(origin, host, origins)) {
      const facts = { origin: told(origin), hint: "list it in 'origins' of WebSocketTransport" };
      this.#refuse(socket, 'origin', '403 Forbidden', facts);
    } else if (this.#isStopped || this.#host?.mayAccept() !== true) {
      this.#refuse(socket, 'full', '503 Service Unavailable', {});
    } else if (this.#ownServer === undefined && !this.#door.maySocket(address)) socket.destroy();
    else this.#welcome(this.#host, request, socket, Buffer.concat([head, this.#door.restOf(socket)]));
  };

  #welcome(host: TransportHost, request: IncomingMessage, raw: Duplex, head: Buffer): void {
    this.#sockets?.handleUpgrade(request, raw, head, (socket) => {
      this.#door.release(raw);
      const connection = new WebSocketConnection(socket, raw, this.#addressOf(request), host, this.#closing);
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
      connection.open(host, request);
    });
  }

  #refuse(socket: Duplex, why: RefusalReason, status: string, facts: RefusalFacts): void {
    this.#host?.refused(why, facts);
    const text = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    socket.end(text, () => socket.destroy());
  }

  #addressOf(request: IncomingMessage): string {
    const address = request.socket.remoteAddress ?? '';
    try {
      return this.#options.addressOf?.(request) ?? address;
    } catch {
      // A header that is not what it should be says nothing of where it came from.
      return address;
    }
  }
}

/** What somebody sent, fit for a line of a log. */
function told(text = ''): string {
  return text.length > TOLD_LENGTH ? `${text.slice(0, TOLD_LENGTH)}...` : text;
}
