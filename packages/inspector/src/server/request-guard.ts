/**
 * Decides who may see the world. On loopback: the inspector's own page, and programs on the same machine. On other addresses,
 * or if a token is set: anyone with the token, which is part of the address that the inspector prints.
 *
 * There are three checks. The origin's host must equal the requested host; otherwise any site could make a browser connect.
 * The host must be a name of this inspector; otherwise a site could point a name of its own here and pass the first check (DNS
 * rebinding). On loopback these are the loopback names; elsewhere they are addresses, which no site can point elsewhere,
 * this machine's name, and the names in the options. And the token must match.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname as machineName } from 'node:os';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '::1']);
const TOKEN_BYTES = 18;
/** Minimum length in characters: too long to guess, short enough for an address. */
const TOKEN_MIN = 16;
const TOKEN_MAX = 512;

export interface GuardOptions {
  /** The address that the inspector listens on. */
  readonly host: string;
  /** Further allowed host names. */
  readonly hostNames?: readonly string[];
  /** Absent: none on loopback, else a random one. */
  readonly token?: string | undefined;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length >= TOKEN_MIN && value.length <= TOKEN_MAX;
}

/** A name or an address, as a browser may ask for it, without anything before or after it. */
export function isHostName(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  return isIP(value) !== 0 || (!/[\s:/?#@[\]\\]/u.test(value) && hostnameOf(value) !== undefined);
}

export class RequestGuard {
  /** The required value of the parameter `token` in a page's address; undefined: none. */
  readonly token: string | undefined;
  readonly #digest: Buffer | undefined;
  readonly #isLoopback: boolean;
  readonly #names: ReadonlySet<string>;

  constructor({ host, hostNames = [], token }: GuardOptions) {
    this.#isLoopback = isLoopback(host);
    this.token = token ?? (this.#isLoopback ? undefined : randomBytes(TOKEN_BYTES).toString('base64url'));
    this.#digest = this.token === undefined ? undefined : digestOf(this.token);
    const machine = machineName().toLowerCase();
    const own = this.#isLoopback ? [] : [machine, `${machine}.local`];
    this.#names = new Set([
      ...LOOPBACK_NAMES,
      ...own,
      ...[host, ...hostNames].map((name) => hostnameOf(name) ?? name.toLowerCase()),
    ]);
  }

  /** Whether the request's host is a name of this inspector. */
  isHostAllowed({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
    const name = headers.host === undefined ? undefined : hostnameOf(headers.host);
    if (name === undefined) return false;
    return this.#names.has(name) || (!this.#isLoopback && isIP(name) !== 0);
  }

  /** Whether the request's address has the token, if one is required. */
  isTokenRight({ url = '/' }: Pick<IncomingMessage, 'url'>): boolean {
    if (this.#digest === undefined) return true;
    const query = url.slice(url.indexOf('?') + 1);
    const given = new URLSearchParams(query).get('token');
    return given !== null && timingSafeEqual(digestOf(given), this.#digest);
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** In lower case, without port, brackets and trailing dot. */
function hostnameOf(host: string): string | undefined {
  try {
    return new URL(`http://${host}`).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  } catch {
    return undefined;
  }
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
