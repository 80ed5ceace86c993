/**
 * What a page session needs of the connection to its page: a WebSocket, or a socket within the same process.
 */
export interface PageSocket {
  readonly OPEN: number;
  readonly readyState: number;
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  /** `code`: a WebSocket close code. */
  close(code: number, reason: string): void;
  /** Answered by a 'pong' event. */
  ping(): void;
  /** Ends the connection at once, without a closing handshake. */
  terminate(): void;
  on(event: 'message', listener: (data: { toString(): string }, isBinary: boolean) => void): unknown;
  on(event: 'pong' | 'close' | 'error', listener: () => void): unknown;
}

/** WebSocket close code 1011: internal error. */
const INTERNAL_ERROR = 1011;
/** Longest reason of a close frame, in bytes. */
const REASON_BYTES_MAX = 123;

/** Closes the connection because of an error on this side. The reason is the error's message without characters of several bytes. */
export function closeFor(socket: PageSocket, error: unknown): void {
  const text = error instanceof Error ? error.message : 'an error';
  socket.close(INTERNAL_ERROR, text.replaceAll(/[^ -~]/g, '?').slice(0, REASON_BYTES_MAX));
}
