/**
 * The door: who gets in, by which connection, and when it is over.
 *
 * A connection is a stranger's until it has said hello and the game has let it in, or it comes back with a token. Strangers are
 * bounded in number and time. A session stands as long as it has a connection, and a grace time longer. What the game throws in
 * a hook is logged and counted, costs at most the client concerned its connection, and goes no further.
 */
import { randomBytes } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { type EntityId, UmweltError, type World } from 'umwelt';
import { FIELD_TYPES, type Schema } from '../appearance/schema.ts';
import type { GatewayMetrics } from '../telemetry/gateway-metrics.ts';
import type { Connection, ConnectionEvents, ConnectionRequest } from '../transports/transport.ts';
import type { ViewIntake } from '../views/view-intake.ts';
import { TOKEN_BYTES } from '../wire/frame-format.ts';
import { writeWelcome } from '../wire/server-message.ts';
import type { Clock, GatewayOptions } from './gateway-options.ts';
import type { GatewayLimits } from './limits.ts';
import { type Hello, Peer, type PeerHome } from './peer.ts';
import { RateLimit } from './rate-limit.ts';
import { type Admission, type LeaveReason, Session, type SessionHome } from './session.ts';

/** Ends of connections that are nobody's fault. */
const BLAMELESS = new Set(['closed', 'goingAway', 'released', 'replaced']);
/** Lines about what others do; the rest is counted only. */
const LOG_LINES_PER_SECOND = 20;

export type Authenticate = GatewayOptions['authenticate'];

export interface ReceptionParts {
  readonly world: World;
  readonly intake: ViewIntake;
  readonly schema: Schema;
  readonly options: GatewayOptions;
  readonly limits: GatewayLimits;
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
}

export class Reception implements SessionHome, PeerHome {
  readonly world: World;
  readonly intake: ViewIntake;
  readonly limits: GatewayLimits;
  readonly #schema: Schema;
  readonly #options: GatewayOptions;
  readonly #clock: Clock;
  readonly #metrics: GatewayMetrics;
  readonly #log: Logger;
  readonly #logRate: RateLimit;
  /** By token. */
  readonly #sessions = new Map<string, Session>();
  /** With whom to ask about those who have not been let in yet. */
  readonly #peers = new Map<Peer, Authenticate>();
  /** Those of them that have no session yet, oldest first. */
  readonly #strangers = new Set<Peer>();
  /** Admissions that the game has not answered yet. */
  #admitting = 0;
  #isClosed = false;

