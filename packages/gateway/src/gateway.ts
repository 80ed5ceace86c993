/**
 * Views on sockets: shows each client what its watcher perceives, one binary frame a tick.
 *
 * The game ticks its world and hands what the tick reports to `publish`; everything else follows from that: what is new to
 * each client is found in its rows, encoded once for all, and sent as far as its budget and its connection allow. Sessions
 * outlive connections for a grace time. What clients send is checked by `Peer` before it gets here.
 *
 * Cost of a tick: see `FrameWriter`; a broadcast, one `watchersOf`.
 */
import { randomBytes } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { type Changes, type EntityId, UmweltError, type World } from 'umwelt';
import { AppearanceColumns } from './appearance/appearance-columns.ts';
import { RecordCache } from './appearance/record-cache.ts';
import { FIELD_TYPES, type FieldValue, readSchema } from './appearance/schema.ts';
import { Broadcasts } from './broadcasts.ts';
import { type Clock, checkOptions, type GatewayOptions, systemClock } from './gateway-options.ts';
import { type GatewayLimits, readLimits } from './sessions/limits.ts';
import { type Hello, Peer, type PeerHome } from './sessions/peer.ts';
import { RateLimit } from './sessions/rate-limit.ts';
import {
  type Admission,
  type LeaveReason,
  Session,
  type SessionHome,
  type SessionPeer,
} from './sessions/session.ts';
import { GatewayMetrics } from './telemetry/gateway-metrics.ts';
import type {
  Connection,
  ConnectionEvents,
  ConnectionRequest,
  GatewayStatus,
  Transport,
  TransportHost,
} from './transports/transport.ts';
import { FrameWriter } from './views/frame-writer.ts';
import { ViewIntake } from './views/view-intake.ts';
import { TOKEN_BYTES } from './wire/frame-format.ts';
import { writeWelcome } from './wire/server-message.ts';

/** How often time-outs are looked at where no tick does. */
const WATCH_MS = 1000;
/** Of refusals; the rest is counted only. */
const LOG_LINES_PER_SECOND = 20;
const DRAIN_MS = 5000;

type Authenticate = GatewayOptions['authenticate'];

export class Gateway implements TransportHost, SessionHome, PeerHome {
  readonly world: World;
  readonly limits: GatewayLimits;
  readonly intake: ViewIntake;
  readonly #options: GatewayOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #logRate: RateLimit;
  readonly #metrics = new GatewayMetrics();
  readonly #columns: AppearanceColumns;
  readonly #records: RecordCache;
  readonly #writer: FrameWriter;
  readonly #broadcasts: Broadcasts;
  readonly #transports: Transport[] = [];
  readonly #sessions = new Map<string, Session>();
  readonly #peers = new Map<Peer, Authenticate>();
  /** Those of them that have no session yet, oldest first. */
  readonly #strangers = new Set<Peer>();
  readonly #stopWatching: () => void;
  /** Admissions that the game has not answered yet. */
  #admitting = 0;
  #drained: Promise<void> | undefined;

  /** Throws `BAD_OPTION`, `UNKNOWN_SENSE`. */
  constructor(world: World, options: GatewayOptions) {
    checkOptions(options);
    const { senses = ['sight'], dimensions = 2, clock = systemClock } = options;
    this.world = world;
    this.#options = options;
    this.limits = readLimits(options.limits);
    this.#clock = clock;
    this.#log = options.logger ?? pino({ enabled: false });
    this.#logRate = new RateLimit(LOG_LINES_PER_SECOND, clock.now());
    this.#columns = new AppearanceColumns(world, readSchema(options.appearance, senses, dimensions));
    this.#records = new RecordCache(this.#columns);
    this.#writer = new FrameWriter(this.#columns, this.#records);
    this.intake = new ViewIntake(world);
    this.#broadcasts = new Broadcasts(this.intake, senses, this.limits);
    this.#stopWatching = clock.repeat(() => this.#watch(), WATCH_MS);
  }

