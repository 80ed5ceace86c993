/**
 * The gateway: replicates to each client what its watcher perceives, in one binary frame per tick.
 *
 * The game ticks its world and passes the reported changes to `publish`. The gateway merges the changes into
 * the rows of each client, encodes each entity once for all clients, and sends to each client what its byte
 * budget and its connection allow. A session outlives its connection for a grace time. `Peer` validates the
 * messages of clients before they get here.
 *
 * Cost of a tick: see `FrameWriter`. A broadcast costs one `watchersOf`.
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
import { WorldGauges } from './telemetry/world-gauges.ts';
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

/** Interval of the check for time-outs while no tick is published. */
const WATCH_MS = 1000;
const DRAIN_MS = 5000;
/**
 * Share of `unackedMs` for a client that has never acknowledged a frame: a live client acknowledges within
 * half a second.
 */
const UNPROVEN_SHARE = 1 / 3;

/**
 * Sends what each watcher of a world perceives to the client of that watcher: one frame per tick, within byte
 * budgets.
 */
export class Gateway<const A extends AppearanceOptions = AppearanceOptions> {
  /** The world that this gateway replicates. */
  readonly world: GatewayWorld;
  /** The limits in force: the given values over the defaults. */
  readonly limits: GatewayLimits;
  readonly #intake: ViewIntake;
  readonly #tickMs: number;
  readonly #clock: Clock;
  readonly #metrics = new GatewayMetrics();
  readonly #worldGauges = new WorldGauges();
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
   * Restores the gateway that `snapshot` wrote, on the world restored from the same moment. Clients that
   * reconnect with their tokens resume where they were and receive what changed since. The grace time of each
   * session starts now; `sessions` lists the restored sessions. With a different appearance, fields keep
   * their values by name, and every client is resynchronised. Throws `BAD_SNAPSHOT`, and what the constructor
   * throws.
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

  /** All sessions, including those without a connection that are within their grace time. */
  get sessions(): Iterable<Session> {
    return this.#reception.sessions();
  }

  /**
   * Accepts clients from this transport as well. Rejects with `BAD_OPTION` for what is no transport, with
   * `DISPOSED` after `drain`, and with the error of the transport's `start`, such as `EADDRINUSE`; then it may
   * be called again. If `drain` is called meanwhile, the transport is closed at once.
   */
  async listen(transport: Transport): Promise<void> {
    const reception = this.#reception;
    if (typeof transport?.start !== 'function') throw badOption('transport', transport, 'a Transport');
    if (!reception.isOpen)
      throw new UmweltError('DISPOSED', 'the gateway has been drained; expected one that has not');
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
    if (reception.isOpen) return;
    // `drain` has closed the others without this one, which would keep the process alive.
    transport.stop();
    await transport.close();
  }

  /**
   * Accepts a connection that does not come from a transport, such as a connection of a framework.
   * `authenticate`, if given, replaces the one in the options for this connection. Returns the object that
   * must receive the events of the connection.
   */
  accept(connection: Connection, request: ConnectionRequest, authenticate?: Authenticate): ConnectionEvents {
    return this.#reception.accept(connection, request, authenticate);
  }

  /**
   * Sets fields of an entity: all or none. Clients receive the changes with the next tick. Throws
   * `BAD_OPTION` for an unknown field or a value of another type, `STALE_ID`, `BAD_ID`.
   */
  set(id: EntityId, values: Readonly<Partial<ValuesOf<A>>>): void {
    this.#columns.set(id, values as Readonly<Record<string, FieldValue>>);
  }

  /** The value of a field. A field that was never set is false, 0 or ''; an unknown field is `undefined`. */
  get<Name extends keyof ValuesOf<A> & string>(
    id: EntityId,
    field: Name,
  ): ValuesOf<A>[Name] | (string extends keyof ValuesOf<A> ? undefined : never) {
    return this.#columns.get(id, field) as ValuesOf<A>[Name];
  }

  /**
   * Sets the importance of an entity; 1 unless set. When bytes are short, an entity of importance 2 is
   * updated twice as often as others at its distance. Throws `BAD_ID`, `STALE_ID`, `BAD_OPTION`.
   */
  setImportance(id: EntityId, importance: number): void {
    this.#columns.setImportance(id, importance);
  }

  /**
   * Sends bytes with the next tick's frames to each client whose watcher is then related to `marker`, and to
   * the clients whose own entity it is. With `sense`, only to watchers that perceive the marker by this
   * sense. If the marker is removed before that tick, the message is dropped. It is lost for a client that does not
   * have the marker yet, if there is no room for it: such markers and their parents may take 256 KiB of a frame. Throws `BAD_OPTION` when the
   * message is too long, `UNKNOWN_SENSE`, `STALE_ID`.
   */
  broadcast(marker: EntityId, message: Uint8Array, options: { readonly sense?: string } = {}): void {
    checkKeys('broadcast', options, ['sense']);
    // `position` throws unless the entity is present.
    this.world.position(marker);
    this.#broadcasts.add(marker, message, options.sense);
  }

