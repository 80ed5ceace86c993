/**
 * Options shared by natsLog and natsCheckpoints, validated once and with defaults filled in; and the type that natsLog returns.
 */
import { isIPv6 } from 'node:net';
import type { NodeConnectionOptions } from '@nats-io/transport-node';
import { badOption } from './bad-option.ts';
import type { Log } from './log.ts';

/** How to reach a broker and a world on it. */
export interface NatsOptions {
  /**
   * Broker addresses, `nats://HOST:PORT`: list all brokers of the NATS cluster, so that any of them may be down. With `tls://HOST:PORT`
   * a broker without TLS is refused. User and password belong into `connection`.
   */
  readonly servers: string | readonly string[];
  /** World name: letters, digits, `-` and `_`, at most 64. Streams and subjects are named after it. */
  readonly world: string;
  /** Number of replicas that the brokers keep: 1, 3 or 5. Default 3 if three or more servers are given, else 1. */
  readonly replicas?: number;
  /** Storage that the broker reserves, in bytes. Default 1 GiB. */
  readonly maxBytes?: number;
  /** How long opening waits for a broker that does not answer, in ms. Default 10,000. */
  readonly connectMs?: number;
  /**
   * Passed to the NATS client as it is: user and password, token, TLS, authenticators. Default: none of them. With a `user` of letters,
   * digits, `-` and `_` the default of `inboxPrefix` is `_INBOX.USER`: so the broker can keep others from reading what it is sent.
   */
  readonly connection?: Readonly<Omit<NodeConnectionOptions, 'servers'>>;
}

/** A log on a broker: a `Log` with these additions. */
export interface NatsLog extends Log {
  /** Whether a broker is connected now. While not, calls reject with `LOG_DOWN`. */
  readonly isUp: boolean;
  /** Name of the stream on the broker. */
  readonly stream: string;
  last(): Promise<number>;
  /** Stops all followers and answers, and closes the connection. */
  close(): Promise<void>;
}

export interface CheckedNatsOptions {
  readonly servers: string[];
  readonly world: string;
  readonly replicas: number;
  readonly maxBytes: number;
  readonly connectMs: number;
  readonly connection: Readonly<Omit<NodeConnectionOptions, 'servers'>>;
}

const GIGABYTE = 1024 * 1024 * 1024;
const CONNECT_MS = 10_000;
const REPLICAS = [1, 3, 5];
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Minimum of `maxBytes`: less could not hold the largest answer to one question. */
export const LEAST_BYTES = 1024 * 1024;
/** Minimum of a log's `maxAgeMs`. */
export const LEAST_AGE_MS = 1000;

/** Validates NatsOptions and fills in defaults; throws `BAD_OPTION`. */
export function checkedNatsOptions(given: NatsOptions): CheckedNatsOptions {
  const { servers, world, maxBytes = GIGABYTE, connectMs = CONNECT_MS, connection = {} } = given;
  const list = typeof servers === 'string' ? [servers] : servers;
  if (!Array.isArray(list) || list.length === 0) {
    throw badOption('servers', servers, 'the address of a broker, or a list of at least one');
  }
  for (const server of list) checkAddress(server);
  const { replicas = list.length >= 3 ? 3 : 1 } = given;
  if (!REPLICAS.includes(replicas)) throw badOption('replicas', replicas, REPLICAS.join(', '));
  if (typeof connection !== 'object' || connection === null) {
    throw badOption('connection', connection, 'an object with options of the NATS client');
  }
  const { user } = connection;
  const isEncrypted = list.some((server) => /^tls:/i.test(server));
  return {
    servers: [...list],
    world: worldName(world),
    replicas,
    maxBytes: wholeFrom('maxBytes', maxBytes, LEAST_BYTES),
    connectMs: wholeFrom('connectMs', connectMs, 1),
    connection: {
      ...(user !== undefined && NAME.test(user) ? { inboxPrefix: `_INBOX.${user}` } : {}),
      ...connection,
      // The client itself ignores the scheme: without this, tls:// would be plain text on a broker without TLS.
      ...(isEncrypted && connection.tls === undefined ? { tls: {} } : {}),
    },
  };
}

const ADDRESS = /^(?:(?:nats|tls):\/\/)?([^/@,\s]+)\/?$/i;

/** Throws `BAD_OPTION` also for what the client would ignore: a user, another scheme, all but the last of several addresses. */
function checkAddress(server: unknown): void {
  if (typeof server !== 'string') throw badOption('servers', server, 'addresses as texts');
  const [, host = ''] = ADDRESS.exec(server) ?? [];
  if (isIPv6(host) || URL.canParse(`http://${host}`)) return;
  const shown = server.replace(/^(.*:\/\/)?.*@/, '$1');
  const expected = server.includes('@')
    ? 'an address without a user, who belongs into connection: { user, pass }'
    : 'addresses like nats://HOST:PORT, or tls://HOST:PORT for a broker with TLS; several as a list';
  throw badOption('servers', shown, expected);
}

/** `world`, if it can be part of the names of streams, subjects and files; throws `BAD_OPTION`. */
export function worldName(world: unknown): string {
  if (typeof world === 'string' && NAME.test(world)) return world;
  throw badOption('world', world, 'a name of 1 to 64 letters, digits, - and _');
}

/** `value`, if it is an integer of at least `least` and at most `most`; throws `BAD_OPTION`. */
export function wholeFrom(
  field: string,
  value: unknown,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most)
    return value;
  const limit = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`;
  throw badOption(field, value, `an integer of at least ${least}${limit}`);
}

export const NATS_OPTIONS: readonly (keyof NatsOptions)[] = [
  'servers',
  'world',
  'replicas',
  'maxBytes',
  'connectMs',
  'connection',
];
