/**
 * The constants of the frame format, as docs/frame-format.md describes them, and the limits that a client
 * enforces.
 *
 * The gateway has the same constants in a file of its own: the two ends share the document and no code.
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
/** A longer frame is an error. */
export const FRAME_MAX_BYTES = 1 << 20;
/** Most entities in a mirror, including those that left and are kept. */
export const ENTITIES_MAX = 1 << 16;
