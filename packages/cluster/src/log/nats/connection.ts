/**
 * A connection to a broker that reports when it is down.
 *
 * The NATS client silently drops what it is given to send while disconnected, and pending requests wait for their time-out.
 * Here both reject with `LOG_DOWN` at once: requests pending when the connection breaks, and requests made before it is back.
 * The client reconnects by itself, to any of the servers, until the connection is closed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Authenticator,
  connect,
  createInbox,
  errors,
  type NatsConnection,
  type NodeConnectionOptions,
  type PermissionViolationError,
} from '@nats-io/transport-node';
import { UmweltError } from 'umwelt';
import { afterAwake } from '../awake-timer.ts';
import type { CheckedNatsOptions } from '../nats-options.ts';

/** Delay between two attempts to connect. */
const RETRY_MS = 250;
const RETRY_JITTER_MS = 100;
/** Time-out of one attempt; the next server is tried after it. */
const DIAL_MS = 2000;
/** Ping interval. A broker that misses two pings is taken for dead: 6 s at most. The client's default is 6 minutes. */
const PING_MS = 2000;
const PINGS_OUT = 2;
/** Maximum bytes of one record. */
export const RECORD_BYTES_MAX = 512 * 1024;
/** Every broker must take a message as long as the longest record, with its headers. */
const MESSAGE_BYTES = RECORD_BYTES_MAX + 1024;

/**
 * Time-outs of the client's own requests, which fire before an answer is read that came while the process stood still. So `during`
 * ends calls, and this one only bounds how long the client remembers those that nobody answers.
 */
export const FORGET_MS = 600_000;

/** What the client makes unique inboxes of. */
const INBOX_END = /\.[0-9A-Za-z]{22}$/;

/** What is not answered is requested again after this time, if that does no harm. */
const REPEAT_MS = 300;

/** A broker that refused something is asked for it again after this time. */
export const REFUSED_MS = 5000;

type Refused = (operation: 'publish' | 'subscription', subject: string, reason: Error) => void;

export class BrokerConnection {
  readonly nats: NatsConnection;
  /** Pending requests: each function rejects one of them. */
  readonly #waits = new Set<(error: UmweltError) => void>();
  readonly #watchers = new Set<() => void>();
  readonly #refusals = new Set<Refused>();
  readonly #inboxPrefix: string | undefined;
  /** Whether the broker did not allow something that was asked for. */
  wasRefused = false;
  /** Why it is down; `undefined` while it is up. */
  #fault: string | undefined;

  private constructor(nats: NatsConnection, inboxPrefix: string | undefined) {
    this.nats = nats;
    this.#inboxPrefix = inboxPrefix;
    void this.#watch();
  }

  /** Throws `LOG_DOWN` if none of the servers answers in time, or they refuse the login. */
  static async open({ servers, connectMs, connection }: CheckedNatsOptions): Promise<BrokerConnection> {
    let nats: NatsConnection | undefined;
    const authenticator = [connection.authenticator ?? []]
      .flat()
      .map((authenticate) => lasting(authenticate, () => nats !== undefined));
    const options: NodeConnectionOptions = {
      timeout: DIAL_MS,
      pingInterval: PING_MS,
      maxPingOut: PINGS_OUT,
      ignoreAuthErrorAbort: true,
      noAsyncTraces: true,
      ...connection,
      reconnectDelayHandler: onAnyClock(connection, () => nats),
      authenticator,
      servers: [...servers],
      maxReconnectAttempts: -1,
      // The client would wait for ever, whatever `connectMs` is.
      waitOnFirstConnect: false,
    };
    return retried(
      connectMs,
      async () => {
        nats = await withoutRemains(() => connect(options));
        return new BrokerConnection(nats, connection.inboxPrefix);
      },
      (error, isOver) => {
        if (isOver || isRefusal(error))
          throw logDown(`no broker at ${servers.join(', ')}: ${reasonOf(error)}`);
      },
    );
  }

  get isUp(): boolean {
    return this.#fault === undefined;
  }

