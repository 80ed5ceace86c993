/**
 * The numbers of the frame format: kinds, flags, limits and close codes. docs/frame-format.md says what they mean.
 *
 * The client has the same numbers in a file of its own: the two ends share the document and no code, and their tests
 * hold them together.
 */

export const FORMAT_VERSION = 3;
/** Clients of this one are served, too: they are not told who is gone, only that it left. */
export const FORMAT_VERSION_OLDEST = 2;

/** First byte of what the server sends. */
export const WELCOME = 1;
export const FRAME = 2;
export const PONG = 3;

/** First byte of what a client sends. */
export const HELLO = 1;
export const INPUT = 2;
export const ACK = 3;
export const PING = 4;

/** Flag of a frame: what the client has is void, and this frame tells everything. */
export const FRAME_RESYNC = 1;
/** Flag of a frame: the id of the client's own entity follows, 0 for none. */
export const FRAME_OWN = 2;
/** Flag of a frame: messages from places come last. */
export const FRAME_PLACES = 4;
/** Flag of a frame: who is attached to whom comes last of all. */
export const FRAME_ATTACHED = 8;
/** Flag of a frame: after those that left come those that left because they were removed from the world. */
export const FRAME_GONE = 16;

/** Bits of a record's mask; field i is bit `FIELD_SHIFT + i`. */
export const POSITION_DELTA = 1;
export const POSITION_WHOLE = 2;
export const HIDE = 4;
export const FIELD_SHIFT = 3;

/** 24 fields and three bits fill 27: a mask is a varint of at most four bytes. */
export const FIELDS_MAX = 24;
export const FIELD_NAME_MAX_BYTES = 64;
export const STRING_MAX_BYTES = 1024;
export const TOKEN_BYTES = 16;
export const WORLD_ID_BYTES = 8;
/** Most entities that a client holds. */
export const ENTITIES_MAX = 65_536;
export const CREDENTIAL_MAX_BYTES = 4096;

/** Why a connection was closed, as its WebSocket close code. */
export const CloseCode = {
  goingAway: 1001,
  tooBig: 1009,
  internalError: 1011,
  malformed: 4000,
  unauthenticated: 4001,
  tooLate: 4002,
  full: 4003,
  flood: 4004,
  replaced: 4005,
  tooSlow: 4006,
  silent: 4007,
  released: 4008,
  otherVersion: 4009,
  tooMuch: 4010,
} as const;

export type CloseReason = keyof typeof CloseCode;
