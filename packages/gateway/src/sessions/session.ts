/**
 * A session: one client over all its connections. It holds the watcher whose relations the client is shown,
 * the client's own entity, and the client's budgets.
 *
 * A session that loses its connection is kept for the grace time. A client that reconnects with the session's
 * token resumes it.
 */
import { type EntityId, UmweltError } from 'umwelt';
import type { GatewayWorld } from '../appearance/gateway-world.ts';
import { badOption } from '../bounds/bad-option.ts';
import { checkKeys, checkObject, isNumberWithin } from '../bounds/option-keys.ts';
import { ByteBudget } from '../views/byte-budget.ts';
import { ClientView } from '../views/client-view.ts';
import type { ViewIntake } from '../views/view-intake.ts';
import type { CloseReason } from '../wire/frame-format.ts';
import type { GatewayLimits } from './limits.ts';
import { SessionRates } from './session-rates.ts';

/** The answer of `authenticate` for a client that it admits. */
export interface Admission {
  /**
   * A present entity. The client is shown what it perceives. If another session shows this watcher, the
   * client takes that session over.
   */
  readonly watcher: EntityId;
  /** The client's own entity: always shown, with all fields. `watcher` unless given, 0 for none. */
  readonly own?: EntityId;
  /** Bytes per second for this client. Default: the gateway's limit of this name. */
  readonly bytesPerSecond?: number;
  /** Data of the game: kept as `session.data`. `snapshot` stores it as JSON. Default: undefined. */
  readonly data?: unknown;
}

/**
 * Why a session ended. 'gone': its grace time is over; 'released': the game called `release`; 'drained': the
 * gateway shuts down.
 */
export type LeaveReason = 'gone' | 'released' | 'drained';

/** The current connection of a session. @internal */
export interface SessionPeer {
  /** Bytes that were sent and have not left this process. */
  readonly bufferedBytes: number;
  /** Since when the client has been behind and was sent no frame. */
  behindMs: number | undefined;
  send(bytes: Uint8Array): void;
  close(why: CloseReason): void;
}

/** What a session needs of its gateway. */
export interface SessionHome {
  readonly world: GatewayWorld;
  readonly intake: ViewIntake;
  readonly limits: GatewayLimits;
  now(): number;
  end(session: Session, reason: LeaveReason): void;
}

const ADMISSION_MEMBERS = ['watcher', 'own', 'bytesPerSecond', 'data'];

/** Throws `BAD_OPTION` for what no other check covers. */
export function checkAdmission(admission: Admission): void {
  checkObject('an admission', admission, ADMISSION_MEMBERS);
  checkKeys('an admission', admission, ADMISSION_MEMBERS);
  const { bytesPerSecond } = admission;
  if (bytesPerSecond !== undefined && !isNumberWithin(bytesPerSecond, 1, Number.MAX_SAFE_INTEGER))
    throw badOption('bytesPerSecond', bytesPerSecond, `a number of 1 to ${Number.MAX_SAFE_INTEGER}`);
}

const NO_TOKEN = new Uint8Array(0);

/** A client's stay in the world, over all its connections. */
export class Session {
  /** Data of the game. */
  data: unknown;
  /** Number of the newest input. */
  inputNumber = 0;
  /** Empty after a restart, until the client has sent it. @internal */
  token: Uint8Array = NO_TOKEN;
  /** SHA-256 of the token, as hex: the key of the session. @internal */
  key = '';
  /** @internal */
  readonly view: ClientView;
  /** @internal */
  budget: ByteBudget;
  /** @internal */
  readonly rates: SessionRates;
  /** The warning about dropped inputs has been logged. @internal */
  hasDropped = false;
  /** The id of the world that its client was told last; `undefined` if this process has told it none. @internal */
  worldId: Uint8Array | undefined;
  /** The client has acknowledged a frame, so it is live. @internal */
  isProven = false;
  /** Address of its first connection. @internal */
  readonly address: string;
  /** @internal */
  readonly joinedMs: number;
  /** The current connection. @internal */
  peer: SessionPeer | undefined;
  /** Since when the session has had no connection. @internal */
  awayMs: number;
  /** @internal */
  isOver = false;
  readonly #home: SessionHome;

  /** @internal */
  constructor(
    home: SessionHome,
    address: string,
    bytesPerSecond: number,
    data: unknown,
    view = new ClientView(),
  ) {
    const nowMs = home.now();
    this.#home = home;
    this.view = view;
    this.address = address;
    this.data = data;
    this.joinedMs = nowMs;
    this.awayMs = nowMs;
    this.budget = new ByteBudget(bytesPerSecond, nowMs);
    this.rates = new SessionRates(home.limits, nowMs);
  }

  /** The watcher whose relations the client is shown; 0 after the watcher was removed. */
  get watcher(): EntityId {
    return this.view.watcher;
  }

  /** The client's own entity; 0 for none. */
  get own(): EntityId {
    return this.view.own;
  }

  /** Whether the session has a connection now. */
  get isConnected(): boolean {
    return this.peer !== undefined;
  }

  /**
   * Shows the client what another watcher perceives, from the next frame on. `own` is the watcher unless
   * given, 0 for none. Does nothing once the session has ended. Throws `STALE_ID`, `BAD_ID`, and `BAD_OPTION`
   * if another session shows that watcher.
   */
  attach(watcher: EntityId, own: EntityId = watcher): void {
    const { world, intake } = this.#home;
    // `position` throws unless the entity is present.
    world.position(watcher);
    if (own !== 0) world.position(own);
    // The view is used by nobody any more: it would hold the watcher forever, against every client to come.
    if (this.isOver) return;
    const holder = intake.viewOf(watcher);
    if (holder !== undefined && holder !== this.view) {
      throw new UmweltError('BAD_OPTION', `watcher ${watcher} has a session; expected one without`, {
        field: 'watcher',
        id: watcher,
        value: watcher,
      });
    }
    if (holder === undefined) intake.attach(this.view, watcher);
    // Usually the previous own entity has died and was removed.
    this.view.setOwn(own, world.tickCount, !world.has(this.view.own));
  }

  /** Ends the session now: closes the connection with 4008 and invalidates the token. Idempotent. */
  release(): void {
    this.#home.end(this, 'released');
  }
}
