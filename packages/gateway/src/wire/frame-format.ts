/**
 * The constants of the frame format: message kinds, flags, limits and close codes. docs/frame-format.md
 * describes them.
 *
 * The client has the same constants in a file of its own: the two ends share the document and no code, and
 * the tests compare them.
 */

export const FORMAT_VERSION = 3;
/**
 * Clients of this version are still served: their frames do not tell which of the entities that left are
 * gone.
 */
export const FORMAT_VERSION_OLDEST = 2;

/** First byte of a server message. */
export const WELCOME = 1;
export const FRAME = 2;
export const PONG = 3;

/** First byte of a client message. */
export const HELLO = 1;
export const INPUT = 2;
export const ACK = 3;
export const PING = 4;

/** Frame flag: a keyframe. The client discards what it has, and this frame contains everything. */
export const FRAME_RESYNC = 1;
/** Frame flag: the id of the client's own entity follows, 0 for none. */
export const FRAME_OWN = 2;
/** Frame flag: messages from places follow at the end. */
export const FRAME_PLACES = 4;
/** Frame flag: the attachments follow, as the last section. */
export const FRAME_ATTACHED = 8;
/** Frame flag: after the entities that left come those that left because they were removed from the world. */
export const FRAME_GONE = 16;

/** Bits of a record's mask; field i is bit `FIELD_SHIFT + i`. */
export const POSITION_DELTA = 1;
export const POSITION_WHOLE = 2;
export const HIDE = 4;
export const FIELD_SHIFT = 3;

/** 24 fields and three bits fill 27 bits: a mask is a varint of at most four bytes. */
export const FIELDS_MAX = 24;
export const FIELD_NAME_MAX_BYTES = 64;
export const STRING_MAX_BYTES = 1024;
export const TOKEN_BYTES = 16;
export const WORLD_ID_BYTES = 8;
/** Most entities that a client holds. */
export const ENTITIES_MAX = 65_536;
export const CREDENTIAL_MAX_BYTES = 4096;

/** WebSocket close codes, by the reason for which a connection was closed. */
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
