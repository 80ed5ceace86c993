/**
 * Who may see the world. On the loopback: a page of the inspector's own, and a program on the same machine. Beyond it, or
 * where one is set: whoever knows the token, which is in the address that the inspector gives.
 *
 * Three doors. The origin's host must be the host that was asked for, else any site could let a browser connect. The host
 * must be a name of this inspector's, else a site could point a name of its own here and be its own origin (DNS rebinding):
 * on the loopback that is the loopback's names, beyond it addresses, which no site can point elsewhere, this machine's name
 * and the names that it was told. And the token must be right.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname as machineName } from 'node:os';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '::1']);
const TOKEN_BYTES = 18;
/** Characters: too many to be guessed, and few enough for an address. */
const TOKEN_MIN = 16;
const TOKEN_MAX = 512;

export interface GuardOptions {
  /** What the inspector listens on. */
  readonly host: string;
  /** Further names that it may be asked for by. */
  readonly hostNames?: readonly string[];
  /** Absent: none on the loopback, beyond it one of chance. */
  readonly token?: string | undefined;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length >= TOKEN_MIN && value.length <= TOKEN_MAX;
}

export class RequestGuard {
  /** What a page must bring as the parameter `token` of its address; undefined: nothing. */
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
      ...[host, ...hostNames].map((name) => name.toLowerCase()),
    ]);
  }

  /** Whether the request asks for this inspector by a name of its own. */
  isHostAllowed({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
    const name = headers.host === undefined ? undefined : hostnameOf(headers.host);
    if (name === undefined) return false;
    return this.#names.has(name) || (!this.#isLoopback && isIP(name) !== 0);
  }

  /** Whether the address that is asked for brings the token, where there is one. */
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

/** Lower case, without port, brackets and closing dot. */
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
