/**
 * Admission of connections, and the lifetime of sessions.
 *
 * A connection is unauthenticated until it has sent a hello. Then the game is asked, or the connection
 * resumes a session by its token. Unauthenticated connections are limited in number and time. A session lives
 * as long as it has a connection, and for a grace time longer. When the gateway is full, a session whose
 * client never acknowledged a frame makes room for a new one. Errors that the game throws in a hook are
 * logged and counted; at most they close the connection of the client concerned.
 */
import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type EntityId, UmweltError } from 'umwelt';
import type { GatewayWorld } from '../appearance/gateway-world.ts';
import { FIELD_TYPES, type Schema } from '../appearance/schema.ts';
import { addressKey, isNear } from '../bounds/address.ts';
import { AddressRates } from '../bounds/address-rates.ts';
import { Places } from '../bounds/places.ts';
import type { GatewayMetrics } from '../telemetry/gateway-metrics.ts';
import type {
  Connection,
  ConnectionEvents,
  ConnectionRequest,
  RefusalFacts,
  RefusalReason,
} from '../transports/transport.ts';
import { ByteBudget } from '../views/byte-budget.ts';
import type { ViewIntake } from '../views/view-intake.ts';
import { TOKEN_BYTES } from '../wire/frame-format.ts';
import { writeWelcome } from '../wire/server-message.ts';
import { Admissions, type AdmissionsHome } from './admissions.ts';
import type { Authenticate, Clock, GatewayOptions } from './gateway-options.ts';
import { type GatewayLimits, SAVED_SECONDS } from './limits.ts';
import { Notices } from './notices.ts';
import { type Hello, Peer, type PeerHome } from './peer.ts';
import { type Admission, checkAdmission, type LeaveReason, Session, type SessionHome } from './session.ts';
import type { StoredSession } from './stored-session.ts';
import { worldIdOf } from './world-id.ts';

/** Reasons for which a connection ends without a fault of the client: logged at debug level. */
const BLAMELESS = new Set(['closed', 'goingAway', 'released', 'replaced']);
/**
 * A live client has acknowledged a frame by then. A client that has not may lose its place to another one of
 * the same address.
 */
const PROOF_MS = 2000;

export interface ReceptionParts {
  readonly world: GatewayWorld;
  readonly intake: ViewIntake;
  readonly schema: Schema;
  readonly options: GatewayOptions;
  readonly limits: GatewayLimits;
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
}

export class Reception implements SessionHome, PeerHome, AdmissionsHome {
  readonly world: GatewayWorld;
  readonly intake: ViewIntake;
  readonly limits: GatewayLimits;
  readonly #schema: Schema;
  readonly #options: GatewayOptions;
  readonly #clock: Clock;
  readonly #metrics: GatewayMetrics;
  readonly #notices: Notices;
  /** By key: a hash of the token. */
  readonly #sessions = new Map<string, Session>();
  /** Every open connection, with the hook that decides its admission. */
  readonly #peers = new Map<Peer, Authenticate>();
  /** The connections that have not sent a hello. */
  readonly #strangers = new Places<Peer>();
  readonly #admissions: Admissions;
  readonly #joins: AddressRates;
  /** Counted by address. */
  readonly #places = new Places<Session>();
  /** The sessions whose clients have acknowledged no frame. */
  readonly #unproven = new Places<Session>();
  #isClosed = false;

