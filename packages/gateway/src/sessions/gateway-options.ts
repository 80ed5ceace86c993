/** The options of a gateway: the game's settings, and the hooks that the gateway calls. */
import type { Logger } from 'pino';
import type { AppearanceOptions } from '../appearance/schema.ts';
import { badOption } from '../bounds/bad-option.ts';
import { checkFunctions, checkKeys, checkObject, isNumberWithin } from '../bounds/option-keys.ts';
import type { ConnectionRequest } from '../transports/transport.ts';
import type { GatewayLimits } from './limits.ts';
import type { Admission, LeaveReason, Session } from './session.ts';

/** A client that asks for a new session. */
export interface JoinRequest extends ConnectionRequest {
  /** The credential that the client sent, such as a ticket or a name. Untrusted: anyone may have sent it. */
  readonly credential: string;
  /** Aborted when the client is gone or has waited for `authenticateMs`: the result is of no use any more. */
  readonly signal: AbortSignal;
}

/** A source of time. Tests can pass their own. */
export interface Clock {
  /** Monotonic time in milliseconds, from any origin. */
  now(): number;
  /** Calls `action` every `ms` milliseconds until the returned function is called. */
  repeat(action: () => void, ms: number): () => void;
}

/** Options of `new Gateway()`. */
export interface GatewayOptions<A extends AppearanceOptions = AppearanceOptions> {
  /** Time between two ticks, in milliseconds. Clients interpolate by it. */
  readonly tickMs: number;
  /** What clients receive of an entity: the position grid and the fields. */
  readonly appearance: A;
  /**
   * Decides whether to admit a client, and as which watcher. `undefined`, or a promise of it, rejects the
   * client. Not called when a client reconnects with the token of a live session. It may add the watcher to
   * the world: `onLeave` is certain to follow.
   */
  authenticate(request: JoinRequest): Admission | undefined | PromiseLike<Admission | undefined>;
  /**
   * An input from a client. `payload` is valid only during the call. Untrusted. If it throws, the connection is closed
   * with 1011; the session stays, and the client connects again.
   */
  onInput?(session: Session, payload: Uint8Array, number: number): void;
  /** A session has started; its first frame has not been sent yet. */
  onJoin?(session: Session): void;
  /**
   * A session has ended. Its watcher is still in the world, unless the game has removed it. Often called by `publish`,
   * after the frames: grace times are checked there. So what it removes is removed with the next tick.
   */
  onLeave?(session: Session, reason: LeaveReason): void;
  /** Limits that replace the defaults. */
  readonly limits?: Partial<GatewayLimits>;
  /**
   * A pino logger. Without one, warnings and errors go to the console: up to 20 lines at once, then two per
   * second.
   */
  readonly logger?: Logger | undefined;
  /** The system clock unless given. */
  readonly clock?: Clock;
  /** Returns a session token: 16 bytes that cannot be guessed. Random bytes of `node:crypto` unless given. */
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
/** The methods that the gateway calls. */
const LOGGER_MEMBERS = ['debug', 'info', 'warn', 'error'] as const;

/** Throws `BAD_OPTION` for the options that no other check covers. */
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
    // A gateway alone must not keep the process running.
    timer.unref();
    return () => clearInterval(timer);
  },
};
