/**
 * How much a gateway takes from anyone, and gives: every number that bounds it, with a default that is safe to leave.
 */
import { UmweltError } from 'umwelt';

export interface GatewayLimits {
  /** Sessions at once, those that are away for their grace time included; 4096. */
  readonly clientsMax: number;
  /** Connections at once that have not been admitted yet; with more, the oldest is dropped. 1024. */
  readonly strangersMax: number;
  /** From the connection to the admission; 5,000. */
  readonly authenticateMs: number;
  /** How long a session stands without a connection; 30,000. */
  readonly graceMs: number;
  /** A connection that says nothing for so long is closed; 30,000. */
  readonly silenceMs: number;
  /** Longest message of a client, in bytes; 8,192. */
  readonly messageBytesMax: number;
  /** Messages of a client; twice as many at once. 60. */
  readonly messagesPerSecond: number;
  /** What a client is sent, but for leaves and messages, which always go; 262,144. */
  readonly bytesPerSecond: number;
  /** Longest frame, but for leaves and messages; 262,144. */
  readonly frameBytesMax: number;
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
  strangersMax: 1024,
  authenticateMs: 5000,
  graceMs: 30_000,
  silenceMs: 30_000,
  messageBytesMax: 8192,
  messagesPerSecond: 60,
  bytesPerSecond: 262_144,
  frameBytesMax: 262_144,
  bufferedBytesMax: 262_144,
  unackedMs: 3000,
  behindMs: 10_000,
  broadcastBytesMax: 4096,
  waitingBytesMax: 65_536,
};

/** Clients refuse frames of 1 MiB: this leaves room for what always goes. */
const FRAME_BYTES_MOST = 524_288;

/** Throws `BAD_OPTION`. */
export function readLimits(given: Partial<GatewayLimits> = {}): GatewayLimits {
  for (const [name, value] of Object.entries(given)) {
    const most = name === 'frameBytesMax' ? FRAME_BYTES_MOST : Number.MAX_SAFE_INTEGER;
    const least = name === 'graceMs' ? 0 : 1;
    const isKnown = name in LIMITS;
    if (isKnown && (value === undefined || (value >= least && value <= most))) continue;
    const expected = isKnown ? `a number of ${least} to ${most}` : Object.keys(LIMITS).join(', ');
    throw new UmweltError('BAD_OPTION', `limits.${name} is ${value}; expected ${expected}`, {
      field: `limits.${name}`,
      value,
    });
  }
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...LIMITS, ...Object.fromEntries(known) };
}
