/**
 * Views on sockets: shows each client what its watcher perceives, one binary frame a tick.
 *
 * The game ticks its world and hands what the tick reports to `publish`; everything else follows from that: what is new to
 * each client is found in its rows, encoded once for all, and sent as far as its budget and its connection allow. Sessions
 * outlive connections for a grace time. What clients send is checked by `Peer` before it gets here.
 *
 * Cost of a tick: see `FrameWriter`; a broadcast, one `watchersOf`.
 */
import { type Changes, type EntityId, type Place, UmweltError } from 'umwelt';
import { AppearanceColumns } from './appearance/appearance-columns.ts';
import type { GatewayWorld } from './appearance/gateway-world.ts';
import { RecordCache } from './appearance/record-cache.ts';
import { type AppearanceOptions, type FieldValue, readSchema, type ValuesOf } from './appearance/schema.ts';
import { badOption } from './bounds/bad-option.ts';
import { checkKeys } from './bounds/option-keys.ts';
import { Broadcasts } from './broadcasts.ts';
import { type DrainOptions, readDrainOptions } from './sessions/drain-options.ts';
import {
  type Authenticate,
  type Clock,
  checkOptions,
  type GatewayOptions,
  systemClock,
} from './sessions/gateway-options.ts';
import { type GatewayLimits, readLimits } from './sessions/limits.ts';
import { Reception } from './sessions/reception.ts';
import type { Session, SessionPeer } from './sessions/session.ts';
import { readGatewaySnapshot, writeGatewaySnapshot } from './snapshot/gateway-snapshot.ts';
import { GatewayMetrics } from './telemetry/gateway-metrics.ts';
import type { MetricReading, PublishReport } from './telemetry/publish-report.ts';
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
import { ENTITIES_MAX } from './wire/frame-format.ts';

/** How often time-outs are looked at where no tick does. */
const WATCH_MS = 1000;
const DRAIN_MS = 5000;
/** Of `unackedMs`, for a client that has never acknowledged a frame: whoever is there has within half a second. */
const UNPROVEN_SHARE = 1 / 3;

/** Puts what each watcher of a world perceives on the connection of its player: one frame a tick, within budgets. */
export class Gateway<const A extends AppearanceOptions = AppearanceOptions> {
  /** The one it was made for. */
  readonly world: GatewayWorld;
  /** As they hold: those given over the defaults. */
  readonly limits: GatewayLimits;
  readonly #intake: ViewIntake;
  readonly #tickMs: number;
  readonly #clock: Clock;
  readonly #metrics = new GatewayMetrics();
  readonly #observers = new Set<(report: PublishReport) => void>();
  #columns: AppearanceColumns;
  #records: RecordCache;
  #writer: FrameWriter;
  readonly #broadcasts: Broadcasts;
  readonly #reception: Reception;
  readonly #transports: Transport[] = [];
  readonly #stopWatching: () => void;
  #drained: Promise<void> | undefined;