  /** Sessions, those that are away included. */
  get sessions(): Iterable<Session> {
    return this.#sessions.values();
  }

  get messageBytesMax(): number {
    return this.limits.messageBytesMax;
  }

  get connectionsMax(): number {
    return this.limits.clientsMax + this.limits.strangersMax;
  }

  now(): number {
    return this.#clock.now();
  }

  /** Takes clients by this transport too. Rejects with what it fails with, such as `EADDRINUSE`. */
  async listen(transport: Transport): Promise<void> {
    await transport.start(this);
    this.#transports.push(transport);
  }

  /**
   * Sets fields of an entity: all or none. Clients hear of them with the next tick. Throws `BAD_OPTION` for an unknown
   * field or another type of value, `STALE_ID`, `BAD_ID`.
   */
  set(id: EntityId, values: Readonly<Record<string, FieldValue>>): void {
    this.#columns.set(id, values);
  }

  /** A field's value; of one never set false, 0 or ''; `undefined` for no field. */
  get(id: EntityId, field: string): FieldValue | undefined {
    return this.#columns.get(id, field);
  }

  /** Where bytes are short, one of importance 2 is told of twice as often as others at its distance. 1 unless set. */
  setImportance(id: EntityId, importance: number): void {
    this.#columns.setImportance(id, importance);
  }

  /**
   * Sends bytes, with the next tick's frames, to each client whose watcher then relates to `marker`, and to those whose
   * own it is; with a sense, to those related by it. Nobody hears of a marker that is removed before that tick. Throws
   * `BAD_OPTION` when it is too long, `UNKNOWN_SENSE`, `STALE_ID`.
   */
  broadcast(marker: EntityId, message: Uint8Array, options: { readonly sense?: string } = {}): void {
    this.world.slotOf(marker);
    this.#broadcasts.add(marker, message, options.sense);
  }

  /**
   * Brings a tick to the clients. To be called after each `world.tick()`, before anything else changes the world. Throws
   * `BAD_OPTION` for a tick that is not newer than the last one.
   */
  publish(changes: Changes): void {
    if (changes.tick <= this.intake.tick) {
      const message = `tick ${changes.tick} was published; expected one after ${this.intake.tick}`;
      throw new UmweltError('BAD_OPTION', message, { field: 'changes', value: changes.tick });
    }
    const startMs = performance.now();
    this.intake.take(changes);
    this.#writer.beginTick(changes.tick);
    this.#broadcasts.deliver(this.world, this.#sessions.values());
    this.#sendFrames();
    this.#watch();
    this.#metrics.records.inc(this.#records.count);
    this.#metrics.tickSeconds.observe((performance.now() - startMs) / 1000);
  }

  mayAccept(): boolean {
    return this.#drained === undefined && this.#peers.size < this.connectionsMax;
  }

  /** For transports. With `authenticate`, that is asked instead of the one in the options. */
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
    if (this.#drained !== undefined) peer.close('goingAway');
    return peer;
  }

  refused(why: 'origin' | 'full' | 'path'): void {
    this.#metrics.closes.inc({ why: `refused ${why}` });
    this.#warn({ why }, 'connection refused');
  }

