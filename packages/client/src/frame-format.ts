/**
 * The numbers of the frame format, as docs/frame-format.md has them, and the limits a client holds a server to.
 *
 * The gateway has the same numbers in a file of its own: the two ends share the document and no code.
 */

export const FORMAT_VERSION = 3;

export const WELCOME = 1;
export const FRAME = 2;
export const PONG = 3;

export const HELLO = 1;
export const INPUT = 2;
export const ACK = 3;
export const PING = 4;

export const FRAME_RESYNC = 1;
export const FRAME_OWN = 2;
export const FRAME_PLACES = 4;
export const FRAME_ATTACHED = 8;
export const FRAME_GONE = 16;

export const POSITION_DELTA = 1;
export const POSITION_WHOLE = 2;
export const HIDE = 4;
export const FIELD_SHIFT = 3;

export const FIELDS_MAX = 24;
export const SENSES_MAX = 8;
export const TOKEN_BYTES = 16;
export const WORLD_ID_BYTES = 8;
/** A server that sends more at once is none of ours. */
export const FRAME_MAX_BYTES = 1 << 20;
/** Most entities that a mirror holds, those that left and are kept included. */
export const ENTITIES_MAX = 1 << 16;