  /** Throws `BAD_OPTION`, `UNKNOWN_SENSE`. */
  constructor(world: GatewayWorld, options: GatewayOptions<A>) {
    if (typeof world?.visibleTo !== 'function') throw badOption('world', world, 'a World');
    checkOptions(options);
    const { clock = systemClock } = options;
    const schema = readSchema(options.appearance, world.senseNames, world.dimensions);
    this.world = world;
    this.limits = readLimits(options.limits);
    this.#tickMs = options.tickMs;
    this.#clock = clock;
    this.#columns = new AppearanceColumns(world, schema);
    this.#records = new RecordCache(this.#columns);
    this.#writer = new FrameWriter(this.#columns, this.#records);
    this.#intake = new ViewIntake(world);
    this.#broadcasts = new Broadcasts(this.#intake, schema, this.limits);
    this.#reception = new Reception({
      world,
      intake: this.#intake,
      schema,
      options,
      limits: this.limits,
      clock,
      metrics: this.#metrics,
    });
    this.#stopWatching = clock.repeat(() => this.#reception.watch(), WATCH_MS);
  }

  /**
   * The gateway that `snapshot` wrote, on the world restored from the same moment: clients that come back with their tokens go on where
   * they were, with what changed since. Sessions have their grace time from now on; `sessions` says whose they are. With another
   * appearance fields keep their values by name, and clients are told everything anew. Throws `BAD_SNAPSHOT`, and what the
   * constructor throws.
   */
  static restore<const A extends AppearanceOptions = AppearanceOptions>(
    world: GatewayWorld,
    bytes: Uint8Array,
    options: GatewayOptions<A>,
  ): Gateway<A> {
    const gateway = new Gateway<A>(world, options);
    try {
      for (const stored of readGatewaySnapshot(bytes, gateway.#columns)) gateway.#reception.adopt(stored);
    } catch (error) {
      gateway.#stopWatching();
      throw error;
    }
    return gateway;
  }

  /** Those that are away included. */
  get sessions(): Iterable<Session> {
    return this.#reception.sessions();
  }

  /** Takes clients by this transport too. Rejects with what it fails with, such as `EADDRINUSE`. */
  async listen(transport: Transport): Promise<void> {
    const reception = this.#reception;
    const host: TransportHost = {
      messageBytesMax: this.limits.messageBytesMax,
      connectionsMax: reception.connectionsMax,
      receivedBytesPerSecond: this.limits.receivedBytesPerSecond,
      mayAccept: () => reception.isOpen,
      accept: (connection, request) => reception.accept(connection, request),
      refused: (why, facts) => reception.refused(why, facts),
      status: () => this.status(),
      metrics: () => this.metrics(),
    };
    await transport.start(host);
    this.#transports.push(transport);
  }

  /**
   * Takes a connection that no transport brought: one of a framework's own. With `authenticate`, that is asked instead of
   * the one in the options. Answers whom to tell of what comes in.
   */
  accept(connection: Connection, request: ConnectionRequest, authenticate?: Authenticate): ConnectionEvents {
    return this.#reception.accept(connection, request, authenticate);
  }

  /**
   * Sets fields of an entity: all or none. Clients hear of them with the next tick. Throws `BAD_OPTION` for an unknown
   * field or another type of value, `STALE_ID`, `BAD_ID`.
   */
  set(id: EntityId, values: Readonly<Partial<ValuesOf<A>>>): void {
    this.#columns.set(id, values as Readonly<Record<string, FieldValue>>);
  }

  /** A field's value; of one never set false, 0 or ''; `undefined` for no field. */
  get<Name extends keyof ValuesOf<A> & string>(
    id: EntityId,
    field: Name,
  ): ValuesOf<A>[Name] | (string extends keyof ValuesOf<A> ? undefined : never) {
    return this.#columns.get(id, field) as ValuesOf<A>[Name];
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
    checkKeys('broadcast', options, ['sense']);
    // Only who is present has a position.
    this.world.position(marker);
    this.#broadcasts.add(marker, message, options.sense);
  }

  /**
   * Sends bytes, with the next tick's frames, to each client whose watcher would then perceive a marker at that place: a sound, an
   * explosion, a chat bubble, as `world.watchersAt` has it. The client is told where. Throws `BAD_OPTION` when it is too long, and
   * what `watchersAt` throws. Cost: that of two `watchersAt`.
   */
  broadcastAt(place: Place, message: Uint8Array): void {
    this.#broadcasts.addAt(this.world, place, message);
  }

  /**
   * Brings a tick to the clients. To be called after each `world.tick()`, before anything else changes the world. Throws
   * `BAD_OPTION` for a tick older than the last one. That one again, which the world still has after a tick that threw and
   * changed nothing, tells nobody anything.
   */
  publish(changes: Changes): void {
    if (typeof changes?.tick !== 'number') throw badOption('changes', changes, "what a world's tick answers");
    if (changes.tick === this.#intake.tick) {
      this.#reception.watch();
      return;
    }
    if (changes.tick < this.#intake.tick) {
      const message = `tick ${changes.tick} was given; expected one after ${this.#intake.tick}`;
      throw new UmweltError('BAD_OPTION', message, { field: 'changes', value: changes.tick });
    }
    const startMs = performance.now();
    this.#intake.take(changes);
    for (const id of this.#columns.due.take(changes.tick)) this.#intake.tellOf(id);
    this.#writer.beginTick(changes.tick);
    this.#broadcasts.deliver(this.world, this.#reception.sessions());
    const sums = this.#sendFrames();
    this.#columns.touchDue();
    this.#reception.watch();
    this.#metrics.records.inc(this.#records.count);
    const report = { tick: changes.tick, startMs, durationMs: performance.now() - startMs, ...sums };
    this.#metrics.add(report);
    for (const observer of this.#observers) observer(report);
  }

  /**
   * Has `observer` told of each `publish` when it is done, until the function that is returned is called. What it throws, `publish`
   * throws. `@umwelt/gateway/opentelemetry` makes spans of it.
   */
  observe(observer: (report: PublishReport) => void): () => void {
    if (typeof observer !== 'function') throw badOption('observer', observer, 'a function');
    // One of its own, so that each call ends its own and no other.
    const own = (report: PublishReport): void => observer(report);
    this.#observers.add(own);
    return () => this.#observers.delete(own);
  }

  /**
   * Begins anew on a world whose state was replaced, as a node's is after it copied another's: fields are as if never set,
   * sessions stand, and their clients are told everything anew with the tick that is published next, whatever its number. Keeps
   * importance. Cost: O(sessions + entities).
   */
  resync(): void {
    const { schema } = this.#columns;
    const columns = new AppearanceColumns(this.world, schema);
    columns.adoptImportance(this.#columns);
    this.#columns = columns;
    this.#records = new RecordCache(columns);
    this.#writer = new FrameWriter(columns, this.#records);
    this.#intake.beginAnew();
  }

  /** How it is. */
  status(): GatewayStatus {
    const { isOpen, sessionCount } = this.#reception;
    return { ready: isOpen && this.#drained === undefined, tick: this.#intake.tick, clients: sessionCount };
  }

  /** In the text format of Prometheus. */
  async metrics(): Promise<string> {
    this.#setGauges();
    return this.#metrics.registry.metrics();
  }

  /** As `metrics`, as data, without how long each `publish` took: that is what `observe` tells. */
  async readings(): Promise<readonly MetricReading[]> {
    this.#setGauges();
    return this.#metrics.readings();
  }

  /**
   * The end: takes no more clients, tells those there are to come again elsewhere, and resolves when all are gone, at the
   * latest after some seconds. With `noticeMs` that begins so much later: until then all goes on, ticks to be published
   * included, but `/readyz` says 503, so that whoever balances the load sends newcomers elsewhere. Idempotent. Throws
   * `BAD_OPTION`.
   */
  drain(options: DrainOptions = {}): Promise<void> {
    const { noticeMs, keepSessions } = readDrainOptions(options);
    this.#drained ??= this.#drain(noticeMs, keepSessions);
    return this.#drained;
  }

  /**
   * All that clients are told and have been told, and who they are, as bytes for `restore`: to be taken after `publish`, together with
   * `world.snapshot()`, before anything changes the world. `data` of sessions is stored as JSON; messages that wait are not stored.
   * Throws `BAD_OPTION` where data is not JSON, `BAD_SNAPSHOT` where the world has ticked since. Cost: O(entities + rows).
   */
  snapshot(): Uint8Array {
    if (this.world.tickCount !== this.#intake.tick) {
      const { tick } = this.#intake;
      const message = `the world is at tick ${this.world.tickCount}; expected ${tick}, the one that was published`;
      throw new UmweltError('BAD_SNAPSHOT', message, { value: this.world.tickCount });
    }
    return writeGatewaySnapshot(this.#columns, this.#reception.sessions());
  }

  async #drain(noticeMs: number, keepSessions: boolean): Promise<void> {
    if (noticeMs > 0) await this.#pass(noticeMs);
    for (const transport of this.#transports) transport.stop();
    this.#reception.close(keepSessions);
    this.#stopWatching();
    let stop = (): void => {};
    const deadline = new Promise<void>((resolve) => {
      stop = this.#clock.repeat(resolve, DRAIN_MS);
    });
    await Promise.race([Promise.all(this.#transports.map((transport) => transport.close())), deadline]);
    stop();
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#clock.repeat(() => {
        stop();
        resolve();
      }, ms);
    });
  }

  #setGauges(): void {
    this.#metrics.clients.set(this.#reception.sessionCount);
    this.#metrics.connections.set(this.#reception.peerCount);
  }

  #sendFrames(): Omit<PublishReport, 'tick' | 'startMs' | 'durationMs'> {
    const nowMs = this.#clock.now();
    const sums = {
      frames: 0,
      bytes: 0,
      entered: 0,
      updated: 0,
      left: 0,
      messages: 0,
      deferred: 0,
      behind: 0,
      lost: this.#broadcasts.takeLost(),
    };
    for (const session of this.#reception.sessions()) {
      const { view, budget } = session;
      // The client would refuse it, come back, and be sent it again.
      if (view.rows.wantsMoreThan(ENTITIES_MAX)) session.peer?.close('tooMuch');
      const { peer } = session;
      const isBehind = peer !== undefined && this.#isBehind(peer, session, nowMs);
      if (isBehind) sums.behind++;
      if (peer === undefined || isBehind || view.isHeld) {
        view.noteNews(this.#intake.tick);
        continue;
      }
      sums.lost += view.messagesLost;
      const available = Math.min(budget.available(nowMs), this.limits.frameBytesMax);
      const frame = this.#writer.write(view, session.inputNumber, available, this.limits.entersPerFrame);
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
    return sums;
  }

  /** Whether the client still has to take in what it was sent before; one that does not in time is closed. */
  #isBehind(peer: SessionPeer, { view, isProven }: Session, nowMs: number): boolean {
    const unackedMs = (view.lastTick - view.ackedTick) * this.#tickMs;
    const unackedMax = this.limits.unackedMs * (isProven ? 1 : UNPROVEN_SHARE);
    if (peer.bufferedBytes <= this.limits.bufferedBytesMax && unackedMs <= unackedMax) {
      peer.behindMs = undefined;
      return false;
    }
    peer.behindMs ??= nowMs;
    if (view.messagesLost > 0 || nowMs - peer.behindMs >= this.limits.behindMs) peer.close('tooSlow');
    return true;
  }
}
