/** What a WebSocket transport may be told, and what is no such thing. */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { UmweltError } from 'umwelt';
import { badOption } from '../bounds/bad-option.ts';
import { checkFunctions, checkKeys, checkObject } from '../bounds/option-keys.ts';
import type { DoorLimits } from './door-limits.ts';

/** Options of `new WebSocketTransport()`. */
export interface WebSocketTransportOptions {
  /** Where a server of the transport's own listens; 0 takes a free one. This or `server`. */
  readonly port?: number;
  /**
   * A server of yours, whose upgrades to `path` are taken; whatever else it does is untouched, and it is not closed. It may
   * listen already or later. Yours are then the limits on plain requests and half-open sockets, too.
   */
  readonly server?: Server | SecureServer;
  /** Every address of the machine unless given. */
  readonly host?: string;
  /** Path that clients ask for; '/' unless given. */
  readonly path?: string;
  /**
   * Origins of pages that may connect, as 'https://play.example', or '*'. The server's own may always, and those of this machine
   * unless NODE_ENV is 'production'.
   */
  readonly origins?: readonly string[] | '*';
  /**
   * For `/metrics`, `/healthz` and `/readyz`; 0 takes a free one. Unless given nothing answers them, but see `publicHealth`.
   */
  readonly adminPort?: number;
  /** 127.0.0.1 unless given. */
  readonly adminHost?: string;
  /**
   * `port` answers `/healthz` and `/readyz`, too, to anybody: for a load balancer that can ask the clients' port only. False unless
   * given.
   */
  readonly publicHealth?: boolean;
  /**
   * Answers GET and HEAD for every other path, with the game's page say; 404 unless given. One request a connection: what takes
   * more belongs on a server of your own.
   */
  readonly answer?: RequestListener;
  /** Where a request comes from, by whose address strangers are bounded: behind a proxy, what that says. */
  readonly addressOf?: (request: IncomingMessage) => string;
  /** Over the defaults. */
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
/** Of a server of the transport's own. */
const OWN_OPTIONS = ['port', 'host', 'answer', 'publicHealth'] as const;
/** Of a server of the user's, what is called. */
const SERVER_MEMBERS = ['on', 'off', 'address', 'listenerCount'] as const;

/** Throws `BAD_OPTION`. */
export function checkTransportOptions(options: WebSocketTransportOptions): void {
  checkKeys('WebSocketTransport', options, Object.keys(OPTIONS));
  for (const field of ['port', 'adminPort'] as const) checkPort(field, options[field]);
  const { server, port, origins } = options;
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

/** As browsers say it: nothing after the host and port. */
function checkOrigin(origin: unknown): void {
  if (typeof origin !== 'string') throw badOption('origins', origin, 'text in the list');
  if (URL.canParse(origin) && new URL(origin).origin === origin) return;
  const hint = URL.canParse(origin) ? new URL(origin).origin : 'https://play.example';
  throw bad('origins', origin, `'${origin}' among origins is no origin; expected one such as ${hint}`);
}

function bad(field: string, value: unknown, message: string): UmweltError {
  return new UmweltError('BAD_OPTION', message, { field, value });
}
