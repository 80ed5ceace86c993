/**
 * The connection to a server: a WebSocket unless another one is given, such as the connection of a framework.
 */

/** The client's end of a connection. */
export interface ClientSocket {
  /** Sends a whole message. */
  send(bytes: Uint8Array): void;
  /** `code` is a WebSocket close code. */
  close(code: number, reason: string): void;
}

/**
 * The events of a socket, called in order: never before `OpenSocket` has returned, and none after `closed`.
 */
export interface SocketEvents {
  /** The socket can send. */
  opened(): void;
  /** A whole message arrived. */
  received(bytes: Uint8Array): void;
  /** `code` is a WebSocket close code: 1006 for a broken connection. */
  closed(code: number, reason: string): void;
}

/** Opens a connection of any kind. */
export type OpenSocket = (url: string, events: SocketEvents) => ClientSocket;

/**
 * Opens a WebSocket. Throws only for an invalid address, and if the runtime has no WebSocket; everything else
 * is reported as an event.
 */
export const openWebSocket: OpenSocket = (url, events) => {
  if (typeof WebSocket === 'undefined') {
    throw new Error('this runtime has no WebSocket (Node 22 has one): pass openSocket');
  }
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => events.opened();
  // A text message is not valid: as zero bytes it is rejected.
  socket.onmessage = ({ data }) => events.received(new Uint8Array(data instanceof ArrayBuffer ? data : []));
  socket.onclose = ({ code, reason }) => events.closed(code, reason);
  return {
    send: (bytes) => socket.send(bytes as Uint8Array<ArrayBuffer>),
    close: (code, reason) => socket.close(code, reason),
  };
};
