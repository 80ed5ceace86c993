/**
 * Clients over WebSocket, on an HTTP server of the transport's own or on a server of the user's.
 *
 * `/healthz` answers while the process runs, `/readyz` while clients are accepted. Both, and the metrics, are
 * for the operator: they are served on a separate port, on the loopback address by default, if `adminPort` is
 * given. The port of the clients serves `/healthz` and `/readyz` only if `publicHealth` is set.
 *
 * A page of another site may connect only if its origin is listed. A request without an origin may connect:
 * it comes from a program, and a program can send any origin it likes. Slow and incomplete connections are
 * limited by number, address and time at every stage: the HTTP request (`Door`), the first message (the
 * gateway), the closing handshake. A plain request is answered, and then its connection is closed.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { UmweltError } from 'umwelt';
import { WebSocketServer } from 'ws';
import { Places } from '../bounds/places.ts';
import { Door } from './door.ts';
import { readDoorLimits } from './door-limits.ts';
import { answer, answerHealth, closed, listening, pathOf, portOf, serverOf } from './http-answers.ts';
import { isOriginAllowed } from './origins.ts';
import { givePathBack, mustRefuse, takePath } from './taken-paths.ts';
import type { RefusalFacts, RefusalReason, Transport, TransportHost } from './transport.ts';
import { WebSocketConnection } from './web-socket-connection.ts';
import { checkTransportOptions, type WebSocketTransportOptions } from './web-socket-options.ts';

/** Sockets in addition to clients and incomplete connections: those that are being closed. */
const OTHER_SOCKETS = 512;
/** Most fragments of one message. */
const FRAGMENTS_MAX = 64;
/** Most characters of a client's text in a log line. */
const TOLD_LENGTH = 100;

/** Accepts clients over WebSocket, on a port of its own or on a server of yours. */
export class WebSocketTransport implements Transport {
  readonly #options: WebSocketTransportOptions;
  /** Undefined if the user gave a server. */
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

  /** Port that it listens on; 0 before it listens. */
  get port(): number {
    return portOf(this.#server);
  }

  /** Port for the operator; 0 if there is none. */
  get adminPort(): number {
    return portOf(this.#admin);
  }

  /**
   * Starts; resolves when connections can arrive. After a failure it can be started again. Throws `BAD_OPTION`
   * if it is started and not closed, and if another started transport has the same path on the same `server`.
   */
  async start(host: TransportHost): Promise<void> {
    if (this.#host !== undefined) {
      const message = 'the transport is started; expected one that is not';
      throw new UmweltError('BAD_OPTION', message, { field: 'transport' });
    }
    takePath(this.#server, this.#path, this);
    this.#host = host;
    this.#isStopped = false;
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
    try {
      if (this.#ownServer !== undefined) {
        this.#ownServer.maxConnections = host.connectionsMax + this.#halfOpenMax + OTHER_SOCKETS;
        await listening(this.#ownServer, port, this.#options.host);
      }
      if (adminPort !== undefined) await listening(this.#admin, adminPort, adminHost);
    } catch (error) {
      // A port may be free again a moment later: a second start must not find this one's listener and state.
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
    givePathBack(this.#server, this.#path, this);
    this.#door.close();
    const ownClosed = this.#ownServer === undefined ? this.#allGone() : closed(this.#ownServer);
    await Promise.all([ownClosed, closed(this.#admin)]);
    this.#host = undefined;
  }

  get #server(): Server | NonNullable<WebSocketTransportOptions['server']> {
    return this.#ownServer ?? this.#options.server!;
  }

  get #path(): string {
    return this.#options.path ?? '/';
  }

  get #isReady(): boolean {
    return !this.#isStopped && this.#host?.status().ready === true;
  }

  /** For a server that stays open: waits until none of our connections is left. */
  async #allGone(): Promise<void> {
    await Promise.all([...this.#connections].map(({ gone }) => gone));
  }

  #answerOperator(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(response, 405, 'GET only.\n');
    else if (!answerHealth(request, response, this.#host, this.#isReady, true)) {
      answer(response, 404, 'Nothing here.\n');
    }
  }

  /** Sends one answer and closes the connection. */
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
    const isOurs = path === this.#path;
    const server = this.#server;
    // On a user's server another listener may take the upgrade.
    if (!isOurs && !mustRefuse(server, path, this, server.listenerCount('upgrade'))) return;
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
      // `addressOf` threw, for example on a malformed header: use the socket's address.
      return address;
    }
  }
}

/** Shortens a client's text for a log line. */
function told(text = ''): string {
  return text.length > TOLD_LENGTH ? `${text.slice(0, TOLD_LENGTH)}...` : text;
}
