/** The options of a WebSocket transport, and their validation. */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { UmweltError } from 'umwelt';
import { badOption } from '../bounds/bad-option.ts';
import { checkFunctions, checkKeys, checkObject } from '../bounds/option-keys.ts';
import type { DoorLimits } from './door-limits.ts';

/** Options of `new WebSocketTransport()`. */
export interface WebSocketTransportOptions {
  /** Port of the transport's own server; 0 takes a free one. This or `server` is required. */
  readonly port?: number;
  /**
   * A server of your own. The transport takes its upgrades to `path`, leaves everything else alone, and does
   * not close it. The server may listen already or later. You then have to limit plain requests and
   * incomplete connections yourself. Default: the transport's own server, on `port`.
   */
  readonly server?: Server | SecureServer;
  /** Address that `port` listens on. All addresses of the machine unless given. */
  readonly host?: string;
  /** Path that clients connect to, such as '/play'; '/' unless given. */
  readonly path?: string;
  /**
   * Origins of web pages that may connect, such as 'https://play.example', or '*' for all. Pages of the
   * server's own host may always connect. Pages of the local machine may too, unless NODE_ENV is
   * 'production'.
   */
  readonly origins?: readonly string[] | '*';
  /**
   * Port for `/metrics`, `/healthz` and `/readyz`; 0 takes a free one. If not given, these paths are not
   * served; but see `publicHealth`.
   */
  readonly adminPort?: number;
  /** Address that `adminPort` listens on; 127.0.0.1 unless given. */
  readonly adminHost?: string;
  /**
   * Also serves `/healthz` and `/readyz` on `port`, to everyone: for a load balancer that can only reach the
   * port of the clients. Default false.
   */
  readonly publicHealth?: boolean;
  /**
   * Answers GET and HEAD for every other path, for example with the page of the game; 404 unless given. Each
   * connection serves one request: for more, use a server of your own.
   */
  readonly answer?: RequestListener;
  /**
   * Returns the client address of a request, by which unauthenticated connections are limited. Behind a
   * proxy, return the address that the proxy reports. Default: that of the socket.
   */
  readonly addressOf?: (request: IncomingMessage) => string;
  /** Limits that replace the defaults. */
  readonly limits?: Partial<DoorLimits>;
}

const OPTIONS: Record<keyof WebSocketTransportOptions, true> = {
  port: true,
  server: true,
  host: true,
  path: true,
  origins: true,
  adminPort: true,
  adminHost: true,
  publicHealth: true,
  answer: true,
  addressOf: true,
  limits: true,
};
/** Options that only apply to the transport's own server. */
const OWN_OPTIONS = ['port', 'host', 'answer', 'publicHealth'] as const;
/** The methods of a user's server that the transport calls. */
const SERVER_MEMBERS = ['on', 'off', 'address', 'listenerCount'] as const;

/** Throws `BAD_OPTION`. */
export function checkTransportOptions(options: WebSocketTransportOptions): void {
  checkKeys('WebSocketTransport', options, Object.keys(OPTIONS));
  for (const field of ['port', 'adminPort'] as const) checkPort(field, options[field]);
  const { server, port, origins, path } = options;
  if (server === undefined && port === undefined) {
    throw bad('port', port, 'neither port nor server is given; expected one of them');
  }
  for (const field of OWN_OPTIONS) {
    if (server === undefined || options[field] === undefined) continue;
    throw bad(field, options[field], `${field} and server are given; a server of yours has its own`);
  }
  checkFunctions(options, ['answer', 'addressOf']);
  for (const field of ['host', 'path', 'adminHost'] as const) {
    const value = options[field];
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw badOption(field, value, 'text that is not empty');
  }
  // It is compared with the path of a request, which begins with a slash and is without the query.
  if (path !== undefined && !/^\/[^?#]*$/.test(path)) throw badOption('path', path, "a path such as '/play'");
  const { publicHealth = false } = options;
  if (typeof publicHealth !== 'boolean') throw badOption('publicHealth', publicHealth, 'true or false');
  if (server !== undefined) {
    checkObject('server', server, SERVER_MEMBERS);
    checkFunctions(server, SERVER_MEMBERS, SERVER_MEMBERS, 'server.');
  }
  if (origins === undefined || origins === '*') return;
  if (!Array.isArray(origins)) throw badOption('origins', origins, "a list, or '*'");
  for (const origin of origins) checkOrigin(origin);
}

function checkPort(field: string, port: number | undefined): void {
  if (port === undefined || (Number.isInteger(port) && port >= 0 && port <= 65_535)) return;
  throw badOption(field, port, 'an integer of 0 to 65535');
}

/** An origin as browsers send it: nothing after host and port. */
function checkOrigin(origin: unknown): void {
  if (typeof origin !== 'string') throw badOption('origins', origin, 'text in the list');
  if (URL.canParse(origin) && new URL(origin).origin === origin) return;
  const hint = URL.canParse(origin) ? new URL(origin).origin : 'https://play.example';
  throw bad('origins', origin, `'${origin}' among origins is no origin; expected one such as ${hint}`);
}

function bad(field: string, value: unknown, message: string): UmweltError {
  return new UmweltError('BAD_OPTION', message, { field, value });
}
