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
