/**
 * What whoever starts a gateway says of the game, and what the gateway asks of it.
 */
import type { Logger } from 'pino';
import type { AppearanceOptions } from '../appearance/schema.ts';
import { badOption } from '../bounds/bad-option.ts';
import { checkFunctions, checkKeys, checkObject, isNumberWithin } from '../bounds/option-keys.ts';
import type { ConnectionRequest } from '../transports/transport.ts';
import type { GatewayLimits } from './limits.ts';
import type { Admission, LeaveReason, Session } from './session.ts';

/** Somebody who wants to come in. */
export interface JoinRequest extends ConnectionRequest {
  /** What the client gave as its credential: a ticket, a name. Anyone may have sent it. */
  readonly credential: string;
  /** Aborted when the client is gone, or has waited for `authenticateMs`: what is asked for it is of no more use. */
  readonly signal: AbortSignal;
}

/** Time, for tests to hand in one of their own. */
export interface Clock {
  /** Milliseconds from any start, never back. */
  now(): number;
  /** Calls `action` every `ms` milliseconds, until what it answers is called. */
  repeat(action: () => void, ms: number): () => void;
}

/** Options of `new Gateway()`. */
export interface GatewayOptions<A extends AppearanceOptions = AppearanceOptions> {
  /** From tick to tick, in milliseconds: clients draw by it. */
  readonly tickMs: number;
  /** What clients are told of entities. */
  readonly appearance: A;
  /**
   * Whether to let someone in, and as whom; `undefined`, or a promise of it, turns them away. Not asked when someone
   * comes back with the token of a session that still stands. May well add the watcher to the world: `onLeave` is
   * certain to follow.
   */
  authenticate(request: JoinRequest): Admission | undefined | PromiseLike<Admission | undefined>;
  /** What the player does. `payload` is valid during the call; hostile like all that comes in. */
  onInput?(session: Session, payload: Uint8Array, number: number): void;
  /** A session began; its first frame has not gone out. */
  onJoin?(session: Session): void;
  /** The session is over; its watcher is still in the world, if it was. */
  onLeave?(session: Session, reason: LeaveReason): void;
  /** Over the defaults. */
  readonly limits?: Partial<GatewayLimits>;
  /** Without one, warnings and errors go to the console: twenty lines at once, then two a second. */
  readonly logger?: Logger | undefined;
  /** The system's unless given. */
  readonly clock?: Clock;
  /** 16 bytes that nobody can guess. */
  readonly randomToken?: () => Uint8Array;
}

export type Authenticate = GatewayOptions['authenticate'];

const OPTIONS: Record<keyof GatewayOptions, true> = {
  tickMs: true,
  appearance: true,
  authenticate: true,
  onInput: true,
  onJoin: true,
  onLeave: true,
  limits: true,
  logger: true,
  clock: true,
  randomToken: true,
};

const CLOCK_MEMBERS = ['now', 'repeat'] as const;
/** Those that are called. */
const LOGGER_MEMBERS = ['debug', 'info', 'warn', 'error'] as const;

/** Throws `BAD_OPTION` for what no other check sees. */
export function checkOptions(options: GatewayOptions): void {
  checkKeys('Gateway', options, Object.keys(OPTIONS));
  const { tickMs, clock, logger } = options;
  if (!isNumberWithin(tickMs, Number.MIN_VALUE, Number.MAX_VALUE)) {
    throw badOption('tickMs', tickMs, 'a number above 0');
  }
  checkFunctions(options, ['authenticate', 'onInput', 'onJoin', 'onLeave', 'randomToken'], ['authenticate']);
  if (clock !== undefined) {
    checkObject('clock', clock, CLOCK_MEMBERS);
    checkFunctions(clock, CLOCK_MEMBERS, CLOCK_MEMBERS, 'clock.');
  }
  if (logger === undefined) return;
  checkObject('logger', logger, LOGGER_MEMBERS);
  checkFunctions(logger, LOGGER_MEMBERS, LOGGER_MEMBERS, 'logger.');
}

export const systemClock: Clock = {
  now: () => performance.now(),
  repeat: (action, ms) => {
    const timer = setInterval(action, ms);
    // A gateway alone does not keep a process.
    timer.unref();
    return () => clearInterval(timer);
  },
};
