/**
 * One client, over all its connections: whose relations it is shown, which entity is its own, and what it may be sent.
 *
 * A session that loses its connection stands for the grace time; whoever comes back with its token goes on with it.
 */
import { type EntityId, UmweltError } from 'umwelt';
import type { GatewayWorld } from '../appearance/gateway-world.ts';
import { badOption } from '../bounds/bad-option.ts';
import { checkObject, isNumberWithin } from '../bounds/option-keys.ts';
import { ByteBudget } from '../views/byte-budget.ts';
import { ClientView } from '../views/client-view.ts';
import type { ViewIntake } from '../views/view-intake.ts';
import type { CloseReason } from '../wire/frame-format.ts';
import type { GatewayLimits } from './limits.ts';
import { SessionRates } from './session-rates.ts';

/** What a game says of a client that it lets in. */
export interface Admission {
  /** A present entity: what it perceives is what the client is shown. One that another session shows takes its place. */
  readonly watcher: EntityId;
  /** The entity that is the client's own, always shown and whole; `watcher` unless given, 0 for none. */
  readonly own?: EntityId;
  /** Instead of the limit of that name. */
  readonly bytesPerSecond?: number;
  /** For the game: kept as `session.data`, and by `snapshot` as JSON. */
  readonly data?: unknown;
}

/** 'gone': its grace time is over; 'released': the game did it; 'drained': the gateway closes. */
export type LeaveReason = 'gone' | 'released' | 'drained';

/** The connection that a session has. @internal */
export interface SessionPeer {
  /** Bytes that were sent and are still under way. */
  readonly bufferedBytes: number;
  /** Since when it could not be sent anything. */
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

/** Throws `BAD_OPTION` for what no other check sees. */
export function checkAdmission(admission: Admission): void {
  checkObject('an admission', admission, ADMISSION_MEMBERS);
  const { bytesPerSecond } = admission;
  if (bytesPerSecond !== undefined && !isNumberWithin(bytesPerSecond, 1, Number.MAX_SAFE_INTEGER))
    throw badOption('bytesPerSecond', bytesPerSecond, `a number of 1 to ${Number.MAX_SAFE_INTEGER}`);
}

const NO_TOKEN = new Uint8Array(0);

/** A player's stay, over connections that break and come again. */
export class Session {
  /** The game's own. */
  data: unknown;
  /** Number of the newest input. */
  inputNumber = 0;
  /** None after a restart, until its client says it. @internal */
  token: Uint8Array = NO_TOKEN;
  /** SHA-256 of its token, as hex: what it is known by. @internal */
  key = '';
  /** @internal */
  readonly view: ClientView;
  /** @internal */
  budget: ByteBudget;
  /** @internal */
  readonly rates: SessionRates;
  /** It has been said that inputs were dropped. @internal */
  hasDropped = false;
  /** Its client has acknowledged a frame: somebody is there. @internal */
  isProven = false;
  /** Where its first connection came from. @internal */
  readonly address: string;
  /** @internal */
  readonly joinedMs: number;
  /** The connection that it has now. @internal */
  peer: SessionPeer | undefined;
  /** Since when it has none. @internal */
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

  /** Whose relations the client is shown; 0: nobody's, its watcher was removed. */
  get watcher(): EntityId {
    return this.view.watcher;
  }

  get own(): EntityId {
    return this.view.own;
  }

  /** Whether it has a connection now. */
  get isConnected(): boolean {
    return this.peer !== undefined;
  }

  /**
   * Shows the client what another watcher perceives, from the next frame on; `own` is the watcher unless given, 0 for none.
   * Throws `STALE_ID`, `BAD_ID`, and `BAD_OPTION` when another session shows that watcher.
   */
  attach(watcher: EntityId, own: EntityId = watcher): void {
    const { world, intake } = this.#home;
    // Only who is present has a position.
    world.position(watcher);
    if (own !== 0) world.position(own);
    const holder = intake.viewOf(watcher);
    if (holder !== undefined && holder !== this.view) {
      throw new UmweltError('BAD_OPTION', `watcher ${watcher} has a session; expected one without`, {
        field: 'watcher',
        id: watcher,
        value: watcher,
      });
    }
    if (holder === undefined) intake.attach(this.view, watcher);
    // Most often the body before has died.
    this.view.setOwn(own, world.tickCount, !world.has(this.view.own));
  }

  /** Ends it now: the connection is closed with 4008, and its token is worth nothing. Idempotent. */
  release(): void {
    this.#home.end(this, 'released');
  }
}
