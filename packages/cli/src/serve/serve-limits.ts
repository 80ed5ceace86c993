/**
 * All limits of a service: what it accepts from callers and keeps for them, and what happens at each limit.
 */

export interface ServeLimits {
  /** Authenticated connections (hello accepted) at once; one more is closed. */
  readonly callersMax: number;
  /** Unauthenticated connections at once; with one more the oldest is closed. */
  readonly strangersMax: number;
  /** Time from the connection to the hello, in milliseconds; then it is closed. */
  readonly helloMs: number;
  /** Bytes of an unauthenticated connection; with more it is closed. */
  readonly strangerBytesMax: number;
  /** Longest message of a caller, in bytes; a longer one closes its connection. */
  readonly messageBytesMax: number;
  /** Commands per batch; one more closes the connection. Puts are so long that fewer fit into a message. */
  readonly commandsMax: number;
  /** Refused commands per batch; one more closes the connection. */
  readonly refusalsMax: number;
  /** Entities of all callers; one more is refused. */
  readonly entitiesMax: number;
  /** Views are sent in messages of about this size. */
  readonly partBytes: number;
  /** With more unsent bytes a caller is behind: nothing is read from it, and it is left out of ticks. */
  readonly behindBytes: number;
  /** A caller that is behind for longer than this, in milliseconds, is closed. */
  readonly behindMs: number;
  /** Views of one tick for one caller, in bytes; with more it is closed. */
  readonly tickBytesMax: number;
}

export const SERVE_LIMITS: ServeLimits = {
  callersMax: 64,
  strangersMax: 64,
  helloMs: 5000,
  strangerBytesMax: 4096,
  messageBytesMax: 1_048_576,
  commandsMax: 100_000,
  refusalsMax: 10_000,
  entitiesMax: 1_000_000,
  partBytes: 262_144,
  behindBytes: 4_194_304,
  behindMs: 10_000,
  tickBytesMax: 67_108_864,
};
