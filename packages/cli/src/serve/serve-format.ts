/**
 * The numbers in the messages between a caller and the service; docs/serve.md defines them.
 */

export const SERVE_VERSION = 3;
/** The oldest version that is served, without the lists of later versions. */
export const SERVE_VERSION_OLDEST = 1;

/** First byte of a caller's message. */
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

/** First byte of a service's message. */
export const WELCOME = 1;
export const VIEWS = 2;
export const REFUSED = 3;

/** Flag of views: the caller must drop its watchers' relations; this tick lists all of them. */
export const RESYNC = 1;
/** Flag of views: another message for the same tick follows. */
export const MORE = 2;

/** The lists of a view, by their number on the wire; `gone` and `attached` need version 2, `heard` version 3. */
export const LISTS = ['left', 'entered', 'sensed', 'updated', 'gone', 'attached', 'heard'] as const;
/** The order in which to apply them: a removed key may enter in the same tick, as another entity. */
export const LIST_ORDER = ['left', 'gone', 'entered', 'sensed', 'updated', 'attached', 'heard'] as const;
/** From this version on callers get `gone` and `attached`, and from the next one `heard`. */
export const GONE_VERSION = 2;
export const HEARD_VERSION = 3;
export type ListName = (typeof LISTS)[number];

export const KEY_BYTES_MAX = 64;
/** Maximum sounds of all callers that wait for one tick. */
export const SOUNDS_MAX = 4096;
export const PROPERTIES_BYTES_MAX = 4096;
export const TOKEN_BYTES_MAX = 1024;
/** Refusals of one batch that are sent one by one; further ones are only counted. */
export const REFUSALS_TOLD = 32;
/** Maximum bytes of a refusal's text. */
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
