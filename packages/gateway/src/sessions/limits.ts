/**
 * How much a gateway takes from anyone, and gives: every number that bounds it, with a default that is safe to leave.
 */
import { badOption } from '../bounds/bad-option.ts';
import { checkKeys, isNumberWithin } from '../bounds/option-keys.ts';

/** Every number that bounds a gateway, each with its default. */
export interface GatewayLimits {
  /** Sessions at once, those that are away for their grace time included; 4096. */
  readonly clientsMax: number;
  /**
   * Of these, from one IP address or /64; 1024. Addresses of the loopback and of private networks have no such limit: a proxy
   * stands there.
   */
  readonly clientsPerAddressMax: number;
  /**
   * Connections at once that have not said hello yet; with more, the oldest of the address that holds most is closed with 4002.
   * 1024.
   */
  readonly strangersMax: number;
  /**
   * Clients at once that the game has not answered yet; with more, the oldest of the address that has most is closed with 4003.
   * 256.
   */
  readonly admissionsMax: number;
  /** From the connection to the admission; 5,000. Then `authenticate` is told by its signal. */
  readonly authenticateMs: number;
  /** How long a session stands without a connection; 30,000. */
  readonly graceMs: number;
  /** The same for one whose client has never acknowledged a frame; 5,000. */
  readonly firstGraceMs: number;
  /** A connection that says nothing for so long is closed; 30,000. */
  readonly silenceMs: number;
  /** Longest message of a client, in bytes; 8,192. */
  readonly messageBytesMax: number;
  /**
   * Inputs of a session, over all its connections; what six seconds save up at once. What is beyond is dropped and counted. The
   * client is told, and sends no more. 160.
   */
  readonly inputsPerSecond: number;
  /**
   * Messages of a session of any kind; what six seconds save up at once. Who says still more is closed with 4004. 2,000, and ten
   * times `inputsPerSecond` where that is more.
   */
  readonly messagesPerSecond: number;
  /**
   * How often one IP address or /64 may ask for a new session; what six seconds save up at once. Beyond, with 4004, it has to wait.
   * Not for addresses of the loopback and of private networks. 20.
   */
  readonly joinsPerSecond: number;
  /** How often a session may be connected anew; what six seconds save up at once. Beyond, with 4004, it has to wait. 10. */
  readonly resumesPerSecond: number;
  /** Bytes of a client, as the network brings them; a sixteenth of that at once. More are read later. 262,144. */
  readonly receivedBytesPerSecond: number;
  /** What a client is sent, but for leaves and messages, which always go; 262,144. */
  readonly bytesPerSecond: number;
  /** Longest frame, but for leaves and messages; 262,144. */
  readonly frameBytesMax: number;
  /**
   * Entities that one frame may bring into a client's view: the near and important first, the others with the next frames. Its own
   * and those that messages are about do not wait. 65,536: all at once.
   */
  readonly entersPerFrame: number;
  /** With more than so many bytes under way a client is behind, and gets no frame; 262,144. */
  readonly bufferedBytesMax: number;
  /**
   * Frames of so many milliseconds may be unacknowledged; with more a client is behind. What systems and networks buffer is
   * seen by nothing else. 3,000.
   */
  readonly unackedMs: number;
  /** A client that is behind for so long is closed; 10,000. */
  readonly behindMs: number;
  /** Longest broadcast, in bytes; 4,096. */
  readonly broadcastBytesMax: number;
  /** Bytes of broadcasts in one frame; what is beyond is lost, and a client that is behind is closed. 65,536. */
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
 * What every rate of a session saves up, in seconds: a client that paces itself may send the inputs of one second at once, and a
 * connection that stalls for five delivers theirs with them.
 */
export const SAVED_SECONDS = 6;
/** Beyond so many times its inputs, a session's messages are no accident. */
const FLOOD_FACTOR = 10;

/** Clients refuse frames of 1 MiB: this leaves room for what always goes. */
const FRAME_BYTES_MOST = 524_288;

/** Throws `BAD_OPTION`. */
export function readLimits(given: Partial<GatewayLimits> = {}): GatewayLimits {
  checkKeys('limits', given, Object.keys(LIMITS), 'limits.');
  for (const [name, value] of Object.entries(given)) {
    const most = name === 'frameBytesMax' ? FRAME_BYTES_MOST : Number.MAX_SAFE_INTEGER;
    const least = name === 'graceMs' || name === 'firstGraceMs' ? 0 : 1;
    if (value !== undefined && !isNumberWithin(value, least, most))
      throw badOption(`limits.${name}`, value, `a number of ${least} to ${most}`);
  }
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  const limits = { ...LIMITS, ...Object.fromEntries(known) };
  const flood = Math.max(limits.messagesPerSecond, FLOOD_FACTOR * limits.inputsPerSecond);
  return { ...limits, messagesPerSecond: given.messagesPerSecond ?? flood };
}