  /**
   * Resolves with what `action` resolves with. Rejects with `LOG_DOWN`: without calling `action` while there is no
   * connection; when the connection breaks before `action` is done; and when that takes longer than `limitMs`.
   */
  during<T>(limitMs: number, action: () => Promise<T>): Promise<T> {
    this.#leaveSmall();
    if (this.#fault !== undefined) return Promise.reject(logDown(this.#fault));
    return new Promise<T>((resolve, reject) => {
      this.#waits.add(reject);
      const settled = () => this.#waits.delete(reject);
      within(limitMs, action()).then(
        (value) => {
          settled();
          resolve(value);
        },
        (error: unknown) => {
          settled();
          reject(error);
        },
      );
    });
  }

  /**
   * As `during`, for what may be requested twice: calls `action` again every 300 ms until one call is answered, and gives `spare` what
   * others are answered later. Brokers drop requests to a leader that they do not have yet, and give a consumer to one that has just died:
   * who waits for the answer to those learns only when it gives up that there is a leader again.
   */
  repeatedly<T>(limitMs: number, action: () => Promise<T>, spare: (late: T) => void = () => {}): Promise<T> {
    let isOver = false;
    let cancel = () => {};
    const repeated = new Promise<T>((resolve, reject) => {
      const attempt = () => {
        cancel = afterAwake(REPEAT_MS, attempt);
        action().then(
          (value) => {
            if (isOver) spare(value);
            else resolve(value);
            isOver = true;
          },
          (error: unknown) => {
            isOver = true;
            reject(error);
          },
        );
      };
      if (this.isUp) attempt();
    });
    return this.during(limitMs, () => repeated).finally(() => {
      isOver = true;
      cancel();
    });
  }

  /** Calls `watcher` each time the connection breaks or is closed, until the returned function is called. */
  onDown(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Calls `refused` each time the broker does not allow what this process asked for, until the returned function is called. */
  onRefused(refused: Refused): () => void {
    this.#refusals.add(refused);
    return () => this.#refusals.delete(refused);
  }

  /** A new unique subject below the inbox prefix that the client was given. */
  newInbox(): string {
    return createInbox(this.#inboxPrefix);
  }

  /** A new unique subject beside such a one. */
  newInboxBeside(inbox: string): string {
    return inbox.replace(INBOX_END, INBOX_END.exec(this.newInbox())?.[0] ?? '');
  }

  /** Whether this could be an inbox of a client of this broker: prefixes of users differ, but for how they begin. */
  isInbox(subject: string): boolean {
    const [root] = this.newInbox().split('.', 1);
    return subject.startsWith(`${root}.`) && INBOX_END.test(subject);
  }

  async close(): Promise<void> {
    this.#down('closed');
    await this.nats.close();
    dropHalfOpen(this.nats);
  }

  async #watch(): Promise<void> {
    for await (const status of this.nats.status()) {
      const { type } = status;
      if (type === 'error') this.#tellRefused(status.error);
      else if (type === 'disconnect') this.#down('the connection broke');
      else if (type === 'reconnect') {
        this.#fault = undefined;
        this.#leaveSmall();
      } else if (type === 'close') break;
    }
    this.#down('closed');
  }

  #tellRefused(error: Error): void {
    if (!(error instanceof errors.PermissionViolationError)) return;
    this.wasRefused = true;
    for (const refused of [...this.#refusals]) refused(error.operation, error.subject, error);
  }

  /**
   * Leaves a broker that takes no messages as long as records are: another one may, or this one once its configuration was mended.
   * The client itself would send what is short enough, and the first long record would end that.
   */
  #leaveSmall(): void {
    const small = smallBroker(this.nats);
    if (small === undefined || this.#fault !== undefined) return;
    this.#down(small.message);
    setTimeout(() => void this.nats.reconnect().catch(() => {}), RETRY_MS);
  }

  #down(reason: string): void {
    const wasUp = this.#fault === undefined;
    // That a broker of short messages was left says more than that its connection broke.
    if (wasUp || reason === 'closed') this.#fault = reason;
    if (!wasUp) return;
    const waits = [...this.#waits];
    this.#waits.clear();
    for (const reject of waits) reject(logDown(reason));
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/**
 * The client that is closed while it connects again leaves the socket open on which it waits for the broker to say who it is: one that
 * answers nothing would keep the process from ending. If it looks up the broker's address, it opens that socket only later, and then
 * gives up after its `timeout`. It has calls for that, which it does not make public.
 */
function dropHalfOpen(client: NatsConnection): void {
  const { protocol } = client as { readonly protocol?: Protocol };
  const drop = () => protocol?.transport?.discard?.();
  drop();
  protocol?.connectPromise?.then(drop, drop);
}

interface Protocol {
  readonly transport?: { discard?(): void };
  /** While it connects. */
  readonly connectPromise?: Promise<void> | null;
}

/** Where a runtime tells of each socket that it opens. One that does not leaves the sockets open, as the client does. */
const SOCKETS_CHANNEL = 'net.client.socket';
const socketsOfAttempt = new AsyncLocalStorage<Socket[]>();

/**
 * A first connection that fails gives nobody the client, which leaves the last socket open on which a broker answers nothing: it would
 * keep the process from ending for as long as that broker is frozen. So all sockets that were opened for it are closed.
 */
async function withoutRemains<T>(attempt: () => Promise<T>): Promise<T> {
  const sockets: Socket[] = [];
  // Others of this process may open sockets meanwhile.
  const opened = (message: unknown) => {
    if (socketsOfAttempt.getStore() === sockets) sockets.push((message as { socket: Socket }).socket);
  };
  subscribe(SOCKETS_CHANNEL, opened);
  try {
    return await socketsOfAttempt.run(sockets, attempt);
  } catch (error) {
    for (const socket of sockets) socket.destroy();
    throw error;
  } finally {
    unsubscribe(SOCKETS_CHANNEL, opened);
    // What the client begins later keeps the list.
    sockets.length = 0;
  }
}

/**
 * An authenticator that, once there was a connection, does not throw: the client would close for good where its file of credentials
 * is missing for a moment. The broker refuses what it returns instead, and the client tries again.
 */
function lasting(authenticate: Authenticator, hasConnected: () => boolean): Authenticator {
  return (nonce) => {
    try {
      return authenticate(nonce);
    } catch (error) {
      if (!hasConnected()) throw error;
      return { auth_token: 'none' };
    }
  };
}

/**
 * The client's delay between attempts to connect to a broker, for a clock that may be set back: the client compares the time of the
 * last attempt with the system's clock, and would not connect until that has got there again.
 */
function onAnyClock(
  { tls, reconnectDelayHandler, ...given }: CheckedNatsOptions['connection'],
  client: () => NatsConnection | undefined,
): () => number {
  const { reconnectTimeWait = RETRY_MS } = given;
  const { reconnectJitter, reconnectJitterTLS } = given;
  const jitterMs = (tls ? reconnectJitterTLS : reconnectJitter) ?? RETRY_JITTER_MS;
  return () => {
    // The broker that is tried next.
    const aheadMs = (client()?.getServers()[0]?.lastConnect ?? 0) - Date.now();
    if (aheadMs > 0) return -aheadMs;
    return reconnectDelayHandler?.() ?? reconnectTimeWait + Math.random() * jitterMs;
  };
}

/** An open connection. Retries `prepare` until the broker can do it: three brokers that start together must first elect a leader. */
export async function opened<T>(
  options: CheckedNatsOptions,
  prepareMs: number,
  prepare: (connection: BrokerConnection) => Promise<T>,
): Promise<T> {
  const connection = await BrokerConnection.open(options);
  try {
    const small = smallBroker(connection.nats);
    if (small !== undefined) throw small;
    return await retried(
      options.connectMs,
      () => connection.during(prepareMs, () => prepare(connection)),
      (error, isOver) => {
        const isDown = error instanceof UmweltError && error.code === 'LOG_DOWN';
        // What was refused only the broker's configuration can change.
        if (!isDown || isOver || connection.wasRefused) throw error;
      },
    );
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Attempts until one succeeds, or `failed`, which is told whether the time is over, throws. */
async function retried<T>(
  milliseconds: number,
  attempt: () => Promise<T>,
  failed: (error: unknown, isOver: boolean) => void,
): Promise<T> {
  let isOver = false;
  const cancel = afterAwake(milliseconds, () => {
    isOver = true;
  });
  try {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        failed(error, isOver);
      }
      await delay(RETRY_MS);
    }
  } finally {
    cancel();
  }
}

/** The error for a broker that takes no messages as long as records are. */
function smallBroker({ info }: NatsConnection): UmweltError | undefined {
  const { max_payload: payload = MESSAGE_BYTES } = info ?? {};
  if (payload >= MESSAGE_BYTES) return undefined;
  return new UmweltError(
    'SETTINGS_DIFFER',
    `the broker takes messages of at most ${payload} bytes, expected ${MESSAGE_BYTES} or more: max_payload in its configuration`,
    { field: 'max_payload', value: payload },
  );
}

/** A broker's error as `LOG_DOWN`. A broker with a full disk or a stream without a leader does not answer at all. */
export function faultOf(error: unknown): UmweltError {
  if (error instanceof UmweltError) return error;
  return logDown(reasonOf(error));
}

/** `promise`, or a rejection with `LOG_DOWN` after so much time in which the process ran. */
export function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = afterAwake(milliseconds, () => reject(logDown(`no answer in ${milliseconds} ms`)));
    promise.then(resolve, reject).finally(cancel);
  });
}

/**
 * A message's bytes as a plain Uint8Array. The client gives a Node `Buffer`, whose `slice` does not copy: code that treats
 * it as a Uint8Array would keep a view of the socket's buffer.
 */
export function plainBytes({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}

export function logDown(reason: string): UmweltError {
  return new UmweltError('LOG_DOWN', `the log cannot be reached: ${reason}`);
}

export function reasonOf(error: unknown): string {
  const told = (error instanceof Error ? error.message : String(error)).slice(0, 500);
  const violation = [error, error instanceof Error ? error.cause : undefined].find(
    (each) => each instanceof errors.PermissionViolationError,
  );
  if (violation !== undefined) return `${told}, expected ${permissionFor(violation)}`;
  return told.replace(/^getaddrinfo E\w+ (.+)$/, "no machine is known as '$1'");
}

/** What the broker would have to allow. The last part of many subjects is the client's own, and differs from time to time. */
function permissionFor({ operation, subject }: PermissionViolationError): string {
  const subjects = subject.replace(/\.[0-9A-Za-z]{22}(?:[._].*)?$/, '.>');
  return `a user who may ${operation === 'publish' ? 'publish' : 'subscribe'} to ${subjects}`;
}

/** No retry would help: the broker answers but refuses these credentials. */
function isRefusal(error: unknown): boolean {
  return /authorization|authentication|permission/i.test(reasonOf(error));
}
