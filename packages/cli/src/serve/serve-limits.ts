/**
 * How much a service takes from anyone, and keeps for anyone: every number that bounds it, and what happens at each.
 */

export interface ServeLimits {
  /** Connections that have said hello, at once; one more is closed. */
  readonly callersMax: number;
  /** Connections that have not, at once; with one more the oldest is closed. */
  readonly strangersMax: number;
  /** From the connection to the hello, in milliseconds; then it is closed. */
  readonly helloMs: number;
  /** Bytes of a connection that has not said hello; with more it is closed. */
  readonly strangerBytesMax: number;
  /** Longest message of a caller, in bytes; one that is longer closes its connection. */
  readonly messageBytesMax: number;
  /** Commands of a batch; one more closes its connection. Puts are too long for so many to fit into a message. */
  readonly commandsMax: number;
  /** Commands refused of a batch; one more closes its connection. */
  readonly refusalsMax: number;
  /** Entities of all callers; one more is refused. */
  readonly entitiesMax: number;
  /** Views are told in messages of about so many bytes. */
  readonly partBytes: number;
  /** With more than so many bytes under way a caller is behind: it is not read from, and ticks pass without it. */
  readonly behindBytes: number;
  /** A caller that is behind for so long, in milliseconds, is closed. */
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
