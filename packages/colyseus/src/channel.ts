/**
 * The protocol inside the connection of a Colyseus room: three message types.
 *
 * The client opens a line with OPEN and gets OPEN back as soon as it follows a watcher. From then on FRAMES
 * carries messages of the frame format of `@umwelt/gateway`, both ways, until either end closes the line or
 * the room's connection breaks. A message on a line that is not open belongs to an earlier line and is
 * ignored.
 */

/** Payload: a message of the frame format, as bytes. */
export const FRAMES = 'umwelt';
/** No payload. */
export const OPEN = 'umwelt:open';
/** Payload: a close code, as a number. */
export const CLOSE = 'umwelt:close';
