/**
 * The limits of a gateway: how much it accepts from clients and how much it sends to them. Every default is
 * safe to keep.
 */
import { badOption } from '../bounds/bad-option.ts';
import { checkKeys, isNumberWithin } from '../bounds/option-keys.ts';

/** The limits of a gateway, each with its default. */
export interface GatewayLimits {
  /**
   * Most sessions at once, including those without a connection that are within their grace time. Default
   * 4096.
   */
  readonly clientsMax: number;
  /**
   * Most sessions at once from one IP address or IPv6 /64. Default 1024. Loopback and private addresses are
   * exempt: they are usually a proxy that all clients share.
   */
  readonly clientsPerAddressMax: number;
  /**
   * Most connections at once that have not sent a hello. Beyond it, the oldest connection of the address that
   * holds most is closed with 4002. Default 1024.
   */
  readonly strangersMax: number;
  /**
   * Most clients at once that wait for `authenticate`. Beyond it, the oldest client of the address that holds
   * most is closed with 4003. Default 256.
   */
  readonly admissionsMax: number;
  /**
   * Time from the connection to the admission, in milliseconds. Unauthenticated connections are then closed
   * with 4002, and the signal of `authenticate` is aborted. Default 5,000.
   */
  readonly authenticateMs: number;
  /** How long a session is kept without a connection, in milliseconds. Default 30,000. */
  readonly graceMs: number;
  /**
   * The grace time of a session whose client has never acknowledged a frame, in milliseconds. Default 5,000.
   */
  readonly firstGraceMs: number;
  /** A connection that sends nothing for this long is closed, in milliseconds. Default 30,000. */
  readonly silenceMs: number;
  /** Longest message of a client, in bytes. Default 8,192. */
  readonly messageBytesMax: number;
  /**
   * Inputs per second of a session, over all its connections, with a burst of six seconds' worth. Inputs
   * beyond the rate are dropped and counted. The welcome tells the client this rate, and the client keeps to
   * it. Default 160.
   */
  readonly inputsPerSecond: number;
  /**
   * Messages of any kind per second of a session, with a burst of six seconds' worth. Beyond the rate the
   * connection is closed with 4004. Default 2,000, or ten times `inputsPerSecond` if that is more.
   */
  readonly messagesPerSecond: number;
  /**
   * New sessions per second of one IP address or IPv6 /64, with a burst of six seconds' worth. Beyond the
   * rate the connection is closed with 4004, and the client must retry later. Loopback and private addresses
   * are exempt. Default 20.
   */
  readonly joinsPerSecond: number;
  /**
   * Reconnections per second of a session, with a burst of six seconds' worth. Beyond the rate the connection
   * is closed with 4004, and the client must retry later. Default 10.
   */
  readonly resumesPerSecond: number;
  /**
   * Bytes per second read from a connection, with a burst of a sixteenth of a second's worth. Further bytes
   * are read later (back-pressure). Default 262,144.
   */
  readonly receivedBytesPerSecond: number;
  /**
   * Bytes per second sent to a client. Leaves, attachments and messages count against it, but are sent even beyond it.
   * Default 262,144.
   */
  readonly bytesPerSecond: number;
  /** Longest frame in bytes. Leaves, attachments and messages are sent even beyond it. Default 262,144. */
  readonly frameBytesMax: number;
  /**
   * Most entities that one frame may add to a client's view. Near and important entities enter first, the
   * others with later frames. The client's own entity and the subjects of messages do not wait. Default
   * 65,536: all at once.
   */
  readonly entersPerFrame: number;
  /** A client with more unsent bytes than this counts as behind and is sent no frame. Default 262,144. */
  readonly bufferedBytesMax: number;
  /**
   * A client whose acknowledgements lag the last sent frame by more than this, in milliseconds, counts as
   * behind. Only acknowledgements reveal what operating systems and networks buffer. Default 3,000.
   */
  readonly unackedMs: number;
  /** A client that is behind for this long is closed, in milliseconds. Default 10,000. */
  readonly behindMs: number;
  /**
   * Longest broadcast message, in bytes; at most `waitingBytesMax`. Default 4,096, or `waitingBytesMax` if that
   * is less.
   */
  readonly broadcastBytesMax: number;
  /**
   * Most bytes of broadcasts in one frame; at most 393,216. Messages beyond it are dropped; if the client is
   * behind, it is closed. Default 65,536.
   */
  readonly waitingBytesMax: number;
}

const LIMITS: GatewayLimits = {
  clientsMax: 4096,
  clientsPerAddressMax: 1024,
  strangersMax: 1024,
  admissionsMax: 256,
  authenticateMs: 5000,
  graceMs: 30_000,
  firstGraceMs: 5000,
  silenceMs: 30_000,
  messageBytesMax: 8192,
  inputsPerSecond: 160,
  messagesPerSecond: 2000,
  joinsPerSecond: 20,
  resumesPerSecond: 10,
  receivedBytesPerSecond: 262_144,
  bytesPerSecond: 262_144,
  frameBytesMax: 262_144,
  entersPerFrame: 65_536,
  bufferedBytesMax: 262_144,
  unackedMs: 3000,
  behindMs: 10_000,
  broadcastBytesMax: 4096,
  waitingBytesMax: 65_536,
};

/**
 * Burst of every session rate, in seconds. A client that paces itself may send one second of inputs at once;
 * a connection that stalls for five seconds delivers those five seconds with them.
 */
export const SAVED_SECONDS = 6;
/** A session that sends more messages than this many times its input rate does so on purpose. */
const FLOOD_FACTOR = 10;

/**
 * Clients reject frames above 1 MiB. These maximums leave room for each other and for leaves and attachments, which are
 * always sent.
 */
const MOST: Partial<Record<string, number>> = { frameBytesMax: 524_288, waitingBytesMax: 393_216 };

/** Throws `BAD_OPTION`. */
export function readLimits(given: Partial<GatewayLimits> = {}): GatewayLimits {
  checkKeys('limits', given, Object.keys(LIMITS), 'limits.');
  for (const [name, value] of Object.entries(given)) {
    const most = MOST[name] ?? Number.MAX_SAFE_INTEGER;
    const least = name === 'graceMs' || name === 'firstGraceMs' ? 0 : 1;
    if (value !== undefined && !isNumberWithin(value, least, most))
      throw badOption(`limits.${name}`, value, `a number of ${least} to ${most}`);
  }
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  const limits = { ...LIMITS, ...Object.fromEntries(known) };
  const messagesPerSecond =
    given.messagesPerSecond ?? Math.max(limits.messagesPerSecond, FLOOD_FACTOR * limits.inputsPerSecond);
  const { waitingBytesMax } = limits;
  const broadcastBytesMax = given.broadcastBytesMax ?? Math.min(limits.broadcastBytesMax, waitingBytesMax);
  // A longer one would find no room in any frame.
  if (broadcastBytesMax > waitingBytesMax)
    throw badOption(
      'limits.broadcastBytesMax',
      broadcastBytesMax,
      `at most waitingBytesMax, ${waitingBytesMax}`,
    );
  return { ...limits, messagesPerSecond, broadcastBytesMax };
}