  constructor({ world, intake, schema, options, limits, clock, metrics }: ReceptionParts) {
    this.world = world;
    this.intake = intake;
    this.limits = limits;
    this.#schema = schema;
    this.#options = options;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#log = options.logger ?? pino({ enabled: false });
    this.#logRate = new RateLimit(LOG_LINES_PER_SECOND, clock.now());
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  get peerCount(): number {
    return this.#peers.size;
  }

  get connectionsMax(): number {
    return this.limits.clientsMax + this.limits.strangersMax;
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  sessions(): IterableIterator<Session> {
    return this.#sessions.values();
  }

  now(): number {
    return this.#clock.now();
  }

  mayAccept(): boolean {
    return this.isOpen && this.#peers.size < this.connectionsMax;
  }

  accept(
    connection: Connection,
    request: ConnectionRequest,
    authenticate: Authenticate = this.#options.authenticate,
  ): ConnectionEvents {
    const peer = new Peer(this, connection, request);
    this.#peers.set(peer, authenticate);
    this.#strangers.add(peer);
    if (this.#strangers.size > this.limits.strangersMax) {
      const [oldest] = this.#strangers;
      oldest?.close('tooLate');
    }
    if (this.#isClosed) peer.close('goingAway');
    return peer;
  }

  refused(why: 'origin' | 'full' | 'path'): void {
    this.#metrics.closes.inc({ why: `refused ${why}` });
    this.#warn({ why }, 'connection refused');
  }

  /** Closes connections and ends sessions whose time is over. */
  watch(): void {
    const nowMs = this.now();
    for (const peer of [...this.#peers.keys()]) peer.watch(nowMs);
    for (const session of [...this.#sessions.values()]) {
      const isGone = session.peer === undefined && nowMs - session.awayMs >= this.limits.graceMs;
      if (isGone) this.end(session, 'gone');
    }
  }

  /** Lets nobody in any more, and sends everyone away. */
  close(): void {
    this.#isClosed = true;
    this.#log.info({ clients: this.#sessions.size }, 'gateway drains');
    for (const peer of [...this.#peers.keys()]) peer.close('goingAway');
    for (const session of [...this.#sessions.values()]) this.end(session, 'drained');
  }

  greeted(peer: Peer, hello: Hello): void {
    const session = hello.token.length > 0 ? this.#sessions.get(keyOf(hello.token)) : undefined;
    if (session !== undefined) {
      this.#metrics.joins.inc({ how: 'resumed' });
      this.#connect(peer, session, hello.lastTick, true);
    } else if (this.#sessions.size + this.#admitting >= this.limits.clientsMax) peer.close('full');
    else this.#admit(peer, hello.credential);
  }

  input(session: Session, payload: Uint8Array, number: number): void {
    this.#metrics.inputs.inc();
    session.inputNumber = number;
    if (!this.#ask('onInput', () => this.#options.onInput?.(session, payload, number))) {
      session.peer?.close('internalError');
    }
  }

  ended(peer: Peer, why: string): void {
    this.#peers.delete(peer);
    this.#strangers.delete(peer);
    this.#metrics.closes.inc({ why });
    const { session } = peer;
    if (session?.peer === peer) {
      session.peer = undefined;
      session.awayMs = this.now();
      session.view.dropMessages();
    }
    const { address } = peer.request;
    if (BLAMELESS.has(why)) this.#log.debug({ address, why }, 'connection ended');
    else this.#warn({ address, why, watcher: session?.watcher }, 'connection ended');
  }

  end(session: Session, reason: LeaveReason): void {
    if (session.isOver) return;
    session.isOver = true;
    this.#sessions.delete(keyOf(session.token));
    session.peer?.close('released');
    this.#ask('onLeave', () => this.#options.onLeave?.(session, reason));
    this.intake.release(session.view);
  }

  /** Asks the game; where it knows at once, the client is in at once. */
  #admit(peer: Peer, credential: string): void {
    const authenticate = this.#peers.get(peer);
    if (authenticate === undefined) return;
    this.#admitting++;
    const settle = (admit: () => void): void => {
      this.#admitting--;
      if (!this.#ask('authenticate', admit)) peer.close('internalError');
    };
    let answer: ReturnType<Authenticate>;
    try {
      answer = authenticate({ ...peer.request, credential });
    } catch (error) {
      settle(() => {
        throw error;
      });
      return;
    }
    if (!(answer instanceof Promise)) {
      settle(() => this.#answer(peer, answer));
      return;
    }
    answer.then(
      (admission) => settle(() => this.#answer(peer, admission)),
      (error: unknown) =>
        settle(() => {
          throw error;
        }),
    );
  }

  #answer(peer: Peer, admission: Admission | undefined): void {
    if (admission === undefined) peer.close('unauthenticated');
    // Also where the client is gone by now: whoever let it in made room for it, and hears when that is over.
    else this.#join(peer, admission);
  }

  #join(peer: Peer, { watcher, own, bytesPerSecond, data }: Admission): void {
    const holder = this.#holderOf(watcher);
    const rate = bytesPerSecond ?? this.limits.bytesPerSecond;
    const session = holder ?? new Session(this, this.#newToken(), rate, data);
    session.attach(watcher, own ?? watcher);
    if (holder !== undefined) {
      // The token of the connection before must not bring that one back.
      this.#sessions.delete(keyOf(session.token));
      session.token = this.#newToken();
      session.data = data;
    }
    this.#sessions.set(keyOf(session.token), session);
    this.#metrics.joins.inc({ how: holder === undefined ? 'new' : 'replaced' });
    this.#connect(peer, session, 0, false);
    if (holder === undefined) this.#ask('onJoin', () => this.#options.onJoin?.(session));
    if (this.#isClosed) this.end(session, 'drained');
  }

  #holderOf(watcher: EntityId): Session | undefined {
    const view = this.intake.viewOf(watcher);
    if (view === undefined) return undefined;
    for (const session of this.#sessions.values()) if (session.view === view) return session;
    return undefined;
  }

  #connect(peer: Peer, session: Session, lastTick: number, resumed: boolean): void {
    session.peer?.close('replaced');
    session.view.dropMessages();
    session.view.resume(resumed ? lastTick : 0, this.intake.tick);
    session.awayMs = this.now();
    this.#strangers.delete(peer);
    if (peer.isOver) return;
    peer.session = session;
    session.peer = peer;
    const { positionStep, dimensions, senses, fields } = this.#schema;
    peer.send(
      writeWelcome({
        resumed,
        token: session.token,
        tickMs: this.#options.tickMs,
        positionStep,
        dimensions,
        senses,
        fields: fields.map(({ name, type }) => ({ name, typeNumber: FIELD_TYPES.indexOf(type) })),
      }),
    );
  }

  #newToken(): Uint8Array {
    const token = this.#options.randomToken?.() ?? randomBytes(TOKEN_BYTES);
    if (token.length !== TOKEN_BYTES) {
      const message = `randomToken answered ${token.length} bytes; expected ${TOKEN_BYTES}`;
      throw new UmweltError('BAD_OPTION', message, { field: 'randomToken', value: token.length });
    }
    return token;
  }

  /** Calls a hook of the game's; false when it threw. */
  #ask(hook: string, call: () => void): boolean {
    try {
      call();
      return true;
    } catch (error) {
      this.#fault(hook, error);
      return false;
    }
  }

  #fault(hook: string, error: unknown): void {
    this.#metrics.faults.inc({ hook });
    this.#log.error({ hook, err: error }, 'the game threw in a hook');
  }

  /** About what others do, who may do much of it. */
  #warn(facts: object, text: string): void {
    if (this.#logRate.take(this.now())) this.#log.warn(facts, text);
  }
}

function keyOf(token: Uint8Array): string {
  return Buffer.from(token.buffer, token.byteOffset, token.length).toString('hex');
}