  status(): GatewayStatus {
    return { ready: this.#drained === undefined, tick: this.intake.tick, clients: this.#sessions.size };
  }

  async metrics(): Promise<string> {
    this.#metrics.clients.set(this.#sessions.size);
    this.#metrics.connections.set(this.#peers.size);
    return this.#metrics.registry.metrics();
  }

  /**
   * The end: takes no more clients, tells those there are to come again elsewhere, and resolves when all are gone, at the
   * latest after some seconds. Idempotent.
   */
  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async #drain(): Promise<void> {
    this.#log.info({ clients: this.#sessions.size }, 'gateway drains');
    for (const transport of this.#transports) transport.stop();
    for (const peer of [...this.#peers.keys()]) peer.close('goingAway');
    for (const session of [...this.#sessions.values()]) this.end(session, 'drained');
    this.#stopWatching();
    let stop = (): void => {};
    const deadline = new Promise<void>((resolve) => {
      stop = this.#clock.repeat(resolve, DRAIN_MS);
    });
    await Promise.race([Promise.all(this.#transports.map((transport) => transport.close())), deadline]);
    stop();
  }

  /** @internal */
  greeted(peer: Peer, hello: Hello): void {
    const session = hello.token.length > 0 ? this.#sessions.get(keyOf(hello.token)) : undefined;
    if (session !== undefined) {
      this.#metrics.joins.inc({ how: 'resumed' });
      this.#connect(peer, session, hello.lastTick, true);
    } else if (this.#sessions.size + this.#admitting >= this.limits.clientsMax) peer.close('full');
    else this.#admit(peer, hello.credential);
  }

  /** @internal */
  input(session: Session, payload: Uint8Array, number: number): void {
    this.#metrics.inputs.inc();
    session.inputNumber = number;
    if (!this.#ask('onInput', () => this.#options.onInput?.(session, payload, number))) {
      session.peer?.close('internalError');
    }
  }

  /** @internal */
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
    if (why === 'closed' || why === 'goingAway') this.#log.debug({ address, why }, 'connection ended');
    else this.#warn({ address, why, watcher: session?.watcher }, 'connection ended');
  }

  /** @internal */
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
    if (this.#drained !== undefined) this.end(session, 'drained');
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
    const { positionStep, dimensions, senses, fields } = this.#columns.schema;
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

  #sendFrames(): void {
    const nowMs = this.now();
    const sums = {
      frames: 0,
      bytes: 0,
      entered: 0,
      updated: 0,
      left: 0,
      messages: 0,
      deferred: 0,
      behind: 0,
      lost: 0,
    };
    for (const session of this.#sessions.values()) {
      const { peer, view, budget } = session;
      if (peer === undefined) continue;
      if (this.#isBehind(peer, session, nowMs)) {
        sums.behind++;
        continue;
      }
      sums.lost += view.messagesLost;
      const available = Math.min(budget.available(nowMs), this.limits.frameBytesMax);
      const frame = this.#writer.write(view, session.inputNumber, available);
      budget.spend(frame.bytes.length);
      sums.frames++;
      sums.bytes += frame.bytes.length;
      sums.entered += frame.entered;
      sums.updated += frame.updated;
      sums.left += frame.left;
      sums.messages += frame.messages;
      sums.deferred += frame.deferred;
      peer.send(frame.bytes);
    }
    const metrics = this.#metrics;
    metrics.frames.inc(sums.frames);
    metrics.bytes.inc(sums.bytes);
    metrics.entities.inc({ kind: 'entered' }, sums.entered);
    metrics.entities.inc({ kind: 'updated' }, sums.updated);
    metrics.entities.inc({ kind: 'left' }, sums.left);
    metrics.broadcasts.inc(sums.messages);
    metrics.broadcastsLost.inc(sums.lost);
    metrics.deferred.inc(sums.deferred);
    metrics.skipped.inc(sums.behind);
    metrics.behind.set(sums.behind);
  }

  /** Whether the client still has to take in what it was sent before; one that does not in time is closed. */
  #isBehind(peer: SessionPeer, { view }: Session, nowMs: number): boolean {
    if (peer.bufferedBytes <= this.limits.bufferedBytesMax) {
      peer.behindMs = undefined;
      return false;
    }
    peer.behindMs ??= nowMs;
    if (view.messagesLost > 0 || nowMs - peer.behindMs >= this.limits.behindMs) peer.close('tooSlow');
    return true;
  }

  /** Closes connections and ends sessions whose time is over. */
  #watch(): void {
    const nowMs = this.now();
    for (const peer of [...this.#peers.keys()]) peer.watch(nowMs);
    for (const session of [...this.#sessions.values()]) {
      const isGone = session.peer === undefined && nowMs - session.awayMs >= this.limits.graceMs;
      if (isGone) this.end(session, 'gone');
    }
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