  /**
   * Sends bytes with the next tick's frames to each client whose watcher would then perceive a marker at that
   * place, by the rules of `world.watchersAt`: for a sound, an explosion, a chat bubble. The client also
   * receives the place. Throws `BAD_OPTION` when the message is too long, and what `watchersAt` throws. Cost:
   * two `watchersAt`.
   */
  broadcastAt(place: Place, message: Uint8Array): void {
    this.#broadcasts.addAt(this.world, place, message);
  }

  /**
   * Sends the frames of a tick to the clients. Call it after each `world.tick()`, before anything else
   * changes the world. Throws `BAD_OPTION` for a tick older than the last published one, or newer than the
   * world's, and for another world's changes at the same tick. The same tick again sends nothing: the world still
   * returns it after a tick that threw and changed nothing.
   */
  publish(changes: Changes): void {
    if (typeof changes?.tick !== 'number') throw badOption('changes', changes, 'what world.tick() returned');
    // A later tick than the world's is of another world.
    if (!(changes.tick <= this.world.tickCount)) {
      const message = `tick ${changes.tick} was given; expected at most ${this.world.tickCount}, the tick of this gateway's world`;
      throw new UmweltError('BAD_OPTION', message, { field: 'changes', value: changes.tick });
    }
    if (changes.tick === this.world.tickCount && changes !== this.world.lastChanges) {
      const message = `the changes of another world at tick ${changes.tick} were given; expected those of this gateway's world, world.lastChanges`;
      throw new UmweltError('BAD_OPTION', message, { field: 'changes', value: changes.tick });
    }
    if (changes.tick === this.#intake.tick) {
      this.#reception.watch();
      return;
    }
    if (changes.tick < this.#intake.tick) {
      const message = `tick ${changes.tick} was given; expected one after ${this.#intake.tick}`;
      throw new UmweltError('BAD_OPTION', message, { field: 'changes', value: changes.tick });
    }
    const startMs = performance.now();
    this.#columns.release(changes.tick === this.#intake.tick + 1 ? changes.removed : undefined);
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
   * Calls `observer` with a report at the end of each `publish`, until the returned function is called.
   * `publish` throws what `observer` throws. Throws `BAD_OPTION` unless it is a function.
   * `@umwelt/gateway/opentelemetry` builds its spans from this.
   */
  observe(observer: (report: PublishReport) => void): () => void {
    if (typeof observer !== 'function') throw badOption('observer', observer, 'a function');
    // A new function per call, so that the returned function removes this observer only.
    const own = (report: PublishReport): void => observer(report);
    this.#observers.add(own);
    return () => this.#observers.delete(own);
  }

  /**
   * Starts over after the state of the world was replaced, for example when a cluster node has copied the
   * state of another node. Fields are reset as if never set, importance and sessions are kept, and the next
   * published tick resynchronises every client, whatever its number. Cost: O(sessions + entities).
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

  /** Readiness, tick and client count, for health checks. */
  status(): GatewayStatus {
    const { isOpen, sessionCount } = this.#reception;
    return { ready: isOpen && this.#drained === undefined, tick: this.#intake.tick, clients: sessionCount };
  }

  /** All metrics of the gateway and of its world, in the text format of Prometheus. */
  async metrics(): Promise<string> {
    this.#setGauges();
    const texts = [this.#metrics.registry.metrics(), this.#worldGauges.text(this.world)];
    return (await Promise.all(texts)).join('');
  }

  /**
   * The metrics of `metrics` as data, without those of the world (`world.stats()` has them) and the histogram of publish
   * times: `observe` reports those.
   */
  async readings(): Promise<readonly MetricReading[]> {
    this.#setGauges();
    return this.#metrics.readings();
  }

  /**
   * Shuts the gateway down: accepts no more clients, closes every connection with 1001 so that clients
   * reconnect elsewhere, and resolves when all are closed, after 5 seconds at the latest. With `noticeMs` the
   * shutdown starts that much later: until then everything continues (keep publishing ticks), but `/readyz`
   * answers 503, so that a load balancer sends new clients elsewhere. Idempotent. Throws `BAD_OPTION`.
   */
  drain(options: DrainOptions = {}): Promise<void> {
    const { noticeMs, keepSessions } = readDrainOptions(options);
    this.#drained ??= this.#drain(noticeMs, keepSessions);
    return this.#drained;
  }

  /**
   * The whole replication state as bytes for `restore`: field values, what each client has received, and the
   * sessions. Call it after `publish`, together with `world.snapshot()`, before anything changes the world.
   * The `data` of sessions is stored as JSON; queued messages are not stored. Throws `BAD_OPTION` if a `data`
   * is not JSON, `BAD_SNAPSHOT` if the world has ticked since the last `publish`. Cost: O(entities + rows).
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
      // The client would reject such a frame, reconnect, and receive the same frame again.
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
      sums.lost += frame.messagesLost;
      sums.deferred += frame.deferred;
      peer.send(frame.bytes);
    }
    return sums;
  }

  /**
   * Whether the client still has to take in earlier frames. Closes a client that stays behind for too long.
   */
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
