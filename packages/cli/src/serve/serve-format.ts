/**
 * The numbers of what a caller and the service say to each other; docs/serve.md says what they mean.
 */

export const SERVE_VERSION = 3;
/** Callers from this one on are served, too: without the lists of later versions. */
export const SERVE_VERSION_OLDEST = 1;

/** First byte of what a caller sends. */
export const HELLO = 1;
export const BATCH = 2;

/** First byte of a command in a batch. */
export const PUT = 1;
export const PUT_WITH = 2;
export const UPDATE = 3;
export const TOUCH = 4;
export const REMOVE = 5;
export const TICK = 6;
export const ATTACH = 7;
export const DETACH = 8;
export const SOUND = 9;

/** First byte of what the service sends. */
export const WELCOME = 1;
export const VIEWS = 2;
export const REFUSED = 3;

/** Flag of views: what the caller knows of its watchers' relations is void, and this tick tells all of them. */
export const RESYNC = 1;
/** Flag of views: another message for the same tick follows. */
export const MORE = 2;

/** The lists of a view, by their number on the wire; `gone` and `attached` are of the second version, `heard` of the third. */
export const LISTS = ['left', 'entered', 'sensed', 'updated', 'gone', 'attached', 'heard'] as const;
/** In the order in which they hold: a key that is gone may enter in the same tick, as another entity. */
export const LIST_ORDER = ['left', 'gone', 'entered', 'sensed', 'updated', 'attached', 'heard'] as const;
/** From this version on callers are told who is gone and who is attached, and from that one on what is heard. */
export const GONE_VERSION = 2;
export const HEARD_VERSION = 3;
export type ListName = (typeof LISTS)[number];

export const KEY_BYTES_MAX = 64;
/** Sounds of all callers that wait for one tick. */
export const SOUNDS_MAX = 4096;
export const PROPERTIES_BYTES_MAX = 4096;
export const TOKEN_BYTES_MAX = 1024;
/** Refusals of one batch that are told one by one; the rest is told as a number. */
export const REFUSALS_TOLD = 32;
/** Bytes of a refusal's text. */
export const REASON_BYTES_MAX = 500;

/** Why a connection was closed, as its WebSocket close code. */
export const CloseCode = {
  goingAway: 1001,
  tooBig: 1009,
  internalError: 1011,
  malformed: 4000,
  unauthenticated: 4001,
  tooLate: 4002,
  full: 4003,
  tooSlow: 4006,
  otherVersion: 4009,
  tooMuch: 4010,
} as const;

export type CloseReason = keyof typeof CloseCode;
