/**
 * What the two ends say to each other through a Colyseus room's connection: three message types.
 *
 * The player's end opens a line and hears the same word back as soon as somebody is followed for it. From then on FRAMES
 * carries the frame format of `@umwelt/gateway` whole, both ways, until either end closes the line or the room's
 * connection breaks. Whatever comes on a line that is not open is of one that was, and is left unread.
 */

/** Bytes: a message of the frame format. */
export const FRAMES = 'umwelt';
/** No payload. */
export const OPEN = 'umwelt:open';
/** Payload: a close code, as a number. */
export const CLOSE = 'umwelt:close';
