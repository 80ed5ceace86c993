/**
 * What carries bytes to a server and back: a WebSocket unless something else is given, such as the connection of a
 * framework's own.
 */

export interface ClientSocket {
  /** A whole message. */
  send(bytes: Uint8Array): void;
  /** `code` is a WebSocket close code. */
  close(code: number, reason: string): void;
}

/** Called in the order of what happens: never before the socket has been answered, nothing after `closed`. */
export interface SocketEvents {
  /** It may be sent to. */
  opened(): void;
  /** A whole message came. */
  received(bytes: Uint8Array): void;
  /** `code` is a WebSocket close code: 1006 where the connection broke. */
  closed(code: number, reason: string): void;
}

/** Opens a connection of any kind. */
export type OpenSocket = (url: string, events: SocketEvents) => ClientSocket;

/**
 * Opens a WebSocket; it reports what happens and never throws, but for an address that is none, and where the runtime
 * has no WebSocket.
 */
export const openWebSocket: OpenSocket = (url, events) => {
  if (typeof WebSocket === 'undefined') {
    throw new Error('this runtime has no WebSocket (Node has one from 22 on): pass openSocket');
  }
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => events.opened();
  // Text is no frame of this format: as bytes it is found to be none.
  socket.onmessage = ({ data }) =>
    events.received(data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(0));
  socket.onclose = ({ code, reason }) => events.closed(code, reason);
  return {
    send: (bytes) => socket.send(bytes as Uint8Array<ArrayBuffer>),
    close: (code, reason) => socket.close(code, reason),
  };
};
