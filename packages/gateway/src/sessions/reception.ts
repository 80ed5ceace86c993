/**
 * The door: who gets in, by which connection, and when it is over.
 *
 * A connection is a stranger's until it has said hello; then the game is asked, or it comes back with a token. Strangers are
 * bounded in number and time. A session stands as long as it has a connection, and a grace time longer; one whose client never
 * acknowledged a frame gives its place up where others want in. What the game throws in a hook is logged and counted, costs at
 * most the client concerned its connection, and goes no further.
 */
import { createHash, randomBytes } from 'node:crypto';
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

/** Ends of connections that are nobody's fault. */
const BLAMELESS = new Set(['closed', 'goingAway', 'released', 'replaced']);
/** A client that is there has acknowledged a frame by then; who has not may lose its place to one of the same address. */
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
  /** With whom to ask about those who have not been let in yet. */
  readonly #peers = new Map<Peer, Authenticate>();
  /** Those of them that have not said hello. */
  readonly #strangers = new Places<Peer>();
  readonly #admissions: Admissions;
  readonly #joins: AddressRates;
  /** By address. */
  readonly #places = new Places<Session>();
  /** Those of them whose clients have acknowledged nothing. */
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

  /** More there never are: each kind gives up its own when it has too many. */
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

  /** Goes on with a session of a gateway before this one: its client has the grace time to come back in. */
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

  /** Lets nobody in any more, and sends everyone away; with `keepsSessions` they stand as they are, and nobody has left. */
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

  /** The game has answered. Also where the client is gone by now: whoever let it in made room for it, and hears when that is over. */
  answered(peer: Peer, admission: Admission | undefined): void {
    // Who asks a database often has null for nobody.
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
      // The token of the connection before must not bring that one back.
      this.#sessions.delete(formerKey);
      session.data = data;
      // Of inputs of the page before, this one knows nothing.
      session.inputNumber = 0;
      if (rate !== session.budget.bytesPerSecond) session.budget = new ByteBudget(rate, this.now());
    } else {
      // Others may have been let in while the game thought about this one.
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
  }

  /** Gives the session what it is admitted with, and a token. Throws where that cannot be, and it is as before. */
  #fit(session: Session, admission: Admission): void {
    checkAdmission(admission);
    const { watcher, own = watcher } = admission;
    const token = this.#newToken();
    session.attach(watcher, own);
    session.token = token;
    session.key = keyOf(token);
  }

  /** The game let somebody in as whom it cannot be: the watcher that it may have made for it is its own to remove. */
  #forsake(session: Session, watcher: EntityId): void {
    if (this.world.has(watcher)) session.attach(watcher, 0);
    this.end(session, 'released');
  }

  /** Whether one more session may begin; one of somebody who may not be there is ended for it. */
  #makesRoomFor(address: string): boolean {
    const { clientsMax, clientsPerAddressMax } = this.limits;
    const isTooMany = !isNear(address) && this.#places.countOf(address) >= clientsPerAddressMax;
    if (!isTooMany && this.#sessions.size < clientsMax) return true;
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
    session.view.resume(resumed ? lastTick : 0, this.intake.tick);
    session.awayMs = this.now();
    if (peer.isOver) return;
    peer.admit(session);
    session.peer = peer;
    session.view.formatVersion = peer.formatVersion;
    const { positionStep, dimensions, senses, fields } = this.#schema;
    peer.send(
      writeWelcome({
        version: peer.formatVersion,
        resumed,
        token: session.token,
        worldId: worldIdOf(this.world),
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
    this.#notices.fault(hook, error);
  }
}

function keyOf(token: Uint8Array): string {
  return createHash('sha256').update(token).digest('hex');
}