  constructor({ world, intake, schema, options, limits, clock, metrics }: ReceptionParts) {
    this.world = world;
    this.intake = intake;
    this.limits = limits;
    this.#schema = schema;
    this.#options = options;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#notices = new Notices(options.logger, () => clock.now());
    this.#joins = new AddressRates(limits.joinsPerSecond, SAVED_SECONDS);
    this.#admissions = new Admissions(this, limits.admissionsMax);
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  get peerCount(): number {
    return this.#peers.size;
  }

  /** An upper bound: each kind closes its own connections above its limit. */
  get connectionsMax(): number {
    return this.limits.clientsMax + this.limits.strangersMax + this.limits.admissionsMax;
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

  accept(
    connection: Connection,
    request: ConnectionRequest,
    authenticate: Authenticate = this.#options.authenticate,
  ): ConnectionEvents {
    const peer = new Peer(this, connection, request);
    this.#peers.set(peer, authenticate);
    this.#strangers.add(peer, request.address);
    if (this.#strangers.size > this.limits.strangersMax) this.#strangers.first?.close('tooLate');
    if (this.#isClosed) peer.close('goingAway');
    return peer;
  }

  refused(why: RefusalReason, facts: RefusalFacts = {}): void {
    this.#metrics.closes.inc({ why: `refused ${why}` });
    this.#notices.warn({ why, ...facts }, 'connection refused');
  }

  /** Closes connections and ends sessions whose time is over. */
  watch(): void {
    const nowMs = this.now();
    for (const peer of [...this.#peers.keys()]) peer.watch(nowMs);
    for (const session of [...this.#sessions.values()]) {
      const isGone = session.peer === undefined && nowMs - session.awayMs >= this.#graceMsOf(session);
      if (isGone) this.end(session, 'gone');
    }
  }

  /** Resumes a session of a previous gateway: its client has the grace time to reconnect. */
  adopt({ key, address, inputNumber, bytesPerSecond, isProven, data, watcher, view }: StoredSession): void {
    const session = new Session(this, address, bytesPerSecond, data, view);
    session.key = key;
    session.inputNumber = inputNumber;
    session.isProven = isProven;
    this.intake.adopt(view, watcher);
    this.#sessions.set(key, session);
    this.#places.add(session, address);
    if (!isProven) this.#unproven.add(session, address);
  }

  /**
   * Admits no more clients and closes all connections. With `keepsSessions` the sessions stay as they are,
   * and `onLeave` is not called.
   */
  close(keepsSessions: boolean): void {
    this.#isClosed = true;
    this.#notices.info({ clients: this.#sessions.size }, 'gateway drains');
    for (const peer of [...this.#peers.keys()]) peer.close('goingAway');
    if (keepsSessions) return;
    for (const session of [...this.#sessions.values()]) this.end(session, 'drained');
  }

  greeted(peer: Peer, hello: Hello): void {
    const authenticate = this.#peers.get(peer);
    if (authenticate === undefined) return;
    this.#strangers.delete(peer);
    const session = hello.token.length > 0 ? this.#sessions.get(keyOf(hello.token)) : undefined;
    if (session !== undefined) session.token = hello.token;
    if (session === undefined) {
      const { address } = peer.request;
      if (!isNear(address) && !this.#joins.take(address, this.now())) peer.close('flood');
      else if (!this.#makesRoomFor(address)) peer.close('full');
      else this.#admissions.begin(peer, hello.credential, authenticate);
    } else if (session.rates.resumes.take(this.now())) {
      this.#metrics.joins.inc({ how: 'resumed' });
      this.#connect(peer, session, hello.lastTick, true);
    } else peer.close('flood');
  }

  proven(session: Session): void {
    session.isProven = true;
    this.#unproven.delete(session);
  }

  dropped(session: Session): void {
    this.#metrics.inputsDropped.inc();
    if (session.hasDropped) return;
    session.hasDropped = true;
    const facts = { watcher: session.watcher, inputsPerSecond: this.limits.inputsPerSecond };
    this.#notices.warn(facts, 'a client sends more inputs than are taken in; they are dropped');
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
    this.#admissions.ended(peer);
    this.#metrics.closes.inc({ why });
    const { session } = peer;
    if (session?.peer === peer) {
      session.peer = undefined;
      session.awayMs = this.now();
      session.view.dropMessages();
    }
    const { address } = peer.request;
    if (BLAMELESS.has(why)) this.#notices.debug({ address, why }, 'connection ended');
    else this.#notices.warn({ address, why, watcher: session?.watcher }, 'connection ended');
  }

  end(session: Session, reason: LeaveReason): void {
    if (session.isOver) return;
    session.isOver = true;
    this.#sessions.delete(session.key);
    this.#places.delete(session);
    this.#unproven.delete(session);
    session.peer?.close('released');
    this.#ask('onLeave', () => this.#options.onLeave?.(session, reason));
    this.intake.release(session.view);
  }

  /**
   * The game has answered. Also called if the connection has closed meanwhile: the game may have made an
   * entity for the client, and must get `onLeave`.
   */
  answered(peer: Peer, admission: Admission | undefined): void {
    // Database clients often return null for a missing row.
    if (admission === undefined || admission === null) peer.close('unauthenticated');
    else this.#join(peer, admission);
  }

  failed(peer: Peer, error: unknown): void {
    this.#fault('authenticate', error);
    peer.close('internalError');
  }

  #join(peer: Peer, admission: Admission): void {
    const { watcher, bytesPerSecond, data } = admission;
    const holder = this.#holderOf(watcher);
    // The player is in over a later connection: this answer came too late to replace that one.
    if (holder !== undefined && peer.isOver) return;
    if (holder?.rates.resumes.take(this.now()) === false) {
      peer.close('flood');
      return;
    }
    const { address } = peer.request;
    const rate = bytesPerSecond ?? this.limits.bytesPerSecond;
    const session = holder ?? new Session(this, address, rate, data);
    const formerKey = session.key;
    if (!this.#ask('authenticate', () => this.#fit(session, admission))) {
      peer.close('internalError');
      if (holder === undefined) this.#forsake(session, watcher);
      return;
    }
    if (holder !== undefined) {
      // The token of the previous connection must not resume this session.
      this.#sessions.delete(formerKey);
      session.data = data;
      // The new page does not know the input numbers of the previous one.
      session.inputNumber = 0;
      if (rate !== session.budget.bytesPerSecond) session.budget = new ByteBudget(rate, this.now());
    } else {
      // Other clients may have been admitted while the game was deciding.
      if (!peer.isOver && !this.#makesRoomFor(address)) peer.close('full');
      this.#places.add(session, address);
      this.#unproven.add(session, address);
    }
    this.#sessions.set(session.key, session);
    this.#metrics.joins.inc({ how: holder === undefined ? 'new' : 'replaced' });
    this.#connect(peer, session, 0, false);
    if (holder === undefined) this.#ask('onJoin', () => this.#options.onJoin?.(session));
    if (this.#isClosed) this.end(session, 'drained');
    else if (this.#sessions.size > this.limits.clientsMax) this.end(session, 'gone');
    // Others of its address may have been admitted, and it may have gone, while the game was deciding.
    else if (holder === undefined && this.#extraOf(address) > 0) this.end(session, 'gone');
  }

  /** Applies the admission to the session and gives it a token. If it throws, nothing has changed. */
  #fit(session: Session, admission: Admission): void {
    checkAdmission(admission);
    const { watcher, own = watcher } = admission;
    const token = this.#newToken();
    session.attach(watcher, own);
    session.token = token;
    session.key = keyOf(token);
  }

  /**
   * The admission was invalid. `onLeave` is called, so that the game can remove the watcher that it may have
   * added. Its relations are not read: this process may not know them.
   */
  #forsake(session: Session, watcher: EntityId): void {
    if (this.world.has(watcher)) this.intake.adopt(session.view, watcher);
    this.end(session, 'released');
  }

  /** Whether one more session may start. May end a session of a client that appears not to be live. */
  #makesRoomFor(address: string): boolean {
    const isTooMany = this.#extraOf(address) >= 0;
    if (!isTooMany && this.#sessions.size < this.limits.clientsMax) return true;
    const idle = this.#unproven.first;
    if (idle === undefined) return false;
    const isOfSame = addressKey(idle.address) === addressKey(address);
    if (isTooMany && !isOfSame) return false;
    const holdsMore = this.#unproven.countOf(idle.address) > this.#unproven.countOf(address);
    if (!holdsMore && this.now() - idle.joinedMs < PROOF_MS) return false;
    idle.peer?.close('full');
    this.end(idle, 'gone');
    return true;
  }

  /** By how many sessions the address is above its limit; below 0 if it may have more. */
  #extraOf(address: string): number {
    if (isNear(address)) return Number.NEGATIVE_INFINITY;
    return this.#places.countOf(address) - this.limits.clientsPerAddressMax;
  }

  #graceMsOf({ isProven }: Session): number {
    const { graceMs, firstGraceMs } = this.limits;
    return isProven ? graceMs : Math.min(graceMs, firstGraceMs);
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
    const worldId = worldIdOf(this.world);
    // A client that finds another id starts empty: a difference would be of entities that it does not have.
    const isSame = session.worldId === undefined || isDeepStrictEqual(session.worldId, worldId);
    session.view.resume(resumed && isSame ? lastTick : 0, this.intake.tick);
    session.awayMs = this.now();
    if (peer.isOver) return;
    peer.admit(session);
    session.peer = peer;
    session.view.formatVersion = peer.formatVersion;
    session.worldId = worldId;
    const { positionStep, dimensions, senses, fields } = this.#schema;
    peer.send(
      writeWelcome({
        version: peer.formatVersion,
        resumed,
        token: session.token,
        worldId,
        tickMs: this.#options.tickMs,
        inputsPerSecond: this.limits.inputsPerSecond,
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

  /** Calls a hook of the game; returns false if it threw. */
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
    this.#notices.fault(hook, error);
  }
}

function keyOf(token: Uint8Array): string {
  return createHash('sha256').update(token).digest('hex');
}
